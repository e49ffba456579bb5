//! Facts about checkpoints, told to the properties that they concern.

use super::breach::Wrong;
use super::fencing::{Job, Life};
use super::watch::Conduct;
use crate::model::{CheckpointFailureReason, CheckpointId, SnapshotState, SubtaskIndex};
use crate::trace::{Fact, RpcMessage};

impl Conduct<'_> {
    pub(super) fn came(&mut self, task: SubtaskIndex, message: RpcMessage) {
        let found = (self.step, &mut self.found);
        self.messages.came(&mut self.checkpoints, (task, message), found);
    }

    /// Facts about checkpoints; the others are told on.
    pub(super) fn about_checkpoints(&mut self, fact: &Fact) {
        let (graph, step) = (self.graph, self.step);
        match fact {
            Fact::CheckpointTriggered { checkpoint, snapshot, .. } => {
                if let Some(before) = self.checkpoints.newest.filter(|last| last >= checkpoint) {
                    let checkpoint = *checkpoint;
                    self.found.push(step, None, Wrong::IdsGoBack { checkpoint, before });
                }
                if self.fencing.job != Job::Running {
                    self.found.push(step, None, Wrong::GoesOnAfterEnd);
                }
                self.checkpoints.begin(*checkpoint, *snapshot, step);
            }
            Fact::FinishedTaskIncluded { task, checkpoint, state } => {
                if self.fencing.life(*task) != Life::Finished {
                    self.found.push(step, None, Wrong::DoneEarly { tasks: vec![*task] });
                }
                // It is included when the checkpoint begins.
                if self.checkpoints.pending.get(checkpoint) != Some(&step) {
                    let (task, checkpoint) = (*task, *checkpoint);
                    self.found.push(step, None, Wrong::StaleCounts { task, checkpoint });
                }
                if let Some(parts) = self.checkpoints.parts(*checkpoint) {
                    parts.acknowledged.insert(*task);
                }
                self.stored((*task, *checkpoint), state);
            }
            Fact::TriggerReceived { task, checkpoint } => {
                self.acts(*task);
                self.came(*task, RpcMessage::Trigger(*checkpoint));
                let own = self.inputs.task(*task);
                if own.triggered.insert(*checkpoint, step).is_some() {
                    let message = RpcMessage::Trigger(*checkpoint);
                    self.found.push(step, None, Wrong::Unsent { task: *task, message });
                }
                self.inputs.heard(*task, *checkpoint);
            }
            Fact::Announced { task, checkpoint, n_needed, n_received, .. } => {
                self.acts(*task);
                self.inputs.count(graph, *task, *checkpoint);
                self.counted((*task, *checkpoint), (*n_received, *n_needed));
                self.inputs.heard(*task, *checkpoint);
            }
            Fact::AlignmentTimedOut { task, checkpoint } => {
                self.acts(*task);
                if !self.inputs.is_under_way(*task, *checkpoint) {
                    let (task, checkpoint) = (*task, *checkpoint);
                    self.found.push(step, None, Wrong::TimedOutUnasked { task, checkpoint });
                }
                self.inputs.task(*task).unaligned.insert(*checkpoint);
            }
            Fact::AlignmentTimerDue { task, .. } => self.acts(*task),
            Fact::SnapshotTaken { task, checkpoint, state } => {
                self.acts(*task);
                let of = (*task, *checkpoint);
                let world = (graph, &mut self.inputs);
                self.barriers.taken(world, of, (step, &mut self.found));
                self.cuts.snapshot(*task, *checkpoint);
                self.inputs.over(*task, *checkpoint);
                if graph.takes_sync_time(*task) {
                    self.fencing.copies(*task, *checkpoint);
                }
                match self.checkpoints.parts(*checkpoint) {
                    Some(parts) => drop(parts.taken.insert(*task)),
                    None => {
                        let (task, checkpoint) = of;
                        self.found.push(step, None, Wrong::SnapshotUnasked { task, checkpoint });
                    }
                }
                self.stored(of, state);
            }
            Fact::SnapshotStored { task, checkpoint, .. } => {
                self.ends(*task);
                let (of, found) = ((*task, *checkpoint), (step, &mut self.found));
                self.completeness.stored(&mut self.checkpoints, of, found);
                let sender = (*task, self.fencing.attempt_of(*task));
                self.messages.acknowledges(sender, *checkpoint);
            }
            Fact::Declined { task, checkpoint, reason } => {
                self.ends(*task);
                self.messages.declines(*task, *checkpoint);
                let parts = self.checkpoints.parts(*checkpoint);
                if parts.is_some_and(|parts| !parts.decline(*task, *reason)) {
                    let (task, message) = (*task, RpcMessage::Decline(*checkpoint));
                    self.found.push(step, None, Wrong::Unsent { task, message });
                }
                self.inputs.over(*task, *checkpoint);
            }
            Fact::DeclineReceived { task, checkpoint, .. } => {
                self.came(*task, RpcMessage::Decline(*checkpoint));
            }
            Fact::Acknowledged { task, checkpoint } => {
                let (of, found) = ((*task, *checkpoint), (step, &mut self.found));
                let sender = (*task, self.fencing.attempt_of(*task));
                self.messages.acknowledged(sender, *checkpoint);
                let letters = (&self.messages, sender.1);
                self.completeness.acknowledged(&mut self.checkpoints, of, letters, found);
            }
            Fact::CheckpointCompleted { checkpoint } => {
                let world = (graph, &mut self.checkpoints);
                self.completeness.completed(world, *checkpoint, (step, &mut self.found));
            }
            Fact::CheckpointAborted { checkpoint, reason } => {
                // One that found no place in the storage has never begun.
                let is_refused = *reason == CheckpointFailureReason::IoException
                    && self.checkpoints.newest < Some(*checkpoint);
                if is_refused {
                    self.checkpoints.newest = Some(*checkpoint);
                }
                if !self.checkpoints.abort(*checkpoint) && !is_refused {
                    let checkpoint = *checkpoint;
                    self.found.push(step, None, Wrong::EndsUnbegun { checkpoint });
                }
                self.forget(*checkpoint);
            }
            Fact::CheckpointDiscarded { checkpoint } => {
                if self.checkpoints.completed.remove(checkpoint).is_none() {
                    let checkpoint = *checkpoint;
                    self.found.push(step, None, Wrong::EndsUnbegun { checkpoint });
                }
                if let Some(older) = self.checkpoints.oldest_kept(*checkpoint) {
                    let checkpoint = *checkpoint;
                    self.found.push(step, None, Wrong::DeletedOutOfOrder { checkpoint, older });
                }
                self.forget(*checkpoint);
            }
            Fact::CheckpointRetained { checkpoint } => {
                if !self.checkpoints.completed.contains_key(checkpoint) {
                    let checkpoint = *checkpoint;
                    self.found.push(step, None, Wrong::EndsUnbegun { checkpoint });
                }
            }
            Fact::Notified { task, checkpoint } => {
                self.acts(*task);
                self.came(*task, RpcMessage::Notify(*checkpoint));
            }
            Fact::AbortNotified { task, checkpoint } => {
                self.acts(*task);
                self.came(*task, RpcMessage::Abort(*checkpoint));
                self.inputs.aborted(*task, *checkpoint);
            }
            Fact::StateWritten { task, checkpoint, pieces, copy } => {
                self.ends(*task);
                let of = (*task, *checkpoint);
                let is_taken = self
                    .checkpoints
                    .parts(*checkpoint)
                    .is_some_and(|parts| parts.taken.contains(task));
                if !is_taken {
                    let (task, checkpoint) = of;
                    self.found.push(step, None, Wrong::StoredUntaken { task, checkpoint });
                }
                let found = (step, &mut self.found);
                self.completeness.written((graph, of), (pieces, copy.is_some()), found);
            }
            Fact::MetadataWritten { checkpoint, snapshot, .. } => {
                self.completeness.metadata_written(*checkpoint, *snapshot);
            }
            Fact::CheckpointDisposed { checkpoint } => self.completeness.disposed(*checkpoint),
            Fact::FilesDeleted { files } => {
                self.completeness.deleted(files, (step, &mut self.found));
            }
            Fact::SyncEnded { task, checkpoint } => {
                self.acts(*task);
                if !self.fencing.copied(*task, *checkpoint) {
                    let (task, checkpoint) = (*task, *checkpoint);
                    self.found.push(step, None, Wrong::StoredUntaken { task, checkpoint });
                }
            }
            Fact::WriteFailed { task, checkpoint, .. } => {
                self.ends(*task);
                self.messages.owes_decline(*task, *checkpoint);
            }
            _ => self.about_the_job(fact),
        }
    }

    /// A task's state is part of a checkpoint.
    fn stored(&mut self, (task, checkpoint): (SubtaskIndex, CheckpointId), state: &SnapshotState) {
        let (graph, step) = (self.graph, self.step);
        let what = (task, checkpoint, state);
        self.computation.stored(graph, what, (step, &mut self.found));
        if !self.commitment.agrees(task, state) {
            self.found.push(step, None, Wrong::SnapshotDiffers { task, checkpoint });
        }
        self.restores.stored((task, checkpoint), state, step);
        self.surgery.cut(task, checkpoint);
    }

    fn forget(&mut self, checkpoint: CheckpointId) {
        self.restores.forget(checkpoint);
        self.completeness.forget(checkpoint);
        self.surgery.forget(checkpoint);
    }
}
