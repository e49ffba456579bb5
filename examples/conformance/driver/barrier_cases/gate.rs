//! Cases of the whole input: senders, channels, gate and handler.

use std::collections::BTreeMap;

use checkdam::cluster::{Channel, CheckpointedInputGate, InputEffect, Inputs, Polled};
use checkdam::model::{
    AlignmentType, ChannelIndex, ChannelKind, Config, Micros, Record, StreamElement, Time,
};
use checkdam::protocol::{BarrierEffect, BarrierHandling, BarrierInput, CheckpointBarrierHandler};
use serde_json::{Value as Json, json};

use super::line::{Line, RecordNames, Snapshots, reason};
use super::{Bench, no_field};

/// Senders, channels, gate and handler.
pub(super) struct GateBench {
    channels: Vec<Channel>,
    positions: Vec<ChannelIndex>,
    gate: CheckpointedInputGate,
    now: Time,
    names: RecordNames,
    drains: bool,
    /// Whether a blocked sender goes on all the same, as a mock gate's does.
    ignores_blocking: bool,
    order: Vec<Json>,
    inflight: Snapshots,
    triggered: Vec<u64>,
    aborted: Vec<u64>,
    last_abort_reason: Option<&'static str>,
    resumed: Vec<u32>,
    metrics: BTreeMap<u64, BTreeMap<&'static str, u64>>,
}

impl GateBench {
    pub(super) fn new(case: &Json, mode: &str) -> Result<Self, String> {
        let handling = match mode {
            "aligned" => BarrierHandling::Aligned,
            "unaligned" => BarrierHandling::Unaligned,
            "alternating" => BarrierHandling::Alternating,
            "at_least_once" => BarrierHandling::Tracking,
            other => return Err(format!("no mode is called `{other}`")),
        };
        let n_channels = case["channels"].as_u64().ok_or("`channels` is not a number")? as usize;
        let config = Config {
            checkpoints_after_tasks_finish: case["finished_tasks"].as_bool().unwrap_or(true),
            ..Config::default()
        };
        let kind = |channel: usize| match case["channel_kinds"][channel].as_str() {
            None | Some("remote") => Ok(ChannelKind::Remote),
            Some("local") => Ok(ChannelKind::Local),
            Some(other) => Err(format!("no channel is `{other}`")),
        };
        let channel = |place| kind(place).map(|kind| Channel::new(kind, u32::MAX, u32::MAX));
        let handler = CheckpointBarrierHandler::new(n_channels, handling, &config);
        Ok(Self {
            channels: (0..n_channels).map(channel).collect::<Result<_, _>>()?,
            positions: (0..n_channels).map(ChannelIndex::at).collect(),
            gate: CheckpointedInputGate::new(handler),
            now: Time(Micros::from_ms(case["start_time_ms"].as_u64().unwrap_or(0)).0),
            names: RecordNames::default(),
            drains: case["drain"] != "manual",
            ignores_blocking: case["flow_control"] == "off",
            order: Vec::new(),
            inflight: Snapshots::new(),
            triggered: Vec::new(),
            aborted: Vec::new(),
            last_abort_reason: None,
            resumed: Vec::new(),
            metrics: BTreeMap::new(),
        })
    }

    fn send(&mut self, channel: u32, element: StreamElement) -> Result<(), String> {
        let sender = self.channels.get_mut(channel as usize);
        let sender = sender.ok_or_else(|| format!("there is no channel {channel}"))?;
        sender.subpartition.add(element, &mut Vec::new());
        self.deliver(channel);
        Ok(())
    }

    /// The network delivers at once whatever a sender hands out.
    fn deliver(&mut self, channel: u32) {
        loop {
            let sender = &mut self.channels[channel as usize];
            if self.ignores_blocking {
                sender.subpartition.resume();
            }
            let mut effects = Vec::new();
            match sender.kind {
                ChannelKind::Local => {
                    if sender.subpartition.has_next() {
                        let Self { channels, positions, gate, .. } = self;
                        gate.note_local_data(channel, &mut Inputs { channels, positions });
                    }
                    return;
                }
                ChannelKind::Remote => {
                    let polled = sender.subpartition.poll(&mut Vec::new());
                    let Some((message, _)) = polled else { return };
                    let Self { channels, positions, gate, .. } = self;
                    let mut inputs = Inputs { channels, positions };
                    gate.receive(channel, message, &mut inputs, &mut effects);
                }
            }
            self.carry_out(effects);
        }
    }

