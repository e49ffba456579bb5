//! The machines under test: a handler alone, and with senders, channels and
//! gate.

use checkdam::cluster::{Channel, CheckpointedInputGate, InputEffect, Inputs, Polled};
use checkdam::model::{ChannelIndex, CheckpointId, Micros, Record, StreamElement, Time};
use checkdam::protocol::{BarrierEffect, BarrierInput, CheckpointBarrierHandler};
use serde_json::{Value as Json, json};

use super::log::{Log, value};
use super::op::{barrier, number, record, word};

pub(super) struct HandlerBench {
    pub(super) handler: CheckpointBarrierHandler,
    pub(super) timer: Option<(CheckpointId, Time)>,
}

pub(super) struct NetworkBench {
    pub(super) channels: Vec<Channel>,
    pub(super) positions: Vec<ChannelIndex>,
    pub(super) gate: CheckpointedInputGate,
    pub(super) delivers: bool,
    /// Channels whose sender may have something to hand out, in order.
    pub(super) to_deliver: Vec<u32>,
}

impl HandlerBench {
    pub(super) fn run(&mut self, op: &Json, now: &mut Time, log: &mut Log) -> Result<(), String> {
        let channel = op[1].as_u64().unwrap_or(0) as u32;
        let input = match word(op)? {
            "b" => BarrierInput::Barrier { channel, barrier: barrier(op)? },
            "a" => {
                let sequence = number(op, 6)?;
                BarrierInput::Announcement { channel, barrier: barrier(op)?, sequence }
            }
            "c" => BarrierInput::Cancellation { channel, checkpoint: CheckpointId(number(op, 2)?) },
            "e" => BarrierInput::EndOfPartition { channel },
            "n" => BarrierInput::Processed { bytes: number(op, 1)? },
            "t" => {
                *now = now.after(Micros::from_ms(number(op, 1)?));
                if let Some((checkpoint, _)) = self.timer.take_if(|(_, at)| *at <= *now) {
                    self.tell(*now, BarrierInput::Timer { checkpoint }, log);
                }
                return Ok(());
            }
            other => return Err(format!("no op of a handler is called `{other}`")),
        };
        self.tell(*now, input, log);
        Ok(())
    }

    fn tell(&mut self, now: Time, input: BarrierInput, log: &mut Log) {
        let mut effects = Vec::new();
        self.handler.on(now, input, &mut effects);
        for effect in effects {
            log.handler(effect, 1);
            match effect {
                BarrierEffect::ArmTimer { checkpoint, at } => self.timer = Some((checkpoint, at)),
                BarrierEffect::DisarmTimer => self.timer = None,
                BarrierEffect::StartCapture(_) => {
                    self.tell(now, BarrierInput::CaptureStarted, log);
                }
                _ => {}
            }
        }
    }
}

impl NetworkBench {
    pub(super) fn run(&mut self, op: &Json, now: &mut Time, log: &mut Log) -> Result<(), String> {
        let channel = op[1].as_u64().unwrap_or(0) as u32;
        let mut told = Vec::new();
        let sender = self.channels.get_mut(channel as usize);
        let sender = sender.map(|channel| &mut channel.subpartition);
        let no_channel = || format!("there is no channel {channel}");
        match word(op)? {
            "d" => {
                sender.ok_or_else(no_channel)?.add(record(op)?, &mut told);
            }
            "b" => {
                let element = StreamElement::Barrier(barrier(op)?);
                sender.ok_or_else(no_channel)?.add(element, &mut told);
            }
            "c" => {
                let element = StreamElement::CancelMarker(CheckpointId(number(op, 2)?));
                sender.ok_or_else(no_channel)?.add(element, &mut told);
            }
            "e" => {
                sender.ok_or_else(no_channel)?.add(StreamElement::EndOfPartition, &mut told);
            }
            "o" => {
                let checkpoint = CheckpointId(number(op, 2)?);
                sender.ok_or_else(no_channel)?.time_out(checkpoint, &mut told);
            }
            "q" => {
                let checkpoint = CheckpointId(number(op, 2)?);
                sender.ok_or_else(no_channel)?.abort(checkpoint, &mut told);
            }
            "x" => {
                if !self.transfer(channel, log) {
                    log.events.push(json!(["nothing", channel]));
                }
                return Ok(());
            }
            "t" => {
                *now = now.after(Micros::from_ms(number(op, 1)?));
                self.gate.elapse(*now);
                return Ok(());
            }
            "m" => {
                self.mailbox(0, *now, log);
                return Ok(());
            }
            "r" => {
                self.read(*now, log);
                return Ok(());
            }
            "T" => {
                let n_waiting = self.gate.n_mails();
                *now = now.after(Micros::from_ms(number(op, 1)?));
                self.gate.elapse(*now);
                self.mailbox(n_waiting, *now, log);
                return Ok(());
            }
            "p" => {
                self.poll(*now, log);
                return Ok(());
            }
            "D" => {
                while self.poll(*now, log) {}
                return Ok(());
            }
            "F" => loop {
                let mut moved = false;
                for channel in 0..self.channels.len() as u32 {
                    while self.transfer(channel, log) {
                        moved = true;
                    }
                }
                while self.poll(*now, log) {
                    moved = true;
                }
                if !moved {
                    return Ok(());
                }
            },
            other => return Err(format!("no op of a network is called `{other}`")),
        }
        log.outputs(channel, told);
        self.to_deliver.push(channel);
        self.network(log);
        Ok(())
    }

