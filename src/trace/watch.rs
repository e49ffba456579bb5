//! Waiting for a fact that a scenario names.

use super::fact::Fact;
use crate::model::{CheckpointFailureReason, ExecutionGraph, FactPattern};

/// Counts the facts of one kind until the wanted one has happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Watch {
    pattern: FactPattern,
    remaining: u32,
}

impl Watch {
    /// Waits for the `nth` fact of a kind, from 1.
    #[must_use]
    pub fn new(pattern: FactPattern, nth: u32, graph: &ExecutionGraph) -> Self {
        let remaining = match pattern {
            FactPattern::AllNotified(_) => graph.subtasks.len() as u32 * nth,
            _ => nth,
        };
        Self { pattern, remaining }
    }

    /// Whether this fact is the wanted one. It is so at most once.
    pub fn observe(&mut self, graph: &ExecutionGraph, fact: &Fact) -> bool {
        if self.remaining == 0 || !is_of_kind(&self.pattern, graph, fact) {
            return false;
        }
        self.remaining -= 1;
        self.remaining == 0
    }

    /// Whether it waits for a fact about a single record.
    #[must_use]
    pub fn wants_records(&self) -> bool {
        self.remaining > 0
            && matches!(self.pattern, FactPattern::Read { .. } | FactPattern::Processed { .. })
    }
}

/// Whether a fact is of a kind.
pub(super) fn is_of_kind(pattern: &FactPattern, graph: &ExecutionGraph, fact: &Fact) -> bool {
    match (pattern, fact) {
        (FactPattern::CheckpointTriggered(id), Fact::CheckpointTriggered { checkpoint, .. })
        | (FactPattern::CheckpointCompleted(id), Fact::CheckpointCompleted { checkpoint })
        | (FactPattern::CheckpointDeclined(id), Fact::DeclineReceived { checkpoint, .. })
        | (FactPattern::CheckpointAborted(id), Fact::CheckpointAborted { checkpoint, .. }) => {
            id == checkpoint
        }
        (
            FactPattern::CheckpointExpired(id),
            Fact::CheckpointAborted {
                checkpoint,
                reason: CheckpointFailureReason::CheckpointExpired,
            },
        ) => id == checkpoint,
        (
            FactPattern::BarrierReceived { task, checkpoint, from },
            Fact::BarrierReceived { task: who, channel, checkpoint: which, .. },
        ) => {
            let sender = graph.channels[channel.index()].from;
            task == who && checkpoint == which && from.is_none_or(|from| from == sender)
        }
        (
            FactPattern::SnapshotTaken { task, checkpoint },
            Fact::SnapshotTaken { task: who, checkpoint: which, .. },
        )
        | (
            FactPattern::Acknowledged { task, checkpoint },
            Fact::Acknowledged { task: who, checkpoint: which },
        )
        | (
            FactPattern::Notified { task, checkpoint },
            Fact::Notified { task: who, checkpoint: which },
        ) => (task, checkpoint) == (who, which),
        (FactPattern::AllNotified(id), Fact::Notified { checkpoint, .. }) => id == checkpoint,
        (FactPattern::Read { split, offset }, Fact::Read { record, .. }) => {
            (*split, *offset) == (record.id.split, record.id.offset)
        }
        (
            FactPattern::Processed { task, split, offset },
            Fact::Processed { task: who, record, .. },
        ) => task == who && (*split, *offset) == (record.id.split, record.id.offset),
        (FactPattern::AttemptStarted(id), Fact::AttemptStarted { attempt, .. }) => id == attempt,
        (FactPattern::JobFailed, Fact::JobFailed { .. })
        | (FactPattern::JobManagerCrashed, Fact::JobManagerCrashed { .. })
        | (FactPattern::JobRestarted, Fact::AttemptStarted { .. })
        | (FactPattern::JobFinished, Fact::JobFinished)
        | (FactPattern::JobCanceled, Fact::JobCanceled) => true,
        _ => false,
    }
}
