//! Random scripts that the real `CheckpointCoordinator` has answered, one a
//! line.

use checkdam::model::{
    AlignmentType, Attempt, Barrier, CheckpointFailureReason, CheckpointId, CheckpointingMode,
    Micros, SubtaskIndex, SubtaskLife,
};
use checkdam::protocol::{
    CoordinatorEffect, CoordinatorInput, CoordinatorSettings, DistributionPattern, Exchange,
    ExecutionState, JobFailure, RequestId, RequestOutcome, SchedulingTopology, Sender,
    SnapshotKind, TolerableFailures,
};
use serde_json::{Value, json};

use super::coordinator_bench::{CoordinatorBench, ms};
use super::{Answer, Mismatch, Verdict};

/// Whether a line is a case of this kind.
pub(crate) fn recognises(case: &Value) -> bool {
    case.get("ops").is_some() && case.get("tasks").is_some()
}

/// Answers a line.
///
/// # Errors
/// When it is not of the format.
pub(crate) fn answer(case: &Value) -> Result<Answer, String> {
    let name = case["id"].as_str().ok_or("no id")?.to_owned();
    let verdict = run(case)?;
    Ok(Answer { case: name, group: "coordinator".to_owned(), verdict })
}

fn run(case: &Value) -> Result<Verdict, String> {
    let number = |key: &str, default: u64| case.get(key).map_or(Some(default), Value::as_u64);
    let number = |key, default| number(key, default).ok_or(format!("{key} is no number"));
    let (n_tasks, n_sources) = (number("tasks", 3)? as u32, number("sources", 1)? as u32);
    let mut topology = SchedulingTopology::new(&[n_sources, n_tasks.saturating_sub(n_sources)]);
    topology.connect((0, 1), DistributionPattern::AllToAll, Exchange::Pipelined);
    let settings = CoordinatorSettings {
        interval: Some(Micros::from_ms(number("interval", 100)?)),
        min_pause: Micros::from_ms(number("min_pause", 0)?),
        timeout: Some(Micros::from_ms(number("timeout", 1000)?)),
        max_concurrent: number("max_concurrent", 1)? as u32,
        tolerable: TolerableFailures::from_number(number("tolerable", 0)? as u32),
        retained_max: number("retained", 1)? as usize,
        unaligned: case.get("unaligned") == Some(&Value::Bool(true)),
        aligned_timeout: Micros::from_ms(number("aligned_timeout", 0)?),
        mode: match case.get("exactly_once") {
            Some(Value::Bool(false)) => CheckpointingMode::AtLeastOnce,
            _ => CheckpointingMode::ExactlyOnce,
        },
        ..CoordinatorSettings::default()
    };
    let mut bench = CoordinatorBench::new(settings, topology);
    for task in 0..n_tasks {
        bench.set_task(SubtaskIndex(task), ExecutionState::Running);
    }
    let ops = case["ops"].as_array().ok_or("no ops")?;
    let answers = case["res"].as_array().ok_or("no answers")?;
    let mut n_requests = 0;
    for (index, op) in ops.iter().enumerate() {
        let got = perform(&mut bench, op, &mut n_requests)?;
        let expected = answers.get(index).and_then(Value::as_array);
        if expected != Some(&got) {
            let input = ops[..=index].iter().map(Value::to_string).collect();
            let expected = lines(expected.map_or(&[], Vec::as_slice));
            return Ok(Verdict::Failed(Mismatch { input, expected, got: lines(&got) }));
        }
    }
    let end = json!({
        "now": ms(bench.now),
        "pending": bench.pending(),
        "retained": bench.retained(),
        "queued": bench.coordinator.n_queued(),
    });
    if case["end"] == end {
        return Ok(Verdict::Passed);
    }
    let input = vec!["the end".to_owned()];
    let (expected, got) = (vec![case["end"].to_string()], vec![end.to_string()]);
    Ok(Verdict::Failed(Mismatch { input, expected, got }))
}

fn lines(events: &[Value]) -> Vec<String> {
    events.iter().map(Value::to_string).collect()
}

