//! Names of tasks, operators and splits where a file mentions them.

use serde_json::{Map, Value};

/// What happens to a run; each may mention a task.
const HAPPENINGS: [&str; 3] = ["faults", "checkpoints", "savepoints"];

/// Replaces names wherever a happening, a TaskManager or a latency of one
/// channel mentions them; what `new` has no name for is taken away with all
/// that mentions it.
pub(super) fn rename(document: &mut Value, new: &dyn Fn(&str) -> Option<String>) {
    for key in HAPPENINGS {
        let Some(list) = document.get_mut(key).and_then(Value::as_array_mut) else { continue };
        list.retain_mut(|own| renamed(own, new));
        if list.is_empty() {
            remove(document, key);
        }
    }
    if document.get_mut("cancel").is_some_and(|own| !renamed(own, new)) {
        remove(document, "cancel");
    }
    if let Some(managers) = document.get_mut("taskmanagers").and_then(Value::as_object_mut) {
        for tasks in managers.values_mut().filter_map(Value::as_array_mut) {
            tasks.retain_mut(|task| renamed(task, new));
        }
        managers.retain(|_, tasks| tasks.as_array().is_none_or(|own| !own.is_empty()));
    }
}

/// Takes a key of the whole file away.
pub(super) fn remove(document: &mut Value, key: &str) {
    if let Some(fields) = document.as_object_mut() {
        fields.remove(key);
    }
}

/// Renames what a value mentions; whether everything has a name.
fn renamed(value: &mut Value, new: &dyn Fn(&str) -> Option<String>) -> bool {
    match value {
        Value::String(text) => match sentence(text, new) {
            Some(renamed) => {
                *text = renamed;
                true
            }
            None => false,
        },
        Value::Object(fields) => fields.values_mut().all(|own| renamed(own, new)),
        Value::Array(elements) => elements.iter_mut().all(|own| renamed(own, new)),
        _ => true,
    }
}

/// A sentence with its names replaced: words, and the two ends of a channel.
fn sentence(text: &str, new: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let words: Option<Vec<String>> = text
        .split(' ')
        .map(|word| {
            let ends: Option<Vec<String>> = word.split("->").map(new).collect();
            ends.map(|ends| ends.join("->"))
        })
        .collect();
    words.map(|words| words.join(" "))
}

/// The operators of a file.
pub(super) fn job(document: &Value) -> Map<String, Value> {
    document.get("job").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// How many subtasks an operator has.
pub(super) fn parallelism(operator: &Value) -> u64 {
    operator.get("parallelism").and_then(Value::as_u64).unwrap_or(1)
}

/// The full name of a subtask.
pub(super) fn task(name: &str, operator: &Value, position: u64) -> String {
    let own = operator.get("names").and_then(|names| names.get(position as usize)?.as_str());
    match own {
        Some(own) => format!("{name}[{own}]"),
        None if parallelism(operator) == 1 => name.to_owned(),
        None => format!("{name}[{position}]"),
    }
}
