//! A frame: the job at one step, in Flink's visual grammar.
//!
//! Sources left, sinks right, each channel with output buffer, wire and receive
//! queue; below, what the JobManager knows and what the storage holds; a title,
//! and a sentence that says why. A frame is a function of (trace, step or
//! moment, language) and of nothing else, and nothing moves in it that does not
//! change.

mod head;
mod lane;
mod ledger;
mod measures;
mod nodes;
mod plan;
mod sink;
mod source;
mod strips;
mod task;
mod wires;

use super::font::{Font, Weight};
use super::scene::{Ink, Rect, Scene as Drawing};
use super::sheet::{Sheet, quiet, style};
use super::text::Place;
use crate::model::{ChannelIndex, Language, SubtaskIndex};
use crate::narrate::{Names, Scene, Story, tell};
use crate::trace::{Driver, View};
use head::Head;
use lane::Lane;
use ledger::Ledger;
use nodes::Node;
use plan::{Band, CAPTION, Column, HEADS, LANES_MAX, MARGIN, Plan, Shape, WIDTH};
use task::Task;

/// What of a frame is shown around the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shows {
    /// The title, and the line above it.
    pub title: bool,
    /// The sentence below.
    pub caption: bool,
    /// The number of the step or moment, and the dots.
    pub number: bool,
}

impl Default for Shows {
    fn default() -> Self {
        Self { title: true, caption: true, number: true }
    }
}

/// Draws the frames of one story in one language.
pub struct Frames<'a> {
    story: &'a Story,
    names: Names<'a>,
    plan: Plan,
    font: Font,
    shows: Shows,
}

impl<'a> Frames<'a> {
    /// The frames of a story. Reads the whole run once, for the places of
    /// things.
    #[must_use]
    pub fn new(story: &'a Story, language: Language, shows: Shows) -> Self {
        Self::shaped(story, language, (shows, Shape::Wide))
    }

    /// Frames for a phone held upright, with the job alone: sources above, sinks
    /// below.
    #[must_use]
    pub fn tall(story: &'a Story, language: Language) -> Self {
        let shows = Shows { title: false, caption: false, number: false };
        Self::shaped(story, language, (shows, Shape::Tall))
    }

    fn shaped(story: &'a Story, language: Language, (shows, shape): (Shows, Shape)) -> Self {
        let names = story.names(language);
        let font = Font::new();
        let plan = Plan::new(story, names, (&font, shape));
        Self { story, names, plan, font, shows }
    }

    /// The frame of a place.
    ///
    /// # Panics
    /// When the story has no such place, or the frames are tall: those have no
    /// room for title and sentence.
    #[must_use]
    pub fn frame(&self, place: Place) -> Drawing {
        assert_eq!(self.plan.shape, Shape::Wide, "a tall frame is the job alone");
        let (scene, span) = match place {
            Place::Step(step) => (self.story.step(step), None),
            Place::Moment(span) => (self.story.moment(span), Some(span)),
        };
        let mut sheet = self.sheet();
        let head = Head { scene: &scene, story: self.story, names: self.names, span };
        head.draw(&mut sheet, self.shows);
        self.job(&mut sheet, &scene);
        let narration = tell(&scene, self.names.language);
        let mut why = narration.why.clone();
        if let Some(note) = super::text::end_note(&scene, self.story, self.names) {
            why = format!("{why} {note}");
        }
        if self.shows.caption {
            self.caption(&mut sheet, &why);
        }
        // Before the beginning there was no picture that this one could differ
        // from.
        let has_changes = scene.after.step > 0 && (span.is_none() || scene.before.step > 0);
        if has_changes {
            head.key(&mut sheet);
        }
        let mut drawing = sheet.finish(has_changes);
        drawing.title =
            format!("{} – {}", self.names.scenario.title.of(self.names.language), head.title());
        drawing.description = self.names.tidy(&format!("{} {}", why, narration.changed));
        self.crop(drawing)
    }

    /// The job alone, with both strips, in a scene of this run or of another one
    /// of the same job: no word of where in a run we are.
    #[must_use]
    pub fn job_alone(&self, scene: &Scene<'_>) -> Drawing {
        let mut sheet = self.sheet();
        self.job(&mut sheet, scene);
        sheet.finish(scene.after.step > 0)
    }

    /// What [`Frames::job_alone`] fills of its page.
    #[must_use]
    pub fn job_place(&self) -> Rect {
        let top = self.plan.bands.first().map_or(0.0, |band| band.top) - HEADS - 22.0;
        let around = self.plan.shape.margin() - 16.0;
        let bottom = self.plan.strips.bottom() + 10.0;
        Rect::new(around, top, self.plan.shape.width() - 2.0 * around, bottom - top)
    }

