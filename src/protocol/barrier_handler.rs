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
}

/// Something that the handler asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierEffect {
    /// Process nothing more of this channel.
    Block {
        /// Position of the channel at the gate.
        channel: u32,
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
    /// The highest id seen; none at the start.
    current: Option<CheckpointId>,
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
            current: None,
            pending: false,
            blocked: vec![false; n_channels],
        }
    }

    /// Barriers of the current checkpoint that have come, and that are needed.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        (self.n_received, self.received.len() as u32)
    }

    /// The checkpoint that still waits for barriers.
    #[must_use]
    pub fn pending(&self) -> Option<CheckpointId> {
        self.current.filter(|_| self.pending)
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
                self.begin_if_new(barrier.checkpoint, effects);
                self.count(channel);
                let complete = self.n_received == self.received.len() as u32;
                match self.alignment {
                    Alignment::Aligned => {
                        self.block(channel, effects);
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
        }
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.processBarrier, the first test.
    fn is_obsolete(&self, id: CheckpointId) -> bool {
        self.current.is_some_and(|current| current > id || (current == id && !self.pending))
    }

    // Flink 1.20: SingleCheckpointBarrierHandler.checkNewCheckpoint.
    fn begin_if_new(&mut self, id: CheckpointId, effects: &mut Vec<BarrierEffect>) {
        if self.current == Some(id) {
            return;
        }
        self.resume_all(effects);
        self.current = Some(id);
        self.received.fill(false);
        self.n_received = 0;
    }

    fn count(&mut self, channel: u32) {
        let received = &mut self.received[channel as usize];
        self.n_received += u32::from(!*received);
        *received = true;
    }

    fn block(&mut self, channel: u32, effects: &mut Vec<BarrierEffect>) {
        self.blocked[channel as usize] = true;
        effects.push(BarrierEffect::Block { channel });
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
