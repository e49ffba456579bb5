//! In the surviving history every record counts once, and of all that the
//! outside has ever seen every result is there once.
//!
//! A record is recognised by the input record that caused it and the way it
//! took, never by its value. Where its sender's surviving history sends it at
//! all it should count once at the receiver. A record that is neither there
//! nor in flight is lost.

use std::collections::BTreeSet;

use super::gather::{self, Seen};
use super::history::{Entry, History};
use super::miscount::{Count, Judgement, Miscount, Sighting, StaleKey};
use super::named::{self, Named};
use super::published::Published;
use super::rows::{Counts, Ledger, Run, Runs};
use crate::model::{
    ExecutionGraph, OperatorIndex, OperatorKind, Path, RecordId, SinkKind, SplitIndex,
};

/// Whether records can still be on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// Nothing more will come.
    Finished,
    /// The same, but the sources were told to stop where they were.
    Stopped,
    /// What the newest attempt has sent can still arrive.
    Unfinished,
    /// The user has stopped it: what was under way has been stopped with it.
    Canceled,
}

impl Job {
    /// Whether nothing more will come.
    fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Stopped)
    }
}

/// A list of results with something to say about.
#[derive(Clone, Copy)]
enum List {
    Lost,
    TooOften,
    Overwritten,
}

/// Adds up what a run has left behind.
pub(super) struct Bookkeeper<'a> {
    pub(super) graph: &'a ExecutionGraph,
    pub(super) history: &'a History,
    pub(super) published: &'a Published,
    pub(super) job: Job,
    /// The lines of the ledger.
    pub(super) ledger: Ledger,
    /// Of reading and counting.
    pub(super) state: Judgement,
    /// Of publishing.
    pub(super) output: Judgement,
    /// Input records with something wrong or pending in the state.
    uncertain: BTreeSet<(SplitIndex, u32)>,
}

impl<'a> Bookkeeper<'a> {
    pub(super) fn new(
        graph: &'a ExecutionGraph,
        history: &'a History,
        published: &'a Published,
        job: Job,
    ) -> Self {
        Self {
            graph,
            history,
            published,
            job,
            ledger: Ledger::default(),
            state: Judgement::new(),
            output: Judgement::new(),
            uncertain: BTreeSet::new(),
        }
    }

    /// Adds everything up.
    pub(super) fn close(&mut self) {
        for split in (0..self.graph.splits.len()).map(SplitIndex::at) {
            let runs = self.reads(split);
            self.ledger.read.push(runs);
        }
        for (place, operator) in self.graph.job.operators.iter().enumerate() {
            let id = OperatorIndex::at(place);
            match &operator.kind {
                OperatorKind::Source { .. } => self.source(id),
                OperatorKind::Sink(kind) => self.sink(id, *kind),
                kind => {
                    let counts = self.operator(id);
                    if kind.has_keyed_state() {
                        self.ledger.counted.insert(id, counts);
                    }
                }
            }
        }
        let by_record = |list: &mut Vec<Miscount>| {
            list.sort_by_key(|one| (one.record.id.split, one.record.id.offset, one.operator.id));
        };
        by_record(&mut self.state.too_often);
        by_record(&mut self.state.lost);
        for runs in &self.ledger.read {
            for run in runs.iter() {
                self.state.n += u64::from(run.last - run.first) + 1;
                if run.n == 1 {
                    self.state.n_once += u64::from(run.last - run.first) + 1;
                }
            }
        }
        let once = |(split, offset): &&(SplitIndex, u32)| {
            self.ledger.read[split.index()].at(*offset).0 == 1
        };
        self.state.n_once -= self.uncertain.iter().filter(once).count() as u64;
    }

    /// How often each record of a split was read. The source has passed every
    /// record up to where it reads on; a finished one has passed all.
    fn reads(&mut self, split: SplitIndex) -> Runs {
        let history = self.history;
        let mut entries = history.read[split.index()].entries.clone();
        entries.extend(history.earlier.read.get(split.index()).into_iter().flatten());
        entries.sort();
        let mut runs = Runs::default();
        let mut next = history.first_offsets[split.index()] + 1;
        for same in entries.chunk_by(|a, b| a.offset == b.offset) {
            let (offset, n) = (same[0].offset, same.len() as u32);
            self.skipped(split, next, offset.saturating_sub(1), &mut runs);
            runs.push(Run { first: offset, last: offset, n, expected: 1 });
            next = offset.saturating_add(1);
            if n > 1 {
                let task = self.graph.splits[split.index()].subtask;
                let seen: Vec<Seen> = same.iter().map(|entry| (*entry, task)).collect();
                let operator = self.graph.splits[split.index()].operator;
                self.state_too_often(operator, &seen, 1);
            }
        }
        let passed = match self.job {
            Job::Finished => self.graph.split(split).values.len(),
            Job::Unfinished | Job::Canceled | Job::Stopped => {
                history.restored_offsets[split.index()]
            }
        };
        self.skipped(split, next, passed, &mut runs);
        runs
    }

