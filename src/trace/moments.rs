//! Which steps are the moments of a scenario's story.

use super::fact::Fact;
use super::step::Step;
use super::watch::{Watch, is_of_kind};
use crate::model::{FactPattern, Scenario};

/// The steps that a moment spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MomentSpan {
    /// Its position in [`Scenario::moments`].
    pub moment: usize,
    /// First step; 0 for a moment that begins at the start.
    pub first: u64,
    /// Last step, at which it is shown.
    pub last: u64,
}

/// Finds the moments of a run, in order. A moment that never begins is left
/// out; one that begins before an earlier one of the list does not count as
/// begun until that one has.
#[must_use]
pub fn moment_spans(scenario: &Scenario, steps: &[Step]) -> Vec<MomentSpan> {
    let mut milestones = Milestones::new(scenario);
    for step in steps {
        milestones.observe(scenario, step);
    }
    milestones.spans(scenario)
}

/// The facts of a run that begin or end a moment, and no others: as much of it
/// as its moments are found by.
#[derive(Clone, Debug)]
pub struct Milestones {
    patterns: Vec<FactPattern>,
    steps: Vec<Step>,
    n_steps: u64,
}

impl Milestones {
    /// None yet.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let moments = scenario.moments.iter();
        let patterns = moments.flat_map(|moment| [&moment.begins, &moment.ends]);
        let patterns = patterns.flatten().cloned().collect();
        Self { patterns, steps: Vec::new(), n_steps: 0 }
    }

    /// Takes the next step in.
    pub fn observe(&mut self, scenario: &Scenario, step: &Step) {
        self.n_steps = step.number;
        let is_one = |fact: &&Fact| {
            self.patterns.iter().any(|pattern| is_of_kind(pattern, &scenario.graph, fact))
        };
        let facts: Vec<Fact> = step.facts.iter().filter(is_one).cloned().collect();
        if !facts.is_empty() {
            self.steps.push(Step { number: step.number, at: step.at, facts });
        }
    }

    /// The moments of the run so far.
    #[must_use]
    pub fn spans(&self, scenario: &Scenario) -> Vec<MomentSpan> {
        spans(scenario, &self.steps, self.n_steps)
    }
}

fn spans(scenario: &Scenario, steps: &[Step], n_steps: u64) -> Vec<MomentSpan> {
    let graph = &scenario.graph;
    let mut spans: Vec<MomentSpan> = Vec::new();
    let mut from = 0; // index into steps: where the search for the next beginning starts
    for (position, moment) in scenario.moments.iter().enumerate() {
        let first = match &moment.begins {
            None => Some(0),
            Some(pattern) => find(pattern, graph, &steps[from..]),
        };
        let Some(first) = first else { continue };
        if let Some(before) = spans.last_mut()
            && before.last == n_steps
        {
            before.last = first.saturating_sub(1).max(before.first);
        }
        from = steps.partition_point(|step| step.number < first);
        let ends = moment.ends.as_ref().and_then(|pattern| find(pattern, graph, &steps[from..]));
        spans.push(MomentSpan { moment: position, first, last: ends.unwrap_or(n_steps) });
    }
    spans
}

fn find(
    pattern: &FactPattern,
    graph: &crate::model::ExecutionGraph,
    steps: &[Step],
) -> Option<u64> {
    let mut watch = Watch::new(pattern.clone(), 1, graph);
    steps
        .iter()
        .find(|step| step.facts.iter().any(|fact| watch.observe(graph, fact)))
        .map(|step| step.number)
}
