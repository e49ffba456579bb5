//! What fails together and is started again together: a region, or the job.
//!
//! Source: Flink `DefaultScheduler.handleTaskFailure`, `restartTasks`,
//! `RestartPipelinedRegionFailoverStrategy`.

use std::collections::BTreeSet;

use super::outcome::{Chance, Wait};
use super::turn::Turn;
use super::work::Work;
use super::{Channel, Cluster, Lane, Region, Restart};
use crate::model::{FailoverStrategy, Micros, Mutation, SubtaskIndex};
use crate::protocol::{FailoverRegions, SchedulingTopology, TerminalStatus, TwoPhaseCommitInput};
use crate::trace::{Fact, FailureCause, JobStatus, TaskStatus};

impl Cluster {
    /// The tasks that a failure or a restart takes along, in order.
    pub(super) fn tasks_of(&self, region: &Region) -> Vec<SubtaskIndex> {
        match region {
            Some(tasks) => tasks.clone(),
            None => (0..self.tasks.len()).map(SubtaskIndex::at).collect(),
        }
    }

    /// Whether a task waits for its restart.
    pub(super) fn is_restarting(&self, task: SubtaskIndex) -> bool {
        self.restarts
            .iter()
            .any(|restart| restart.region.as_ref().is_none_or(|t| t.contains(&task)))
    }

    /// Whether a task does not outlive the failure that is being handled.
    pub(super) fn goes_down(&self, task: SubtaskIndex) -> bool {
        self.status != JobStatus::Running && (self.restarts.is_empty() || self.is_restarting(task))
    }
}

