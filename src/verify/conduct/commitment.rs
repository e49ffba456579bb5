//! A transaction is committed once, after its checkpoint is complete, and in
//! order; it is never thrown away after that.
//!
//! Four mistakes have names: *early publish*, *lost publish*, *double publish*,
//! *ghost writer*.
//!
//! Source: Flink `TwoPhaseCommitSinkFunction`.

use std::collections::BTreeMap;

use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use super::fencing::{Fencing, Life};
use crate::model::{
    Attempt, CheckpointId, ExecutionGraph, OperatorKind, RecordId, SinkKind, SnapshotState,
    SubtaskIndex, TransactionId,
};
use crate::verify::given::Given;

/// Whether an operator writes into transactions.
pub(super) fn is_transactional(kind: &OperatorKind) -> bool {
    matches!(kind, OperatorKind::Sink(SinkKind::Transactional))
}

/// The transactions of every sink.
#[derive(Debug)]
pub(super) struct Commitment {
    sinks: Vec<Sink>,
    /// A job without checkpoints commits at its end.
    takes_checkpoints: bool,
}

/// The transactions of one sink subtask.
#[derive(Clone, Debug, Default)]
struct Sink {
    is_transactional: bool,
    open: Option<(TransactionId, u64)>,
    /// Begun in the running attempt.
    n_begun: u32,
    prepared: Vec<Prepared>,
    committed: BTreeMap<TransactionId, u64>,
    is_at_end: bool,
}

#[derive(Clone, Copy, Debug)]
struct Prepared {
    id: TransactionId,
    checkpoint: CheckpointId,
    n_records: u64,
    step: u64,
}

impl Commitment {
    pub(super) fn new(graph: &ExecutionGraph, takes_checkpoints: bool) -> Self {
        let first = |subtask| TransactionId { subtask, attempt: Attempt(1), number: 1 };
        let sink = |task: SubtaskIndex| {
            let is_transactional = is_transactional(&graph.operator(task).kind);
            let open = is_transactional.then(|| (first(task), 0));
            Sink { is_transactional, open, n_begun: 1, ..Sink::default() }
        };
        Self { sinks: graph.subtask_indices().map(sink).collect(), takes_checkpoints }
    }

    /// A job starts with what another one has prepared, and with nothing open.
    pub(super) fn given(&mut self, given: &Given, step: u64) {
        for sink in &mut self.sinks {
            sink.open = None;
            sink.n_begun = 0;
        }
        for one in &given.transactions {
            let (id, checkpoint, n_records) = (one.id, one.checkpoint, one.records.len() as u64);
            let prepared = Prepared { id, checkpoint, n_records, step };
            self.sinks[id.subtask.index()].prepared.push(prepared);
        }
    }

