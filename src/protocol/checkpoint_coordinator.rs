//! The JobManager's side of checkpoints: when one begins, when it is complete,
//! whom to tell.
//!
//! Source: Flink `CheckpointCoordinator`, `CheckpointRequestDecider`.

use std::collections::VecDeque;

use crate::model::{
    Barrier, CheckpointFailureReason, CheckpointId, CheckpointOptions, Micros, Scenario,
    SnapshotType, SubtaskIndex, Time,
};

/// Something that comes to the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinatorInput {
    /// The job runs: periodic checkpoints begin.
    JobRunning,
    /// The job has failed: everything that is pending is given up.
    JobFailed,
    /// The interval is over.
    IntervalElapsed,
    /// The scenario asks for a checkpoint.
    Requested,
    /// A task has stored its state.
    Acknowledged {
        /// Who.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task has given a checkpoint up.
    Declined {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// A task is at the end of its data.
    EndReported {
        /// Who.
        task: SubtaskIndex,
    },
    /// A task has finished.
    TaskFinished,
}

/// Why a checkpoint is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// By the user (here: the scenario).
    User,
    /// By the end of the job.
    EndOfData,
    /// By the interval.
    Periodic,
}

/// Something that the coordinator asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinatorEffect {
    /// A checkpoint has begun: send each source its trigger.
    Trigger {
        /// What the sources are to send on.
        barrier: Barrier,
        /// Why.
        request: Request,
    },
    /// A request has been rejected, since not every task runs.
    Reject(Request),
    /// The acknowledgement counts.
    Accept {
        /// Whose.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A checkpoint is complete: keep it as the newest, and notify every task.
    Complete {
        /// Which.
        checkpoint: CheckpointId,
        /// Whether tasks that are at the end of their data finish upon the
        /// notice.
        last: LastCheckpoint,
    },
    /// A pending checkpoint is given up, since a later one is complete.
    Subsume(CheckpointId),
    /// A pending checkpoint is given up, since a task has declined it.
    Abort {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// A pending checkpoint is given up, since the job has failed.
    Suspend(CheckpointId),
    /// Report [`CoordinatorInput::IntervalElapsed`] after so long.
    ArmInterval(Micros),
    /// Forget the interval that was armed.
    DisarmInterval,
}

/// Whether a completed checkpoint is the one that a job at its end waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LastCheckpoint {
    /// It is: tasks finish upon the notice.
    Yes,
    /// It is not: the job goes on.
    No,
}

/// A checkpoint that not every task has acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PendingCheckpoint {
    id: CheckpointId,
    triggered_at: Time,
    acknowledged: Vec<bool>,
    n_missing: u32,
}

/// Whether checkpoints can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Phase {
    /// The job does not run.
    Suspended,
    /// Every task runs.
    Running,
    /// A task has finished: Flink takes no more checkpoints when checkpoints
    /// after tasks finish are off, and here no task finishes early otherwise.
    Finishing,
}

/// The coordinator of one job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointCoordinator {
    interval: Option<Micros>,
    options: CheckpointOptions,
    max_concurrent: u32,
    /// Whether the job's end waits for a last checkpoint.
    takes_last: bool,
    phase: Phase,
    next_id: CheckpointId,
    pending: Vec<PendingCheckpoint>,
    queued: VecDeque<Request>,
    /// By task: at the end of its data in this attempt.
    ended: Vec<bool>,
    n_ended: u32,
    last: Option<CheckpointId>,
}

/// Requests that wait, at most.
///
/// Source: Flink `CheckpointRequestDecider.DEFAULT_MAX_QUEUED_REQUESTS`.
const QUEUED_MAX: usize = 1000;

impl CheckpointCoordinator {
    /// The coordinator of a scenario's job, before the job runs.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        Self {
            interval: scenario.config.interval,
            options: scenario.config.checkpoint_options(SnapshotType::Checkpoint),
            max_concurrent: scenario.config.max_concurrent_checkpoints,
            takes_last: Self::takes_last_checkpoint(scenario),
            phase: Phase::Suspended,
            next_id: CheckpointId(1),
            pending: Vec::new(),
            queued: VecDeque::new(),
            ended: vec![false; scenario.graph.subtasks.len()],
            n_ended: 0,
            last: None,
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

    /// The pending checkpoints, oldest first, each with when it was triggered
    /// and, by task, whether it has been acknowledged.
    pub fn pending(&self) -> impl Iterator<Item = (CheckpointId, Time, &[bool])> {
        self.pending.iter().map(|p| (p.id, p.triggered_at, p.acknowledged.as_slice()))
    }

