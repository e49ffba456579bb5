//! Notifications, sinks and two-phase commit.

use checkdam::sim::Ending;
use checkdam::trace::Fact;
use checkdam::verify::{Outcome, Property};

use super::{EXACT, broken, exact, judged, written, wrong};
use crate::story::{self, Reading};

#[test]
fn u20_a_later_notification_stands_for_a_lost_one() {
    exact("lost-notification");
    let (case, right) = broken("commit-exact-checkpoint");
    assert!(case.breaks(Property::Commitment), "{}", case.verdict);
    assert_eq!(wrong(&right.verdict), EXACT);
}

#[test]
fn u21_at_least_once_counts_what_came_behind_the_barrier_twice() {
    let case =
        judged(story::scenario("at-least-once-counts-twice"), Ending::Finished, [0, 2, 0, 0]);
    // Its sink is transactional: what counts twice is published once.
    assert_eq!(case.verdict.answer(), Outcome::Holds, "it promises no more");
    let changes = [("AT_LEAST_ONCE", "EXACTLY_ONCE")];
    let reading = Reading::changed("at-least-once-counts-twice", &changes);
    judged(reading.scenario, Ending::Finished, EXACT);
}

#[test]
fn u23_a_checkpoint_without_data_commits_nothing_and_completes() {
    exact("checkpoint-without-records");
}

/// The commit has come through, and its sink does not live to know it.
#[test]
fn u30_what_was_committed_before_the_failure_is_not_committed_again() {
    let scenario = written(
        r#"{
            "job": {
                "numbers": { "source": { "from": 1, "to": 20 }, "service": "5 ms" },
                "sink": { "sink": "transactional" }
            },
            "edges": [["numbers", "sink"]],
            "checkpoints": [{ "at": "42 ms" }],
            "faults": [{ "crash": "sink", "when": "sink is notified of checkpoint 1" }]
        }"#,
    );
    let case = judged(scenario.clone(), Ending::Finished, EXACT);
    assert_eq!(case.verdict.restores.len(), 1);
    let committed = Reading::run(scenario);
    let full = |fact: &Fact| matches!(fact, Fact::TransactionCommitted { n_records: 8.., .. });
    assert_eq!(committed.count(full), 2, "eight records before the crash, the others at the end");
}

#[test]
fn u32_a_commit_in_the_snapshot_repeats_what_came_since_the_last_checkpoint() {
    let text = |mistake: &str| {
        format!(
            r#"{{
            "job": {{
                "numbers": {{ "source": {{ "from": 1, "to": 20 }}, "service": "5 ms" }},
                "sum": {{ "sum": "parity", "snapshot": {{ "async": ["1 ms", "20 ms"] }} }},
                "sink": {{ "sink": "transactional" }}
            }},
            "edges": [["numbers", "sum"], ["sum", "sink"]],
            "checkpoints": [{{ "at": "22 ms" }}, {{ "at": "62 ms" }}],
            "faults": [{{ "crash": "sum", "when": "sink has taken snapshot 2" }}],
            "break": [{mistake}]
        }}"#
        )
    };
    // 1 to 4 with checkpoint 2, 5 to 12 with checkpoint 3, which never is.
    let case = judged(written(&text(r#""commit-at-pre-commit""#)), Ending::Finished, [0, 0, 0, 8]);
    assert!(case.breaks(Property::Commitment), "{}", case.verdict);
    judged(written(&text("")), Ending::Finished, EXACT);
}

#[test]
fn u33_the_last_records_of_a_bounded_job_need_a_last_checkpoint() {
    exact("last-results-committed");
    judged(story::scenario("last-results-missing"), Ending::Finished, [0, 0, 10, 0]);
}

#[test]
fn u40_a_source_stores_what_it_has_emitted_and_not_what_it_has_polled() {
    let crash = r#"{
        "job": {
            "numbers": { "source": { "from": 1, "to": 20 }, "service": "5 ms" },
            "sink": { "sink": "transactional" }
        },
        "edges": [["numbers", "sink"]],
        "checkpoints": [{ "at": "42 ms" }],
        "faults": [{ "crash": "sink", "at": "60 ms" }],
        "break": BREAK
    }"#;
    judged(written(&crash.replace("BREAK", "[]")), Ending::Finished, EXACT);
    let too_high = crash.replace("BREAK", r#"["offset-too-high"]"#);
    judged(written(&too_high), Ending::Finished, [1, 0, 0, 0]);
}

#[test]
fn u43_without_checkpoints_nothing_is_ever_committed() {
    let case = judged(story::scenario("nothing-is-ever-committed"), Ending::Failed, EXACT);
    assert_eq!(case.verdict.output.n_once, 0);
}
