//! Cases of the kind `coordinator`: scripts with what the coordinator is
//! expected to have done in the end.

use std::collections::BTreeMap;

use checkdam::model::{
    Attempt, CheckpointId, Micros, OperatorIndex, SubtaskIndex, SubtaskLife, Time,
};
use checkdam::protocol::{
    AcknowledgeResult, AfterTasksFinish, Backlog, BacklogInterval, ClaimMode, CoordinatorEffect,
    CoordinatorInput, CoordinatorSettings, DistributionPattern, Drain, Exchange, ExecutionState,
    Health, Held, JobFailure, Request, RequestId, SchedulingTopology, Sender, Service, Sharing,
    SnapshotKind,
};
use serde_json::{Map, Value, json};

use super::coordinator_bench::{CoordinatorBench, ms, time};
use super::coordinator_cases::{object, reason, tolerable};
use super::json::{field, flag_or, list, millis, number, number_or, text};

/// Plays a case; gives every field that a case may expect.
///
/// # Errors
/// When it is not of the format.
pub(crate) fn run(case: &Value) -> Result<Map<String, Value>, String> {
    let mut script = Script::new(case)?;
    let mut told = Told::default();
    for event in list(case, "events")? {
        script.bench.advance(time(number(event, "at_ms")?));
        script.perform(event)?;
        for (at, effect) in script.bench.take() {
            told.note(&script, at, effect);
        }
    }
    let coordinator = &script.bench.coordinator;
    let mut fields = object([
        ("pending", json!(script.bench.pending())),
        ("queued", json!(coordinator.n_queued())),
        ("retained", json!(script.bench.retained())),
        ("failure_count", json!(coordinator.n_failures())),
        ("next_checkpoint_id", json!(coordinator.next_id().0)),
        (
            "recent_expired",
            json!(coordinator.recently_expired().map(|id| id.0).collect::<Vec<_>>()),
        ),
        ("probes", Value::Object(std::mem::take(&mut script.probes))),
    ]);
    fields.extend(told.fields());
    Ok(fields)
}

/// A case being played.
struct Script {
    bench: CoordinatorBench,
    /// Tasks by name; one that nobody knows gets a number of its own.
    tasks: BTreeMap<String, SubtaskIndex>,
    operators: BTreeMap<String, OperatorIndex>,
    /// What a failing task means, in the one older mode that cases have.
    task_failure_mode: Option<String>,
    n_requests: u32,
    probes: Map<String, Value>,
}

