//! What travels through channels, and what a snapshot holds.
//!
//! Source of the words: Flink `StreamElement`, `CheckpointBarrier`,
//! `EndOfData`, `OperatorSubtaskState`.

use serde::{Deserialize, Serialize};

use super::ids::{CheckpointId, SplitIndex, TransactionId};
use super::key::Key;
use super::time::{Micros, Time};
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
    /// There will be no barrier of this checkpoint: the sender has given it up.
    ///
    /// Source: Flink `CancelCheckpointMarker`.
    CancelMarker(CheckpointId),
    /// No record follows; barriers may.
    EndOfData,
    /// Nothing follows: the sender has finished.
    ///
    /// Source: Flink `EndOfPartitionEvent`.
    EndOfPartition,
    /// What a snapshot held of this channel has been sent again; the sender
    /// waits until its receiver has all of it from every channel.
    ///
    /// Source: Flink `EndOfOutputChannelStateEvent`.
    EndOfChannelState,
}

impl StreamElement {
    /// Whether it overtakes whatever waits in a queue.
    ///
    /// Source: Flink `Buffer.DataType.hasPriority`.
    #[inline]
    #[must_use]
    pub fn has_priority(&self) -> bool {
        matches!(self, Self::Barrier(barrier) if barrier.options.is_unaligned())
    }

    /// Whether a subpartition that has handed it out stops until it is told to
    /// go on.
    ///
    /// Source: Flink `Buffer.DataType.isBlockingUpstream`.
    #[inline]
    #[must_use]
    pub fn blocks_upstream(&self) -> bool {
        match self {
            Self::Barrier(barrier) => barrier.options.needs_alignment(),
            Self::EndOfChannelState => true,
            Self::Record(_) | Self::CancelMarker(_) | Self::EndOfData | Self::EndOfPartition => {
                false
            }
        }
    }
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
    /// How it is to be handled.
    pub options: CheckpointOptions,
}

/// How a checkpoint is to be taken, as its barriers carry it along.
///
/// Source: Flink `CheckpointOptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointOptions {
    /// What it is for.
    pub snapshot: SnapshotType,
    /// How its barriers behave.
    pub alignment: AlignmentType,
    /// How old an aligned barrier may grow before it becomes unaligned; none:
    /// as old as it likes.
    pub aligned_timeout: Option<Micros>,
}

/// What a snapshot is for.
///
/// Source: Flink `SnapshotType`, `SavepointType`.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotType {
    /// Recovery; the next one replaces it.
    #[default]
    Checkpoint,
    /// The user, who asked for it.
    Savepoint,
    /// The same, and the job is put aside with it.
    Suspend,
    /// The same, and the job ends with it: windows and timers fire before.
    Terminate,
}

impl SnapshotType {
    /// Whether it is a savepoint of any kind.
    #[must_use]
    pub fn is_savepoint(self) -> bool {
        self != Self::Checkpoint
    }

    /// Whether the job stops with it.
    #[must_use]
    pub fn stops_job(self) -> bool {
        matches!(self, Self::Suspend | Self::Terminate)
    }
}

/// How barriers behave.
///
/// Source: Flink `CheckpointOptions.AlignmentType`.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AlignmentType {
    /// They hold nothing back.
    AtLeastOnce,
    /// They hold their channel back until all have come.
    #[default]
    Aligned,
    /// They overtake records, which become part of the snapshot.
    Unaligned,
    /// They would be unaligned, or could become so, but travel on an edge that
    /// cannot carry unaligned barriers.
    ForcedAligned,
}

impl CheckpointOptions {
    /// An aligned checkpoint that never times out.
    pub const ALIGNED: Self = Self {
        snapshot: SnapshotType::Checkpoint,
        alignment: AlignmentType::Aligned,
        aligned_timeout: None,
    };

    /// Whether its barriers overtake records.
    #[inline]
    #[must_use]
    pub fn is_unaligned(&self) -> bool {
        self.alignment == AlignmentType::Unaligned
    }

    /// Whether its barriers hold their channel back.
    ///
    /// Source: Flink `CheckpointOptions.needsAlignment`.
    #[inline]
    #[must_use]
    pub fn needs_alignment(&self) -> bool {
        matches!(self.alignment, AlignmentType::Aligned | AlignmentType::ForcedAligned)
    }

    /// How old its barriers may grow before they become unaligned; none where
    /// they never do.
    ///
    /// Source: Flink `CheckpointOptions.isTimeoutable`.
    #[must_use]
    pub fn timeout(&self) -> Option<Micros> {
        let timeout = self.aligned_timeout.filter(|timeout| *timeout > Micros::ZERO);
        timeout.filter(|_| self.alignment == AlignmentType::Aligned)
    }

