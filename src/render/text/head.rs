//! The lines above the job: where we are, what the JobManager knows, what the
//! storage holds.

use super::canvas::{Canvas, width};
use super::lane::record_text;
use super::paint::Paint;
use crate::model::{Language, SnapshotState, SubtaskIndex};
use crate::narrate::{Names, Scene, Story};
use crate::trace::{CheckpointView, JobStatus, View};

/// The line with the title at the left and the place in the run at the right.
pub(super) fn title(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    story: &Story,
    names: Names<'_>,
    columns: usize,
) {
    let view = &scene.after;
    let span = story.span_of(view.step);
    let text = match span {
        Some(span) => {
            let moment = &scene.scenario.moments[story.spans[span].moment];
            format!("{} {}", story.moment_number(span), moment.title.of(names.language))
        }
        None => scene.scenario.title.of(names.language).to_owned(),
    };
    let place = place(story, view, span, names.language);
    let details = details(view, names);
    let budget = columns.saturating_sub(8 + width(&place));
    let text = super::canvas::cut(&names.tidy(&text), budget.max(10));
    // The details give way one by one, the least important first.
    let mut shown = details.len();
    let tail = |shown: usize| -> String {
        let parts = details[..shown].iter().rev().map(String::as_str).chain([place.as_str()]);
        parts.collect::<Vec<_>>().join(" · ")
    };
    while shown > 0 && 6 + width(&text) + width(&tail(shown)) > columns.saturating_sub(4) {
        shown -= 1;
    }
    let tail = tail(shown);
    canvas.fill(0..columns, 0, '━', Paint::Dim);
    canvas.fill(0..2, 0, '━', Paint::Bold);
    canvas.put(2, 0, &format!(" {text} "), Paint::Bold);
    let at = (columns - 1).saturating_sub(width(&tail) + 2);
    canvas.put(at, 0, &format!(" {tail} "), Paint::Dim);
}

fn place(story: &Story, view: &View, span: Option<usize>, language: Language) -> String {
    let (step, n) = (view.step, story.n_steps());
    let moments =
        span.map(|span| (story.moment_number(span), story.moment_number(story.spans.len() - 1)));
    match (language, moments) {
        (Language::En, Some((moment, last))) => {
            format!("step {step} of {n} · moment {moment} of {last}")
        }
        (Language::En, None) => format!("step {step} of {n}"),
        (Language::Zh, Some((moment, last))) => format!("第 {step}/{n} 步 · 时刻 {moment}/{last}"),
        (Language::Zh, None) => format!("第 {step}/{n} 步"),
    }
}

/// What else the title says where there is room: the most important first.
fn details(view: &View, names: Names<'_>) -> Vec<String> {
    let mut details = Vec::new();
    match view.status {
        JobStatus::Running => {}
        JobStatus::Restarting => details.push(names.pick("restarting", "等待重启").to_owned()),
        JobStatus::Suspended => {
            details.push(names.pick("no JobManager", "没有 JobManager").to_owned());
        }
        JobStatus::Failed => details.push(names.pick("failed", "作业已失败").to_owned()),
        JobStatus::Finished => details.push(names.pick("finished", "作业已结束").to_owned()),
        JobStatus::Canceled => details.push(names.pick("cancelled", "作业已取消").to_owned()),
    }
    if view.attempt.0 > 1 {
        details.push(names.attempt(view.attempt).replace('\u{a0}', " "));
    }
    const SHOWN_MAX: usize = 3;
    if !view.completed.is_empty() {
        let newest = view.completed.iter().rev().take(SHOWN_MAX).rev();
        let ids: Vec<String> = newest.map(ToString::to_string).collect();
        let more = if view.completed.len() > SHOWN_MAX { "…, " } else { "" };
        details.push(format!("{} {more}{}", names.pick("completed", "已完成"), ids.join(", ")));
    }
    details.push(view.at.to_string());
    details
}

/// What the JobManager and the storage say of checkpoints.
pub(super) struct Checkpoints<'a> {
    pub(super) names: Names<'a>,
    pub(super) view: &'a View,
    /// How many have their lines, however many there are.
    pub(super) n_slots: usize,
    pub(super) width: usize,
}

/// Where headings begin.
const LABEL: usize = 13;
/// Columns from a heading to its cells.
const HEADING: usize = 23;

/// Cells of a line, each with its own paint.
type Cells = Vec<(String, Paint)>;

/// Makes the heading and the cells of a checkpoint's line.
type Describe<'a> = fn(&Checkpoints<'a>, Option<&CheckpointView>) -> (String, Cells);

