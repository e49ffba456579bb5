//! What Flink itself does not promise: a job that was to stop with a savepoint,
//! and did not.
//!
//! When the savepoint is complete, the sinks commit what they have prepared for
//! it. Should a task fail before all have finished, the job restarts all the
//! same, and from its newest *checkpoint*, since a savepoint is none: what was
//! committed with the savepoint is published again. Flink says so to the user,
//! and to start from the savepoint instead.
//!
//! Source: Flink `StopWithSavepointTerminationHandlerImpl
//! .terminateExceptionallyWithGlobalFailover`.

use std::collections::BTreeMap;

use crate::model::{CheckpointId, TransactionId};

/// Something that Flink does not promise, and that has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The job restarts although the savepoint that it was to stop with is
    /// complete.
    StoppedLate {
        /// The savepoint.
        savepoint: CheckpointId,
        /// When it became complete.
        completed: u64,
        /// What the job restarts from; none: the beginning.
        checkpoint: Option<CheckpointId>,
        /// When.
        step: u64,
    },
}

/// Savepoints that the job was to stop with.
#[derive(Debug, Default)]
pub(super) struct Stops {
    /// Complete, with the step in which they became so.
    completed: BTreeMap<CheckpointId, u64>,
    /// What each transaction was prepared for that no completed checkpoint
    /// covers.
    prepared: BTreeMap<TransactionId, CheckpointId>,
    /// What has happened.
    pub(super) limits: Vec<Limit>,
}

impl Stops {
    /// A sink has prepared a transaction.
    pub(super) fn prepared(&mut self, transaction: TransactionId, checkpoint: CheckpointId) {
        self.prepared.insert(transaction, checkpoint);
    }

    /// A checkpoint is complete that the job can restart from.
    pub(super) fn covered(&mut self, checkpoint: CheckpointId) {
        self.prepared.retain(|_, own| *own > checkpoint);
    }

    /// A savepoint is complete that the job is to stop with.
    pub(super) fn completed(&mut self, savepoint: CheckpointId, step: u64) {
        self.completed.insert(savepoint, step);
    }

    /// Another JobManager knows of nothing: that is another story.
    pub(super) fn forgotten(&mut self) {
        self.completed.clear();
    }

    /// The job restarts; gives the transactions that were covered by a savepoint
    /// which it leaves behind.
    pub(super) fn restarted(
        &mut self,
        checkpoint: Option<CheckpointId>,
        step: u64,
    ) -> Vec<TransactionId> {
        let newest = self.completed.iter().next_back().map(|(id, step)| (*id, *step));
        let late = newest.filter(|(savepoint, _)| Some(*savepoint) > checkpoint);
        let Some((savepoint, completed)) = late else { return Vec::new() };
        self.limits.push(Limit::StoppedLate { savepoint, completed, checkpoint, step });
        self.completed.clear();
        let prepared = self.prepared.extract_if(.., |_, of| *of <= savepoint);
        prepared.map(|(transaction, _)| transaction).collect()
    }
}
