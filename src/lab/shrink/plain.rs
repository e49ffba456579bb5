//! Plain ways instead of special ones.

use serde_json::{Value, json};

use super::mention::{job, remove};

const INTERVAL: &str = "execution.checkpointing.interval";

/// Checkpoints at given times instead of one after the other for ever.
pub(super) fn checkpoints_by_hand(document: &Value) -> Vec<Value> {
    let interval = document.get("config").and_then(|config| config.get(INTERVAL)?.as_u64());
    let Some(interval) = interval else { return Vec::new() };
    let at = |numbers: &[u64]| {
        let times = numbers.iter().map(|number| json!({ "at": number * interval }));
        let mut simpler = document.clone();
        simpler["config"].as_object_mut().expect("it has settings").remove(INTERVAL);
        let old = simpler.get("checkpoints").and_then(Value::as_array).cloned();
        simpler["checkpoints"] = old.into_iter().flatten().chain(times).collect();
        if simpler["config"].as_object().is_some_and(serde_json::Map::is_empty) {
            remove(&mut simpler, "config");
        }
        simpler
    };
    [&[1][..], &[2], &[3], &[1, 2], &[1, 2, 3], &[1, 2, 3, 4, 5, 6]].map(at).to_vec()
}

/// Edges without options, without a way to distribute records of their own.
pub(super) fn edges(document: &Value) -> Vec<Value> {
    let edges = document.get("edges").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut all = Vec::new();
    for (place, edge) in edges.iter().enumerate() {
        let parts = edge.as_array().cloned().unwrap_or_default();
        let mut with = |parts: &[Value]| {
            let mut simpler = document.clone();
            simpler["edges"][place] = parts.to_vec().into();
            all.push(simpler);
        };
        if parts.len() > 2 {
            with(&parts[..2]);
        }
        if parts.len() > 3 {
            with(&parts[..3]);
            for word in ["forward", "hash", "rebalance"] {
                if parts[2] != word {
                    with(&[&parts[..2], &[json!(word)], &parts[3..]].concat());
                }
            }
            let options = parts[3].as_object().cloned().unwrap_or_default();
            for key in options.keys().filter(|_| options.len() > 1) {
                let mut fewer = options.clone();
                fewer.remove(key);
                with(&[&parts[..3], &[fewer.into()]].concat());
            }
        }
    }
    all
}

/// Operators without what they need not have, with the plainest function and
/// key.
pub(super) fn operators(document: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for (name, operator) in &job(document) {
        let mut change = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut simpler = document.clone();
            change(simpler["job"][name].as_object_mut().expect("an operator is an object"));
            all.push(simpler);
        };
        for key in ["service", "snapshot", "bytes-per-key", "max-parallelism", "backlog"] {
            if operator.get(key).is_some() {
                change(&|own| drop(own.remove(key)));
            }
        }
        for key in ["sync", "async"] {
            let snapshot = operator.get("snapshot").and_then(Value::as_object);
            if snapshot.is_some_and(|own| own.len() > 1 && own.contains_key(key)) {
                change(&|own| drop(own["snapshot"].as_object_mut().map(|own| own.remove(key))));
            }
        }
        if operator.get("parallelism") == Some(&json!(1)) {
            change(&|own| drop(own.remove("parallelism")));
        }
        for kind in ["count", "max", "join"] {
            if let Some(key) = operator.get(kind) {
                change(&|own| {
                    own.remove(kind);
                    own.insert("sum".to_owned(), key.clone());
                });
            }
        }
        for kind in ["sum", "count", "max", "join"] {
            if operator.get(kind).is_some_and(|key| key != "parity") {
                change(&|own| drop(own.insert(kind.to_owned(), json!("parity"))));
            }
        }
    }
    all
}
