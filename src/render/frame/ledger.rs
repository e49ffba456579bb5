//! What the two strips say: who has acknowledged which checkpoint, and what
//! the storage holds of it.

use super::strips::{Cell, Strips};
use crate::model::{Language, Record, SnapshotState, SubtaskIndex};
use crate::narrate::Names;
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, Stroke};
use crate::render::sheet::{HAIRLINE, Sheet, quiet, style};
use crate::render::symbols::{self, Look};
use crate::trace::{CheckpointView, JobStatus, View};

/// The contents of both strips.
pub(super) struct Ledger<'a> {
    pub(super) names: Names<'a>,
    pub(super) now: &'a View,
    pub(super) before: &'a View,
    pub(super) strips: &'a Strips,
}

/// How far a task is with a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Answer {
    None,
    Waiting,
    Acknowledged,
    Notified,
}

impl Ledger<'_> {
    /// Draws both.
    pub(super) fn draw(&self, sheet: &mut Sheet<'_>) {
        sheet.part();
        let (own, storage) = (self.strips.job_manager(), self.strips.storage());
        let is_gone = self.now.status == JobStatus::Suspended;
        let edge = Stroke::new(Ink::Edge, 2.0);
        let edge = if is_gone { edge.dashed(8.0, 6.0) } else { edge };
        sheet.framed(own, 12.0, (Ink::Page, edge));
        sheet.framed(storage, 12.0, (Ink::Panel, HAIRLINE));
        for (x, spans) in self.strips.rules() {
            for (top, bottom) in spans {
                sheet.scene.line((x, top), (x, bottom), HAIRLINE);
            }
        }
        if is_gone {
            sheet.scene.fade(0.4);
        }
        sheet.part();
        self.job_manager_heading(sheet);
        self.storage_heading(sheet);
        for slot in 0..self.strips.n_slots {
            self.slot(sheet, slot);
        }
        sheet.scene.fade(1.0);
        if is_gone {
            symbols::crash(sheet, (own.middle().0, own.middle().1));
        }
        if (self.before.status == JobStatus::Suspended) != is_gone {
            sheet.changed(own, 12.0);
        }
    }

    /// Pending checkpoints, the oldest first; where there are fewer than lines,
    /// the newest completed one before them.
    fn checkpoint<'v>(&self, view: &'v View, slot: usize) -> Option<&'v CheckpointView> {
        let pending: Vec<_> = view.checkpoints.iter().filter(|own| !own.completed).collect();
        let mut slots = Vec::new();
        if pending.len() < self.strips.n_slots {
            slots.extend(view.checkpoints.iter().rfind(|own| own.completed));
        }
        slots.extend(pending);
        slots.get(slot).copied()
    }

    fn job_manager_heading(&self, sheet: &mut Sheet<'_>) {
        let names = self.names;
        let (x, y) = (self.strips.heading_x(), self.strips.job_manager().y);
        let room = self.strips.left_room();
        sheet.text("JobManager", (x, y + 38.0), style(26.0, Weight::SemiBold, Ink::Text), room);
        let line = |view: &View, slot: usize| {
            let Some(own) = self.checkpoint(view, slot) else {
                let none = names.pick("no checkpoint pending", "没有进行中的检查点");
                return if slot == 0 { none.to_owned() } else { String::new() };
            };
            let word = match own.completed {
                true => names.pick("complete: ", "已完成："),
                false => names.pick("pending: ", "进行中："),
            };
            format!("{word}{}", names.checkpoint(own.id))
        };
        for slot in 0..self.strips.n_slots {
            let y = self.strips.pending_y(slot);
            let look = style(20.0, Weight::Medium, Ink::Text);
            let width = sheet.text(&line(self.now, slot), (x, y), look, room);
            if line(self.now, slot) != line(self.before, slot) {
                sheet.changed(Rect::new(x - 2.0, y - 17.0, width.max(40.0) + 4.0, 21.0), 5.0);
            }
        }
        let ((x, y), anchor) = self.strips.completed();
        let look = quiet(20.0).anchored(anchor);
        let width = sheet.text(&self.completed(self.now), (x, y), look, room);
        if self.now.completed != self.before.completed {
            let left = if anchor == Anchor::End { x - width } else { x };
            sheet.changed(Rect::new(left - 2.0, y - 17.0, width + 4.0, 21.0), 5.0);
        }
    }

    /// The newest completed checkpoints.
    fn completed(&self, view: &View) -> String {
        const SHOWN_MAX: usize = 5;
        let newest = view.completed.iter().rev().take(SHOWN_MAX).rev();
        let ids: Vec<String> = newest.map(ToString::to_string).collect();
        let more = if view.completed.len() > SHOWN_MAX { "…, " } else { "" };
        let list = if ids.is_empty() { "–".to_owned() } else { ids.join(", ") };
        format!("{}{more}{list}", self.names.pick("completed: ", "已完成："))
    }

    fn storage_heading(&self, sheet: &mut Sheet<'_>) {
        let names = self.names;
        let (x, y) = (self.strips.heading_x(), self.strips.storage().y);
        let room = self.strips.left_room();
        let look = style(26.0, Weight::SemiBold, Ink::Text);
        let width = sheet.text(names.pick("Storage", "存储"), (x, y + 36.0), look, room);
        symbols::drum(sheet, (x + width + 18.0, y + 16.0));
        for slot in 0..self.strips.n_slots {
            let text = match (self.checkpoint(self.now, slot), names.language) {
                (None, _) if slot > 0 => continue,
                (None, _) => names.pick("holds nothing", "空").to_owned(),
                (Some(own), Language::En) => format!("what checkpoint {} holds", own.id),
                (Some(own), Language::Zh) => format!("检查点 {} 存有", own.id),
            };
            let (at, anchor) = self.strips.stored_heading(slot);
            sheet.text(&text, at, quiet(20.0).anchored(anchor), room);
        }
        if self.strips.in_flight {
            let (at, anchor) = self.strips.stored_heading(self.strips.n_slots);
            let text = names.pick("and in flight", "及在途数据");
            sheet.text(text, at, quiet(20.0).anchored(anchor), room);
        }
    }

    fn slot(&self, sheet: &mut Sheet<'_>, slot: usize) {
        let now = self.checkpoint(self.now, slot);
        let before = self.checkpoint(self.before, slot);
        if !self.strips.has_columns() {
            return self.counted(sheet, slot, now);
        }
        let graph = &self.names.scenario.graph;
        for task in graph.subtask_indices() {
            sheet.part();
            if slot == 0 {
                let cell = self.strips.name(task);
                sheet.text(self.names.task(task), cell.start(), quiet(20.0), cell.room());
                if let Some(cell) = self.strips.storage_name(task) {
                    sheet.text(self.names.task(task), cell.start(), quiet(18.0), cell.room());
                }
            }
            if let (Some(places), Some(own)) = (self.strips.gutter(task, slot), now) {
                for place in places {
                    symbols::barrier(sheet, place, &own.id.to_string(), false);
                }
            }
            let cell = self.strips.status(task, slot);
            self.answer(sheet, cell, answer(now, task));
            // A line that another checkpoint has taken changes with its heading.
            let same = now.map(|own| own.id) == before.map(|own| own.id);
            if answer(now, task) != answer(before, task)
                && (same || answer(now, task) > Answer::Waiting)
            {
                sheet.changed(cell.outline(), 8.0);
            }
            let cell = self.strips.stored(task, slot);
            let text = self.stored(now, task);
            self.holding(sheet, cell, &text);
            let is_new = text != self.stored(before, task) || !same;
            if is_new && now.is_some_and(|own| own.stored[task.index()].is_some()) {
                sheet.changed(cell.outline(), 8.0);
            }
        }
        if self.strips.in_flight && slot + 1 == self.strips.n_slots {
            // The newest checkpoint is the one whose barriers overtake.
            let newest = (0..=slot).rev().find_map(|slot| self.checkpoint(self.now, slot));
            let id = newest.map(|own| own.id);
            let mut known = self.before.checkpoints.iter();
            let known = known.find(|own| Some(own.id) == id);
            for task in graph.subtask_indices() {
                self.ghosts(sheet, task, (newest, known));
            }
        }
    }

    fn answer(&self, sheet: &mut Sheet<'_>, cell: Cell, answer: Answer) {
        let names = self.names;
        let (x, y) = cell.start();
        let said = style(22.0, Weight::SemiBold, Ink::Done);
        let (text, look, left) = match answer {
            Answer::None => ("–", quiet(22.0), 0.0),
            Answer::Waiting => (names.pick("waiting", "等待"), quiet(22.0), 0.0),
            Answer::Acknowledged => (names.pick("acknowledged", "已确认"), said, 32.0),
            Answer::Notified => (names.pick("notified", "已通知"), said, 44.0),
        };
        if left > 0.0 {
            symbols::tick(sheet, (x + 1.0, y - 8.0));
        }
        if answer == Answer::Notified {
            symbols::tick(sheet, (x + 13.0, y - 8.0));
        }
        sheet.text(text, (x + left, y), look, cell.room() - left);
    }

    /// What the storage holds of a task, in words.
    fn stored(&self, checkpoint: Option<&CheckpointView>, task: SubtaskIndex) -> String {
        let names = self.names;
        let Some(state) = checkpoint.and_then(|own| own.stored[task.index()].as_ref()) else {
            return "–".to_owned();
        };
        let graph = &names.scenario.graph;
        match state {
            SnapshotState::Offsets(offsets) => match offsets.as_slice() {
                [] => "–".to_owned(),
                [(_, offset)] => format!("{} {offset}", names.pick("offset", "偏移量")),
                several => {
                    let texts: Vec<String> = several
                        .iter()
                        .map(|(split, offset)| format!("{} {offset}", names.split(*split)))
                        .collect();
                    texts.join(names.pick(", ", "、"))
                }
            },
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries)
                if entries.is_empty() =>
            {
                names.pick("empty", "空").to_owned()
            }
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries)
                if names.names_keys(task) =>
            {
                names.keyed(task, entries)
            }
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                let operator = graph.subtasks[task.index()].operator;
                format!("{} {}", names.operator(operator), names.keyed(task, entries))
            }
            SnapshotState::Stateless => names.pick("no state", "无状态").to_owned(),
            SnapshotState::Transactions(list) => {
                let n = list.len();
                match names.language {
                    Language::En => format!("{n} prepared"),
                    Language::Zh => format!("预提交 {n} 个"),
                }
            }
        }
    }

    fn holding(&self, sheet: &mut Sheet<'_>, cell: Cell, text: &str) {
        let weak = ["–", "no state", "无状态", "empty", "空"].contains(&text);
        let look = if weak { quiet(24.0) } else { style(24.0, Weight::SemiBold, Ink::Text) };
        let smallest = crate::render::scene::Style { size: 18.0, ..look };
        let n = text.split([',', '、']).count();
        if n > 1 && sheet.width(text, smallest) > cell.room() {
            // What does not fit is counted; the frame's description has it all.
            let counted = match self.names.language {
                Language::En => format!("{n} keys"),
                Language::Zh => format!("{n} 个键"),
            };
            sheet.text(&counted, cell.start(), look, cell.room());
            return;
        }
        sheet.text(text, cell.start(), look, cell.room());
    }

    /// Copies of the records in flight that a task's part of a checkpoint
    /// holds, the first to be processed first.
    fn ghosts(
        &self,
        sheet: &mut Sheet<'_>,
        task: SubtaskIndex,
        (now, before): (Option<&CheckpointView>, Option<&CheckpointView>),
    ) {
        let records = self.in_flight(now, task);
        let n_known = self.in_flight(before, task).len();
        let cell = self.strips.stored(task, self.strips.n_slots);
        let (x, y) = cell.start();
        if records.is_empty() {
            if now.is_some() {
                sheet.text("–", (x, y), quiet(22.0), 30.0);
            }
            return;
        }
        const HEIGHT: f64 = 34.0;
        let widest = records.iter().map(|record| {
            sheet.width(&record.value.to_string(), style(18.0, Weight::SemiBold, Ink::Text))
        });
        let width = (widest.fold(0.0, f64::max) + 14.0).max(38.0);
        let all = (((cell.room() + 6.0) / (width + 6.0)).floor() as usize).max(1);
        let shown = if records.len() > all { all.saturating_sub(1) } else { records.len() };
        for (place, record) in records[..shown].iter().enumerate() {
            let left = x + place as f64 * (width + 6.0);
            let rect = Rect::new(left, y - 25.0, width, HEIGHT);
            let split = record.id.split.0;
            symbols::record(sheet, rect, (split, &record.value.to_string()), Look::Ghost);
        }
        if shown < records.len() {
            let left = x + shown as f64 * (width + 6.0);
            let rect = Rect::new(left, y - 25.0, width, HEIGHT);
            let text = format!("+{}", records.len() - shown);
            sheet.label(&text, rect, style(20.0, Weight::SemiBold, Ink::Quiet));
        }
        if records.len() > n_known {
            let n = if shown < records.len() { shown + 1 } else { shown };
            let width = n as f64 * (width + 6.0) - 6.0;
            sheet.changed(Rect::new(x, y - 25.0, width, HEIGHT).grown(-2.0), 6.0);
        }
    }

    /// Records of the receiving ends of a task's inputs, then of the sending
    /// ends of its outputs.
    fn in_flight(&self, checkpoint: Option<&CheckpointView>, task: SubtaskIndex) -> Vec<Record> {
        let Some(checkpoint) = checkpoint else { return Vec::new() };
        let subtask = &self.names.scenario.graph.subtasks[task.index()];
        let inputs = subtask.inputs.iter().map(|own| &checkpoint.in_flight[own.index()].input);
        let outputs = subtask.outputs.iter().flat_map(|output| &output.channels);
        let outputs = outputs.map(|own| &checkpoint.in_flight[own.index()].output);
        inputs.chain(outputs).flatten().copied().collect()
    }

    /// Of very many tasks only how many have acknowledged and stored.
    fn counted(&self, sheet: &mut Sheet<'_>, slot: usize, checkpoint: Option<&CheckpointView>) {
        let Some(checkpoint) = checkpoint else { return };
        let names = self.names;
        let (own, storage) = self.strips.heading(slot);
        let n = names.scenario.graph.subtasks.len();
        let done = checkpoint.acknowledged.iter().filter(|yes| **yes).count();
        let stored = checkpoint.stored.iter().flatten().count();
        let (acknowledged, parts) = match names.language {
            Language::En => {
                (format!("{done} of {n} tasks have acknowledged"), format!("{stored} of {n} parts"))
            }
            Language::Zh => {
                (format!("{n} 个任务中 {done} 个已确认"), format!("{n} 份中已存 {stored} 份"))
            }
        };
        let (x, room) = self.strips.counts();
        let ink = if done == n { Ink::Done } else { Ink::Text };
        sheet.text(&acknowledged, (x, own), style(22.0, Weight::SemiBold, ink), room);
        sheet.text(&parts, (x, storage), style(22.0, Weight::SemiBold, Ink::Text), room);
    }
}

fn answer(checkpoint: Option<&CheckpointView>, task: SubtaskIndex) -> Answer {
    match checkpoint {
        None => Answer::None,
        Some(own) if own.notified[task.index()] => Answer::Notified,
        Some(own) if own.acknowledged[task.index()] => Answer::Acknowledged,
        Some(_) => Answer::Waiting,
    }
}
