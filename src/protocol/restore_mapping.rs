//! Which operator of a job gets which operator's state of a snapshot, or why
//! the job cannot start from it.
//!
//! Knows operators by id, and of their state only whether there is any.
//!
//! Source: Flink `Checkpoints.loadAndValidateCheckpoint`,
//! `VertexFinishedStateChecker`,
//! `StateAssignmentOperation.checkParallelismPreconditions`.

use std::collections::{BTreeMap, BTreeSet};

use super::scheduling_topology::DistributionPattern;

/// An operator as a snapshot has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SnapshotOperator {
    /// What its state is found by.
    pub uid: String,
    /// Its number of key groups.
    pub max_parallelism: u32,
    /// Whether any of its subtasks has stored anything.
    pub has_state: HasState,
    /// How many of its subtasks had finished.
    pub finished: FinishedState,
}

/// Whether there is anything to restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HasState {
    /// There is.
    Yes,
    /// There is not.
    No,
}

/// How many subtasks of an operator had finished when a snapshot was taken.
///
/// Source: Flink `VertexFinishedStateChecker.VertexFinishedState`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FinishedState {
    /// None.
    #[default]
    AllRunning,
    /// Some.
    PartiallyFinished,
    /// All.
    FullyFinished,
}

/// An operator of the job that is to start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JobOperator {
    /// What its state is found by.
    pub uid: String,
    /// Its number of subtasks.
    pub parallelism: u32,
    /// Its number of key groups, if the user has said it. A number that Flink
    /// has chosen gives way to that of the snapshot.
    pub max_parallelism: Option<u32>,
    /// Those that send to it, by position in the job, and how.
    pub inputs: Vec<(usize, DistributionPattern)>,
}

pub use crate::model::NonRestoredState;

/// Who gets what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RestoreMapping {
    /// By operator of the job: the operator of the snapshot, by position; none
    /// starts empty.
    pub states: Vec<Option<usize>>,
    /// Operators of the snapshot that nobody takes, by position.
    pub skipped: Vec<usize>,
}

/// Why a job cannot start from a snapshot. Operators are named by their ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RestoreRefusal {
    /// Nobody in the job takes the state of an operator.
    NoOperator {
        /// Of the snapshot.
        operator: String,
    },
    /// The number of key groups is another one.
    MaxParallelismMismatch {
        /// Of which operator.
        operator: String,
        /// In the snapshot.
        snapshot: u32,
        /// In the job.
        job: u32,
    },
    /// There are more subtasks than key groups.
    ParallelismExceedsMaxParallelism {
        /// Of which operator.
        operator: String,
        /// Subtasks of the job.
        parallelism: u32,
        /// Key groups of the snapshot.
        max_parallelism: u32,
    },
    /// An operator that had finished gets its input from one that had not.
    FinishedBehindUnfinished {
        /// The one that had finished, in whole or in part.
        operator: String,
        /// How much of it.
        finished: FinishedState,
        /// The one before it.
        predecessor: String,
    },
}

/// Finds out who gets what.
///
/// # Errors
/// The first reason for which the job cannot start, in the order in which Flink
/// looks for them.
pub fn map_states(
    snapshot: &[SnapshotOperator],
    job: &[JobOperator],
    non_restored: NonRestoredState,
) -> Result<RestoreMapping, RestoreRefusal> {
    let takers: BTreeMap<&str, usize> =
        job.iter().enumerate().map(|(place, operator)| (operator.uid.as_str(), place)).collect();
    let mut mapping = RestoreMapping { states: vec![None; job.len()], skipped: Vec::new() };
    for (place, operator) in snapshot.iter().enumerate() {
        match takers.get(operator.uid.as_str()) {
            Some(taker) => {
                check_max_parallelism(operator, &job[*taker])?;
                mapping.states[*taker] = Some(place);
            }
            None if non_restored == NonRestoredState::Allowed
                || operator.has_state == HasState::No =>
            {
                mapping.skipped.push(place);
            }
            None => return Err(RestoreRefusal::NoOperator { operator: operator.uid.clone() }),
        }
    }
    check_finished(snapshot, job, &mapping)?;
    for (operator, state) in job.iter().zip(&mapping.states) {
        let max_parallelism = state.map(|place| snapshot[place].max_parallelism);
        if let Some(max_parallelism) = max_parallelism.filter(|max| *max < operator.parallelism) {
            return Err(RestoreRefusal::ParallelismExceedsMaxParallelism {
                operator: operator.uid.clone(),
                parallelism: operator.parallelism,
                max_parallelism,
            });
        }
    }
    Ok(mapping)
}

