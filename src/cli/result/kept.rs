//! What is left of a run's checkpoints when the job has ended.

use super::text::Page;
use crate::cli::run::RunResult;
use crate::model::{CheckpointId, ExternalizedCheckpointRetention, Language};
use crate::sim::Ending;
use crate::trace::CheckpointView;

/// The checkpoints that outlive the job.
pub(super) fn ids(result: &RunResult<'_>) -> Vec<CheckpointId> {
    left(result).filter(|view| !view.snapshot.is_savepoint()).map(|view| view.id).collect()
}

fn left<'r>(result: &'r RunResult<'_>) -> impl Iterator<Item = &'r CheckpointView> {
    let is_there = |view: &&CheckpointView| !result.report.disposed.contains(&view.id);
    result.view.checkpoints.iter().filter(|view| view.completed).filter(is_there)
}

impl Page<'_> {
    /// Which savepoints are left, and which checkpoints, and why.
    pub(super) fn kept(&mut self) {
        let savepoints = left(self.result).filter(|view| view.snapshot.is_savepoint());
        let savepoints: Vec<String> =
            savepoints.map(|view| self.names.checkpoint(view.id)).collect();
        if !savepoints.is_empty() {
            let list = self.names.list(&savepoints);
            let text = match (self.names.language, savepoints.len()) {
                (Language::En, 1) => format!("{list} stays until the user deletes it"),
                (Language::En, _) => format!("{list} stay until the user deletes them"),
                (Language::Zh, _) => format!("{list}，由用户自己删除"),
            };
            self.labelled(self.pick("left", "留存"), &self.names.tidy(&text));
        }
        self.kept_checkpoints();
    }

    /// Of a job that finishes under the default, nobody asks.
    fn kept_checkpoints(&mut self) {
        let retention = self.result.scenario.config.retention;
        let is_default = retention == ExternalizedCheckpointRetention::NoExternalizedCheckpoints;
        let end = match self.result.ending {
            Ending::Finished if is_default => return,
            Ending::Finished => self.pick("a job that finishes", "正常结束的作业"),
            Ending::Failed => self.pick("a job that fails", "失败的作业"),
            Ending::Canceled => self.pick("a job that is cancelled", "被取消的作业"),
            Ending::Stuck(_) | Ending::OutOfSteps(_) | Ending::OutOfTime(_) => return,
        };
        if self.result.view.completed.is_empty() {
            return;
        }
        let kept: Vec<String> =
            ids(self.result).iter().map(|id| self.names.checkpoint(*id)).collect();
        let (list, setting) = (self.names.list(&kept), retention.flink_name());
        let text = match (self.names.language, kept.is_empty()) {
            (Language::En, false) => format!("{list}: {setting} keeps those of {end}"),
            (Language::En, true) => format!("no checkpoint: {setting} deletes those of {end}"),
            (Language::Zh, false) => format!("{list}：{setting} 保留{end}的检查点"),
            (Language::Zh, true) => format!("没有检查点：{setting} 删除{end}的检查点"),
        };
        self.labelled(self.pick("left", "留存"), &self.names.tidy(&text));
    }
}
