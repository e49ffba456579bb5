//! Which tables of RocksDB a snapshot consists of, and which of them an
//! earlier checkpoint has written already.
//!
//! A model of RocksDB, as small as shows what matters: a snapshot writes what
//! has changed since the last one into a new table; when there are
//! [`TABLES_MAX`] tables, they are merged into one in the background, so that
//! the snapshot after that has to write everything once. Knows neither files
//! nor storage.
//!
//! Source: Flink `RocksIncrementalSnapshotStrategy`; RocksDB's
//! `level0_file_num_compaction_trigger`, which is 4.

use std::collections::BTreeMap;

use crate::model::{CheckpointId, Key, StateValue};

/// So many tables are merged.
///
/// Source: RocksDB `level0_file_num_compaction_trigger`.
pub const TABLES_MAX: usize = 4;

/// An immutable file of keys with their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Counts the task's tables in a run, from 1.
    pub number: u32,
    /// How many keys are in it.
    pub n_keys: u64,
}

/// A table of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableInSnapshot {
    /// Which.
    pub table: Table,
    /// Whether the newest checkpoint that is known to be complete has it too.
    pub is_known: bool,
}

/// The tables of a checkpoint, as a restore finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RestoredTables {
    /// Those in files.
    pub in_files: Vec<Table>,
    /// The numbers of keys of those in the metadata.
    pub inline: Vec<u64>,
}

/// The tables of one task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct IncrementalSnapshots {
    /// The working state, oldest first.
    tables: Vec<Table>,
    /// The number of the newest table there has ever been.
    n_tables: u32,
    /// What the tables hold together, sorted by key.
    flushed: Vec<(Key, StateValue)>,
    /// Tables by checkpoint: those of the base, and of newer checkpoints.
    uploaded: BTreeMap<CheckpointId, Vec<Table>>,
    /// The newest checkpoint known to be complete: the next one builds on it.
    base: Option<CheckpointId>,
}

impl IncrementalSnapshots {
    /// A snapshot of keyed state, sorted by key: its tables, oldest first.
    // Flink 1.20: RocksIncrementalSnapshotStrategy.doSnapshot,
    // RocksDBIncrementalSnapshotOperation.uploadSnapshotFiles.
    pub fn snapshot(
        &mut self,
        checkpoint: CheckpointId,
        state: &[(Key, StateValue)],
    ) -> Vec<TableInSnapshot> {
        let n_changed = state.iter().filter(|entry| !self.has_flushed(entry)).count() as u64;
        if n_changed > 0 {
            self.n_tables += 1;
            self.tables.push(Table { number: self.n_tables, n_keys: n_changed });
            self.flushed = state.to_vec();
        }
        let known = self.base.and_then(|base| self.uploaded.get(&base));
        let in_snapshot = self.tables.iter().map(|table| TableInSnapshot {
            table: *table,
            is_known: known.is_some_and(|known| known.contains(table)),
        });
        let in_snapshot = in_snapshot.collect();
        self.uploaded.insert(checkpoint, self.tables.clone());
        self.merge();
        in_snapshot
    }

    fn has_flushed(&self, entry: &(Key, StateValue)) -> bool {
        let place = self.flushed.binary_search_by_key(&entry.0, |(key, _)| *key);
        place.is_ok_and(|place| self.flushed[place].1 == entry.1)
    }

    /// RocksDB merges in the background.
    fn merge(&mut self) {
        if self.tables.len() >= TABLES_MAX {
            self.n_tables += 1;
            self.tables = vec![Table { number: self.n_tables, n_keys: self.flushed.len() as u64 }];
        }
    }

    /// A checkpoint is complete.
    // Flink 1.20: RocksIncrementalSnapshotStrategy.notifyCheckpointComplete.
    pub fn completed(&mut self, checkpoint: CheckpointId) {
        if self.base < Some(checkpoint) && self.uploaded.contains_key(&checkpoint) {
            self.base = Some(checkpoint);
            self.uploaded = self.uploaded.split_off(&checkpoint);
        }
    }

