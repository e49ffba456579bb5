//! What a search has found, for people.

use indicatif::HumanCount;
use unicode_width::UnicodeWidthStr;

use super::{Explored, played};
use crate::cli::{verify, words};
use crate::explore::{Ended, FinalOutput, Orders, Wrong};
use crate::model::{Language, Record, SubtaskIndex};
use crate::narrate::Names;
use crate::render::text::{Frame, Paint, Span, wrap};
use crate::trace::{Fact, JobStatus};

/// Columns of the text.
const WIDTH: usize = 100;
/// Outcomes that are listed.
const LISTED_MAX: usize = 20;

/// The whole text.
pub(super) fn text(explored: &Explored<'_>, language: Language) -> Frame {
    let names = Names::new(explored.scenario, language);
    let mut page = Page { lines: Vec::new(), explored, language, names };
    page.title();
    page.answer();
    page.numbers();
    page.outcomes();
    page.shown();
    page.counterexample();
    page.next();
    Frame { lines: page.lines, n_caption: 0 }
}

struct Page<'a> {
    lines: Vec<Vec<Span>>,
    explored: &'a Explored<'a>,
    language: Language,
    names: Names<'a>,
}

fn span(text: impl Into<String>, paint: Paint) -> Span {
    Span { text: text.into(), paint }
}

