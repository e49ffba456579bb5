//! What a task does with the barriers at its input.
//!
//! Knows channels only by their position at the gate, and no channel's
//! contents: what has to happen to channels is an effect. A handler serves all
//! inputs of a task.
//!
//! Source: Flink `CheckpointBarrierHandler` and its two kinds.

mod alignment_clock;
mod barrier_tracker;
mod single_checkpoint;

use alignment_clock::AlignmentClock;
use barrier_tracker::CheckpointBarrierTracker;
use single_checkpoint::SingleCheckpointBarrierHandler;

use crate::model::{
    Barrier, CheckpointFailureReason, CheckpointId, CheckpointingMode, Config, Micros, Mutation,
    Scenario, Time,
};

/// Something that comes to the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierInput {
    /// A barrier has been taken from a channel.
    Barrier {
        /// Position of the channel at the gate.
        channel: u32,
        /// The barrier.
        barrier: Barrier,
    },
    /// The coordinator has triggered the task itself, since everything
    /// upstream of a channel has finished: it counts as a barrier, and nothing
    /// is blocked.
    TriggerForChannel {
        /// Position of the channel at the gate.
        channel: u32,
        /// What its barrier would have been.
        barrier: Barrier,
    },
    /// A barrier that may still time out stands in a receive queue.
    Announcement {
        /// Position of the channel at the gate.
        channel: u32,
        /// The barrier.
        barrier: Barrier,
        /// Where it stands in the channel: elements that had arrived before.
        sequence: u64,
    },
    /// A cancellation marker has been taken from a channel.
    Cancellation {
        /// Position of the channel at the gate.
        channel: u32,
        /// Which checkpoint will have no barrier there.
        checkpoint: CheckpointId,
    },
    /// Nothing follows on a channel, and no barrier either.
    EndOfPartition {
        /// Position of the channel at the gate.
        channel: u32,
    },
    /// The timer of [`BarrierEffect::ArmTimer`] is due.
    Timer {
        /// Whose it was.
        checkpoint: CheckpointId,
    },
    /// The answer to [`BarrierEffect::StartCapture`]: channels capture.
    CaptureStarted,
    /// The answer to [`BarrierEffect::StartCapture`]: they cannot.
    CaptureRefused(CheckpointFailureReason),
    /// Records of so many bytes have been taken from channels.
    Processed {
        /// Their size.
        bytes: u64,
    },
}

/// Something that the handler asks for, or tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierEffect {
    /// Process nothing more of this channel: its sender has stopped.
    Block {
        /// Position of the channel at the gate.
        channel: u32,
        /// The checkpoint whose barrier it was.
        checkpoint: CheckpointId,
    },
    /// Tell the sender of this channel to go on.
    Resume {
        /// Position of the channel at the gate.
        channel: u32,
    },
    /// Move the announced barrier of a channel to the front of its queue.
    Prioritize {
        /// Position of the channel at the gate.
        channel: u32,
        /// Where it stands.
        sequence: u64,
    },
    /// An aligned checkpoint has become an unaligned one.
    TimedOut {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// Open the channel state of a checkpoint.
    InitInputs(Barrier),
    /// Capture what is in flight on every channel, in ascending order. It is
    /// the last effect of its call, and nothing else may come to the handler
    /// before the answer, [`BarrierInput::CaptureStarted`] or
    /// [`BarrierInput::CaptureRefused`].
    StartCapture(Barrier),
    /// Capture nothing more for a checkpoint.
    StopCapture(CheckpointId),
    /// Take the snapshot now, before anything else is processed.
    Trigger {
        /// What to send on, and how.
        barrier: Barrier,
        /// From the creation of the checkpoint to its first barrier here.
        start_delay: Micros,
    },
    /// The alignment of a checkpoint that was triggered is over.
    Aligned {
        /// Which.
        checkpoint: CheckpointId,
        /// From the first barrier to the last.
        duration: Micros,
        /// What was processed in that time, in bytes.
        bytes: u64,
    },
    /// Everything in flight of an unaligned checkpoint has been captured.
    InputsComplete(CheckpointId),
    /// It never will be.
    InputsAborted(CheckpointId),
    /// Give a checkpoint up.
    Abort {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// Report [`BarrierInput::Timer`] at this time.
    ArmTimer {
        /// Whose timer it is.
        checkpoint: CheckpointId,
        /// When it is due.
        at: Time,
    },
    /// Forget the timer that was armed last.
    DisarmTimer,
    /// A checkpoint was completed whose alignment nobody was measuring; it
    /// counts as having taken no time. Flink fails here.
    AlignmentNotMeasured(CheckpointId),
}

/// How a task handles barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BarrierHandling {
    /// Exactly once; every barrier is aligned.
    Aligned,
    /// Exactly once; aligned barriers may become unaligned.
    Alternating,
    /// Exactly once; every barrier is unaligned. Flink uses it in tests only.
    Unaligned,
    /// At least once.
    Tracking,
    /// A rule of aligned handling is broken on purpose.
    Broken(Mutation),
}

