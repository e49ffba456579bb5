//! The coordinator's settings, already read and checked.

use super::failure_manager::TolerableFailures;
use crate::model::{CheckpointOptions, CheckpointingMode, Config, Micros, Scenario, SnapshotType};
use crate::protocol::checkpoint_plan::AfterTasksFinish;
use crate::protocol::retention::ExternalizedCheckpointRetention;

/// What the coordinator goes by.
///
/// Source: Flink `CheckpointCoordinatorConfiguration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordinatorSettings {
    /// `execution.checkpointing.interval`; none: no periodic checkpoints.
    pub interval: Option<Micros>,
    /// `execution.checkpointing.interval-during-backlog`.
    pub backlog: BacklogInterval,
    /// `execution.checkpointing.min-pause`.
    pub min_pause: Micros,
    /// `execution.checkpointing.max-concurrent-checkpoints`, at least 1.
    pub max_concurrent: u32,
    /// `execution.checkpointing.timeout`; none: nothing ever expires, which
    /// Flink cannot be told.
    pub timeout: Option<Micros>,
    /// `execution.checkpointing.tolerable-failed-checkpoints`.
    pub tolerable: TolerableFailures,
    /// `execution.checkpointing.num-retained`, at least 1.
    pub retained_max: usize,
    /// `execution.checkpointing.externalized-checkpoint-retention`.
    pub retention: ExternalizedCheckpointRetention,
    /// `execution.checkpointing.checkpoints-after-tasks-finish`.
    pub after_tasks_finish: AfterTasksFinish,
    /// `execution.checkpointing.mode`.
    pub mode: CheckpointingMode,
    /// `execution.checkpointing.unaligned.enabled`.
    pub unaligned: bool,
    /// `execution.checkpointing.aligned-checkpoint-timeout`.
    pub aligned_timeout: Micros,
    /// Requests that may wait, at least 1; Flink allows 1000.
    ///
    /// Source: Flink `CheckpointRequestDecider.DEFAULT_MAX_QUEUED_REQUESTS`.
    pub queued_max: usize,
    /// What comes first after a checkpoint that fails the job.
    pub after_failure: AfterFailure,
}

/// What comes first when a checkpoint has failed the job and a request waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AfterFailure {
    /// The request has its turn: the coordinator alone, whom nobody stops.
    Request,
    /// The job stops, and the request goes with it: the plan of the next
    /// checkpoint is made in the JobManager's main thread, where the failure
    /// is already in line.
    JobStops,
}

/// The interval while a source works off old data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BacklogInterval {
    /// The same as otherwise.
    Same,
    /// No periodic checkpoint begins.
    Off,
    /// This one.
    Every(Micros),
}

impl CoordinatorSettings {
    /// Longest pause between checkpoints.
    // Flink 1.20: CheckpointCoordinator, its constructor.
    const MIN_PAUSE_MAX: Micros = Micros(365 * 24 * 3_600_000_000);

    /// The settings of a scenario's job.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let config = &scenario.config;
        Self {
            interval: config.interval,
            backlog: match config.interval_during_backlog {
                None => BacklogInterval::Same,
                Some(Micros::ZERO) => BacklogInterval::Off,
                Some(interval) => BacklogInterval::Every(interval),
            },
            min_pause: config.min_pause,
            max_concurrent: config.max_concurrent_checkpoints,
            tolerable: TolerableFailures::from_number(config.tolerable_failed_checkpoints),
            retained_max: config.num_retained.max(1) as usize,
            retention: config.retention,
            after_tasks_finish: match config.checkpoints_after_tasks_finish {
                true => AfterTasksFinish::GoOn,
                false => AfterTasksFinish::NoCheckpoint,
            },
            mode: config.mode,
            unaligned: config.unaligned,
            aligned_timeout: config.aligned_timeout,
            timeout: Some(config.timeout),
            after_failure: AfterFailure::JobStops,
            ..Self::default()
        }
    }

    /// The settings as they take effect: the pause is at most a year, and the
    /// interval not shorter than the pause.
    // Flink 1.20: CheckpointCoordinator, its constructor.
    #[must_use]
    pub fn effective(mut self) -> Self {
        self.min_pause = self.min_pause.min(Self::MIN_PAUSE_MAX);
        self.interval = self.interval.map(|interval| interval.max(self.min_pause));
        self
    }

    /// Whether savepoints begin whatever else is under way. With unaligned
    /// checkpoints a savepoint must not mix with one, so it waits its turn.
    // Flink 1.20: CheckpointCoordinator.triggerSavepoint.
    #[must_use]
    pub fn forces_savepoints(&self) -> bool {
        !self.unaligned
    }

    /// How the barriers of a checkpoint or savepoint are handled.
    #[must_use]
    pub fn options(&self, snapshot: SnapshotType) -> CheckpointOptions {
        let Self { mode, unaligned, aligned_timeout, .. } = *self;
        Config { mode, unaligned, aligned_timeout, ..Config::default() }
            .checkpoint_options(snapshot)
    }
}

impl Default for CoordinatorSettings {
    /// Flink 1.20's defaults.
    fn default() -> Self {
        Self {
            interval: None,
            backlog: BacklogInterval::Same,
            min_pause: Micros::ZERO,
            max_concurrent: 1,
            timeout: Some(Micros::from_ms(600_000)),
            tolerable: TolerableFailures::AtMost(0),
            retained_max: 1,
            retention: ExternalizedCheckpointRetention::NoExternalizedCheckpoints,
            after_tasks_finish: AfterTasksFinish::GoOn,
            mode: CheckpointingMode::ExactlyOnce,
            unaligned: false,
            aligned_timeout: Micros::ZERO,
            queued_max: 1000,
            after_failure: AfterFailure::Request,
        }
    }
}
