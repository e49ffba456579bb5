//! What became of a run, for people.

use unicode_width::UnicodeWidthStr;

use crate::cli::run::{RunResult, Shows};
use crate::cli::words;
use crate::model::{Language, OperatorKind, Record, SinkKind, SubtaskIndex};
use crate::narrate::Names;
use crate::render::text::{Frame, Paint, Span, wrap};
use crate::sim::{Ending, RecoveryReport};
use crate::trace::{FailureCause, SinkView, TaskStatus};

/// Columns of the text.
pub(super) const WIDTH: usize = 100;

/// The whole text.
pub(in crate::cli) fn text(result: &RunResult<'_>, language: Language) -> Frame {
    let names = Names::new(result.scenario, language).with_savepoints(&result.report.savepoints);
    let mut page = Page { lines: Vec::new(), names, result };
    page.title();
    page.start();
    page.checkpoints();
    page.metrics();
    if result.shows == Shows::ResultAndStorage {
        page.storage();
    }
    page.state();
    page.sinks();
    page.recoveries();
    page.kept();
    page.written();
    page.blank();
    page.ending();
    page.verdict();
    page.next();
    Frame { lines: page.lines, n_caption: 0 }
}

/// A text under construction.
pub(super) struct Page<'a> {
    pub(super) lines: Vec<Vec<Span>>,
    pub(super) names: Names<'a>,
    pub(super) result: &'a RunResult<'a>,
}

/// A piece of text.
pub(super) fn span(text: impl Into<String>, paint: Paint) -> Span {
    Span { text: text.into(), paint }
}

/// A text with blanks after it, up to a width.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// A text with blanks before it, up to a width.
pub(super) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(text.width())))
}