    /// Records that a source will never read again and that survive nowhere.
    fn skipped(&mut self, split: SplitIndex, first: u32, last: u32, runs: &mut Runs) {
        if first > last {
            return;
        }
        runs.push(Run { first, last, n: 0, expected: 1 });
        self.state.n_lost += u64::from(last - first) + 1;
        let place = &self.graph.splits[split.index()];
        let undone = &self.history.undone_reads[split.index()];
        for offset in first..=last {
            if self.state.lost.len() >= Judgement::LISTED_MAX {
                break;
            }
            let seen: Vec<Seen> = undone
                .iter()
                .filter(|entry| entry.offset == offset)
                .map(|entry| (*entry, place.subtask))
                .collect();
            self.state.lost.push(Miscount {
                what: Count::Read,
                record: named::record(self.graph, RecordId { split, offset, path: Path(0) }),
                operator: named::operator(self.graph, place.operator),
                n: 0,
                expected: 1,
                sightings: self.sightings(&seen),
                is_known_limit: false,
            });
        }
    }

    /// What a source has read must leave it on each of its edges.
    fn source(&mut self, id: OperatorIndex) {
        let read = gather::read_by(self.graph, self.history, id);
        for (edge, _) in self.graph.job.edges.iter().enumerate().filter(|(_, e)| e.from == id) {
            let mut sent = gather::sent_on(self.graph, self.history, edge).into_iter().peekable();
            for same in read.chunk_by(|a, b| a.0.record() == b.0.record()) {
                let (split, _) = self.history.origins.of(same[0].0.origin);
                let record = (split, same[0].0.offset);
                while sent.next_if(|other| *other < record).is_some() {}
                if sent.peek() != Some(&record) {
                    self.state_missing(id, same);
                }
            }
        }
    }

    /// What is sent to an operator must be processed there once.
    fn operator(&mut self, id: OperatorIndex) -> Counts {
        let sent = gather::sent_to(self.graph, self.history, id);
        let processed = gather::processed_by(self.graph, self.history, id);
        let mut counts = Counts::new();
        gather::for_each_record([&sent, &processed, &[]], |[sent, processed, _]| {
            let (n, expected) = (processed.len() as u32, u32::from(!sent.is_empty()));
            self.count(&mut counts, sent.first().or(processed.first()), (n, expected));
            if n > expected {
                self.state_too_often(id, processed, expected);
            } else if n < expected {
                self.state_missing(id, sent);
            }
        });
        counts
    }

    /// What is sent to a sink must be published once.
    fn sink(&mut self, id: OperatorIndex, kind: SinkKind) {
        let sent = gather::sent_to(self.graph, self.history, id);
        let processed = gather::processed_by(self.graph, self.history, id);
        let published = gather::published_by(self.graph, (self.history, self.published), id);
        let tasks = self.graph.subtask_indices();
        let unsettled: BTreeSet<u64> = tasks
            .filter(|task| self.graph.subtasks[task.index()].operator == id)
            .flat_map(|task| self.published.unsettled(task))
            .map(Entry::record)
            .collect();
        let mut counts = Counts::new();
        gather::for_each_record([&sent, &processed, &published], |[sent, processed, published]| {
            let (n, expected) = (published.len() as u32, u32::from(!sent.is_empty()));
            self.count(&mut counts, sent.first().or(published.first()), (n, expected));
            self.output.n += u64::from(expected);
            let can_come = !self.job.is_over()
                && match (processed.first(), sent.last()) {
                    // The transaction that it stood in has been closed.
                    (Some(_), _) if self.job == Job::Canceled => true,
                    (Some((entry, _)), _) => unsettled.contains(&entry.record()),
                    (None, Some(sent)) => self.history.can_be_in_flight(*sent),
                    (None, None) => true,
                };
            match (n, expected) {
                (0, 0) => {}
                (1, 1) => self.output.n_once += 1,
                (0, _) if can_come => self.output.n_pending += 1,
                (0, _) => {
                    self.output.n_lost += 1;
                    self.list_output(List::Lost, (id, sent), (0, 1));
                }
                // A failed attempt has published it, and the new one is to
                // come there yet.
                (1, 0) if can_come => self.output.n_pending += 1,
                // What a failed attempt has written, and the surviving history
                // not (a join may pair differently), is overwritten as well,
                // or its key is stale.
                (_, _) if kind == SinkKind::Idempotent => {
                    self.output.n_once += u64::from(expected);
                    self.output.n_overwritten += 1;
                    self.list_output(List::Overwritten, (id, published), (n, expected));
                }
                _ => {
                    let again = published.iter().filter(|seen| self.published.comes_again(seen));
                    let is_known_limit = again.count() as u32 >= n - expected;
                    self.output.n_too_often += 1;
                    self.list_output(List::TooOften, (id, published), (n, expected));
                    if is_known_limit {
                        self.output.n_known_limit += 1;
                        let listed = self.output.too_often.len() as u64 == self.output.n_too_often;
                        let last = self.output.too_often.last_mut().filter(|_| listed);
                        last.into_iter().for_each(|own| own.is_known_limit = true);
                    }
                }
            }
        });
        self.ledger.published.insert(id, counts);
        self.stale_keys(id);
    }

