//! Nothing comes after the end of the data: who has said that he is at his end
//! reads no record and does not say so again, and no record comes from a
//! channel that is at its end.
//!
//! Source: Flink `EndOfData`, which is the last of a task's output but for
//! barriers and the end of the partition.

use super::breach::{ConductJudgement, Wrong};
use crate::model::{ChannelIndex, ExecutionGraph, RecordId, SubtaskIndex};

/// Who is at his end in the running attempt, and since when.
#[derive(Debug)]
pub(super) struct EndOfData {
    tasks: Vec<Option<u64>>,
    channels: Vec<Option<u64>>,
}

impl EndOfData {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self { tasks: vec![None; graph.subtasks.len()], channels: vec![None; graph.channels.len()] }
    }

    /// A new attempt begins.
    pub(super) fn restarted(&mut self, graph: &ExecutionGraph, task: SubtaskIndex) {
        self.tasks[task.index()] = None;
        for channel in &graph.subtasks[task.index()].inputs {
            self.channels[channel.index()] = None;
        }
    }

    /// A task says that it is at its end.
    pub(super) fn said(&mut self, task: SubtaskIndex, (step, found): (u64, &mut ConductJudgement)) {
        let own = &mut self.tasks[task.index()];
        if own.is_some() {
            found.push(step, *own, Wrong::EndsAgain { task });
        }
        own.get_or_insert(step);
    }

    /// The end of the data comes from a channel.
    pub(super) fn came(&mut self, channel: ChannelIndex, step: u64) {
        self.channels[channel.index()].get_or_insert(step);
    }

    /// Whether every input of a task is at its end.
    pub(super) fn came_from_all(&self, graph: &ExecutionGraph, task: SubtaskIndex) -> bool {
        let mut inputs = graph.subtasks[task.index()].inputs.iter();
        inputs.all(|channel| self.channels[channel.index()].is_some())
    }

    /// A source reads a record.
    #[inline]
    pub(super) fn read(
        &self,
        (task, record): (SubtaskIndex, RecordId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if let since @ Some(_) = self.tasks[task.index()] {
            found.push(step, since, Wrong::ReadAfterEnd { task, record });
        }
    }

    /// A task takes a record out of a channel.
    #[inline]
    pub(super) fn taken(
        &self,
        (channel, record): (ChannelIndex, Option<RecordId>),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if let since @ Some(_) = self.channels[channel.index()] {
            found.push(step, since, Wrong::ComesAfterEnd { channel, record });
        }
    }
}
