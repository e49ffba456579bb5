//! Where state lives and how much of it there is: backends, checkpoint
//! storage, files.
//!
//! Sizes are those of the model: what a key weighs is said by the scenario.
//!
//! Source: Flink `StateBackend`, `CheckpointStorage`,
//! `FsCheckpointStreamFactory`, `CheckpointedStateScope`.

use super::element::SnapshotState;
use super::element::SnapshotType;
use super::graph::ExecutionGraph;
use super::ids::{CheckpointId, SubtaskIndex};
use super::time::Micros;

/// The settings of Flink that say where state goes.
///
/// Source: Flink `CheckpointingOptions`, `StateBackendOptions`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateSettings {
    /// `state.backend.type`.
    pub backend: StateBackend,
    /// `execution.checkpointing.storage`.
    pub storage: CheckpointStorage,
    /// `execution.checkpointing.dir`, as it is written; without one nothing is
    /// ever in a file.
    pub directory: Option<String>,
    /// `execution.checkpointing.savepoint-dir`.
    pub savepoint_directory: Option<String>,
    /// `execution.checkpointing.create-subdir`.
    pub layout: DirectoryLayout,
    /// `execution.checkpointing.data-inline-threshold`, in bytes: a piece of
    /// state that is not larger stands in the checkpoint's metadata.
    pub inline_max: u64,
    /// `execution.checkpointing.incremental`.
    pub growth: Growth,
    /// `execution.checkpointing.local-backup.enabled` and
    /// `execution.state-recovery.from-local`.
    pub local: LocalRecovery,
    /// `execution.checkpointing.local-backup.dirs`, as it is written.
    pub local_directory: Option<String>,
}

/// Where working state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateBackend {
    /// As objects on the TaskManager's heap.
    HashMap,
    /// In RocksDB on the TaskManager's disk.
    RocksDb,
}

/// Where checkpoints go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckpointStorage {
    /// Into the JobManager's memory.
    JobManager,
    /// Into files.
    FileSystem,
}

/// Whether a job has a directory of its own for its checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DirectoryLayout {
    /// It has, called by the job's id.
    OnePerJob,
    /// All jobs share one.
    Shared,
}

/// What a checkpoint writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Growth {
    /// All of the state.
    Full,
    /// What is new since the last one, where the backend can do that.
    Incremental,
}

/// What copies on the TaskManager's own disk are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LocalRecovery {
    /// There are none.
    Off,
    /// They are written and never read.
    Backup,
    /// They are written, and a restart reads them where they are.
    On,
}

impl StateSettings {
    /// The most state that a task may hand to the JobManager in one piece when
    /// checkpoints go into its memory, in bytes.
    ///
    /// Source: Flink `JobManagerCheckpointStorage.DEFAULT_MAX_STATE_SIZE`.
    pub const IN_MEMORY_MAX: u64 = 5 << 20;

    /// Whether checkpoints build on the files of earlier ones.
    #[must_use]
    pub fn is_incremental(&self) -> bool {
        self.backend == StateBackend::RocksDb
            && self.storage == CheckpointStorage::FileSystem
            && self.growth == Growth::Incremental
    }

    /// Whether keyed state is also written to the TaskManager's own disk. With
    /// checkpoints in the JobManager's memory it is not.
    #[must_use]
    pub fn writes_copies(&self) -> bool {
        self.storage == CheckpointStorage::FileSystem && self.local != LocalRecovery::Off
    }
}

impl Default for StateSettings {
    /// Flink 1.20's defaults.
    fn default() -> Self {
        Self {
            backend: StateBackend::HashMap,
            storage: CheckpointStorage::JobManager,
            directory: None,
            savepoint_directory: None,
            layout: DirectoryLayout::OnePerJob,
            inline_max: 20 << 10,
            growth: Growth::Full,
            local: LocalRecovery::Off,
            local_directory: None,
        }
    }
}

