//! One task as a box: its name, what it holds, how far it is with a barrier.

use super::canvas::{Canvas, cut, width};
use super::lane::{barrier_text, record_text};
use super::paint::{Paint, mark};
use super::plan::{Extent, SPLITS_MAX, box_height, has_two_lines, shows_work};
use crate::model::{
    Language, MapFunction, OperatorKind, Predicate, SinkKind, SnapshotState, StreamElement,
    SubtaskIndex,
};
use crate::narrate::Names;
use crate::trace::{TaskStatus, TaskView, View};

/// What is drawn of one task.
pub(super) struct Task<'a> {
    pub(super) names: Names<'a>,
    pub(super) seed: u64,
    pub(super) now: &'a View,
    pub(super) before: &'a View,
    pub(super) task: SubtaskIndex,
}

/// A line of a box while it is being filled.
pub(super) struct Line<'c> {
    canvas: &'c mut Canvas,
    y: usize,
    x: usize,
    end: usize,
}

impl Line<'_> {
    /// Writes as much as fits.
    pub(super) fn put(&mut self, text: &str, paint: Paint) {
        let text = cut(text, self.end - self.x);
        self.x = self.canvas.put(self.x, self.y, &text, paint);
    }

    /// The columns that are left.
    pub(super) fn room(&self) -> usize {
        self.end - self.x
    }
}

