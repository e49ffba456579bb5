//! Savepoints, stopping, and what state finds its operator.

use std::collections::BTreeMap;

use checkdam::chain;
use checkdam::model::{
    CheckpointFailureReason, CheckpointId, Key, Scenario, SnapshotState, StateValue, SubtaskIndex,
};
use checkdam::savepoint::{Saved, start_from};
use checkdam::sim::Ending;
use checkdam::trace::Fact;
use checkdam::verify::Outcome;

use super::{EXACT, as_one, chained, exact, judged, written, wrong};
use crate::story::Reading;

/// A hash edge with records in flight, and a forward edge without, from two
/// subtasks to three.
#[test]
fn u10_a_job_with_mixed_edges_grows_from_an_unaligned_checkpoint() {
    let text = |parallelism: u32, end: &str| {
        written(&format!(
            r#"{{
            "job": {{
                "numbers": {{ "source": {{ "x": {{ "from": 1, "to": 40 }}, "y": {{ "from": 1, "to": 40 }},
                    "z": {{ "from": 1, "to": 40 }} }}, "service": "1 ms", "parallelism": 2 }},
                "a": {{ "map": {{ "add": 1 }}, "parallelism": {parallelism} }},
                "b": {{ "sum": {{ "modulo": 5 }}, "service": "4 ms", "parallelism": 2 }},
                "c": {{ "map": {{ "add": 1 }}, "parallelism": {parallelism} }},
                "sink": {{ "sink": "transactional" }}
            }},
            "edges": [
                ["numbers", "a", "rebalance"], ["a", "b", "hash"], ["a", "c", "forward"],
                ["b", "sink", "rebalance"], ["c", "sink", "rebalance"]
            ],
            "config": {{
                "execution.checkpointing.unaligned.enabled": true,
                "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION"
            }},
            "checkpoints": [{{ "at": "15 ms" }}]{end}
        }}"#
        ))
    };
    let cancel = r#", "cancel": { "when": "checkpoint 1 is complete", "after": "1 ms" }"#;
    let first = text(2, cancel);
    let reading = Reading::run(first.clone());
    let in_flight = reading.in_flight(1);
    assert!(in_flight.iter().any(|(channel, ..)| channel.contains("->b[")), "{in_flight:?}");
    let verdict = as_one(&first, &text(3, ""));
    assert_eq!((verdict.answer(), wrong(&verdict)), (Outcome::Holds, EXACT), "{verdict}");
}

#[test]
fn u35_a_savepoint_in_the_middle_commits_nothing_and_is_not_gone_back_to() {
    let case = exact("savepoint");
    let from: Vec<_> = case.verdict.restores.iter().map(|own| own.checkpoint).collect();
    assert_eq!(from, [Some(CheckpointId(2))], "1 and 3 are savepoints");
}

/// The savepoint expires, since an acknowledgement is lost; its tasks fail, and
/// the job goes on from its last checkpoint.
#[test]
fn u37_a_stop_that_fails_leaves_the_job_running() {
    let stop = r#""savepoints": [{ "at": "45 ms", "stop": "suspend" }],"#;
    let lost = format!(
        "{stop}\n  \"faults\": [{{ \"lose\": \"acknowledgement\", \"of\": \"sink\", \"checkpoint\": 2 }}],"
    );
    let config = r#""config": {"#;
    let brief = format!("{config} \"execution.checkpointing.timeout\": \"30 ms\",");
    let reading = Reading::changed("stop-with-savepoint", &[(stop, &lost), (config, &brief)]);
    let case = judged(reading.scenario, Ending::Finished, EXACT);
    assert_eq!(case.verdict.restores[0].checkpoint, Some(CheckpointId(1)));
    let n_read = case.verdict.state.n;
    assert_eq!(n_read, 9, "sources emit again, to their end");
}

/// A job with ten records a second; `end` says how it ends.
fn ten_a_second(end: &str) -> Scenario {
    written(&format!(
        r#"{{
        "job": {{
            "numbers": {{ "source": {{ "from": 1, "to": 150 }}, "service": "100 ms" }},
            "sink": {{ "sink": "publish" }}
        }},
        "edges": [["numbers", "sink"]],
        "config": {{
            "execution.checkpointing.interval": "1 h",
            "execution.checkpointing.savepoint-dir": "file:///savepoints"
        }}{end}
    }}"#
    ))
}

