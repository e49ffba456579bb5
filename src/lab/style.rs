//! Scenario files as a person would write them: what belongs together on one
//! line, the job from its sources to its sinks, plain keys first.

use serde_json::{Map, Value};

/// Columns of a file.
const WIDTH: usize = 100;

/// Keys in the order in which a person writes them; operators, names and
/// settings stand behind them, as they come.
const KEYS: &[&str] = &[
    "$schema",
    "title",
    "notes",
    "job",
    "edges",
    "network",
    "rpc",
    "storage",
    "config",
    "initial-delay",
    "checkpoints",
    "savepoints",
    "cancel",
    "taskmanagers",
    "faults",
    "labels",
    "moments",
    "break",
    "steps",
    "source",
    "map",
    "filter",
    "sum",
    "count",
    "min",
    "max",
    "union",
    "join",
    "sink",
    "parallelism",
    "names",
    "max-parallelism",
    "service",
    "snapshot",
    "sync",
    "async",
    "crash",
    "slow",
    "stall",
    "lose",
    "delay",
    "of",
    "from",
    "to",
    "random",
    "below",
    "checkpoint",
    "times",
    "for",
    "at",
    "when",
    "nth",
    "after",
    "by",
    "stop",
    "trigger",
    "acknowledge",
    "notify",
    "latency",
    "capacity",
    "credits",
    "buffers",
    "en",
    "zh",
];

/// The text of a scenario file. Loading it gives operators from the sources to
/// the sinks.
///
/// # Panics
/// Never: what is text stays text.
#[must_use]
pub fn written(document: &Value) -> String {
    let Value::Object(fields) = document else { return format!("{document}\n") };
    let mut lines = Vec::new();
    for (key, value) in in_order(fields) {
        let value = match (key.as_str(), value) {
            ("job", Value::Object(job)) => {
                let order = sources_first(document);
                let operators = order.into_iter().map(|name| (name, &job[name]));
                let operators: Vec<String> = operators
                    .map(|(name, own)| format!("    {}: {}", text(name), value_text(own, 4, name)))
                    .collect();
                format!("{{\n{}\n  }}", operators.join(",\n"))
            }
            (_, Value::Array(list)) if is_long(list) => lines_of(list, 2),
            _ => value_text(value, 2, key),
        };
        lines.push(format!("  {}: {value}", text(key)));
    }
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Whether a list is read more easily with one element a line.
fn is_long(list: &[Value]) -> bool {
    const SHORT_MAX: usize = 60;
    let holds_an_object = |value: &Value| match value {
        Value::Object(_) => true,
        Value::Array(list) => list.iter().any(Value::is_object),
        _ => false,
    };
    let width: usize = list.iter().map(|own| flat(own).chars().count() + 2).sum();
    list.len() > 1 && width > SHORT_MAX && list.iter().any(holds_an_object)
}

/// A list with one element a line.
fn lines_of(list: &[Value], indent: usize) -> String {
    let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
    let lines: Vec<String> =
        list.iter().map(|own| format!("{inner}{}", value_text(own, indent + 2, ""))).collect();
    format!("[\n{}\n{outer}]", lines.join(",\n"))
}

/// A value that begins behind a key, in lines with so many columns before them.
fn value_text(value: &Value, indent: usize, key: &str) -> String {
    let flat = flat(value);
    if indent + key.len() + 4 + flat.chars().count() < WIDTH {
        return flat;
    }
    let inner = " ".repeat(indent + 2);
    let outer = " ".repeat(indent);
    match value {
        Value::Array(elements) if elements.iter().any(|own| own.is_array() || own.is_object()) => {
            lines_of(elements, indent)
        }
        Value::Object(fields) => {
            let lines: Vec<String> = in_order(fields)
                .map(|(key, own)| {
                    format!("{inner}{}: {}", text(key), value_text(own, indent + 2, key))
                })
                .collect();
            format!("{{\n{}\n{outer}}}", lines.join(",\n"))
        }
        _ => flat,
    }
}

/// A value on one line.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(flat).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<String> = in_order(fields)
                .map(|(key, value)| format!("{}: {}", text(key), flat(value)))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        _ => value.to_string(),
    }
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}

fn in_order(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let place = |key: &str| KEYS.iter().position(|own| *own == key).unwrap_or(KEYS.len());
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(key, _)| place(key));
    fields.into_iter()
}

/// Names of operators, each behind those that it receives from. What goes round
/// in a circle comes last.
pub(super) fn sources_first(document: &Value) -> Vec<&str> {
    let job = document.get("job").and_then(Value::as_object);
    let edges: Vec<(&str, &str)> = document
        .get("edges")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|edge| Some((edge.get(0)?.as_str()?, edge.get(1)?.as_str()?)))
        .collect();
    let mut waiting: Vec<&str> = job.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let is_ready = |name: &&str| {
            edges.iter().all(|(from, to)| to != name || !waiting.contains(from) || from == to)
        };
        let ready: Vec<&str> = waiting.iter().copied().filter(|name| is_ready(name)).collect();
        let ready = if ready.is_empty() { waiting.clone() } else { ready };
        waiting.retain(|name| !ready.contains(name));
        order.extend(ready);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_as_a_person_writes_it() {
        let starter = include_str!("../cli/starter.json");
        let document: Value = serde_json::from_str(starter).expect("it is JSON");
        let written = written(&document);
        let again: Value = serde_json::from_str(&written).expect("it is JSON");
        assert_eq!(again, document);
        // Only the order of settings and of what is on one line may differ.
        assert_eq!(written, starter);
    }
}
