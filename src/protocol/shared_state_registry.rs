//! Which files of incremental checkpoints are still used, and by how many.
//!
//! Knows a file by its name only. Savepoints do not register: they own their
//! files.
//!
//! Source: Flink `SharedStateRegistryImpl`.

use std::collections::{BTreeMap, BTreeSet};

use super::retention::ClaimMode;
use crate::model::CheckpointId;

/// The shared files of one job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedStateRegistry<File> {
    files: BTreeMap<File, SharedFile>,
    /// Files of this checkpoint and older ones belong to the user.
    unclaimed_max: Option<CheckpointId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SharedFile {
    created_by: CheckpointId,
    /// Checkpoints that use it and are not known to be gone.
    users: BTreeSet<CheckpointId>,
}

impl<File: Ord + Clone> SharedStateRegistry<File> {
    /// A registry without files.
    #[must_use]
    pub fn new() -> Self {
        Self { files: BTreeMap::new(), unclaimed_max: None }
    }

    /// A task has acknowledged a checkpoint that uses this file. It counts
    /// even when the acknowledgement comes too late: the task may use the file
    /// for the next one.
    // Flink 1.20: SharedStateRegistryImpl.registerReference.
    pub fn register(&mut self, file: File, checkpoint: CheckpointId) {
        let new = SharedFile { created_by: checkpoint, users: BTreeSet::new() };
        self.files.entry(file).or_insert(new).users.insert(checkpoint);
    }

    /// The job starts from a checkpoint that uses these files.
    // Flink 1.20: SharedStateRegistryImpl.registerAllAfterRestored.
    pub fn register_restored(&mut self, files: &[File], snapshot: CheckpointId, mode: ClaimMode) {
        files.iter().for_each(|file| self.register(file.clone(), snapshot));
        if mode != ClaimMode::Claim {
            self.unclaimed_max = self.unclaimed_max.max(Some(snapshot));
        }
    }

    /// No checkpoint older than this one is kept any more: gives the files
    /// that are to be deleted, in order.
    // Flink 1.20: SharedStateRegistryImpl.unregisterUnusedState.
    pub fn unregister_unused(&mut self, lowest: CheckpointId) -> Vec<File> {
        let mut deleted = Vec::new();
        let unclaimed_max = self.unclaimed_max;
        self.files.retain(|file, shared| {
            shared.users = shared.users.split_off(&lowest);
            let is_unused = shared.users.is_empty();
            if is_unused && Some(shared.created_by) > unclaimed_max {
                deleted.push(file.clone());
            }
            !is_unused
        });
        deleted
    }

    /// How many checkpoints use a file.
    #[must_use]
    pub fn n_references(&self, file: &File) -> usize {
        self.files.get(file).map_or(0, |shared| shared.users.len())
    }

    /// Every file that some checkpoint uses, with how many do.
    pub fn references(&self) -> impl Iterator<Item = (&File, usize)> {
        self.files.iter().map(|(file, shared)| (file, shared.users.len()))
    }
}

impl<File: Ord + Clone> Default for SharedStateRegistry<File> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts<'a>(registry: &SharedStateRegistry<&'a str>) -> Vec<(&'a str, usize)> {
        registry.references().map(|(file, n)| (*file, n)).collect()
    }

    fn take(registry: &mut SharedStateRegistry<&'static str>, id: u64, files: &[&'static str]) {
        files.iter().for_each(|file| registry.register(file, CheckpointId(id)));
    }

    /// The example of Flink's article on incremental checkpoints (2018): two
    /// checkpoints are retained; files 1 to 3 are merged for the third one, 4
    /// to 6 for the fourth.
    #[test]
    fn a_file_is_deleted_with_the_last_checkpoint_that_uses_it() {
        let mut registry = SharedStateRegistry::new();
        take(&mut registry, 1, &["1", "2"]);
        assert_eq!(counts(&registry), [("1", 1), ("2", 1)]);
        take(&mut registry, 2, &["1", "2", "3", "4"]);
        assert_eq!(counts(&registry), [("1", 2), ("2", 2), ("3", 1), ("4", 1)]);
        take(&mut registry, 3, &["1,2,3", "4", "5"]);
        assert_eq!(registry.unregister_unused(CheckpointId(2)), Vec::<&str>::new());
        let after_three = [("1", 1), ("1,2,3", 1), ("2", 1), ("3", 1), ("4", 2), ("5", 1)];
        assert_eq!(counts(&registry), after_three);
        take(&mut registry, 4, &["1,2,3", "4,5,6"]);
        assert_eq!(registry.unregister_unused(CheckpointId(3)), ["1", "2", "3"]);
        assert_eq!(counts(&registry), [("1,2,3", 2), ("4", 1), ("4,5,6", 1), ("5", 1)]);
    }

    /// Flink's rule: what the job was not given is never deleted.
    #[test]
    fn files_of_an_unclaimed_snapshot_stay() {
        for (mode, expected) in [
            (ClaimMode::Claim, vec!["1", "2"]),
            (ClaimMode::NoClaim, vec!["2"]),
            (ClaimMode::Legacy, vec!["2"]),
        ] {
            let mut registry = SharedStateRegistry::new();
            registry.register_restored(&["1"], CheckpointId(7), mode);
            take(&mut registry, 8, &["1", "2"]);
            assert_eq!(registry.unregister_unused(CheckpointId(9)), expected, "{mode:?}");
        }
    }
}
