//! Why a barrier overtakes, why records in flight are stored, why a checkpoint
//! is given up, and what comes back after a failure.

use super::why::Why;
use crate::model::{ChannelEnd, CheckpointFailureReason, SubtaskIndex};
use crate::trace::{Fact, TaskStatus};

/// The reason for a fact of these, if it is one.
pub(super) fn reason(why: &Why<'_>, fact: &Fact) -> Option<String> {
    let names = why.names;
    let text = match fact {
        Fact::Announced { .. } => names
            .pick(
                "the barrier may still time out, so the task is told at once that it is there; it \
                 stays in its place for now",
                "这个屏障可能超时，所以它一到队列就通知任务；它暂时留在原位",
            )
            .to_owned(),
        Fact::AlignmentTimerDue { task, .. } => {
            let who = names.task(*task);
            why.say(
                || format!("{who} is busy; it turns to the timer before it takes the next record"),
                || format!("{who}正忙；取下一条记录之前会先处理定时器"),
            )
        }
        Fact::AlignmentTimedOut { .. } => names
            .pick(
                "the barrier is older than aligned-checkpoint-timeout, so the checkpoint goes on \
                 unaligned: the snapshot is taken now, and what is in flight is stored with it",
                "屏障的年龄超过了 aligned-checkpoint-timeout，检查点改为非对齐：立即做快照，并把在\
                 途数据一起存下",
            )
            .to_owned(),
        Fact::Prioritized { .. } => names
            .pick(
                "the checkpoint is unaligned now, so its barrier overtakes the records that wait \
                 in front of it",
                "检查点已转为非对齐，它的屏障越过排在前面的记录",
            )
            .to_owned(),
        Fact::OutputTimedOut { .. } => names
            .pick(
                "the barrier has waited in the output buffer for too long: it becomes unaligned \
                 and overtakes what waits there",
                "屏障在输出缓冲里等得太久：它转为非对齐，越过那里等待的记录",
            )
            .to_owned(),
        Fact::ChannelStateSaved { end: ChannelEnd::Input, .. } => names
            .pick(
                "it was sent before the barrier and has not been processed before the snapshot, so \
                 it belongs to neither state; the snapshot keeps it as channel state",
                "它在屏障之前发出，又没在快照之前处理，不属于任何一方的状态；快照把它作为通道状态保存",
            )
            .to_owned(),
        Fact::ChannelStateSaved { end: ChannelEnd::Output, .. } => names
            .pick(
                "the barrier overtakes it here: its sender’s state counts it as sent, so the \
                 snapshot keeps it as channel state",
                "屏障在这里越过了它：发送端的状态已把它算作发出，快照把它作为通道状态保存",
            )
            .to_owned(),
        Fact::CancelMarkerReceived { .. } => names
            .pick(
                "no barrier of this checkpoint will come from there, so nobody may wait for it",
                "那边不会再发这个检查点的屏障，不必再等",
            )
            .to_owned(),
        Fact::Declined { task, reason, .. } => declined(why, *task, *reason),
        Fact::DeclineReceived { .. } => names
            .pick(
                "without this task’s part the checkpoint can never be complete",
                "少了这个任务的部分，检查点永远无法完成",
            )
            .to_owned(),
        Fact::AbortNotified { .. } => names
            .pick(
                "whatever it holds for this checkpoint, it may drop now",
                "它为这个检查点保留的东西可以丢弃了",
            )
            .to_owned(),
        Fact::FinishedTaskIncluded { .. } => names
            .pick(
                "a finished task takes no snapshot any more; nothing of it can change, so it                  counts as having acknowledged",
                "已结束的任务不再做快照；它不会再变，算作已确认",
            )
            .to_owned(),
        Fact::SyncEnded { .. } => names
            .pick(
                "copying stops the task, storing the copy does not",
                "复制状态时任务停下，存储副本时不停",
            )
            .to_owned(),
        Fact::SnapshotStored { .. } => names
            .pick(
                "its state, and all that was in flight here, is in the storage: it may acknowledge",
                "它的状态和这里的在途数据都已进入存储：可以确认了",
            )
            .to_owned(),
        Fact::ChannelStateRestored { .. } => names
            .pick(
                "what the snapshot held in flight comes first, in its old order, before anything \
                 new",
                "快照里的在途数据排在最前，次序不变，先于一切新数据",
            )
            .to_owned(),
        Fact::ChannelStateReceived { .. } => names
            .pick(
                "its sender waits until every channel has delivered what the snapshot held, so \
                 that new records cannot overtake old ones",
                "发送端要等所有通道都送完快照里的在途数据，新记录才不会抢在旧记录前面",
            )
            .to_owned(),
        Fact::PartitionEnded { .. } => names
            .pick(
                "its sender has finished: no record and no barrier can come from there any more",
                "它的发送端已结束：那边不会再来记录，也不会再来屏障",
            )
            .to_owned(),
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
        _ => why.say(
            || format!("{who} cannot take this snapshot any more"),
            || format!("{who}已经无法完成这个快照"),
        ),
    }
}
