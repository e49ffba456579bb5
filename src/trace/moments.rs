//! Which steps are the moments of a scenario's story.

use super::step::Step;
use super::watch::Watch;
use crate::model::Scenario;

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
    let graph = &scenario.graph;
    let n_steps = steps.last().map_or(0, |step| step.number);
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
    pattern: &crate::model::FactPattern,
    graph: &crate::model::ExecutionGraph,
    steps: &[Step],
) -> Option<u64> {
    let mut watch = Watch::new(pattern.clone(), 1, graph);
    steps
        .iter()
        .find(|step| step.facts.iter().any(|fact| watch.observe(graph, fact)))
        .map(|step| step.number)
}
