//! How records flow: delivery, processing, sending, backpressure.
//!
//! A task does one thing at a time. A record takes its service time between
//! being taken and having its effect; with no service time both happen in the
//! step in which it arrives.

use super::outcome::Wait;
use super::subpartition::Sent;
use super::turn::Turn;
use super::work::{Work, Yield};
use super::{Cluster, Lane, ToJobManager};
use crate::model::{
    ChannelIndex, ChannelKind, Message, Mutation, Output, Path, Record, RecordId, Route,
    StreamElement, SubtaskIndex,
};
use crate::protocol::{CheckpointCoordinator, SubtaskInput, TwoPhaseCommitInput};
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
        if !receiver.is_plainly_free() || !receiver.input.is_empty() {
            return self.arrive(channel);
        }
        // It has its effect in the step in which it arrives.
        let kind = &graph.operator(task).kind;
        let mut result = *record;
        let what = receiver.work.process(kind, spec.input, &mut result);
        self.out.detail(|| {
            let state = receiver.work.state_under(kind, spec.input, record.value);
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

    /// A subtask's own event: its service time is over, or it takes what waits.
    #[inline]
    pub(super) fn step(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        state.scheduled = false;
        if state.copying.is_some() {
            state.postponed = true;
            return;
        }
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
            self.mind_mail(task);
        } else {
            self.mind_mail(task);
            if self.cluster.tasks[task.index()].is_free() {
                self.read_input(task);
            }
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
        self.go_on_reading(task);
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

    /// A task takes a record out of a channel.
    #[inline(always)]
    pub(super) fn take(&mut self, task: SubtaskIndex, channel: ChannelIndex, message: &Message) {
        let StreamElement::Record(record) = &message.element else {
            unreachable!("events are taken by the input")
        };
        let state = &mut self.cluster.channels[channel.index()];
        let is_metered = state.kind == ChannelKind::Remote && message.number > state.n_recovered;
        let more_waits = is_metered && {
            state.subpartition.add_credit();
            !state.subpartition.is_empty()
        };
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
            let state = work.state_under(kind, side, record.value);
            Fact::Processed { task, channel, number, record: *record, state }
        });
        if !self.scenario.broken.is_empty() && self.scenario.breaks(Mutation::BarrierInMidRecord) {
            self.mind_mail(task);
        }
        if what == Yield::Result {
            // Room in a local channel may come at once; nothing else begins before
            // the last result is sent.
            let before = std::mem::replace(&mut self.cluster.tasks[task.index()].scheduled, true);
            self.emit(task, &result);
            self.cluster.tasks[task.index()].scheduled = before;
        }
        if !self.cluster.tasks[task.index()].late.is_empty() {
            self.catch_up(task);
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
                if !self.cluster.tasks[task.index()].late.is_empty() {
                    self.catch_up(task);
                }
                if !self.scenario.backlogs.is_empty() {
                    self.mind_backlog(task);
                }
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
                self.send(task, channel, record);
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
            self.send_one_of_many(task, *channel, &record);
        }
    }

    /// Sends a record on one of several channels.
    #[inline(never)]
    fn send_one_of_many(&mut self, task: SubtaskIndex, channel: ChannelIndex, record: &Record) {
        self.send(task, channel, record);
    }

    /// Puts a record into a channel.
    #[inline(always)]
    fn send(&mut self, task: SubtaskIndex, channel: ChannelIndex, record: &Record) {
        let state = &mut self.cluster.channels[channel.index()];
        let (number, sent) = match self.scenario.broken.is_empty() {
            true => state.subpartition.send(record, &mut state.wire),
            false => state.send_under(self.scenario, record),
        };
        self.out.detail(|| Fact::Emitted {
            channel,
            number,
            element: StreamElement::Record(*record),
            buffered: sent != Sent::Departs,
        });
        match sent {
            Sent::Departs => {
                let wait = Wait::Network { channel, number, times: state.slowness.into() };
                self.out.event(Lane::Channel(channel), wait);
            }
            Sent::Waits | Sent::Fills => self.keep(task, channel, sent),
        }
    }

    #[cold]
    fn keep(&mut self, task: SubtaskIndex, channel: ChannelIndex, sent: Sent) {
        if sent == Sent::Fills {
            self.cluster.tasks[task.index()].n_full += 1;
        }
        let state = &self.cluster.channels[channel.index()];
        if state.kind == ChannelKind::Local && state.subpartition.has_next() {
            self.note_local_data(channel);
        }
    }

    /// Puts an event into a channel.
    #[inline(never)]
    pub(super) fn put(&mut self, channel: ChannelIndex, element: StreamElement) {
        let mut told = Vec::new();
        let state = &mut self.cluster.channels[channel.index()];
        let number = match element {
            StreamElement::Barrier(_)
                if self.scenario.breaks(Mutation::BarrierOvertakesRecords) =>
            {
                state.subpartition.add_first(element)
            }
            _ => state.subpartition.add(element, &mut told),
        };
        let departs = match state.kind {
            ChannelKind::Remote => state.subpartition.poll(&mut told),
            ChannelKind::Local => None,
        };
        let mut buffered = true;
        if let Some((message, _)) = departs {
            buffered = message.number != number;
            // A task that is started again alone finds its channels as they were.
            let is_broken = self.scenario.breaks(Mutation::RestartFailedTaskOnly);
            debug_assert!(!buffered || is_broken, "what could go has gone before");
            state.wire.push_back(message);
            let number = message.number;
            let wait = Wait::Network { channel, number, times: state.slowness.into() };
            self.out.event(Lane::Channel(channel), wait);
        }
        self.out.detail(|| Fact::Emitted { channel, number, element, buffered });
        if let Some((message, _)) = departs.filter(|_| buffered) {
            self.out.detail(|| Fact::Departed { channel, number: message.number });
        }
        self.carry_out_output(channel, told);
        if buffered && self.cluster.channels[channel.index()].kind == ChannelKind::Local {
            self.pump(channel);
        }
    }

    /// A task has the end of data from a channel.
    #[cold]
    pub(super) fn end(&mut self, task: SubtaskIndex, channel: ChannelIndex, number: u64) {
        self.out.detail(|| Fact::EndReceived { task, channel, number });
        let state = &mut self.cluster.tasks[task.index()];
        state.n_ended += 1;
        if state.n_ended as usize == self.scenario.graph.subtasks[task.index()].inputs.len() {
            self.end_of_data(task);
        }
        // Flink 1.20: the receiver acknowledges the end of data to the sender.
        let sender = self.scenario.graph.channels[channel.index()].from;
        self.cluster.tasks[sender.index()].n_outputs_processed += 1;
        self.finish_if_done(sender);
    }

    /// A task will get no further record.
    #[cold]
    pub(super) fn end_of_data(&mut self, task: SubtaskIndex) {
        self.cluster.tasks[task.index()].ended = true;
        self.out.fact(Fact::EndOfData { task });
        self.end_backlog(task);
        self.broadcast(task, StreamElement::EndOfData);
        let waits = self.waits_at_end();
        if let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work {
            sink.on(TwoPhaseCommitInput::EndOfData, &mut self.out.facts);
            if !waits {
                let with_checkpoints = CheckpointCoordinator::takes_checkpoints(self.scenario);
                sink.on(TwoPhaseCommitInput::Finish { with_checkpoints }, &mut self.out.facts);
            }
        }
        if waits {
            self.checkpoint(task, SubtaskInput::EndOfData);
            self.write_to_job_manager(task, ToJobManager::EndOfData);
        } else {
            self.cluster.tasks[task.index()].last_is_complete = true;
        }
        self.finish_if_done(task);
    }

    /// A task has the end of a channel. Before it may finish, the end counts as
    /// a barrier.
    #[cold]
    pub(super) fn partition_ended(
        &mut self,
        task: SubtaskIndex,
        channel: ChannelIndex,
        number: u64,
    ) {
        self.out.detail(|| Fact::PartitionEnded { task, channel, number });
        self.cluster.tasks[task.index()].n_partitions_ended += 1;
    }

    /// Puts an event into every outgoing channel.
    pub(super) fn broadcast(&mut self, task: SubtaskIndex, element: StreamElement) {
        let scenario = self.scenario;
        for output in &scenario.graph.subtasks[task.index()].outputs {
            for channel in &output.channels {
                self.put(*channel, element);
            }
        }
    }

    /// Whether a task takes messages of the JobManager.
    pub(super) fn is_running(&self, task: SubtaskIndex) -> bool {
        self.cluster.tasks[task.index()].status == TaskStatus::Running
    }
}
