//! Questions about the end: tasks that have finished, and the last results.

use super::{Question, Run, both, choice};
use crate::model::{CheckpointId, OperatorKind, Record, SinkKind, SubtaskIndex, TransactionId};
use crate::trace::{Fact, Rule, TriggerCause};

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let mut all: Vec<Question> = finished(run).into_iter().collect();
    all.extend(rejected(run));
    all.extend(last_results(run));
    all
}

/// What becomes of a checkpoint when a task has finished?
fn finished(run: &Run<'_>) -> Option<Question> {
    let (step, task, id) = run.facts().find_map(|(step, fact)| match fact {
        Fact::FinishedTaskIncluded { task, checkpoint, .. } => Some((step, *task, *checkpoint)),
        _ => None,
    })?;
    let completed = run.facts().find_map(|(at, fact)| match fact {
        Fact::CheckpointCompleted { checkpoint } if *checkpoint == id && at >= step => Some(at),
        _ => None,
    })?;
    let ask = run.both(
        |names| {
            format!(
                "{} has finished when {} is to begin. What becomes of it?",
                names.task(task),
                names.checkpoint(id)
            )
        },
        |names| format!("{}要开始时，{}已经结束。会怎样？", names.checkpoint(id), names.task(task)),
    );
    let what = vec![
        choice(both(
            "it begins, and the finished task counts as acknowledged, with its last state",
            "照常开始，已结束的任务算作已确认，带着它最后的状态",
        )),
        choice(both("it is not begun: not all tasks run", "不开始：并非所有任务都在运行")),
        choice(both("it waits for the finished task, and expires", "一直等已结束的任务，直到超时")),
    ];
    let because = vec![
        both(
            "what a finished task had at its end will not change any more",
            "已结束的任务，最后的状态不会再变",
        ),
        both("a cut needs a barrier from every task", "切面需要每个任务的屏障"),
        both(
            "a finished task has no state that could be missing",
            "已结束的任务没有状态，不会缺什么",
        ),
    ];
    let answer = run.both(
        |names| format!("{} completes in step {completed}. The end of a channel of {} counts as its barrier.", names.checkpoint(id), names.task(task)),
        |names| format!("{}在第 {completed} 步完成。{}通道的结束标记就算作屏障。", names.checkpoint(id), names.task(task)),
    );
    let id = format!("finished-{}-in-{id}", run.slug(task));
    Some(Question {
        id,
        at: step - 1,
        shows: completed,
        ask,
        what,
        because,
        answer,
        rule: Rule::EndOfPartition,
    })
}

/// Why is a checkpoint not begun?
fn rejected(run: &Run<'_>) -> Option<Question> {
    let (step, cause) = run.facts().find_map(|(step, fact)| match fact {
        Fact::TriggerRejected { cause, .. } => Some((step, *cause)),
        _ => None,
    })?;
    let (view, _) = run.story.at(step);
    let n_running =
        view.tasks.iter().filter(|own| own.status == crate::trace::TaskStatus::Running).count();
    let of = view.tasks.len();
    if n_running == of {
        return None;
    }
    let ask = match cause {
        TriggerCause::Periodic => [
            format!(
                "The interval is over, and {n_running} of {of} tasks run. Does a checkpoint begin?"
            ),
            format!("间隔到了，{of} 个任务中有 {n_running} 个在运行。检查点会开始吗？"),
        ],
        _ => [
            format!("A checkpoint is asked for, and {n_running} of {of} tasks run. Does it begin?"),
            format!("有人请求检查点，{of} 个任务中有 {n_running} 个在运行。它会开始吗？"),
        ],
    };
    let what = vec![
        choice(both("no, it is not begun", "不，不会开始")),
        choice(both("yes, with the tasks that run", "会，只算在运行的任务")),
        choice(both("yes, and it waits until all tasks run", "会，一直等到所有任务都运行")),
    ];
    let because = vec![
        both("here a checkpoint needs every task to run", "这里的检查点要求所有任务都在运行"),
        both("a task that does not run has nothing to store", "不在运行的任务没有什么可存"),
        both("the timeout is there for that", "超时就是为此设的"),
    ];
    let answer = [
        format!("In step {step} it is rejected: NOT_ALL_REQUIRED_TASKS_RUNNING."),
        format!("在第 {step} 步被拒绝：NOT_ALL_REQUIRED_TASKS_RUNNING。"),
    ];
    Some(Question {
        id: "not-begun".to_owned(),
        at: step - 1,
        shows: step,
        ask,
        what,
        because,
        answer,
        rule: Rule::CheckpointTrigger,
    })
}

