//! Barrier handling as the real Flink did it: one JSON object a line, with the
//! script (`ops`) and, for each op, what Flink's classes did (`res`).
//!
//! On the level `handler` the ops are calls of the barrier handler. On the
//! levels `gate` and `net` there is a sender's queue and a receiver's queue for
//! each channel; on `gate` the network delivers after each op and each read.

use checkdam::cluster::{
    Channel, CheckpointedInputGate, InputEffect, Inputs, Polled, SubpartitionEffect,
};
use checkdam::model::{
    AlignmentType, Barrier, ChannelIndex, ChannelKind, CheckpointFailureReason, CheckpointId,
    CheckpointOptions, Config, Message, Micros, Path, Record, RecordId, SnapshotType, SplitIndex,
    StreamElement, Time, Value,
};
use checkdam::protocol::{BarrierEffect, BarrierHandling, BarrierInput, CheckpointBarrierHandler};
use serde_json::{Value as Json, json};

use super::report::{Answer, Mismatch, Verdict};

/// Bytes of a buffer in the recorded cases; each holds one record.
const BUFFER_BYTES: u64 = 4;

/// Answers a recorded case.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn answer(case: &Json) -> Result<Answer, String> {
    let name = text(case, "id")?;
    let level = text(case, "level")?;
    let handling = match text(case, "handler")? {
        "aligned" => BarrierHandling::Aligned,
        "alternating" => BarrierHandling::Alternating,
        "unaligned" => BarrierHandling::Unaligned,
        "tracker" => BarrierHandling::Tracking,
        other => return Err(format!("no handler is called `{other}`")),
    };
    let n_channels = case["channels"].as_u64().ok_or("`channels` is not a number")? as usize;
    let checkpoints_after_tasks_finish = case["after_finish"].as_bool().unwrap_or(true);
    let config = Config { checkpoints_after_tasks_finish, ..Config::default() };
    let handler = CheckpointBarrierHandler::new(n_channels, handling, &config);
    let mut bench = match level {
        "handler" => Bench::Handler(HandlerBench { handler, timer: None }),
        "gate" | "net" => {
            let channels =
                (0..n_channels).map(|_| Channel::new(ChannelKind::Remote, u32::MAX, u32::MAX));
            Bench::Network(NetworkBench {
                channels: channels.collect(),
                positions: (0..n_channels).map(ChannelIndex::at).collect(),
                gate: CheckpointedInputGate::new(handler),
                delivers: case["auto"].as_bool().unwrap_or(true),
                to_deliver: Vec::new(),
            })
        }
        other => return Err(format!("no level is called `{other}`")),
    };
    let ops = case["ops"].as_array().ok_or("`ops` is not a list")?;
    let results = case["res"].as_array().ok_or("`res` is not a list")?;
    let mut now = Time::ZERO;
    let group = format!("{level} {}", text(case, "handler")?);
    let answered = |verdict| Answer { case: name.to_owned(), group, verdict };
    for (place, (op, expected)) in ops.iter().zip(results).enumerate() {
        let mut log = Log::default();
        bench.run(op, &mut now, &mut log)?;
        let expected = expected.as_array().ok_or("`res` is not a list of lists")?;
        if *expected == log.events {
            continue;
        }
        if is_tracker_defect(handling, &log, expected) {
            return Ok(answered(Verdict::Difference(
                "an at-least-once checkpoint that is completed without a running clock",
            )));
        }
        let input = ops[..=place].iter().map(Json::to_string).collect();
        let lines = |events: &[Json]| events.iter().map(Json::to_string).collect();
        let (expected, got) = (lines(expected), lines(&log.events));
        return Ok(answered(Verdict::Failed(Mismatch { input, expected, got })));
    }
    let end = bench.end();
    let expected = &case["end"];
    if results.len() == ops.len() && *expected != end {
        let input = vec!["the end".to_owned()];
        let (expected, got) = (vec![expected.to_string()], vec![end.to_string()]);
        return Ok(answered(Verdict::Failed(Mismatch { input, expected, got })));
    }
    Ok(answered(Verdict::Passed))
}

