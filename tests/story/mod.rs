//! The shipped scenarios tell their stories: expectations from the lecture
//! and from arithmetic.

mod backpressure;
mod barriers;
mod coordinator;
mod crashes;
mod every_scenario;
mod goldens;
mod lecture;
mod reading;
mod restarts;
mod symptoms;

use checkdam::load;
use checkdam::model::Scenario;
use checkdam::sim::{Ending, simulate};
use checkdam::trace::Trace;

/// A built-in scenario.
pub(crate) fn scenario(name: &str) -> Scenario {
    let built_in = load::builtin().iter().find(|scenario| scenario.name == name);
    let text = built_in.unwrap_or_else(|| panic!("{name} is shipped")).text;
    match load::scenario(name, text.as_bytes()) {
        Ok(loaded) => loaded.scenario,
        Err(_) => panic!("{name} is valid"),
    }
}

/// Stories of jobs that fail for good.
const FAILING: [&str; 6] = [
    "expired-until-failed",
    "nothing-is-ever-committed",
    "restart-exponential-delay",
    "restart-failure-rate",
    "restart-fixed-delay",
    "restart-none",
];

/// How the run of a built-in scenario ends.
pub(crate) fn ending(name: &str) -> Ending {
    if FAILING.contains(&name) { Ending::Failed } else { Ending::Finished }
}

/// A run of a built-in scenario, to its end.
pub(crate) fn run(name: &str) -> (Scenario, Trace) {
    let scenario = scenario(name);
    let (trace, ended) = simulate(&scenario, 1);
    assert_eq!(ended, ending(name), "{name}");
    (scenario, trace)
}