/// A record in a transaction.
struct Written {
    step: u64,
    sink: SubtaskIndex,
    record: Record,
    transaction: TransactionId,
}

fn last_written(run: &Run<'_>) -> Option<Written> {
    let graph = &run.story.scenario.graph;
    let is_transactional = |task: SubtaskIndex| {
        matches!(graph.operator(task).kind, OperatorKind::Sink(SinkKind::Transactional))
    };
    let written = run.facts().filter_map(|(step, fact)| match fact {
        Fact::Processed { task, record, .. } if is_transactional(*task) => {
            Some((step, *task, *record))
        }
        _ => None,
    });
    let (step, sink, record) = written.last()?;
    let (view, _) = run.story.at(step);
    let transaction = view.tasks[sink.index()].sink.as_ref()?.open.as_ref()?.id;
    Some(Written { step, sink, record, transaction })
}

/// When do the last results become visible?
fn last_results(run: &Run<'_>) -> Option<Question> {
    let Written { step, sink, record, transaction } = last_written(run)?;
    let mut prepared: Option<CheckpointId> = None;
    let mut committed: Option<u64> = None;
    for (at, fact) in run.facts().skip_while(|(at, _)| *at < step) {
        match fact {
            Fact::TransactionPrepared { transaction: own, checkpoint } if *own == transaction => {
                prepared = Some(*checkpoint);
            }
            Fact::TransactionCommitted { transaction: own, .. } if *own == transaction => {
                committed = Some(at);
            }
            _ => {}
        }
    }
    let last = prepared.filter(|_| committed.is_some());
    let is_final = run.facts().any(|(_, fact)| {
        matches!(fact, Fact::CheckpointTriggered { checkpoint, cause: TriggerCause::EndOfData, .. } if Some(*checkpoint) == last)
    });
    let at_once = choice(both("at once, when the sink gets it", "汇收到时马上可见"));
    let at_end = choice(both("when the sink is at the end of its data", "汇的数据结束时"));
    let with = |id: CheckpointId| {
        choice(run.both(
            |names| format!("when {} is complete", names.checkpoint(id)),
            |names| format!("{}完成时", names.checkpoint(id)),
        ))
    };
    let never = choice(both("never", "永远不可见"));
    let what = match last {
        Some(id) => vec![with(id), at_end, at_once],
        None => vec![never, at_end, at_once],
    };
    let because = vec![
        match (last, is_final) {
            (Some(_), true) => both(
                "a job at its end takes one more checkpoint, and the sinks commit with it",
                "作业在末尾再做一个检查点，汇随它提交",
            ),
            (Some(_), false) => both(
                "a transaction is committed when the checkpoint that it was prepared for is complete",
                "事务预提交时的那个检查点完成，才提交",
            ),
            (None, _) => both(
                "no checkpoint completes after it that could commit its transaction",
                "之后没有检查点完成，它的事务无从提交",
            ),
        },
        both("a sink that closes commits what it has", "汇关闭时会提交手里的"),
        both("what a sink has written is visible", "汇写出的就可见"),
    ];
    let ask = run.both(
        |names| format!("The result {} is the last record that {} writes into a transaction. When does it become visible outside?", record.value, names.task(sink)),
        |names| format!("结果 {} 是{}写入事务的最后一条记录。它何时在外部可见？", record.value, names.task(sink)),
    );
    let answer = run.both(
        |names| match (last, committed) {
            (Some(id), Some(at)) => format!("With {}, in step {at}.", names.checkpoint(id)),
            _ => "Never: its transaction is not committed in this run.".to_owned(),
        },
        |names| match (last, committed) {
            (Some(id), Some(at)) => format!("随{}，在第 {at} 步。", names.checkpoint(id)),
            _ => "永远不可见：这次运行没有提交它的事务。".to_owned(),
        },
    );
    let shows = committed.unwrap_or(run.story.n_steps());
    Some(Question {
        id: "last-results".to_owned(),
        at: step,
        shows,
        ask,
        what,
        because,
        answer,
        rule: Rule::SinkCommit,
    })
}
