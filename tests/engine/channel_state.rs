//! What checkpoints hold in flight, in every mode.

use checkdam::sim::simulate;

use super::cuts;
use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

/// Chandy and Lamport's channel equation, in random topologies, modes and
/// delays, with up to three checkpoints at once where Flink allows it.
#[test]
fn what_was_sent_before_a_cut_was_received_before_it_or_is_stored_in_flight() {
    let (mut n_channels, mut n_in_flight) = (0, [0; 2]);
    for number in 0..sizes::samples(1_000) {
        let mode = Mode::of(number);
        let scenario = random_jobs::scenario(number);
        let (trace, _) = simulate(&scenario, number);
        for cut in cuts::completed(&scenario.graph, &trace) {
            for (channel, there) in scenario.graph.channels.iter().zip(&cut.channels) {
                let place = || {
                    let checkpoint = cut.checkpoint;
                    format!("random job {number} ({mode:?}), {checkpoint:?}, {}", channel.name)
                };
                n_channels += 1;
                if mode == Mode::AtLeastOnce {
                    // Nothing that was sent is missing; more may be there.
                    assert!(there.received.starts_with(&there.sent), "{}", place());
                } else {
                    assert_eq!(there.sent, there.received_and_in_flight(), "{}", place());
                }
                if matches!(mode, Mode::Aligned | Mode::AtLeastOnce) {
                    assert_eq!((there.input.len(), there.output.len()), (0, 0), "{}", place());
                }
                n_in_flight[0] += there.input.len();
                n_in_flight[1] += there.output.len();
            }
        }
    }
    // The random jobs reach what they are for.
    assert!(n_channels > 20_000, "{n_channels} channel cuts");
    assert!(n_in_flight.iter().all(|n| *n > 1_000), "{n_in_flight:?} records in flight");
}
