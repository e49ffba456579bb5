//! A checkpoint that not every task has acknowledged.
//!
//! Source: Flink `PendingCheckpoint`.

use super::request::CheckpointRequest;
use crate::model::{Attempt, Barrier, CheckpointId, SubtaskIndex, SubtaskLife, Time};
use crate::protocol::checkpoint_plan::{CheckpointPlan, Execution, PartialFinishing};

/// Who sends a message to the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sender {
    /// A task in one of its attempts.
    Task {
        /// Which.
        task: SubtaskIndex,
        /// In which attempt.
        attempt: Attempt,
    },
    /// A task of another job.
    OtherJob {
        /// Whatever that job calls it.
        task: SubtaskIndex,
    },
}

/// What an acknowledgement came to.
///
/// Source: Flink `PendingCheckpoint.TaskAcknowledgeResult`,
/// `CheckpointCoordinator.receiveAcknowledgeMessage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AcknowledgeResult {
    /// It counts.
    Success,
    /// The same attempt has acknowledged before; ignored, with its state.
    Duplicate,
    /// The checkpoint does not wait for this attempt; its state is deleted.
    UnknownTask,
    /// The checkpoint has expired lately; the state is deleted.
    LateExpired,
    /// No such checkpoint is pending; the state is deleted.
    UnknownCheckpoint,
    /// It is of another job; ignored, with its state.
    WrongJob,
}

/// A checkpoint under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingCheckpoint {
    /// Its id, and when its trigger phase began.
    pub barrier: Barrier,
    /// What asked for it.
    pub request: CheckpointRequest,
    /// Who takes part in it.
    pub plan: CheckpointPlan,
    /// By position in [`CheckpointPlan::wait`].
    acknowledgements: Vec<Acknowledgement>,
    n_missing: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Acknowledgement {
    attempt: Attempt,
    is_there: bool,
    life: SubtaskLife,
}

impl PendingCheckpoint {
    /// A checkpoint that nobody has acknowledged.
    pub(super) fn new(
        barrier: Barrier,
        request: CheckpointRequest,
        plan: CheckpointPlan,
        executions: &[Execution],
    ) -> Self {
        let attempts = plan.wait.iter().map(|task| executions[task.index()].attempt);
        let acknowledgements: Vec<_> = attempts
            .map(|attempt| Acknowledgement { attempt, is_there: false, life: SubtaskLife::Running })
            .collect();
        let n_missing = acknowledgements.len() as u32;
        Self { barrier, request, plan, acknowledgements, n_missing }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> CheckpointId {
        self.barrier.checkpoint
    }

    /// When its trigger phase began.
    #[must_use]
    pub fn triggered_at(&self) -> Time {
        self.barrier.triggered_at
    }

    /// Whether every task has acknowledged.
    #[must_use]
    pub fn is_fully_acknowledged(&self) -> bool {
        self.n_missing == 0
    }

    /// Tasks that have not acknowledged.
    pub fn missing(&self) -> impl Iterator<Item = SubtaskIndex> + use<'_> {
        let waiting = self.plan.wait.iter().zip(&self.acknowledgements);
        waiting.filter(|(_, one)| !one.is_there).map(|(task, _)| *task)
    }

    /// Whether some vertex has finished in part although all of its state is
    /// needed to restore any of it: some of its tasks had finished when the
    /// checkpoint began, or their operators had when they copied their state.
    // Flink 1.20: DefaultCheckpointPlan.fulfillFinishedTaskStatus,
    // checkNoPartlyOperatorsFinishedVertexUsedUnionListState.
    #[must_use]
    pub fn finishing(&self) -> PartialFinishing {
        let is_finished = |task: &SubtaskIndex| match self.plan.wait.binary_search(task) {
            Ok(place) => self.acknowledgements[place].life == SubtaskLife::Finished,
            Err(_) => true,
        };
        let in_part = self
            .plan
            .union_lists
            .iter()
            .any(|tasks| tasks.iter().any(is_finished) && !tasks.iter().all(is_finished));
        match in_part {
            true => PartialFinishing::NotSupportedByState,
            false => self.plan.finishing,
        }
    }

    /// Attempts that have acknowledged, by task.
    pub(super) fn acknowledged(&self) -> impl Iterator<Item = Sender> + use<'_> {
        let waiting = self.plan.wait.iter().zip(&self.acknowledgements);
        let done = waiting.filter(|(_, one)| one.is_there);
        done.map(|(task, one)| Sender::Task { task: *task, attempt: one.attempt })
    }

    /// Whether a task, in whatever attempt, has acknowledged.
    pub(super) fn is_acknowledged_by(&self, task: SubtaskIndex) -> bool {
        self.acknowledged().any(|one| matches!(one, Sender::Task { task: t, .. } if t == task))
    }

    /// An attempt acknowledges.
    // Flink 1.20: PendingCheckpoint.acknowledgeTask.
    pub(super) fn acknowledge(&mut self, sender: Sender, life: SubtaskLife) -> AcknowledgeResult {
        let Sender::Task { task, attempt } = sender else { return AcknowledgeResult::WrongJob };
        let place = self.plan.wait.binary_search(&task).ok();
        let one = place.map(|place| &mut self.acknowledgements[place]);
        match one.filter(|one| one.attempt == attempt) {
            None => AcknowledgeResult::UnknownTask,
            Some(one) if one.is_there => AcknowledgeResult::Duplicate,
            Some(one) => {
                (one.is_there, one.life) = (true, life);
                self.n_missing -= 1;
                AcknowledgeResult::Success
            }
        }
    }
}
