//! Crashes, what breaks for a while, and the end of an attempt.

use super::outcome::{Chance, Wait};
use super::turn::Turn;
use super::work::Work;
use super::{Lane, ToJobManager};
use crate::model::{ChannelIndex, FaultKind, Mutation, SubtaskIndex, Time};
use crate::protocol::{TerminalStatus, TwoPhaseCommitInput};
use crate::trace::{Fact, FailureCause, JobStatus, TaskStatus};

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
                let subtasks = &self.scenario.task_managers[manager.index()].subtasks;
                self.crash(subtasks);
                self.lose_disk(subtasks);
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
            FaultKind::SlowStorage { times, lasts } => {
                let begins = begins.then_some(());
                if begins.is_some() {
                    self.out.event(Lane::Fault(fault), Wait::After(*lasts));
                }
                self.note_slowness(kind, begins);
                self.slow_storage(*times, begins);
            }
            FaultKind::StorageDown { lasts } => {
                let begins = begins.then_some(());
                if begins.is_some() {
                    self.out.event(Lane::Fault(fault), Wait::After(*lasts));
                }
                self.note_slowness(kind, begins);
                self.storage_outage(begins);
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
    pub(super) fn stall(&mut self, channel: ChannelIndex, until: Option<Time>) {
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
        let is_alive = |task: &SubtaskIndex| {
            let status = self.cluster.tasks[task.index()].status;
            matches!(status, TaskStatus::Running | TaskStatus::Initializing)
        };
        let alive: Vec<_> = tasks.iter().copied().filter(is_alive).collect();
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
            if self.scenario.breaks(Mutation::ZombieCommits)
                && let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work
            {
                let commits = TwoPhaseCommitInput::Finish { with_checkpoints: false };
                sink.on(commits, &mut self.out.facts);
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
            Lane::Restore(task),
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
}