/// Flink's tracker fails where a checkpoint is completed whose clock does not
/// run; ours says so, and goes on with an alignment of no time.
fn is_tracker_defect(handling: BarrierHandling, log: &Log, expected: &[Json]) -> bool {
    let Some((failure, before)) = expected.split_last() else { return false };
    handling == BarrierHandling::Tracking
        && log.unmeasured.is_some_and(|place| {
            let (ours_before, ours) = log.events.split_at(place);
            ours_before == before
                && *failure == json!(["throw", "IllegalStateException"])
                && ours.len() >= 2
                && ours[0][0] == "trigger"
                && ours[0][4] == 0
                && ours[1] == json!(["aligned", ours[0][1], 0, 0])
        })
}

/// What happened in one op.
#[derive(Default)]
struct Log {
    events: Vec<Json>,
    /// Where in it an alignment was not measured.
    unmeasured: Option<usize>,
}

enum Bench {
    Handler(HandlerBench),
    Network(NetworkBench),
}

struct HandlerBench {
    handler: CheckpointBarrierHandler,
    timer: Option<(CheckpointId, Time)>,
}

struct NetworkBench {
    channels: Vec<Channel>,
    positions: Vec<ChannelIndex>,
    gate: CheckpointedInputGate,
    delivers: bool,
    /// Channels whose sender may have something to hand out, in order.
    to_deliver: Vec<u32>,
}

impl Bench {
    fn run(&mut self, op: &Json, now: &mut Time, log: &mut Log) -> Result<(), String> {
        match self {
            Self::Handler(bench) => bench.run(op, now, log),
            Self::Network(bench) => bench.run(op, now, log),
        }
    }

    fn end(&self) -> Json {
        let handler = match self {
            Self::Handler(bench) => &bench.handler,
            Self::Network(bench) => bench.gate.handler(),
        };
        let latest = handler.latest().map_or(-1, |latest| latest.0 as i64);
        let mut end = json!({
            "latest": latest,
            "pending": !handler.pending().is_empty(),
            "open": handler.n_open(),
        });
        if let Self::Network(bench) = self {
            let channels = || bench.channels.iter();
            let blocked = channels().enumerate().filter(|(_, c)| c.subpartition.is_blocked());
            end["blocked"] = blocked.map(|(channel, _)| channel).collect();
            end["unsent"] = channels().map(|c| c.subpartition.buffer().len()).collect();
            end["unread"] = channels().map(|c| c.input.len()).collect();
        }
        end
    }
}

