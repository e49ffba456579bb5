//! The library's random jobs by number, as scenarios.

use checkdam::lab::random;
pub(crate) use checkdam::lab::random::{Mode, job as document, with_files};
use checkdam::load;
use checkdam::model::Scenario;
use serde_json::Value;

/// The random scenario of a number.
pub(crate) fn scenario(number: u64) -> Scenario {
    scenario_in(number, Mode::of(number))
}

/// The random scenario of a number, in another mode perhaps.
pub(crate) fn scenario_in(number: u64, mode: Mode) -> Scenario {
    loaded(number, &random::job(number, mode))
}

/// The scenario that a random file holds.
pub(crate) fn loaded(number: u64, document: &Value) -> Scenario {
    let text = document.to_string();
    match load::scenario(&format!("random-{number}"), text.as_bytes()) {
        Ok(loaded) => loaded.scenario,
        Err(problems) => panic!("random scenario {number} is not valid: {problems:?}\n{text}"),
    }
}

/// Two random jobs as one: nothing connects them. The settings are those of the
/// first.
pub(crate) fn beside(one: &Value, other: &Value) -> Value {
    let mut text = other.to_string();
    for name in ["source0", "source1", "sink0", "sink1", "middle", "behind", "keyed"] {
        text = text.replace(name, &format!("b-{name}"));
    }
    for (name, new) in [("\"manager\"", "\"b-manager\""), ("\"s0-", "\"b0-"), ("\"s1-", "\"b1-")] {
        text = text.replace(name, new);
    }
    let other: Value = serde_json::from_str(&text).expect("names are only names");
    let mut both = one.clone();
    for key in ["job", "taskmanagers"] {
        let more = other[key].as_object().expect("it has names").clone();
        both[key].as_object_mut().expect("it has names").extend(more);
    }
    for key in ["edges", "faults"] {
        let more = other[key].as_array().expect("it is a list").clone();
        both[key].as_array_mut().expect("it is a list").extend(more);
    }
    both
}