    fn sheet(&self) -> Sheet<'_> {
        Sheet::new(&self.font, (self.plan.shape.width(), self.plan.height), self.names)
    }

    fn job(&self, sheet: &mut Sheet<'_>, scene: &Scene<'_>) {
        for band in &self.plan.bands {
            self.band(sheet, band, scene);
        }
        let (now, before) = (&scene.after, &scene.before);
        Ledger { names: self.names, now, before, strips: &self.plan.strips }.draw(sheet);
    }

    /// Without title and number, or without caption, the picture is lower.
    fn crop(&self, mut drawing: Drawing) -> Drawing {
        if !self.shows.caption {
            drawing.set_height(self.plan.height - CAPTION + MARGIN);
        }
        drawing
    }

    fn band(&self, sheet: &mut Sheet<'_>, band: &Band, scene: &Scene<'_>) {
        let graph = &self.names.scenario.graph;
        let mut ends = vec![None; graph.channels.len()];
        let mut lanes = Vec::new();
        for (place, column) in band.columns.iter().enumerate() {
            self.heads(sheet, band, (column, place == 0));
            for (node, rect) in &column.nodes {
                if let Node::Task(task) = node {
                    lanes.extend(self.lanes((column, place == 0), (*task, *rect), scene));
                }
            }
        }
        for lane in &lanes {
            ends[lane.channel.index()] = Some((lane.zone.output, lane.y));
        }
        sheet.part();
        wires::draw(sheet, graph, band, &ends);
        for lane in &lanes {
            sheet.part();
            lane.draw(sheet);
        }
        for column in &band.columns {
            for (node, rect) in &column.nodes {
                sheet.part();
                match node {
                    Node::Task(task) => self.task(*task, *rect, scene).draw(sheet),
                    Node::Pass { .. } => {}
                    Node::More(tasks) => {
                        let differs = |task: &&SubtaskIndex| {
                            scene.before.tasks[task.index()] != scene.after.tasks[task.index()]
                        };
                        let is_changed = tasks.iter().any(|task| differs(&task));
                        task::more(sheet, (self.names, tasks.len()), (*rect, is_changed));
                    }
                }
            }
        }
    }

    /// What the columns are called.
    fn heads(&self, sheet: &mut Sheet<'_>, band: &Band, (column, is_first): (&Column, bool)) {
        let y = band.top - HEADS;
        let look = quiet(18.0);
        if let Some(zone) = column.zone {
            let names = self.names;
            let heads = [
                (names.pick("output", "发送"), zone.output, zone.wire),
                (names.pick("wire", "传输"), zone.wire, zone.input),
                (names.pick("input", "接收"), zone.input, zone.gap),
            ];
            for (word, from, to) in heads {
                sheet.text(word, (from, y), look, to - from - 6.0);
            }
        }
        let graph = &self.names.scenario.graph;
        let mut operators: Vec<_> = column
            .nodes
            .iter()
            .flat_map(|(node, _)| plan::tasks_of(node))
            .map(|task| graph.subtasks[task.index()].operator)
            .collect();
        operators.dedup();
        let text = match operators.as_slice() {
            [only] => self.names.operator(*only).to_owned(),
            _ if is_first => self.names.pick("sources", "源").to_owned(),
            several => {
                let texts: Vec<_> =
                    several.iter().map(|operator| self.names.operator(*operator)).collect();
                texts.join(self.names.pick(", ", "、"))
            }
        };
        sheet.text(&text, (column.x, y), look, column.width);
    }

    fn task<'s>(&'s self, task: SubtaskIndex, place: Rect, scene: &'s Scene<'_>) -> Task<'s> {
        let seed = match self.story.trace.driver {
            Driver::Seed(seed) => seed,
            Driver::Schedule(_) => 0,
        };
        let (now, before) = (&scene.after, &scene.before);
        Task { names: self.names, seed, now, before, task, sizes: self.plan.sizes, place }
    }

    /// The lanes of a task, each at its height.
    fn lanes<'s>(
        &'s self,
        (column, is_first): (&Column, bool),
        (task, rect): (SubtaskIndex, Rect),
        scene: &'s Scene<'_>,
    ) -> Vec<Lane<'s>> {
        let Some(zone) = column.zone else { return Vec::new() };
        let graph = &self.names.scenario.graph;
        let inputs = &graph.subtasks[task.index()].inputs;
        let shown = shown_lanes(inputs, &scene.after);
        let n = shown.len();
        let is_from_beside = |channel: &ChannelIndex| {
            let sender = &graph.subtasks[graph.channels[channel.index()].from.index()];
            sender.outputs.iter().map(|output| output.channels.len()).sum::<usize>() == 1
        };
        let is_named = n > 1 || is_first || !inputs.iter().all(is_from_beside);
        // The names below the lanes count as a part of them.
        let lift = if n > 1 { 10.0 } else { 0.0 };
        let n_idle = inputs.len() - n;
        let lane = |(slot, channel): (usize, &ChannelIndex)| {
            let offset = (slot as f64 - (n - 1) as f64 / 2.0) * self.plan.sizes.pitch;
            let blocked = scene.after.channels[channel.index()].blocked;
            let notes = blocked
                .map_or_else(Vec::new, |checkpoint| self.waits_for(&scene.after, task, checkpoint));
            let mut label = is_named.then(|| self.label(*channel));
            if let (Some(label), true) = (&mut label, n_idle > 0 && slot + 1 == n) {
                let more = match self.names.language {
                    Language::En => format!("   + {n_idle} more, idle"),
                    Language::Zh => format!("   另有 {n_idle} 条空闲"),
                };
                label.push_str(&more);
            }
            Lane {
                names: self.names,
                channel: *channel,
                now: &scene.after,
                before: &scene.before,
                sizes: self.plan.sizes,
                zone,
                y: (rect.middle().1 - lift + offset).round(),
                label,
                notes,
            }
        };
        shown.iter().enumerate().map(lane).collect()
    }

    /// "from blue", and at a join the side.
    fn label(&self, channel: ChannelIndex) -> String {
        let from = self.names.scenario.graph.channels[channel.index()].from;
        let short = self.names.short(from);
        let from = match self.names.language {
            Language::En => format!("from {short}"),
            Language::Zh => format!("来自{short}"),
        };
        match self.names.side(channel) {
            Some(side) => format!("{side} {from}"),
            None => from,
        }
    }

    /// Under a blocked channel: what it waits for, in words that become fewer.
    fn waits_for(
        &self,
        view: &View,
        task: SubtaskIndex,
        checkpoint: crate::model::CheckpointId,
    ) -> Vec<String> {
        let graph = &self.names.scenario.graph;
        let missing = self.names.missing_barriers(view, task, checkpoint);
        let senders: Vec<SubtaskIndex> =
            missing.iter().map(|channel| graph.channels[channel.index()].from).collect();
        let barrier = self.names.barrier(checkpoint);
        let (n, who) = (senders.len(), self.names.shorts(&senders));
        let mut notes = Vec::new();
        match self.names.language {
            Language::En => {
                if n > 0 {
                    notes.push(format!("blocked: waiting for {barrier} from {who}"));
                    notes.push(format!("blocked: {barrier} of {who} is missing"));
                    notes.push(format!("blocked until {n} more {barrier}"));
                }
                notes.push("blocked".to_owned());
            }
            Language::Zh => {
                if n > 0 {
                    notes.push(format!("阻塞：等{who}的{barrier}"));
                    notes.push(format!("阻塞：还缺 {n} 个{barrier}"));
                }
                notes.push("已阻塞".to_owned());
            }
        }
        notes
    }

    /// The sentence below the picture: two lines, or more in smaller letters.
    fn caption(&self, sheet: &mut Sheet<'_>, text: &str) {
        const LOOKS: [(f64, f64, usize); 3] = [(28.0, 42.0, 2), (24.0, 34.0, 3), (20.0, 28.0, 4)];
        let room = WIDTH - 2.0 * MARGIN;
        let top = self.plan.strips.bottom() + 60.0;
        for (size, leading, n_max) in LOOKS {
            let mut lines = super::scene::paragraph(&self.font, text, size, room);
            let is_last = size == LOOKS[2].0;
            if lines.len() > n_max && !is_last {
                continue;
            }
            if lines.len() > n_max {
                lines.truncate(n_max);
                lines[n_max - 1].push_str(" …");
            }
            let first = top - if n_max > 2 { 8.0 } else { 0.0 };
            for (place, line) in lines.iter().enumerate() {
                let at = (MARGIN, first + leading * place as f64);
                sheet.text(line, at, style(size, Weight::Regular, Ink::Text), room);
            }
            return;
        }
    }
}

/// The lanes to draw: all, or, of very many, those that carry something, and
/// the first of the idle ones.
fn shown_lanes(inputs: &[ChannelIndex], view: &View) -> Vec<ChannelIndex> {
    if inputs.len() <= LANES_MAX {
        return inputs.to_vec();
    }
    let carries = |channel: &&ChannelIndex| {
        let places = &view.channels[channel.index()];
        places.blocked.is_some() || places.in_flight().next().is_some()
    };
    let idle = inputs.iter().filter(|channel| !carries(channel));
    let busy = inputs.iter().filter(carries);
    let mut shown: Vec<ChannelIndex> = busy.chain(idle).take(LANES_MAX).copied().collect();
    shown.sort_unstable();
    shown
}
