//! Shrinking, with a wish instead of a failure: it ends, at something that
//! cannot be simpler.

use checkdam::lab::random::{self, Mode};
use checkdam::lab::shrink::{shrink, simpler};
use checkdam::lab::{Fuzz, scenario, written};
use checkdam::model::{FaultKind, OperatorKind, SinkKind};
use serde_json::Value;

use crate::common::sizes;

fn small(document: &Value, wish: impl Fn(&checkdam::model::Scenario) -> bool) -> Value {
    shrink(document, 20_000, |own| scenario("small", own).is_some_and(|own| wish(&own)))
}

#[test]
fn a_job_of_which_nothing_is_wanted_becomes_a_source_and_a_sink() {
    for number in 0..sizes::samples(12) {
        let small = small(&random::case(number, &[]), |_| true);
        let text = written(&small);
        let scenario = scenario("small", &small).expect("it is valid");
        assert!(scenario.graph.job.operators.len() <= 2, "{text}");
        assert_eq!(scenario.graph.subtasks.len(), scenario.graph.job.operators.len(), "{text}");
        assert_eq!((scenario.faults.len(), scenario.savepoints.len()), (0, 0), "{text}");
        assert!(text.lines().count() <= 7, "{text}");
    }
}

#[test]
fn what_is_wanted_stays() {
    for number in 0..sizes::samples(12) {
        let document = random::with_aimed_faults(number, &random::job(number, Mode::of(number)));
        let crashes_a_sink = |scenario: &checkdam::model::Scenario| {
            scenario.faults.iter().any(|fault| match fault.kind {
                FaultKind::CrashSubtask(task) => {
                    matches!(scenario.graph.operator(task).kind, OperatorKind::Sink(_))
                }
                _ => false,
            })
        };
        if !scenario("large", &document).is_some_and(|own| crashes_a_sink(&own)) {
            continue;
        }
        let small = small(&document, crashes_a_sink);
        let scenario = scenario("small", &small).expect("it is valid");
        assert!(crashes_a_sink(&scenario), "{}", written(&small));
        assert_eq!(scenario.faults.len(), 1, "{}", written(&small));
        assert_eq!(scenario.graph.subtasks.len(), 2, "{}", written(&small));
    }
}

/// What is tried is never the same file, and much of it is valid.
#[test]
fn candidates_are_other_files_and_mostly_valid() {
    let (mut n, mut n_valid) = (0, 0);
    for number in 0..20 {
        let document = random::case(number, &[]);
        for candidate in simpler(&document) {
            assert_ne!(candidate, document);
            n += 1;
            n_valid += u32::from(scenario("candidate", &candidate).is_some());
        }
    }
    assert!(n_valid * 10 > n * 7, "{n_valid} of {n} candidates are valid");
}

/// Whatever is left out of a job, this program does not fail.
#[test]
fn no_candidate_makes_this_program_itself_fail() {
    let runs = |own: &Value| {
        let Some(scenario) = scenario("candidate", own) else { return };
        assert!(checkdam::lab::try_run(&scenario).is_some(), "{}", written(own));
    };
    // A job that stops with a savepoint, and crashes on the way.
    let fuzz = Fuzz { seed: 1, n_cases: 170, protocol: None, broken: Vec::new() };
    simpler(&fuzz.document(169)).iter().for_each(runs);
    for number in 0..sizes::samples(40) {
        // Savepoints are in every tenth case only.
        let mut smaller = random::with_savepoints(number, &random::case(number, &[]));
        for turn in 0..40 {
            let candidates = simpler(&smaller);
            let place = (number * 31 + turn * 17) as usize % candidates.len().max(1);
            let Some(own) = candidates.into_iter().nth(place) else { break };
            runs(&own);
            if scenario("candidate", &own).is_some() {
                smaller = own;
            }
        }
    }
}

#[test]
fn a_transactional_sink_stays_if_it_matters() {
    let is_transactional = |scenario: &checkdam::model::Scenario| {
        let mut operators = scenario.graph.job.operators.iter();
        operators.any(|own| own.kind == OperatorKind::Sink(SinkKind::Transactional))
    };
    let numbers = (0..).filter(|number| {
        scenario("large", &random::case(*number, &[])).is_some_and(|own| is_transactional(&own))
    });
    for number in numbers.take(5) {
        let small = small(&random::case(number, &[]), is_transactional);
        assert!(written(&small).contains("\"transactional\""));
    }
}
