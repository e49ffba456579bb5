//! Cases of starting from a snapshot: who gets which state, and how operator
//! state and key groups are distributed; those of the document, and what the
//! real Flink has answered (`facts-key-groups.json`,
//! `facts-operator-state.json`).

use checkdam::model::{default_max_parallelism, key_group, key_group_owner, murmur_hash};
use checkdam::protocol::{
    FinishedState, HasState, JobOperator, KeyGroupRange, NamedState, NonRestoredState,
    OperatorStateMode, RestoreRefusal, SnapshotOperator, map_states, repartition,
};
use serde_json::{Map, Value, json};

use super::Answer;
use super::coordinator_cases::{hash_code, object};
use super::json::{compare, field, flag_or, list, number, text};

/// Whether a document holds answers of the real Flink about these.
pub(crate) fn recognises(document: &Value) -> bool {
    document.get("redistribute").is_some() || document.get("keys").is_some()
}

/// Answers a document of the real Flink's answers.
///
/// # Errors
/// When the document is not of the format.
pub(crate) fn answer_facts(document: &Value) -> Result<Vec<Answer>, String> {
    let mut answers = Vec::new();
    let mut answer = |group: &str, input: &Value, expected: Value, got: Value| {
        let case = format!("{group} {}", answers.len());
        let expected = json!({ "answer": expected });
        let got = object([("answer", got)]);
        let verdict = compare(std::slice::from_ref(input), &expected, &got);
        answers.push(Answer { case, group: group.to_owned(), verdict });
    };
    let rows = |key: &str| document.get(key).map_or(Ok(&[][..]), |_| list(document, key));
    for row in rows("redistribute")? {
        let mode = mode(text(row, "mode")?)?;
        let subtasks = list(row, "old")?.iter().map(items).collect::<Result<Vec<_>, _>>()?;
        let new = list(row, "new")?;
        let state = NamedState { name: "state".to_owned(), mode, subtasks };
        let mut got = repartition(&[state], new.len() as u32).remove(0);
        // Their order in a subtask depends on hashes of file names there.
        got.iter_mut().for_each(|items| items.sort_by_key(Value::to_string));
        answer("operator state", row, json!(new), json!(got));
    }
    for row in rows("keys")? {
        let part = |at: usize| row.get(at).ok_or_else(|| format!("no column {at} in {row}"));
        let kind = part(0)?.as_str().unwrap_or_default();
        let kind = if kind == "Integer" { "int".to_owned() } else { kind.to_lowercase() };
        let hash = hash_code(&kind, part(1)?).ok_or_else(|| format!("unknown key {row}"))?;
        let groups = [128, 4096].map(|max| key_group(hash, max));
        let owners = [2, 3, 4, 7].map(|n| key_group_owner(groups[0], n, 128));
        let mut got = vec![json!(hash), json!(murmur_hash(hash))];
        got.extend(groups.into_iter().chain(owners).map(|number| json!(number)));
        let expected: Vec<_> = (2..10).map(|at| row.get(at).cloned()).collect();
        answer("key", row, json!(expected), json!(got));
    }
    for row in rows("ranges")? {
        let number = |at: usize| row.get(at).and_then(Value::as_u64).map(|number| number as u32);
        let (Some(max), Some(parallelism), Some(expected)) = (number(0), number(1), row.get(2))
        else {
            return Err(format!("no ranges: {row}"));
        };
        let ranges = KeyGroupRange::partitions(parallelism, max);
        let got: Vec<_> = ranges.iter().map(|range| (range.first, range.last)).collect();
        // What a range has is what the key groups' owner says.
        let is_owner = |(subtask, range): (usize, &KeyGroupRange)| {
            (range.first..=range.last)
                .all(|group| key_group_owner(group, parallelism, max) as usize == subtask)
        };
        if !ranges.iter().enumerate().all(is_owner) {
            return Err(format!("owners and ranges differ: {row}"));
        }
        answer("key group range", row, expected.clone(), json!(got));
    }
    for row in rows("default_max_parallelism")? {
        let parallelism = row.get(0).and_then(Value::as_u64).ok_or("no parallelism")?;
        let got = default_max_parallelism(parallelism as u32);
        answer("default max parallelism", row, json!(row.get(1)), json!(got));
    }
    Ok(answers)
}

fn mode(name: &str) -> Result<OperatorStateMode, String> {
    match name {
        "SPLIT_DISTRIBUTE" | "list_even_split" => Ok(OperatorStateMode::SplitDistribute),
        "UNION" | "union" => Ok(OperatorStateMode::Union),
        "BROADCAST" | "broadcast" => Ok(OperatorStateMode::Broadcast),
        other => Err(format!("unknown mode {other}")),
    }
}

