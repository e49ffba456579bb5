//! Questions about on which side of a cut a record is: sent, and received.

use super::lives::{Life, lives, telling};
use super::{Both, Choice, Question, Run, both, choice};
use crate::model::{CheckpointId, Record, SnapshotState, SubtaskIndex};
use crate::trace::{Fact, Rule};

/// Where a record is with respect to a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// Counted, although its source will send it again: no consistent cut.
    Orphan,
    /// Sent, not counted, and stored as being under way.
    InFlight,
    /// Neither sent nor counted.
    Outside,
    /// Sent and counted.
    Inside,
}

/// A record at a cut.
struct Place {
    side: Side,
    record: Record,
    /// Who counts it.
    task: SubtaskIndex,
    read: u64,
}

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let lives = lives(run);
    let completed = lives.iter().filter(|own| own.completed().is_some() && own.has_records);
    let mut places: Vec<(&Life, Place)> = completed
        .flat_map(|life| places(run, life).into_iter().map(move |own| (life, own)))
        .collect();
    let usual = telling(&lives).map(|own| own.id);
    places.sort_by_key(|(life, own)| (own.side, Some(life.id) != usual, own.read));
    let mut all: Vec<Question> = Vec::new();
    let mut seen: Vec<Side> = Vec::new();
    for (life, own) in &places {
        // What is inside is asked for only beside something that is not.
        if !seen.contains(&own.side) && all.len() < 2 {
            seen.push(own.side);
            all.extend(question(run, life, own));
        }
    }
    all
}

/// Records near a cut, of the attempt in which it was taken.
fn places(run: &Run<'_>, life: &Life) -> Vec<Place> {
    let Some(completed) = life.completed() else { return Vec::new() };
    let graph = &run.story.scenario.graph;
    let snapshots: Vec<(u64, SubtaskIndex, &SnapshotState)> = run
        .facts()
        .filter_map(|(step, fact)| match fact {
            Fact::SnapshotTaken { task, checkpoint, state } if is_own(*checkpoint, step, life) => {
                Some((step, *task, state))
            }
            _ => None,
        })
        .collect();
    let taken = |task: SubtaskIndex| snapshots.iter().find(|(_, own, _)| *own == task);
    let saved: Vec<Record> = run
        .facts()
        .filter_map(|(step, fact)| match fact {
            Fact::ChannelStateSaved { checkpoint, records, .. }
                if is_own(*checkpoint, step, life) =>
            {
                Some(records.iter().map(|own| own.record))
            }
            _ => None,
        })
        .flatten()
        .collect();
    let mut found = Vec::new();
    for (step, fact) in run.facts() {
        let Fact::Processed { task, record, state: Some(_), .. } = fact else { continue };
        let sender = graph.splits[record.id.split.index()].subtask;
        let direct =
            graph.subtasks[task.index()].inputs.iter().any(|own| run.sender(*own) == sender);
        let (Some((snapshot, ..)), Some((_, _, SnapshotState::Offsets(offsets)))) =
            (taken(*task), taken(sender))
        else {
            continue;
        };
        // Of what passes other tasks on its way, the offset says too little.
        let own = offsets.iter().find(|(split, _)| *split == record.id.split);
        let (true, Some((_, offset))) = (direct && step <= completed, own) else { continue };
        let read = run.facts().find_map(|(at, fact)| match fact {
            Fact::Read { record: own, .. }
                if (own.id.split, own.id.offset) == (record.id.split, record.id.offset) =>
            {
                Some(at)
            }
            _ => None,
        });
        let Some(read) = read.filter(|read| step > life.triggered || *read > life.triggered) else {
            continue;
        };
        let side = match (record.id.offset <= *offset, step < *snapshot) {
            (true, true) => Side::Inside,
            (true, false) if saved.iter().any(|own| own.id == record.id) => Side::InFlight,
            (false, true) => Side::Orphan,
            (false, false) => Side::Outside,
            // Lost by a rule that is broken on purpose: the judge’s business.
            (true, false) => continue,
        };
        found.push(Place { side, record: *record, task: *task, read });
    }
    found
}

fn is_own(checkpoint: CheckpointId, step: u64, life: &Life) -> bool {
    checkpoint == life.id && step >= life.triggered
}

