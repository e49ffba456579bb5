//! The settings of Flink that the simulator follows, already read and
//! checked. How they are spelled stands in `load`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::element::{AlignmentType, CheckpointOptions, SnapshotType};
use super::state::StateSettings;
use super::time::Micros;

/// Effective settings of a job.
///
/// Source: Flink `CheckpointConfig`, `RestartStrategyOptions`; defaults are
/// those of Flink 1.20 unless a field says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// `execution.checkpointing.interval`: time between two periodic
    /// checkpoints; none: only those that the scenario asks for.
    pub interval: Option<Micros>,
    /// `execution.checkpointing.interval-during-backlog`: the interval while a
    /// source works off old data; none: the same, zero: no checkpoints then.
    pub interval_during_backlog: Option<Micros>,
    /// `execution.checkpointing.min-pause`: least time between the end of a
    /// successful checkpoint and the next periodic one.
    pub min_pause: Micros,
    /// `execution.checkpointing.timeout`: how long a checkpoint may take.
    pub timeout: Micros,
    /// `execution.checkpointing.max-concurrent-checkpoints`, at least 1.
    pub max_concurrent_checkpoints: u32,
    /// `execution.checkpointing.tolerable-failed-checkpoints`: Java's largest
    /// `int` stands for no limit.
    pub tolerable_failed_checkpoints: u32,
    /// `execution.checkpointing.num-retained`, at least 1.
    pub num_retained: u32,
    /// `execution.checkpointing.externalized-checkpoint-retention`.
    pub retention: ExternalizedCheckpointRetention,
    /// `execution.checkpointing.checkpoints-after-tasks-finish`: whether a job
    /// at its end takes a last checkpoint, in which transactional sinks
    /// commit their last records.
    pub checkpoints_after_tasks_finish: bool,
    /// `execution.checkpointing.mode`.
    pub mode: CheckpointingMode,
    /// `execution.checkpointing.unaligned.enabled`; never together with
    /// [`CheckpointingMode::AtLeastOnce`].
    pub unaligned: bool,
    /// `execution.checkpointing.aligned-checkpoint-timeout`: with unaligned
    /// checkpoints, the age at which an aligned barrier becomes unaligned;
    /// zero: barriers are unaligned from the start.
    pub aligned_timeout: Micros,
    /// `execution.state-recovery.path`: the file of the savepoint that the job
    /// is meant to start from, as it is written; none: it says nothing of one.
    pub savepoint_path: Option<String>,
    /// `execution.state-recovery.claim-mode`.
    pub claim_mode: ClaimMode,
    /// `execution.state-recovery.ignore-unclaimed-state`.
    pub non_restored_state: NonRestoredState,
    /// `high-availability.type`.
    pub high_availability: HighAvailability,
    /// `jobmanager.execution.failover-strategy`.
    pub failover: FailoverStrategy,
    /// `restart-strategy.type` and its parameters.
    pub restart: RestartStrategy,
    /// Backend, storage and local recovery.
    pub state: StateSettings,
}

/// Whether a checkpoint is one consistent cut.
///
/// Source: Flink `CheckpointingMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckpointingMode {
    /// It is: a record counts once, whatever fails.
    ExactlyOnce,
    /// It may hold the effect of records that will be sent again: no record
    /// is lost, some count twice.
    AtLeastOnce,
}

/// Which completed checkpoints outlive their job.
///
/// Source: Flink `ExternalizedCheckpointRetention`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExternalizedCheckpointRetention {
    /// None, however the job ends.
    NoExternalizedCheckpoints,
    /// Those of a job that fails.
    DeleteOnCancellation,
    /// Those of a job that does not finish.
    RetainOnCancellation,
}

impl ExternalizedCheckpointRetention {
    /// Flink's name, as `RETAIN_ON_CANCELLATION`.
    #[must_use]
    pub fn flink_name(self) -> &'static str {
        match self {
            Self::NoExternalizedCheckpoints => "NO_EXTERNALIZED_CHECKPOINTS",
            Self::DeleteOnCancellation => "DELETE_ON_CANCELLATION",
            Self::RetainOnCancellation => "RETAIN_ON_CANCELLATION",
        }
    }
}

