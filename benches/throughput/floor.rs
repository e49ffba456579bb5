//! Workload W1 on a bare `BinaryHeap`: the yardstick.
//!
//! Sources tick, operators sum by key, sinks fold everything into one number.
//! There is no engine, no barrier, no bound on a channel; three events a
//! record. No two events share a time, so every engine that is right prints
//! the same number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use checkdam::model::mix;

/// Size and shape of the workload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct W1 {
    /// Sources, operators and sinks: so many of each.
    pub(crate) parallelism: u64,
    /// Records in all.
    pub(crate) records: u64,
    /// Latency scale in ticks, a power of two.
    pub(crate) latency: u64,
    /// For the records' keys, values and latencies.
    pub(crate) seed: u64,
}

/// Time between two records of a source, in ticks.
const PERIOD: u64 = 1 << 20;
const KEYS: u64 = 1024;

type Event = Reverse<(u64, u32, u64, i64)>;

/// Runs the workload and gives the time of the last event and the number into
/// which the sinks fold every result, its value, and its time.
pub(crate) fn run(w1: W1) -> (u64, u64) {
    let W1 { parallelism: p, records, latency, seed } = w1;
    let streams = (2 * p + p * p).next_power_of_two();
    let mut heap: BinaryHeap<Event> = BinaryHeap::new();
    let tick = |source: u64, i: u64| ((i * PERIOD + source * PERIOD / p) & !(streams - 1)) + source;
    for source in 0..p {
        heap.push(Reverse((tick(source, 0), source as u32, 0, 0)));
    }
    let mut sums = vec![0i64; KEYS as usize];
    let mut last = vec![0u64; (2 * p + p * p) as usize];
    // Arrivals on stream d are congruent to d, so that no two are equal.
    let arrive = |last: &mut Vec<u64>, d: u64, at: u64| {
        let at = at.max(last[d as usize] + 1);
        let at = ((at - d + streams - 1) & !(streams - 1)) + d;
        last[d as usize] = at;
        at
    };
    let (mut end, mut ord) = (0, 0u64);
    while let Some(Reverse((now, stream, a, b))) = heap.pop() {
        end = now;
        let stream = u64::from(stream);
        if stream < p {
            let (source, i) = (stream, a);
            let h = mix(seed ^ (source << 56) ^ i);
            let operator = (h & (KEYS - 1)) % p;
            let d = p + source * p + operator;
            let at = arrive(&mut last, d, now + latency + (h.rotate_right(20) & (latency - 1)));
            heap.push(Reverse((at, d as u32, h, 0)));
            if i + 1 < records / p {
                heap.push(Reverse((tick(source, i + 1), source as u32, i + 1, 0)));
            }
        } else if stream < p + p * p {
            let h = a;
            let operator = (stream - p) % p;
            let (key, value) = ((h & (KEYS - 1)) as usize, (h >> 10 & 255) as i64 + 1);
            sums[key] += value;
            let d = p + p * p + operator;
            let at = arrive(&mut last, d, now + latency + (h.rotate_right(41) & (latency - 1)));
            heap.push(Reverse((at, d as u32, h, sums[key])));
        } else {
            ord = (ord.rotate_left(5) ^ b as u64 ^ now).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
    (end, ord)
}

/// Published end times and checksums: records, latency, end time, `ord`.
pub(crate) const PUBLISHED: [(u64, u64, u64, u64); 4] = [
    (100_000, 1 << 20, 52_431_148_975, 0x473c_ad1c_37fb_42e1),
    (1_000_000, 1 << 20, 524_289_919_422, 0xaf4d_3239_76f3_7e71),
    (100_000, 1 << 30, 56_651_300_670, 0x776c_2f6f_3a36_fa27),
    (1_000_000, 1 << 30, 528_519_106_535, 0xdd03_ec9c_d0b7_9699),
];
