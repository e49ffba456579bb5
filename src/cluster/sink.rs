//! What a sink subtask has written, and the outside that has seen it.
//!
//! The outside survives every failure of the job: what is published stays so,
//! and prepared transactions can still be committed.

use std::collections::BTreeMap;

use crate::model::{CheckpointId, Key, Record, SinkKind, SubtaskIndex, TransactionId};
use crate::protocol::{TwoPhaseCommitEffect, TwoPhaseCommitInput, TwoPhaseCommitSink};
use crate::trace::{Fact, Tail, Transaction};

/// One sink subtask with its part of the outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sink {
    /// What the outside has seen, in order.
    pub published: Tail,
    /// What the outside holds by key, for an idempotent sink.
    pub upserted: BTreeMap<Option<Key>, Record>,
    mode: Mode,
    /// What was committed, for a sink that does it again.
    committed: Option<Vec<Transaction>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Mode {
    Publish,
    Idempotent,
    Transactional {
        machine: TwoPhaseCommitSink,
        /// Begun, and neither committed nor aborted: the open one last.
        outside: Vec<Transaction>,
        /// Empty room for the records of the next transaction: that of the
        /// last one, since new memory costs more than what is written to it.
        room: Vec<Record>,
    },
}

impl Sink {
    /// A sink subtask at the start of a run.
    #[must_use]
    pub fn new(kind: SinkKind, subtask: SubtaskIndex) -> Self {
        let mode = match kind {
            SinkKind::Publish => Mode::Publish,
            SinkKind::Idempotent => Mode::Idempotent,
            SinkKind::Transactional => {
                let id = TransactionId { subtask, attempt: crate::model::Attempt(1), number: 1 };
                Mode::Transactional {
                    machine: TwoPhaseCommitSink::new(subtask),
                    outside: vec![Transaction { id, records: Vec::new() }],
                    room: Vec::new(),
                }
            }
        };
        Self { published: Tail::default(), upserted: BTreeMap::new(), mode, committed: None }
    }

    /// Takes over what the job before has prepared and the outside holds. Other
    /// sinks have nothing of the kind.
    pub fn take_over(&mut self, subtask: SubtaskIndex, prepared: Vec<(CheckpointId, Transaction)>) {
        let Mode::Transactional { machine, outside, .. } = &mut self.mode else { return };
        let ids = prepared.iter().map(|(checkpoint, one)| (one.id, *checkpoint)).collect();
        *machine = TwoPhaseCommitSink::restoring(subtask, ids);
        *outside = prepared.into_iter().map(|(_, one)| one).collect();
    }

    /// Writes a record.
    #[inline(always)]
    pub fn write(&mut self, record: &Record) {
        match &mut self.mode {
            Mode::Publish => self.published.push(*record),
            Mode::Idempotent => {
                self.published.push(*record);
                self.upserted.insert(record.key, *record);
            }
            Mode::Transactional { outside, .. } => {
                let open = outside.last_mut().expect("a sink that gets records has one open");
                open.records.push(*record);
            }
        }
    }

    /// Remembers what it commits, to do it again.
    #[must_use]
    pub fn that_recommits(mut self) -> Self {
        self.committed = Some(Vec::new());
        self
    }

    /// Commits a second time what was committed before, which breaks a rule
    /// ([`crate::model::Mutation::RecommitOnRestart`]).
    #[cold]
    pub fn recommit(&mut self, prepared: &[TransactionId], facts: &mut Vec<Fact>) {
        let committed = self.committed.iter().flatten();
        for Transaction { id, records } in committed.filter(|own| prepared.contains(&own.id)) {
            self.published.extend(records);
            let n_records = records.len() as u64;
            facts.push(Fact::TransactionCommitted { transaction: *id, n_records });
        }
    }

    /// Lets the two-phase-commit machine act; other sinks ignore it.
    pub fn on(&mut self, input: TwoPhaseCommitInput, facts: &mut Vec<Fact>) {
        let Mode::Transactional { machine, outside, room } = &mut self.mode else { return };
        let mut effects = Vec::new();
        machine.on(input, &mut effects);
        for effect in effects {
            match effect {
                TwoPhaseCommitEffect::Begin(transaction) => {
                    let records = std::mem::take(room);
                    outside.push(Transaction { id: transaction, records });
                    facts.push(Fact::TransactionBegun { transaction });
                }
                TwoPhaseCommitEffect::Prepare(transaction, checkpoint) => {
                    facts.push(Fact::TransactionPrepared { transaction, checkpoint });
                }
                TwoPhaseCommitEffect::Commit(transaction) => {
                    let records = take(outside, transaction);
                    let n_records = records.len() as u64;
                    self.published.extend(&records);
                    if let Some(committed) = &mut self.committed {
                        committed.push(Transaction { id: transaction, records: records.clone() });
                    }
                    *room = emptied(records);
                    facts.push(Fact::TransactionCommitted { transaction, n_records });
                }
                TwoPhaseCommitEffect::Merge { from, into } => {
                    let mut records = take(outside, from);
                    let open = outside.iter_mut().find(|own| own.id == into);
                    let open = open.expect("the machine names transactions that it has begun");
                    records.append(&mut open.records);
                    open.records = records;
                }
                TwoPhaseCommitEffect::Abort(transaction) => {
                    let records = take(outside, transaction);
                    let n_records = records.len() as u64;
                    *room = emptied(records);
                    facts.push(Fact::TransactionAborted { transaction, n_records });
                }
            }
        }
    }

    /// Prepared transactions with the checkpoints that they wait for; none for
    /// other sinks.
    #[must_use]
    pub fn prepared(&self) -> Option<&[(TransactionId, CheckpointId)]> {
        match &self.mode {
            Mode::Transactional { machine, .. } => Some(machine.prepared()),
            Mode::Publish | Mode::Idempotent => None,
        }
    }

    /// Transactions that are neither committed nor aborted, in the order in
    /// which they were begun.
    #[must_use]
    pub fn transactions(&self) -> &[Transaction] {
        match &self.mode {
            Mode::Transactional { outside, .. } => outside,
            Mode::Publish | Mode::Idempotent => &[],
        }
    }
}

fn emptied(mut records: Vec<Record>) -> Vec<Record> {
    records.clear();
    records
}

fn take(outside: &mut Vec<Transaction>, id: TransactionId) -> Vec<Record> {
    let place = outside.iter().position(|transaction| transaction.id == id);
    outside.remove(place.expect("the machine names transactions that it has begun")).records
}
