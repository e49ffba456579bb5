//! Sources that work off old data, and say so.
//!
//! Source: Flink `SourceCoordinatorContext.setIsProcessingBacklog`.

use super::Region;
use super::ToJobManager;
use super::turn::Turn;
use super::work::Work;
use crate::model::{Backlog, OperatorIndex, SubtaskIndex};

impl Turn<'_> {
    /// An attempt runs: every source of it that had a backlog at first says
    /// whether it still has one.
    // Differs: in Flink the source's part at the JobManager says so, without a
    // message.
    pub(super) fn report_backlogs(&mut self, region: &Region) {
        let scenario = self.scenario;
        for (operator, n_old) in &scenario.backlogs {
            let begins = |task| region.as_ref().is_none_or(|tasks| tasks.contains(&task));
            if self.subtasks_of(*operator).any(begins) {
                self.report_backlog(*operator, *n_old);
            }
        }
    }

    /// A task has its state back only now.
    pub(super) fn report_backlog_after(&mut self, task: SubtaskIndex) {
        let scenario = self.scenario;
        let operator = scenario.graph.subtasks[task.index()].operator;
        if let Some((_, n_old)) = scenario.backlogs.iter().find(|(own, _)| *own == operator) {
            self.report_backlog(operator, *n_old);
        }
    }

    /// Says whether a source has a backlog, unless one of its subtasks does not
    /// know yet where it is.
    fn report_backlog(&mut self, operator: OperatorIndex, n_old: u64) {
        let mut own = self.subtasks_of(operator);
        let Some(first) = own.next() else { return };
        if [first].into_iter().chain(own).all(|task| self.is_running(task)) {
            let backlog = match self.n_read(operator) < n_old {
                true => Backlog::Processing,
                false => Backlog::CaughtUp,
            };
            self.write_to_job_manager(first, ToJobManager::Backlog(backlog));
        }
    }

    /// A source has read one more record.
    #[cold]
    pub(super) fn mind_backlog(&mut self, task: SubtaskIndex) {
        let operator = self.scenario.graph.subtasks[task.index()].operator;
        let n_old = self.scenario.backlogs.iter().find(|(own, _)| *own == operator);
        if n_old.is_some_and(|(_, n_old)| *n_old == self.n_read(operator)) {
            self.write_to_job_manager(task, ToJobManager::Backlog(Backlog::CaughtUp));
        }
    }

    /// A source subtask has no data left: when all of them have none, there is
    /// no backlog any more.
    // Flink 1.20: CheckpointCoordinator.setIsProcessingBacklog, upon the end of
    // data of a vertex.
    #[cold]
    pub(super) fn end_backlog(&mut self, task: SubtaskIndex) {
        let operator = self.scenario.graph.subtasks[task.index()].operator;
        let n_old = self.scenario.backlogs.iter().find(|(own, _)| *own == operator);
        let has_some = n_old.is_some_and(|(_, n_old)| *n_old > self.n_read(operator));
        if has_some && self.subtasks_of(operator).all(|own| self.cluster.task(own).ended) {
            self.write_to_job_manager(task, ToJobManager::Backlog(Backlog::CaughtUp));
        }
    }

    fn subtasks_of(&self, operator: OperatorIndex) -> impl Iterator<Item = SubtaskIndex> + use<> {
        let subtasks = &self.scenario.graph.subtasks;
        let tasks = self.scenario.graph.subtask_indices();
        let own: Vec<_> =
            tasks.filter(|task| subtasks[task.index()].operator == operator).collect();
        own.into_iter()
    }

    /// Records that a source has read, all subtasks together.
    fn n_read(&self, operator: OperatorIndex) -> u64 {
        let read = self.subtasks_of(operator).map(|task| match &self.cluster.task(task).work {
            Work::Source(reader) => reader.offsets.iter().copied().map(u64::from).sum(),
            _ => 0,
        });
        read.sum()
    }
}
