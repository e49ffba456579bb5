//! Who is dead does nothing, and what belongs to a dead attempt counts no more.
//!
//! Source: Flink's attempt numbers and fencing tokens; a task that was
//! cancelled or has died comes back only with the next attempt.

use std::collections::BTreeSet;

use super::breach::{ConductJudgement, Wrong};
use crate::model::{Attempt, CheckpointId, ExecutionGraph, SubtaskIndex};

/// Who is alive.
#[derive(Debug)]
pub(super) struct Fencing {
    tasks: Vec<(Life, u64)>,
    /// By task: the attempt in which it was started last.
    attempts: Vec<Attempt>,
    /// By task: the checkpoint for which it stands still.
    copying: Vec<Option<CheckpointId>>,
    /// The newest attempt.
    pub(super) attempt: Attempt,
    pub(super) job: Job,
    /// Tasks that wait for their restart.
    waiting: BTreeSet<SubtaskIndex>,
}

/// A task's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It works.
    Running,
    /// It waits for its state.
    Restoring,
    /// It has died, or was stopped.
    Dead,
    /// It is done.
    Finished,
}

/// The life of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// It runs.
    Running,
    /// It waits to be restarted.
    Down,
    /// It waits for another JobManager.
    Suspended,
    /// It is at its end.
    Over,
}

impl Fencing {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let n_tasks = graph.subtasks.len();
        Self {
            tasks: vec![(Life::Running, 0); n_tasks],
            attempts: vec![Attempt(1); n_tasks],
            copying: vec![None; n_tasks],
            attempt: Attempt(1),
            job: Job::Running,
            waiting: BTreeSet::new(),
        }
    }

    pub(super) fn life(&self, task: SubtaskIndex) -> Life {
        self.tasks[task.index()].0
    }

    /// Since when a task lives so.
    pub(super) fn since(&self, task: SubtaskIndex) -> u64 {
        self.tasks[task.index()].1
    }

    /// The attempt of a task.
    pub(super) fn attempt_of(&self, task: SubtaskIndex) -> Attempt {
        self.attempts[task.index()]
    }

    /// The tasks that are not done.
    pub(super) fn unfinished(&self) -> Vec<SubtaskIndex> {
        let tasks = (0..).map(SubtaskIndex).zip(&self.tasks);
        tasks.filter(|(_, (life, _))| *life != Life::Finished).map(|(task, _)| task).collect()
    }

    /// A task does something that only a running task does.
    #[inline]
    pub(super) fn acts(&self, task: SubtaskIndex, step: u64, found: &mut ConductJudgement) {
        let (life, since) = self.tasks[task.index()];
        if life != Life::Running {
            found.push(step, Some(since), Wrong::DeadActs { task });
        }
    }

    /// A task takes up a record, which it does not while it copies its state.
    #[inline]
    pub(super) fn works(&self, task: SubtaskIndex, step: u64, found: &mut ConductJudgement) {
        if self.copying[task.index()].is_some() {
            found.push(step, None, Wrong::WorksWhileCopying { task });
        }
    }

    /// A task begins to copy its state.
    pub(super) fn copies(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        self.copying[task.index()] = Some(checkpoint);
    }

    /// A task has copied its state; false if not for this checkpoint.
    pub(super) fn copied(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) -> bool {
        self.copying[task.index()].take() == Some(checkpoint)
    }

    /// A task's life changes.
    pub(super) fn set(&mut self, task: SubtaskIndex, life: Life, step: u64) {
        self.tasks[task.index()] = (life, step);
        self.copying[task.index()] = None;
    }

    /// Tasks of the job fail, or its JobManager dies: they must have been
    /// running, or, for the JobManager, waiting to be restarted.
    pub(super) fn fails(
        &mut self,
        tasks: &BTreeSet<SubtaskIndex>,
        (from, to): (&[Job], Job),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let is_elsewhere = self.job == Job::Down && !tasks.is_subset(&self.waiting);
        if !from.contains(&self.job) && !is_elsewhere {
            found.push(step, None, Wrong::GoesOnAfterEnd);
        }
        self.stop(tasks, to, step);
    }

    /// Every task stops.
    pub(super) fn all_stop(&mut self, job: Job, step: u64) {
        let all: BTreeSet<_> = (0..self.tasks.len()).map(SubtaskIndex::at).collect();
        self.stop(&all, job, step);
    }

    /// Some tasks stop, and what becomes of the job with them.
    pub(super) fn stop(&mut self, tasks: &BTreeSet<SubtaskIndex>, job: Job, step: u64) {
        for task in tasks {
            self.set(*task, Life::Dead, step);
        }
        self.waiting.extend(tasks);
        self.job = job;
    }

    /// The job starts from a savepoint: its first attempt is still to come.
    pub(super) fn before_the_start(&mut self, step: u64) {
        self.attempt = Attempt(0);
        self.all_stop(Job::Down, step);
    }

    /// An attempt of some tasks begins.
    pub(super) fn restarted(
        &mut self,
        attempt: Attempt,
        tasks: &BTreeSet<SubtaskIndex>,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let before = self.attempt;
        match self.job {
            _ if attempt.0 != before.0 + 1 => {
                found.push(step, None, Wrong::AttemptMisnumbered { attempt, before });
            }
            Job::Running => found.push(step, None, Wrong::RestartedRunning { attempt }),
            Job::Over => found.push(step, None, Wrong::GoesOnAfterEnd),
            Job::Down if !tasks.is_subset(&self.waiting) => {
                found.push(step, None, Wrong::RestartedRunning { attempt });
            }
            Job::Down | Job::Suspended => {}
        }
        self.attempt = attempt;
        for task in tasks {
            self.waiting.remove(task);
            self.attempts[task.index()] = attempt;
            self.set(*task, Life::Restoring, step);
        }
        if self.waiting.is_empty() {
            self.job = Job::Running;
        }
    }
}
