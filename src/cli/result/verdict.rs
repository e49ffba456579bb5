//! How a run ended, and what the judge says of it.

use std::collections::BTreeSet;

use super::text::{Page, WIDTH, padded, span};
use crate::cli::explain::{self, Explainer};
use crate::cli::remedy;
use crate::cli::run::JUDGED_STEPS_MAX;
use crate::cluster::Waiting;
use crate::model::{ChannelIndex, CheckpointingMode, Language, RecordId, SubtaskIndex};
use crate::render::text::{Paint, wrap};
use crate::sim::Ending;
use crate::verify::{CannotTell, Judgement, Miscount, Outcome, Property, Verdict};

/// What a mode allows to be wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Nothing,
    CountedTwice,
}

impl Page<'_> {
    /// A run that did not come to its end says why.
    pub(super) fn ending(&mut self) {
        let (text, waiting) = match &self.result.ending {
            Ending::Finished => return,
            Ending::Canceled => return self.cancelled(),
            Ending::Failed => {
                (self.pick("the job failed for good", "作业彻底失败").to_owned(), [].as_slice())
            }
            Ending::Stuck(waiting) => (
                self.pick("stuck: nothing can happen any more", "卡住：再也没有事件可以发生")
                    .to_owned(),
                waiting.as_slice(),
            ),
            Ending::OutOfSteps(waiting) => {
                let n = self.result.report.n_steps;
                let text = match self.names.language {
                    Language::En => format!("not finished after {n} steps, the scenario’s bound"),
                    Language::Zh => format!("{n} 步之后仍未结束，达到场景的上限"),
                };
                (text, waiting.as_slice())
            }
            Ending::OutOfTime(waiting) => {
                let text = self.pick(
                    "not finished when virtual time ended, after 2^48 µs (almost 9 years)",
                    "虚拟时间用尽（2^48 微秒，将近 9 年）仍未结束",
                );
                (text.to_owned(), waiting.as_slice())
            }
        };
        self.lines.push(vec![span("✗ ", Paint::Blocked), span(text, Paint::Bold)]);
        const SHOWN_MAX: usize = 12;
        for waiting in waiting.iter().take(SHOWN_MAX) {
            let text = self.names.tidy(&self.waiting(waiting));
            self.lines.push(vec![span(format!("  {}", text.replace('\u{a0}', " ")), Paint::Plain)]);
        }
        self.blank();
    }

    /// A job that was cancelled owes nothing more.
    fn cancelled(&mut self) {
        let recoveries = &self.result.report.recoveries;
        if recoveries.iter().any(|recovery| recovery.restarted.is_none()) {
            let text = self.pick(
                "the job was cancelled while it waited for a restart",
                "作业在等待重启时被取消",
            );
            let line = vec![span("■ ", Paint::Dim), span(text.to_owned(), Paint::Bold)];
            self.lines.push(line);
            self.blank();
            return;
        }
        let owed = self
            .result
            .verdict
            .as_ref()
            .map_or((0, 0), |verdict| (verdict.state.n_pending, verdict.output.n_pending));
        let (n_records, n_results) = owed;
        let mut parts = Vec::new();
        match self.names.language {
            Language::En => {
                let plural = |n: u64, noun: &str| match n {
                    1 => format!("1 {noun}"),
                    n => format!("{n} {noun}s"),
                };
                if n_records > 0 {
                    parts.push(format!("{} not counted", plural(n_records, "record")));
                }
                if n_results > 0 {
                    parts.push(format!("{} not published", plural(n_results, "result")));
                }
            }
            Language::Zh => {
                if n_records > 0 {
                    parts.push(format!("{n_records} 条记录未计入"));
                }
                if n_results > 0 {
                    parts.push(format!("{n_results} 条结果未发布"));
                }
            }
        }
        let text = match (self.names.language, parts.is_empty()) {
            (Language::En, true) => "the job was cancelled, with nothing under way".to_owned(),
            (Language::En, false) => {
                format!("the job was cancelled, and owes nobody any more: {}", parts.join(", "))
            }
            (Language::Zh, true) => "作业被取消，没有未完的工作".to_owned(),
            (Language::Zh, false) => {
                format!("作业被取消：{}，都不必再完成", parts.join("，"))
            }
        };
        for (place, line) in wrap(&text, WIDTH - 2).into_iter().enumerate() {
            let sign = if place == 0 { "■ " } else { "  " };
            self.lines.push(vec![span(sign, Paint::Dim), span(line, Paint::Bold)]);
        }
        self.blank();
    }

    fn waiting(&self, waiting: &Waiting) -> String {
        let (names, language) = (self.names, self.names.language);
        match waiting {
            Waiting::ForRoom { task, channel } => match language {
                Language::En => {
                    format!("{} has no room on {}", names.task(*task), names.channel(*channel))
                }
                Language::Zh => {
                    format!("{}在 {} 上没有空位", names.task(*task), names.channel(*channel))
                }
            },
            Waiting::ForBarrier { task, checkpoint, channels } => {
                let from: Vec<SubtaskIndex> =
                    channels.iter().map(|channel| self.sender(*channel)).collect();
                let (who, barrier, from) =
                    (names.task(*task), names.barrier(*checkpoint), names.shorts(&from));
                match language {
                    Language::En => format!("{who} waits for {barrier} of {from}"),
                    Language::Zh => format!("{who}在等{from}的{barrier}"),
                }
            }
            Waiting::ForInput { task } => match language {
                Language::En => format!("{} waits for records", names.task(*task)),
                Language::Zh => format!("{}在等记录", names.task(*task)),
            },
            Waiting::ForResume { channel } => match language {
                Language::En => format!("{} waits to be told to go on", names.channel(*channel)),
                Language::Zh => format!("{} 在等继续发送的通知", names.channel(*channel)),
            },
            Waiting::ForLastCheckpoint { tasks } => {
                let verb = if tasks.len() == 1 { "waits" } else { "wait" };
                let tasks = names.shorts(tasks);
                match language {
                    Language::En => format!(
                        "{tasks} {verb} at the end for a checkpoint to finish with, and none is \
                         planned: give the scenario an interval, or one more under \"checkpoints\""
                    ),
                    Language::Zh => format!(
                        "{tasks}到了末尾，等一个检查点才能结束，而计划中已经没有：请给场景设置间隔，\
                         或在 \"checkpoints\" 里再加一个"
                    ),
                }
            }
            Waiting::ForAcknowledgement { checkpoint, tasks } => {
                let (which, tasks) = (names.checkpoint(*checkpoint), names.shorts(tasks));
                match language {
                    Language::En => format!("{which} waits for the acknowledgement of {tasks}"),
                    Language::Zh => format!("{which}在等{tasks}的确认"),
                }
            }
        }
    }

    fn sender(&self, channel: ChannelIndex) -> SubtaskIndex {
        self.result.scenario.graph.channels[channel.index()].from
    }

    pub(super) fn verdict(&mut self) {
        let Some(verdict) = &self.result.verdict else {
            let text = match self.names.language {
                Language::En => {
                    format!("? not judged: the run is longer than {JUDGED_STEPS_MAX} steps")
                }
                Language::Zh => format!("? 未评判：运行超过 {JUDGED_STEPS_MAX} 步"),
            };
            self.lines.push(vec![span(text, Paint::Bold)]);
            self.blank();
            return;
        };
        self.promise(verdict);
        self.cut(verdict);
        let state = [
            self.pick("state exactly once", "状态精确一次"),
            self.pick("state not exactly once", "状态不是精确一次"),
            self.pick("state", "状态"),
        ];
        let allows = |is_lossless: bool| match verdict.mode {
            CheckpointingMode::AtLeastOnce if is_lossless => Allowed::CountedTwice,
            _ => Allowed::Nothing,
        };
        let lossless = [&verdict.state, &verdict.output]
            .map(|judgement| judgement.n_lost == 0 && judgement.stale.is_empty());
        self.judgement(state, &verdict.state, (Self::counted, allows(lossless[0])));
        let output = [
            self.pick("output exactly once", "输出精确一次"),
            self.pick("output not exactly once", "输出不是精确一次"),
            self.pick("output", "输出"),
        ];
        self.judgement(output, &verdict.output, (Self::published, allows(lossless[1])));
        self.conduct(verdict);
        for limit in &verdict.limits {
            for line in wrap(&self.explainer().limit(limit), WIDTH - 4) {
                self.lines.push(vec![span(format!("  {line}"), Paint::Dim)]);
            }
        }
        for reason in &verdict.cannot_tell {
            let text = match (self.names.language, reason) {
                (Language::Zh, CannotTell::StateIsWrong) => "状态已经不对，输出不再评判".to_owned(),
                (Language::Zh, CannotTell::InFlight { n_records, n_results }) => {
                    format!(
                        "作业没有运行完：{n_records} 条记录尚未计入，{n_results} 条结果尚未发布"
                    )
                }
                _ => reason.to_string(),
            };
            self.lines.push(vec![span(format!("  {text}"), Paint::Dim)]);
        }
        self.blank();
    }

    /// What a job promises that does not promise exactly-once, and whether it
    /// has kept it.
    fn promise(&mut self, verdict: &Verdict) {
        if verdict.mode == CheckpointingMode::ExactlyOnce {
            return;
        }
        let twice: BTreeSet<_> = verdict
            .state
            .too_often
            .iter()
            .map(|one| (one.record.id.split, one.record.id.offset))
            .collect();
        let (n, is_twice) = (twice.len(), verdict.state.too_often.iter().all(|one| one.n == 2));
        let times = if is_twice { "twice" } else { "more than once" };
        let (sign, paint, label, text) = match (verdict.promise, self.names.language) {
            (Outcome::Holds, Language::En) => {
                let text = match n {
                    0 => "nothing is lost".to_owned(),
                    1 => {
                        format!("nothing is lost; 1 record counts {times}, which this mode allows")
                    }
                    n => {
                        format!(
                            "nothing is lost; {n} records count {times}, which this mode allows"
                        )
                    }
                };
                ("✓ ", Paint::Done, "at least once", text)
            }
            (Outcome::Holds, Language::Zh) => {
                let text = match n {
                    0 => "没有丢失".to_owned(),
                    n => format!("没有丢失；{n} 条记录重复计入，此模式允许"),
                };
                ("✓ ", Paint::Done, "至少一次", text)
            }
            (Outcome::Violated, Language::En) => {
                let text = "records may count twice after a restart; nothing else may be wrong";
                ("✗ ", Paint::Blocked, "not at least once", text.to_owned())
            }
            (Outcome::Violated, Language::Zh) => {
                let text = "此模式只允许重启后重复计入，不允许别的错误";
                ("✗ ", Paint::Blocked, "不是至少一次", text.to_owned())
            }
            (Outcome::CannotTell, Language::En) => {
                ("? ", Paint::Dim, "at least once", "nothing is known to be lost".to_owned())
            }
            (Outcome::CannotTell, Language::Zh) => {
                ("? ", Paint::Dim, "至少一次", "尚未发现丢失".to_owned())
            }
        };
        let text = format!("{}{text}", padded(label, 26));
        self.lines.push(vec![span(sign, paint), span(text, Paint::Plain)]);
    }

    /// What else is not as it must be, if nothing above shows it.
    fn conduct(&mut self, verdict: &Verdict) {
        if verdict.promise == Outcome::Violated || verdict.conduct.n_breaches() == 0 {
            return;
        }
        let language = self.names.language;
        let broken = |property: &&Property| verdict.conduct.n(**property) > 0;
        let broken = Property::ALL.iter().filter(broken);
        for property in broken {
            let text = explain::sentence(*property, language);
            let label = padded(self.pick("not so", "不成立"), 26);
            self.lines.push(vec![
                span("✗ ", Paint::Blocked),
                span(format!("{label}{text}"), Paint::Plain),
            ]);
        }
        let Some(text) = remedy::remedy(self.result.scenario, verdict, language) else { return };
        let mut label = self.pick("what to do", "怎么办");
        for line in wrap(text, WIDTH - 28) {
            let line = format!("  {}{line}", padded(std::mem::take(&mut label), 26));
            self.lines.push(vec![span(line, Paint::Plain)]);
        }
    }

    fn counted(&self, judgement: &Judgement) -> String {
        let Judgement { n, n_once, .. } = judgement;
        match self.names.language {
            Language::En => format!("{n_once} of {n} records count once"),
            Language::Zh => format!("{n} 条记录中 {n_once} 条恰好计入一次"),
        }
    }

    fn published(&self, judgement: &Judgement) -> String {
        let Judgement { n, n_once, .. } = judgement;
        match self.names.language {
            Language::En => format!("{n_once} of {n} results published once"),
            Language::Zh => format!("{n} 条结果中 {n_once} 条恰好发布一次"),
        }
    }

    fn judgement(
        &mut self,
        [yes, no, open]: [&str; 3],
        judgement: &Judgement,
        (count, allowed): (fn(&Self, &Judgement) -> String, Allowed),
    ) {
        let (sign, paint, words) = match judgement.outcome {
            Outcome::Holds => ("✓ ", Paint::Done, yes),
            Outcome::Violated if allowed == Allowed::CountedTwice => ("! ", Paint::Dim, no),
            Outcome::Violated => ("✗ ", Paint::Blocked, no),
            Outcome::CannotTell => ("? ", Paint::Dim, open),
        };
        let text = format!("{}{}", padded(words, 26), count(self, judgement));
        self.lines.push(vec![span(sign, paint), span(text, Paint::Plain)]);
        let too_often = self.pick("more than once: ", "不止一次：").to_owned();
        let lost = self.pick("lost: ", "丢失：").to_owned();
        let lists = [
            (too_often, &judgement.too_often, judgement.n_too_often),
            (lost, &judgement.lost, judgement.n_lost),
        ];
        for (label, list, n) in lists {
            if n > 0 {
                let text = format!("{label}{}", self.miscounts(list, n));
                for line in wrap(&self.names.tidy(&text), WIDTH - 28) {
                    self.lines.push(vec![span(format!("{}{line}", " ".repeat(28)), Paint::Plain)]);
                }
            }
        }
    }

    fn miscounts(&self, list: &[Miscount], n: u64) -> String {
        const SHOWN_MAX: usize = 8;
        let mut texts: Vec<String> = Vec::new();
        for miscount in list {
            let text = self.cause(&miscount.record.id);
            if !texts.contains(&text) {
                texts.push(text);
            }
            if texts.len() == SHOWN_MAX {
                break;
            }
        }
        let more = n.saturating_sub(list.len().min(SHOWN_MAX) as u64);
        if more > 0 && texts.len() == SHOWN_MAX {
            texts.push("…".to_owned());
        }
        texts.join(self.pick(", ", "、"))
    }

    /// An input record by its split and value.
    pub(super) fn cause(&self, id: &RecordId) -> String {
        self.explainer().record(id)
    }
}

impl<'a> Page<'a> {
    /// Who puts findings into words.
    pub(super) fn explainer(&self) -> Explainer<'a> {
        Explainer { names: self.names, seed: Some(self.result.seed) }
    }
}
