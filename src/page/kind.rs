//! What kind of step it is: which sign it has in the list of events and on the
//! slider.

use crate::model::StreamElement;
use crate::trace::Fact;

/// The weightiest thing that happens in a step; the script knows the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Other = 0,
    Moved = 1,
    Read = 2,
    Processed = 3,
    Barrier = 4,
    Snapshot = 5,
    Acknowledged = 6,
    Triggered = 7,
    Restored = 8,
    Committed = 9,
    Completed = 10,
    Aborted = 11,
    Ended = 12,
    Failed = 13,
    Crashed = 14,
}

/// The kind of a step with these facts.
pub(super) fn kind<'f>(facts: impl Iterator<Item = &'f Fact>) -> Kind {
    facts.map(of_fact).max().unwrap_or(Kind::Other)
}

fn of_fact(fact: &Fact) -> Kind {
    match fact {
        Fact::Crashed { .. } | Fact::JobManagerCrashed { .. } => Kind::Crashed,
        Fact::JobFailed { .. } => Kind::Failed,
        Fact::JobFinished | Fact::JobCanceled => Kind::Ended,
        Fact::CheckpointAborted { .. } => Kind::Aborted,
        Fact::CheckpointCompleted { .. } => Kind::Completed,
        Fact::TransactionCommitted { .. } => Kind::Committed,
        Fact::AttemptStarted { .. } => Kind::Restored,
        Fact::CheckpointTriggered { .. } => Kind::Triggered,
        Fact::Acknowledged { .. } => Kind::Acknowledged,
        Fact::SnapshotTaken { .. } => Kind::Snapshot,
        Fact::BarrierReceived { .. }
        | Fact::Announced { .. }
        | Fact::Emitted { element: StreamElement::Barrier(_), .. } => Kind::Barrier,
        Fact::Processed { .. } => Kind::Processed,
        Fact::Read { .. } => Kind::Read,
        Fact::Departed { .. } | Fact::Arrived { .. } => Kind::Moved,
        _ => Kind::Other,
    }
}
