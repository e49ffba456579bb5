//! A message comes only to whom it was sent, after it was sent.

use std::collections::BTreeSet;

use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use crate::model::{Attempt, SubtaskIndex};
use crate::trace::RpcMessage;

/// What tasks have told the JobManager, each in its running attempt.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub(super) at_end: BTreeSet<SubtaskIndex>,
    pub(super) failed: BTreeSet<SubtaskIndex>,
}

impl Messages {
    /// A new attempt begins.
    pub(super) fn restarted(&mut self, task: SubtaskIndex) {
        self.at_end.remove(&task);
        self.failed.remove(&task);
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
