//! Where the two strips below the job stand: what the JobManager knows of its
//! checkpoints, and what the storage holds of them. One table: a column a
//! task, at the same place in both. What it is about stands left of the columns,
//! in a tall layout above them.

use super::measures::Measures;
use super::plan::Shape;
use crate::model::SubtaskIndex;
use crate::narrate::Story;
use crate::render::scene::{Anchor, Rect};

/// The layout of both strips.
#[derive(Clone, Debug)]
pub(super) struct Strips {
    shape: Shape,
    top: f64,
    /// Checkpoints that have a line each.
    pub(super) n_slots: usize,
    /// Tasks with a column of their own; none of very large jobs.
    n_tasks: usize,
    per_row: usize,
    n_rows: usize,
    /// Whether records in flight have a line.
    pub(super) in_flight: bool,
}

/// The most tasks beside each other.
const PER_ROW_MAX: usize = 8;
const PER_ROW_MAX_TALL: usize = 3;
/// The most tasks that have a column each.
const TASKS_MAX: usize = 32;
/// Where the columns begin, if what they are about stands left of them.
const LEFT: f64 = 384.0;
/// From one line of a strip to the next.
const LINE: f64 = 44.0;
/// From one line above the columns to the next.
const HEADING: f64 = 30.0;
/// Where a tall layout says which checkpoint a line is about.
const GUTTER: f64 = 34.0;

impl Strips {
    pub(super) fn new(story: &Story, measures: &Measures, shape: Shape) -> Self {
        let n_tasks = story.scenario.graph.subtasks.len();
        let n_tasks = if n_tasks > TASKS_MAX { 0 } else { n_tasks };
        let most = if shape == Shape::Tall { PER_ROW_MAX_TALL } else { PER_ROW_MAX };
        let n_rows = n_tasks.div_ceil(most).max(1);
        Self {
            shape,
            top: 0.0,
            n_slots: story.pending_max.clamp(1, 3),
            n_tasks,
            per_row: n_tasks.div_ceil(n_rows).max(1),
            n_rows,
            in_flight: measures.keeps_in_flight,
        }
    }

    pub(super) fn at(self, top: f64) -> Self {
        Self { top, ..self }
    }

    /// Whether every task has a column.
    pub(super) fn has_columns(&self) -> bool {
        self.n_tasks > 0
    }

    /// From the top of the first to the bottom of the second.
    pub(super) fn height(&self) -> f64 {
        self.job_manager_height() + 16.0 + self.storage_height()
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height()
    }

    /// What stands above the columns: of the JobManager's strip, and of the
    /// storage's.
    fn heads(&self) -> (f64, f64) {
        match self.shape {
            Shape::Wide => (0.0, 0.0),
            Shape::Tall => {
                let n_stored = self.n_slots + usize::from(self.in_flight);
                (HEADING * self.n_slots as f64, HEADING * (n_stored - 1) as f64 - 4.0)
            }
        }
    }

    /// Where the columns begin.
    fn left(&self) -> f64 {
        match self.shape {
            Shape::Wide => LEFT,
            Shape::Tall if self.n_slots > 1 => self.shape.margin() + GUTTER,
            Shape::Tall => self.shape.margin(),
        }
    }

    fn column_width(&self) -> f64 {
        (self.shape.width() - self.shape.margin() - self.left()) / self.per_row as f64
    }

    fn row_height(&self) -> f64 {
        36.0 + LINE * self.n_slots as f64
    }

    fn job_manager_height(&self) -> f64 {
        let several = if self.n_slots > 1 && self.shape == Shape::Wide { 32.0 } else { 0.0 };
        46.0 + self.heads().0 + self.n_rows as f64 * self.row_height() + several
    }

    fn storage_row_height(&self) -> f64 {
        let names = if self.n_rows > 1 { 30.0 } else { 0.0 };
        names + LINE * (self.n_slots + usize::from(self.in_flight)) as f64
    }

    fn storage_height(&self) -> f64 {
        self.above_stored() - 12.0 + self.n_rows as f64 * self.storage_row_height()
    }