    /// Whether what the outside holds is from the surviving history.
    fn stale_keys(&mut self, id: OperatorIndex) {
        for ((operator, key), write) in &self.published.upserted {
            if *operator != id || !write.is_undone {
                continue;
            }
            // A job that starts from the savepoint will write it again.
            if self.job == Job::Stopped && !self.is_read(write.entry) {
                continue;
            }
            if !self.job.is_over() {
                self.output.n_pending += 1;
            } else if self.output.stale.len() < Judgement::LISTED_MAX {
                let selector = self.graph.keys_of(id);
                self.output.stale.push(StaleKey {
                    operator: named::operator(self.graph, id),
                    key: key.zip(selector).map(|(key, selector)| selector.text(key)),
                    record: self.record(write.entry),
                    step: u64::from(write.entry.step),
                });
            }
        }
    }

    /// Whether the input record behind something was read in the surviving history.
    fn is_read(&self, entry: Entry) -> bool {
        let (split, _) = self.history.origins.of(entry.origin);
        self.ledger.read[split.index()].at(entry.offset).0 > 0
    }

    fn state_too_often(&mut self, id: OperatorIndex, seen: &[Seen], expected: u32) {
        self.mark_uncertain(seen[0].0);
        self.state.n_too_often += 1;
        if self.state.too_often.len() < Judgement::LISTED_MAX {
            let counts = (seen.len() as u32, expected);
            let miscount = self.miscount(self.counted_by(id), (id, seen), counts);
            self.state.too_often.push(miscount);
        }
    }

    fn state_missing(&mut self, id: OperatorIndex, sent: &[Seen]) {
        self.mark_uncertain(sent[0].0);
        let can_come = |sent: &Seen| self.history.can_be_in_flight(*sent);
        if !self.job.is_over() && sent.last().is_some_and(can_come) {
            self.state.n_pending += 1;
            return;
        }
        self.state.n_lost += 1;
        if self.state.lost.len() < Judgement::LISTED_MAX {
            let miscount = self.miscount(self.counted_by(id), (id, sent), (0, 1));
            self.state.lost.push(miscount);
        }
    }

    fn list_output(&mut self, list: List, seen: (OperatorIndex, &[Seen]), counts: (u32, u32)) {
        let place = match list {
            List::Lost => &self.output.lost,
            List::TooOften => &self.output.too_often,
            List::Overwritten => &self.output.overwritten,
        };
        if place.len() >= Judgement::LISTED_MAX {
            return;
        }
        let miscount = self.miscount(Count::Published, seen, counts);
        match list {
            List::Lost => &mut self.output.lost,
            List::TooOften => &mut self.output.too_often,
            List::Overwritten => &mut self.output.overwritten,
        }
        .push(miscount);
    }

    fn miscount(
        &self,
        what: Count,
        (operator, seen): (OperatorIndex, &[Seen]),
        (n, expected): (u32, u32),
    ) -> Miscount {
        Miscount {
            what,
            record: self.record(seen[0].0),
            operator: named::operator(self.graph, operator),
            n,
            expected,
            sightings: self.sightings(seen),
            is_known_limit: false,
        }
    }

    /// What it means to pass an operator that is no sink.
    fn counted_by(&self, id: OperatorIndex) -> Count {
        match self.graph.job.operators[id.index()].kind {
            OperatorKind::Source { .. } => Count::Read,
            _ => Count::Counted,
        }
    }

    fn sightings(&self, seen: &[Seen]) -> Vec<Sighting> {
        let sighting = |(entry, task): &Seen| Sighting {
            step: u64::from(entry.step),
            task: named::task(self.graph, *task),
        };
        seen.iter().map(sighting).collect()
    }

    fn record(&self, entry: Entry) -> Named<RecordId> {
        let (split, path) = self.history.origins.of(entry.origin);
        named::record(self.graph, RecordId { split, offset: entry.offset, path })
    }

    fn mark_uncertain(&mut self, entry: Entry) {
        let (split, _) = self.history.origins.of(entry.origin);
        self.uncertain.insert((split, entry.offset));
    }

    fn count(&self, counts: &mut Counts, seen: Option<&Seen>, (n, expected): (u32, u32)) {
        let Some((entry, _)) = seen else { return };
        let runs = counts.entry(self.history.origins.of(entry.origin)).or_default();
        runs.push(Run { first: entry.offset, last: entry.offset, n, expected });
    }
}
