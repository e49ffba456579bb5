//! The same bars on a scale of steps instead of time: below a diagram in which
//! each step has its place, so that one line through both is one step. How long
//! something took is written in its bar, for the bar's length does not say it.

use super::{
    BAR, Chart, Checkpoint, CheckpointHistory, End, LEFT, MARGIN, Part, WIDTH, duration, symbols,
};
use crate::model::{Language, SubtaskIndex, Time};
use crate::narrate::Story;
use crate::render::font::{Font, Weight};
use crate::render::scene::{Ink, Rect, Scene, Stroke, rounded};
use crate::render::sheet::{HAIRLINE, Sheet, quiet, style};

/// Where the rows begin.
const TOP: f64 = 176.0;
/// From one checkpoint's bars to those of the next one of the same row.
const TRACK: f64 = 40.0;
/// Above and below the bars of a row.
const AROUND: f64 = 12.0;

/// The checkpoints of a run, each subtask's bars in one row, with step n at the
/// x that is given for it. Nothing if the run has no checkpoint.
///
/// # Panics
/// When a step has no place.
#[must_use]
pub fn gantt_along(story: &Story, language: Language, places: &[f64]) -> Option<Scene> {
    let graph = &story.scenario.graph;
    // Once with the times, and once with the steps in their place.
    let mut history = CheckpointHistory::new(graph, None);
    let mut by_step = CheckpointHistory::new(graph, None);
    for step in &story.trace.steps {
        history.observe(step.at, &step.facts);
        by_step.observe(Time(step.number), &step.facts);
    }
    if history.kept.is_empty() {
        return None;
    }
    let times = std::iter::once(Time::ZERO).chain(story.trace.steps.iter().map(|step| step.at));
    let along = Along {
        chart: Chart::new(story.names(language), &history),
        by_step: &by_step.kept,
        places,
        times: times.collect(),
    };
    Some(along.draw())
}

/// What is drawn.
struct Along<'a> {
    chart: Chart<'a>,
    /// The same checkpoints, with steps for times.
    by_step: &'a [Checkpoint],
    /// By step: where it stands.
    places: &'a [f64],
    /// By step: when it was.
    times: Vec<Time>,
}