impl Page<'_> {
    pub(super) fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        words::pick(self.names.language, en, zh)
    }

    pub(super) fn blank(&mut self) {
        self.lines.push(Vec::new());
    }

    /// A line with a label at its left; more lines of the same text stand
    /// below each other.
    pub(super) fn labelled(&mut self, label: &str, text: &str) {
        const LABEL: usize = 13;
        for (number, line) in wrap(text, WIDTH - LABEL).into_iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            self.lines.push(vec![span(padded(label, LABEL), Paint::Dim), span(line, Paint::Plain)]);
        }
    }

    fn title(&mut self) {
        let title = self.result.scenario.title.of(self.names.language);
        let title = if title.is_empty() { &self.result.scenario.name } else { title };
        let (steps, seed, at) =
            (self.result.report.n_steps, self.result.seed, self.result.report.ended_at);
        let place = match self.names.language {
            Language::En => format!("{steps} steps · {at} · seed {seed}"),
            Language::Zh => format!("{steps} 步 · {at} · 种子 {seed}"),
        };
        let title: String = wrap(title, WIDTH - place.width() - 2).swap_remove(0);
        let gap = WIDTH - title.width() - place.width();
        self.lines.push(vec![
            span(title, Paint::Bold),
            span(" ".repeat(gap), Paint::Plain),
            span(place, Paint::Dim),
        ]);
        self.blank();
    }

    fn state(&mut self) {
        let graph = &self.result.scenario.graph;
        let texts: Vec<String> = graph
            .subtask_indices()
            .filter(|task| graph.operator(*task).kind.key_selector().is_some())
            .map(|task| {
                let entries: Vec<_> = self.result.view.tasks[task.index()]
                    .state
                    .iter()
                    .map(|(key, value)| (*key, *value))
                    .collect();
                format!("{}\u{a0}{}", self.names.short(task), self.names.keyed(task, &entries))
            })
            .collect();
        if !texts.is_empty() {
            self.labelled(self.pick("state", "状态"), &texts.join(" · "));
        }
    }

    fn sinks(&mut self) {
        let graph = &self.result.scenario.graph;
        let tasks: Vec<SubtaskIndex> = graph
            .subtask_indices()
            .filter(|task| matches!(graph.operator(*task).kind, OperatorKind::Sink(_)))
            .collect();
        let widest = tasks.iter().map(|task| self.names.task(*task).width()).max().unwrap_or(0);
        for (number, task) in tasks.iter().enumerate() {
            let label = if number == 0 { self.pick("output", "输出") } else { "" };
            let mut line = vec![
                span(padded(label, 13), Paint::Dim),
                span(padded(self.names.task(*task), widest + 2), Paint::Plain),
            ];
            if let Some(sink) = &self.result.view.tasks[task.index()].sink {
                self.sink(*task, sink, &mut line);
            }
            trim(&mut line);
            self.lines.push(line);
        }
    }

    /// What a sink has published, as much of its end as fits.
    fn sink(&self, task: SubtaskIndex, sink: &SinkView, line: &mut Vec<Span>) {
        let used: usize = line.iter().map(|span| span.text.width()).sum();
        let operator = self.result.scenario.graph.subtasks[task.index()].operator;
        let holds_keys = self.result.scenario.graph.operator(task).kind
            == OperatorKind::Sink(SinkKind::Idempotent);
        let values: Vec<(String, Paint)> = if holds_keys {
            let entry = |(key, record): (&Option<crate::model::Key>, &Record)| {
                let value = record.value.to_string();
                let text = key.map_or(value.clone(), |key| self.names.entry(operator, key, &value));
                (text.replace('\u{a0}', " "), Paint::Split(record.id.split.0))
            };
            sink.upserted.iter().map(entry).collect()
        } else {
            let value =
                |record: &Record| (record.value.to_string(), Paint::Split(record.id.split.0));
            sink.published.last.iter().map(value).collect()
        };
        let total = if holds_keys { values.len() as u64 } else { sink.published.count };
        let mut room = WIDTH.saturating_sub(used + 12);
        let mut n_shown = 0;
        for (text, _) in values.iter().rev() {
            if text.width() + 1 > room {
                break;
            }
            room -= text.width() + 1;
            n_shown += 1;
        }
        let earlier = total - n_shown as u64;
        if earlier > 0 {
            line.push(span(format!("+{earlier} "), Paint::Dim));
        }
        for (text, paint) in &values[values.len() - n_shown..] {
            line.push(span(text, *paint));
            line.push(span(" ", Paint::Plain));
        }
        let kept: usize =
            sink.prepared.iter().map(|(_, transaction)| transaction.records.len()).sum::<usize>()
                + sink.open.as_ref().map_or(0, |open| open.records.len());
        if kept > 0 {
            let text = match self.names.language {
                Language::En => format!("({kept} not published)"),
                Language::Zh => format!("（{kept} 条未发布）"),
            };
            line.push(span(text, Paint::Dim));
        }
    }

    fn recoveries(&mut self) {
        let recoveries = &self.result.report.recoveries;
        let mut label = self.pick("recoveries", "恢复");
        if recoveries.is_empty() {
            self.labelled(label, self.pick("none", "无"));
        }
        let is_cancelled = self.result.ending == Ending::Canceled;
        const SHOWN_MAX: usize = 10;
        for recovery in recoveries.iter().take(SHOWN_MAX) {
            let (mut failed, step) = (self.failed(recovery), recovery.noticed.0);
            if let Some(region) = &recovery.region {
                let tasks = self.names.shorts(region);
                failed = match self.names.language {
                    Language::En => format!("{failed} in the region of {tasks}"),
                    Language::Zh => format!("{tasks}所在区域的{failed}"),
                };
            }
            let text = match (self.names.language, recovery.restarted) {
                (Language::En, Some((at, _, Some(id)))) => {
                    format!(
                        "step {step}: {failed}; step {at}: restarted from {}",
                        self.names.checkpoint(id)
                    )
                }
                (Language::En, Some((at, _, None))) => {
                    format!("step {step}: {failed}; step {at}: restarted from the beginning")
                }
                (Language::En, None) if is_cancelled => {
                    format!("step {step}: {failed}; cancelled before the restart")
                }
                (Language::En, None) => format!("step {step}: {failed}, with no restart"),
                (Language::Zh, Some((at, _, Some(id)))) => {
                    format!(
                        "第 {step} 步：{failed}；第 {at} 步：从{}重启",
                        self.names.checkpoint(id)
                    )
                }
                (Language::Zh, Some((at, _, None))) => {
                    format!("第 {step} 步：{failed}；第 {at} 步：从头重启")
                }
                (Language::Zh, None) if is_cancelled => {
                    format!("第 {step} 步：{failed}；重启之前被取消")
                }
                (Language::Zh, None) => format!("第 {step} 步：{failed}，没有重启"),
            };
            self.labelled(label, &self.names.tidy(&text));
            label = "";
        }
        if recoveries.len() > SHOWN_MAX {
            let more = recoveries.len() - SHOWN_MAX;
            let text = match self.names.language {
                Language::En => format!("… and {more} more"),
                Language::Zh => format!("… 另有 {more} 次"),
            };
            self.labelled("", &text);
        }
    }

    /// What has failed.
    fn failed(&self, recovery: &RecoveryReport) -> String {
        let attempt = self.names.attempt(recovery.failed);
        match (self.names.language, &recovery.cause) {
            (_, None) => self.pick("the JobManager crashed", "JobManager 崩溃").to_owned(),
            (Language::En, Some(FailureCause::TaskFailed { .. })) => format!("{attempt} failed"),
            (Language::Zh, Some(FailureCause::TaskFailed { .. })) => format!("{attempt}失败"),
            (Language::En, Some(FailureCause::TooManyFailedCheckpoints { .. })) => {
                format!("{attempt} failed by its checkpoints")
            }
            (Language::Zh, Some(FailureCause::TooManyFailedCheckpoints { .. })) => {
                format!("{attempt}因检查点失败而失败")
            }
        }
    }

    fn next(&mut self) {
        let crashed = self.result.view.tasks.iter().any(|task| task.status == TaskStatus::Crashed);
        let name = &self.result.scenario.name;
        let hint = if crashed || !self.result.report.recoveries.is_empty() {
            self.pick("see the failure step by step", "逐步看故障与恢复")
        } else {
            self.pick("see it step by step", "逐步观看")
        };
        let label = self.pick("next: ", "接下来：");
        self.lines.push(vec![
            span(label, Paint::Dim),
            span(padded(&format!("checkdam walk {name}   "), 30), Paint::Plain),
            span(hint, Paint::Dim),
        ]);
    }
}

/// Takes blanks from the end of a line.
pub(super) fn trim(line: &mut Vec<Span>) {
    while let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            return;
        }
        line.pop();
    }
}
