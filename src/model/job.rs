//! The job as its author wrote it: operators and the edges between them.
//!
//! Source of the words: Flink `JobGraph`, `StreamPartitioner`.

use super::graph::ChannelKind;
use super::ids::OperatorIndex;
use super::key::KeySelector;
use super::text::Text;
use super::time::Delay;
use super::value::Value;

/// A job: operators, and edges that point from an operator to a later one.
/// There is no cycle, every operator is connected, sources have no input and
/// sinks no output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct JobGraph {
    /// In the order of the scenario file; an [`OperatorIndex`] points here.
    pub operators: Vec<Operator>,
    /// In the order of the scenario file; an [`super::EdgeIndex`] points here.
    pub edges: Vec<Edge>,
}

/// One operator of a job, with all that holds for each of its subtasks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operator {
    /// Unique in the job.
    pub name: String,
    /// What its state is found by in a savepoint; unique in the job. Its name,
    /// unless the author has said otherwise.
    pub uid: String,
    /// What it is called for people.
    pub label: Text,
    /// What it does.
    pub kind: OperatorKind,
    /// How many subtasks it has, at least 1.
    pub parallelism: u32,
    /// Number of key groups (Flink's "maximum parallelism").
    pub max_parallelism: u32,
    /// Whether the author has said that number: one that Flink has chosen gives
    /// way to that of a savepoint.
    pub max_parallelism_origin: MaxParallelismOrigin,
    /// Size of a key with its value, where state is kept by key.
    pub bytes_per_key: u64,
    /// One entry a subtask.
    pub subtasks: Vec<SubtaskSpec>,
}

/// Where the number of key groups comes from.
///
/// Source: Flink `VertexParallelismInformation.canRescaleMaxParallelism`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MaxParallelismOrigin {
    /// From the author.
    Configured,
    /// From Flink's formula, or from the savepoint that the job starts from.
    Derived,
}

/// What the author says of one subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SubtaskSpec {
    /// Unique in the operator; its index where the author gave no name.
    pub name: String,
    /// A full name for people: "sum(odd)", "blue source".
    pub label: Text,
    /// A short name for people, where the operator is clear: "odd", "blue".
    pub short: Text,
    /// How long it works on one record. A source's is the time before each
    /// record (and before it finds that there is none left).
    pub service: Delay,
    /// How long it stands still to copy its state for a snapshot.
    pub sync: Delay,
    /// How long storing the copy takes after that.
    pub store: Delay,
}

/// What an operator does with a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// Reads splits.
    Source {
        /// What there is to read, in the order of the scenario file. Split i
        /// belongs to subtask i modulo the parallelism.
        splits: Vec<Split>,
        /// Whether reading can start again at a stored offset. A socket
        /// cannot: what was read and not yet counted is gone after a crash.
        replayable: bool,
        /// How its splits with their offsets come to the subtasks of a job that
        /// starts from a savepoint.
        redistribution: Redistribution,
    },
    /// Changes each value.
    Map(MapFunction),
    /// Lets some records pass.
    Filter(Predicate),
    /// Keeps a sum per key and emits its new value for each record.
    Sum(KeySelector),
    /// Counts the records of each key and emits the new count.
    Count(KeySelector),
    /// Keeps the largest value per key and emits it for each record.
    Max(KeySelector),
    /// Passes on what comes from any input.
    Union,
    /// Keeps the newest value of each side per key; each record that finds
    /// a value on the other side emits left + right.
    Join(KeySelector),
    /// Keeps the newest value of its broadcast inputs per key, as broadcast
    /// state; a record of another input becomes its value + the value kept under
    /// its key, and stays as it is while there is none.
    ///
    /// Source: Flink `BroadcastProcessFunction`.
    BroadcastProcess(KeySelector),
    /// Writes to the outside.
    Sink(SinkKind),
}

impl OperatorKind {
    /// Whether its state by key is keyed state, of which each subtask has its own
    /// key groups; a broadcast state every subtask has whole.
    #[must_use]
    pub fn has_keyed_state(&self) -> bool {
        self.key_selector().is_some() && !matches!(self, Self::BroadcastProcess(_))
    }

    /// Whether it keeps its offsets in a union list.
    #[must_use]
    pub fn has_union_list(&self) -> bool {
        matches!(self, Self::Source { redistribution: Redistribution::Union, .. })
    }

