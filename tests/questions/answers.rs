//! What is right, from the lecture, from Flink's documentation and from
//! arithmetic.

use checkdam::questions::Question;

use super::questions;

fn question(scenario: &str, id: &str) -> Question {
    let all = questions(scenario);
    let ids: Vec<&str> = all.iter().map(|own| own.id.as_str()).collect();
    let found = all.iter().find(|own| own.id == id).cloned();
    found.unwrap_or_else(|| panic!("{scenario} has no {id}: {ids:?}"))
}

/// The right answer and the right reason, in English.
fn right(scenario: &str, id: &str) -> (String, String) {
    let own = question(scenario, id);
    (own.what[0].text[0].replace('\u{a0}', " "), own.because[0][0].clone())
}

fn assert_right(scenario: &str, id: &str, answer: &str, reason: &str) {
    let (own, because) = right(scenario, id);
    assert_eq!(own, answer, "{scenario} {id}");
    assert!(because.contains(reason), "{scenario} {id}: {because}");
}

/// The lecture's cut: offsets 3 and 4, sums 8 and 8; blue 4 and yellow 5 are
/// behind the barriers.
#[test]
fn the_lectures_cut_has_what_came_before_the_barriers() {
    assert_right("lecture", "offset-2-at-numbers-blue", "3", "before the barrier");
    assert_right("lecture", "stored-2-at-sum-even", "8", "before the barriers");
    assert_right(
        "lecture",
        "barrier-2-at-sum-even",
        "It is held back until the other barrier is there",
        "after the barrier",
    );
    assert_right("lecture", "ends-2", "It completes", "every task");
    assert_right("lecture", "in-flight-2", "Nothing", "overtakes nothing");
    assert_right("lecture", "state-counts", "Each exactly once", "nothing fails");
    assert_right("lecture", "output-counts", "Each exactly once", "nothing fails");
}

/// A crash after checkpoint 2 is complete; sinks that publish at once. Blue 4
/// and yellow 5 were out, and come again: the README's example.
#[test]
fn after_a_crash_the_state_is_exactly_once_and_the_output_is_not() {
    let scenario = "crash-after-complete";
    assert_right(
        scenario,
        "attempt-2-starts-from",
        "Checkpoint 2",
        "newest checkpoint that is complete",
    );
    assert_right(scenario, "state-counts", "Each exactly once", "one cut");
    assert_right(
        scenario,
        "output-counts",
        "None is lost, but some more than once",
        "after the checkpoint",
    );
    assert_right(
        scenario,
        "published-twice",
        "blue 4 and yellow 5".replace("blue", "Blue").as_str(),
        "out before the failure",
    );
    let scenario = "crash-after-complete-transactional";
    assert_right(scenario, "output-counts", "Each exactly once", "completed checkpoint");
    assert_right(scenario, "published-twice", "Of none", "visible");
    // Before checkpoint 2 is complete there is only checkpoint 1.
    assert_right(
        "crash-before-complete",
        "attempt-2-starts-from",
        "Checkpoint 1",
        "newest checkpoint that is complete",
    );
}

/// Without high availability the next JobManager knows of no checkpoint; with
/// it, it does.
#[test]
fn another_jobmanager_starts_from_what_a_service_has_kept() {
    let (from, because) = right("jobmanager-crash-without-ha", "attempt-2-starts-from");
    assert_eq!(from, "The beginning");
    assert!(because.contains("memory of the JobManager"), "{because}");
    let (from, _) = right("jobmanager-crash", "attempt-2-starts-from");
    assert!(from.starts_with("Checkpoint"), "{from}");
}

/// The names of the scenarios say it.
#[test]
fn checkpoints_and_jobs_end_as_their_scenarios_say() {
    for scenario in ["expired-and-tolerated", "expired-until-failed", "third-expiry-fails-the-job"]
    {
        let all = questions(scenario);
        let expires = |own: &&Question| own.what[0].text[0] == "It expires";
        let own = all.iter().find(expires).unwrap_or_else(|| panic!("{scenario}: one expires"));
        assert!(own.id.starts_with("ends-"), "{}", own.id);
        assert!(own.answer[0].contains("CHECKPOINT_EXPIRED"), "{}", own.answer[0]);
    }
    for scenario in
        ["restart-none", "restart-fixed-delay", "restart-failure-rate", "expired-until-failed"]
    {
        let (answer, _) = right(scenario, "how-the-job-ends");
        assert!(answer.contains("FAILED"), "{scenario}: {answer}");
    }
    let (answer, because) = right("restart-none", "how-the-job-ends");
    assert_eq!(answer, "It ends FAILED, in attempt 1");
    assert!(because.contains("first failure is the last"), "{because}");
    let (answer, _) = right("crash-after-complete", "how-the-job-ends");
    assert_eq!(answer, "It finishes, in attempt 2");
}

