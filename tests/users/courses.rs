//! How lectures present the walkthrough.

use checkdam::sim::Ending;
use checkdam::trace::Fact;
use checkdam::verify::Outcome;

use super::{exact, judged, written};
use crate::story::Reading;

#[test]
fn u59_two_partitions_and_one_counter() {
    exact("two-partitions-one-counter");
    let reading = Reading::of("two-partitions-one-counter");
    let stored = ["topic[p0]", "topic[p1]", "counter"].map(|name| reading.stored(name, 1)[0]);
    assert_eq!((stored, reading.at_end("counter")), ([2, 1, 3], vec![10]));
}

/// Letters A to E; when the map stores its state, p0 is at 3 already, and 2 is
/// what is stored.
#[test]
fn u60_what_a_source_has_read_is_ahead_of_what_it_has_stored() {
    let reading = Reading::of("two-partitions-one-counter");
    let counter = reading.task("counter");
    let taken =
        reading.when(|fact| matches!(fact, Fact::SnapshotTaken { task, .. } if *task == counter));
    let p0 = reading.task("topic[p0]");
    let read = reading.facts().filter(|(at, fact)| {
        *at <= taken && matches!(fact, Fact::Read { task, .. } if *task == p0)
    });
    assert_eq!((read.count(), reading.stored("topic[p0]", 1)), (3, vec![2]));
    exact("letters");
}

#[test]
fn u61_five_six_and_nine() {
    exact("five-six-nine");
    let reading = Reading::of("five-six-nine");
    assert_eq!(reading.at_end("sum[even]"), [12]);
    assert_eq!(reading.at_end("sum[odd]"), [16]);
    let stays = ("\"service\": 10", "\"service\": 10, \"replayable\": false");
    let stays = Reading::changed("five-six-nine", &[stays]);
    judged(stays.scenario, Ending::Finished, [2, 0, 0, 0]);
}

/// Blue 1 to 6 and yellow 1 to 8, the article's numbers; checkpoint 2.
#[test]
fn u62_the_lectures_two_sources() {
    exact("lecture");
    let reading = Reading::of("lecture");
    let stored = ["numbers[blue]", "numbers[yellow]", "sum[even]", "sum[odd]"];
    let stored = stored.map(|name| reading.stored(name, 2)[0]);
    assert_eq!(stored, [3, 4, 8, 8]);
}

/// Two and three of b and one of c are six beads here.
#[test]
fn u65_beads() {
    exact("beads");
    let reading = Reading::of("beads");
    assert_eq!((reading.stored("string", 1), reading.stored("count", 1)), (vec![6], vec![5, 1]));
    assert_eq!(reading.at_end("count"), [4, 5, 3]);
}

#[test]
fn u66_digits_and_letters() {
    exact("digits-and-letters");
    assert_eq!(Reading::of("digits-and-letters").n_in_flight(1), 0);
    exact("digits-and-letters-unaligned");
    let reading = Reading::of("digits-and-letters-unaligned");
    let unaligned = reading.in_flight(1);
    assert!(!unaligned.is_empty() && unaligned.iter().all(|(.., what)| !what.contains("digits")));
}

/// The offset is stored at 100, the state when 120 have been counted.
#[test]
fn u68_offset_stored_early_and_state_stored_late() {
    let scenario = written(
        r#"{
            "job": {
                "a": { "source": { "from": 1, "to": 120 }, "service": "1 ms" },
                "b": { "source": { "from": 1, "to": 1 }, "service": "1 s" },
                "count": { "count": "parity" },
                "sink": { "sink": "publish" }
            },
            "edges": [
                ["a", "count", "hash", { "latency": 0 }],
                ["b", "count", "hash", { "latency": "20 ms" }],
                ["count", "sink"]
            ],
            "rpc": 0,
            "config": { "execution.checkpointing.mode": "AT_LEAST_ONCE" },
            "checkpoints": [{ "at": "100500 us" }],
            "faults": [{ "crash": "count", "at": "500 ms" }]
        }"#,
    );
    let case = judged(scenario.clone(), Ending::Finished, [0, 20, 0, 20]);
    assert_eq!(case.verdict.answer(), Outcome::Holds, "at least once");
    let reading = Reading::run(scenario);
    assert_eq!(reading.stored("a", 1), [100]);
    assert_eq!(reading.stored("count", 1).iter().sum::<i64>(), 120);
    // And the one record of b.
    assert_eq!(reading.at_end("count").iter().sum::<i64>(), 140 + 1);
}

/// Triggers, barriers, acknowledgements and notifications of six tasks.
#[test]
fn u70_message_by_message() {
    exact("message-by-message");
    let reading = Reading::of("message-by-message");
    let n = |what: fn(&Fact) -> bool| reading.count(what);
    assert_eq!(n(|fact| matches!(fact, Fact::TriggerReceived { .. })), 2);
    assert_eq!(n(|fact| matches!(fact, Fact::Acknowledged { .. })), 6);
    assert_eq!(n(|fact| matches!(fact, Fact::Notified { .. })), 6);
    let last = reading.times_ms(|fact| matches!(fact, Fact::Acknowledged { .. })).pop();
    let complete = reading.times_ms(|fact| matches!(fact, Fact::CheckpointCompleted { .. }));
    assert_eq!(complete.first().copied(), last);
}
