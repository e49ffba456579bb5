//! The key groups that a subtask owns.
//!
//! Source: Flink `KeyGroupRange`,
//! `KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex`,
//! `StateAssignmentOperation.createKeyGroupPartitions`.

/// Key groups that follow each other; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyGroupRange {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl KeyGroupRange {
    /// The key groups of one of so many subtasks.
    ///
    /// # Panics
    /// When there are more subtasks than key groups: one would have none.
    #[must_use]
    pub fn of(subtask: u32, parallelism: u32, max_parallelism: u32) -> Self {
        assert!(parallelism <= max_parallelism, "a subtask owns at least one key group");
        let edge = |subtask: u32| u64::from(subtask) * u64::from(max_parallelism);
        let first = edge(subtask).div_ceil(u64::from(parallelism));
        let last = (edge(subtask + 1) - 1) / u64::from(parallelism);
        Self { first: first as u32, last: last as u32 }
    }

    /// The key groups of every subtask, in order.
    #[must_use]
    pub fn partitions(parallelism: u32, max_parallelism: u32) -> Vec<Self> {
        (0..parallelism).map(|subtask| Self::of(subtask, parallelism, max_parallelism)).collect()
    }

    /// Whether a key group is in it.
    #[must_use]
    pub fn contains(self, group: u32) -> bool {
        (self.first..=self.last).contains(&group)
    }
}
