//! Cases of one channel's parts: what it captures, its two ends.

use std::collections::BTreeMap;

use checkdam::cluster::{
    CaptureStatus, Captured, Channel, ChannelStatePersister, FlowControl, InputChannel,
    Subpartition, SubpartitionEffect, Taken,
};
use checkdam::model::{ChannelKind, CheckpointId, Message, StreamElement};
use serde_json::{Value as Json, json};

use super::line::{Line, RecordNames, Snapshots, reason, snapshots};
use super::{Bench, no_field};

/// The memory of one channel.
#[derive(Default)]
pub(super) struct PersisterBench {
    persister: ChannelStatePersister,
    inflight: Snapshots,
    error: Option<&'static str>,
}

impl Bench for PersisterBench {
    fn input(&mut self, line: &Line<'_>) -> Result<Option<(Json, Json)>, String> {
        match line.kind()? {
            "see_barrier" => self.persister.see_barrier(line.checkpoint()?),
            "start_persisting" => match self.persister.start(line.checkpoint()?) {
                Ok(()) => {
                    let known = line.line["known"].as_array().cloned().unwrap_or_default();
                    self.inflight.entry(line.checkpoint()?.0).or_default().extend(known);
                }
                Err(why) => self.error = Some(reason(why)),
            },
            "stop_persisting" => self.persister.stop(line.checkpoint()?),
            "record" => {
                if let Some(checkpoint) = self.persister.captures_for() {
                    let record = line.line["id"].clone();
                    self.inflight.entry(checkpoint.0).or_default().push(record);
                }
            }
            _ => return line.no_kind(),
        }
        Ok(None)
    }

    fn outcome(&mut self, field: &str, expected: &Json) -> Result<Json, String> {
        Ok(match field {
            "inflight_snapshot" => snapshots(&self.inflight, expected),
            "status" => json!(match self.persister.status() {
                CaptureStatus::Completed => "completed",
                CaptureStatus::BarrierPending => "barrier_pending",
                CaptureStatus::BarrierReceived => "barrier_received",
            }),
            "last_seen_barrier" => json!(self.persister.last().map_or(-1, |id| id.0 as i64)),
            "error" => json!(self.error),
            other => return no_field(other),
        })
    }
}

/// The receiver's end of a channel over a network.
#[derive(Default)]
pub(super) struct RemoteBench {
    channel: InputChannel,
    names: RecordNames,
    n_sent: u64,
    polled: Vec<Json>,
    /// What was captured since the case said so, if it did.
    inflight: Option<Snapshots>,
}

impl RemoteBench {
    fn note(&mut self, captured: Vec<Captured>) {
        let inflight = self.inflight.get_or_insert_default();
        for captured in captured {
            let records = captured.messages.iter().map(|message| self.names.of(message));
            inflight.entry(captured.checkpoint.0).or_default().extend(records);
        }
    }
}

impl Bench for RemoteBench {
    fn input(&mut self, line: &Line<'_>) -> Result<Option<(Json, Json)>, String> {
        let element = match line.kind()? {
            "record" => self.names.element(line)?,
            "barrier" => StreamElement::Barrier(line.barrier()?),
            "end" => StreamElement::EndOfPartition,
            "cancel" => StreamElement::CancelMarker(line.checkpoint()?),
            "start_persisting" => {
                let mut captured = Vec::new();
                let started = self.channel.start_capture(line.checkpoint()?, &mut captured);
                self.note(captured);
                return started.map(|()| None).map_err(|why| reason(why).to_owned());
            }
            "stop_persisting" => {
                self.channel.stop_capture(line.checkpoint()?);
                return Ok(None);
            }
            "poll" => {
                let polled = match self.channel.take() {
                    None => Json::Null,
                    Some(Taken::Announcement { .. }) => json!("announcement"),
                    Some(Taken::Element(message)) => self.names.of(&message),
                };
                self.polled.push(polled.clone());
                let expected = &line.line["expect"];
                let differs = !expected.is_null() && polled != *expected;
                return Ok(differs.then(|| (expected.clone(), polled)));
            }
            _ => return line.no_kind(),
        };
        self.n_sent += 1;
        let mut captured = Vec::new();
        self.channel.receive(Message { number: self.n_sent, element }, &mut captured);
        if self.inflight.is_some() {
            self.note(captured);
        }
        Ok(None)
    }

    fn outcome(&mut self, field: &str, expected: &Json) -> Result<Json, String> {
        match field {
            "poll_order" => Ok(json!(self.polled)),
            "inflight_snapshot" => {
                if let Some(inflight) = &self.inflight {
                    return Ok(snapshots(inflight, expected));
                }
                // The test asks for what is in flight at the end.
                let mut inflight = Snapshots::new();
                for checkpoint in expected.as_object().into_iter().flat_map(|lists| lists.keys()) {
                    let id = checkpoint.parse().map_err(|_| format!("{checkpoint} is no id"))?;
                    let mut captured = Vec::new();
                    if let Err(why) = self.channel.start_capture(CheckpointId(id), &mut captured) {
                        return Ok(json!({ checkpoint: reason(why) }));
                    }
                    let records = captured.iter().flat_map(|captured| &captured.messages);
                    inflight.entry(id).or_default().extend(records.map(|m| self.names.of(m)));
                }
                Ok(snapshots(&inflight, expected))
            }
            other => no_field(other),
        }
    }
}

