//! Names of things as dense numbers: an index into a table of the scenario's
//! graph, or a counter. What they are called for people stands in
//! [`crate::model::ExecutionGraph`]; nothing here knows it.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table that this number indexes.
            #[inline]
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The number of the entry at a position of its table.
            ///
            /// # Panics
            /// When the table has more than `u32::MAX` entries, which the
            /// scenario's limits exclude.
            #[must_use]
            pub fn at(position: usize) -> Self {
                Self(u32::try_from(position).expect("tables are bounded by the scenario's limits"))
            }
        }
    };
}

index!(
    /// An operator of the job graph (Flink: `JobVertex`).
    OperatorIndex
);
index!(
    /// An edge of the job graph.
    EdgeIndex
);
index!(
    /// One parallel instance of an operator, numbered over the whole job
    /// (Flink: `ExecutionVertex`).
    SubtaskIndex
);
index!(
    /// A FIFO connection between two subtasks, numbered over the whole job.
    ChannelIndex
);
index!(
    /// A split of a source (Kafka: a partition), numbered over the whole job.
    SplitIndex
);
index!(
    /// A TaskManager of the scenario.
    TaskManagerIndex
);

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            Serialize, Deserialize, schemars::JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

counter!(
    /// Checkpoint id. Flink counts from 1, one sequence for checkpoints and
    /// savepoints.
    CheckpointId(u64)
);
counter!(
    /// Execution attempt of the whole job: 1 at the start, one more after each
    /// restart.
    Attempt(u32)
);

/// A transaction of a two-phase-commit sink: who began it, in which attempt,
/// the how-manieth of that attempt (from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionId {
    /// The sink subtask that began it.
    pub subtask: SubtaskIndex,
    /// The attempt in which it was begun.
    pub attempt: Attempt,
    /// Counts the transactions of one subtask in one attempt, from 1.
    pub number: u32,
}
