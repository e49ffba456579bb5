//! What users see, each as a small story: numbers from their reports, from
//! courses that teach the algorithm, and from arithmetic.

use checkdam::model::{CheckpointId, StreamElement};
use checkdam::trace::Fact;
use checkdam::verify::{Miscount, verify};

use super::reading::Reading;

fn names(miscounts: &[Miscount]) -> Vec<&str> {
    miscounts.iter().map(|miscount| miscount.record.name.as_str()).collect()
}

/// The checkpoint that each attempt but the first started from.
fn restored(reading: &Reading) -> Vec<Option<CheckpointId>> {
    let restored = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    });
    restored.collect()
}

#[test]
fn the_alignment_timeout_counts_from_the_trigger_and_not_from_a_barrier() {
    let reading = Reading::of("timeout-counts-from-the-trigger");
    // Number 10 is done 30 s after the first has come, at 1 ms; then to the
    // sink, and back.
    assert_eq!(reading.duration_ms(1), 1 + 30_000 + 1 + 1);
    assert!(reading.metrics("sum", 1).unaligned);
    assert_eq!(reading.stored("sum", 1), [(1..=10).sum::<i64>()]);
    assert_eq!(reading.n_in_flight(1), 10);
    assert_eq!(restored(&reading), [Some(CheckpointId(1))]);
    assert_eq!(reading.at_end("sum"), [(1..=20).sum::<i64>()]);
}

#[test]
fn with_a_longer_timeout_the_barrier_waits_for_the_whole_queue() {
    let changes = [("\"30 s\"", "\"90 s\""), ("\"45 s\"", "\"70 s\"")];
    let reading = Reading::changed("timeout-counts-from-the-trigger", &changes);
    assert_eq!(reading.duration_ms(1), 1 + 60_000 + 1 + 1);
    assert_eq!((reading.n_in_flight(1), reading.stored("sum", 1)), (0, vec![210]));
}

#[test]
fn a_subtask_without_a_partition_takes_part_once_and_is_then_left_out() {
    let reading = Reading::of("more-subtasks-than-partitions");
    let told = |id: u64| {
        reading.count(
            |fact| matches!(fact, Fact::TriggerReceived { checkpoint, .. } if checkpoint.0 == id),
        )
    };
    assert_eq!((told(1), told(2)), (3, 2));
    let idle = reading.task("topic[idle]");
    let left_out = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::FinishedTaskIncluded { task, checkpoint, .. } => Some((*task, checkpoint.0)),
        _ => None,
    });
    assert_eq!(left_out.take_while(|(_, id)| *id == 2).collect::<Vec<_>>(), [(idle, 2)]);
    assert_eq!(reading.n_committed(), 10);
}

#[test]
fn with_checkpoints_off_after_an_end_a_finished_subtask_stops_them_all() {
    let reading = Reading::of("more-subtasks-than-partitions-off");
    let refused = reading.times_ms(|fact| matches!(fact, Fact::TriggerRejected { .. }));
    assert_eq!(refused, [15, 35]);
    assert_eq!(reading.count(|fact| matches!(fact, Fact::CheckpointTriggered { .. })), 0);
    assert_eq!(reading.count(|fact| matches!(fact, Fact::JobFailed { .. })), 0);
    assert_eq!((reading.at_end("count"), reading.n_committed()), (vec![4, 6], 0));
}

#[test]
fn at_least_once_six_records_count_as_eight() {
    let reading = Reading::of("at-least-once-counts-twice");
    assert_eq!((reading.stored("a", 1), reading.stored("b", 1)), (vec![1], vec![3]));
    assert_eq!((reading.stored("counter", 1), reading.at_end("counter")), (vec![6], vec![8]));
    let verdict = verify(&reading.scenario, &reading.trace);
    assert_eq!(names(&verdict.state.too_often), ["a 2", "a 3"]);
    assert_eq!(names(&verdict.state.lost), [""; 0]);
}

#[test]
fn exactly_once_the_same_six_records_count_as_six() {
    let changes = [("AT_LEAST_ONCE", "EXACTLY_ONCE")];
    let reading = Reading::changed("at-least-once-counts-twice", &changes);
    assert_eq!((reading.stored("a", 1), reading.stored("b", 1)), (vec![1], vec![3]));
    assert_eq!((reading.stored("counter", 1), reading.at_end("counter")), (vec![4], vec![6]));
}

#[test]
fn a_checkpoint_without_records_completes_and_publishes_nothing() {
    let reading = Reading::of("checkpoint-without-records");
    for name in ["numbers", "sum"] {
        assert_eq!(reading.stored(name, 1), reading.stored(name, 2), "{name}");
    }
    assert_eq!(reading.duration_ms(2), 1 + 100 + 100 + 1);
    let committed = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::TransactionCommitted { n_records, .. } => Some(*n_records),
        _ => None,
    });
    // Before 10 s, before 20, before 30, and the last one.
    assert_eq!(committed.collect::<Vec<_>>(), [3, 0, 3, 0]);
}

#[test]
fn a_job_at_its_end_takes_a_last_checkpoint_and_without_it_loses_its_last_results() {
    let with = Reading::of("last-results-committed");
    let triggered = with.times_ms(|fact| matches!(fact, Fact::CheckpointTriggered { .. }));
    // The end of data at 2.2 s, two hops of 10 ms, and the report: not at 10 s.
    assert_eq!(triggered, [2200 + 10 + 10 + 1]);
    assert_eq!(with.n_committed(), 10);

    let without = Reading::of("last-results-missing");
    assert_eq!(without.count(|fact| matches!(fact, Fact::CheckpointTriggered { .. })), 0);
    assert_eq!(without.n_committed(), 0);
    let verdict = verify(&without.scenario, &without.trace);
    assert_eq!(verdict.output.lost.len(), 10);
    assert_eq!(without.at_end("sum"), with.at_end("sum"), "the state is the same, and right");
}

