//! A task's input: its channels, in which order they are read, what its
//! barrier handler makes of the events in between, and the mailbox that lets
//! priority events and timers through when the task reads nothing.
//!
//! Source: Flink `CheckpointedInputGate`, `UpstreamRecoveryTracker`,
//! `BarrierAlignmentUtil`.

use std::collections::VecDeque;

use super::channel::{Channel, Inputs};
use super::input_channel::{Arrival, Captured, Taken};
use super::input_gate::InputGate;
use super::subpartition::{Room, SubpartitionEffect};
use crate::model::{
    Barrier, ChannelKind, CheckpointFailureReason, CheckpointId, Message, Record, StreamElement,
    Time,
};
use crate::protocol::{BarrierEffect, BarrierInput, CheckpointBarrierHandler};

/// The input of one task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointedInputGate {
    gate: InputGate,
    handler: CheckpointBarrierHandler,
    mailbox: VecDeque<Mail>,
    /// Whether the next news of priority becomes a mail.
    listens: bool,
    /// When the alignment of a checkpoint times out.
    timer: Option<(CheckpointId, Time)>,
    /// By channel: whether it has ended.
    ended: Vec<bool>,
    /// Channels that have not sent all that a restored snapshot held.
    n_recovering: u32,
}

/// Something for the task to do between two records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mail {
    /// Take what has priority.
    PriorityElements,
    /// The alignment of a checkpoint has timed out.
    Timer(CheckpointId),
}

/// What the input tells its task, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputEffect {
    /// An event has been taken from a channel; what it causes follows.
    Took {
        /// Position of the channel.
        channel: u32,
        /// The event; never a record.
        message: Message,
        /// Of a barrier: how far its checkpoint is with it.
        progress: Progress,
    },
    /// The end of a channel counts as the barrier of a pending checkpoint.
    EndCounted {
        /// Which.
        checkpoint: CheckpointId,
        /// How far it is with it.
        progress: Progress,
    },
    /// It has become known that a barrier waits in a receive queue; what that
    /// causes follows.
    Announced {
        /// Position of the channel.
        channel: u32,
        /// The barrier.
        barrier: Barrier,
        /// How far its checkpoint is.
        progress: Progress,
    },
    /// The barrier handler asks or tells something. What concerns channels
    /// alone, capturing and priority, is done already.
    Handler(BarrierEffect),
    /// A barrier has been moved to the front of its receive queue.
    Prioritized {
        /// Position of the channel.
        channel: u32,
        /// The barrier.
        message: Message,
    },
    /// Records in flight belong to a snapshot.
    Captured {
        /// Position of the channel.
        channel: u32,
        /// Which.
        captured: Captured,
    },
    /// A sender has handed out an element of a local channel.
    Sender {
        /// Position of the channel.
        channel: u32,
        /// Which element.
        number: u64,
        /// Whether the sender has room again.
        room: Room,
        /// What it tells of its part of a snapshot.
        effects: Vec<SubpartitionEffect>,
    },
}

/// Barriers of a checkpoint that have come, and that are needed: 0 of a
/// checkpoint that is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Have come.
    pub n_received: u32,
    /// Are needed.
    pub n_needed: u32,
}

/// What one reading gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polled {
    /// A record or an event.
    Element {
        /// Position of the channel.
        channel: u32,
        /// What.
        message: Message,
    },
    /// An announcement.
    Announcement {
        /// Position of the channel.
        channel: u32,
        /// The barrier that is announced.
        barrier: Barrier,
    },
}

impl CheckpointedInputGate {
    /// An input where nothing has arrived.
    #[must_use]
    pub fn new(handler: CheckpointBarrierHandler) -> Self {
        let n_recovering = handler.n_open();
        let ended = vec![false; n_recovering as usize];
        Self {
            gate: InputGate::default(),
            handler,
            mailbox: VecDeque::new(),
            listens: true,
            timer: None,
            ended,
            n_recovering,
        }
    }

    /// An element arrives on a remote channel.
    pub fn receive(
        &mut self,
        channel: u32,
        message: Message,
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) {
        let mut captured = Vec::new();
        let arrival = inputs.at(channel).input.receive(message, &mut captured);
        effects.extend(tell_captured(channel, captured));
        self.note_arrival(channel, arrival);
    }

    /// The sender of a local channel has something to hand out.
    pub fn note_local_data(&mut self, channel: u32, inputs: &mut Inputs<'_>) {
        let has_priority = next_local_has_priority(inputs.at(channel));
        let is_waiting = self.gate.contains(channel);
        self.note_arrival(
            channel,
            Arrival { is_first_with_priority: has_priority, was_empty: !is_waiting },
        );
    }

    /// What a restored snapshot held of a channel is there.
    pub fn recover(&mut self, channel: u32, messages: Vec<Message>, inputs: &mut Inputs<'_>) {
        if !messages.is_empty() {
            inputs.at(channel).input.recover(messages);
            self.gate.enqueue(channel);
        }
    }