impl Task<'_> {
    /// Whether anything in the box has changed.
    pub(super) fn has_changed(&self) -> bool {
        let at = self.task.index();
        self.now.tasks[at] != self.before.tasks[at] || self.held(self.now) != self.held(self.before)
    }

    pub(super) fn view(&self) -> &TaskView {
        &self.now.tasks[self.task.index()]
    }

    /// Draws it and its border.
    pub(super) fn draw(&self, canvas: &mut Canvas, place: Extent, top: usize) {
        let graph = &self.names.scenario.graph;
        let height = box_height(self.names, self.task);
        self.border(canvas, place, (top, height));
        self.status(canvas, place, top + height - 1);
        let lines: Vec<usize> = (top + 1..top + height - 1).collect();
        let mut lines = lines.into_iter().map(|y| (y, place.x + 2, place.x + place.width - 1));
        let mut next = |draw: &mut dyn FnMut(Line<'_>)| {
            let (y, x, end) = lines.next().expect("the height was computed from the same lines");
            draw(Line { canvas: &mut *canvas, y, x, end });
        };
        next(&mut |line| self.name(line));
        match &graph.operator(self.task).kind {
            OperatorKind::Source { .. } => {
                let splits = &graph.subtasks[self.task.index()].splits;
                for position in 0..splits.len().clamp(1, SPLITS_MAX) {
                    next(&mut |line| self.tape(line, position));
                }
                next(&mut |line| self.offset(line));
                return;
            }
            OperatorKind::Sink(SinkKind::Transactional) => {
                next(&mut |mut line| line.put(self.names.pick("published", "已发布"), Paint::Dim));
                next(&mut |line| self.published(line));
                next(&mut |line| self.prepared(line));
                next(&mut |line| self.open(line));
            }
            OperatorKind::Sink(kind) => {
                let word = match kind {
                    SinkKind::Idempotent => self.names.pick("holds", "现有"),
                    _ => self.names.pick("wrote", "已写"),
                };
                next(&mut |mut line| line.put(word, Paint::Dim));
                next(&mut |line| self.published(line));
                if graph.subtasks[self.task.index()].inputs.len() > 1 {
                    next(&mut |line| self.progress(line));
                }
            }
            _ => {
                if has_two_lines(self.names, self.task) {
                    next(&mut |line| self.keyed(line, 0));
                    next(&mut |line| self.keyed(line, 1));
                } else {
                    next(&mut |line| self.state(line));
                }
                next(&mut |line| self.progress(line));
            }
        }
        if shows_work(graph, self.task) {
            next(&mut |line| self.work(line));
        }
    }

    fn border(&self, canvas: &mut Canvas, place: Extent, (top, height): (usize, usize)) {
        let (signs, paint) = match self.view().status {
            TaskStatus::Crashed | TaskStatus::Cancelled => {
                (['┌', '╌', '┐', '╎', '└', '┘'], Paint::Dim)
            }
            _ if self.has_changed() => (['┏', '━', '┓', '┃', '┗', '┛'], Paint::Changed),
            _ => (['┌', '─', '┐', '│', '└', '┘'], Paint::Dim),
        };
        let [top_left, across, top_right, down, bottom_left, bottom_right] = signs;
        let (left, right, bottom) = (place.x, place.x + place.width - 1, top + height - 1);
        let mut put = |x, y, sign: char| {
            canvas.put(x, y, sign.encode_utf8(&mut [0; 4]), paint);
        };
        for x in left + 1..right {
            put(x, top, across);
            put(x, bottom, across);
        }
        for y in top + 1..bottom {
            put(left, y, down);
            put(right, y, down);
        }
        put(left, top, top_left);
        put(right, top, top_right);
        put(left, bottom, bottom_left);
        put(right, bottom, bottom_right);
    }

    fn name(&self, mut line: Line<'_>) {
        let graph = &self.names.scenario.graph;
        let name = self.names.task(self.task);
        match self.view().status {
            TaskStatus::Crashed => {
                if width(name) + 2 <= line.room() {
                    line.put("✗ ", Paint::Blocked);
                }
                line.put(name, Paint::Struck);
                return;
            }
            TaskStatus::Cancelled => return line.put(name, Paint::Dim),
            TaskStatus::Running | TaskStatus::Initializing | TaskStatus::Finished => {}
        }
        match graph.subtasks[self.task.index()].splits.as_slice() {
            [only] => line.put(&format!("{} {name}", mark(only.0)), Paint::Split(only.0)),
            _ => line.put(name, Paint::Plain),
        }
    }

    fn offset(&self, mut line: Line<'_>) {
        let view = self.view();
        if let [offset] = view.offsets.as_slice() {
            line.put(self.names.pick("offset ", "偏移量 "), Paint::Plain);
            line.put(&offset.to_string(), Paint::Bold);
            line.put(" ", Paint::Plain);
        }
        self.holds(&mut line);
    }

    /// The newest checkpoint that holds a part of this task, and which part.
    fn held(&self, view: &View) -> Option<(crate::model::CheckpointId, SnapshotState)> {
        let newest = view.checkpoints.iter().rev();
        let mut parts = newest.filter_map(|checkpoint| {
            let part = checkpoint.stored[self.task.index()].as_ref()?;
            Some((checkpoint.id, part.clone()))
        });
        parts.next()
    }

    fn holds(&self, line: &mut Line<'_>) {
        let Some((checkpoint, state)) = self.held(self.now) else { return };
        let text = match &state {
            SnapshotState::Offsets(offsets) => {
                let offsets: Vec<String> =
                    offsets.iter().map(|(_, offset)| offset.to_string()).collect();
                offsets.join(" ")
            }
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                self.names.keyed(self.task, entries)
            }
            SnapshotState::Stateless | SnapshotState::Transactions(_) => {
                return line.put(&format!("{} ✓", barrier_text(checkpoint)), Paint::Barrier);
            }
        };
        let bar = barrier_text(checkpoint);
        let word = self.names.pick("holds", "存");
        for words in [format!("{bar} {word} {text}"), format!("{bar} {text}")] {
            if width(&words) <= line.room() {
                return line.put(&words, Paint::Barrier);
            }
        }
        // What does not fit is counted.
        let text = match &state {
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                match self.names.language {
                    Language::En => format!("{bar} {} keys", entries.len()),
                    Language::Zh => format!("{bar} {} 个键", entries.len()),
                }
            }
            _ => format!("{bar} {text}"),
        };
        line.put(&text, Paint::Barrier);
    }

    /// In the lower border: that a task does not run, or what it does for a
    /// snapshot.
    fn status(&self, canvas: &mut Canvas, place: Extent, bottom: usize) {
        let view = self.view();
        let pick = |en, zh| (self.names.pick(en, zh), None);
        let (word, checkpoint) = match (view.status, view.copying, view.storing.first()) {
            (TaskStatus::Running, Some(own), _) => (self.names.pick("copying", "复制"), Some(own)),
            (TaskStatus::Running, None, Some(own)) => {
                (self.names.pick("storing", "存储"), Some(*own))
            }
            (TaskStatus::Running, None, None) => return,
            (TaskStatus::Initializing, ..) => pick("restoring", "恢复中"),
            (TaskStatus::Crashed, ..) => pick("✗ crashed", "✗ 已崩溃"),
            (TaskStatus::Cancelled, ..) => pick("cancelled", "已取消"),
            (TaskStatus::Finished, ..) => pick("finished", "已结束"),
        };
        let paint = match view.status {
            TaskStatus::Running | TaskStatus::Initializing => Paint::Barrier,
            TaskStatus::Crashed => Paint::Blocked,
            TaskStatus::Cancelled => Paint::Dim,
            TaskStatus::Finished => Paint::Done,
        };
        let long = checkpoint.map(|checkpoint| format!("{word} {}", barrier_text(checkpoint)));
        let long = long.filter(|long| width(long) + 4 <= place.width);
        let word = long.unwrap_or_else(|| word.to_owned());
        let word = cut(&format!(" {word} "), place.width - 2);
        let x = if width(&word) + 3 <= place.width { place.x + 2 } else { place.x + 1 };
        canvas.put(x, bottom, &word, paint);
    }

    /// The state of a task whose subtasks keep one key each, or what a task
    /// without state does.
    fn state(&self, mut line: Line<'_>) {
        let names = self.names;
        let kind = &names.scenario.graph.operator(self.task).kind;
        if kind.key_selector().is_some() {
            let entries: Vec<_> =
                self.view().state.iter().map(|(key, value)| (*key, *value)).collect();
            let text = cut(&names.keyed(self.task, &entries), line.room());
            line.x += (line.room() - width(&text)).saturating_sub(1) / 2;
            return line.put(&text, Paint::Bold);
        }
        let text = match kind {
            OperatorKind::Map(MapFunction::Add(n)) => format!("+ {n}"),
            OperatorKind::Map(MapFunction::Multiply(n)) => format!("× {n}"),
            OperatorKind::Filter(Predicate::Even) => {
                names.pick("even only", "只放行偶数").to_owned()
            }
            OperatorKind::Filter(Predicate::Odd) => names.pick("odd only", "只放行奇数").to_owned(),
            OperatorKind::Filter(Predicate::Above(n)) => format!("> {n}"),
            OperatorKind::Filter(Predicate::Below(n)) => format!("< {n}"),
            _ => String::new(),
        };
        line.put(&text, Paint::Dim);
    }

    /// One of the two lines of a state that names its keys: two entries have a
    /// line each, more of them flow.
    fn keyed(&self, mut line: Line<'_>, which: usize) {
        let names = self.names;
        let operator = names.scenario.graph.subtasks[self.task.index()].operator;
        let entries = self.view().state.iter().map(|(key, value)| {
            names.entry(operator, *key, &names.state_value(value)).replace(":\u{a0}", ":")
        });
        let entries: Vec<String> = entries.collect();
        let mut lines = vec![String::new()];
        for entry in &entries {
            let n_lines = lines.len();
            let last = lines.last_mut().expect("there is one from the start");
            let flows = entries.len() > 2 && width(last) + 1 + width(entry) <= line.room();
            if last.is_empty() {
                last.push_str(entry);
            } else if flows {
                *last = format!("{last} {entry}");
            } else if n_lines < 2 {
                lines.push(entry.clone());
            } else {
                last.push_str(" …");
                break;
            }
        }
        match (which, lines.get(which).filter(|text| !text.is_empty())) {
            (0, None) => line.put("–", Paint::Bold),
            (_, None) => {}
            (_, Some(text)) => line.put(text, Paint::Bold),
        }
    }

    /// How far the alignment is, or what the newest checkpoint holds.
    pub(super) fn progress(&self, mut line: Line<'_>) {
        let Some(aligning) = self.view().aligning else { return self.holds(&mut line) };
        let (bar, n, needed) =
            (barrier_text(aligning.checkpoint), aligning.n_received, aligning.n_needed);
        let word = self.names.pick("barrier", "屏障");
        let long = format!("{word} {n}/{needed}");
        let text = if width(&long) <= line.room() { long } else { format!("{bar} {n}/{needed}") };
        line.put(&text, Paint::Barrier);
    }

    fn work(&self, mut line: Line<'_>) {
        let Some((_, message)) = self.view().in_hand else { return };
        let StreamElement::Record(record) = message.element else { return };
        let text = record_text(&record);
        let (long, short) =
            (self.names.pick("works on ", "正在处理 "), self.names.pick("on ", "处理 "));
        let fits = width(long) + width(&text) <= line.room();
        line.put(if fits { long } else { short }, Paint::Dim);
        line.put(&text, Paint::Split(record.id.split.0));
    }
}