    /// Handles an input at a time.
    pub fn on(&mut self, now: Time, input: CoordinatorInput, effects: &mut Vec<CoordinatorEffect>) {
        match input {
            CoordinatorInput::JobRunning => {
                self.phase = Phase::Running;
                self.ended.fill(false);
                self.n_ended = 0;
                self.last = None;
                effects.extend(self.interval.map(CoordinatorEffect::ArmInterval));
            }
            CoordinatorInput::JobFailed => {
                self.phase = Phase::Suspended;
                self.queued.clear();
                effects.push(CoordinatorEffect::DisarmInterval);
                effects.extend(self.pending.drain(..).map(|p| CoordinatorEffect::Suspend(p.id)));
            }
            CoordinatorInput::IntervalElapsed => {
                // Flink 1.20: ScheduledTrigger.run arms the timer first.
                effects.extend(self.interval.map(CoordinatorEffect::ArmInterval));
                self.request(now, Request::Periodic, effects);
            }
            CoordinatorInput::Requested => self.request(now, Request::User, effects),
            CoordinatorInput::Acknowledged { task, checkpoint } => {
                self.acknowledge(now, task, checkpoint, effects);
            }
            CoordinatorInput::Declined { checkpoint, reason } => {
                if let Some(place) = self.pending.iter().position(|p| p.id == checkpoint) {
                    self.pending.remove(place);
                    effects.push(CoordinatorEffect::Abort { checkpoint, reason });
                    self.begin_queued(now, effects);
                }
            }
            CoordinatorInput::EndReported { task } => {
                let ended = &mut self.ended[task.index()];
                self.n_ended += u32::from(!*ended);
                *ended = true;
                if self.takes_last && self.n_ended as usize == self.ended.len() {
                    // Flink 1.20: SchedulerBase.notifyEndOfData.
                    effects.push(CoordinatorEffect::DisarmInterval);
                    self.queued.clear();
                    self.request(now, Request::EndOfData, effects);
                }
            }
            CoordinatorInput::TaskFinished => {
                self.phase = Phase::Finishing;
                self.queued.clear();
                effects.push(CoordinatorEffect::DisarmInterval);
            }
        }
    }

    /// A request waits its turn: those of users before periodic ones.
    fn request(&mut self, now: Time, request: Request, effects: &mut Vec<CoordinatorEffect>) {
        if self.phase != Phase::Running {
            effects.push(CoordinatorEffect::Reject(request));
            return;
        }
        if self.queued.len() == QUEUED_MAX {
            // The newest periodic request gives way.
            self.queued.pop_back();
        }
        let place = self.queued.partition_point(|waiting| *waiting <= request);
        self.queued.insert(place, request);
        self.begin_queued(now, effects);
    }

    fn begin_queued(&mut self, now: Time, effects: &mut Vec<CoordinatorEffect>) {
        while self.pending.len() < self.max_concurrent as usize
            && let Some(request) = self.queued.pop_front()
        {
            let id = self.next_id;
            self.next_id.0 += 1;
            if request == Request::EndOfData {
                self.last = Some(id);
            }
            self.pending.push(PendingCheckpoint {
                id,
                triggered_at: now,
                acknowledged: vec![false; self.ended.len()],
                n_missing: self.ended.len() as u32,
            });
            let barrier = Barrier { checkpoint: id, triggered_at: now, options: self.options };
            effects.push(CoordinatorEffect::Trigger { barrier, request });
        }
    }

    fn acknowledge(
        &mut self,
        now: Time,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
        effects: &mut Vec<CoordinatorEffect>,
    ) {
        let Some(place) = self.pending.iter().position(|p| p.id == checkpoint) else { return };
        let pending = &mut self.pending[place];
        if std::mem::replace(&mut pending.acknowledged[task.index()], true) {
            return;
        }
        effects.push(CoordinatorEffect::Accept { task, checkpoint });
        pending.n_missing -= 1;
        if pending.n_missing > 0 {
            return;
        }
        self.pending.remove(place);
        let last = match self.last {
            Some(last) if checkpoint >= last => LastCheckpoint::Yes,
            _ => LastCheckpoint::No,
        };
        effects.push(CoordinatorEffect::Complete { checkpoint, last });
        self.pending.retain(|older| {
            let subsumed = older.id < checkpoint;
            if subsumed {
                effects.push(CoordinatorEffect::Subsume(older.id));
            }
            !subsumed
        });
        self.begin_queued(now, effects);
    }
}
