//! Makes a scenario that fails small: the same thing goes wrong, with fewer
//! operators, tasks, records and faults, plain settings and small numbers.
//!
//! Works on the file, so that whatever a file can say can become simpler. What
//! is tried follows from the file alone: the same file shrinks to the same one
//! everywhere. A candidate that is no valid scenario is simply no success.

mod mention;
mod numbers;
mod plain;
mod remove;
mod rename;

use serde_json::Value;

/// Ways to make a file simpler: each gives candidates, the greatest steps first.
const WAYS: &[fn(&Value) -> Vec<Value>] = &[
    remove::happenings,
    remove::operators,
    remove::subtasks,
    remove::records,
    remove::settings,
    plain::checkpoints_by_hand,
    plain::edges,
    plain::operators,
    numbers::delays,
    numbers::sentences,
];

/// So many names are changed at most, whatever else has been tried.
const RENAMES_MAX: u32 = 100;

/// Every file that is one step simpler, the greatest steps first.
#[must_use]
pub fn simpler(document: &Value) -> Vec<Value> {
    let all = WAYS.iter().flat_map(|way| way(document)).chain(rename::names(document));
    all.filter(|candidate| candidate != document).collect()
}

/// The smallest file found of which `still` is true, by trying about so many.
///
/// `still` is true of the file that is given.
pub fn shrink(document: &Value, tries_max: u32, mut still: impl FnMut(&Value) -> bool) -> Value {
    let mut smallest = document.clone();
    let mut tries_left = tries_max;
    loop {
        let before = smallest.clone();
        for way in WAYS {
            try_all(*way, &mut smallest, (&mut tries_left, &mut still));
        }
        if smallest == before || tries_left == 0 {
            break;
        }
    }
    try_all(rename::names, &mut smallest, (&mut RENAMES_MAX.clone(), &mut still));
    smallest
}

/// Tries the candidates of one way, again and again as long as one is a
/// success.
fn try_all(
    way: fn(&Value) -> Vec<Value>,
    smallest: &mut Value,
    (tries_left, still): (&mut u32, &mut impl FnMut(&Value) -> bool),
) {
    // A success is tried again at its own place, where the list is shorter now.
    let mut place = 0;
    let mut candidates = way(smallest);
    while let Some(candidate) = candidates.get(place) {
        if *candidate == *smallest {
            place += 1;
            continue;
        }
        if *tries_left == 0 {
            return;
        }
        *tries_left -= 1;
        if still(candidate) {
            *smallest = candidate.clone();
            candidates = way(smallest);
        } else {
            place += 1;
        }
    }
}
