//! Behind a barrier nothing is processed before the snapshot, as long as
//! another input's barrier is missing.
//!
//! In at-least-once mode just that is allowed.
//!
//! Source: Carbone et al. 2015, algorithm 1: inputs are blocked until the
//! barrier has come on all of them.

use super::breach::{ConductJudgement, Wrong};
use super::inputs::Inputs;
use crate::model::{ChannelIndex, CheckpointId, CheckpointingMode, ExecutionGraph, RecordId};

/// A task takes a record out of a channel.
pub(super) fn record_taken(
    (graph, mode): (&ExecutionGraph, CheckpointingMode),
    inputs: &Inputs,
    (channel, record): (ChannelIndex, Option<RecordId>),
    (step, found): (u64, &mut ConductJudgement),
) {
    if mode == CheckpointingMode::AtLeastOnce {
        return;
    }
    let task = graph.channels[channel.index()].to;
    if let Some((checkpoint, since)) = inputs.aligned_behind(task, channel)
        && let Some(awaited) = inputs.awaited(graph, task, checkpoint)
    {
        let wrong = Wrong::ProcessedBehindBarrier { task, channel, record, checkpoint, awaited };
        found.push(step, Some(since), wrong);
    }
}

/// A channel is blocked.
pub(super) fn blocked(
    inputs: &mut Inputs,
    (channel, checkpoint): (ChannelIndex, CheckpointId),
    (step, found): (u64, &mut ConductJudgement),
) {
    if !inputs.block(channel, checkpoint, step) {
        found.push(step, None, Wrong::BlockedWrong { channel });
    }
}

/// A channel is free again.
pub(super) fn resumed(
    inputs: &mut Inputs,
    channel: ChannelIndex,
    (step, found): (u64, &mut ConductJudgement),
) {
    if !inputs.resume(channel) {
        found.push(step, None, Wrong::BlockedWrong { channel });
    }
}
