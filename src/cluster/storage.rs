//! State in files: what a snapshot writes, where it is put, when it is
//! deleted.
//!
//! Source: Flink `FsCheckpointStreamFactory`, `MemCheckpointStreamFactory`,
//! `RocksIncrementalSnapshotStrategy`, `TaskLocalStateStoreImpl`.

use std::collections::BTreeSet;

use super::Cluster;
use super::turn::Turn;
use crate::model::{
    CheckpointId, CheckpointStorage, FileName, Location, Micros, Mutation, Reach, Record,
    SnapshotState, StateKind, StatePiece, StateSettings, SubtaskIndex, Transfer, WriteFailure,
};
use crate::protocol::{CoordinatorInput, Health, Service};
use crate::trace::Fact;

/// What a task has written, or is about to, for a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    /// Which.
    pub checkpoint: CheckpointId,
    /// Pieces of the state, where checkpoints go into files.
    pub pieces: Vec<StatePiece>,
    /// Bytes of keyed state that are also on the TaskManager's disk.
    pub copy: Option<u64>,
}

/// How the checkpoint storage is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct StorageCondition {
    /// Outages that are not over.
    n_outages: u32,
    /// By how much each slowness that is not over slows it.
    slowness: Vec<u32>,
}

impl StorageCondition {
    fn times(&self) -> u64 {
        self.slowness.iter().fold(1, |times, slow| times.saturating_mul((*slow).into()))
    }
}

impl Cluster {
    /// Whether files can be neither written nor read.
    pub(super) fn storage_is_down(&self) -> bool {
        self.condition.n_outages > 0
    }
}

