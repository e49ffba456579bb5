//! The judge's teeth: every classic mistake is caught, by the property that it
//! breaks, within a few random runs.

use std::fmt::Write as _;

use checkdam::lab::CAUGHT_BY;
use checkdam::lab::random::{Needs, job_that_needs};
use checkdam::model::{Mutation, Scenario};
use checkdam::sim::simulate;
use checkdam::verify::{Outcome, Verdict, Wrong, verify};
use serde_json::json;

use crate::common::random_jobs;
use crate::common::snapshot;

/// Runs in which a mistake must show.
const RUNS_MAX: u64 = 2_000;

/// Every property that a mistake is to break is broken within the runs.
#[test]
fn every_mistake_is_caught_by_the_property_that_it_breaks() {
    assert_eq!(CAUGHT_BY.iter().map(|row| row.0).collect::<Vec<_>>(), Mutation::ALL);
    let mut table =
        "mistake, property, and the first of 2000 random runs that shows it\n".to_owned();
    let mut uncaught = Vec::new();
    for (mutation, properties) in CAUGHT_BY {
        let mut first = vec![None; properties.len()];
        for number in 0..RUNS_MAX {
            let mut document = job_that_needs(number, Needs::of(*mutation));
            document["break"] = json!([mutation.name()]);
            let scenario = random_jobs::loaded(number, &document);
            let (trace, _) = simulate(&scenario, number);
            let verdict = verify(&scenario, &trace);
            let mut right = None;
            for (property, first) in properties.iter().zip(&mut first) {
                let is_broken =
                    |verdict: &Verdict| verdict.property(*property).outcome == Outcome::Violated;
                if first.is_some() || !is_broken(&verdict) {
                    continue;
                }
                // The same run without the mistake must have it.
                let right = right.get_or_insert_with(|| {
                    let scenario = Scenario { broken: Vec::new(), ..scenario.clone() };
                    verify(&scenario, &simulate(&scenario, number).0)
                });
                if !is_broken(right) {
                    *first = Some(number);
                }
            }
            if first.iter().all(Option::is_some) {
                break;
            }
        }
        for (property, first) in properties.iter().zip(first) {
            let (mistake, property) = (mutation.name(), property.name());
            match first {
                Some(first) => {
                    writeln!(table, "{mistake:28} {property:20} {first:4}").expect("a string");
                }
                None => uncaught.push(format!("{mistake}: {property}")),
            }
        }
    }
    assert!(uncaught.is_empty(), "not caught:\n{}\n{table}", uncaught.join("\n"));
    snapshot("verify", "mutations", &table);
}

/// The same jobs without the mistake. Where nobody asks for checkpoints any
/// more, a job at its end waits for ever when its last one fails.
#[test]
fn the_jobs_that_show_mistakes_are_right_without_them() {
    for needs in Needs::ALL {
        for number in 0..crate::common::sizes::samples(100) {
            let scenario = random_jobs::loaded(number, &job_that_needs(number, needs));
            let (trace, _) = simulate(&scenario, number);
            let verdict = verify(&scenario, &trace);
            if verdict.promise != Outcome::Violated {
                let mut breaches = verdict.conduct.breaches.clone();
                if needs == Needs::FewCheckpoints {
                    breaches.retain(|own| !matches!(own.wrong, Wrong::JobNeverEnds { .. }));
                }
                assert_eq!(breaches, [], "random job {number}\n{verdict}");
            }
        }
    }
}
