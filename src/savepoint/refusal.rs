//! Why a job cannot start from a savepoint.

use crate::model::{KeyType, SavepointFormat, StateBackend};
use crate::protocol::RestoreRefusal;

/// Why a job cannot start from a savepoint. Operators of the savepoint are
/// named by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Operators do not go together.
    Mapping(RestoreRefusal),
    /// The keys of an operator have another type.
    ///
    /// Source: Flink `StateMigrationException`: the new key serializer must be
    /// compatible.
    OtherKeys {
        /// Which operator.
        operator: String,
        /// In the savepoint.
        snapshot: KeyType,
        /// In the job.
        job: KeyType,
    },
    /// The operator cannot have a key that the savepoint has.
    UnknownKey {
        /// Which operator.
        operator: String,
        /// Which key.
        key: String,
    },
    /// The source no longer has a split that it was reading.
    SplitGone {
        /// The split.
        split: String,
    },
    /// Records were in flight on an edge that the job does not have.
    ///
    /// Source: Flink `StateAssignmentOperation`: cannot recover from unaligned
    /// checkpoint when topology changes.
    EdgeGone {
        /// Its sender.
        from: String,
        /// Its receiver.
        to: String,
    },
    /// Records were in flight on an edge that cannot have another number of
    /// senders or receivers then.
    ///
    /// Source: Flink `SubtaskStateMapper.UNSUPPORTED`: cannot rescale the given
    /// pointwise partitioner.
    CannotRescale {
        /// Its sender.
        from: String,
        /// Its receiver.
        to: String,
    },
    /// State by key that a custom partitioner distributes does not follow the
    /// key groups.
    CustomPartitioner {
        /// Which operator.
        operator: String,
    },
    /// It is written in the own format of another backend.
    OtherBackend {
        /// The format.
        format: SavepointFormat,
        /// The job's backend.
        backend: StateBackend,
    },
    /// What a savepoint of this program never has.
    Impossible {
        /// What.
        what: String,
    },
}

impl From<RestoreRefusal> for Refusal {
    fn from(refusal: RestoreRefusal) -> Self {
        Self::Mapping(refusal)
    }
}
