//! The cases of `coordinator-cases.json`: one document, many kinds.

use std::collections::BTreeMap;

use checkdam::model::{
    CheckpointFailureReason, CheckpointId, Key, KeySelector, default_max_parallelism, key_group,
    key_group_owner, string_hash_code,
};
use checkdam::protocol::{
    CheckpointFailure, CheckpointFailureManager, Cleanup, ExternalizedCheckpointRetention,
    KeyGroupRange, Ownership, SnapshotKind, TerminalStatus, TolerableFailures,
};
use serde_json::{Map, Value, json};

use super::json::{compare, field, list, number, text};
use super::{
    Answer, Verdict, config_cases, coordinator_script, restart_cases, restore_cases, sink_cases,
    topology_cases,
};

/// Whether a document holds cases of this kind.
pub(crate) fn recognises(document: &Value) -> bool {
    let format = document.get("format").and_then(Value::as_str);
    format.is_some_and(|format| format.starts_with("coordinator-cases/"))
}

/// Answers every case of a document.
///
/// # Errors
/// When a case is not of the format.
pub(crate) fn answer(document: &Value) -> Result<Vec<Answer>, String> {
    list(document, "cases")?
        .iter()
        .map(|case| {
            let name = text(case, "name")?;
            let verdict = run(case).map_err(|problem| format!("case {name}: {problem}"))?;
            Ok(Answer { case: name.to_owned(), group: text(case, "kind")?.to_owned(), verdict })
        })
        .collect()
}

fn run(case: &Value) -> Result<Verdict, String> {
    let got = match text(case, "kind")? {
        "coordinator" => coordinator_script::run(case)?,
        "failure_manager" => count_failures(case)?,
        "retention" => retain(case)?,
        "restart" => restart_cases::run(case)?,
        "two_phase_commit" => sink_cases::two_phase_commit(case)?,
        "committer" => sink_cases::committer(case)?,
        "plan" => topology_cases::plan(case)?,
        "region" => topology_cases::region(case)?,
        "key_group" => routes(case)?,
        "key_group_range" => ranges(case)?,
        "default_max_parallelism" => max_parallelisms(case)?,
        "config" => return config_cases::run(case),
        "rescale" => restore_cases::rescale(case)?,
        "restore_mapping" => restore_cases::restore_mapping(case)?,
        kind => return Err(format!("unknown kind {kind}")),
    };
    Ok(compare(list(case, "events")?, field(case, "expect")?, &got))
}

/// Every reason for a failure, by Flink's name.
pub(crate) fn reason(name: &str) -> Result<CheckpointFailureReason, String> {
    CheckpointFailureReason::from_flink_name(name).ok_or_else(|| format!("no reason {name}"))
}

/// `tolerable_failures`, where `"unlimited"` stands for the largest number.
pub(crate) fn tolerable(value: Option<&Value>) -> Result<TolerableFailures, String> {
    match value {
        None => Ok(TolerableFailures::AtMost(0)),
        Some(Value::String(word)) if word == "unlimited" => Ok(TolerableFailures::Unlimited),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            let number = number.ok_or_else(|| format!("tolerable_failures {value}"))?;
            Ok(TolerableFailures::from_number(number))
        }
    }
}

fn count_failures(case: &Value) -> Result<Map<String, Value>, String> {
    let tolerable = tolerable(field(case, "config")?.get("tolerable_failures"))?;
    let mut manager = CheckpointFailureManager::new(tolerable);
    let mut job_failures = 0;
    for event in list(case, "events")? {
        let checkpoint = field(event, "id")?.as_u64().map(CheckpointId);
        match text(event, "what")? {
            "failure" => {
                let reason = reason(text(event, "reason")?)?;
                let kind = SnapshotKind::Checkpoint;
                let failure = CheckpointFailure { checkpoint, kind, reason, declined_by: None };
                job_failures += u32::from(manager.on_failure(failure).is_some());
            }
            "success" => manager.on_success(checkpoint.ok_or("a success without an id")?),
            what => return Err(format!("unknown event {what}")),
        }
    }
    Ok(object([("job_failures", json!(job_failures)), ("count", json!(manager.n_failures()))]))
}

