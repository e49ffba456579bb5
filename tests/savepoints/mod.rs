//! Savepoints between jobs: the file, who gets what, what is refused, and what
//! becomes of a job that is stopped and goes on elsewhere.

mod claims;
mod command_line;
mod comparing;
mod files;
mod formats;
mod operator_state;
mod refusals;
mod resuming;
mod sharing;

use checkdam::chain;
use checkdam::load;
use checkdam::model::{Savepoint, Scenario};
use checkdam::savepoint::{Refusal, Saved, start_from};

/// A built-in scenario in which some texts are others.
fn changed(name: &str, changes: &[(&str, &str)]) -> Scenario {
    let built_in = load::builtin().iter().find(|scenario| scenario.name == name);
    let mut text = built_in.expect("it is shipped").text.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{name} has {old}");
        text = text.replace(old, new);
    }
    Scenario::parse(name, &text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The job of `stop-with-savepoint` without its story, in which some texts are
/// others.
fn stopped(changes: &[(&str, &str)]) -> Scenario {
    let mut text = STOPPED.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "the job has {old}");
        text = text.replace(old, new);
    }
    Scenario::parse("stopped", &text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

const STOPPED: &str = r#"{
    "job": {
        "numbers": { "source": { "from": 1, "to": 9 }, "service": "10 ms" },
        "sum": { "sum": "parity" },
        "sink": { "sink": "transactional" }
    },
    "edges": [
        ["numbers", "sum", "hash", { "latency": "2 ms" }],
        ["sum", "sink", "forward", { "latency": "2 ms" }]
    ],
    "checkpoints": [{ "at": "25 ms" }],
    "savepoints": [{ "at": "45 ms", "stop": "suspend" }],
    "config": { "execution.checkpointing.savepoint-dir": "file:///savepoints" }
}"#;

/// The last savepoint of a run with seed 1.
fn last_savepoint(scenario: &Scenario) -> Savepoint {
    let taken = chain::savepoints(scenario, 1);
    let mut savepoints = taken.into_iter().map(|taken| taken.savepoint);
    savepoints.rfind(|own| own.snapshot.is_savepoint()).expect("it takes one")
}

/// Why a job cannot start from a savepoint.
fn refusal(job: &Scenario, savepoint: &Savepoint) -> Refusal {
    start_from(job, &Saved::of(savepoint.clone())).expect_err("it is refused")
}
