//! Who owns a completed checkpoint, and when it is deleted.
//!
//! Source: Flink `CheckpointRetentionPolicy`, `CheckpointProperties`,
//! `RestoreMode`.

pub use crate::model::{ClaimMode, ExternalizedCheckpointRetention};

/// How a job ends.
///
/// Source: Flink `JobStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TerminalStatus {
    /// It has worked off all data.
    Finished,
    /// Somebody has cancelled it.
    Canceled,
    /// It has failed for good.
    Failed,
    /// This JobManager has lost it; another one may go on with it.
    Suspended,
}

impl TerminalStatus {
    /// Every way to end.
    pub const ALL: [Self; 4] = [Self::Finished, Self::Canceled, Self::Failed, Self::Suspended];

    /// Whether no JobManager goes on with the job.
    // Flink 1.20: JobStatus.isGloballyTerminalState.
    #[must_use]
    pub fn is_global(self) -> bool {
        self != Self::Suspended
    }
}

/// Who owns a completed checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ownership {
    /// The job, under its retention setting.
    Job(ExternalizedCheckpointRetention),
    /// The user: a savepoint, or a snapshot that the job was not given.
    User,
}

/// What happens to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cleanup {
    /// It is deleted.
    Delete,
    /// It stays.
    Keep,
}

impl Ownership {
    /// When enough newer ones are complete.
    // Flink 1.20: CheckpointProperties.discardOnSubsumed.
    #[must_use]
    pub fn on_subsumed(self) -> Cleanup {
        match self {
            Self::Job(_) => Cleanup::Delete,
            Self::User => Cleanup::Keep,
        }
    }

    /// When the job ends.
    // Flink 1.20: CompletedCheckpoint.shouldBeDiscardedOnShutdown.
    #[must_use]
    pub fn on_end(self, status: TerminalStatus) -> Cleanup {
        use ExternalizedCheckpointRetention::{
            DeleteOnCancellation, NoExternalizedCheckpoints, RetainOnCancellation,
        };
        use TerminalStatus::{Failed, Finished};
        match (self, status) {
            (Self::User, _) => Cleanup::Keep,
            (Self::Job(NoExternalizedCheckpoints), _) => Cleanup::Delete,
            (Self::Job(DeleteOnCancellation), Failed) => Cleanup::Keep,
            (Self::Job(DeleteOnCancellation), _) => Cleanup::Delete,
            (Self::Job(RetainOnCancellation), Finished) => Cleanup::Delete,
            (Self::Job(RetainOnCancellation), _) => Cleanup::Keep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags of Flink 1.20.3's `CheckpointProperties`, by setting: what a
    /// job deletes when it is FINISHED, CANCELED, FAILED, SUSPENDED.
    #[test]
    fn a_job_deletes_its_checkpoints_by_setting_and_end() {
        use Cleanup::{Delete, Keep};
        use ExternalizedCheckpointRetention as Setting;
        let cases = [
            (Ownership::Job(Setting::NoExternalizedCheckpoints), [Delete, Delete, Delete, Delete]),
            (Ownership::Job(Setting::DeleteOnCancellation), [Delete, Delete, Keep, Delete]),
            (Ownership::Job(Setting::RetainOnCancellation), [Delete, Keep, Keep, Keep]),
            (Ownership::User, [Keep, Keep, Keep, Keep]),
        ];
        for (owner, expected) in cases {
            let told = TerminalStatus::ALL.map(|status| owner.on_end(status));
            assert_eq!(told, expected, "{owner:?}");
            let on_subsumed = if owner == Ownership::User { Keep } else { Delete };
            assert_eq!(owner.on_subsumed(), on_subsumed, "{owner:?}");
        }
    }
}
