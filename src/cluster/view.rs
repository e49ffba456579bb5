//! The cluster's own picture of itself, to hold against the one that is folded
//! from facts.

use std::collections::BTreeMap;

use super::task::Task;
use super::work::Work;
use super::{Channel, Cluster, Sink};
use crate::model::{Scenario, SubtaskIndex, Time};
use crate::trace::{Aligning, ChannelView, SinkView, TaskStatus, TaskView, View};

impl Cluster {
    /// What can be seen of it now.
    #[must_use]
    pub fn view(&self, scenario: &Scenario, step: u64, at: Time) -> View {
        let tasks = || scenario.graph.subtask_indices();
        View {
            step,
            at,
            attempt: self.attempt,
            status: self.status,
            restarting: tasks().filter(|task| self.is_restarting(*task)).collect(),
            tasks: tasks().map(|task| self.tasks[task.index()].view(scenario, task)).collect(),
            channels: self.channels.iter().map(Channel::view).collect(),
            checkpoints: self.storage.clone(),
            completed: self.completed.clone(),
            files: self.files.clone(),
            slow: self.slow.clone(),
        }
    }
}

impl Task {
    fn view(&self, scenario: &Scenario, task: SubtaskIndex) -> TaskView {
        let selector = scenario.graph.operator(task).kind.key_selector();
        let aligning = self.input.handler().aligning();
        TaskView {
            attempt: self.attempt,
            status: self.status,
            in_hand: self.in_hand,
            offsets: match &self.work {
                Work::Source(reader) => reader.offsets.clone(),
                _ => Vec::new(),
            },
            state: match (&self.work, selector) {
                (Work::Keyed(state), Some(selector)) => {
                    state.entries(selector).into_iter().collect()
                }
                _ => BTreeMap::new(),
            },
            aligning: aligning
                .filter(|(checkpoint, ..)| {
                    let is_current = Some(*checkpoint) >= self.snapshots.last_taken();
                    self.status == TaskStatus::Running && is_current
                })
                .map(|(checkpoint, n_received, n_needed)| Aligning {
                    checkpoint,
                    n_received,
                    n_needed,
                }),
            snapshot: self.snapshots.last_taken(),
            copying: self.copying,
            storing: self.snapshots.storing().collect(),
            ended: self.ended,
            sink: match &self.work {
                Work::Sink(sink) => Some(sink.view()),
                _ => None,
            },
        }
    }
}

impl Channel {
    fn view(&self) -> ChannelView {
        ChannelView {
            buffer: self.subpartition.buffer().clone(),
            wire: self.wire.clone(),
            buffer_priority: self.subpartition.n_priority(),
            queue: self.input.messages().copied().collect(),
            queue_priority: self.input.n_priority(),
            blocked: self.blocked,
        }
    }
}

impl Sink {
    fn view(&self) -> SinkView {
        let prepared = self.prepared().unwrap_or_default();
        let prepared_for = |id| prepared.iter().find(|(known, _)| *known == id).map(|(_, cp)| *cp);
        let mut view = SinkView {
            published: self.published.clone(),
            upserted: self.upserted.clone(),
            open: None,
            prepared: Vec::new(),
        };
        for transaction in self.transactions() {
            match prepared_for(transaction.id) {
                Some(checkpoint) => view.prepared.push((checkpoint, transaction.clone())),
                None => view.open = Some(transaction.clone()),
            }
        }
        view
    }
}
