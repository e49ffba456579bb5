//! Questions about what is left in the end: state and output, each judged for
//! itself.

use super::lives::{lives, telling};
use super::{Choice, Question, Run, both, choice};
use crate::model::{CheckpointingMode, OperatorKind, Record, SinkKind};
use crate::trace::{Fact, JobStatus, Rule};
use crate::verify::{Judgement, Outcome};

/// Of longer lists no question is made.
const LISTED_MAX: usize = 6;

/// How often things count in the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Often {
    Once,
    Twice,
    Lost,
}

/// What there is to ask.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    // A job that stops half-way leaves something under way, in the state and
    // outside: nobody can ask how often that counts in the end.
    let (view, _) = run.story.at(run.story.n_steps());
    if view.status != JobStatus::Finished {
        return Vec::new();
    }
    let mut all: Vec<Question> = state(run).into_iter().collect();
    all.extend(output(run));
    all.extend(published_twice(run));
    all
}

fn often(own: &Judgement) -> Option<Often> {
    match own.outcome {
        Outcome::Holds => Some(Often::Once),
        Outcome::Violated if own.n_too_often > 0 => Some(Often::Twice),
        Outcome::Violated if own.n_lost > 0 => Some(Often::Lost),
        Outcome::Violated | Outcome::CannotTell => None,
    }
}

/// The step before which one has to guess, and the one at which it shows.
fn steps(run: &Run<'_>) -> (u64, u64) {
    let n = run.story.n_steps();
    let lives = lives(run);
    let begun = telling(&lives).map_or(1.min(n), |own| own.triggered);
    (run.first_failure().map_or(begun, |step| step - 1), n)
}

/// How often does each record count in the state?
fn state(run: &Run<'_>) -> Option<Question> {
    let own = &run.verdict.state;
    let often = often(own).filter(|_| own.n > 0)?;
    let fails = run.first_failure().is_some();
    let mode = run.story.scenario.config.mode;
    let reason = match (often, fails) {
        (Often::Once, false) => both(
            "nothing fails, so nothing is read again: whatever the mode, each record passes once",
            "没有故障，什么也不会重读：不论哪种模式，每条记录只经过一次",
        ),
        (Often::Once, true) => both(
            "state and offsets come from one cut: what is read again is not in the restored state",
            "状态和偏移量来自同一个切面：重读的都不在恢复的状态里",
        ),
        (Often::Twice, _) => both(
            "the restored state holds the effect of records that its source reads again",
            "恢复的状态已含有源会重读的记录的作用",
        ),
        (Often::Lost, _) => {
            both("what no snapshot holds is not read again either", "快照里没有的，源也不再读")
        }
    };
    let mut because = vec![reason];
    because.push(match often {
        Often::Twice => both(
            "state is exactly-once by itself, as soon as there are checkpoints",
            "只要有检查点，状态自然就是精确一次",
        ),
        _ => both("what is read twice counts twice", "读了两次就计入两次"),
    });
    because.push(match often {
        Often::Lost => {
            both("a checkpoint keeps everything that has been read", "检查点保住读过的一切")
        }
        _ => both("what was in a task’s memory is gone with a failure", "任务内存里的随故障丢失"),
    });
    let ask = match (fails, mode) {
        (false, CheckpointingMode::ExactlyOnce) => both(
            "Nothing fails in this run. How often does each record count in the state in the end?",
            "这次运行没有故障。最后每条记录在状态里计入几次？",
        ),
        (false, CheckpointingMode::AtLeastOnce) => both(
            "The mode is at-least-once, and nothing fails in this run. How often does each record count in the state in the end?",
            "模式是至少一次，这次运行没有故障。最后每条记录在状态里计入几次？",
        ),
        (true, CheckpointingMode::ExactlyOnce) => both(
            "The job is about to fail and to restart. How often does each record count in the state in the end?",
            "作业马上要失败并重启。最后每条记录在状态里计入几次？",
        ),
        (true, CheckpointingMode::AtLeastOnce) => both(
            "The mode is at-least-once, and the job is about to fail and to restart. How often does each record count in the state in the end?",
            "模式是至少一次，作业马上要失败并重启。最后每条记录在状态里计入几次？",
        ),
    };
    let (n, n_once, twice, lost) = (own.n, own.n_once, own.n_too_often, own.n_lost);
    let answer = match often {
        Often::Once => [
            format!(
                "The judge finds {n_once} of {n} records counted once: the state is exactly-once."
            ),
            format!("裁判查得 {n} 条记录中 {n_once} 条恰好计入一次：状态是精确一次。"),
        ],
        Often::Twice => [
            format!(
                "The judge finds {n_once} of {n} records counted once and {twice} more than once: the state is not exactly-once."
            ),
            format!(
                "裁判查得 {n} 条记录中 {n_once} 条恰好计入一次，{twice} 条多次：状态不是精确一次。"
            ),
        ],
        Often::Lost => [
            format!(
                "The judge finds {n_once} of {n} records counted once and {lost} lost: the state is not exactly-once."
            ),
            format!(
                "裁判查得 {n} 条记录中 {n_once} 条恰好计入一次，{lost} 条丢失：状态不是精确一次。"
            ),
        ],
    };
    let (at, shows) = steps(run);
    let rule = match (often, mode) {
        (Often::Twice, CheckpointingMode::AtLeastOnce) => Rule::AtLeastOnce,
        _ => Rule::RecoveryRestore,
    };
    Some(Question {
        id: "state-counts".to_owned(),
        at,
        shows,
        ask,
        what: counts(often),
        because,
        answer,
        rule,
    })
}

