//! Questions about when the coordinator begins the next checkpoint.

use super::lives::{End, Life, lives};
use super::{Both, Choice, Question, Run, both, choice, zh_time};
use crate::model::{Config, Micros, Time};
use crate::trace::{Fact, Rule, TriggerCause};

/// A time at which the next checkpoint might begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// One interval after the trigger before.
    Interval,
    /// When the one before it is over.
    AtOnce,
    /// When the pause after its completion is over.
    Pause,
    /// One interval after its end, as people think.
    IntervalAfterEnd,
}

/// What there is to ask: of each clock that decides, the first time.
pub(super) fn questions(run: &Run<'_>) -> Vec<Question> {
    let lives = lives(run);
    let mut seen: Vec<Clock> = Vec::new();
    let mut all = Vec::new();
    for pair in lives.windows(2) {
        let Some((clock, question)) = next(run, &pair[0], &pair[1]) else { continue };
        if !seen.contains(&clock) {
            seen.push(clock);
            all.push(question);
        }
    }
    all
}

fn time_of(
    clock: Clock,
    config: &Config,
    triggered: Time,
    end: Option<(Time, End)>,
) -> Option<Time> {
    let interval = config.interval?;
    match clock {
        Clock::Interval => Some(triggered.after(interval)),
        Clock::AtOnce => end.map(|(at, _)| at),
        Clock::Pause => end
            .filter(|(_, end)| *end == End::Completed && config.min_pause > Micros::ZERO)
            .map(|(at, _)| at.after(config.min_pause)),
        Clock::IntervalAfterEnd => end.map(|(at, _)| at.after(interval)),
    }
}

/// When is the next checkpoint triggered?
fn next(run: &Run<'_>, life: &Life, later: &Life) -> Option<(Clock, Question)> {
    let config = &run.story.scenario.config;
    let is_periodic = |own: &Life| own.cause == TriggerCause::Periodic;
    let is_undisturbed = run.facts().all(|(step, fact)| {
        !(life.triggered..=later.triggered).contains(&step)
            || !matches!(
                fact,
                Fact::JobFailed { .. }
                    | Fact::JobManagerCrashed { .. }
                    | Fact::TriggerRejected { .. }
                    | Fact::BacklogReported { .. }
            )
    });
    if !is_periodic(life) || !is_periodic(later) || !is_undisturbed {
        return None;
    }
    let (triggered, at) = (run.time(life.triggered), run.time(later.triggered));
    let end = life.end.filter(|(step, _)| *step <= later.triggered);
    let ended = end.map(|(step, end)| (run.time(step), end));
    let clocks = [Clock::Interval, Clock::Pause, Clock::AtOnce];
    let clock =
        clocks.into_iter().find(|clock| time_of(*clock, config, triggered, ended) == Some(at))?;
    let wrong = [Clock::Interval, Clock::Pause, Clock::AtOnce, Clock::IntervalAfterEnd];
    let mut times = vec![(at, clock)];
    for own in wrong {
        match time_of(own, config, triggered, ended) {
            Some(time) if time > triggered && times.iter().all(|(seen, _)| *seen != time) => {
                times.push((time, own));
            }
            _ => {}
        }
    }
    times.truncate(3);
    let what: Vec<Choice> =
        times.iter().map(|(time, _)| choice([time.to_string(), zh_time(time)])).collect();
    let mut because: Vec<Both> = times.iter().map(|(_, clock)| reason(*clock)).collect();
    if because.len() < 3 {
        because.push(both("the next one waits for the slowest task", "下一个要等最慢的任务"));
    }
    let id = life.id;
    let interval = config.interval?;
    let (pause, most) = (config.min_pause, config.max_concurrent_checkpoints);
    let ask = run.both(
        |names| {
            let over = ended.map_or(String::new(), |(time, end)| match end {
                End::Completed => format!(" and completes at {time}"),
                _ => format!(" and is given up at {time}"),
            });
            format!(
                "{} is triggered at {triggered}{over}. The interval is {interval}, the minimum pause {pause}, at most {most} at a time. When is the next one triggered?",
                names.checkpoint(id)
            )
        },
        |names| {
            let over = ended.map_or(String::new(), |(time, end)| match end {
                End::Completed => format!("、{}完成", zh_time(time)),
                _ => format!("、{}被放弃", zh_time(time)),
            });
            format!(
                "{}在 {}触发{over}。间隔 {}，最小停顿 {}，同时最多 {most} 个。下一个何时触发？",
                names.checkpoint(id),
                zh_time(triggered),
                zh_time(interval),
                zh_time(pause)
            )
        },
    );
    let next = later.id;
    let answer = run.both(
        |names| format!("{} is triggered at {at}.", names.checkpoint(next)),
        |names| format!("{}在 {}触发。", names.checkpoint(next), zh_time(at)),
    );
    let at = end.map_or(life.triggered, |(step, _)| step.min(later.triggered - 1));
    let question = Question {
        id: format!("next-trigger-after-{id}"),
        at: at.max(life.triggered),
        shows: later.triggered,
        ask,
        what,
        because,
        answer,
        rule: Rule::CheckpointTrigger,
    };
    Some((clock, question))
}

fn reason(clock: Clock) -> Both {
    match clock {
        Clock::Interval => {
            both("the interval counts from trigger to trigger", "间隔从上一次触发算到下一次触发")
        }
        Clock::AtOnce => both(
            "its turn had already come; it only waited for a free place",
            "早就轮到它了，只是在等空位",
        ),
        Clock::Pause => both(
            "the minimum pause counts from the end of the one before",
            "最小停顿从上一个结束算起",
        ),
        Clock::IntervalAfterEnd => {
            both("the interval begins when the one before is over", "间隔从上一个结束时开始")
        }
    }
}
