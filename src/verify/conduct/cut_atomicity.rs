//! Nothing is processed between the barrier going out and the snapshot: both
//! happen in one step, with no record of the task in between.
//!
//! Which of the two comes first makes no difference, since nothing lies between
//! them.

use std::collections::BTreeMap;

use super::breach::{ConductJudgement, Wrong};
use crate::model::{CheckpointId, RecordId, SubtaskIndex};

/// The barriers and snapshots of one step.
#[derive(Debug, Default)]
pub(super) struct CutAtomicity {
    open: BTreeMap<(SubtaskIndex, CheckpointId), Half>,
}

/// What of a cut has happened in this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Barrier,
    Snapshot,
    Both,
}

impl CutAtomicity {
    /// A task sends a barrier.
    pub(super) fn barrier(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let half = self.open.entry((task, checkpoint)).or_insert(Half::Barrier);
        if *half == Half::Snapshot {
            *half = Half::Both;
        }
    }

    /// A task takes a snapshot.
    pub(super) fn snapshot(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let half = self.open.entry((task, checkpoint)).or_insert(Half::Snapshot);
        if *half == Half::Barrier {
            *half = Half::Both;
        }
    }

    /// A task sends a record.
    pub(super) fn record_sent(
        &mut self,
        (task, record): (SubtaskIndex, RecordId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if self.open.is_empty() {
            return;
        }
        let mut halves = self.open.iter().filter(|((of, _), _)| *of == task);
        if let Some(((_, checkpoint), _)) = halves.find(|(_, half)| **half != Half::Both) {
            let checkpoint = *checkpoint;
            found.push(step, None, Wrong::BetweenBarrierAndSnapshot { task, checkpoint, record });
        }
    }

    /// The step is over.
    pub(super) fn step_ends(&mut self, step: u64, found: &mut ConductJudgement) {
        for ((task, checkpoint), half) in std::mem::take(&mut self.open) {
            if half == Half::Barrier {
                found.push(step, None, Wrong::BarrierWithoutSnapshot { task, checkpoint });
            }
        }
    }
}
