//! Where the two strips below the job stand: what the JobManager knows of its
//! checkpoints, and what the storage holds of them. One table: a column a
//! task, at the same place in both.

use super::measures::Measures;
use super::plan::{MARGIN, WIDTH};
use crate::model::SubtaskIndex;
use crate::narrate::Story;
use crate::render::scene::Rect;

/// The layout of both strips.
#[derive(Clone, Debug)]
pub(super) struct Strips {
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
/// The most tasks that have a column each.
const TASKS_MAX: usize = 32;
/// Where the columns begin.
const LEFT: f64 = 384.0;
/// From one line of a strip to the next.
const LINE: f64 = 44.0;

impl Strips {
    pub(super) fn new(story: &Story, measures: &Measures) -> Self {
        let n_tasks = story.scenario.graph.subtasks.len();
        let n_tasks = if n_tasks > TASKS_MAX { 0 } else { n_tasks };
        let n_rows = n_tasks.div_ceil(PER_ROW_MAX).max(1);
        Self {
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

    fn row_height(&self) -> f64 {
        36.0 + LINE * self.n_slots as f64
    }

    fn job_manager_height(&self) -> f64 {
        46.0 + self.n_rows as f64 * self.row_height() + if self.n_slots > 1 { 32.0 } else { 0.0 }
    }

    fn storage_row_height(&self) -> f64 {
        let names = if self.n_rows > 1 { 30.0 } else { 0.0 };
        names + LINE * (self.n_slots + usize::from(self.in_flight)) as f64
    }

    fn storage_height(&self) -> f64 {
        let title = if self.n_slots > 1 { 34.0 } else { 0.0 };
        38.0 + title + self.n_rows as f64 * self.storage_row_height()
    }

    /// The JobManager's strip.
    pub(super) fn job_manager(&self) -> Rect {
        Rect::new(MARGIN, self.top, WIDTH - 2.0 * MARGIN, self.job_manager_height())
    }

    /// The storage's strip.
    pub(super) fn storage(&self) -> Rect {
        let top = self.job_manager().bottom() + 16.0;
        Rect::new(MARGIN, top, WIDTH - 2.0 * MARGIN, self.storage_height())
    }

    /// How wide the texts left of the columns may be.
    pub(super) fn left_room(&self) -> f64 {
        LEFT - 16.0 - MARGIN - 24.0
    }

    /// Left edge and width of a task's column, and its row.
    fn column(&self, task: SubtaskIndex) -> (f64, f64, usize) {
        let width = (WIDTH - MARGIN - LEFT) / self.per_row as f64;
        let (row, place) = (task.index() / self.per_row, task.index() % self.per_row);
        (LEFT + place as f64 * width, width, row)
    }

    /// The place of a task's name in the JobManager's strip, by its baseline.
    pub(super) fn name(&self, task: SubtaskIndex) -> Cell {
        let (x, width, row) = self.column(task);
        Cell { x, width, y: self.top + 40.0 + row as f64 * self.row_height() }
    }

    /// The place of what a task has done for a checkpoint.
    pub(super) fn status(&self, task: SubtaskIndex, slot: usize) -> Cell {
        let name = self.name(task);
        Cell { y: name.y + 48.0 + LINE * slot as f64, ..name }
    }

    /// The place of a task's name in the storage's strip, if it has one there.
    pub(super) fn storage_name(&self, task: SubtaskIndex) -> Option<Cell> {
        let (x, width, _) = self.column(task);
        let y = self.stored(task, 0).y - 34.0;
        (self.n_rows > 1).then_some(Cell { x, width, y })
    }

    /// The place of what the storage holds of a task.
    pub(super) fn stored(&self, task: SubtaskIndex, slot: usize) -> Cell {
        let (x, width, row) = self.column(task);
        let names = if self.n_rows > 1 { 30.0 } else { 0.0 };
        let first = self.storage().y + 50.0 + if self.n_slots > 1 { 34.0 } else { 0.0 };
        let y = first + names + row as f64 * self.storage_row_height() + LINE * slot as f64;
        Cell { x, width, y }
    }

    /// Baselines of the lines beside the columns, by slot: of the JobManager's
    /// strip and of the storage's.
    pub(super) fn heading(&self, slot: usize) -> (f64, f64) {
        let first = SubtaskIndex(0);
        (self.status(first, slot).y, self.stored(first, slot).y)
    }

    /// Vertical lines between the columns: the x of each, and top and bottom in
    /// both strips.
    pub(super) fn rules(&self) -> Vec<(f64, [(f64, f64); 2])> {
        let (own, storage) = (self.job_manager(), self.storage());
        let n_columns = if self.has_columns() { self.per_row } else { 1 };
        let width = (WIDTH - MARGIN - LEFT) / n_columns as f64;
        let spans =
            [(own.y + 20.0, own.bottom() - 20.0), (storage.y + 16.0, storage.bottom() - 16.0)];
        (0..n_columns).map(|place| (LEFT + place as f64 * width, spans)).collect()
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
}

impl Cell {
    /// Where its text begins.
    pub(super) fn start(&self) -> (f64, f64) {
        (self.x + 24.0, self.y)
    }

    /// The room that its text has.
    pub(super) fn room(&self) -> f64 {
        self.width - 44.0
    }

    /// What is outlined when it has changed.
    pub(super) fn outline(&self) -> Rect {
        Rect::new(self.x + 18.0, self.y - 22.0, self.width - 34.0, 30.0)
    }
}
