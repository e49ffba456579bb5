//! A source stores the offset of just what it has sent.
//!
//! It recomputes where each record goes: every record that was read must be
//! sent there before the next snapshot, nothing else may be sent, and the
//! stored offset must be that of the last record read. Together this is the
//! source's part of a consistent cut: on each channel the records sent before
//! the cut are those that the split's records up to the stored offset route
//! there.

use std::collections::{BTreeMap, VecDeque};

use super::finding::{Finding, Flaw, SourceFinding};
use super::history::Restarted;
use super::named;
use crate::model::{
    ChannelIndex, CheckpointId, ExecutionGraph, Record, Route, SnapshotState, SplitIndex,
    SubtaskIndex,
};

/// Follows every source subtask.
#[derive(Debug)]
pub(super) struct SourcePosition {
    /// By split: the offset of the last record that was read.
    offsets: Vec<u32>,
    /// By subtask; only sources are used.
    sources: Vec<Source>,
    /// Findings of checkpoints that are not complete.
    pending: BTreeMap<CheckpointId, Vec<SourceFinding>>,
}

#[derive(Clone, Debug, Default)]
struct Source {
    /// Read and to be sent, in this order.
    to_send: VecDeque<(ChannelIndex, SplitIndex, u32)>,
    /// Records sent on each outgoing edge in this attempt.
    n_sent: Vec<u64>,
    /// Sent, but not to be sent there, since the last snapshot.
    unasked: Vec<(SplitIndex, u32)>,
}

impl SourcePosition {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let source = |task: &crate::model::Subtask| Source {
            n_sent: vec![0; task.outputs.len()],
            ..Source::default()
        };
        Self {
            offsets: vec![0; graph.splits.len()],
            sources: graph.subtasks.iter().map(source).collect(),
            pending: BTreeMap::new(),
        }
    }

    /// A source has read a record.
    pub(super) fn read(&mut self, graph: &ExecutionGraph, task: SubtaskIndex, record: &Record) {
        let (split, offset) = (record.id.split, record.id.offset);
        self.offsets[split.index()] = offset;
        let source = &mut self.sources[task.index()];
        let spec = &graph.subtasks[task.index()];
        for (output, n_sent) in spec.outputs.iter().zip(&mut source.n_sent) {
            match graph.route(output, spec.position, record, *n_sent) {
                Route::One(place) => {
                    let channel = output.channels[place as usize];
                    source.to_send.push_back((channel, split, offset));
                }
                Route::All => source
                    .to_send
                    .extend(output.channels.iter().map(|channel| (*channel, split, offset))),
            }
            *n_sent += 1;
        }
    }

    /// A source has sent a record.
    pub(super) fn sent(&mut self, task: SubtaskIndex, channel: ChannelIndex, record: &Record) {
        let (split, offset) = (record.id.split, record.id.offset);
        let source = &mut self.sources[task.index()];
        let wanted = (channel, split, offset);
        match source.to_send.iter().position(|to_send| *to_send == wanted) {
            Some(place) => drop(source.to_send.remove(place)),
            None => source.unasked.push((split, offset)),
        }
    }

    /// A source has stored its position.
    pub(super) fn stored(
        &mut self,
        graph: &ExecutionGraph,
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        state: &SnapshotState,
        step: u64,
    ) {
        let SnapshotState::Offsets(stored) = state else { return };
        let source = &mut self.sources[task.index()];
        let mut flaws = Vec::new();
        for (_, split, offset) in source.to_send.drain(..) {
            flaws.push((Flaw::Lost, split, offset, offset));
        }
        for (split, offset) in source.unasked.drain(..) {
            flaws.push((Flaw::Orphan, split, offset, offset));
        }
        for split in &graph.subtasks[task.index()].splits {
            let read = self.offsets[split.index()];
            let stored = stored.iter().find(|(own, _)| own == split).map_or(0, |(_, at)| *at);
            if stored > read {
                flaws.push((Flaw::Lost, *split, read + 1, stored));
            } else if stored < read {
                flaws.push((Flaw::Orphan, *split, stored + 1, read));
            }
        }
        let finding = |(flaw, split, first, last)| SourceFinding {
            flaw,
            checkpoint,
            split: named::split(graph, split),
            first,
            last,
            source: named::task(graph, task),
            step,
        };
        if !flaws.is_empty() {
            self.pending.entry(checkpoint).or_default().extend(flaws.into_iter().map(finding));
        }
    }

    /// A checkpoint is declared complete: what was wrong with its offsets.
    pub(super) fn completed(&mut self, checkpoint: CheckpointId) -> Vec<Finding> {
        let findings = self.pending.remove(&checkpoint).unwrap_or_default();
        findings.into_iter().map(Finding::Source).collect()
    }

    /// A checkpoint is given up.
    pub(super) fn aborted(&mut self, checkpoint: CheckpointId) {
        self.pending.remove(&checkpoint);
    }

    /// A new attempt begins, from the start until a state is restored.
    pub(super) fn restarted(&mut self, graph: &ExecutionGraph, restarted: &Restarted) {
        self.pending.clear();
        for task in &restarted.tasks {
            for split in &graph.subtasks[task.index()].splits {
                self.offsets[split.index()] = 0;
            }
            let source = &mut self.sources[task.index()];
            source.to_send.clear();
            source.unasked.clear();
            source.n_sent.fill(0);
        }
    }

    /// A source has its position back.
    pub(super) fn restored(&mut self, state: &SnapshotState) {
        if let SnapshotState::Offsets(offsets) = state {
            for (split, offset) in offsets {
                self.offsets[split.index()] = *offset;
            }
        }
    }
}
