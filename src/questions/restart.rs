//! Questions about a crash: where sources go on, how often a record counts, and
//! how often its result is published. The answers are those of the run with the
//! crash, and of its judge.

use super::{Choice, Question, Run, both, choice, facts};
use crate::model::{OperatorKind, Record, SinkKind, SubtaskIndex};
use crate::narrate::Story;
use crate::trace::{Fact, Rule, Trace, View};
use crate::verify::Verdict;

/// The crash to ask about: a task with keyed state, after the newest completed
/// checkpoint that all have heard of.
#[must_use]
pub fn asked_about(story: &Story) -> Option<(u64, SubtaskIndex)> {
    let known = facts(story).filter(|(_, fact)| {
        matches!(fact, Fact::Notified { .. } | Fact::CheckpointCompleted { .. })
    });
    let step = known.map(|(step, _)| step).last()?;
    let graph = &story.scenario.graph;
    // Better yet when a sink has just written what no checkpoint holds.
    let written = facts(story).find_map(|(at, fact)| match fact {
        Fact::Processed { task, .. } if at > step => {
            matches!(graph.operator(*task).kind, OperatorKind::Sink(_)).then_some(at)
        }
        _ => None,
    });
    let step = written.unwrap_or(step);
    let is_keyed = |task: &SubtaskIndex| graph.operator(*task).kind.key_selector().is_some();
    Some((step, graph.subtask_indices().find(is_keyed)?))
}

/// What there is to ask about that crash.
#[must_use]
pub fn of_a_restart(
    story: &Story,
    (at, crashed): (u64, SubtaskIndex),
    (trace, verdict): (&Trace, &Verdict),
) -> Vec<Question> {
    let run = Run::new(story, verdict);
    let after = trace.steps.iter().skip_while(|step| step.number <= at);
    let facts = after.flat_map(|step| &step.facts);
    let again = facts.filter_map(|fact| match fact {
        Fact::Read { task, record } => Some((*task, *record)),
        _ => None,
    });
    let (view, _) = story.at(at);
    let graph = &story.scenario.graph;
    // Records that had been read before the crash, and are read once more.
    let read_before = |record: &Record| record.id.offset <= n_read(story, &view, record);
    let again: Vec<(SubtaskIndex, Record)> =
        again.filter(|(_, record)| read_before(record)).collect();
    let Some((source, first)) = again.first() else { return Vec::new() };
    let mut all = vec![goes_on(&run, (at, crashed), (*source, *first))];
    let published = |record: &Record| {
        let row = verdict.ledger.row(record.id.split, record.id.offset);
        row.published.iter().map(|(_, n, _)| *n).sum::<u32>()
    };
    let counted = |record: &Record| {
        let row = verdict.ledger.row(record.id.split, record.id.offset);
        row.counted.iter().map(|(_, n, _)| *n).sum::<u32>()
    };
    let shown = again.iter().map(|(_, record)| record);
    let shown = shown.clone().find(|record| published(record) > 1).unwrap_or(first);
    if counted(shown) == 1 {
        all.push(counts(&run, at, shown));
    }
    let sinks = graph.subtask_indices().filter_map(|task| match graph.operator(task).kind {
        OperatorKind::Sink(kind) => Some(kind),
        _ => None,
    });
    let sinks: Vec<SinkKind> = sinks.collect();
    let is_only = |kind: SinkKind| sinks.iter().all(|own| *own == kind);
    match published(shown) {
        2 if is_only(SinkKind::Publish) => all.push(is_published(&run, at, (shown, 2))),
        1 if is_only(SinkKind::Transactional) => all.push(is_published(&run, at, (shown, 1))),
        _ => {}
    }
    all
}

/// How many records of a record's split have been read.
fn n_read(story: &Story, view: &View, record: &Record) -> u32 {
    let graph = &story.scenario.graph;
    let task = graph.splits[record.id.split.index()].subtask.index();
    let own = graph.subtasks[task].splits.iter().zip(&view.tasks[task].offsets);
    let mut own = own.filter(|(split, _)| **split == record.id.split);
    own.next().map_or(0, |(_, offset)| *offset)
}

