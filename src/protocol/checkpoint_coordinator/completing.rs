//! From the acknowledgements to completion, or to the end of an attempt at
//! it.
//!
//! Source: Flink `CheckpointCoordinator.receiveAcknowledgeMessage`,
//! `receiveDeclineMessage`, `completePendingCheckpoint`,
//! `abortPendingCheckpoint`.

use super::failure_manager::CheckpointFailure;
use super::messages::{CoordinatorEffect, LastCheckpoint, Service};
use super::pending::{AcknowledgeResult, PendingCheckpoint, Sender};
use super::request::RequestOutcome;
use super::{EXPIRED_MAX, Turn};
use crate::model::{CheckpointFailureReason, CheckpointId, SubtaskIndex, SubtaskLife};
use crate::protocol::checkpoint_plan::PartialFinishing;
use crate::protocol::completed_checkpoint_store::{CheckpointOrigin, CompletedCheckpoint};
use crate::protocol::retention::Cleanup;

impl Turn<'_> {
    /// A task has stored its state.
    // Flink 1.20: CheckpointCoordinator.receiveAcknowledgeMessage.
    pub(super) fn acknowledge(
        &mut self,
        (sender, life): (Sender, SubtaskLife),
        checkpoint: CheckpointId,
    ) {
        let coordinator = &mut *self.coordinator;
        let result = match (sender, coordinator.pending.get_mut(&checkpoint)) {
            (Sender::OtherJob { .. }, _) => AcknowledgeResult::WrongJob,
            (Sender::Task { .. }, Some(pending)) => pending.acknowledge(sender, life),
            (Sender::Task { .. }, None) if coordinator.expired.contains(&checkpoint) => {
                AcknowledgeResult::LateExpired
            }
            (Sender::Task { .. }, None) => AcknowledgeResult::UnknownCheckpoint,
        };
        self.effects.push(CoordinatorEffect::Acknowledge { sender, checkpoint, result });
        match result {
            AcknowledgeResult::Success => {
                let pending = &self.coordinator.pending;
                if pending.get(&checkpoint).is_some_and(PendingCheckpoint::is_fully_acknowledged) {
                    self.complete(checkpoint);
                }
            }
            AcknowledgeResult::Duplicate | AcknowledgeResult::WrongJob => {}
            AcknowledgeResult::UnknownTask
            | AcknowledgeResult::LateExpired
            | AcknowledgeResult::UnknownCheckpoint => {
                self.effects.push(CoordinatorEffect::DiscardState { sender, checkpoint });
            }
        }
    }

    /// A task cannot take part. Whoever it is, the checkpoint is given up;
    /// what another job says changes nothing (in Flink it is an error).
    // Flink 1.20: CheckpointCoordinator.receiveDeclineMessage.
    pub(super) fn decline(
        &mut self,
        sender: Sender,
        checkpoint: CheckpointId,
        reason: CheckpointFailureReason,
    ) {
        if let Sender::Task { task, .. } = sender {
            self.abort(checkpoint, reason, Some(task));
        }
    }

    /// Everything is acknowledged.
    // Flink 1.20: CheckpointCoordinator.completePendingCheckpoint.
    pub(super) fn complete(&mut self, checkpoint: CheckpointId) {
        let coordinator = &*self.coordinator;
        let Some(pending) = coordinator.pending.get(&checkpoint) else { return };
        if pending.finishing() == PartialFinishing::NotSupportedByState {
            let reason = CheckpointFailureReason::CheckpointDeclinedTaskClosing;
            return self.fail_to_finalize(checkpoint, reason);
        }
        if coordinator.is_broken(Service::Metadata) {
            let reason = CheckpointFailureReason::FinalizeCheckpointFailure;
            return self.fail_to_finalize(checkpoint, reason);
        }
        let is_stored = !pending.request.kind.is_savepoint();
        if is_stored && coordinator.is_broken(Service::CompletedStore) {
            return self.fail_to_store(checkpoint);
        }
        let Some(pending) = self.remove(checkpoint) else { return };
        let kind = pending.request.kind;
        self.effects.push(CoordinatorEffect::Complete { checkpoint, kind });
        let subsumed = if is_stored {
            self.keep(CompletedCheckpoint { id: checkpoint, origin: CheckpointOrigin::Taken })
        } else {
            None
        };
        self.answer(pending.request, RequestOutcome::Completed(checkpoint));
        self.coordinator.failures.on_success(checkpoint);
        self.coordinator.last_completion = Some(self.now);
        if is_stored || kind.is_synchronous() {
            self.subsume(checkpoint);
            self.effects.push(CoordinatorEffect::NotifyComplete {
                checkpoint,
                tasks: pending.plan.wait,
                subsumed,
                last: match self.coordinator.last {
                    Some(last) if checkpoint >= last => LastCheckpoint::Yes,
                    _ => LastCheckpoint::No,
                },
            });
            self.go_on_after_last(checkpoint);
        }
    }

    /// Takes a pending checkpoint out; the end of its life asks for two looks
    /// into the queue: when it is cleaned up and when it is out.
    fn remove(&mut self, checkpoint: CheckpointId) -> Option<PendingCheckpoint> {
        let pending = self.coordinator.pending.remove(&checkpoint)?;
        if self.coordinator.settings.timeout.is_some() {
            self.effects.push(CoordinatorEffect::DisarmExpiry(checkpoint));
        }
        self.poll_later();
        self.poll_later();
        Some(pending)
    }

    /// Puts a checkpoint into the store; gives the newest that is deleted for
    /// it. Each one that goes asks for a look into the queue.
    // Flink 1.20: CheckpointCoordinator.addCompletedCheckpointToStoreAndSubsumeOldest.
    pub(super) fn keep(&mut self, checkpoint: CompletedCheckpoint) -> Option<CheckpointId> {
        let removed = self.coordinator.store.add(checkpoint);
        for removed in &removed {
            self.poll_later();
            if removed.cleanup == Cleanup::Delete {
                self.effects.push(CoordinatorEffect::DiscardCheckpoint(removed.checkpoint));
            }
        }
        let newest = removed.last().filter(|removed| removed.cleanup == Cleanup::Delete);
        newest.map(|removed| removed.checkpoint)
    }

    /// Gives up the older pending checkpoints; savepoints are the user's.
    // Flink 1.20: CheckpointCoordinator.dropSubsumedCheckpoints.
    fn subsume(&mut self, checkpoint: CheckpointId) {
        let older = self.coordinator.pending.range(..checkpoint);
        let older = older.filter(|(_, pending)| !pending.request.kind.is_savepoint());
        let older: Vec<_> = older.map(|(id, _)| *id).collect();
        for id in older {
            self.abort(id, CheckpointFailureReason::CheckpointSubsumed, None);
        }
    }

    /// The metadata could not be written.
    // Flink 1.20: CheckpointCoordinator.finalizeCheckpoint.
    fn fail_to_finalize(&mut self, checkpoint: CheckpointId, reason: CheckpointFailureReason) {
        self.abort(checkpoint, reason, None);
        self.poll_later();
    }

    /// The metadata is written, but the list of completed checkpoints could
    /// not be.
    fn fail_to_store(&mut self, checkpoint: CheckpointId) {
        let reason = CheckpointFailureReason::FinalizeCheckpointFailure;
        let Some(pending) = self.remove(checkpoint) else { return };
        self.answer(pending.request, RequestOutcome::Failed(reason));
        let kind = pending.request.kind;
        self.effects.push(CoordinatorEffect::Abort { checkpoint, kind, reason });
        self.effects.push(CoordinatorEffect::DiscardCheckpoint(checkpoint));
        self.report(&pending, reason, None);
    }

    /// Gives up everything that is pending, the oldest first.
    pub(super) fn abort_all(&mut self, reason: CheckpointFailureReason) {
        let pending: Vec<_> = self.coordinator.pending.keys().copied().collect();
        pending.into_iter().for_each(|id| self.abort(id, reason, None));
    }

    /// Gives up what a task has not acknowledged.
    // Flink 1.9: CheckpointCoordinator.failUnacknowledgedPendingCheckpointsFor.
    pub(super) fn abort_unacknowledged(&mut self, task: SubtaskIndex) {
        let pending = self.coordinator.pending.iter();
        let open = pending.filter(|(_, pending)| !pending.is_acknowledged_by(task));
        let open: Vec<_> = open.map(|(id, _)| *id).collect();
        let reason = CheckpointFailureReason::TaskFailure;
        open.into_iter().for_each(|id| self.abort(id, reason, None));
    }

    /// Gives up a checkpoint, if it is pending.
    // Flink 1.20: CheckpointCoordinator.abortPendingCheckpoint.
    pub(super) fn abort(
        &mut self,
        checkpoint: CheckpointId,
        reason: CheckpointFailureReason,
        declined_by: Option<SubtaskIndex>,
    ) {
        let Some(pending) = self.remove(checkpoint) else { return };
        self.answer(pending.request, RequestOutcome::Failed(reason));
        for sender in pending.acknowledged() {
            self.effects.push(CoordinatorEffect::DiscardState { sender, checkpoint });
        }
        let kind = pending.request.kind;
        self.effects.push(CoordinatorEffect::Abort { checkpoint, kind, reason });
        self.report(&pending, reason, declined_by);
        if reason == CheckpointFailureReason::CheckpointExpired {
            let expired = &mut self.coordinator.expired;
            if expired.len() == EXPIRED_MAX {
                expired.pop_front();
            }
            expired.push_back(checkpoint);
        }
        if !is_the_end(reason) {
            self.go_on_after_last(checkpoint);
        }
    }

    /// Counts a failure and tells the tasks.
    fn report(
        &mut self,
        pending: &PendingCheckpoint,
        reason: CheckpointFailureReason,
        declined_by: Option<SubtaskIndex>,
    ) {
        let (checkpoint, kind) = (pending.id(), pending.request.kind);
        let failure = CheckpointFailure { checkpoint: Some(checkpoint), kind, reason, declined_by };
        let failed = self.coordinator.failures.on_failure(failure);
        let id = Some(checkpoint);
        let fail_job = |failure| CoordinatorEffect::FailJob { failure, checkpoint: id, reason };
        self.effects.extend(failed.map(fail_job));
        self.effects.push(CoordinatorEffect::NotifyAbort {
            checkpoint,
            tasks: pending.plan.wait.clone(),
            reason,
            latest_completed: self.coordinator.store.latest(),
        });
    }
}

/// Whether a checkpoint is given up because the whole attempt is over.
fn is_the_end(reason: CheckpointFailureReason) -> bool {
    matches!(
        reason,
        CheckpointFailureReason::CheckpointCoordinatorSuspend
            | CheckpointFailureReason::CheckpointCoordinatorShutdown
    )
}