impl BarrierHandling {
    /// How the tasks of a scenario handle barriers.
    ///
    /// Source: Flink `InputProcessorUtil.createCheckpointBarrierHandler`.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let broken = Mutation::every()
            .find(|mutation| mutation.handles_barriers() && scenario.breaks(*mutation));
        match (broken, scenario.config.mode, scenario.config.unaligned) {
            (Some(mutation), ..) => Self::Broken(mutation),
            (_, CheckpointingMode::AtLeastOnce, _) => Self::Tracking,
            (_, CheckpointingMode::ExactlyOnce, true) => Self::Alternating,
            (_, CheckpointingMode::ExactlyOnce, false) => Self::Aligned,
        }
    }
}

/// What a task does with barriers, in one of two ways.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CheckpointBarrierHandler {
    /// One checkpoint at a time, exactly once.
    Single(SingleCheckpointBarrierHandler),
    /// Many at a time, at least once.
    Tracker(CheckpointBarrierTracker),
}

impl CheckpointBarrierHandler {
    /// The handler of a task with so many input channels. With
    /// [`Config::checkpoints_after_tasks_finish`] the end of a channel counts
    /// as its barrier.
    #[must_use]
    pub fn new(n_channels: usize, handling: BarrierHandling, config: &Config) -> Self {
        match handling {
            BarrierHandling::Tracking => {
                Self::Tracker(CheckpointBarrierTracker::new(n_channels, config))
            }
            _ => Self::Single(SingleCheckpointBarrierHandler::new(n_channels, handling, config)),
        }
    }

    /// Handles an input at a time.
    pub fn on(&mut self, now: Time, input: BarrierInput, effects: &mut Vec<BarrierEffect>) {
        match self {
            Self::Single(handler) => handler.on(now, input, effects),
            Self::Tracker(tracker) => tracker.on(now, input, effects),
        }
    }

    /// The highest checkpoint seen; of a tracker, the newest that is pending.
    ///
    /// Source: Flink `CheckpointBarrierHandler.getLatestCheckpointId`.
    #[must_use]
    pub fn latest(&self) -> Option<CheckpointId> {
        match self {
            Self::Single(handler) => handler.latest(),
            Self::Tracker(tracker) => tracker.latest(),
        }
    }

    /// The checkpoints that still wait for barriers, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<CheckpointId> {
        match self {
            Self::Single(handler) => handler.pending().into_iter().collect(),
            Self::Tracker(tracker) => tracker.pending().collect(),
        }
    }

    /// The newest checkpoint that waits for barriers and was not given up, with
    /// the barriers that have come and that are needed.
    #[must_use]
    pub fn aligning(&self) -> Option<(CheckpointId, u32, u32)> {
        let checkpoint = match self {
            Self::Single(handler) => handler.pending(),
            Self::Tracker(tracker) => tracker.newest_alive(),
        }?;
        let (n_received, n_needed) = self.progress(checkpoint);
        Some((checkpoint, n_received, n_needed))
    }

    /// Barriers of a checkpoint that have come, and that are needed: of one
    /// that is pending, or of the one that a call has just completed.
    #[must_use]
    pub fn progress(&self, checkpoint: CheckpointId) -> (u32, u32) {
        match self {
            Self::Single(handler) => handler.progress(checkpoint),
            Self::Tracker(tracker) => tracker.progress(checkpoint),
        }
    }

    /// Whether a pending checkpoint has the barrier of a channel.
    #[must_use]
    pub fn has_received(&self, checkpoint: CheckpointId, channel: u32) -> bool {
        match self {
            Self::Single(handler) => {
                handler.pending() == Some(checkpoint) && handler.has_received(channel)
            }
            Self::Tracker(tracker) => tracker.has_received(checkpoint, channel),
        }
    }

    /// Channels that have not ended.
    #[must_use]
    pub fn n_open(&self) -> u32 {
        match self {
            Self::Single(handler) => handler.n_open(),
            Self::Tracker(tracker) => tracker.n_open(),
        }
    }

    /// The channels that are blocked, in ascending order.
    #[must_use]
    pub fn blocked(&self) -> Vec<u32> {
        match self {
            Self::Single(handler) => handler.blocked(),
            Self::Tracker(_) => Vec::new(),
        }
    }

    /// Whether an alignment is being measured, so that what is processed has
    /// to be told to [`CheckpointBarrierHandler::on`].
    #[must_use]
    pub fn is_during_alignment(&self) -> bool {
        self.clock().is_running()
    }

    /// How long the alignment has taken so far, or did take if it is over.
    ///
    /// Source: Flink `CheckpointBarrierHandler.getAlignmentDurationNanos`.
    #[must_use]
    pub fn alignment_duration(&self, now: Time) -> Micros {
        self.clock().duration(now)
    }

    /// From the creation of the newest checkpoint to its first barrier here.
    #[must_use]
    pub fn start_delay(&self) -> Micros {
        self.clock().start_delay()
    }

    fn clock(&self) -> &AlignmentClock {
        match self {
            Self::Single(handler) => handler.clock(),
            Self::Tracker(tracker) => tracker.clock(),
        }
    }
}
