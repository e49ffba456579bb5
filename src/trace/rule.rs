//! The rules by which facts happen, by name. Which rule made a fact happen is
//! a function of the fact, so the two cannot disagree.

use super::fact::Fact;
use crate::model::{CheckpointFailureReason, SnapshotState, StreamElement};

/// The rule by which a fact happened. Its name is shown beside the sentence
/// that explains it and is a heading of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Sources read their splits in turn, one record at a time.
    SourceRead,
    /// A record goes to the subtask that its edge's partitioner names.
    ChannelRoute,
    /// What may not be sent waits in the output buffer, in order.
    ChannelCredit,
    /// A channel delivers in order.
    ChannelFifo,
    /// A task does one thing at a time.
    TaskOneAtATime,
    /// A record changes the state and emits its results in one go.
    TaskProcess,
    /// The coordinator begins a checkpoint and triggers the sources.
    CheckpointTrigger,
    /// While a source works off old data, another interval may hold.
    CheckpointBacklog,
    /// A barrier goes to every channel of a task.
    BarrierBroadcast,
    /// After a barrier on one input, nothing more of this input is processed
    /// until the barrier has come on all inputs.
    AlignHoldBack,
    /// When the last barrier has come, the state is stored and the barrier is
    /// sent on; nothing is processed in between.
    AlignSnapshot,
    /// Then the blocked inputs are free again, what waited first.
    AlignRelease,
    /// A barrier that may time out is known to the task as soon as it arrives.
    AlignAnnounce,
    /// An aligned barrier that grows too old becomes unaligned.
    AlignTimeout,
    /// An unaligned barrier overtakes records; what it overtakes, and what
    /// comes on other inputs before their barriers, belongs to the snapshot.
    UnalignedOvertake,
    /// With at-least-once nothing is held back: the snapshot may hold the effect
    /// of records from after the barriers, and they count again after a
    /// recovery.
    AtLeastOnce,
    /// A task that gives a checkpoint up tells the coordinator and everybody
    /// downstream.
    CheckpointDecline,
    /// A pending checkpoint that cannot be completed is given up, and every
    /// task is told.
    CheckpointAbort,
    /// The synchronous part of a snapshot stops the task; storing it does not.
    SnapshotStore,
    /// A piece of state that is not larger than the threshold stands in the
    /// metadata, any other in a file.
    StorageWrite,
    /// A file goes with the last checkpoint that uses it.
    StorageDelete,
    /// The end of an input counts as its barrier.
    EndOfPartition,
    /// A source stores its position.
    SourceSnapshot,
    /// A task acknowledges what it has stored.
    CheckpointAcknowledge,
    /// A checkpoint is complete when every task has acknowledged.
    CheckpointComplete,
    /// A later complete checkpoint makes an earlier pending one pointless.
    CheckpointSubsume,
    /// The newest completed checkpoints are kept; which of them outlive the job
    /// is a setting.
    CheckpointRetain,
    /// Every task is told that a checkpoint is complete.
    CheckpointNotify,
    /// A sink that publishes at once shows every record it processes.
    SinkPublish,
    /// A sink prepares its transaction with its snapshot.
    SinkPrepare,
    /// A sink commits when the checkpoint is complete.
    SinkCommit,
    /// After a failure, what was prepared up to the restored checkpoint is
    /// committed and everything else aborted.
    SinkRecover,
    /// The scenario breaks something.
    Fault,
    /// A failure ends the attempt.
    JobFail,
    /// A new attempt starts from the newest completed checkpoint.
    RecoveryRestore,
    /// Another JobManager takes over, and knows what a service has kept for it.
    JobManagerFailover,
    /// What belongs to a dead attempt is ignored.
    AttemptFence,
    /// No record follows the end of data.
    EndOfData,
    /// A job at its end takes a last checkpoint and then finishes.
    JobFinish,
    /// The user cancels a job: it stops where it stands.
    JobCancel,
}

impl Rule {
    /// The name, as in `align.hold-back`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SourceRead => "source.read",
            Self::ChannelRoute => "channel.route",
            Self::ChannelCredit => "channel.credit",
            Self::ChannelFifo => "channel.fifo",
            Self::TaskOneAtATime => "task.one-at-a-time",
            Self::TaskProcess => "task.process",
            Self::CheckpointTrigger => "checkpoint.trigger",
            Self::CheckpointBacklog => "checkpoint.backlog",
            Self::BarrierBroadcast => "barrier.broadcast",
            Self::AlignHoldBack => "align.hold-back",
            Self::AlignSnapshot => "align.snapshot",
            Self::AlignRelease => "align.release",
            Self::AlignAnnounce => "align.announce",
            Self::AlignTimeout => "align.timeout",
            Self::UnalignedOvertake => "unaligned.overtake",
            Self::AtLeastOnce => "at-least-once",
            Self::CheckpointDecline => "checkpoint.decline",
            Self::CheckpointAbort => "checkpoint.abort",
            Self::SnapshotStore => "snapshot.store",
            Self::StorageWrite => "storage.write",
            Self::StorageDelete => "storage.delete",
            Self::EndOfPartition => "end-of-partition",
            Self::SourceSnapshot => "source.snapshot",
            Self::CheckpointAcknowledge => "checkpoint.acknowledge",
            Self::CheckpointComplete => "checkpoint.complete",
            Self::CheckpointSubsume => "checkpoint.subsume",
            Self::CheckpointRetain => "checkpoint.retain",
            Self::CheckpointNotify => "checkpoint.notify",
            Self::SinkPublish => "sink.publish",
            Self::SinkPrepare => "sink.prepare",
            Self::SinkCommit => "sink.commit",
            Self::SinkRecover => "sink.recover",
            Self::Fault => "fault",
            Self::JobFail => "job.fail",
            Self::RecoveryRestore => "recovery.restore",
            Self::JobManagerFailover => "jobmanager.failover",
            Self::AttemptFence => "attempt.fence",
            Self::EndOfData => "end-of-data",
            Self::JobFinish => "job.finish",
            Self::JobCancel => "job.cancel",
        }
    }
}

