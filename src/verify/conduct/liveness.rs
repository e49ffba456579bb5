//! What has begun ends: every checkpoint becomes complete or is given up, no
//! channel stays blocked, and after the last failure the job finishes.
//!
//! A finite trace cannot show that something never ends; but a run in which
//! nothing can happen any more shows it.

use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use super::fencing::{Fencing, Job};
use super::inputs::Inputs;
use crate::model::ExecutionGraph;

/// The run is over: nothing is to happen any more.
pub(super) fn run_ends(
    graph: &ExecutionGraph,
    (fencing, inputs): (&Fencing, &Inputs),
    checkpoints: &mut Checkpoints,
    (step, found): (u64, &mut ConductJudgement),
) {
    if fencing.job == Job::Over {
        return; // with the job, its checkpoints and channels are at their end
    }
    let pending: Vec<_> = checkpoints.pending.iter().map(|(id, since)| (*id, *since)).collect();
    for (checkpoint, since) in pending {
        let parts = checkpoints.parts(checkpoint).cloned().unwrap_or_default();
        let tasks = graph.subtask_indices().filter(|task| !parts.acknowledged.contains(task));
        let wrong = Wrong::CheckpointNeverEnds { checkpoint, tasks: tasks.collect() };
        found.push(step, Some(since), wrong);
    }
    for (channel, own) in inputs.channels() {
        if let Some((checkpoint, since)) = own.blocked.filter(|_| own.ended.is_none()) {
            found.push(step, Some(since), Wrong::StaysBlocked { channel, checkpoint });
        }
    }
    found.push(step, None, Wrong::JobNeverEnds { tasks: fencing.unfinished() });
}
