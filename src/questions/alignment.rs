//! Questions about what waits at a task between its first and its last barrier.

use super::{Choice, Question, Run, both, choice, same};
use crate::model::{
    ChannelIndex, CheckpointId, OperatorKind, Record, SnapshotState, StateValue, StreamElement,
    SubtaskIndex, Value,
};
use crate::trace::{Fact, Rule};

/// Of each kind at most so many.
const EACH_MAX: usize = 2;

/// A first barrier at a task with several inputs, and what follows.
struct Arrival {
    step: u64,
    task: SubtaskIndex,
    channel: ChannelIndex,
    checkpoint: CheckpointId,
    /// When the task takes its snapshot.
    snapshot: u64,
    /// The next record behind the barrier, and when it has its effect.
    behind: Option<(u64, Record)>,
}

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let arrivals = arrivals(run);
    let mut all: Vec<Question> =
        arrivals.iter().filter_map(|own| held_back(run, own)).take(EACH_MAX).collect();
    all.extend(arrivals.iter().filter_map(|own| stored(run, own)).take(EACH_MAX));
    all.extend(arrivals.iter().filter_map(|own| comes_next(run, own)).take(1));
    all
}

fn arrivals(run: &Run<'_>) -> Vec<Arrival> {
    let first = |(step, fact): (u64, &Fact)| match *fact {
        Fact::BarrierReceived { task, channel, number, checkpoint, n_received: 1, n_needed }
            if n_needed > 1 =>
        {
            let snapshot = run.facts().find_map(|(step, fact)| match fact {
                Fact::SnapshotTaken { task: own, checkpoint: id, .. } => {
                    (*own == task && *id == checkpoint).then_some(step)
                }
                _ => None,
            })?;
            let behind = run.facts().find_map(|(at, fact)| match fact {
                Fact::Processed { channel: own, number: later, record, .. } => {
                    (at > step && *own == channel && *later > number).then_some((at, *record))
                }
                _ => None,
            });
            // It has to be there to wait.
            let behind = behind.filter(|(at, record)| {
                let (view, _) = run.story.at(snapshot - 1);
                let mut waiting = view.channels[channel.index()].in_flight();
                *at < snapshot || waiting.any(|own| own.element == StreamElement::Record(*record))
            });
            Some(Arrival { step, task, channel, checkpoint, snapshot, behind })
        }
        _ => None,
    };
    run.facts().filter_map(first).collect()
}

/// What becomes of the record behind the first barrier?
fn held_back(run: &Run<'_>, own: &Arrival) -> Option<Question> {
    let (at, record) = own.behind?;
    // A barrier that all others follow at once holds nothing back.
    let waits = own.snapshot > own.step && at != own.snapshot;
    let (view, _) = run.story.at(own.step);
    let missing = run.names[0].missing_barriers(&view, own.task, own.checkpoint);
    let senders: Vec<SubtaskIndex> = missing.iter().map(|channel| run.sender(*channel)).collect();
    if !waits || senders.is_empty() {
        return None;
    }
    let sender = run.sender(own.channel);
    let ask = run.both(
        |names| {
            let (task, barrier) = (names.task(own.task), names.barrier(own.checkpoint));
            let (who, others) = (names.of_task(sender), names.shorts(&senders));
            let record = names.record(&record);
            format!(
                "{who} {barrier} reaches {task}; that of {others} has not come yet. What happens to {record}, which stands behind the first one?"
            )
        },
        |names| {
            let (task, barrier) = (names.task(own.task), names.barrier(own.checkpoint));
            let (who, others) = (names.of_task(sender), names.shorts(&senders));
            let record = names.record(&record);
            format!(
                "{who}{barrier}到达{task}，{others}的还没到。排在{who}屏障后面的{record}会怎样？"
            )
        },
    );
    let at_once = Choice {
        text: both("It is processed at once", "马上处理"),
        world: Some("rule-process-after-first-barrier"),
    };
    let held = choice(both(
        "It is held back until the other barrier is there",
        "先扣住，等另一个屏障到来",
    ));
    let dropped = choice(both("It is dropped and read again later", "丢掉，以后再读一次"));
    let as_they_come = both(
        "no record is held back here: each is processed as it comes",
        "这里不扣住任何记录：来一条处理一条",
    );
    let behind = both(
        "it comes after the barrier: counted now, it would be in the snapshot and be read again after a restart",
        "它在屏障之后：现在计入就会进快照，重启后又会再读一次",
    );
    let offset = both("its source has not stored its offset yet", "它的源还没有存偏移量");
    let is_held = at > own.snapshot;
    let answer = run.both(
        |names| {
            let (task, record) = (names.task(own.task), names.record(&record));
            match is_held {
                true => format!("{record} is held back. {task} processes it in step {at}, after its snapshot."),
                false => format!("{record} is processed at once, in step {at}: this job does not align, so the snapshot will hold it."),
            }
        },
        |names| {
            let (task, record) = (names.task(own.task), names.record(&record));
            match is_held {
                true => format!("{record}被扣住。{task}在第 {at} 步、存完快照之后才处理它。"),
                false => format!("第 {at} 步就处理了{record}：这个作业不对齐，所以快照里会有它。"),
            }
        },
    );
    let (what, because) = match is_held {
        true => (vec![held, at_once, dropped], vec![behind, as_they_come, offset]),
        false => (
            vec![Choice { world: None, ..at_once }, held, dropped],
            vec![as_they_come, behind, offset],
        ),
    };
    let rule = if is_held { Rule::AlignHoldBack } else { Rule::AtLeastOnce };
    let id = format!("barrier-{}-at-{}", own.checkpoint, run.slug(own.task));
    Some(Question { id, at: own.step - 1, shows: own.step, ask, what, because, answer, rule })
}

