//! How records flow: delivery, processing, sending, backpressure.
//!
//! A task does one thing at a time. A record takes its service time between
//! being taken and having its effect; with no service time both happen in the
//! step in which it arrives.

use super::channel::{Room, Sent};
use super::outcome::Wait;
use super::turn::Turn;
use super::work::{Work, Yield};
use super::{Cluster, Lane, ToJobManager};
use crate::model::{
    ChannelIndex, Message, Micros, Output, Path, Record, RecordId, Route, StreamElement,
    SubtaskIndex,
};
use crate::protocol::{CheckpointCoordinator, TwoPhaseCommitInput};
use crate::trace::{Fact, TaskStatus};

impl Turn<'_> {
    /// The first element on a wire arrives.
    #[inline]
    pub(super) fn deliver(&mut self, channel: ChannelIndex) {
        let graph = &self.scenario.graph;
        let spec = &graph.channels[channel.index()];
        let task = spec.to;
        let Cluster { channels, tasks, .. } = &mut *self.cluster;
        let state = &mut channels[channel.index()];
        let receiver = &mut tasks[task.index()];
        let message = state.wire.front().expect("what arrives was on the wire");
        let StreamElement::Record(record) = &message.element else { return self.arrive(channel) };
        if !receiver.instant || !receiver.is_free() || !receiver.gate.is_empty() {
            return self.arrive(channel);
        }
        // It has its effect in the step in which it arrives.
        let kind = &graph.operator(task).kind;
        let mut result = *record;
        let what = receiver.work.process(kind, spec.input, &mut result);
        self.out.detail(|| {
            let state = receiver.work.state_under(kind, record.value);
            Fact::Processed { task, channel, number: message.number, record: *record, state }
        });
        state.wire.pop_front();
        state.subpartition.add_credit();
        let more_waits = !state.subpartition.is_empty();
        if what == Yield::Result {
            self.emit(task, &result);
        }
        if more_waits {
            self.pump(channel);
        }
    }

    /// An element arrives that is no record, or at a task that has other
    /// things to do or needs time for it.
    #[inline(never)]
    fn arrive(&mut self, channel: ChannelIndex) {
        let spec = &self.scenario.graph.channels[channel.index()];
        let to = spec.to;
        let state = &mut self.cluster.channels[channel.index()];
        let message = state.wire.pop_front().expect("what arrives was on the wire");
        let task = &mut self.cluster.tasks[to.index()];
        if task.is_free() && task.gate.is_empty() {
            self.take(to, channel, &message);
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
        } else {
            self.work(task);
        }
        self.go_on(task);
    }

    /// A task finishes the record in its hand, or takes what waits.
    #[inline(never)]
    fn work(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        if let Some((channel, message)) = state.in_hand.take() {
            let StreamElement::Record(record) = message.element else {
                unreachable!("only records take time")
            };
            self.process(task, (channel, message.number), &record);
        } else {
            let position = state.gate.dequeue().expect("it was scheduled to take something");
            let channel = self.scenario.graph.subtasks[task.index()].inputs[position as usize];
            let queue = &mut self.cluster.channels[channel.index()].queue;
            let message = queue.pop_front().expect("the gate names channels that have something");
            if !queue.is_empty() {
                state.gate.enqueue(position);
            }
            self.take(task, channel, &message);
        }
    }

    /// Schedules what a free task does next, if there is anything.
    #[inline(always)]
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
            self.start(task);
        }
    }

    /// A task takes a record that waits: its service time begins right now,
    /// and the step that ends it is the next thing to see.
    #[cold]
    fn start(&mut self, task: SubtaskIndex) {
        self.step(task);
    }

    /// Starts a subtask's service time.
    #[inline(always)]
    fn serve(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        state.scheduled = true;
        state.n_services += 1;
        let wait =
            Wait::Service { subtask: task, number: state.n_services, times: state.slowness.into() };
        self.out.event(Lane::Subtask(task), wait);
    }

    /// A task takes one element out of a channel.
    #[inline(always)]
    fn take(&mut self, task: SubtaskIndex, channel: ChannelIndex, message: &Message) {
        match &message.element {
            StreamElement::Record(record) => {
                let subpartition = &mut self.cluster.channels[channel.index()].subpartition;
                subpartition.add_credit();
                let more_waits = !subpartition.is_empty();
                if self.cluster.tasks[task.index()].instant {
                    self.process(task, (channel, message.number), record);
                } else {
                    self.cluster.tasks[task.index()].in_hand = Some((channel, *message));
                    self.out.detail(|| Fact::Started { task, channel, number: message.number });
                    self.serve(task);
                }
                if more_waits {
                    self.pump(channel);
                }
            }
            StreamElement::Barrier(barrier) => {
                self.barrier(task, (channel, message.number), *barrier);
            }
            StreamElement::EndOfData => self.end(task, channel, message.number),
        }
    }

    /// A record has its effect.
    #[inline]
    fn process(&mut self, task: SubtaskIndex, from: (ChannelIndex, u64), record: &Record) {
        let (channel, number) = from;
        let graph = &self.scenario.graph;
        let (kind, side) = (&graph.operator(task).kind, graph.channels[channel.index()].input);
        let work = &mut self.cluster.tasks[task.index()].work;
        let mut result = *record;
        let what = work.process(kind, side, &mut result);
        self.out.detail(|| {
            let state = work.state_under(kind, record.value);
            Fact::Processed { task, channel, number, record: *record, state }
        });
        if what == Yield::Result {
            self.emit(task, &result);
        }
    }

    /// A source reads its next record, or finds that there is none left.
    #[inline(always)]
    fn read(&mut self, task: SubtaskIndex) {
        let graph = &self.scenario.graph;
        let splits = &graph.subtasks[task.index()].splits;
        let Work::Source(reader) = &mut self.cluster.tasks[task.index()].work else {
            unreachable!("only sources read")
        };
        for _ in 0..splits.len() {
            let place = reader.turn;
            reader.turn = if place + 1 == splits.len() { 0 } else { place + 1 };
            let (split, offset) = (splits[place], &mut reader.offsets[place]);
            let values = &graph.split(split).values;
            if let Some(value) = values.next(*offset, split.0, self.cluster.seed) {
                *offset += 1;
                let id = RecordId { split, offset: *offset, path: Path::default() };
                let record = Record { id, value, key: None };
                self.out.detail(|| Fact::Read { task, record });
                self.emit(task, &record);
                return;
            }
        }
        self.end_of_data(task);
    }

    /// Sends a result on every outgoing edge.
    #[inline(always)]
    fn emit(&mut self, task: SubtaskIndex, record: &Record) {
        match &*self.scenario.graph.subtasks[task.index()].outputs {
            [output] => self.route(task, (0, output), record),
            outputs => self.branch(task, outputs, record),
        }
    }

    /// Sends a record on each of several edges; it remembers which.
    #[cold]
    fn branch(&mut self, task: SubtaskIndex, outputs: &[Output], record: &Record) {
        for (way, output) in outputs.iter().enumerate() {
            let mut record = *record;
            record.id.path = record.id.path.turn(way as u8 + 1);
            self.route(task, (way, output), &record);
        }
    }

    /// Sends a record on one edge.
    #[inline(always)]
    fn route(&mut self, task: SubtaskIndex, edge: (usize, &Output), record: &Record) {
        let graph = &self.scenario.graph;
        let (way, output) = edge;
        let n_routed = &mut self.cluster.tasks[task.index()].n_routed[way];
        let sender = graph.subtasks[task.index()].position;
        let route = graph.route(output, sender, record, *n_routed);
        *n_routed += 1;
        match route {
            Route::One(receiver) => {
                let channel = output.channels[receiver as usize];
                self.send(task, channel, StreamElement::Record(*record));
            }
            Route::All => self.send_to_all(task, output, record),
        }
    }

    #[cold]
    fn send_to_all(&mut self, task: SubtaskIndex, output: &Output, record: &Record) {
        for (receiver, channel) in output.channels.iter().enumerate() {
            let mut record = *record;
            if output.channels.len() > 1 {
                record.id.path = record.id.path.turn(receiver as u8 + 1);
            }
            self.put(task, *channel, StreamElement::Record(record));
        }
    }

    /// Puts one of several elements into a channel.
    #[inline(never)]
    fn put(&mut self, task: SubtaskIndex, channel: ChannelIndex, element: StreamElement) {
        self.send(task, channel, element);
    }

    /// Puts an element into a channel.
    #[inline(always)]
    fn send(&mut self, task: SubtaskIndex, channel: ChannelIndex, element: StreamElement) {
        let state = &mut self.cluster.channels[channel.index()];
        let (number, sent) = state.subpartition.add(element, &mut state.wire);
        self.out.detail(|| Fact::Emitted {
            channel,
            number,
            element,
            buffered: sent != Sent::Departs,
        });
        match sent {
            Sent::Departs => {
                let wait = Wait::Network { channel, number, times: state.slowness.into() };
                self.out.event(Lane::Channel(channel), wait);
            }
            Sent::Waits => {}
            Sent::Fills => self.cluster.tasks[task.index()].n_full += 1,
        }
    }

    /// Sends on what may leave an output buffer, and wakes a sender that had
    /// no room.
    #[cold]
    pub(super) fn pump(&mut self, channel: ChannelIndex) {
        let from = self.scenario.graph.channels[channel.index()].from;
        loop {
            let state = &mut self.cluster.channels[channel.index()];
            let Some((number, room)) = state.subpartition.next(&mut state.wire) else { return };
            let wait = Wait::Network { channel, number, times: state.slowness.into() };
            self.out.event(Lane::Channel(channel), wait);
            self.out.detail(|| Fact::Departed { channel, number });
            if room == Room::Again {
                self.cluster.tasks[from.index()].n_full -= 1;
                self.go_on(from);
            }
        }
    }

    /// A task has the end of data from a channel.
    #[cold]
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
    #[cold]
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
                self.put(task, *channel, element);
            }
        }
    }

    /// Whether a task takes messages of the JobManager.
    pub(super) fn is_running(&self, task: SubtaskIndex) -> bool {
        self.cluster.tasks[task.index()].status == TaskStatus::Running
    }
}
