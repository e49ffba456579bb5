//! Savepoints: the user asks for them, and they are the user's.
//!
//! Source: Flink `SchedulerBase.triggerSavepoint`, `stopWithSavepoint`.

use super::Lane;
use super::turn::Turn;
use super::work::Work;
use crate::model::{CheckpointId, SavepointFormatType, SnapshotType, SubtaskIndex};
use crate::protocol::{
    CheckpointCoordinator, CoordinatorInput, Drain, Request, RequestId, RequestOutcome,
    SnapshotKind,
};
use crate::trace::{CheckpointView, Fact, JobStatus, Rejection, TriggerCause};

impl Turn<'_> {
    /// The user asks for a savepoint. Where the job is to stop with it, no
    /// other checkpoint goes on.
    pub(super) fn savepoint_requested(&mut self, id: RequestId, snapshot: SnapshotType) {
        if self.scenario.config.state.savepoint_directory.is_none() {
            let (cause, reason) = (TriggerCause::Scenario, Rejection::NoSavepointDirectory);
            self.out.fact(Fact::TriggerRejected { cause, reason });
            return;
        }
        let kind = match snapshot {
            SnapshotType::Checkpoint => SnapshotKind::Checkpoint,
            SnapshotType::Savepoint => SnapshotKind::Savepoint,
            SnapshotType::Suspend => SnapshotKind::SynchronousSavepoint(Drain::No),
            SnapshotType::Terminate => SnapshotKind::SynchronousSavepoint(Drain::Yes),
        };
        if kind.is_synchronous() && self.cluster.status == JobStatus::Running {
            self.coordinate(CoordinatorInput::JobNotRunning);
        }
        self.coordinate(CoordinatorInput::Requested { id, kind });
    }

    /// How the state of what was asked for is written.
    pub(super) fn format(&self, request: Request) -> SavepointFormatType {
        let savepoint = match request {
            Request::User(id) => self.scenario.savepoint(id.0),
            Request::EndOfData | Request::Periodic => None,
        };
        savepoint.map_or(SavepointFormatType::default(), |savepoint| savepoint.format)
    }

    /// A request for a checkpoint or savepoint has come to its end. A job that
    /// was to stop and did not takes periodic checkpoints again.
    // Flink 1.20: StopWithSavepointTerminationHandlerImpl.handleSavepointCreationFailure.
    pub(super) fn answered(&mut self, id: RequestId, outcome: RequestOutcome) {
        let savepoint = self.scenario.savepoint(id.0);
        let stops = savepoint.is_some_and(|savepoint| savepoint.snapshot.stops_job());
        if stops
            && matches!(outcome, RequestOutcome::Failed(_))
            && self.cluster.status == JobStatus::Running
        {
            self.start_checkpoints(&Some(Vec::new()));
        }
    }

    /// Whether a task at its end waits for a checkpoint, or for the savepoint
    /// that the job stops with.
    // In Flink the end of data says which it is; only one of them is under way.
    pub(super) fn waits_at_end(&self) -> bool {
        let stops = |stored: &CheckpointView| stored.snapshot.stops_job() && !stored.completed;
        CheckpointCoordinator::takes_last_checkpoint(self.scenario)
            || self.cluster.storage.iter().any(stops)
    }

    /// A source is told to stop: it reads no more, and what comes after its
    /// last record is the end of its data.
    // Flink 1.20: SourceStreamTask.stopOperatorForStopWithSavepoint,
    // SourceOperator.stop.
    pub(super) fn stop_reading(&mut self, task: SubtaskIndex, savepoint: CheckpointId) {
        let state = &mut self.cluster.tasks[task.index()];
        state.stops_with = Some(savepoint);
        if matches!(state.work, Work::Source(_)) && !state.ended {
            state.scheduled = false;
            // Nor what was due while it was copying its state.
            state.postponed = false;
            self.out.clear_lane(Lane::Subtask(task));
            self.end_of_data(task);
        }
    }
}
