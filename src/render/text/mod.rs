//! The walkthrough's picture in text: the job in fixed places, what changed,
//! and why.
//!
//! A frame is a function of (trace, step or moment, language, width) and of
//! nothing else, so every way to a step shows the same.

mod canvas;
mod caption;
mod footer;
mod head;
mod lane;
mod paint;
mod plan;
mod task;
mod task_sink;
mod task_source;

pub(super) use caption::end_note;
pub use caption::wrap;
pub use footer::timeline;
pub use paint::{Frame, Paint, Span};

use canvas::{Canvas, cut, width};
use lane::Lane;
use plan::{Extent, LANES_MAX, Lanes, Plan, ROWS_MAX};
use task::Task;

use crate::model::{ChannelIndex, Language, SubtaskIndex};
use crate::narrate::{Names, Scene, Story};
use crate::trace::{Driver, View};

/// The least and the greatest width of a picture.
pub const WIDTHS: std::ops::RangeInclusive<usize> = 60..=100;

/// What to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The run after a step; 0 is the start.
    Step(u64),
    /// The run at the end of a moment, by position in [`Story::spans`].
    Moment(usize),
}

/// Draws the frames of one story in one language and one width.
pub struct Pictures<'a> {
    story: &'a Story,
    names: Names<'a>,
    plan: Plan,
}

impl<'a> Pictures<'a> {
    /// The pictures of a story. A width outside of [`WIDTHS`] is moved to its
    /// nearest end.
    #[must_use]
    pub fn new(story: &'a Story, language: Language, columns: usize) -> Self {
        let names = story.names(language);
        let plan = Plan::new(names, columns.clamp(*WIDTHS.start(), *WIDTHS.end()));
        Self { story, names, plan }
    }

    /// The frame of a place.
    ///
    /// # Panics
    /// When the story has no such place.
    #[must_use]
    pub fn frame(&self, place: Place) -> Frame {
        let scene = match place {
            Place::Step(step) => self.story.step(step),
            Place::Moment(span) => self.story.moment(span),
        };
        let mut canvas = Canvas::new(self.plan.width);
        head::title(&mut canvas, &scene, self.story, self.names, self.plan.width);
        let checkpoints = head::Checkpoints {
            names: self.names,
            view: &scene.after,
            n_slots: self.story.pending_max.clamp(1, 3),
            width: self.plan.width,
        };
        let mut y = checkpoints.draw(&mut canvas, 1);
        for band in &self.plan.bands {
            y = self.band(&mut canvas, (band, y + 1), &scene);
        }
        let mut lines = canvas.into_lines();
        lines.push(Vec::new());
        let caption = caption::lines(&scene, self.story, self.names, self.plan.width);
        let n_caption = caption.len();
        lines.extend(caption);
        Frame { lines, n_caption }
    }

    /// Draws a band below a line and gives the line after it.
    fn band(
        &self,
        canvas: &mut Canvas,
        (band, top): (&plan::Band, usize),
        scene: &Scene<'_>,
    ) -> usize {
        let rows = self.rows(band, scene);
        let mut y = top;
        for row in &rows {
            if *row != rows[0] {
                y += 1;
            }
            for (place, column) in band.columns.iter().enumerate() {
                let Some(&task) = column.tasks.get(*row) else { continue };
                let before =
                    place.checked_sub(1).map(|before| band.columns[before].tasks.as_slice());
                match plan::lanes(&self.story.scenario.graph, before, *row, task) {
                    Lanes::None => {}
                    Lanes::Straight(channel) => {
                        let lane = self.lane(channel, None, scene);
                        lane.draw(canvas, column.lane, y + 2);
                    }
                    Lanes::Named => self.named_lanes(canvas, (task, column.lane, y), scene),
                }
                self.task(task, scene).draw(canvas, column.task, y);
            }
            y += band.rows[*row];
        }
        let hidden = band.rows.len() - rows.len();
        if hidden > 0 {
            let text = match self.names.language {
                Language::En => format!("+ {hidden} more rows, nothing changed there"),
                Language::Zh => format!("另有 {hidden} 行，没有变化"),
            };
            canvas.put(1, y, &text, Paint::Dim);
            y += 1;
        }
        y
    }

    /// The rows to draw: all, or, of very many, those in which something has
    /// changed, and the first of the others.
    fn rows(&self, band: &plan::Band, scene: &Scene<'_>) -> Vec<usize> {
        if band.rows.len() <= ROWS_MAX {
            return (0..band.rows.len()).collect();
        }
        let changed = |row: &usize| {
            let mut tasks = band.columns.iter().filter_map(|column| column.tasks.get(*row));
            tasks.any(|task| self.task(*task, scene).has_changed())
        };
        let (busy, quiet): (Vec<usize>, Vec<usize>) = (0..band.rows.len()).partition(changed);
        let mut rows: Vec<usize> = busy.into_iter().chain(quiet).take(ROWS_MAX).collect();
        rows.sort_unstable();
        rows
    }

