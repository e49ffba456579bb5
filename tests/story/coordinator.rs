//! When checkpoints begin, and when they expire: numbers from Flink's rules,
//! from reports of users, and from arithmetic.

use checkdam::model::{CheckpointFailureReason, CheckpointId, Scenario, StreamElement};
use checkdam::sim::simulate;
use checkdam::trace::{Fact, TriggerCause};

use super::reading::Reading;

fn seconds<const N: usize>(seconds: [u64; N]) -> Vec<u64> {
    seconds.map(|second| second * 1000).to_vec()
}

/// When the interval began checkpoints, in milliseconds.
fn begun(reading: &Reading) -> Vec<u64> {
    reading.times_ms(|fact| {
        matches!(fact, Fact::CheckpointTriggered { cause: TriggerCause::Periodic, .. })
    })
}

fn completed(reading: &Reading) -> Vec<u64> {
    reading.times_ms(|fact| matches!(fact, Fact::CheckpointCompleted { .. }))
}

fn expired(reading: &Reading) -> Vec<u64> {
    const REASON: CheckpointFailureReason = CheckpointFailureReason::CheckpointExpired;
    reading.times_ms(|fact| matches!(fact, Fact::CheckpointAborted { reason: REASON, .. }))
}

/// When the job failed, and for how long it then waited, in milliseconds.
fn failures(reading: &Reading) -> Vec<(u64, Option<u64>)> {
    let failures = reading.facts().filter_map(|(at, fact)| match fact {
        Fact::JobFailed { restart_after, .. } => {
            Some((at.0 / 1000, restart_after.map(|after| after.0 / 1000)))
        }
        _ => None,
    });
    failures.collect()
}

#[test]
fn a_checkpoint_that_cannot_pass_a_long_record_expires_in_every_attempt() {
    let reading = Reading::of("expired-until-failed");
    // 300 s to the trigger, 180 s to the expiry, 10 s to the restart.
    let at = |attempt: u64| (attempt * 490 + 480) * 1000;
    assert_eq!(begun(&reading), [0, 1, 2, 3].map(|n| at(n) - 180_000));
    assert_eq!(expired(&reading), [0, 1, 2, 3].map(at));
    let restarts = [0, 1, 2].map(|n| (at(n), Some(10_000)));
    assert_eq!(failures(&reading), [&restarts[..], &[(1_950_000, None)]].concat());
    let from_nothing = |fact: &Fact| matches!(fact, Fact::AttemptStarted { checkpoint: None, .. });
    assert_eq!(reading.count(from_nothing), 3);
    assert_eq!(reading.n_committed(), 0);
}

#[test]
fn three_tolerated_expiries_let_the_fourth_checkpoint_complete() {
    let reading = Reading::of("expired-and-tolerated");
    assert_eq!(begun(&reading), seconds([300, 600, 900, 1200]));
    assert_eq!(expired(&reading), seconds([480, 780, 1080]));
    assert_eq!(failures(&reading), []);
    // The record is done at 1 s + 1 ms + 1200 s. The sender has stopped behind
    // barrier 1: each of 2, 3 and 4 leaves when the one before has come. Then
    // to the sink, and back.
    assert_eq!(completed(&reading)[0], 1_201_001 + 3 + 1 + 1);
    let none_tolerated = ("checkpoints\": 3", "checkpoints\": 2");
    let reading = Reading::changed("expired-and-tolerated", &[none_tolerated]);
    assert_eq!(failures(&reading)[0].0, 1_080_000, "the third is one more than two");
}

#[test]
fn the_pause_counts_from_the_last_completion() {
    let reading = Reading::of("pause-after-a-completion");
    assert_eq!(begun(&reading), seconds([20, 53, 86, 119]));
    assert_eq!(completed(&reading), seconds([38, 71, 104, 137]));
}

#[test]
fn without_a_pause_a_tick_that_came_too_early_begins_at_the_completion() {
    let reading = Reading::changed("pause-after-a-completion", &[("\"15 s\"", "\"0 s\"")]);
    // Each lasts 18 s and is over before the next tick.
    assert_eq!(begun(&reading), seconds([20, 40, 60, 80, 100, 120, 140]));
}

#[test]
fn after_a_failed_checkpoint_there_is_no_pause() {
    let reading = Reading::of("no-pause-after-a-failure");
    assert_eq!(expired(&reading), seconds([38]));
    assert_eq!(begun(&reading), seconds([20, 40, 57 + 15]));
    assert_eq!(completed(&reading), seconds([57, 89]));
}

#[test]
fn the_third_expiry_in_a_row_is_one_too_many() {
    let reading = Reading::of("third-expiry-fails-the-job");
    assert_eq!(expired(&reading), seconds([15, 25, 35]));
    assert_eq!(failures(&reading), [(35_000, Some(1000))]);
}

#[test]
fn a_success_in_between_sets_the_count_of_failures_back() {
    // Slow until 24 s: checkpoints 1 and 2 expire, 3 does not. Slow again from
    // 35 s: 4, 5 and 6 expire.
    let slow = r#"{ "slow": "numbers->sum", "times": 100, "for": "30 s", "at": "7 s" }"#;
    let twice = r#"{ "slow": "numbers->sum", "times": 100, "for": "17 s", "at": "7 s" },
        { "slow": "numbers->sum", "times": 100, "for": "40 s", "at": "35 s" }"#;
    let changes = [(slow, twice), ("\"to\": 8", "\"to\": 20")];
    let reading = Reading::changed("third-expiry-fails-the-job", &changes);
    assert_eq!(expired(&reading)[..5], seconds([15, 25, 45, 55, 65]));
    assert_eq!(failures(&reading)[0].0, 65_000);
}

