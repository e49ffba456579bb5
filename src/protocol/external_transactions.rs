//! The transactions of an external system, which gives up those that nobody
//! ends in time, and what a sink makes of that.
//!
//! Knows transactions by name only; what is in them lies outside. Whose turn
//! it is to begin or commit one is [`super::TwoPhaseCommitSink`]'s business.
//!
//! Source: Flink `TwoPhaseCommitSinkFunction.recoverAndCommitInternal`.

use std::collections::BTreeMap;

use crate::model::{Micros, Time, TransactionId};

/// How long transactions live, and whether a lost one matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransactionTimeouts {
    /// After so long since its beginning the external system aborts a
    /// transaction; none: never.
    pub external: Option<Micros>,
    /// What the sink does when a commit fails after a restart.
    pub on_timeout: OnTransactionTimeout,
}

/// What a sink does when it cannot commit what it has promised to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OnTransactionTimeout {
    /// The job fails, again and again.
    FailJob,
    /// The loss is written to the log when the transaction is older than this,
    /// and the job goes on.
    // Flink 1.20: TwoPhaseCommitSinkFunction.ignoreFailuresAfterTransactionTimeout.
    IgnoreAfter(Micros),
}

/// What came of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommitOutcome {
    /// The transaction is visible.
    Committed,
    /// It has been given up; the job fails.
    Failed,
    /// It has been given up; what it held is lost, and the job goes on.
    Lost,
}

/// The transactions that are not ended, by when they were begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternalTransactions {
    timeouts: TransactionTimeouts,
    open: BTreeMap<TransactionId, Time>,
}

impl ExternalTransactions {
    /// A system without transactions.
    #[must_use]
    pub fn new(timeouts: TransactionTimeouts) -> Self {
        Self { timeouts, open: BTreeMap::new() }
    }

    /// A transaction is begun.
    pub fn begin(&mut self, now: Time, transaction: TransactionId) {
        self.open.insert(transaction, now);
    }

    /// A transaction is aborted; one that is gone already is no error.
    pub fn abort(&mut self, transaction: TransactionId) {
        self.open.remove(&transaction);
    }

    /// A transaction is to be committed after a restart, where the sink cannot
    /// know whether it has been before. One that the system does not know any
    /// more, other than for its age, has been.
    pub fn recover_and_commit(&mut self, now: Time, transaction: TransactionId) -> CommitOutcome {
        let Some(begun) = self.open.get(&transaction).copied() else {
            return CommitOutcome::Committed;
        };
        if !self.is_given_up(now, begun) {
            self.open.remove(&transaction);
            return CommitOutcome::Committed;
        }
        match self.timeouts.on_timeout {
            OnTransactionTimeout::IgnoreAfter(age) if now > begun.after(age) => {
                self.open.remove(&transaction);
                CommitOutcome::Lost
            }
            _ => CommitOutcome::Failed,
        }
    }

    /// Transactions that are neither ended nor given up, oldest first.
    pub fn open(&self, now: Time) -> impl Iterator<Item = TransactionId> {
        let open = self.open.iter();
        open.filter(move |(_, begun)| !self.is_given_up(now, **begun)).map(|(id, _)| *id)
    }

    fn is_given_up(&self, now: Time, begun: Time) -> bool {
        self.timeouts.external.is_some_and(|timeout| now >= begun.after(timeout))
    }
}