impl Turn<'_> {
    /// The first attempt runs, unless it has to get its state first.
    pub(super) fn job_runs(&mut self) {
        match &self.scenario.start {
            Some(_) => self.out.event(Lane::Restart, Wait::After(Micros::ZERO)),
            None => {
                self.arm();
                self.attempt_runs(&None);
            }
        }
    }

    /// The JobManager has noticed that a task has died.
    pub(super) fn task_failed(&mut self, task: SubtaskIndex) {
        let cause = FailureCause::TaskFailed { task };
        let region = match self.scenario.config.failover {
            _ if self.scenario.breaks(Mutation::RestartFailedTaskOnly) => Some(vec![task]),
            FailoverStrategy::Full => None,
            // Flink 1.20: StopWithSavepointTerminationHandlerImpl
            // .terminateExceptionallyWithGlobalFailover.
            FailoverStrategy::Region if self.is_stopping() => None,
            FailoverStrategy::Region => {
                let topology = SchedulingTopology::of(&self.scenario.graph);
                let tasks = FailoverRegions::of(&topology).tasks_to_restart(task, &BTreeSet::new());
                (tasks.len() < self.cluster.tasks.len()).then_some(tasks)
            }
        };
        self.fail(cause, region);
    }

    /// Whether the savepoint that the job is to stop with is complete, and some
    /// task has heard of it.
    fn is_stopping(&self) -> bool {
        let storage = &self.cluster.storage;
        let is_complete = |id| storage.iter().any(|stored| stored.id == id && stored.completed);
        self.cluster.tasks.iter().filter_map(|task| task.stops_with).any(is_complete)
    }

    /// The JobManager has noticed a failure: a region stops and, if the restart
    /// strategy allows it, is started again later.
    // Differs: in Flink cancelling the other tasks takes time; here they stop
    // at once.
    pub(super) fn fail(&mut self, cause: FailureCause, region: Region) {
        let jitter_ms = self.jitter_ms();
        let restart_after = self.cluster.restart.on_failure(self.now, jitter_ms).delay();
        let attempt = match &cause {
            FailureCause::TaskFailed { task } => self.cluster.tasks[task.index()].attempt,
            FailureCause::TooManyFailedCheckpoints { .. } => self.cluster.attempt,
        };
        let Some(delay) = restart_after else {
            self.out.fact(Fact::JobFailed { attempt, cause, region: None, restart_after });
            return self.fail_for_good();
        };
        let told = region.clone();
        self.out.fact(Fact::JobFailed { attempt, cause, region: told, restart_after });
        self.restart_at(delay, region.clone());
        self.cluster.status = JobStatus::Restarting;
        self.stop_checkpoints(&region);
        self.cancel_tasks(&region);
    }

    fn fail_for_good(&mut self) {
        self.cluster.restarts.clear();
        self.out.clear_lane(Lane::Restart);
        self.cluster.status = JobStatus::Failed;
        self.stop_checkpoints(&None);
        self.cancel_tasks(&None);
        self.end_checkpoints(TerminalStatus::Failed);
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

    /// Puts a restart into its place. One of the whole job takes the others in.
    fn restart_at(&mut self, delay: Micros, region: Region) {
        let restarts = &mut self.cluster.restarts;
        if region.is_none() {
            restarts.clear();
        }
        restarts.push(Restart { at: self.now.after(delay), region });
        restarts.sort_by_key(|restart| restart.at);
        self.out.clear_lane(Lane::Restart);
        for restart in &self.cluster.restarts {
            self.out.event(Lane::Restart, Wait::At(restart.at));
        }
    }

    /// The first restart is due, or the job starts from its savepoint.
    #[cold]
    pub(super) fn restart(&mut self) {
        if self.cluster.restarts.is_empty() {
            return self.start_from_savepoint();
        }
        let restart = self.cluster.restarts.remove(0);
        self.start_attempt(restart.region);
    }

    /// The next attempt starts from the newest completed checkpoint, or from
    /// the beginning when there is none.
    // Differs: in Flink each task counts its attempts by itself; here the job
    // counts them, and every restart, of a region or of all, is the next one.
    #[cold]
    pub(super) fn start_attempt(&mut self, region: Region) {
        self.cluster.attempt.0 += 1;
        let is_whole = self.cluster.restarts.is_empty();
        self.cluster.status = if is_whole { JobStatus::Running } else { JobStatus::Restarting };
        self.begin_attempt(region);
    }

    /// An attempt begins, with what its tasks get back.
    pub(super) fn begin_attempt(&mut self, region: Region) {
        let (attempt, checkpoint) = (self.cluster.attempt, self.newest());
        let left = self.left_in_channels();
        let told = region.clone();
        self.out.fact(Fact::AttemptStarted { attempt, region: told, checkpoint });
        for task in self.cluster.tasks_of(&region) {
            self.cluster.n_letters[task.index()] = [0; 3];
            for channel in &self.scenario.graph.subtasks[task.index()].inputs {
                if self.scenario.breaks(Mutation::RestartFailedTaskOnly) {
                    // Neighbours that live on have gone on sending.
                    self.out.clear_lane(Lane::Channel(*channel));
                }
                let state = &mut self.cluster.channels[channel.index()];
                let (slowness, stalled_until) = (state.slowness, state.stalled_until);
                let fresh = Channel::of(&self.scenario.graph.channels[channel.index()]);
                *state = Channel { slowness, stalled_until, ..fresh };
                self.stall(*channel, stalled_until);
            }
        }
        self.restore(checkpoint, &region, left);
        self.attempt_runs(&region);
    }

    /// The tasks of an attempt run: sources start reading, and periodic
    /// checkpoints begin.
    fn attempt_runs(&mut self, region: &Region) {
        self.start_checkpoints(region);
        self.report_backlogs(region);
        for task in self.cluster.tasks_of(region) {
            self.go_on(task);
        }
    }

    /// An attempt is over: every task of it stops, and nothing arrives there
    /// any more.
    pub(super) fn cancel_tasks(&mut self, region: &Region) {
        for task in self.cluster.tasks_of(region) {
            let status = self.cluster.tasks[task.index()].status;
            self.cluster.n_finished -= u32::from(status == TaskStatus::Finished);
            if status != TaskStatus::Crashed {
                self.stop(task, TaskStatus::Cancelled);
            }
            if self.scenario.breaks(Mutation::ZombieCommits)
                && let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work
            {
                let commits = TwoPhaseCommitInput::Finish { with_checkpoints: false };
                sink.on(commits, &mut self.out.facts);
            }
        }
        self.cut_channels(region);
    }

    /// Nothing arrives any more.
    pub(super) fn cut_channels(&mut self, region: &Region) {
        for task in self.cluster.tasks_of(region) {
            for channel in &self.scenario.graph.subtasks[task.index()].inputs {
                self.out.clear_lane(Lane::Channel(*channel));
            }
        }
    }
}
