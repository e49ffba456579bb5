//! One channel on one line: what waits in the sender's output buffer, what is
//! on the wire, what waits at the receiver; each with the first to leave at
//! its right.
//!
//! A local channel is one box: its receiver takes straight from the sender's
//! output buffer.

use std::collections::{BTreeMap, VecDeque};

use super::measures::token;
use super::plan::{GATE, INSET, Sizes, Zone};
use crate::model::{ChannelIndex, ChannelKind, Message, Record, StreamElement};
use crate::narrate::Names;
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, Stroke};
use crate::render::sheet::{HAIRLINE, Sheet, quiet, style};
use crate::render::symbols::{self, Look};
use crate::trace::{ChannelView, View};

/// What is drawn of one channel.
pub(super) struct Lane<'a> {
    pub(super) names: Names<'a>,
    pub(super) channel: ChannelIndex,
    pub(super) now: &'a View,
    pub(super) before: &'a View,
    pub(super) sizes: Sizes,
    pub(super) zone: Zone,
    /// The height of its line.
    pub(super) y: f64,
    /// Under its left end; none where its place says whose it is.
    pub(super) label: Option<String>,
    /// Under its right end: what a blocked channel waits for, in words that
    /// become fewer; the first that fit are said.
    pub(super) notes: Vec<String>,
}

/// One compartment: where it is, and what is in it.
struct Compartment<'m> {
    from: f64,
    to: f64,
    now: &'m VecDeque<Message>,
    before: &'m VecDeque<Message>,
    /// How many of the first have overtaken the rest, now and before.
    overtaken: (usize, usize),
}

