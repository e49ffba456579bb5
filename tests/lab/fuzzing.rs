//! `checkdam fuzz`: the same cases whoever runs them, and what fails is found,
//! made small and kept.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use checkdam::lab::{
    CaseOutcome, CaseResult, Failure, Fuzz, Shard, fails, fan_out, kinds, run, scenario, written,
};
use checkdam::model::{Mutation, Scenario};
use checkdam::verify::Property;
use serde_json::Value;

use crate::common::sizes;

fn fuzz(seed: u64, n_cases: u64, broken: &[Mutation]) -> Fuzz {
    Fuzz { seed, n_cases, protocol: None, broken: broken.to_vec() }
}

fn results(fuzz: &Fuzz, shard: Shard, n_threads: usize) -> Vec<CaseResult> {
    let mut all = Vec::new();
    let n_threads = NonZeroUsize::new(n_threads).expect("it is not 0");
    let taken = fan_out(shard.cases(fuzz.n_cases), n_threads, |case| fuzz.result(case), {
        |_, result| {
            all.push(result);
            Ok::<(), ()>(())
        }
    });
    assert_eq!(taken, Ok(()));
    all
}

#[test]
fn results_depend_neither_on_threads_nor_on_shards() {
    let fuzz = fuzz(3, 40, &[Mutation::RecordOvertakesBarrier]);
    let whole = results(&fuzz, Shard::WHOLE, 1);
    assert_eq!(whole, results(&fuzz, Shard::WHOLE, 3));
    let shards = Shard::new(0, 4).expect("it is one").all();
    let mut parts: Vec<CaseResult> = shards.flat_map(|own| results(&fuzz, own, 2)).collect();
    parts.sort_by_key(|own| own.case);
    assert_eq!(whole, parts);
    assert!(whole.iter().any(|own| own.outcome == CaseOutcome::Violated));
}

#[test]
fn the_batch_of_results_gives_the_same_cases_again() {
    let own = fuzz(9, 7, &[Mutation::OffsetTooLow]);
    let again = Fuzz::of(&own.batch()).expect("it is its own");
    assert_eq!(again, own);
    assert_eq!(again.document(5), own.document(5));
    let mut sweep = own.batch();
    sweep.what = "sweep".to_owned();
    assert!(Fuzz::of(&sweep).is_err());
}

/// Every random file is a valid scenario, and is written so that it is the
/// same one again.
#[test]
fn every_case_is_a_valid_file_in_every_style() {
    let schema = jsonschema::validator_for(&checkdam::load::scenario_schema()).expect("a schema");
    let mutations = std::iter::once(None).chain(Mutation::ALL.into_iter().map(Some));
    for broken in mutations {
        let fuzz = fuzz(1, sizes::samples(60), broken.as_slice());
        for case in 0..fuzz.n_cases {
            let document = fuzz.document(case);
            let text = written(&document);
            let again: Value = serde_json::from_str(&text).expect("it is JSON");
            assert_eq!(again, document, "case {case}");
            assert!(scenario("case", &document).is_some(), "case {case} is not valid:\n{text}");
            if let Err(error) = schema.validate(&document) {
                panic!("the schema refuses case {case}: {error}\n{text}");
            }
        }
    }
}

/// The cases reach what they are for.
#[test]
fn cases_have_faults_at_every_aim() {
    let fuzz = fuzz(1, 300, &[]);
    let texts: String = (0..fuzz.n_cases).map(|case| written(&fuzz.document(case))).collect();
    for sign in [
        "has taken snapshot",
        "has received barrier",
        "is acknowledged by",
        "is complete",
        "is notified of checkpoint",
        "attempt 2 starts",
        "\"lose\"",
        "\"savepoints\"",
        "\"storage\"",
        "AT_LEAST_ONCE",
        "jobmanager",
    ] {
        assert!(texts.contains(sign), "no case of 300 has {sign}");
    }
}

/// What is found is small, fails for the same reason, and only because of the
/// mistake.
#[test]
fn what_is_found_is_made_small() {
    let rows = [
        (Mutation::RecordOvertakesBarrier, 3),
        (Mutation::OffsetTooHigh, 2),
        (Mutation::CommitAtPreCommit, 2),
    ];
    for (mutation, operators_max) in rows {
        let fuzz = fuzz(1, 20, &[mutation]);
        let results = results(&fuzz, Shard::WHOLE, 2);
        let kinds = kinds(&results);
        let kind = kinds.first().unwrap_or_else(|| panic!("{mutation:?} is not found"));
        let found = fuzz.shrunk(kind.case, kind.failure);
        let text = written(&found.document);
        let scenario = Scenario::parse("found", &text).expect("it is valid");
        assert!(fails(&scenario, kind.failure), "{text}");
        assert!(scenario.graph.job.operators.len() <= operators_max, "{mutation:?}\n{text}");
        assert!(scenario.faults.len() <= 1, "{mutation:?}\n{text}");
        assert!(text.lines().count() <= 25, "{mutation:?}\n{text}");
        let before =
            run(checkdam::lab::scenario("case", &fuzz.document(kind.case)).expect("valid"));
        let after = found.run.expect("it runs");
        assert!(after.n_steps < before.n_steps, "{mutation:?}\n{text}");
        // Once more gives the same.
        assert_eq!(fuzz.shrunk(kind.case, kind.failure).document, found.document);
    }
}

/// What once was found stays found: files that break a rule on purpose are
/// still caught, and the others are right now.
#[test]
fn what_was_found_once_is_tried_again() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|own| own != "json") {
            continue;
        }
        n_files += 1;
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let scenario = Scenario::parse(&name, &read(&path)).expect("it is valid");
        let is_broken_on_purpose = !scenario.broken.is_empty();
        let broken = run(scenario).broken();
        let properties: BTreeSet<&str> = broken.iter().map(|own| own.property.as_str()).collect();
        match is_broken_on_purpose {
            true => assert!(!properties.is_empty(), "{name} is not caught any more"),
            false => assert!(properties.is_empty(), "{name} is back: {properties:?}"),
        }
    }
    assert!(n_files > 0, "regressions/ holds what was found");
}

#[expect(clippy::disallowed_methods, reason = "it reads the project's own files")]
fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn kinds_of_failures_are_told_apart_by_what_goes_wrong_first() {
    let fuzz = fuzz(1, 30, &[Mutation::LoseNotifications]);
    let all = kinds(&results(&fuzz, Shard::WHOLE, 2));
    assert!(all.iter().any(|own| own.failure == Failure::Broken(Property::Liveness)), "{all:?}");
    let failures: BTreeSet<Failure> = all.iter().map(|own| own.failure).collect();
    assert_eq!(failures.len(), all.len());
}
