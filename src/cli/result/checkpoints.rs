//! The table of a run's checkpoints.

use unicode_width::UnicodeWidthStr;

use super::text::{Page, WIDTH, right, span, trim};
use crate::cli::run::Holdings;
use crate::model::{Language, SavepointFormatType, SnapshotState, SubtaskIndex};
use crate::render::text::{Paint, wrap};
use crate::sim::CheckpointReport;

impl Page<'_> {
    pub(super) fn checkpoints(&mut self) {
        let reports = &self.result.report.checkpoints;
        if reports.is_empty() {
            self.labelled(self.pick("checkpoints", "检查点"), self.pick("none", "无"));
            self.blank();
            return;
        }
        let heads = [
            self.pick("checkpoint", "检查点"),
            self.pick("triggered", "触发"),
            self.pick("completed", "完成"),
            self.pick("acknowledged", "确认"),
            self.pick("aligned for", "对齐耗时"),
            self.pick("holds", "存有"),
        ];
        let earlier = reports.len().saturating_sub(Holdings::KEPT_MAX);
        let rows: Vec<[String; 6]> =
            reports[earlier..].iter().map(|report| self.checkpoint(report)).collect();
        let widths: Vec<usize> = (0..6)
            .map(|column| {
                let cells = rows.iter().map(|row| row[column].width());
                cells.max().unwrap_or(0).max(heads[column].width())
            })
            .collect();
        let line = |cells: [&str; 6]| -> (String, String) {
            let mut text = String::new();
            for (column, cell) in cells.iter().enumerate().take(5) {
                text.push_str(&right(cell, widths[column]));
                text.push_str("   ");
            }
            (text, cells[5].to_owned())
        };
        let (head, holds) = line(heads);
        self.lines.push(vec![span(head + &holds, Paint::Dim)]);
        if earlier > 0 {
            let completed =
                reports[..earlier].iter().filter(|report| report.completed.is_some()).count();
            let text = match self.names.language {
                Language::En => format!("… {earlier} earlier ones, {completed} of them completed"),
                Language::Zh => format!("… 更早的 {earlier} 个，其中 {completed} 个完成"),
            };
            self.lines.push(vec![span(text, Paint::Dim)]);
        }
        for row in &rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            let (text, holds) = line(cells.try_into().expect("there are six cells"));
            let indent = text.width();
            let mut holds = wrap(&holds, WIDTH.saturating_sub(indent).max(24)).into_iter();
            self.lines.push(vec![span(text + &holds.next().unwrap_or_default(), Paint::Plain)]);
            for more in holds {
                self.lines.push(vec![span(" ".repeat(indent) + &more, Paint::Plain)]);
            }
        }
        for line in &mut self.lines {
            trim(line);
        }
        self.blank();
    }

    fn checkpoint(&self, report: &CheckpointReport) -> [String; 6] {
        let step = |step: u64| match self.names.language {
            Language::En => format!("step {step}"),
            Language::Zh => format!("第 {step} 步"),
        };
        let n_tasks = self.result.scenario.graph.subtasks.len();
        let completed = match (report.completed, report.aborted) {
            (Some((at, _)), _) => step(at),
            (None, Some(_)) => self.pick("given up", "放弃").to_owned(),
            (None, None) => "–".to_owned(),
        };
        let acknowledged = match self.names.language {
            Language::En => format!("{} of {n_tasks}", report.n_acknowledged),
            Language::Zh => format!("{}/{n_tasks}", report.n_acknowledged),
        };
        let holds: Vec<String> = self
            .result
            .holdings
            .of(report.triggered.0)
            .into_iter()
            .filter_map(|(task, state)| self.part(task, state))
            .collect();
        let mut holds = holds.join(" · ");
        if report.snapshot.is_savepoint() {
            holds = match (self.names.language, report.format) {
                (Language::En, SavepointFormatType::Canonical) => format!("a savepoint: {holds}"),
                (Language::En, SavepointFormatType::Native) => {
                    format!("a native savepoint: {holds}")
                }
                (Language::Zh, SavepointFormatType::Canonical) => format!("保存点：{holds}"),
                (Language::Zh, SavepointFormatType::Native) => format!("原生格式的保存点：{holds}"),
            };
        }
        let aligned = match report.alignment_max.0 {
            0 => "–".to_owned(),
            _ => report.alignment_max.to_string(),
        };
        [report.id.to_string(), step(report.triggered.0), completed, acknowledged, aligned, holds]
    }

    /// "blue 3": what a task has stored, as short as can be.
    fn part(&self, task: SubtaskIndex, state: &SnapshotState) -> Option<String> {
        let short = self.names.short(task);
        let text = match state {
            // A source subtask without a split.
            SnapshotState::Offsets(offsets) if offsets.is_empty() => return None,
            SnapshotState::Offsets(offsets) => {
                let offsets: Vec<String> =
                    offsets.iter().map(|(_, offset)| offset.to_string()).collect();
                format!("{short}\u{a0}{}", offsets.join("\u{a0}"))
            }
            SnapshotState::Stateless => return None,
            _ => self.names.stored(task, state)?,
        };
        Some(self.names.tidy(&text))
    }
}