impl Script {
    fn new(case: &Value) -> Result<Self, String> {
        let config = field(case, "config")?;
        let mut names = Vec::new();
        for task in list(case, "tasks")? {
            let state = state(text(task, "state")?)?;
            names.push((text(task, "role")? != "source", text(task, "name")?, state));
        }
        // Sources come first; otherwise the order is the case's.
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|place| names[*place].0);
        let n_sources = names.iter().filter(|(is_operator, ..)| !is_operator).count() as u32;
        let mut topology = SchedulingTopology::new(&[n_sources, names.len() as u32 - n_sources]);
        topology.connect((0, 1), DistributionPattern::AllToAll, Exchange::Pipelined);
        let mut script = Self {
            bench: CoordinatorBench::new(settings(config)?, topology),
            tasks: BTreeMap::new(),
            operators: BTreeMap::new(),
            task_failure_mode: config
                .get("task_failure_mode")
                .and_then(Value::as_str)
                .map(str::to_owned),
            n_requests: 0,
            probes: Map::new(),
        };
        for place in order {
            let (_, name, state) = names[place];
            let task = script.task(name);
            script.bench.set_task(task, state);
        }
        Ok(script)
    }

    fn task(&mut self, name: &str) -> SubtaskIndex {
        let next = SubtaskIndex::at(self.tasks.len());
        *self.tasks.entry(name.to_owned()).or_insert(next)
    }

    fn name(&self, task: SubtaskIndex) -> &str {
        let found = self.tasks.iter().find(|(_, index)| **index == task);
        found.map_or("?", |(name, _)| name)
    }

    fn perform(&mut self, event: &Value) -> Result<(), String> {
        let input = match text(event, "what")? {
            "run_until" => return Ok(()),
            "scheduler_start" => {
                CoordinatorInput::JobRunning { initial_delay: millis(event, "initial_delay_ms")? }
            }
            "scheduler_stop" => CoordinatorInput::JobNotRunning,
            "trigger" if flag_or(event, "periodic", false) => CoordinatorInput::PeriodicRequested,
            "trigger" => self.request(SnapshotKind::Checkpoint),
            "savepoint" => self.request(SnapshotKind::Savepoint),
            "stop_with_savepoint" => {
                self.bench.put(CoordinatorInput::JobNotRunning);
                let drain = if flag_or(event, "drain", false) { Drain::Yes } else { Drain::No };
                self.request(SnapshotKind::SynchronousSavepoint(drain))
            }
            "ack" => return self.acknowledge(event),
            "decline" => {
                let name = event
                    .get("reason")
                    .map_or(Ok("CHECKPOINT_DECLINED"), |_| text(event, "reason"))?;
                CoordinatorInput::Declined {
                    sender: self.sender(event, text(event, "task")?),
                    checkpoint: CheckpointId(number(event, "id")?),
                    reason: reason(name)?,
                }
            }
            "task_state" => {
                let (task, state) =
                    (self.task(text(event, "task")?), state(text(event, "state")?)?);
                self.bench.set_task(task, state);
                return Ok(());
            }
            "task_fail" if self.task_failure_mode.is_some() => {
                CoordinatorInput::TaskFailed { task: self.task(text(event, "task")?) }
            }
            "backlog" => {
                let next = OperatorIndex::at(self.operators.len());
                let name = text(event, "operator")?.to_owned();
                CoordinatorInput::BacklogReported {
                    operator: *self.operators.entry(name).or_insert(next),
                    backlog: match flag_or(event, "value", false) {
                        true => Backlog::Processing,
                        false => Backlog::CaughtUp,
                    },
                }
            }
            "set_cleaning" => {
                CoordinatorInput::CleaningChanged { n_cleaning: number(event, "count")? as u32 }
            }
            "hold_trigger_phase" => {
                CoordinatorInput::TriggerPhaseHeld(if flag_or(event, "value", false) {
                    Held::Yes
                } else {
                    Held::No
                })
            }
            "inject_io_failure" => match text(event, "where")? {
                "id_counter" => {
                    let (service, health) = (Service::IdCounter, Health::Fails);
                    CoordinatorInput::ServiceChanged { service, health }
                }
                "location" => {
                    self.bench.location = Some(Health::Fails);
                    return Ok(());
                }
                place => return Err(format!("unknown place {place}")),
            },
            "restore" => CoordinatorInput::Restored {
                snapshot: CheckpointId(number(event, "snapshot_id")?),
                mode: match text(event, "claim_mode")? {
                    "NO_CLAIM" => ClaimMode::NoClaim,
                    "CLAIM" => ClaimMode::Claim,
                    "LEGACY" => ClaimMode::Legacy,
                    mode => return Err(format!("unknown claim mode {mode}")),
                },
            },
            "probe" => {
                let probe = json!({
                    "pending": self.bench.pending(),
                    "queued": self.bench.coordinator.n_queued(),
                    "retained": self.bench.retained(),
                });
                self.probes.insert(text(event, "label")?.to_owned(), probe);
                return Ok(());
            }
            what => return Err(format!("unknown event {what}")),
        };
        self.bench.put(input);
        Ok(())
    }

    fn request(&mut self, kind: SnapshotKind) -> CoordinatorInput {
        let id = RequestId(self.n_requests);
        self.n_requests += 1;
        CoordinatorInput::Requested { id, kind }
    }

    fn sender(&mut self, event: &Value, name: &str) -> Sender {
        let task = self.task(name);
        if event.get("job").is_some() {
            return Sender::OtherJob { task };
        }
        Sender::Task { task, attempt: Attempt(1) }
    }

    fn acknowledge(&mut self, event: &Value) -> Result<(), String> {
        let checkpoint = CheckpointId(number(event, "id")?);
        let names = match field(event, "task")? {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            name => vec![name.as_str().ok_or("a task's name is no text")?],
        };
        for name in names {
            let sender = self.sender(event, name);
            self.bench.put(CoordinatorInput::Acknowledged {
                sender,
                checkpoint,
                life: SubtaskLife::Running,
            });
        }
        Ok(())
    }
}

fn settings(config: &Value) -> Result<CoordinatorSettings, String> {
    let interval = |key| config.get(key).map(|_| millis(config, key)).transpose();
    let number = |key, default| number_or(config, key, default);
    Ok(CoordinatorSettings {
        interval: interval("interval_ms")?,
        backlog: match interval("interval_during_backlog_ms")? {
            None => BacklogInterval::Same,
            Some(Micros::ZERO) => BacklogInterval::Off,
            Some(interval) => BacklogInterval::Every(interval),
        },
        min_pause: Micros::from_ms(number("min_pause_ms", 0)?),
        max_concurrent: number("max_concurrent", 1)? as u32,
        timeout: Some(Micros::from_ms(number("timeout_ms", 600_000)?)),
        tolerable: tolerable(config.get("tolerable_failures"))?,
        retained_max: number("num_retained", 1)? as usize,
        after_tasks_finish: match flag_or(config, "checkpoints_after_tasks_finish", true) {
            true => AfterTasksFinish::GoOn,
            false => AfterTasksFinish::NoCheckpoint,
        },
        unaligned: flag_or(config, "unaligned", false),
        queued_max: number("max_queued_requests", 1000)? as usize,
        ..CoordinatorSettings::default()
    })
}

fn state(word: &str) -> Result<ExecutionState, String> {
    match word {
        "deploying" => Ok(ExecutionState::Deploying),
        "running" => Ok(ExecutionState::Running),
        "finished" => Ok(ExecutionState::Finished),
        _ => Err(format!("unknown state {word}")),
    }
}