impl HandlerBench {
    fn run(&mut self, op: &Json, now: &mut Time, log: &mut Log) -> Result<(), String> {
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
    fn run(&mut self, op: &Json, now: &mut Time, log: &mut Log) -> Result<(), String> {
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
                self.mailbox(*now, log);
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

    fn mailbox(&mut self, now: Time, log: &mut Log) {
        let mut effects = Vec::new();
        let Self { channels, positions, gate, .. } = self;
        let mut inputs = Inputs { channels, positions };
        gate.run_mailbox(now, &mut inputs, &mut effects);
        self.carry_out(effects, log);
        self.network(log);
    }

    /// Runs the mailbox and reads once; says whether there was something.
    fn poll(&mut self, now: Time, log: &mut Log) -> bool {
        self.mailbox(now, log);
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

impl Log {
    /// What the handler does, as Flink's would say it. It counts records where
    /// Flink counts bytes: so many bytes of ours are a buffer of the case.
    fn handler(&mut self, effect: BarrierEffect, bytes_per_buffer: u64) {
        let event = match effect {
            BarrierEffect::Block { channel, .. } => json!(["block", channel]),
            BarrierEffect::Resume { channel } => json!(["resume", channel]),
            BarrierEffect::Prioritize { channel, sequence } => json!(["prio", channel, sequence]),
            BarrierEffect::InitInputs(barrier) => {
                json!(["init", barrier.checkpoint.0, alignment(barrier.options.alignment)])
            }
            BarrierEffect::StartCapture(barrier) => json!(["start", barrier.checkpoint.0]),
            BarrierEffect::StopCapture(checkpoint) => json!(["stop", checkpoint.0]),
            BarrierEffect::Trigger { barrier, start_delay } => json!([
                "trigger",
                barrier.checkpoint.0,
                barrier.triggered_at.0 / 1000,
                alignment(barrier.options.alignment),
                start_delay.0 / 1000
            ]),
            BarrierEffect::Aligned { checkpoint, duration, bytes } => {
                let bytes = match bytes_per_buffer {
                    1 => bytes,
                    n => bytes / n * BUFFER_BYTES,
                };
                json!(["aligned", checkpoint.0, duration.0 / 1000, bytes])
            }
            BarrierEffect::InputsComplete(checkpoint) => {
                json!(["inputs", checkpoint.0, "finished"])
            }
            BarrierEffect::InputsAborted(checkpoint) => json!(["inputs", checkpoint.0, "aborted"]),
            BarrierEffect::Abort { checkpoint, reason } => {
                json!(["abort", checkpoint.0, CheckpointFailureReason::flink_name(reason)])
            }
            BarrierEffect::AlignmentNotMeasured(_) => {
                self.unmeasured = Some(self.events.len());
                return;
            }
            BarrierEffect::TimedOut { .. }
            | BarrierEffect::ArmTimer { .. }
            | BarrierEffect::DisarmTimer => return,
        };
        self.events.push(event);
    }

    fn outputs(&mut self, channel: u32, told: Vec<SubpartitionEffect>) {
        for effect in told {
            self.events.push(match effect {
                SubpartitionEffect::OutputPending { checkpoint } => {
                    json!(["outpending", checkpoint.0, channel])
                }
                SubpartitionEffect::OutputOvertaken { checkpoint, messages }
                | SubpartitionEffect::OutputDecided { checkpoint, messages } => {
                    let values: Vec<i64> = messages.iter().map(value).collect();
                    json!(["saveout", checkpoint.0, channel, values])
                }
                SubpartitionEffect::OutputAborted { checkpoint } => {
                    json!(["outaborted", checkpoint.0, channel])
                }
            });
        }
    }
}

fn alignment(alignment: AlignmentType) -> &'static str {
    match alignment {
        AlignmentType::AtLeastOnce => "AT_LEAST_ONCE",
        AlignmentType::Aligned => "ALIGNED",
        AlignmentType::Unaligned => "UNALIGNED",
        AlignmentType::ForcedAligned => "FORCED_ALIGNED",
    }
}

fn value(message: &Message) -> i64 {
    match message.element {
        StreamElement::Record(record) => record.value.number(),
        _ => -1,
    }
}

/// `["d", channel, value]`.
fn record(op: &Json) -> Result<StreamElement, String> {
    let value = op[2].as_i64().ok_or_else(|| format!("{op} has no value"))?;
    let id = RecordId { split: SplitIndex(0), offset: 1, path: Path::default() };
    Ok(StreamElement::Record(Record { id, value: Value::Number(value), key: None }))
}

/// `["b", channel, id, timestamp, kind, timeout]`.
fn barrier(op: &Json) -> Result<Barrier, String> {
    let kind = op[4].as_str().ok_or_else(|| format!("{op} has no kind of barrier"))?;
    let (alignment, aligned_timeout) = match kind {
        "A" | "S" => (AlignmentType::Aligned, None),
        "T" => (AlignmentType::Aligned, Some(Micros::from_ms(number(op, 5)?))),
        "U" => (AlignmentType::Unaligned, None),
        "L" => (AlignmentType::AtLeastOnce, None),
        other => return Err(format!("no kind of barrier is called `{other}`")),
    };
    let snapshot = if kind == "S" { SnapshotType::Savepoint } else { SnapshotType::Checkpoint };
    Ok(Barrier {
        checkpoint: CheckpointId(number(op, 2)?),
        triggered_at: Time(Micros::from_ms(number(op, 3)?).0),
        options: CheckpointOptions { snapshot, alignment, aligned_timeout },
    })
}

fn word(op: &Json) -> Result<&str, String> {
    op[0].as_str().ok_or_else(|| format!("{op} is not an op"))
}

fn number(op: &Json, place: usize) -> Result<u64, String> {
    op[place].as_u64().ok_or_else(|| format!("{op} has no number at place {place}"))
}

fn text<'a>(case: &'a Json, field: &str) -> Result<&'a str, String> {
    case[field].as_str().ok_or_else(|| format!("`{field}` is not a text"))
}