impl Lane<'_> {
    fn view(&self) -> &ChannelView {
        &self.now.channels[self.channel.index()]
    }

    fn earlier(&self) -> &ChannelView {
        &self.before.channels[self.channel.index()]
    }

    /// Draws it.
    pub(super) fn draw(&self, sheet: &mut Sheet<'_>) {
        let kind = self.names.scenario.graph.channels[self.channel.index()].kind;
        let (view, earlier) = (self.view(), self.earlier());
        let is_blocked = view.blocked.is_some();
        let Zone { output, wire, input, gap, .. } = self.zone;
        let end = gap - if self.zone.gate { GATE + 2.0 } else { INSET };
        let buffer = |from: f64, to: f64| Compartment {
            from,
            to,
            now: &view.buffer,
            before: &earlier.buffer,
            overtaken: (view.buffer_priority, earlier.buffer_priority),
        };
        match kind {
            ChannelKind::Local => {
                self.case(sheet, (output, gap), is_blocked);
                self.contents(sheet, &buffer(output, end));
            }
            ChannelKind::Remote => {
                self.case(sheet, (output, wire), is_blocked && !view.buffer.is_empty());
                sheet.scene.line((wire, self.y), (input, self.y), Stroke::new(Ink::Edge, 2.0));
                self.case(sheet, (input, gap), is_blocked);
                self.contents(sheet, &buffer(output, wire - INSET));
                self.contents(
                    sheet,
                    &Compartment {
                        from: wire,
                        to: input,
                        now: &view.wire,
                        before: &earlier.wire,
                        overtaken: (0, 0),
                    },
                );
                self.contents(
                    sheet,
                    &Compartment {
                        from: input,
                        to: end,
                        now: &view.queue,
                        before: &earlier.queue,
                        overtaken: (view.queue_priority, earlier.queue_priority),
                    },
                );
            }
        }
        self.entrance(sheet);
        self.labels(sheet);
        if view.blocked != earlier.blocked {
            let left = if kind == ChannelKind::Local { output } else { input };
            sheet.changed(self.rect(left, gap), 10.0);
        }
    }

    fn rect(&self, from: f64, to: f64) -> Rect {
        Rect::new(from, self.y - self.sizes.lane / 2.0, to - from, self.sizes.lane)
    }

    fn case(&self, sheet: &mut Sheet<'_>, (from, to): (f64, f64), is_blocked: bool) {
        let rect = self.rect(from, to);
        if is_blocked {
            sheet.scene.hatch(rect, 10.0, Stroke::new(Ink::Edge, 2.0));
        } else {
            sheet.framed(rect, 10.0, (Ink::Panel, HAIRLINE));
        }
    }

    /// The arrow into the task, or the padlock and the barrier that blocks.
    fn entrance(&self, sheet: &mut Sheet<'_>) {
        let Zone { gap, end, .. } = self.zone;
        match self.view().blocked {
            Some(checkpoint) => {
                symbols::padlock(sheet, ((gap + end) / 2.0, self.y));
                let (width, height) = self.sizes.barrier;
                let place = Rect::around((gap - GATE / 2.0, self.y), width, height);
                symbols::barrier(sheet, place, &checkpoint.to_string(), false);
            }
            None => sheet.arrow((gap, self.y), (end - 2.0, self.y), Stroke::new(Ink::Edge, 2.0)),
        }
    }

    fn labels(&self, sheet: &mut Sheet<'_>) {
        let Zone { output, gap, .. } = self.zone;
        let y = self.y + self.sizes.lane / 2.0 + if self.sizes.compact { 18.0 } else { 27.0 };
        let mut left = output;
        if let Some(label) = &self.label {
            let room = if self.notes.is_empty() { gap - output } else { (gap - output) * 0.5 };
            left += sheet.text(label, (output, y), quiet(18.0), room) + 20.0;
        }
        let look = style(18.0, Weight::Medium, Ink::Text).anchored(Anchor::End);
        let fits = |note: &&String| sheet.width(note, look) <= gap - left;
        if let Some(note) = self.notes.iter().find(fits).or(self.notes.last()) {
            sheet.text(note, (gap, y), look, gap - left);
        }
    }

    /// The elements of a compartment, the first at the right. What does not fit
    /// is counted at the left, and no barrier among it is hidden.
    fn contents(&self, sheet: &mut Sheet<'_>, place: &Compartment<'_>) {
        let slot = self.sizes.slot();
        let is_wire = self.zone.wire <= place.from && place.from < self.zone.input;
        let width = place.to - place.from;
        let n_slots = if is_wire { width / slot } else { width / slot + 0.01 };
        let n_slots = (n_slots.floor() as usize).max(1);
        // A wire's places are spread over it; those in a box stand close.
        let middle = |rank: usize| match is_wire {
            true => place.to - (rank as f64 + 0.5) * width / n_slots as f64,
            false => place.to - rank as f64 * slot - self.sizes.chip / 2.0,
        };
        let n_shown = if place.now.len() > n_slots { n_slots - 1 } else { place.now.len() };
        let known: BTreeMap<u64, bool> = place
            .before
            .iter()
            .enumerate()
            .map(|(rank, message)| (message.number, rank < place.overtaken.1))
            .collect();
        for (rank, message) in place.now.iter().enumerate().take(n_shown) {
            let overtakes = rank < place.overtaken.0;
            let is_new = known.get(&message.number).is_none_or(|had| !had && overtakes);
            self.element(sheet, (middle(rank), &message.element), overtakes, is_new);
        }
        if n_shown < place.now.len() {
            let hidden: Vec<&Message> = place.now.iter().skip(n_shown).collect();
            let is_new = hidden.iter().any(|message| !known.contains_key(&message.number));
            self.hidden(sheet, middle(n_shown), &hidden, is_new);
        }
    }

    fn element(
        &self,
        sheet: &mut Sheet<'_>,
        (x, element): (f64, &StreamElement),
        overtakes: bool,
        is_new: bool,
    ) {
        let chip = Rect::around((x, self.y), self.sizes.chip, self.sizes.record);
        let bar = Rect::around((x, self.y), self.sizes.barrier.0, self.sizes.barrier.1);
        let (place, radius) = match element {
            StreamElement::Record(record) => {
                let split = record.id.split.0;
                symbols::record(sheet, chip, (split, &record.value.to_string()), Look::Solid);
                if self.is_kept(record) {
                    keep(sheet, chip);
                }
                (chip, symbols::radius(sheet, chip, split))
            }
            StreamElement::Barrier(barrier) => {
                let overtakes = overtakes || barrier.options.is_unaligned();
                symbols::barrier(sheet, bar, &barrier.checkpoint.to_string(), overtakes);
                (bar, 4.0)
            }
            StreamElement::CancelMarker(checkpoint) => {
                let place = Rect::around((x, self.y), chip.width.min(56.0), bar.height);
                symbols::token(sheet, place, &format!("✗{checkpoint}"), Ink::Barrier);
                (place, 4.0)
            }
            other => {
                symbols::token(sheet, chip, token(other, self.names.language), Ink::Quiet);
                (chip, 4.0)
            }
        };
        if is_new {
            sheet.changed(place, radius);
        }
    }

    /// Whether a pending checkpoint keeps a copy of a record in this channel.
    fn is_kept(&self, record: &Record) -> bool {
        let mut pending = self.now.checkpoints.iter().filter(|view| !view.completed);
        pending.any(|view| {
            let state = &view.in_flight[self.channel.index()];
            state.input.contains(record) || state.output.contains(record)
        })
    }

    /// How many more there are, and the first barrier among them.
    fn hidden(&self, sheet: &mut Sheet<'_>, x: f64, hidden: &[&Message], is_new: bool) {
        let chip = Rect::around((x, self.y), self.sizes.chip, self.sizes.record);
        let barriers: Vec<_> = hidden
            .iter()
            .filter_map(|message| match &message.element {
                StreamElement::Barrier(barrier) => Some(barrier),
                _ => None,
            })
            .collect();
        let n = hidden.len() - usize::from(!barriers.is_empty());
        let mut room = chip;
        if let Some(barrier) = barriers.first() {
            let height = self.sizes.barrier.1;
            let place = Rect::new(chip.x - 6.0, self.y - height / 2.0, 22.0, height);
            let overtakes = barrier.options.is_unaligned();
            symbols::barrier(sheet, place, &barrier.checkpoint.to_string(), overtakes);
            room = Rect::new(chip.x + 16.0, chip.y, chip.width - 14.0, chip.height);
        }
        if n > 0 {
            sheet.label(&format!("+{n}"), room, style(20.0, Weight::SemiBold, Ink::Quiet));
        }
        if is_new {
            sheet.changed(chip, 6.0);
        }
    }
}

/// A corner in orange: a checkpoint keeps a copy.
fn keep(sheet: &mut Sheet<'_>, chip: Rect) {
    let place = Rect::around((chip.right() - 3.0, chip.y + 3.0), 14.0, 14.0);
    let (x, y) = place.middle();
    let diamond = [(x, y - 8.0), (x + 8.0, y), (x, y + 8.0), (x - 8.0, y)];
    let rim = Stroke::new(Ink::Page, 2.0);
    let path = crate::render::scene::polygon(&diamond);
    sheet.scene.mark(path, Some(Ink::Barrier), Some(rim));
}