fn words(run: &Run<'_>, own: &Place, side: Side) -> Both {
    let sender = run.story.scenario.graph.splits[own.record.id.split.index()].subtask;
    let task = own.task;
    match side {
        Side::Inside => run.both(
            |names| {
                format!(
                    "{}’s stored offset is past it, and what {} stored holds it",
                    names.short(sender),
                    names.task(task)
                )
            },
            |names| {
                format!(
                    "{}存下的偏移量已越过它，{}存下的状态也含有它",
                    names.short(sender),
                    names.task(task)
                )
            },
        ),
        Side::Outside => run.both(
            |names| {
                format!(
                    "{}’s stored offset is not past it, and what {} stored does not hold it",
                    names.short(sender),
                    names.task(task)
                )
            },
            |names| {
                format!(
                    "{}存下的偏移量没有越过它，{}存下的状态也不含它",
                    names.short(sender),
                    names.task(task)
                )
            },
        ),
        Side::InFlight => run.both(
            |names| {
                format!(
                    "{}’s stored offset is past it, and the record is stored with its channel",
                    names.short(sender)
                )
            },
            |names| format!("{}存下的偏移量已越过它，这条记录存在通道状态里", names.short(sender)),
        ),
        Side::Orphan => run.both(
            |names| {
                format!(
                    "what {} stored holds it, but {}’s stored offset is not past it",
                    names.task(task),
                    names.short(sender)
                )
            },
            |names| {
                format!(
                    "{}存下的状态含有它，{}存下的偏移量却没有越过它",
                    names.task(task),
                    names.short(sender)
                )
            },
        ),
    }
}

fn reason(side: Side) -> Both {
    match side {
        Side::Inside => both(
            "it travels before the barrier, and was processed before the snapshot",
            "它走在屏障前面，存快照之前就处理了",
        ),
        Side::Outside => both(
            "it travels behind the barrier of its channel: for the cut it was not sent yet",
            "它走在本通道屏障的后面：对切面来说还没发出",
        ),
        Side::InFlight => both(
            "it was sent before the barrier, and its receiver stored its state without it",
            "它在屏障之前发出，而接收方存下的状态里还没有它",
        ),
        Side::Orphan => both(
            "it was processed although the barrier before it had already come",
            "它前面的屏障已经到了，它还是被处理了",
        ),
    }
}

/// Which side of a cut is a record on?
fn question(run: &Run<'_>, life: &Life, own: &Place) -> Option<Question> {
    let completed = life.completed()?;
    let others = [Side::Inside, Side::Outside, Side::Orphan, Side::InFlight];
    let others: Vec<Side> = others.into_iter().filter(|side| *side != own.side).take(2).collect();
    let mut what: Vec<Choice> = vec![choice(words(run, own, own.side))];
    what.extend(others.iter().map(|side| choice(words(run, own, *side))));
    let mut because = vec![reason(own.side)];
    because.extend(others.first().map(|side| reason(*side)));
    because.push(both(
        "it was there before the checkpoint was complete, so it is part of it",
        "检查点完成之前这条记录就到了，所以算在检查点里",
    ));
    let id = life.id;
    let ask = run.both(
        |names| {
            format!(
                "On which side of the cut of {} is {}?",
                names.checkpoint(id),
                names.record(&own.record)
            )
        },
        |names| format!("{}在{}的切面哪一边？", names.record(&own.record), names.checkpoint(id)),
    );
    let said = words(run, own, own.side);
    let end = match own.side {
        Side::Inside => both(
            "A restart from it does not read the record again.",
            "从它恢复时不会重读这条记录。",
        ),
        Side::Outside => both(
            "A restart from it reads the record again, and counts it then.",
            "从它恢复时会重读这条记录，那时才计入。",
        ),
        Side::InFlight => both(
            "A restart from it puts the record back into its channel.",
            "从它恢复时，这条记录先回到通道里。",
        ),
        Side::Orphan => both(
            "The cut is not consistent: a restart from it counts the record twice.",
            "切面不一致：从它恢复，这条记录会计入两次。",
        ),
    };
    let answer =
        [format!("{}. {}", super::plain(&said[0]), end[0]), format!("{}。{}", said[1], end[1])];
    let rule = match own.side {
        Side::Orphan => Rule::AtLeastOnce,
        Side::InFlight => Rule::UnalignedOvertake,
        Side::Inside => Rule::ChannelFifo,
        Side::Outside => Rule::AlignHoldBack,
    };
    Some(Question {
        id: format!("cut-{id}-{}", run.record_slug(&own.record)),
        at: own.read.max(life.triggered).min(completed),
        shows: completed,
        ask,
        what,
        because,
        answer,
        rule,
    })
}
