//! What becomes of completed checkpoints, while a job runs and at its end.

use super::changed::Teller;
use super::names::Names;
use super::why::Why;
use crate::model::{CheckpointId, ExternalizedCheckpointRetention, Language};
use crate::trace::{Fact, JobStatus};

impl Teller<'_> {
    /// Whether the job is at its end after the scene.
    pub(super) fn has_ended(&self) -> bool {
        ended(self.names, self.scene.after.status).is_some()
    }

    /// Completed checkpoints that are deleted.
    pub(super) fn discarded(&self, clauses: &mut Vec<String>) {
        if self.digest.discarded.is_empty() {
            return;
        }
        let list = list(self.names, &self.digest.discarded);
        let verb = if self.digest.discarded.len() == 1 { "was" } else { "were" };
        clauses.push(self.say(|| format!("{list} {verb} deleted"), || format!("{list}被删除")));
    }

    /// What a job at its end leaves behind.
    pub(super) fn left_behind(&self, clauses: &mut Vec<String>) {
        if !self.has_ended() {
            return;
        }
        self.discarded(clauses);
        if !self.digest.retained.is_empty() {
            let list = list(self.names, &self.digest.retained);
            let verb = if self.digest.retained.len() == 1 { "is" } else { "are" };
            clauses.push(self.say(|| format!("{list} {verb} kept"), || format!("{list}被保留")));
        }
    }
}

fn list(names: Names<'_>, checkpoints: &[CheckpointId]) -> String {
    let each: Vec<String> = checkpoints.iter().map(|id| names.checkpoint(*id)).collect();
    names.list(&each)
}

/// How a job has ended, as an attribute; none if it has not.
fn ended(names: Names<'_>, status: JobStatus) -> Option<&'static str> {
    match status {
        JobStatus::Finished => Some(names.pick("a job that finishes", "作业正常结束")),
        JobStatus::Failed => Some(names.pick("a job that fails", "作业失败")),
        JobStatus::Canceled => Some(names.pick("a job that is cancelled", "作业被取消")),
        JobStatus::Running | JobStatus::Restarting | JobStatus::Suspended => None,
    }
}

/// The reason for a fact about the end, or about a deleted checkpoint.
pub(super) fn why(why: &Why<'_>, fact: &Fact) -> String {
    let names = why.names;
    match fact {
        Fact::JobCanceled => names
            .pick(
                "the user has asked for it: the job stops where it stands, without a last \
                 checkpoint, and what no completed checkpoint covers is never committed",
                "这是用户要求的：作业就地停下，不再做最后一个检查点；没有被已完成的检查点覆盖的内容永远不会提交",
            )
            .to_owned(),
        Fact::CheckpointRetained { .. } => retained(names, why.after.status),
        _ => discarded(names, why.after.status),
    }
}

fn retained(names: Names<'_>, status: JobStatus) -> String {
    let setting = names.scenario.config.retention.flink_name();
    let end = ended(names, status).unwrap_or_else(|| names.pick("a job", "作业结束"));
    match names.language {
        Language::En => format!(
            "{setting} keeps the newest checkpoints of {end}: the user may start from them, and \
             has to delete them"
        ),
        Language::Zh => {
            format!("{setting}：{end}时保留最新的检查点，用户可以从它启动，也要自己负责删除")
        }
    }
}

fn discarded(names: Names<'_>, status: JobStatus) -> String {
    let config = &names.scenario.config;
    match (ended(names, status), status, config.retention) {
        (None, ..) => {
            let n = config.num_retained;
            match names.language {
                Language::En if n == 1 => {
                    "a newer one is complete, and only the newest is kept".to_owned()
                }
                Language::En => format!("only the newest {n} completed checkpoints are kept"),
                Language::Zh => format!("只保留最新的 {n} 个已完成的检查点"),
            }
        }
        (Some(_), JobStatus::Finished, retention)
            if retention != ExternalizedCheckpointRetention::NoExternalizedCheckpoints =>
        {
            let setting = retention.flink_name();
            match names.language {
                Language::En => format!(
                    "the job has done all of its work, and a job that finishes deletes its \
                     checkpoints even under {setting}"
                ),
                Language::Zh => {
                    format!("作业已做完全部工作；正常结束的作业总会删除检查点，{setting} 也不例外")
                }
            }
        }
        (Some(end), _, retention) => {
            let setting = retention.flink_name();
            match names.language {
                Language::En => format!("under {setting}, {end} leaves no checkpoint behind"),
                Language::Zh => format!("在 {setting} 之下，{end}后不留检查点"),
            }
        }
    }
}
