//! What a job starts from, if not from nothing: a savepoint, and what each of
//! its subtasks and channels gets of it.

use super::element::SnapshotState;
use super::ids::{ChannelIndex, CheckpointId, TransactionId};
use super::savepoint::Savepoint;
use super::value::Record;

/// A savepoint that fits a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// The savepoint.
    pub savepoint: Savepoint,
    /// The same as one line of JSON, with its checksum. A trace carries it.
    pub document: String,
    /// By [`super::SubtaskIndex`]: what it gets; none for a subtask that starts
    /// empty.
    pub states: Vec<Option<SnapshotState>>,
    /// What comes back into channels, in order of the channels; only channels
    /// with anything.
    pub in_flight: Vec<StartChannel>,
    /// Transactions of sinks that were prepared and not committed, in order.
    /// Their attempt is 0: no attempt of this job has begun them.
    pub transactions: Vec<StartTransaction>,
    /// Operators of the savepoint whose state nobody takes.
    pub skipped: Vec<String>,
}

/// What comes back into a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartChannel {
    /// Which.
    pub channel: ChannelIndex,
    /// Into the receive queue, the first to be processed first.
    pub input: Vec<Record>,
    /// Into the output buffer, behind them.
    pub output: Vec<Record>,
}

/// A transaction that the job before has prepared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StartTransaction {
    /// What it is called in this job.
    pub id: TransactionId,
    /// The checkpoint or savepoint that it was prepared for.
    pub checkpoint: CheckpointId,
    /// What was written into it.
    pub records: Vec<Record>,
}
