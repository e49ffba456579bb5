//! The shipped scenarios tell their stories: expectations from the lecture
//! and from arithmetic.

mod backpressure;
mod barriers;
mod crashes;
mod endings;
mod every_scenario;
mod failures;
mod goldens;
mod lecture;
mod reading;
mod storage;

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

/// How the run of a built-in scenario ends.
pub(crate) fn ending_of(name: &str) -> Ending {
    match name {
        "cancelled-job" => Ending::Canceled,
        "memory-storage-too-small" | "directory-on-one-machine" => Ending::Failed,
        _ => Ending::Finished,
    }
}

/// A run of a built-in scenario that ends as it should.
pub(crate) fn run(name: &str) -> (Scenario, Trace) {
    let scenario = scenario(name);
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(ending, ending_of(name), "{name}");
    (scenario, trace)
}
