//! A complete checkpoint has the stored part of every task, and its files.
//!
//! Source: Flink `PendingCheckpoint.finalizeCheckpoint`,
//! `SharedStateRegistryImpl`.

use std::collections::BTreeMap;

use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use super::messages::Messages;
use crate::model::{
    Attempt, CheckpointId, ExecutionGraph, FileName, Location, SnapshotType, StateKind, StatePiece,
    SubtaskIndex,
};

/// The files that there are, and who needs them.
#[derive(Debug, Default)]
pub(super) struct Completeness {
    /// With their sizes; none where it is not known.
    files: BTreeMap<FileName, Option<u64>>,
    needs: BTreeMap<CheckpointId, Vec<FileName>>,
    /// A machine has died in this step: its files may be gone.
    machine_is_lost: bool,
    /// Deleted in this step.
    gone: Vec<FileName>,
}

impl Completeness {
    /// A task has written its part.
    pub(super) fn written(
        &mut self,
        (graph, (task, checkpoint)): (&ExecutionGraph, (SubtaskIndex, CheckpointId)),
        (pieces, has_copy): (&[StatePiece], bool),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        for (place, piece) in pieces.iter().enumerate() {
            let kind = match graph.operator(task).kind.has_keyed_state() {
                true => StateKind::Keyed,
                false => StateKind::Operator,
            };
            let is_own = piece.location.file().is_none_or(|file| match file {
                FileName::Exclusive { checkpoint: of, task: own, kind }
                | FileName::SavepointState { savepoint: of, task: own, kind } => {
                    (of, own, kind) == (checkpoint, task, piece.kind)
                }
                FileName::Shared { task: own, .. } => own == task,
                FileName::Metadata { .. }
                | FileName::SavepointMetadata { .. }
                | FileName::Local { .. } => false,
            });
            let file = piece.location.file();
            let mut before = pieces[..place].iter().map(|other| other.location.file());
            let is_twice = file.is_some() && before.any(|other| other == file);
            if !is_own || is_twice || ![kind, StateKind::Channel].contains(&piece.kind) {
                found.push(step, None, Wrong::WrittenWrong { task, checkpoint });
            }
            match piece.location {
                Location::Metadata => continue,
                Location::Written(file) => drop(self.files.insert(file, Some(piece.bytes))),
                Location::Reused(file) => match self.files.get(&file) {
                    None => found.push(step, None, Wrong::FileMissing { checkpoint, file }),
                    Some(Some(bytes)) if *bytes != piece.bytes => {
                        found.push(step, None, Wrong::WrittenWrong { task, checkpoint });
                    }
                    Some(_) => {}
                },
            }
            self.needs.entry(checkpoint).or_default().extend(piece.location.file());
        }
        if has_copy {
            self.files.insert(FileName::Local { checkpoint, task }, None);
        }
    }

    /// The metadata is written.
    pub(super) fn metadata_written(&mut self, checkpoint: CheckpointId, snapshot: SnapshotType) {
        let file = FileName::metadata(checkpoint, snapshot);
        self.files.insert(file, None);
        self.needs.entry(checkpoint).or_default().push(file);
    }

    /// Machines may be lost in this step.
    pub(super) fn crashed(&mut self) {
        self.machine_is_lost = true;
    }

    /// The user deletes a checkpoint: it needs nothing any more. Others may.
    pub(super) fn disposed(&mut self, checkpoint: CheckpointId) {
        self.needs.remove(&checkpoint);
    }

    /// Files are gone.
    pub(super) fn deleted(
        &mut self,
        gone: &[FileName],
        (step, found): (u64, &mut ConductJudgement),
    ) {
        for file in gone {
            if self.files.remove(file).is_none() {
                found.push(step, None, Wrong::NoSuchFile { file: *file });
            }
        }
        self.gone.extend(gone);
    }

    /// The step is over: what is gone must be what no checkpoint needs that is
    /// complete and not deleted, unless a machine was lost with its files.
    pub(super) fn step_ends(
        &mut self,
        checkpoints: &Checkpoints,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let machine_is_lost = std::mem::take(&mut self.machine_is_lost);
        if self.gone.is_empty() {
            return;
        }
        let gone = std::mem::take(&mut self.gone);
        let completed = checkpoints.completed.iter().filter(|_| !machine_is_lost);
        for (checkpoint, since) in completed {
            let needs = self.needs.get(checkpoint).into_iter().flatten();
            for file in needs.filter(|file| gone.contains(file)) {
                let wrong = Wrong::FileMissing { checkpoint: *checkpoint, file: *file };
                found.push(step, Some(*since), wrong);
            }
        }
    }

    /// The JobManager has an acknowledgement that counts.
    pub(super) fn acknowledged(
        &self,
        checkpoints: &mut Checkpoints,
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        (messages, attempt): (&Messages, Attempt),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let is_pending = checkpoints.pending.contains_key(&checkpoint);
        let mut is_new = false;
        let mut is_stored = false;
        if let Some(parts) = checkpoints.parts(checkpoint) {
            is_new = parts.acknowledged.insert(task);
            is_stored = parts.stored.contains(&task);
        }
        let is_stale = !is_stored && messages.is_stale_on_its_way(task, attempt);
        if !is_pending || !is_new || is_stale {
            found.push(step, None, Wrong::StaleCounts { task, checkpoint });
        } else if !is_stored {
            found.push(step, None, Wrong::AcknowledgedUnstored { task, checkpoint });
        }
    }

    /// A task has stored its part whole.
    pub(super) fn stored(
        &self,
        checkpoints: &mut Checkpoints,
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let is_right = checkpoints
            .parts(checkpoint)
            .is_some_and(|parts| parts.taken.contains(&task) && parts.stored.insert(task));
        if !is_right {
            found.push(step, None, Wrong::StoredUntaken { task, checkpoint });
        }
    }

    /// A checkpoint is declared complete.
    pub(super) fn completed(
        &self,
        (graph, checkpoints): (&ExecutionGraph, &mut Checkpoints),
        checkpoint: CheckpointId,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let since = checkpoints.pending.get(&checkpoint).copied();
        if let Some(parts) = checkpoints.parts(checkpoint) {
            for task in graph.subtask_indices().filter(|task| !parts.acknowledged.contains(task)) {
                found.push(step, since, Wrong::CompletedWithout { checkpoint, task });
            }
        }
        if !checkpoints.complete(checkpoint, step) {
            found.push(step, None, Wrong::EndsUnbegun { checkpoint });
        }
        let needs = self.needs.get(&checkpoint).into_iter().flatten();
        for file in needs.filter(|file| !self.files.contains_key(file)) {
            found.push(step, None, Wrong::FileMissing { checkpoint, file: *file });
        }
    }

    /// A checkpoint is gone, with what it needed.
    pub(super) fn forget(&mut self, checkpoint: CheckpointId) {
        self.needs.remove(&checkpoint);
    }

    /// Another JobManager knows of no checkpoint; the files are nobody's.
    pub(super) fn abandoned(&mut self) {
        self.needs.clear();
    }
}
