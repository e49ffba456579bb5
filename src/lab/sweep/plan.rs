//! The runs of a sweep: every combination of values, each with every seed.

use std::sync::OnceLock;

use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use super::numbers::{Baseline, Measured, Numbers, draws_nothing, measure};
use super::vary::{Value, Vary};
use crate::lab::Batch;
use crate::load::{self, ValuePlace};
use crate::model::Scenario;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario as it is.
    pub scenario: Scenario,
    /// What is varied; at least one key.
    pub varies: Vec<Vary>,
    /// The first seed.
    pub seed: u64,
    /// How many seeds, one after the other; at least one.
    pub n_seeds: u64,
    /// What is measured; at least one.
    pub measured: Vec<Measured>,
    /// By point: what the job takes if nothing fails, where that is the same
    /// with every seed.
    baselines: Vec<OnceLock<Baseline>>,
}

/// The most runs of a sweep.
pub const RUNS_MAX: u64 = 1_000_000;

/// Why a combination of values is no scenario.
#[derive(Clone, Debug)]
pub enum PlanError {
    /// A key has no place there.
    NoPlace {
        /// Which key.
        key: String,
        /// Why.
        what: String,
    },
    /// What comes out is wrong.
    Scenario {
        /// The values that make it so.
        values: String,
        /// What is wrong, with its place.
        problems: Box<load::Diagnostics>,
    },
}

impl Plan {
    /// A plan for a scenario: what is varied in it, what is measured, and with
    /// which seeds.
    #[must_use]
    pub fn new(
        scenario: Scenario,
        varies: Vec<Vary>,
        measured: Vec<Measured>,
        (seed, n_seeds): (u64, u64),
    ) -> Self {
        let mut plan = Self { scenario, varies, seed, n_seeds, measured, baselines: Vec::new() };
        let n = plan.n_points().min(RUNS_MAX);
        plan.baselines = (0..n).map(|_| OnceLock::new()).collect();
        plan
    }

    /// How many combinations of values there are.
    #[must_use]
    pub fn n_points(&self) -> u64 {
        self.varies.iter().map(|vary| vary.values.len() as u64).product()
    }

    /// The sweep as a batch of cases: case i is point i / seeds with seed i
    /// modulo seeds, so that every point meets the same seeds.
    #[must_use]
    pub fn batch(&self) -> Batch {
        let varies = self.varies.iter().map(|vary| {
            let values: Vec<&str> = vary.values.iter().map(|value| value.text.as_str()).collect();
            json!([vary.key, values])
        });
        let varies: Vec<serde_json::Value> = varies.collect();
        let settings = json!({
            "scenario": format!("{:016x}", xxh3_64(self.scenario.document.as_bytes())),
            "vary": varies,
            "seeds": self.n_seeds,
            "measure": self.measured,
        });
        let cases = self.n_points() * self.n_seeds;
        Batch { what: "sweep".to_owned(), seed: self.seed, cases, settings }
    }

    /// The values of a point, one for each key; the last key changes fastest.
    #[must_use]
    pub fn values(&self, point: u64) -> Vec<&Value> {
        let mut rest = point;
        let mut values = Vec::new();
        for vary in self.varies.iter().rev() {
            let n = vary.values.len() as u64;
            values.push(&vary.values[(rest % n) as usize]);
            rest /= n;
        }
        values.reverse();
        values
    }

    /// The scenario of a point.
    ///
    /// # Errors
    /// When a key has no place, or what comes out is no valid scenario.
    pub fn scenario(&self, point: u64) -> Result<Scenario, PlanError> {
        let mut document = self.scenario.document.clone();
        let values = self.values(point);
        for (vary, value) in self.varies.iter().zip(&values) {
            let place = ValuePlace::of(&document, &vary.key);
            document = load::with_value(&document, &place, &value.json)
                .map_err(|what| PlanError::NoPlace { key: vary.key.clone(), what })?;
        }
        match load::scenario(&self.scenario.name, document.as_bytes()) {
            Ok(loaded) => Ok(loaded.scenario),
            Err(problems) => {
                let values = self.varies.iter().zip(&values);
                let values: Vec<String> =
                    values.map(|(vary, value)| format!("{}={}", vary.key, value.text)).collect();
                let problems = Box::new(problems);
                Err(PlanError::Scenario { values: values.join(", "), problems })
            }
        }
    }

    /// Runs a case.
    ///
    /// # Panics
    /// When its point is no scenario.
    #[must_use]
    pub fn run(&self, case: u64) -> Numbers {
        let point = case / self.n_seeds;
        let scenario = self.scenario(point).expect("every point was tried before");
        let seed = self.seed.wrapping_add(case % self.n_seeds);
        measure((&scenario, seed), &self.measured, || match draws_nothing(&scenario) {
            true => *self.baselines[point as usize].get_or_init(|| Baseline::of(&scenario, seed)),
            false => Baseline::of(&scenario, seed),
        })
    }
}

/// The line of a case in a file of results.
#[must_use]
pub fn line(case: u64, numbers: &Numbers) -> String {
    // The key of the case comes first.
    let rest = serde_json::to_string(numbers).expect("numbers are JSON");
    format!("{{\"case\":{case},{}", &rest[1..])
}

/// The numbers in the line of a case.
///
/// # Errors
/// When the line is none of a sweep.
pub fn numbers_of(line: &str) -> Result<Numbers, serde_json::Error> {
    let mut value: serde_json::Value = serde_json::from_str(line)?;
    if let Some(object) = value.as_object_mut() {
        object.remove("case");
    }
    serde_json::from_value(value)
}
