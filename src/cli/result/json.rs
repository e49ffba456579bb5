//! What became of a run, for machines.

use serde_json::{Value as Json, json};

use super::metrics::{Kind, n_persisted};
use crate::cli::explain::Explainer;
use crate::cli::run::{RunResult, Shows};
use crate::model::{
    CheckpointingMode, Language, Record, Scenario, SnapshotState, StateValue, SubtaskIndex, Value,
};
use crate::sim::Ending;
use crate::verify::{Judgement, Miscount, Outcome, Verdict};

/// The same content as the text, with the names of files and traces.
pub(in crate::cli) fn json(result: &RunResult<'_>) -> Json {
    let (graph, report) = (&result.scenario.graph, &result.report);
    let name = |task: SubtaskIndex| graph.subtasks[task.index()].name.clone();
    let checkpoints: Vec<Json> = report
        .checkpoints
        .iter()
        .map(|checkpoint| {
            let holds: serde_json::Map<String, Json> = result
                .holdings
                .of(checkpoint.triggered.0)
                .into_iter()
                .map(|(task, state)| (name(task), stored(result, task, state)))
                .collect();
            let metrics = &checkpoint.metrics;
            json!({
                "id": checkpoint.id,
                "snapshot": checkpoint.snapshot,
                "format": checkpoint.snapshot.is_savepoint().then_some(checkpoint.format),
                "triggered": { "step": checkpoint.triggered.0, "at": checkpoint.triggered.1 },
                "completed": checkpoint.completed.map(|(step, at)| json!({ "step": step, "at": at })),
                "given_up": checkpoint.aborted.map(|(step, _)| json!({ "step": step })),
                "acknowledged": checkpoint.n_acknowledged,
                "kind": Kind::of(&result.scenario.config, metrics).name(),
                "alignment_max": checkpoint.alignment_max,
                "start_delay_max": metrics.start_delay,
                "sync_duration_max": metrics.sync_duration,
                "async_duration_max": metrics.async_duration,
                "persisted_in_flight": {
                    "records": n_persisted(metrics),
                    "bytes": metrics.bytes_persisted_during_alignment,
                },
                "holds": holds,
            })
        })
        .collect();
    let recoveries: Vec<Json> = report
        .recoveries
        .iter()
        .map(|recovery| {
            let restarted = recovery.restarted.map(|(step, at, checkpoint)| {
                json!({ "step": step, "at": at, "checkpoint": checkpoint })
            });
            json!({
                "failed_attempt": recovery.failed,
                "job_manager_crashed": recovery.cause.is_none(),
                "region": recovery.region.as_ref().map(|tasks| {
                    tasks.iter().map(|task| name(*task)).collect::<Vec<_>>()
                }),
                "noticed": { "step": recovery.noticed.0, "at": recovery.noticed.1 },
                "restarted": restarted,
            })
        })
        .collect();
    let mut state = serde_json::Map::new();
    let mut output = serde_json::Map::new();
    for task in graph.subtask_indices() {
        let view = &result.view.tasks[task.index()];
        if graph.operator(task).kind.key_selector().is_some() {
            let entries: Vec<_> = view.state.iter().map(|(key, value)| (*key, *value)).collect();
            state.insert(name(task), stored(result, task, &SnapshotState::Keyed(entries)));
        }
        if let Some(sink) = &view.sink {
            let last: Vec<Json> =
                sink.published.last.iter().map(|own| record(result, own)).collect();
            output.insert(
                name(task),
                json!({ "count": sink.published.count, "digest": format!("{:016x}", sink.published.digest), "last": last }),
            );
        }
    }
    let mut all = json!({
        "scenario": result.scenario.name,
        "title": { "en": result.scenario.title.en, "zh": result.scenario.title.zh },
        "seed": result.seed,
        "steps": report.n_steps,
        "ended_at": report.ended_at,
        "ending": match result.ending {
            Ending::Finished => "finished",
            Ending::Failed => "failed",
            Ending::Canceled => "canceled",
            Ending::Stuck(_) => "stuck",
            Ending::OutOfSteps(_) => "out-of-steps",
            Ending::OutOfTime(_) => "out-of-time",
        },
        "checkpoints": checkpoints,
        "recoveries": recoveries,
        "retained_checkpoints": super::kept::ids(result),
        "state": state,
        "output": output,
        "verdict": result.verdict.as_ref().map(|found| verdict(result, found)),
    });
    if let Some(start) = &result.scenario.start {
        let savepoint = &start.savepoint;
        all["from"] = json!({
            "job": savepoint.job,
            "savepoint": savepoint.id,
            "not_restored": start.skipped,
        });
    }
    if !result.savepoints.is_empty() {
        let files: Vec<_> = result.savepoints.iter().map(|file| file.to_string_lossy()).collect();
        all["savepoint_files"] = json!(files);
    }
    if result.shows == Shows::ResultAndStorage {
        all["storage"] = super::storage::json(result);
    }
    all
}