#[test]
fn u38_to_take_a_savepoint_and_cancel_is_not_to_stop_with_one() {
    let then = ten_a_second("");
    let cancel = r#", "savepoints": [{ "at": "10050 ms" }], "cancel": { "at": "12050 ms" }"#;
    let verdict = as_one(&ten_a_second(cancel), &then);
    assert_eq!(wrong(&verdict), [0, 0, 0, 20], "101 to 120 appear twice: {verdict}");
    let stop = r#", "savepoints": [{ "at": "10050 ms", "stop": "suspend" }]"#;
    let verdict = as_one(&ten_a_second(stop), &then);
    assert_eq!(wrong(&verdict), EXACT, "{verdict}");
}

/// The split begins at 1 in either job; the second one goes on all the same.
#[test]
fn u42_what_is_restored_counts_and_not_where_the_source_would_begin() {
    let verdict = chained("resumed");
    assert_eq!((verdict.answer(), wrong(&verdict)), (Outcome::Holds, EXACT), "{verdict}");
}

#[test]
fn u46_state_without_an_operator_is_refused_or_lost_by_name() {
    let job = |name: &str, more: &str| {
        written(&format!(
            r#"{{
            "job": {{
                "numbers": {{ "source": {{ "from": 1, "to": 9 }}, "service": "10 ms" }},
                "{name}": {{ "count": "parity" }},
                "sink": {{ "sink": "transactional" }}
            }},
            "edges": [["numbers", "{name}"], ["{name}", "sink"]],
            "config": {{ {more} "execution.checkpointing.savepoint-dir": "file:///savepoints" }},
            "checkpoints": [{{ "at": "25 ms" }}],
            "savepoints": [{{ "at": "45 ms", "stop": "suspend" }}]
        }}"#
        ))
    };
    let taken = chain::savepoints(&job("a", ""), 1).pop().expect("it takes one");
    let saved = Saved::of(taken.savepoint);
    let refused = start_from(&job("b", ""), &saved).expect_err("state of a has no operator");
    assert!(format!("{refused:?}").contains("\"a\""), "{refused:?}");
    let allow = r#""execution.state-recovery.ignore-unclaimed-state": true,"#;
    let started = start_from(&job("b", allow), &saved).expect("it may leave state out");
    assert_eq!(started.start.expect("it starts from a savepoint").skipped, ["a"]);
}

#[test]
fn u48_with_the_same_parallelism_list_state_stays_where_it_was() {
    let job = |to: u32, end: &str| {
        written(&format!(
            r#"{{
            "job": {{
                "numbers": {{ "source": {{ "p": {{ "from": 1, "to": 0 }}, "q": {{ "from": 1, "to": {to} }} }},
                    "service": "10 ms", "parallelism": 2 }},
                "sink": {{ "sink": "transactional" }}
            }},
            "edges": [["numbers", "sink", "rebalance"]],
            "config": {{ "execution.checkpointing.savepoint-dir": "file:///savepoints",
                         "execution.checkpointing.interval": "1 h" }}{end}
        }}"#
        ))
    };
    let stop = r#", "savepoints": [{ "at": "45 ms", "stop": "suspend" }]"#;
    let taken = chain::savepoints(&job(9, stop), 1).pop().expect("it takes one");
    let started = start_from(&job(9, ""), &Saved::of(taken.savepoint)).expect("it fits");
    let graph = &started.graph;
    let splits: Vec<Vec<&str>> = graph.subtasks[..2]
        .iter()
        .map(|task| task.splits.iter().map(|split| graph.split(*split).name.as_str()).collect())
        .collect();
    assert_eq!(splits, [["p"], ["q"]]);
}

