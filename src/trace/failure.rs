//! Why an attempt is over.

use crate::model::{CheckpointFailureReason, CheckpointId, SubtaskIndex};

/// Why the JobManager takes a job for failed.
///
/// Source: Flink `ExecutionFailureHandler`: a task's own failure, or a global
/// one, which has no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureCause {
    /// A task has failed.
    TaskFailed {
        /// Which.
        task: SubtaskIndex,
    },
    /// More checkpoints have failed in a row than are tolerable.
    TooManyFailedCheckpoints {
        /// The one too many; none: it never got an id.
        checkpoint: Option<CheckpointId>,
        /// Why it failed.
        reason: CheckpointFailureReason,
        /// How many failures in a row would have been borne.
        tolerable: u32,
    },
}
