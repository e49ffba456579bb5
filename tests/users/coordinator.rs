//! Timing, alignment, and when checkpoints begin and fail.

use checkdam::sim::Ending;
use checkdam::trace::Fact;

use super::{EXACT, exact, judged, written};
use crate::story::{self, Reading};

fn begun(reading: &Reading) -> Vec<u64> {
    reading.times_ms(|fact| matches!(fact, Fact::CheckpointTriggered { .. }))
}

fn aborted(reading: &Reading) -> Vec<u64> {
    reading.times_ms(|fact| matches!(fact, Fact::CheckpointAborted { .. }))
}

#[test]
fn u01_a_checkpoint_expires_while_the_source_cannot_answer() {
    let case = judged(story::scenario("expired-until-failed"), Ending::Failed, EXACT);
    assert_eq!(case.verdict.restores.len(), 3, "three restarts, all from the beginning");
    assert!(case.verdict.restores.iter().all(|restore| restore.checkpoint.is_none()));
    let reading = Reading::of("expired-until-failed");
    assert_eq!((begun(&reading)[0], aborted(&reading)[0]), (300_000, 480_000));
    exact("expired-and-tolerated");
    let reading = Reading::of("expired-and-tolerated");
    assert_eq!(aborted(&reading), [480_000, 780_000, 1_080_000]);
}

#[test]
fn u05_of_a_long_alignment_the_fast_input_is_blocked() {
    let scenario = written(
        r#"{
            "job": {
                "a": { "source": { "from": 1, "to": 600 }, "service": "100 ms" },
                "b": { "source": { "from": 1, "to": 40 } },
                "work": { "map": { "add": 0 }, "service": "1 s" },
                "join": { "sum": "parity" },
                "sink": { "sink": "transactional" }
            },
            "edges": [
                ["a", "join"],
                ["b", "work", "rebalance", { "capacity": { "credits": 50, "buffers": 50 } }],
                ["work", "join"],
                ["join", "sink"]
            ],
            "checkpoints": [{ "at": "50 ms" }]
        }"#,
    );
    judged(scenario.clone(), Ending::Finished, EXACT);
    let reading = Reading::run(scenario);
    let blocked = reading.blocked();
    let (channel, span) = blocked[0];
    assert_eq!(channel, "a->join");
    assert!((39_900_000..=40_100_000).contains(&span.0), "{span:?}");
}

#[test]
fn u06_the_timeout_counts_from_the_trigger() {
    exact("timeout-counts-from-the-trigger");
    let reading = Reading::of("timeout-counts-from-the-trigger");
    assert!((30_000..30_010).contains(&reading.duration_ms(1)), "{}", reading.duration_ms(1));
}

#[test]
fn u08_rules_that_are_broadcast_are_never_overtaken() {
    exact("broadcast-unaligned");
    let reading = Reading::of("broadcast-unaligned");
    let overtaken = reading.in_flight(1);
    assert!(!overtaken.is_empty(), "other edges carry unaligned barriers");
    assert!(overtaken.iter().all(|(channel, ..)| !channel.ends_with("->merge")), "{overtaken:?}");
}

#[test]
fn u11_the_pause_counts_from_the_last_completion() {
    exact("pause-after-a-completion");
    assert_eq!(begun(&Reading::of("pause-after-a-completion"))[..3], [20_000, 53_000, 86_000]);
    exact("no-pause-after-a-failure");
    assert_eq!(begun(&Reading::of("no-pause-after-a-failure"))[..2], [20_000, 40_000]);
}

#[test]
fn u12_checkpoints_that_take_longer_than_the_interval_wait_or_run_together() {
    exact("one-checkpoint-at-a-time");
    let begun_at = begun(&Reading::of("one-checkpoint-at-a-time"));
    assert_eq!(begun_at[..4], [1_000, 6_000, 11_000, 16_000]);
    exact("three-checkpoints-at-a-time");
    let begun_at = begun(&Reading::of("three-checkpoints-at-a-time"));
    assert_eq!(begun_at[..6], [1_000, 2_000, 3_000, 6_000, 7_000, 8_000]);
}

#[test]
fn u15_the_third_expiry_in_a_row_is_one_more_than_two() {
    exact("third-expiry-fails-the-job");
    let reading = Reading::of("third-expiry-fails-the-job");
    assert_eq!(aborted(&reading)[..3], [15_000, 25_000, 35_000]);
    let failed = reading.times_ms(|fact| matches!(fact, Fact::JobFailed { .. }));
    assert_eq!(failed, [35_000]);
}

#[test]
fn u16_a_source_subtask_without_a_partition() {
    exact("more-subtasks-than-partitions");
    // Before checkpoints went on after tasks finish: none completes, and the
    // job does not fail.
    let off = story::scenario("more-subtasks-than-partitions-off");
    judged(off, Ending::Finished, [0, 0, 10, 0]);
    let reading = Reading::of("more-subtasks-than-partitions-off");
    let n = |what: fn(&Fact) -> bool| reading.count(what);
    assert_eq!(n(|fact| matches!(fact, Fact::CheckpointCompleted { .. })), 0);
    assert_eq!(n(|fact| matches!(fact, Fact::JobFailed { .. })), 0);
}

#[test]
fn u19_a_late_barrier_of_a_dead_checkpoint_is_ignored() {
    exact("late-barrier-of-a-dead-checkpoint");
    let reading = Reading::of("late-barrier-of-a-dead-checkpoint");
    assert_eq!(reading.count(|fact| matches!(fact, Fact::Crashed { .. })), 0);
}
