//! What the outside has seen: all that sinks have ever published, in every
//! attempt. A failure takes nothing of it back.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::gather::Seen;
use super::history::{Entry, History};
use crate::model::{
    Attempt, ChannelIndex, ExecutionGraph, Key, OperatorIndex, OperatorKind, SinkKind,
    SubtaskIndex, TransactionId,
};

/// Follows every sink subtask.
#[derive(Debug)]
pub(super) struct Published {
    /// By subtask: what has been published, in order.
    pub(super) seen: Vec<Vec<Entry>>,
    /// By subtask: what kind of sink it is part of, if it is.
    sinks: Vec<Option<SinkKind>>,
    /// By subtask: the transaction that is written into.
    open: Vec<Option<TransactionId>>,
    /// Written and neither committed nor aborted.
    unsettled: BTreeMap<TransactionId, Vec<Entry>>,
    /// Where in `seen` the records of a committed transaction are.
    committed: BTreeMap<TransactionId, Range<usize>>,
    /// Of the transactions that a job starts with, those that the job before has
    /// committed already.
    pub(super) again: BTreeSet<TransactionId>,
    /// Written by transactions that were committed with a savepoint which the job
    /// has left behind: what they hold comes again.
    come_again: BTreeSet<Seen>,
    /// What the outside holds at an idempotent sink.
    pub(super) upserted: BTreeMap<(OperatorIndex, Option<Key>), LastWrite>,
}

/// The last write under a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastWrite {
    /// What.
    pub(super) entry: Entry,
    /// Where it is in the history, as long as that has it.
    channel: ChannelIndex,
    place: usize,
    /// Whether a failure has undone the processing of the record.
    pub(super) is_undone: bool,
}

impl Published {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let sinks: Vec<_> = graph
            .subtask_indices()
            .map(|task| match graph.operator(task).kind {
                OperatorKind::Sink(kind) => Some(kind),
                _ => None,
            })
            .collect();
        // Every transactional sink starts with its first transaction open.
        let first = |subtask| TransactionId { subtask, attempt: Attempt(1), number: 1 };
        let open: Vec<_> = graph
            .subtask_indices()
            .map(|task| (sinks[task.index()] == Some(SinkKind::Transactional)).then(|| first(task)))
            .collect();
        Self {
            seen: vec![Vec::new(); sinks.len()],
            unsettled: open.iter().flatten().map(|id| (*id, Vec::new())).collect(),
            sinks,
            open,
            committed: BTreeMap::new(),
            again: BTreeSet::new(),
            come_again: BTreeSet::new(),
            upserted: BTreeMap::new(),
        }
    }

    /// A task has processed a record, which the history has just taken in.
    ///
    /// # Errors
    /// When a transactional sink has no transaction open.
    pub(super) fn processed(
        &mut self,
        graph: &ExecutionGraph,
        history: &History,
        (channel, key): (ChannelIndex, Option<Key>),
    ) -> Result<(), String> {
        let task = graph.channels[channel.index()].to;
        let Some(kind) = self.sinks[task.index()] else { return Ok(()) };
        let log = &history.processed[channel.index()].entries;
        let place = log.len() - 1;
        let entry = log[place];
        match kind {
            SinkKind::Publish => self.seen[task.index()].push(entry),
            SinkKind::Idempotent => {
                self.seen[task.index()].push(entry);
                let place = (graph.subtasks[task.index()].operator, key);
                let write = LastWrite { entry, channel, place: log.len() - 1, is_undone: false };
                self.upserted.insert(place, write);
            }
            SinkKind::Transactional => {
                let open = self.open[task.index()].and_then(|id| self.unsettled.get_mut(&id));
                open.ok_or("a record is written and no transaction is open")?.push(entry);
            }
        }
        Ok(())
    }

    /// A job starts with what another one has prepared, and with nothing open.
    pub(super) fn given(&mut self, prepared: impl Iterator<Item = (TransactionId, Vec<Entry>)>) {
        self.unsettled = prepared.collect();
        self.open.fill(None);
    }

    /// A sink has begun a transaction.
    pub(super) fn begun(&mut self, id: TransactionId) {
        self.open[id.subtask.index()] = Some(id);
        self.unsettled.entry(id).or_default();
    }

    /// A sink has closed its transaction.
    pub(super) fn prepared(&mut self, id: TransactionId) {
        self.open[id.subtask.index()].take_if(|open| *open == id);
    }

    /// A transaction has been committed. One that is committed again publishes
    /// its records again.
    ///
    /// # Errors
    /// When nobody began it, or it holds another number of records.
    pub(super) fn committed(&mut self, id: TransactionId, n_records: u64) -> Result<(), String> {
        if self.again.contains(&id) && self.unsettled.remove(&id).is_some() {
            return Ok(()); // nobody outside notices
        }
        let seen = &mut self.seen[id.subtask.index()];
        let from = seen.len();
        if let Some(records) = self.unsettled.remove(&id) {
            seen.extend(records);
        } else if let Some(again) = self.committed.get(&id) {
            seen.extend_from_within(again.clone());
        } else {
            return Err("a transaction is committed that is not there".to_owned());
        }
        let n_written = seen.len() - from;
        self.committed.insert(id, from..seen.len());
        if n_written as u64 == n_records {
            Ok(())
        } else {
            Err(format!("a transaction of {n_written} records commits {n_records}"))
        }
    }

    /// What these transactions have published, if they were committed, will come
    /// again.
    pub(super) fn come_again(&mut self, transactions: &[TransactionId]) {
        for id in transactions {
            let task = id.subtask;
            let own = self.committed.get(id).map(|own| &self.seen[task.index()][own.clone()]);
            self.come_again.extend(own.into_iter().flatten().map(|entry| (*entry, task)));
        }
    }

    /// Whether something published comes again because the job did not stop with
    /// its savepoint.
    pub(super) fn comes_again(&self, seen: &Seen) -> bool {
        !self.come_again.is_empty() && self.come_again.contains(seen)
    }

    /// The transactions that have been committed.
    pub(super) fn committed_ids(&self) -> impl Iterator<Item = &TransactionId> {
        self.committed.keys()
    }

    /// A transaction has been aborted.
    pub(super) fn aborted(&mut self, id: TransactionId) {
        self.unsettled.remove(&id);
    }

    /// Notes which last writes the restart has undone; the history has just
    /// been cut back.
    pub(super) fn restarted(&mut self, history: &History) {
        for write in self.upserted.values_mut() {
            let log = &history.processed[write.channel.index()].entries;
            write.is_undone |= write.place >= log.len();
        }
    }

    /// What is written into transactions of a subtask and can still be
    /// published.
    pub(super) fn unsettled(&self, task: SubtaskIndex) -> impl Iterator<Item = Entry> {
        let own = self.unsettled.iter().filter(move |(id, _)| id.subtask == task);
        own.flat_map(|(_, records)| records.iter().copied())
    }
}
