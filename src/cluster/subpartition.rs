//! The sender's end of a channel: numbers elements, keeps what may not go
//! yet, lets unaligned barriers pass in front, and stops after handing out an
//! aligned barrier until it is told to go on.
//!
//! Knows nothing of wires and receivers; who asks it for the next element may
//! be either.
//!
//! Source: Flink `PipelinedSubpartition`,
//! `CreditBasedSequenceNumberingViewReader`.

use std::collections::VecDeque;

use crate::model::{CheckpointId, Message, Mutation, Record, StreamElement};

/// The sender's end of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subpartition {
    n_sent: u64,
    /// What waits; the elements with priority stand in front.
    buffer: VecDeque<Message>,
    n_priority: usize,
    n_buffered_records: u32,
    buffered_records_max: u32,
    /// Records that the receiver has room for.
    credits: u32,
    flow: FlowControl,
    blocked: bool,
    /// The checkpoint whose barrier waits and may still time out: what it
    /// would overtake is not decided.
    undecided: Option<CheckpointId>,
}

/// Whether a record needs the receiver's leave to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowControl {
    /// It needs a credit, of which there are so many at the start.
    Credits(u32),
    /// The receiver takes records itself.
    Unlimited,
}

/// What became of an element that a task has emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It goes onto the wire at once.
    Departs,
    /// It waits in the output buffer, which still has room.
    Waits,
    /// It waits, and with it the buffer is full: the task stops.
    Fills,
}

/// Whether a buffer that was full is so no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It was full and now has room.
    Again,
    /// Nothing has changed in this respect.
    AsBefore,
}

