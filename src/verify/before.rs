//! Runs that follow each other, judged as one: what the earlier ones have
//! counted up to the savepoint, and what they have shown to the outside at any
//! time, counts with the last one.
//!
//! Between jobs everything goes by name: operators by id, splits, records by
//! split, offset and way. A transaction that two runs commit is one.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{Entry, History, Log, Origins};
use super::judge::{Ending, Judge};
use super::verdict::Verdict;
use crate::model::{
    CheckpointId, ExecutionGraph, OperatorIndex, Path, RecordId, Scenario, SplitIndex,
    SubtaskState, TransactionId,
};
use crate::trace::{Driver, Trace};

/// A record by name.
type Named = (String, u32, Path);

/// An edge by the ids of its ends, and which of several it is.
type EdgeName = (String, String, usize);

/// What the runs before have left.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    /// What sources had read at the savepoint.
    read: Vec<Named>,
    /// What had been sent by then.
    sent: BTreeMap<EdgeName, Vec<Named>>,
    /// What operators had processed by then.
    processed: BTreeMap<String, Vec<Named>>,
    /// What sinks have published until their end.
    published: BTreeMap<String, Vec<Named>>,
    /// Transactions that have been committed.
    committed: BTreeSet<String>,
}

/// The same in the numbers of the run that follows.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// By split.
    pub(super) read: Vec<Vec<Entry>>,
    /// By edge.
    pub(super) sent: Vec<Vec<Entry>>,
    /// By operator.
    pub(super) processed: Vec<Vec<Entry>>,
    /// By operator.
    pub(super) published: Vec<Vec<Entry>>,
}

/// Judges runs that follow each other, each but the first from a savepoint of
/// the one before, as if they were one. Conduct and cuts are those of the last
/// run; state and output those of all together.
///
/// # Panics
/// When there is no run.
#[must_use]
pub fn verify_chain(runs: &[(&Scenario, &Trace)]) -> Verdict {
    let mut before: Option<Before> = None;
    for (place, (scenario, trace)) in runs.iter().enumerate() {
        let seed = match trace.driver {
            Driver::Seed(seed) => Some(seed),
            Driver::Schedule(_) => None,
        };
        let mut judge = Judge::new(scenario, seed);
        if let Some(before) = &before {
            judge.follows(scenario, before);
        }
        let next = runs.get(place + 1).and_then(|(next, _)| next.start.as_ref());
        if let Some(next) = next {
            judge.hands_over_at(next.savepoint.id);
        }
        for step in &trace.steps {
            judge.observe(step);
        }
        if next.is_some() {
            before = Some(judge.leaves());
            continue;
        }
        return judge.finish(if trace.complete { Ending::Whole } else { Ending::Cut });
    }
    panic!("there is a run to judge")
}

impl Before {
    /// What a job has read, sent and processed up to a savepoint that is
    /// complete now.
    pub(super) fn at(graph: &ExecutionGraph, history: &History, savepoint: CheckpointId) -> Self {
        let name = |entry: &Entry| named(graph, &history.origins, entry);
        let upto = |log: &Log| {
            let n = log.mark(savepoint).unwrap_or(0);
            log.entries[..n].iter().map(name).collect::<Vec<_>>()
        };
        let mut before = Self::default();
        let earlier = &history.earlier;
        for (split, log) in history.read.iter().enumerate() {
            before.read.extend(earlier.read.get(split).into_iter().flatten().map(name));
            before.read.extend(upto(log));
        }
        for (edge, own) in edge_names(graph).into_iter().enumerate() {
            let sent = before.sent.entry(own).or_default();
            sent.extend(earlier.sent.get(edge).into_iter().flatten().map(name));
            let channels = graph.channels.iter().zip(&history.sent);
            for (_, log) in channels.filter(|(channel, _)| channel.edge.index() == edge) {
                sent.extend(upto(log));
            }
        }
        for (place, operator) in graph.job.operators.iter().enumerate() {
            let processed = before.processed.entry(operator.uid.clone()).or_default();
            processed.extend(earlier.processed.get(place).into_iter().flatten().map(name));
            let channels = graph.channels.iter().zip(&history.processed);
            let own = channels.filter(|(channel, _)| {
                graph.subtasks[channel.to.index()].operator == OperatorIndex::at(place)
            });
            own.for_each(|(_, log)| processed.extend(upto(log)));
        }
        before
    }