    /// A sink has processed a record.
    #[inline]
    pub(super) fn written(
        &mut self,
        (task, record): (SubtaskIndex, RecordId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let sink = &mut self.sinks[task.index()];
        match &mut sink.open {
            Some((_, n_records)) => *n_records += 1,
            None if sink.is_transactional => {
                found.push(step, None, Wrong::WrittenNowhere { task, record });
            }
            None => {}
        }
    }

    /// A task is at the end of its data.
    pub(super) fn at_end(&mut self, task: SubtaskIndex) {
        self.sinks[task.index()].is_at_end = true;
    }

    pub(super) fn begun(
        &mut self,
        id: TransactionId,
        running: Attempt,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let sink = &mut self.sinks[id.subtask.index()];
        sink.n_begun += 1;
        if id.attempt != running || id.number != sink.n_begun || sink.open.is_some() {
            found.push(step, None, Wrong::NoSuchTransaction { transaction: id });
        }
        sink.open = Some((id, 0));
    }

    pub(super) fn prepared(
        &mut self,
        (id, checkpoint): (TransactionId, CheckpointId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let sink = &mut self.sinks[id.subtask.index()];
        match sink.open.take_if(|(open, _)| *open == id) {
            Some((_, n_records)) => {
                sink.prepared.push(Prepared { id, checkpoint, n_records, step });
            }
            None => found.push(step, None, Wrong::NoSuchTransaction { transaction: id }),
        }
    }

    pub(super) fn committed(
        &mut self,
        (id, n_records): (TransactionId, u64),
        (checkpoints, fencing): (&Checkpoints, &Fencing),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let sink = &mut self.sinks[id.subtask.index()];
        let attempt = fencing.attempt_of(id.subtask);
        let may_commit = match fencing.life(id.subtask) {
            Life::Running => id.attempt == attempt,
            Life::Restoring => id.attempt < attempt,
            Life::Dead | Life::Finished => false,
        };
        if !may_commit {
            found.push(step, None, Wrong::GhostWriter { transaction: id, attempt });
        }
        let n_written = if let Some(place) = sink.prepared.iter().position(|own| own.id == id) {
            let own = sink.prepared.remove(place);
            if may_commit && checkpoints.covered_at(own.checkpoint).is_none() {
                let (transaction, checkpoint) = (id, Some(own.checkpoint));
                found.push(step, Some(own.step), Wrong::EarlyPublish { transaction, checkpoint });
            }
            if let Some(older) = sink.prepared[..place].last() {
                let wrong = Wrong::CommittedOutOfOrder { transaction: id, older: older.id };
                found.push(step, Some(older.step), wrong);
            }
            Some(own.n_records)
        } else if let Some((_, n)) = sink.open.take_if(|(open, _)| *open == id) {
            // Of a dead sink that is said already.
            if may_commit && (self.takes_checkpoints || !sink.is_at_end) {
                let wrong = Wrong::EarlyPublish { transaction: id, checkpoint: None };
                found.push(step, None, wrong);
            }
            Some(n)
        } else {
            match sink.committed.get(&id) {
                Some(since) => {
                    found.push(step, Some(*since), Wrong::DoublePublish { transaction: id });
                }
                None => found.push(step, None, Wrong::NoSuchTransaction { transaction: id }),
            }
            None
        };
        sink.committed.insert(id, step);
        size((id, n_records), n_written, step, found);
    }

    pub(super) fn aborted(
        &mut self,
        (id, n_records): (TransactionId, u64),
        (checkpoints, fencing): (&Checkpoints, &Fencing),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let sink = &mut self.sinks[id.subtask.index()];
        let n_written = if let Some(place) = sink.prepared.iter().position(|own| own.id == id) {
            let own = sink.prepared.remove(place);
            // What is prepared is thrown away by a restart only.
            if fencing.life(id.subtask) == Life::Restoring {
                lost(&own, checkpoints.restored_at(own.checkpoint), step, found);
            } else {
                let (transaction, checkpoint) = (id, own.checkpoint);
                found.push(step, Some(own.step), Wrong::LostPublish { transaction, checkpoint });
            }
            Some(own.n_records)
        } else if let Some((_, n)) = sink.open.take_if(|(open, _)| *open == id) {
            Some(n)
        } else {
            found.push(step, None, Wrong::NoSuchTransaction { transaction: id });
            None
        };
        size((id, n_records), n_written, step, found);
    }

    /// An attempt of a task begins.
    pub(super) fn restarted(&mut self, task: SubtaskIndex) {
        self.sinks[task.index()].n_begun = 0;
    }

    /// Whether a snapshot names the prepared transactions.
    pub(super) fn agrees(&self, task: SubtaskIndex, state: &SnapshotState) -> bool {
        let SnapshotState::Transactions(named) = state else { return true };
        let own = self.sinks[task.index()].prepared.iter();
        own.map(|own| (own.id, own.checkpoint)).eq(named.iter().copied())
    }

    /// A sink begins anew: whatever it had prepared must be settled.
    pub(super) fn restored(
        &mut self,
        task: SubtaskIndex,
        checkpoints: &Checkpoints,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let sink = &mut self.sinks[task.index()];
        sink.is_at_end = false;
        for own in sink.prepared.drain(..) {
            lost(&own, checkpoints.restored_at(own.checkpoint), step, found);
        }
    }

    /// The job is over: what its checkpoints cover must be committed.
    pub(super) fn job_ends(
        &mut self,
        checkpoints: &Checkpoints,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        for own in self.sinks.iter().flat_map(|sink| &sink.prepared) {
            lost(own, checkpoints.covered_at(own.checkpoint), step, found);
        }
    }
}

/// Nobody will ever commit a transaction. An empty one misses nobody.
fn lost(own: &Prepared, since: Option<u64>, step: u64, found: &mut ConductJudgement) {
    if let Some(since) = since.filter(|_| own.n_records > 0) {
        let wrong = Wrong::LostPublish { transaction: own.id, checkpoint: own.checkpoint };
        found.push(step, Some(since), wrong);
    }
}

fn size(
    (transaction, n_records): (TransactionId, u64),
    n_written: Option<u64>,
    step: u64,
    found: &mut ConductJudgement,
) {
    if let Some(n_written) = n_written.filter(|n| *n != n_records) {
        found.push(step, None, Wrong::TransactionSize { transaction, n_records, n_written });
    }
}