/// Unaligned barriers overtake; what they overtake is in the checkpoint. Aligned
/// ones hold nothing in flight.
#[test]
fn only_an_unaligned_checkpoint_holds_records_in_flight() {
    let (records, because) = right("backpressure-unaligned", "in-flight-2");
    assert_ne!(records, "Nothing");
    assert!(because.contains("overtake"), "{because}");
    assert_right("backpressure", "in-flight-1", "Nothing", "overtakes nothing");
}

/// At least once: a record that was counted behind the barrier counts again.
#[test]
fn at_least_once_counts_twice_after_a_restart() {
    assert_right(
        "at-least-once-counts-twice",
        "state-counts",
        "None is lost, but some more than once",
        "reads again",
    );
    let all = questions("at-least-once-counts-twice");
    let mut at_the_cut = all.iter().filter(|own| own.id.starts_with("cut-"));
    assert!(at_the_cut.any(|own| own.answer[0].contains("not consistent")), "one is an orphan");
}

/// Two-phase commit at the end of a job: a last checkpoint commits, without it
/// nobody does.
#[test]
fn the_last_results_come_with_a_last_checkpoint_or_never() {
    let (when, because) = right("last-results-committed", "last-results");
    assert!(when.starts_with("When checkpoint"), "{when}");
    assert!(because.contains("one more checkpoint"), "{because}");
    assert_right(
        "last-results-missing",
        "last-results",
        "Never",
        "no checkpoint completes after it",
    );
}

/// A job that starts from a savepoint reads on behind its offset.
#[test]
fn a_resumed_job_reads_on_where_the_savepoint_is() {
    let all = questions("resumed");
    let own = all.iter().find(|own| own.id.starts_with("resumes-")).expect("it resumes");
    let offset: u32 = own.answer[0]
        .split("offset ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|number| number.parse().ok())
        .expect("the answer says the offset");
    let (scenario, _) = crate::story::run("resumed");
    let start = scenario.start.as_ref().expect("it has a savepoint");
    let held = start.states.iter().flatten().any(|state| match state {
        checkdam::model::SnapshotState::Offsets(own) => own.iter().any(|(_, own)| *own == offset),
        _ => false,
    });
    assert!(held, "offset {offset} is the savepoint's");
}

/// The article: an interval of 1 s, a pause of 500 ms, checkpoint 1 takes
/// 700 ms. So checkpoint 2 comes at 1.7 + 0.5 = 2.2 s.
#[test]
fn the_pause_counts_from_the_end_and_the_interval_from_the_trigger() {
    assert_right("article", "next-trigger-after-1", "2200 ms", "minimum pause");
}

/// Checkpointing is off until an interval is set: nothing is stored, and a
/// transactional sink never commits.
#[test]
fn without_an_interval_there_is_nothing_to_go_back_to() {
    let scenario = "nothing-is-ever-committed";
    assert_right(
        scenario,
        "no-checkpoint",
        "Nothing: not one checkpoint is begun",
        "without an interval",
    );
    assert_right(scenario, "last-results", "Never", "no checkpoint completes after it");
}

/// A request that is rejected is one all the same.
#[test]
fn where_a_task_has_finished_and_checkpoints_stop_then_the_request_is_rejected() {
    let scenario = "more-subtasks-than-partitions-off";
    assert_right(scenario, "not-begun", "No, it is not begun", "every task to run");
    assert_right(
        scenario,
        "no-checkpoint",
        "Nothing: not one checkpoint is begun",
        "not every task runs",
    );
}

/// What is under way when a job fails for good or is cancelled counts neither
/// as lost nor as visible.
#[test]
fn nobody_asks_what_counts_in_the_end_of_a_job_that_stops_half_way() {
    for scenario in ["restart-none", "expired-until-failed", "cancelled-job"] {
        for own in questions(scenario) {
            assert!(!own.id.ends_with("-counts"), "{scenario}: {}", own.id);
            assert_ne!(own.id, "published-twice", "{scenario}");
        }
    }
}

/// A finished source counts as acknowledged, since Flink 1.14.
#[test]
fn a_finished_task_does_not_stop_checkpoints() {
    let all = questions("source-finishes-first");
    let own = all.iter().find(|own| own.id.starts_with("finished-")).expect("one has finished");
    assert!(own.what[0].text[0].contains("counts as acknowledged"), "{}", own.what[0].text[0]);
}
