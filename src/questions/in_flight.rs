//! Questions about what a checkpoint holds of the records in the channels.

use super::lives::{Life, lives, telling};
use super::{Both, Question, Run, both, choice};
use crate::model::{ChannelEnd, Record, StreamElement};
use crate::trace::{Fact, Rule};

/// Longer lists are counted.
const LISTED_MAX: usize = 6;

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let lives = lives(run);
    let mut own: Option<(&Life, Vec<(ChannelEnd, Record)>)> = None;
    for life in lives.iter().filter(|own| own.completed().is_some()) {
        let saved = saved(run, life);
        if own.as_ref().is_none_or(|(_, most)| saved.len() > most.len()) {
            own = Some((life, saved));
        }
    }
    match own {
        Some((life, saved)) if !saved.is_empty() => {
            overtaken(run, life, &saved).into_iter().collect()
        }
        _ => nothing(run, &lives).into_iter().collect(),
    }
}

/// Records in flight that belong to a checkpoint.
fn saved(run: &Run<'_>, life: &Life) -> Vec<(ChannelEnd, Record)> {
    let mut saved = Vec::new();
    for (step, fact) in run.facts() {
        if let Fact::ChannelStateSaved { checkpoint, end, records, .. } = fact
            && *checkpoint == life.id
            && step >= life.triggered
        {
            saved.extend(records.iter().map(|own| (*end, own.record)));
        }
    }
    saved
}

fn list(run: &Run<'_>, records: &[Record]) -> Both {
    let mut records = records.to_vec();
    records.sort_by_key(|own| (own.id.split, own.id.offset));
    records.dedup();
    let n = records.len();
    match n {
        0 => both("nothing", "什么也没有"),
        1..=LISTED_MAX => {
            run.both(|names| names.records(&records), |names| names.records(&records))
        }
        _ => [format!("{n} records"), format!("{n} 条记录")],
    }
}

/// Records in the channels after a step.
fn under_way(run: &Run<'_>, step: u64) -> Vec<Record> {
    let (view, _) = run.story.at(step);
    let messages = view.channels.iter().flat_map(|channel| channel.in_flight());
    let records = messages.filter_map(|own| match own.element {
        StreamElement::Record(record) => Some(record),
        _ => None,
    });
    records.collect()
}

fn everything() -> Both {
    both("all that is in a channel right now", "此刻在通道里的全部")
}

fn ask(run: &Run<'_>, life: &Life) -> Both {
    run.both(
        |names| {
            format!(
                "{} is triggered. What of the records in the channels will it hold?",
                names.checkpoint(life.id)
            )
        },
        |names| format!("{}触发。通道里的记录，它会存下哪些？", names.checkpoint(life.id)),
    )
}

/// What does a checkpoint hold whose barriers overtake?
fn overtaken(run: &Run<'_>, life: &Life, saved: &[(ChannelEnd, Record)]) -> Option<Question> {
    let completed = life.completed()?;
    let records: Vec<Record> = saved.iter().map(|(_, record)| *record).collect();
    let of = |wanted: ChannelEnd| {
        let own = saved.iter().filter(|(end, _)| *end == wanted);
        own.map(|(_, record)| *record).collect::<Vec<_>>()
    };
    let mut what = vec![choice(list(run, &records))];
    // Where they are the same, everything is right as well.
    let there = under_way(run, life.triggered);
    let is_all = there.len() == records.len() && there.iter().all(|own| records.contains(own));
    let others = [
        list(run, &[]),
        everything(),
        list(run, &of(ChannelEnd::Input)),
        list(run, &of(ChannelEnd::Output)),
    ];
    for other in others {
        let is_right = is_all && other == everything();
        if !is_right && what.len() < 4 && what.iter().all(|own| own.text != other) {
            what.push(choice(other));
        }
    }
    let because = vec![
        both(
            "its barriers overtake them: they were sent before the cut, and no state holds their effect",
            "屏障越过了它们：它们在切面之前发出，而状态里还没有它们的作用",
        ),
        both("only state is stored; what is in flight is read again", "只存状态，在途的以后重读"),
        both(
            "whatever is in a channel at the trigger belongs to the checkpoint",
            "触发时在通道里的都属于检查点",
        ),
    ];
    let [en, zh] = list(run, &records);
    let answer = run.both(
        |names| format!("{} holds {en} as channel state. After a restart they come back into their channels, before anything new.", names.checkpoint(life.id)),
        |names| format!("{}把{zh}存为通道状态。重启之后它们先回到通道，排在新记录之前。", names.checkpoint(life.id)),
    );
    let id = format!("in-flight-{}", life.id);
    let rule = Rule::UnalignedOvertake;
    Some(Question {
        id,
        at: life.triggered,
        shows: completed,
        ask: ask(run, life),
        what,
        because,
        answer,
        rule,
    })
}

/// What does a checkpoint hold whose barriers wait?
fn nothing(run: &Run<'_>, lives: &[Life]) -> Option<Question> {
    // Something must have been there to be overtaken.
    let life = telling(lives).filter(|own| own.has_records)?;
    let completed = life.completed()?;
    let there = under_way(run, life.triggered);
    if there.is_empty() {
        return None;
    }
    let blocked = run.facts().any(|(step, fact)| {
        (life.triggered..=completed).contains(&step) && matches!(fact, Fact::Blocked { .. })
    });
    let behind = both("what was sent after the barriers", "屏障之后发出的");
    let what = vec![choice(list(run, &[])), choice(everything()), choice(behind)];
    let because = vec![
        match blocked {
            true => both(
                "a barrier overtakes nothing: what came before it is in the state by then, what comes behind it is read again",
                "屏障不越过任何记录：它前面的，做快照时已在状态里；它后面的，以后会重读",
            ),
            false => both(
                "a barrier overtakes nothing: what was before it in the channel has been processed when the state is copied",
                "屏障不越过任何记录：复制状态时，通道里它前面的都已处理",
            ),
        },
        both(
            "a checkpoint is a picture of one moment: whatever is in flight is in it",
            "检查点是某一瞬间的照片：在途的都在里面",
        ),
        both("what is held back must be kept somewhere", "被扣住的总得存在什么地方"),
    ];
    let answer = run.both(
        |names| {
            let (which, n) = (names.checkpoint(life.id), there.len());
            let were = if n == 1 { "was" } else { "were" };
            format!(
                "{which} holds no records in flight, although {n} {were} under way at its trigger."
            )
        },
        |names| {
            format!(
                "触发时虽有 {} 条记录在途，{}一条也没存。",
                there.len(),
                names.checkpoint(life.id)
            )
        },
    );
    let id = format!("in-flight-{}", life.id);
    let rule = Rule::AlignSnapshot;
    Some(Question {
        id,
        at: life.triggered,
        shows: completed,
        ask: ask(run, life),
        what,
        because,
        answer,
        rule,
    })
}
