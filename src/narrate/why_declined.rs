//! Why a checkpoint is given up, by a task or by the JobManager.

use super::why::Why;
use crate::model::{CheckpointFailureReason, SubtaskIndex};
use crate::trace::{Fact, TaskStatus};

/// The reason for a fact of these, if it is one.
pub(super) fn reason(why: &Why<'_>, fact: &Fact) -> Option<String> {
    let names = why.names;
    let text = match fact {
        Fact::CancelMarkerReceived { task, channel, checkpoint, .. } => {
            let from = names.task(names.scenario.graph.channels[channel.index()].from);
            let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
            why.say(
                || {
                    format!(
                        "{from} has given {which} up and sends no barrier of it, so {who} must not \
                         wait for one"
                    )
                },
                || format!("{from}已放弃{which}，不会再发它的屏障，{who}不能再等"),
            )
        }
        Fact::Declined { task, reason, .. } => declined(why, *task, *reason),
        Fact::DeclineReceived { task, checkpoint, .. } => {
            let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
            why.say(
                || format!("without the part of {who}, {which} can never be complete"),
                || format!("少了{who}的部分，{which}永远无法完成"),
            )
        }
        Fact::AbortNotified { task, checkpoint } => {
            let (who, which) = (names.task(*task), names.checkpoint(*checkpoint));
            why.say(
                || format!("whatever {who} holds for {which}, it may drop now"),
                || format!("{who}为{which}保留的东西现在可以丢弃"),
            )
        }
        _ => return None,
    };
    Some(text)
}

fn declined(why: &Why<'_>, task: SubtaskIndex, reason: CheckpointFailureReason) -> String {
    let names = why.names;
    let who = names.task(task);
    match reason {
        CheckpointFailureReason::CheckpointDeclinedSubsumed => why.say(
            || {
                format!(
                    "a barrier of a later checkpoint has come, so {who} does not wait for the \
                     older one any more"
                )
            },
            || format!("更晚检查点的屏障已经到来，{who}不再等待较早的那个"),
        ),
        CheckpointFailureReason::CheckpointDeclinedOnCancellationBarrier => why.say(
            || format!("somebody upstream has given it up, so {who} must, too"),
            || format!("上游已经放弃，{who}也只能放弃"),
        ),
        CheckpointFailureReason::CheckpointDeclinedInputEndOfStream => why.say(
            || format!("an input of {who} has ended and will send no barrier"),
            || format!("{who}的一个输入已结束，不会再发屏障"),
        ),
        CheckpointFailureReason::CheckpointDeclinedTaskNotReady
            if why.before.tasks[task.index()].status == TaskStatus::Finished =>
        {
            why.say(
                || format!("{who} has finished in the meantime and takes no snapshot any more"),
                || format!("{who}在此期间已结束，不再做快照"),
            )
        }
        CheckpointFailureReason::CheckpointDeclinedTaskNotReady => why.say(
            || format!("{who} still takes in what the last snapshot held in flight"),
            || format!("{who}还在取回上一个快照的在途数据"),
        ),
        CheckpointFailureReason::CheckpointAsyncException => why.say(
            || {
                format!(
                    "the barrier had gone on already when storing failed, so the others need no                      marker: {who} tells the JobManager, which counts it as a failure"
                )
            },
            || format!("存储失败时屏障早已发出，其他任务不需要取消标记：{who}告知 JobManager，计为一次失败"),
        ),
        _ => why.say(
            || format!("{who} cannot take this snapshot any more"),
            || format!("{who}已经无法完成这个快照"),
        ),
    }
}