    fn tell(&mut self, input: BarrierInput) {
        let mut effects = Vec::new();
        let Self { channels, positions, gate, now, .. } = self;
        gate.tell(*now, input, &mut Inputs { channels, positions }, &mut effects);
        self.carry_out(effects);
    }

    fn fire_timers(&mut self) {
        while let Some(checkpoint) = self.gate.take_due_timer(self.now) {
            self.tell(BarrierInput::Timer { checkpoint });
        }
    }

    /// Reads once; gives what it was.
    fn poll(&mut self) -> Option<&'static str> {
        let mut effects = Vec::new();
        let Self { channels, positions, gate, now, .. } = self;
        let polled = gate.poll(*now, &mut Inputs { channels, positions }, &mut effects);
        self.carry_out(effects);
        Some(match polled? {
            Polled::Announcement { .. } => "announcement",
            Polled::Element { channel, message } => {
                if self.ignores_blocking {
                    self.deliver(channel);
                }
                match message.element {
                    StreamElement::Record(_) => {
                        let name = self.names.of(&message);
                        self.order.push(name);
                        "record"
                    }
                    StreamElement::Barrier(_) => "barrier",
                    StreamElement::EndOfPartition => {
                        self.order.push(json!({ "end": channel }));
                        "end"
                    }
                    _ => "cancel",
                }
            }
        })
    }

    fn carry_out(&mut self, effects: Vec<InputEffect>) {
        let mut resumed = Vec::new();
        for effect in effects {
            match effect {
                InputEffect::Captured { captured, .. } => {
                    let records: Vec<_> =
                        captured.messages.iter().map(|message| self.names.of(message)).collect();
                    self.inflight.entry(captured.checkpoint.0).or_default().extend(records);
                }
                InputEffect::Handler(effect) => {
                    self.note(effect);
                    if let BarrierEffect::Resume { channel } = effect {
                        self.channels[channel as usize].subpartition.resume();
                        resumed.push(channel);
                    }
                }
                _ => {}
            }
        }
        for channel in resumed {
            self.resumed.push(channel);
            self.deliver(channel);
        }
    }

    fn note(&mut self, effect: BarrierEffect) {
        match effect {
            BarrierEffect::Trigger { barrier, start_delay } => {
                let checkpoint = barrier.checkpoint.0;
                let how = match barrier.options.alignment {
                    AlignmentType::AtLeastOnce => "at_least_once",
                    AlignmentType::Unaligned => "unaligned",
                    AlignmentType::Aligned | AlignmentType::ForcedAligned => "aligned",
                };
                self.order.push(json!({ "trigger": checkpoint, "as": how }));
                self.triggered.push(checkpoint);
                if barrier.options.is_unaligned() {
                    self.inflight.entry(checkpoint).or_default();
                }
                let metrics = self.metrics.entry(checkpoint).or_default();
                metrics.insert("start_delay_ms", start_delay.0 / 1000);
            }
            BarrierEffect::Aligned { checkpoint, duration, bytes } => {
                let metrics = self.metrics.entry(checkpoint.0).or_default();
                metrics.insert("alignment_ms", duration.0 / 1000);
                metrics.insert("records_during_alignment", bytes / Record::BYTES);
            }
            BarrierEffect::Abort { checkpoint, reason: why } => {
                self.order.push(json!({ "abort": checkpoint.0, "reason": reason(why) }));
                self.aborted.push(checkpoint.0);
                self.last_abort_reason = Some(reason(why));
            }
            _ => {}
        }
    }

    fn pending(&self) -> Vec<u64> {
        self.gate.handler().pending().iter().map(|id| id.0).collect()
    }

    /// What a check asks for.
    fn seen(&self, field: &str) -> Result<Json, String> {
        let handler = self.gate.handler();
        Ok(match field {
            "blocked" | "blocked_after" => json!(handler.blocked()),
            "latest_checkpoint" => json!(handler.latest().map_or(-1, |id| id.0 as i64)),
            "pending" => json!(!self.pending().is_empty()),
            "pending_checkpoints" | "pending_after" => json!(self.pending()),
            "triggered" => json!(self.triggered),
            "aborted" => json!(self.aborted),
            "last_abort_reason" => json!(self.last_abort_reason),
            // Every unaligned checkpoint has a list, even an empty one.
            "inflight_snapshot" => json!(self.inflight),
            "alignment_ms" => json!(handler.alignment_duration(self.now).0 / 1000),
            "start_delay_ms" => json!(handler.start_delay().0 / 1000),
            "during_alignment" => json!(handler.is_during_alignment()),
            "open_channels" => json!(handler.n_open()),
            "resumed" => json!(self.resumed),
            other => return no_field(other),
        })
    }
}

