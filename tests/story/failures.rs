//! Messages that are lost, JobManagers that crash, failures upon failures: by
//! arithmetic. The job of these stories reads record k at 10 k ms; an edge takes
//! 2 ms and a message 1 ms, so that checkpoint n, triggered at t, is complete at
//! t + 6 ms and committed at t + 7 ms.

use checkdam::model::{Attempt, CheckpointFailureReason, CheckpointId, Scenario};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, Trace};
use checkdam::verify::{Outcome, verify};

/// What the sink, which is the last task, had published at a time.
fn published(scenario: &Scenario, trace: &Trace, at_ms: u64) -> Vec<i64> {
    let last = trace.steps.iter().take_while(|step| step.at.0 <= at_ms * 1000).last();
    let step = last.map_or(0, |step| step.number);
    let view = trace.view(&scenario.graph, step).expect("the trace is sound");
    let sink = view.tasks.last().and_then(|task| task.sink.as_ref()).expect("the sink is last");
    sink.published.last.iter().map(|record| record.value.number()).collect()
}

/// When each fact of a kind happened, and what of it is asked for.
fn times<T>(trace: &Trace, what: impl Fn(&Fact) -> Option<T>) -> Vec<(u64, T)> {
    let facts = trace.steps.iter().flat_map(|step| step.facts.iter().map(|f| (step.at.0, f)));
    facts.filter_map(|(at, fact)| what(fact).map(|told| (at / 1000, told))).collect()
}

fn completed(trace: &Trace) -> Vec<u64> {
    let completed = times(trace, |fact| match fact {
        Fact::CheckpointCompleted { checkpoint } => Some(checkpoint.0),
        _ => None,
    });
    completed.into_iter().map(|(_, id)| id).collect()
}

/// Attempts with the checkpoint that each starts from.
fn attempts(trace: &Trace) -> Vec<(u64, (u32, Option<u64>))> {
    times(trace, |fact| match fact {
        Fact::AttemptStarted { attempt, checkpoint, .. } => {
            Some((attempt.0, checkpoint.map(|id| id.0)))
        }
        _ => None,
    })
}

const ALL: [i64; 9] = [1, 2, 4, 6, 9, 12, 16, 20, 25];

#[test]
fn the_notice_of_the_next_checkpoint_commits_what_a_lost_one_did_not() {
    let (scenario, trace) = super::run("lost-notification");
    assert_eq!(published(&scenario, &trace, 61), ALL[..0]);
    assert_eq!(published(&scenario, &trace, 62), ALL[..5]);
    assert_eq!(published(&scenario, &trace, 1000), ALL);
}

/// The notice of checkpoint 1 comes at 82 ms instead of 32, and that of 2,
/// which is sent behind it, no earlier.
#[test]
fn a_late_message_holds_up_those_behind_it() {
    let (scenario, trace) = changed(
        "lost-notification",
        &[(
            r#"{ "lose": "notification", "to": "sink", "checkpoint": 1 }"#,
            r#"{ "delay": "notification", "to": "sink", "checkpoint": 1, "by": "50 ms" }"#,
        )],
    );
    assert_eq!(published(&scenario, &trace, 81), ALL[..0]);
    assert_eq!(published(&scenario, &trace, 82), ALL[..5]);
    let late = times(&trace, |fact| match fact {
        Fact::MessageDelayed { by, .. } => Some(by.0),
        _ => None,
    });
    assert_eq!(late, [(31, 50_000)]);
}

#[test]
fn a_checkpoint_without_an_acknowledgement_expires_and_its_transaction_waits() {
    let (scenario, trace) = super::run("lost-acknowledgement");
    let aborted = times(&trace, |fact| match fact {
        Fact::CheckpointAborted { checkpoint, reason } => Some((checkpoint.0, *reason)),
        _ => None,
    });
    assert_eq!(aborted, [(55, (1, CheckpointFailureReason::CheckpointExpired))]);
    assert_eq!(completed(&trace), [2, 3]);
    // Record 6 is read at 60 ms, before the trigger comes at 66.
    assert_eq!(published(&scenario, &trace, 71), ALL[..0]);
    assert_eq!(published(&scenario, &trace, 72), ALL[..6]);
    assert_eq!(published(&scenario, &trace, 1000), ALL);
}

/// With Flink's default the expiry fails the job, which restarts from nothing.
#[test]
fn one_failed_checkpoint_is_one_too_many_by_default() {
    let (_, trace) = changed(
        "lost-acknowledgement",
        &[(
            "\"execution.checkpointing.tolerable-failed-checkpoints\": 1",
            "\"restart-strategy.type\": \"fixed-delay\"",
        )],
    );
    let failed = times(&trace, |fact| match fact {
        Fact::JobFailed { cause, .. } => Some(*cause),
        _ => None,
    });
    let cause = checkdam::trace::FailureCause::TooManyFailedCheckpoints {
        checkpoint: Some(CheckpointId(1)),
        reason: CheckpointFailureReason::CheckpointExpired,
        tolerable: 0,
    };
    assert_eq!(failed, [(55, cause)]);
    // Flink's default delay is a second.
    assert_eq!(attempts(&trace), [(1055, (2, None))]);
}

