//! What the teller remembers beside the view: which records were held back,
//! which were counted too early, and which came back from a snapshot. A view
//! only shows what is so now.

use crate::model::{ChannelIndex, CheckpointId, ExecutionGraph, Record, SubtaskIndex};
use crate::trace::{Fact, Step, View};

/// What the steps so far have left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The last records that each channel held back behind a barrier, in its
    /// attempt.
    held: Vec<(ChannelIndex, Held)>,
    /// The newest barrier that was taken from each channel in its attempt.
    taken: Vec<(ChannelIndex, CheckpointId)>,
    /// The newest snapshot of each task in its attempt.
    snapshots: Vec<(SubtaskIndex, CheckpointId)>,
    /// Records that had their effect behind a barrier and before the snapshot.
    early: Vec<Early>,
    /// How many elements of each channel came from the restored snapshot.
    restored: Vec<(ChannelIndex, u64)>,
    /// The checkpoint that each task's attempt started from.
    restored_from: Vec<(SubtaskIndex, CheckpointId)>,
}

/// What one channel held back when it was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Held {
    checkpoint: CheckpointId,
    first: u64,
    last: u64,
}

/// A record that is in a task's part of a checkpoint although it came after
/// the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Early {
    checkpoint: CheckpointId,
    task: SubtaskIndex,
    record: Record,
}

impl Memory {
    /// Takes a step in; `before` is the view before it.
    pub fn apply(&mut self, graph: &ExecutionGraph, before: &View, step: &Step) {
        for fact in &step.facts {
            match fact {
                Fact::Resumed { channel } => {
                    // What stands behind the barrier waits at the sender.
                    let places = &before.channels[channel.index()];
                    if let (Some(checkpoint), Some(first), Some(last)) =
                        (places.blocked, places.buffer.front(), places.buffer.back())
                    {
                        let (first, last) = (first.number, last.number);
                        put(&mut self.held, *channel, Held { checkpoint, first, last });
                    }
                }
                Fact::BarrierReceived { channel, checkpoint, .. } => {
                    put(&mut self.taken, *channel, *checkpoint);
                }
                Fact::SnapshotTaken { task, checkpoint, .. } => {
                    put(&mut self.snapshots, *task, *checkpoint);
                }
                Fact::Processed { task, channel, record, .. } => {
                    let checkpoint = find(&self.taken, channel).filter(|checkpoint| {
                        let is_pending = |view: &crate::trace::CheckpointView| {
                            view.id == *checkpoint && !view.completed
                        };
                        find(&self.snapshots, task) < Some(*checkpoint)
                            && before.checkpoints.iter().any(is_pending)
                    });
                    if let Some(checkpoint) = checkpoint {
                        self.early.push(Early { checkpoint, task: *task, record: *record });
                    }
                }
                Fact::CheckpointCompleted { checkpoint } => {
                    let Self { early, restored_from, .. } = self;
                    early.retain(|early| {
                        early.checkpoint >= *checkpoint
                            || find(restored_from, &early.task) == Some(early.checkpoint)
                    });
                }
                Fact::CheckpointAborted { checkpoint, .. } => {
                    self.early.retain(|early| early.checkpoint != *checkpoint);
                }
                Fact::AttemptStarted { region, checkpoint, .. } => {
                    let tasks = region.clone().unwrap_or_else(|| graph.subtask_indices().collect());
                    self.begin_anew(graph, &tasks, *checkpoint);
                }
                Fact::ChannelStateRestored { channel, input, output } => {
                    let n_restored = (input.len() + output.len()) as u64;
                    put(&mut self.restored, *channel, n_restored);
                }
                _ => {}
            }
        }
    }

    /// An attempt of some tasks begins.
    fn begin_anew(
        &mut self,
        graph: &ExecutionGraph,
        tasks: &[SubtaskIndex],
        checkpoint: Option<CheckpointId>,
    ) {
        let goes_on = |channel: ChannelIndex| !tasks.contains(&graph.channels[channel.index()].to);
        self.held.retain(|(channel, _)| goes_on(*channel));
        self.taken.retain(|(channel, _)| goes_on(*channel));
        self.restored.retain(|(channel, _)| goes_on(*channel));
        self.snapshots.retain(|(task, _)| !tasks.contains(task));
        self.early
            .retain(|early| !tasks.contains(&early.task) || Some(early.checkpoint) == checkpoint);
        self.restored_from.retain(|(task, _)| !tasks.contains(task));
        if let Some(checkpoint) = checkpoint {
            self.restored_from.extend(tasks.iter().map(|task| (*task, checkpoint)));
        }
    }

    /// The checkpoint behind whose barrier a message was held back, if it was.
    #[must_use]
    pub fn held_back(&self, channel: ChannelIndex, number: u64) -> Option<CheckpointId> {
        let held = find(&self.held, &channel)?;
        (held.first..=held.last).contains(&number).then_some(held.checkpoint)
    }

    /// The checkpoint whose channel state a message came from, if it did.
    #[must_use]
    pub fn restored(
        &self,
        graph: &ExecutionGraph,
        channel: ChannelIndex,
        number: u64,
    ) -> Option<CheckpointId> {
        let n_restored = find(&self.restored, &channel)?;
        let from = find(&self.restored_from, &graph.channels[channel.index()].to);
        from.filter(|_| number <= n_restored)
    }

    /// The records that came after a checkpoint's barriers and are in a task's
    /// part of it all the same.
    #[must_use]
    pub fn early(&self, task: SubtaskIndex, checkpoint: CheckpointId) -> Vec<Record> {
        let own = self.early.iter();
        let own = own.filter(|early| early.task == task && early.checkpoint == checkpoint);
        own.map(|early| early.record).collect()
    }

    /// The checkpoint that a task's attempt started from, if its part of it
    /// holds the effect of a record already.
    #[must_use]
    pub fn counted_before(&self, task: SubtaskIndex, record: &Record) -> Option<CheckpointId> {
        let from = find(&self.restored_from, &task)?;
        let is_it = |early: &Early| {
            early.checkpoint == from && early.task == task && early.record.id == record.id
        };
        self.early.iter().any(is_it).then_some(from)
    }
}

fn find<K: PartialEq, V: Copy>(entries: &[(K, V)], key: &K) -> Option<V> {
    entries.iter().find(|(own, _)| own == key).map(|(_, value)| *value)
}

fn put<K: PartialEq, V>(entries: &mut Vec<(K, V)>, key: K, value: V) {
    entries.retain(|(own, _)| *own != key);
    entries.push((key, value));
}
