//! What has come to each task's inputs in the running attempt, as far as
//! barriers are concerned.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Barrier, ChannelIndex, CheckpointId, ExecutionGraph, SubtaskIndex};

/// Follows the inputs of every task.
#[derive(Debug)]
pub(super) struct Inputs {
    channels: Vec<Channel>,
    tasks: Vec<Task>,
}

/// The receiver's end of one channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Channel {
    /// The newest barrier that has come, and when.
    pub(super) barrier: Option<(CheckpointId, u64)>,
    /// No record will come any more.
    pub(super) at_end: bool,
    /// Nothing more will come: since when.
    pub(super) ended: Option<u64>,
    /// Whose barrier blocks it, and since when.
    pub(super) blocked: Option<(CheckpointId, u64)>,
}

/// A task with its checkpoints.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    /// The newest checkpoint that it has heard of at its inputs.
    current: Option<CheckpointId>,
    /// That it has been given up, or taken.
    current_is_over: bool,
    /// Those that the JobManager has told it to take, with the step.
    pub(super) triggered: BTreeMap<CheckpointId, u64>,
    /// Those that need not wait for every barrier.
    pub(super) unaligned: BTreeSet<CheckpointId>,
    /// The newest snapshot, and when.
    pub(super) snapshot: Option<(CheckpointId, u64)>,
    /// Of those whose barriers it counts: inputs that had ended before.
    begun: BTreeMap<CheckpointId, u32>,
    /// Those that it knows to be given up.
    aborted: BTreeSet<CheckpointId>,
}

impl Inputs {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self {
            channels: vec![Channel::default(); graph.channels.len()],
            tasks: vec![Task::default(); graph.subtasks.len()],
        }
    }

    /// A new attempt begins.
    pub(super) fn restarted(&mut self, graph: &ExecutionGraph, task: SubtaskIndex) {
        for channel in &graph.subtasks[task.index()].inputs {
            self.channels[channel.index()] = Channel::default();
        }
        self.tasks[task.index()] = Task::default();
    }

    pub(super) fn channel(&self, channel: ChannelIndex) -> &Channel {
        &self.channels[channel.index()]
    }

    pub(super) fn task(&mut self, task: SubtaskIndex) -> &mut Task {
        &mut self.tasks[task.index()]
    }

    /// Every channel with its receiver's end.
    pub(super) fn channels(&self) -> impl Iterator<Item = (ChannelIndex, &Channel)> {
        (0..).map(ChannelIndex).zip(&self.channels)
    }

    /// A task has taken a barrier; what it is, if the sender's is known.
    pub(super) fn barrier(
        &mut self,
        (task, channel): (SubtaskIndex, ChannelIndex),
        (checkpoint, barrier): (CheckpointId, Option<Barrier>),
        step: u64,
    ) {
        // One that was overtaken comes after a newer one.
        let newest = &mut self.channels[channel.index()].barrier;
        if newest.is_none_or(|(last, _)| last < checkpoint) {
            *newest = Some((checkpoint, step));
        }
        self.heard(task, checkpoint);
        if barrier.is_some_and(|barrier| barrier.options.is_unaligned()) {
            self.task(task).unaligned.insert(checkpoint);
        }
    }

    /// A task hears of a checkpoint: older ones are none of its concern any
    /// more.
    pub(super) fn heard(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let task = self.task(task);
        if task.current < Some(checkpoint) {
            task.current = Some(checkpoint);
            task.current_is_over = false;
        }
    }

    /// A task knows that a checkpoint is given up. It takes no snapshot for it
    /// any more, but aligns it if it is aligned.
    pub(super) fn aborted(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        self.task(task).aborted.insert(checkpoint);
    }

    /// Begins to count the barriers of a checkpoint, if that is new.
    pub(super) fn count(
        &mut self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) {
        let inputs = &graph.subtasks[task.index()].inputs;
        let ended = inputs.iter().filter(|input| self.channels[input.index()].ended.is_some());
        let n = ended.count() as u32;
        self.task(task).begun.entry(checkpoint).or_insert(n);
    }

    /// Barriers of a checkpoint that have come or count as that, and all that
    /// are needed.
    pub(super) fn counts(
        &self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) -> (u32, u32) {
        let inputs = &graph.subtasks[task.index()].inputs;
        let before = self.tasks[task.index()].begun.get(&checkpoint).copied().unwrap_or_default();
        let has_come = |input: &&ChannelIndex| {
            let own = &self.channels[input.index()];
            own.ended.is_some() || own.barrier.is_some_and(|(last, _)| last >= checkpoint)
        };
        let n_here = inputs.iter().filter(has_come).count() as u32;
        (n_here - before, inputs.len() as u32 - before)
    }

    /// A checkpoint, and whatever is older, is over at a task.
    pub(super) fn over(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        self.heard(task, checkpoint);
        let task = self.task(task);
        task.current_is_over |= task.current == Some(checkpoint);
    }

    /// A channel has ended.
    pub(super) fn ended(&mut self, channel: ChannelIndex, step: u64) {
        self.channels[channel.index()].ended.get_or_insert(step);
    }

    /// No record will come from a channel any more.
    pub(super) fn at_end(&mut self, channel: ChannelIndex) {
        self.channels[channel.index()].at_end = true;
    }

    /// Whether all inputs of a task are at their end, or have ended.
    pub(super) fn all(
        &self,
        (graph, task): (&ExecutionGraph, SubtaskIndex),
        wanted: fn(&Channel) -> bool,
    ) -> bool {
        let inputs = &graph.subtasks[task.index()].inputs;
        inputs.iter().all(|input| wanted(&self.channels[input.index()]))
    }

    /// A channel is blocked; false if not by the barrier that has come last.
    pub(super) fn block(
        &mut self,
        channel: ChannelIndex,
        checkpoint: CheckpointId,
        step: u64,
    ) -> bool {
        let own = &mut self.channels[channel.index()];
        own.blocked = Some((checkpoint, step));
        own.barrier.is_some_and(|(last, _)| last == checkpoint)
    }

    /// A channel is free again; false if it was not blocked.
    pub(super) fn resume(&mut self, channel: ChannelIndex) -> bool {
        self.channels[channel.index()].blocked.take().is_some()
    }

    /// An input of a task whose barrier of a checkpoint has not come, and which
    /// has not ended.
    pub(super) fn awaited(
        &self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) -> Option<ChannelIndex> {
        let inputs = &graph.subtasks[task.index()].inputs;
        let is_awaited = |channel: &&ChannelIndex| {
            let own = &self.channels[channel.index()];
            own.ended.is_none() && own.barrier.is_none_or(|(last, _)| last < checkpoint)
        };
        inputs.iter().find(is_awaited).copied()
    }

    /// The checkpoint that a task still aligns, if its barrier is the newest
    /// of a channel.
    pub(super) fn aligned_behind(
        &self,
        task: SubtaskIndex,
        channel: ChannelIndex,
    ) -> Option<(CheckpointId, u64)> {
        let own = &self.tasks[task.index()];
        let barrier = self.channels[channel.index()].barrier;
        let is_given_up =
            |id: &CheckpointId| own.aborted.contains(id) && own.unaligned.contains(id);
        barrier.filter(|(last, _)| {
            own.current == Some(*last) && !own.current_is_over && !is_given_up(last)
        })
    }
}