/// What a subpartition tells of its part of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubpartitionEffect {
    /// A barrier waits that may still overtake records.
    OutputPending {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// An unaligned barrier overtakes these records: they belong to its
    /// snapshot, and will be sent all the same.
    OutputOvertaken {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// In the order of sending.
        messages: Vec<Message>,
    },
    /// What was pending is decided: these records are overtaken, or none.
    OutputDecided {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// In the order of sending.
        messages: Vec<Message>,
    },
    /// What was pending will never be decided.
    OutputAborted {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
}

impl Subpartition {
    /// An empty one with so many places for records in the buffer.
    #[must_use]
    pub fn new(flow: FlowControl, buffered_records_max: u32) -> Self {
        Self {
            n_sent: 0,
            buffer: VecDeque::new(),
            n_priority: 0,
            n_buffered_records: 0,
            buffered_records_max,
            credits: match flow {
                FlowControl::Credits(credits) => credits,
                FlowControl::Unlimited => 0,
            },
            flow,
            blocked: false,
            undecided: None,
        }
    }

    /// Takes a record from the task, numbers it, and puts it onto the wire if
    /// it may go; nothing overtakes what waits.
    #[inline(always)]
    pub fn send(&mut self, record: &Record, wire: &mut VecDeque<Message>) -> (u64, Sent) {
        self.n_sent += 1;
        let number = self.n_sent;
        let element = StreamElement::Record(*record);
        if !self.blocked && self.buffer.is_empty() && self.credits > 0 {
            self.credits -= 1;
            wire.push_back(Message { number, element });
            return (number, Sent::Departs);
        }
        (number, self.keep(Message { number, element }))
    }

    #[cold]
    fn keep(&mut self, message: Message) -> Sent {
        let is_record = matches!(message.element, StreamElement::Record(_));
        self.buffer.push_back(message);
        self.n_buffered_records += u32::from(is_record);
        // Flink checks for room before a record is processed, not in the
        // middle of it; so a task with many results may overdraw.
        let fills = is_record && self.n_buffered_records == self.buffered_records_max;
        if fills { Sent::Fills } else { Sent::Waits }
    }

    /// Takes any element from the task, numbers it, and keeps it; an unaligned
    /// barrier goes to the front, and the records that it overtakes belong to
    /// its snapshot. Gives the element's number.
    pub fn add(&mut self, element: StreamElement, effects: &mut Vec<SubpartitionEffect>) -> u64 {
        self.n_sent += 1;
        let message = Message { number: self.n_sent, element };
        match element {
            StreamElement::Barrier(barrier) if element.has_priority() => {
                self.buffer.insert(self.n_priority, message);
                self.n_priority += 1;
                let messages = self.records_before(self.buffer.len());
                if !messages.is_empty() {
                    let checkpoint = barrier.checkpoint;
                    effects.push(SubpartitionEffect::OutputOvertaken { checkpoint, messages });
                }
            }
            StreamElement::Barrier(barrier) if barrier.options.timeout().is_some() => {
                // Flink 1.20: a second one gives up the first.
                let checkpoint = barrier.checkpoint;
                if let Some(checkpoint) = self.undecided.replace(checkpoint) {
                    effects.push(SubpartitionEffect::OutputAborted { checkpoint });
                }
                effects.push(SubpartitionEffect::OutputPending { checkpoint });
                self.keep(message);
            }
            _ => {
                self.keep(message);
            }
        }
        self.n_sent
    }

    /// Takes an element that goes ahead of everything, which breaks a rule
    /// ([`crate::model::Mutation::BarrierOvertakesRecords`]).
    pub fn add_first(&mut self, element: StreamElement) -> u64 {
        self.n_sent += 1;
        self.buffer.insert(self.n_priority, Message { number: self.n_sent, element });
        self.n_sent
    }

    /// Takes a record that goes onto the wire whatever waits, which breaks a
    /// rule ([`crate::model::Mutation::RecordOvertakesBarrier`]).
    pub fn send_anyway(&mut self, record: &Record, wire: &mut VecDeque<Message>) -> u64 {
        self.n_sent += 1;
        self.credits = self.credits.saturating_sub(1);
        wire.push_back(Message { number: self.n_sent, element: StreamElement::Record(*record) });
        self.n_sent
    }

    /// What waits behind a barrier goes wrong, which breaks a rule.
    pub fn mishandle(&mut self, mutation: Mutation) {
        match mutation {
            Mutation::DropHeldBackRecords => {
                self.buffer.retain(|own| !matches!(own.element, StreamElement::Record(_)));
                self.n_buffered_records = 0;
            }
            Mutation::ReverseHeldBackRecords => {
                let is_record =
                    |own: &&mut Message| matches!(own.element, StreamElement::Record(_));
                let end = self
                    .buffer
                    .iter()
                    .position(|own| !matches!(own.element, StreamElement::Record(_)));
                let end = end.unwrap_or(self.buffer.len());
                let mut records: Vec<Message> = self.buffer.range(..end).copied().collect();
                records.reverse();
                let places = self.buffer.iter_mut().take(end).filter(is_record);
                places.zip(records).for_each(|(place, own)| *place = own);
            }
            _ => {}
        }
    }

    /// Puts back what a restored snapshot held, with numbers after `n_before`;
    /// the end of the channel state follows.
    ///
    /// Source: Flink `CheckpointedResultPartition.finishReadRecoveredState`.
    pub fn recover(&mut self, n_before: u64, records: &[Record]) {
        self.n_sent = n_before;
        let records = records.iter().map(|record| StreamElement::Record(*record));
        for element in records.chain([StreamElement::EndOfChannelState]) {
            self.n_sent += 1;
            self.keep(Message { number: self.n_sent, element });
        }
    }

    /// Puts the next element onto the wire if it is a record that has a credit;
    /// gives its number, and whether the buffer has room again. What
    /// [`Subpartition::poll`] does with any element, in the usual case.
    #[inline]
    pub fn pass_record(&mut self, wire: &mut VecDeque<Message>) -> Option<(u64, Room)> {
        let first = self.buffer.front()?;
        let StreamElement::Record(_) = first.element else { return None };
        if self.blocked || self.credits == 0 {
            return None;
        }
        let number = first.number;
        wire.push_back(*first);
        self.buffer.pop_front();
        self.credits -= 1;
        let was_full = self.is_full();
        self.n_buffered_records -= 1;
        let room = if was_full && !self.is_full() { Room::Again } else { Room::AsBefore };
        Some((number, room))
    }

    /// Hands out the next element, if one may go, and says whether the buffer
    /// has room again.
    pub fn poll(&mut self, effects: &mut Vec<SubpartitionEffect>) -> Option<(Message, Room)> {
        let first = self.buffer.front()?;
        let is_record = matches!(first.element, StreamElement::Record(_));
        let is_metered = is_record && self.flow != FlowControl::Unlimited;
        if self.blocked || (is_metered && self.credits == 0) {
            return None;
        }
        let first = self.buffer.pop_front()?;
        self.n_priority = self.n_priority.saturating_sub(1);
        self.credits -= u32::from(is_metered);
        let was_full = self.is_full();
        self.n_buffered_records -= u32::from(is_record);
        let room = if was_full && !self.is_full() { Room::Again } else { Room::AsBefore };
        if let StreamElement::Barrier(barrier) = first.element
            && barrier.options.timeout().is_some()
            && let Some(checkpoint) = self.undecided.take_if(|id| *id == barrier.checkpoint)
        {
            // In time: it overtakes nothing.
            effects.push(SubpartitionEffect::OutputDecided { checkpoint, messages: Vec::new() });
        }
        self.blocked = first.element.blocks_upstream();
        Some((first, room))
    }

    /// The barrier of a checkpoint has waited too long: it becomes unaligned
    /// and goes to the front. Gives its number, if there is such a barrier.
    ///
    /// Source: Flink `PipelinedSubpartition.alignedBarrierTimeout`.
    pub fn time_out(
        &mut self,
        checkpoint: CheckpointId,
        effects: &mut Vec<SubpartitionEffect>,
    ) -> Option<u64> {
        self.undecided.take_if(|undecided| *undecided == checkpoint)?;
        let place = self.buffer.iter().position(|message| match message.element {
            StreamElement::Barrier(barrier) => barrier.checkpoint == checkpoint,
            _ => false,
        })?;
        let messages = self.records_before(place);
        let mut message = self.buffer.remove(place)?;
        if let StreamElement::Barrier(barrier) = &mut message.element {
            *barrier = barrier.as_unaligned();
        }
        self.buffer.insert(self.n_priority, message);
        self.n_priority += 1;
        effects.push(SubpartitionEffect::OutputDecided { checkpoint, messages });
        Some(message.number)
    }

    /// A checkpoint is given up: its barrier will not time out.
    ///
    /// Source: Flink `PipelinedSubpartition.abortCheckpoint`.
    pub fn abort(&mut self, checkpoint: CheckpointId, effects: &mut Vec<SubpartitionEffect>) {
        if self.undecided.take_if(|undecided| *undecided == checkpoint).is_some() {
            effects.push(SubpartitionEffect::OutputAborted { checkpoint });
        }
    }

    fn records_before(&self, place: usize) -> Vec<Message> {
        let ordinary = self.buffer.range(self.n_priority.min(place)..place);
        ordinary.filter(|m| matches!(m.element, StreamElement::Record(_))).copied().collect()
    }

    /// The receiver has taken a record out of its queue.
    #[inline]
    pub fn add_credit(&mut self) {
        self.credits += 1;
    }

    /// The receiver wants what stands behind the barrier.
    pub fn resume(&mut self) {
        self.blocked = false;
    }

    /// Whether nothing waits.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Whether an element could be handed out now.
    #[must_use]
    pub fn has_next(&self) -> bool {
        !self.blocked && !self.buffer.is_empty()
    }

    /// Whether the sender has to wait until something leaves.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.n_buffered_records >= self.buffered_records_max
    }

    /// What waits, the first to leave first.
    #[must_use]
    pub fn buffer(&self) -> &VecDeque<Message> {
        &self.buffer
    }

    /// How many of the first to leave have overtaken the rest.
    #[must_use]
    pub fn n_priority(&self) -> usize {
        self.n_priority
    }

    /// Whether the first element to leave overtakes what the receiver has.
    #[must_use]
    pub fn next_has_priority(&self) -> bool {
        self.n_priority > 0
    }

    /// Whether it waits to be told to go on.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }
}
