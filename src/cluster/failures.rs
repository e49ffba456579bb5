//! Crashes, what breaks for a while, and the end of an attempt.

use super::outcome::Wait;
use super::turn::Turn;
use super::{Lane, ToJobManager};
use crate::model::{ChannelIndex, Fault, FaultKind, SubtaskIndex, Time, When};
use crate::trace::{Fact, TaskStatus};

impl Turn<'_> {
    /// A fault of the scenario begins, or a slowness ends.
    #[cold]
    pub(super) fn fault(&mut self, fault: u32) {
        let Fault { kind, when } = &self.scenario.faults[fault as usize];
        if let When::Random { mean } = when {
            self.out.event(Lane::Fault(fault), Wait::Failure { fault, mean: *mean });
        }
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
            FaultKind::Dispose { checkpoint } => self.dispose(*checkpoint),
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
    pub(super) fn crash(&mut self, tasks: &[SubtaskIndex]) {
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
}
