//! What comes of a message that is lost or late, and how a later one makes it
//! good.

use super::names::Names;
use super::why::Why;
use crate::model::{Backlog, CheckpointId, Language, Micros, SubtaskIndex};
use crate::trace::{Fact, RpcMessage};

/// What comes of a message that is lost or late.
pub(super) fn mishap(names: Names<'_>, fact: &Fact) -> String {
    let (message, is_lost) = match fact {
        Fact::MessageLost { message, .. } => (message, true),
        Fact::MessageDelayed { message, .. } => (message, false),
        _ => return String::new(),
    };
    if !is_lost {
        return names
            .pick(
                "the scenario holds it up; nobody waits for it meanwhile, and what the same \
                 sender sends to the same receiver comes behind it",
                "这是场景安排的；期间谁也不会停下来等它，同一方向后发的消息排在它后面",
            )
            .to_owned();
    }
    match message {
        RpcMessage::Trigger(_) => names.pick(
            "the scenario loses it: this source never takes its snapshot, so the checkpoint \
             stays open until it expires",
            "这是场景安排的：这个源不会做快照，检查点只能一直开着，直到超时",
        ),
        RpcMessage::Acknowledge(_) => names.pick(
            "the scenario loses it: the part is stored, but the JobManager does not know, and \
             nobody sends an acknowledgement twice: the checkpoint will expire",
            "这是场景安排的：这一份已经存好，但 JobManager 不知道，而确认不会重发：检查点只能等到超时",
        ),
        RpcMessage::Notify(_) => names.pick(
            "the scenario loses it: the checkpoint is complete all the same; what this task \
             would commit now waits for the next notice",
            "这是场景安排的：检查点照样是完成的；这个任务本该现在提交的内容，等下一个通知",
        ),
        _ => names.pick(
            "the scenario loses it: the task goes on with a checkpoint that nobody wants any more",
            "这是场景安排的：任务还在继续一个已经没人要的检查点",
        ),
    }
    .to_owned()
}

/// What a report on a backlog changes.
// Flink 1.20: CheckpointCoordinator.setIsProcessingBacklog.
pub(super) fn backlog(names: Names<'_>, backlog: Backlog) -> String {
    let config = &names.scenario.config;
    let (Some(interval), Some(during)) = (config.interval, config.interval_during_backlog) else {
        return names
            .pick(
                "no other interval is set for a backlog, so nothing changes",
                "没有为积压设置别的间隔，所以什么都不变",
            )
            .to_owned();
    };
    match (names.language, backlog, during) {
        (Language::En, Backlog::Processing, Micros::ZERO) => {
            "the checkpoint that is due next still begins, and then none until the backlog is \
             worked off"
                .to_owned()
        }
        (Language::En, Backlog::Processing, _) => format!(
            "the checkpoint that is due next still begins; after it the interval is {during} \
             instead of {interval}"
        ),
        (Language::En, Backlog::CaughtUp, _) => format!(
            "the interval is {interval} again, and a checkpoint that was due later is brought \
             forward to {interval} from now"
        ),
        (Language::Zh, Backlog::Processing, Micros::ZERO) => {
            "已排定的那次检查点照常开始，之后不再开始，直到积压处理完".to_owned()
        }
        (Language::Zh, Backlog::Processing, _) => {
            format!("已排定的那次检查点照常开始，之后的间隔是 {during}，不再是 {interval}")
        }
        (Language::Zh, Backlog::CaughtUp, _) => {
            format!("间隔恢复为 {interval}；原定更晚的检查点提前到 {interval}之后")
        }
    }
}

/// How a notice makes an earlier one good that never came to a task, if it
/// does.
// Flink 1.20: StreamTask.notifyCheckpointAbortAsync,
// TwoPhaseCommitSinkFunction.notifyCheckpointComplete.
pub(super) fn made_good(why: &Why<'_>, task: SubtaskIndex) -> Option<String> {
    let names = why.names;
    let told = why.step.facts.iter().find_map(|fact| match fact {
        Fact::Notified { task: who, checkpoint } if *who == task => Some(*checkpoint),
        _ => None,
    })?;
    let given_up = why.step.facts.iter().find_map(|fact| match fact {
        Fact::AbortNotified { task: who, checkpoint } if *who == task => Some(*checkpoint),
        _ => None,
    });
    if let Some(given_up) = given_up {
        let (given_up, complete) = (names.checkpoint(given_up), names.checkpoint(told));
        return Some(why.say(
            || {
                format!(
                    "the notice that {given_up} was given up names the newest complete one as \
                     well: {complete}, of which no notice had come"
                )
            },
            || {
                format!(
                    "{given_up}被放弃的通知里还带着最新完成的编号：{complete}，它的通知之前没有到"
                )
            },
        ));
    }
    let missed = missed(why, task, told)?;
    let (missed, told) = (names.checkpoint(missed), names.checkpoint(told));
    Some(why.say(
        || {
            format!(
                "no notice of {missed} has come, and none is needed: that of {told} commits \
                 everything up to it"
            )
        },
        || format!("{missed}的通知没有到，也不必再等：{told}的通知会提交它以及之前的全部"),
    ))
}

/// A complete checkpoint that a sink has prepared for and not heard of.
fn missed(why: &Why<'_>, task: SubtaskIndex, told: CheckpointId) -> Option<CheckpointId> {
    let sink = why.before.tasks[task.index()].sink.as_ref()?;
    let mut prepared = sink.prepared.iter().map(|(checkpoint, _)| *checkpoint);
    prepared.find(|id| *id < told && why.before.completed.contains(id))
}
