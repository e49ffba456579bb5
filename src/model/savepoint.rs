//! A snapshot of a whole job from which another job can start: states by
//! operator id and by name, nothing by number.
//!
//! It knows no job but the one that took it. Who gets what of it in another
//! one is decided in `protocol` and, once more, in `verify`; how it is a file,
//! in `savepoint`.
//!
//! Source: Flink `CheckpointMetadata`, `OperatorState`, `OperatorSubtaskState`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::element::SnapshotType;
use super::ids::CheckpointId;
use super::savepoint_format::SavepointFormat;
use super::time::Time;
use super::value::{Path, Value};

/// A savepoint, or a checkpoint that its job has left behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Savepoint {
    /// The job that took it.
    pub job: String,
    /// A checkpoint, or a savepoint, and whether the job stopped with it.
    pub snapshot: SnapshotType,
    /// Its number in that job. The job that starts from it counts on from here.
    pub id: CheckpointId,
    /// How its state is written.
    pub format: SavepointFormat,
    /// The seed of the run, from which the values of random splits are drawn:
    /// the outside of the job stays the same.
    pub seed: u64,
    /// When it was triggered, in microseconds of that run.
    pub triggered_at: Time,
    /// When it was complete.
    pub completed_at: Time,
    /// Every operator of the job.
    pub operators: Vec<OperatorSnapshot>,
    /// Channels that had records in flight. Only a checkpoint with unaligned
    /// barriers has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<ChannelSnapshot>,
}

/// One operator of a job.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperatorSnapshot {
    /// What its state is found by in another job.
    pub uid: String,
    /// What it was called.
    pub name: String,
    /// How many subtasks it had.
    pub parallelism: u32,
    /// How many key groups it has.
    pub max_parallelism: u32,
    /// The type of the keys, where there is keyed or broadcast state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<KeyType>,
    /// One entry a subtask.
    pub subtasks: Vec<SubtaskSnapshot>,
}

/// The Java type by which Flink would serialize a key.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum KeyType {
    /// Whether a value is odd.
    Boolean,
    /// A remainder.
    Integer,
    /// The value itself.
    Value,
    /// A name.
    String,
}

/// What one subtask stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubtaskSnapshot {
    /// Whether it had finished when the snapshot was taken.
    #[serde(default)]
    pub life: SubtaskLife,
    /// What it stored.
    pub state: SubtaskState,
}

/// Whether a subtask had finished.
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
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SubtaskLife {
    /// It had not.
    #[default]
    Running,
    /// It had: it does not run again.
    Finished,
}

/// What one subtask stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubtaskState {
    /// Nothing.
    Stateless,
    /// List state: the position of a source in each of its splits.
    Splits(Vec<SplitOffset>),
    /// State by key: the key groups that are not empty.
    Keyed(Vec<KeyGroupSnapshot>),
    /// Broadcast state, sorted by key: every subtask has the same.
    Broadcast(Vec<KeyedEntry>),
    /// List state: transactions of a sink that were prepared, the oldest
    /// first.
    Transactions(Vec<PreparedTransaction>),
}

impl SubtaskState {
    /// Whether there is nothing to restore.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Stateless => true,
            Self::Splits(splits) => splits.is_empty(),
            Self::Keyed(groups) => groups.is_empty(),
            Self::Broadcast(entries) => entries.is_empty(),
            Self::Transactions(prepared) => prepared.is_empty(),
        }
    }
}

/// A split with the number of records that were read of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitOffset {
    /// Its name.
    pub split: String,
    /// Records read.
    pub offset: u32,
}

/// The state of one key group.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyGroupSnapshot {
    /// Which.
    pub group: u32,
    /// Sorted by key.
    pub entries: Vec<KeyedEntry>,
}

/// A key with its state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyedEntry {
    /// The key.
    pub key: SavedKey,
    /// Its state.
    pub value: SavedState,
}

/// A key, with its type.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SavedKey {
    /// Whether the value is odd.
    Boolean(bool),
    /// A remainder.
    Integer(i32),
    /// The value, a number.
    Long(i64),
    /// The value, a letter.
    Letter(char),
    /// A name.
    Name(String),
}

/// The state under a key: one value, or what a join has of its two sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a state is a value or the two sides of a join")]
pub enum SavedState {
    /// Of a sum, a count or a maximum.
    Value(SavedValue),
    /// Of a join.
    Sides(SavedSides),
}

/// The newest value of each side of a join, as far as there is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedSides {
    /// Of the first input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<SavedValue>,
    /// Of the second input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<SavedValue>,
}

/// A value: a whole number of 64 bits, or one letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a value is a whole number of 64 bits or one letter")]
pub enum SavedValue {
    /// A number.
    Number(i64),
    /// A letter.
    Letter(char),
}

impl From<Value> for SavedValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Number(number) => Self::Number(number),
            Value::Letter(letter) => Self::Letter(letter),
        }
    }
}

impl From<SavedValue> for Value {
    fn from(value: SavedValue) -> Self {
        match value {
            SavedValue::Number(number) => Self::Number(number),
            SavedValue::Letter(letter) => Self::Letter(letter),
        }
    }
}

/// A transaction of a sink that was prepared: it is committed by the job that
/// starts from the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreparedTransaction {
    /// Its name at the outside: sink subtask, attempt and number.
    pub transaction: String,
    /// The checkpoint or savepoint that it was prepared for.
    pub checkpoint: CheckpointId,
    /// What the outside knew of it when the snapshot was complete.
    #[serde(default)]
    pub fate: TransactionFate,
    /// What was written into it, in order.
    pub records: Vec<SavedRecord>,
}

/// What the outside knows of a transaction.
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
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TransactionFate {
    /// It waits to be committed.
    #[default]
    Prepared,
    /// It has been committed: to commit it again changes nothing.
    Committed,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedRecord {
    /// The split of the input record that caused it.
    pub split: String,
    /// That record's place in the split, from 1.
    pub offset: u32,
    /// The turns that it took where the job branches, the first turn first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u8>,
    /// What it carries.
    pub value: SavedValue,
    /// The key that a keyed operator gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SavedKey>,
}

impl SavedRecord {
    /// The turns as a path.
    ///
    /// # Errors
    /// When there are more than fit, or one of them is none.
    pub fn path(&self) -> Result<Path, &'static str> {
        if self.turns.len() > Path::TURNS_MAX || self.turns.contains(&0) {
            return Err("a record has up to 8 turns, each from 1 to 255");
        }
        Ok(self.turns.iter().fold(Path::default(), |path, way| path.turn(*way)))
    }
}

/// What was in flight on one channel, each end with the first to be processed
/// first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelSnapshot {
    /// The sender.
    pub from: ChannelPlace,
    /// The receiver.
    pub to: ChannelPlace,
    /// Which of several edges between the two operators, from 0.
    #[serde(default)]
    pub edge: u32,
    /// At the receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<SavedRecord>,
    /// At the sender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<SavedRecord>,
}

/// An end of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelPlace {
    /// The operator, by its id.
    pub uid: String,
    /// Its subtask.
    pub subtask: u32,
}