fn stored(result: &RunResult<'_>, task: SubtaskIndex, state: &SnapshotState) -> Json {
    let graph = &result.scenario.graph;
    match state {
        SnapshotState::Offsets(offsets) => {
            let entries = offsets
                .iter()
                .map(|(split, offset)| (graph.split(*split).name.clone(), Json::from(*offset)));
            Json::Object(entries.collect())
        }
        SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
            let selector = graph.operator(task).kind.key_selector();
            let entries = entries.iter().map(|(key, value)| {
                let key = selector.map_or_else(|| format!("{key:?}"), |own| own.text(*key));
                (key, state_value(value))
            });
            Json::Object(entries.collect())
        }
        SnapshotState::Stateless => Json::Null,
        SnapshotState::Transactions(list) => json!({ "prepared_transactions": list.len() }),
    }
}

fn state_value(value: &StateValue) -> Json {
    match value {
        StateValue::Value(own) => self::value(*own),
        StateValue::Sides { left, right } => {
            json!({ "left": left.map(value_of), "right": right.map(value_of) })
        }
    }
}

fn value_of(own: Value) -> Json {
    value(own)
}

fn value(own: Value) -> Json {
    match own {
        Value::Number(number) => json!(number),
        Value::Letter(letter) => json!(letter.to_string()),
    }
}

fn record(result: &RunResult<'_>, own: &Record) -> Json {
    let split = &result.scenario.graph.split(own.id.split).name;
    json!({ "value": value(own.value), "caused_by": { "split": split, "offset": own.id.offset } })
}

fn verdict(result: &RunResult<'_>, found: &Verdict) -> Json {
    let reasons: Vec<String> = found.cannot_tell.iter().map(ToString::to_string).collect();
    let words = [Language::En, Language::Zh];
    let [en, zh] = words.map(|own| Explainer::new(result.scenario, own, Some(result.seed)));
    let limits = found.limits.iter().map(|own| json!({ "en": en.limit(own), "zh": zh.limit(own) }));
    let limits: Vec<Json> = limits.collect();
    let findings: Vec<String> = found.cut.findings.iter().map(ToString::to_string).collect();
    json!({
        "cut": {
            "outcome": outcome(found.cut.outcome()),
            "channel_cuts": found.cut.n_cuts,
            "wrong_channel_cuts": found.cut.n_wrong_cuts,
            "findings": findings,
        },
        "state": judgement(result.scenario, &found.state),
        "output": judgement(result.scenario, &found.output),
        "mode": match found.mode {
            CheckpointingMode::ExactlyOnce => "exactly-once",
            CheckpointingMode::AtLeastOnce => "at-least-once",
        },
        "promise": outcome(found.promise),
        "limits": limits,
        "cannot_tell": reasons,
    })
}

/// A judgement on state or output.
pub(in crate::cli) fn judgement(scenario: &Scenario, found: &Judgement) -> Json {
    let list = |list: &[Miscount]| -> Vec<Json> {
        list.iter()
            .map(|miscount| {
                let id = miscount.record.id;
                let split = &scenario.graph.split(id.split).name;
                let steps: Vec<u64> = miscount.sightings.iter().map(|own| own.step).collect();
                json!({ "split": split, "offset": id.offset, "times": miscount.n, "steps": steps })
            })
            .collect()
    };
    json!({
        "outcome": outcome(found.outcome),
        "judged": found.n,
        "once": found.n_once,
        "too_often": list(&found.too_often),
        "lost": list(&found.lost),
    })
}

/// What an outcome is called.
pub(in crate::cli) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Violated => "violated",
        Outcome::CannotTell => "cannot-tell",
    }
}
