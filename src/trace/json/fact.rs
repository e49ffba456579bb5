//! Every fact as a line has it, beside the fact in memory.

use super::error::Misfit;
use super::key::RecordKey;
use super::line::{Line, Scope, close_object, lines, write_field};
use super::pen::Pen;
use super::said::{ReaderName, ReceiverName, SaidKey, SaidRecord, SaidValue};
use super::word::{
    ChannelName, ElementName, KeyedLine, RecordName, SnapshotLine, TaskManagerName, TaskName,
    TransactionName, ValueLine,
};
use crate::model::{
    AlignmentType, Attempt, Backlog, Barrier, ChannelEnd, CheckpointFailureReason, CheckpointId,
    CheckpointOptions, ClaimMode, FaultKind, FileName, HighAvailability, InFlight, Location,
    Micros, ReadFailure, Record, SavepointFormatType, SnapshotMetrics, SnapshotType, StateKind,
    StatePiece, StreamElement, Time, WriteFailure,
};
use crate::trace::{Fact, FailureCause, Rejection, RpcMessage, Transaction, TriggerCause};

lines! {
    /// Something that has happened: an object with one field, whose name says
    /// what.
    enum FactLine<'a> is Fact {
        /// A source has read the next record of a split.
        "read" Read {
            record: RecordName<'a>,
            #[serde(default)]
            task: ReaderName<'a>,
            value: ValueLine,
            key: Option<RecordKey<'a>>,
        } = (Fact::Read { task, record: Record { id: record, value, key } }),
        /// A task has put a record into the output buffer of a channel
        /// ("buffered"), or right onto the wire.
        "emitted" Emitted {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            record: SaidRecord<'a>,
            #[serde(default)]
            value: SaidValue,
            #[serde(default)]
            key: SaidKey<'a>,
            #[serde(default)]
            buffered: bool,
        } = (Fact::Emitted {
            channel,
            number,
            element: StreamElement::Record(Record { id: record, value, key }),
            buffered,
        }),
        /// The same of a checkpoint barrier.
        "barrier-emitted" BarrierEmitted {
            element: ElementName<'a> as (channel, number),
            checkpoint: CheckpointId,
            triggered_at: Time,
            #[serde(default)]
            snapshot: SnapshotType,
            #[serde(default)]
            alignment: AlignmentType,
            aligned_timeout: Option<Micros>,
            #[serde(default)]
            buffered: bool,
        } = (Fact::Emitted {
            channel,
            number,
            element: StreamElement::Barrier(Barrier {
                checkpoint,
                triggered_at,
                options: CheckpointOptions { snapshot, alignment, aligned_timeout },
            }),
            buffered,
        }),
        /// The same of the end of data.
        "end-emitted" EndEmitted {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            buffered: bool,
        } = (Fact::Emitted { channel, number, element: StreamElement::EndOfData, buffered }),
        /// The same of a cancellation marker.
        "cancel-marker-emitted" CancelMarkerEmitted {
            element: ElementName<'a> as (channel, number),
            checkpoint: CheckpointId,
            #[serde(default)]
            buffered: bool,
        } = (Fact::Emitted {
            channel,
            number,
            element: StreamElement::CancelMarker(checkpoint),
            buffered,
        }),
        /// The same of the end of a channel: the sender has finished.
        "end-of-partition-emitted" EndOfPartitionEmitted {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            buffered: bool,
        } = (Fact::Emitted { channel, number, element: StreamElement::EndOfPartition, buffered }),
        /// The same of the end of what a restored snapshot held.
        "end-of-channel-state-emitted" EndOfChannelStateEmitted {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            buffered: bool,
        } = (Fact::Emitted {
            channel,
            number,
            element: StreamElement::EndOfChannelState,
            buffered,
        }),
        /// An element has left the output buffer and is on the wire.
        "departed" Departed { element: ElementName<'a> as (channel, number) } = (Fact::Departed { channel, number }),
        /// An element has come to the receive queue and waits there.
        "arrived" Arrived { element: ElementName<'a> as (channel, number) } = (Fact::Arrived { channel, number }),
        /// A task has taken a record and works on it.
        "started" Started { element: ElementName<'a> as (channel, number), #[serde(default)] task: ReceiverName<'a> } = (Fact::Started { channel, number, task }),
        /// A record has had its effect: the state has changed, and the results
        /// follow in the same step. At a sink this is writing.
        "processed" Processed {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            task: ReceiverName<'a>,
            record: RecordName<'a>,
            value: ValueLine,
            key: Option<RecordKey<'a>>,
            state: Option<KeyedLine<'a>>,
        } = (Fact::Processed {
            task,
            channel,
            number,
            record: Record { id: record, value, key },
            state,
        }),
        /// A task has taken a barrier from a channel.
        "barrier-received" BarrierReceived {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            task: ReceiverName<'a>,
            checkpoint: CheckpointId,
            n_received: u32,
            n_needed: u32,
        } = (Fact::BarrierReceived { task, channel, number, checkpoint, n_received, n_needed }),
        /// A task knows that a barrier which may still time out waits in the
        /// receive queue of a channel.
        "announced" Announced {
            channel: ChannelName<'a>,
            #[serde(default)]
            task: ReceiverName<'a>,
            checkpoint: CheckpointId,
            n_received: u32,
            n_needed: u32,
        },
        /// The time for an aligned checkpoint is over while the task is busy.
        "alignment-timer-due" AlignmentTimerDue { task: TaskName<'a>, checkpoint: CheckpointId },
        /// An aligned checkpoint has become unaligned at a task's input.
        "alignment-timed-out" AlignmentTimedOut { task: TaskName<'a>, checkpoint: CheckpointId },
        /// An announced barrier has moved to the front of its receive queue.
        "prioritized" Prioritized { element: ElementName<'a> as (channel, number) } = (Fact::Prioritized { channel, number }),
        /// A barrier that waited in the output buffer has become unaligned and
        /// moved to the front of it.
        "output-timed-out" OutputTimedOut { element: ElementName<'a> as (channel, number) } = (Fact::OutputTimedOut { channel, number }),
        /// Records in flight have become part of a snapshot.
        "channel-state-saved" ChannelStateSaved {
            checkpoint: CheckpointId,
            channel: ChannelName<'a>,
            end: ChannelEnd,
            records: Vec<InFlightLine<'a>>,
        },
        /// A task has taken a cancellation marker from a channel.
        "cancel-marker-received" CancelMarkerReceived {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            task: ReceiverName<'a>,
            checkpoint: CheckpointId,
        } = (Fact::CancelMarkerReceived { task, channel, number, checkpoint }),
        /// A task has given a checkpoint up.
        "declined" Declined {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            reason: CheckpointFailureReason,
        },
        /// A channel is blocked: what stands behind its barrier waits.
        "blocked" Blocked { channel: ChannelName<'a>, checkpoint: CheckpointId },
        /// A blocked channel is free again.
        "resumed" Resumed { channel: ChannelName<'a> },
        /// A task has the end of data from a channel.
        "end-received" EndReceived { element: ElementName<'a> as (channel, number), #[serde(default)] task: ReceiverName<'a> } = (Fact::EndReceived { task, channel, number }),
        /// A task has the end of a channel: its sender has finished.
        "partition-ended" PartitionEnded {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            task: ReceiverName<'a>,
        } = (Fact::PartitionEnded { task, channel, number }),
        /// A task has all that a restored snapshot held of a channel's sending
        /// end.
        "channel-state-received" ChannelStateReceived {
            element: ElementName<'a> as (channel, number),
            #[serde(default)]
            task: ReceiverName<'a>,
        } = (Fact::ChannelStateReceived { task, channel, number }),
        /// The end of a channel counts as its barrier.
        "end-counted" EndCounted {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            n_received: u32,
            n_needed: u32,
        },
        /// A task will get no further record.
        "end-of-data" EndOfData { task: TaskName<'a> },
        /// The coordinator has begun a checkpoint or, as "snapshot" says, a
        /// savepoint, whose state is written as "format" says.
        "checkpoint-triggered" CheckpointTriggered {
            checkpoint: CheckpointId,
            #[serde(default)]
            snapshot: SnapshotType,
            #[serde(default)]
            format: SavepointFormatType,
            cause: TriggerCause,
        },
        /// A task that has finished counts as having acknowledged.
        "finished-task-included" FinishedTaskIncluded {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            state: SnapshotLine<'a>,
        },
        /// A checkpoint that was asked for is not begun.
        "trigger-rejected" TriggerRejected {
            cause: TriggerCause,
            #[serde(default)]
            reason: Rejection,
        },
        /// A source has got the trigger.
        "trigger-received" TriggerReceived { task: TaskName<'a>, checkpoint: CheckpointId },
        /// A task has copied its state for a checkpoint.
        "snapshot-taken" SnapshotTaken {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            state: SnapshotLine<'a>,
        },
        /// The synchronous part of a snapshot is over.
        "sync-ended" SyncEnded { task: TaskName<'a>, checkpoint: CheckpointId },
        /// A task has written pieces of its snapshot into files or the
        /// metadata, and, with "copy", so many bytes to its own disk.
        "state-written" StateWritten {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            pieces: Vec<PieceLine<'a>>,
            copy: Option<u64>,
        },
        /// A task could not store its snapshot.
        "write-failed" WriteFailed {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            why: WriteFailure,
        },
        /// The metadata of a complete checkpoint is written.
        "metadata-written" MetadataWritten {
            checkpoint: CheckpointId,
            #[serde(default)]
            snapshot: SnapshotType,
            bytes: u64,
        },
        /// The user has deleted a checkpoint by hand, with every file that it
        /// uses.
        "checkpoint-disposed" CheckpointDisposed { checkpoint: CheckpointId },
        /// Files are gone: deleted, or lost with the machine they were on.
        "files-deleted" FilesDeleted { files: Vec<FileLine<'a>> },
        /// A task's snapshot is stored whole: the task sends the
        /// acknowledgement. Durations are in microseconds.
        "snapshot-stored" SnapshotStored {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            start_delay: Micros,
            alignment_duration: Micros,
            sync_duration: Micros,
            async_duration: Micros,
            bytes_processed_during_alignment: u64,
            bytes_persisted_during_alignment: u64,
            #[serde(default)]
            unaligned: bool,
        } = (Fact::SnapshotStored {
            task,
            checkpoint,
            metrics: SnapshotMetrics {
                start_delay,
                alignment_duration,
                sync_duration,
                async_duration,
                bytes_processed_during_alignment,
                bytes_persisted_during_alignment,
                unaligned,
            },
        }),
        /// The coordinator has got an acknowledgement.
        "acknowledged" Acknowledged { task: TaskName<'a>, checkpoint: CheckpointId },
        /// Every task has acknowledged.
        "checkpoint-completed" CheckpointCompleted { checkpoint: CheckpointId },
        /// A pending checkpoint has been given up.
        "checkpoint-aborted" CheckpointAborted {
            checkpoint: CheckpointId,
            reason: CheckpointFailureReason,
        },
        /// A completed checkpoint has been deleted.
        "checkpoint-discarded" CheckpointDiscarded { checkpoint: CheckpointId },
        /// The job has ended and leaves a completed checkpoint behind.
        "checkpoint-retained" CheckpointRetained { checkpoint: CheckpointId },
        /// The coordinator has learned that a task has given a checkpoint up.
        "decline-received" DeclineReceived {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            reason: CheckpointFailureReason,
        },
        /// A task has learned that a checkpoint was given up.
        "abort-notified" AbortNotified { task: TaskName<'a>, checkpoint: CheckpointId },
        /// A task has learned that a checkpoint is complete.
        "notified" Notified { task: TaskName<'a>, checkpoint: CheckpointId },
        /// The coordinator has learned that a task is at the end of its data.
        "end-reported" EndReported { task: TaskName<'a> },
        /// The coordinator has learned whether a source works off old data.
        "backlog-reported" BacklogReported { task: TaskName<'a>, backlog: Backlog },
        /// A message of a dead attempt, or to a dead task, has been ignored.
        "message-ignored" MessageIgnored {
            task: TaskName<'a>,
            attempt: Attempt,
            message: RpcMessage,
        },
        /// A message between the JobManager and a task has been lost.
        "message-lost" MessageLost { task: TaskName<'a>, message: RpcMessage },
        /// A message between the JobManager and a task takes so much longer.
        "message-delayed" MessageDelayed {
            task: TaskName<'a>,
            message: RpcMessage,
            by: Micros,
        },
        /// A sink has begun a transaction.
        "transaction-begun" TransactionBegun { transaction: TransactionName<'a> },
        /// A sink has prepared a transaction.
        "transaction-prepared" TransactionPrepared {
            transaction: TransactionName<'a>,
            checkpoint: CheckpointId,
        },
        /// A transaction has been committed: its records are published.
        "transaction-committed" TransactionCommitted {
            transaction: TransactionName<'a>,
            n_records: u64,
        },
        /// A transaction has been aborted: nobody will ever see its records.
        "transaction-aborted" TransactionAborted {
            transaction: TransactionName<'a>,
            n_records: u64,
        },
        /// Tasks have died.
        "crashed" Crashed { tasks: Vec<TaskName<'a>> },
        /// Something is slower than usual from now on, or stands still.
        "slowed" Slowed { fault: FaultLine<'a> },
        /// Something is as fast as usual again.
        "slowness-ended" SlownessEnded { fault: FaultLine<'a> },
        /// The JobManager has died: the attempt is over.
        "job-manager-crashed" JobManagerCrashed { attempt: Attempt },
        /// Another JobManager is there. Without high availability it knows of
        /// no checkpoint, and their numbers begin with 1 again.
        "job-manager-started" JobManagerStarted { high_availability: HighAvailability },
        /// The JobManager has noticed a failure: the attempt is over, for the
        /// tasks of the region or, without one, for all. Without
        /// "restart_after" the job is not restarted.
        "job-failed" JobFailed {
            attempt: Attempt,
            cause: FailureCauseLine<'a>,
            region: Option<Vec<TaskName<'a>>>,
            restart_after: Option<Micros>,
        },
        /// The JobManager has a savepoint to start the job from.
        "savepoint-restored" SavepointRestored {
            checkpoint: CheckpointId,
            #[serde(default)]
            snapshot: SnapshotType,
            claim: ClaimMode,
            bytes: u64,
        },
        /// A task is given its part of the savepoint that the job starts from.
        "state-assigned" StateAssigned {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            state: SnapshotLine<'a>,
            pieces: Vec<PieceLine<'a>>,
            transactions: Vec<TransactionLine<'a>>,
        },
        /// A channel is given what was in flight in the checkpoint that the job
        /// starts from.
        "channel-state-assigned" ChannelStateAssigned {
            checkpoint: CheckpointId,
            channel: ChannelName<'a>,
            input: Vec<RecordLine<'a>>,
            output: Vec<RecordLine<'a>>,
        },
        /// A new attempt starts, of the tasks of a region or, without one, of
        /// all; from a checkpoint or, without one, from the beginning.
        "attempt-started" AttemptStarted {
            attempt: Attempt,
            region: Option<Vec<TaskName<'a>>>,
            checkpoint: Option<CheckpointId>,
        },
        /// What a snapshot held in flight is back in its channel.
        "channel-state-restored" ChannelStateRestored {
            channel: ChannelName<'a>,
            input: Vec<RecordLine<'a>>,
            output: Vec<RecordLine<'a>>,
        },
        /// A task begins to read its state.
        "restore-started" RestoreStarted {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            from_storage: u64,
            from_disk: u64,
        },
        /// A task cannot read its state, and dies of it.
        "restore-failed" RestoreFailed {
            task: TaskName<'a>,
            checkpoint: CheckpointId,
            why: ReadFailureLine<'a>,
        },
        /// A task has its state back.
        "state-restored" StateRestored { task: TaskName<'a>, state: SnapshotLine<'a> },
        /// A task is done.
        "task-finished" TaskFinished { task: TaskName<'a> },
        /// Every task is done.
        "job-finished" JobFinished {},
        /// The user has cancelled the job.
        "job-canceled" JobCanceled {},
    }
}

lines! {
    /// A record.
    struct RecordLine<'a> is Record {
        record: RecordName<'a>,
        value: ValueLine,
        key: Option<RecordKey<'a>>,
    } = (Record { id: record, value, key })
}

lines! {
    /// A transaction with what is in it.
    struct TransactionLine<'a> is Transaction {
        transaction: TransactionName<'a>,
        records: Vec<RecordLine<'a>>,
    } = (Transaction { id: transaction, records })
}

lines! {
    /// A record with its number in its channel.
    struct InFlightLine<'a> is InFlight {
        number: u64,
        record: RecordName<'a>,
        value: ValueLine,
        key: Option<RecordKey<'a>>,
    } = (InFlight { number, record: Record { id: record, value, key } })
}

lines! {
    /// A piece of a task's snapshot.
    struct PieceLine<'a> is StatePiece {
        kind: StateKind,
        bytes: u64,
        location: LocationLine<'a>,
    } = (StatePiece { kind, bytes, location })
}

lines! {
    /// Where a piece of state is.
    enum LocationLine<'a> is Location {
        /// In the checkpoint's metadata.
        "metadata" Metadata {} = (Location::Metadata),
        /// In a file that was written for it.
        "written" Written { file: FileLine<'a> } = (Location::Written(file)),
        /// In a file that an earlier checkpoint has written.
        "reused" Reused { file: FileLine<'a> } = (Location::Reused(file)),
    }
}

lines! {
    /// A file.
    enum FileLine<'a> is FileName {
        /// The metadata of a checkpoint.
        "metadata" Metadata { checkpoint: CheckpointId },
        /// A piece of state that belongs to one checkpoint.
        "exclusive" Exclusive { checkpoint: CheckpointId, task: TaskName<'a>, kind: StateKind },
        /// A table of RocksDB that several checkpoints may use.
        "shared" Shared { task: TaskName<'a>, number: u32 },
        /// The metadata of a savepoint.
        "savepoint-metadata" SavepointMetadata { savepoint: CheckpointId },
        /// A piece of state of a savepoint.
        "savepoint-state" SavepointState {
            savepoint: CheckpointId,
            task: TaskName<'a>,
            kind: StateKind,
        },
        /// A copy on the disk of a task's TaskManager.
        "local" Local { checkpoint: CheckpointId, task: TaskName<'a> },
    }
}

lines! {
    /// Why a task cannot read its state.
    enum ReadFailureLine<'a> is ReadFailure {
        /// A file is not where the task looks for it.
        "file-missing" FileMissing { file: FileLine<'a> },
        /// The storage does not answer.
        "storage-down" StorageDown {},
    }
}

lines! {
    /// Why a job has failed.
    enum FailureCauseLine<'a> is FailureCause {
        /// A task has failed.
        "task-failed" TaskFailed { task: TaskName<'a> },
        /// More checkpoints than are tolerable have failed in a row: this one
        /// is one too many.
        "too-many-failed-checkpoints" TooManyFailedCheckpoints {
            checkpoint: Option<CheckpointId>,
            reason: CheckpointFailureReason,
            tolerable: u32,
        },
    }
}

lines! {
    /// What goes wrong: lengths of time are in microseconds.
    enum FaultLine<'a> is FaultKind {
        /// A subtask dies.
        "crash-subtask" CrashSubtask { subtask: TaskName<'a> }
            = (FaultKind::CrashSubtask(subtask)),
        /// A TaskManager dies, with all its subtasks.
        "crash-task-manager" CrashTaskManager { task_manager: TaskManagerName<'a> }
            = (FaultKind::CrashTaskManager(task_manager)),
        /// The JobManager dies; another one is there after so long.
        "crash-job-manager" CrashJobManager { lasts: Micros },
        /// A subtask needs so many times its service time, for so long.
        "slow-subtask" SlowSubtask { subtask: TaskName<'a>, times: u32, lasts: Micros },
        /// A channel needs so many times its latency, for so long.
        "slow-channel" SlowChannel { channel: ChannelName<'a>, times: u32, lasts: Micros },
        /// Files need so many times their time, for so long.
        "slow-storage" SlowStorage { times: u32, lasts: Micros },
        /// Files can be neither written nor read, for so long.
        "storage-down" StorageDown { lasts: Micros },
        /// The user deletes a checkpoint by hand, with every file that it uses.
        "dispose" Dispose { checkpoint: CheckpointId },
        /// Nothing arrives on a channel for so long.
        "stall-channel" StallChannel { channel: ChannelName<'a>, lasts: Micros },
    }
}
