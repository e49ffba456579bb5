//! The same job under other settings, or with other delays.

use serde_json::{Value, json};

use super::choices::Choices;
use super::mode::{Mode, settings};

/// The same job under settings of any mode.
///
/// # Panics
/// When it is no file of a random job.
#[must_use]
pub fn with_settings(seed: u64, document: &Value) -> Value {
    let mut choices = Choices::new(seed);
    let mode = *choices.one(&Mode::ALL);
    let mut document = document.clone();
    document["config"] = Value::Object(settings(&mut choices, mode));
    document
}

/// The same job with another delay wherever something takes time.
#[must_use]
pub fn with_delays(seed: u64, document: &Value) -> Value {
    let mut document = document.clone();
    change(&mut Choices::new(seed), &mut document);
    document
}

/// Keys that say how long something takes, and how long at most.
const DELAYS: [(&str, u64); 7] = [
    ("service", 6),
    ("sync", 4),
    ("async", 20),
    ("trigger", 8),
    ("acknowledge", 8),
    ("notify", 8),
    ("latency", 12),
];

fn change(c: &mut Choices, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, own) in fields {
                match DELAYS.iter().find(|(name, _)| key == name) {
                    // A latency of storage is one number.
                    Some((_, most)) if key == "latency" && own.is_number() => {
                        *own = json!(c.number(0, *most));
                    }
                    Some((_, most)) => *own = c.delay(*most),
                    None => change(c, own),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|own| change(c, own)),
        _ => {}
    }
}
