//! What if it crashed here? The runs that leave a run at a step because a task
//! crashes there, each played to its end.
//!
//! The crash is a fault of the scenario that waits for what never happens, and
//! is provoked: so that every step can be its place, also one of several at the
//! same time, and the run up to there is the same to the last bit.

use crate::cluster::Detail;
use crate::model::{Attempt, FactPattern, Fault, FaultKind, Scenario, SubtaskIndex, When};
use crate::sim::Simulation;
use crate::trace::{Driver, Fact, Step, Trace};

/// A run that leaves another one.
#[derive(Clone, Debug)]
pub struct CrashBranch {
    /// The last step that both have.
    pub step: u64,
    /// Who crashes in the next one.
    pub task: SubtaskIndex,
    /// All steps of the branch, with those that both have.
    pub trace: Trace,
}

/// Every crash of one task at one of the wanted steps of a run, in order of the
/// steps, then of the tasks. A task that does not run at a step cannot crash
/// there.
pub fn crash_branches(
    scenario: &Scenario,
    seed: u64,
    is_wanted: impl Fn(u64) -> bool,
    mut take: impl FnMut(CrashBranch),
) {
    let prepared = with_crashes(scenario);
    let n_own = scenario.faults.len() as u32;
    let mut main = Simulation::new(&prepared, seed, Detail::All);
    let mut steps: Vec<Step> = Vec::new();
    loop {
        let step = main.n_steps();
        if is_wanted(step) {
            for task in scenario.graph.subtask_indices() {
                let mut branch = main.clone();
                branch.provoke(n_own + task.0);
                let rest = to_the_end(&mut branch);
                if !rest.first().is_some_and(|first| is_crash_of(first, task)) {
                    continue;
                }
                let mut all = steps.clone();
                all.extend(rest);
                let trace = Trace { driver: Driver::Seed(seed), steps: all, complete: true };
                take(CrashBranch { step, task, trace });
            }
        }
        let Some(next) = main.step() else { return };
        steps.push(Step { number: next.number, at: next.at, facts: next.facts.to_vec() });
    }
}

/// The scenario with one more fault for each task, none of which comes by
/// itself.
fn with_crashes(scenario: &Scenario) -> Scenario {
    let never = FactPattern::AttemptStarted(Attempt(u32::MAX));
    let crash = |task: SubtaskIndex| Fault {
        kind: FaultKind::CrashSubtask(task),
        when: When::Upon { pattern: never.clone(), nth: 1, after: crate::model::Micros(0) },
    };
    let mut prepared = scenario.clone();
    prepared.faults.extend(scenario.graph.subtask_indices().map(crash));
    prepared
}

fn to_the_end(simulation: &mut Simulation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(step) = simulation.step() {
        steps.push(Step { number: step.number, at: step.at, facts: step.facts.to_vec() });
    }
    steps
}

fn is_crash_of(step: &Step, task: SubtaskIndex) -> bool {
    step.facts.iter().any(|fact| matches!(fact, Fact::Crashed { tasks } if tasks == &[task]))
}
