//! Checkpoints: triggers, barriers, snapshots, acknowledgements, notices.

use super::outcome::{Chance, Wait};
use super::turn::Turn;
use super::work::Work;
use super::{Lane, Region, ToJobManager, ToTask};
use crate::model::{
    Barrier, CheckpointFailureReason, CheckpointId, InitialDelay, Micros, Mutation, SnapshotType,
    StreamElement, SubtaskIndex, SubtaskLife,
};
use crate::protocol::{
    AcknowledgeResult, CheckpointCoordinator, CheckpointRequest, CoordinatorEffect,
    CoordinatorInput, Execution, ExecutionState, Request, RequestId, Sender, SnapshotKind,
    SubtaskInput, TerminalStatus, TwoPhaseCommitInput,
};
use crate::trace::{
    CheckpointView, Fact, FailureCause, JobStatus, Rejection, TaskStatus, TriggerCause,
};

impl Turn<'_> {
    /// The coordinator's interval is over.
    #[cold]
    pub(super) fn interval_elapsed(&mut self) {
        self.coordinate(CoordinatorInput::IntervalElapsed);
    }

    /// A pending checkpoint has taken too long.
    #[cold]
    pub(super) fn expired(&mut self) {
        if let Some((checkpoint, _)) = self.cluster.expiries.pop_front() {
            self.coordinate(CoordinatorInput::Expired(checkpoint));
        }
    }

    /// The scenario asks for a checkpoint or a savepoint.
    #[cold]
    pub(super) fn requested(&mut self, request: u32) {
        let id = RequestId(request);
        match self.scenario.savepoint(request) {
            Some(savepoint) => self.savepoint_requested(id, savepoint.snapshot),
            None => {
                let kind = SnapshotKind::Checkpoint;
                self.coordinate(CoordinatorInput::Requested { id, kind });
            }
        }
    }

    /// The tasks of an attempt run, and with them the job, unless it waits for
    /// others.
    pub(super) fn start_checkpoints(&mut self, region: &Region) {
        for task in self.cluster.tasks_of(region) {
            if self.is_running(task) {
                self.tell_state(task, ExecutionState::Running);
            }
        }
        if self.cluster.status != JobStatus::Running {
            return;
        }
        let initial_delay = self.initial_delay();
        self.coordinate(CoordinatorInput::JobRunning { initial_delay });
    }

    /// When the first periodic checkpoint comes. Flink draws it.
    // Flink 1.20: CheckpointCoordinator.getRandomInitDelay.
    // Differs: unless a scenario asks for the draw, it comes after one interval.
    fn initial_delay(&mut self) -> Micros {
        let config = &self.scenario.config;
        let interval = config.interval.unwrap_or(Micros::ZERO).max(config.min_pause);
        match self.scenario.initial_delay {
            InitialDelay::Interval => config.interval.unwrap_or(Micros::ZERO),
            InitialDelay::Fixed(delay) => delay,
            InitialDelay::Drawn => {
                let bounds = (config.min_pause.0 / 1000, interval.0 / 1000);
                Micros::from_ms(self.out.between(Chance::InitialDelay, bounds))
            }
        }
    }

    /// The job does not run any more, nor these tasks of it.
    pub(super) fn stop_checkpoints(&mut self, region: &Region) {
        self.coordinate(CoordinatorInput::JobNotRunning);
        for task in self.cluster.tasks_of(region) {
            self.tell_state(task, ExecutionState::Deploying);
        }
    }

    fn tell_state(&mut self, task: SubtaskIndex, state: ExecutionState) {
        let attempt = self.cluster.tasks[task.index()].attempt;
        let execution = Execution { attempt, state };
        self.coordinate(CoordinatorInput::TaskChanged { task, execution });
    }

    /// Lets the coordinator act.
    pub(super) fn coordinate(&mut self, input: CoordinatorInput) {
        let mut effects = Vec::new();
        self.cluster.coordinator.on(self.now, input, &mut effects);
        let mut answers = Vec::new();
        for effect in effects {
            match effect {
                CoordinatorEffect::Answer { id, outcome } => answers.push((id, outcome)),
                effect => self.carry_out(effect),
            }
        }
        // Flink 1.20: StopWithSavepointTerminationManager.stopWithSavepoint: who
        // has asked hears of it when everything else is done (handleAsync).
        for (id, outcome) in answers {
            self.answered(id, outcome);
        }
    }

    fn carry_out(&mut self, effect: CoordinatorEffect) {
        match effect {
            // The storage answers at once.
            CoordinatorEffect::InitializeLocation { checkpoint, .. } => {
                let outcome = self.location();
                self.coordinate(CoordinatorInput::LocationInitialized { checkpoint, outcome });
            }
            CoordinatorEffect::Trigger { barrier, request, tasks, .. } => {
                self.open_storage(barrier);
                let checkpoint = barrier.checkpoint;
                let format = self.format(request.cause);
                let cause = cause(request.cause);
                let snapshot = barrier.options.snapshot;
                self.out.fact(Fact::CheckpointTriggered { checkpoint, snapshot, format, cause });
                self.include_finished(checkpoint);
                for task in tasks {
                    self.write_to_task(task, ToTask::Trigger(barrier));
                }
            }
            CoordinatorEffect::Reject { request, reason } => self.reject(request, reason),
            CoordinatorEffect::Acknowledge { sender, checkpoint, result } => {
                self.accept(sender, checkpoint, result);
            }
            CoordinatorEffect::Complete { checkpoint, .. } => {
                self.write_metadata(checkpoint);
                let stored = self.stored(checkpoint);
                let snapshot = stored.map(|stored| {
                    stored.completed = true;
                    stored.snapshot
                });
                self.out.fact(Fact::CheckpointCompleted { checkpoint });
                // A savepoint does not go into the store, so no file becomes needless.
                if snapshot == Some(SnapshotType::Checkpoint) {
                    self.cluster.completed.push(checkpoint);
                    self.delete_unused();
                }
            }
            CoordinatorEffect::DiscardCheckpoint(checkpoint) => self.discard(checkpoint),
            CoordinatorEffect::NotifyComplete { checkpoint, tasks, .. } => {
                for task in tasks {
                    self.write_to_task(task, ToTask::Notify(checkpoint));
                }
            }
            CoordinatorEffect::Abort { checkpoint, reason, .. } => self.abort(checkpoint, reason),
            CoordinatorEffect::NotifyAbort { checkpoint, tasks, reason, latest_completed } => {
                // Where the job fails there is nobody left to tell but the tasks
                // of other regions.
                let fails = reason == CheckpointFailureReason::CheckpointCoordinatorSuspend;
                for task in tasks {
                    if !(fails && self.cluster.goes_down(task)) {
                        self.write_to_task(task, ToTask::Abort { checkpoint, latest_completed });
                    }
                }
            }
            CoordinatorEffect::FailJob { checkpoint, reason, .. } => {
                let tolerable = self.scenario.config.tolerable_failed_checkpoints;
                let cause =
                    FailureCause::TooManyFailedCheckpoints { checkpoint, reason, tolerable };
                self.fail(cause, None);
            }
            CoordinatorEffect::ArmInterval(at) => self.out.event(Lane::Interval, Wait::At(at)),
            CoordinatorEffect::DisarmInterval => self.out.clear_lane(Lane::Interval),
            CoordinatorEffect::ArmExpiry(checkpoint, at) => {
                self.cluster.expiries.push_back((checkpoint, at));
                self.out.event(Lane::Expiry, Wait::At(at));
            }
            CoordinatorEffect::DisarmExpiry(checkpoint) => {
                self.cluster.expiries.retain(|(armed, _)| *armed != checkpoint);
                self.out.clear_lane(Lane::Expiry);
                for (_, at) in &self.cluster.expiries {
                    self.out.event(Lane::Expiry, Wait::At(*at));
                }
            }
            CoordinatorEffect::DiscardState { sender: Sender::Task { task, .. }, checkpoint } => {
                self.delete_of_task(task, checkpoint);
            }
            CoordinatorEffect::Answer { .. } => unreachable!("answers come last"),
            CoordinatorEffect::DiscardState { .. } => {}
        }
    }

    /// Tasks that have finished count as having acknowledged, with their last
    /// state.
    // Flink 1.20: DefaultCheckpointPlan.fulfillFinishedTaskStatus.
    // Differs: there a finished task has no state, and is finished again after
    // a restart; here it keeps its last state, is started again at its end,
    // and finishes with the next checkpoint.
    fn include_finished(&mut self, checkpoint: CheckpointId) {
        let scenario = self.scenario;
        for task in scenario.graph.subtask_indices() {
            if self.cluster.tasks[task.index()].status != TaskStatus::Finished {
                continue;
            }
            let state = self.cluster.tasks[task.index()].state(scenario, task);
            if let Some(stored) = self.stored(checkpoint) {
                stored.stored[task.index()] = Some(state.clone());
                stored.acknowledged[task.index()] = true;
            }
            self.out.fact(Fact::FinishedTaskIncluded { task, checkpoint, state });
        }
    }

    /// A request has been refused. Those that an attempt takes along when it
    /// ends are not worth a word.
    fn reject(&mut self, request: CheckpointRequest, reason: CheckpointFailureReason) {
        if reason == CheckpointFailureReason::NotAllRequiredTasksRunning {
            let (cause, reason) = (cause(request.cause), Rejection::TasksNotRunning);
            self.out.fact(Fact::TriggerRejected { cause, reason });
        }
    }

    fn accept(&mut self, sender: Sender, checkpoint: CheckpointId, result: AcknowledgeResult) {
        if let Sender::Task { task, .. } = sender {
            self.register_shared(task, checkpoint);
        }
        if let (Sender::Task { task, .. }, AcknowledgeResult::Success) = (sender, result) {
            if let Some(stored) = self.stored(checkpoint) {
                stored.acknowledged[task.index()] = true;
            }
            self.out.fact(Fact::Acknowledged { task, checkpoint });
            if self.scenario.breaks(Mutation::CompleteOnSinks) {
                self.complete_on_sinks(task, checkpoint);
            }
        }
    }

    /// When the last sink has acknowledged, everybody else counts as if they
    /// had, which breaks a rule.
    #[cold]
    fn complete_on_sinks(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let graph = &self.scenario.graph;
        let is_sink = |task: &SubtaskIndex| graph.subtasks[task.index()].outputs.is_empty();
        let Some(stored) = self.stored(checkpoint) else { return };
        let acknowledged = stored.acknowledged.clone();
        let (sinks, others): (Vec<_>, Vec<_>) = graph.subtask_indices().partition(is_sink);
        if sinks.contains(&task) && sinks.iter().all(|sink| acknowledged[sink.index()]) {
            let attempt = self.cluster.attempt;
            for task in others.into_iter().filter(|task| !acknowledged[task.index()]) {
                let sender = Sender::Task { task, attempt };
                self.acknowledge(sender, checkpoint);
            }
        }
    }

    /// The JobManager hears that a task has stored its state.
    fn acknowledge(&mut self, sender: Sender, checkpoint: CheckpointId) {
        let Sender::Task { task, .. } = sender else { return };
        let finished_since = self.cluster.tasks[task.index()].finished_since;
        let life = match finished_since.is_some_and(|first| first <= checkpoint) {
            true => SubtaskLife::Finished,
            false => SubtaskLife::Running,
        };
        self.coordinate(CoordinatorInput::Acknowledged { sender, checkpoint, life });
    }

    fn open_storage(&mut self, barrier: Barrier) {
        let graph = &self.scenario.graph;
        let which = (barrier.checkpoint, barrier.options.snapshot);
        let opened = CheckpointView::triggered(which, barrier.triggered_at, graph);
        self.cluster.files.begin(barrier.checkpoint);
        self.cluster.storage.push(opened);
    }

    pub(super) fn stored(&mut self, checkpoint: CheckpointId) -> Option<&mut CheckpointView> {
        self.cluster.storage.iter_mut().find(|stored| stored.id == checkpoint)
    }

    fn abort(&mut self, checkpoint: CheckpointId, reason: CheckpointFailureReason) {
        let is_kept = self.scenario.breaks(Mutation::RestoreNewestBegun)
            || self.scenario.breaks(Mutation::RestoreOwnNewest);
        self.cluster.storage.retain(|stored| stored.id != checkpoint || is_kept);
        self.cluster.files.forget(checkpoint);
        self.out.fact(Fact::CheckpointAborted { checkpoint, reason });
    }

    /// A message comes to the JobManager.
    #[cold]
    pub(super) fn letter_to_job_manager(&mut self, task: SubtaskIndex) {
        let letters = &mut self.cluster.to_job_manager[task.index()];
        let letter = letters.pop_front().expect("what comes was sent");
        let is_managed = match self.cluster.status {
            JobStatus::Running => true,
            JobStatus::Restarting => !self.cluster.is_restarting(task),
            _ => false,
        };
        let alive = is_managed && letter.attempt == self.cluster.tasks[task.index()].attempt;
        let n_facts = self.out.facts.len();
        if let ToJobManager::Acknowledge(_) = letter.text
            && is_managed
            && !alive
            && self.scenario.breaks(Mutation::StaleAcknowledgementCounts)
        {
            self.accept_stale(task);
        }
        if alive {
            match letter.text {
                ToJobManager::Acknowledge(checkpoint) => {
                    let sender = Sender::Task { task, attempt: letter.attempt };
                    self.acknowledge(sender, checkpoint);
                }
                ToJobManager::Decline { checkpoint, reason } => {
                    self.out.fact(Fact::DeclineReceived { task, checkpoint, reason });
                    let sender = Sender::Task { task, attempt: letter.attempt };
                    self.coordinate(CoordinatorInput::Declined { sender, checkpoint, reason });
                }
                ToJobManager::EndOfData => {
                    self.out.fact(Fact::EndReported { task });
                    self.coordinate(CoordinatorInput::EndReported { task });
                }
                ToJobManager::Backlog(backlog) => {
                    self.out.fact(Fact::BacklogReported { task, backlog });
                    let operator = self.scenario.graph.subtasks[task.index()].operator;
                    self.coordinate(CoordinatorInput::BacklogReported { operator, backlog });
                }
                ToJobManager::Failure => self.task_failed(task),
            }
        }
        // That its files go does not make a late acknowledgement count.
        let is_ignored = |fact: &Fact| matches!(fact, Fact::FilesDeleted { .. });
        if self.out.facts[n_facts..].iter().all(is_ignored) {
            let message = letter.text.into();
            self.out.fact(Fact::MessageIgnored { task, attempt: letter.attempt, message });
        }
    }

    /// An acknowledgement of an earlier attempt counts for what is under way,
    /// which breaks a rule.
    #[cold]
    fn accept_stale(&mut self, task: SubtaskIndex) {
        let is_open =
            |stored: &&CheckpointView| !stored.completed && !stored.acknowledged[task.index()];
        let open = self.cluster.storage.iter().rev().find(is_open).map(|stored| stored.id);
        if let Some(checkpoint) = open {
            let attempt = self.cluster.tasks[task.index()].attempt;
            let sender = Sender::Task { task, attempt };
            self.acknowledge(sender, checkpoint);
        }
    }

    /// A message comes to a task.
    #[cold]
    pub(super) fn letter_to_task(&mut self, task: SubtaskIndex) {
        let letters = &mut self.cluster.to_task[task.index()];
        let letter = letters.pop_front().expect("what comes was sent");
        let is_current = letter.attempt == self.cluster.tasks[task.index()].attempt;
        let alive = is_current && self.is_running(task);
        match (letter.text, alive) {
            (ToTask::Trigger(barrier), true) => {
                self.out.fact(Fact::TriggerReceived { task, checkpoint: barrier.checkpoint });
                if barrier.options.snapshot.stops_job() {
                    self.stop_reading(task, barrier.checkpoint);
                }
                self.triggered(task, barrier);
            }
            (ToTask::Notify(checkpoint), true) => self.notified(task, checkpoint),
            (ToTask::Abort { checkpoint, latest_completed }, true) => {
                // Flink 1.20: StreamTask.notifyCheckpointAbortAsync; a task that
                // stops has nothing to go back to but a restart.
                if let Some(latest) = latest_completed
                    && self.is_news(task, latest)
                {
                    self.notified(task, latest);
                    // That was the last that it waited for: the rest concerns it
                    // no more.
                    if !self.is_running(task) {
                        return;
                    }
                }
                self.out.fact(Fact::AbortNotified { task, checkpoint });
                if self.scenario.breaks(Mutation::AbortDropsPrepared)
                    && let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work
                {
                    sink.on(TwoPhaseCommitInput::Dropped(checkpoint), &mut self.out.facts);
                }
                if self.scenario.breaks(Mutation::MergeAborted)
                    && let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work
                {
                    sink.on(TwoPhaseCommitInput::Merged(checkpoint), &mut self.out.facts);
                }
                self.cluster.tasks[task.index()].tables.aborted(checkpoint);
                self.abort_copy(task, checkpoint);
                if self.cluster.tasks[task.index()].stops_with == Some(checkpoint) {
                    return self.crash(&[task]);
                }
                self.checkpoint(task, SubtaskInput::AbortNotified(checkpoint));
            }
            (ToTask::Trigger(barrier), false)
                if is_current
                    && self.cluster.tasks[task.index()].status == TaskStatus::Finished =>
            {
                // Flink 1.20: Task.triggerCheckpointBarrier.
                let checkpoint = barrier.checkpoint;
                let reason = CheckpointFailureReason::CheckpointDeclinedTaskNotReady;
                self.out.fact(Fact::Declined { task, checkpoint, reason });
                self.write_to_job_manager(task, ToJobManager::Decline { checkpoint, reason });
            }
            (text, false) => {
                let (attempt, message) = (letter.attempt, text.into());
                self.out.fact(Fact::MessageIgnored { task, attempt, message });
            }
        }
    }

    /// Whether a task has not heard yet that a checkpoint is complete.
    fn is_news(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) -> bool {
        self.stored(checkpoint).is_some_and(|stored| !stored.notified[task.index()])
    }

    fn notified(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        if let Some(stored) = self.stored(checkpoint) {
            stored.notified[task.index()] = true;
        }
        self.out.fact(Fact::Notified { task, checkpoint });
        self.confirm_copies(task, checkpoint);
        self.cluster.tasks[task.index()].tables.completed(checkpoint);
        let state = &mut self.cluster.tasks[task.index()];
        if let Work::Sink(sink) = &mut state.work {
            let completed = if self.scenario.breaks(Mutation::CommitExactCheckpoint) {
                TwoPhaseCommitInput::CompletedAlone(checkpoint)
            } else if self.scenario.breaks(Mutation::SkipCommittedIds) {
                TwoPhaseCommitInput::CompletedIfNew(checkpoint)
            } else {
                TwoPhaseCommitInput::Completed(checkpoint)
            };
            sink.on(completed, &mut self.out.facts);
        }
        // Flink 1.20: StreamTask.notifyCheckpointComplete: a task that stops with a
        // savepoint finishes with that one, and no other.
        let stops_with = self.cluster.tasks[task.index()].stops_with;
        if stops_with.is_none_or(|savepoint| savepoint == checkpoint) {
            self.checkpoint(task, SubtaskInput::Completed(checkpoint));
        }
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

    /// A task that is at its end finishes when every input has ended, it does
    /// not stand still for a snapshot, and, if checkpoints go on after tasks
    /// finish, its receivers have processed all that it has sent and its last
    /// checkpoint is complete.
    // Flink 1.20: StreamTask.afterInvoke.
    pub(super) fn finish_if_done(&mut self, task: SubtaskIndex) {
        let state = &self.cluster.tasks[task.index()];
        let subtask = &self.scenario.graph.subtasks[task.index()];
        let n_inputs = subtask.inputs.len();
        let n_outputs: usize = subtask.outputs.iter().map(|output| output.channels.len()).sum();
        let is_read = state.n_outputs_processed as usize == n_outputs
            || !CheckpointCoordinator::takes_last_checkpoint(self.scenario);
        let is_done = state.ended
            && state.last_is_complete
            && is_read
            && state.n_partitions_ended as usize == n_inputs
            && state.copying.is_none()
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
        if !self.scenario.breaks(Mutation::ExpectFinishedTasks) {
            self.tell_state(task, ExecutionState::Finished);
        }
        self.cluster.n_finished += 1;
        if self.cluster.n_finished as usize == self.cluster.tasks.len() {
            self.coordinate(CoordinatorInput::JobFinishing);
            self.cluster.status = JobStatus::Finished;
            self.out.fact(Fact::JobFinished);
            self.end_checkpoints(TerminalStatus::Finished);
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