fn retain(case: &Value) -> Result<Map<String, Value>, String> {
    let config = field(case, "config")?;
    let owner = match config.get("externalized_checkpoint_retention").and_then(Value::as_str) {
        Some("NO_EXTERNALIZED_CHECKPOINTS") => {
            Ownership::Job(ExternalizedCheckpointRetention::NoExternalizedCheckpoints)
        }
        Some("DELETE_ON_CANCELLATION") => {
            Ownership::Job(ExternalizedCheckpointRetention::DeleteOnCancellation)
        }
        Some("RETAIN_ON_CANCELLATION") => {
            Ownership::Job(ExternalizedCheckpointRetention::RetainOnCancellation)
        }
        None if config.get("snapshot").and_then(Value::as_str) == Some("savepoint") => {
            Ownership::User
        }
        _ => return Err(format!("unknown retention {config}")),
    };
    let word = |cleanup| match cleanup {
        Cleanup::Delete => "delete",
        Cleanup::Keep => "keep",
    };
    let by_status: BTreeMap<_, _> = TerminalStatus::ALL
        .into_iter()
        .map(|status| {
            let name = match status {
                TerminalStatus::Finished => "FINISHED",
                TerminalStatus::Canceled => "CANCELED",
                TerminalStatus::Failed => "FAILED",
                TerminalStatus::Suspended => "SUSPENDED",
            };
            (name, word(owner.on_end(status)))
        })
        .collect();
    let on_subsumed = json!(word(owner.on_subsumed()));
    Ok(object([("by_terminal_status", json!(by_status)), ("on_subsumed", on_subsumed)]))
}

fn routes(case: &Value) -> Result<Map<String, Value>, String> {
    let config = field(case, "config")?;
    let parallelism = number(config, "parallelism")? as u32;
    let max_parallelism = number(config, "max_parallelism")? as u32;
    let mut routes = Vec::new();
    for event in list(case, "events")? {
        for key in list(event, "keys")? {
            let (kind, value) = (text(key, "type")?, field(key, "key")?);
            let hash = hash_code(kind, value).ok_or_else(|| format!("unknown key {key}"))?;
            let group = key_group(hash, max_parallelism);
            let subtask = key_group_owner(group, parallelism, max_parallelism);
            routes.push(json!({
                "type": kind, "key": value, "hash": hash, "key_group": group, "subtask": subtask,
            }));
        }
    }
    Ok(object([("routes", Value::Array(routes))]))
}

/// Java's hash code of a key of a type.
pub(crate) fn hash_code(kind: &str, key: &Value) -> Option<i32> {
    Some(match kind {
        "string" => string_hash_code(key.as_str()?),
        "boolean" => KeySelector::Parity.hash_code(Key::Bool(key.as_bool()?)),
        "int" => {
            let number = i32::try_from(key.as_i64()?).ok()?;
            KeySelector::Modulo(i32::MAX).hash_code(Key::Int(number))
        }
        "long" => KeySelector::Value.hash_code(Key::Long(key.as_i64()?)),
        _ => return None,
    })
}

fn ranges(case: &Value) -> Result<Map<String, Value>, String> {
    let mut ranges = Vec::new();
    for event in list(case, "events")? {
        for pair in list(event, "pairs")? {
            let number = |at: usize| pair.get(at).and_then(Value::as_u64);
            let (Some(max), Some(parallelism)) = (number(0), number(1)) else {
                return Err(format!("no pair: {pair}"));
            };
            let (max, parallelism) = (max as u32, parallelism as u32);
            let own = KeyGroupRange::partitions(parallelism, max);
            let own: Vec<_> = own.iter().map(|range| (range.first, range.last)).collect();
            ranges.push(json!(own));
        }
    }
    Ok(object([("ranges", Value::Array(ranges))]))
}

fn max_parallelisms(case: &Value) -> Result<Map<String, Value>, String> {
    let mut derived = Vec::new();
    for event in list(case, "events")? {
        for parallelism in list(event, "parallelism")? {
            let parallelism = parallelism.as_u64().ok_or("a parallelism is no number")?;
            derived.push(default_max_parallelism(parallelism as u32));
        }
    }
    Ok(object([("max_parallelism", json!(derived))]))
}

/// An answer by fields.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
