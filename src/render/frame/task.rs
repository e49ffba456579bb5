//! One task as a box: its name, what it holds, how far it is with a barrier.

use super::plan::Sizes;
use crate::model::{MapFunction, OperatorKind, Predicate, StreamElement, SubtaskIndex};
use crate::narrate::Names;
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, Stroke, Style, rounded};
use crate::render::sheet::{HAIRLINE, Sheet, quiet, style};
use crate::render::symbols::{self, Look};
use crate::trace::{TaskStatus, TaskView, View};

/// What is drawn of one task.
pub(super) struct Task<'a> {
    pub(super) names: Names<'a>,
    pub(super) seed: u64,
    pub(super) now: &'a View,
    pub(super) before: &'a View,
    pub(super) task: SubtaskIndex,
    pub(super) sizes: Sizes,
    pub(super) place: Rect,
}

/// From a box's edge to its texts.
pub(super) const PAD: f64 = 20.0;

impl Task<'_> {
    pub(super) fn view(&self) -> &TaskView {
        &self.now.tasks[self.task.index()]
    }

    pub(super) fn earlier(&self) -> &TaskView {
        &self.before.tasks[self.task.index()]
    }

    /// Draws it.
    pub(super) fn draw(&self, sheet: &mut Sheet<'_>) {
        let graph = &self.names.scenario.graph;
        let status = self.view().status;
        let is_dead = matches!(status, TaskStatus::Crashed | TaskStatus::Cancelled);
        let is_worker = !graph.is_source(self.task)
            && !matches!(graph.operator(self.task).kind, OperatorKind::Sink(_));
        let edge = match (is_dead, is_worker) {
            (true, _) => Stroke::new(Ink::Edge, 2.0).dashed(8.0, 6.0),
            (false, true) => Stroke::new(Ink::Edge, 2.0),
            (false, false) => HAIRLINE,
        };
        let fill = if is_worker { Ink::Page } else { Ink::Panel };
        sheet.framed(self.place, 12.0, (fill, edge));
        if is_dead {
            sheet.scene.fade(0.4);
        }
        self.name(sheet);
        match &graph.operator(self.task).kind {
            OperatorKind::Source { .. } => self.source(sheet),
            OperatorKind::Sink(kind) => self.sink(sheet, *kind),
            kind => self.worker(sheet, kind),
        }
        sheet.scene.fade(1.0);
        self.status_tag(sheet);
        if status == TaskStatus::Crashed {
            symbols::crash(sheet, self.place.middle());
        }
        if status != self.earlier().status {
            sheet.changed(self.place, 12.0);
        }
    }

    /// The baseline of the name.
    fn name_y(&self) -> f64 {
        self.place.y + if self.sizes.compact { 34.0 } else { 44.0 }
    }

    /// The width of the texts.
    pub(super) fn room(&self) -> f64 {
        self.place.width - 2.0 * PAD
    }

    fn name(&self, sheet: &mut Sheet<'_>) {
        let (mut x, y) = (self.place.x + PAD, self.name_y());
        let mut room = self.room();
        let splits = &self.names.scenario.graph.subtasks[self.task.index()].splits;
        if let [only] = splits.as_slice() {
            symbols::swatch(sheet, Rect::new(x, y - 20.0, 22.0, 22.0), only.0);
            (x, room) = (x + 34.0, room - 34.0);
        }
        if let OperatorKind::Sink(_) = self.names.scenario.graph.operator(self.task).kind {
            room -= self.progress_of_sink(sheet, y);
        }
        sheet.text(
            self.names.task(self.task),
            (x, y),
            style(if self.sizes.compact { 24.0 } else { 26.0 }, Weight::SemiBold, Ink::Text),
            room,
        );
    }

    /// On the lower edge: what keeps a task from running.
    fn status_tag(&self, sheet: &mut Sheet<'_>) {
        let word = self.status_word();
        if word.is_empty() {
            return;
        }
        let look = style(18.0, Weight::Medium, Ink::Text);
        let width = sheet.width(word, look) + 20.0;
        let right = self.place.right() - 14.0;
        let tag = Rect::new(right - width, self.place.bottom() - 20.0, width, 22.0);
        sheet.framed(tag, 11.0, (Ink::Page, Stroke::new(Ink::Edge, 1.5)));
        sheet.label(word, tag, look);
    }

    /// What keeps a task from running.
    pub(super) fn status_word(&self) -> &'static str {
        let (en, zh) = match self.view().status {
            TaskStatus::Running => ("", ""),
            TaskStatus::Initializing => ("restoring", "恢复中"),
            TaskStatus::Crashed => ("crashed", "已崩溃"),
            TaskStatus::Cancelled => ("cancelled", "已取消"),
            TaskStatus::Finished => ("finished", "已结束"),
        };
        match self.names.language {
            crate::model::Language::En => en,
            crate::model::Language::Zh => zh,
        }
    }

    /// A sink's alignment, at the right end of its name's line. Gives its width.
    fn progress_of_sink(&self, sheet: &mut Sheet<'_>, y: f64) -> f64 {
        let Some(aligning) = self.view().aligning else { return 0.0 };
        let text = format!("{}/{}", aligning.n_received, aligning.n_needed);
        let look = style(18.0, Weight::Medium, Ink::Barrier).anchored(Anchor::End);
        let right = self.place.right() - PAD;
        let width = sheet.text(&text, (right, y), look, 60.0);
        let bar = Rect::new(right - width - 30.0, y - 24.0, 22.0, 32.0);
        symbols::barrier(sheet, bar, &aligning.checkpoint.to_string(), false);
        if self.earlier().aligning != self.view().aligning {
            sheet.changed(Rect::new(bar.x, bar.y, width + 30.0, bar.height), 6.0);
        }
        width + 42.0
    }

    /// A task between the sources and the sinks: name, state, barriers.
    fn worker(&self, sheet: &mut Sheet<'_>, kind: &OperatorKind) {
        let Rect { x, y, width, .. } = self.place;
        let (top, bottom) = match self.sizes.compact {
            true => (y + 46.0, self.place.bottom() - 38.0),
            false => (y + 66.0, self.place.bottom() - 58.0),
        };
        for line in [top, bottom] {
            sheet.scene.line((x + PAD, line), (x + width - PAD, line), HAIRLINE);
        }
        let middle = Rect::new(x + PAD, top, self.room(), bottom - top);
        let rest = self.in_hand(sheet, middle);
        if kind.key_selector().is_some() {
            self.state(sheet, rest);
        } else {
            let text = function(kind, self.names);
            sheet.label(&text, rest, style(26.0, Weight::Regular, Ink::Quiet));
        }
        let baseline = self.place.bottom() - if self.sizes.compact { 13.0 } else { 24.0 };
        self.progress(sheet, (x + PAD, baseline));
    }

    /// The record that a task works on, and the room that is left for the rest.
    fn in_hand(&self, sheet: &mut Sheet<'_>, room: Rect) -> Rect {
        let spec = self.names.scenario.graph.spec(self.task);
        if spec.service.is_none() {
            return room;
        }
        // Its place is kept free while there is none.
        let chip = Rect::new(
            room.x,
            room.bottom() - 8.0 - self.sizes.record,
            self.sizes.chip.min(room.width * 0.45),
            self.sizes.record,
        );
        if let Some((_, message)) = self.view().in_hand {
            let element = message.element;
            if let StreamElement::Record(record) = element {
                let split = record.id.split.0;
                symbols::record(sheet, chip, (split, &record.value.to_string()), Look::Solid);
                let is_new = self.earlier().in_hand != self.view().in_hand;
                if is_new {
                    sheet.changed(chip, symbols::radius(sheet, chip, split));
                }
            }
            let label = self.names.pick("works on", "处理中");
            let y = chip.y - 8.0;
            let fits = sheet.width(label, quiet(18.0)) <= chip.width + 12.0;
            if y - 16.0 > room.y && fits {
                sheet.text(label, (room.x, y), quiet(18.0), room.width * 0.55);
            }
        }
        let left = chip.width + 10.0;
        Rect::new(room.x + left, room.y, room.width - left, room.height)
    }

    fn state(&self, sheet: &mut Sheet<'_>, room: Rect) {
        let names = self.names;
        let (now, before) = (&self.view().state, &self.earlier().state);
        if names.names_keys(self.task) {
            return self.table(sheet, room);
        }
        let entries: Vec<_> = now.iter().map(|(key, value)| (*key, *value)).collect();
        let text = names.keyed(self.task, &entries);
        let size = if self.sizes.compact { 46.0 } else { 60.0 };
        let label = names.pick("state", "状态");
        let look = Style::new(size, Weight::SemiBold, Ink::Text).anchored(Anchor::End);
        let right = room.right() - if room.width > 120.0 { 12.0 } else { 2.0 };
        let label_width = sheet.width(label, quiet(20.0));
        let has_label = room.width > label_width + 90.0;
        let value_room = right - room.x - if has_label { label_width + 12.0 } else { 0.0 };
        let fitting = sheet.fitting(&text, look, value_room);
        let (_, middle) = room.middle();
        let baseline = (middle + 0.364 * fitting).round();
        if has_label {
            sheet.text(label, (room.x, (middle + 9.0).round()), quiet(20.0), label_width);
        }
        let look = Style { size: fitting, ..look };
        let width = sheet.text(&text, (right, baseline), look, value_room);
        if now != before {
            let height = fitting * 1.2;
            let box_ = Rect::new(right - width - 8.0, middle - height / 2.0, width + 16.0, height);
            sheet.changed(box_.grown(-4.0), 8.0);
        }
    }

    /// A state that names its keys, one a line.
    fn table(&self, sheet: &mut Sheet<'_>, room: Rect) {
        const LINE: f64 = 32.0;
        let names = self.names;
        let operator = names.scenario.graph.subtasks[self.task.index()].operator;
        let state = &self.view().state;
        let n_lines = ((room.height - 4.0) / LINE).floor() as usize;
        let is_more = state.len() > n_lines;
        let shown = if is_more { n_lines.saturating_sub(1) } else { state.len() };
        let used = LINE * (shown + usize::from(is_more)) as f64;
        let mut y = room.y + (room.height - used) / 2.0 + 24.0;
        if state.is_empty() {
            return sheet.label("–", room, style(26.0, Weight::SemiBold, Ink::Quiet));
        }
        // Those that have changed must be seen; of the others the first.
        let changed = |entry: &(&_, &_)| self.earlier().state.get(entry.0) != Some(entry.1);
        let (mut entries, quiet_ones): (Vec<_>, Vec<_>) = state.iter().partition(changed);
        entries.truncate(shown);
        let free = shown - entries.len();
        entries.extend(quiet_ones.into_iter().take(free));
        entries.sort_unstable_by_key(|(key, _)| **key);
        for (key, value) in entries {
            let value_text = names.state_value(value);
            let look = style(24.0, Weight::SemiBold, Ink::Text).anchored(Anchor::End);
            let right = room.right() - 4.0;
            let width = sheet.text(&value_text, (right, y), look, room.width * 0.65);
            let key_room = room.width - width - 14.0;
            sheet.text(&names.key(operator, *key), (room.x, y), quiet(20.0), key_room);
            if self.earlier().state.get(key) != Some(value) {
                let place = Rect::new(right - width, y - 19.0, width, 22.0);
                sheet.changed(place.grown(-1.0), 4.0);
            }
            y += LINE;
        }
        if is_more {
            let rest = state.len() - shown;
            let text = match names.language {
                crate::model::Language::En => format!("+ {rest} more keys"),
                crate::model::Language::Zh => format!("另有 {rest} 个键"),
            };
            let text = match sheet.width(&text, quiet(18.0)) <= room.width {
                true => text,
                false => format!("+ {rest}"),
            };
            sheet.text(&text, (room.x, y), quiet(18.0), room.width);
        }
    }

    /// How far a task is with a checkpoint.
    pub(super) fn progress(&self, sheet: &mut Sheet<'_>, at: (f64, f64)) {
        if self.view().status != TaskStatus::Running {
            return;
        }
        let line = |view: &TaskView| -> (String, Ink) {
            let names = self.names;
            let en = names.language == crate::model::Language::En;
            match (view.aligning, view.copying, view.storing.first(), view.snapshot) {
                (Some(own), ..) => {
                    let (n, needed) = (own.n_received, own.n_needed);
                    let text = if en {
                        format!("barriers: {n} of {needed}")
                    } else {
                        format!("屏障：{n} / {needed}")
                    };
                    (text, Ink::Barrier)
                }
                (None, Some(own), ..) => {
                    let word = names.pick("copying no.", "复制快照");
                    (format!("{word} {own}"), Ink::Barrier)
                }
                (None, None, Some(own), _) => {
                    let word = names.pick("storing no.", "存储快照");
                    (format!("{word} {own}"), Ink::Barrier)
                }
                (None, None, None, Some(own)) => {
                    (format!("{} {own}", names.pick("snapshot", "快照")), Ink::Done)
                }
                (None, None, None, None) => (String::new(), Ink::Quiet),
            }
        };
        let (text, ink) = line(self.view());
        let mut x = at.0;
        if ink == Ink::Done {
            symbols::tick(sheet, (x + 1.0, at.1 - 6.0));
            x += 28.0;
        }
        let room = self.place.right() - 8.0 - x;
        let width = sheet.text(&text, (x, at.1), style(18.0, Weight::Medium, ink), room);
        if line(self.earlier()) != (text, ink) {
            let right = x + width.max(60.0);
            let place = Rect::new(at.0 - 4.0, at.1 - 18.0, right - at.0 + 8.0, 24.0);
            sheet.changed(place.grown(-1.0), 5.0);
        }
    }
}