/// How fast the scenario's storage is, and who sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StorageSpec {
    /// The file system that checkpoints go to.
    pub checkpoints: Device,
    /// The own disk of each TaskManager.
    pub disk: Device,
    /// Whose it is.
    pub reach: Reach,
}

/// How fast something is written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// For each file.
    pub latency: Micros,
    /// Bytes in a second; none: no time.
    pub bytes_per_second: Option<u64>,
}

/// Who sees the directory of checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// The JobManager and every TaskManager, as Flink demands.
    EveryMachine,
    /// Each machine has its own under the same name.
    OneMachine,
}

impl Device {
    /// One that needs no time.
    pub const INSTANT: Self = Self { latency: Micros::ZERO, bytes_per_second: None };

    /// How long it takes to write or read, a file after the other.
    #[must_use]
    pub fn time(self, transfer: Transfer) -> Micros {
        let bytes = u128::from(transfer.bytes) * 1_000_000;
        let moving = self.bytes_per_second.map_or(0, |rate| bytes.div_ceil(u128::from(rate)));
        let opening = u128::from(self.latency.0) * u128::from(transfer.n_files);
        Micros(u64::try_from(moving + opening).unwrap_or(u64::MAX))
    }
}

impl StorageSpec {
    /// Storage that needs no time.
    pub const INSTANT: Self =
        Self { checkpoints: Device::INSTANT, disk: Device::INSTANT, reach: Reach::EveryMachine };

    /// Whether any file ever takes time.
    #[must_use]
    pub fn takes_time(&self) -> bool {
        self.checkpoints != Device::INSTANT || self.disk != Device::INSTANT
    }
}

/// Files that are written or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// How many.
    pub n_files: u64,
    /// Their size together.
    pub bytes: u64,
}

impl Transfer {
    /// One more file.
    pub fn add(&mut self, bytes: u64) {
        self.n_files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// A piece of a task's snapshot, with where it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatePiece {
    /// What it is.
    pub kind: StateKind,
    /// How large it is.
    pub bytes: u64,
    /// Where it is.
    pub location: Location,
}

/// What a piece of state is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum StateKind {
    /// Offsets, prepared transactions.
    Operator,
    /// State by key.
    Keyed,
    /// Records in flight.
    Channel,
}

impl StateKind {
    fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Keyed => "keyed",
            Self::Channel => "channel",
        }
    }
}

/// Where a piece of state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// In the checkpoint's metadata.
    Metadata,
    /// In a file that was written for it.
    Written(FileName),
    /// In a file that an earlier checkpoint has written.
    Reused(FileName),
}

impl Location {
    /// The file, if there is one.
    #[must_use]
    pub fn file(self) -> Option<FileName> {
        match self {
            Self::Metadata => None,
            Self::Written(file) | Self::Reused(file) => Some(file),
        }
    }
}

/// A file by what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileName {
    /// What a complete checkpoint consists of, and small pieces of state.
    Metadata {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A piece of state that belongs to one checkpoint.
    Exclusive {
        /// Which.
        checkpoint: CheckpointId,
        /// Whose state.
        task: SubtaskIndex,
        /// What it is.
        kind: StateKind,
    },
    /// A table of RocksDB that several checkpoints may use.
    Shared {
        /// Whose state.
        task: SubtaskIndex,
        /// Counts the task's tables in a run, from 1.
        number: u32,
    },
    /// What a complete savepoint consists of, and small pieces of state.
    SavepointMetadata {
        /// Which.
        savepoint: CheckpointId,
    },
    /// A piece of state of a savepoint: it owns all of its files.
    SavepointState {
        /// Which.
        savepoint: CheckpointId,
        /// Whose state.
        task: SubtaskIndex,
        /// What it is.
        kind: StateKind,
    },
    /// A copy of keyed state on the TaskManager's own disk.
    Local {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Whose state.
        task: SubtaskIndex,
    },
}

