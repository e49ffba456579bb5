//! What comes to the coordinator, and what it asks for.

use super::failure_manager::JobFailure;
use super::pending::{AcknowledgeResult, Sender};
use super::periodic::Backlog;
use super::request::{CheckpointRequest, RequestId, RequestOutcome, SnapshotKind};
use crate::model::{
    Barrier, CheckpointFailureReason, CheckpointId, Micros, OperatorIndex, SubtaskIndex,
    SubtaskLife, Time,
};
use crate::protocol::checkpoint_plan::Execution;
use crate::protocol::retention::ClaimMode;

/// Something that comes to the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinatorInput {
    /// The job runs: periodic checkpoints begin, the first after this delay.
    JobRunning {
        /// Flink draws it between the minimum pause and the interval.
        initial_delay: Micros,
    },
    /// The job has left the state in which it runs: everything that waits or
    /// is pending is given up.
    JobNotRunning,
    /// Some tasks restart: everything that is pending is given up.
    RegionFailed,
    /// The job is at its end: nothing begins any more, and what is pending may
    /// still be completed.
    JobFinishing,
    /// The coordinator is no longer needed.
    ShutDown,
    /// The job starts from a snapshot.
    Restored {
        /// Its id.
        snapshot: CheckpointId,
        /// Who owns it.
        mode: ClaimMode,
    },
    /// A task is deployed, runs or has finished.
    TaskChanged {
        /// Which.
        task: SubtaskIndex,
        /// What it is now.
        execution: Execution,
    },
    /// A task has failed, as Flink up to 1.9 took it: what it has not
    /// acknowledged is given up, and the rest goes on.
    TaskFailed {
        /// Which.
        task: SubtaskIndex,
    },
    /// The armed tick is due.
    IntervalElapsed,
    /// The time of a checkpoint is over.
    Expired(CheckpointId),
    /// The user asks for a checkpoint or a savepoint.
    Requested {
        /// To be given back with the answer.
        id: RequestId,
        /// What is asked for.
        kind: SnapshotKind,
    },
    /// A periodic checkpoint is asked for beside the interval, which only
    /// Flink's own tests do.
    PeriodicRequested,
    /// The storage has answered [`CoordinatorEffect::InitializeLocation`].
    LocationInitialized {
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// Whether there is a place for it.
        outcome: Health,
    },
    /// A task could not be told to begin, since it has just finished.
    TriggerFailed(CheckpointId),
    /// A task has stored its state.
    Acknowledged {
        /// Who says so.
        sender: Sender,
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// Whether its operators had finished when it copied its state.
        life: SubtaskLife,
    },
    /// A task cannot take part in a checkpoint.
    Declined {
        /// Who says so.
        sender: Sender,
        /// In which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// A task is at the end of its data.
    EndReported {
        /// Who.
        task: SubtaskIndex,
    },
    /// A source says whether it works off old data.
    BacklogReported {
        /// Which.
        operator: OperatorIndex,
        /// Whether it does.
        backlog: Backlog,
    },
    /// So many old checkpoints are being deleted.
    CleaningChanged {
        /// How many.
        n_cleaning: u32,
    },
    /// Another trigger phase is under way or over. Recorded cases pretend one;
    /// the coordinator's own need no telling.
    TriggerPhaseHeld(Held),
    /// A service that the coordinator needs works or fails from now on.
    ServiceChanged {
        /// Which.
        service: Service,
        /// How it is.
        health: Health,
    },
}

/// Whether something is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Held {
    /// It is.
    Yes,
    /// It is free.
    No,
}

/// What the coordinator needs of the outside and waits for on the spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// Gives the next checkpoint id.
    IdCounter,
    /// Takes the metadata of a complete checkpoint.
    Metadata,
    /// Keeps the list of completed checkpoints.
    CompletedStore,
}

/// How a service is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    /// It does what it should.
    Works,
    /// It answers with an error.
    Fails,
}

/// Something that the coordinator asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinatorEffect {
    /// A checkpoint has an id: make a place for it in the storage and report
    /// [`CoordinatorInput::LocationInitialized`], before which no other one
    /// begins.
    InitializeLocation {
        /// Which.
        checkpoint: CheckpointId,
        /// What it is.
        kind: SnapshotKind,
    },
    /// A checkpoint has begun: tell these tasks.
    Trigger {
        /// What they are to send on.
        barrier: Barrier,
        /// What it is and why it is taken.
        request: CheckpointRequest,
        /// Whom to tell.
        tasks: Vec<SubtaskIndex>,
        /// Whether it may build on earlier ones.
        sharing: Sharing,
    },
    /// A request has been refused before it got an id.
    Reject {
        /// Which.
        request: CheckpointRequest,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// An acknowledgement has been taken notice of.
    Acknowledge {
        /// Whose.
        sender: Sender,
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// What it came to.
        result: AcknowledgeResult,
    },
    /// Delete what a task has stored for a checkpoint.
    DiscardState {
        /// Who has stored it.
        sender: Sender,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A checkpoint is complete. Unless it is a savepoint, it is now the one
    /// that a restart starts from.
    Complete {
        /// Which.
        checkpoint: CheckpointId,
        /// What it is.
        kind: SnapshotKind,
    },
    /// Delete a completed checkpoint.
    DiscardCheckpoint(CheckpointId),
    /// Tell these tasks that a checkpoint is complete.
    NotifyComplete {
        /// Which.
        checkpoint: CheckpointId,
        /// Whom to tell.
        tasks: Vec<SubtaskIndex>,
        /// The newest completed checkpoint that has been deleted for it.
        subsumed: Option<CheckpointId>,
        /// Whether tasks that are at the end of their data finish upon the
        /// notice.
        last: LastCheckpoint,
    },
    /// A pending checkpoint is given up.
    Abort {
        /// Which.
        checkpoint: CheckpointId,
        /// What it was.
        kind: SnapshotKind,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// Tell these tasks that a checkpoint is given up.
    NotifyAbort {
        /// Which.
        checkpoint: CheckpointId,
        /// Whom to tell.
        tasks: Vec<SubtaskIndex>,
        /// Why.
        reason: CheckpointFailureReason,
        /// The newest completed checkpoint. A task takes it for a notice that
        /// it is complete.
        latest_completed: Option<CheckpointId>,
    },
    /// The job has to fail.
    FailJob {
        /// Why.
        failure: JobFailure,
        /// The checkpoint whose failure it is; none: it never got an id.
        checkpoint: Option<CheckpointId>,
        /// Why that failed.
        reason: CheckpointFailureReason,
    },
    /// Tell the user what became of a request.
    Answer {
        /// The request's number.
        id: RequestId,
        /// What became of it.
        outcome: RequestOutcome,
    },
    /// Report [`CoordinatorInput::IntervalElapsed`] at a time, and not at
    /// another one asked for before.
    ArmInterval(Time),
    /// Do not report it.
    DisarmInterval,
    /// Report [`CoordinatorInput::Expired`] at a time.
    ArmExpiry(CheckpointId, Time),
    /// Do not report it.
    DisarmExpiry(CheckpointId),
}

/// Whether a completed checkpoint is the one that a job at its end waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LastCheckpoint {
    /// It is: tasks finish upon the notice.
    Yes,
    /// It is not: the job goes on.
    No,
}

/// Whether a snapshot may refer to files of earlier ones.
///
/// Source: Flink `SnapshotType.SharingFilesStrategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sharing {
    /// As the state backend does it.
    AsConfigured,
    /// It may not: the files that it would build on belong to the user.
    Full,
}