/// Flink (FLIP-193): only with CLAIM does the new job delete what it started
/// from, when a checkpoint of its own has taken its place.
#[test]
fn u49_only_who_claims_a_snapshot_deletes_it() {
    let stop = r#", "savepoints": [{ "at": "10050 ms", "stop": "suspend" }]"#;
    let taken = chain::savepoints(&ten_a_second(stop), 1).pop().expect("it takes one");
    let id = taken.savepoint.id;
    for (mode, is_deleted) in [("NO_CLAIM", false), ("CLAIM", true), ("LEGACY", false)] {
        let mut then = ten_a_second("");
        let name = format!(r#""execution.state-recovery.claim-mode": "{mode}""#);
        let text = format!("{{ {name} }}");
        then.config.claim_mode = claim_mode(&text);
        let saved = Saved::of(taken.savepoint.clone());
        let reading = Reading::run(start_from(&then, &saved).expect("it fits"));
        let gone = reading.count(
            |fact| matches!(fact, Fact::CheckpointDiscarded { checkpoint } if *checkpoint == id),
        );
        assert_eq!(gone > 0, is_deleted, "{mode}");
    }
}

/// The mode that a setting says.
fn claim_mode(config: &str) -> checkdam::model::ClaimMode {
    let text = format!(
        r#"{{ "job": {{ "a": {{ "source": [1] }}, "b": {{ "sink": "publish" }} }},
              "edges": [["a", "b"]], "config": {config} }}"#
    );
    written(&text).config.claim_mode
}

#[test]
fn u54_a_job_with_a_cycle_is_refused() {
    let text = r#"{
        "job": {
            "numbers": { "source": [3] },
            "head": { "union": true },
            "body": { "map": { "add": -1 } },
            "sink": { "sink": "publish" }
        },
        "edges": [["numbers", "head"], ["head", "body"], ["body", "head"], ["body", "sink"]]
    }"#;
    let problems = Scenario::parse("loop", text).expect_err("there are no cycles here");
    assert!(format!("{problems:?}").contains("cycle"), "{problems:?}");
}

/// A rule that only one of two subtasks has when the checkpoint begins: on a
/// broadcast edge barriers never overtake, so both store the same rules.
#[test]
fn u08_rules_are_the_same_in_every_snapshot() {
    let text = |parallelism: u32, more: &str| {
        let rule =
            r#"["rules", "price", "broadcast", { "latency": { "0->1": ["1 ms", "30 ms"] } }]"#;
        let rule = if parallelism == 2 { rule } else { r#"["rules", "price", "broadcast"]"# };
        written(&format!(
            r#"{{
            "job": {{
                "rules": {{ "source": [10, 20], "service": "4 ms" }},
                "orders": {{ "source": {{ "from": 1, "to": 30 }}, "service": "1 ms" }},
                "price": {{ "broadcast-process": {{ "modulo": 1 }}, "service": "2 ms",
                    "parallelism": {parallelism} }},
                "sink": {{ "sink": "transactional" }}
            }},
            "edges": [
                {rule},
                ["orders", "price", "rebalance", {{ "latency": "1 ms" }}],
                ["price", "sink", "rebalance"]
            ],
            "config": {{
                "execution.checkpointing.unaligned.enabled": true,
                "execution.checkpointing.unaligned.forced": true,
                "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
                "restart-strategy.type": "fixed-delay"
            }},
            "checkpoints": [{{ "when": "price[0] has processed rules 2" }}]{more}
        }}"#
        ))
    };
    let twenty = SnapshotState::Broadcast(vec![(
        Key::Int(0),
        StateValue::Value(checkdam::model::Value::Number(20)),
    )]);
    let crash = r#", "faults": [{ "crash": "price[0]", "when": "checkpoint 1 is complete" }]"#;
    let crashed = Reading::run(text(2, crash));
    let begun = crashed.when(|fact| matches!(fact, Fact::CheckpointTriggered { .. }));
    let one = crashed.task("price[1]");
    let has_it = crashed.when(|fact| {
        matches!(fact, Fact::Processed { task, state: Some(_), record, .. }
            if *task == one && record.value.number() == 20)
    });
    assert!(begun < has_it, "price[1] does not have the rule yet");
    let is_rules = |state: &SnapshotState| matches!(state, SnapshotState::Broadcast(_));
    let (mut stored, mut restored) = (Vec::new(), Vec::new());
    for (_, fact) in crashed.facts() {
        match fact {
            Fact::SnapshotTaken { state, checkpoint: CheckpointId(1), .. } if is_rules(state) => {
                stored.push(state.clone());
            }
            Fact::StateRestored { state, .. } if is_rules(state) => restored.push(state.clone()),
            _ => {}
        }
    }
    assert_eq!(stored, [twenty.clone(), twenty.clone()]);
    assert_eq!(restored, [twenty.clone(), twenty.clone()]);
    judged(text(2, crash), Ending::Finished, EXACT);
    // At another parallelism everybody has it as well.
    let first = text(2, r#", "cancel": { "when": "checkpoint 1 is complete", "after": "1 ms" }"#);
    let taken = chain::savepoints(&first, 1).pop().expect("a checkpoint is left behind");
    let next = start_from(&text(3, ""), &Saved::of(taken.savepoint)).expect("it fits");
    let states = next.start.as_ref().expect("it starts from it").states.iter().flatten();
    let rules: Vec<_> = states.filter(|state| is_rules(state)).collect();
    assert_eq!(rules, [&twenty, &twenty, &twenty]);
    let verdict = as_one(&first, &text(3, ""));
    assert_eq!((verdict.answer(), wrong(&verdict)), (Outcome::Holds, EXACT), "{verdict}");
}

