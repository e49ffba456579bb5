//! The table of how a run's checkpoints were taken, in the words of Flink's
//! web interface: only where it says more than that barriers were aligned.

use unicode_width::UnicodeWidthStr;

use super::text::{Page, WIDTH, padded, right, span};
use crate::cli::run::Holdings;
use crate::model::{CheckpointingMode, Config, Language, Micros, Record, SnapshotMetrics};
use crate::render::text::Paint;
use crate::sim::CheckpointReport;

/// How a checkpoint's barriers behaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// They held nothing back.
    AtLeastOnce,
    /// They held their channels back.
    Aligned,
    /// At some task they overtook records, or could have.
    Unaligned,
}

impl Kind {
    pub(super) fn of(config: &Config, metrics: &SnapshotMetrics) -> Self {
        match (config.mode, metrics.unaligned) {
            (CheckpointingMode::AtLeastOnce, _) => Self::AtLeastOnce,
            (CheckpointingMode::ExactlyOnce, false) => Self::Aligned,
            (CheckpointingMode::ExactlyOnce, true) => Self::Unaligned,
        }
    }

    /// The word in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AtLeastOnce => "at-least-once",
            Self::Aligned => "aligned",
            Self::Unaligned => "unaligned",
        }
    }
}

/// Records in flight that a checkpoint holds.
pub(super) fn n_persisted(metrics: &SnapshotMetrics) -> u64 {
    metrics.bytes_persisted_during_alignment / Record::BYTES
}

impl Page<'_> {
    /// The table, if there is more to say than the table of checkpoints does.
    pub(super) fn metrics(&mut self) {
        let reports = &self.result.report.checkpoints;
        let reports = &reports[reports.len().saturating_sub(Holdings::KEPT_MAX)..];
        let config = &self.result.scenario.config;
        let plain = |report: &CheckpointReport| {
            let SnapshotMetrics { sync_duration, async_duration, .. } = report.metrics;
            Kind::of(config, &report.metrics) == Kind::Aligned
                && sync_duration == Micros::ZERO
                && async_duration == Micros::ZERO
        };
        if !config.unaligned && reports.iter().all(plain) {
            return;
        }
        let heads = [
            self.pick("checkpoint", "检查点"),
            self.pick("kind", "类型"),
            self.pick("end to end", "端到端"),
            self.pick("start delay", "启动延迟"),
            self.pick("alignment", "对齐"),
            self.pick("sync", "同步"),
            self.pick("async", "异步"),
            self.pick("persisted in flight", "持久化的在途数据"),
        ]
        .map(str::to_owned);
        let mut rows = vec![heads];
        rows.extend(reports.iter().map(|report| self.taken(report)));
        let widths: Vec<usize> = (0..8)
            .map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0))
            .collect();
        // Closer together where it would be too wide.
        let all: usize = widths.iter().sum();
        let gap = (WIDTH.saturating_sub(all) / 7).clamp(1, 3);
        for (number, row) in rows.iter().enumerate() {
            let mut text = String::new();
            for (column, cell) in row.iter().enumerate() {
                text.push_str(&match column {
                    1 => padded(cell, widths[column]),
                    7 => cell.clone(),
                    _ => right(cell, widths[column]),
                });
                text.push_str(&" ".repeat(gap));
            }
            let paint = if number == 0 { Paint::Dim } else { Paint::Plain };
            self.lines.push(vec![span(text.trim_end(), paint)]);
        }
        let note = self.pick(
            "(each duration at the task where it was longest)",
            "（各项耗时均取最长的那个任务）",
        );
        self.lines.push(vec![span(note, Paint::Dim)]);
        self.blank();
    }

    fn taken(&self, report: &CheckpointReport) -> [String; 8] {
        let metrics = &report.metrics;
        let kind = match Kind::of(&self.result.scenario.config, metrics) {
            Kind::AtLeastOnce => self.pick("at least once", "至少一次"),
            Kind::Aligned => self.pick("aligned", "对齐"),
            Kind::Unaligned => self.pick("unaligned", "非对齐"),
        };
        let took = |duration: Micros| match duration {
            Micros::ZERO => "–".to_owned(),
            _ => duration.to_string(),
        };
        let end_to_end = report
            .completed
            .map_or("–".to_owned(), |(_, at)| Micros(at.0 - report.triggered.1.0).to_string());
        let bytes = metrics.bytes_persisted_during_alignment;
        let persisted = match (self.names.language, n_persisted(metrics)) {
            (_, 0) => "–".to_owned(),
            (Language::En, 1) => format!("1 record ({bytes} B)"),
            (Language::En, n) => format!("{n} records ({bytes} B)"),
            (Language::Zh, n) => format!("{n} 条记录（{bytes} B）"),
        };
        [
            report.id.to_string(),
            kind.to_owned(),
            end_to_end,
            took(metrics.start_delay),
            took(metrics.alignment_duration),
            took(metrics.sync_duration),
            took(metrics.async_duration),
            persisted,
        ]
    }
}
