//! Why records and barriers are as they are where nothing is held back: with
//! at-least-once.

use super::why::Why;
use super::why_align::whose_barriers;
use crate::model::{
    ChannelIndex, CheckpointId, CheckpointingMode, OperatorKind, Record, SinkKind, SubtaskIndex,
};
use crate::trace::Rule;

/// Whether the job's checkpoints are of this mode.
pub(super) fn applies(why: &Why<'_>) -> bool {
    why.names.scenario.config.mode == CheckpointingMode::AtLeastOnce
}

/// Why a record is processed, where checkpoints have to do with it.
pub(super) fn processed(
    why: &Why<'_>,
    task: SubtaskIndex,
    channel: ChannelIndex,
    record: &Record,
) -> Option<(String, Rule)> {
    let names = why.names;
    let what = names.record(record);
    if !keeps(why, task) {
        return None;
    }
    if let Some(checkpoint) = why.memory.counted_before(task, record) {
        let which = names.checkpoint(checkpoint);
        let text = why.say(
            || {
                format!(
                    "{what} came after the barrier and was counted before the snapshot all the \
                     same: {which} holds its effect, and now it counts a second time"
                )
            },
            || {
                format!(
                    "{what}在屏障之后到达，却在快照之前就被计入：{which}里已有它，现在又算了第二次"
                )
            },
        );
        return Some((text, Rule::AtLeastOnce));
    }
    let checkpoint = why.before.tasks[task.index()].aligning?.checkpoint;
    let missing = names.missing_barriers(why.before, task, checkpoint);
    let own = names.barrier_of(channel, checkpoint);
    let which = names.checkpoint(checkpoint);
    let text = if missing.contains(&channel) {
        why.say(
            || format!("{own} has not come yet, so {what} belongs to {which} in any case"),
            || format!("{own}还没到，{what}本来就属于{which}"),
        )
    } else {
        let whose = whose_barriers(why, &missing, checkpoint);
        why.say(
            || {
                format!(
                    "{what} came after {own}, and {whose} not come yet: at-least-once holds \
                     nothing back, so it is counted now and gets into {which}; after a recovery \
                     from there it will count twice"
                )
            },
            || {
                format!(
                    "{what}在{own}之后到达，而{whose}还没到：至少一次语义不扣住任何记录，现在就计入，\
                     也就进了{which}；从那里恢复后会重复计算"
                )
            },
        )
    };
    Some((text, Rule::AtLeastOnce))
}

/// Whether counting a record twice can be seen at a task.
fn keeps(why: &Why<'_>, task: SubtaskIndex) -> bool {
    let kind = &why.names.scenario.graph.operator(task).kind;
    kind.key_selector().is_some() || *kind == OperatorKind::Sink(SinkKind::Transactional)
}

/// Why a barrier that is not the last one changes nothing.
pub(super) fn barrier(
    why: &Why<'_>,
    (task, channel): (SubtaskIndex, ChannelIndex),
    checkpoint: CheckpointId,
) -> (String, Rule) {
    let names = why.names;
    let missing = names.missing_barriers(why.after, task, checkpoint);
    let (who, whose) = (names.task(task), whose_barriers(why, &missing, checkpoint));
    let own = names.barrier_of(channel, checkpoint);
    let text = why.say(
        || {
            format!(
                "{whose} not come yet, but with at-least-once {who} only counts barriers: no \
                 channel is blocked, and what follows {own} is processed at once"
            )
        },
        || {
            format!(
                "{whose}还没到，但至少一次语义下{who}只数屏障：不阻塞任何通道，{own}后面的记录照常处理"
            )
        },
    );
    (text, Rule::AtLeastOnce)
}

/// Why a task takes its snapshot, and what may be wrong with it.
pub(super) fn snapshot(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> Option<(String, Rule)> {
    let names = why.names;
    if names.scenario.graph.subtasks[task.index()].inputs.len() < 2 || !keeps(why, task) {
        return None;
    }
    let barrier = names.barrier(checkpoint);
    let mut memory = why.memory.clone();
    memory.apply(&names.scenario.graph, why.before, why.step);
    let early = memory.early(task, checkpoint);
    let text = if early.is_empty() {
        why.say(
            || {
                format!(
                    "{barrier} has come on every input, and this time nothing from after the \
                     barriers was processed in between: the snapshot is as good as an aligned one"
                )
            },
            || {
                format!(
                    "所有输入的{barrier}都已到齐，而且这次其间没有处理过屏障之后的记录：这个快照和对齐的\
                     一样好"
                )
            },
        )
    } else {
        let list = names.records(&early);
        let (them, each) = if early.len() == 1 { ("it", "it") } else { ("them", "each") };
        why.say(
            || {
                format!(
                    "{barrier} has come on every input; the snapshot also holds {list}, from \
                     after the barriers: a recovery will read {them} again, and {each} will count \
                     twice"
                )
            },
            || {
                format!(
                    "所有输入的{barrier}都已到齐；快照里还有屏障之后的{list}：恢复后会重读，重复计算"
                )
            },
        )
    };
    Some((text, Rule::AtLeastOnce))
}

/// What follows from the checkpoint that an attempt starts from.
pub(super) fn restarted(why: &Why<'_>, checkpoint: CheckpointId) -> Option<String> {
    let mut early: Vec<Record> = Vec::new();
    for task in why.names.scenario.graph.subtask_indices().filter(|task| keeps(why, *task)) {
        early.extend(why.memory.early(task, checkpoint));
    }
    if early.is_empty() {
        return None;
    }
    let (list, which) = (why.names.records(&early), why.names.checkpoint(checkpoint));
    Some(why.say(
        || {
            format!(
                "{which} is the newest complete one; its states hold {list} already, which the \
                 sources will read again: no record is lost, these count twice"
            )
        },
        || {
            format!(
                "{which}是最新完成的；它的状态里已有{list}，而源会重读这些记录：不会丢记录，但这些会算两次"
            )
        },
    ))
}