    /// The network delivers, if it does so by itself.
    fn network(&mut self, log: &mut Log) {
        let mut channels = std::mem::take(&mut self.to_deliver);
        if self.delivers {
            let mut seen = Vec::new();
            channels.retain(|channel| {
                let is_new = !seen.contains(channel);
                seen.push(*channel);
                is_new
            });
            for channel in channels {
                while self.transfer(channel, log) {}
            }
        }
    }

    fn transfer(&mut self, channel: u32, log: &mut Log) -> bool {
        let mut told = Vec::new();
        let polled = self.channels[channel as usize].subpartition.poll(&mut told);
        log.outputs(channel, told);
        let Some((message, _)) = polled else { return false };
        let mut effects = Vec::new();
        let Self { channels, positions, gate, .. } = self;
        let mut inputs = Inputs { channels, positions };
        gate.receive(channel, message, &mut inputs, &mut effects);
        self.carry_out(effects, log);
        true
    }

    fn mailbox(&mut self, n_first: usize, now: Time, log: &mut Log) {
        let mut effects = Vec::new();
        let Self { channels, positions, gate, .. } = self;
        let mut inputs = Inputs { channels, positions };
        gate.run_mail_behind(n_first, now, &mut inputs, &mut effects);
        self.carry_out(effects, log);
        self.network(log);
    }

    /// Runs the mailbox and reads once; says whether there was something.
    fn poll(&mut self, now: Time, log: &mut Log) -> bool {
        self.mailbox(0, now, log);
        self.read(now, log)
    }

    fn read(&mut self, now: Time, log: &mut Log) -> bool {
        let mut effects = Vec::new();
        let Self { channels, positions, gate, .. } = self;
        let mut inputs = Inputs { channels, positions };
        let polled = gate.poll(now, &mut inputs, &mut effects);
        self.carry_out(effects, log);
        self.network(log);
        log.events.push(match polled {
            None => json!(["idle"]),
            Some(Polled::Announcement { channel, barrier }) => {
                json!(["evt", channel, "announce", barrier.checkpoint.0])
            }
            Some(Polled::Element { channel, message }) => match message.element {
                StreamElement::Record(_) => json!(["rec", channel, value(&message)]),
                StreamElement::Barrier(barrier) => {
                    json!(["evt", channel, "barrier", barrier.checkpoint.0])
                }
                StreamElement::CancelMarker(checkpoint) => {
                    json!(["evt", channel, "cancel", checkpoint.0])
                }
                _ => json!(["evt", channel, "end"]),
            },
        });
        polled.is_some()
    }

    fn carry_out(&mut self, effects: Vec<InputEffect>, log: &mut Log) {
        for effect in effects {
            match effect {
                InputEffect::Handler(effect) => {
                    log.handler(effect, Record::BYTES);
                    if let BarrierEffect::Resume { channel } = effect {
                        self.channels[channel as usize].subpartition.resume();
                        self.to_deliver.push(channel);
                    }
                }
                InputEffect::Captured { channel, captured } => {
                    let values: Vec<i64> = captured.messages.iter().map(value).collect();
                    log.events.push(json!(["savein", captured.checkpoint.0, channel, values]));
                }
                InputEffect::Sender { channel, effects, .. } => log.outputs(channel, effects),
                InputEffect::Took { .. }
                | InputEffect::EndCounted { .. }
                | InputEffect::Announced { .. }
                | InputEffect::Prioritized { .. } => {}
            }
        }
    }
}
