//! Why a checkpoint comes to nothing.

use serde::{Deserialize, Serialize};

/// Why a request for a checkpoint, or a pending checkpoint, was given up.
///
/// Source: Flink `CheckpointFailureReason`, whose names these are in lower
/// case and with hyphens.
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
pub enum CheckpointFailureReason {
    /// Periodic checkpoints are stopped.
    PeriodicSchedulerShutdown,
    /// Too many requests wait.
    TooManyCheckpointRequests,
    /// The pause after the last checkpoint is not over.
    MinimumTimeBetweenCheckpoints,
    /// Some task does not run.
    NotAllRequiredTasksRunning,
    /// The storage fails.
    IoException,
    /// Some task has an output that is read only when it is whole.
    BlockingOutputExist,
    /// The asynchronous part of a snapshot has failed.
    CheckpointAsyncException,
    /// The channel state of another task in the same file has failed.
    ChannelStateSharedStreamException,
    /// It was not acknowledged in time.
    CheckpointExpired,
    /// A later one is complete.
    CheckpointSubsumed,
    /// A task has declined it.
    CheckpointDeclined,
    /// A task has declined it, since it is not ready.
    CheckpointDeclinedTaskNotReady,
    /// A task has declined it, since it is about to finish.
    CheckpointDeclinedTaskClosing,
    /// A task has declined it, since a barrier of a later one has come.
    CheckpointDeclinedSubsumed,
    /// A task has declined it, since a task upstream has.
    CheckpointDeclinedOnCancellationBarrier,
    /// A task has declined it, since one of its inputs has ended.
    CheckpointDeclinedInputEndOfStream,
    /// The coordinator is shut down.
    CheckpointCoordinatorShutdown,
    /// The attempt is over.
    CheckpointCoordinatorSuspend,
    /// A region of the job has failed.
    JobFailoverRegion,
    /// A task has failed before it acknowledged; no part of Flink 1.20 gives
    /// this reason any more.
    TaskFailure,
    /// A task could not take its snapshot.
    TaskCheckpointFailure,
    /// A task does not know the checkpoint that it is told of.
    UnknownTaskCheckpointNotificationFailure,
    /// It could not be completed.
    FinalizeCheckpointFailure,
    /// The tasks could not be told to begin.
    TriggerCheckpointFailure,
}

impl CheckpointFailureReason {
    /// Every reason, in Flink's order.
    pub const ALL: [Self; 24] = [
        Self::PeriodicSchedulerShutdown,
        Self::TooManyCheckpointRequests,
        Self::MinimumTimeBetweenCheckpoints,
        Self::NotAllRequiredTasksRunning,
        Self::IoException,
        Self::BlockingOutputExist,
        Self::CheckpointAsyncException,
        Self::ChannelStateSharedStreamException,
        Self::CheckpointExpired,
        Self::CheckpointSubsumed,
        Self::CheckpointDeclined,
        Self::CheckpointDeclinedTaskNotReady,
        Self::CheckpointDeclinedTaskClosing,
        Self::CheckpointDeclinedSubsumed,
        Self::CheckpointDeclinedOnCancellationBarrier,
        Self::CheckpointDeclinedInputEndOfStream,
        Self::CheckpointCoordinatorShutdown,
        Self::CheckpointCoordinatorSuspend,
        Self::JobFailoverRegion,
        Self::TaskFailure,
        Self::TaskCheckpointFailure,
        Self::UnknownTaskCheckpointNotificationFailure,
        Self::FinalizeCheckpointFailure,
        Self::TriggerCheckpointFailure,
    ];

    /// Flink's name, as `CHECKPOINT_EXPIRED`.
    #[must_use]
    pub fn flink_name(self) -> &'static str {
        match self {
            Self::PeriodicSchedulerShutdown => "PERIODIC_SCHEDULER_SHUTDOWN",
            Self::TooManyCheckpointRequests => "TOO_MANY_CHECKPOINT_REQUESTS",
            Self::MinimumTimeBetweenCheckpoints => "MINIMUM_TIME_BETWEEN_CHECKPOINTS",
            Self::NotAllRequiredTasksRunning => "NOT_ALL_REQUIRED_TASKS_RUNNING",
            Self::IoException => "IO_EXCEPTION",
            Self::BlockingOutputExist => "BLOCKING_OUTPUT_EXIST",
            Self::CheckpointAsyncException => "CHECKPOINT_ASYNC_EXCEPTION",
            Self::ChannelStateSharedStreamException => "CHANNEL_STATE_SHARED_STREAM_EXCEPTION",
            Self::CheckpointExpired => "CHECKPOINT_EXPIRED",
            Self::CheckpointSubsumed => "CHECKPOINT_SUBSUMED",
            Self::CheckpointDeclined => "CHECKPOINT_DECLINED",
            Self::CheckpointDeclinedTaskNotReady => "CHECKPOINT_DECLINED_TASK_NOT_READY",
            Self::CheckpointDeclinedTaskClosing => "CHECKPOINT_DECLINED_TASK_CLOSING",
            Self::CheckpointDeclinedSubsumed => "CHECKPOINT_DECLINED_SUBSUMED",
            Self::CheckpointDeclinedOnCancellationBarrier => {
                "CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER"
            }
            Self::CheckpointDeclinedInputEndOfStream => "CHECKPOINT_DECLINED_INPUT_END_OF_STREAM",
            Self::CheckpointCoordinatorShutdown => "CHECKPOINT_COORDINATOR_SHUTDOWN",
            Self::CheckpointCoordinatorSuspend => "CHECKPOINT_COORDINATOR_SUSPEND",
            Self::JobFailoverRegion => "JOB_FAILOVER_REGION",
            Self::TaskFailure => "TASK_FAILURE",
            Self::TaskCheckpointFailure => "TASK_CHECKPOINT_FAILURE",
            Self::UnknownTaskCheckpointNotificationFailure => {
                "UNKNOWN_TASK_CHECKPOINT_NOTIFICATION_FAILURE"
            }
            Self::FinalizeCheckpointFailure => "FINALIZE_CHECKPOINT_FAILURE",
            Self::TriggerCheckpointFailure => "TRIGGER_CHECKPOINT_FAILURE",
        }
    }
    /// The reason of that name, if there is one.
    #[must_use]
    pub fn from_flink_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.flink_name() == name)
    }

    /// Whether it is the JobManager's failure, whoever reports it.
    // Flink 1.20: CheckpointFailureReason.isPreFlight.
    #[must_use]
    pub fn is_pre_flight(self) -> bool {
        matches!(
            self,
            Self::PeriodicSchedulerShutdown
                | Self::TooManyCheckpointRequests
                | Self::MinimumTimeBetweenCheckpoints
                | Self::NotAllRequiredTasksRunning
                | Self::IoException
                | Self::BlockingOutputExist
        )
    }
}