/// What a task without state does to a record.
fn function(kind: &OperatorKind, names: Names<'_>) -> String {
    match kind {
        OperatorKind::Map(MapFunction::Add(n)) => format!("+ {n}"),
        OperatorKind::Map(MapFunction::Multiply(n)) => format!("× {n}"),
        OperatorKind::Filter(Predicate::Even) => names.pick("even only", "只放行偶数").to_owned(),
        OperatorKind::Filter(Predicate::Odd) => names.pick("odd only", "只放行奇数").to_owned(),
        OperatorKind::Filter(Predicate::Above(n)) => format!("> {n}"),
        OperatorKind::Filter(Predicate::Below(n)) => format!("< {n}"),
        _ => String::new(),
    }
}

/// A box for the tasks that have no place of their own, with their number.
pub(super) fn more(
    sheet: &mut Sheet<'_>,
    (names, n): (Names<'_>, usize),
    (place, is_changed): (Rect, bool),
) {
    sheet.scene.mark(rounded(place, 12.0), Some(Ink::Panel), Some(HAIRLINE));
    let text = match names.language {
        crate::model::Language::En => format!("+ {n} more tasks"),
        crate::model::Language::Zh => format!("另有 {n} 个任务"),
    };
    let room = Rect::new(place.x + 8.0, place.y, place.width - 16.0, place.height);
    sheet.label(&text, room, style(22.0, Weight::Regular, Ink::Quiet));
    if is_changed {
        sheet.changed(place, 12.0);
    }
}
