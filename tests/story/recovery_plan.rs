//! Flink's own plan for testing recovery, at the parallelisms of Flink's test.
//!
//! Source: Flink 1.20 `UnalignedCheckpointITCase`: exactly five failures; lost,
//! duplicated and out-of-order records: none.

use std::collections::BTreeMap;

use checkdam::load;
use checkdam::model::{Scenario, SplitIndex};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::Fact;
use checkdam::verify::{Outcome, verify};
use serde_json::{Value, json};

const RECORDS: u64 = 110;

/// The plan with so many subtasks of each operator, and a split of unique
/// numbers for each source.
fn plan(parallelism: u64) -> Scenario {
    let built_in = load::builtin().iter().find(|own| own.name == "recovery-test-plan");
    let text = built_in.expect("it is shipped").text;
    let mut document: Value = serde_json::from_str(text).expect("it is JSON");
    let splits = (0..parallelism).map(|split| {
        let first = split * 1_000 + 1;
        (format!("split-{split}"), json!({ "from": first, "to": first + RECORDS - 1 }))
    });
    document["job"]["numbers"]["source"] = Value::Object(splits.collect());
    for operator in ["numbers", "map", "sink"] {
        document["job"][operator]["parallelism"] = json!(parallelism);
    }
    let last = format!("map[0] has processed split-0 {RECORDS}");
    document["faults"][4]["when"] = json!(last);
    document.as_object_mut().expect("it is one").remove("moments");
    document["steps"] = json!(1_000_000);
    Scenario::parse("plan", &document.to_string()).expect("it is valid")
}

#[test]
fn five_failures_lose_double_and_reorder_nothing_at_any_parallelism() {
    for parallelism in [1, 5, 20] {
        let scenario = plan(parallelism);
        let (trace, ending) = simulate(&scenario, 1);
        assert_eq!(ending, Ending::Finished, "{parallelism} subtasks");
        let facts = || trace.steps.iter().flat_map(|step| &step.facts);
        let n_failures = facts().filter(|fact| matches!(fact, Fact::JobFailed { .. })).count();
        assert_eq!(n_failures, 5, "{parallelism} subtasks");
        let n_completed = facts().filter(|fact| matches!(fact, Fact::CheckpointCompleted { .. }));
        assert!(n_completed.count() >= 8, "{parallelism} subtasks");

        let verdict = verify(&scenario, &trace);
        assert_eq!(verdict.answer(), Outcome::Holds, "{parallelism} subtasks: {verdict}");
        let n = parallelism * RECORDS;
        assert_eq!((verdict.output.n, verdict.output.n_once), (n, n), "{parallelism} subtasks");

        // A sink sees the records of one source in order, as they were sent to it.
        let view = trace.view(&scenario.graph, u64::MAX).expect("it has happened");
        let mut n_seen = 0;
        for sink in view.tasks.iter().filter_map(|task| task.sink.as_ref()) {
            let mut last: BTreeMap<SplitIndex, u32> = BTreeMap::new();
            for record in &sink.published.last {
                n_seen += 1;
                let before = last.insert(record.id.split, record.id.offset);
                assert!(before < Some(record.id.offset), "{parallelism} subtasks: {record:?}");
            }
        }
        assert_eq!(n_seen, n, "{parallelism} subtasks");
    }
}
