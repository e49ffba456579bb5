//! Something that goes wrong, at any time or upon something that happens.

use serde_json::{Value, json};

use super::choices::Choices;

/// A channel that every random job has.
pub(super) const CHANNEL: &str = "keyed[t0]->sink0[t0]";

/// A crash, or something that becomes slow.
pub(super) fn fault(c: &mut Choices, tasks: &[String]) -> Value {
    let task = c.one(tasks).clone();
    let mut fault = match c.number(0, 5) {
        0 => json!({ "slow": task, "times": c.number(2, 9), "for": c.number(1, 50) }),
        1 => json!({ "slow": CHANNEL, "times": c.number(2, 9), "for": c.number(1, 50) }),
        2 => json!({ "crash": "manager" }),
        _ => json!({ "crash": task }),
    };
    let checkpoint = c.number(1, 3);
    match c.number(0, 3) {
        0 => {
            fault["at"] = json!(c.number(0, 200));
        }
        1 => {
            fault["when"] = json!(format!("checkpoint {checkpoint} is complete"));
            fault["after"] = json!(c.number(0, 5));
        }
        2 => {
            let other = c.one(tasks);
            fault["when"] = json!(format!("{other} has taken snapshot {checkpoint}"));
        }
        _ => {
            fault["when"] = json!("attempt 2 starts");
            fault["after"] = json!(c.number(0, 20));
        }
    }
    fault
}
