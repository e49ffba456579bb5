//! Aligned against unaligned checkpoints under backpressure: how long they
//! take, and what they store.

use super::reading::Reading;

/// How the barriers of the same job behave.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Aligned,
    Timeout,
    Unaligned,
}

use Mode::{Aligned, Timeout, Unaligned};

impl Mode {
    fn scenario(self) -> &'static str {
        match self {
            Aligned => "backpressure",
            Timeout => "backpressure-timeout",
            Unaligned => "backpressure-unaligned",
        }
    }
}

/// Both ways and the wires between: 1 ms to the source, 2 ms to the sum, 2 ms
/// to the sink, 1 ms back.
const LATENCIES_MS: u64 = 1 + 2 + 2 + 1;
const SERVICE_MS: u64 = 8;

/// The same job with so much room at each end of a channel, and so many
/// records that it is still full at 200 ms.
fn with_room(mode: Mode, capacity: u64) -> Reading {
    let capacity = format!("\"capacity\": {capacity}");
    let changes = [
        ("\"to\": 14", "\"to\": 100"),
        ("\"at\": \"30 ms\"", "\"at\": \"200 ms\""),
        ("\"capacity\": 3", &*capacity),
    ];
    Reading::changed(mode.scenario(), &changes)
}

/// The same job with a sum that needs no time.
fn healthy(mode: Mode) -> Reading {
    let changes = [("\"service\": 8", "\"service\": 0"), ("\"to\": 14", "\"to\": 60")];
    Reading::changed(mode.scenario(), &changes)
}

/// Checkpoint 2: how long it takes in milliseconds, and how many records in
/// flight it stores.
fn cost(reading: &Reading) -> (u64, usize) {
    (reading.duration_ms(2), reading.n_in_flight(2))
}

#[test]
fn the_three_twins_take_58_26_and_8_ms_and_store_0_4_and_6_records() {
    // Triggered at 30 ms. Aligned and with the timeout the sum finishes its
    // k-th record at 5 + 8 k ms (it lost 2 ms after checkpoint 1), unaligned
    // at 3 + 8 k ms.
    let costs = [Aligned, Timeout, Unaligned].map(|mode| cost(&Reading::of(mode.scenario())));
    // Behind 10 records; then to the sink, and back.
    let aligned = (5 + 8 * 10 + 2 + 1 - 30, 0);
    // Unaligned at 50 ms, at the sum at 52 ms, behind record 6; 7 to 9 wait at
    // the receiver and 10 at the sender.
    let timeout = (5 + 8 * 6 + 2 + 1 - 30, 4);
    // At the sum at 33 ms, behind record 4; 5 to 7 and 8 to 10 wait.
    let unaligned = (3 + 8 * 4 + 2 + 1 - 30, 6);
    assert_eq!(costs, [aligned, timeout, unaligned]);
    assert_eq!(costs, [(58, 0), (26, 4), (8, 6)]);
}

#[test]
fn the_twins_are_the_same_job() {
    let job = |mode: Mode| {
        let scenario = Reading::of(mode.scenario()).scenario;
        (scenario.graph, scenario.triggers)
    };
    assert_eq!(job(Aligned), job(Timeout));
    assert_eq!(job(Aligned), job(Unaligned));
}

#[test]
fn aligned_takes_as_long_as_the_queue_and_unaligned_one_record_at_most() {
    for capacity in [3, 6, 12] {
        let (aligned_ms, n_aligned) = cost(&with_room(Aligned, capacity));
        let queued_ms = 2 * capacity * SERVICE_MS;
        let longest_ms = queued_ms + SERVICE_MS + LATENCIES_MS;
        assert!((queued_ms..=longest_ms).contains(&aligned_ms), "{capacity}: {aligned_ms} ms");
        assert_eq!(n_aligned, 0);

        let (unaligned_ms, n_unaligned) = cost(&with_room(Unaligned, capacity));
        assert!(unaligned_ms <= LATENCIES_MS + SERVICE_MS, "{capacity}: {unaligned_ms} ms");
        assert_eq!(n_unaligned as u64, 2 * capacity, "both ends are full");
    }
}

#[test]
fn a_healthy_job_takes_the_latencies_and_stores_nothing_in_any_mode() {
    for mode in [Aligned, Timeout, Unaligned] {
        assert_eq!(cost(&healthy(mode)), (LATENCIES_MS, 0), "{mode:?}");
    }
}

#[test]
fn the_table_in_both_books_is_what_the_runs_cost() {
    let rows = |names: [&str; 3], unit: &str| {
        let rows = [Aligned, Timeout, Unaligned].into_iter().zip(names).map(|(mode, name)| {
            let (full, n_full) = cost(&Reading::of(mode.scenario()));
            let (quick, n_quick) = cost(&healthy(mode));
            format!("| {name} | {full} {unit} | {n_full} | {quick} {unit} | {n_quick} |")
        });
        rows.collect::<Vec<_>>().join("\n")
    };
    let en = include_str!("../../book/en/src/barriers.md");
    let zh = include_str!("../../book/zh/src/barriers.md");
    for (chapter, names, unit) in [
        (en, ["aligned", "timeout of 20 ms", "unaligned"], "ms"),
        (zh, ["对齐", "超时 20 毫秒", "非对齐"], "毫秒"),
    ] {
        let rows = rows(names, unit);
        assert!(chapter.contains(&rows), "the chapter on barriers needs\n{rows}");
    }
}