/// What the coordinator has asked for, by the fields of a case.
#[derive(Default)]
struct Told {
    lists: BTreeMap<&'static str, Vec<Value>>,
}

impl Told {
    const LISTS: [&'static str; 11] = [
        "triggers",
        "completed",
        "savepoints_done",
        "aborted",
        "rejected",
        "failures",
        "notify_complete",
        "notify_abort",
        "ack_results",
        "state_discarded",
        "discarded",
    ];

    fn push(&mut self, list: &'static str, value: Value) {
        self.lists.entry(list).or_default().push(value);
    }

    fn fields(mut self) -> impl Iterator<Item = (String, Value)> {
        let lists = Self::LISTS.into_iter();
        lists.map(move |list| {
            let values = self.lists.remove(list).unwrap_or_default();
            (list.to_owned(), Value::Array(values))
        })
    }

    fn note(&mut self, script: &Script, at: Time, effect: CoordinatorEffect) {
        let at = ms(at);
        match effect {
            CoordinatorEffect::Trigger { barrier, request, sharing, .. } => {
                let mut trigger = json!({
                    "at_ms": at, "id": barrier.checkpoint.0, "kind": kind(request.kind),
                });
                if sharing == Sharing::Full {
                    trigger["snapshot_type"] = json!("full");
                }
                self.push("triggers", trigger);
            }
            CoordinatorEffect::Complete { checkpoint, kind } => {
                self.push("completed", json!({ "at_ms": at, "id": checkpoint.0 }));
                if kind.is_savepoint() {
                    self.push("savepoints_done", json!(checkpoint.0));
                }
            }
            CoordinatorEffect::Abort { checkpoint, reason, .. } => {
                let reason = reason.flink_name();
                self.push("aborted", json!({ "at_ms": at, "id": checkpoint.0, "reason": reason }));
            }
            CoordinatorEffect::Reject { request, reason } => self.push(
                "rejected",
                json!({
                    "at_ms": at,
                    "requested_at_ms": ms(request.requested_at),
                    "kind": kind(request.kind),
                    "periodic": request.cause == Request::Periodic,
                    "reason": reason.flink_name(),
                }),
            ),
            CoordinatorEffect::FailJob { failure, .. } => {
                let why = match failure {
                    JobFailure::Tolerance | JobFailure::ToleranceByTask(_) => "tolerance",
                    JobFailure::SynchronousSavepoint => "sync_savepoint",
                };
                self.push("failures", json!({ "at_ms": at, "why": why }));
            }
            CoordinatorEffect::NotifyComplete { checkpoint, tasks, subsumed, .. } => {
                let mut tasks: Vec<_> = tasks.into_iter().map(|task| script.name(task)).collect();
                tasks.sort_unstable();
                let subsumed = subsumed.map(|id| id.0);
                let notice = json!({ "id": checkpoint.0, "tasks": tasks, "subsumed": subsumed });
                self.push("notify_complete", notice);
            }
            CoordinatorEffect::NotifyAbort { checkpoint, latest_completed, .. } => {
                let latest = latest_completed.map_or(0, |id| id.0);
                let notice = json!({ "id": checkpoint.0, "latest_completed": latest });
                self.push("notify_abort", notice);
            }
            _ => self.note_state(script, effect),
        }
    }

    fn note_state(&mut self, script: &Script, effect: CoordinatorEffect) {
        match effect {
            CoordinatorEffect::Acknowledge { sender, checkpoint, result } => {
                let result = match result {
                    AcknowledgeResult::Success => "success",
                    AcknowledgeResult::Duplicate => "duplicate",
                    AcknowledgeResult::UnknownTask => "unknown_task",
                    AcknowledgeResult::LateExpired => "late_expired",
                    AcknowledgeResult::UnknownCheckpoint => "unknown_checkpoint",
                    AcknowledgeResult::WrongJob => "wrong_job",
                };
                let task = sender_name(script, sender);
                let result = json!({ "id": checkpoint.0, "task": task, "result": result });
                self.push("ack_results", result);
            }
            CoordinatorEffect::DiscardState { sender, checkpoint } => {
                let task = sender_name(script, sender);
                self.push("state_discarded", json!({ "id": checkpoint.0, "task": task }));
            }
            CoordinatorEffect::DiscardCheckpoint(checkpoint) => {
                self.push("discarded", json!(checkpoint.0));
            }
            _ => {}
        }
    }
}

fn sender_name(script: &Script, sender: Sender) -> &str {
    match sender {
        Sender::Task { task, .. } | Sender::OtherJob { task } => script.name(task),
    }
}

fn kind(kind: SnapshotKind) -> &'static str {
    match kind {
        SnapshotKind::Checkpoint => "checkpoint",
        SnapshotKind::Savepoint => "savepoint",
        SnapshotKind::SynchronousSavepoint(_) => "stop_savepoint",
    }
}
