//! Where nobody makes a mistake the judge says nothing: every protocol by its
//! own promise, and changes that only look like mistakes.

use checkdam::lab::random::Protocol;
use checkdam::lab::{CaseOutcome, CaseResult, Fuzz};
use checkdam::model::Mutation;

use crate::common::sizes;

/// Runs of each; at scale 200 they are 20,000.
const RUNS: u64 = 100;

/// The cases of a batch in which a promise is broken or this program fails.
fn loud(fuzz: &Fuzz) -> Vec<CaseResult> {
    let results = (0..fuzz.n_cases).map(|case| fuzz.result(case));
    let is_loud =
        |own: &CaseResult| matches!(own.outcome, CaseOutcome::Violated | CaseOutcome::Panicked);
    results.filter(is_loud).collect()
}

#[test]
fn every_protocol_keeps_its_own_promise() {
    for protocol in Protocol::ALL {
        let n_cases = sizes::samples(RUNS);
        let fuzz = Fuzz { seed: 11, n_cases, protocol: Some(protocol), broken: Vec::new() };
        assert_eq!(loud(&fuzz), [], "{}", protocol.name());
    }
}

#[test]
fn what_only_looks_like_a_mistake_breaks_nothing() {
    for mutation in Mutation::HARMLESS {
        let n_cases = sizes::samples(RUNS);
        let fuzz = Fuzz { seed: 12, n_cases, protocol: None, broken: vec![mutation] };
        assert_eq!(loud(&fuzz), [], "{}", mutation.name());
    }
}

/// A batch of one protocol has jobs of that protocol only.
#[test]
fn the_jobs_of_a_protocol_are_of_that_protocol() {
    let prefix = "execution.checkpointing.";
    for protocol in Protocol::ALL {
        let fuzz = Fuzz { seed: 13, n_cases: 50, protocol: Some(protocol), broken: Vec::new() };
        for case in 0..fuzz.n_cases {
            let document = fuzz.document(case);
            let config = &document["config"];
            let setting = |key: &str| &config[format!("{prefix}{key}")];
            let is_unaligned = setting("unaligned.enabled") == true;
            let times_out = setting("aligned-checkpoint-timeout").is_number();
            let is_at_least_once = setting("mode") == "AT_LEAST_ONCE";
            let concurrent = setting("max-concurrent-checkpoints").as_u64();
            let found = match (is_at_least_once, is_unaligned, times_out, concurrent) {
                (true, ..) => Protocol::AtLeastOnce,
                (_, true, true, _) => Protocol::Alternating,
                (_, true, false, _) => Protocol::Unaligned,
                (.., Some(1)) => Protocol::Aligned,
                _ => Protocol::SeveralInFlight,
            };
            assert_eq!(found, protocol, "case {case}: {config}");
        }
    }
}
