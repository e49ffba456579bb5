//! Checkpoints: triggers, barriers, snapshots, acknowledgements, notices.

use super::outcome::Wait;
use super::turn::Turn;
use super::work::Work;
use super::{Lane, ToJobManager, ToTask};
use crate::model::{
    Barrier, CheckpointFailureReason, CheckpointId, Micros, StreamElement, SubtaskIndex,
};
use crate::protocol::{
    CoordinatorEffect, CoordinatorInput, LastCheckpoint, Request, SubtaskInput, TwoPhaseCommitInput,
};
use crate::trace::{CheckpointView, Fact, IgnoredMessage, JobStatus, TaskStatus, TriggerCause};

impl Turn<'_> {
    /// The coordinator's interval is over.
    #[cold]
    pub(super) fn interval_elapsed(&mut self) {
        self.coordinate(CoordinatorInput::IntervalElapsed);
    }

    /// The scenario asks for a checkpoint.
    #[cold]
    pub(super) fn requested(&mut self) {
        self.coordinate(CoordinatorInput::Requested);
    }

    /// Lets the coordinator act.
    pub(super) fn coordinate(&mut self, input: CoordinatorInput) {
        let mut effects = Vec::new();
        self.cluster.coordinator.on(self.now, input, &mut effects);
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: CoordinatorEffect) {
        let scenario = self.scenario;
        match effect {
            CoordinatorEffect::Trigger { barrier, request } => {
                self.open_storage(barrier);
                let checkpoint = barrier.checkpoint;
                self.out.fact(Fact::CheckpointTriggered { checkpoint, cause: cause(request) });
                let sources = scenario.graph.subtask_indices();
                for task in sources.filter(|task| scenario.graph.is_source(*task)) {
                    self.write_to_task(task, ToTask::Trigger(barrier));
                }
            }
            CoordinatorEffect::Reject(request) => {
                self.out.fact(Fact::TriggerRejected { cause: cause(request) });
            }
            CoordinatorEffect::Accept { task, checkpoint } => {
                if let Some(stored) = self.stored(checkpoint) {
                    stored.acknowledged[task.index()] = true;
                }
                self.out.fact(Fact::Acknowledged { task, checkpoint });
            }
            CoordinatorEffect::Complete { checkpoint, last } => self.complete(checkpoint, last),
            CoordinatorEffect::Subsume(checkpoint) => {
                self.abort(checkpoint, CheckpointFailureReason::CheckpointSubsumed);
                self.notify_abort(checkpoint);
            }
            CoordinatorEffect::Abort { checkpoint, reason } => {
                self.abort(checkpoint, reason);
                self.notify_abort(checkpoint);
            }
            CoordinatorEffect::Suspend(checkpoint) => {
                self.abort(checkpoint, CheckpointFailureReason::CheckpointCoordinatorSuspend);
            }
            CoordinatorEffect::ArmInterval(interval) => {
                self.out.event(Lane::Interval, Wait::After(interval));
            }
            CoordinatorEffect::DisarmInterval => self.out.clear_lane(Lane::Interval),
        }
    }

    fn open_storage(&mut self, barrier: Barrier) {
        let graph = &self.scenario.graph;
        let opened = CheckpointView::triggered(barrier.checkpoint, barrier.triggered_at, graph);
        self.cluster.storage.push(opened);
    }

    pub(super) fn stored(&mut self, checkpoint: CheckpointId) -> Option<&mut CheckpointView> {
        self.cluster.storage.iter_mut().find(|stored| stored.id == checkpoint)
    }

    fn complete(&mut self, checkpoint: CheckpointId, last: LastCheckpoint) {
        if let Some(stored) = self.stored(checkpoint) {
            stored.completed = true;
        }
        let dropped = self.cluster.store.add(checkpoint);
        self.cluster.storage.retain(|stored| !dropped.contains(&stored.id));
        self.cluster.completed.push(checkpoint);
        self.out.fact(Fact::CheckpointCompleted { checkpoint });
        for task in self.scenario.graph.subtask_indices() {
            self.write_to_task(task, ToTask::Notify { checkpoint, last });
        }
    }

    fn abort(&mut self, checkpoint: CheckpointId, reason: CheckpointFailureReason) {
        self.cluster.storage.retain(|stored| stored.id != checkpoint);
        self.out.fact(Fact::CheckpointAborted { checkpoint, reason });
    }

    fn notify_abort(&mut self, checkpoint: CheckpointId) {
        for task in self.scenario.graph.subtask_indices() {
            self.write_to_task(task, ToTask::Abort(checkpoint));
        }
    }

    /// A message comes to the JobManager.
    #[cold]
    pub(super) fn letter_to_job_manager(&mut self, task: SubtaskIndex) {
        let letters = &mut self.cluster.to_job_manager[task.index()];
        let letter = letters.pop_front().expect("what comes was sent");
        let alive =
            letter.attempt == self.cluster.attempt && self.cluster.status == JobStatus::Running;
        let n_facts = self.out.facts.len();
        if alive {
            match letter.text {
                ToJobManager::Acknowledge(checkpoint) => {
                    self.coordinate(CoordinatorInput::Acknowledged { task, checkpoint });
                }
                ToJobManager::Decline { checkpoint, reason } => {
                    self.out.fact(Fact::DeclineReceived { task, checkpoint, reason });
                    self.coordinate(CoordinatorInput::Declined { checkpoint, reason });
                }
                ToJobManager::EndOfData => {
                    self.out.fact(Fact::EndReported { task });
                    self.coordinate(CoordinatorInput::EndReported { task });
                }
                ToJobManager::Failure => self.fail_job(),
            }
        }
        if self.out.facts.len() == n_facts {
            let message = match letter.text {
                ToJobManager::Acknowledge(checkpoint) => IgnoredMessage::Acknowledge(checkpoint),
                ToJobManager::Decline { checkpoint, .. } => IgnoredMessage::Decline(checkpoint),
                ToJobManager::EndOfData => IgnoredMessage::EndOfData,
                ToJobManager::Failure => IgnoredMessage::Failure,
            };
            self.out.fact(Fact::MessageIgnored { task, attempt: letter.attempt, message });
        }
    }

    /// A message comes to a task.
    #[cold]
    pub(super) fn letter_to_task(&mut self, task: SubtaskIndex) {
        let letters = &mut self.cluster.to_task[task.index()];
        let letter = letters.pop_front().expect("what comes was sent");
        let alive = letter.attempt == self.cluster.attempt && self.is_running(task);
        match (letter.text, alive) {
            (ToTask::Trigger(barrier), true) => {
                self.out.fact(Fact::TriggerReceived { task, checkpoint: barrier.checkpoint });
                self.triggered(task, barrier);
            }
            (ToTask::Notify { checkpoint, last }, true) => self.notified(task, checkpoint, last),
            (ToTask::Abort(checkpoint), true) => {
                self.out.fact(Fact::AbortNotified { task, checkpoint });
                self.checkpoint(task, SubtaskInput::AbortNotified(checkpoint));
            }
            (ToTask::Abort(checkpoint), false) => {
                let message = IgnoredMessage::Abort(checkpoint);
                self.out.fact(Fact::MessageIgnored { task, attempt: letter.attempt, message });
            }
            (ToTask::Trigger(barrier), false) => {
                let message = IgnoredMessage::Trigger(barrier.checkpoint);
                self.out.fact(Fact::MessageIgnored { task, attempt: letter.attempt, message });
            }
            (ToTask::Notify { checkpoint, .. }, false) => {
                let message = IgnoredMessage::Notify(checkpoint);
                self.out.fact(Fact::MessageIgnored { task, attempt: letter.attempt, message });
            }
        }
    }

    fn notified(&mut self, task: SubtaskIndex, checkpoint: CheckpointId, last: LastCheckpoint) {
        if let Some(stored) = self.stored(checkpoint) {
            stored.notified[task.index()] = true;
        }
        self.out.fact(Fact::Notified { task, checkpoint });
        let state = &mut self.cluster.tasks[task.index()];
        if let Work::Sink(sink) = &mut state.work {
            sink.on(TwoPhaseCommitInput::Completed(checkpoint), &mut self.out.facts);
        }
        state.last_is_complete |= last == LastCheckpoint::Yes && state.ended;
        self.finish_if_done(task);
    }

    /// A task is asked to take a snapshot.
    pub(super) fn triggered(&mut self, task: SubtaskIndex, barrier: Barrier) {
        let state = &mut self.cluster.tasks[task.index()];
        if state.copying.is_some() {
            state.triggers.push_back(barrier);
            return;
        }
        let n_inputs = self.scenario.graph.subtasks[task.index()].inputs.len();
        if (state.n_partitions_ended as usize) < n_inputs {
            self.trigger_inputs(task, barrier);
            return;
        }
        let checkpoint = barrier.checkpoint;
        let start_delay = Micros(self.now.0.saturating_sub(barrier.triggered_at.0));
        self.checkpoint(task, SubtaskInput::Trigger { barrier, start_delay });
        let (duration, bytes) = (Micros::ZERO, 0);
        self.checkpoint(task, SubtaskInput::Aligned { checkpoint, duration, bytes });
    }

    /// A task that is at its end finishes when every input has ended and, if
    /// it waits for one, its last checkpoint is complete.
    pub(super) fn finish_if_done(&mut self, task: SubtaskIndex) {
        let state = &self.cluster.tasks[task.index()];
        let n_inputs = self.scenario.graph.subtasks[task.index()].inputs.len();
        let is_done = state.ended
            && state.last_is_complete
            && state.n_partitions_ended as usize == n_inputs
            && state.status == TaskStatus::Running;
        if is_done {
            self.finish(task);
        }
    }

    /// A task is done.
    fn finish(&mut self, task: SubtaskIndex) {
        self.broadcast(task, StreamElement::EndOfPartition);
        self.cluster.tasks[task.index()].status = TaskStatus::Finished;
        self.out.fact(Fact::TaskFinished { task });
        self.coordinate(CoordinatorInput::TaskFinished);
        self.cluster.n_finished += 1;
        if self.cluster.n_finished as usize == self.cluster.tasks.len() {
            self.cluster.status = JobStatus::Finished;
            self.out.fact(Fact::JobFinished);
        }
    }
}

fn cause(request: Request) -> TriggerCause {
    match request {
        Request::User => TriggerCause::Scenario,
        Request::EndOfData => TriggerCause::EndOfData,
        Request::Periodic => TriggerCause::Periodic,
    }
}
