//! The JobManager's side of checkpoints: when one begins, when it is complete,
//! whom to tell.
//!
//! Knows tasks by number and attempt, and no state. Storage, timers and
//! messages are effects; so is the failure of the job.
//!
//! Source: Flink `CheckpointCoordinator`.

mod completing;
mod decider;
mod failure_manager;
mod messages;
mod pending;
mod periodic;
mod request;
mod settings;
mod triggering;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub use failure_manager::{
    CheckpointFailure, CheckpointFailureManager, JobFailure, OnCheckpointingErrors,
    TolerableFailures,
};
pub use messages::{
    CoordinatorEffect, CoordinatorInput, Health, Held, LastCheckpoint, Service, Sharing,
};
pub use pending::{AcknowledgeResult, PendingCheckpoint, Sender};
pub use periodic::Backlog;
pub use request::{CheckpointRequest, Drain, Request, RequestId, RequestOutcome, SnapshotKind};
pub use settings::{AfterFailure, BacklogInterval, CoordinatorSettings};

use super::checkpoint_plan::{Execution, ExecutionState};
use super::completed_checkpoint_store::{
    CheckpointOrigin, CompletedCheckpoint, CompletedCheckpointStore, HighAvailability, Removed,
};
use super::retention::TerminalStatus;
use super::scheduling_topology::SchedulingTopology;
use crate::model::{Attempt, CheckpointFailureReason, CheckpointId, Scenario, Time};
use decider::CheckpointRequestDecider;
use periodic::PeriodicScheduler;

/// The coordinator of one job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointCoordinator {
    settings: CoordinatorSettings,
    /// Never changes; shared by all copies.
    topology: Arc<SchedulingTopology>,
    /// By task.
    executions: Vec<Execution>,
    life: Life,
    periodic: PeriodicScheduler,
    decider: CheckpointRequestDecider,
    phase: TriggerPhase,
    next_id: CheckpointId,
    pending: BTreeMap<CheckpointId, PendingCheckpoint>,
    store: CompletedCheckpointStore,
    failures: CheckpointFailureManager,
    /// Of anything, checkpoint or savepoint.
    last_completion: Option<Time>,
    /// Ids of the last ones, oldest first.
    expired: VecDeque<CheckpointId>,
    n_cleaning: u32,
    broken: Vec<Service>,
    /// Looks into the queue that are still due.
    n_polls: u32,
    /// By task: at the end of its data in this attempt.
    ended: Vec<bool>,
    /// The checkpoint that a job at its end waits for.
    last: Option<CheckpointId>,
}

/// Whether anything may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Life {
    /// It may.
    Active,
    /// The job is at its end.
    Finishing,
    /// The coordinator is shut down.
    Over,
}

/// What is between a request's turn and its triggers. Nothing else begins
/// meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TriggerPhase {
    /// Nothing is.
    Free,
    /// This checkpoint waits for its place in the storage.
    Locating(CheckpointId),
    /// [`CoordinatorInput::TriggerPhaseHeld`].
    Held,
}

/// Expired checkpoints that are remembered.
///
/// Source: Flink `CheckpointCoordinator.NUM_GHOST_CHECKPOINT_IDS`.
const EXPIRED_MAX: usize = 16;

