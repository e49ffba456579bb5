//! Which completed checkpoints are kept.
//!
//! Knows them by id and owner; their files are somebody else's.
//!
//! Source: Flink `DefaultCompletedCheckpointStore`,
//! `StandaloneCompletedCheckpointStore`, `CheckpointSubsumeHelper`.

use super::retention::{
    ClaimMode, Cleanup, ExternalizedCheckpointRetention, Ownership, TerminalStatus,
};
use crate::model::CheckpointId;

/// A checkpoint that a job may be restored from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompletedCheckpoint {
    /// Its id.
    pub id: CheckpointId,
    /// Where it comes from.
    pub origin: CheckpointOrigin,
}

/// Where a completed checkpoint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckpointOrigin {
    /// The job has taken it.
    Taken,
    /// The job has started from it.
    Restored(ClaimMode),
}

pub use crate::model::HighAvailability;

/// A checkpoint that the store no longer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Removed {
    /// Which.
    pub checkpoint: CheckpointId,
    /// What happens to its files.
    pub cleanup: Cleanup,
}

/// The completed checkpoints of one job, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompletedCheckpointStore {
    retained_max: usize,
    retention: ExternalizedCheckpointRetention,
    retained: Vec<CompletedCheckpoint>,
}

impl CompletedCheckpointStore {
    /// An empty store that keeps so many, at least 1.
    // Flink 1.20: DefaultCompletedCheckpointStoreUtils
    // .getMaximumNumberOfRetainedCheckpoints.
    #[must_use]
    pub fn new(retained_max: usize, retention: ExternalizedCheckpointRetention) -> Self {
        Self { retained_max: retained_max.max(1), retention, retained: Vec::new() }
    }

    /// Adds the newest and gives those that are no longer kept, oldest first.
    ///
    /// A snapshot that the job was restored from takes a place like any other,
    /// but the newest checkpoint of the job's own stays in any case: the next
    /// incremental one builds on it.
    // Flink 1.20: CheckpointSubsumeHelper.subsume.
    pub fn add(&mut self, checkpoint: CompletedCheckpoint) -> Vec<Removed> {
        self.retained.push(checkpoint);
        let newest = self.retained.len() - 1;
        let own = self.retained.iter().rposition(|kept| !is_savepoint(kept.origin));
        let mut n_surplus = self.retained.len().saturating_sub(self.retained_max);
        let mut removed = Vec::new();
        let mut place = 0;
        let retention = self.retention;
        self.retained.retain(|kept| {
            let stays = place == newest || Some(place) == own || n_surplus == 0;
            place += 1;
            if !stays {
                n_surplus -= 1;
                let cleanup = ownership(kept.origin, retention).on_subsumed();
                removed.push(Removed { checkpoint: kept.id, cleanup });
            }
            stays
        });
        removed
    }

    /// The one that a restart starts from.
    #[must_use]
    pub fn latest(&self) -> Option<CheckpointId> {
        self.retained.last().map(|kept| kept.id)
    }

    /// Whether the next checkpoint has to be a full one, since what the job
    /// would build on belongs to the user.
    // Flink 1.20: CheckpointCoordinator.forceFullSnapshot.
    #[must_use]
    pub fn forces_full(&self) -> bool {
        let latest = self.retained.last().map(|kept| kept.origin);
        latest == Some(CheckpointOrigin::Restored(ClaimMode::NoClaim))
    }

    /// Everything that is kept, oldest first.
    #[must_use]
    pub fn retained(&self) -> &[CompletedCheckpoint] {
        &self.retained
    }

    /// The job ends: what becomes of each checkpoint. A service keeps its list
    /// for the next JobManager unless the job is over everywhere.
    // Flink 1.20: StandaloneCompletedCheckpointStore.shutdown,
    // DefaultCompletedCheckpointStore.shutdown.
    pub fn shut_down(&mut self, status: TerminalStatus, at: HighAvailability) -> Vec<Removed> {
        if at == HighAvailability::On && !status.is_global() {
            return Vec::new();
        }
        let retention = self.retention;
        let removed = self.retained.drain(..).map(|kept| {
            let cleanup = ownership(kept.origin, retention).on_end(status);
            Removed { checkpoint: kept.id, cleanup }
        });
        removed.collect()
    }
}

/// Whether Flink takes it for a savepoint: what the job does not own.
fn is_savepoint(origin: CheckpointOrigin) -> bool {
    matches!(origin, CheckpointOrigin::Restored(ClaimMode::NoClaim | ClaimMode::Legacy))
}

// Flink 1.20: CheckpointCoordinator.restoreSavepoint.
fn ownership(origin: CheckpointOrigin, retention: ExternalizedCheckpointRetention) -> Ownership {
    if is_savepoint(origin) { Ownership::User } else { Ownership::Job(retention) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(retained_max: usize) -> CompletedCheckpointStore {
        let retention = ExternalizedCheckpointRetention::NoExternalizedCheckpoints;
        CompletedCheckpointStore::new(retained_max, retention)
    }

    fn taken(id: u64) -> CompletedCheckpoint {
        CompletedCheckpoint { id: CheckpointId(id), origin: CheckpointOrigin::Taken }
    }

    fn restored(id: u64, mode: ClaimMode) -> CompletedCheckpoint {
        CompletedCheckpoint { id: CheckpointId(id), origin: CheckpointOrigin::Restored(mode) }
    }

    fn removed(id: u64, cleanup: Cleanup) -> Removed {
        Removed { checkpoint: CheckpointId(id), cleanup }
    }

    /// Flink's rule: the oldest goes while there are too many.
    #[test]
    fn the_oldest_of_too_many_goes() {
        let mut store = store(2);
        assert_eq!(store.add(taken(1)), []);
        assert_eq!(store.add(taken(2)), []);
        assert_eq!(store.add(taken(5)), [removed(1, Cleanup::Delete)]);
        assert_eq!(store.latest(), Some(CheckpointId(5)));
    }

    /// Flink's rule (FLIP-193): an unclaimed snapshot counts, and stays where
    /// it is when it goes out of the list.
    #[test]
    fn a_snapshot_of_the_users_counts_but_is_not_deleted() {
        for (mode, cleanup) in [
            (ClaimMode::NoClaim, Cleanup::Keep),
            (ClaimMode::Legacy, Cleanup::Keep),
            (ClaimMode::Claim, Cleanup::Delete),
        ] {
            let mut store = store(1);
            assert_eq!(store.add(restored(7, mode)), []);
            assert_eq!(store.forces_full(), mode == ClaimMode::NoClaim);
            assert_eq!(store.add(taken(8)), [removed(7, cleanup)], "{mode:?}");
            assert!(!store.forces_full());
        }
    }

    /// Flink's rule: a service's list outlives the JobManager.
    #[test]
    fn a_suspended_job_keeps_its_checkpoints_in_a_service() {
        let mut store = store(1);
        store.add(taken(1));
        assert_eq!(store.shut_down(TerminalStatus::Suspended, HighAvailability::On), []);
        assert_eq!(store.latest(), Some(CheckpointId(1)));
        let gone = store.shut_down(TerminalStatus::Suspended, HighAvailability::Off);
        assert_eq!(gone, [removed(1, Cleanup::Delete)]);
        assert_eq!(store.latest(), None);
    }
}
