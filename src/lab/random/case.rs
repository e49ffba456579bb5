//! What the fuzzer tries: a random job with some of everything that can go
//! wrong, and no setting that gives a promise up by itself.

use serde_json::{Value, json};

use super::aim::with_aimed_faults;
use super::choices::Choices;
use super::files::with_files;
use super::job::job;
use super::mishaps::with_mishaps;
use super::mode::{Mode, Protocol};
use super::needs::{Needs, job_that_needs};
use super::savepoints::with_savepoints;
use crate::model::{Mutation, Place, mix};

/// The most steps of a case. A run that is stuck need not be long for that.
const STEPS_MAX: u64 = 20_000;

/// The scenario file of a case, by its seed, with rules that are broken on
/// purpose.
#[must_use]
pub fn case(seed: u64, broken: &[Mutation]) -> Value {
    case_of(None, seed, broken)
}

/// The same of one protocol, if that is given.
#[must_use]
pub fn case_of(protocol: Option<Protocol>, seed: u64, broken: &[Mutation]) -> Value {
    // What is harmless must be so in any job that has a place for it.
    let is_aligned = broken.iter().any(|mutation| mutation.place() == Place::Alignment);
    let is_harmless = broken.iter().all(|mutation| mutation.is_harmless());
    let protocol = protocol.or((is_aligned && is_harmless).then_some(Protocol::Aligned));
    let mut choices = Choices::new(seed);
    let c = &mut choices;
    let needs =
        broken.iter().map(|mutation| Needs::of(*mutation)).find(|own| *own != Needs::Aligned);
    let mut document = match (needs, broken) {
        _ if is_harmless || protocol.is_some() => with_more(c, seed, protocol),
        (needs, _) => job_that_needs(seed, needs.unwrap_or(Needs::Aligned)),
    };
    if c.chance(60) {
        document = with_aimed_faults(mix(seed ^ 1), &document);
    }
    if needs != Some(Needs::OldIds) {
        keep_promises(&mut document);
    }
    document["steps"] = json!(STEPS_MAX);
    if !broken.is_empty() {
        document["break"] = broken.iter().map(|mutation| mutation.name()).collect();
    }
    document
}

fn with_more(c: &mut Choices, seed: u64, protocol: Option<Protocol>) -> Value {
    let drawn = *c.one(&Mode::ALL);
    let mut document = job(seed, protocol.map_or(drawn, Protocol::mode));
    if let Some(n) = protocol.and_then(|protocol| protocol.concurrent(seed)) {
        document["config"]["execution.checkpointing.max-concurrent-checkpoints"] = json!(n);
    }
    if c.chance(35) {
        document = with_files(mix(seed ^ 2), &document);
    }
    if c.chance(25) {
        document = with_mishaps(mix(seed ^ 3), &document);
    }
    if c.chance(10) {
        document = with_savepoints(mix(seed ^ 4), &document);
    }
    document
}

/// Takes away what lets a job lose or repeat something although nobody makes a
/// mistake: no last checkpoint, a JobManager that forgets, too few tolerated
/// failures.
fn keep_promises(document: &mut Value) {
    let config = document["config"].as_object_mut().expect("it has settings");
    config.remove("execution.checkpointing.checkpoints-after-tasks-finish");
    if let Some(service) = config.get_mut("high-availability.type") {
        *service = json!("zookeeper");
    }
}
