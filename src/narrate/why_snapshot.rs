//! Why a task takes its snapshot now, and what is in it.

use super::why::Why;
use super::why_align::whose_barriers;
use super::{why_at_least_once, why_unaligned};
use crate::model::{AlignmentType, CheckpointId, Mutation, OperatorKind, SubtaskIndex};
use crate::trace::{Fact, Rule};

/// Why a source stores its offset and tells everyone.
pub(super) fn source_snapshot(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> (String, Rule) {
    let names = why.names;
    let outputs = &names.scenario.graph.subtasks[task.index()].outputs;
    let n_channels: usize = outputs.iter().map(|output| output.channels.len()).sum();
    if let Some(told) = why_unaligned::source_snapshot(why, task, checkpoint) {
        return told;
    }
    let (who, barrier) = (names.task(task), names.barrier(checkpoint));
    if n_channels > 1 {
        let text = why.say(
            || {
                format!(
                    "{who} cannot know which task will get its next record, so {barrier} \
                goes to every one of them"
                )
            },
            || format!("{who}无法预知下一条记录会发给谁，所以{barrier}要发给每一个下游任务"),
        );
        return (text, Rule::BarrierBroadcast);
    }
    let text = why.say(
        || {
            format!(
                "the stored offset and {barrier} stand at the same place of the stream: what \
            lies before is in the checkpoint, what follows is read again after a recovery"
            )
        },
        || format!("存下的偏移量和{barrier}在流中位于同一处：之前的属于检查点，之后的在恢复后重读"),
    );
    (text, Rule::SourceSnapshot)
}

/// Why an operator or a sink takes its snapshot now.
pub(super) fn snapshot(
    why: &Why<'_>,
    task: SubtaskIndex,
    checkpoint: CheckpointId,
) -> (String, Rule) {
    let names = why.names;
    let barrier = names.barrier(checkpoint);
    let first_of_several = why.step.facts.iter().any(|fact| {
        matches!(fact, Fact::BarrierReceived { n_received, n_needed, .. } if n_received < n_needed)
    });
    if first_of_several && names.scenario.breaks(Mutation::SnapshotAtFirstBarrier) {
        let missing = names.missing_barriers(why.after, task, checkpoint);
        let missing = whose_barriers(why, &missing, checkpoint);
        let text = why.say(
            || {
                format!(
                    "the scenario breaks this rule: {missing} not come, and the state is \
                stored all the same; what comes before it will be missing from the snapshot, \
                and a recovery will lose it"
                )
            },
            || {
                format!(
                    "本场景故意违反此规则：{missing}还没到就存了状态；它之前的记录不在快照里\
                ，恢复后就丢了"
                )
            },
        );
        return (text, Rule::AlignSnapshot);
    }
    if let Some(text) = forced_aligned(why, task, checkpoint) {
        return (text, Rule::AlignSnapshot);
    }
    let special = if why_at_least_once::applies(why) {
        why_at_least_once::snapshot(why, task, checkpoint)
    } else {
        why_unaligned::snapshot(why, task, checkpoint)
    };
    if let Some(told) = special {
        return told;
    }
    if why.step.facts.iter().any(|fact| matches!(fact, Fact::TransactionPrepared { .. })) {
        let text = why.say(
            || {
                format!(
                    "the transaction holds just what came before {barrier}: it is prepared \
                with the snapshot, and committed when the checkpoint is complete"
                )
            },
            || format!("事务里正好是{barrier}之前的记录：随快照预提交，等检查点完成再提交"),
        );
        return (text, Rule::SinkPrepare);
    }
    (complete(why, task, &barrier), Rule::AlignSnapshot)
}

/// What an operator or a sink knows when its last barrier has come.
fn complete(why: &Why<'_>, task: SubtaskIndex, barrier: &str) -> String {
    let names = why.names;
    let n_inputs = names.scenario.graph.subtasks[task.index()].inputs.len();
    let is_sink = matches!(names.scenario.graph.operator(task).kind, OperatorKind::Sink(_));
    match (n_inputs, is_sink) {
        (1, true) => why.say(
            || {
                format!(
                    "{barrier} has come on the only input: everything before it is written, \
                so the sink acknowledges"
                )
            },
            || format!("唯一的输入上{barrier}已到：它之前的都已写出，于是汇发出确认"),
        ),
        (1, false) => why.say(
            || {
                format!(
                    "{barrier} has come on the only input, so there is nothing to align: the \
                barrier goes on and the state is stored, with no record in between"
                )
            },
            || {
                format!(
                    "唯一的输入上{barrier}已到，无需对齐：屏障继续向下游，状态随即存下，其间不处理记录"
                )
            },
        ),
        (_, true) => why.say(
            || {
                format!(
                    "{barrier} has come on every input: everything before the barriers is \
                written and nothing from after them"
                )
            },
            || format!("所有输入的{barrier}都已到齐：屏障之前的都已写出，之后的一条也没有"),
        ),
        (_, false) => why.say(
            || {
                format!(
                    "{barrier} has come on every input and goes on; every update from before \
                the barriers is in the stored state and none from after them"
                )
            },
            || {
                format!(
                    "所有输入的{barrier}都已到齐，屏障继续向下游；屏障之前的更新全在存下的状态里，之后的\
                一个也没有"
                )
            },
        ),
    }
}

/// Why the only barrier of a task came behind everything although the
/// checkpoint is unaligned, if it did.
fn forced_aligned(why: &Why<'_>, task: SubtaskIndex, checkpoint: CheckpointId) -> Option<String> {
    let names = why.names;
    let (channel, number) = why.step.facts.iter().find_map(|fact| match fact {
        Fact::BarrierReceived {
            task: own, channel, number, checkpoint: id, n_needed: 1, ..
        } if (*own, *id) == (task, checkpoint) => Some((*channel, *number)),
        _ => None,
    })?;
    let options = why_unaligned::barrier_at(why, channel, number)?.options;
    if options.alignment != AlignmentType::ForcedAligned {
        return None;
    }
    let barrier = names.barrier(checkpoint);
    let (edge, cause) = (names.kind_of_edge(channel), why_unaligned::forced(why, channel));
    let is_sink = matches!(names.scenario.graph.operator(task).kind, OperatorKind::Sink(_));
    Some(if is_sink {
        why.say(
            || {
                format!(
                    "barriers stay aligned on {edge}, {cause}: everything before {barrier} is \
                     written, and the sink acknowledges"
                )
            },
            || format!("{edge}上的屏障保持对齐，{cause}：{barrier}之前的都已写出，汇发出确认"),
        )
    } else {
        why.say(
            || {
                format!(
                    "barriers stay aligned on {edge}, {cause}: nothing from before {barrier} is in \
                     flight here, and the state is stored"
                )
            },
            || {
                format!(
                    "{edge}上的屏障保持对齐，{cause}：这里没有{barrier}之前的在途记录，状态随即存下"
                )
            },
        )
    })
}
