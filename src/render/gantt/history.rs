//! What a run says about the time of each checkpoint.

use crate::model::{CheckpointId, SnapshotMetrics, SubtaskIndex, Time};
use crate::narrate::Story;
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

/// Every checkpoint of a run, in the order of their triggers. A JobManager
/// that begins to count anew has checkpoints of the same ids again.
pub(super) fn checkpoints(story: &Story) -> Vec<Checkpoint> {
    let n_tasks = story.scenario.graph.subtasks.len();
    let mut all: Vec<Checkpoint> = Vec::new();
    for step in &story.trace.steps {
        let at = step.at;
        for fact in &step.facts {
            let newest = |all: &mut Vec<Checkpoint>, id: CheckpointId| {
                all.iter().rposition(|own| own.id == id)
            };
            let mut part = |task: SubtaskIndex, id: CheckpointId, put: &dyn Fn(&mut Part)| {
                if let Some(place) = newest(&mut all, id) {
                    put(&mut all[place].parts[task.index()]);
                }
            };
            match fact {
                Fact::CheckpointTriggered { checkpoint, .. } => all.push(Checkpoint {
                    id: *checkpoint,
                    triggered: at,
                    end: End::Pending,
                    parts: vec![Part::default(); n_tasks],
                }),
                Fact::SnapshotStored { task, checkpoint, metrics } => {
                    part(*task, *checkpoint, &|part| part.stored = Some((at, *metrics)));
                }
                Fact::Acknowledged { task, checkpoint } => {
                    part(*task, *checkpoint, &|part| part.acknowledged = Some(at));
                }
                Fact::FinishedTaskIncluded { task, checkpoint, .. } => {
                    part(*task, *checkpoint, &|part| part.finished = true);
                }
                Fact::CheckpointCompleted { checkpoint } => {
                    if let Some(place) = newest(&mut all, *checkpoint) {
                        all[place].end = End::Completed(at);
                    }
                }
                Fact::CheckpointAborted { checkpoint, .. } => {
                    if let Some(place) = newest(&mut all, *checkpoint) {
                        all[place].end = End::Aborted(at);
                    }
                }
                _ => {}
            }
        }
    }
    all
}
