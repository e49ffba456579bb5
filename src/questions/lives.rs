//! What becomes of each checkpoint, from its trigger to its end.

use super::Run;
use crate::model::{CheckpointFailureReason, CheckpointId, SubtaskIndex};
use crate::trace::{Fact, TriggerCause};

/// A checkpoint's life.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) id: CheckpointId,
    pub(super) cause: TriggerCause,
    pub(super) triggered: u64,
    /// The step of its end; none for one that is pending in the end.
    pub(super) end: Option<(u64, End)>,
    /// Acknowledgements in their order.
    pub(super) acknowledged: Vec<(u64, SubtaskIndex)>,
    /// Whether a source has read anything by its trigger.
    pub(super) has_records: bool,
}

/// How it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Completed,
    Aborted(CheckpointFailureReason),
    /// The JobManager that knew of it has died.
    Forgotten,
}

impl Life {
    /// When it became complete, if it did.
    pub(super) fn completed(&self) -> Option<u64> {
        match self.end {
            Some((step, End::Completed)) => Some(step),
            _ => None,
        }
    }
}

/// Every checkpoint of a run, in the order of their triggers.
pub(super) fn lives(run: &Run<'_>) -> Vec<Life> {
    let mut lives: Vec<Life> = Vec::new();
    let mut has_records = false;
    for (step, fact) in run.facts() {
        let end = |lives: &mut Vec<Life>, id: CheckpointId, end: End| {
            let own = lives.iter_mut().rev().find(|own| own.id == id && own.end.is_none());
            own.into_iter().for_each(|own| own.end = Some((step, end)));
        };
        match fact {
            Fact::Read { .. } => has_records = true,
            Fact::CheckpointTriggered { checkpoint, cause, .. } => lives.push(Life {
                id: *checkpoint,
                cause: *cause,
                triggered: step,
                end: None,
                acknowledged: Vec::new(),
                has_records,
            }),
            Fact::Acknowledged { task, checkpoint } => {
                let own = lives.iter_mut().rev().find(|own| own.id == *checkpoint);
                let own = own.filter(|own| own.end.is_none());
                own.into_iter().for_each(|own| own.acknowledged.push((step, *task)));
            }
            Fact::CheckpointCompleted { checkpoint } => {
                end(&mut lives, *checkpoint, End::Completed)
            }
            Fact::CheckpointAborted { checkpoint, reason } => {
                end(&mut lives, *checkpoint, End::Aborted(*reason));
            }
            Fact::JobManagerCrashed { .. } => {
                for own in lives.iter_mut().filter(|own| own.end.is_none()) {
                    own.end = Some((step, End::Forgotten));
                }
            }
            _ => {}
        }
    }
    lives
}

/// The completed checkpoint that is most worth a question: with records before
/// it and, better yet, in the middle of the job.
pub(super) fn telling(lives: &[Life]) -> Option<&Life> {
    let mut completed = lives.iter().filter(|own| own.completed().is_some());
    let is_inside = |own: &&Life| own.has_records && own.cause != TriggerCause::EndOfData;
    let inside = completed.clone().find(is_inside);
    inside.or_else(|| completed.clone().find(|own| own.has_records)).or_else(|| completed.next())
}
