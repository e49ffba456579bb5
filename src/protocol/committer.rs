//! The half of a sink that makes visible what the other half has written.
//!
//! Knows nothing of what a committable is; carrying out a commit, and what
//! comes of it, lies outside.
//!
//! Source: Flink `CommitterOperator`, `CheckpointCommittableManagerImpl`,
//! `CommitRequestImpl`.

use std::collections::BTreeMap;

use crate::model::CheckpointId;

/// What a commit came to, for one committable.
///
/// Source: Flink `Committer.CommitRequest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommitSignal {
    /// Nothing was signalled: it is committed.
    Committed,
    /// It was committed before.
    AlreadyCommitted,
    /// To be tried again.
    RetryLater,
    /// It cannot be committed, and that is nothing to worry about: it is
    /// dropped.
    FailedWithKnownReason,
    /// It cannot be committed, and nobody knows why: the job fails.
    FailedWithUnknownReason,
}

/// Something that comes to the committer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitterInput<Committable> {
    /// A checkpoint's committables have come, with its barrier.
    Committables(CheckpointId, Vec<Committable>),
    /// A checkpoint is complete.
    Completed(CheckpointId),
    /// What was asked for by [`CommitterEffect::Commit`] has been tried; one
    /// signal for each committable, in order.
    Tried(Vec<CommitSignal>),
}

/// Something that the committer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitterEffect<Committable> {
    /// Try to commit these, and report [`CommitterInput::Tried`] before
    /// anything else.
    Commit(Vec<Committable>),
    /// This one will never be committed.
    Drop(Committable),
    /// The job has to fail.
    FailJob,
}

/// The committables of one subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Committer<Committable> {
    /// `sink.committer.retries`.
    retries_max: u32,
    waiting: BTreeMap<CheckpointId, Vec<Committable>>,
    /// Checkpoints up to this one are to be committed.
    completed: Option<CheckpointId>,
    /// What is being tried, and how often it has been tried before.
    trying: Option<(Vec<Committable>, u32)>,
    failed: bool,
}

impl<Committable: Clone> Committer<Committable> {
    /// A committer that has nothing to commit.
    #[must_use]
    pub fn new(retries_max: u32) -> Self {
        let waiting = BTreeMap::new();
        Self { retries_max, waiting, completed: None, trying: None, failed: false }
    }

    /// A committer with the state of a checkpoint. What belongs to it is
    /// committed at once: the checkpoint is complete, or nobody would restore
    /// it.
    // Flink 1.20: CommitterOperator.initializeState.
    pub fn restore(
        retries_max: u32,
        checkpoint: CheckpointId,
        state: BTreeMap<CheckpointId, Vec<Committable>>,
        effects: &mut Vec<CommitterEffect<Committable>>,
    ) -> Self {
        let mut committer = Self { waiting: state, ..Self::new(retries_max) };
        committer.on(CommitterInput::Completed(checkpoint), effects);
        committer
    }

    /// What waits for its checkpoint, oldest first: what a snapshot stores.
    #[must_use]
    pub fn waiting(&self) -> &BTreeMap<CheckpointId, Vec<Committable>> {
        &self.waiting
    }

    /// Handles an input.
    pub fn on(
        &mut self,
        input: CommitterInput<Committable>,
        effects: &mut Vec<CommitterEffect<Committable>>,
    ) {
        match input {
            CommitterInput::Committables(checkpoint, committables) => {
                self.waiting.entry(checkpoint).or_default().extend(committables);
            }
            CommitterInput::Completed(checkpoint) => {
                self.completed = self.completed.max(Some(checkpoint));
                self.commit_next(effects);
            }
            CommitterInput::Tried(signals) => self.tried(&signals, effects),
        }
    }

    /// Tries the oldest checkpoint that is complete.
    // Flink 1.20: CommitterOperator.commitAndEmitCheckpoints.
    fn commit_next(&mut self, effects: &mut Vec<CommitterEffect<Committable>>) {
        let Some(first) = self.waiting.first_entry().filter(|_| self.trying.is_none()) else {
            return;
        };
        if Some(*first.key()) <= self.completed && !self.failed {
            let committables = first.remove();
            effects.push(CommitterEffect::Commit(committables.clone()));
            self.trying = Some((committables, 0));
        }
    }

    /// What has to be tried again is tried at once, but not for ever.
    // Flink 1.20: CheckpointCommittableManagerImpl.commit.
    fn tried(&mut self, signals: &[CommitSignal], effects: &mut Vec<CommitterEffect<Committable>>) {
        let Some((committables, n_retries)) = self.trying.take() else { return };
        let mut again = Vec::new();
        for (committable, signal) in committables.into_iter().zip(signals) {
            match signal {
                CommitSignal::Committed | CommitSignal::AlreadyCommitted => {}
                CommitSignal::RetryLater => again.push(committable),
                CommitSignal::FailedWithKnownReason => {
                    effects.push(CommitterEffect::Drop(committable));
                }
                CommitSignal::FailedWithUnknownReason => self.failed = true,
            }
        }
        self.failed |= !again.is_empty() && n_retries == self.retries_max;
        if self.failed {
            effects.push(CommitterEffect::FailJob);
        } else if again.is_empty() {
            self.commit_next(effects);
        } else {
            effects.push(CommitterEffect::Commit(again.clone()));
            self.trying = Some((again, n_retries + 1));
        }
    }
}
