//! Why a checkpoint is complete, why a transaction is committed, and what a
//! failure and a restart do.

use super::why::Why;
use super::{ending, failure, starts, why_at_least_once, why_messages};
use crate::model::{
    Attempt, CheckpointFailureReason, CheckpointId, OperatorKind, SinkKind, SubtaskIndex,
};
use crate::trace::{Fact, JobStatus, RpcMessage, Rule};

/// The reason for a fact about checkpoints' ends, transactions and failures.
pub(super) fn reason(why: &Why<'_>, fact: &Fact) -> (String, Rule) {
    let names = why.names;
    let rule = fact.rule();
    let text = match fact {
        Fact::Acknowledged { checkpoint, .. } => acknowledged(why, *checkpoint),
        Fact::CheckpointCompleted { checkpoint } => {
            let which = names.checkpoint(*checkpoint);
            why.say(
                || {
                    format!(
                        "every task has acknowledged, so {which} can be restored as a whole; \
                    now all tasks are told"
                    )
                },
                || format!("所有任务都已确认，{which}可以整体恢复；接着通知全部任务"),
            )
        }
        Fact::CheckpointAborted { reason, .. } => match reason {
            CheckpointFailureReason::CheckpointSubsumed => names.pick(
                "a later checkpoint is complete, and a recovery would take that one",
                "更晚的检查点已经完成，恢复时会用那一个",
            ),
            CheckpointFailureReason::CheckpointCoordinatorSuspend => names.pick(
                "its attempt is over, and its missing parts will never come",
                "它所属的尝试已结束，缺的部分再也不会到来",
            ),
            CheckpointFailureReason::IoException => names.pick(
                "the storage has no place for it, so it cannot even begin",
                "存储里没有放它的地方，连开始都不行",
            ),
            CheckpointFailureReason::FinalizeCheckpointFailure => names.pick(
                "every task has acknowledged, but the metadata that ties the parts together could \
                 not be written",
                "所有任务都已确认，但把各部分联在一起的元数据没能写下来",
            ),
            CheckpointFailureReason::CheckpointAsyncException => names.pick(
                "a task could not store its part, and without it the checkpoint can never be \
                 complete",
                "有任务没能存下自己的部分，缺了它就永远无法完成",
            ),
            CheckpointFailureReason::CheckpointExpired => {
                names.pick("it was not acknowledged in time", "它没有在期限内得到全部确认")
            }
            _ => names.pick(
                "a task has declined it, and without that task’s part it can never be complete",
                "有任务拒绝了它，缺了那一部分就永远无法完成",
            ),
        }
        .to_owned(),
        Fact::Notified { task, checkpoint } => match why_messages::made_good(why, *task) {
            Some(text) => text,
            None => notified(why, *task, *checkpoint),
        },
        Fact::TransactionCommitted { transaction, .. }
            if why_messages::made_good(why, transaction.subtask).is_some() =>
        {
            why_messages::made_good(why, transaction.subtask).unwrap_or_default()
        }
        Fact::TransactionCommitted { transaction, .. } if transaction.attempt == Attempt(0) => {
            starts::committed(names).to_owned()
        }
        Fact::TransactionCommitted { .. } => names
            .pick(
                "the checkpoint that it was prepared for is complete, so no failure can undo it \
                    any more: now its records may be seen",
                "它预提交所属的检查点已完成，任何故障都不会再撤销它：现在可以对外可见",
            )
            .to_owned(),
        Fact::TransactionPrepared { checkpoint, .. } => {
            let which = names.checkpoint(*checkpoint);
            why.say(
                || format!("it will be committed when {which} is complete, and not before"),
                || format!("等{which}完成后才提交，不会更早"),
            )
        }
        Fact::JobCanceled | Fact::CheckpointDiscarded { .. } | Fact::CheckpointRetained { .. } => {
            ending::why(why, fact)
        }
        Fact::TransactionAborted { .. } if why.after.status == JobStatus::Canceled => names
            .pick(
                "no checkpoint covers its records, and the task is closed: nobody will ever see \
                    them",
                "没有检查点覆盖它的记录，而任务已关闭：它们永远不会对外可见",
            )
            .to_owned(),
        Fact::TransactionAborted { .. } => names
            .pick(
                "its records came after the restored checkpoint and will be written again",
                "它的记录在所恢复的检查点之后，会被重新写出",
            )
            .to_owned(),
        Fact::TransactionBegun { .. } => names
            .pick(
                "what a sink writes next belongs to the next checkpoint, so it goes into a \
                    transaction of its own",
                "汇接下来写的属于下一个检查点，所以放进新的事务",
            )
            .to_owned(),
        Fact::Crashed { tasks } if tasks.is_empty() => names
            .pick(
                "the scenario lets it happen here, but no task that it hits runs: there is \
                    nothing to lose",
                "这是场景安排的，但它涉及的任务都没有在运行，没什么可丢",
            )
            .to_owned(),
        Fact::Crashed { .. } if gave_up(why).is_some() => {
            let which = gave_up(why).map(|id| names.checkpoint(id)).unwrap_or_default();
            why.say(
                || {
                    format!(
                        "it was to stop with {which}, which was given up: it has ended its data \
                         already and can only fail, so that a restart brings it back"
                    )
                },
                || {
                    format!(
                        "它本要随{which}停下，而{which}被放弃了：它已经结束了数据，只能失败，\
                         靠重启回到原状"
                    )
                },
            )
        }
        Fact::Crashed { .. } => names
            .pick(
                "the scenario lets it happen here; what was in its memory is gone, and only \
                    what a checkpoint holds can come back",
                "这是场景安排的；它内存里的一切都丢了，只有检查点里的能找回来",
            )
            .to_owned(),
        Fact::JobManagerCrashed { .. } | Fact::JobManagerStarted { .. } => {
            failure::job_manager(names, fact)
        }
        Fact::BacklogReported { backlog, .. } => why_messages::backlog(names, *backlog),
        Fact::MessageLost { .. } | Fact::MessageDelayed { .. } => why_messages::mishap(names, fact),
        Fact::Slowed { .. } | Fact::SlownessEnded { .. } => {
            names.pick("the scenario says so", "这是场景安排的").to_owned()
        }
        Fact::SavepointRestored { .. }
        | Fact::StateAssigned { .. }
        | Fact::ChannelStateAssigned { .. } => starts::why(names, fact),
        Fact::JobFailed { .. } => failure::why(names, fact),
        Fact::AttemptStarted { region, checkpoint, .. } => {
            return restarted(why, region.as_deref(), *checkpoint);
        }
        Fact::StateRestored { task, .. } => {
            let who = names.task(*task);
            why.say(
                || format!("{who} gets back what it stored"),
                || format!("{who}取回它存下的状态"),
            )
        }
        // Everything else has its reason elsewhere; what is left are messages of
        // dead attempts.
        _ => ignored(why, fact),
    };
    (text, rule)
}

