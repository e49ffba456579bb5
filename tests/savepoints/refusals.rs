//! What a job cannot start from, and what Flink says of it.

use checkdam::model::{
    ChannelPlace, ChannelSnapshot, KeyType, SavedRecord, SavedValue, Savepoint, Scenario,
    SubtaskLife,
};
use checkdam::protocol::{FinishedState, RestoreRefusal};
use checkdam::savepoint::{Refusal, Saved, start_from};

use super::{last_savepoint, refusal, stopped};

fn savepoint() -> Savepoint {
    last_savepoint(&stopped(&[]))
}

fn job(changes: &[(&str, &str)]) -> Scenario {
    stopped(changes)
}

/// Flink: Cannot map checkpoint/savepoint state for operator to the new
/// program, because the operator is not available in the new program.
#[test]
fn an_operator_that_was_renamed_loses_its_state_unless_it_has_an_id() {
    let renamed = [("\"sum\": {", "\"total\": {"), ("\"sum\",", "\"total\",")];
    let no_operator = Refusal::Mapping(RestoreRefusal::NoOperator { operator: "sum".to_owned() });
    assert_eq!(refusal(&job(&renamed), &savepoint()), no_operator);
    let mut with_id = renamed.to_vec();
    with_id.push(("\"sum\": \"parity\"", "\"sum\": \"parity\", \"uid\": \"sum\""));
    let saved = Saved::of(savepoint());
    assert!(start_from(&job(&with_id), &saved).is_ok());
    let mut allowed = renamed.to_vec();
    allowed.push((
        "\"config\": {",
        "\"config\": { \"execution.state-recovery.ignore-unclaimed-state\": true,",
    ));
    let started = start_from(&job(&allowed), &saved).expect("it may leave state out");
    let start = started.start.expect("it starts from a savepoint");
    assert_eq!(start.skipped, ["sum"]);
    // The new operator starts empty; the others have what they had.
    assert_eq!(start.states.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn the_number_of_key_groups_stays_unless_nobody_has_said_it() {
    let said = |n: u32| format!("\"sum\": \"parity\", \"max-parallelism\": {n}");
    let other = job(&[("\"sum\": \"parity\"", &said(256))]);
    let mismatch = RestoreRefusal::MaxParallelismMismatch {
        operator: "sum".to_owned(),
        snapshot: 128,
        job: 256,
    };
    assert_eq!(refusal(&other, &savepoint()), Refusal::Mapping(mismatch));
    let saved = Saved::of(savepoint());
    assert!(start_from(&job(&[("\"sum\": \"parity\"", &said(128))]), &saved).is_ok());
    // Flink would choose 256 key groups for 100 subtasks.
    let many = "\"sum\": \"parity\", \"parallelism\": 100";
    let forward = ("\"sink\", \"forward\"", "\"sink\", \"rebalance\"");
    let started = start_from(&job(&[("\"sum\": \"parity\"", many), forward]), &saved);
    let graph = started.expect("the savepoint's number holds").graph;
    assert_eq!(graph.job.operators[1].max_parallelism, 128);
    let more = "\"sum\": \"parity\", \"parallelism\": 129";
    let exceeds = RestoreRefusal::ParallelismExceedsMaxParallelism {
        operator: "sum".to_owned(),
        parallelism: 129,
        max_parallelism: 128,
    };
    let job = job(&[("\"sum\": \"parity\"", more), forward]);
    assert_eq!(refusal(&job, &savepoint()), Refusal::Mapping(exceeds));
}

/// Flink: The new key serializer must be compatible with the previous one.
#[test]
fn keys_of_another_type_do_not_fit() {
    let other = job(&[("\"sum\": \"parity\"", "\"sum\": \"value\"")]);
    let (snapshot, new) = (KeyType::Boolean, KeyType::Value);
    let expected = Refusal::OtherKeys { operator: "sum".to_owned(), snapshot, job: new };
    assert_eq!(refusal(&other, &savepoint()), expected);
    // A maximum keeps its value under the same name as a sum.
    let maximum = job(&[("\"sum\": \"parity\"", "\"max\": \"parity\"")]);
    assert!(start_from(&maximum, &Saved::of(savepoint())).is_ok());
}

#[test]
fn a_source_must_still_have_what_was_read() {
    let shorter = job(&[("\"to\": 9", "\"to\": 3")]);
    let gone = Refusal::SplitGone { split: "numbers".to_owned() };
    assert_eq!(refusal(&shorter, &savepoint()), gone);
    let saved = Saved::of(savepoint());
    assert!(start_from(&job(&[("\"to\": 9", "\"to\": 4")]), &saved).is_ok());
    assert!(start_from(&job(&[("\"to\": 9", "\"to\": 90")]), &saved).is_ok());
}

/// Flink: Illegal JobGraph modification. Cannot run a program with fully
/// finished vertices predeceased with the ones not fully finished.
#[test]
fn nothing_new_comes_before_what_had_finished() {
    let mut savepoint = savepoint();
    savepoint.operators[1].subtasks[0].life = SubtaskLife::Finished;
    let finished = RestoreRefusal::FinishedBehindUnfinished {
        operator: "sum".to_owned(),
        finished: FinishedState::FullyFinished,
        predecessor: "numbers".to_owned(),
    };
    assert_eq!(refusal(&job(&[]), &savepoint), Refusal::Mapping(finished));
    // A source that had finished reads no more, even if there is more by now.
    savepoint.operators[0].subtasks[0].life = SubtaskLife::Finished;
    let started = start_from(&job(&[]), &Saved::of(savepoint)).expect("all before it has, too");
    assert_eq!(started.graph.split(checkdam::model::SplitIndex(0)).values.len(), 4);
}

fn in_flight(from: &str, to: &str) -> ChannelSnapshot {
    let place = |uid: &str| ChannelPlace { uid: uid.to_owned(), subtask: 0 };
    let record = SavedRecord {
        split: "numbers".to_owned(),
        offset: 4,
        turns: Vec::new(),
        value: SavedValue::Number(4),
        key: None,
    };
    ChannelSnapshot {
        from: place(from),
        to: place(to),
        edge: 0,
        input: vec![record],
        output: Vec::new(),
    }
}

/// Flink: Cannot rescale the given pointwise partitioner; Cannot recover from
/// unaligned checkpoint when topology changes.
#[test]
fn records_in_flight_need_an_edge_that_can_be_rescaled() {
    let mut savepoint = savepoint();
    savepoint.in_flight = vec![in_flight("sum", "sink")];
    assert!(start_from(&job(&[]), &Saved::of(savepoint.clone())).is_ok());
    let two = [
        ("\"sum\": \"parity\"", "\"sum\": \"parity\", \"parallelism\": 2"),
        ("\"sink\": \"transactional\"", "\"sink\": \"transactional\", \"parallelism\": 2"),
    ];
    let (from, to) = ("sum".to_owned(), "sink".to_owned());
    assert_eq!(refusal(&job(&two), &savepoint), Refusal::CannotRescale { from, to });
    // On a hash edge it goes to whoever has its key group now.
    savepoint.in_flight = vec![in_flight("numbers", "sum")];
    let started = start_from(&job(&two), &Saved::of(savepoint.clone())).expect("a hash edge");
    let start = started.start.expect("it starts from a savepoint");
    let channels: Vec<&str> = start
        .in_flight
        .iter()
        .map(|own| started.graph.channels[own.channel.index()].name.as_str())
        .collect();
    // Even numbers are in key group 3 of 128: the first of two subtasks.
    assert_eq!(channels, ["numbers->sum[0]"]);
    savepoint.in_flight = vec![in_flight("numbers", "sink")];
    let (from, to) = ("numbers".to_owned(), "sink".to_owned());
    assert_eq!(refusal(&job(&[]), &savepoint), Refusal::EdgeGone { from, to });
}
