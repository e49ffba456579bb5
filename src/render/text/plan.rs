//! Where things stand: computed from the job, the width and the language,
//! never from the step, so that nothing moves that does not change.
//!
//! Operators stand in columns by their distance from the sources, their
//! subtasks in rows. The channels of a task end at its left side, one a line,
//! each with its sender's name; a single channel from the box beside it needs
//! none. What is too wide for one band of columns goes on in the next.

use super::canvas::width;
use crate::model::{ChannelIndex, ExecutionGraph, OperatorKind, SinkKind, SubtaskIndex};
use crate::narrate::Names;

/// A layout.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) width: usize,
    pub(super) bands: Vec<Band>,
}

/// Columns beside each other.
#[derive(Clone, Debug)]
pub(super) struct Band {
    pub(super) columns: Vec<Column>,
    /// Heights of the rows.
    pub(super) rows: Vec<usize>,
}

/// The tasks of one layer, with the channels to them.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) tasks: Vec<SubtaskIndex>,
    pub(super) lane: Extent,
    pub(super) task: Extent,
}

/// Where something begins and how wide it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) x: usize,
    pub(super) width: usize,
}

/// How the channels of a task are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// None: a source.
    None,
    /// One, right from the box beside it.
    Straight(ChannelIndex),
    /// Each with the name of its sender.
    Named,
}

/// The most lanes that are drawn of one task.
pub(super) const LANES_MAX: usize = 6;
/// The most rows of a band that are drawn.
pub(super) const ROWS_MAX: usize = 8;
/// The most splits of a source that have a line of their own.
pub(super) const SPLITS_MAX: usize = 4;

impl Plan {
    pub(super) fn new(names: Names<'_>, width: usize) -> Self {
        let graph = &names.scenario.graph;
        let layers = layers(graph);
        let mut n_bands = 1;
        loop {
            let groups = split_evenly(&layers, n_bands);
            let fits = groups.iter().all(|group| Sizes::of(names, group).least() < width);
            if fits || n_bands == layers.len() {
                let bands = groups.iter().map(|group| Band::new(names, group, width)).collect();
                return Self { width, bands };
            }
            n_bands += 1;
        }
    }
}

/// Tasks by their operators' distance from the sources.
fn layers(graph: &ExecutionGraph) -> Vec<Vec<SubtaskIndex>> {
    let job = &graph.job;
    let mut depth = vec![0; job.operators.len()];
    // A path has fewer edges than there are operators.
    for _ in 0..job.operators.len() {
        for edge in &job.edges {
            depth[edge.to.index()] = depth[edge.to.index()].max(depth[edge.from.index()] + 1);
        }
    }
    let n_layers = depth.iter().max().map_or(0, |deepest| deepest + 1);
    let mut layers = vec![Vec::new(); n_layers];
    for task in graph.subtask_indices() {
        layers[depth[graph.subtasks[task.index()].operator.index()]].push(task);
    }
    layers
}

fn split_evenly<T>(items: &[T], n_groups: usize) -> Vec<&[T]> {
    let (mut groups, mut rest) = (Vec::new(), items);
    for group in (1..=n_groups).rev() {
        let (first, others) = rest.split_at(rest.len().div_ceil(group));
        groups.push(first);
        rest = others;
    }
    groups
}

/// Least and wanted widths of the columns of a band.
struct Sizes {
    /// By column: of the lanes, whether they are named, and of the boxes.
    columns: Vec<(usize, bool, usize, usize)>,
}

impl Sizes {
    fn of(names: Names<'_>, layers: &[Vec<SubtaskIndex>]) -> Self {
        let columns = layers.iter().enumerate().map(|(place, tasks)| {
            let (least, wanted) = box_widths(names, tasks);
            let before = place.checked_sub(1).map(|before| layers[before].as_slice());
            let graph = &names.scenario.graph;
            let kinds = |wanted: fn(&Lanes) -> bool| {
                tasks
                    .iter()
                    .enumerate()
                    .any(|(row, task)| wanted(&lanes(graph, before, row, *task)))
            };
            if kinds(|lanes| *lanes == Lanes::Named) {
                (20, true, least, wanted)
            } else if kinds(|lanes| matches!(lanes, Lanes::Straight(_))) {
                (11, false, least, wanted)
            } else {
                (0, false, least, wanted)
            }
        });
        Self { columns: columns.collect() }
    }

    fn least(&self) -> usize {
        self.columns.iter().map(|(lane, _, least, _)| lane + least).sum()
    }

