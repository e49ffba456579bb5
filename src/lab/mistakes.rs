//! What if a rule were broken? For each of the classic mistakes that can make a
//! difference to a scenario, a run in which it does: without a failure if that
//! is enough, else with a crash where it hurts.

use super::branches::crash_branches;
use crate::load::{self, ValuePlace, with_value};
use crate::model::{Mutation, Scenario, SubtaskIndex};
use crate::sim::simulate;
use crate::trace::{Fact, Trace};
use crate::verify::{Outcome, Verdict, verify};

/// A run in which a rule is broken, and is found to be.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// Which rule.
    pub mutation: Mutation,
    /// The scenario that breaks it.
    pub scenario: Scenario,
    /// Who crashes after which step, if that was needed.
    pub crash: Option<(u64, SubtaskIndex)>,
    /// The run.
    pub trace: Trace,
    /// What the judge says of it.
    pub verdict: Verdict,
}

/// Every rule whose breaking the judge finds in some run of this scenario with
/// this seed: first those that cost the job its promise. Not every crash is
/// tried, so a rule that is not there may still matter.
#[must_use]
pub fn mistakes(scenario: &Scenario, seed: u64) -> Vec<Mistake> {
    let own = Mutation::ALL.into_iter().filter(|mutation| !scenario.breaks(*mutation));
    let mut found: Vec<Mistake> =
        own.filter_map(|mutation| mistake(scenario, mutation, seed)).collect();
    found.sort_by_key(|own| own.verdict.promise != Outcome::Violated);
    found
}

/// The run that shows most of a mistake.
fn mistake(scenario: &Scenario, mutation: Mutation, seed: u64) -> Option<Mistake> {
    let broken = with_broken(scenario, mutation)?;
    let (trace, _) = simulate(&broken, seed);
    let verdict = verify(&broken, &trace);
    let steps = crash_steps(&trace);
    let mut best = Mistake { mutation, scenario: broken.clone(), crash: None, trace, verdict };
    if rank(&best.verdict) == 0 {
        return Some(best);
    }
    crash_branches(
        &broken,
        seed,
        |step| steps.contains(&step),
        |own| {
            if rank(&best.verdict) == 0 {
                return;
            }
            let verdict = verify(&broken, &own.trace);
            if rank(&verdict) < rank(&best.verdict) {
                best.crash = Some((own.step, own.task));
                (best.trace, best.verdict) = (own.trace, verdict);
            }
        },
    );
    (rank(&best.verdict) < 3).then_some(best)
}

/// The scenario that breaks a rule, if it is one that the job follows: the
/// loader knows which rules go together with which settings.
fn with_broken(scenario: &Scenario, mutation: Mutation) -> Option<Scenario> {
    let own = scenario.broken.iter().chain([&mutation]);
    let names: Vec<&str> = own.map(|mutation| mutation.name()).collect();
    let place = ValuePlace::of(&scenario.document, "break");
    let text = with_value(&scenario.document, &place, &format!("{names:?}")).ok()?;
    let mut broken = load::scenario(&scenario.name, text.as_bytes()).ok()?.scenario;
    broken.start.clone_from(&scenario.start);
    broken.steps_max = scenario.steps_max;
    Some(broken)
}

/// 0: the promise is broken so that the ledger shows it; 1: so that only a
/// checkpoint is wrong; 2: something else is wrong; 3: nothing is.
fn rank(verdict: &Verdict) -> u32 {
    let wrong = [&verdict.state, &verdict.output].map(|own| own.outcome == Outcome::Violated);
    let is_whole = verdict.cut.outcome() == Outcome::Holds;
    match (verdict.promise, verdict.answer()) {
        (Outcome::Violated, _) if wrong[0] || is_whole && wrong[1] => 0,
        (Outcome::Violated, _) => 1,
        (_, Outcome::Violated) => 2,
        _ => 3,
    }
}

/// Where a crash is likely to hurt: when a checkpoint has just become complete,
/// when all have heard of it, some steps later, and before it was complete.
fn crash_steps(trace: &Trace) -> Vec<u64> {
    const LATER: [u64; 2] = [12, 24];
    let mut steps = Vec::new();
    let mut newest = None;
    for step in &trace.steps {
        for fact in &step.facts {
            match fact {
                Fact::CheckpointCompleted { .. } => {
                    steps.extend([step.number.saturating_sub(3), step.number]);
                    newest = Some(step.number);
                }
                Fact::Notified { .. } => newest = Some(step.number),
                _ => {}
            }
        }
    }
    if let Some(newest) = newest {
        steps.push(newest);
        steps.extend(LATER.map(|later| newest + later));
    }
    steps.sort_unstable();
    steps.dedup();
    steps
}