/// The sink has not heard of checkpoint 1; that 2 is given up it hears at
/// 86 ms, and with it of the newest complete one.
#[test]
fn the_notice_of_a_failed_checkpoint_names_the_newest_complete_one() {
    let (scenario, trace) = changed(
        "lost-notification",
        &[
            (
                r#""checkpoint": 1 }"#,
                r#""checkpoint": 1 }, { "lose": "acknowledgement", "of": "sum", "checkpoint": 2 }"#,
            ),
            (
                r#""labels""#,
                r#""config": {
                    "execution.checkpointing.timeout": "30 ms",
                    "execution.checkpointing.tolerable-failed-checkpoints": 1
                }, "labels""#,
            ),
        ],
    );
    assert_eq!(published(&scenario, &trace, 85), ALL[..0]);
    assert_eq!(published(&scenario, &trace, 86), ALL[..2]);
    assert_eq!(published(&scenario, &trace, 1000), ALL);
}

/// Records 2 to 6 would arrive at 22, 32, … 62 ms.
#[test]
fn what_a_stalled_channel_held_up_arrives_at_once_and_in_order() {
    let (_, trace) = changed(
        "lost-notification",
        &[
            // Barriers would hold their channel up at the sender as well.
            (r#""checkpoints": [{ "at": "25 ms" }, { "at": "55 ms" }],"#, ""),
            (
                r#"{ "lose": "notification", "to": "sink", "checkpoint": 1 }"#,
                r#"{ "stall": "numbers->sum", "for": "50 ms", "at": "15 ms" }"#,
            ),
        ],
    );
    let sums = times(&trace, |fact| match fact {
        Fact::Processed { task, record, .. } if task.0 == 1 => Some(record.id.offset),
        _ => None,
    });
    let expected =
        [(12, 1), (65, 2), (65, 3), (65, 4), (65, 5), (65, 6), (72, 7), (82, 8), (92, 9)];
    assert_eq!(sums, expected);
}

#[test]
fn with_high_availability_the_next_job_manager_goes_on_where_the_last_one_was() {
    let (scenario, trace) = super::run("jobmanager-crash");
    assert_eq!(attempts(&trace), [(175, (2, Some(2)))]);
    assert_eq!(completed(&trace), [1, 2, 3]);
    assert_eq!(published(&scenario, &trace, 174), ALL[..5]);
    assert_eq!(published(&scenario, &trace, 1000), ALL);
}

#[test]
fn without_high_availability_the_next_job_manager_begins_from_the_beginning() {
    let (scenario, trace) = super::run("jobmanager-crash-without-ha");
    assert_eq!(attempts(&trace), [(175, (2, None))]);
    assert_eq!(completed(&trace), [1, 2, 1]);
    let twice: Vec<i64> = ALL[..5].iter().chain(&ALL).copied().collect();
    assert_eq!(published(&scenario, &trace, 1000), twice);
    let verdict = verify(&scenario, &trace);
    assert_eq!((verdict.state.outcome, verdict.output.n_too_often), (Outcome::Holds, 5));
}

/// Crashes at 75 ms, noticed at 76; at 141 ms, noticed at 142; each restart
/// comes 50 ms later. What happens to a task that does not run is nothing.
#[test]
fn a_failure_during_the_recovery_uses_up_another_restart() {
    let (scenario, trace) = super::run("second-failure");
    assert_eq!(attempts(&trace), [(126, (2, Some(2))), (192, (3, Some(2)))]);
    assert_eq!(published(&scenario, &trace, 1000), ALL);
    let (_, trace) = ended("second-failure", &[(r#"attempts": 2"#, r#"attempts": 1"#)]);
    assert_eq!(attempts(&trace), [(126, (2, Some(2)))]);
    assert_eq!(
        times(&trace, |fact| match fact {
            Fact::JobFailed { attempt, restart_after, .. } => Some((*attempt, *restart_after)),
            _ => None,
        })
        .last(),
        Some(&(142, (Attempt(2), None)))
    );
}

/// A built-in scenario in which some texts are others, and its run.
fn ended(name: &str, changes: &[(&str, &str)]) -> (Ending, Trace) {
    let (_, trace, ending) = run(name, changes);
    (ending, trace)
}

fn changed(name: &str, changes: &[(&str, &str)]) -> (Scenario, Trace) {
    let (scenario, trace, ending) = run(name, changes);
    assert_eq!(ending, Ending::Finished, "{name}");
    (scenario, trace)
}

fn run(name: &str, changes: &[(&str, &str)]) -> (Scenario, Trace, Ending) {
    let built_in = checkdam::load::builtin().iter().find(|scenario| scenario.name == name);
    let mut text = built_in.expect("it is shipped").text.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{name} has {old}");
        text = text.replacen(old, new, 1);
    }
    let scenario = Scenario::parse(name, &text).expect("it is valid");
    let (trace, ending) = simulate(&scenario, 1);
    (scenario, trace, ending)
}
