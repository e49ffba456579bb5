//! Which completed checkpoints are kept.
//!
//! Source: Flink `DefaultCompletedCheckpointStore`.

use crate::model::CheckpointId;

/// The completed checkpoints that a job may be restored from, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompletedCheckpointStore {
    retained_max: usize,
    retained: Vec<CheckpointId>,
}

impl CompletedCheckpointStore {
    /// A store that keeps so many, at least 1.
    #[must_use]
    pub fn new(retained_max: usize) -> Self {
        Self { retained_max: retained_max.max(1), retained: Vec::new() }
    }

    /// Adds the newest and gives those that are no longer kept.
    pub fn add(&mut self, checkpoint: CheckpointId) -> Vec<CheckpointId> {
        self.retained.push(checkpoint);
        let n_surplus = self.retained.len().saturating_sub(self.retained_max);
        self.retained.drain(..n_surplus).collect()
    }

    /// The one that a restart starts from.
    #[must_use]
    pub fn latest(&self) -> Option<CheckpointId> {
        self.retained.last().copied()
    }
}