impl Page<'_> {
    fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        words::pick(self.language, en, zh)
    }

    fn line(&mut self, text: impl Into<String>, paint: Paint) {
        self.lines.push(vec![span(text, paint)]);
    }

    fn title(&mut self) {
        let scenario = self.explored.scenario;
        let title = scenario.title.of(self.language);
        let title = if title.is_empty() { &scenario.name } else { title };
        let choices = self.explored.choices;
        let orders = match choices.orders {
            Orders::All => self.pick("every order", "所有顺序"),
            Orders::Representative => self.pick("orders that differ", "有区别的顺序"),
        };
        let what = match self.language {
            Language::En => format!("crashes: {} · {orders}", choices.crashes),
            Language::Zh => format!("崩溃：{} 次 · {orders}", choices.crashes),
        };
        let title: String = wrap(title, WIDTH - what.width() - 2).swap_remove(0);
        let gap = WIDTH - title.width() - what.width();
        let gap = span(" ".repeat(gap), Paint::Plain);
        self.lines.push(vec![span(title, Paint::Bold), gap, span(what, Paint::Dim)]);
        self.line("", Paint::Plain);
    }

    fn answer(&mut self) {
        let n_steps = |schedule: &Option<Vec<u32>>| schedule.as_ref().map_or(0, Vec::len);
        let found = &self.explored.found;
        let budget = self.explored.budget;
        let zh = self.language == Language::Zh;
        let (sign, paint, text) = match (found.ended, self.explored.choices.find) {
            (Ended::Exhausted, None) => (
                "✓ ",
                Paint::Done,
                self.pick(
                    "no order that was tried breaks a promise",
                    "试过的顺序里，没有一种违背承诺",
                )
                .to_owned(),
            ),
            (Ended::Exhausted, Some(_)) => (
                "✗ ",
                Paint::Blocked,
                self.pick("no run shows it", "没有任何运行出现它").to_owned(),
            ),
            (Ended::Found, _) => {
                let n = n_steps(&found.found);
                let text = match zh {
                    false => format!("found: a run of {n} steps shows it"),
                    true => format!("找到了：一次 {n} 步的运行出现了它"),
                };
                ("✓ ", Paint::Done, text)
            }
            (Ended::Violated, _) => {
                let n = found.counterexample.as_ref().map_or(0, |one| one.schedule.len());
                let text = match zh {
                    false => {
                        format!("violated: it happens in a story of {n} steps")
                    }
                    true => format!("违反：一个 {n} 步的故事里出现了问题"),
                };
                ("✗ ", Paint::Blocked, text)
            }
            (Ended::TooManyStates, _) => {
                let n = HumanCount(budget.states_max.into());
                let text = match zh {
                    false => format!("not exhausted: there are more than {n} states (--states)"),
                    true => format!("没有走完：状态超过 {n} 个（--states）"),
                };
                ("? ", Paint::Dim, text)
            }
            (Ended::TooMuchMemory, _) => {
                let n = budget.bytes_max >> 20;
                let text = match zh {
                    false => format!("not exhausted: the states need more than {n} MiB (--memory)"),
                    true => format!("没有走完：状态需要的内存超过 {n} MiB（--memory）"),
                };
                ("? ", Paint::Dim, text)
            }
        };
        self.lines.push(vec![span(sign, paint), span(text, Paint::Bold)]);
        self.line("", Paint::Plain);
    }

    fn numbers(&mut self) {
        let found = &self.explored.found;
        let (states, ways) = (HumanCount(found.n_states), HumanCount(found.n_transitions));
        let orders = found.n_orders.map(grouped);
        let crashes = HumanCount(found.n_crash_points);
        let seconds = self.explored.seconds;
        let (depth, mib) = (found.depth, found.bytes.div_ceil(1 << 20));
        let mut lines = match self.language {
            Language::En => {
                let orders = orders.map_or(String::new(), |n| format!(" · {n} orders"));
                vec![
                    format!("{states} states · {ways} ways between them{orders}"),
                    format!("{crashes} crash points · up to {depth} steps · {mib} MiB · {seconds:.1} s"),
                    "Time is left out: whatever is pending may happen at any moment, a timer included."
                        .to_owned(),
                ]
            }
            Language::Zh => {
                let orders = orders.map_or(String::new(), |n| format!(" · {n} 种顺序"));
                vec![
                    format!("{states} 个状态 · {ways} 条转移{orders}"),
                    format!("{crashes} 个崩溃点 · 最多 {depth} 步 · {mib} MiB · {seconds:.1} 秒"),
                    "不计时间：待发生的事随时可能发生，定时器也一样。".to_owned(),
                ]
            }
        };
        if found.n_unfinished > 0 {
            let n = HumanCount(found.n_unfinished);
            let n_allowed = self.explored.choices.intervals;
            lines.push(match self.language {
                Language::En if found.n_unfinished == 1 => format!(
                    "1 state waits for another checkpoint of the interval (--checkpoints allows \
                     {n_allowed})."
                ),
                Language::En => format!(
                    "{n} states wait for another checkpoint of the interval (--checkpoints allows \
                     {n_allowed})."
                ),
                Language::Zh => format!(
                    "{n} 个状态在等下一个周期性检查点（--checkpoints 只允许 {n_allowed} 个）。"
                ),
            });
        }
        for line in lines {
            self.line(format!("  {line}"), Paint::Dim);
        }
    }

    fn outcomes(&mut self) {
        let outcomes = &self.explored.found.outcomes;
        if outcomes.is_empty() {
            return;
        }
        let n = outcomes.len();
        let is_over = self.explored.found.ended == Ended::Exhausted;
        let title = match (self.language, is_over) {
            (Language::En, true) => {
                let s = if n == 1 { "" } else { "s" };
                format!("What the outside can see at the end: {n} outcome{s}")
            }
            (Language::En, false) => format!("What the outside can see at the end, so far: {n}"),
            (Language::Zh, true) => format!("结束时外界可能看到的：{n} 种结果"),
            (Language::Zh, false) => format!("结束时外界可能看到的，至此：{n} 种"),
        };
        self.line("", Paint::Plain);
        self.line(title, Paint::Bold);
        for outcome in outcomes.iter().take(LISTED_MAX) {
            let text = self.outcome(outcome);
            for (place, line) in wrap(&text, WIDTH - 4).into_iter().enumerate() {
                let indent = if place == 0 { "  " } else { "    " };
                self.line(format!("{indent}{line}"), Paint::Plain);
            }
        }
        if n > LISTED_MAX {
            let more = n - LISTED_MAX;
            let text = match self.language {
                Language::En => format!("  and {more} more (--format json has them all)"),
                Language::Zh => format!("  还有 {more} 种（--format json 全部列出）"),
            };
            self.line(text, Paint::Dim);
        }
    }

    fn outcome(&self, outcome: &FinalOutput) -> String {
        let published = outcome.published.iter().map(|(task, records)| self.output(*task, records));
        let published: Vec<String> = published.collect();
        let mut text = published.join(" · ");
        match outcome.status {
            JobStatus::Failed => text.push_str(self.pick(" · the job failed", " · 作业失败")),
            JobStatus::Canceled => text.push_str(self.pick(" · cancelled", " · 已取消")),
            _ => {}
        }
        let n = HumanCount(outcome.n_states);
        match self.language {
            Language::En if outcome.n_states == 1 => format!("{text}   (1 final state)"),
            Language::En => format!("{text}   ({n} final states)"),
            Language::Zh => format!("{text}   （{n} 个终态）"),
        }
    }

    fn output(&self, task: SubtaskIndex, records: &[Record]) -> String {
        let values: Vec<String> = records.iter().map(|record| record.value.to_string()).collect();
        let values = if values.is_empty() { "–".to_owned() } else { values.join(" ") };
        format!("{} {values}", self.names.task(task))
    }

    /// Runs that end differently, each in a few words.
    fn shown(&mut self) {
        let n_shown = self.explored.n_shown;
        for number in 0..n_shown.min(self.explored.found.outcomes.len()) {
            let outcome = &self.explored.found.outcomes[number];
            let trace = played(&self.explored.found.scenario, &outcome.schedule);
            let mut story = Vec::new();
            for step in &trace.steps {
                for fact in &step.facts {
                    if let Some(text) = self.happened(fact) {
                        story.push(format!("{} {text}", step.number));
                    }
                }
            }
            let (run, n) = (number + 1, trace.steps.len());
            let title = match self.language {
                Language::En => format!("Run {run}, {n} steps: {}", self.outcome(outcome)),
                Language::Zh => format!("运行 {run}，{n} 步：{}", self.outcome(outcome)),
            };
            self.line("", Paint::Plain);
            self.line(title, Paint::Bold);
            for line in wrap(&story.join(" · "), WIDTH - 2) {
                self.line(format!("  {line}"), Paint::Plain);
            }
        }
    }

    fn happened(&self, fact: &Fact) -> Option<String> {
        let zh = self.language == Language::Zh;
        Some(match fact {
            Fact::CheckpointTriggered { checkpoint, .. } => match zh {
                false => format!("checkpoint {checkpoint} triggered"),
                true => format!("触发检查点 {checkpoint}"),
            },
            Fact::CheckpointCompleted { checkpoint } => match zh {
                false => format!("checkpoint {checkpoint} complete"),
                true => format!("检查点 {checkpoint} 完成"),
            },
            Fact::CheckpointAborted { checkpoint, .. } => match zh {
                false => format!("checkpoint {checkpoint} given up"),
                true => format!("放弃检查点 {checkpoint}"),
            },
            Fact::Crashed { tasks } => {
                let tasks: Vec<&str> = tasks.iter().map(|task| self.names.task(*task)).collect();
                let tasks = tasks.join(", ");
                match zh {
                    false => format!("{tasks} crashes"),
                    true => format!("{tasks} 崩溃"),
                }
            }
            Fact::AttemptStarted { attempt, checkpoint, .. } => match (zh, checkpoint) {
                (false, Some(id)) => format!("attempt {attempt} from checkpoint {id}"),
                (false, None) => format!("attempt {attempt} from the beginning"),
                (true, Some(id)) => format!("第 {attempt} 次尝试，从检查点 {id} 开始"),
                (true, None) => format!("第 {attempt} 次尝试，从头开始"),
            },
            Fact::JobFinished => self.pick("the job is done", "作业完成").to_owned(),
            _ => return None,
        })
    }

    fn counterexample(&mut self) {
        let Some(one) = &self.explored.found.counterexample else { return };
        self.line("", Paint::Plain);
        match &one.wrong {
            Wrong::Judged(verdict) => {
                let scenario = &self.explored.found.scenario;
                let n_steps = one.schedule.len() as u64;
                let frame = verify::page(scenario, None, (n_steps, verdict), self.language);
                self.lines.extend(frame.lines);
            }
            Wrong::Stuck => {
                let text = self.pick(
                    "Nothing can happen any more, and the job is not done.",
                    "再没有什么可以发生，而作业没有结束。",
                );
                self.line(text.to_owned(), Paint::Plain);
            }
        }
    }

    fn next(&mut self) {
        let found = &self.explored.found;
        let has_story = found.counterexample.is_some() || found.found.is_some();
        let text = match (&self.explored.trace, has_story) {
            (Some(file), true) => format!("checkdam walk {file}"),
            (None, true) => "--trace story.trace; checkdam walk story.trace".to_owned(),
            _ => return,
        };
        let text = match self.language {
            Language::En => format!("next: {text}    see it step by step"),
            Language::Zh => format!("接下来：{text}    逐步查看"),
        };
        self.line("", Paint::Plain);
        self.line(text, Paint::Dim);
    }
}

/// A large number with its thousands apart.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_stand_apart() {
        assert_eq!(super::grouped(7), "7");
        assert_eq!(super::grouped(1_234_567), "1,234,567");
    }
}