fn perform(
    bench: &mut CoordinatorBench,
    op: &Value,
    n_requests: &mut u32,
) -> Result<Vec<Value>, String> {
    let bad = || format!("cannot be read: {op}");
    let number = |at: usize| op.get(at).and_then(Value::as_u64).ok_or_else(bad);
    let sender = |task: u64| Sender::Task { task: SubtaskIndex(task as u32), attempt: Attempt(1) };
    let mut request = |bench: &mut CoordinatorBench, kind| {
        let id = RequestId(*n_requests);
        *n_requests += 1;
        bench.put(CoordinatorInput::Requested { id, kind });
    };
    match op.get(0).and_then(Value::as_str).ok_or_else(bad)? {
        "start" => {
            let initial_delay = Micros::from_ms(number(1)?);
            bench.put(CoordinatorInput::JobRunning { initial_delay });
        }
        "stop" => bench.put(CoordinatorInput::JobNotRunning),
        "t" => bench.advance(bench.now.after(Micros::from_ms(number(1)?))),
        "cp" => request(bench, SnapshotKind::Checkpoint),
        "sp" => request(bench, SnapshotKind::Savepoint),
        "failover" => bench.put(CoordinatorInput::RegionFailed),
        "ack" => match pending(bench, op.get(2).ok_or_else(bad)?) {
            None => return Ok(vec![json!(["no_pending"])]),
            Some(checkpoint) => {
                let sender = sender(number(1)?);
                bench.put(CoordinatorInput::Acknowledged {
                    sender,
                    checkpoint,
                    life: SubtaskLife::Running,
                });
            }
        },
        "decline" => match pending(bench, op.get(2).ok_or_else(bad)?) {
            None => return Ok(vec![json!(["no_pending"])]),
            Some(checkpoint) => {
                let sender = sender(number(1)?);
                let reason = op.get(3).and_then(Value::as_str).ok_or_else(bad)?;
                let reason = CheckpointFailureReason::from_flink_name(reason).ok_or_else(bad)?;
                bench.put(CoordinatorInput::Declined { sender, checkpoint, reason });
            }
        },
        _ => return Err(bad()),
    }
    let (mut events, mut answers) = (Vec::new(), Vec::new());
    for (_, effect) in bench.take() {
        match effect {
            CoordinatorEffect::Answer { id, outcome } => answers.push(answered(id, outcome)),
            effect => events.extend(event(effect)),
        }
    }
    events.append(&mut answers);
    Ok(events)
}

/// The checkpoint that an operation means: 0 the oldest pending one, -1 the
/// newest.
fn pending(bench: &CoordinatorBench, id: &Value) -> Option<CheckpointId> {
    let pending = bench.pending();
    let id = match id.as_i64()? {
        0 => *pending.first()?,
        -1 => *pending.last()?,
        id => id as u64,
    };
    Some(CheckpointId(id))
}

fn answered(id: RequestId, outcome: RequestOutcome) -> Value {
    match outcome {
        RequestOutcome::Completed(checkpoint) => json!(["request", id.0, "ok", checkpoint.0]),
        RequestOutcome::Failed(reason) => json!(["request", id.0, "failed", reason.flink_name()]),
    }
}

/// The event that Flink shows for an effect, if it shows one.
fn event(effect: CoordinatorEffect) -> Option<Value> {
    let numbers = |tasks: &[SubtaskIndex]| tasks.iter().map(|task| task.0).collect::<Vec<_>>();
    match effect {
        CoordinatorEffect::Trigger { barrier, request, tasks, .. } => {
            let word = if request.kind.is_synchronous() { "trigger_sync" } else { "trigger" };
            let kind = if request.kind.is_savepoint() { "savepoint" } else { "checkpoint" };
            let (alignment, timeout) = options(&barrier);
            let id = barrier.checkpoint.0;
            Some(json!([word, numbers(&tasks), id, kind, alignment, timeout]))
        }
        CoordinatorEffect::Complete { checkpoint, .. } => Some(json!(["completed", checkpoint.0])),
        CoordinatorEffect::Abort { checkpoint, reason, .. } => {
            Some(json!(["failed", checkpoint.0, reason.flink_name()]))
        }
        CoordinatorEffect::NotifyComplete { checkpoint, tasks, subsumed, .. } => {
            let subsumed = subsumed.map_or(-1, |id| id.0 as i64);
            Some(json!(["notify_complete", numbers(&tasks), checkpoint.0, subsumed]))
        }
        CoordinatorEffect::NotifyAbort { checkpoint, tasks, latest_completed, .. } => {
            let latest = latest_completed.map_or(0, |id| id.0);
            Some(json!(["notify_aborted", numbers(&tasks), checkpoint.0, latest]))
        }
        CoordinatorEffect::FailJob { failure: JobFailure::ToleranceByTask(task), .. } => {
            Some(json!(["fail_job_by_task", task.0]))
        }
        CoordinatorEffect::FailJob { .. } => Some(json!(["fail_job"])),
        _ => None,
    }
}

fn options(barrier: &Barrier) -> (&'static str, i64) {
    let alignment = match barrier.options.alignment {
        AlignmentType::AtLeastOnce => "AT_LEAST_ONCE",
        AlignmentType::Aligned => "ALIGNED",
        AlignmentType::Unaligned => "UNALIGNED",
        AlignmentType::ForcedAligned => "FORCED_ALIGNED",
    };
    let timeout = barrier.options.timeout().map_or(-1, |timeout| (timeout.0 / 1000) as i64);
    (alignment, timeout)
}
