//! What a run says about the time of each checkpoint.

use crate::model::{CheckpointId, ExecutionGraph, SnapshotMetrics, SubtaskIndex, Time};
use crate::trace::Fact;

/// One checkpoint from its trigger to its end.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) id: CheckpointId,
    pub(super) triggered: Time,
    pub(super) end: End,
    /// By [`SubtaskIndex`].
    pub(super) parts: Vec<Part>,
}

/// How a checkpoint ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It did not, while the run lasted.
    Pending,
    /// Complete.
    Completed(Time),
    /// Given up.
    Aborted(Time),
}

/// A subtask's part of a checkpoint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// When its snapshot was stored whole, and how it was taken.
    pub(super) stored: Option<(Time, SnapshotMetrics)>,
    /// When the coordinator got the acknowledgement.
    pub(super) acknowledged: Option<Time>,
    /// The subtask had finished before.
    pub(super) finished: bool,
}

impl Checkpoint {
    /// When the last thing that is known of it happened.
    pub(super) fn last(&self) -> Time {
        let stored = self.parts.iter().filter_map(|part| part.stored.map(|(at, _)| at));
        let acknowledged = self.parts.iter().filter_map(|part| part.acknowledged);
        let end = match self.end {
            End::Pending => self.triggered,
            End::Completed(at) | End::Aborted(at) => at,
        };
        stored.chain(acknowledged).chain([end]).max().unwrap_or(self.triggered)
    }
}

/// The checkpoints of a run, step by step: the newest ones, or one of them. A
/// JobManager that begins to count anew has checkpoints of the same ids again.
#[derive(Clone, Debug)]
pub struct CheckpointHistory {
    n_tasks: usize,
    only: Option<CheckpointId>,
    pub(super) kept: Vec<Checkpoint>,
    pub(super) n_left_out: usize,
    pub(super) savepoints: Vec<CheckpointId>,
    ids: Vec<CheckpointId>,
}

impl CheckpointHistory {
    /// The most checkpoints that are kept.
    pub(super) const KEPT_MAX: usize = 6;
    /// The most ids that are remembered.
    const IDS_MAX: usize = 100;

    /// Nothing has happened yet.
    #[must_use]
    pub fn new(graph: &ExecutionGraph, only: Option<CheckpointId>) -> Self {
        Self {
            n_tasks: graph.subtasks.len(),
            only,
            kept: Vec::new(),
            n_left_out: 0,
            savepoints: Vec::new(),
            ids: Vec::new(),
        }
    }

    /// Ids of the newest checkpoints, in the order of their triggers.
    #[must_use]
    pub fn ids(&self) -> &[CheckpointId] {
        &self.ids
    }

    /// Takes in the facts of the next step.
    pub fn observe(&mut self, at: Time, facts: &[Fact]) {
        for fact in facts {
            self.take_in(at, fact);
        }
    }

    fn take_in(&mut self, at: Time, fact: &Fact) {
        match fact {
            Fact::CheckpointTriggered { checkpoint, snapshot, .. } => {
                if snapshot.is_savepoint() {
                    self.savepoints.push(*checkpoint);
                }
                self.trigger(*checkpoint, at);
            }
            Fact::SnapshotStored { task, checkpoint, metrics } => {
                self.part(*task, *checkpoint, |part| part.stored = Some((at, *metrics)));
            }
            Fact::Acknowledged { task, checkpoint } => {
                self.part(*task, *checkpoint, |part| part.acknowledged = Some(at));
            }
            Fact::FinishedTaskIncluded { task, checkpoint, .. } => {
                self.part(*task, *checkpoint, |part| part.finished = true);
            }
            Fact::CheckpointCompleted { checkpoint } => {
                self.newest(*checkpoint).into_iter().for_each(|own| own.end = End::Completed(at));
            }
            Fact::CheckpointAborted { checkpoint, .. } => {
                self.newest(*checkpoint).into_iter().for_each(|own| own.end = End::Aborted(at));
            }
            _ => {}
        }
    }

    fn trigger(&mut self, id: CheckpointId, at: Time) {
        if self.ids.len() == Self::IDS_MAX {
            self.ids.remove(0);
        }
        self.ids.push(id);
        if self.only.is_some_and(|only| only != id) {
            return;
        }
        if self.kept.len() == Self::KEPT_MAX {
            self.kept.remove(0);
            self.n_left_out += 1;
        }
        let parts = vec![Part::default(); self.n_tasks];
        self.kept.push(Checkpoint { id, triggered: at, end: End::Pending, parts });
    }

    fn newest(&mut self, id: CheckpointId) -> Option<&mut Checkpoint> {
        self.kept.iter_mut().rfind(|own| own.id == id)
    }

    fn part(&mut self, task: SubtaskIndex, id: CheckpointId, put: impl FnOnce(&mut Part)) {
        if let Some(own) = self.newest(id) {
            put(&mut own.parts[task.index()]);
        }
    }
}
