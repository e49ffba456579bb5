//! A sink whose output becomes visible with the checkpoint that covers it.
//!
//! Knows transactions by name only; what is in them lies outside.
//!
//! Source: Flink `TwoPhaseCommitSinkFunction`.

use crate::model::{Attempt, CheckpointId, SubtaskIndex, TransactionId};

/// Something that comes to the sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwoPhaseCommitInput {
    /// Its snapshot is due.
    Snapshot(CheckpointId),
    /// A checkpoint is complete.
    Completed(CheckpointId),
    /// The same to one that commits only what it has prepared for just this
    /// one ([`crate::model::Mutation::CommitExactCheckpoint`]).
    CompletedAlone(CheckpointId),
    /// A checkpoint is given up, to one that throws away what it has prepared
    /// for it ([`crate::model::Mutation::AbortDropsPrepared`]).
    Dropped(CheckpointId),
    /// A checkpoint is given up, to one that puts what it has prepared for it into
    /// the open transaction ([`crate::model::Mutation::MergeAborted`]).
    Merged(CheckpointId),
    /// A checkpoint is complete, to one that takes ids which it has committed
    /// before for done ([`crate::model::Mutation::SkipCommittedIds`]).
    CompletedIfNew(CheckpointId),
    /// No record can come any more; the next snapshot opens no transaction.
    EndOfData,
    /// The task finishes with no checkpoint to wait for. A job that takes no
    /// checkpoints at all commits now; one that does loses what it has open.
    Finish {
        /// Whether the job takes checkpoints.
        with_checkpoints: bool,
    },
    /// The task is closed in good order before its end: what nobody has
    /// prepared is thrown away.
    Close,
    /// A new attempt begins with the restored transactions.
    Restore {
        /// The new attempt.
        attempt: Attempt,
        /// Prepared transactions that the restored snapshot knows.
        prepared: Vec<(TransactionId, CheckpointId)>,
    },
}

/// Something that the sink asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoPhaseCommitEffect {
    /// Open a transaction.
    Begin(TransactionId),
    /// Flush a transaction so that it can be committed at any time later.
    Prepare(TransactionId, CheckpointId),
    /// Make it visible.
    Commit(TransactionId),
    /// Throw it away.
    Abort(TransactionId),
    /// Move its records to the front of another, which breaks a rule.
    Merge {
        /// The one that is gone then.
        from: TransactionId,
        /// The other.
        into: TransactionId,
    },
}

/// The transactions of one sink subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TwoPhaseCommitSink {
    subtask: SubtaskIndex,
    attempt: Attempt,
    n_begun: u32,
    ended: bool,
    open: Option<TransactionId>,
    /// Prepared and not known to be committed, oldest first.
    prepared: Vec<(TransactionId, CheckpointId)>,
    /// The highest id that it has committed for, where it remembers that.
    highest: Option<CheckpointId>,
}

impl TwoPhaseCommitSink {
    /// A sink with its first transaction open.
    #[must_use]
    pub fn new(subtask: SubtaskIndex) -> Self {
        let attempt = Attempt(1);
        let first = TransactionId { subtask, attempt, number: 1 };
        Self {
            subtask,
            attempt,
            n_begun: 1,
            ended: false,
            open: Some(first),
            prepared: Vec::new(),
            highest: None,
        }
    }

    /// A sink of a job that starts from a savepoint, before it has its state:
    /// nothing is open, and what the job before has prepared waits.
    #[must_use]
    pub fn restoring(subtask: SubtaskIndex, prepared: Vec<(TransactionId, CheckpointId)>) -> Self {
        Self { open: None, n_begun: 0, prepared, ..Self::new(subtask) }
    }

    /// Prepared transactions, oldest first: what a snapshot stores.
    #[must_use]
    pub fn prepared(&self) -> &[(TransactionId, CheckpointId)] {
        &self.prepared
    }

