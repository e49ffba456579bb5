//! What a run was, in a few lines: gathered from the facts that are always
//! there, so it needs no trace and stays small.

use std::collections::BTreeMap;

use crate::model::{
    Attempt, CheckpointFailureReason, CheckpointId, Micros, SavepointFormatType, SnapshotMetrics,
    SnapshotType, SubtaskIndex, Time,
};
use crate::trace::{Fact, FailureCause, TriggerCause};

/// The checkpoints and recoveries of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Steps seen.
    pub n_steps: u64,
    /// Time of the last step.
    pub ended_at: Time,
    /// Every checkpoint that was begun, by id.
    pub checkpoints: Vec<CheckpointReport>,
    /// Every failure.
    pub recoveries: Vec<RecoveryReport>,
    /// Which checkpoints are savepoints.
    pub savepoints: Vec<CheckpointId>,
    /// Checkpoints and savepoints that the user has deleted by hand.
    pub disposed: Vec<CheckpointId>,
    /// Alignments under way: when the first barrier came.
    aligning: BTreeMap<(SubtaskIndex, CheckpointId), Time>,
}

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointReport {
    /// Its id.
    pub id: CheckpointId,
    /// A checkpoint, or a savepoint.
    pub snapshot: SnapshotType,
    /// How the state of a savepoint is written.
    pub format: SavepointFormatType,
    /// Why it was begun.
    pub cause: TriggerCause,
    /// Step and time at which it was triggered.
    pub triggered: (u64, Time),
    /// Step and time at which it was complete.
    pub completed: Option<(u64, Time)>,
    /// Step and reason for which it was given up.
    pub aborted: Option<(u64, CheckpointFailureReason)>,
    /// Acknowledgements that the coordinator got.
    pub n_acknowledged: u32,
    /// The time from the first barrier to the last at the task that waited
    /// longest.
    pub alignment_max: Micros,
    /// How the tasks took their snapshots: each duration as long as at the task
    /// where it was longest, bytes of all of them together, unaligned if any
    /// was.
    pub metrics: SnapshotMetrics,
}

/// One failure of the job, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryReport {
    /// The attempt that failed.
    pub failed: Attempt,
    /// Why; none: the JobManager died.
    pub cause: Option<FailureCause>,
    /// The tasks that failed together; none: every task of the job.
    pub region: Option<Vec<SubtaskIndex>>,
    /// Step and time at which the JobManager noticed it.
    pub noticed: (u64, Time),
    /// The next attempt: step, time, and the checkpoint it started from.
    pub restarted: Option<(u64, Time, Option<CheckpointId>)>,
}

impl Report {
    /// Takes in the facts of a step.
    pub fn observe(&mut self, number: u64, at: Time, facts: &[Fact]) {
        self.n_steps = number;
        self.ended_at = at;
        for fact in facts {
            self.take_in((number, at), fact);
        }
    }

    fn take_in(&mut self, when: (u64, Time), fact: &Fact) {
        match fact {
            Fact::CheckpointTriggered { checkpoint, snapshot, format, cause } => {
                if snapshot.is_savepoint() {
                    self.savepoints.push(*checkpoint);
                }
                // Without high availability an id comes again.
                self.disposed.retain(|id| id != checkpoint);
                self.checkpoints.push(CheckpointReport {
                    id: *checkpoint,
                    snapshot: *snapshot,
                    format: *format,
                    cause: *cause,
                    triggered: when,
                    completed: None,
                    aborted: None,
                    n_acknowledged: 0,
                    alignment_max: Micros::ZERO,
                    metrics: SnapshotMetrics::default(),
                });
            }
            Fact::CheckpointDisposed { checkpoint } => self.disposed.push(*checkpoint),
            Fact::SavepointRestored { checkpoint, snapshot, .. } if snapshot.is_savepoint() => {
                self.savepoints.push(*checkpoint);
            }
            Fact::BarrierReceived { task, checkpoint, n_received, n_needed, .. }
            | Fact::EndCounted { task, checkpoint, n_received, n_needed } => {
                let first = *self.aligning.entry((*task, *checkpoint)).or_insert(when.1);
                if n_received == n_needed {
                    self.aligning.remove(&(*task, *checkpoint));
                    if let Some(report) = self.checkpoint(*checkpoint) {
                        let took = Micros(when.1.0 - first.0);
                        report.alignment_max = report.alignment_max.max(took);
                    }
                }
            }
            Fact::SnapshotStored { checkpoint, metrics, .. } => {
                if let Some(report) = self.checkpoint(*checkpoint) {
                    report.metrics = together(&report.metrics, metrics);
                }
            }
            Fact::Acknowledged { checkpoint, .. }
            | Fact::FinishedTaskIncluded { checkpoint, .. } => {
                if let Some(report) = self.checkpoint(*checkpoint) {
                    report.n_acknowledged += 1;
                }
            }
            Fact::CheckpointCompleted { checkpoint } => {
                if let Some(report) = self.checkpoint(*checkpoint) {
                    report.completed = Some(when);
                }
            }
            Fact::CheckpointAborted { checkpoint, reason } => {
                if let Some(report) = self.checkpoint(*checkpoint) {
                    report.aborted = Some((when.0, *reason));
                }
            }
            Fact::JobFailed { attempt, cause, region, .. } => {
                self.failed(when, *attempt, Some(*cause), region.clone());
            }
            Fact::JobManagerCrashed { attempt } => self.failed(when, *attempt, None, None),
            Fact::AttemptStarted { region, checkpoint, .. } => {
                let waits = |recovery: &&mut RecoveryReport| {
                    recovery.restarted.is_none() && recovery.region == *region
                };
                if let Some(recovery) = self.recoveries.iter_mut().rfind(waits) {
                    recovery.restarted = Some((when.0, when.1, *checkpoint));
                }
            }
            _ => {}
        }
    }

    /// An attempt is over. Where the whole job fails, what waits for its restart
    /// already goes on waiting with it.
    fn failed(
        &mut self,
        when: (u64, Time),
        attempt: Attempt,
        cause: Option<FailureCause>,
        region: Option<Vec<SubtaskIndex>>,
    ) {
        // No checkpoint outlives it.
        self.aligning.clear();
        if region.is_none() {
            self.recoveries.retain(|recovery| recovery.restarted.is_some());
        }
        self.recoveries.push(RecoveryReport {
            failed: attempt,
            cause,
            region,
            noticed: when,
            restarted: None,
        });
    }

    fn checkpoint(&mut self, id: CheckpointId) -> Option<&mut CheckpointReport> {
        self.checkpoints.iter_mut().rfind(|report| report.id == id)
    }
}

/// The metrics of a checkpoint after one more of its tasks.
fn together(all: &SnapshotMetrics, one: &SnapshotMetrics) -> SnapshotMetrics {
    SnapshotMetrics {
        start_delay: all.start_delay.max(one.start_delay),
        alignment_duration: all.alignment_duration.max(one.alignment_duration),
        sync_duration: all.sync_duration.max(one.sync_duration),
        async_duration: all.async_duration.max(one.async_duration),
        bytes_processed_during_alignment: all.bytes_processed_during_alignment
            + one.bytes_processed_during_alignment,
        bytes_persisted_during_alignment: all.bytes_persisted_during_alignment
            + one.bytes_persisted_during_alignment,
        unaligned: all.unaligned || one.unaligned,
    }
}