    /// The key by which an operator keeps its state: keyed state, or a broadcast
    /// state, which every subtask has whole.
    #[must_use]
    pub fn key_selector(&self) -> Option<&KeySelector> {
        match self {
            Self::Sum(key)
            | Self::Count(key)
            | Self::Max(key)
            | Self::Join(key)
            | Self::BroadcastProcess(key) => Some(key),
            Self::Source { .. } | Self::Map(_) | Self::Filter(_) | Self::Union | Self::Sink(_) => {
                None
            }
        }
    }
}

/// How a list of state, of which each subtask has a part, comes to the subtasks
/// of a job that starts from a savepoint.
///
/// Source: Flink `OperatorStateStore.getListState`, `getUnionListState`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Redistribution {
    /// In slices that differ by one entry at most.
    #[default]
    EvenSplit,
    /// Every subtask gets every entry, and keeps those of the splits that it
    /// reads anyway: split i belongs to subtask i modulo the parallelism. Of
    /// such an operator a checkpoint needs every subtask, or none.
    Union,
}

/// What a sink promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SinkKind {
    /// Every record is visible outside as soon as it is processed.
    Publish,
    /// Records are written into a transaction that becomes visible when the
    /// checkpoint in which it was prepared is complete (two-phase commit).
    Transactional,
    /// Every record overwrites, at once, what the outside holds under its key.
    Idempotent,
}

/// The function of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapFunction {
    /// value + n, wrapping.
    Add(i64),
    /// value · n, wrapping.
    Multiply(i64),
}

impl MapFunction {
    /// The value that a value becomes; a letter becomes a number.
    #[must_use]
    pub fn apply(self, value: Value) -> Value {
        Value::Number(match self {
            Self::Add(n) => value.number().wrapping_add(n),
            Self::Multiply(n) => value.number().wrapping_mul(n),
        })
    }
}

/// The condition of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Divisible by 2.
    Even,
    /// Not divisible by 2.
    Odd,
    /// Greater than n.
    Above(i64),
    /// Less than n.
    Below(i64),
}

impl Predicate {
    /// Whether a value passes.
    #[must_use]
    pub fn holds(self, value: Value) -> bool {
        let number = value.number();
        match self {
            Self::Even => number & 1 == 0,
            Self::Odd => number & 1 == 1,
            Self::Above(n) => number > n,
            Self::Below(n) => number < n,
        }
    }
}

/// One split of a source: a sequence of values with a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// Unique in the job's splits.
    pub name: String,
    /// What it is called for people: "blue".
    pub label: Text,
    /// What it holds.
    pub values: SplitValues,
}

/// The values of a split, by offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SplitValues {
    /// As listed.
    List(Vec<Value>),
    /// The whole numbers from `from` to `to`, both included.
    Range {
        /// First.
        from: i64,
        /// Last; less than `from` for an empty split.
        to: i64,
    },
    /// Drawn from the run's seed: whole numbers from 0 to `below` - 1.
    Drawn {
        /// How many.
        count: u32,
        /// Greater than 0.
        below: u32,
    },
}

impl SplitValues {
    /// How many records the split has.
    #[must_use]
    pub fn len(&self) -> u32 {
        match self {
            Self::List(values) => values.len() as u32,
            Self::Range { from, to } if to < from => 0,
            Self::Range { from, to } => to.wrapping_sub(*from).wrapping_add(1) as u32,
            Self::Drawn { count, .. } => *count,
        }
    }

    /// The first so many of its records, and no more.
    #[must_use]
    pub fn first(&self, n: u32) -> Self {
        let n = n.min(self.len());
        match self {
            Self::List(values) => Self::List(values[..n as usize].to_vec()),
            Self::Range { .. } if n == 0 => Self::List(Vec::new()),
            Self::Range { from, .. } => {
                Self::Range { from: *from, to: from.wrapping_add(i64::from(n) - 1) }
            }
            Self::Drawn { below, .. } => Self::Drawn { count: n, below: *below },
        }
    }

