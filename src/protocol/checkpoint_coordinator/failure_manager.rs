//! Counts failed checkpoints and says when there are too many.
//!
//! Knows checkpoints by their ids only, and not how a job fails.
//!
//! Source: Flink `CheckpointFailureManager`.

use std::collections::BTreeSet;

use super::request::SnapshotKind;
use crate::model::{CheckpointFailureReason, CheckpointId, SubtaskIndex};

/// `execution.checkpointing.tolerable-failed-checkpoints`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TolerableFailures {
    /// So many failures in a row are borne; one more fails the job.
    AtMost(u32),
    /// No number of failures fails the job.
    Unlimited,
}

impl TolerableFailures {
    /// What the switch `setFailOnCheckpointingErrors` of Flink 1.9 to 1.20
    /// stands for.
    // Flink 1.20: CheckpointConfig.setFailOnCheckpointingErrors.
    #[must_use]
    pub fn from_errors(errors: OnCheckpointingErrors) -> Self {
        match errors {
            OnCheckpointingErrors::Fail => Self::AtMost(0),
            OnCheckpointingErrors::GoOn => Self::Unlimited,
        }
    }

    /// The number as Flink's setting has it, where the largest `int` stands
    /// for no limit.
    #[must_use]
    pub fn from_number(number: u32) -> Self {
        if number >= i32::MAX as u32 { Self::Unlimited } else { Self::AtMost(number) }
    }
}

/// The older switch, before failures were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OnCheckpointingErrors {
    /// The first failed checkpoint fails the job.
    Fail,
    /// Failed checkpoints never do.
    GoOn,
}

/// Why the job has to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobFailure {
    /// More checkpoints failed in a row than are tolerable; the last failure
    /// is the JobManager's.
    Tolerance,
    /// More checkpoints failed in a row than are tolerable; the last failure
    /// is this task's.
    ToleranceByTask(SubtaskIndex),
    /// A task declined a savepoint that the job was to stop with.
    SynchronousSavepoint,
}

/// A failure to be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointFailure {
    /// Which checkpoint; none when the request never got an id.
    pub checkpoint: Option<CheckpointId>,
    /// What it would have been.
    pub kind: SnapshotKind,
    /// Why it failed.
    pub reason: CheckpointFailureReason,
    /// The task that declined it, if one did.
    pub declined_by: Option<SubtaskIndex>,
}

/// The failures in a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointFailureManager {
    tolerable: TolerableFailures,
    n_failures: u32,
    /// Checkpoints that are among them: each counts once.
    counted: BTreeSet<CheckpointId>,
    last_success: Option<CheckpointId>,
}

impl CheckpointFailureManager {
    /// A manager that has seen nothing.
    #[must_use]
    pub fn new(tolerable: TolerableFailures) -> Self {
        Self { tolerable, n_failures: 0, counted: BTreeSet::new(), last_success: None }
    }

    /// Failures in a row so far.
    #[must_use]
    pub fn n_failures(&self) -> u32 {
        self.n_failures
    }

    /// A checkpoint or savepoint is complete: the streak ends, unless a later
    /// one was complete before.
    pub fn on_success(&mut self, checkpoint: CheckpointId) {
        if self.last_success.is_none_or(|last| checkpoint > last) {
            self.last_success = Some(checkpoint);
            self.clear();
        }
    }

    /// A checkpoint failed: whether the job fails with it.
    ///
    /// What a task declines counts for checkpoints and savepoints alike, and
    /// fails the job at once when the job was to stop with it. Other failures
    /// of savepoints are nobody's business but the user's.
    // Flink 1.20: CheckpointFailureManager.handleCheckpointException.
    pub fn on_failure(&mut self, failure: CheckpointFailure) -> Option<JobFailure> {
        match failure.declined_by.filter(|_| !failure.reason.is_pre_flight()) {
            None if failure.kind.is_savepoint() => None,
            None => self.count(failure, JobFailure::Tolerance),
            Some(_) if failure.kind.is_synchronous() => Some(JobFailure::SynchronousSavepoint),
            Some(task) => self.count(failure, JobFailure::ToleranceByTask(task)),
        }
    }

    // Flink 1.20: CheckpointFailureManager.checkFailureAgainstCounter.
    fn count(&mut self, failure: CheckpointFailure, consequence: JobFailure) -> Option<JobFailure> {
        let is_old = failure.checkpoint.is_some_and(|id| Some(id) <= self.last_success);
        let TolerableFailures::AtMost(tolerable) = self.tolerable else { return None };
        if is_old {
            return None;
        }
        if counts(failure.reason) && failure.checkpoint.is_none_or(|id| self.counted.insert(id)) {
            self.n_failures = self.n_failures.saturating_add(1);
        }
        if self.n_failures <= tolerable {
            return None;
        }
        self.clear();
        Some(consequence)
    }

    fn clear(&mut self) {
        self.n_failures = 0;
        self.counted.clear();
    }
}

/// Whether a reason counts towards the tolerable failures. What does not count
/// leaves the streak as it is.
// Flink 1.20: CheckpointFailureManager.checkFailureCounter.
fn counts(reason: CheckpointFailureReason) -> bool {
    matches!(
        reason,
        CheckpointFailureReason::IoException
            | CheckpointFailureReason::CheckpointAsyncException
            | CheckpointFailureReason::CheckpointDeclined
            | CheckpointFailureReason::CheckpointExpired
            | CheckpointFailureReason::FinalizeCheckpointFailure
    )
}