/// From which record does a source go on?
fn goes_on(
    run: &Run<'_>,
    (at, crashed): (u64, SubtaskIndex),
    (source, record): (SubtaskIndex, Record),
) -> Question {
    let (view, _) = run.story.at(at);
    let graph = &run.story.scenario.graph;
    let n_read = n_read(run.story, &view, &record);
    let seed = match run.story.trace.driver {
        crate::trace::Driver::Seed(seed) => seed,
        crate::trace::Driver::Schedule(_) => 0,
    };
    let values = &graph.split(record.id.split).values;
    let name =
        |record: Record| run.both(|names| names.record(&record), |names| names.record(&record));
    let mut what = vec![choice(name(record))];
    let other = |n_read: u32| {
        let value = values.next(n_read, record.id.split.0, seed)?;
        let id = crate::model::RecordId { offset: n_read + 1, ..record.id };
        Some(Record { id, value, key: None })
    };
    match other(n_read) {
        Some(next) => {
            what.push(Choice { text: name(next), world: Some("rule-keep-offsets-on-restart") })
        }
        None => what.push(Choice {
            text: both("with none: it has read everything", "不再读：它已经读完了"),
            world: Some("rule-keep-offsets-on-restart"),
        }),
    }
    if let Some(beginning) = other(0).filter(|_| record.id.offset > 1) {
        what.push(choice(name(beginning)));
    }
    let stored = record.id.offset - 1;
    let because = vec![
        both("that is where the checkpoint’s offset points", "检查点里的偏移量指向那里"),
        both("what has been read need not be read again", "读过的不必再读"),
        both("a restart begins anew", "重启就是从头开始"),
    ];
    let ask = run.both(
        |names| {
            format!(
                "Suppose {} crashed now. With which record would {} go on?",
                names.task(crashed),
                names.task(source)
            )
        },
        |names| {
            format!(
                "假如{}现在崩溃，{}会从哪条记录继续读？",
                names.task(crashed),
                names.task(source)
            )
        },
    );
    let answer = run.both(
        |names| format!("The checkpoint holds offset {stored} of {}, so it goes on with {}, although it had read {n_read}.", names.short(source), names.record(&record)),
        |names| format!("检查点里{}的偏移量是 {stored}，所以虽然已读了 {n_read} 条，仍从{}继续。", names.short(source), names.record(&record)),
    );
    let id = format!("restart-source-{}", run.slug(source));
    Question { id, at, shows: at, ask, what, because, answer, rule: Rule::RecoveryRestore }
}

/// How often does a record count that is read twice?
fn counts(run: &Run<'_>, at: u64, record: &Record) -> Question {
    let what = vec![
        choice(both("once", "一次")),
        Choice { text: both("twice", "两次"), world: Some("rule-keep-state-on-restart") },
        Choice {
            text: both("never", "一次也没有"), world: Some("rule-keep-offsets-on-restart")
        },
    ];
    let because = vec![
        both(
            "state and offsets go back to the same checkpoint together",
            "状态和偏移量一起回到同一个检查点",
        ),
        both("it is read twice, so it counts twice", "读了两次，就计入两次"),
        both("its effect was lost with the crash", "它的作用随崩溃丢了"),
    ];
    let ask = run.both(
        |names| format!("{} had been read before that crash and is read again. How often does it count in the state in the end?", names.record(record)),
        |names| format!("{}在崩溃前读过，之后又读一次。最后它在状态里计入几次？", names.record(record)),
    );
    let answer = run.both(
        |names| {
            format!("{} counts once: the restored state is from before it.", names.record(record))
        },
        |names| format!("{}计入一次：恢复的状态是它之前的。", names.record(record)),
    );
    let id = format!("restart-counts-{}", run.record_slug(record));
    Question { id, at, shows: at, ask, what, because, answer, rule: Rule::RecoveryRestore }
}

/// How often is its result published?
fn is_published(run: &Run<'_>, at: u64, (record, n): (&Record, u32)) -> Question {
    let (once, twice) = (choice(both("once", "一次")), choice(both("twice", "两次")));
    let never = choice(both("never", "一次也没有"));
    let out = both(
        "the sink had let it out before the crash, and nobody takes it back",
        "崩溃前汇已经发布了它，谁也收不回来",
    );
    let state =
        both("the state is exactly-once, so the output is as well", "状态是精确一次，输出也就是");
    let waits =
        both("the sink publishes it only with a completed checkpoint", "汇要等检查点完成才发布它");
    let (what, because) = match n {
        2 => (vec![twice, once, never], vec![out, state, waits]),
        _ => (vec![once, twice, never], vec![waits, state, out]),
    };
    let ask = run.both(
        |names| {
            format!("And how often is the result of {} published in the end?", names.record(record))
        },
        |names| format!("那么{}的结果最后发布几次？", names.record(record)),
    );
    let answer = run.both(
        |names| match n {
            2 => format!("Twice: the result of {} was out before the crash and is written again after it. The state is exactly-once, the output of such a sink is not.", names.record(record)),
            _ => format!("Once: the result of {} waited in a transaction, and only one is committed.", names.record(record)),
        },
        |names| match n {
            2 => format!("两次：{}的结果崩溃前已发布，之后又写了一次。状态是精确一次，这种汇的输出不是。", names.record(record)),
            _ => format!("一次：{}的结果等在事务里，只有一个事务被提交。", names.record(record)),
        },
    );
    let rule = if n == 2 { Rule::SinkPublish } else { Rule::SinkCommit };
    let id = format!("restart-publishes-{}", run.record_slug(record));
    Question { id, at, shows: at, ask, what, because, answer, rule }
}