    /// From the top of the storage's strip to its first line.
    fn above_stored(&self) -> f64 {
        match (self.shape, self.n_slots) {
            (Shape::Wide, 1) => 50.0,
            (Shape::Wide, _) => 84.0,
            (Shape::Tall, _) => 74.0 + self.heads().1,
        }
    }

    fn strip(&self, top: f64, height: f64) -> Rect {
        let margin = self.shape.margin();
        Rect::new(margin, top, self.shape.width() - 2.0 * margin, height)
    }

    /// The JobManager's strip.
    pub(super) fn job_manager(&self) -> Rect {
        self.strip(self.top, self.job_manager_height())
    }

    /// The storage's strip.
    pub(super) fn storage(&self) -> Rect {
        self.strip(self.job_manager().bottom() + 16.0, self.storage_height())
    }

    /// How wide the texts beside or above the columns may be.
    pub(super) fn left_room(&self) -> f64 {
        match self.shape {
            Shape::Wide => LEFT - 16.0 - self.shape.margin() - 24.0,
            Shape::Tall => self.job_manager().width * 0.62,
        }
    }

    /// Where the texts beside or above the columns begin.
    pub(super) fn heading_x(&self) -> f64 {
        self.shape.margin() + if self.shape == Shape::Wide { 24.0 } else { 12.0 }
    }

    /// The baseline of what is said of a checkpoint in the JobManager's strip.
    pub(super) fn pending_y(&self, slot: usize) -> f64 {
        match self.shape {
            Shape::Wide if self.n_slots > 1 => self.heading(slot).0,
            Shape::Wide => self.top + 72.0,
            Shape::Tall => self.top + 38.0 + HEADING * (slot + 1) as f64,
        }
    }

    /// Where the list of completed checkpoints stands.
    pub(super) fn completed(&self) -> ((f64, f64), Anchor) {
        let own = self.job_manager();
        let x = self.heading_x();
        match self.shape {
            Shape::Wide if self.n_slots > 1 => ((x, own.bottom() - 14.0), Anchor::Start),
            Shape::Wide => ((x, own.bottom() - 17.0), Anchor::Start),
            Shape::Tall => ((own.right() - 12.0, own.y + 38.0), Anchor::End),
        }
    }

    /// Where it is said what a line of the storage's strip is about; one line
    /// more is about the records in flight.
    pub(super) fn stored_heading(&self, line: usize) -> ((f64, f64), Anchor) {
        let own = self.storage();
        let x = self.heading_x();
        match self.shape {
            Shape::Tall => {
                let y = own.y + 36.0 + HEADING * line as f64;
                ((own.right() - 12.0, y), Anchor::End)
            }
            Shape::Wide if self.n_slots > 1 => ((x, self.heading(line).1), Anchor::Start),
            Shape::Wide if line == 0 => ((x, own.y + 66.0), Anchor::Start),
            Shape::Wide => ((x, self.heading(line).1.max(own.y + 94.0)), Anchor::Start),
        }
    }

    /// Left of a row of a tall layout with several checkpoints: the places of a
    /// checkpoint's number, in both strips.
    pub(super) fn gutter(&self, task: SubtaskIndex, slot: usize) -> Option<[Rect; 2]> {
        let is_first = task.index().is_multiple_of(self.per_row);
        if self.shape == Shape::Wide || self.n_slots == 1 || !is_first {
            return None;
        }
        let x = self.shape.margin() + GUTTER / 2.0 + 6.0;
        let ys = [self.status(task, slot).y, self.stored(task, slot).y];
        Some(ys.map(|y| Rect::around((x, y - 8.0), 22.0, 32.0)))
    }

    /// Left edge and width of a task's column, and its row.
    fn column(&self, task: SubtaskIndex) -> (f64, f64, usize) {
        let width = self.column_width();
        let (row, place) = (task.index() / self.per_row, task.index() % self.per_row);
        (self.left() + place as f64 * width, width, row)
    }

