//! Savepoints, stopping, and what state finds its operator.

use checkdam::chain;
use checkdam::model::{CheckpointId, Scenario};
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