impl Bench for GateBench {
    fn input(&mut self, line: &Line<'_>) -> Result<Option<(Json, Json)>, String> {
        match line.kind()? {
            "record" => {
                let element = self.names.element(line)?;
                self.send(line.channel()?, element)?;
            }
            "barrier" => self.send(line.channel()?, StreamElement::Barrier(line.barrier()?))?,
            "cancel" => {
                self.send(line.channel()?, StreamElement::CancelMarker(line.checkpoint()?))?;
            }
            "end_of_recovery" => {
                self.send(line.channel()?, StreamElement::EndOfChannelState)?;
            }
            "end" => self.send(line.channel()?, StreamElement::EndOfPartition)?,
            "announce" => {
                let (channel, barrier) = (line.channel()?, line.barrier()?);
                self.tell(BarrierInput::Announcement { channel, barrier, sequence: 0 });
            }
            "rpc_barrier" => {
                let barrier = line.barrier()?;
                for channel in 0..self.channels.len() as u32 {
                    if !self.gate.has_ended(channel) {
                        self.tell(BarrierInput::TriggerForChannel { channel, barrier });
                    }
                }
            }
            "advance_time" => {
                self.now = self.now.after(Micros::from_ms(line.number("ms")?));
                if line.line["fire_timers"] != false {
                    self.fire_timers();
                }
            }
            "fire_timers" => self.fire_timers(),
            "poll" => {
                let (polled, expected) = (json!(self.poll()), &line.line["expect"]);
                if !expected.is_null() && polled != *expected {
                    return Ok(Some((expected.clone(), polled)));
                }
            }
            "drain" => while self.poll().is_some() {},
            // Whatever waits stays where it is.
            "close" => {}
            "check" => {
                for (field, expected) in line.line.as_object().into_iter().flatten() {
                    if field == "kind" {
                        continue;
                    }
                    let mut seen = match field.as_str() {
                        "inflight" => json!(self.inflight),
                        other => self.seen(other)?,
                    };
                    // A check names the checkpoints that it is about.
                    if let (Some(seen), Some(named)) = (seen.as_object_mut(), expected.as_object())
                    {
                        seen.retain(|checkpoint, _| named.contains_key(checkpoint));
                    }
                    if seen != *expected {
                        return Ok(Some((json!({ field: expected }), json!({ field: seen }))));
                    }
                }
            }
            _ => return line.no_kind(),
        }
        if self.drains {
            while self.poll().is_some() {}
        }
        Ok(None)
    }

    fn outcome(&mut self, field: &str, expected: &Json) -> Result<Json, String> {
        match field {
            "output_order" => Ok(json!(self.order)),
            "metrics" => {
                let ours = |checkpoint: &String, wanted: &Json| {
                    let id = checkpoint.parse().unwrap_or(u64::MAX);
                    let fields = wanted.as_object().into_iter().flatten();
                    let values = fields.map(|(name, _)| {
                        let metrics = self.metrics.get(&id);
                        let value = metrics.and_then(|all| all.get(name.as_str()));
                        (name.clone(), json!(value))
                    });
                    (checkpoint.clone(), Json::Object(values.collect()))
                };
                let each = expected.as_object().into_iter().flatten();
                Ok(Json::Object(each.map(|(id, wanted)| ours(id, wanted)).collect()))
            }
            other => self.seen(other),
        }
    }
}