fn items(subtask: &Value) -> Result<Vec<Value>, String> {
    subtask.as_array().cloned().ok_or_else(|| format!("no list: {subtask}"))
}

/// Distributes the states of a case.
///
/// # Errors
/// When the case is not of the format.
pub(crate) fn rescale(case: &Value) -> Result<Map<String, Value>, String> {
    let config = field(case, "config")?;
    let mode = mode(text(config, "mode")?)?;
    let parallelism = number(config, "new_parallelism")? as u32;
    let mut states = Vec::new();
    for event in list(case, "events")? {
        for state in list(event, "states")? {
            let subtasks = list(state, "subtasks")?.iter().map(items);
            let subtasks = subtasks.collect::<Result<Vec<_>, _>>()?;
            states.push(NamedState { name: text(state, "name")?.to_owned(), mode, subtasks });
        }
    }
    let repartitioned = repartition(&states, parallelism);
    let of = |new: usize| {
        let named = states.iter().zip(&repartitioned);
        named.map(move |(state, by_subtask)| (state.name.clone(), json!(by_subtask[new])))
    };
    let subtasks: Vec<Map<String, Value>> =
        (0..parallelism as usize).map(|new| of(new).collect()).collect();
    Ok(object([("subtasks", json!(subtasks))]))
}

/// Maps the states of a case to its job.
///
/// # Errors
/// When the case is not of the format.
pub(crate) fn restore_mapping(case: &Value) -> Result<Map<String, Value>, String> {
    let config = field(case, "config")?;
    let snapshot = |operator: &Value| {
        let has_state =
            if flag_or(operator, "has_state", false) { HasState::Yes } else { HasState::No };
        Ok(SnapshotOperator {
            uid: text(operator, "uid")?.to_owned(),
            max_parallelism: number(operator, "max_parallelism")? as u32,
            has_state,
            finished: FinishedState::AllRunning,
        })
    };
    let job = |operator: &Value| {
        let max_parallelism = field(operator, "max_parallelism")?.as_u64().map(|max| max as u32);
        Ok(JobOperator {
            uid: text(operator, "uid")?.to_owned(),
            parallelism: number(operator, "parallelism")? as u32,
            max_parallelism,
            inputs: Vec::new(),
        })
    };
    let snapshot = list(config, "snapshot")?.iter().map(snapshot);
    let snapshot = snapshot.collect::<Result<Vec<_>, String>>()?;
    let job = list(config, "job")?.iter().map(job).collect::<Result<Vec<_>, String>>()?;
    let non_restored = match flag_or(config, "allow_non_restored_state", false) {
        true => NonRestoredState::Allowed,
        false => NonRestoredState::Refused,
    };
    let mapping = match map_states(&snapshot, &job, non_restored) {
        Ok(mapping) => mapping,
        Err(refusal) => {
            let (error, operator) = match refusal {
                RestoreRefusal::NoOperator { operator } => ("no_operator_for_state", operator),
                RestoreRefusal::MaxParallelismMismatch { operator, .. } => {
                    ("max_parallelism_mismatch", operator)
                }
                RestoreRefusal::ParallelismExceedsMaxParallelism { operator, .. } => {
                    ("parallelism_exceeds_max_parallelism", operator)
                }
                RestoreRefusal::FinishedBehindUnfinished { operator, .. } => {
                    ("finished_behind_unfinished", operator)
                }
            };
            let fields = [("ok", json!(false)), ("error", json!(error))];
            let mut fields = object(fields);
            fields.insert("operator".to_owned(), json!(operator));
            return Ok(fields);
        }
    };
    let states = || job.iter().zip(&mapping.states);
    let restored: Vec<_> = snapshot.iter().map(|operator| &operator.uid).collect();
    let restored: Vec<_> = restored
        .iter()
        .enumerate()
        .filter(|(place, _)| mapping.states.contains(&Some(*place)))
        .map(|(_, uid)| *uid)
        .collect();
    let empty = states().filter(|(_, state)| state.is_none()).map(|(operator, _)| &operator.uid);
    let skipped = mapping.skipped.iter().map(|place| &snapshot[*place].uid);
    let max_parallelism: Map<String, Value> = states()
        .filter_map(|(operator, state)| {
            let max_parallelism = snapshot[(*state)?].max_parallelism;
            Some((operator.uid.clone(), json!(max_parallelism)))
        })
        .collect();
    Ok(object([
        ("ok", json!(true)),
        ("restored", json!(restored)),
        ("started_empty", json!(empty.collect::<Vec<_>>())),
        ("skipped", json!(skipped.collect::<Vec<_>>())),
        ("max_parallelism", Value::Object(max_parallelism)),
    ]))
}
