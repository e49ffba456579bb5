//! Checkpoints: triggers, barriers, snapshots, acknowledgements, notices.

use super::outcome::Wait;
use super::turn::Turn;
use super::work::Work;
use super::{Lane, ToJobManager, ToTask};
use crate::model::{Barrier, ChannelIndex, CheckpointId, StreamElement, SubtaskIndex};
use crate::protocol::{
    BarrierEffect, BarrierInput, CoordinatorEffect, CoordinatorInput, LastCheckpoint, Request,
    SubtaskEffect, TwoPhaseCommitInput,
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
                self.abort(checkpoint, AbortReason::Subsumed);
            }
            CoordinatorEffect::Suspend(checkpoint) => {
                self.abort(checkpoint, AbortReason::CoordinatorSuspend);
            }
            CoordinatorEffect::ArmInterval(interval) => {
                self.out.event(Lane::Interval, Wait::After(interval));
            }
            CoordinatorEffect::DisarmInterval => self.out.clear_lane(Lane::Interval),
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
                    self.coordinate(CoordinatorInput::Acknowledged { task, checkpoint });
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
