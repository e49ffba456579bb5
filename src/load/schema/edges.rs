//! The schema of edges and of everything that has a latency.

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::Whole;
use super::delays::{DelayFile, EachFile};
use super::job::KeyFile;
use crate::load::limits::CAPACITY_MAX;

/// An edge: from, to, how records are distributed, and options. Without the
/// third: by hash into a keyed operator, else forward between equal
/// parallelisms, else rebalance.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum EdgeFile {
    /// From and to.
    Two(String, String),
    /// And how records are distributed.
    Three(String, String, PartitionerFile),
    /// And options.
    Four(String, String, PartitionerFile, EdgeOptionsFile),
}

/// Which subtask gets a record.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum PartitionerFile {
    /// By word.
    Word(PartitionerWord),
    /// By the hash of a key of one's own.
    Hash(HashFile),
}

/// Which subtask gets a record.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PartitionerWord {
    /// The one with the same position.
    Forward,
    /// The owner of the record's key, which is that of the receiver.
    Hash,
    /// One after the other.
    Rebalance,
    /// All of them.
    Broadcast,
    /// A custom partitioner: value modulo parallelism.
    Modulo,
}

/// The owner of a key.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HashFile {
    /// By which key.
    hash: KeyFile,
}

/// The options of an edge.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EdgeOptionsFile {
    /// How long an element is on the wire: on all channels, or by
    /// "sender->receiver". Channels that are not named take the network's.
    latency: Option<EachFile>,
    /// How many records a channel holds at its two ends. Default: the
    /// network's.
    capacity: Option<CapacityFile>,
    /// Which input of a join it feeds. Default: the first edge of the file is
    /// left, the second right.
    input: Option<SideFile>,
    /// Whether both ends are in one process, without a network in between.
    /// Default: false.
    local: Option<bool>,
}

/// An input of a join.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SideFile {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// How many records a channel holds.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum CapacityFile {
    /// So many at each end.
    Both(Whole<1, CAPACITY_MAX>),
    /// Each end for itself.
    Each(CapacityEndsFile),
}

/// How many records a channel holds at each end.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CapacityEndsFile {
    /// On the wire and in the receive queue. Default: 8.
    credits: Option<Whole<1, CAPACITY_MAX>>,
    /// In the sender's output buffer. Default: 8.
    buffers: Option<Whole<1, CAPACITY_MAX>>,
}

/// What holds for every edge that does not say otherwise.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkFile {
    /// How long an element is on the wire. Default: 1 ms.
    latency: Option<DelayFile>,
    /// How many records a channel holds at its two ends. Default: 8.
    capacity: Option<CapacityFile>,
}

/// Latencies between the JobManager and the tasks.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RpcFile {
    /// One for all.
    All(DelayFile),
    /// One for each kind of message.
    Each(RpcEachFile),
}

/// A latency for each kind of message.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RpcEachFile {
    /// Coordinator to source: take checkpoint n.
    trigger: Option<DelayFile>,
    /// Task to coordinator: acknowledgements and reports.
    acknowledge: Option<DelayFile>,
    /// Coordinator to task: checkpoint n is complete.
    notify: Option<DelayFile>,
}
