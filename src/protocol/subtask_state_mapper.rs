//! Where records that were in flight go when the number of senders or
//! receivers has changed.
//!
//! Source: Flink `SubtaskStateMapper`, `StreamPartitioner`,
//! `StateAssignmentOperation.reDistributeInputChannelStates`,
//! `reDistributeResultSubpartitionStates`.

use super::key_group_range::KeyGroupRange;
use crate::model::{Partitioner, key_group_owner};

/// Which old subtasks a new one reads what was in flight of.
///
/// Source: Flink `SubtaskStateMapper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubtaskStateMapper {
    /// Old ones in turn, where any would do.
    Arbitrary,
    /// Old ones in turn.
    RoundRobin,
    /// Those that had some of its key groups. Records that are not for it are
    /// left out.
    Range,
    /// All of them. Records that are not for it are left out.
    Full,
    /// Nobody knows.
    Unsupported,
}

/// The edge cannot be given another number of senders or receivers while
/// something is in flight on it.
///
/// Source: Flink `SubtaskStateMapper.UNSUPPORTED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CannotRescale;

/// How many subtasks there were, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parallelisms {
    /// Before.
    pub old: u32,
    /// Now.
    pub new: u32,
}

impl SubtaskStateMapper {
    /// The greatest number of key groups; in a comparison of ranges it cancels
    /// out.
    ///
    /// Source: Flink `KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM`.
    const KEY_GROUPS: u32 = 1 << 15;

    /// Of the senders of an edge.
    ///
    /// Source: Flink `StreamPartitioner.getUpstreamSubtaskStateMapper`.
    #[must_use]
    pub fn upstream(partitioner: &Partitioner) -> Self {
        match partitioner {
            Partitioner::Forward | Partitioner::Broadcast => Self::Unsupported,
            Partitioner::Hash(_) | Partitioner::Rebalance | Partitioner::Modulo => Self::Arbitrary,
        }
    }

    /// Of the receivers of an edge.
    ///
    /// Source: Flink `StreamPartitioner.getDownstreamSubtaskStateMapper`.
    #[must_use]
    pub fn downstream(partitioner: &Partitioner) -> Self {
        match partitioner {
            Partitioner::Forward | Partitioner::Broadcast => Self::Unsupported,
            Partitioner::Hash(_) => Self::Range,
            Partitioner::Rebalance => Self::RoundRobin,
            Partitioner::Modulo => Self::Full,
        }
    }

    /// The old subtasks that a new one reads.
    ///
    /// # Errors
    /// When nobody knows.
    pub fn old_subtasks(self, new: u32, n: Parallelisms) -> Result<Vec<u32>, CannotRescale> {
        match self {
            Self::Arbitrary | Self::RoundRobin => {
                Ok((new..n.old).step_by(n.new.max(1) as usize).collect())
            }
            Self::Range => {
                let range = KeyGroupRange::of(new, n.new, Self::KEY_GROUPS);
                let owner = |group| key_group_owner(group, n.old, Self::KEY_GROUPS);
                Ok((owner(range.first)..=owner(range.last)).collect())
            }
            Self::Full => Ok((0..n.old).collect()),
            Self::Unsupported => Err(CannotRescale),
        }
    }

    /// Whether several new subtasks may read the same old one, so that each has
    /// to look whether a record is its own.
    #[must_use]
    pub fn is_ambiguous(self) -> bool {
        matches!(self, Self::Range | Self::Full)
    }

    /// The new subtask that gets something of an old one: the only one that
    /// reads it, or, of several, the one that the record is for.
    ///
    /// # Errors
    /// When nobody knows, or the record is for none of those that read it.
    pub fn new_subtask(
        self,
        old: u32,
        n: Parallelisms,
        owner: impl FnOnce() -> u32,
    ) -> Result<u32, CannotRescale> {
        // Flink 1.20: with as many subtasks as before each keeps its own.
        if n.old == n.new {
            return Ok(old);
        }
        if self.is_ambiguous() {
            let owner = owner();
            let reads = self.old_subtasks(owner, n)?.contains(&old);
            return if reads { Ok(owner) } else { Err(CannotRescale) };
        }
        for new in 0..n.new {
            if self.old_subtasks(new, n)?.contains(&old) {
                return Ok(new);
            }
        }
        Err(CannotRescale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mapper: SubtaskStateMapper, old: u32, new: u32) -> Vec<Vec<u32>> {
        let old_subtasks = |one| mapper.old_subtasks(one, Parallelisms { old, new });
        (0..new).map(|one| old_subtasks(one).expect("it is supported")).collect()
    }

    /// The examples in the comments of Flink's `SubtaskStateMapper`.
    #[test]
    fn old_subtasks_are_read_as_flink_says() {
        use SubtaskStateMapper::{Arbitrary, Full, Range, RoundRobin, Unsupported};
        let round_robin = [vec![0, 4, 8], vec![1, 5, 9], vec![2, 6], vec![3, 7]];
        assert_eq!(all(RoundRobin, 10, 4), round_robin);
        assert_eq!(all(Arbitrary, 10, 4), round_robin);
        let up: Vec<Vec<u32>> = (0..10).map(|one| (one..6).take(1).collect()).collect();
        assert_eq!(all(RoundRobin, 6, 10), up);
        assert_eq!(all(Range, 3, 2), [vec![0, 1], vec![1, 2]]);
        assert_eq!(all(Full, 2, 2), [vec![0, 1], vec![0, 1]]);
        let two = Parallelisms { old: 1, new: 2 };
        assert_eq!(Unsupported.old_subtasks(0, two), Err(CannotRescale));
    }

    /// Every key group has one owner before and one after, and the new owner
    /// reads what the old one had in flight.
    #[test]
    fn the_owner_of_a_key_group_reads_what_its_old_owner_had() {
        for (old, new) in [(1, 2), (2, 3), (3, 2), (4, 7), (7, 4), (5, 1), (128, 3)] {
            for group in 0..128 {
                let [was, is] = [old, new].map(|n| key_group_owner(group, n, 128));
                let n = Parallelisms { old, new };
                let found = SubtaskStateMapper::Range.new_subtask(was, n, || is);
                assert_eq!(found, Ok(is), "group {group}, {old} to {new}");
            }
        }
    }
}
