//! A job that starts from a savepoint: what its tasks and channels are given.

use super::names::Names;
use crate::model::{ClaimMode, Language};
use crate::trace::Fact;

/// What has changed with a fact about it.
pub(super) fn changed(names: Names<'_>, fact: &Fact) -> String {
    match fact {
        Fact::SavepointRestored { checkpoint, .. } => {
            let job = names.scenario.start.as_ref().map(|start| start.savepoint.job.as_str());
            let (which, job) = (names.checkpoint(*checkpoint), job.unwrap_or_default());
            match names.language {
                Language::En => format!("the job starts from {which} of {job}"),
                Language::Zh => format!("作业从 {job} 的{which}启动"),
            }
        }
        Fact::StateAssigned { task, transactions, .. } => {
            let (who, n) = (names.task(*task), transactions.len());
            match (names.language, n) {
                (Language::En, 1) => {
                    format!("{who} takes over a transaction that the job before had prepared")
                }
                (Language::En, _) => {
                    format!("{who} takes over {n} transactions that the job before had prepared")
                }
                (Language::Zh, _) => format!("{who}接手前一个作业预提交的 {n} 个事务"),
            }
        }
        Fact::ChannelStateAssigned { channel, input, output, .. } => {
            let (which, n) = (names.channel(*channel), input.len() + output.len());
            match names.language {
                Language::En => format!("{which} is given {n} in flight"),
                Language::Zh => format!("{which}得到 {n} 条途中记录"),
            }
        }
        _ => String::new(),
    }
}

/// Why it is so.
pub(super) fn why(names: Names<'_>, fact: &Fact) -> String {
    let text = match fact {
        Fact::SavepointRestored { claim, .. } => match claim {
            ClaimMode::NoClaim => names.pick(
                "state is found by operator id, keyed state by key group; the savepoint stays \
                 the user’s, and the first checkpoint builds on nothing of it",
                "状态按算子 id 对应，键控状态按键组分配；保存点仍归用户，第一个检查点不依赖它",
            ),
            ClaimMode::Claim => names.pick(
                "state is found by operator id, keyed state by key group; the job owns the \
                 savepoint now and deletes it like a checkpoint of its own",
                "状态按算子 id 对应，键控状态按键组分配；保存点从此归作业，像自己的检查点一样删除",
            ),
            ClaimMode::Legacy => names.pick(
                "state is found by operator id, keyed state by key group; nobody deletes the \
                 savepoint, and checkpoints may build on it",
                "状态按算子 id 对应，键控状态按键组分配；没有谁删除保存点，检查点可能依赖它",
            ),
        },
        Fact::StateAssigned { .. } => names.pick(
            "whoever has its key groups now, or its slice of a list, gets the state",
            "现在拥有这些键组、或分到这一段列表的任务得到状态",
        ),
        _ => names.pick(
            "what was in flight goes to whoever is responsible for it now",
            "途中的记录交给现在负责它的任务",
        ),
    };
    text.to_owned()
}

/// Why a transaction of the job before is committed.
pub(super) fn committed(names: Names<'_>) -> &'static str {
    names.pick(
        "it is in the savepoint as prepared, so it counts as done: the new job commits it first",
        "保存点里记着它已预提交，等于已经做完：新作业先把它提交",
    )
}
