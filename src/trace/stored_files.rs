//! What lies in the checkpoint storage and on the TaskManagers' disks.
//!
//! Knows what has been written and deleted, and no rule by which it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{CheckpointId, FileName, Location, SnapshotType, StatePiece, SubtaskIndex};

/// Files, and which checkpoint consists of which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoredFiles {
    files: BTreeMap<FileName, StoredFile>,
    /// Checkpoints that are pending or complete.
    checkpoints: BTreeSet<CheckpointId>,
    /// What each task has written for each checkpoint that is not gone.
    pieces: BTreeMap<(CheckpointId, SubtaskIndex), Vec<StatePiece>>,
    /// What jobs before this one have left in directories of their own.
    earlier: Vec<BTreeMap<FileName, StoredFile>>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoredFile {
    /// Its size.
    pub bytes: u64,
    /// The checkpoints that refer to it, oldest first. A file that nobody
    /// refers to has been forgotten.
    pub users: BTreeSet<CheckpointId>,
}

impl StoredFiles {
    /// Every file with its name, in order.
    pub fn files(&self) -> impl Iterator<Item = (FileName, &StoredFile)> {
        self.files.iter().map(|(name, file)| (*name, file))
    }

    /// What earlier jobs have left, the first job first. Nobody knows of it any
    /// more.
    #[must_use]
    pub fn of_earlier_jobs(&self) -> &[BTreeMap<FileName, StoredFile>] {
        &self.earlier
    }

    /// The job begins anew as another one, with a directory of its own. What
    /// there is stays.
    pub fn abandon(&mut self) {
        let mut left = std::mem::take(&mut self.files);
        left.values_mut().for_each(|file| file.users.clear());
        self.earlier.push(left);
        self.checkpoints.clear();
        self.pieces.clear();
    }

    /// A file, if it is there.
    #[must_use]
    pub fn file(&self, name: FileName) -> Option<&StoredFile> {
        self.files.get(&name)
    }

    /// What a task has written for a checkpoint.
    #[must_use]
    pub fn pieces(&self, checkpoint: CheckpointId, task: SubtaskIndex) -> &[StatePiece] {
        self.pieces.get(&(checkpoint, task)).map_or(&[], Vec::as_slice)
    }

    /// What all tasks have written for a checkpoint.
    pub fn pieces_of(
        &self,
        checkpoint: CheckpointId,
    ) -> impl Iterator<Item = (SubtaskIndex, &StatePiece)> {
        let tasks = (checkpoint, SubtaskIndex(0))..=(checkpoint, SubtaskIndex(u32::MAX));
        let by_task = self.pieces.range(tasks);
        by_task.flat_map(|((_, task), pieces)| pieces.iter().map(move |piece| (*task, piece)))
    }

    /// Bytes in the metadata of a checkpoint: the pieces that stand in it.
    #[must_use]
    pub fn metadata_bytes(&self, checkpoint: CheckpointId) -> u64 {
        let pieces = self.pieces_of(checkpoint).map(|(_, piece)| piece);
        pieces.filter(|piece| piece.location == Location::Metadata).map(|piece| piece.bytes).sum()
    }

    /// A checkpoint begins.
    pub fn begin(&mut self, checkpoint: CheckpointId) {
        self.checkpoints.insert(checkpoint);
    }

    /// A task has written pieces of its snapshot. Of a checkpoint that is gone
    /// they belong to nobody.
    pub fn write(&mut self, task: SubtaskIndex, checkpoint: CheckpointId, pieces: &[StatePiece]) {
        for piece in pieces {
            match piece.location {
                Location::Metadata => {}
                Location::Written(name) => self.put(name, piece.bytes, checkpoint),
                Location::Reused(name) => {
                    if let Some(file) = self.files.get_mut(&name) {
                        file.users.insert(checkpoint);
                    }
                }
            }
        }
        if self.checkpoints.contains(&checkpoint) {
            let known = self.pieces.entry((checkpoint, task)).or_default();
            known.extend_from_slice(pieces);
        } else {
            self.forget(checkpoint);
        }
    }

    /// The metadata of a complete checkpoint is written.
    pub fn write_metadata(&mut self, checkpoint: CheckpointId, snapshot: SnapshotType, bytes: u64) {
        self.put(FileName::metadata(checkpoint, snapshot), bytes, checkpoint);
    }

    /// A task has copied keyed state to its own disk.
    pub fn copy(&mut self, task: SubtaskIndex, checkpoint: CheckpointId, bytes: u64) {
        self.put(FileName::Local { checkpoint, task }, bytes, checkpoint);
    }

    fn put(&mut self, name: FileName, bytes: u64, checkpoint: CheckpointId) {
        let file = self.files.entry(name).or_default();
        file.bytes = bytes;
        file.users.insert(checkpoint);
    }

    /// Files are deleted.
    pub fn delete(&mut self, names: &[FileName]) {
        for name in names {
            self.files.remove(name);
            if let FileName::Metadata { checkpoint: id }
            | FileName::SavepointMetadata { savepoint: id } = name
            {
                self.forget(*id);
            }
        }
    }

    /// A checkpoint is gone: nothing belongs to it any more. Its files may
    /// still be there.
    pub fn forget(&mut self, checkpoint: CheckpointId) {
        self.checkpoints.remove(&checkpoint);
        self.pieces.retain(|(id, _), _| *id != checkpoint);
        self.files.values_mut().for_each(|file| {
            file.users.remove(&checkpoint);
        });
    }

    /// Only these checkpoints are still known.
    pub fn forget_all_but(&mut self, known: impl Iterator<Item = CheckpointId>) {
        let known: BTreeSet<CheckpointId> = known.collect();
        for checkpoint in &self.checkpoints - &known {
            self.forget(checkpoint);
        }
    }

    /// The files that belong to one checkpoint and no other: its metadata, and
    /// what its tasks have written for it alone.
    #[must_use]
    pub fn exclusive(&self, checkpoint: CheckpointId) -> Vec<FileName> {
        let is_its = |name: &FileName| match name {
            FileName::Metadata { checkpoint: of }
            | FileName::Exclusive { checkpoint: of, .. }
            | FileName::SavepointMetadata { savepoint: of }
            | FileName::SavepointState { savepoint: of, .. } => *of == checkpoint,
            FileName::Shared { .. } | FileName::Local { .. } => false,
        };
        self.files.keys().copied().filter(is_its).collect()
    }

    /// The copies of a task on its own disk.
    pub fn copies(&self, task: SubtaskIndex) -> impl Iterator<Item = CheckpointId> {
        self.files.keys().filter_map(move |name| match name {
            FileName::Local { checkpoint, task: of } if *of == task => Some(*checkpoint),
            _ => None,
        })
    }
}
