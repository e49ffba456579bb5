//! A record changes the state and sends its results in one go, and a snapshot
//! holds the state that the records before it make.
//!
//! Works out anew what each operator does with each record that it processes,
//! in the order in which it processes them, and where the results go.

use std::collections::{BTreeMap, VecDeque};

use super::breach::{ConductJudgement, Wrong};
use crate::model::{
    ChannelIndex, CheckpointId, ExecutionGraph, JoinSide, Key, OperatorKind, Record, Route,
    SnapshotState, StateValue, SubtaskIndex, Value,
};

/// What every task has, worked out from what it has done.
#[derive(Debug)]
pub(super) struct Computation {
    tasks: Vec<Worker>,
    /// What is to be sent in this step.
    to_send: VecDeque<(SubtaskIndex, ChannelIndex, Record)>,
}

/// The state of one task.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    /// By key.
    pub(super) keyed: BTreeMap<Key, StateValue>,
    /// Records read, by the source's splits.
    pub(super) offsets: Vec<u32>,
    /// Records sent on each outgoing edge in this attempt.
    pub(super) n_routed: Vec<u64>,
    /// A task of a new attempt that has not got its state back has none.
    pub(super) has_state: bool,
}

impl Worker {
    /// Of every task at the start.
    pub(super) fn all(graph: &ExecutionGraph) -> Vec<Self> {
        let worker = |task: &crate::model::Subtask| Self {
            keyed: BTreeMap::new(),
            offsets: vec![0; task.splits.len()],
            n_routed: vec![0; task.outputs.len()],
            has_state: true,
        };
        graph.subtasks.iter().map(worker).collect()
    }

    /// Lets a record that comes from a side have its effect: the entry under
    /// its key, and the result.
    pub(super) fn process(
        &mut self,
        kind: &OperatorKind,
        side: JoinSide,
        record: &Record,
    ) -> (Option<(Key, StateValue)>, Option<Record>) {
        let value = record.value;
        let result = |value: Value, key: Option<Key>| Some(Record { value, key, ..*record });
        let Some(selector) = kind.key_selector() else {
            return match kind {
                OperatorKind::Map(function) => (None, result(function.apply(value), record.key)),
                OperatorKind::Filter(predicate) if !predicate.holds(value) => (None, None),
                OperatorKind::Filter(_) | OperatorKind::Union => (None, Some(*record)),
                _ => (None, None),
            };
        };
        let key = selector.key(value);
        if let (OperatorKind::BroadcastProcess(_), JoinSide::Left) = (kind, side) {
            let sent = match self.keyed.get(&key) {
                Some(StateValue::Value(rule)) => {
                    Value::Number(value.number().wrapping_add(rule.number()))
                }
                _ => value,
            };
            return (None, result(sent, record.key));
        }
        let entry = self.keyed.get_mut(&key);
        let old = entry.as_deref().copied();
        let number = |old: Option<StateValue>| match old {
            Some(StateValue::Value(value)) => Some(value),
            _ => None,
        };
        let (new, sent) = match kind {
            OperatorKind::Join(_) => {
                let (mut left, mut right) = match old {
                    Some(StateValue::Sides { left, right }) => (left, right),
                    _ => (None, None),
                };
                match side {
                    JoinSide::Left => left = Some(value),
                    JoinSide::Right => right = Some(value),
                }
                let both = left.zip(right);
                let sum = both
                    .map(|(left, right)| Value::Number(left.number().wrapping_add(right.number())));
                (StateValue::Sides { left, right }, sum)
            }
            OperatorKind::BroadcastProcess(_) => (StateValue::Value(value), None),
            OperatorKind::Max(_) => {
                let new = match number(old) {
                    Some(old) if old.number() >= value.number() => old,
                    _ => value,
                };
                (StateValue::Value(new), Some(new))
            }
            _ => {
                let before = number(old).map_or(0, Value::number);
                let more = match kind {
                    OperatorKind::Count(_) => 1,
                    _ => value.number(),
                };
                let new = Value::Number(before.wrapping_add(more));
                (StateValue::Value(new), Some(new))
            }
        };
        match entry {
            Some(entry) => *entry = new,
            None => {
                self.keyed.insert(key, new);
            }
        }
        (Some((key, new)), sent.and_then(|value| result(value, Some(key))))
    }

