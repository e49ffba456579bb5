//! Crashes, the end of an attempt, and the next one.

use super::outcome::{Chance, Wait};
use super::turn::Turn;
use super::work::Work;
use super::{Channel, Lane, ToJobManager};
use crate::model::{ChannelIndex, FaultKind, SnapshotState, SubtaskIndex, Time};
use crate::protocol::{TerminalStatus, TwoPhaseCommitInput};
use crate::trace::{ChannelState, Fact, FailureCause, JobStatus, TaskStatus};

impl Turn<'_> {
    /// The job runs: sources start reading, and periodic checkpoints begin.
    pub(super) fn job_runs(&mut self) {
        self.start_checkpoints();
        self.report_backlogs();
        for task in self.scenario.graph.subtask_indices() {
            self.go_on(task);
        }
    }

    /// A fault of the scenario begins, or a slowness ends.
    #[cold]
    pub(super) fn fault(&mut self, fault: u32) {
        let kind = &self.scenario.faults[fault as usize].kind;
        let begins = !std::mem::replace(&mut self.cluster.begun[fault as usize], true);
        match kind {
            FaultKind::CrashSubtask(task) => self.crash(&[*task]),
            FaultKind::CrashTaskManager(manager) => {
                self.crash(&self.scenario.task_managers[manager.index()].subtasks);
            }
            FaultKind::CrashJobManager { lasts } if begins => {
                self.crash_job_manager(fault, *lasts);
            }
            FaultKind::CrashJobManager { .. } => self.start_job_manager(),
            FaultKind::SlowSubtask { subtask, times, lasts } => {
                let slowness = &mut self.cluster.tasks[subtask.index()].slowness;
                if begins {
                    *slowness = slowness.saturating_mul(*times);
                    self.out.event(Lane::Fault(fault), Wait::After(*lasts));
                } else {
                    *slowness = (*slowness / times).max(1);
                }
                self.note_slowness(kind, begins.then_some(()));
            }
            FaultKind::SlowChannel { channel, times, lasts } => {
                let slowness = &mut self.cluster.channels[channel.index()].slowness;
                if begins {
                    *slowness = slowness.saturating_mul(*times);
                    self.out.event(Lane::Fault(fault), Wait::After(*lasts));
                } else {
                    *slowness = (*slowness / times).max(1);
                }
                self.note_slowness(kind, begins.then_some(()));
            }
            FaultKind::StallChannel { channel, lasts } => {
                let until = begins.then_some(self.now.after(*lasts));
                if begins {
                    self.out.event(Lane::Fault(fault), Wait::After(*lasts));
                }
                self.stall(*channel, until);
                self.note_slowness(kind, begins.then_some(()));
            }
        }
    }

    /// A channel stands still, or does so no longer.
    fn stall(&mut self, channel: ChannelIndex, until: Option<Time>) {
        self.cluster.channels[channel.index()].stalled_until = until;
        if let Some(until) = until {
            self.out.hold_lane(Lane::Channel(channel), until);
        }
    }

    fn note_slowness(&mut self, kind: &FaultKind, begins: Option<()>) {
        let slow = &mut self.cluster.slow;
        if begins.is_some() {
            slow.push(kind.clone());
            self.out.fact(Fact::Slowed { fault: kind.clone() });
        } else {
            if let Some(place) = slow.iter().position(|slow| slow == kind) {
                slow.remove(place);
            }
            self.out.fact(Fact::SlownessEnded { fault: kind.clone() });
        }
    }

    /// Subtasks die; the JobManager learns it by a message.
    fn crash(&mut self, tasks: &[SubtaskIndex]) {
        let alive: Vec<_> = tasks.iter().copied().filter(|task| self.is_running(*task)).collect();
        for task in &alive {
            self.stop(*task, TaskStatus::Crashed);
            self.write_to_job_manager(*task, ToJobManager::Failure);
        }
        self.out.fact(Fact::Crashed { tasks: alive });
    }

    /// How far the restart of a failure that comes now is moved.
    // Flink 1.20: ExponentialDelayRestartBackoffTimeStrategy
    // .calculateJitterBackoffMS.
    fn jitter_ms(&mut self) -> i64 {
        match self.cluster.restart.jitter_max_ms(self.now).unsigned_abs() {
            0 => 0,
            most => {
                let drawn = self.out.between(Chance::RestartJitter, (0, most.saturating_mul(2)));
                drawn as i64 - most as i64
            }
        }
    }

    /// An attempt is over: every task stops, and nothing arrives any more.
    pub(super) fn cancel_tasks(&mut self) {
        for task in self.scenario.graph.subtask_indices() {
            if self.cluster.tasks[task.index()].status != TaskStatus::Crashed {
                self.stop(task, TaskStatus::Cancelled);
            }
        }
        self.cut_channels();
        self.cluster.n_finished = 0;
    }

    /// Nothing arrives any more.
    pub(super) fn cut_channels(&mut self) {
        for channel in self.scenario.graph.channel_indices() {
            self.out.clear_lane(Lane::Channel(channel));
        }
    }

    /// A task does nothing any more.
    pub(super) fn stop(&mut self, task: SubtaskIndex, status: TaskStatus) {
        self.cluster.tasks[task.index()].stop(self.scenario, task, status);
        for lane in [
            Lane::Subtask(task),
            Lane::InputTimer(task),
            Lane::OutputTimer(task),
            Lane::Sync(task),
            Lane::Store(task),
        ] {
            self.out.clear_lane(lane);
        }
    }

    /// The JobManager has noticed a failure.
    // Differs: in Flink cancelling the other tasks takes time; here they stop
    // at once.
    pub(super) fn fail_job(&mut self, cause: FailureCause) {
        let jitter_ms = self.jitter_ms();
        let restart_after = self.cluster.restart.on_failure(self.now, jitter_ms).delay();
        self.out.fact(Fact::JobFailed { attempt: self.cluster.attempt, cause, restart_after });
        self.stop_checkpoints();
        self.cancel_tasks();
        self.cluster.status = match restart_after {
            Some(delay) => {
                self.out.event(Lane::Restart, Wait::After(delay));
                JobStatus::Restarting
            }
            None => JobStatus::Failed,
        };
        if self.cluster.status == JobStatus::Failed {
            self.end_checkpoints(TerminalStatus::Failed);
        }
    }

    /// The next attempt starts from the newest completed checkpoint, or from
    /// the beginning when there is none.
    #[cold]
    pub(super) fn restart(&mut self) {
        let scenario = self.scenario;
        self.cluster.attempt.0 += 1;
        self.cluster.status = JobStatus::Running;
        let (attempt, checkpoint) =
            (self.cluster.attempt, self.cluster.coordinator.store().latest());
        self.out.fact(Fact::AttemptStarted { attempt, checkpoint });
        for (state, spec) in self.cluster.channels.iter_mut().zip(&scenario.graph.channels) {
            let Channel { slowness, stalled_until, .. } = *state;
            *state = Channel { slowness, stalled_until, ..Channel::of(spec) };
        }
        for channel in scenario.graph.channel_indices() {
            self.stall(channel, self.cluster.channels[channel.index()].stalled_until);
        }
        self.cluster.n_letters.fill([0; 3]);
        let restored = self.cluster.storage.iter().find(|stored| Some(stored.id) == checkpoint);
        let in_flight = restored.map(|stored| stored.in_flight.clone()).unwrap_or_default();
        let restored = restored.map(|stored| stored.stored.clone());
        for task in scenario.graph.subtask_indices() {
            let from = restored.as_ref().and_then(|states| states[task.index()].as_ref());
            let state = &mut self.cluster.tasks[task.index()];
            state.restart(scenario, task, from);
            if let Work::Sink(sink) = &mut state.work {
                let prepared = match from {
                    Some(SnapshotState::Transactions(prepared)) => prepared.clone(),
                    _ => Vec::new(),
                };
                let input = TwoPhaseCommitInput::Restore { attempt, prepared };
                sink.on(input, &mut self.out.facts);
            }
            let state = state.state(scenario, task);
            self.out.fact(Fact::StateRestored { task, state });
        }
        self.restore_in_flight(&in_flight);
        self.job_runs();
    }

    /// Puts back what the restored snapshot held in flight, ahead of everything
    /// new. Where it held anything, every channel says when it has sent its
    /// part.
    // Flink 1.20: SequentialChannelStateReaderImpl, UpstreamRecoveryTracker.
    fn restore_in_flight(&mut self, in_flight: &[ChannelState]) {
        if in_flight.iter().all(ChannelState::is_empty) {
            return;
        }
        for (channel, state) in in_flight.iter().enumerate() {
            let channel = ChannelIndex::at(channel);
            let ChannelState { input, output } = state.clone();
            let n_input = input.len() as u64;
            self.cluster.channels[channel.index()].subpartition.recover(n_input, &output);
            if self.cluster.channels[channel.index()].subpartition.is_full() {
                let sender = self.scenario.graph.channels[channel.index()].from;
                self.cluster.tasks[sender.index()].n_full += 1;
            }
            self.recover_input(channel, &input);
            self.out.fact(Fact::ChannelStateRestored { channel, input, output });
        }
        for channel in self.scenario.graph.channel_indices() {
            self.pump(channel);
        }
    }
}