// Flink 1.20: VertexParallelismInformation.canRescaleMaxParallelism.
fn check_max_parallelism(
    snapshot: &SnapshotOperator,
    job: &JobOperator,
) -> Result<(), RestoreRefusal> {
    match job.max_parallelism {
        Some(own) if own != snapshot.max_parallelism => {
            Err(RestoreRefusal::MaxParallelismMismatch {
                operator: job.uid.clone(),
                snapshot: snapshot.max_parallelism,
                job: own,
            })
        }
        _ => Ok(()),
    }
}

/// What had finished does not run again, so nothing may come to it that had
/// not.
// Flink 1.20: VertexFinishedStateChecker.validateOperatorsFinishedState.
fn check_finished(
    snapshot: &[SnapshotOperator],
    job: &[JobOperator],
    mapping: &RestoreMapping,
) -> Result<(), RestoreRefusal> {
    let finished = |operator: usize| {
        mapping.states[operator].map_or(FinishedState::AllRunning, |place| snapshot[place].finished)
    };
    for (place, operator) in job.iter().enumerate() {
        // Of two ways from one operator, the wider one counts.
        let wide: BTreeSet<usize> = operator
            .inputs
            .iter()
            .filter(|(_, pattern)| *pattern == DistributionPattern::AllToAll)
            .map(|(from, _)| *from)
            .collect();
        for (from, _) in &operator.inputs {
            let is_right = match (finished(place), finished(*from)) {
                (FinishedState::AllRunning, _) | (_, FinishedState::FullyFinished) => true,
                (FinishedState::FullyFinished, _) => false,
                (FinishedState::PartiallyFinished, FinishedState::AllRunning) => false,
                (FinishedState::PartiallyFinished, FinishedState::PartiallyFinished) => {
                    !wide.contains(from)
                }
            };
            if !is_right {
                return Err(RestoreRefusal::FinishedBehindUnfinished {
                    operator: operator.uid.clone(),
                    finished: finished(place),
                    predecessor: job[*from].uid.clone(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use DistributionPattern::{AllToAll, Pointwise};
    use FinishedState::{AllRunning, FullyFinished, PartiallyFinished};

    /// Flink's `VertexFinishedStateChecker`, as its comment has it: what is
    /// before a vertex that had finished had finished; before one of which a
    /// part had, all had on wide ways and some on narrow ones.
    #[test]
    fn nothing_new_comes_before_what_had_finished() {
        let ways = [AllToAll, Pointwise];
        for (behind, before, refused) in [
            (AllRunning, AllRunning, [false, false]),
            (FullyFinished, AllRunning, [true, true]),
            (FullyFinished, PartiallyFinished, [true, true]),
            (FullyFinished, FullyFinished, [false, false]),
            (PartiallyFinished, AllRunning, [true, true]),
            (PartiallyFinished, PartiallyFinished, [true, false]),
            (PartiallyFinished, FullyFinished, [false, false]),
        ] {
            for (way, refused) in ways.into_iter().zip(refused) {
                let operator = |uid: &str, inputs: Vec<(usize, DistributionPattern)>| JobOperator {
                    uid: uid.to_owned(),
                    parallelism: 2,
                    max_parallelism: None,
                    inputs,
                };
                let stored = |uid: &str, finished| SnapshotOperator {
                    uid: uid.to_owned(),
                    max_parallelism: 128,
                    has_state: HasState::Yes,
                    finished,
                };
                let snapshot = [stored("before", before), stored("behind", behind)];
                let job = [operator("before", Vec::new()), operator("behind", vec![(0, way)])];
                let mapping = map_states(&snapshot, &job, NonRestoredState::Refused);
                assert_eq!(mapping.is_err(), refused, "{behind:?} behind {before:?}, {way:?}");
            }
        }
    }

    /// A source that had finished cannot be put behind a new one.
    #[test]
    fn a_new_operator_counts_as_running() {
        let snapshot = [SnapshotOperator {
            uid: "sum".to_owned(),
            max_parallelism: 128,
            has_state: HasState::Yes,
            finished: FullyFinished,
        }];
        let job = [
            JobOperator {
                uid: "new".to_owned(),
                parallelism: 1,
                max_parallelism: None,
                inputs: Vec::new(),
            },
            JobOperator {
                uid: "sum".to_owned(),
                parallelism: 1,
                max_parallelism: None,
                inputs: vec![(0, Pointwise)],
            },
        ];
        let refusal = map_states(&snapshot, &job, NonRestoredState::Refused).unwrap_err();
        let expected = RestoreRefusal::FinishedBehindUnfinished {
            operator: "sum".to_owned(),
            finished: FullyFinished,
            predecessor: "new".to_owned(),
        };
        assert_eq!(refusal, expected);
    }
}