impl FileName {
    /// The metadata of a checkpoint or savepoint.
    #[must_use]
    pub fn metadata(of: CheckpointId, snapshot: SnapshotType) -> Self {
        match snapshot.is_savepoint() {
            true => Self::SavepointMetadata { savepoint: of },
            false => Self::Metadata { checkpoint: of },
        }
    }

    /// Whether a savepoint owns it.
    #[must_use]
    pub fn is_of_savepoint(self) -> bool {
        matches!(self, Self::SavepointMetadata { .. } | Self::SavepointState { .. })
    }

    /// Where it lies, below the directory of the job's checkpoints; for a
    /// savepoint, below that of savepoints, and for a copy, below that of the
    /// TaskManager's local state.
    ///
    /// Flink calls all but the metadata by random names; these say what they
    /// are.
    #[must_use]
    pub fn path(self, graph: &ExecutionGraph) -> String {
        let name = |task: SubtaskIndex| &graph.subtasks[task.index()].name;
        match self {
            Self::Metadata { checkpoint } => format!("chk-{checkpoint}/_metadata"),
            Self::Exclusive { checkpoint, task, kind } => {
                format!("chk-{checkpoint}/{}-{}", name(task), kind.name())
            }
            Self::SavepointMetadata { savepoint } => format!("savepoint-{savepoint}/_metadata"),
            Self::SavepointState { savepoint, task, kind } => {
                format!("savepoint-{savepoint}/{}-{}", name(task), kind.name())
            }
            Self::Shared { task, number } => format!("shared/{}-{number}.sst", name(task)),
            Self::Local { checkpoint, task } => {
                format!("localState/chk_{checkpoint}/{}", name(task))
            }
        }
    }
}

/// Why state could not be written.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WriteFailure {
    /// It is more than the JobManager's memory takes in one piece.
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        bytes_max: u64,
    },
    /// The storage does not answer.
    StorageDown,
}

/// Why state could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadFailure {
    /// A file is not where the task looks for it.
    FileMissing {
        /// Which.
        file: FileName,
    },
    /// The storage does not answer.
    StorageDown,
}

/// Bytes of one entry of operator state: an offset with its split, a prepared
/// transaction with its checkpoint, or a key of a broadcast state with its value.
const OPERATOR_ENTRY_BYTES: u64 = 16;

impl SnapshotState {
    /// Bytes of a key and its value, where the scenario does not say
    /// otherwise: two longs.
    pub const KEY_BYTES: u64 = 16;

    /// How large it is, if a key with its value has so many bytes; nothing
    /// where there is nothing to store.
    #[must_use]
    pub fn size(&self, bytes_per_key: u64) -> Option<(StateKind, u64)> {
        let (kind, n_entries, bytes) = match self {
            Self::Offsets(offsets) => (StateKind::Operator, offsets.len(), OPERATOR_ENTRY_BYTES),
            Self::Transactions(prepared) => {
                (StateKind::Operator, prepared.len(), OPERATOR_ENTRY_BYTES)
            }
            Self::Keyed(entries) => (StateKind::Keyed, entries.len(), bytes_per_key),
            Self::Broadcast(entries) => (StateKind::Operator, entries.len(), OPERATOR_ENTRY_BYTES),
            Self::Stateless => return None,
        };
        (n_entries > 0).then(|| (kind, (n_entries as u64).saturating_mul(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_needs_its_latency_for_each_file_and_its_rate_for_all() {
        let device = Device { latency: Micros::from_ms(5), bytes_per_second: Some(100 << 20) };
        let transfer = Transfer { n_files: 3, bytes: 10 << 20 };
        assert_eq!(device.time(transfer), Micros::from_ms(3 * 5 + 100));
        assert_eq!(device.time(Transfer::default()), Micros::ZERO);
        assert_eq!(Device::INSTANT.time(transfer), Micros::ZERO);
        let endless = Transfer { n_files: 1, bytes: u64::MAX };
        assert_eq!(Device { bytes_per_second: Some(1), ..device }.time(endless), Micros(u64::MAX));
    }
}
