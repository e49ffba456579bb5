//! What a task does when its snapshot is due: the order of barrier, snapshot
//! and acknowledgement.
//!
//! Source: Flink `SubtaskCheckpointCoordinatorImpl.checkpointState`.

use crate::model::{Barrier, CheckpointId};

/// Something that the task is asked to do, in this order and with nothing in
/// between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubtaskEffect {
    /// Put the barrier behind everything that the task has emitted, on every
    /// outgoing channel.
    BroadcastBarrier(Barrier),
    /// Store the state.
    TakeSnapshot(CheckpointId),
    /// Tell the coordinator.
    Acknowledge(CheckpointId),
}

/// The snapshots of one task in one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SubtaskCheckpointCoordinator {
    last: CheckpointId,
}

impl SubtaskCheckpointCoordinator {
    /// The newest checkpoint that the task has stored its state for.
    #[must_use]
    pub fn last(&self) -> Option<CheckpointId> {
        (self.last > CheckpointId(0)).then_some(self.last)
    }

    /// The snapshot is due. A checkpoint that is not newer than the last one
    /// is passed over in silence.
    pub fn on_trigger(&mut self, barrier: Barrier, effects: &mut Vec<SubtaskEffect>) {
        if barrier.checkpoint <= self.last {
            return;
        }
        self.last = barrier.checkpoint;
        // Flink 1.20: the barrier leaves before the state is copied; no record
        // is processed in between, so the cut is the same either way.
        effects.push(SubtaskEffect::BroadcastBarrier(barrier));
        effects.push(SubtaskEffect::TakeSnapshot(barrier.checkpoint));
        effects.push(SubtaskEffect::Acknowledge(barrier.checkpoint));
    }
}
