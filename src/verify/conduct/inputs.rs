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
    /// Those whose barriers it counts.
    begun: BTreeMap<CheckpointId, Begun>,
    /// Those that it knows to be given up.
    aborted: BTreeSet<CheckpointId>,
}

/// So many checkpoints are remembered whose barriers a task counts: more than
/// any task counts at once.
///
/// Source: Flink `CheckpointBarrierTracker.MAX_CHECKPOINTS_TO_TRACK`, which is 50.
const BEGUN_MAX: usize = 64;

/// A checkpoint whose barriers a task counts.
#[derive(Clone, Debug, Default)]
struct Begun {
    /// Inputs that had ended before.
    n_ended: u32,
    /// Inputs whose barrier has come. One that was passed over by its sender
    /// never does, though a newer one has.
    received: BTreeSet<ChannelIndex>,
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
        graph: &ExecutionGraph,
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
        self.begin(graph, task, checkpoint).received.insert(channel);
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
        self.begin(graph, task, checkpoint);
    }

    fn begin(
        &mut self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) -> &mut Begun {
        let inputs = &graph.subtasks[task.index()].inputs;
        let ended = inputs.iter().filter(|input| self.channels[input.index()].ended.is_some());
        let n_ended = ended.count() as u32;
        let begun = &mut self.tasks[task.index()].begun;
        if begun.len() > BEGUN_MAX {
            begun.pop_first();
        }
        begun.entry(checkpoint).or_insert(Begun { n_ended, received: BTreeSet::new() })
    }

    /// Whether an input's barrier of a checkpoint has come to a task.
    pub(super) fn has_received(
        &self,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
        channel: ChannelIndex,
    ) -> bool {
        let begun = self.tasks[task.index()].begun.get(&checkpoint);
        begun.is_some_and(|begun| begun.received.contains(&channel))
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
        let begun = self.tasks[task.index()].begun.get(&checkpoint);
        let before = begun.map_or(0, |begun| begun.n_ended);
        let has_come = |input: &&ChannelIndex| {
            let has_ended = self.channels[input.index()].ended.is_some();
            has_ended || self.has_received(task, checkpoint, **input)
        };
        let n_here = inputs.iter().filter(has_come).count() as u32;
        (n_here - before, inputs.len() as u32 - before)
    }

    /// Whether a task waits for barriers of a checkpoint, or has just been told of
    /// it.
    pub(super) fn is_under_way(&self, task: SubtaskIndex, checkpoint: CheckpointId) -> bool {
        let own = &self.tasks[task.index()];
        own.current == Some(checkpoint) && !own.current_is_over
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

    /// Whether all inputs of a task have ended.
    pub(super) fn all_ended(&self, graph: &ExecutionGraph, task: SubtaskIndex) -> bool {
        let mut inputs = graph.subtasks[task.index()].inputs.iter();
        inputs.all(|input| self.channels[input.index()].ended.is_some())
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
            let has_ended = self.channels[channel.index()].ended.is_some();
            !has_ended && !self.has_received(task, checkpoint, **channel)
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
