//! Messages that are lost or late, a JobManager that crashes, a user who
//! cancels.

use serde_json::{Value, json};

use super::fault::CHANNEL;
use crate::model::mix;

/// The same job, with more that goes wrong: messages are lost or late, the
/// JobManager crashes, a channel stands still, the user cancels.
///
/// # Panics
/// When it is no file of a random job.
#[must_use]
pub fn with_mishaps(number: u64, document: &Value) -> Value {
    let mut document = document.clone();
    let mut turn = 0;
    let mut draw = |n: u64| {
        turn += 1;
        mix(number.wrapping_shl(16) | turn) % n
    };
    let tasks = tasks(&document);
    let config = document["config"].as_object_mut().expect("it has settings");
    let service = if draw(4) == 0 { "NONE" } else { "zookeeper" };
    config.insert("high-availability.type".into(), json!(service));
    config.insert("execution.checkpointing.timeout".into(), json!("3 s"));
    config.insert("execution.checkpointing.num-retained".into(), json!(1 + draw(3)));
    let tolerable = "execution.checkpointing.tolerable-failed-checkpoints";
    config.insert(tolerable.into(), json!(draw(3)));
    let retention = ["NO_EXTERNALIZED_CHECKPOINTS", "RETAIN_ON_CANCELLATION"][draw(2) as usize];
    let key = "execution.checkpointing.externalized-checkpoint-retention";
    config.insert(key.into(), json!(retention));
    let mut faults = document["faults"].as_array().expect("a list").clone();
    for _ in 0..1 + draw(3) {
        let task = &tasks[draw(tasks.len() as u64) as usize];
        let checkpoint = 1 + draw(4);
        let (message, end) = [("trigger", "to"), ("acknowledgement", "of"), ("notification", "to")]
            [draw(3) as usize];
        let mut fault = json!({ "checkpoint": checkpoint });
        fault[end] = json!(task);
        if draw(2) == 0 {
            fault["lose"] = json!(message);
        } else {
            fault["delay"] = json!(message);
            fault["by"] = json!(1 + draw(90));
        }
        faults.push(fault);
    }
    if draw(2) == 0 {
        faults.push(json!({ "crash": "jobmanager", "for": 1 + draw(60), "at": draw(200) }));
    }
    if draw(3) == 0 {
        faults.push(json!({ "stall": CHANNEL, "for": 1 + draw(60), "at": draw(99) }));
    }
    document["faults"] = json!(faults);
    if draw(4) == 0 {
        document["cancel"] = json!({ "at": draw(400) });
    }
    document
}

/// The full names of its tasks.
pub(super) fn tasks(document: &Value) -> Vec<String> {
    let operators = document["job"].as_object().expect("operators by name").iter();
    let names = operators.flat_map(|(operator, described)| {
        let names = described["names"].as_array().expect("its tasks").iter();
        names.map(move |name| format!("{operator}[{}]", name.as_str().expect("a name")))
    });
    names.collect()
}
