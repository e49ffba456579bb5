//! The shipped scenarios tell their stories: expectations from the lecture
//! and from arithmetic.

mod backpressure;
mod barriers;
mod coordinator;
mod crashes;
mod endings;
mod every_scenario;
mod failures;
mod goldens;
mod lecture;
mod reading;
mod recovery_plan;
mod regions;
mod restarts;
mod savepoints;
mod storage;
mod symptoms;

pub(crate) use reading::Reading;

use std::convert::Infallible;

use checkdam::chain;
use checkdam::load;
use checkdam::model::Scenario;
use checkdam::sim::{Ending, simulate};
use checkdam::trace::Trace;

/// A built-in scenario.
pub(crate) fn scenario(name: &str) -> Scenario {
    let built_in = load::builtin().iter().find(|scenario| scenario.name == name);
    let text = built_in.unwrap_or_else(|| panic!("{name} is shipped")).text;
    let Ok(loaded) = load::scenario(name, text.as_bytes()) else { panic!("{name} is valid") };
    // What it starts from is run first.
    let mut find = |name: &str| Ok::<_, Infallible>(scenario(name));
    chain::started(loaded.scenario, 1, &mut find).unwrap_or_else(|why| panic!("{name}: {why:?}"))
}

/// Stories of jobs that fail for good.
const FAILING: [&str; 10] = [
    "backup",
    "directory-on-one-machine",
    "expired-until-failed",
    "memory-storage-too-small",
    "nothing-is-ever-committed",
    "restart-exponential-delay",
    "restart-failure-rate",
    "restart-fixed-delay",
    "restart-none",
    "retained-checkpoint-deleted",
];

/// How the run of a built-in scenario ends.
pub(crate) fn ending_of(name: &str) -> Ending {
    match name {
        "cancelled-job" => Ending::Canceled,
        _ if FAILING.contains(&name) => Ending::Failed,
        _ => Ending::Finished,
    }
}

/// A run of a built-in scenario, to its end.
pub(crate) fn run(name: &str) -> (Scenario, Trace) {
    let scenario = scenario(name);
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(ending, ending_of(name), "{name}");
    (scenario, trace)
}