    fn cell(&self, (x, width): (f64, f64), y: f64) -> Cell {
        let pad = if self.shape == Shape::Wide { 24.0 } else { 12.0 };
        Cell { x, width, y, pad }
    }

    /// The place of a task's name in the JobManager's strip, by its baseline.
    pub(super) fn name(&self, task: SubtaskIndex) -> Cell {
        let (x, width, row) = self.column(task);
        let y = self.top + 40.0 + self.heads().0 + row as f64 * self.row_height();
        let y = if self.shape == Shape::Tall { y + 32.0 } else { y };
        self.cell((x, width), y)
    }

    /// The place of what a task has done for a checkpoint.
    pub(super) fn status(&self, task: SubtaskIndex, slot: usize) -> Cell {
        let name = self.name(task);
        let first = if self.shape == Shape::Tall { 36.0 } else { 48.0 };
        Cell { y: name.y + first + LINE * slot as f64, ..name }
    }

    /// The place of a task's name in the storage's strip, if it has one there.
    pub(super) fn storage_name(&self, task: SubtaskIndex) -> Option<Cell> {
        let (x, width, _) = self.column(task);
        let y = self.stored(task, 0).y - 34.0;
        (self.n_rows > 1).then_some(self.cell((x, width), y))
    }

    /// The place of what the storage holds of a task.
    pub(super) fn stored(&self, task: SubtaskIndex, slot: usize) -> Cell {
        let (x, width, row) = self.column(task);
        let names = if self.n_rows > 1 { 30.0 } else { 0.0 };
        let first = self.storage().y + self.above_stored();
        let y = first + names + row as f64 * self.storage_row_height() + LINE * slot as f64;
        self.cell((x, width), y)
    }

    /// Baselines of the lines beside the columns, by slot: of the JobManager's
    /// strip and of the storage's.
    pub(super) fn heading(&self, slot: usize) -> (f64, f64) {
        let first = SubtaskIndex(0);
        (self.status(first, slot).y, self.stored(first, slot).y)
    }

    /// Where it is said how many of very many tasks have answered: left end and
    /// room.
    pub(super) fn counts(&self) -> (f64, f64) {
        match self.shape {
            Shape::Wide => (self.shape.margin() + 344.0, 1400.0),
            Shape::Tall => (self.left() + 12.0, self.column_width() - 24.0),
        }
    }

    /// Vertical lines between the columns: the x of each, and top and bottom in
    /// both strips.
    pub(super) fn rules(&self) -> Vec<(f64, [(f64, f64); 2])> {
        let (own, storage) = (self.job_manager(), self.storage());
        let n_columns = if self.has_columns() { self.per_row } else { 1 };
        let above = match self.shape {
            Shape::Wide => (20.0, 16.0),
            Shape::Tall => (self.heads().0 + 50.0, self.above_stored() - 22.0),
        };
        let spans = [
            (own.y + above.0, own.bottom() - 20.0),
            (storage.y + above.1, storage.bottom() - 16.0),
        ];
        // In a tall layout there is nothing left of the first column.
        let first = usize::from(self.shape == Shape::Tall);
        let x = |place: usize| self.left() + place as f64 * self.column_width();
        (first..n_columns).map(|place| (x(place), spans)).collect()
    }
}

/// A place in a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The column's left edge.
    pub(super) x: f64,
    pub(super) width: f64,
    /// The baseline.
    pub(super) y: f64,
    /// From its edge to its text.
    pad: f64,
}

impl Cell {
    /// Where its text begins.
    pub(super) fn start(&self) -> (f64, f64) {
        (self.x + self.pad, self.y)
    }

    /// The room that its text has.
    pub(super) fn room(&self) -> f64 {
        self.width - 2.0 * self.pad + 4.0
    }

    /// What is outlined when it has changed.
    pub(super) fn outline(&self) -> Rect {
        let pad = self.pad - 6.0;
        Rect::new(self.x + pad, self.y - 22.0, self.width - 2.0 * pad + 2.0, 30.0)
    }
}
