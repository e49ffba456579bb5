//! Barriers go out on every channel, in order, and none twice; a task takes a
//! snapshot when it is asked to, once and in order.
//!
//! Source: Chandy and Lamport 1985, the marker rules; Carbone et al. 2015,
//! section 4.2.

use std::collections::BTreeSet;

use super::breach::{ConductJudgement, Wrong};
use super::inputs::Inputs;
use crate::model::{ChannelIndex, CheckpointId, CheckpointingMode, ExecutionGraph, SubtaskIndex};

/// The barriers that have gone out in the running attempt.
#[derive(Debug)]
pub(super) struct BarrierOrder {
    /// By channel: the newest, and when it was sent.
    sent: Vec<Option<(CheckpointId, u64)>>,
    mode: CheckpointingMode,
    /// Snapshots of this step: their barriers go out in it, before or after.
    taken: Vec<(SubtaskIndex, CheckpointId)>,
    /// Barriers that have gone out in this step.
    sent_now: BTreeSet<(ChannelIndex, CheckpointId)>,
}

impl BarrierOrder {
    pub(super) fn new(graph: &ExecutionGraph, mode: CheckpointingMode) -> Self {
        Self {
            sent: vec![None; graph.channels.len()],
            mode,
            taken: Vec::new(),
            sent_now: BTreeSet::new(),
        }
    }

    /// A new attempt begins.
    pub(super) fn restarted(&mut self, channel: ChannelIndex) {
        self.sent[channel.index()] = None;
    }

    /// A barrier goes out.
    pub(super) fn sent(
        &mut self,
        (channel, checkpoint): (ChannelIndex, CheckpointId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let last = &mut self.sent[channel.index()];
        if let Some((before, since)) = *last
            && before >= checkpoint
        {
            let wrong = Wrong::BarrierBehindLater { channel, checkpoint, before };
            found.push(step, Some(since), wrong);
        }
        *last = Some((checkpoint, step));
        self.sent_now.insert((channel, checkpoint));
    }

    /// The step is over: the barriers of its snapshots have gone out.
    #[inline]
    pub(super) fn step_ends(
        &mut self,
        graph: &ExecutionGraph,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if self.sent_now.is_empty() && self.taken.is_empty() {
            return;
        }
        for (task, checkpoint) in self.taken.drain(..) {
            let outputs = &graph.subtasks[task.index()].outputs;
            for channel in outputs.iter().flat_map(|output| &output.channels).copied() {
                if !self.sent_now.contains(&(channel, checkpoint)) {
                    found.push(step, None, Wrong::BarrierMissing { task, checkpoint, channel });
                }
            }
        }
        self.sent_now.clear();
    }

    /// A task takes a snapshot.
    pub(super) fn taken(
        &mut self,
        (graph, inputs): (&ExecutionGraph, &mut Inputs),
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        self.taken.push((task, checkpoint));
        let awaited = inputs.awaited(graph, task, checkpoint);
        let own = inputs.task(task);
        if let Some((before, since)) = own.snapshot
            && before >= checkpoint
        {
            let wrong = Wrong::SnapshotBehindLater { task, checkpoint, before };
            found.push(step, Some(since), wrong);
        }
        own.snapshot = Some((checkpoint, step));
        let is_triggered = own.triggered.contains_key(&checkpoint);
        let may_be_early =
            self.mode == CheckpointingMode::ExactlyOnce && own.unaligned.contains(&checkpoint);
        own.triggered.retain(|id, _| *id > checkpoint);
        own.unaligned.retain(|id| *id > checkpoint);
        if is_triggered {
            return;
        }
        let inputs_of_task = &graph.subtasks[task.index()].inputs;
        let has_barrier =
            inputs_of_task.iter().any(|channel| inputs.has_received(task, checkpoint, *channel));
        match awaited {
            _ if !has_barrier => {
                found.push(step, None, Wrong::SnapshotUnasked { task, checkpoint });
            }
            Some(channel) if !may_be_early => {
                found.push(step, None, Wrong::SnapshotEarly { task, checkpoint, channel });
            }
            _ => {}
        }
    }

    /// A task has counted the barriers of a checkpoint.
    pub(super) fn counted(
        &self,
        (graph, inputs): (&ExecutionGraph, &mut Inputs),
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        (n_received, n_needed): (u32, u32),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        // One that is over is not counted, and triggers count silently.
        if n_needed == 0 && n_received > 0 {
            let (n, counted) = (0, n_received);
            found.push(step, None, Wrong::Miscounted { task, checkpoint, n, counted });
        }
        if n_needed == 0 || inputs.task(task).triggered.contains_key(&checkpoint) {
            return;
        }
        let right = inputs.counts(graph, task, checkpoint);
        if right != (n_received, n_needed) {
            let (n, counted) = (right.0, n_received);
            found.push(step, None, Wrong::Miscounted { task, checkpoint, n, counted });
        }
    }
}