    /// Where a result goes, with the turns that it takes.
    pub(super) fn route(
        &mut self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        record: &Record,
        mut send: impl FnMut(ChannelIndex, Record),
    ) {
        let spec = &graph.subtasks[task.index()];
        let branches = spec.outputs.len() > 1;
        for (edge, (output, n_routed)) in spec.outputs.iter().zip(&mut self.n_routed).enumerate() {
            let mut record = *record;
            if branches {
                record.id.path = record.id.path.turn(edge as u8 + 1);
            }
            let route = graph.route(output, spec.position, &record, *n_routed);
            *n_routed += 1;
            match route {
                Route::One(receiver) => send(output.channels[receiver as usize], record),
                Route::All => {
                    for (way, channel) in output.channels.iter().enumerate() {
                        let mut record = record;
                        if output.channels.len() > 1 {
                            record.id.path = record.id.path.turn(way as u8 + 1);
                        }
                        send(*channel, record);
                    }
                }
            }
        }
    }
}

impl Computation {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self { tasks: Worker::all(graph), to_send: VecDeque::new() }
    }

    /// What a task has now.
    pub(super) fn worker(&self, task: SubtaskIndex) -> &Worker {
        &self.tasks[task.index()]
    }

    /// Whether a task has read all of its splits, if it has any.
    pub(super) fn is_all_read(&self, graph: &ExecutionGraph, task: SubtaskIndex) -> bool {
        let splits = &graph.subtasks[task.index()].splits;
        let offsets = &self.tasks[task.index()].offsets;
        splits.iter().zip(offsets).all(|(split, at)| *at >= graph.split(*split).values.len())
    }

    /// A source reads a record.
    pub(super) fn read(
        &mut self,
        graph: &ExecutionGraph,
        (task, record): (SubtaskIndex, &Record),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let own = &graph.subtasks[task.index()].splits;
        let worker = &mut self.tasks[task.index()];
        let place = own.iter().position(|split| *split == record.id.split);
        let next = place.map_or(0, |place| worker.offsets[place] + 1);
        let is_plain = record.id.path.0 == 0 && record.key.is_none();
        if record.id.offset != next || !is_plain {
            found.push(step, None, Wrong::ReadOutOfOrder { task, record: record.id, next });
        }
        if let Some(place) = place {
            worker.offsets[place] = record.id.offset;
        }
        let to_send = &mut self.to_send;
        worker.route(graph, task, record, |channel, result| {
            to_send.push_back((task, channel, result));
        });
    }

    /// A task processes a record, with the state that it says to have then.
    pub(super) fn processed(
        &mut self,
        graph: &ExecutionGraph,
        (channel, record): (ChannelIndex, &Record),
        said: Option<&(Key, StateValue)>,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let spec = &graph.channels[channel.index()];
        let (task, kind) = (spec.to, &graph.operator(spec.to).kind);
        let worker = &mut self.tasks[task.index()];
        let (state, result) = worker.process(kind, spec.input, record);
        if state.as_ref() != said {
            found.push(step, None, Wrong::StateWrong { task, record: record.id });
        }
        if let Some(result) = result {
            let to_send = &mut self.to_send;
            worker.route(graph, task, &result, |channel, result| {
                to_send.push_back((task, channel, result));
            });
        }
    }

    /// A task sends a record.
    pub(super) fn sent(
        &mut self,
        (task, channel, record): (SubtaskIndex, ChannelIndex, &Record),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let is_it = |(sender, way, own): &(SubtaskIndex, ChannelIndex, Record)| {
            (*sender, *way) == (task, channel) && own == record
        };
        if self.to_send.front().is_some_and(is_it) {
            self.to_send.pop_front();
            return;
        }
        // Behind something that is missing, or of another task.
        match self.to_send.iter().position(is_it) {
            Some(place) => drop(self.to_send.remove(place)),
            None => {
                found.push(step, None, Wrong::ResultUnasked { task, record: record.id, channel });
            }
        }
    }

    /// The step is over: whatever was to be sent must be sent.
    pub(super) fn step_ends(&mut self, step: u64, found: &mut ConductJudgement) {
        for (task, channel, record) in self.to_send.drain(..) {
            found.push(step, None, Wrong::ResultMissing { task, record: record.id, channel });
        }
    }

    /// A snapshot must hold what the task has, and not in the middle of a
    /// record. Transactions are looked at elsewhere.
    pub(super) fn stored(
        &mut self,
        graph: &ExecutionGraph,
        (task, checkpoint, state): (SubtaskIndex, CheckpointId, &SnapshotState),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let unsent = self.to_send.iter().find(|(sender, ..)| *sender == task);
        if let Some((_, channel, record)) = unsent {
            let (channel, record) = (*channel, record.id);
            found.push(step, None, Wrong::StoredInMidRecord { task, checkpoint, record, channel });
        }
        if !self.has(graph, task, state) {
            found.push(step, None, Wrong::SnapshotDiffers { task, checkpoint });
        }
    }

    fn has(&self, graph: &ExecutionGraph, task: SubtaskIndex, state: &SnapshotState) -> bool {
        let worker = &self.tasks[task.index()];
        let kind = &graph.operator(task).kind;
        match state {
            SnapshotState::Offsets(offsets) => {
                let own = graph.subtasks[task.index()].splits.iter().zip(&worker.offsets);
                graph.is_source(task)
                    && own.map(|(split, at)| (*split, *at)).eq(offsets.iter().copied())
            }
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                let own = worker.keyed.iter().map(|(key, value)| (*key, *value));
                let is_broadcast = matches!(kind, OperatorKind::BroadcastProcess(_));
                kind.key_selector().is_some()
                    && is_broadcast == matches!(state, SnapshotState::Broadcast(_))
                    && own.eq(entries.iter().copied())
            }
            SnapshotState::Stateless => {
                !graph.is_source(task)
                    && kind.key_selector().is_none()
                    && !super::commitment::is_transactional(kind)
            }
            SnapshotState::Transactions(_) => super::commitment::is_transactional(kind),
        }
    }

    /// A new attempt begins: nothing but a source that cannot rewind keeps
    /// anything.
    pub(super) fn restarted(&mut self, graph: &ExecutionGraph, task: SubtaskIndex) {
        self.to_send.retain(|(sender, ..)| *sender != task);
        let worker = &mut self.tasks[task.index()];
        worker.keyed.clear();
        worker.n_routed.fill(0);
        worker.has_state = false;
        if is_replayable(graph, task) {
            worker.offsets.fill(0);
        }
    }

    /// A task has its state back.
    pub(super) fn restored(
        &mut self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        state: &SnapshotState,
    ) {
        let worker = &mut self.tasks[task.index()];
        worker.has_state = true;
        match state {
            SnapshotState::Offsets(offsets) => {
                let own = graph.subtasks[task.index()].splits.iter().zip(&mut worker.offsets);
                for (split, at) in own {
                    if let Some((_, offset)) = offsets.iter().find(|(other, _)| other == split) {
                        *at = *offset;
                    }
                }
            }
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                worker.keyed = entries.iter().copied().collect();
            }
            SnapshotState::Stateless | SnapshotState::Transactions(_) => {}
        }
    }
}

/// Whether a task reads again what it has read before, if it is a source.
pub(super) fn is_replayable(graph: &ExecutionGraph, task: SubtaskIndex) -> bool {
    !matches!(graph.operator(task).kind, OperatorKind::Source { replayable: false, .. })
}
