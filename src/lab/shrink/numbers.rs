//! Smaller and rounder numbers.

use serde_json::{Value, json};

/// Where a file says how long something takes, by the last key of the place.
const DELAYS: [&str; 17] = [
    "service",
    "sync",
    "async",
    "latency",
    "trigger",
    "acknowledge",
    "notify",
    "after",
    "at",
    "for",
    "by",
    "min",
    "max",
    "times",
    "nth",
    "credits",
    "buffers",
];

/// Every delay and count: fixed instead of drawn, smaller, rounder.
pub(super) fn delays(document: &Value) -> Vec<Value> {
    let mut places = Vec::new();
    collect(document, "", &mut |place, key, value| {
        if DELAYS.contains(&key) && place.matches('/').count() > 1 {
            places.push((place.to_owned(), key.to_owned(), value.clone()));
        }
    });
    let mut all = Vec::new();
    for (place, key, value) in places {
        let mut with = |value: Value| {
            let mut simpler = document.clone();
            *simpler.pointer_mut(&place).expect("it was there") = value;
            all.push(simpler);
        };
        simpler_delays(&value).into_iter().for_each(&mut with);
        if key == "after" || key == "nth" {
            all.push(without(document, &place));
        }
    }
    all
}

fn simpler_delays(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(_) => value.as_u64().map(smaller).unwrap_or_default(),
        Value::Array(list) => {
            let ends = [list.first(), list.iter().max_by_key(|own| own.as_u64())];
            let mut simpler: Vec<Value> = ends.into_iter().flatten().cloned().collect();
            if list.len() > 1 {
                simpler.push(list[..list.len() - 1].to_vec().into());
                simpler.push(list[1..].to_vec().into());
            }
            simpler
        }
        Value::Object(own) => {
            ["max", "min"].into_iter().filter_map(|key| own.get(key).cloned()).collect()
        }
        _ => Vec::new(),
    }
}

/// Smaller numbers, and a round one near by that may be larger.
fn smaller(n: u64) -> Vec<Value> {
    let mut all = vec![0, 1, 2, 5, 10, n / 2, n / 10 * 10, n / 5 * 5, n.saturating_sub(1)];
    all.retain(|own| *own < n);
    let mut seen = Vec::new();
    all.retain(|own| {
        let is_new = !seen.contains(own);
        seen.push(*own);
        is_new
    });
    all.into_iter().map(|own| json!(own)).collect()
}

/// Earlier checkpoints, attempts and records in sentences ("checkpoint 2 is
/// complete"), and barriers from anyone.
pub(super) fn sentences(document: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    collect(document, "", &mut |place, key, value| {
        let earlier = match (key, value) {
            ("when", Value::String(text)) => earlier(text).map(Value::from),
            ("checkpoint", Value::Number(_)) => {
                value.as_u64().filter(|n| *n > 1).map(|n| json!(n - 1))
            }
            _ => None,
        };
        let anyone = match (key, value) {
            ("when", Value::String(text)) => text.rsplit_once(" from ").map(|own| own.0.into()),
            _ => None,
        };
        for plainer in [anyone, earlier].into_iter().flatten() {
            let mut simpler = document.clone();
            *simpler.pointer_mut(place).expect("it was there") = plainer;
            all.push(simpler);
        }
    });
    all
}

/// The sentence with its last number smaller by one.
fn earlier(text: &str) -> Option<String> {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let place = words.iter().rposition(|word| word.bytes().all(|sign| sign.is_ascii_digit()))?;
    let n = words[place].parse::<u64>().ok().filter(|n| *n > 1)?;
    words[place] = (n - 1).to_string();
    Some(words.join(" "))
}

/// Goes through a value, with the pointer to each place and its last key.
fn collect(value: &Value, place: &str, seen: &mut dyn FnMut(&str, &str, &Value)) {
    let mut go = |key: &str, own: &Value| {
        let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
        seen(&place, key, own);
        collect(own, &place, seen);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, own)| go(key, own)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(key, own)| go(&key.to_string(), own));
        }
        _ => {}
    }
}

/// Without what stands at a place of an object.
fn without(document: &Value, place: &str) -> Value {
    let mut simpler = document.clone();
    let (owner, key) = place.rsplit_once('/').expect("a place has an owner");
    if let Some(fields) = simpler.pointer_mut(owner).and_then(Value::as_object_mut) {
        fields.remove(key);
    }
    simpler
}