impl Checkpoints<'_> {
    /// Draws both blocks and gives the line after them.
    pub(super) fn draw(&self, canvas: &mut Canvas, top: usize) -> usize {
        let slots = self.slots();
        let mut y = top;
        let blocks: [(&str, Paint, Describe<'_>); 2] = [
            ("JobManager", Paint::Bold, Self::acknowledgements),
            (self.names.pick("storage", "存储"), Paint::Dim, Self::contents),
        ];
        for (label, paint, of) in blocks {
            for slot in 0..self.n_slots {
                if slot == 0 {
                    canvas.put(1, y, label, paint);
                }
                let (heading, cells) = match slots.get(slot) {
                    // One "nothing" says it for all that are empty.
                    None if slot > 0 => (String::new(), Vec::new()),
                    checkpoint => of(self, checkpoint.copied()),
                };
                y = self.lines(canvas, y, &heading, &cells);
            }
        }
        if self.names.scenario.config.unaligned {
            y = self.in_flight(canvas, y, slots.last().copied());
        }
        y
    }

    /// The line with the records in flight that a checkpoint holds, the first
    /// to be processed first; as many as fit, then the number of the others.
    fn in_flight(&self, canvas: &mut Canvas, y: usize, slot: Option<&CheckpointView>) -> usize {
        let heading = self.names.pick("and in flight", "及在途数据");
        let mut x = if self.is_beside() { LABEL } else { 3 };
        let end = canvas.put(x, y, heading, Paint::Plain);
        x = if self.is_beside() { LABEL + HEADING - 1 } else { end + 2 };
        let graph = &self.names.scenario.graph;
        let mut pieces: Cells = Vec::new();
        for channel in graph.channel_indices() {
            let Some(state) = slot.map(|view| &view.in_flight[channel.index()]) else { continue };
            let spec = &graph.channels[channel.index()];
            let (from, to) = (self.names.short(spec.from), self.names.short(spec.to));
            for (place, record) in state.input.iter().chain(&state.output).enumerate() {
                let record_paint = Paint::Split(record.id.split.0);
                let text = record_text(record);
                if place == 0 {
                    let gap = if pieces.is_empty() { "" } else { " " };
                    pieces.push((format!("{gap}{from}→{to}"), Paint::Dim));
                }
                pieces.push((text, record_paint));
            }
        }
        if pieces.is_empty() {
            canvas.put(x, y, "–", Paint::Dim);
        }
        let total: usize = pieces.iter().map(|(text, _)| width(text) + 1).sum();
        // Room for the number of those that do not fit.
        let room = if x + total <= self.width + 1 { self.width } else { self.width - 5 };
        let is_record = |piece: &&(String, Paint)| piece.1 != Paint::Dim;
        for (place, (text, paint)) in pieces.iter().enumerate() {
            if x + width(text) > room {
                let hidden = pieces[place..].iter().filter(is_record).count();
                canvas.put(x, y, &format!("+{hidden}"), Paint::Dim);
                break;
            }
            x = canvas.put(x, y, text, *paint) + 1;
        }
        y + 1
    }

    /// Whether the cells of a line fit beside its heading, however much they
    /// come to say.
    fn is_beside(&self) -> bool {
        LABEL + HEADING + self.cells_max().saturating_sub(2) <= self.width + 1
    }

    fn cells_max(&self) -> usize {
        let tasks = self.names.scenario.graph.subtask_indices();
        tasks.map(|task| 5 + width(self.names.short(task))).sum()
    }

    /// The pending checkpoints, oldest first; where there are fewer than
    /// slots, the newest completed one before them.
    fn slots(&self) -> Vec<&CheckpointView> {
        let pending: Vec<_> = self.view.checkpoints.iter().filter(|view| !view.completed).collect();
        let mut slots = Vec::new();
        if pending.len() < self.n_slots {
            slots.extend(self.view.checkpoints.iter().rfind(|view| view.completed));
        }
        slots.extend(pending);
        slots.truncate(self.n_slots);
        slots
    }

    fn acknowledgements(&self, slot: Option<&CheckpointView>) -> (String, Cells) {
        let names = self.names;
        if self.view.status == JobStatus::Suspended {
            return (names.pick("crashed", "已崩溃").to_owned(), Vec::new());
        }
        let Some(checkpoint) = slot else {
            return (
                names.pick("no checkpoint pending", "没有进行中的检查点").to_owned(),
                Vec::new(),
            );
        };
        let word = if checkpoint.completed {
            names.pick("complete", "已完成")
        } else {
            names.pick("pending", "进行中")
        };
        let heading = format!("{} {word}", names.checkpoint(checkpoint.id));
        let graph = &names.scenario.graph;
        let n = graph.subtasks.len();
        let acknowledged = checkpoint.acknowledged.iter().filter(|yes| **yes).count();
        if self.too_many(n) {
            let missing: Vec<SubtaskIndex> = graph
                .subtask_indices()
                .filter(|task| !checkpoint.acknowledged[task.index()])
                .collect();
            let text = match names.language {
                Language::En => format!("{acknowledged} of {n} acknowledged"),
                Language::Zh => format!("{acknowledged}/{n} 已确认"),
            };
            let mut cells = vec![(text, Paint::Done)];
            cells.extend(
                missing
                    .iter()
                    .take(4)
                    .map(|task| (format!("· {}", names.short(*task)), Paint::Dim)),
            );
            return (heading, cells);
        }
        let cells = graph.subtask_indices().map(|task| {
            let at = task.index();
            let (mark, paint) = match (checkpoint.acknowledged[at], checkpoint.notified[at]) {
                (_, true) => ("✓✓", Paint::Done),
                (true, false) => (" ✓", Paint::Done),
                (false, false) => (" ·", Paint::Dim),
            };
            (format!("{mark} {}", names.short(task)), paint)
        });
        (heading, cells.collect())
    }

    fn contents(&self, slot: Option<&CheckpointView>) -> (String, Cells) {
        let names = self.names;
        let Some(checkpoint) = slot else {
            return (names.pick("nothing", "空").to_owned(), Vec::new());
        };
        let heading =
            format!("{} {}", names.checkpoint(checkpoint.id), names.pick("holds", "存有"));
        let graph = &names.scenario.graph;
        let n = graph.subtasks.len();
        if self.too_many(n) {
            let stored = checkpoint.stored.iter().flatten().count();
            let text = match names.language {
                Language::En => format!("{stored} of {n} parts"),
                Language::Zh => format!("{stored}/{n} 份状态"),
            };
            return (heading, vec![(text, Paint::Plain)]);
        }
        let cells = graph.subtask_indices().filter_map(|task| {
            let short = names.short(task);
            match &checkpoint.stored[task.index()] {
                None if self.keeps_nothing(task) => None,
                None => Some((format!("{short} –"), Paint::Dim)),
                Some(SnapshotState::Stateless) => None,
                Some(SnapshotState::Transactions(list)) if list.is_empty() => None,
                Some(state) => {
                    names.stored(task, state).map(|text| (names.tidy(&text), Paint::Plain))
                }
            }
        });
        (heading, cells.collect())
    }

    /// Whether a task never has anything to store, so that it needs no place.
    fn keeps_nothing(&self, task: SubtaskIndex) -> bool {
        let kind = &self.names.scenario.graph.operator(task).kind;
        kind.key_selector().is_none() && !self.names.scenario.graph.is_source(task)
    }

    fn too_many(&self, n_tasks: usize) -> bool {
        let names = self.names.scenario.graph.subtask_indices();
        let needed: usize = names.map(|task| 5 + width(self.names.short(task))).sum();
        n_tasks > 0 && needed > 2 * (self.width - 4)
    }

    /// One line if everything fits beside the heading; else the heading, and
    /// the cells on lines of their own below it. The choice is made by the
    /// widths that the cells can have, not by those that they have now.
    fn lines(&self, canvas: &mut Canvas, y: usize, heading: &str, cells: &Cells) -> usize {
        let graph = &self.names.scenario.graph;
        let all = self.cells_max();
        canvas.put(LABEL, y, heading, Paint::Plain);
        if self.is_beside() {
            let mut x = LABEL + (HEADING - 1).max(width(heading) + 1);
            for (text, paint) in cells {
                if x + width(text) > self.width {
                    canvas.put(x, y, "…", Paint::Dim);
                    break;
                }
                x = canvas.put(x, y, text, *paint) + 2;
            }
            return y + 1;
        }
        let n_lines =
            if self.too_many(graph.subtasks.len()) { 1 } else { 1 + (all - 1) / (self.width - 4) };
        let (mut x, mut line) = (3, y + 1);
        for (text, paint) in cells {
            if x > 3 && x + width(text) > self.width {
                (x, line) = (3, line + 1);
            }
            if line > y + n_lines {
                break;
            }
            x = canvas.put(x, line, text, *paint) + 2;
        }
        y + 1 + n_lines
    }
}
