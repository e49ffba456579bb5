//! One event being applied: the cluster with all that a change of it needs.

use super::outcome::{Outcome, RpcKind, Wait};
use super::{Cluster, Lane, Letter, ToJobManager, ToTask};
use crate::model::{
    CheckpointId, CheckpointMessage, Micros, Mishap, Mutation, Scenario, SnapshotType,
    SubtaskIndex, Time,
};
use crate::trace::{CheckpointView, Fact, RpcMessage};

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
        if let ToTask::Notify(checkpoint) = text
            && self.scenario.breaks(Mutation::LoseEveryOtherNotification)
            && self.is_one_of_many(checkpoint)
        {
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

    /// Whether a checkpoint is every other one of those that an interval begins:
    /// another one will follow, and stand for it.
    fn is_one_of_many(&mut self, checkpoint: CheckpointId) -> bool {
        let is_checkpoint =
            |stored: &mut CheckpointView| stored.snapshot == SnapshotType::Checkpoint;
        checkpoint.0 % 2 == 1
            && self.scenario.config.interval.is_some()
            && self.stored(checkpoint).is_some_and(is_checkpoint)
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
