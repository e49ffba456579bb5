//! What becomes of operator state at another parallelism: a list is cut into
//! slices, a union list and a broadcast state come whole to everybody.
//!
//! Source: Flink `RoundRobinOperatorStateRepartitioner`, and its documentation of
//! the broadcast state pattern.

use checkdam::model::{Key, Savepoint, Scenario, SnapshotState, StateValue, SubtaskState, Value};
use checkdam::savepoint::{Saved, start_from};
use checkdam::trace::Fact;
use serde_json::{Value as Json, json};

use super::last_savepoint;

fn loaded(document: &Json) -> Scenario {
    Scenario::parse("operator-state", &document.to_string())
        .unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Three splits that are read at the same pace, and a stop in the middle.
fn splits(redistribution: &str, parallelism: u32) -> Json {
    let numbers = json!({ "from": 1, "to": 40 });
    json!({
        "job": {
            "numbers": {
                "source": { "a": numbers, "b": numbers, "c": numbers },
                "parallelism": parallelism, "service": "2 ms", "redistribution": redistribution
            },
            "count": { "count": { "modulo": 5 } },
            "sink": { "sink": "transactional" }
        },
        "edges": [["numbers", "count", "hash"], ["count", "sink", "forward"]],
        "savepoints": [{ "at": "31 ms", "stop": "suspend" }],
        "config": { "execution.checkpointing.savepoint-dir": "file:///savepoints" }
    })
}

/// The names of the splits of each subtask, and whether each goes on where the
/// savepoint left it.
fn readers(next: &Scenario, saved: &Savepoint) -> Vec<String> {
    let offset_of = |name: &str| {
        let subtasks = saved.operators.iter().flat_map(|operator| &operator.subtasks);
        let lists = subtasks.filter_map(|subtask| match &subtask.state {
            SubtaskState::Splits(splits) => Some(splits),
            _ => None,
        });
        let mut all = lists.flatten();
        all.find(|at| at.split == name).expect("it was read").offset
    };
    let start = next.start.as_ref().expect("it starts from a savepoint");
    let lists = start.states.iter().filter_map(|state| match state {
        Some(SnapshotState::Offsets(offsets)) => Some(offsets),
        _ => None,
    });
    let reader = |offsets: &Vec<(_, u32)>| {
        let name = |(split, offset): &(checkdam::model::SplitIndex, u32)| {
            let name = &next.graph.split(*split).name;
            assert_eq!(*offset, offset_of(name), "{name}");
            assert!((1..40).contains(offset), "{name} was stopped in the middle: {offset}");
            name.clone()
        };
        offsets.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    lists.map(reader).collect()
}

/// A list goes on in slices of what the old subtasks had, one after the other; of
/// a union list each subtask takes what it would read anyway: split i belongs to
/// subtask i modulo the parallelism.
#[test]
fn a_list_is_sliced_and_a_union_list_is_read_by_one_rule() {
    // Two subtasks have a c | b.
    for (from, to, sliced, by_rule) in [
        (1, 2, ["a b", "c"].as_slice(), ["a c", "b"].as_slice()),
        (1, 3, &["a", "b", "c"], &["a", "b", "c"]),
        (2, 3, &["a", "c", "b"], &["a", "b", "c"]),
        (2, 1, &["a c b"], &["a b c"]),
        (3, 2, &["a b", "c"], &["a c", "b"]),
        (2, 2, &["a c", "b"], &["a c", "b"]),
    ] {
        for (redistribution, expected) in [("even-split", sliced), ("union", by_rule)] {
            let saved = last_savepoint(&loaded(&splits(redistribution, from)));
            let mut then = splits(redistribution, to);
            then.as_object_mut().expect("an object").remove("savepoints");
            let next = start_from(&loaded(&then), &Saved::of(saved.clone())).expect("it fits");
            let name = format!("{redistribution} {from} -> {to}");
            assert_eq!(readers(&next, &saved), expected, "{name}");
        }
    }
}

/// Two rules for each of two keys; the newer ones are 20 (even) and 15 (odd).
fn rules(parallelism: u32) -> Json {
    json!({
        "job": {
            "rules": { "source": [10, 5, 20, 15], "service": "2 ms" },
            "numbers": { "source": { "from": 1, "to": 60 }, "service": "2 ms" },
            "ruled": { "broadcast-process": "parity", "parallelism": parallelism },
            "sink": { "sink": "transactional" }
        },
        "edges": [
            ["rules", "ruled", "broadcast"],
            ["numbers", "ruled", "rebalance"],
            ["ruled", "sink", "rebalance"]
        ],
        "savepoints": [{ "at": "51 ms", "stop": "suspend" }],
        "config": { "execution.checkpointing.savepoint-dir": "file:///savepoints" }
    })
}

#[test]
fn broadcast_state_comes_whole_to_every_subtask() {
    let of = |odd: bool, rule: i64| (Key::Bool(odd), StateValue::Value(Value::Number(rule)));
    let both = SnapshotState::Broadcast(vec![of(false, 20), of(true, 15)]);
    for (from, to) in [(2, 3), (3, 2), (2, 1), (1, 4), (2, 2)] {
        let saved = last_savepoint(&loaded(&rules(from)));
        let mut then = rules(to);
        then.as_object_mut().expect("an object").remove("savepoints");
        let next = start_from(&loaded(&then), &Saved::of(saved)).expect("it fits");
        let start = next.start.as_ref().expect("it starts from a savepoint");
        let is_broadcast = |state: &&SnapshotState| matches!(state, SnapshotState::Broadcast(_));
        let states: Vec<_> = start.states.iter().flatten().filter(is_broadcast).collect();
        assert_eq!(states, vec![&both; to as usize], "{from} -> {to}");
    }
}

/// A number becomes its value and the rule of its parity, as far as there is one
/// by then: rules come 2, 4, 6 and 8 ms after the start and 1 ms of network.
#[test]
fn a_record_is_changed_by_the_rule_that_is_there_when_it_comes() {
    let mut document = rules(1);
    document["job"]["numbers"]["source"] = json!([100, 101, 102, 103, 104, 105]);
    document["job"]["numbers"]["service"] = json!(["1 ms", "1 ms", "2500 us"]);
    document["job"]["sink"]["sink"] = json!("publish");
    document.as_object_mut().expect("an object").remove("savepoints");
    let scenario = loaded(&document);
    let (trace, ending) = checkdam::sim::simulate(&scenario, 1);
    assert_eq!(ending, checkdam::sim::Ending::Finished);
    let view = trace.view(&scenario.graph, u64::MAX).expect("the facts can have happened");
    let sink = view.tasks.iter().find_map(|task| task.sink.as_ref()).expect("there is one");
    let values: Vec<i64> = sink.published.last.iter().map(|own| own.value.number()).collect();
    // Sent after 1, 2, 4.5, 7, 9.5, 12 ms.
    assert_eq!(values, [100, 101, 102 + 10, 103 + 5, 104 + 20, 105 + 15]);
}

/// Of a union list every subtask reads the entries of all: three of 16 bytes here,
/// where `numbers[0]` has two of its own, and `numbers[1]` one.
#[test]
fn a_union_list_is_read_whole_after_a_failure() {
    for (redistribution, expected) in [("even-split", [32, 16]), ("union", [48, 48])] {
        let mut document = splits(redistribution, 2);
        document.as_object_mut().expect("an object").remove("savepoints");
        document["checkpoints"] = json!([{ "at": "20 ms" }]);
        document["faults"] = json!([{ "crash": "count", "when": "checkpoint 1 is complete" }]);
        document["storage"] = json!({ "latency": "5 ms" });
        document["config"] = json!({
            "execution.checkpointing.dir": "file:///checkpoints",
            "execution.checkpointing.data-inline-threshold": "0 b",
            "restart-strategy.type": "fixed-delay"
        });
        let scenario = loaded(&document);
        let (trace, ending) = checkdam::sim::simulate(&scenario, 1);
        assert_eq!(ending, checkdam::sim::Ending::Finished, "{redistribution}");
        let facts = trace.steps.iter().flat_map(|step| &step.facts);
        let read: Vec<u64> = facts
            .filter_map(|fact| match fact {
                Fact::RestoreStarted { task, from_storage, .. }
                    if scenario.graph.is_source(*task) =>
                {
                    Some(*from_storage)
                }
                _ => None,
            })
            .collect();
        assert_eq!(read, expected, "{redistribution}");
    }
}
