//! One event being applied: the cluster with all that a change of it needs.

use super::outcome::{Outcome, RpcKind, Wait};
use super::{Cluster, Lane, Letter, ToJobManager, ToTask};
use crate::model::{CheckpointMessage, Micros, Mishap, Mutation, Scenario, SubtaskIndex, Time};
use crate::trace::{Fact, RpcMessage};

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
        let letter = Letter { attempt: self.cluster.tasks[task.index()].attempt, text };
        let Some(wait) = self.rpc(RpcKind::Acknowledge, task, text.into()) else { return };
        self.cluster.to_job_manager[task.index()].push_back(letter);
        self.out.event(Lane::ToJobManager(task), wait);
    }

    /// The JobManager writes to a task.
    pub(super) fn write_to_task(&mut self, task: SubtaskIndex, text: ToTask) {
        let letter = Letter { attempt: self.cluster.tasks[task.index()].attempt, text };
        if matches!(text, ToTask::Notify(_)) && self.scenario.breaks(Mutation::LoseNotifications) {
            return;
        }
        let kind = match text {
            ToTask::Trigger(_) => RpcKind::Trigger,
            ToTask::Notify(_) | ToTask::Abort { .. } => RpcKind::Notify,
        };
        let Some(wait) = self.rpc(kind, task, text.into()) else { return };
        self.cluster.to_task[task.index()].push_back(letter);
        self.out.event(Lane::ToTask(task), wait);
    }

    /// How long a message takes; none: it is lost.
    fn rpc(&mut self, kind: RpcKind, subtask: SubtaskIndex, message: RpcMessage) -> Option<Wait> {
        let count = &mut self.cluster.n_letters[subtask.index()][kind as usize];
        *count += 1;
        let number = *count;
        let late = match self.mishap(subtask, message) {
            None => Micros::ZERO,
            Some(Mishap::Late(by)) => {
                self.out.fact(Fact::MessageDelayed { task: subtask, message, by });
                by
            }
            Some(Mishap::Lost) => {
                self.out.fact(Fact::MessageLost { task: subtask, message });
                return None;
            }
        };
        Some(Wait::Rpc { kind, subtask, number, late })
    }

    /// What the scenario lets become of a message, if that has not happened
    /// yet.
    fn mishap(&mut self, task: SubtaskIndex, message: RpcMessage) -> Option<Mishap> {
        let (about, checkpoint) = match message {
            RpcMessage::Trigger(id) => (CheckpointMessage::Trigger, id),
            RpcMessage::Acknowledge(id) => (CheckpointMessage::Acknowledgement, id),
            RpcMessage::Notify(id) | RpcMessage::Abort(id) => (CheckpointMessage::Notification, id),
            RpcMessage::Decline(_)
            | RpcMessage::EndOfData
            | RpcMessage::Backlog(_)
            | RpcMessage::Failure => return None,
        };
        let faults = self.scenario.message_faults.iter().zip(&mut self.cluster.mishaps);
        let mut due = faults.filter(|(fault, happened)| {
            (fault.message, fault.task, fault.checkpoint) == (about, task, checkpoint)
                && !**happened
        });
        let (fault, happened) = due.next()?;
        *happened = true;
        Some(fault.mishap)
    }
}