    /// A checkpoint was given up: nothing may build on it.
    // Flink 1.20: RocksIncrementalSnapshotStrategy.notifyCheckpointAborted.
    pub fn aborted(&mut self, checkpoint: CheckpointId) {
        if self.base != Some(checkpoint) {
            self.uploaded.remove(&checkpoint);
        }
    }

    /// The next attempt begins with the tables of a checkpoint, of which some
    /// are in no file of their own and known by the number of their keys only.
    /// Numbers are never used again.
    // Flink 1.20: RocksDBIncrementalRestoreOperation.
    #[must_use]
    pub fn restored(
        &self,
        checkpoint: CheckpointId,
        tables: RestoredTables,
        state: &[(Key, StateValue)],
    ) -> Self {
        let RestoredTables { in_files, inline } = tables;
        let numbers = self.n_tables + 1..;
        let inline = numbers.zip(&inline).map(|(number, n)| Table { number, n_keys: *n });
        let tables: Vec<_> = in_files.iter().copied().chain(inline).collect();
        Self {
            n_tables: self.n_tables + (tables.len() - in_files.len()) as u32,
            tables,
            flushed: state.to_vec(),
            uploaded: BTreeMap::from([(checkpoint, in_files)]),
            base: Some(checkpoint),
        }
    }

    /// The next attempt begins from the beginning.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self { n_tables: self.n_tables, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;

    fn state(values: &[i64]) -> Vec<(Key, StateValue)> {
        let entries = (0..).zip(values);
        entries.map(|(key, v)| (Key::Long(key), StateValue::Value(Value::Number(*v)))).collect()
    }

    /// Numbers of the tables, with the keys of those that are new.
    fn told(tables: &[TableInSnapshot]) -> Vec<(u32, Option<u64>)> {
        let new = |table: &TableInSnapshot| (!table.is_known).then_some(table.table.n_keys);
        tables.iter().map(|table| (table.table.number, new(table))).collect()
    }

    #[test]
    fn a_snapshot_writes_what_has_changed_since_the_last_complete_one() {
        let mut tables = IncrementalSnapshots::default();
        let take = |tables: &mut IncrementalSnapshots, id: u64, values: &[i64]| {
            told(&tables.snapshot(CheckpointId(id), &state(values)))
        };
        assert_eq!(take(&mut tables, 1, &[1, 2, 3]), [(1, Some(3))]);
        // Checkpoint 1 is not known to be complete yet: its table goes again.
        assert_eq!(take(&mut tables, 2, &[1, 5, 3]), [(1, Some(3)), (2, Some(1))]);
        tables.completed(CheckpointId(1));
        assert_eq!(take(&mut tables, 3, &[1, 5, 3]), [(1, None), (2, Some(1))]);
        tables.completed(CheckpointId(3));
        assert_eq!(take(&mut tables, 4, &[7, 7, 3]), [(1, None), (2, None), (3, Some(2))]);
        tables.aborted(CheckpointId(4));
        assert_eq!(
            take(&mut tables, 5, &[7, 7, 8]),
            [(1, None), (2, None), (3, Some(2)), (4, Some(1))]
        );
        tables.completed(CheckpointId(5));
        // Four tables have been merged into the fifth, with every key once.
        assert_eq!(take(&mut tables, 6, &[7, 7, 8]), [(5, Some(3))]);
    }

    #[test]
    fn a_restored_task_builds_on_what_it_was_restored_from() {
        let mut tables = IncrementalSnapshots::default();
        tables.snapshot(CheckpointId(1), &state(&[1, 2]));
        let in_files = vec![Table { number: 1, n_keys: 2 }];
        let held = RestoredTables { in_files, inline: Vec::new() };
        let mut restored = tables.restored(CheckpointId(1), held, &state(&[1, 2]));
        let told_after = told(&restored.snapshot(CheckpointId(2), &state(&[1, 3])));
        assert_eq!(told_after, [(1, None), (2, Some(1))]);
        let told_anew = told(&restored.emptied().snapshot(CheckpointId(3), &state(&[4])));
        assert_eq!(told_anew, [(3, Some(1))]);
    }
}