/// The savepoint that a task was to stop with, if that has failed it.
fn gave_up(why: &Why<'_>) -> Option<CheckpointId> {
    why.step.facts.iter().find_map(|fact| match fact {
        Fact::AbortNotified { checkpoint, .. } if why.names.savepoints.contains(checkpoint) => {
            Some(*checkpoint)
        }
        _ => None,
    })
}

fn acknowledged(why: &Why<'_>, checkpoint: CheckpointId) -> String {
    let names = why.names;
    let which = names.checkpoint(checkpoint);
    let pending = why.after.checkpoints.iter().find(|view| view.id == checkpoint);
    let missing: Vec<SubtaskIndex> = pending.map_or_else(Vec::new, |view| {
        let graph = &names.scenario.graph;
        graph.subtask_indices().filter(|task| !view.acknowledged[task.index()]).collect()
    });
    if missing.is_empty() {
        return why.say(
            || format!("every task has acknowledged {which} now"),
            || format!("所有任务都已确认{which}"),
        );
    }
    let list = names.shorts(&missing);
    let verb = if missing.len() == 1 { "has" } else { "have" };
    why.say(
        || {
            format!(
                "{which} is complete only when every task has acknowledged; {list} {verb} not yet"
            )
        },
        || format!("要等每个任务都确认，{which}才算完成；还差{list}"),
    )
}

fn notified(why: &Why<'_>, task: SubtaskIndex, checkpoint: CheckpointId) -> String {
    let names = why.names;
    let which = names.checkpoint(checkpoint);
    match names.scenario.graph.operator(task).kind {
        OperatorKind::Sink(SinkKind::Transactional) => why.say(
            || {
                format!(
                    "what was prepared for {which} may be committed now; there was nothing \
                left to commit"
                )
            },
            || format!("为{which}预提交的事务现在可以提交；这里已没有要提交的"),
        ),
        _ => why.say(
            || {
                format!(
                    "all tasks are told, since some may have something to commit; {} has \
                nothing",
                    names.task(task)
                )
            },
            || {
                format!(
                    "所有任务都会得到通知，因为有的要提交事务；{}没有要提交的",
                    names.task(task)
                )
            },
        ),
    }
}

