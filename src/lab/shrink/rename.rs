//! Names that a person would give.

use serde_json::Value;

use super::mention::{job, parallelism, rename, task};
use crate::lab::style::sources_first;

/// Kinds of operators, and what such an operator is called.
const KINDS: [(&str, &str); 9] = [
    ("source", "numbers"),
    ("map", "map"),
    ("filter", "filter"),
    ("sum", "sum"),
    ("count", "count"),
    ("max", "max"),
    ("union", "union"),
    ("join", "join"),
    ("sink", "sink"),
];

/// Operators called by what they do, subtasks without names, splits called by
/// colours, and a single split without a name.
pub(super) fn names(document: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    let job = job(document);
    for (name, operator) in &job {
        if operator.get("names").is_some() {
            all.push(without_names(document, name));
        }
        let kind = KINDS.iter().find(|(kind, _)| operator.get(*kind).is_some());
        if let Some((kind, plain)) = kind {
            let n = job.iter().filter(|(_, own)| own.get(*kind).is_some()).count();
            let plain = match n {
                1 => (*plain).to_owned(),
                _ => {
                    let own = job.iter().filter(|(_, own)| own.get(*kind).is_some());
                    let place = own.map(|(name, _)| name).position(|own| own == name);
                    format!("{plain}-{}", place.unwrap_or(0) + 1)
                }
            };
            if *name != plain && !job.contains_key(&plain) {
                all.push(renamed(document, name, &plain));
            }
        }
        all.extend(plain_splits(document, name));
    }
    all.push(with_edges_in_order(document));
    all
}

/// Edges in the order in which records take them.
fn with_edges_in_order(document: &Value) -> Value {
    let mut simpler = document.clone();
    let order = sources_first(document);
    if let Some(edges) = simpler.get_mut("edges").and_then(Value::as_array_mut) {
        let place = |edge: &Value, end: usize| {
            order.iter().position(|name| edge.get(end).is_some_and(|own| own == name))
        };
        edges.sort_by_key(|edge| (place(edge, 0), place(edge, 1)));
    }
    simpler
}

fn renamed(document: &Value, old: &str, new: &str) -> Value {
    let mut simpler = document.clone();
    let job = simpler["job"].as_object_mut().expect("it has a job");
    let operator = job.remove(old).expect("it is there");
    job.insert(new.to_owned(), operator);
    if let Some(edges) = simpler.get_mut("edges").and_then(Value::as_array_mut) {
        let ends = edges.iter_mut().filter_map(Value::as_array_mut).flat_map(|own| &mut own[..2]);
        ends.filter(|end| **end == *old).for_each(|end| *end = new.into());
    }
    rename(&mut simpler, &|word| {
        let rest = word.strip_prefix(old).filter(|rest| rest.is_empty() || rest.starts_with('['));
        Some(rest.map_or_else(|| word.to_owned(), |rest| format!("{new}{rest}")))
    });
    simpler
}

fn without_names(document: &Value, name: &str) -> Value {
    let old = document["job"][name].clone();
    let mut simpler = document.clone();
    simpler["job"][name].as_object_mut().expect("it is an object").remove("names");
    let new = simpler["job"][name].clone();
    let places = 0..parallelism(&old);
    let pairs: Vec<(String, String)> =
        places.map(|place| (task(name, &old, place), task(name, &new, place))).collect();
    rename(&mut simpler, &|word| {
        let found = pairs.iter().find(|(old, _)| old == word);
        Some(found.map_or_else(|| word.to_owned(), |(_, new)| new.clone()))
    });
    simpler
}

fn plain_splits(document: &Value, name: &str) -> Vec<Value> {
    const COLOURS: [&str; 6] = ["blue", "yellow", "red", "green", "white", "black"];
    let splits = document["job"][name].get("source").and_then(Value::as_object);
    let Some(splits) = splits.filter(|own| own.values().all(|own| own.is_object())) else {
        return Vec::new();
    };
    let mut simpler = document.clone();
    let others = job(document);
    let taken = |colour: &str| {
        let others = others.iter().filter(|(other, _)| other.as_str() != name);
        let mut splits = others.filter_map(|(_, own)| own.get("source")?.as_object());
        splits.any(|own| own.contains_key(colour))
    };
    let new: Vec<(&String, &str)> =
        splits.keys().zip(COLOURS.into_iter().filter(|colour| !taken(colour))).collect();
    let word = |word: &str| {
        let found = new.iter().find(|(old, _)| *old == word);
        found.map_or_else(|| word.to_owned(), |(_, new)| (*new).to_owned())
    };
    let named = splits.iter().map(|(split, values)| (word(split), values.clone()));
    simpler["job"][name]["source"] = Value::Object(named.collect());
    rename(&mut simpler, &|own| Some(word(own)));
    let mut all = Vec::new();
    if splits.len() == 1 {
        let mut alone = document.clone();
        let (split, values) = splits.iter().next().expect("there is one");
        alone["job"][name]["source"] = values.clone();
        // A single split is called as its source.
        rename(&mut alone, &|own| Some(if own == split { name } else { own }.to_owned()));
        all.push(alone);
    }
    all.push(simpler);
    all
}
