//! The receiver's end of a channel: what has arrived, priority in front, and
//! what of it belongs to a snapshot.
//!
//! A remote channel captures records as they arrive and announces barriers
//! that may still time out. A local one has no queue of its own and takes from
//! the sender's subpartition; it captures records as they are taken.
//!
//! Source: Flink `RemoteInputChannel`, `LocalInputChannel`.

use std::collections::VecDeque;

use super::channel_state_persister::ChannelStatePersister;
use crate::model::{Barrier, CheckpointFailureReason, CheckpointId, Message, StreamElement};

/// The receiver's end of a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputChannel {
    /// What overtakes the rest.
    priority: VecDeque<Prioritized>,
    queue: VecDeque<Queued>,
    n_arrived: u64,
    /// The newest barrier that has arrived, and where.
    last_barrier: Option<(CheckpointId, u64)>,
    persister: ChannelStatePersister,
    /// Records of a restored snapshot that have not been taken yet.
    n_recovered: u64,
}

/// An element with its place in the order of arrival, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Queued {
    message: Message,
    sequence: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Prioritized {
    Announcement { barrier: Barrier, sequence: u64 },
    Element(Message),
}

/// What an arrival changes for the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The channel has an element with priority, and had none.
    pub is_first_with_priority: bool,
    /// The channel was empty.
    pub was_empty: bool,
}

/// Records that belong to a snapshot, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Of which checkpoint.
    pub checkpoint: CheckpointId,
    /// The records.
    pub messages: Vec<Message>,
}

/// What is taken from a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// What the sender has sent.
    Element(Message),
    /// A barrier that may still time out stands in the queue; made here, it
    /// never crossed the network.
    ///
    /// Source: Flink `EventAnnouncement`.
    Announcement {
        /// The barrier.
        barrier: Barrier,
        /// Elements that had arrived before it.
        sequence: u64,
    },
}

impl InputChannel {
    /// An element arrives from the network.
    pub fn receive(&mut self, message: Message, captured: &mut Vec<Captured>) -> Arrival {
        let sequence = self.n_arrived;
        self.n_arrived += 1;
        let was_empty = self.is_empty();
        let had_priority = !self.priority.is_empty();
        if message.element.has_priority() {
            self.priority.push_back(Prioritized::Element(message));
        } else {
            self.queue.push_back(Queued { message, sequence });
            if let StreamElement::Barrier(barrier) = message.element
                && barrier.options.timeout().is_some()
            {
                self.priority.push_back(Prioritized::Announcement { barrier, sequence });
            }
        }
        self.note(&message, captured);
        if let StreamElement::Barrier(barrier) = message.element
            && self.last_barrier.is_none_or(|(last, _)| last < barrier.checkpoint)
        {
            self.last_barrier = Some((barrier.checkpoint, sequence));
        }
        let has_priority = !self.priority.is_empty();
        Arrival { is_first_with_priority: has_priority && !had_priority, was_empty }
    }

    /// An element passes the point at which this channel captures: a remote
    /// one when it arrives, a local one when it is taken.
    pub fn note(&mut self, message: &Message, captured: &mut Vec<Captured>) {
        match message.element {
            StreamElement::Record(_) => {
                if let Some(checkpoint) = self.persister.captures_for() {
                    captured.push(Captured { checkpoint, messages: vec![*message] });
                }
            }
            StreamElement::Barrier(barrier) => self.persister.see_barrier(barrier.checkpoint),
            _ => {}
        }
    }

    /// The barrier that has come ends no capture, which breaks a rule
    /// ([`crate::model::Mutation::LogPastBarrier`]).
    #[cold]
    pub fn log_past_barrier(&mut self, barrier: CheckpointId) {
        self.persister.go_on(barrier);
    }

    /// Takes the next element.
    pub fn take(&mut self) -> Option<Taken> {
        match self.priority.pop_front() {
            Some(Prioritized::Announcement { barrier, sequence }) => {
                Some(Taken::Announcement { barrier, sequence })
            }
            Some(Prioritized::Element(message)) => Some(Taken::Element(message)),
            None => {
                let first = self.queue.pop_front()?;
                self.n_recovered = self.n_recovered.saturating_sub(1);
                Some(Taken::Element(first.message))
            }
        }
    }