    fn note_arrival(&mut self, channel: u32, arrival: Arrival) {
        if arrival.is_first_with_priority {
            if self.gate.enqueue_with_priority(channel) && self.listens {
                self.listens = false;
                self.mailbox.push_back(Mail::PriorityElements);
            }
        } else if arrival.was_empty {
            self.gate.enqueue(channel);
        }
    }

    /// When its timer is due, if one is armed.
    #[must_use]
    pub fn timer(&self) -> Option<Time> {
        self.timer.map(|(_, at)| at)
    }

    /// Time has passed: a timer that is due becomes a mail. Gives whose it is.
    pub fn elapse(&mut self, now: Time) -> Option<CheckpointId> {
        let checkpoint = self.take_due_timer(now)?;
        self.mailbox.push_back(Mail::Timer(checkpoint));
        Some(checkpoint)
    }

    /// The checkpoint whose timer is due; it is not armed any more.
    pub fn take_due_timer(&mut self, now: Time) -> Option<CheckpointId> {
        self.timer.take_if(|(_, at)| *at <= now).map(|(checkpoint, _)| checkpoint)
    }

    /// Whether there is something to do between two records.
    #[must_use]
    pub fn has_mail(&self) -> bool {
        !self.mailbox.is_empty()
    }

    /// Does what is to be done between two records.
    pub fn run_mailbox(
        &mut self,
        now: Time,
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) {
        self.run_mail_behind(0, now, inputs, effects);
    }

    /// How many mails wait.
    #[must_use]
    pub fn n_mails(&self) -> usize {
        self.mailbox.len()
    }

    /// The same but for the first so many mails, which keep waiting: Flink's
    /// own tests reach past the mailbox in this way.
    pub fn run_mail_behind(
        &mut self,
        n_first: usize,
        now: Time,
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) {
        while let Some(mail) = self.mailbox.remove(n_first) {
            match mail {
                Mail::Timer(checkpoint) => {
                    self.tell(now, BarrierInput::Timer { checkpoint }, inputs, effects);
                }
                Mail::PriorityElements => {
                    let mut has_more = self.gate.has_announced_priority();
                    while has_more && self.poll(now, inputs, effects).is_some() {
                        has_more = self.gate.next_has_priority();
                    }
                    // Flink 1.20: CheckpointedInputGate.waitForPriorityEvents.
                    if self.gate.has_announced_priority() {
                        self.mailbox.push_back(Mail::PriorityElements);
                    } else {
                        self.listens = true;
                    }
                }
            }
        }
    }

    /// Reads once. What an event causes stands in the effects before this
    /// returns it.
    pub fn poll(
        &mut self,
        now: Time,
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) -> Option<Polled> {
        let channel = self.gate.dequeue()?;
        let taken = match inputs.at(channel).kind {
            ChannelKind::Remote => self.take_remote(channel, inputs),
            ChannelKind::Local => self.take_local(channel, inputs, effects),
        }?;
        match taken {
            Taken::Announcement { barrier, sequence } => {
                let place = effects.len();
                let input = BarrierInput::Announcement { channel, barrier, sequence };
                self.tell(now, input, inputs, effects);
                let progress = self.progress(barrier.checkpoint);
                effects.insert(place, InputEffect::Announced { channel, barrier, progress });
                Some(Polled::Announcement { channel, barrier })
            }
            Taken::Element(message) => {
                self.take(now, (channel, message), inputs, effects);
                Some(Polled::Element { channel, message })
            }
        }
    }

    fn take_remote(&mut self, channel: u32, inputs: &mut Inputs<'_>) -> Option<Taken> {
        let input = &mut inputs.at(channel).input;
        let has_priority = input.next_has_priority();
        let taken = input.take();
        if !input.is_empty() {
            self.gate.requeue(channel, || input.next_has_priority());
        }
        if has_priority {
            self.gate.note_priority_taken();
        }
        taken
    }

    fn take_local(
        &mut self,
        channel: u32,
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) -> Option<Taken> {
        let state = inputs.at(channel);
        if let Some(recovered) = state.input.take() {
            if !state.input.is_empty() || state.subpartition.has_next() {
                self.gate.requeue(channel, || next_local_has_priority(state));
            }
            return Some(recovered);
        }
        let (mut told, mut captured) = (Vec::new(), Vec::new());
        let (message, room) = state.take_local(&mut told, &mut captured)?;
        let number = message.number;
        effects.push(InputEffect::Sender { channel, number, room, effects: told });
        effects.extend(tell_captured(channel, captured));
        if state.subpartition.has_next() {
            self.gate.requeue(channel, || state.subpartition.next_has_priority());
        }
        if message.element.has_priority() {
            self.gate.note_priority_taken();
        }
        Some(Taken::Element(message))
    }

