//! Savepoints at any moment.

use serde_json::{Value, json};

use crate::model::mix;

/// The same job, of which savepoints are taken, and which perhaps stops with
/// one.
///
/// # Panics
/// When it is no file of a random job.
#[must_use]
pub fn with_savepoints(number: u64, document: &Value) -> Value {
    let mut document = document.clone();
    let draw = |turn: u64, n: u64| mix(number.wrapping_shl(20) | turn) % n;
    let mut savepoints: Vec<_> =
        (0..draw(1, 4)).map(|turn| json!({ "at": draw(10 + turn, 250) })).collect();
    if draw(2, 2) == 0 {
        let stop = ["suspend", "drain"][draw(3, 2) as usize];
        savepoints.push(json!({ "at": 20 + draw(4, 200), "stop": stop }));
    }
    document["savepoints"] = json!(savepoints);
    // A source that does not hear in time that its savepoint was given up has
    // ended all the same.
    let faults = document["faults"].as_array_mut().expect("a list");
    faults.retain(|fault| fault["lose"] != "notification" && fault["delay"] != "notification");
    document["config"]["state.savepoints.dir"] = json!("file:///savepoints");
    // A job that cannot stop fails, and that is another story.
    let tolerable = "execution.checkpointing.tolerable-failed-checkpoints";
    document["config"][tolerable] = json!(i32::MAX);
    document
}
