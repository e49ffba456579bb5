//! One stave of a space-time diagram: every lifeline over some steps.

use std::collections::BTreeMap;

use super::cut;
use super::events::{Band, Events, Kind, Message, Phase, PhaseKind, Sighting, What, band};
use super::places::{CHIP, DIAMOND, Places, chip_width, reaches};
use super::{BAND, BANDS_MAX, INSET, LEFT, MARGIN, RIGHT, Range};
use crate::model::{CheckpointId, Time};
use crate::narrate::{Names, Story};
use crate::render::font::{Font, Weight};
use crate::render::scene::{Anchor, Ink, Rect, Segment, Stroke, polygon, rounded};
use crate::render::sheet::{HAIRLINE, Sheet, style};
use crate::render::symbols::{self, Look};

/// A cut that is seen whole, with the places of its points.
pub(super) type Cut = (CheckpointId, Vec<(f64, f64)>);

/// Every lifeline over some steps.
pub(super) struct Stave<'a> {
    pub(super) story: &'a Story,
    pub(super) names: Names<'a>,
    font: &'a Font,
    pub(super) events: Events,
    pub(super) places: Places,
    pub(super) range: Range,
    pub(super) n_bands: usize,
    pitch: f64,
    pub(super) top: f64,
}

impl<'a> Stave<'a> {
    /// A stave with room for what is drawn in it, and for the same in another
    /// language, if there is to be.
    pub(super) fn new(
        story: &'a Story,
        names: Names<'a>,
        (font, mut events, other): (&'a Font, Events, Option<Events>),
        (range, is_only): (Range, bool),
    ) -> Self {
        let n_tasks = story.scenario.graph.subtasks.len();
        let n_bands = n_tasks.min(BANDS_MAX) + 1;
        let (room, most) = if is_only { (618.0, 180.0) } else { (470.0, 96.0) };
        let pitch = (room / (n_bands - 1) as f64).clamp(64.0, most).floor();
        events.keep(n_bands, range.first);
        let mut times: BTreeMap<u64, Time> = BTreeMap::new();
        let mut seen: Vec<u64> = events.sightings.iter().map(|own| own.step).collect();
        seen.extend(events.messages.iter().flat_map(|own| [own.from.0, own.to.0]));
        seen.extend(events.phases.iter().flat_map(|own| [own.from, own.to]));
        for step in seen {
            if step >= range.first && range.last.is_none_or(|last| step <= last) {
                let at = (step > 0).then(|| story.kept(step).at);
                times.insert(step, at.unwrap_or(Time::ZERO));
            }
        }
        let room = (LEFT + INSET, RIGHT - INSET);
        let mut own = reaches(&events, font);
        let is_in_both = other.is_some();
        if let Some(mut other) = other {
            other.keep(n_bands, range.first);
            for (own, other) in own.iter_mut().zip(reaches(&other, font)) {
                *own = (own.0.max(other.0), own.1.max(other.1));
            }
        }
        let places = Places::new((&events, &own), &times, room, pitch);
        let places = if is_in_both { places.rounded() } else { places };
        Self { story, names, font, events, places, range, n_bands, pitch, top: 0.0 }
    }

    /// The middle of a lifeline.
    fn y(&self, band: Band) -> f64 {
        self.top + BAND / 2.0 + self.pitch * band as f64
    }

    /// The lower edge of the last lifeline.
    pub(super) fn bottom(&self) -> f64 {
        self.y(self.n_bands - 1) + BAND / 2.0
    }

    /// Draws it, with the names before the lifelines.
    pub(super) fn draw(&self, sheet: &mut Sheet<'_>) {
        let cuts = self.cuts();
        if let Some((_, points)) = cuts.last() {
            self.past(sheet, points);
        }
        // Barriers over everything else that travels.
        let (barriers, others): (Vec<&Message>, Vec<&Message>) =
            self.events.messages.iter().partition(|own| own.kind == Kind::Barrier);
        for message in others.into_iter().chain(barriers) {
            self.message(sheet, message);
        }
        self.bands(sheet);
        for (_, points) in &cuts {
            sheet.scene.fade(0.3);
            sheet.scene.stroke(self.ribbon(points), Stroke::new(Ink::Barrier, 16.0).rounded());
            sheet.scene.fade(1.0);
        }
        for phase in &self.events.phases {
            self.phase(sheet, phase);
        }
        for (place, sighting) in self.events.sightings.iter().enumerate() {
            if let Some(x) = self.places.x(sighting.step) {
                self.sighting(sheet, x + self.places.offset[place], sighting);
            }
        }
        self.names(sheet);
    }

    /// How long a phase is on the page.
    pub(super) fn length(&self, phase: &Phase) -> f64 {
        let from = self.places.x(phase.from.max(self.range.first));
        let to = self.places.x(phase.to.min(self.places.last));
        from.zip(to).map_or(0.0, |(from, to)| to - from)
    }

    /// The cuts that are seen whole, with the places of their points.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let place = |(step, band): &(u64, Band)| {
            let mut own = self.events.sightings.iter().enumerate();
            let found = own.find(|(_, own)| {
                own.step == *step && own.band == *band && matches!(own.what, What::Snapshot(_))
            })?;
            Some((self.places.x(*step)? + self.places.offset[found.0], self.y(*band)))
        };
        let mut cuts = Vec::new();
        for (id, points) in &self.events.cuts {
            let placed: Vec<(f64, f64)> = points.iter().filter_map(place).collect();
            if placed.len() == points.len() && placed.len() > 1 {
                cuts.push((*id, placed));
            }
        }
        cuts
    }

    /// A cut with its ends, above the first and below the last point.
    fn ribbon(&self, points: &[(f64, f64)]) -> Vec<Segment> {
        let (first, last) = (points[0], points[points.len() - 1]);
        let mut all = vec![(first.0 - 14.0, first.1 - BAND)];
        all.extend_from_slice(points);
        all.push((last.0 + 14.0, last.1 + BAND / 2.0 + 46.0));
        cut::curve(&all)
    }

    /// Everything left of a cut, washed.
    fn past(&self, sheet: &mut Sheet<'_>, points: &[(f64, f64)]) {
        let mut path = self.ribbon(points);
        let (top, bottom) = (points[0].1 - BAND, points[points.len() - 1].1 + BAND / 2.0 + 46.0);
        path.extend([Segment::Line(LEFT, bottom), Segment::Line(LEFT, top), Segment::Close]);
        sheet.scene.fade(0.38);
        sheet.scene.fill(path, Ink::Past);
        sheet.scene.fade(1.0);
    }

    fn message(&self, sheet: &mut Sheet<'_>, own: &Message) {
        let Some(from) = self.places.x(own.from.0) else { return };
        let (upwards, start, goal) = (own.to.1 < own.from.1, self.y(own.from.1), self.y(own.to.1));
        let half = if upwards { -BAND / 2.0 } else { BAND / 2.0 };
        let (start, goal) = (start + half, goal - half);
        let line = match own.kind {
            Kind::Record(split) => {
                let family = sheet.family(split);
                let ink = if family == 0 { Ink::Body(0) } else { Ink::Rim(family) };
                let plain = Stroke::new(ink, 2.0).rounded();
                match family {
                    0 => plain,
                    1 => plain.dashed(1.0, 5.0),
                    2 => plain.dashed(8.0, 6.0),
                    _ => plain.dashed(14.0, 6.0),
                }
            }
            Kind::Barrier => Stroke::new(Ink::Barrier, 4.0).rounded(),
            Kind::Rpc => Stroke::new(Ink::Edge, 2.0).dashed(7.0, 5.0),
        };
        let to = self.places.x(own.to.0).filter(|_| !own.lost);
        if let Some(to) = to {
            return sheet.arrow((from, start), (to, goal), line);
        }
        // It never comes, or comes after what is shown: half of its way.
        let end = self.places.x(own.to.0).unwrap_or(RIGHT - 4.0);
        let mut halfway = (f64::midpoint(from, end.max(from + 30.0)), f64::midpoint(start, goal));
        let is_lost = own.lost && own.kind == Kind::Rpc;
        if is_lost {
            // Before the next lifeline, where its cross is seen.
            let way = (self.pitch - BAND) / 2.0;
            halfway = (from + 14.0, if upwards { start - way } else { start + way });
        }
        sheet.scene.fade(if is_lost { 1.0 } else { 0.6 });
        sheet.scene.line((from, start), halfway, line);
        sheet.scene.fade(1.0);
        if is_lost {
            lost(sheet, halfway);
        }
    }

    /// The lifelines, each as long as its task lives.
    fn bands(&self, sheet: &mut Sheet<'_>) {
        for phase in self.events.phases.iter().filter(|own| own.what == PhaseKind::Alive) {
            let from = match phase.from.max(self.range.first) {
                first if first <= self.range.first => LEFT,
                first => self.places.x(first).map_or(RIGHT, |x| x - 12.0),
            };
            let is_to_the_end = Some(phase.to) >= self.range.last || phase.to >= self.places.last;
            let to = if is_to_the_end {
                RIGHT
            } else {
                // A task that has died ends where its cross stands.
                let tail = if self.has_crash(phase) { 0.0 } else { 14.0 };
                self.places.x(phase.to).map_or(RIGHT, |x| (x + tail).min(RIGHT))
            };
            if to <= from {
                continue;
            }
            let rect = Rect::new(from, self.y(phase.band) - BAND / 2.0, to - from, BAND);
            sheet.scene.fade(0.9);
            sheet.scene.fill(rounded(rect, 8.0), Ink::Panel);
            sheet.scene.fade(1.0);
            sheet.scene.stroke(rounded(rect, 8.0), HAIRLINE);
        }
    }

    fn has_crash(&self, phase: &Phase) -> bool {
        self.events.sightings.iter().any(|own| {
            own.step == phase.to && own.band == phase.band && matches!(own.what, What::Crash)
        })
    }

    fn phase(&self, sheet: &mut Sheet<'_>, phase: &Phase) {
        let from = self.places.x(phase.from.max(self.range.first));
        let to = self.places.x(phase.to.min(self.places.last));
        let (Some(from), Some(to)) = (from, to) else { return };
        if to - from < 1.0 {
            return;
        }
        let y = self.y(phase.band);
        match phase.what {
            PhaseKind::Alive => {}
            PhaseKind::Align => {
                let rect = Rect::new(from, y - BAND / 2.0, to - from, BAND);
                sheet.scene.hatch(rect, 0.0, Stroke::new(Ink::Edge, 2.0));
            }
            PhaseKind::Sync | PhaseKind::Async => {
                let ink = if phase.what == PhaseKind::Sync { Ink::Sync } else { Ink::Async };
                let rect = Rect::new(from, y + BAND / 2.0 - 6.0, to - from, 6.0);
                sheet.scene.fill(rounded(rect, 0.0), ink);
            }
        }
    }

    fn sighting(&self, sheet: &mut Sheet<'_>, x: f64, own: &Sighting) {
        let y = self.y(own.band);
        match &own.what {
            What::Chip { record, look, after } => {
                let text = record.value.to_string();
                let width = chip_width(&text, self.font);
                let rect = Rect::around((x, y), width, CHIP.1);
                symbols::record(sheet, rect, (record.id.split.0, &text), *look);
                let left = rect.right() + if *look == Look::Again { 12.0 } else { 8.0 };
                let style = if after.parse::<i64>().is_ok() || !after.is_ascii() {
                    style(20.0, Weight::SemiBold, Ink::Text)
                } else {
                    style(20.0, Weight::Medium, Ink::Text)
                };
                sheet.text(after, (left, y + 7.0), style, 200.0);
            }
            What::Held(record) => {
                let text = record.value.to_string();
                let rect = Rect::around((x, y), chip_width(&text, self.font), CHIP.1);
                symbols::record(sheet, rect, (record.id.split.0, &text), Look::Ghost);
            }
            What::Snapshot(checkpoint) => {
                let d = DIAMOND;
                let diamond = polygon(&[(x, y - d), (x + d, y), (x, y + d), (x - d, y)]);
                let rim = Stroke::new(Ink::Page, 3.0);
                sheet.scene.mark(diamond, Some(Ink::Barrier), Some(rim));
                if checkpoint.0 < 10 && self.events.cuts.len() > 1 {
                    let room = Rect::around((x, y), 20.0, 20.0);
                    let look = style(18.0, Weight::Bold, Ink::OnBarrier);
                    sheet.label(&checkpoint.to_string(), room, look);
                }
            }
            What::Word(text, ink) => {
                let look = style(20.0, Weight::SemiBold, *ink).anchored(Anchor::Middle);
                sheet.text(text, (x, y + 7.0), look, 400.0);
            }
            What::Restored(text) => {
                let look = style(20.0, Weight::Bold, Ink::Barrier);
                sheet.text(text, (x + 8.0, y + 7.0), look, 120.0);
            }
            What::Crash => symbols::crash(sheet, (x, y)),
        }
    }

    fn names(&self, sheet: &mut Sheet<'_>) {
        let look = style(22.0, Weight::SemiBold, Ink::Text);
        let room = LEFT - MARGIN - 14.0;
        sheet.text("JobManager", (MARGIN, self.y(0) + 8.0), look, room);
        let graph = &self.names.scenario.graph;
        for task in graph.subtask_indices().take(self.n_bands - 1) {
            let (mut x, y) = (MARGIN, self.y(band(task)) + 8.0);
            if let [only] = graph.subtasks[task.index()].splits.as_slice() {
                symbols::swatch(sheet, Rect::new(x, y - 17.0, 18.0, 18.0), only.0);
                x += 28.0;
            }
            sheet.text(self.names.task(task), (x, y), look, room + MARGIN - x);
        }
    }
}

/// A little cross: a message ends here.
pub(super) fn lost(sheet: &mut Sheet<'_>, (x, y): (f64, f64)) {
    let line = Stroke::new(Ink::Text, 3.0).rounded();
    sheet.scene.line((x - 6.0, y - 6.0), (x + 6.0, y + 6.0), line);
    sheet.scene.line((x + 6.0, y - 6.0), (x - 6.0, y + 6.0), line);
}
