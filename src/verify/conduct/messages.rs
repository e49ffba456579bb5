//! A message comes only to whom it was sent, after it was sent.

use std::collections::BTreeSet;

use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use crate::model::{Attempt, CheckpointId, SubtaskIndex};
use crate::trace::RpcMessage;

/// What tasks have told the JobManager, each in its running attempt.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub(super) at_end: BTreeSet<SubtaskIndex>,
    pub(super) failed: BTreeSet<SubtaskIndex>,
    /// Acknowledgements on their way, of whatever attempt.
    acknowledgements: BTreeSet<(SubtaskIndex, Attempt, CheckpointId)>,
    /// Who could not store his part in this step, and has not declined.
    undeclined: BTreeSet<(SubtaskIndex, CheckpointId)>,
}

impl Messages {
    /// A new attempt begins.
    pub(super) fn restarted(&mut self, task: SubtaskIndex) {
        self.at_end.remove(&task);
        self.failed.remove(&task);
    }

    /// A task could not store its part: it declines in the same step.
    pub(super) fn owes_decline(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        self.undeclined.insert((task, checkpoint));
    }

    /// A task declines.
    pub(super) fn declines(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        self.undeclined.remove(&(task, checkpoint));
    }

    /// The step is over.
    #[inline]
    pub(super) fn step_ends(&mut self, (step, found): (u64, &mut ConductJudgement)) {
        while let Some((task, checkpoint)) = self.undeclined.pop_first() {
            found.push(step, None, Wrong::Undeclined { task, checkpoint });
        }
    }

    /// A task sends an acknowledgement.
    pub(super) fn acknowledges(
        &mut self,
        (task, attempt): (SubtaskIndex, Attempt),
        checkpoint: CheckpointId,
    ) {
        self.acknowledgements.insert((task, attempt, checkpoint));
    }

    /// An acknowledgement is there, or will never be.
    pub(super) fn acknowledged(
        &mut self,
        (task, attempt): (SubtaskIndex, Attempt),
        checkpoint: CheckpointId,
    ) {
        self.acknowledgements.remove(&(task, attempt, checkpoint));
    }

    /// Whether an acknowledgement of an earlier attempt is on its way.
    pub(super) fn is_stale_on_its_way(&self, task: SubtaskIndex, running: Attempt) -> bool {
        let first = (task, Attempt::default(), CheckpointId::default());
        let mut own = self.acknowledgements.range(first..);
        own.next().is_some_and(|(of, attempt, _)| *of == task && *attempt < running)
    }

    /// A message comes, and is obeyed or ignored.
    pub(super) fn came(
        &self,
        checkpoints: &mut Checkpoints,
        (task, message): (SubtaskIndex, RpcMessage),
        (step, found): (u64, &mut ConductJudgement),
    ) {
        if !self.was_sent(checkpoints, task, message) {
            found.push(step, None, Wrong::Unsent { task, message });
        }
    }

    /// A message is ignored. Of an earlier attempt, nobody remembers what was
    /// sent in it.
    pub(super) fn ignored(
        &self,
        checkpoints: &mut Checkpoints,
        (task, attempt, message): (SubtaskIndex, Attempt, RpcMessage),
        (running, step, found): (Attempt, u64, &mut ConductJudgement),
    ) {
        if attempt > running || (attempt == running && !self.was_sent(checkpoints, task, message)) {
            found.push(step, None, Wrong::Unsent { task, message });
        }
    }

    fn was_sent(
        &self,
        checkpoints: &mut Checkpoints,
        task: SubtaskIndex,
        message: RpcMessage,
    ) -> bool {
        match message {
            RpcMessage::Trigger(id) => checkpoints.parts(id).is_some(),
            RpcMessage::Acknowledge(id) => {
                checkpoints.parts(id).is_some_and(|parts| parts.stored.contains(&task))
            }
            RpcMessage::Decline(id) => {
                checkpoints.parts(id).is_some_and(|parts| parts.has_declined(task))
            }
            RpcMessage::Abort(id) => checkpoints.aborted.contains(&id),
            RpcMessage::Notify(id) => checkpoints.completed_at(id).is_some(),
            RpcMessage::EndOfData => self.at_end.contains(&task),
            RpcMessage::Failure => self.failed.contains(&task),
            RpcMessage::Backlog(_) => true,
        }
    }
}
