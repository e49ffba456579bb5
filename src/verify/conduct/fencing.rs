//! Who is dead does nothing, and what belongs to a dead attempt counts no more.
//!
//! Source: Flink's attempt numbers and fencing tokens; a task that was
//! cancelled or has died comes back only with the next attempt.

use super::breach::{ConductJudgement, Wrong};
use crate::model::{Attempt, CheckpointId, ExecutionGraph, SubtaskIndex};

/// Who is alive.
#[derive(Debug)]
pub(super) struct Fencing {
    tasks: Vec<(Life, u64)>,
    /// By task: the checkpoint for which it stands still.
    copying: Vec<Option<CheckpointId>>,
    pub(super) attempt: Attempt,
    pub(super) job: Job,
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
        let tasks = vec![(Life::Running, 0); graph.subtasks.len()];
        let copying = vec![None; tasks.len()];
        Self { tasks, copying, attempt: Attempt(1), job: Job::Running }
    }

    pub(super) fn life(&self, task: SubtaskIndex) -> Life {
        self.tasks[task.index()].0
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

    /// The job fails, or its JobManager dies: it must have been running, or, for
    /// the JobManager, waiting to be restarted.
    pub(super) fn fails(
        &mut self,
        (from, to): (&[Job], Job),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if !from.contains(&self.job) {
            found.push(step, None, Wrong::GoesOnAfterEnd);
        }
        self.all_stop(to, step);
    }

    /// Every task stops.
    pub(super) fn all_stop(&mut self, job: Job, step: u64) {
        self.tasks.fill((Life::Dead, step));
        self.copying.fill(None);
        self.job = job;
    }

    /// An attempt begins.
    pub(super) fn restarted(
        &mut self,
        attempt: Attempt,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let before = self.attempt;
        match self.job {
            _ if attempt.0 != before.0 + 1 => {
                found.push(step, None, Wrong::AttemptMisnumbered { attempt, before });
            }
            Job::Running => found.push(step, None, Wrong::RestartedRunning { attempt }),
            Job::Over => found.push(step, None, Wrong::GoesOnAfterEnd),
            Job::Down | Job::Suspended => {}
        }
        self.attempt = attempt;
        self.job = Job::Running;
        self.tasks.fill((Life::Restoring, step));
    }
}
