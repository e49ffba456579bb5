//! What can happen, in the past tense, and the rule that made it happen.
//!
//! Facts hold numbers; the names that a trace file carries are put in and
//! taken out by [`crate::trace`]'s reader and writer.

use serde::{Deserialize, Serialize};

use super::failure::FailureCause;
use super::view::Transaction;
use crate::model::{
    Attempt, Backlog, ChannelEnd, ChannelIndex, CheckpointFailureReason, CheckpointId, ClaimMode,
    FaultKind, FileName, HighAvailability, InFlight, Key, Micros, ReadFailure, Record,
    SavepointFormatType, SnapshotMetrics, SnapshotState, SnapshotType, SplitIndex, StatePiece,
    StateValue, StreamElement, SubtaskIndex, TransactionId, WriteFailure,
};

/// Something that has happened.
///
/// A step's facts stand in the order in which they happened. Together, and
/// with nothing else, they determine everything that can be seen
/// ([`crate::trace::View`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// A source has read the next record of a split. [`Fact::Emitted`]
    /// follows in the same step.
    Read {
        /// Who.
        task: SubtaskIndex,
        /// Which record; `record.id` names split and offset.
        record: Record,
    },
    /// A task has put an element into the output buffer of a channel, or, if
    /// nothing waits there and the channel may send, right onto the wire.
    Emitted {
        /// Where.
        channel: ChannelIndex,
        /// Counts the channel's elements in this attempt, from 1.
        number: u64,
        /// What.
        element: StreamElement,
        /// Whether it is in the output buffer (else on the wire).
        buffered: bool,
    },
    /// An element has left the output buffer and is on the wire.
    Departed {
        /// Where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
    },
    /// An element has come to the receive queue and waits there. An element
    /// that is taken in the step in which it arrives has no such fact.
    Arrived {
        /// Where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
    },
    /// A task has taken a record and works on it; [`Fact::Processed`] comes
    /// when its service time is over. Tasks that need no time have no such
    /// fact.
    Started {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
    },
    /// A record has had its effect: it has left its channel (unless it was
    /// taken earlier, see [`Fact::Started`]), the state has changed, and the
    /// results follow as [`Fact::Emitted`] in the same step. At a
    /// transactional sink the record is now in the open transaction; at the
    /// others it is published.
    Processed {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
        /// What.
        record: Record,
        /// The state under the record's key after it, at a keyed operator.
        state: Option<(Key, StateValue)>,
    },
    /// A task has taken a barrier from a channel.
    BarrierReceived {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Barriers of this checkpoint received so far, this one included.
        n_received: u32,
        /// Barriers needed.
        n_needed: u32,
    },
    /// A task knows that a barrier which may still time out waits in the
    /// receive queue of a channel.
    Announced {
        /// Who.
        task: SubtaskIndex,
        /// Where it waits.
        channel: ChannelIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Barriers of this checkpoint received so far; the one announced is
        /// none of them.
        n_received: u32,
        /// Barriers needed; 0 when the checkpoint is over here.
        n_needed: u32,
    },
    /// The time for an aligned checkpoint is over while the task works on a
    /// record or copies its state; it turns to it right after that.
    AlignmentTimerDue {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// An aligned checkpoint has become unaligned at a task's input.
    AlignmentTimedOut {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// An announced barrier has moved to the front of its receive queue.
    Prioritized {
        /// Where.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
    },
    /// A barrier that waited in the output buffer has become unaligned and
    /// moved to the front of it.
    OutputTimedOut {
        /// Where.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
    },
    /// Records in flight have become part of a snapshot; they go on as if
    /// nothing had happened.
    ChannelStateSaved {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Where they are.
        channel: ChannelIndex,
        /// At which end of it: whose snapshot it is.
        end: ChannelEnd,
        /// The records, the first to be processed first.
        records: Vec<InFlight>,
    },
    /// A task has taken a cancellation marker from a channel.
    CancelMarkerReceived {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task has given a checkpoint up. It tells the coordinator, and sends a
    /// cancellation marker on.
    Declined {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// A channel is blocked: what stands behind its barrier waits.
    Blocked {
        /// Which.
        channel: ChannelIndex,
        /// By which checkpoint's barrier.
        checkpoint: CheckpointId,
    },
    /// A blocked channel is free again.
    Resumed {
        /// Which.
        channel: ChannelIndex,
    },
    /// A task has the end of data from a channel.
    EndReceived {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
    },
    /// A task has the end of a channel: its sender has finished.
    PartitionEnded {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
    },
    /// A task has all that a restored snapshot held of a channel's sending
    /// end.
    ChannelStateReceived {
        /// Who.
        task: SubtaskIndex,
        /// From where.
        channel: ChannelIndex,
        /// Which.
        number: u64,
    },
    /// The end of a channel counts as its barrier: its sender has finished and
    /// will not send one.
    EndCounted {
        /// Who counts it.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// Barriers of this checkpoint received so far, this end included.
        n_received: u32,
        /// Barriers needed.
        n_needed: u32,
    },
    /// A task will get no further record from any input (a source: has read
    /// all of its splits). It sends the end of data on.
    EndOfData {
        /// Who.
        task: SubtaskIndex,
    },

    /// The coordinator has begun a checkpoint and sent each source the
    /// trigger.
    CheckpointTriggered {
        /// Which.
        checkpoint: CheckpointId,
        /// A checkpoint, or a savepoint.
        snapshot: SnapshotType,
        /// How the state of a savepoint is written. A checkpoint has no choice.
        format: SavepointFormatType,
        /// Why.
        cause: TriggerCause,
    },
    /// A task that has finished counts as having acknowledged a checkpoint that
    /// has just begun, with its last state.
    ///
    /// Source: Flink `DefaultCheckpointPlan.fulfillFinishedTaskStatus`.
    FinishedTaskIncluded {
        /// Who.
        task: SubtaskIndex,
        /// In which checkpoint.
        checkpoint: CheckpointId,
        /// What it had at its end.
        state: SnapshotState,
    },
    /// A checkpoint or savepoint that was asked for is not begun.
    TriggerRejected {
        /// Why it was asked for.
        cause: TriggerCause,
        /// Why it is not begun.
        reason: Rejection,
    },
    /// A source has got the trigger.
    TriggerReceived {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task has copied its state for a checkpoint. Storing the copy comes
    /// next.
    SnapshotTaken {
        /// Who.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// What it stored.
        state: SnapshotState,
    },
    /// The synchronous part of a snapshot is over: the task goes on. Where it
    /// takes no time there is no such fact.
    SyncEnded {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task has written pieces of its snapshot, where checkpoints go into
    /// files.
    StateWritten {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// What, and where it is.
        pieces: Vec<StatePiece>,
        /// Bytes of keyed state that are on its TaskManager's disk as well.
        copy: Option<u64>,
    },
    /// A task could not store its snapshot: it declines the checkpoint.
    WriteFailed {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        why: WriteFailure,
    },
    /// The metadata of a checkpoint is written, with which it is complete.
    MetadataWritten {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Whether it is a savepoint.
        snapshot: SnapshotType,
        /// Its size, small pieces of state included.
        bytes: u64,
    },
    /// The user has deleted a checkpoint by hand, with every file that it uses,
    /// whoever else uses it: [`Fact::FilesDeleted`] follows.
    CheckpointDisposed {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// Files are gone: deleted, or lost with the machine they were on.
    FilesDeleted {
        /// Which.
        files: Vec<FileName>,
    },
    /// A task's snapshot is stored whole, with all that is in flight: the task
    /// sends the acknowledgement.
    SnapshotStored {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// How it was taken.
        metrics: SnapshotMetrics,
    },
    /// The coordinator has got an acknowledgement.
    Acknowledged {
        /// Whose.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// Every task has acknowledged: the checkpoint is complete, and the
    /// coordinator notifies all tasks.
    CheckpointCompleted {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A pending checkpoint has been given up.
    CheckpointAborted {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// A completed checkpoint has been deleted: enough newer ones are complete,
    /// or the job is at its end and does not leave it behind.
    CheckpointDiscarded {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// The job is at its end and leaves a completed checkpoint behind.
    CheckpointRetained {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// The coordinator has learned that a task has given a checkpoint up.
    DeclineReceived {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// A task has learned that a checkpoint was given up.
    AbortNotified {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task has learned that a checkpoint is complete.
    Notified {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The coordinator has learned that a task is at the end of its data.
    EndReported {
        /// Who.
        task: SubtaskIndex,
    },
    /// The coordinator has learned whether a source works off old data, which may
    /// change the interval.
    BacklogReported {
        /// Which subtask of it says so.
        task: SubtaskIndex,
        /// Whether it does.
        backlog: Backlog,
    },
    /// A message of a dead attempt, or to a dead task, has come and is
    /// ignored.
    MessageIgnored {
        /// The task that sent it or that it was for.
        task: SubtaskIndex,
        /// The attempt that it belongs to.
        attempt: Attempt,
        /// What it said.
        message: RpcMessage,
    },

    /// A message has been lost on its way: nobody will ever get it.
    MessageLost {
        /// The task that sent it or that it was for.
        task: SubtaskIndex,
        /// What it said.
        message: RpcMessage,
    },
    /// A message is held up on its way, and with it all that the same sender
    /// sends to the same receiver after it.
    MessageDelayed {
        /// The task that sent it or that it is for.
        task: SubtaskIndex,
        /// What it says.
        message: RpcMessage,
        /// How much longer it takes.
        by: Micros,
    },

    /// A sink has begun a transaction.
    TransactionBegun {
        /// Which.
        transaction: TransactionId,
    },
    /// A sink has prepared a transaction: it will be committed when the
    /// checkpoint is complete.
    TransactionPrepared {
        /// Which.
        transaction: TransactionId,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A transaction has been committed: its records are published, in the
    /// order in which they were written.
    TransactionCommitted {
        /// Which.
        transaction: TransactionId,
        /// How many records it published.
        n_records: u64,
    },
    /// A transaction has been aborted: nobody will ever see its records.
    TransactionAborted {
        /// Which.
        transaction: TransactionId,
        /// How many records it held.
        n_records: u64,
    },

    /// Subtasks have died.
    Crashed {
        /// Who.
        tasks: Vec<SubtaskIndex>,
    },
    /// Something is slower than usual from now on, or stands still.
    Slowed {
        /// What, by how much, for how long; never a crash.
        fault: FaultKind,
    },
    /// Something is as fast as usual again.
    SlownessEnded {
        /// What had been slow; never a crash.
        fault: FaultKind,
    },
    /// The JobManager has died: the attempt is over, every task stops, and
    /// nobody knows of pending checkpoints any more.
    JobManagerCrashed {
        /// The attempt that is over.
        attempt: Attempt,
    },
    /// Another JobManager is there. [`Fact::AttemptStarted`] follows in the
    /// same step.
    JobManagerStarted {
        /// On: it has found the list of completed checkpoints and the number of
        /// the last one. Off: it knows of none, and counts from 1 again.
        high_availability: HighAvailability,
    },
    /// The JobManager has noticed a failure: the attempt of its region is over,
    /// the tasks there are cancelled, and all pending checkpoints are aborted.
    JobFailed {
        /// The attempt that is over.
        attempt: Attempt,
        /// Why.
        cause: FailureCause,
        /// The tasks that stop, in order; none: every task of the job.
        region: Option<Vec<SubtaskIndex>>,
        /// When the job will be restarted; none: never.
        restart_after: Option<Micros>,
    },
    /// The JobManager has a savepoint, or a checkpoint that another job has left
    /// behind, to start the job from: it counts as complete.
    /// [`Fact::StateAssigned`] and [`Fact::ChannelStateAssigned`] follow for
    /// all that the job takes of it, and then [`Fact::AttemptStarted`].
    ///
    /// Source: Flink `CheckpointCoordinator.restoreSavepoint`.
    SavepointRestored {
        /// Its number; the next checkpoint gets the next one.
        checkpoint: CheckpointId,
        /// A checkpoint, or a savepoint.
        snapshot: SnapshotType,
        /// Whose its files are now.
        claim: ClaimMode,
        /// Size of its metadata, small pieces of state included.
        bytes: u64,
    },
    /// A task is given its part of the savepoint that the job starts from.
    ///
    /// Source: Flink `StateAssignmentOperation.assignStates`.
    StateAssigned {
        /// Who.
        task: SubtaskIndex,
        /// Of which.
        checkpoint: CheckpointId,
        /// What it will have.
        state: SnapshotState,
        /// Where that is.
        pieces: Vec<StatePiece>,
        /// Transactions that the job before has prepared, with what is in them:
        /// a sink commits them when it has its state.
        transactions: Vec<Transaction>,
    },
    /// A channel is given what was in flight in the checkpoint that the job
    /// starts from.
    ///
    /// Source: Flink `StateAssignmentOperation.reDistributeInputChannelStates`,
    /// `reDistributeResultSubpartitionStates`.
    ChannelStateAssigned {
        /// Of which.
        checkpoint: CheckpointId,
        /// Who.
        channel: ChannelIndex,
        /// For the receive queue, the first to be processed first.
        input: Vec<Record>,
        /// For the output buffer, behind them.
        output: Vec<Record>,
    },
    /// A new attempt starts: channels are empty, and every task of it gets its
    /// state back ([`Fact::StateRestored`] for each follows in the same step).
    AttemptStarted {
        /// Which attempt.
        attempt: Attempt,
        /// The tasks that start, in order; none: every task of the job.
        region: Option<Vec<SubtaskIndex>>,
        /// The checkpoint that it starts from; none: from the beginning.
        checkpoint: Option<CheckpointId>,
    },
    /// What a snapshot held in flight is back in its channel: it comes before
    /// everything new. The records have the numbers from 1; the end of the
    /// channel state follows them. If the snapshot held anything in flight,
    /// there is such a fact for every channel.
    ChannelStateRestored {
        /// Where.
        channel: ChannelIndex,
        /// In the receive queue, the first to be processed first.
        input: Vec<Record>,
        /// In the output buffer, behind them.
        output: Vec<Record>,
    },
    /// A task begins to read its state; until [`Fact::StateRestored`] it does
    /// nothing else. Where reading takes no time there is no such fact.
    RestoreStarted {
        /// Who.
        task: SubtaskIndex,
        /// From which checkpoint.
        checkpoint: CheckpointId,
        /// Bytes that it reads from the checkpoint storage.
        from_storage: u64,
        /// Bytes that it reads from its TaskManager's disk.
        from_disk: u64,
    },
    /// A task cannot read its state, and dies of it.
    RestoreFailed {
        /// Who.
        task: SubtaskIndex,
        /// From which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        why: ReadFailure,
    },
    /// A task has its state back.
    StateRestored {
        /// Who.
        task: SubtaskIndex,
        /// What it has now.
        state: SnapshotState,
    },
    /// A task is done.
    TaskFinished {
        /// Who.
        task: SubtaskIndex,
    },
    /// Every task is done.
    JobFinished,
    /// The user has cancelled the job: every task is stopped, and pending
    /// checkpoints are aborted.
    JobCanceled,
}

/// Why a checkpoint or savepoint is not begun.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// Not every task runs.
    ///
    /// Source: Flink `CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING`.
    #[default]
    TasksNotRunning,
    /// There is no directory for a savepoint.
    ///
    /// Source: Flink `SchedulerBase.triggerSavepoint`.
    NoSavepointDirectory,
}

/// Why the coordinator began a checkpoint.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TriggerCause {
    /// The interval is over.
    Periodic,
    /// The scenario asked for it.
    Scenario,
    /// The job is at its end.
    EndOfData,
}

/// What a message between the JobManager and a task says.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RpcMessage {
    /// Take this checkpoint.
    Trigger(CheckpointId),
    /// My part of this checkpoint is stored.
    Acknowledge(CheckpointId),
    /// I have given this checkpoint up.
    Decline(CheckpointId),
    /// This checkpoint was given up.
    Abort(CheckpointId),
    /// This checkpoint is complete.
    Notify(CheckpointId),
    /// I am at the end of my data.
    EndOfData,
    /// Whether I work off old data.
    Backlog(Backlog),
    /// I have failed.
    Failure,
}

impl Fact {
    /// The split and offset that a fact is about, if it is about one record.
    #[must_use]
    pub fn record(&self) -> Option<(SplitIndex, u32)> {
        match self {
            Self::Read { record, .. }
            | Self::Processed { record, .. }
            | Self::Emitted { element: StreamElement::Record(record), .. } => {
                Some((record.id.split, record.id.offset))
            }
            _ => None,
        }
    }
}