/// Two subtasks, of which one has read all of its split long before the other.
fn uneven(redistribution: &str) -> Reading {
    Reading::run(written(&format!(
        r#"{{
        "job": {{
            "numbers": {{
                "source": {{ "short": {{ "from": 1, "to": 25 }}, "long": {{ "from": 1, "to": 200 }} }},
                "service": "1 ms", "redistribution": "{redistribution}"
            }},
            "sum": {{ "sum": "parity" }},
            "sink": {{ "sink": "transactional" }}
        }},
        "edges": [["numbers", "sum", "hash"], ["sum", "sink", "forward"]],
        "config": {{ "execution.checkpointing.interval": "10 ms" }}
    }}"#
    )))
}

/// The offsets of a subtask that has finished would be missing from the union
/// list, so a checkpoint that a part of the subtasks has finished before is not
/// stored.
#[test]
fn u45_a_union_list_needs_all_of_its_subtasks_or_none() {
    for (redistribution, is_union) in [("even-split", false), ("union", true)] {
        let run = uneven(redistribution);
        let sources = [run.task("numbers[short]"), run.task("numbers[long]")];
        let (mut ended, mut finished) = ([false; 2], [false; 2]);
        let (mut shows, mut completed, mut given_up) = (BTreeMap::new(), 0, 0);
        let place = |task: &SubtaskIndex| sources.iter().position(|own| own == task);
        for (_, fact) in run.facts() {
            match fact {
                Fact::EndOfData { task } => {
                    place(task).into_iter().for_each(|own| ended[own] = true);
                }
                Fact::TaskFinished { task } => {
                    place(task).into_iter().for_each(|own| finished[own] = true);
                }
                Fact::CheckpointTriggered { checkpoint, .. } => {
                    shows.insert(*checkpoint, finished);
                }
                Fact::SnapshotTaken { task, checkpoint, .. } => {
                    if let Some(own) = place(task) {
                        shows.get_mut(checkpoint).expect("it is begun")[own] = ended[own];
                    }
                }
                Fact::CheckpointCompleted { checkpoint } => {
                    completed += 1;
                    let [short, long] = shows[checkpoint];
                    assert!(!is_union || short == long, "{checkpoint:?} of {redistribution}");
                }
                Fact::CheckpointAborted { checkpoint, reason } => {
                    given_up += 1;
                    let [short, long] = shows[checkpoint];
                    assert!(is_union && short != long, "{checkpoint:?} of {redistribution}");
                    assert_eq!(*reason, CheckpointFailureReason::CheckpointDeclinedTaskClosing);
                }
                _ => {}
            }
        }
        assert_eq!(finished, [true, true], "{redistribution}");
        // Two before the short split has ended, at 26 ms, and the last one; in
        // between, until 201 ms, one every 10 ms.
        assert!(completed >= 3, "{completed}");
        assert_eq!(given_up >= 15, is_union, "{given_up} of {redistribution}");
        // And nothing is lost on the way.
        judged(run.scenario, Ending::Finished, EXACT);
    }
}
