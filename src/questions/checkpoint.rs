//! Questions about what sources store, and about when a checkpoint is complete.

use super::{Choice, Question, Run, both, choice};
use crate::model::{CheckpointId, OperatorKind, SnapshotState, SubtaskIndex};
use crate::trace::{Fact, Rule};

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    for (step, fact) in run.facts() {
        let Fact::SnapshotTaken { task, checkpoint, state: SnapshotState::Offsets(offsets) } = fact
        else {
            continue;
        };
        if let [(_, offset)] = offsets.as_slice()
            && *offset > 0
        {
            all.push(offset_stored(run, (step, *task), (*checkpoint, *offset)));
            break;
        }
    }
    all.extend(run.facts().find_map(|(step, fact)| complete_without_sinks(run, step, fact)));
    all
}

/// Which offset does a source store?
fn offset_stored(
    run: &Run<'_>,
    (step, task): (u64, SubtaskIndex),
    (checkpoint, offset): (CheckpointId, u32),
) -> Question {
    let number = |offset: u32| [offset.to_string(), offset.to_string()];
    let what = vec![
        choice(number(offset)),
        Choice { text: number(offset + 1), world: Some("rule-offset-too-high") },
        Choice { text: number(offset - 1), world: Some("rule-offset-too-low") },
    ];
    let because = vec![
        both(
            "so many records went out before the barrier: all others come behind it",
            "屏障之前发出了这么多条，其余都在屏障之后",
        ),
        both("the next record is as good as read", "下一条记录等于已经读了"),
        both("the last record may still get lost on its way", "最后一条在路上还可能丢失"),
    ];
    let ask = run.both(
        |names| {
            format!(
                "The trigger of checkpoint {checkpoint} reaches {}. Which offset does it store?",
                names.task(task)
            )
        },
        |names| format!("检查点 {checkpoint} 的触发到达{}。它存下哪个偏移量？", names.task(task)),
    );
    let answer = run.both(
        |names| {
            format!(
                "{} stores offset {offset} and sends the barrier right behind its record {offset}.",
                names.task(task)
            )
        },
        |names| {
            format!(
                "{}存下偏移量 {offset}，屏障紧跟在第 {offset} 条记录之后发出。",
                names.task(task)
            )
        },
    );
    let id = format!("offset-{checkpoint}-at-{}", run.slug(task));
    let (at, shows) = (step - 1, step);
    Question { id, at, shows, ask, what, because, answer, rule: Rule::SourceSnapshot }
}

/// All but sinks have acknowledged: is the checkpoint complete?
fn complete_without_sinks(run: &Run<'_>, step: u64, fact: &Fact) -> Option<Question> {
    let Fact::Acknowledged { checkpoint, .. } = fact else { return None };
    let (view, _) = run.story.at(step);
    let own = view.checkpoints.iter().find(|own| own.id == *checkpoint && !own.completed)?;
    let graph = &run.story.scenario.graph;
    let is_sink = |task: &SubtaskIndex| matches!(graph.operator(*task).kind, OperatorKind::Sink(_));
    let (sinks, others): (Vec<SubtaskIndex>, Vec<SubtaskIndex>) =
        graph.subtask_indices().partition(is_sink);
    let has = |task: &SubtaskIndex| own.acknowledged[task.index()];
    // Of a checkpoint without records there is little to see.
    let has_read = view.tasks.iter().any(|task| task.offsets.iter().any(|offset| *offset > 0));
    if !has_read || !others.iter().all(has) || sinks.is_empty() || sinks.iter().any(has) {
        return None;
    }
    let completed = run.facts().find_map(|(step, fact)| match fact {
        Fact::CheckpointCompleted { checkpoint: id } if id == checkpoint => Some(step),
        _ => None,
    })?;
    let what = vec![
        choice(both("No, the sinks have to acknowledge as well", "没有，汇也得确认")),
        choice(both("Yes: all state is stored", "完成了：状态都存好了")),
        choice(both("No, the sinks have to publish everything first", "没有，汇得先全部发布")),
    ];
    let because = vec![
        both(
            "a checkpoint is complete when every task has acknowledged it",
            "每个任务都确认了，检查点才算完成",
        ),
        both("a task without state has nothing to say", "没有状态的任务不必表态"),
        both("what is not published yet could get lost", "还没发布的可能会丢"),
    ];
    let ask = run.both(
        |names| format!("{} has just acknowledged checkpoint {checkpoint}; only the sinks have not. Is it complete?", names.task(acknowledged(fact))),
        |names| format!("{}刚刚确认了检查点 {checkpoint}，现在只差汇。检查点完成了吗？", names.task(acknowledged(fact))),
    );
    let answer = run.both(
        |_| format!("It is complete in step {completed}, with the last sink’s acknowledgement."),
        |_| format!("到第 {completed} 步、最后一个汇确认时，它才完成。"),
    );
    Some(Question {
        id: format!("without-sinks-{checkpoint}"),
        at: step,
        shows: step + 1,
        ask,
        what,
        because,
        answer,
        rule: Rule::CheckpointComplete,
    })
}

fn acknowledged(fact: &Fact) -> SubtaskIndex {
    match fact {
        Fact::Acknowledged { task, .. } => *task,
        _ => SubtaskIndex(0),
    }
}