impl Turn<'_> {
    /// What storing a task's snapshot will write.
    ///
    /// # Errors
    /// When it cannot begin.
    pub(super) fn about_to_write(
        &mut self,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) -> Result<Written, WriteFailure> {
        let nothing = Written { checkpoint, pieces: Vec::new(), copy: None };
        let (scenario, settings) = (self.scenario, &self.scenario.config.state);
        let cluster = &mut *self.cluster;
        let stored = cluster.storage.iter().find(|stored| stored.id == checkpoint);
        // One that was given up meanwhile has no place any more.
        let Some(state) = stored.and_then(|stored| stored.stored[task.index()].as_ref()) else {
            return Ok(nothing);
        };
        let bytes_per_key = scenario.graph.operator(task).bytes_per_key;
        let Some((kind, bytes)) = state.size(bytes_per_key) else { return Ok(nothing) };
        let snapshot = stored.map(|stored| stored.snapshot).unwrap_or_default();
        if settings.storage == CheckpointStorage::JobManager {
            let bytes_max = StateSettings::IN_MEMORY_MAX;
            return match bytes > bytes_max {
                // Flink 1.20: MemCheckpointStreamFactory.checkSize.
                true => Err(WriteFailure::TooLarge { bytes, bytes_max }),
                // Flink 1.20: PersistentMetadataCheckpointStorageLocation.
                false if snapshot.is_savepoint() => {
                    let piece = StatePiece { kind, bytes, location: Location::Metadata };
                    Ok(Written { pieces: vec![piece], ..nothing })
                }
                false => Ok(nothing),
            };
        }
        if cluster.condition.n_outages > 0 {
            return Err(WriteFailure::StorageDown);
        }
        // Differs: Flink rewrites all state for a canonical savepoint, which takes
        // time, and writes a native one of RocksDB table by table; here both are
        // one file a task, of the same size.
        if snapshot.is_savepoint() {
            let location = match bytes <= settings.inline_max {
                true => Location::Metadata,
                false => {
                    let savepoint = checkpoint;
                    Location::Written(FileName::SavepointState { savepoint, task, kind })
                }
            };
            let piece = StatePiece { kind, bytes, location };
            return Ok(Written { pieces: vec![piece], ..nothing });
        }
        let is_keyed = kind == StateKind::Keyed;
        let pieces = match state {
            SnapshotState::Keyed(entries) if settings.is_incremental() => {
                let tables = cluster.tasks[task.index()].tables.snapshot(checkpoint, entries);
                let piece = |table: &crate::protocol::TableInSnapshot| {
                    let file = FileName::Shared { task, number: table.table.number };
                    let bytes = table.table.n_keys.saturating_mul(bytes_per_key);
                    let location = match (bytes <= settings.inline_max, table.is_known) {
                        (true, _) => Location::Metadata,
                        (false, true) => Location::Reused(file),
                        (false, false) => Location::Written(file),
                    };
                    StatePiece { kind, bytes, location }
                };
                tables.iter().map(piece).collect()
            }
            _ => vec![exclusive(task, (checkpoint, kind, bytes), settings)],
        };
        // Of tables the copy has every one.
        let bytes: u64 = pieces.iter().map(|piece: &StatePiece| piece.bytes).sum();
        let copy = (is_keyed && settings.writes_copies()).then_some(bytes);
        Ok(Written { checkpoint, pieces, copy })
    }

    /// How long files in the checkpoint storage and on the TaskManager's own
    /// disk take now: the copy comes after the original.
    pub(super) fn time_of(&self, storage: Transfer, disk: Transfer) -> Micros {
        let spec = &self.scenario.storage;
        let times = self.cluster.condition.times();
        let original = spec.checkpoints.time(storage).0.saturating_mul(times);
        Micros(original.saturating_add(spec.disk.time(disk).0))
    }

    /// How long the files that are to be written take, with their copies. What
    /// is in RocksDB's tables is on the disk anyway.
    pub(super) fn write_time(&self, written: &Written) -> Micros {
        let mut storage = Transfer::default();
        for piece in &written.pieces {
            if let Location::Written(_) = piece.location {
                storage.add(piece.bytes);
            }
        }
        let mut disk = Transfer::default();
        if let Some(bytes) = written.copy
            && !self.scenario.config.state.is_incremental()
        {
            disk.add(bytes);
        }
        self.time_of(storage, disk)
    }

    /// Files are written.
    pub(super) fn write(&mut self, task: SubtaskIndex, written: Written) {
        let Written { checkpoint, pieces, copy } = written;
        if pieces.is_empty() {
            return;
        }
        self.cluster.files.write(task, checkpoint, &pieces);
        if let Some(bytes) = copy {
            self.cluster.files.copy(task, checkpoint, bytes);
        }
        self.out.fact(Fact::StateWritten { task, checkpoint, pieces, copy });
    }

    /// What was in flight is written together with the rest, when all of it is
    /// known.
    pub(super) fn write_channel_state(
        &mut self,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
        bytes: u64,
    ) {
        let settings = &self.scenario.config.state;
        if bytes > 0 && settings.storage == CheckpointStorage::FileSystem {
            let piece = exclusive(task, (checkpoint, StateKind::Channel, bytes), settings);
            self.write(task, Written { checkpoint, pieces: vec![piece], copy: None });
        }
    }

    /// The JobManager has an acknowledgement, in time or not: the task may
    /// build on its files.
    // Flink 1.20: CheckpointCoordinator.receiveAcknowledgeMessage.
    pub(super) fn register_shared(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let Cluster { files, shared, .. } = &mut *self.cluster;
        for file in files.pieces(checkpoint, task).iter().filter_map(|piece| piece.location.file())
        {
            if let FileName::Shared { .. } = file {
                shared.register(file, checkpoint);
            }
        }
    }

    /// Writes what makes a checkpoint complete, where there is a directory for
    /// it.
    // Flink 1.20: PendingCheckpoint.finalizeCheckpoint.
    pub(super) fn write_metadata(&mut self, checkpoint: CheckpointId) {
        let settings = &self.scenario.config.state;
        let snapshot = self.stored(checkpoint).map(|stored| stored.snapshot).unwrap_or_default();
        if settings.directory.is_none() && !snapshot.is_savepoint() {
            return;
        }
        let bytes = match settings.storage {
            CheckpointStorage::FileSystem => self.cluster.files.metadata_bytes(checkpoint),
            CheckpointStorage::JobManager => self.bytes_in_memory(checkpoint),
        };
        self.cluster.files.write_metadata(checkpoint, snapshot, bytes);
        self.out.fact(Fact::MetadataWritten { checkpoint, snapshot, bytes });
    }

    /// Size of a checkpoint of which the JobManager holds everything.
    fn bytes_in_memory(&self, checkpoint: CheckpointId) -> u64 {
        let graph = &self.scenario.graph;
        let stored = self.cluster.storage.iter().find(|stored| stored.id == checkpoint);
        let Some(stored) = stored else { return 0 };
        let states = graph.subtask_indices().filter_map(|task| {
            let state = stored.stored[task.index()].as_ref()?;
            Some(state.size(graph.operator(task).bytes_per_key)?.1)
        });
        let in_flight = stored.in_flight.iter();
        let in_flight = in_flight.map(|state| (state.input.len() + state.output.len()) as u64);
        states.sum::<u64>() + in_flight.sum::<u64>() * Record::BYTES
    }

    /// Shared files that no retained checkpoint uses go.
    // Flink 1.20: DefaultCompletedCheckpointStore.addCheckpointAndSubsumeOldestOne.
    pub(super) fn delete_unused(&mut self) {
        let lowest = self.cluster.coordinator.store().retained().first();
        let lowest = match self.scenario.breaks(Mutation::DeleteSharedFiles) {
            true => self.cluster.coordinator.store().retained().last(),
            false => lowest,
        };
        let lowest = lowest.map_or(CheckpointId(u64::MAX), |kept| kept.id);
        let unused = self.cluster.shared.unregister_unused(lowest);
        self.delete(unused);
    }

    /// A completed checkpoint goes, with the files that are its own.
    pub(super) fn delete_checkpoint(&mut self, checkpoint: CheckpointId) {
        let files = self.cluster.files.exclusive(checkpoint);
        self.delete(files);
    }

    /// What a task has written for a checkpoint that comes to nothing goes.
    pub(super) fn delete_of_task(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let mut files = self.cluster.files.exclusive(checkpoint);
        files.retain(|file| {
            matches!(file, FileName::Exclusive { task: of, .. }
                | FileName::SavepointState { task: of, .. } if *of == task)
        });
        self.delete(files);
    }

    /// Copies of older checkpoints than a complete one go.
    // Flink 1.20: TaskLocalStateStoreImpl.confirmCheckpoint.
    pub(super) fn confirm_copies(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let older = self.cluster.files.copies(task).filter(|copy| *copy < checkpoint);
        let older = older.map(|checkpoint| FileName::Local { checkpoint, task }).collect();
        self.delete(older);
    }

    /// The copy of a checkpoint that was given up goes.
    // Flink 1.20: TaskLocalStateStoreImpl.abortCheckpoint.
    pub(super) fn abort_copy(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let file = FileName::Local { checkpoint, task };
        if self.cluster.files.file(file).is_some() {
            self.delete(vec![file]);
        }
    }

    /// The job is over, or another one in its place: TaskManagers clear their
    /// disks.
    // Flink 1.20: TaskExecutorLocalStateStoresManager.releaseLocalStateForAllocationId.
    pub(super) fn drop_copies(&mut self) {
        let names = self.cluster.files.files().map(|(name, _)| name);
        let copies = names.filter(|name| matches!(name, FileName::Local { .. })).collect();
        self.delete(copies);
    }

    /// A machine is gone with its disk. The one that takes its place begins
    /// with an empty one.
    pub(super) fn lose_disk(&mut self, tasks: &[SubtaskIndex]) {
        let is_alone = self.scenario.storage.reach == Reach::OneMachine;
        let is_lost = |name: &FileName| match name {
            FileName::Local { task, .. } => tasks.contains(task),
            FileName::Exclusive { task, .. }
            | FileName::Shared { task, .. }
            | FileName::SavepointState { task, .. } => is_alone && tasks.contains(task),
            FileName::Metadata { .. } | FileName::SavepointMetadata { .. } => false,
        };
        let lost = self.cluster.files.files().map(|(name, _)| name).filter(is_lost).collect();
        self.delete(lost);
    }

    /// The user deletes a checkpoint by hand, with every file that it uses.
    // Flink 1.20: Checkpoints.disposeSavepoint.
    pub(super) fn dispose(&mut self, checkpoint: CheckpointId) {
        let files = &self.cluster.files;
        let tasks = self.scenario.graph.subtask_indices();
        let pieces = tasks.flat_map(|task| files.pieces(checkpoint, task));
        let used = pieces.filter_map(|piece| piece.location.file());
        let used: BTreeSet<_> = used.chain(files.exclusive(checkpoint)).collect();
        self.out.fact(Fact::CheckpointDisposed { checkpoint });
        self.delete(used.into_iter().collect());
    }

    /// Deletes what there is of some files.
    fn delete(&mut self, mut files: Vec<FileName>) {
        files.retain(|file| self.cluster.files.file(*file).is_some());
        if !files.is_empty() {
            self.cluster.files.delete(&files);
            self.out.fact(Fact::FilesDeleted { files });
        }
    }

    /// The storage begins to be slower, or is as fast as before.
    pub(super) fn slow_storage(&mut self, times: u32, begins: Option<()>) {
        let slowness = &mut self.cluster.condition.slowness;
        match begins {
            Some(()) => slowness.push(times),
            None => {
                let place = slowness.iter().position(|slow| *slow == times);
                slowness.remove(place.expect("what ends has begun"));
            }
        }
    }

    /// The storage does not answer any more, or does again. The JobManager
    /// needs it for a checkpoint's metadata.
    pub(super) fn storage_outage(&mut self, begins: Option<()>) {
        let n_outages = &mut self.cluster.condition.n_outages;
        match begins {
            Some(()) => *n_outages += 1,
            None => *n_outages -= 1,
        }
        self.tell_storage();
    }

    /// Tells the coordinator whether it can write metadata.
    pub(super) fn tell_storage(&mut self) {
        let health = if self.cluster.storage_is_down() { Health::Fails } else { Health::Works };
        if self.scenario.config.state.directory.is_some() {
            let service = Service::Metadata;
            self.coordinate(CoordinatorInput::ServiceChanged { service, health });
        }
    }

    /// Whether the JobManager can make a place for a checkpoint.
    // Flink 1.20: FsCheckpointStorageAccess.initializeLocationForCheckpoint.
    pub(super) fn location(&self) -> Health {
        let has_directory = self.scenario.config.state.directory.is_some();
        match has_directory && self.cluster.storage_is_down() {
            true => Health::Fails,
            false => Health::Works,
        }
    }
}

/// A piece that belongs to one checkpoint: in a file of its own unless it is
/// small.
// Flink 1.20: FsCheckpointStreamFactory.FsCheckpointStateOutputStream
// .closeAndGetHandle.
fn exclusive(
    task: SubtaskIndex,
    piece: (CheckpointId, StateKind, u64),
    settings: &StateSettings,
) -> StatePiece {
    let (checkpoint, kind, bytes) = piece;
    let location = match bytes <= settings.inline_max {
        true => Location::Metadata,
        false => Location::Written(FileName::Exclusive { checkpoint, task, kind }),
    };
    StatePiece { kind, bytes, location }
}