fn counts(often: Often) -> Vec<Choice> {
    let once = choice(both("each exactly once", "每条恰好一次"));
    let twice = choice(both("none is lost, but some more than once", "一条不丢，但有的多于一次"));
    let lost = choice(both("some not at all", "有的一次也没有"));
    match often {
        Often::Once => vec![once, twice, lost],
        Often::Twice => vec![twice, once, lost],
        Often::Lost => vec![lost, once, twice],
    }
}

/// The kinds of the job's sinks, each once.
fn sinks(run: &Run<'_>) -> Vec<SinkKind> {
    let mut kinds: Vec<SinkKind> = Vec::new();
    for operator in &run.story.scenario.graph.job.operators {
        match operator.kind {
            OperatorKind::Sink(kind) if !kinds.contains(&kind) => kinds.push(kind),
            _ => {}
        }
    }
    kinds
}

/// How often is each result published?
fn output(run: &Run<'_>) -> Option<Question> {
    let own = &run.verdict.output;
    let often = often(own).filter(|_| own.n > 0)?;
    let [kind] = sinks(run).try_into().ok()?;
    let fails = run.first_failure().is_some();
    let takes_back =
        both("what a failed attempt has written is taken back", "失败的那次尝试写出的会被收回");
    let follows = both(
        "the state is exactly-once, and the output follows from it",
        "状态是精确一次，输出自然也是",
    );
    let (reason, wrong) = match (often, kind, fails) {
        (Often::Once, _, false) => (
            both("nothing fails, so nothing is written again", "没有故障，什么也不会重写"),
            both(
                "a sink always writes what it gets at once and again with the checkpoint",
                "汇总是先写一遍，检查点时再写一遍",
            ),
        ),
        (Often::Once, SinkKind::Transactional, true) => (
            both(
                "what is written becomes visible only with a completed checkpoint, and an open transaction is aborted",
                "写入的要等检查点完成才可见，未提交的事务被中止",
            ),
            follows,
        ),
        (Often::Once, SinkKind::Idempotent, true) => (
            both(
                "what is written again falls on the same key and changes nothing",
                "重写落在同一个键上，什么也不变",
            ),
            follows,
        ),
        (Often::Once, SinkKind::Publish, true) => (
            both(
                "nothing was published between the checkpoint and the failure",
                "检查点与故障之间没有发布过什么",
            ),
            follows,
        ),
        (Often::Twice, SinkKind::Publish, _) => (
            both(
                "the sink had let results out after the checkpoint, and they are computed again",
                "检查点之后汇已经放出了结果，而它们会再算一遍",
            ),
            follows,
        ),
        (Often::Twice, _, _) => (
            both(
                "a commit is visible that the restored checkpoint knows nothing of",
                "有的提交已经可见，而恢复用的检查点不知道它",
            ),
            follows,
        ),
        (Often::Lost, SinkKind::Transactional, _) => (
            both(
                "a transaction that was written to is never committed",
                "写进去的事务始终没有提交",
            ),
            both("what a sink has got is visible", "汇收到的就可见"),
        ),
        (Often::Lost, _, _) => {
            (both("what is not read again is not written either", "不再读的也不会写出"), follows)
        }
    };
    let because = vec![reason, wrong, takes_back];
    let sink = match kind {
        SinkKind::Publish => both("the sinks publish at once", "汇立即发布"),
        SinkKind::Transactional => both("the sinks write into transactions", "汇写入事务"),
        SinkKind::Idempotent => both("the sinks overwrite by key", "汇按键覆盖"),
    };
    let ask = [
        match fails {
            true => format!(
                "The job is about to fail; {}. How often is each result visible outside in the end?",
                sink[0]
            ),
            false => format!(
                "Nothing fails; {}. How often is each result visible outside in the end?",
                sink[0]
            ),
        },
        match fails {
            true => format!("作业马上要失败；{}。最后每条结果在外部可见几次？", sink[1]),
            false => format!("没有故障；{}。最后每条结果在外部可见几次？", sink[1]),
        },
    ];
    let (n, n_once, twice, lost) = (own.n, own.n_once, own.n_too_often, own.n_lost);
    let answer = match often {
        Often::Once => [
            format!("All {n} results are there once: this output is exactly-once."),
            format!("{n} 条结果每条恰好一次：这个输出是精确一次。"),
        ],
        Often::Twice => [
            format!(
                "{n_once} of {n} results are there once, {twice} more than once: the output is not exactly-once, whatever the state is."
            ),
            format!(
                "{n} 条结果中 {n_once} 条恰好一次，{twice} 条多次：不论状态如何，输出不是精确一次。"
            ),
        ],
        Often::Lost => [
            format!(
                "{n_once} of {n} results are there once, {lost} not at all: the output is not exactly-once."
            ),
            format!("{n} 条结果中 {n_once} 条恰好一次，{lost} 条一次也没有：输出不是精确一次。"),
        ],
    };
    let (at, shows) = steps(run);
    let rule = match kind {
        SinkKind::Transactional => Rule::SinkCommit,
        _ => Rule::SinkPublish,
    };
    Some(Question {
        id: "output-counts".to_owned(),
        at,
        shows,
        ask,
        what: counts(often),
        because,
        answer,
        rule,
    })
}

