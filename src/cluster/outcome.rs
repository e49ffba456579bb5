//! What an event has caused: facts, and what will happen. A buffer that the
//! driver uses again for every event.

use super::lane::Lane;
use crate::model::{ChannelIndex, Micros, SubtaskIndex, Time};
use crate::trace::Fact;

/// How long something to come takes, named by what it is. Only the simulator
/// turns it into a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The wire of a channel, for the element of a number (from 1).
    Network {
        /// Which channel.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
        /// How many times slower than usual.
        times: u64,
    },
    /// A subtask's service time, for its so-manieth use in an attempt (from
    /// 1).
    Service {
        /// Which subtask.
        subtask: SubtaskIndex,
        /// Which use.
        number: u64,
        /// How many times slower than usual.
        times: u64,
    },
    /// Copying a subtask's state, for its so-manieth snapshot in an attempt
    /// (from 1).
    Sync {
        /// Which subtask.
        subtask: SubtaskIndex,
        /// Which snapshot.
        number: u64,
    },
    /// Storing the copy, likewise: what the scenario says, and the time of the
    /// files.
    Store {
        /// Which subtask.
        subtask: SubtaskIndex,
        /// Which snapshot.
        number: u64,
        /// How long its files take.
        files: Micros,
    },
    /// A message between the JobManager and a task.
    Rpc {
        /// Its kind.
        kind: RpcKind,
        /// Which task.
        subtask: SubtaskIndex,
        /// Counts the messages of this kind of this task, from 1.
        number: u64,
        /// How much longer than usual it takes.
        late: Micros,
    },
    /// The time to the next failure of a fault that comes at random.
    Failure {
        /// Which, by position in [`crate::model::Scenario::faults`].
        fault: u32,
        /// The mean of such times.
        mean: Micros,
    },
    /// A given time from now.
    After(Micros),
    /// A given time.
    At(Time),
}

/// A kind of message between JobManager and tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RpcKind {
    /// Coordinator to source: take a checkpoint.
    Trigger,
    /// Task to JobManager: an acknowledgement or a report.
    Acknowledge,
    /// Coordinator to task: a checkpoint is complete.
    Notify,
}

/// Something that will happen, or will not after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// One more event at the end of a lane.
    Event {
        /// Where.
        lane: Lane,
        /// When, counted from now.
        wait: Wait,
    },
    /// Nothing of what stands in a lane will happen.
    Cleared {
        /// Where.
        lane: Lane,
    },
    /// Nothing of what stands in a lane, or will, happens before a time.
    Held {
        /// Where.
        lane: Lane,
        /// Until when.
        until: Time,
    },
}

/// Something that chance decides. The driver draws it beforehand, so that
/// nothing here needs dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chance {
    /// How far a restart delay is moved.
    RestartJitter,
    /// When the first periodic checkpoint comes.
    InitialDelay,
}

impl Chance {
    /// Everything that chance decides.
    pub const ALL: [Self; 2] = [Self::RestartJitter, Self::InitialDelay];
}

/// Which facts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Every fact.
    All,
    /// Only those about checkpoints, transactions and failures: nothing for
    /// each record.
    Control,
}

/// Facts and pending events of one applied event.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What has happened, in order.
    pub facts: Vec<Fact>,
    /// What will happen.
    pub pending: Vec<Pending>,
    /// Which facts are wanted.
    pub detail: Detail,
    /// By [`Chance`]: 64 random bits, until they are used.
    pub drawn: [Option<u64>; 2],
}

impl Outcome {
    /// An empty buffer.
    #[must_use]
    pub fn new(detail: Detail) -> Self {
        Self { facts: Vec::new(), pending: Vec::new(), detail, drawn: [None; 2] }
    }

    /// Empties the buffer for the next event.
    pub fn clear(&mut self) {
        self.facts.clear();
        self.pending.clear();
    }

    /// A whole number between two bounds, both included, as chance wills. What
    /// nobody has drawn lies in the middle.
    // Flink draws with ThreadLocalRandom.nextLong.
    pub(super) fn between(&mut self, chance: Chance, bounds: (u64, u64)) -> u64 {
        const MIDDLE: u64 = 1 << 63;
        let (min, max) = bounds;
        let word = self.drawn[chance as usize].take().unwrap_or(MIDDLE);
        min + ((u128::from(word) * (u128::from(max - min) + 1)) >> 64) as u64
    }

    /// Notes a fact that is always wanted.
    pub(super) fn fact(&mut self, fact: Fact) {
        self.facts.push(fact);
    }

    /// Notes a fact about a single element, if it is wanted.
    #[inline(always)]
    pub(super) fn detail(&mut self, fact: impl FnOnce() -> Fact) {
        if self.detail == Detail::All {
            self.facts.push(fact());
        }
    }

    /// Announces an event.
    #[inline(always)]
    pub(super) fn event(&mut self, lane: Lane, wait: Wait) {
        self.pending.push(Pending::Event { lane, wait });
    }

    /// Puts off what stands in a lane, and what will.
    pub(super) fn hold_lane(&mut self, lane: Lane, until: Time) {
        self.pending.push(Pending::Held { lane, until });
    }

    /// Takes back what stands in a lane.
    pub(super) fn clear_lane(&mut self, lane: Lane) {
        self.pending.push(Pending::Cleared { lane });
    }
}