/// Which value does the snapshot hold?
fn stored(run: &Run<'_>, own: &Arrival) -> Option<Question> {
    // Only where the snapshot is that of the last barrier, and nothing behind
    // the first one is in it, is the reason the alignment.
    let is_aligned = run.facts().any(|(step, fact)| {
        let last = matches!(fact, Fact::BarrierReceived { task, checkpoint, n_received, n_needed, .. }
            if (*task, *checkpoint) == (own.task, own.checkpoint) && n_received == n_needed);
        last && step == own.snapshot
    });
    let counts_behind = own.behind.is_some_and(|(at, _)| at < own.snapshot);
    if own.snapshot == own.step || !is_aligned || counts_behind {
        return None;
    }
    let taken = run.facts().find_map(|(step, fact)| match fact {
        Fact::SnapshotTaken { task, checkpoint, state: SnapshotState::Keyed(entries) } => {
            let is_own = step == own.snapshot && *task == own.task && *checkpoint == own.checkpoint;
            is_own.then(|| number(entries.first()?.1, entries.len()))?
        }
        _ => None,
    })?;
    let at_first = {
        let (view, _) = run.story.at(own.step);
        let state = &view.tasks[own.task.index()].state;
        number(*state.values().next()?, state.len())?
    };
    let counts = matches!(run.story.scenario.graph.operator(own.task).kind, OperatorKind::Count(_));
    let with_behind = own.behind.and_then(|(_, record)| match record.value {
        _ if counts => Some(taken + 1),
        Value::Number(value) => Some(taken + value),
        Value::Letter(_) => None,
    });
    let mut what = vec![choice(same(taken.to_string()))];
    if let Some(value) = with_behind.filter(|value| *value != taken) {
        what.push(Choice {
            text: same(value.to_string()),
            world: Some("rule-process-after-first-barrier"),
        });
    }
    // Of two choices that say the same, each reason would be right.
    if at_first == taken {
        return None;
    }
    if Some(at_first) != with_behind {
        what.push(Choice {
            text: same(at_first.to_string()),
            world: Some("rule-snapshot-at-first-barrier"),
        });
    }
    if what.len() < 2 {
        return None;
    }
    let ask = run.both(
        |names| {
            let (task, barrier) = (names.task(own.task), names.barrier(own.checkpoint));
            format!("The last {barrier} reaches {task}. Which value does it store?")
        },
        |names| {
            let (task, barrier) = (names.task(own.task), names.barrier(own.checkpoint));
            format!("{barrier}已在{task}到齐。{task}存下什么值？")
        },
    );
    let because = vec![
        both(
            "all that came before the barriers is in it, and nothing that came behind them",
            "屏障之前的全部在内，屏障之后的一条也不在",
        ),
        both(
            "the record behind the first barrier is in it as well",
            "第一个屏障后面的那条记录也在内",
        ),
        both("it is what the state was when the first barrier came", "是第一个屏障到达时的状态"),
    ];
    let answer = run.both(
        |names| {
            format!("{} stores {taken} for checkpoint {}.", names.task(own.task), own.checkpoint)
        },
        |names| format!("{}为检查点 {} 存下 {taken}。", names.task(own.task), own.checkpoint),
    );
    let (at, shows) = (own.snapshot - 1, own.snapshot);
    let id = format!("stored-{}-at-{}", own.checkpoint, run.slug(own.task));
    Some(Question { id, at, shows, ask, what, because, answer, rule: Rule::AlignSnapshot })
}

/// Which record comes after the snapshot?
fn comes_next(run: &Run<'_>, own: &Arrival) -> Option<Question> {
    let (at, record) = own.behind?;
    let later = run.facts().filter_map(|(step, fact)| match fact {
        Fact::Processed { task, channel, record, .. } => {
            (step > own.snapshot && *task == own.task).then_some((step, *channel, *record))
        }
        _ => None,
    });
    let later: Vec<_> = later.collect();
    let (first, ..) = *later.first()?;
    let (_, _, other) = *later.iter().find(|(_, channel, _)| *channel != own.channel)?;
    if first != at {
        return None;
    }
    let named =
        |record: Record| run.both(|names| names.record(&record), |names| names.record(&record));
    let what = vec![
        choice(named(record)),
        choice(named(other)),
        choice(both("None before the checkpoint is complete", "检查点完成之前一条也不处理")),
    ];
    let because = vec![
        both("what was held back has waited longest", "扣住的等得最久"),
        both("the other channel has been open all the time", "另一条通道一直开着"),
        both("a task rests until everybody has acknowledged", "任务要等所有人都确认"),
    ];
    let ask = run.both(
        |names| {
            format!(
                "{} has taken its snapshot. Which record does it process next?",
                names.task(own.task)
            )
        },
        |names| format!("{}存完了快照。接下来处理哪条记录？", names.task(own.task)),
    );
    let answer = run.both(
        |names| {
            format!(
                "{} comes next, in step {at}: it was held back at the barrier.",
                names.record(&record)
            )
        },
        |names| format!("接下来是{}，在第 {at} 步：它被扣在屏障后面。", names.record(&record)),
    );
    Some(Question {
        id: format!("next-after-{}-at-{}", own.checkpoint, run.slug(own.task)),
        at: own.snapshot,
        shows: at,
        ask,
        what,
        because,
        answer,
        rule: Rule::AlignRelease,
    })
}

/// The number of a state that is just one.
fn number(value: StateValue, n: usize) -> Option<i64> {
    match value {
        StateValue::Value(Value::Number(number)) if n == 1 => Some(number),
        _ => None,
    }
}