#[test]
fn without_an_interval_nothing_is_ever_committed() {
    let reading = Reading::of("nothing-is-ever-committed");
    assert_eq!(reading.count(|fact| matches!(fact, Fact::CheckpointTriggered { .. })), 0);
    assert_eq!((reading.n_committed(), restored(&reading)), (0, vec![]));
    let every_minute =
        ("\"config\": {", "\"config\": { \"execution.checkpointing.interval\": \"1 min\",");
    let reading = Reading::changed("nothing-is-ever-committed", &[every_minute]);
    assert!(reading.n_committed() >= 9, "{} results", reading.n_committed());
}

#[test]
fn live_offsets_run_ahead_of_those_that_a_checkpoint_holds() {
    let reading = Reading::of("two-partitions-one-counter");
    let stored = ["topic[p0]", "topic[p1]", "counter"].map(|name| reading.stored(name, 1));
    assert_eq!(stored, [vec![2], vec![1], vec![3]]);
    let counter = reading.task("counter");
    let meet =
        reading.when(|fact| matches!(fact, Fact::SnapshotTaken { task, .. } if *task == counter));
    let read =
        reading.facts().filter(|(at, fact)| *at <= meet && matches!(fact, Fact::Read { .. }));
    assert_eq!(read.count(), 3 + 2);
    assert_eq!(restored(&reading), [Some(CheckpointId(1))]);
    assert_eq!(reading.at_end("counter"), [10]);
}

#[test]
fn five_six_and_nine_go_back_together() {
    let reading = Reading::of("five-six-nine");
    let stored = ["numbers", "sum[even]", "sum[odd]"].map(|name| reading.stored(name, 1));
    assert_eq!(stored, [vec![5], vec![2 + 4], vec![1 + 3 + 5]]);
    let sums = |reading: &Reading| ["sum[even]", "sum[odd]"].map(|name| reading.at_end(name));
    assert_eq!(sums(&reading), [vec![2 + 4 + 6], vec![1 + 3 + 5 + 7]]);
    // The sums come back and the source does not.
    let stays = ("\"service\": 10", "\"service\": 10, \"replayable\": false");
    let reading = Reading::changed("five-six-nine", &[stays]);
    assert_eq!(sums(&reading), [vec![6], vec![9]]);
    let verdict = verify(&reading.scenario, &reading.trace);
    assert_eq!(names(&verdict.state.lost), ["numbers 6", "numbers 7"]);
}

#[test]
fn what_is_stored_and_what_is_counted_now_are_two_things() {
    let reading = Reading::of("beads");
    assert_eq!((reading.stored("string", 1), reading.stored("count", 1)), (vec![6], vec![5, 1]));
    assert_eq!(restored(&reading), [Some(CheckpointId(1))]);
    assert_eq!(reading.at_end("count"), [4, 5, 3]);
}

#[test]
fn of_two_streams_the_aligned_count_is_the_unaligned_one_and_what_is_in_flight() {
    let aligned = Reading::of("digits-and-letters");
    assert_eq!((aligned.stored("counter", 1), aligned.n_in_flight(1)), (vec![3 + 4], 0));
    // From the digits' barrier at 8 + 2 ms to the letters' at 8 + 18 ms.
    let digits = aligned.blocked().into_iter().find(|(name, _)| *name == "digits->counter");
    assert_eq!(digits.map(|(_, span)| span.0), Some(16_000));

    let unaligned = Reading::of("digits-and-letters-unaligned");
    assert_eq!(unaligned.stored("counter", 1), [3 + 2]);
    let in_flight = unaligned.in_flight(1);
    assert!(in_flight.iter().all(|(channel, ..)| *channel == "letters->counter"));
    let records: Vec<_> = in_flight.iter().map(|(.., record)| record.as_str()).collect();
    assert_eq!(records, ["letters c", "letters d"]);
    assert!(unaligned.blocked().iter().all(|(name, _)| *name == "counter->sink"));
    for reading in [aligned, unaligned] {
        assert_eq!(reading.at_end("counter"), [12]);
    }
}

#[test]
fn a_checkpoint_of_six_tasks_is_20_messages() {
    let reading = Reading::of("message-by-message");
    let n = |what: fn(&Fact) -> bool| reading.count(what);
    let barrier: fn(&Fact) -> bool =
        |fact| matches!(fact, Fact::Emitted { element: StreamElement::Barrier(_), .. });
    let messages = [
        n(|fact| matches!(fact, Fact::TriggerReceived { .. })),
        n(barrier),
        n(|fact| matches!(fact, Fact::Acknowledged { .. })),
        n(|fact| matches!(fact, Fact::Notified { .. })),
    ];
    // Two sources; two barriers each and one to each sink; six tasks; again.
    assert_eq!(messages, [2, 2 * 2 + 2, 6, 6]);
    assert_eq!(messages.iter().sum::<usize>(), 20);
    let when = |what: fn(&Fact) -> bool| reading.times_ms(what);
    let last_acknowledged = when(|fact| matches!(fact, Fact::Acknowledged { .. })).pop();
    let completed = when(|fact| matches!(fact, Fact::CheckpointCompleted { .. }));
    assert_eq!(completed.first().copied(), last_acknowledged);
    let first_notified = when(|fact| matches!(fact, Fact::Notified { .. }))[0];
    assert_eq!(first_notified, completed[0] + 2);
}