/// Who owns the snapshot that a job starts from.
///
/// Source: Flink `RestoreMode`.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimMode {
    /// The user; the job's first checkpoint may not build on its files.
    #[default]
    NoClaim,
    /// The job, as if it were its own checkpoint.
    Claim,
    /// Nobody clearly: never deleted, and yet built upon.
    Legacy,
}

/// What becomes of state that no operator of the job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NonRestoredState {
    /// The job does not start.
    Refused,
    /// It is left out.
    Allowed,
}

/// Whether a source works off old data.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Backlog {
    /// It does.
    Processing,
    /// It has caught up.
    CaughtUp,
}

/// Where the list of completed checkpoints is kept.
///
/// Source: Flink `HighAvailabilityMode`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum HighAvailability {
    /// In the JobManager's memory: it is lost with it.
    Off,
    /// In a service: the next JobManager finds it there.
    On,
}

/// What is restarted with a task that fails.
///
/// Source: Flink `FailoverStrategyFactoryLoader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailoverStrategy {
    /// The tasks that exchange records with it, directly or by others.
    Region,
    /// Every task of the job.
    Full,
}

/// What the JobManager does after a failure.
///
/// Source: Flink `RestartStrategyOptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RestartStrategy {
    /// The job fails for good.
    None,
    /// So many restarts, so far apart.
    FixedDelay {
        /// Restarts allowed over the whole run.
        attempts: u32,
        /// Time between a failure and the restart.
        delay: Micros,
    },
    /// Restarts that are further apart each time. Whole milliseconds.
    ExponentialDelay {
        /// Time between the first failure and its restart.
        initial: Micros,
        /// Longest such time.
        max: Micros,
        /// How much longer each time is than the one before; more than 1.
        multiplier: Factor,
        /// How long the job has to run before it starts anew with the first
        /// time.
        reset_threshold: Micros,
        /// How much of the time may be added or taken away at random; 0 to 1.
        jitter: Factor,
        /// Restarts allowed until it starts anew.
        attempts: u32,
    },
    /// Any number of restarts, unless there are too many failures at once.
    FailureRate {
        /// Failures allowed in an interval.
        max_failures: u32,
        /// The interval.
        interval: Micros,
        /// Time between a failure and the restart.
        delay: Micros,
    },
}

/// A factor of Flink's own floating-point arithmetic. Two of them are equal
/// when they are the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Factor(u64);

impl Factor {
    /// A factor as a setting has it.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// The number to calculate with.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl Config {
    /// The options of a checkpoint under these settings.
    ///
    /// Source: Flink `CheckpointOptions.forConfig`.
    #[must_use]
    pub fn checkpoint_options(&self, snapshot: SnapshotType) -> CheckpointOptions {
        let (alignment, aligned_timeout) = match (self.mode, self.unaligned) {
            (CheckpointingMode::AtLeastOnce, _) => (AlignmentType::AtLeastOnce, None),
            (_, false) => (AlignmentType::Aligned, None),
            _ if snapshot.is_savepoint() => (AlignmentType::Aligned, None),
            _ if self.aligned_timeout == Micros::ZERO => (AlignmentType::Unaligned, None),
            _ => (AlignmentType::Aligned, Some(self.aligned_timeout)),
        };
        CheckpointOptions { snapshot, alignment, aligned_timeout }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            interval: None,
            interval_during_backlog: None,
            min_pause: Micros::ZERO,
            timeout: Micros::from_ms(600_000),
            max_concurrent_checkpoints: 1,
            tolerable_failed_checkpoints: 0,
            num_retained: 1,
            retention: ExternalizedCheckpointRetention::NoExternalizedCheckpoints,
            checkpoints_after_tasks_finish: true,
            mode: CheckpointingMode::ExactlyOnce,
            unaligned: false,
            aligned_timeout: Micros::ZERO,
            savepoint_path: None,
            claim_mode: ClaimMode::NoClaim,
            non_restored_state: NonRestoredState::Refused,
            high_availability: HighAvailability::Off,
            failover: FailoverStrategy::Region,
            restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: Micros(1_000_000) },
            state: StateSettings::default(),
        }
    }
}
