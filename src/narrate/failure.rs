//! Why a job fails, and what comes of it.

use super::names::Names;
use super::why::Why;
use crate::model::{
    CheckpointFailureReason, CheckpointId, HighAvailability, Language, RestartStrategy,
};
use crate::trace::{Fact, FailureCause};

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
                0 => format!("{which}{why}，而一次检查点失败也不容忍"),
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
pub(super) fn why(names: Names<'_>, fact: &Fact) -> String {
    let Fact::JobFailed { cause, region, restart_after, .. } = fact else {
        unreachable!("asked about a failure")
    };
    match (restart_after, cause) {
        (Some(_), FailureCause::TaskFailed { .. }) if region.is_some() => names.pick(
            "one task has lost its state, and those that channels connect with it are already \
             past it: they go back together. No record goes between them and the others, which \
             lose nothing and stay",
            "一个任务丢了状态，与它有通道相连的任务已经走在前面，要一起退回；其余任务与它们没有记录往来，\
             什么也没丢，不必退回",
        ),
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

/// What the death of a JobManager means, and what the next one knows.
pub(super) fn job_manager(names: Names<'_>, fact: &Fact) -> String {
    match fact {
        Fact::JobManagerStarted { high_availability: HighAvailability::On } => names.pick(
            "the high-availability service has kept the list of completed checkpoints and the \
             next id for it",
            "高可用服务为它保存了已完成检查点的列表和下一个编号",
        ),
        Fact::JobManagerStarted { high_availability: HighAvailability::Off } => names.pick(
            "nobody has kept anything for it: it knows of no checkpoint, and counts from 1",
            "没有谁为它保存过什么：它不知道任何检查点，编号从 1 开始",
        ),
        _ => match names.scenario.config.high_availability {
            HighAvailability::On => names.pick(
                "the scenario lets it happen here; without a JobManager no task may go on, and \
                 pending checkpoints are lost, but the list of completed ones is kept by a \
                 service",
                "这是场景安排的；没有 JobManager，任务都不能继续，进行中的检查点也丢了，但已完成检查点\
                 的列表由服务保存着",
            ),
            HighAvailability::Off => names.pick(
                "the scenario lets it happen here; without a JobManager no task may go on, and \
                 the list of completed checkpoints was in its memory",
                "这是场景安排的；没有 JobManager，任务都不能继续，而已完成检查点的列表只在它的内存里",
            ),
        },
    }
    .to_owned()
}

/// Where the job starts again under another JobManager, if that is why.
pub(super) fn taken_over(why: &Why<'_>, checkpoint: Option<CheckpointId>) -> Option<String> {
    let names = why.names;
    let known = why.step.facts.iter().find_map(|fact| match fact {
        Fact::JobManagerStarted { high_availability } => Some(*high_availability),
        _ => None,
    })?;
    let text = match (known, checkpoint) {
        (HighAvailability::Off, _) => names
            .pick(
                "the list of completed checkpoints died with the old JobManager: their files \
                 are still there, but nobody knows of them, and everything starts from the \
                 beginning",
                "已完成检查点的列表随旧 JobManager 一起丢了：文件还在，却没有谁知道它们，一切从头开始",
            )
            .to_owned(),
        (HighAvailability::On, None) => names
            .pick(
                "no checkpoint was complete, so everything starts from the beginning",
                "还没有完成的检查点，一切从头开始",
            )
            .to_owned(),
        (HighAvailability::On, Some(checkpoint)) => {
            let which = names.checkpoint(checkpoint);
            why.say(
                || {
                    format!(
                        "a service has kept the list of completed checkpoints: {which} is the \
                         newest, every task gets its part back, and the ids go on from the last \
                         one"
                    )
                },
                || format!("服务保存着已完成检查点的列表：{which}是最新的，每个任务取回自己的那份，编号接着往下数"),
            )
        }
    };
    Some(text)
}