impl Along<'_> {
    /// The place of a step.
    fn x(&self, step: Time) -> f64 {
        self.places[usize::try_from(step.0).expect("a step in memory has an index")]
    }

    /// The place of the first step at or after a time, of those from one step
    /// to another.
    fn x_at(&self, time: Time, (from, to): (Time, Time)) -> f64 {
        let first = self.times.partition_point(|own| *own < time) as u64;
        self.x(Time(first.clamp(from.0, to.0)))
    }

    /// Which line of a row a checkpoint's bars are on: those that are under way
    /// at the same time do not meet.
    fn tracks(&self) -> (Vec<usize>, usize) {
        let mut free: Vec<f64> = Vec::new();
        let mut tracks = Vec::new();
        for own in self.by_step {
            let (from, to) = (self.x(own.triggered), self.x(own.last()));
            let found = free.iter().position(|right| *right < from);
            let track = found.unwrap_or_else(|| {
                free.push(0.0);
                free.len() - 1
            });
            free[track] = to + 24.0;
            tracks.push(track);
        }
        (tracks, free.len())
    }

    /// Where the checkpoint after one begins on its line, or the page ends.
    fn next_on(&self, track: usize, tracks: &[usize], own: &Checkpoint) -> f64 {
        let from = self.x(own.triggered);
        let same = self.by_step.iter().zip(tracks).filter(|(_, other)| **other == track);
        let begins = same.map(|(other, _)| self.x(other.triggered));
        begins.filter(|other| *other > from).fold(WIDTH - MARGIN, f64::min)
    }

    fn draw(&self) -> Scene {
        let font = Font::new();
        let chart = &self.chart;
        let (tracks, n_tracks) = self.tracks();
        let heads = n_tracks as f64 * 34.0;
        let pitch = 2.0 * AROUND + BAR + (n_tracks - 1) as f64 * TRACK;
        let top = TOP + heads;
        let bottom = top + pitch * chart.rows.len() as f64;
        let mut sheet = Sheet::new(&font, (WIDTH, bottom + 76.0), chart.names);
        chart.head(&mut sheet);
        let right = self.places.last().copied().unwrap_or(LEFT).max(WIDTH - MARGIN);
        for (row, task) in chart.rows.iter().enumerate() {
            let y = top + pitch * row as f64;
            sheet.scene.line((MARGIN, y), (right, y), HAIRLINE);
            self.name(&mut sheet, *task, y + pitch / 2.0);
        }
        for ((own, by_step), track) in chart.shown.iter().zip(self.by_step).zip(&tracks) {
            let head = TOP + 34.0 * *track as f64;
            let until = self.next_on(*track, &tracks, by_step);
            self.checkpoint(&mut sheet, (own, by_step), (head, bottom, until));
            for (row, task) in chart.rows.iter().enumerate() {
                let y = top + pitch * row as f64 + AROUND + TRACK * *track as f64;
                self.bars(&mut sheet, (own, by_step), (*task, y));
            }
        }
        chart.legend(&mut sheet, bottom + 44.0);
        let mut scene = sheet.finish(false);
        scene.title = chart.title();
        scene.description = chart.names.tidy(&chart.caption());
        scene
    }

    fn name(&self, sheet: &mut Sheet<'_>, task: SubtaskIndex, middle: f64) {
        let names = self.chart.names;
        let (mut x, y) = (MARGIN, middle + 8.0);
        if let [only] = names.scenario.graph.subtasks[task.index()].splits.as_slice() {
            symbols::swatch(sheet, Rect::new(x, y - 16.0, 18.0, 18.0), only.0);
            x += 28.0;
        }
        let look = style(22.0, Weight::SemiBold, Ink::Text);
        sheet.text(names.task(task), (x, y), look, LEFT - 16.0 - x);
    }

    /// From its trigger, a line through all rows, to its end, a mark above them,
    /// with what became of it.
    fn checkpoint(
        &self,
        sheet: &mut Sheet<'_>,
        (own, by_step): (&Checkpoint, &Checkpoint),
        (head, bottom, until): (f64, f64, f64),
    ) {
        let (from, to) = (self.x(by_step.triggered), self.x(by_step.last()));
        let line = Stroke::new(Ink::Barrier, 1.5);
        sheet.scene.line((from, head - 16.0), (from, bottom), line);
        if by_step.end != End::Pending {
            let y = head + 11.0;
            sheet.scene.line((from, y), (to, y), line);
            sheet.scene.line((to, y), (to, y + 8.0), line);
        }
        let names = self.chart.names;
        let which = names.tidy(&names.checkpoint(own.id));
        let whole = format!("{which}{}{}", names.pick(", ", "："), self.chart.ending(own));
        let look = style(20.0, Weight::Medium, Ink::Text);
        // What fits before the next checkpoint is said.
        let fits = |text: &&String| sheet.width(text, look) + 16.0 <= until - from;
        let id = own.id.to_string();
        if let Some(text) = [&whole, &which, &id].into_iter().find(fits) {
            sheet.text(text, (from + 8.0, head), look, until - from);
        }
    }

    fn bars(
        &self,
        sheet: &mut Sheet<'_>,
        (own, by_step): (&Checkpoint, &Checkpoint),
        (task, y): (SubtaskIndex, f64),
    ) {
        let (part, step) = (&own.parts[task.index()], &by_step.parts[task.index()]);
        let (Some((stored, metrics)), Some((stored_step, _))) = (part.stored, step.stored) else {
            return self.unanswered(sheet, (part, by_step), y);
        };
        let within = (by_step.triggered, stored_step);
        let from = self.x(by_step.triggered);
        let delayed = own.triggered.0 + metrics.start_delay.0;
        let aligned = delayed + metrics.alignment_duration.0;
        let copied = stored.0.saturating_sub(metrics.async_duration.0);
        let begun = copied.saturating_sub(metrics.sync_duration.0);
        let edge = Stroke::new(Ink::Edge, 1.5);
        let first = self.x_at(Time(delayed), within);
        if metrics.start_delay.0 > 0 {
            let bar = Rect::new(from, y, (first - from).max(2.0), BAR);
            sheet.scene.mark(rounded(bar, 0.0), Some(Ink::Page), Some(edge));
            self.chart.in_bar(sheet, bar, metrics.start_delay.0);
        }
        let mut left = first.max(from);
        if metrics.alignment_duration.0 > 0 {
            let to = self.x_at(Time(aligned), within);
            let bar = Rect::new(left, y, (to - left).max(2.0), BAR);
            sheet.scene.hatch(bar, 0.0, edge);
            self.chart.in_bar(sheet, bar, metrics.alignment_duration.0);
            left = bar.right();
        }
        // What takes no time to speak of is seen all the same.
        const SEEN: f64 = 5.0;
        left = left.max(self.x_at(Time(begun), within));
        let sync = Rect::new(left, y, (self.x_at(Time(copied), within) - left).max(SEEN), BAR);
        sheet.scene.fill(rounded(sync, 0.0), Ink::Sync);
        left = sync.right();
        if metrics.async_duration.0 > 0 {
            let bar = Rect::new(left, y, (self.x(stored_step) - left).max(SEEN), BAR);
            sheet.scene.fill(rounded(bar, 0.0), Ink::Async);
            left = bar.right();
        }
        if let (Some(at), Some(step)) = (part.acknowledged, step.acknowledged) {
            let x = self.x(step).max(left + 8.0);
            symbols::tick(sheet, (x, y + 12.0));
            let text = duration(at.0 - own.triggered.0);
            let look = style(18.0, Weight::Medium, Ink::Text);
            let end = x + 28.0 + sheet.width(&text, look);
            let begins = self.by_step.iter().map(|own| self.x(own.triggered));
            let next = begins.filter(|own| *own > x).fold(WIDTH - 8.0, f64::min);
            if end < next {
                sheet.text(&text, (x + 24.0, y + 19.5), look, 120.0);
            }
        }
    }

    /// A part that never came, or has not come yet.
    fn unanswered(&self, sheet: &mut Sheet<'_>, (part, step): (&Part, &Checkpoint), y: f64) {
        let names = self.chart.names;
        let text = match (part.finished, step.end) {
            (true, _) => names.pick("had finished before", "之前已结束"),
            (false, End::Pending) => names.pick("not acknowledged yet", "尚未确认"),
            (false, _) => names.pick("never acknowledged", "一直未确认"),
        };
        let x = self.x(step.triggered) + 8.0;
        let room = WIDTH - MARGIN - x;
        let width = sheet.width(text, quiet(18.0));
        // It must not run into the bars of the checkpoint after it.
        let later = self.by_step.iter().map(|own| self.x(own.triggered));
        let next = later.filter(|own| *own > x).fold(f64::INFINITY, f64::min);
        if width <= room.min(next - x) {
            sheet.text(text, (x, y + 19.5), quiet(18.0), room);
        } else if room.min(next - x) > 12.0 {
            sheet.text("–", (x, y + 19.5), quiet(18.0), 20.0);
        }
    }
}
