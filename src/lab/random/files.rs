//! State in files, and storage that is slow or away.

use serde_json::{Value, json};

use super::choices::Choices;

/// The same job with its state in files: any backend, any size, storage that
/// needs time, stalls, does not answer, or is another one on each machine.
///
/// # Panics
/// When it is no file of a random job.
#[must_use]
pub fn with_files(number: u64, document: &Value) -> Value {
    let mut choices = Choices::new(number);
    let c = &mut choices;
    let mut document = document.clone();
    let config = document["config"].as_object_mut().expect("it has settings");
    config.insert("execution.checkpointing.dir".into(), json!("hdfs:///checkpoints"));
    config.insert("state.backend.type".into(), json!(c.one(&["hashmap", "rocksdb", "rocksdb"])));
    config.insert("execution.checkpointing.incremental".into(), json!(c.chance(70)));
    config.insert("execution.checkpointing.num-retained".into(), json!(c.number(1, 3)));
    config.insert("execution.state-recovery.from-local".into(), json!(c.chance(50)));
    // What an outage costs is another story.
    config.insert("execution.checkpointing.tolerable-failed-checkpoints".into(), json!(i32::MAX));
    config.insert("restart-strategy.fixed-delay.attempts".into(), json!(1_000));
    let threshold = c.one(&["0 b", "100 b", "20 kb"]);
    config.insert("execution.checkpointing.data-inline-threshold".into(), json!(threshold));
    document["job"]["keyed"]["bytes-per-key"] = json!(c.number(1, 2_000));
    if c.chance(75) {
        document["storage"] = json!({
            "latency": c.number(0, 4),
            "bandwidth": c.number(100_000, 2_000_000),
            "disk": { "latency": c.number(0, 2) },
        });
    }
    let faults = document["faults"].as_array_mut().expect("it has faults");
    for _ in 0..c.number(0, 2) {
        let mut fault = match c.chance(50) {
            true => json!({ "storage": "down", "for": c.number(1, 60) }),
            false => {
                json!({ "storage": "slow", "times": c.number(2, 9), "for": c.number(1, 60) })
            }
        };
        fault["at"] = json!(c.number(0, 250));
        faults.push(fault);
    }
    document
}
