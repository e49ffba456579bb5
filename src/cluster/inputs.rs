//! A task's input at work: what arrives, what is read, and what barriers cause.

use super::channel::Inputs;
use super::checkpointed_input_gate::{InputEffect, Polled};
use super::outcome::Wait;
use super::subpartition::Room;
use super::turn::Turn;
use super::{Cluster, Lane};
use crate::model::{
    Barrier, ChannelEnd, ChannelIndex, ChannelKind, Message, Micros, Mutation, Record,
    StreamElement, SubtaskIndex,
};
use crate::protocol::{BarrierEffect, BarrierInput, SubtaskInput};
use crate::trace::Fact;

impl Turn<'_> {
    /// An element arrives that is no record, or at a task that has other
    /// things to do or needs time for it.
    #[inline(never)]
    pub(super) fn arrive(&mut self, channel: ChannelIndex) {
        let spec = &self.scenario.graph.channels[channel.index()];
        let (task, position) = (spec.to, spec.input_position);
        let message = self.cluster.channels[channel.index()].wire.pop_front();
        let message = message.expect("what arrives was on the wire");
        let state = &self.cluster.tasks[task.index()];
        let takes_it = state.is_free() && state.input.is_empty();
        // A barrier that is announced is in the queue first, and may move there.
        let is_announced = matches!(
            &message.element,
            StreamElement::Barrier(barrier) if barrier.options.timeout().is_some()
        );
        if !takes_it || is_announced {
            self.out.detail(|| Fact::Arrived { channel, number: message.number });
        }
        let mut effects = Vec::new();
        let (state, mut inputs) = self.input_of(task);
        state.input.receive(position, message, &mut inputs, &mut effects);
        if let StreamElement::Barrier(barrier) = &message.element
            && self.scenario.breaks(Mutation::LogPastBarrier)
        {
            let barrier = barrier.checkpoint;
            self.cluster.channels[channel.index()].input.log_past_barrier(barrier);
        }
        self.carry_out_input(task, effects);
        self.mind_mail(task);
        if takes_it && self.cluster.tasks[task.index()].is_free() {
            self.read_input(task);
        }
        self.go_on(task);
    }

    /// What a restored snapshot held at the receiving end of a channel is there.
    pub(super) fn recover_input(&mut self, channel: ChannelIndex, records: &[Record]) {
        let spec = &self.scenario.graph.channels[channel.index()];
        let (task, position) = (spec.to, spec.input_position);
        let messages = (1..)
            .zip(records)
            .map(|(number, record)| Message { number, element: StreamElement::Record(*record) });
        let messages: Vec<_> = messages.collect();
        self.cluster.channels[channel.index()].n_recovered = messages.len() as u64;
        let (state, mut inputs) = self.input_of(task);
        state.input.recover(position, messages, &mut inputs);
    }

    /// The sender of a local channel has something to hand out.
    #[cold]
    pub(super) fn note_local_data(&mut self, channel: ChannelIndex) {
        let spec = &self.scenario.graph.channels[channel.index()];
        let (task, position) = (spec.to, spec.input_position);
        let (state, mut inputs) = self.input_of(task);
        state.input.note_local_data(position, &mut inputs);
        self.mind_mail(task);
        self.go_on(task);
    }

    /// The alignment at a task's input has timed out.
    #[cold]
    pub(super) fn input_timer(&mut self, task: SubtaskIndex) {
        let now = self.now;
        let state = &mut self.cluster.tasks[task.index()];
        let Some(checkpoint) = state.input.elapse(now) else { return };
        if !state.is_between_records() {
            self.out.fact(Fact::AlignmentTimerDue { task, checkpoint });
        }
        self.mind_mail(task);
        self.go_on(task);
    }

    /// Lets a task do what is to be done between two records, if it is.
    pub(super) fn mind_mail(&mut self, task: SubtaskIndex) {
        let now = self.now;
        loop {
            let state = &self.cluster.tasks[task.index()];
            if !state.input.has_mail() || !state.is_between_records() {
                return;
            }
            let mut effects = Vec::new();
            let (state, mut inputs) = self.input_of(task);
            state.input.run_mailbox(now, &mut inputs, &mut effects);
            self.carry_out_input(task, effects);
            // A timer that was armed too late comes before the next record.
            let state = &mut self.cluster.tasks[task.index()];
            if state.input.elapse(now).is_some() {
                self.out.clear_lane(Lane::InputTimer(task));
            }
        }
    }

    /// A task takes one element out of its channels, if there is any.
    #[inline]
    pub(super) fn read_input(&mut self, task: SubtaskIndex) {
        let mut effects = Vec::new();
        let now = self.now;
        let (state, mut inputs) = self.input_of(task);
        let polled = state.input.poll(now, &mut inputs, &mut effects);
        let rooms = match effects.is_empty() {
            true => Vec::new(),
            false => self.carry_out_but_rooms(task, effects),
        };
        if let Some(Polled::Element { channel, message }) = polled
            && let StreamElement::Record(_) = message.element
        {
            let channel = self.scenario.graph.subtasks[task.index()].inputs[channel as usize];
            self.take(task, channel, &message);
        }
        // A sender that has room again may do anything, and the record that made
        // the room must be in somebody's hand by then.
        for (channel, room) in rooms {
            self.note_room(channel, room);
        }
    }

    fn input_of(&mut self, task: SubtaskIndex) -> (&mut super::Task, Inputs<'_>) {
        let positions = &self.scenario.graph.subtasks[task.index()].inputs;
        let Cluster { tasks, channels, .. } = &mut *self.cluster;
        (&mut tasks[task.index()], Inputs { channels, positions })
    }

    /// The coordinator triggers a task whose inputs send no barrier: each one
    /// that has not ended counts as if it had.
    // Flink 1.20: StreamTask.triggerUnfinishedChannelsCheckpoint.
    pub(super) fn trigger_inputs(&mut self, task: SubtaskIndex, barrier: Barrier) {
        let n_inputs = self.scenario.graph.subtasks[task.index()].inputs.len() as u32;
        for channel in 0..n_inputs {
            let input = BarrierInput::TriggerForChannel { channel, barrier };
            let mut effects = Vec::new();
            let now = self.now;
            let (state, mut inputs) = self.input_of(task);
            if !state.input.has_ended(channel) {
                state.input.tell(now, input, &mut inputs, &mut effects);
            }
            self.carry_out_input(task, effects);
        }
        self.go_on(task);
    }

    /// Does what a task's input asks for, and tells what has happened there.
    fn carry_out_input(&mut self, task: SubtaskIndex, effects: Vec<InputEffect>) {
        for (channel, room) in self.carry_out_but_rooms(task, effects) {
            self.note_room(channel, room);
        }
    }

    /// The same, but for the senders that have room again, which it gives back.
    fn carry_out_but_rooms(
        &mut self,
        task: SubtaskIndex,
        effects: Vec<InputEffect>,
    ) -> Vec<(ChannelIndex, Room)> {
        let mut rooms = Vec::new();
        let scenario = self.scenario;
        let inputs = &scenario.graph.subtasks[task.index()].inputs;
        let channel_at = |position: u32| inputs[position as usize];
        let n_ended = self.cluster.tasks[task.index()].n_partitions_ended;
        for effect in effects {
            match effect {
                InputEffect::Took { channel, message, progress } => {
                    let channel = channel_at(channel);
                    self.took(task, channel, &message, (progress.n_received, progress.n_needed));
                }
                InputEffect::EndCounted { checkpoint, progress } => {
                    let (n_received, n_needed) = (progress.n_received, progress.n_needed);
                    self.out.fact(Fact::EndCounted { task, checkpoint, n_received, n_needed });
                }
                InputEffect::Announced { channel, barrier, progress } => {
                    self.out.fact(Fact::Announced {
                        task,
                        channel: channel_at(channel),
                        checkpoint: barrier.checkpoint,
                        n_received: progress.n_received,
                        n_needed: progress.n_needed,
                    });
                }
                InputEffect::Prioritized { channel, message } => {
                    let channel = channel_at(channel);
                    self.out.fact(Fact::Prioritized { channel, number: message.number });
                }
                InputEffect::Captured { channel, captured } => {
                    let place = (channel_at(channel), ChannelEnd::Input);
                    self.save_in_flight(task, place, captured.checkpoint, &captured.messages);
                }
                InputEffect::Sender { channel, room, effects, .. } => {
                    let channel = channel_at(channel);
                    self.carry_out_output(channel, effects);
                    rooms.push((channel, room));
                }
                InputEffect::Handler(effect) => self.carry_out_barrier(task, effect),
            }
        }
        self.note_plainness(task);
        if self.cluster.tasks[task.index()].n_partitions_ended > n_ended {
            self.finish_if_done(task);
        }
        rooms
    }

    fn took(
        &mut self,
        task: SubtaskIndex,
        channel: ChannelIndex,
        message: &Message,
        progress: (u32, u32),
    ) {
        let number = message.number;
        let (n_received, n_needed) = progress;
        match message.element {
            StreamElement::Barrier(barrier) => {
                let checkpoint = barrier.checkpoint;
                self.out.fact(Fact::BarrierReceived {
                    task,
                    channel,
                    number,
                    checkpoint,
                    n_received,
                    n_needed,
                });
            }
            StreamElement::CancelMarker(checkpoint) => {
                self.out.fact(Fact::CancelMarkerReceived { task, channel, number, checkpoint });
            }
            StreamElement::EndOfData => self.end(task, channel, number),
            StreamElement::EndOfPartition => self.partition_ended(task, channel, number),
            StreamElement::EndOfChannelState => {
                self.out.fact(Fact::ChannelStateReceived { task, channel, number });
            }
            StreamElement::Record(_) => unreachable!("a record is no event"),
        }
    }

    fn carry_out_barrier(&mut self, task: SubtaskIndex, effect: BarrierEffect) {
        let inputs = &self.scenario.graph.subtasks[task.index()].inputs;
        match effect {
            BarrierEffect::Block { channel, checkpoint } => {
                let channel = inputs[channel as usize];
                self.cluster.channels[channel.index()].blocked = Some(checkpoint);
                self.out.fact(Fact::Blocked { channel, checkpoint });
            }
            BarrierEffect::Resume { channel } => self.resume(inputs[channel as usize]),
            BarrierEffect::TimedOut { checkpoint } => {
                self.out.fact(Fact::AlignmentTimedOut { task, checkpoint });
            }
            BarrierEffect::InitInputs(barrier) => {
                self.checkpoint(task, SubtaskInput::InitInputs(barrier));
            }
            BarrierEffect::Trigger { barrier, start_delay } => {
                self.checkpoint(task, SubtaskInput::Trigger { barrier, start_delay });
            }
            BarrierEffect::Aligned { checkpoint, duration, bytes } => {
                self.checkpoint(task, SubtaskInput::Aligned { checkpoint, duration, bytes });
            }
            BarrierEffect::InputsComplete(checkpoint) => {
                self.checkpoint(task, SubtaskInput::InputsComplete(checkpoint));
            }
            BarrierEffect::Abort { checkpoint, reason } => {
                self.checkpoint(task, SubtaskInput::Aborted { checkpoint, reason });
            }
            BarrierEffect::ArmTimer { at, .. } => {
                self.out.clear_lane(Lane::InputTimer(task));
                self.out.event(Lane::InputTimer(task), Wait::At(at));
            }
            BarrierEffect::DisarmTimer => self.out.clear_lane(Lane::InputTimer(task)),
            // Done by the input itself, or said already.
            BarrierEffect::Prioritize { .. }
            | BarrierEffect::StartCapture(_)
            | BarrierEffect::StopCapture(_)
            | BarrierEffect::InputsAborted(_)
            | BarrierEffect::AlignmentNotMeasured(_) => {}
        }
    }

    fn resume(&mut self, channel: ChannelIndex) {
        let state = &mut self.cluster.channels[channel.index()];
        let was_full = state.subpartition.is_full();
        state.subpartition.resume();
        for mutation in self.scenario.broken.iter().filter(|_| state.blocked.is_some()) {
            state.subpartition.mishandle(*mutation);
        }
        let room = match was_full && !state.subpartition.is_full() {
            true => Room::Again,
            false => Room::AsBefore,
        };
        if state.blocked.take().is_some() {
            self.out.fact(Fact::Resumed { channel });
        }
        self.note_room(channel, room);
        let state = &mut self.cluster.channels[channel.index()];
        if state.kind == ChannelKind::Local {
            // The receiver is about to go on by itself.
            let spec = &self.scenario.graph.channels[channel.index()];
            let (task, position) = (spec.to, spec.input_position);
            if self.cluster.channels[channel.index()].subpartition.has_next() {
                let (state, mut inputs) = self.input_of(task);
                state.input.note_local_data(position, &mut inputs);
            }
        } else {
            self.pump(channel);
        }
    }

    /// Lets out of an output buffer what may leave, and wakes a sender that
    /// had no room.
    #[cold]
    pub(super) fn pump(&mut self, channel: ChannelIndex) {
        if self.cluster.channels[channel.index()].kind == ChannelKind::Local {
            if self.cluster.channels[channel.index()].subpartition.has_next() {
                self.note_local_data(channel);
            }
            return;
        }
        loop {
            let state = &mut self.cluster.channels[channel.index()];
            let mut told = Vec::new();
            let passed = state.subpartition.pass_record(&mut state.wire).or_else(|| {
                let (message, room) = state.subpartition.poll(&mut told)?;
                state.wire.push_back(message);
                Some((message.number, room))
            });
            let Some((number, room)) = passed else { return };
            let wait = Wait::Network { channel, number, times: state.slowness.into() };
            self.out.event(Lane::Channel(channel), wait);
            self.out.detail(|| Fact::Departed { channel, number });
            if !told.is_empty() {
                self.carry_out_output(channel, told);
            }
            self.note_room(channel, room);
        }
    }

    fn note_room(&mut self, channel: ChannelIndex, room: Room) {
        if room == Room::Again {
            let from = self.scenario.graph.channels[channel.index()].from;
            self.cluster.tasks[from.index()].n_full -= 1;
            self.go_on(from);
        }
    }

    /// Schedules what a free task does next, if there is anything.
    #[inline]
    pub(super) fn go_on_reading(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        let Some(position) = state.input.gate().next() else { return };
        let channel = self.scenario.graph.subtasks[task.index()].inputs[position as usize];
        if state.instant || !self.cluster.channels[channel.index()].next_is_record() {
            state.scheduled = true;
            self.out.event(Lane::Subtask(task), Wait::After(Micros::ZERO));
        } else {
            // A record that waits is taken right now; the step that ends its
            // service time is the next thing to see.
            self.step(task);
        }
    }
}