    /// Shares what is left of a width: first lanes on which a barrier and two
    /// records fit, then boxes of their wanted size, then longer lanes.
    fn share(&self, width: usize) -> Vec<(usize, usize)> {
        const NAMED: [usize; 3] = [25, 29, 44];
        const STRAIGHT: [usize; 3] = [15, 18, 44];
        let mut spare = (width - 1).saturating_sub(self.least());
        let mut sizes: Vec<(usize, usize)> =
            self.columns.iter().map(|(lane, _, least, _)| (*lane, *least)).collect();
        let mut grow = |size: &mut usize, to: usize| {
            let more = to.saturating_sub(*size).min(spare);
            *size += more;
            spare -= more;
        };
        for round in 0..3 {
            for (wants_named, to) in [(false, STRAIGHT[round]), (true, NAMED[round])] {
                for (size, (lane, named, ..)) in sizes.iter_mut().zip(&self.columns) {
                    if *lane > 0 && *named == wants_named {
                        grow(&mut size.0, to);
                    }
                }
            }
            for (size, (.., wanted)) in sizes.iter_mut().zip(&self.columns) {
                grow(&mut size.1, *wanted);
            }
        }
        sizes
    }
}

impl Band {
    fn new(names: Names<'_>, layers: &[Vec<SubtaskIndex>], width: usize) -> Self {
        let (mut x, mut columns) = (1, Vec::new());
        for (tasks, (lane, task)) in layers.iter().zip(Sizes::of(names, layers).share(width)) {
            let lane = Extent { x, width: lane };
            let task = Extent { x: x + lane.width, width: task };
            x = task.x + task.width;
            columns.push(Column { tasks: tasks.clone(), lane, task });
        }
        let n_rows = layers.iter().map(Vec::len).max().unwrap_or(0);
        let height = |row: usize| {
            let tasks = layers.iter().filter_map(|tasks| tasks.get(row));
            tasks.map(|task| row_height(names, *task)).max().unwrap_or(0)
        };
        let mut rows: Vec<usize> = (0..n_rows).map(height).collect();
        if n_rows > ROWS_MAX {
            // Any row may be one of those that are drawn.
            let highest = rows.iter().copied().max().unwrap_or(0);
            rows.fill(highest);
        }
        Self { columns, rows }
    }
}

/// How the channels of a task are drawn that stands in a row beside others.
pub(super) fn lanes(
    graph: &ExecutionGraph,
    before: Option<&[SubtaskIndex]>,
    row: usize,
    task: SubtaskIndex,
) -> Lanes {
    match graph.subtasks[task.index()].inputs.as_slice() {
        [] => Lanes::None,
        [only] => {
            let sender = graph.channels[only.index()].from;
            let beside = before.and_then(|tasks| tasks.get(row)) == Some(&sender);
            if beside { Lanes::Straight(*only) } else { Lanes::Named }
        }
        _ => Lanes::Named,
    }
}

/// The lines that a task's box takes, its border included.
pub(super) fn box_height(names: Names<'_>, task: SubtaskIndex) -> usize {
    let graph = &names.scenario.graph;
    let subtask = &graph.subtasks[task.index()];
    let lines = match &graph.operator(task).kind {
        OperatorKind::Source { .. } if subtask.splits.len() == 1 => 3,
        OperatorKind::Source { .. } => 2 + subtask.splits.len().clamp(1, SPLITS_MAX),
        OperatorKind::Sink(SinkKind::Transactional) => 5,
        OperatorKind::Sink(_) if subtask.inputs.len() > 1 => 4,
        OperatorKind::Sink(_) => 3,
        _ => 3 + usize::from(has_two_lines(names, task)),
    };
    lines + usize::from(shows_work(graph, task)) + 2
}

/// Whether a task's state has two lines: it names its keys.
pub(super) fn has_two_lines(names: Names<'_>, task: SubtaskIndex) -> bool {
    let keyed = names.scenario.graph.operator(task).kind.key_selector().is_some();
    keyed && names.names_keys(task)
}

/// Whether a task can be seen working on a record: its work takes time.
pub(super) fn shows_work(graph: &ExecutionGraph, task: SubtaskIndex) -> bool {
    !graph.is_source(task) && !graph.spec(task).service.is_none()
}

fn row_height(names: Names<'_>, task: SubtaskIndex) -> usize {
    let n_inputs = names.scenario.graph.subtasks[task.index()].inputs.len();
    let lanes = if n_inputs < 3 { 0 } else { n_inputs.min(LANES_MAX) + 1 };
    box_height(names, task).max(lanes)
}

/// Least and wanted width of the boxes of some tasks.
fn box_widths(names: Names<'_>, tasks: &[SubtaskIndex]) -> (usize, usize) {
    const BORDER: usize = 4;
    const NAME_MAX: usize = 20;
    let graph = &names.scenario.graph;
    let sizes = tasks.iter().map(|task| {
        let name = width(names.task(*task)).min(NAME_MAX);
        let (name, least, wanted) = match &graph.operator(*task).kind {
            OperatorKind::Source { .. } => (name + 2, 14, 20),
            OperatorKind::Sink(SinkKind::Transactional) => (name, 12, 16),
            OperatorKind::Sink(_) => (name, 10, 13),
            _ => (name, 9, 11),
        };
        (least.max(name), wanted.max(name))
    });
    let (least, wanted) =
        sizes.fold((0, 0), |(a, b), (least, wanted)| (a.max(least), b.max(wanted)));
    (least + BORDER, wanted + BORDER)
}
