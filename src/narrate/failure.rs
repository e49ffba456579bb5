//! Why a job fails, and what comes of it.

use super::names::Names;
use crate::model::{CheckpointFailureReason, CheckpointId, Language, Micros, RestartStrategy};
use crate::trace::FailureCause;

/// What has failed, as part of a sentence.
pub(super) fn cause(names: Names<'_>, cause: &FailureCause) -> String {
    match (cause, names.language) {
        (FailureCause::TaskFailed { task }, Language::En) => {
            format!("{} has died", names.task(*task))
        }
        (FailureCause::TaskFailed { task }, Language::Zh) => {
            format!("{}已崩溃", names.task(*task))
        }
        (
            FailureCause::TooManyFailedCheckpoints { checkpoint, reason, tolerable },
            Language::En,
        ) => {
            let (which, why) = (which(names, *checkpoint), failed(names, *reason));
            match tolerable {
                0 => format!("{which} {why} and no checkpoint may fail"),
                1 => format!("{which} {why} and is the second in a row, where 1 may fail"),
                n => format!("{which} {why} and is one too many in a row, where {n} may fail"),
            }
        }
        (
            FailureCause::TooManyFailedCheckpoints { checkpoint, reason, tolerable },
            Language::Zh,
        ) => {
            let (which, why) = (which(names, *checkpoint), failed(names, *reason));
            match tolerable {
                0 => format!("{which}{why}，而检查点一次都不许失败"),
                n => format!("{which}{why}，连续失败超过了允许的 {n} 次"),
            }
        }
    }
}

fn which(names: Names<'_>, checkpoint: Option<CheckpointId>) -> String {
    let nameless = || names.pick("a checkpoint", "一个检查点").to_owned();
    checkpoint.map_or_else(nameless, |id| names.checkpoint(id))
}

/// How a checkpoint has failed.
fn failed(names: Names<'_>, reason: CheckpointFailureReason) -> &'static str {
    match reason {
        CheckpointFailureReason::CheckpointExpired => names.pick("has expired", "已超时"),
        CheckpointFailureReason::CheckpointDeclined => names.pick("was declined", "被拒绝"),
        CheckpointFailureReason::CheckpointAsyncException => {
            names.pick("could not be stored by a task", "未能由任务存下")
        }
        CheckpointFailureReason::FinalizeCheckpointFailure => {
            names.pick("could not be completed", "未能收尾")
        }
        _ => names.pick("has failed", "失败了"),
    }
}

/// Why a failure ends the attempt, or the job.
pub(super) fn why(names: Names<'_>, cause: &FailureCause, restart_after: Option<Micros>) -> String {
    match (restart_after, cause) {
        (Some(_), FailureCause::TaskFailed { .. }) => names.pick(
            "one task has lost its state, and the others are already past it: all go back \
             together, or some records would count twice and others not at all",
            "一个任务丢了状态，其余任务已经走在前面：必须一起退回，否则有的记录会算两次，有的会漏掉",
        ),
        (Some(_), FailureCause::TooManyFailedCheckpoints { .. }) => names.pick(
            "no task has died, but without a new checkpoint a later failure would take the job \
             further and further back: a restart may bring the checkpoints back",
            "并没有任务崩溃，但一直没有新的检查点，往后一旦出故障就要退回越来越远：重启也许能让检查点恢复正常",
        ),
        (None, _) if restarts_at_all(names) => names.pick(
            "the restart strategy has no attempt left",
            "重启策略的次数已用完",
        ),
        (None, _) => names.pick("the restart strategy allows no restart", "重启策略不允许重启"),
    }
    .to_owned()
}

fn restarts_at_all(names: Names<'_>) -> bool {
    !matches!(
        names.scenario.config.restart,
        RestartStrategy::None | RestartStrategy::FixedDelay { attempts: 0, .. }
    )
}
