//! What is asked of the coordinator.

use std::cmp::Reverse;

use crate::model::{CheckpointFailureReason, CheckpointId, SnapshotType, Time};

/// What is taken.
///
/// Source: Flink `SnapshotType`, `CheckpointProperties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SnapshotKind {
    /// A checkpoint: Flink's own, kept in the store, used for recovery.
    Checkpoint,
    /// A savepoint: the user's; the job goes on.
    Savepoint,
    /// A savepoint that the job stops with; every task waits for its
    /// completion.
    SynchronousSavepoint(Drain),
}

/// How a job stops with a savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Drain {
    /// Sources end for good: windows and timers fire before the savepoint.
    Yes,
    /// The job is only put aside: windows and timers stay in the savepoint.
    No,
}

impl SnapshotKind {
    /// Whether it is a savepoint of either kind.
    #[must_use]
    pub fn is_savepoint(self) -> bool {
        self != Self::Checkpoint
    }

    /// What its barriers say of it.
    #[must_use]
    pub fn snapshot_type(self) -> SnapshotType {
        match self {
            Self::Checkpoint => SnapshotType::Checkpoint,
            Self::Savepoint => SnapshotType::Savepoint,
            Self::SynchronousSavepoint(Drain::No) => SnapshotType::Suspend,
            Self::SynchronousSavepoint(Drain::Yes) => SnapshotType::Terminate,
        }
    }

    /// Whether the job stops with it.
    #[must_use]
    pub fn is_synchronous(self) -> bool {
        matches!(self, Self::SynchronousSavepoint(_))
    }
}

/// A user's request, by whatever number its author gives it. The answer
/// carries the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u32);

/// Why a checkpoint is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// By the user (here: the scenario).
    User(RequestId),
    /// By the end of the job.
    EndOfData,
    /// By the interval.
    Periodic,
}

/// A request that waits its turn.
///
/// Source: Flink `CheckpointTriggerRequest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointRequest {
    /// What is to be taken.
    pub kind: SnapshotKind,
    /// Why.
    pub cause: Request,
    /// Whether it begins whatever else is under way.
    pub forced: bool,
    /// When it was made.
    pub requested_at: Time,
}

impl CheckpointRequest {
    /// Whether the interval asks for it.
    #[must_use]
    pub fn is_periodic(&self) -> bool {
        self.cause == Request::Periodic
    }

    /// Its place in the queue: savepoints first, forced ones first, periodic
    /// ones last, then by age.
    // Flink 1.20: CheckpointRequestDecider.checkpointTriggerRequestsComparator.
    // Two of the same age and kind stand in the order of a hash code there;
    // here in the order in which they came.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        let savepoint = Reverse(self.kind.is_savepoint());
        (savepoint, Reverse(self.forced), self.is_periodic(), self.requested_at)
    }
}

/// What became of a user's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestOutcome {
    /// It is complete, under this id.
    Completed(CheckpointId),
    /// It is not.
    Failed(CheckpointFailureReason),
}
