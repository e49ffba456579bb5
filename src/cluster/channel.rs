//! One channel, in Flink's shape: a subpartition at the sender, a wire, and
//! the input channel at the receiver.

use std::collections::VecDeque;

use super::input_channel::{Captured, InputChannel};
use super::subpartition::{FlowControl, Room, Sent, Subpartition, SubpartitionEffect};
use crate::model::{
    ChannelIndex, ChannelKind, CheckpointId, Message, Mutation, Record, Scenario, StreamElement,
    Time,
};

/// A subpartition, its wire, and the input channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Whether there is a network in between.
    pub kind: ChannelKind,
    /// The sender's end.
    pub subpartition: Subpartition,
    /// What is between the two ends, the first to arrive first.
    pub wire: VecDeque<Message>,
    /// The receiver's end.
    pub input: InputChannel,
    /// The numbers up to which its elements were restored at the receiver: these
    /// never needed a credit.
    pub n_recovered: u64,
    /// The checkpoint whose barrier blocks it, as the receiver keeps it.
    pub blocked: Option<CheckpointId>,
    /// How many times slower than usual it is.
    pub slowness: u32,
    /// Until when nothing arrives, while it stalls.
    pub stalled_until: Option<Time>,
}

impl Channel {
    /// An empty channel with so many credits, if it needs any, and so many
    /// places for records at the sender.
    #[must_use]
    pub fn new(kind: ChannelKind, credits: u32, output_buffers: u32) -> Self {
        let flow = match kind {
            ChannelKind::Remote => FlowControl::Credits(credits),
            ChannelKind::Local => FlowControl::Unlimited,
        };
        Self {
            kind,
            subpartition: Subpartition::new(flow, output_buffers),
            wire: VecDeque::new(),
            input: InputChannel::default(),
            n_recovered: 0,
            blocked: None,
            slowness: 1,
            stalled_until: None,
        }
    }
}

impl Channel {
    /// Takes the next element of a local channel out of the sender's output
    /// buffer, and says whether the sender has room again.
    ///
    /// Source: Flink `LocalInputChannel.getNextBuffer`.
    pub fn take_local(
        &mut self,
        told: &mut Vec<SubpartitionEffect>,
        captured: &mut Vec<Captured>,
    ) -> Option<(Message, Room)> {
        let (message, room) = self.subpartition.poll(told)?;
        self.input.note(&message, captured);
        Some((message, room))
    }

    /// Takes a record from the sender where rules are broken.
    #[cold]
    pub fn send_under(&mut self, scenario: &Scenario, record: &Record) -> (u64, Sent) {
        let is_barrier = |last: &mut Message| matches!(last.element, StreamElement::Barrier(_));
        if !scenario.breaks(Mutation::RecordOvertakesBarrier) {
            return self.subpartition.send(record, &mut self.wire);
        }
        match self.wire.pop_back_if(is_barrier) {
            None => self.subpartition.send(record, &mut self.wire),
            Some(barrier) => {
                let number = self.subpartition.send_anyway(record, &mut self.wire);
                self.wire.push_back(barrier);
                (number, Sent::Departs)
            }
        }
    }

    /// The empty channel of a job.
    #[must_use]
    pub fn of(spec: &crate::model::Channel) -> Self {
        Self::new(spec.kind, spec.credits, spec.output_buffers)
    }

    /// Whether the next element to take is a record.
    #[must_use]
    pub fn next_is_record(&self) -> bool {
        if self.kind == ChannelKind::Local && self.input.is_empty() {
            let first = self.subpartition.buffer().front();
            return first.is_some_and(|first| matches!(first.element, StreamElement::Record(_)));
        }
        self.input.next_is_record()
    }
}

/// The channels of one task, by their position at its gate.
pub struct Inputs<'a> {
    /// Every channel of the job.
    pub channels: &'a mut [Channel],
    /// Which of them are the task's.
    pub positions: &'a [ChannelIndex],
}

impl Inputs<'_> {
    /// The channel at a position.
    #[inline]
    pub fn at(&mut self, position: u32) -> &mut Channel {
        &mut self.channels[self.positions[position as usize].index()]
    }
}
