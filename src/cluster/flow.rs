//! How records flow: delivery, processing, sending, backpressure.
//!
//! A task does one thing at a time. A record takes its service time between
//! being taken and having its effect; with no service time both happen in the
//! step in which it arrives.

use super::channel::{Room, Sent};
use super::outcome::Wait;
use super::task::Work;
use super::turn::Turn;
use super::{Lane, ToJobManager};
use crate::model::{
    ChannelIndex, JoinSide, Key, Message, Micros, OperatorKind, Record, RecordId, Route,
    StateValue, StreamElement, SubtaskIndex, Value,
};
use crate::protocol::{CheckpointCoordinator, TwoPhaseCommitInput};
use crate::trace::{Fact, TaskStatus};

impl Turn<'_> {
    /// The first element on a wire arrives.
    #[inline]
    pub(super) fn deliver(&mut self, channel: ChannelIndex) {
        let spec = &self.scenario.graph.channels[channel.index()];
        let to = spec.to;
        let state = &mut self.cluster.channels[channel.index()];
        let message = state.wire.pop_front().expect("what arrives was on the wire");
        let task = &mut self.cluster.tasks[to.index()];
        if task.is_free() && task.gate.is_empty() {
            self.take(to, channel, message);
            self.go_on(to);
            return;
        }
        state.queue.push_back(message);
        if state.queue.len() == 1 {
            task.gate.enqueue(spec.input_position);
        }
        self.out.detail(|| Fact::Arrived { channel, number: message.number });
    }

    /// A subtask's own event: its service time is over, or it takes what waits.
    #[inline]
    pub(super) fn step(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        state.scheduled = false;
        if let Work::Source(_) = state.work {
            self.read(task);
        } else if let Some((channel, message)) = state.in_hand.take() {
            let StreamElement::Record(record) = message.element else {
                unreachable!("only records take time")
            };
            self.process(task, (channel, message.number), record);
        } else {
            let position = state.gate.dequeue().expect("it was scheduled to take something");
            let channel = self.scenario.graph.subtasks[task.index()].inputs[position as usize];
            let queue = &mut self.cluster.channels[channel.index()].queue;
            let message = queue.pop_front().expect("the gate names channels that have something");
            if !queue.is_empty() {
                state.gate.enqueue(position);
            }
            self.take(task, channel, message);
        }
        self.go_on(task);
    }

    /// Schedules what a free task does next, if there is anything.
    #[inline]
    pub(super) fn go_on(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        if !state.is_free() {
            return;
        }
        if let Work::Source(_) = state.work {
            if !state.ended {
                self.serve(task);
            }
            return;
        }
        let Some(position) = state.gate.next() else { return };
        let channel = self.scenario.graph.subtasks[task.index()].inputs[position as usize];
        let queue = &self.cluster.channels[channel.index()].queue;
        let first = queue.front().expect("the gate names channels that have something");
        if state.instant || !matches!(first.element, StreamElement::Record(_)) {
            state.scheduled = true;
            self.out.event(Lane::Subtask(task), Wait::After(Micros::ZERO));
        } else {
            // Its service time begins right now: the step that ends it is the
            // next thing to see.
            self.step(task);
        }
    }

    /// Starts a subtask's service time.
    #[inline]
    fn serve(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        state.scheduled = true;
        state.n_services += 1;
        let wait = Wait::Service { subtask: task, number: state.n_services, times: state.slowness };
        self.out.event(Lane::Subtask(task), wait);
    }

    /// A task takes one element out of a channel.
    #[inline]
    fn take(&mut self, task: SubtaskIndex, channel: ChannelIndex, message: Message) {
        match message.element {
            StreamElement::Record(record) => {
                let subpartition = &mut self.cluster.channels[channel.index()].subpartition;
                subpartition.add_credit();
                let more_waits = !subpartition.is_empty();
                if self.cluster.tasks[task.index()].instant {
                    self.process(task, (channel, message.number), record);
                } else {
                    self.cluster.tasks[task.index()].in_hand = Some((channel, message));
                    self.out.detail(|| Fact::Started { task, channel, number: message.number });
                    self.serve(task);
                }
                if more_waits {
                    self.pump(channel);
                }
            }
            StreamElement::Barrier(barrier) => {
                self.barrier(task, (channel, message.number), barrier);
            }
            StreamElement::EndOfData => self.end(task, channel, message.number),
        }
    }

    /// A record has its effect.
    #[inline]
    fn process(&mut self, task: SubtaskIndex, from: (ChannelIndex, u64), record: Record) {
        let scenario = self.scenario;
        let kind = &scenario.graph.operator(task).kind;
        let work = &mut self.cluster.tasks[task.index()].work;
        let mut state = None;
        let result = match (kind, work) {
            (OperatorKind::Sum(selector), Work::Keyed(values)) => {
                let key = selector.key(record.value);
                let new = values.update(key, |old| {
                    let old = old.map_or(0, Value::number);
                    Value::Number(old.wrapping_add(record.value.number()))
                });
                state = Some((key, StateValue::Value(new)));
                Some((new, Some(key)))
            }
            (OperatorKind::Count(selector), Work::Keyed(values)) => {
                let key = selector.key(record.value);
                let new = values
                    .update(key, |old| Value::Number(old.map_or(0, Value::number).wrapping_add(1)));
                state = Some((key, StateValue::Value(new)));
                Some((new, Some(key)))
            }
            (OperatorKind::Max(selector), Work::Keyed(values)) => {
                let key = selector.key(record.value);
                let new = values
                    .update(key, |old| old.map_or(record.value, |old| larger(old, record.value)));
                state = Some((key, StateValue::Value(new)));
                Some((new, Some(key)))
            }
            (OperatorKind::Join(selector), Work::Keyed(super::KeyedState::Sides(sides))) => {
                let key = selector.key(record.value);
                let entry = sides.entry(key).or_default();
                match scenario.graph.channels[from.0.index()].input {
                    JoinSide::Left => entry.0 = Some(record.value),
                    JoinSide::Right => entry.1 = Some(record.value),
                }
                state = Some((key, StateValue::Sides { left: entry.0, right: entry.1 }));
                match *entry {
                    (Some(left), Some(right)) => {
                        let sum = left.number().wrapping_add(right.number());
                        Some((Value::Number(sum), Some(key)))
                    }
                    _ => None,
                }
            }
            (OperatorKind::Map(function), _) => Some((function.apply(record.value), record.key)),
            (OperatorKind::Filter(predicate), _) => {
                predicate.holds(record.value).then_some((record.value, record.key))
            }
            (OperatorKind::Union, _) => Some((record.value, record.key)),
            (OperatorKind::Sink(_), Work::Sink(sink)) => {
                sink.write(record);
                None
            }
            _ => unreachable!("a task does the work of its operator"),
        };
        let (channel, number) = from;
        self.out.detail(|| Fact::Processed { task, channel, number, record, state });
        if let Some((value, key)) = result {
            self.emit(task, record.id, (value, key));
        }
    }

    /// A source reads its next record, or finds that there is none left.
    fn read(&mut self, task: SubtaskIndex) {
        let graph = &self.scenario.graph;
        let splits = &graph.subtasks[task.index()].splits;
        let Work::Source(reader) = &mut self.cluster.tasks[task.index()].work else {
            unreachable!("only sources read")
        };
        for _ in 0..splits.len() {
            let place = reader.turn;
            reader.turn = if place + 1 == splits.len() { 0 } else { place + 1 };
            let values = &graph.split(splits[place]).values;
            if reader.offsets[place] < values.len() {
                reader.offsets[place] += 1;
                let (split, offset) = (splits[place], reader.offsets[place]);
                let value = values.value(offset, split.0, self.cluster.seed);
                let id = RecordId { split, offset, path: crate::model::Path::default() };
                self.out.detail(|| Fact::Read { task, record: Record { id, value, key: None } });
                self.emit(task, id, (value, None));
                return;
            }
        }
        self.end_of_data(task);
    }

    /// Sends a result on every outgoing edge.
    #[inline]
    fn emit(&mut self, task: SubtaskIndex, cause: RecordId, result: (Value, Option<Key>)) {
        let subtask = &self.scenario.graph.subtasks[task.index()];
        let branches = subtask.outputs.len() > 1;
        for (way, output) in subtask.outputs.iter().enumerate() {
            let mut record = Record { id: cause, value: result.0, key: result.1 };
            if branches {
                record.id.path = cause.path.turn(way as u8 + 1);
            }
            let n_routed = &mut self.cluster.tasks[task.index()].n_routed[way];
            let route = self.scenario.graph.route(output, subtask.position, &record, *n_routed);
            *n_routed += 1;
            match route {
                Route::One(receiver) => {
                    let channel = output.channels[receiver as usize];
                    self.send(task, channel, StreamElement::Record(record));
                }
                Route::All => {
                    let path = record.id.path;
                    for (receiver, channel) in output.channels.iter().enumerate() {
                        if output.channels.len() > 1 {
                            record.id.path = path.turn(receiver as u8 + 1);
                        }
                        self.send(task, *channel, StreamElement::Record(record));
                    }
                }
            }
        }
    }

    /// Puts an element into a channel.
    #[inline]
    pub(super) fn send(
        &mut self,
        task: SubtaskIndex,
        channel: ChannelIndex,
        element: StreamElement,
    ) {
        let state = &mut self.cluster.channels[channel.index()];
        let (message, sent) = state.subpartition.add(element);
        let number = message.number;
        self.out.detail(|| Fact::Emitted {
            channel,
            number,
            element,
            buffered: sent != Sent::Departs,
        });
        match sent {
            Sent::Departs => {
                state.wire.push_back(message);
                let wait = Wait::Network { channel, number, times: state.slowness };
                self.out.event(Lane::Channel(channel), wait);
            }
            Sent::Waits => {}
            Sent::Fills => self.cluster.tasks[task.index()].n_full += 1,
        }
    }

    /// Sends on what may leave an output buffer, and wakes a sender that had
    /// no room.
    pub(super) fn pump(&mut self, channel: ChannelIndex) {
        let from = self.scenario.graph.channels[channel.index()].from;
        loop {
            let state = &mut self.cluster.channels[channel.index()];
            let Some((message, room)) = state.subpartition.next() else { return };
            state.wire.push_back(message);
            let number = message.number;
            let wait = Wait::Network { channel, number, times: state.slowness };
            self.out.event(Lane::Channel(channel), wait);
            self.out.detail(|| Fact::Departed { channel, number });
            if room == Room::Again {
                self.cluster.tasks[from.index()].n_full -= 1;
                self.go_on(from);
            }
        }
    }

    /// A task has the end of data from a channel.
    fn end(&mut self, task: SubtaskIndex, channel: ChannelIndex, number: u64) {
        self.out.detail(|| Fact::EndReceived { task, channel, number });
        if !CheckpointCoordinator::takes_last_checkpoint(self.scenario) {
            let position = self.scenario.graph.channels[channel.index()].input_position;
            self.end_of_channel(task, position);
        }
        let state = &mut self.cluster.tasks[task.index()];
        state.n_ended += 1;
        if state.n_ended as usize == self.scenario.graph.subtasks[task.index()].inputs.len() {
            self.end_of_data(task);
        }
    }

    /// A task will get no further record.
    fn end_of_data(&mut self, task: SubtaskIndex) {
        self.cluster.tasks[task.index()].ended = true;
        self.out.fact(Fact::EndOfData { task });
        self.broadcast(task, StreamElement::EndOfData);
        let waits = CheckpointCoordinator::takes_last_checkpoint(self.scenario);
        if let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work {
            sink.on(TwoPhaseCommitInput::EndOfData, &mut self.out.facts);
            if !waits {
                let with_checkpoints = CheckpointCoordinator::takes_checkpoints(self.scenario);
                sink.on(TwoPhaseCommitInput::Finish { with_checkpoints }, &mut self.out.facts);
            }
        }
        if waits {
            self.write_to_job_manager(task, ToJobManager::EndOfData);
        } else {
            self.finish(task);
        }
    }

    /// Puts an element into every outgoing channel.
    pub(super) fn broadcast(&mut self, task: SubtaskIndex, element: StreamElement) {
        let scenario = self.scenario;
        for output in &scenario.graph.subtasks[task.index()].outputs {
            for channel in &output.channels {
                self.send(task, *channel, element);
            }
        }
    }

    /// Whether a task takes messages of the JobManager.
    pub(super) fn is_running(&self, task: SubtaskIndex) -> bool {
        self.cluster.tasks[task.index()].status == TaskStatus::Running
    }
}

fn larger(a: Value, b: Value) -> Value {
    if b.number() > a.number() { b } else { a }
}