    fn take(
        &mut self,
        now: Time,
        taken: (u32, Message),
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) {
        let (channel, message) = taken;
        let input = match message.element {
            StreamElement::Record(_) => {
                if self.handler.is_during_alignment() {
                    let bytes = Record::BYTES;
                    self.handler.on(now, BarrierInput::Processed { bytes }, &mut Vec::new());
                }
                return;
            }
            StreamElement::Barrier(barrier) => BarrierInput::Barrier { channel, barrier },
            StreamElement::CancelMarker(checkpoint) => {
                BarrierInput::Cancellation { channel, checkpoint }
            }
            StreamElement::EndOfPartition => {
                self.ended[channel as usize] = true;
                BarrierInput::EndOfPartition { channel }
            }
            StreamElement::EndOfData | StreamElement::EndOfChannelState => {
                let progress = Progress::default();
                effects.push(InputEffect::Took { channel, message, progress });
                if message.element == StreamElement::EndOfChannelState {
                    self.channel_has_recovered(inputs, effects);
                }
                return;
            }
        };
        let waiting = self.handler.pending().last().copied();
        let place = effects.len();
        self.tell(now, input, inputs, effects);
        // What is told came before what it has caused.
        match (message.element, waiting) {
            (StreamElement::Barrier(barrier), _) => {
                let progress = self.progress(barrier.checkpoint);
                effects.insert(place, InputEffect::Took { channel, message, progress });
            }
            (StreamElement::EndOfPartition, Some(checkpoint)) => {
                let progress = self.progress(checkpoint);
                if progress.n_needed > 0 {
                    effects.insert(place, InputEffect::EndCounted { checkpoint, progress });
                }
                let progress = Progress::default();
                effects.insert(place, InputEffect::Took { channel, message, progress });
            }
            _ => {
                let progress = Progress::default();
                effects.insert(place, InputEffect::Took { channel, message, progress });
            }
        }
    }

    fn progress(&self, checkpoint: CheckpointId) -> Progress {
        let (n_received, n_needed) = self.handler.progress(checkpoint);
        Progress { n_received, n_needed }
    }

    /// When every channel has sent what the restored snapshot held, all go on.
    fn channel_has_recovered(&mut self, inputs: &Inputs<'_>, effects: &mut Vec<InputEffect>) {
        self.n_recovering -= 1;
        if self.n_recovering == 0 {
            let channels = 0..inputs.positions.len() as u32;
            effects.extend(
                channels.map(|channel| InputEffect::Handler(BarrierEffect::Resume { channel })),
            );
        }
    }

    /// Lets the barrier handler act, and does what concerns channels alone.
    pub fn tell(
        &mut self,
        now: Time,
        input: BarrierInput,
        inputs: &mut Inputs<'_>,
        effects: &mut Vec<InputEffect>,
    ) {
        let mut told = Vec::new();
        self.handler.on(now, input, &mut told);
        for effect in told {
            effects.push(InputEffect::Handler(effect));
            match effect {
                BarrierEffect::Prioritize { channel, sequence } => {
                    if inputs.at(channel).kind == ChannelKind::Local {
                        continue;
                    }
                    let (message, arrival) = inputs.at(channel).input.prioritize(sequence);
                    effects.push(InputEffect::Prioritized { channel, message });
                    self.note_arrival(channel, arrival);
                }
                BarrierEffect::StartCapture(barrier) => {
                    let answer = match start_capture(barrier, inputs, effects) {
                        Ok(()) => BarrierInput::CaptureStarted,
                        Err(reason) => BarrierInput::CaptureRefused(reason),
                    };
                    self.tell(now, answer, inputs, effects);
                }
                BarrierEffect::StopCapture(checkpoint) => {
                    for channel in 0..inputs.positions.len() as u32 {
                        inputs.at(channel).input.stop_capture(checkpoint);
                    }
                }
                BarrierEffect::ArmTimer { checkpoint, at } => self.timer = Some((checkpoint, at)),
                BarrierEffect::DisarmTimer => self.timer = None,
                _ => {}
            }
        }
    }

    /// Whether a channel has ended.
    #[must_use]
    pub fn has_ended(&self, channel: u32) -> bool {
        self.ended[channel as usize]
    }

    /// Whether nothing waits to be taken.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gate.is_empty()
    }

    /// Its barrier handler.
    #[must_use]
    pub fn handler(&self) -> &CheckpointBarrierHandler {
        &self.handler
    }

    /// The order in which its channels are read.
    #[must_use]
    pub fn gate(&self) -> &InputGate {
        &self.gate
    }
}

/// Whether the next element of a local channel overtakes what other channels
/// have. Nothing of the sender's comes before what was restored here.
// Flink 1.20: RecoveredInputChannel, of which a LocalInputChannel is made when
// it is empty.
fn next_local_has_priority(channel: &Channel) -> bool {
    channel.input.is_empty() && channel.subpartition.next_has_priority()
}

fn start_capture(
    barrier: Barrier,
    inputs: &mut Inputs<'_>,
    effects: &mut Vec<InputEffect>,
) -> Result<(), CheckpointFailureReason> {
    for channel in 0..inputs.positions.len() as u32 {
        let mut captured = Vec::new();
        inputs.at(channel).input.start_capture(barrier.checkpoint, &mut captured)?;
        effects.extend(tell_captured(channel, captured));
    }
    Ok(())
}

fn tell_captured(channel: u32, captured: Vec<Captured>) -> impl Iterator<Item = InputEffect> {
    captured.into_iter().map(move |captured| InputEffect::Captured { channel, captured })
}
