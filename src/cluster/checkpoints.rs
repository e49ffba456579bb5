//! Checkpoints: triggers, barriers, snapshots, acknowledgements, notices.

use super::outcome::Wait;
use super::turn::Turn;
use super::work::Work;
use super::{Lane, ToJobManager, ToTask};
use crate::model::{
    Barrier, ChannelIndex, CheckpointFailureReason, CheckpointId, Micros, StreamElement,
    SubtaskIndex,
};
use crate::protocol::{
    AcknowledgeResult, BarrierEffect, BarrierInput, CheckpointRequest, CoordinatorEffect,
    CoordinatorInput, Execution, ExecutionState, Health, LastCheckpoint, Request, RequestId,
    Sender, SnapshotKind, SubtaskEffect, TwoPhaseCommitInput,
};
use crate::trace::{
    AbortReason, CheckpointView, Fact, IgnoredMessage, JobStatus, TaskStatus, TriggerCause,
};

impl Turn<'_> {
    /// The coordinator's interval is over.
    #[cold]
    pub(super) fn interval_elapsed(&mut self) {
        self.coordinate(CoordinatorInput::IntervalElapsed);
    }

    /// The scenario asks for a checkpoint.
    #[cold]
    pub(super) fn requested(&mut self, trigger: u32) {
        let (id, kind) = (RequestId(trigger), SnapshotKind::Checkpoint);
        self.coordinate(CoordinatorInput::Requested { id, kind });
    }

    /// The job runs, with every task of this attempt.
    pub(super) fn start_checkpoints(&mut self) {
        for task in self.scenario.graph.subtask_indices() {
            self.tell_state(task, ExecutionState::Running);
        }
        let initial_delay = self.scenario.config.interval.unwrap_or(Micros::ZERO);
        self.coordinate(CoordinatorInput::JobRunning { initial_delay });
    }

    /// The job does not run any more, and no task of it.
    pub(super) fn stop_checkpoints(&mut self) {
        self.coordinate(CoordinatorInput::JobNotRunning);
        for task in self.scenario.graph.subtask_indices() {
            self.tell_state(task, ExecutionState::Deploying);
        }
    }

    fn tell_state(&mut self, task: SubtaskIndex, state: ExecutionState) {
        let execution = Execution { attempt: self.cluster.attempt, state };
        self.coordinate(CoordinatorInput::TaskChanged { task, execution });
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
        match effect {
            // The storage answers at once, and notices of an abort are not sent yet:
            // a task learns of it by the next barrier.
            CoordinatorEffect::InitializeLocation { checkpoint, .. } => {
                let outcome = Health::Works;
                self.coordinate(CoordinatorInput::LocationInitialized { checkpoint, outcome });
            }
            CoordinatorEffect::Trigger { barrier, request, tasks, .. } => {
                self.open_storage(barrier);
                let checkpoint = barrier.checkpoint;
                let cause = cause(request.cause);
                self.out.fact(Fact::CheckpointTriggered { checkpoint, cause });
                for task in tasks {
                    self.write_to_task(task, ToTask::Trigger(barrier));
                }
            }
            CoordinatorEffect::Reject { request, reason } => self.reject(request, reason),
            CoordinatorEffect::Acknowledge { sender, checkpoint, result } => {
                self.accept(sender, checkpoint, result);
            }
            CoordinatorEffect::Complete { checkpoint, .. } => {
                if let Some(stored) = self.stored(checkpoint) {
                    stored.completed = true;
                }
                self.cluster.completed.push(checkpoint);
                self.out.fact(Fact::CheckpointCompleted { checkpoint });
            }
            CoordinatorEffect::DiscardCheckpoint(checkpoint) => {
                self.cluster.storage.retain(|stored| stored.id != checkpoint);
            }
            CoordinatorEffect::NotifyComplete { checkpoint, tasks, last, .. } => {
                for task in tasks {
                    self.write_to_task(task, ToTask::Notify { checkpoint, last });
                }
            }
            CoordinatorEffect::Abort { checkpoint, reason, .. } => {
                let reason = match reason {
                    CheckpointFailureReason::CheckpointSubsumed => AbortReason::Subsumed,
                    _ => AbortReason::CoordinatorSuspend,
                };
                self.abort(checkpoint, reason);
            }
            CoordinatorEffect::FailJob(_) => self.fail_job(),
            CoordinatorEffect::ArmInterval(at) => self.out.event(Lane::Interval, Wait::At(at)),
            CoordinatorEffect::DisarmInterval => self.out.clear_lane(Lane::Interval),
            // Nobody waits for an answer, nothing expires, and what a task
            // has stored goes with the checkpoint.
            CoordinatorEffect::Answer { .. }
            | CoordinatorEffect::NotifyAbort { .. }
            | CoordinatorEffect::DiscardState { .. }
            | CoordinatorEffect::ArmExpiry(..)
            | CoordinatorEffect::DisarmExpiry(_) => {}
        }
    }

    /// A request has been refused. Those that an attempt takes along when it
    /// ends are not worth a word.
    fn reject(&mut self, request: CheckpointRequest, reason: CheckpointFailureReason) {
        if reason == CheckpointFailureReason::NotAllRequiredTasksRunning {
            self.out.fact(Fact::TriggerRejected { cause: cause(request.cause) });
        }
    }

    fn accept(&mut self, sender: Sender, checkpoint: CheckpointId, result: AcknowledgeResult) {
        if let (Sender::Task { task, .. }, AcknowledgeResult::Success) = (sender, result) {
            if let Some(stored) = self.stored(checkpoint) {
                stored.acknowledged[task.index()] = true;
            }
            self.out.fact(Fact::Acknowledged { task, checkpoint });
        }
    }

    fn open_storage(&mut self, barrier: Barrier) {
        let n_tasks = self.cluster.tasks.len();
        self.cluster.storage.push(CheckpointView {
            id: barrier.checkpoint,
            completed: false,
            triggered_at: barrier.triggered_at,
            stored: vec![None; n_tasks],
            acknowledged: vec![false; n_tasks],
            notified: vec![false; n_tasks],
        });
    }

    fn stored(&mut self, checkpoint: CheckpointId) -> Option<&mut CheckpointView> {
        self.cluster.storage.iter_mut().find(|stored| stored.id == checkpoint)
    }

    fn abort(&mut self, checkpoint: CheckpointId, reason: AbortReason) {
        self.cluster.storage.retain(|stored| stored.id != checkpoint);
        self.out.fact(Fact::CheckpointAborted { checkpoint, reason });
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
                    let sender = Sender::Task { task, attempt: letter.attempt };
                    self.coordinate(CoordinatorInput::Acknowledged { sender, checkpoint });
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
                self.snapshot(task, barrier);
            }
            (ToTask::Notify { checkpoint, last }, true) => self.notified(task, checkpoint, last),
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
        if last == LastCheckpoint::Yes && state.ended {
            self.finish(task);
        }
    }

    /// A task takes a barrier out of a channel.
    #[cold]
    pub(super) fn barrier(
        &mut self,
        task: SubtaskIndex,
        from: (ChannelIndex, u64),
        barrier: Barrier,
    ) {
        let (channel, number) = from;
        let place = self.out.facts.len();
        let position = self.scenario.graph.channels[channel.index()].input_position;
        self.handle(task, BarrierInput::Barrier { channel: position, barrier });
        let (n_received, n_needed) = self.cluster.tasks[task.index()].handler.progress();
        let checkpoint = barrier.checkpoint;
        // It is received before it has an effect.
        self.out.facts.insert(
            place,
            Fact::BarrierReceived { task, channel, number, checkpoint, n_received, n_needed },
        );
    }

    /// A channel whose sender sends no barrier any more has ended.
    pub(super) fn end_of_channel(&mut self, task: SubtaskIndex, position: u32) {
        let pending = self.cluster.tasks[task.index()].handler.pending();
        let place = self.out.facts.len();
        self.handle(task, BarrierInput::End { channel: position });
        if let Some(checkpoint) = pending {
            let (n_received, n_needed) = self.cluster.tasks[task.index()].handler.progress();
            let counted = Fact::EndCounted { task, checkpoint, n_received, n_needed };
            self.out.facts.insert(place, counted);
        }
    }

    /// Lets a task's barrier handler act.
    fn handle(&mut self, task: SubtaskIndex, input: BarrierInput) {
        let mut effects = Vec::new();
        self.cluster.tasks[task.index()].handler.on(input, &mut effects);
        let inputs = &self.scenario.graph.subtasks[task.index()].inputs;
        for effect in effects {
            match effect {
                BarrierEffect::Block { channel, checkpoint } => {
                    let channel = inputs[channel as usize];
                    self.cluster.channels[channel.index()].blocked = Some(checkpoint);
                    self.out.fact(Fact::Blocked { channel, checkpoint });
                }
                BarrierEffect::Trigger(barrier) => self.snapshot(task, barrier),
                BarrierEffect::Resume { channel } => self.resume(inputs[channel as usize]),
            }
        }
    }

    fn resume(&mut self, channel: ChannelIndex) {
        let state = &mut self.cluster.channels[channel.index()];
        state.subpartition.resume();
        if state.blocked.take().is_some() {
            self.out.fact(Fact::Resumed { channel });
        }
        self.pump(channel);
    }

    /// A task's snapshot is due.
    fn snapshot(&mut self, task: SubtaskIndex, barrier: Barrier) {
        let mut effects = Vec::new();
        self.cluster.tasks[task.index()].snapshots.on_trigger(barrier, &mut effects);
        for effect in effects {
            match effect {
                SubtaskEffect::BroadcastBarrier(barrier) => {
                    self.broadcast(task, StreamElement::Barrier(barrier));
                }
                SubtaskEffect::TakeSnapshot(checkpoint) => self.take_snapshot(task, checkpoint),
                SubtaskEffect::Acknowledge(checkpoint) => {
                    self.write_to_job_manager(task, ToJobManager::Acknowledge(checkpoint));
                }
            }
        }
    }

    fn take_snapshot(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let state = &mut self.cluster.tasks[task.index()];
        if let Work::Sink(sink) = &mut state.work {
            sink.on(TwoPhaseCommitInput::Snapshot(checkpoint), &mut self.out.facts);
        }
        let snapshot = state.state(self.scenario, task);
        if let Some(stored) = self.stored(checkpoint) {
            stored.stored[task.index()] = Some(snapshot.clone());
        }
        self.out.fact(Fact::SnapshotTaken { task, checkpoint, state: snapshot });
    }

    /// A task is done.
    pub(super) fn finish(&mut self, task: SubtaskIndex) {
        self.cluster.tasks[task.index()].status = TaskStatus::Finished;
        self.out.fact(Fact::TaskFinished { task });
        self.tell_state(task, ExecutionState::Finished);
        self.coordinate(CoordinatorInput::JobFinishing);
        self.cluster.n_finished += 1;
        if self.cluster.n_finished as usize == self.cluster.tasks.len() {
            self.cluster.status = JobStatus::Finished;
            self.out.fact(Fact::JobFinished);
        }
    }
}

fn cause(request: Request) -> TriggerCause {
    match request {
        Request::User(_) => TriggerCause::Scenario,
        Request::EndOfData => TriggerCause::EndOfData,
        Request::Periodic => TriggerCause::Periodic,
    }
}