    /// Moves the announced barrier at a place to the front; says whether it is
    /// the first there.
    ///
    /// Source: Flink `RemoteInputChannel.convertToPriorityEvent`.
    ///
    /// # Panics
    /// When no element that arrived there waits.
    pub fn prioritize(&mut self, sequence: u64) -> (Message, Arrival) {
        let place = self.queue.iter().position(|queued| queued.sequence == sequence);
        let place = place.expect("an announced barrier waits until it is taken");
        let queued = self.queue.remove(place).expect("it is there");
        let is_first_with_priority = self.priority.is_empty();
        self.priority.push_back(Prioritized::Element(queued.message));
        (queued.message, Arrival { is_first_with_priority, was_empty: false })
    }

    /// A checkpoint captures what is in flight here: what waits in front of its
    /// barrier, and what arrives until it comes.
    ///
    /// Source: Flink `RemoteInputChannel.checkpointStarted`.
    ///
    /// # Errors
    /// When the barrier of a newer checkpoint has come, or what a restored
    /// snapshot held has not all been taken.
    pub fn start_capture(
        &mut self,
        checkpoint: CheckpointId,
        captured: &mut Vec<Captured>,
    ) -> Result<(), CheckpointFailureReason> {
        if self.n_recovered > 0 {
            // Flink 1.20: RecoveredInputChannel.checkpointStarted.
            return Err(CheckpointFailureReason::CheckpointDeclinedTaskNotReady);
        }
        match self.last_barrier {
            Some((last, _)) if last > checkpoint => {
                return Err(CheckpointFailureReason::CheckpointSubsumed);
            }
            Some((last, _)) if last < checkpoint => self.last_barrier = None,
            _ => {}
        }
        self.persister.start(checkpoint)?;
        let before = self.last_barrier.map_or(u64::MAX, |(_, sequence)| sequence);
        let records = self.queue.iter().filter(|queued| {
            queued.sequence < before && matches!(queued.message.element, StreamElement::Record(_))
        });
        let messages: Vec<_> = records.map(|queued| queued.message).collect();
        if !messages.is_empty() {
            captured.push(Captured { checkpoint, messages });
        }
        Ok(())
    }

    /// A checkpoint captures nothing more.
    pub fn stop_capture(&mut self, checkpoint: CheckpointId) {
        self.persister.stop(checkpoint);
        self.last_barrier.take_if(|(last, _)| *last == checkpoint);
    }

    /// Puts back what a restored snapshot held, ahead of everything new.
    pub fn recover(&mut self, messages: Vec<Message>) {
        self.n_recovered = messages.len() as u64;
        for message in messages {
            self.queue.push_back(Queued { message, sequence: self.n_arrived });
            self.n_arrived += 1;
        }
    }

    /// How many elements wait, announcements included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.priority.len() + self.queue.len()
    }

    /// Whether nothing has arrived that was not taken.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.priority.is_empty()
    }

    /// Whether the next element to take overtakes what other channels have.
    #[must_use]
    pub fn next_has_priority(&self) -> bool {
        !self.priority.is_empty()
    }

    /// Whether the next element to take is a record.
    #[must_use]
    pub fn next_is_record(&self) -> bool {
        let first = self.queue.front().filter(|_| self.priority.is_empty());
        first.is_some_and(|first| matches!(first.message.element, StreamElement::Record(_)))
    }

    /// How many elements of the sender have overtaken the rest.
    #[must_use]
    pub fn n_priority(&self) -> usize {
        let is_element = |p: &&Prioritized| matches!(p, Prioritized::Element(_));
        self.priority.iter().filter(is_element).count()
    }

    /// What has arrived, the first to be taken first.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        let priority = self.priority.iter().filter_map(|prioritized| match prioritized {
            Prioritized::Element(message) => Some(message),
            Prioritized::Announcement { .. } => None,
        });
        priority.chain(self.queue.iter().map(|queued| &queued.message))
    }

    /// Its memory of checkpoints.
    #[must_use]
    pub fn persister(&self) -> &ChannelStatePersister {
        &self.persister
    }
}
