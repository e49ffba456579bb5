//! What breaks, and when: at a time, or upon a fact, which survives a change of
//! latencies; or at random, again and again.

use super::ids::{Attempt, ChannelIndex, CheckpointId, SplitIndex, SubtaskIndex, TaskManagerIndex};
use super::time::{Micros, Time};

/// Something that goes wrong in a run: once, or again and again
/// ([`When::Random`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// When.
    pub when: When,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A subtask dies.
    CrashSubtask(SubtaskIndex),
    /// A TaskManager dies, with all its subtasks.
    CrashTaskManager(TaskManagerIndex),
    /// The JobManager dies, and after a while another one is there.
    CrashJobManager {
        /// How long there is none.
        lasts: Micros,
    },
    /// A subtask needs `times` its service time, for a while.
    SlowSubtask {
        /// Who.
        subtask: SubtaskIndex,
        /// At least 2.
        times: u32,
        /// How long.
        lasts: Micros,
    },
    /// A channel needs `times` its latency, for a while.
    SlowChannel {
        /// Which.
        channel: ChannelIndex,
        /// At least 2.
        times: u32,
        /// How long.
        lasts: Micros,
    },
    /// Writing to the checkpoint storage, and reading from it, takes `times`
    /// as long if it begins in this time.
    SlowStorage {
        /// At least 2.
        times: u32,
        /// How long.
        lasts: Micros,
    },
    /// Writing to the checkpoint storage fails if it begins or ends in this
    /// time, and reading if it begins in it.
    StorageDown {
        /// How long.
        lasts: Micros,
    },
    /// The user deletes a checkpoint by hand, with every file that it uses.
    ///
    /// Source: Flink `flink savepoint -d`; `CompletedCheckpoint.discard`
    /// without a `SharedStateRegistry`.
    Dispose {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// Nothing arrives on a channel for a while; then everything comes, in
    /// order.
    StallChannel {
        /// Which.
        channel: ChannelIndex,
        /// How long.
        lasts: Micros,
    },
}

/// A message between the JobManager and a task that does not come as it
/// should, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageFault {
    /// What it is about.
    pub message: CheckpointMessage,
    /// The task that sends it or that it is for.
    pub task: SubtaskIndex,
    /// The checkpoint that it is about.
    pub checkpoint: CheckpointId,
    /// What becomes of it.
    pub mishap: Mishap,
}

/// A message about a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckpointMessage {
    /// JobManager to task: take it.
    Trigger,
    /// Task to JobManager: my part is stored.
    Acknowledgement,
    /// JobManager to task: it is complete, or it was given up.
    Notification,
}

impl CheckpointMessage {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Trigger, Self::Acknowledgement, Self::Notification];

    /// What a scenario calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Trigger => "trigger",
            Self::Acknowledgement => "acknowledgement",
            Self::Notification => "notification",
        }
    }
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mishap {
    /// It never comes.
    Lost,
    /// It comes so much later.
    Late(Micros),
}

/// When something is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// At a time.
    At(Time),
    /// After the `nth` fact of a kind, counted from 1, and then some time.
    Upon {
        /// Which fact.
        pattern: FactPattern,
        /// Its how-manieth occurrence.
        nth: u32,
        /// How long after it; zero is "in the very next step".
        after: Micros,
    },
    /// Again and again, at random: the time from one to the next is exponential,
    /// so that it never depends on how long nothing has happened. Only crashes
    /// of tasks and TaskManagers.
    Random {
        /// The mean time from one to the next.
        mean: Micros,
    },
}

/// A kind of fact, as a scenario names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FactPattern {
    /// "checkpoint 2 is triggered".
    CheckpointTriggered(CheckpointId),
    /// "checkpoint 2 is complete".
    CheckpointCompleted(CheckpointId),
    /// "checkpoint 2 has expired": it was aborted since it took too long.
    CheckpointExpired(CheckpointId),
    /// "checkpoint 2 is declined": the JobManager has learned that a task has
    /// given it up.
    CheckpointDeclined(CheckpointId),
    /// "checkpoint 2 is aborted", for whatever reason.
    CheckpointAborted(CheckpointId),
    /// "sum\[odd\] has received barrier 2", from any channel or from one
    /// sender ("… from numbers\[blue\]").
    BarrierReceived {
        /// Receiver.
        task: SubtaskIndex,
        /// Which barrier.
        checkpoint: CheckpointId,
        /// Sender, if it matters.
        from: Option<SubtaskIndex>,
    },
    /// "sum\[odd\] has taken snapshot 2".
    SnapshotTaken {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// "checkpoint 2 is acknowledged by sum\[odd\]": the coordinator has the
    /// acknowledgement.
    Acknowledged {
        /// Whose.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// "sum\[odd\] is notified of checkpoint 2".
    Notified {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint's completion.
        checkpoint: CheckpointId,
    },
    /// "all tasks are notified of checkpoint 2": the last of them.
    AllNotified(CheckpointId),
    /// "numbers\[blue\] has read blue 4": record 4 of split blue.
    Read {
        /// Which split.
        split: SplitIndex,
        /// Which record, from 1.
        offset: u32,
    },
    /// "sum\[even\] has processed blue 4": what record 4 of split blue caused
    /// has been processed. At a sink this is writing.
    Processed {
        /// Who.
        task: SubtaskIndex,
        /// Which split.
        split: SplitIndex,
        /// Which record, from 1.
        offset: u32,
    },
    /// "attempt 2 starts".
    AttemptStarted(Attempt),
    /// "job fails": the JobManager has noticed a crash, or too many
    /// checkpoints have failed.
    JobFailed,
    /// "JobManager crashes".
    JobManagerCrashed,
    /// "job is restarted": a new attempt starts, whichever.
    JobRestarted,
    /// "job finishes".
    JobFinished,
    /// "job is cancelled".
    JobCanceled,
}
