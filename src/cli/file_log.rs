//! What became of a run's files, change by change, for `run --storage`.

use crate::model::{
    CheckpointFailureReason, CheckpointId, FileName, Location, ReadFailure, SubtaskIndex, Time,
    WriteFailure,
};
use crate::trace::Fact;

/// A change with its step and time.
#[derive(Clone, Debug)]
pub(super) struct FileEntry {
    pub(super) step: u64,
    pub(super) at: Time,
    pub(super) change: FileChange,
}

/// What changed.
#[derive(Clone, Debug)]
pub(super) enum FileChange {
    /// A file is there.
    Written { file: FileName, bytes: u64 },
    /// A piece of state stands in the metadata that is still to be written.
    Inline { task: SubtaskIndex, checkpoint: CheckpointId, bytes: u64 },
    /// A checkpoint uses a file that is there already.
    Reused { file: FileName, checkpoint: CheckpointId },
    /// A file is gone.
    Deleted { file: FileName },
    /// A task could not write.
    WriteFailed { task: SubtaskIndex, checkpoint: CheckpointId, why: WriteFailure },
    /// The JobManager could not write: there is no place for a checkpoint, or
    /// its metadata is not there.
    CheckpointFailed { checkpoint: CheckpointId, reason: CheckpointFailureReason },
    /// A task reads its state.
    Reading { task: SubtaskIndex, from_storage: u64, from_disk: u64 },
    /// A task that read its state has it.
    Read { task: SubtaskIndex },
    /// A task cannot read its state.
    ReadFailed { task: SubtaskIndex, why: ReadFailure },
}

/// The newest changes, and how many came before them.
#[derive(Clone, Debug, Default)]
pub(super) struct FileLog {
    entries: Vec<FileEntry>,
    n_earlier: usize,
    reading: Vec<SubtaskIndex>,
}

impl FileLog {
    /// As many changes are kept.
    const KEPT_MAX: usize = 100;

    /// Takes in the facts of a step.
    pub(super) fn observe(&mut self, step: u64, at: Time, facts: &[Fact]) {
        for fact in facts {
            for change in self.changes(fact) {
                self.entries.push(FileEntry { step, at, change });
            }
        }
        // Dropped in bulk, so that a long run does not move them each time.
        if self.entries.len() > 2 * Self::KEPT_MAX {
            let n_dropped = self.entries.len() - Self::KEPT_MAX;
            self.entries.drain(..n_dropped);
            self.n_earlier += n_dropped;
        }
    }

    fn changes(&mut self, fact: &Fact) -> Vec<FileChange> {
        match fact {
            Fact::StateWritten { task, checkpoint, pieces, copy } => {
                let (task, checkpoint) = (*task, *checkpoint);
                let piece = |piece: &crate::model::StatePiece| match piece.location {
                    Location::Metadata => {
                        FileChange::Inline { task, checkpoint, bytes: piece.bytes }
                    }
                    Location::Written(file) => FileChange::Written { file, bytes: piece.bytes },
                    Location::Reused(file) => FileChange::Reused { file, checkpoint },
                };
                let copy = copy.map(|bytes| FileChange::Written {
                    file: FileName::Local { checkpoint, task },
                    bytes,
                });
                pieces.iter().map(piece).chain(copy).collect()
            }
            Fact::MetadataWritten { checkpoint, snapshot, bytes } => {
                let file = FileName::metadata(*checkpoint, *snapshot);
                vec![FileChange::Written { file, bytes: *bytes }]
            }
            Fact::FilesDeleted { files } => {
                files.iter().map(|file| FileChange::Deleted { file: *file }).collect()
            }
            Fact::WriteFailed { task, checkpoint, why } => {
                let (task, checkpoint, why) = (*task, *checkpoint, *why);
                vec![FileChange::WriteFailed { task, checkpoint, why }]
            }
            Fact::CheckpointAborted { checkpoint, reason } => match reason {
                CheckpointFailureReason::IoException
                | CheckpointFailureReason::FinalizeCheckpointFailure => {
                    let (checkpoint, reason) = (*checkpoint, *reason);
                    vec![FileChange::CheckpointFailed { checkpoint, reason }]
                }
                _ => Vec::new(),
            },
            Fact::RestoreStarted { task, from_storage, from_disk, .. } => {
                self.reading.push(*task);
                let (from_storage, from_disk) = (*from_storage, *from_disk);
                vec![FileChange::Reading { task: *task, from_storage, from_disk }]
            }
            Fact::StateRestored { task, .. } => {
                let place = self.reading.iter().position(|reading| reading == task);
                place.map(|place| self.reading.swap_remove(place));
                place.map(|_| FileChange::Read { task: *task }).into_iter().collect()
            }
            Fact::RestoreFailed { task, why, .. } => {
                vec![FileChange::ReadFailed { task: *task, why: *why }]
            }
            Fact::JobFailed { .. } => {
                self.reading.clear();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The newest changes, oldest first, and how many came before them.
    pub(super) fn newest(&self) -> (&[FileEntry], usize) {
        let n_dropped = self.entries.len().saturating_sub(Self::KEPT_MAX);
        (&self.entries[n_dropped..], self.n_earlier + n_dropped)
    }
}