    /// Handles an input.
    pub fn on(&mut self, input: TwoPhaseCommitInput, effects: &mut Vec<TwoPhaseCommitEffect>) {
        match input {
            TwoPhaseCommitInput::Snapshot(checkpoint) => {
                if let Some(open) = self.open.take() {
                    effects.push(TwoPhaseCommitEffect::Prepare(open, checkpoint));
                    self.prepared.push((open, checkpoint));
                }
                if !self.ended {
                    self.begin(effects);
                }
            }
            TwoPhaseCommitInput::Completed(checkpoint) => {
                // Everything up to the id: a notice may have been lost.
                self.prepared.retain(|(transaction, prepared_for)| {
                    let due = *prepared_for <= checkpoint;
                    if due {
                        effects.push(TwoPhaseCommitEffect::Commit(*transaction));
                    }
                    !due
                });
            }
            TwoPhaseCommitInput::EndOfData => self.ended = true,
            TwoPhaseCommitInput::Finish { with_checkpoints } => {
                effects.extend(self.open.take().map(|open| match with_checkpoints {
                    true => TwoPhaseCommitEffect::Abort(open),
                    false => TwoPhaseCommitEffect::Commit(open),
                }));
            }
            TwoPhaseCommitInput::CompletedAlone(checkpoint) => {
                let due = self.prepared.extract_if(.., |(_, of)| *of == checkpoint);
                effects.extend(due.map(|(id, _)| TwoPhaseCommitEffect::Commit(id)));
            }
            TwoPhaseCommitInput::CompletedIfNew(checkpoint) => {
                let due = self.prepared.extract_if(.., |(_, of)| *of <= checkpoint);
                let new = due.filter(|(_, of)| Some(*of) > self.highest);
                effects.extend(new.map(|(id, _)| TwoPhaseCommitEffect::Commit(id)));
                self.highest = self.highest.max(Some(checkpoint));
            }
            TwoPhaseCommitInput::Merged(checkpoint) => {
                if let Some(into) = self.open {
                    let due = self.prepared.extract_if(.., |(_, of)| *of == checkpoint);
                    effects.extend(due.map(|(from, _)| TwoPhaseCommitEffect::Merge { from, into }));
                }
            }
            TwoPhaseCommitInput::Dropped(checkpoint) => {
                let due = self.prepared.extract_if(.., |(_, of)| *of == checkpoint);
                effects.extend(due.map(|(id, _)| TwoPhaseCommitEffect::Abort(id)));
            }
            // Flink 1.20: TwoPhaseCommitSinkFunction.close.
            TwoPhaseCommitInput::Close => {
                effects.extend(self.open.take().map(TwoPhaseCommitEffect::Abort));
            }
            TwoPhaseCommitInput::Restore { attempt, prepared } => {
                self.restore(attempt, &prepared, effects);
            }
        }
    }

    /// Commits what the restored snapshot knows as prepared, unless that has
    /// been done before, and aborts the rest.
    // Differs: Flink cannot know the transactions that were begun after the
    // restored checkpoint; they leak until the external system times them out.
    // Here they are aborted at the restart.
    fn restore(
        &mut self,
        attempt: Attempt,
        restored: &[(TransactionId, CheckpointId)],
        effects: &mut Vec<TwoPhaseCommitEffect>,
    ) {
        for (transaction, _) in std::mem::take(&mut self.prepared) {
            effects.push(if restored.iter().any(|(known, _)| *known == transaction) {
                TwoPhaseCommitEffect::Commit(transaction)
            } else {
                TwoPhaseCommitEffect::Abort(transaction)
            });
        }
        effects.extend(self.open.take().map(TwoPhaseCommitEffect::Abort));
        self.attempt = attempt;
        self.n_begun = 0;
        self.ended = false;
        self.begin(effects);
    }

    fn begin(&mut self, effects: &mut Vec<TwoPhaseCommitEffect>) {
        self.n_begun += 1;
        let transaction =
            TransactionId { subtask: self.subtask, attempt: self.attempt, number: self.n_begun };
        self.open = Some(transaction);
        effects.push(TwoPhaseCommitEffect::Begin(transaction));
    }
}