    fn task<'s>(&'s self, task: SubtaskIndex, scene: &'s Scene<'_>) -> Task<'s> {
        let seed = match self.story.trace.driver {
            Driver::Seed(seed) => seed,
            Driver::Schedule(_) => 0,
        };
        Task { names: self.names, seed, now: &scene.after, before: &scene.before, task }
    }

    fn lane<'s>(
        &'s self,
        channel: ChannelIndex,
        sender: Option<&'s str>,
        scene: &'s Scene<'_>,
    ) -> Lane<'s> {
        let pending = scene.after.checkpoints.iter().filter(|view| !view.completed);
        let kept = pending.flat_map(|view| {
            let state = &view.in_flight[channel.index()];
            state.input.iter().chain(&state.output).copied()
        });
        Lane {
            names: self.names,
            sender,
            kind: self.story.scenario.graph.channels[channel.index()].kind,
            now: &scene.after.channels[channel.index()],
            before: &scene.before.channels[channel.index()],
            kept: kept.collect(),
        }
    }

    /// Draws the channels of a task below each other, each with its sender.
    fn named_lanes(
        &self,
        canvas: &mut Canvas,
        (task, area, top): (SubtaskIndex, Extent, usize),
        scene: &Scene<'_>,
    ) {
        let graph = &self.story.scenario.graph;
        let inputs = &graph.subtasks[task.index()].inputs;
        let place = Extent { x: area.x + 1, width: area.width - 2 };
        let drawn = shown_lanes(inputs, &scene.after);
        for (slot, channel) in drawn.iter().enumerate() {
            let y = top
                + match inputs.len() {
                    1 => 2,
                    2 => 3 * slot,
                    _ => slot,
                };
            let sender = graph.channels[channel.index()].from;
            let label = self.label(*channel, sender);
            self.lane(*channel, Some(&label), scene).draw(canvas, place, y);
            let note_below = inputs.len() <= 2 || slot + 1 == drawn.len();
            let blocked = if inputs.len() <= 2 {
                scene.after.channels[channel.index()].blocked
            } else {
                inputs.iter().find_map(|input| scene.after.channels[input.index()].blocked)
            };
            if let (true, Some(checkpoint)) = (note_below, blocked) {
                let y = if drawn.len() < inputs.len() { y + 2 } else { y + 1 };
                let note = self.held_note((task, checkpoint), &scene.after, place.width);
                canvas.put(place.x + place.width - width(&note), y, &note, Paint::Dim);
            }
        }
        if drawn.len() < inputs.len() {
            let n = inputs.len() - drawn.len();
            let busy = |input: &&ChannelIndex| carries(&scene.after, **input);
            let all_idle = inputs.iter().filter(busy).count() <= drawn.len();
            let text = match (self.names.language, all_idle) {
                (Language::En, true) => format!("+ {n} idle"),
                (Language::En, false) => format!("+ {n} more"),
                (Language::Zh, true) => format!("另有 {n} 条空闲"),
                (Language::Zh, false) => format!("另有 {n} 条"),
            };
            canvas.put(place.x, top + drawn.len(), &text, Paint::Dim);
        }
    }

    /// The sender's name, and at a join the side.
    fn label(&self, channel: ChannelIndex, sender: SubtaskIndex) -> String {
        let short = self.names.short(sender);
        match self.names.side(channel) {
            Some(side) => format!("{side} {short}"),
            None => short.to_owned(),
        }
    }

    /// Under a blocked channel: what it waits for, as long as there is room.
    fn held_note(
        &self,
        (task, checkpoint): (SubtaskIndex, crate::model::CheckpointId),
        view: &View,
        room: usize,
    ) -> String {
        let graph = &self.story.scenario.graph;
        let bar = lane::barrier_text(checkpoint);
        let missing = self.names.missing_barriers(view, task, checkpoint);
        let senders: Vec<SubtaskIndex> =
            missing.iter().map(|channel| graph.channels[channel.index()].from).collect();
        let who = self.names.shorts(&senders);
        let whose = match senders.len() {
            1 => format!("{who}’s {bar}"),
            _ => format!("{bar} of {who}"),
        };
        let texts = match self.names.language {
            Language::En => [
                format!("held until {whose} comes"),
                format!("until {whose} comes"),
                format!("until {whose}"),
                format!("until {} more {bar}", senders.len()),
            ],
            Language::Zh => [
                format!("扣住，等{}的 {bar}", self.names.tasks(&senders)),
                format!("等{}的 {bar}", self.names.tasks(&senders)),
                format!("等{who}的 {bar}"),
                format!("等 {} 个 {bar}", senders.len()),
            ],
        };
        let fitting = texts.iter().find(|text| width(text) <= room);
        fitting.map_or_else(|| cut(&bar, room), |text| self.names.tidy(text))
    }
}

/// The lanes to draw: all, or, of very many, those that carry something, and
/// the first of the idle ones.
fn shown_lanes(inputs: &[ChannelIndex], view: &View) -> Vec<ChannelIndex> {
    if inputs.len() <= LANES_MAX {
        return inputs.to_vec();
    }
    let busy = |channel: &&ChannelIndex| carries(view, **channel);
    let idle = inputs.iter().filter(|channel| !busy(channel));
    let mut shown: Vec<ChannelIndex> =
        inputs.iter().filter(busy).chain(idle).take(LANES_MAX - 1).copied().collect();
    shown.sort_unstable();
    shown
}

/// Whether a channel holds anything or is blocked.
fn carries(view: &View, channel: ChannelIndex) -> bool {
    let places = &view.channels[channel.index()];
    places.blocked.is_some() || places.in_flight().next().is_some()
}
