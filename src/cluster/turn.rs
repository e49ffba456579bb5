//! One event being applied: the cluster with all that a change of it needs.

use super::outcome::{Outcome, RpcKind, Wait};
use super::{Cluster, Lane, Letter, ToJobManager, ToTask};
use crate::model::{Scenario, SubtaskIndex, Time};

/// The cluster during one event. What it does to tasks and channels stands in
/// `flow`, to checkpoints in `checkpoints`, upon failures in `failures`.
pub(super) struct Turn<'a> {
    pub(super) cluster: &'a mut Cluster,
    pub(super) scenario: &'a Scenario,
    pub(super) now: Time,
    pub(super) out: &'a mut Outcome,
}

impl<'a> Turn<'a> {
    #[inline]
    pub(super) fn new(
        cluster: &'a mut Cluster,
        scenario: &'a Scenario,
        now: Time,
        out: &'a mut Outcome,
    ) -> Self {
        Self { cluster, scenario, now, out }
    }

    /// A task writes to the JobManager.
    pub(super) fn write_to_job_manager(&mut self, task: SubtaskIndex, text: ToJobManager) {
        let letter = Letter { attempt: self.cluster.attempt, text };
        self.cluster.to_job_manager[task.index()].push_back(letter);
        let wait = self.rpc(RpcKind::Acknowledge, task);
        self.out.event(Lane::ToJobManager(task), wait);
    }

    /// The JobManager writes to a task.
    pub(super) fn write_to_task(&mut self, task: SubtaskIndex, text: ToTask) {
        let letter = Letter { attempt: self.cluster.attempt, text };
        self.cluster.to_task[task.index()].push_back(letter);
        let kind = match text {
            ToTask::Trigger(_) => RpcKind::Trigger,
            ToTask::Notify(_) | ToTask::Abort(_) => RpcKind::Notify,
        };
        let wait = self.rpc(kind, task);
        self.out.event(Lane::ToTask(task), wait);
    }

    fn rpc(&mut self, kind: RpcKind, subtask: SubtaskIndex) -> Wait {
        let count = &mut self.cluster.n_letters[subtask.index()][kind as usize];
        *count += 1;
        Wait::Rpc { kind, subtask, number: *count }
    }
}
