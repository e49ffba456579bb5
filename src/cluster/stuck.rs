//! Who waits for what, when nothing happens any more.

use super::Cluster;
use super::work::Work;
use crate::model::{ChannelIndex, CheckpointId, Scenario, SubtaskIndex};
use crate::trace::TaskStatus;

/// Something that waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// A task has no room for its results.
    ForRoom {
        /// Who.
        task: SubtaskIndex,
        /// Where there is no room.
        channel: ChannelIndex,
    },
    /// A task waits for a barrier.
    ForBarrier {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// From which channels.
        channels: Vec<ChannelIndex>,
    },
    /// A task waits for records or the end of data.
    ForInput {
        /// Who.
        task: SubtaskIndex,
    },
    /// A channel waits to be told to go on.
    ForResume {
        /// Which.
        channel: ChannelIndex,
    },
    /// Tasks at the end of their data wait for a checkpoint, to finish with it.
    ForLastCheckpoint {
        /// Who.
        tasks: Vec<SubtaskIndex>,
    },
    /// A checkpoint waits for acknowledgements.
    ForAcknowledgement {
        /// Which.
        checkpoint: CheckpointId,
        /// Of which tasks.
        tasks: Vec<SubtaskIndex>,
    },
}

impl Cluster {
    /// Everything that waits, tasks first.
    #[must_use]
    pub fn waiting(&self, scenario: &Scenario) -> Vec<Waiting> {
        let graph = &scenario.graph;
        let mut waiting = Vec::new();
        for task in graph.subtask_indices() {
            let state = &self.tasks[task.index()];
            if state.status != TaskStatus::Running {
                continue;
            }
            let outputs = graph.subtasks[task.index()].outputs.iter();
            for channel in outputs.flat_map(|output| &output.channels) {
                let subpartition = &self.channels[channel.index()].subpartition;
                if subpartition.is_full() {
                    waiting.push(Waiting::ForRoom { task, channel: *channel });
                }
                if subpartition.is_blocked() && !subpartition.is_empty() {
                    waiting.push(Waiting::ForResume { channel: *channel });
                }
            }
            let inputs = &graph.subtasks[task.index()].inputs;
            let handler = state.input.handler();
            if let Some(checkpoint) = handler.pending().first().copied() {
                let missing = (0..).zip(inputs);
                let missing = missing.filter(|(at, _)| !handler.has_received(checkpoint, *at));
                let channels = missing.map(|(_, channel)| *channel).collect();
                waiting.push(Waiting::ForBarrier { task, checkpoint, channels });
            } else if !state.ended && !matches!(state.work, Work::Source(_)) {
                waiting.push(Waiting::ForInput { task });
            }
        }
        let at_end = |task: &SubtaskIndex| {
            let state = &self.tasks[task.index()];
            state.status == TaskStatus::Running && state.ended && !state.last_is_complete
        };
        let tasks: Vec<_> = graph.subtask_indices().filter(at_end).collect();
        if !tasks.is_empty() {
            waiting.push(Waiting::ForLastCheckpoint { tasks });
        }
        for pending in self.coordinator.pending() {
            let (checkpoint, tasks) = (pending.id(), pending.missing().collect());
            waiting.push(Waiting::ForAcknowledgement { checkpoint, tasks });
        }
        waiting
    }
}
