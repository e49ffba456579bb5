//! One case: a scenario file, run and judged.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::style::written;
use crate::cluster::Detail;
use crate::load;
use crate::model::Scenario;
use crate::sim::{Ending, Simulation};
use crate::trace::{Driver, TraceWriter};
use crate::verify::{Judge, Outcome, Promised, Property, Verdict};

/// The seed with which every case is run: what chance decides stands in its
/// scenario file, so that `checkdam run FILE` shows the same run.
pub const CASE_SEED: u64 = 1;

/// A case that has been run.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its scenario.
    pub scenario: Scenario,
    /// How it has ended.
    pub ending: Ending,
    /// In how many steps.
    pub n_steps: u64,
    /// Of its trace.
    pub digest: u128,
    /// What the judge says.
    pub verdict: Verdict,
}

/// A promise that a run has broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    /// The first step at which it is.
    pub step: u64,
    /// The name of the property.
    pub property: String,
}

/// The scenario of a file that is made here, or nothing if it is not valid.
#[must_use]
pub fn scenario(name: &str, document: &Value) -> Option<Scenario> {
    load::scenario(name, written(document).as_bytes()).ok().map(|loaded| loaded.scenario)
}

/// Runs a scenario as [`run`] does; none if an assertion of our own fails on
/// the way, which is a mistake of this program and no word about the job.
#[must_use]
pub fn try_run(scenario: &Scenario) -> Option<Case> {
    std::panic::catch_unwind(|| run(scenario.clone())).ok()
}

/// Runs a scenario to its end and judges it on the way.
#[must_use]
pub fn run(scenario: Scenario) -> Case {
    let mut simulation = Simulation::new(&scenario, CASE_SEED, Detail::All);
    let mut judge = Judge::new(&scenario, Some(CASE_SEED));
    let mut digest = Digest(Xxh3::new());
    let mut writer = TraceWriter::new(&mut digest, &scenario, &Driver::Seed(CASE_SEED))
        .expect("a digest takes everything");
    while let Some(step) = simulation.step() {
        judge.observe_facts(step.number, step.facts);
        writer.step(step.number, step.at, step.facts).expect("a step of a case is short");
    }
    writer.finish().expect("a digest takes everything");
    let n_steps = simulation.n_steps();
    let ending = simulation.ending().expect("a run without a next step has ended").clone();
    let verdict = judge.finish(crate::verify::Ending::Whole);
    Case { ending, n_steps, digest: digest.0.digest128(), verdict, scenario }
}

impl Case {
    /// The promises that were broken: mistakes before their consequences, and
    /// of each the first one first.
    #[must_use]
    pub fn broken(&self) -> Vec<Broken> {
        let properties = self.verdict.properties().into_iter();
        let broken = properties
            .filter(|own| own.outcome == Outcome::Violated && own.promised == Promised::Yes);
        let mut broken: Vec<Broken> = broken
            .map(|own| Broken {
                step: own.first_step.unwrap_or(self.n_steps),
                property: own.property.name().to_owned(),
            })
            .collect();
        // In a step, the order in which properties are told.
        broken.sort_by_key(|own| (is_consequence(&own.property), own.step));
        broken
    }

    /// Whether a promise was broken.
    #[must_use]
    pub fn breaks(&self, property: Property) -> bool {
        let own = self.verdict.property(property);
        own.outcome == Outcome::Violated && own.promised == Promised::Yes
    }
}

/// Whether a property is about what became of the job in the end, whoever made
/// the mistake.
fn is_consequence(property: &str) -> bool {
    let ends =
        [Property::FailureTransparency, Property::ExactlyOnceState, Property::ExactlyOnceOutput];
    ends.iter().any(|own| own.name() == property)
}

/// Takes bytes for their digest only.
struct Digest(Xxh3);

impl io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