impl CheckpointCoordinator {
    /// The coordinator of a scenario's job, before the job runs.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let topology = SchedulingTopology::of(&scenario.graph);
        Self::with(CoordinatorSettings::of(scenario), topology)
    }

    /// A coordinator of which no task runs yet.
    #[must_use]
    pub fn with(
        settings: CoordinatorSettings,
        topology: impl Into<Arc<SchedulingTopology>>,
    ) -> Self {
        let (settings, topology) = (settings.effective(), topology.into());
        let deploying = Execution { attempt: Attempt(1), state: ExecutionState::Deploying };
        let n_tasks = topology.n_tasks();
        Self {
            settings,
            topology,
            executions: vec![deploying; n_tasks],
            life: Life::Active,
            periodic: PeriodicScheduler::new(&settings),
            decider: CheckpointRequestDecider::new(&settings),
            phase: TriggerPhase::Free,
            next_id: CheckpointId(1),
            pending: BTreeMap::new(),
            store: CompletedCheckpointStore::new(settings.retained_max, settings.retention),
            failures: CheckpointFailureManager::new(settings.tolerable),
            last_completion: None,
            expired: VecDeque::new(),
            n_cleaning: 0,
            broken: Vec::new(),
            n_polls: 0,
            ended: vec![false; n_tasks],
            last: None,
        }
    }

    /// The coordinator of the next JobManager when this one's is lost, before
    /// the job runs again: with high availability it finds the completed
    /// checkpoints and the id counter in a service, and nothing else.
    #[must_use]
    pub fn successor(&self, at: HighAvailability) -> Self {
        let next = Self::with(self.settings, self.topology.clone());
        match at {
            HighAvailability::Off => next,
            HighAvailability::On => {
                Self { store: self.store.clone(), next_id: self.next_id, ..next }
            }
        }
    }

    /// Whether a job's tasks wait, at the end of their data, for a last
    /// checkpoint before they finish: checkpoints are taken at all, and
    /// `execution.checkpointing.checkpoints-after-tasks-finish` is on.
    #[must_use]
    pub fn takes_last_checkpoint(scenario: &Scenario) -> bool {
        scenario.config.checkpoints_after_tasks_finish && Self::takes_checkpoints(scenario)
    }

    /// Whether a job ever takes a checkpoint.
    #[must_use]
    pub fn takes_checkpoints(scenario: &Scenario) -> bool {
        scenario.config.interval.is_some() || !scenario.triggers.is_empty()
    }

    /// The pending checkpoints, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &PendingCheckpoint> {
        self.pending.values()
    }

    /// The completed checkpoints.
    #[must_use]
    pub fn store(&self) -> &CompletedCheckpointStore {
        &self.store
    }

    /// Requests that wait.
    #[must_use]
    pub fn n_queued(&self) -> usize {
        self.decider.n_queued()
    }

    /// Failed checkpoints in a row.
    #[must_use]
    pub fn n_failures(&self) -> u32 {
        self.failures.n_failures()
    }

    /// The id that the next checkpoint gets.
    #[must_use]
    pub fn next_id(&self) -> CheckpointId {
        self.next_id
    }

    /// Checkpoints that have expired lately, oldest first.
    pub fn recently_expired(&self) -> impl Iterator<Item = CheckpointId> {
        self.expired.iter().copied()
    }

    /// The job is at its end, whatever the coordinator has heard before: what
    /// becomes of the completed checkpoints.
    // Flink 1.20: SchedulerBase.stopCheckpointServicesSafely.
    pub fn end(&mut self, status: TerminalStatus, at: HighAvailability) -> Vec<Removed> {
        self.store.shut_down(status, at)
    }

    /// Handles an input at a time.
    pub fn on(&mut self, now: Time, input: CoordinatorInput, effects: &mut Vec<CoordinatorEffect>) {
        if self.life == Life::Over {
            return;
        }
        let mut turn = Turn { coordinator: self, now, effects };
        match input {
            CoordinatorInput::JobRunning { initial_delay } => turn.start(initial_delay),
            CoordinatorInput::JobNotRunning => turn.stop(),
            CoordinatorInput::RegionFailed => {
                turn.abort_all(CheckpointFailureReason::JobFailoverRegion);
            }
            CoordinatorInput::JobFinishing => turn.finish_job(),
            CoordinatorInput::ShutDown => turn.shut_down(),
            CoordinatorInput::Restored { snapshot, mode } => {
                let origin = CheckpointOrigin::Restored(mode);
                turn.keep(CompletedCheckpoint { id: snapshot, origin });
                turn.coordinator.next_id = CheckpointId(snapshot.0 + 1);
            }
            CoordinatorInput::TaskChanged { task, execution } => {
                turn.coordinator.executions[task.index()] = execution;
                if execution.state == ExecutionState::Deploying {
                    turn.coordinator.ended[task.index()] = false;
                }
            }
            CoordinatorInput::TaskFailed { task } => turn.abort_unacknowledged(task),
            CoordinatorInput::IntervalElapsed => turn.tick(),
            CoordinatorInput::Expired(checkpoint) => {
                turn.abort(checkpoint, CheckpointFailureReason::CheckpointExpired, None);
            }
            CoordinatorInput::Requested { id, kind } => turn.request(kind, Request::User(id)),
            CoordinatorInput::PeriodicRequested => {
                turn.request(SnapshotKind::Checkpoint, Request::Periodic);
            }
            CoordinatorInput::LocationInitialized { checkpoint, outcome } => {
                turn.located(checkpoint, outcome);
            }
            CoordinatorInput::TriggerFailed(checkpoint) => {
                turn.abort(checkpoint, CheckpointFailureReason::TriggerCheckpointFailure, None);
            }
            CoordinatorInput::Acknowledged { sender, checkpoint, life } => {
                turn.acknowledge((sender, life), checkpoint);
            }
            CoordinatorInput::Declined { sender, checkpoint, reason } => {
                turn.decline(sender, checkpoint, reason);
            }
            CoordinatorInput::EndReported { task } => turn.end_of_data(task),
            CoordinatorInput::BacklogReported { operator, backlog } => {
                if let Some(next) = turn.coordinator.periodic.report(now, operator, backlog) {
                    turn.arm(next);
                }
            }
            CoordinatorInput::CleaningChanged { n_cleaning } => {
                turn.coordinator.n_cleaning = n_cleaning;
                turn.poll_later();
            }
            CoordinatorInput::TriggerPhaseHeld(Held::Yes) => {
                turn.coordinator.phase = TriggerPhase::Held;
            }
            CoordinatorInput::TriggerPhaseHeld(Held::No) => turn.end_phase(),
            CoordinatorInput::ServiceChanged { service, health } => {
                turn.coordinator.broken.retain(|broken| *broken != service);
                if health == Health::Fails {
                    turn.coordinator.broken.push(service);
                }
            }
        }
        turn.poll();
    }

    fn is_broken(&self, service: Service) -> bool {
        self.broken.contains(&service)
    }
}

/// One input being handled.
struct Turn<'a> {
    coordinator: &'a mut CheckpointCoordinator,
    now: Time,
    effects: &'a mut Vec<CoordinatorEffect>,
}
