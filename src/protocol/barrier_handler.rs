//! What a task does with the barriers at its input: alignment.
//!
//! Knows channels only by their position at the gate. Blocking is bookkeeping
//! here; the sender has stopped by itself when it handed out the barrier, and
//! "resume" tells it to go on.
//!
//! Source: Flink `SingleCheckpointBarrierHandler` and its aligned states.

use crate::model::{Barrier, CheckpointId, Mutation, Scenario};

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
    /// No record follows on a channel, and no barrier either: its sender
    /// finishes without waiting for a last checkpoint.
    End {
        /// Position of the channel at the gate.
        channel: u32,
    },
}

/// Something that the handler asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierEffect {
    /// Process nothing more of this channel.
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
    /// Take the snapshot now, before anything else is processed.
    Trigger(Barrier),
}

/// How the handler deviates from the rules, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Alignment {
    /// As Flink does.
    Aligned,
    /// [`Mutation::ProcessAfterFirstBarrier`].
    NoHoldBack,
    /// [`Mutation::SnapshotAtFirstBarrier`].
    SnapshotAtFirst,
}

/// The barriers of one checkpoint at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BarrierHandler {
    alignment: Alignment,
    /// By channel: whether its barrier of the current checkpoint has come.
    received: Vec<bool>,
    n_received: u32,
    /// Channels that have not ended: a new checkpoint needs their barriers.
    n_open: u32,
    /// Barriers that the current checkpoint needs.
    n_needed: u32,
    /// The barrier with the highest id seen; none at the start.
    barrier: Option<Barrier>,
    /// Whether the current checkpoint still waits for barriers.
    pending: bool,
    /// By channel.
    blocked: Vec<bool>,
}

impl BarrierHandler {
    /// The handler of a task with so many input channels.
    #[must_use]
    pub fn new(n_channels: usize, scenario: &Scenario) -> Self {
        let alignment = if scenario.breaks(Mutation::ProcessAfterFirstBarrier) {
            Alignment::NoHoldBack
        } else if scenario.breaks(Mutation::SnapshotAtFirstBarrier) {
            Alignment::SnapshotAtFirst
        } else {
            Alignment::Aligned
        };
        Self {
            alignment,
            received: vec![false; n_channels],
            n_received: 0,
            n_open: n_channels as u32,
            n_needed: n_channels as u32,
            barrier: None,
            pending: false,
            blocked: vec![false; n_channels],
        }
    }

    /// Barriers of the current checkpoint that have come, and that are needed.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        (self.n_received, self.n_needed)
    }

    /// The checkpoint that still waits for barriers.
    #[must_use]
    pub fn pending(&self) -> Option<CheckpointId> {
        self.barrier.filter(|_| self.pending).map(|barrier| barrier.checkpoint)
    }

    /// Whether the barrier of the pending checkpoint has come from a channel.
    #[must_use]
    pub fn has_received(&self, channel: u32) -> bool {
        self.pending && self.received[channel as usize]
    }

    /// Handles an input.
    pub fn on(&mut self, input: BarrierInput, effects: &mut Vec<BarrierEffect>) {
        match input {
            BarrierInput::Barrier { channel, barrier } => {
                if self.is_obsolete(barrier.checkpoint) {
                    // Its sender has stopped all the same.
                    effects.push(BarrierEffect::Resume { channel });
                    return;
                }
                self.begin_if_new(barrier, effects);
                self.count(channel);
                let complete = self.n_received == self.n_needed;
                match self.alignment {
                    Alignment::Aligned => {
                        self.block(channel, barrier.checkpoint, effects);
                        if complete {
                            effects.push(BarrierEffect::Trigger(barrier));
                            self.resume_all(effects);
                        }
                    }
                    Alignment::NoHoldBack => {
                        if complete {
                            effects.push(BarrierEffect::Trigger(barrier));
                        }
                        effects.push(BarrierEffect::Resume { channel });
                    }
                    Alignment::SnapshotAtFirst => {
                        if self.n_received == 1 {
                            effects.push(BarrierEffect::Trigger(barrier));
                        }
                        effects.push(BarrierEffect::Resume { channel });
                    }
                }
                self.pending = !complete;
            }
            BarrierInput::End { channel } => self.end(channel, effects),
        }
    }

    /// The end of a channel counts as its barrier; a later checkpoint does not
    /// wait for it at all.
    ///
    // Flink 1.20: SingleCheckpointBarrierHandler.processEndOfPartition.
    // Differs: with checkpoints after tasks finish switched off, which is when
    // this happens here, Flink aborts the checkpoint. It cannot be completed
    // either way, since a finished task does not acknowledge.
    fn end(&mut self, channel: u32, effects: &mut Vec<BarrierEffect>) {
        self.n_open -= 1;
        let Some(barrier) = self.barrier.filter(|_| self.pending) else { return };
        self.count(channel);
        if self.n_received == self.n_needed {
            self.pending = false;
            if self.alignment != Alignment::SnapshotAtFirst {
                effects.push(BarrierEffect::Trigger(barrier));
            }
            self.resume_all(effects);
        }
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.processBarrier, the first test.
    fn is_obsolete(&self, id: CheckpointId) -> bool {
        let current = self.barrier.map(|barrier| barrier.checkpoint);
        current.is_some_and(|current| current > id || (current == id && !self.pending))
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.checkNewCheckpoint.
    fn begin_if_new(&mut self, barrier: Barrier, effects: &mut Vec<BarrierEffect>) {
        if self.barrier.is_some_and(|current| current.checkpoint == barrier.checkpoint) {
            return;
        }
        self.resume_all(effects);
        self.barrier = Some(barrier);
        self.received.fill(false);
        self.n_received = 0;
        self.n_needed = self.n_open;
    }

    fn count(&mut self, channel: u32) {
        let received = &mut self.received[channel as usize];
        self.n_received += u32::from(!*received);
        *received = true;
    }

    fn block(&mut self, channel: u32, checkpoint: CheckpointId, effects: &mut Vec<BarrierEffect>) {
        self.blocked[channel as usize] = true;
        effects.push(BarrierEffect::Block { channel, checkpoint });
    }

    // Differs: Flink resumes in the order of a hash map; here the lowest
    // channel goes first.
    fn resume_all(&mut self, effects: &mut Vec<BarrierEffect>) {
        for (channel, blocked) in self.blocked.iter_mut().enumerate() {
            if std::mem::take(blocked) {
                effects.push(BarrierEffect::Resume { channel: channel as u32 });
            }
        }
    }
}
