//! From a request to its triggers.
//!
//! Source: Flink `CheckpointCoordinator.startTriggeringCheckpoint`,
//! `startCheckpointScheduler`, `stopCheckpointScheduler`.

use super::decider::{Circumstances, Decision};
use super::failure_manager::CheckpointFailure;
use super::messages::{CoordinatorEffect, Health, Service, Sharing};
use super::pending::PendingCheckpoint;
use super::request::{CheckpointRequest, Request, RequestOutcome, SnapshotKind};
use super::settings::AfterFailure;
use super::{Life, TriggerPhase, Turn};
use crate::model::{Barrier, CheckpointFailureReason, CheckpointId, Micros, SubtaskIndex, Time};
use crate::protocol::checkpoint_plan::{AfterTasksFinish, CheckpointPlan};

impl Turn<'_> {
    /// The job runs.
    // Flink 1.20: CheckpointCoordinator.startCheckpointScheduler.
    pub(super) fn start(&mut self, initial_delay: Micros) {
        self.coordinator.life = Life::Active;
        self.coordinator.last = None;
        if self.coordinator.periodic.is_started() {
            self.stop();
        }
        if self.coordinator.periodic.is_configured() {
            self.coordinator.periodic.start();
            self.arm(self.now.after(initial_delay));
        }
    }

    /// Arms the next tick instead of the one that is armed.
    pub(super) fn arm(&mut self, next: Time) {
        if self.coordinator.periodic.arm(next) {
            self.effects.push(CoordinatorEffect::DisarmInterval);
        }
        self.effects.push(CoordinatorEffect::ArmInterval(next));
    }

    /// The job does not run.
    // Flink 1.20: CheckpointCoordinator.stopCheckpointScheduler.
    pub(super) fn stop(&mut self) {
        self.give_up(CheckpointFailureReason::CheckpointCoordinatorSuspend);
    }

    /// The job is over.
    // Flink 1.20: CheckpointCoordinator.shutdown.
    pub(super) fn shut_down(&mut self) {
        self.give_up(CheckpointFailureReason::CheckpointCoordinatorShutdown);
        self.coordinator.life = Life::Over;
    }

    fn give_up(&mut self, reason: CheckpointFailureReason) {
        self.stop_ticks();
        let queued: Vec<_> = self.coordinator.decider.drain().collect();
        for request in queued {
            // These failures are told to nobody but the user.
            self.refuse(request, reason);
        }
        self.abort_all(reason);
    }

    fn stop_ticks(&mut self) {
        if self.coordinator.periodic.stop() {
            self.effects.push(CoordinatorEffect::DisarmInterval);
        }
    }

    /// The job is at its end.
    pub(super) fn finish_job(&mut self) {
        self.coordinator.life = Life::Finishing;
        self.stop_ticks();
        self.clear_queue();
    }

    /// Makes way for the end of the job. Users get their answer.
    fn clear_queue(&mut self) {
        let queued: Vec<_> = self.coordinator.decider.drain().collect();
        let reason = CheckpointFailureReason::NotAllRequiredTasksRunning;
        queued.into_iter().for_each(|r| self.answer(r, RequestOutcome::Failed(reason)));
    }

    /// A task is at the end of its data; when all are, the job takes a last
    /// checkpoint.
    // Flink 1.20: SchedulerBase.notifyEndOfData.
    pub(super) fn end_of_data(&mut self, task: SubtaskIndex) {
        let coordinator = &mut *self.coordinator;
        coordinator.ended[task.index()] = true;
        let goes_on = coordinator.settings.after_tasks_finish == AfterTasksFinish::GoOn;
        let is_active = coordinator.life == Life::Active && coordinator.last.is_none();
        if goes_on && is_active && coordinator.ended.iter().all(|ended| *ended) {
            self.stop_ticks();
            self.clear_queue();
            self.request(SnapshotKind::Checkpoint, Request::EndOfData);
        }
    }

    /// The last checkpoint of a job at its end has failed, or is complete: ticks
    /// begin again. The next one that is complete lets those tasks finish that
    /// have not heard of this one.
    pub(super) fn go_on_after_last(&mut self, checkpoint: CheckpointId) {
        let coordinator = &*self.coordinator;
        let is_last = coordinator.last == Some(checkpoint) && coordinator.life == Life::Active;
        if let Some(interval) = coordinator.settings.interval.filter(|_| is_last) {
            self.coordinator.periodic.start();
            self.arm(self.now.after(interval));
        }
    }

    /// The armed tick is due: the next one is armed first.
    // Flink 1.20: ScheduledTrigger.run.
    pub(super) fn tick(&mut self) {
        let next = self.coordinator.periodic.tick(self.now);
        self.effects.extend(next.map(CoordinatorEffect::ArmInterval));
        self.request(SnapshotKind::Checkpoint, Request::Periodic);
    }

    /// Somebody asks for a checkpoint.
    // Flink 1.20: CheckpointCoordinator.triggerCheckpoint.
    pub(super) fn request(&mut self, kind: SnapshotKind, cause: Request) {
        let settings = &self.coordinator.settings;
        let forced = kind.is_savepoint() && settings.forces_savepoints();
        let request = CheckpointRequest { kind, cause, forced, requested_at: self.now };
        if self.coordinator.life == Life::Finishing {
            // Some task has finished or is about to.
            self.refuse(request, CheckpointFailureReason::NotAllRequiredTasksRunning);
            return;
        }
        let evicted = self.coordinator.decider.submit(request);
        if let Some(evicted) = evicted {
            self.refuse(evicted, CheckpointFailureReason::TooManyCheckpointRequests);
        }
        if evicted != Some(request) {
            self.choose();
        }
    }

    /// Asks for one more look into the queue at the end of this turn.
    // Flink 1.20: CheckpointCoordinator.scheduleTriggerRequest.
    pub(super) fn poll_later(&mut self) {
        self.coordinator.n_polls += 1;
    }

    /// Looks into the queue as often as was asked for. Each look begins or
    /// drops at most one request; those during a trigger phase do nothing, and
    /// its end asks for one more.
    pub(super) fn poll(&mut self) {
        let fails =
            |effect: &CoordinatorEffect| matches!(effect, CoordinatorEffect::FailJob { .. });
        let stops_first = self.coordinator.settings.after_failure == AfterFailure::JobStops;
        if stops_first && self.effects.iter().any(fails) {
            return;
        }
        while self.coordinator.n_polls > 0 {
            self.coordinator.n_polls -= 1;
            self.choose();
        }
    }

    // Flink 1.20: CheckpointCoordinator.executeQueuedRequest.
    fn choose(&mut self) {
        let coordinator = &mut *self.coordinator;
        if coordinator.phase != TriggerPhase::Free {
            return;
        }
        let at = Circumstances {
            n_pending: coordinator.pending.len(),
            n_cleaning: coordinator.n_cleaning,
            last_completion: coordinator.last_completion,
        };
        match coordinator.decider.decide(self.now, at) {
            Decision::Wait => {}
            Decision::Drop(request, next) => self.drop_early(request, next),
            Decision::Begin(request) => self.begin(request),
        }
    }

    // Flink 1.20: CheckpointCoordinator.rescheduleTrigger.
    fn drop_early(&mut self, request: CheckpointRequest, next: Time) {
        self.refuse(request, CheckpointFailureReason::MinimumTimeBetweenCheckpoints);
        self.arm(next);
    }

    /// A request's turn has come.
    // Flink 1.20: CheckpointCoordinator.startTriggeringCheckpoint.
    fn begin(&mut self, request: CheckpointRequest) {
        let coordinator = &*self.coordinator;
        if request.is_periodic() && !coordinator.periodic.is_started() {
            // No phase has begun that the other looks would have to wait for.
            self.fail(request, CheckpointFailureReason::PeriodicSchedulerShutdown);
            self.poll_later();
            return;
        }
        // The looks that are due find the phase under way.
        self.coordinator.n_polls = 0;
        let coordinator = &*self.coordinator;
        let plan = CheckpointPlan::calculate(
            &coordinator.topology,
            &coordinator.executions,
            coordinator.settings.after_tasks_finish,
        );
        match plan {
            Err(reason) => {
                self.fail(request, reason);
                self.end_phase();
            }
            Ok(_) if coordinator.is_broken(Service::IdCounter) => {
                self.fail(request, CheckpointFailureReason::IoException);
                self.end_phase();
            }
            Ok(plan) => self.create(request, plan),
        }
    }

    // Flink 1.20: CheckpointCoordinator.createPendingCheckpoint.
    fn create(&mut self, request: CheckpointRequest, plan: CheckpointPlan) {
        let coordinator = &mut *self.coordinator;
        let id = coordinator.next_id;
        coordinator.next_id.0 += 1;
        coordinator.phase = TriggerPhase::Locating(id);
        if request.cause == Request::EndOfData {
            coordinator.last = Some(id);
        }
        let options = coordinator.settings.options(request.kind.snapshot_type());
        let barrier = Barrier { checkpoint: id, triggered_at: self.now, options };
        let pending = PendingCheckpoint::new(barrier, request, plan, &coordinator.executions);
        coordinator.pending.insert(id, pending);
        let expiry = coordinator.settings.timeout.map(|timeout| self.now.after(timeout));
        self.effects.extend(expiry.map(|expiry| CoordinatorEffect::ArmExpiry(id, expiry)));
        let kind = request.kind;
        self.effects.push(CoordinatorEffect::InitializeLocation { checkpoint: id, kind });
    }

    /// The storage has a place for a checkpoint, or not.
    // Flink 1.20: CheckpointCoordinator.triggerCheckpointRequest.
    pub(super) fn located(&mut self, checkpoint: CheckpointId, outcome: Health) {
        if self.coordinator.phase != TriggerPhase::Locating(checkpoint) {
            return;
        }
        match outcome {
            Health::Works => self.trigger(checkpoint),
            Health::Fails => self.abort(checkpoint, CheckpointFailureReason::IoException, None),
        }
        self.end_phase();
    }

    // Flink 1.20: CheckpointCoordinator.triggerTasks.
    fn trigger(&mut self, checkpoint: CheckpointId) {
        // It may have been given up in the meantime.
        let Some(pending) = self.coordinator.pending.get(&checkpoint) else { return };
        let (request, is_complete) = (pending.request, pending.is_fully_acknowledged());
        let forces_full = !request.kind.is_savepoint() && self.coordinator.store.forces_full();
        self.effects.push(CoordinatorEffect::Trigger {
            barrier: pending.barrier,
            request,
            tasks: pending.plan.trigger.clone(),
            sharing: if forces_full { Sharing::Full } else { Sharing::AsConfigured },
        });
        if is_complete {
            self.complete(checkpoint);
        }
    }

    /// The trigger phase is over, and somebody else's turn may have come.
    pub(super) fn end_phase(&mut self) {
        self.coordinator.phase = TriggerPhase::Free;
        self.poll_later();
    }

    /// A request that never got an id has failed.
    // Flink 1.20: CheckpointCoordinator.onTriggerFailure.
    fn fail(&mut self, request: CheckpointRequest, reason: CheckpointFailureReason) {
        self.refuse(request, reason);
        let kind = request.kind;
        let failure = CheckpointFailure { checkpoint: None, kind, reason, declined_by: None };
        let failed = self.coordinator.failures.on_failure(failure);
        let fail_job = |failure| CoordinatorEffect::FailJob { failure, checkpoint: None, reason };
        self.effects.extend(failed.map(fail_job));
    }

    fn refuse(&mut self, request: CheckpointRequest, reason: CheckpointFailureReason) {
        self.effects.push(CoordinatorEffect::Reject { request, reason });
        self.answer(request, RequestOutcome::Failed(reason));
    }

    /// Tells the user what became of a request, if it is a user's.
    pub(super) fn answer(&mut self, request: CheckpointRequest, outcome: RequestOutcome) {
        if let Request::User(id) = request.cause {
            self.effects.push(CoordinatorEffect::Answer { id, outcome });
        }
    }
}