    /// The same checkpoint after its timeout.
    ///
    /// Source: Flink `CheckpointOptions.toUnaligned`.
    ///
    /// # Panics
    /// Of a savepoint, which never is unaligned.
    #[must_use]
    pub fn to_unaligned(self) -> Self {
        assert!(self.snapshot == SnapshotType::Checkpoint, "a savepoint is always aligned");
        Self { alignment: AlignmentType::Unaligned, aligned_timeout: None, ..self }
    }

    /// The options on an edge that cannot carry unaligned barriers.
    ///
    /// Source: Flink `CheckpointOptions.withUnalignedUnsupported`.
    #[must_use]
    pub fn force_aligned(self) -> Self {
        if self.is_unaligned() || self.timeout().is_some() {
            Self { alignment: AlignmentType::ForcedAligned, ..self }
        } else {
            self
        }
    }

    /// The options behind such an edge: what they were before it.
    ///
    /// Source: Flink `CheckpointOptions.withUnalignedSupported`.
    #[must_use]
    pub fn unforce_aligned(self) -> Self {
        match (self.alignment, self.aligned_timeout) {
            (AlignmentType::ForcedAligned, Some(_)) => {
                Self { alignment: AlignmentType::Aligned, ..self }
            }
            (AlignmentType::ForcedAligned, None) => {
                Self { alignment: AlignmentType::Unaligned, ..self }
            }
            _ => self,
        }
    }
}

impl Barrier {
    /// The same barrier, unaligned.
    ///
    /// Source: Flink `CheckpointBarrier.asUnaligned`.
    #[must_use]
    pub fn as_unaligned(self) -> Self {
        if self.options.is_unaligned() {
            return self;
        }
        Self { options: self.options.to_unaligned(), ..self }
    }

    /// When it has reached the age at which it becomes unaligned; none where
    /// it never does.
    #[must_use]
    pub fn times_out_at(&self) -> Option<Time> {
        self.options.timeout().map(|timeout| self.triggered_at.after(timeout))
    }
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

/// A record that was in flight when a snapshot was taken, and belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InFlight {
    /// Its number in its channel.
    pub number: u64,
    /// The record.
    pub record: Record,
}

/// An end of a channel.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelEnd {
    /// The receiver's: what has arrived, or arrives before the barrier.
    ///
    /// Source: Flink's input channel state.
    Input,
    /// The sender's: what waits in its output buffer.
    ///
    /// Source: Flink's result subpartition state.
    Output,
}

/// How a task took its snapshot, in Flink's words.
///
/// Source: Flink `CheckpointMetrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SnapshotMetrics {
    /// From the creation of the checkpoint to its first barrier here.
    pub start_delay: Micros,
    /// From the first barrier to the last.
    pub alignment_duration: Micros,
    /// How long the task stood still for its snapshot.
    pub sync_duration: Micros,
    /// From there until everything was stored.
    pub async_duration: Micros,
    /// What was processed during alignment, in bytes ([`Record::BYTES`] each).
    pub bytes_processed_during_alignment: u64,
    /// What in flight was stored, in bytes ([`Record::BYTES`] each).
    pub bytes_persisted_during_alignment: u64,
    /// Whether the barriers overtook records here.
    pub unaligned: bool,
}

/// What a subtask stores in a snapshot, and gets back from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SnapshotState {
    /// A source's offset in each of its splits: records read.
    Offsets(Vec<(SplitIndex, u32)>),
    /// Keyed state, sorted by key.
    Keyed(Vec<(Key, StateValue)>),
    /// Broadcast state, sorted by key: every subtask has the same.
    Broadcast(Vec<(Key, StateValue)>),
    /// Nothing: an operator without state, or a sink that keeps none.
    Stateless,
    /// A two-phase-commit sink: transactions prepared and not known to be
    /// committed, oldest first, each with the checkpoint it was prepared for.
    Transactions(Vec<(TransactionId, CheckpointId)>),
}

impl SnapshotState {
    /// The checkpoint that a transaction was prepared for, if it is in there.
    #[must_use]
    pub fn prepared_for(&self, transaction: TransactionId) -> Option<CheckpointId> {
        let Self::Transactions(prepared) = self else { return None };
        prepared.iter().find(|(id, _)| *id == transaction).map(|(_, checkpoint)| *checkpoint)
    }
}