    /// Whether there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record at an offset, from 1, of the split with a number, in a run
    /// with a seed. The same arguments always give the same value, so a
    /// replayed source needs no memory.
    ///
    /// # Panics
    /// When the offset is 0 or past the end.
    #[must_use]
    pub fn value(&self, offset: u32, split: u32, seed: u64) -> Value {
        let value = offset.checked_sub(1).and_then(|n_read| self.next(n_read, split, seed));
        value.unwrap_or_else(|| panic!("offset {offset} is not in the split"))
    }

    /// The record that follows after so many, as [`SplitValues::value`] gives
    /// it; none at the end.
    #[inline]
    #[must_use]
    pub fn next(&self, n_read: u32, split: u32, seed: u64) -> Option<Value> {
        match self {
            Self::List(values) => values.get(n_read as usize).copied(),
            Self::Range { .. } if n_read >= self.len() => None,
            Self::Range { from, .. } => Some(Value::Number(from.wrapping_add(i64::from(n_read)))),
            Self::Drawn { count, .. } if n_read >= *count => None,
            Self::Drawn { below, .. } => {
                let bits = mix(seed ^ u64::from(split) << 40 ^ u64::from(n_read + 1));
                // The high half of a product scales without the bias of a remainder.
                let value = ((u128::from(bits) * u128::from(*below)) >> 64) as i64;
                Some(Value::Number(value))
            }
        }
    }
}

/// SplitMix64's output function: 64 bits that depend on every bit of `z`. It
/// makes the values of [`SplitValues::Drawn`] a function of their place, where
/// a stream of dice would have to be rewound.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators
/// (OOPSLA 2014).
#[inline]
#[must_use]
pub fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// An edge from one operator to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The sending operator.
    pub from: OperatorIndex,
    /// The receiving operator.
    pub to: OperatorIndex,
    /// Which input of a join it feeds; 0 for every other operator.
    pub input: JoinSide,
    /// Which subtask gets a record.
    pub partitioner: Partitioner,
    /// What lies between its senders and receivers.
    pub kind: ChannelKind,
    /// Latency of its channels; none on a local edge.
    pub latency: Delay,
    /// Latency of single channels, which wins over that of the edge: sending
    /// and receiving subtask by position in their operators.
    pub channel_latency: Vec<(u32, u32, Delay)>,
    /// How many records may be on the wire and in the receive queue of one
    /// channel (Flink: the channel's credits), at least 1.
    pub credits: u32,
    /// How many records the sender may keep waiting in the output buffer of
    /// one channel before it stops working, at least 1.
    pub output_buffers: u32,
}

/// An input of a join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JoinSide {
    /// The first input; also the only one of operators that have no sides.
    #[default]
    Left,
    /// The second input.
    Right,
}

/// Which subtask of the next operator gets a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Partitioner {
    /// The one with the same position.
    Forward,
    /// The owner of the key group of the record's key.
    Hash(KeySelector),
    /// One after the other, from the sender's own position on.
    Rebalance,
    /// All of them.
    Broadcast,
    /// A custom partitioner: value modulo parallelism.
    Modulo,
}

impl Partitioner {
    /// Whether unaligned barriers could travel on an edge of its own.
    ///
    /// Source: Flink `StreamPartitioner.isPointwise`, `isBroadcast`.
    #[must_use]
    pub fn supports_unaligned(&self) -> bool {
        !matches!(self, Self::Forward | Self::Broadcast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the first records with seed 42, worked out apart from this
    /// code.
    #[test]
    fn drawn_values_are_the_pinned_ones() {
        let values = SplitValues::Drawn { count: 10, below: 1000 };
        for (split, first) in
            [(0, [728, 213, 68, 730, 483, 981]), (1, [502, 535, 875, 865, 792, 453])]
        {
            let drawn: Vec<i64> = (1..=6).map(|at| values.value(at, split, 42).number()).collect();
            assert_eq!(drawn, first, "split {split}");
        }
    }

    /// The first outputs of SplitMix64 from state 0, as its reference
    /// implementation prints them.
    #[test]
    fn mix_is_splitmix64() {
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GAMMA), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(mix(GAMMA.wrapping_mul(2)), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn the_edges_of_the_numbers_are_counted_right() {
        assert_eq!(SplitValues::Range { from: 1, to: 6 }.len(), 6);
        assert_eq!(SplitValues::Range { from: 2, to: 1 }.len(), 0);
        assert_eq!(SplitValues::Range { from: i64::MAX - 1, to: i64::MAX }.len(), 2);
    }
}
