//! A restart puts back what the newest complete checkpoint holds.
//!
//! What was in flight is compared in `channel_state`.
//!
//! Source: Veresov et al. (ECOOP 2024): the latest common snapshot; Flink
//! `CheckpointCoordinator.restoreLatestCheckpointedStateInternal`.

use std::collections::{BTreeMap, BTreeSet};

use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use super::computation::is_replayable;
use crate::model::{CheckpointId, ExecutionGraph, SnapshotState, SubtaskIndex};

/// What the tasks have stored.
#[derive(Debug, Default)]
pub(super) struct RestoreEquality {
    states: BTreeMap<CheckpointId, BTreeMap<SubtaskIndex, (SnapshotState, u64)>>,
    /// What the running attempt began from.
    from: Option<CheckpointId>,
    /// Tasks that have begun to read their state.
    begun: BTreeSet<SubtaskIndex>,
}

impl RestoreEquality {
    /// A task has stored its state.
    pub(super) fn stored(
        &mut self,
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        state: &SnapshotState,
        step: u64,
    ) {
        let states = self.states.entry(checkpoint).or_default();
        states.insert(task, (state.clone(), step));
    }

    /// Nobody can restart from a checkpoint any more.
    pub(super) fn forget(&mut self, checkpoint: CheckpointId) {
        self.states.remove(&checkpoint);
    }

    /// An attempt begins.
    pub(super) fn restarted(
        &mut self,
        checkpoints: &Checkpoints,
        checkpoint: Option<CheckpointId>,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        self.from = checkpoint;
        self.begun.clear();
        let newest = checkpoints.newest_completed();
        if let Some(checkpoint) = checkpoint
            && !checkpoints.completed.contains_key(&checkpoint)
        {
            found.push(step, None, Wrong::RestoredIncomplete { checkpoint });
        } else if let Some(newest) = newest.filter(|newest| Some(*newest) != checkpoint) {
            let since = checkpoints.completed_at(newest);
            found.push(step, since, Wrong::RestoredOlder { checkpoint, newest });
        }
        self.states.retain(|id, _| checkpoints.completed.contains_key(id));
    }

    /// A task begins to read its state: false if it has begun before, or reads
    /// from another checkpoint than the job begins from.
    pub(super) fn begins(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) -> bool {
        self.begun.insert(task) && self.from == Some(checkpoint)
    }

    /// Whether a task has begun to read its state.
    pub(super) fn has_begun(&self, task: SubtaskIndex) -> bool {
        self.begun.contains(&task)
    }

    /// A task has its state back.
    pub(super) fn restored(
        &self,
        graph: &ExecutionGraph,
        (task, state): (SubtaskIndex, &SnapshotState),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if !is_replayable(graph, task) {
            return; // it stays where it is
        }
        let checkpoint = self.from;
        let saved = checkpoint.and_then(|id| self.states.get(&id)).and_then(|all| all.get(&task));
        let is_right = match (state, saved.map(|(saved, _)| saved)) {
            // Those that it had prepared are settled, one way or the other.
            (SnapshotState::Transactions(prepared), _) => prepared.is_empty(),
            (_, Some(saved)) => state == saved,
            (SnapshotState::Offsets(offsets), None) => offsets.iter().all(|(_, at)| *at == 0),
            (SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries), None) => {
                entries.is_empty()
            }
            (SnapshotState::Stateless, None) => true,
        };
        if !is_right {
            let since = saved.map(|(_, since)| *since);
            found.push(step, since, Wrong::RestoredOther { task, checkpoint });
        }
    }
}
