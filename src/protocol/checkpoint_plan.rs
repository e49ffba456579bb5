//! Which tasks take part in a checkpoint, given how they are.
//!
//! Source: Flink `DefaultCheckpointPlanCalculator`, `DefaultCheckpointPlan`.

use super::scheduling_topology::{OperatorStateKind, SchedulingTopology};
use crate::model::{Attempt, CheckpointFailureReason, SubtaskIndex};

/// One execution of a task, as the JobManager sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Execution {
    /// In which attempt.
    pub attempt: Attempt,
    /// How it is.
    pub state: ExecutionState,
}

/// How a task is, as far as checkpoints are concerned.
///
/// Source: Flink `ExecutionState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExecutionState {
    /// It does not run yet, or not any more without having finished.
    Deploying,
    /// It runs.
    Running,
    /// It has worked off all its input.
    Finished,
}

/// The tasks of a checkpoint, by their part in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointPlan {
    /// Told to begin: running tasks without a running one before them.
    pub trigger: Vec<SubtaskIndex>,
    /// All that run: they acknowledge, and get the notices.
    pub wait: Vec<SubtaskIndex>,
    /// Recorded as finished.
    pub finished: Vec<SubtaskIndex>,
    /// The tasks of each vertex that has union list state.
    pub union_lists: Vec<Vec<SubtaskIndex>>,
    /// Whether it can be stored when all have acknowledged, as far as is known
    /// when it begins.
    pub finishing: PartialFinishing,
}

/// Whether some vertex has finished in part although all of its state is
/// needed to restore any of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartialFinishing {
    /// None has.
    Supported,
    /// One has.
    NotSupportedByState,
}

impl CheckpointPlan {
    /// The plan of a checkpoint that begins now; `after_finish` says whether
    /// tasks may have finished.
    ///
    /// # Errors
    /// When a task that has to acknowledge does not run.
    // Flink 1.20: DefaultCheckpointPlanCalculator.calculateCheckpointPlan.
    pub fn calculate(
        topology: &SchedulingTopology,
        executions: &[Execution],
        after_finish: AfterTasksFinish,
    ) -> Result<Self, CheckpointFailureReason> {
        let is = |task: SubtaskIndex, state| executions[task.index()].state == state;
        let runs = |task: &SubtaskIndex| is(*task, ExecutionState::Running);
        let finished: Vec<_> =
            topology.tasks().filter(|task| is(*task, ExecutionState::Finished)).collect();
        let wait: Vec<_> = topology.tasks().filter(runs).collect();
        let all_run = wait.len() + finished.len() == topology.n_tasks();
        if !all_run || (!finished.is_empty() && after_finish == AfterTasksFinish::NoCheckpoint) {
            return Err(CheckpointFailureReason::NotAllRequiredTasksRunning);
        }
        let follows = |task: &SubtaskIndex| {
            topology.inputs(*task).iter().any(|consumed| runs(&consumed.from))
        };
        let trigger = wait.iter().copied().filter(|task| !follows(task)).collect();
        let in_part = topology.vertices().any(|(tasks, state)| {
            let mut tasks = tasks.map(SubtaskIndex::at).map(|task| runs(&task));
            let first = tasks.next();
            state == OperatorStateKind::UnionList && tasks.any(|runs| Some(runs) != first)
        });
        let finishing = match in_part {
            true => PartialFinishing::NotSupportedByState,
            false => PartialFinishing::Supported,
        };
        let union_lists = topology.vertices().filter_map(|(tasks, state)| {
            let is_one = state == OperatorStateKind::UnionList;
            is_one.then(|| tasks.map(SubtaskIndex::at).collect())
        });
        Ok(Self { trigger, wait, finished, union_lists: union_lists.collect(), finishing })
    }
}

/// `execution.checkpointing.checkpoints-after-tasks-finish`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AfterTasksFinish {
    /// Checkpoints go on without the finished tasks.
    GoOn,
    /// No checkpoint begins any more.
    NoCheckpoint,
}
