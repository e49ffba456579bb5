//! Jobs that share a cluster: who gets slots when, and what a pause costs.

use std::convert::Infallible;

use checkdam::chain::{self, SLOT_REQUEST_TIMEOUT, Stay, Submission, session};
use checkdam::model::{CheckpointId, Scenario, Time};
use proptest::prelude::*;

use crate::common::sizes;
use crate::story;

const MS: u64 = 1000;

fn submitted(name: &str, at_ms: u64) -> Submission {
    let mut find = |name: &str| Ok::<_, Infallible>(story::scenario(name));
    let scenario = chain::started(story::scenario(name), 1, &mut find).expect("it can start");
    Submission { scenario, at: Time(at_ms * MS) }
}

/// A less important job is put aside, an urgent one runs, the first goes on.
fn pause_and_resume(n_slots: u32) -> [Stay; 3] {
    let jobs =
        [submitted("stop-with-savepoint", 0), submitted("urgent", 40), submitted("resumed", 50)];
    session(n_slots, &jobs, 1).try_into().expect("three jobs, three stays")
}

#[test]
fn the_urgent_job_begins_when_the_paused_one_has_freed_its_slot() {
    let [paused, urgent, resumed] = pause_and_resume(1);
    assert_eq!(paused.run.stopped_with, Some(CheckpointId(2)));
    assert_eq!((paused.began, urgent.began), (Some(Time(0)), paused.ended));
    // It was submitted while the first one still ran.
    assert!(urgent.submitted < paused.ended);
    assert_eq!(resumed.began, urgent.ended);
}

/// Five records are left, of nine; the source takes 10 ms for each.
#[test]
fn the_pause_costs_less_than_reading_everything_again() {
    let [_, _, resumed] = pause_and_resume(1);
    let afresh = resumed.afresh.expect("it starts from a savepoint");
    assert_eq!((resumed.run.n_read, afresh.n_read), (5, 9));
    let took = |took: Option<checkdam::model::Micros>| took.expect("it ends").0;
    assert_eq!(took(afresh.took) - took(resumed.run.took), 4 * 10 * MS);
}

#[test]
fn where_slots_are_free_nobody_waits_but_for_a_savepoint() {
    let [paused, urgent, resumed] = pause_and_resume(2);
    assert_eq!((urgent.submitted, urgent.began), (Some(Time(40 * MS)), Some(Time(40 * MS))));
    // Savepoint 2 is complete before the job that stops with it is over.
    let start = submitted("resumed", 0).scenario.start.expect("it has a savepoint");
    let complete = start.savepoint.completed_at;
    assert!(complete > Time(50 * MS) && Some(complete) < paused.ended);
    assert_eq!(resumed.submitted, Some(complete));
    // Then two jobs hold both slots; the first to be over is the paused one.
    assert_eq!(resumed.began, paused.ended);
}

/// Flink: `slot.request.timeout` is five minutes.
#[test]
fn a_job_that_gets_no_slot_in_time_never_runs() {
    // 31,000 records, 10 ms each: 310 s.
    let text = r#"{
        "job": {
            "numbers": { "source": { "from": 1, "to": 31000 }, "service": "10 ms" },
            "sink": { "sink": "publish" }
        },
        "edges": [["numbers", "sink"]],
        "steps": 1000000
    }"#;
    let long = Scenario::parse("long", text).expect("it is valid");
    let long = Submission { scenario: long, at: Time(0) };
    let jobs = [long, submitted("stop-with-savepoint", 0), submitted("resumed", 0)];
    let [long, stopped, resumed]: [Stay; 3] = session(1, &jobs, 1).try_into().expect("three");
    assert!(long.ended.expect("it ends").0 > SLOT_REQUEST_TIMEOUT.0);
    assert_eq!((stopped.submitted, stopped.began, stopped.ended), (Some(Time(0)), None, None));
    // Without its savepoint the next one cannot even be submitted.
    assert_eq!((resumed.submitted, resumed.began, resumed.ended), (None, None, None));
}

fn samples() -> ProptestConfig {
    let cases = sizes::samples(64) as u32;
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(samples())]

    /// At no time more slots are taken than there are, jobs begin in the order
    /// in which they were submitted, and nobody waits while enough are free.
    #[test]
    fn slots_are_never_shared_out_twice(
        n_slots in 2..6_u32,
        times in prop::collection::vec((0..400_u64, 0..3_usize), 1..8),
    ) {
        let names = ["urgent", "lecture", "one-stream"];
        let jobs: Vec<_> =
            times.iter().map(|(at, which)| submitted(names[*which], *at)).collect();
        let stays = session(n_slots, &jobs, 1);
        prop_assert_eq!(stays.len(), jobs.len());
        let taken = |at: Time| -> u32 {
            let holds = |stay: &&Stay| stay.began <= Some(at) && Some(at) < stay.ended;
            stays.iter().filter(holds).map(|stay| stay.n_slots).sum()
        };
        for (stay, (at, _)) in stays.iter().zip(&times) {
            let began = stay.began.expect("nobody waits for five minutes");
            prop_assert_eq!(stay.submitted, Some(Time(at * MS)));
            prop_assert!(taken(began) <= n_slots);
            if Some(began) > stay.submitted {
                let just_before = Time(began.0 - 1);
                let waits_behind = stays.iter().any(|other| {
                    other.submitted <= stay.submitted && other.began == Some(began)
                        && !std::ptr::eq(other, stay)
                });
                prop_assert!(waits_behind || taken(just_before) + stay.n_slots > n_slots);
            }
        }
        let mut in_order: Vec<_> =
            stays.iter().map(|stay| (stay.submitted, stay.began)).collect();
        in_order.sort();
        prop_assert!(in_order.is_sorted_by_key(|(_, began)| *began));
    }
}
