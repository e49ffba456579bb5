//! Jobs one after the other: a scenario that names another one starts from the
//! savepoint of that one, which is run beforehand with the same seed.
//!
//! Knows no files: who asks says how a scenario is found by its name.

mod session;

pub use session::{JobRun, SLOT_REQUEST_TIMEOUT, Stay, Submission, n_slots, session};

use crate::cluster::Detail;
use crate::model::{CheckpointId, FromScenario, Scenario};
use crate::savepoint::{Recorder, Refusal, Saved, Taken, Wanted, start_from};
use crate::sim::Simulation;
use crate::trace::Fact;

/// More scenarios than this do not follow each other.
pub const LINKS_MAX: usize = 16;

/// Why a scenario has nothing to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainError<E> {
    /// An earlier scenario is not found.
    Missing(E),
    /// Each needs the other first, or there are too many.
    TooLong {
        /// The one that is asked for once too often.
        scenario: String,
    },
    /// The earlier run has no such savepoint.
    NoSavepoint {
        /// Of which scenario.
        scenario: String,
        /// Which one is wanted; none: any.
        wanted: Option<CheckpointId>,
        /// Those that there are.
        taken: Vec<CheckpointId>,
    },
    /// The job cannot start from it.
    Refused {
        /// Of which scenario the savepoint is.
        scenario: String,
        /// Which one.
        savepoint: CheckpointId,
        /// Why.
        refusal: Refusal,
    },
}

/// Runs what a scenario names, and what that names, and gives the scenario with
/// its start. One that names nothing comes back as it is.
///
/// # Errors
/// When there is nothing that it could start from.
pub fn started<E>(
    scenario: Scenario,
    seed: u64,
    find: &mut dyn FnMut(&str) -> Result<Scenario, E>,
) -> Result<Scenario, ChainError<E>> {
    let mut links = links(scenario, seed, find)?;
    Ok(links.pop().expect("there is at least the scenario itself"))
}

/// The same with all that is run before it, the first run first.
///
/// # Errors
/// As [`started`].
pub fn links<E>(
    scenario: Scenario,
    seed: u64,
    find: &mut dyn FnMut(&str) -> Result<Scenario, E>,
) -> Result<Vec<Scenario>, ChainError<E>> {
    let mut open = vec![scenario];
    while let Some(from) = open.last().and_then(|last| wants(last)).cloned() {
        if open.len() > LINKS_MAX {
            return Err(ChainError::TooLong { scenario: from.scenario });
        }
        open.push(find(&from.scenario).map_err(ChainError::Missing)?);
    }
    let mut links: Vec<Scenario> = open.pop().into_iter().collect();
    while let Some(next) = open.pop() {
        let from = wants(&next).expect("only the first one names nothing").clone();
        let before = links.last().expect("there is a first one");
        let saved = Saved::of(savepoint(before, seed, &from)?.savepoint);
        let savepoint = saved.savepoint.id;
        links.push(start_from(&next, &saved).map_err(|refusal| ChainError::Refused {
            scenario: from.scenario.clone(),
            savepoint,
            refusal,
        })?);
    }
    Ok(links)
}

/// The run that a scenario still needs.
fn wants(scenario: &Scenario) -> Option<&FromScenario> {
    scenario.from.as_ref().filter(|_| scenario.start.is_none())
}

/// Every savepoint of a run, and every checkpoint that it leaves behind, but for
/// those that the user deletes.
#[must_use]
pub fn savepoints(scenario: &Scenario, seed: u64) -> Vec<Taken> {
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    let mut recorder = Recorder::new(scenario, seed, Wanted::SavepointsAndCheckpoints);
    let mut taken = Vec::new();
    while let Some(step) = simulation.step() {
        taken.extend(recorder.observe(step.number, step.at, step.facts));
        for fact in step.facts {
            if let Fact::CheckpointDisposed { checkpoint } = fact {
                taken.retain(|one: &Taken| one.savepoint.id != *checkpoint);
            }
        }
    }
    taken
}

fn savepoint<E>(
    scenario: &Scenario,
    seed: u64,
    from: &FromScenario,
) -> Result<Taken, ChainError<E>> {
    let all = savepoints(scenario, seed);
    let taken = all.iter().map(|one| one.savepoint.id).collect();
    let is_wanted = |one: &Taken| match from.savepoint {
        Some(wanted) => one.savepoint.id == wanted,
        None => one.savepoint.snapshot.is_savepoint(),
    };
    let found = all.into_iter().rev().find(is_wanted);
    found.ok_or_else(|| {
        let (scenario, wanted) = (from.scenario.clone(), from.savepoint);
        ChainError::NoSavepoint { scenario, wanted, taken }
    })
}
