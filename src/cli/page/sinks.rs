//! The same run with sinks of the other kind: what publishes at once writes into
//! transactions, and the other way round. Only what becomes of the output is
//! asked of it.

use std::collections::BTreeMap;

use crate::lab::crash_branches;
use crate::load::{self, ValuePlace, with_value};
use crate::model::{OperatorKind, Scenario, SinkKind, SubtaskIndex};
use crate::page::{Judged, Page, VerdictNumber};
use crate::sim::simulate;
use crate::trace::Trace;
use crate::verify::verify;

/// The scenario with sinks of the other kind, if all of its sinks are of one
/// kind that has another.
pub(super) fn with_other_sinks(scenario: &Scenario) -> Option<Scenario> {
    let mut document = scenario.document.clone();
    let mut kinds = Vec::new();
    for operator in &scenario.graph.job.operators {
        let OperatorKind::Sink(kind) = operator.kind else { continue };
        let word = match kind {
            SinkKind::Publish => "\"transactional\"",
            SinkKind::Transactional => "\"publish\"",
            SinkKind::Idempotent => return None,
        };
        kinds.push(kind);
        let place = ValuePlace::of(&document, &format!("{}.sink", operator.name));
        document = with_value(&document, &place, word).ok()?;
    }
    kinds.dedup();
    let [kind] = kinds.as_slice() else { return None };
    if *kind == SinkKind::Publish {
        // What is written last is published with the checkpoint at the end.
        const AT_THE_END: &str = "execution.checkpointing.checkpoints-after-tasks-finish";
        let place = ValuePlace::of(&document, AT_THE_END);
        document = with_value(&document, &place, "true").ok()?;
    }
    let mut other = load::scenario(&scenario.name, document.as_bytes()).ok()?.scenario;
    other.start.clone_from(&scenario.start);
    other.steps_max = scenario.steps_max;
    Some(other)
}

/// What the judge says of such runs.
pub(super) struct OtherSinks {
    /// Without a crash.
    pub(super) main: VerdictNumber,
    /// By step and task that crashes.
    pub(super) crashes: BTreeMap<(u64, SubtaskIndex), VerdictNumber>,
}

impl OtherSinks {
    /// Runs and judges them, and tells of each step with its crashes.
    pub(super) fn of(
        page: &mut Page<'_>,
        (scenario, seed): (&Scenario, u64),
        own: &Trace,
        (is_wanted, tell): (impl Fn(u64) -> bool, impl FnMut(u64)),
    ) -> Option<Self> {
        let other = with_other_sinks(scenario)?;
        let (trace, _) = simulate(&other, seed);
        let main = judged(page, &other, &trace);
        let n_alike = n_alike(own, &trace);
        let is_wanted = |step| step <= n_alike && is_wanted(step);
        let crashes = crashes(page, (&other, seed), (is_wanted, tell));
        Some(Self { main, crashes })
    }
}

/// The same of a single run, in which a task may crash after a step.
pub(super) fn other_verdict(
    page: &mut Page<'_>,
    (scenario, seed): (&Scenario, u64),
    (own, crash): (&Trace, Option<(u64, SubtaskIndex)>),
) -> Option<VerdictNumber> {
    let other = with_other_sinks(scenario)?;
    let (trace, _) = simulate(&other, seed);
    let Some((step, task)) = crash else { return Some(judged(page, &other, &trace)) };
    let is_same = step <= n_alike(own, &trace);
    let is_wanted = |own| is_same && own == step;
    crashes(page, (&other, seed), (is_wanted, |_| {})).get(&(step, task)).copied()
}

/// A crash is the same one as long as each step before it comes at the same time:
/// only such steps are wanted.
fn crashes(
    page: &mut Page<'_>,
    (scenario, seed): (&Scenario, u64),
    (is_wanted, mut tell): (impl Fn(u64) -> bool, impl FnMut(u64)),
) -> BTreeMap<(u64, SubtaskIndex), VerdictNumber> {
    let mut crashes = BTreeMap::new();
    crash_branches(scenario, seed, is_wanted, |own| {
        tell(own.step);
        crashes.insert((own.step, own.task), judged(page, scenario, &own.trace));
    });
    crashes
}

fn judged(page: &mut Page<'_>, scenario: &Scenario, trace: &Trace) -> VerdictNumber {
    let verdict = verify(scenario, trace);
    page.judge(&Judged { verdict: &verdict, findings: &[] })
}

/// How many of the first steps of two runs come at the same times.
fn n_alike(one: &Trace, other: &Trace) -> u64 {
    let both = one.steps.iter().zip(&other.steps);
    both.take_while(|(one, other)| one.at == other.at).count() as u64
}
