//! Barrier handling as the real Flink did it: one JSON object a line, with the
//! script (`ops`) and, for each op, what Flink's classes did (`res`).
//!
//! On the level `handler` the ops are calls of the barrier handler. On the
//! levels `gate` and `net` there is a sender's queue and a receiver's queue for
//! each channel; on `gate` the network delivers after each op and each read.

mod benches;
mod log;
mod op;

use benches::{HandlerBench, NetworkBench};
use checkdam::cluster::{Channel, CheckpointedInputGate};
use checkdam::model::{ChannelIndex, ChannelKind, Config, Time};
use checkdam::protocol::{BarrierHandling, CheckpointBarrierHandler};
use log::Log;
use serde_json::{Value as Json, json};

use super::report::{Answer, Mismatch, Verdict};

/// Answers a recorded case.
pub(crate) fn answer(case: &Json) -> Answer {
    let name = text(case, "id").unwrap_or("a case without an id");
    let level = text(case, "level").unwrap_or("no level");
    let group = format!("{level} {}", text(case, "handler").unwrap_or("no handler"));
    super::answered(name, group, || answer_case(case))
}

fn answer_case(case: &Json) -> Result<Verdict, String> {
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
    for (place, (op, expected)) in ops.iter().zip(results).enumerate() {
        let mut log = Log::default();
        bench.run(op, &mut now, &mut log)?;
        let expected = expected.as_array().ok_or("`res` is not a list of lists")?;
        if *expected == log.events {
            continue;
        }
        if is_tracker_defect(handling, &log, expected) {
            return Ok(Verdict::Difference(
                "an at-least-once checkpoint that is completed without a running clock",
            ));
        }
        let input = ops[..=place].iter().map(Json::to_string).collect();
        let lines = |events: &[Json]| events.iter().map(Json::to_string).collect();
        let (expected, got) = (lines(expected), lines(&log.events));
        return Ok(Verdict::Failed(Mismatch { input, expected, got }));
    }
    let end = bench.end();
    let expected = &case["end"];
    if !expected.is_null() && *expected != end {
        let input = vec!["the end".to_owned()];
        let (expected, got) = (vec![expected.to_string()], vec![end.to_string()]);
        return Ok(Verdict::Failed(Mismatch { input, expected, got }));
    }
    Ok(Verdict::Passed)
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

enum Bench {
    Handler(HandlerBench),
    Network(NetworkBench),
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

fn text<'a>(case: &'a Json, field: &str) -> Result<&'a str, String> {
    case[field].as_str().ok_or_else(|| format!("`{field}` is not a text"))
}