    /// What sinks have published is published, whatever came later.
    pub(super) fn published<'s>(
        &mut self,
        graph: &ExecutionGraph,
        history: &History,
        (seen, committed): (&[Vec<Entry>], impl Iterator<Item = &'s TransactionId>),
    ) {
        let name = |entry: &Entry| named(graph, &history.origins, entry);
        for (place, operator) in graph.job.operators.iter().enumerate() {
            let published = self.published.entry(operator.uid.clone()).or_default();
            published.extend(history.earlier.published.get(place).into_iter().flatten().map(name));
            let subtasks = graph.subtasks.iter().zip(seen);
            let own = subtasks.filter(|(own, _)| own.operator == OperatorIndex::at(place));
            own.for_each(|(_, seen)| published.extend(seen.iter().map(name)));
        }
        for id in committed {
            let sink = &graph.subtasks[id.subtask.index()].name;
            self.committed.insert(format!("{sink}/{}/{}", id.attempt, id.number));
        }
    }

    /// In the numbers of the run that follows. What it no longer has is gone.
    pub(super) fn translate(&self, graph: &ExecutionGraph, history: &mut History) -> Earlier {
        let mut entries = |names: &[Named]| {
            let id = |(split, offset, path): &Named| {
                let mut splits = (0..graph.splits.len()).map(SplitIndex::at);
                let split = splits.find(|own| graph.split(*own).name == *split)?;
                Some(RecordId { split, offset: *offset, path: *path })
            };
            let ids: Vec<RecordId> = names.iter().filter_map(id).collect();
            ids.into_iter().map(|id| history.entry(id, 0)).collect::<Vec<_>>()
        };
        let mut earlier =
            Earlier { read: vec![Vec::new(); graph.splits.len()], ..Earlier::default() };
        for entry in entries(&self.read) {
            // What was read took no turn, so that its origin is its split.
            earlier.read[entry.origin as usize].push(entry);
        }
        for edge in edge_names(graph) {
            earlier.sent.push(self.sent.get(&edge).map(|names| entries(names)).unwrap_or_default());
        }
        for operator in &graph.job.operators {
            let uid = &operator.uid;
            let of = |all: &BTreeMap<String, Vec<Named>>| all.get(uid).cloned().unwrap_or_default();
            earlier.processed.push(entries(&of(&self.processed)));
            earlier.published.push(entries(&of(&self.published)));
        }
        earlier
    }

    /// Which of the transactions that a job starts with have been committed
    /// already, by their order in the savepoint's sinks.
    pub(super) fn committed_again(&self, scenario: &Scenario) -> BTreeSet<TransactionId> {
        let Some(start) = &scenario.start else { return BTreeSet::new() };
        let mut again = BTreeSet::new();
        for operator in &start.savepoint.operators {
            let prepared = operator.subtasks.iter().flat_map(|subtask| match &subtask.state {
                SubtaskState::Transactions(prepared) => prepared.as_slice(),
                _ => &[],
            });
            let graph = &scenario.graph;
            let is_its = |id: &TransactionId| graph.operator(id.subtask).uid == operator.uid;
            let given = start.transactions.iter().map(|one| one.id).filter(is_its);
            let open = prepared.filter(|one| one.fate == crate::model::TransactionFate::Prepared);
            // Both are in the order of the subtasks, and list state keeps it.
            let pairs = given.zip(open);
            let twice = pairs.filter(|(_, one)| self.committed.contains(&one.transaction));
            again.extend(twice.map(|(id, _)| id));
        }
        again
    }
}

fn named(graph: &ExecutionGraph, origins: &Origins, entry: &Entry) -> Named {
    let (split, path) = origins.of(entry.origin);
    (graph.split(split).name.clone(), entry.offset, path)
}

fn edge_names(graph: &ExecutionGraph) -> Vec<EdgeName> {
    let operator = |id: OperatorIndex| graph.job.operators[id.index()].uid.clone();
    let mut names: Vec<EdgeName> = Vec::new();
    for edge in &graph.job.edges {
        let (from, to) = (operator(edge.from), operator(edge.to));
        let n = names.iter().filter(|(f, t, _)| (f, t) == (&from, &to)).count();
        names.push((from, to, n));
    }
    names
}