/// A channel without a network.
pub(super) struct LocalBench {
    channel: Channel,
    names: RecordNames,
    inflight: Snapshots,
}

impl Default for LocalBench {
    fn default() -> Self {
        Self {
            channel: Channel::new(ChannelKind::Local, 0, u32::MAX),
            names: RecordNames::default(),
            inflight: Snapshots::new(),
        }
    }
}

impl Bench for LocalBench {
    fn input(&mut self, line: &Line<'_>) -> Result<Option<(Json, Json)>, String> {
        let mut captured = Vec::new();
        let mut differs = None;
        match line.kind()? {
            "record" => {
                let element = self.names.element(line)?;
                self.channel.subpartition.add(element, &mut Vec::new());
            }
            "barrier" => {
                let element = StreamElement::Barrier(line.barrier()?);
                self.channel.subpartition.add(element, &mut Vec::new());
            }
            "stop_persisting" => self.channel.input.stop_capture(line.checkpoint()?),
            "resume" => self.channel.subpartition.resume(),
            "start_persisting" => {
                let started = self.channel.input.start_capture(line.checkpoint()?, &mut captured);
                started.map_err(|why| reason(why).to_owned())?;
            }
            "poll" => {
                // The test's sender does not stop.
                self.channel.subpartition.resume();
                let taken = self.channel.take_local(&mut Vec::new(), &mut captured);
                let polled = taken.map(|(message, _)| match message.element {
                    StreamElement::Record(_) => "record",
                    _ => "barrier",
                });
                let expected = &line.line["expect"];
                differs = (json!(polled) != *expected).then(|| (expected.clone(), json!(polled)));
            }
            _ => return line.no_kind(),
        }
        for captured in captured {
            let records: Vec<_> = captured.messages.iter().map(|m| self.names.of(m)).collect();
            self.inflight.entry(captured.checkpoint.0).or_default().extend(records);
        }
        Ok(differs)
    }

    fn outcome(&mut self, field: &str, expected: &Json) -> Result<Json, String> {
        match field {
            "inflight_snapshot" => Ok(snapshots(&self.inflight, expected)),
            other => no_field(other),
        }
    }
}

/// The sender's end of a channel.
pub(super) struct OutputBench {
    subpartition: Subpartition,
    names: RecordNames,
    events: BTreeMap<u64, Json>,
    polled: Vec<Json>,
    saved: Snapshots,
    failed: Vec<u64>,
}

impl Default for OutputBench {
    fn default() -> Self {
        Self {
            subpartition: Subpartition::new(FlowControl::Unlimited, u32::MAX),
            names: RecordNames::default(),
            events: BTreeMap::new(),
            polled: Vec::new(),
            saved: Snapshots::new(),
            failed: Vec::new(),
        }
    }
}

impl OutputBench {
    fn name(&self, message: &Message) -> Json {
        match message.element {
            StreamElement::Barrier(barrier) => json!(match barrier.options.timeout() {
                Some(_) => "barrier:timeoutable",
                None if barrier.options.is_unaligned() => "barrier:unaligned",
                None => "barrier:aligned",
            }),
            StreamElement::Record(_) => self.names.of(message),
            _ => self.events.get(&message.number).cloned().unwrap_or_default(),
        }
    }
}

impl Bench for OutputBench {
    fn input(&mut self, line: &Line<'_>) -> Result<Option<(Json, Json)>, String> {
        let mut told = Vec::new();
        match line.kind()? {
            "record" => {
                let element = self.names.element(line)?;
                self.subpartition.add(element, &mut told);
            }
            "barrier" => {
                self.subpartition.add(StreamElement::Barrier(line.barrier()?), &mut told);
            }
            // Some event that is no barrier.
            "event" => {
                let number = self.subpartition.add(StreamElement::EndOfData, &mut told);
                self.events.insert(number, line.line["id"].clone());
            }
            "output_timeout" => {
                self.subpartition.time_out(line.checkpoint()?, &mut told);
            }
            "abort" => self.subpartition.abort(line.checkpoint()?, &mut told),
            "resume" => self.subpartition.resume(),
            "end" => {
                self.subpartition.add(StreamElement::EndOfPartition, &mut told);
            }
            "poll" => {
                let polled = self.subpartition.poll(&mut told);
                let name = polled.map_or(Json::Null, |(message, _)| self.name(&message));
                self.polled.push(name);
            }
            _ => return line.no_kind(),
        }
        for effect in told {
            match effect {
                SubpartitionEffect::OutputPending { .. } => {}
                SubpartitionEffect::OutputOvertaken { checkpoint, messages }
                | SubpartitionEffect::OutputDecided { checkpoint, messages } => {
                    let records: Vec<_> = messages.iter().map(|m| self.names.of(m)).collect();
                    self.saved.entry(checkpoint.0).or_default().extend(records);
                }
                SubpartitionEffect::OutputAborted { checkpoint } => self.failed.push(checkpoint.0),
            }
        }
        Ok(None)
    }

    fn outcome(&mut self, field: &str, expected: &Json) -> Result<Json, String> {
        match field {
            "poll_order" => Ok(json!(self.polled)),
            "output_snapshot" => Ok(snapshots(&self.saved, expected)),
            "failed_output_snapshots" => Ok(json!(self.failed)),
            other => no_field(other),
        }
    }
}
