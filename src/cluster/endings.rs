//! The end of a job, and what it leaves behind.

use super::Lane;
use super::User;
use super::turn::Turn;
use super::work::Work;
use crate::model::CheckpointId;
use crate::protocol::{Cleanup, HighAvailability, TerminalStatus, TwoPhaseCommitInput};
use crate::trace::{Fact, JobStatus, TaskStatus};

impl Turn<'_> {
    /// The user cancels the job: its tasks are closed in good order.
    // Differs: in Flink each task takes its time to stop; here they stop at
    // once.
    #[cold]
    pub(super) fn cancel(&mut self) {
        match self.cluster.status {
            JobStatus::Running | JobStatus::Restarting => {}
            JobStatus::Suspended => {
                self.cluster.user = User::Cancels;
                return;
            }
            JobStatus::Failed | JobStatus::Finished | JobStatus::Canceled => return,
        }
        self.out.fact(Fact::JobCanceled);
        self.cluster.status = JobStatus::Canceled;
        self.stop_checkpoints(&None);
        self.out.clear_lane(Lane::Restart);
        self.cluster.restarts.clear();
        for task in self.scenario.graph.subtask_indices() {
            let status = self.cluster.tasks[task.index()].status;
            if matches!(status, TaskStatus::Running | TaskStatus::Initializing) {
                self.stop(task, TaskStatus::Cancelled);
            }
            if status == TaskStatus::Running
                && let Work::Sink(sink) = &mut self.cluster.tasks[task.index()].work
            {
                sink.on(TwoPhaseCommitInput::Close, &mut self.out.facts);
            }
        }
        self.cut_channels(&None);
        self.end_checkpoints(TerminalStatus::Canceled);
    }

    /// The job has ended: the retention setting decides what stays of its
    /// completed checkpoints. Wherever their list is kept, it is given up now.
    pub(super) fn end_checkpoints(&mut self, status: TerminalStatus) {
        self.drop_copies();
        for ended in self.cluster.coordinator.end(status, HighAvailability::Off) {
            let checkpoint = ended.checkpoint;
            match ended.cleanup {
                Cleanup::Delete => self.discard(checkpoint),
                Cleanup::Keep => self.out.fact(Fact::CheckpointRetained { checkpoint }),
            }
        }
    }

    /// A completed checkpoint is deleted.
    // Differs: in Flink deleting takes time, and too many checkpoints that are
    // being deleted keep the next one from beginning; here it takes none.
    pub(super) fn discard(&mut self, checkpoint: CheckpointId) {
        let storage = &mut self.cluster.storage;
        let n_stored = storage.len();
        storage.retain(|stored| stored.id != checkpoint);
        if self.cluster.storage.len() < n_stored {
            self.cluster.files.forget(checkpoint);
            self.out.fact(Fact::CheckpointDiscarded { checkpoint });
        }
        self.delete_checkpoint(checkpoint);
        self.delete_unused();
    }
}