fn restarted(
    why: &Why<'_>,
    region: Option<&[SubtaskIndex]>,
    checkpoint: Option<CheckpointId>,
) -> (String, Rule) {
    let names = why.names;
    if let Some(text) = failure::taken_over(why, checkpoint) {
        return (text, Rule::JobManagerFailover);
    }
    let graph = &names.scenario.graph;
    let begins = |task: &SubtaskIndex| region.is_none_or(|tasks| tasks.contains(task));
    let lost = graph.subtask_indices().filter(begins).any(|task| {
        matches!(graph.operator(task).kind, OperatorKind::Source { replayable: false, .. })
    });
    if region.is_some() && !lost {
        return (region_restarted(why, checkpoint), Rule::RecoveryRestore);
    }
    let text = match checkpoint {
        Some(checkpoint) => {
            let which = names.checkpoint(checkpoint);
            let in_flight = why.step.facts.iter().any(|fact| {
                matches!(fact, Fact::ChannelStateRestored { input, output, .. }
                    if !input.is_empty() || !output.is_empty())
            });
            if let Some(text) = why_at_least_once::restarted(why, checkpoint) {
                text
            } else if in_flight && !lost {
                why.say(
                    || {
                        format!(
                            "{which} is the newest complete one: every task gets its part back, \
                             the channels get what was in flight, and the sources read again what \
                             followed"
                        )
                    },
                    || {
                        format!(
                            "{which}是最新完成的：每个任务取回自己的那份状态，通道取回在途数据，源重读\
                             其后的记录"
                        )
                    },
                )
            } else if lost {
                why.say(
                    || {
                        format!(
                            "{which} is the newest complete one, but a source that cannot \
                        read again goes on where it was: what it had sent after the checkpoint \
                        is lost"
                        )
                    },
                    || {
                        format!(
                            "{which}是最新完成的，但不可重放的源只能从当前位置继续：检查点之\
                        后发出的都丢了"
                        )
                    },
                )
            } else {
                why.say(
                    || {
                        format!(
                            "{which} is the newest complete one: every task gets its part \
                        back, channels are empty, and the sources read again what followed"
                        )
                    },
                    || {
                        format!(
                            "{which}是最新完成的：每个任务取回自己的那份状态，通道清空，源重\
                        读其后的记录"
                        )
                    },
                )
            }
        }
        None if lost => names
            .pick(
                "no checkpoint is complete, and a source that cannot read again goes on where \
                    it was: what it had sent is lost",
                "没有完成的检查点，不可重放的源只能从当前位置继续：之前发出的都丢了",
            )
            .to_owned(),
        None => names
            .pick(
                "no checkpoint is complete, so everything starts from the beginning",
                "没有完成的检查点，一切从头开始",
            )
            .to_owned(),
    };
    (text, Rule::RecoveryRestore)
}

fn region_restarted(why: &Why<'_>, checkpoint: Option<CheckpointId>) -> String {
    let Some(checkpoint) = checkpoint else {
        return why
            .names
            .pick(
                "no checkpoint is complete, so the region starts from the beginning; the other \
                 tasks have gone on meanwhile",
                "没有完成的检查点，这个区域从头开始；其余任务一直在运行",
            )
            .to_owned();
    };
    let which = why.names.checkpoint(checkpoint);
    why.say(
        || {
            format!(
                "{which} is the newest complete one: the tasks of the region get their parts back, \
                 and their sources read again what followed; the other tasks have gone on \
                 meanwhile"
            )
        },
        || {
            format!(
                "{which}是最新完成的：这个区域的任务取回各自的那份状态，它们的源重读其后的记录；\
                 其余任务一直在运行"
            )
        },
    )
}

fn ignored(why: &Why<'_>, fact: &Fact) -> String {
    let names = why.names;
    let Fact::MessageIgnored { task, attempt, message } = fact else {
        return names.pick("the rules say so", "规则如此").to_owned();
    };
    let attempt_name = names.attempt(*attempt);
    if why.after.status == JobStatus::Suspended {
        return names
            .pick(
                "there is no JobManager that could hear or mean it",
                "现在没有 JobManager，谁也不会理会它",
            )
            .to_owned();
    }
    if *attempt == why.after.tasks[task.index()].attempt {
        if let RpcMessage::Acknowledge(checkpoint) | RpcMessage::Decline(checkpoint) = message {
            let which = names.checkpoint(*checkpoint);
            return why.say(
                || format!("{which} is over already, and nothing that tasks say can change that"),
                || format!("{which}早已了结，任务再说什么也不会改变它"),
            );
        }
        return why.say(
            || format!("the task that it concerns no longer runs in {attempt_name}"),
            || format!("相关的任务在{attempt_name}里已不再运行"),
        );
    }
    why.say(
        || format!("{attempt_name} is over, and its messages must not touch the new one"),
        || format!("{attempt_name}已结束，它的消息不得影响新的尝试"),
    )
}