#[test]
fn one_at_a_time_the_next_checkpoint_begins_when_the_last_is_complete() {
    let reading = Reading::of("one-checkpoint-at-a-time");
    assert_eq!(begun(&reading)[..4], seconds([1, 6, 11, 16]));
    assert_eq!(completed(&reading)[..4], seconds([6, 11, 16, 21]));
}

#[test]
fn three_at_a_time_the_fourth_waits_for_the_first() {
    let reading = Reading::of("three-checkpoints-at-a-time");
    assert_eq!(begun(&reading)[..6], seconds([1, 2, 3, 6, 7, 8]));
    assert_eq!(completed(&reading)[..6], seconds([6, 7, 8, 11, 12, 13]));
}

#[test]
fn a_pause_does_not_by_itself_keep_checkpoints_from_running_together() {
    let pause = (
        "\"execution.checkpointing.max-concurrent-checkpoints\": 3",
        "\"execution.checkpointing.max-concurrent-checkpoints\": 3,
         \"execution.checkpointing.min-pause\": \"500 ms\"",
    );
    let reading = Reading::changed("three-checkpoints-at-a-time", &[pause]);
    assert_eq!(begun(&reading)[..3], seconds([1, 2, 3]), "none is complete before 6 s");
}

#[test]
fn a_dead_checkpoint_blocks_its_channel_until_its_last_barrier_comes() {
    let reading = Reading::of("late-barrier-of-a-dead-checkpoint");
    let total = reading.task("total");
    assert_eq!(expired(&reading), [20 + 30]);
    // From its barrier at 21 + 4 ms to the other one at 21 + 60 ms; that the
    // total is told at 51 ms makes no difference to its channels.
    let first = reading.blocked().into_iter().find(|(name, _)| *name == "x->total");
    assert_eq!(first.map(|(_, span)| span.0), Some(56_000));
    let of_1 = |fact: &Fact| match fact {
        Fact::SnapshotTaken { task, checkpoint, .. } => {
            *task == total && *checkpoint == CheckpointId(1)
        }
        _ => false,
    };
    assert_eq!(reading.count(of_1), 0, "the total stores nothing for it");
    for task in reading.scenario.graph.subtask_indices() {
        let told = |fact: &Fact| {
            matches!(fact, Fact::AbortNotified { task: who, checkpoint }
                if *who == task && *checkpoint == CheckpointId(1))
        };
        assert_eq!(reading.count(told), 1, "each task is told once");
    }
    for channel in reading.scenario.graph.channel_indices() {
        let marker = |fact: &Fact| {
            matches!(fact, Fact::Emitted { channel: own, element: StreamElement::CancelMarker(_), .. }
                if *own == channel)
        };
        assert!(reading.count(marker) <= 1, "at most one cancellation marker a channel");
    }
    assert_eq!(reading.duration_ms(2), 1 + 4 + 1 + 4);
    assert_eq!(failures(&reading), []);
    // 1 + 2 + … + 12, and 10 + 20 + 30 + 40.
    assert_eq!(reading.at_end("total"), [78 + 100]);
}

/// The settings of the article: what each of them does.
#[test]
fn the_seven_settings_of_the_article_do_what_its_notes_say() {
    let reading = Reading::of("article");
    // The interval; then the pause, 500 ms after 1.7 s; after the restart the
    // interval again.
    assert_eq!(begun(&reading), [1000, 2200, 63_200 + 1000]);
    assert_eq!(reading.duration_ms(1), 100 + 300 + 200 + 100);
    // The mode: the channel of a is blocked from its barrier to that of b.
    let blocked = reading.blocked().into_iter().find(|(name, _)| *name == "numbers[a]->sum");
    assert_eq!(blocked.map(|(_, span)| span.0), Some(200_000));
    // The timeout, one at a time, and no failure tolerated.
    assert_eq!(expired(&reading), [2200 + 60_000]);
    assert_eq!(failures(&reading), [(62_200, Some(1000))]);
    // Twice 2 + 4, and twice 1 + 3 + 5.
    assert_eq!(reading.at_end("sum"), [12, 18]);
}

/// A request that waits when a checkpoint fails the job goes with the job: it
/// never gets an id.
#[test]
fn a_checkpoint_that_fails_the_job_takes_waiting_requests_along() {
    let text = r#"{
        "job": { "in": { "source": [1, 2], "service": 30 }, "out": { "sink": "publish" } },
        "edges": [["in", "out", "forward", { "latency": "100 ms" }]],
        "config": {
            "execution.checkpointing.interval": "10 ms",
            "execution.checkpointing.timeout": "20 ms",
            "restart-strategy.type": "none"
        }
    }"#;
    let scenario = Scenario::parse("small", text).expect("it is valid");
    let (trace, _) = simulate(&scenario, 1);
    let ends = trace.steps.iter().flat_map(|step| &step.facts).filter_map(|fact| match fact {
        Fact::CheckpointAborted { checkpoint, reason } => Some((checkpoint.0, *reason)),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [(1, CheckpointFailureReason::CheckpointExpired)]);
}
