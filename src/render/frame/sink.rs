//! What a sink's box says: what the outside has seen, what is prepared, what
//! is still open.

use super::task::{PAD, Task};
use crate::model::{CheckpointId, Language, Record, SinkKind};
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect};
use crate::render::sheet::{Sheet, quiet, style};
use crate::render::symbols::{self, Look};
use crate::trace::SinkView;

/// From one record to the next.
const BETWEEN: f64 = 8.0;

/// What of a sink stands in one row, and what stood there before.
struct Row<'a> {
    label: &'a str,
    checkpoint: Option<CheckpointId>,
    now: &'a [Record],
    total: u64,
    /// How many there were in the row before this step.
    before: u64,
}

impl Task<'_> {
    pub(super) fn sink(&self, sheet: &mut Sheet<'_>, kind: SinkKind) {
        let (Some(now), Some(before)) = (&self.view().sink, &self.earlier().sink) else { return };
        match kind {
            SinkKind::Publish => self.written(sheet, now, before),
            SinkKind::Idempotent => self.upserted(sheet, now, before),
            SinkKind::Transactional => self.transactions(sheet, now, before),
        }
    }

    /// The first baseline below the name.
    fn label_y(&self) -> f64 {
        self.place.y + if self.sizes.compact { 62.0 } else { 82.0 }
    }

    /// How large records are here.
    fn chip(&self) -> (f64, f64) {
        let height: f64 = if self.sizes.compact { 34.0 } else { 44.0 };
        ((self.sizes.chip - 4.0).min(self.room()), height)
    }

    /// Everything written, in order, row by row; of very much the last rows.
    fn written(&self, sheet: &mut Sheet<'_>, now: &SinkView, before: &SinkView) {
        let records: Vec<Record> = now.published.last.iter().copied().collect();
        let (width, height) = self.chip();
        let per_row = (((self.room() + BETWEEN) / (width + BETWEEN)).floor() as u64).max(1);
        let top = self.label_y() + if self.sizes.compact { 12.0 } else { 20.0 };
        let room = self.place.bottom() - 12.0 - top;
        let n_rows = (((room + BETWEEN) / (height + BETWEEN)).floor() as u64).max(1);
        let total = now.published.count;
        let first_row = total.div_ceil(per_row).saturating_sub(n_rows);
        let first = first_row * per_row;
        let label = self.names.pick("written", "已写出");
        let end = self.label(sheet, label, first);
        debug_assert!(end <= self.place.right());
        let skipped = total - records.len() as u64;
        for (place, record) in records.iter().enumerate() {
            let number = skipped + place as u64;
            let Some(place) = number.checked_sub(first) else { continue };
            let (row, column) = (place / per_row, place % per_row);
            let x = self.place.x + PAD + column as f64 * (width + BETWEEN);
            let rect = Rect::new(x, top + row as f64 * (height + BETWEEN), width, height);
            self.record(sheet, rect, record, number >= before.published.count);
        }
    }

    /// The label of a sink's box, and how many records are no longer seen.
    fn label(&self, sheet: &mut Sheet<'_>, label: &str, earlier: u64) -> f64 {
        let (x, y) = (self.place.x + PAD, self.label_y());
        let size = if self.sizes.compact { 18.0 } else { 20.0 };
        let width = sheet.text(label, (x, y), quiet(size), self.room() * 0.55);
        if earlier > 0 {
            let text = match self.names.language {
                Language::En => format!("{earlier} earlier"),
                Language::Zh => format!("之前 {earlier} 条"),
            };
            let look = quiet(18.0).anchored(Anchor::End);
            sheet.text(&text, (self.place.right() - PAD, y), look, self.room() - width - 12.0);
        }
        x + width
    }

    fn record(&self, sheet: &mut Sheet<'_>, rect: Rect, record: &Record, is_new: bool) {
        let split = record.id.split.0;
        symbols::record(sheet, rect, (split, &record.value.to_string()), Look::Solid);
        if is_new {
            sheet.changed(rect.grown(-2.0), symbols::radius(sheet, rect, split));
        }
    }

    /// What the outside holds under each key.
    fn upserted(&self, sheet: &mut Sheet<'_>, now: &SinkView, before: &SinkView) {
        let (width, height) = self.chip();
        let operator = self.names.scenario.graph.subtasks[self.task.index()].operator;
        let top = self.label_y() + 12.0;
        let room = self.place.bottom() - 10.0 - top;
        let n_rows = ((room / (height + 6.0)).floor() as usize).max(1);
        let hidden = now.upserted.len().saturating_sub(n_rows * 2);
        self.label(sheet, self.names.pick("holds by key", "按键现有"), hidden as u64);
        let half = (self.room() - 12.0) / 2.0;
        for (place, (key, record)) in now.upserted.iter().enumerate().skip(hidden) {
            let place = place - hidden;
            let (row, column) = (place / 2, place % 2);
            let x = self.place.x + PAD + column as f64 * (half + 12.0);
            let y = top + row as f64 * (height + 6.0);
            let text = key.map_or("–".to_owned(), |key| self.names.key(operator, key));
            let own = width.min(half * 0.6);
            sheet.text(&text, (x, y + height / 2.0 + 7.0), quiet(18.0), half - own - 8.0);
            let rect = Rect::new(x + half - own, y, own, height);
            self.record(sheet, rect, record, before.upserted.get(key) != Some(record));
        }
    }

    /// Three rows: published, prepared, open.
    fn transactions(&self, sheet: &mut Sheet<'_>, now: &SinkView, before: &SinkView) {
        let names = self.names;
        let published: Vec<Record> = now.published.last.iter().copied().collect();
        let none = Vec::new();
        let open = now.open.as_ref().map_or(&none, |open| &open.records);
        let same = |id| before.open.as_ref().filter(|open| open.id == id);
        let open_before =
            now.open.as_ref().and_then(|open| same(open.id)).map_or(0, |open| open.records.len());
        let newest = now.prepared.last();
        let prepared = newest.map_or(&none, |(_, transaction)| &transaction.records);
        let known = newest
            .is_some_and(|(_, own)| before.prepared.iter().any(|(_, other)| other.id == own.id));
        let rows = [
            Row {
                label: names.pick("published", "已发布"),
                checkpoint: None,
                now: &published,
                total: now.published.count,
                before: before.published.count,
            },
            Row {
                label: names.pick("prepared", "预提交"),
                checkpoint: newest.map(|(checkpoint, _)| *checkpoint),
                now: prepared,
                total: prepared.len() as u64,
                before: if known { prepared.len() as u64 } else { 0 },
            },
            Row {
                label: names.pick("open", "未提交"),
                checkpoint: None,
                now: open,
                total: open.len() as u64,
                before: open_before as u64,
            },
        ];
        let top = self.place.y + if self.sizes.compact { 46.0 } else { 58.0 };
        let line = (self.place.bottom() - 8.0 - top) / 3.0;
        let more = now.prepared.len().saturating_sub(1);
        for (place, row) in rows.iter().enumerate() {
            self.row(sheet, row, (top + line * place as f64, line));
            if place == 1 && more > 0 {
                // Older ones, prepared and not committed either.
                let y = top + line * 1.5 + 24.0;
                let look = quiet(18.0);
                let text = format!("+{more}");
                sheet.text(&text, (self.place.x + PAD, y), look, 60.0);
            }
        }
    }

    fn row(&self, sheet: &mut Sheet<'_>, row: &Row<'_>, (top, height): (f64, f64)) {
        const LABEL: f64 = 88.0;
        let middle = top + height / 2.0;
        let (x, right) = (self.place.x + PAD, self.place.right() - PAD + 8.0);
        sheet.text(row.label, (x, middle + 6.0), quiet(18.0), LABEL);
        let mut left = x + LABEL + 6.0;
        if let Some(checkpoint) = row.checkpoint {
            let bar = Rect::new(left, middle - 17.0, 22.0, 34.0);
            symbols::barrier(sheet, bar, &checkpoint.to_string(), false);
            left += 28.0;
        }
        let width = if self.sizes.chip > 56.0 { self.sizes.chip - 4.0 } else { 46.0 };
        let high = 34.0_f64.min(height - 8.0);
        let all = (((right - left + 6.0) / (width + 6.0)).floor() as usize).max(1);
        let hides = row.total > all as u64;
        let n_shown = if hides { all.saturating_sub(1) } else { all }.min(row.now.len());
        if row.total == 0 {
            sheet.text("–", (left, middle + 7.0), quiet(20.0), 30.0);
        }
        if hides {
            let sign = if n_shown > 0 { "+" } else { "× " };
            let text = format!("{sign}{}", row.total - n_shown as u64);
            let place = Rect::new(left, middle - high / 2.0, width, high);
            sheet.label(&text, place, style(18.0, Weight::SemiBold, Ink::Quiet));
            left += width + 6.0;
        }
        for (place, record) in row.now[row.now.len() - n_shown..].iter().enumerate() {
            let number = row.total - (n_shown - place) as u64;
            let rect = Rect::new(left, middle - high / 2.0, width, high);
            self.record(sheet, rect, record, number >= row.before);
            left += width + 6.0;
        }
    }
}