impl Fact {
    /// The rule by which it happened.
    #[must_use]
    pub fn rule(&self) -> Rule {
        match self {
            Self::Read { .. } => Rule::SourceRead,
            Self::Emitted { element: StreamElement::Barrier(_), .. } => Rule::BarrierBroadcast,
            Self::Emitted { element: StreamElement::EndOfData, .. } => Rule::EndOfData,
            Self::Emitted { element: StreamElement::EndOfPartition, .. }
            | Self::PartitionEnded { .. }
            | Self::EndCounted { .. }
            | Self::FinishedTaskIncluded { .. } => Rule::EndOfPartition,
            Self::Emitted { element: StreamElement::CancelMarker(_), .. }
            | Self::CancelMarkerReceived { .. }
            | Self::Declined { .. }
            | Self::DeclineReceived { .. } => Rule::CheckpointDecline,
            Self::Emitted { element: StreamElement::EndOfChannelState, .. }
            | Self::ChannelStateReceived { .. }
            | Self::ChannelStateRestored { .. } => Rule::RecoveryRestore,
            Self::Announced { .. } => Rule::AlignAnnounce,
            Self::AlignmentTimerDue { .. }
            | Self::AlignmentTimedOut { .. }
            | Self::OutputTimedOut { .. } => Rule::AlignTimeout,
            Self::Prioritized { .. } | Self::ChannelStateSaved { .. } => Rule::UnalignedOvertake,
            Self::StateWritten { .. } | Self::WriteFailed { .. } | Self::MetadataWritten { .. } => {
                Rule::StorageWrite
            }
            Self::FilesDeleted { .. } | Self::CheckpointDisposed { .. } => Rule::StorageDelete,
            Self::SyncEnded { .. } | Self::SnapshotStored { .. } => Rule::SnapshotStore,
            Self::Emitted { element: StreamElement::Record(_), .. } => Rule::ChannelRoute,
            Self::Departed { .. } => Rule::ChannelCredit,
            Self::Arrived { .. } => Rule::ChannelFifo,
            Self::Started { .. } => Rule::TaskOneAtATime,
            Self::Processed { .. } => Rule::TaskProcess,
            Self::BarrierReceived { .. } | Self::Blocked { .. } => Rule::AlignHoldBack,
            Self::Resumed { .. } => Rule::AlignRelease,
            Self::EndReceived { .. } | Self::EndOfData { .. } | Self::EndReported { .. } => {
                Rule::EndOfData
            }
            Self::CheckpointTriggered { .. }
            | Self::TriggerRejected { .. }
            | Self::TriggerReceived { .. } => Rule::CheckpointTrigger,
            Self::BacklogReported { .. } => Rule::CheckpointBacklog,
            Self::SnapshotTaken { state: SnapshotState::Offsets(_), .. } => Rule::SourceSnapshot,
            Self::SnapshotTaken { .. } => Rule::AlignSnapshot,
            Self::Acknowledged { .. } => Rule::CheckpointAcknowledge,
            Self::CheckpointCompleted { .. } => Rule::CheckpointComplete,
            Self::CheckpointAborted { reason, .. } => match reason {
                CheckpointFailureReason::CheckpointSubsumed => Rule::CheckpointSubsume,
                CheckpointFailureReason::CheckpointCoordinatorSuspend => Rule::JobFail,
                _ => Rule::CheckpointAbort,
            },
            Self::AbortNotified { .. } => Rule::CheckpointAbort,
            Self::CheckpointDiscarded { .. } | Self::CheckpointRetained { .. } => {
                Rule::CheckpointRetain
            }
            Self::Notified { .. } => Rule::CheckpointNotify,
            Self::MessageIgnored { .. } => Rule::AttemptFence,
            Self::TransactionBegun { .. } | Self::TransactionPrepared { .. } => Rule::SinkPrepare,
            Self::TransactionCommitted { .. } => Rule::SinkCommit,
            Self::TransactionAborted { .. } => Rule::SinkRecover,
            Self::Crashed { .. }
            | Self::JobManagerCrashed { .. }
            | Self::Slowed { .. }
            | Self::SlownessEnded { .. }
            | Self::MessageLost { .. }
            | Self::MessageDelayed { .. } => Rule::Fault,
            Self::JobFailed { .. } => Rule::JobFail,
            Self::SavepointRestored { .. }
            | Self::StateAssigned { .. }
            | Self::ChannelStateAssigned { .. }
            | Self::AttemptStarted { .. }
            | Self::RestoreStarted { .. }
            | Self::RestoreFailed { .. }
            | Self::StateRestored { .. } => Rule::RecoveryRestore,
            Self::JobManagerStarted { .. } => Rule::JobManagerFailover,
            Self::TaskFinished { .. } | Self::JobFinished => Rule::JobFinish,
            Self::JobCanceled => Rule::JobCancel,
        }
    }
}
