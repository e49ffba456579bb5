//! What travels through channels, and what a snapshot holds.
//!
//! Source of the words: Flink `StreamElement`, `CheckpointBarrier`,
//! `EndOfData`, `OperatorSubtaskState`.

use super::ids::{CheckpointId, SplitIndex, TransactionId};
use super::key::Key;
use super::time::Time;
use super::value::{Record, Value};

/// One element of a channel with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Counts the elements that the sender has put into this channel in this
    /// attempt, from 1. With attempt and channel it names the message.
    pub number: u64,
    /// What it carries.
    pub element: StreamElement,
}

/// What a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamElement {
    /// A record of the job.
    Record(Record),
    /// Separates the records of one checkpoint from those of the next.
    Barrier(Barrier),
    /// No record follows.
    EndOfData,
}

/// A checkpoint barrier.
///
/// Source: Flink `CheckpointBarrier`; Chandy and Lamport's marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// Which checkpoint.
    pub checkpoint: CheckpointId,
    /// When the coordinator triggered it.
    pub triggered_at: Time,
}

/// The state under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateValue {
    /// Of a sum, a count or a maximum.
    Value(Value),
    /// Of a join: the newest value of each side.
    Sides {
        /// Of the first input.
        left: Option<Value>,
        /// Of the second input.
        right: Option<Value>,
    },
}

/// What a subtask stores in a snapshot, and gets back from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SnapshotState {
    /// A source's offset in each of its splits: records read.
    Offsets(Vec<(SplitIndex, u32)>),
    /// Keyed state, sorted by key.
    Keyed(Vec<(Key, StateValue)>),
    /// Nothing: an operator without state, or a sink that keeps none.
    Stateless,
    /// A two-phase-commit sink: transactions prepared and not known to be
    /// committed, oldest first, each with the checkpoint it was prepared for.
    Transactions(Vec<(TransactionId, CheckpointId)>),
}
