//! One channel, in Flink's shape: a subpartition at the sender, a wire, and a
//! receive queue, with credits that bound what is in flight.
//!
//! Each part is a machine of its own. None knows what a task does with what it
//! gets.
//!
//! Source: Flink `PipelinedSubpartition`, `RemoteInputChannel`,
//! `CreditBasedSequenceNumberingViewReader`.

use std::collections::VecDeque;

use crate::model::{CheckpointId, Message, StreamElement};

/// The sender's end: numbers elements, keeps what may not go yet, and stops
/// after handing out an aligned barrier until it is told to go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subpartition {
    n_sent: u64,
    buffer: VecDeque<Message>,
    n_buffered_records: u32,
    buffered_records_max: u32,
    credits: u32,
    blocked: bool,
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

impl Subpartition {
    /// An empty one with so many credits and so many places in the buffer.
    #[must_use]
    pub fn new(credits: u32, buffered_records_max: u32) -> Self {
        Self {
            n_sent: 0,
            buffer: VecDeque::new(),
            n_buffered_records: 0,
            buffered_records_max,
            credits,
            blocked: false,
        }
    }

    /// Takes an element from the task, numbers it, and puts it onto the wire
    /// if it may go. Records need a credit to depart, events do not; nothing
    /// overtakes what waits.
    #[inline(always)]
    pub fn add(&mut self, element: StreamElement, wire: &mut VecDeque<Message>) -> (u64, Sent) {
        self.n_sent += 1;
        let number = self.n_sent;
        let is_record = matches!(element, StreamElement::Record(_));
        if !self.blocked && self.buffer.is_empty() && (self.credits > 0 || !is_record) {
            self.depart(&element);
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

    /// Puts the next element that may leave the buffer onto the wire; gives
    /// its number, and whether with it the buffer has room again.
    pub fn next(&mut self, wire: &mut VecDeque<Message>) -> Option<(u64, Room)> {
        let first = *self.buffer.front()?;
        let is_record = matches!(first.element, StreamElement::Record(_));
        if self.blocked || (is_record && self.credits == 0) {
            return None;
        }
        self.buffer.pop_front();
        let was_full = self.n_buffered_records >= self.buffered_records_max;
        self.n_buffered_records -= u32::from(is_record);
        let is_full = self.n_buffered_records >= self.buffered_records_max;
        self.depart(&first.element);
        wire.push_back(first);
        let room = if was_full && !is_full { Room::Again } else { Room::AsBefore };
        Some((first.number, room))
    }

    #[inline]
    fn depart(&mut self, element: &StreamElement) {
        match element {
            StreamElement::Record(_) => self.credits -= 1,
            // Flink 1.20: PipelinedSubpartition blocks itself when it hands
            // out an aligned barrier.
            StreamElement::Barrier(_) => self.blocked = true,
            StreamElement::EndOfData => {}
        }
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

    /// Whether it waits to be told to go on.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }
}

/// Whether a buffer that was full is so no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It was full and now has room.
    Again,
    /// Nothing has changed in this respect.
    AsBefore,
}

/// A subpartition, its wire, and the receive queue of the input channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// The sender's end.
    pub subpartition: Subpartition,
    /// What is between the two ends, the first to arrive first.
    pub wire: VecDeque<Message>,
    /// What has arrived and has not been taken, the first to be taken first.
    pub queue: VecDeque<Message>,
    /// The checkpoint whose barrier blocks it, as the receiver keeps it.
    pub blocked: Option<CheckpointId>,
    /// How many times slower than usual it is.
    pub slowness: u32,
}

impl Channel {
    /// An empty channel.
    #[must_use]
    pub fn new(spec: &crate::model::Channel) -> Self {
        Self {
            subpartition: Subpartition::new(spec.credits, spec.output_buffers),
            wire: VecDeque::new(),
            queue: VecDeque::new(),
            blocked: None,
            slowness: 1,
        }
    }
}
