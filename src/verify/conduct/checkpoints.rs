//! Which checkpoints are under way, complete, given up, and what each task has
//! done for them, as the trace tells it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{CheckpointFailureReason, CheckpointId, SnapshotType, SubtaskIndex};

/// Every checkpoint that matters now.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    /// Under way, with the step in which they began.
    pub(super) pending: BTreeMap<CheckpointId, u64>,
    /// Complete and not deleted, with the step in which they became so.
    pub(super) completed: BTreeMap<CheckpointId, u64>,
    /// All that this JobManager knows to have become complete.
    ever_completed: BTreeMap<CheckpointId, u64>,
    /// Given up in this attempt.
    pub(super) aborted: BTreeSet<CheckpointId>,
    /// Begun in this attempt, with what the tasks have done for them.
    parts: BTreeMap<CheckpointId, Parts>,
    /// Those that are the user's: nobody restarts from them.
    savepoints: BTreeMap<CheckpointId, SnapshotType>,
    /// The one that the job started from.
    given: Option<CheckpointId>,
    /// The newest that was begun.
    pub(super) newest: Option<CheckpointId>,
}

/// What the tasks have done for a checkpoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Have copied their state.
    pub(super) taken: BTreeSet<SubtaskIndex>,
    /// Have stored it.
    pub(super) stored: BTreeSet<SubtaskIndex>,
    /// Have been heard by the JobManager, or count as that.
    pub(super) acknowledged: BTreeSet<SubtaskIndex>,
    /// Have given it up, as far as what comes in goes.
    declined: BTreeSet<SubtaskIndex>,
    /// Could not store it. They still take part in it, and may yet decline it.
    unstored: BTreeSet<SubtaskIndex>,
}

impl Parts {
    /// A task declines it; false if it has done so before.
    pub(super) fn decline(&mut self, task: SubtaskIndex, reason: CheckpointFailureReason) -> bool {
        // Flink 1.20: AsyncCheckpointRunnable.handleExecutionException declines
        // beside CheckpointBarrierHandler.notifyAbort.
        match reason {
            CheckpointFailureReason::CheckpointAsyncException => self.unstored.insert(task),
            _ => self.declined.insert(task),
        }
    }

    /// Whether a task has declined it.
    pub(super) fn has_declined(&self, task: SubtaskIndex) -> bool {
        self.declined.contains(&task) || self.unstored.contains(&task)
    }
}

impl Checkpoints {
    /// One begins.
    pub(super) fn begin(&mut self, checkpoint: CheckpointId, snapshot: SnapshotType, step: u64) {
        self.savepoints.remove(&checkpoint);
        if snapshot.is_savepoint() {
            self.savepoints.insert(checkpoint, snapshot);
        }
        self.pending.insert(checkpoint, step);
        self.parts.insert(checkpoint, Parts::default());
        self.newest = Some(checkpoint);
    }

    /// The job starts from one: it is complete, and whatever it is, the job may
    /// come back to it.
    pub(super) fn given(&mut self, checkpoint: CheckpointId, step: u64) {
        self.completed.insert(checkpoint, step);
        self.ever_completed.insert(checkpoint, step);
        self.newest = Some(checkpoint);
        self.given = Some(checkpoint);
    }

    /// What has been done for one that was begun in this attempt.
    pub(super) fn parts(&mut self, checkpoint: CheckpointId) -> Option<&mut Parts> {
        self.parts.get_mut(&checkpoint)
    }

    /// One is complete; false if it was not under way.
    pub(super) fn complete(&mut self, checkpoint: CheckpointId, step: u64) -> bool {
        self.completed.insert(checkpoint, step);
        // Of a plain savepoint the tasks hear nothing, and commit nothing.
        if self.savepoints.get(&checkpoint).is_none_or(|snapshot| snapshot.stops_job()) {
            self.ever_completed.insert(checkpoint, step);
        }
        self.pending.remove(&checkpoint).is_some()
    }

    /// A complete checkpoint that is older than another and was not deleted before
    /// it. The user's savepoints are nobody's to delete.
    pub(super) fn oldest_kept(&self, checkpoint: CheckpointId) -> Option<CheckpointId> {
        let mut older = self.completed.range(..checkpoint).map(|(id, _)| *id);
        older.find(|id| !self.savepoints.contains_key(id) && Some(*id) != self.given)
    }

    /// One is given up; false if it was not under way.
    pub(super) fn abort(&mut self, checkpoint: CheckpointId) -> bool {
        self.aborted.insert(checkpoint);
        self.pending.remove(&checkpoint).is_some()
    }

    /// When one became complete.
    pub(super) fn completed_at(&self, checkpoint: CheckpointId) -> Option<u64> {
        self.ever_completed.get(&checkpoint).copied()
    }

    /// When one, or a newer one that stands for it, became complete.
    pub(super) fn covered_at(&self, checkpoint: CheckpointId) -> Option<u64> {
        self.ever_completed.range(checkpoint..).next().map(|(_, step)| *step)
    }

    /// When one, or a newer one that stands for it, became complete that a restart
    /// begins from. A savepoint with which the job was to stop, and did not, is
    /// none: what was prepared for it comes again.
    pub(super) fn restored_at(&self, checkpoint: CheckpointId) -> Option<u64> {
        let mut completed = self.ever_completed.range(checkpoint..);
        completed.find(|(id, _)| !self.savepoints.contains_key(id)).map(|(_, step)| *step)
    }

    /// The newest that the job can restart from.
    pub(super) fn newest_completed(&self) -> Option<CheckpointId> {
        let mut newest = self.completed.keys().rev();
        newest.find(|id| !self.savepoints.contains_key(id)).copied()
    }

    /// Whether the job is to stop with a savepoint: sources end before their data
    /// does.
    pub(super) fn stops_job(&self) -> bool {
        let stops = |id| self.savepoints.get(id).is_some_and(|savepoint| savepoint.stops_job());
        self.pending.keys().any(stops)
    }

    /// An attempt begins: nothing of the old one is under way.
    pub(super) fn restarted(&mut self) {
        self.pending.clear();
        self.aborted.clear();
        self.parts.clear();
    }

    /// The JobManager is dead: nobody knows what was under way.
    pub(super) fn job_manager_crashed(&mut self) {
        self.pending.clear();
    }

    /// Another JobManager knows of nothing, and counts from 1.
    pub(super) fn forgotten(&mut self) {
        self.completed.clear();
        self.ever_completed.clear();
        self.newest = None;
    }
}