/// Which results are published twice?
fn published_twice(run: &Run<'_>) -> Option<Question> {
    let own = &run.verdict.output;
    let failed = run.first_failure()?;
    if own.outcome == Outcome::CannotTell || own.n_lost > 0 {
        return None;
    }
    let mut twice: Vec<Record> = Vec::new();
    for miscount in &own.too_often {
        let record = run.record_read(miscount.record.id)?;
        if !twice.contains(&record) {
            twice.push(record);
        }
    }
    let mut seen: Vec<Record> = Vec::new();
    let mut again: Vec<Record> = Vec::new();
    for (_, fact) in run.facts() {
        if let Fact::Read { record, .. } = fact {
            let list = if seen.contains(record) { &mut again } else { &mut seen };
            if !list.contains(record) {
                list.push(*record);
            }
        }
    }
    if again.is_empty() || twice.len() > LISTED_MAX || again.len() > LISTED_MAX {
        return None;
    }
    let order = |list: &mut Vec<Record>| list.sort_by_key(|own| (own.id.split, own.id.offset));
    order(&mut twice);
    order(&mut again);
    let list = |records: &[Record]| match records {
        [] => both("of none", "一条也没有"),
        _ => run.both(|names| names.records(records), |names| names.records(records)),
    };
    let mut what = vec![choice(list(&twice))];
    let firsts: Vec<Record> = again.iter().take(1).copied().collect();
    for other in [list(&again), list(&[]), list(&firsts)] {
        if what.len() < 3 && what.iter().all(|own| own.text != other) {
            what.push(choice(other));
        }
    }
    let because = match twice.is_empty() {
        true => vec![
            both(
                "before the failure nothing of them was visible outside, or it was overwritten",
                "故障前它们都还不可见，或者被覆盖了",
            ),
            both("what is read twice is published twice", "读了两次就发布两次"),
            both("the sink compares what it writes with what is there", "汇会拿要写的和已有的比对"),
        ],
        false => vec![
            both(
                "their results were out before the failure, and they are read again",
                "它们的结果在故障前已经发布，之后又被重读",
            ),
            both("whatever is read twice is published twice", "凡读了两次的都发布两次"),
            both("the sink forgets with the failure what it has written", "汇随故障忘记写过什么"),
        ],
    };
    let ask = both(
        "Some records are read a second time after the failure. Of which are results visible twice in the end?",
        "故障之后有些记录会重读。最后哪些记录的结果可见两次？",
    );
    let answer = run.both(
        |names| match twice.is_empty() {
            true => format!(
                "Of none. {} {} read again; their results are there once all the same.",
                names.records(&again),
                if again.len() == 1 { "is" } else { "are" }
            ),
            false => format!(
                "Of {}. Read again {} {}.",
                names.records(&twice),
                if again.len() == 1 { "is" } else { "are" },
                names.records(&again)
            ),
        },
        |names| match twice.is_empty() {
            true => format!("一条也没有。{}被重读，结果仍只有一次。", names.records(&again)),
            false => format!("{}。被重读的是{}。", names.records(&twice), names.records(&again)),
        },
    );
    let rule = if twice.is_empty() { Rule::SinkCommit } else { Rule::SinkPublish };
    Some(Question {
        id: "published-twice".to_owned(),
        at: failed - 1,
        shows: run.story.n_steps(),
        ask,
        what,
        because,
        answer,
        rule,
    })
}
