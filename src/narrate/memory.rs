//! What the teller remembers beside the view: which records were held back.
//! A view only shows what is held back now.

use crate::model::{ChannelIndex, CheckpointId};
use crate::trace::{Fact, Step, View};

/// The last records that each channel held back behind a barrier, in this
/// attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    held: Vec<(ChannelIndex, Held)>,
}

/// What one channel held back when it was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Held {
    checkpoint: CheckpointId,
    last: u64,
}

impl Memory {
    /// Takes a step in; `before` is the view before it.
    pub fn apply(&mut self, before: &View, step: &Step) {
        for fact in &step.facts {
            match fact {
                Fact::Resumed { channel } => {
                    let places = &before.channels[channel.index()];
                    if let (Some(checkpoint), Some(message)) =
                        (places.blocked, places.in_flight().next_back())
                    {
                        self.held.retain(|(held, _)| held != channel);
                        self.held.push((*channel, Held { checkpoint, last: message.number }));
                    }
                }
                Fact::AttemptStarted { .. } => self.held.clear(),
                _ => {}
            }
        }
    }

    /// The checkpoint behind whose barrier a message was held back, if it was.
    #[must_use]
    pub fn held_back(&self, channel: ChannelIndex, number: u64) -> Option<CheckpointId> {
        let (_, held) = self.held.iter().find(|(held, _)| *held == channel)?;
        (number <= held.last).then_some(held.checkpoint)
    }
}
