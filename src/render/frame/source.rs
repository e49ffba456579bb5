//! What a source's box says: its splits as tapes, what has been read of them,
//! and where the newest snapshot stands.

use super::plan::SPLITS_MAX;
use super::task::{PAD, Task};
use crate::model::{CheckpointId, Language, SnapshotState, SplitIndex};
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, SIZE_MIN, rounded};
use crate::render::sheet::{Sheet, quiet, style};
use crate::render::symbols::{self, Look};
use crate::trace::View;

/// A tape's place: left end, top, height of its cells, and room.
#[derive(Clone, Copy)]
struct Tape {
    x: f64,
    y: f64,
    height: f64,
    room: f64,
}

impl Task<'_> {
    pub(super) fn source(&self, sheet: &mut Sheet<'_>) {
        let splits = &self.names.scenario.graph.subtasks[self.task.index()].splits;
        let Rect { x, y, .. } = self.place;
        match splits.as_slice() {
            [] => {
                let text = self.names.pick("has no split to read", "没有可读的分片");
                sheet.label(text, self.place.grown(-PAD), quiet(20.0));
            }
            [only] => {
                let middle = y + self.place.height / 2.0;
                let (top, height, below) = match self.sizes.compact {
                    true => (middle - 6.0, 36.0, 14.0),
                    false => (middle - 17.0, 44.0, 32.0),
                };
                let tape = Tape { x: x + PAD, y: top, height, room: self.room() };
                self.tape(sheet, (0, *only), tape);
                self.offset(sheet, *only, self.place.bottom() - below);
            }
            several => {
                let line = 52.0;
                let first = y + if self.sizes.compact { 58.0 } else { 66.0 };
                for (position, split) in several.iter().enumerate().take(SPLITS_MAX) {
                    let top = first + line * position as f64;
                    if position + 1 == SPLITS_MAX && several.len() > SPLITS_MAX {
                        let rest = several.len() - position;
                        let text = match self.names.language {
                            Language::En => format!("+ {rest} more splits"),
                            Language::Zh => format!("另有 {rest} 个分片"),
                        };
                        sheet.text(&text, (x + PAD, top + 24.0), quiet(20.0), self.room());
                        break;
                    }
                    symbols::swatch(sheet, Rect::new(x + PAD, top + 8.0, 18.0, 18.0), split.0);
                    let name = self.names.split(*split);
                    let at = (x + PAD + 26.0, top + 24.0);
                    let own = style(18.0, Weight::SemiBold, Ink::Text);
                    let room = self.room() * 0.4;
                    sheet.text(name, at, own, room - 34.0);
                    let tape =
                        Tape { x: x + PAD + room, y: top, height: 34.0, room: self.room() - room };
                    self.tape(sheet, (position, *split), tape);
                }
            }
        }
    }

    /// The newest checkpoint that holds a position of this source in a split,
    /// and the position.
    fn held(&self, view: &View, split: SplitIndex) -> Option<(CheckpointId, u32)> {
        view.checkpoints.iter().rev().find_map(|checkpoint| {
            let Some(SnapshotState::Offsets(offsets)) = &checkpoint.stored[self.task.index()]
            else {
                return None;
            };
            let offset = offsets.iter().find(|(own, _)| *own == split)?.1;
            Some((checkpoint.id, offset))
        })
    }

    /// What has been read of a split, what comes next, and the line of the
    /// newest snapshot. Of a long split a page is seen; it turns when its end
    /// has been read.
    fn tape(&self, sheet: &mut Sheet<'_>, (position, split): (usize, SplitIndex), tape: Tape) {
        const BETWEEN: f64 = 10.0;
        let values = &self.names.scenario.graph.split(split).values;
        let text = |offset: u32| values.value(offset, split.0, self.seed).to_string();
        let (offset, before) = (self.view().offsets[position], self.earlier().offsets[position]);
        let longest = (1..=values.len().min(400)).map(|n| text(n).chars().count()).max();
        let cell = (longest.unwrap_or(1) as f64 * 12.5 + 12.0).max(tape.height * 0.73).ceil();
        let room = tape.room + BETWEEN;
        let all = ((room / (cell + BETWEEN)).floor() as u32).max(1);
        let fits = values.len() <= all;
        let per_page =
            if fits { all } else { ((room - 40.0) / (cell + BETWEEN)).floor().max(1.0) as u32 };
        let page = if fits || offset == 0 { 0 } else { (offset - 1) / per_page };
        let first = page * per_page + 1;
        let last = (first + per_page - 1).min(values.len());
        let mut x = tape.x;
        if first > 1 {
            sheet.text("…", (x, tape.y + tape.height * 0.65), quiet(20.0), 18.0);
        }
        if !fits {
            x += 22.0;
        }
        let held = self.held(self.now, split);
        let edge =
            |offset: u32| x + f64::from(offset + 1 - first) * (cell + BETWEEN) - BETWEEN / 2.0;
        for n in first..=last {
            let left = x + f64::from(n - first) * (cell + BETWEEN);
            let place = Rect::new(left, tape.y, cell, tape.height);
            let look = if n <= offset { Look::Read } else { Look::Unread };
            symbols::record(sheet, place, (split.0, &text(n)), look);
            if (n <= offset) != (n <= before) {
                sheet.changed(place.grown(-2.0), symbols::radius(sheet, place, split.0));
            }
        }
        if last < values.len() {
            let at = (edge(last) + 4.0, tape.y + tape.height * 0.65);
            sheet.text("…", at, quiet(20.0), 18.0);
        }
        if let Some((checkpoint, position)) = held.filter(|(_, at)| (first - 1..=last).contains(at))
        {
            let bar = Rect::new(edge(position) - 3.0, tape.y - 8.0, 6.0, tape.height + 16.0);
            sheet.scene.fill(rounded(bar, 2.0), Ink::Barrier);
            if tape.height > 35.0 {
                let look = style(18.0, Weight::Bold, Ink::Barrier).anchored(Anchor::Middle);
                sheet.text(
                    &checkpoint.to_string(),
                    (edge(position), bar.y - if self.sizes.compact { 3.0 } else { 5.0 }),
                    look,
                    60.0,
                );
            }
            if self.held(self.before, split) != held {
                sheet.changed(bar, 2.0);
            }
        }
    }

    fn offset(&self, sheet: &mut Sheet<'_>, split: SplitIndex, y: f64) {
        let values = &self.names.scenario.graph.split(split).values;
        let offset = self.view().offsets[0];
        let label = self.names.pick("offset", "偏移量");
        let size = if self.sizes.compact { 20.0 } else { 22.0 };
        let look = style(size, Weight::SemiBold, Ink::Text);
        let left = self.place.x + PAD;
        let width = sheet.text(&format!("{label} {offset}"), (left, y), look, self.room());
        if !self.status_word().is_empty() {
            return;
        }
        let next = if offset < values.len() {
            let value = values.value(offset + 1, split.0, self.seed);
            format!("{} {value}", self.names.pick("next", "下个"))
        } else {
            self.names.pick("all read", "已读完").to_owned()
        };
        // A number that is cut says nothing.
        let look = quiet(size).anchored(Anchor::End);
        let room = self.room() - width - 12.0;
        if sheet.width(&next, quiet(SIZE_MIN)) <= room {
            sheet.text(&next, (self.place.right() - PAD, y), look, room);
        }
    }
}
