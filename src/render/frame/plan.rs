//! Where things stand: computed from the job and the whole run, never from the
//! step, so that nothing moves that does not change.
//!
//! Tasks stand in columns, channels between them: a fan-out of thin curves,
//! then, on straight lanes, output buffer, wire and receive queue. What is too
//! wide for one band of columns goes on in the next one below; on a narrow
//! canvas every column is a band of its own.

use super::measures::Measures;
use super::nodes::{Node, columns};
use super::strips::Strips;
use crate::model::{ChannelIndex, ExecutionGraph, OperatorKind, SinkKind, SubtaskIndex};
use crate::narrate::{Names, Story};
use crate::render::font::Font;
use crate::render::scene::Rect;

/// The canvas up to six lanes.
pub(super) const WIDTH: f64 = Shape::Wide.width();
const HEIGHT: f64 = 1080.0;
/// Left and right of everything.
pub(super) const MARGIN: f64 = Shape::Wide.margin();
/// Where the job begins.
const TOP: f64 = 206.0;
/// From the column heads to the boxes.
pub(super) const HEADS: f64 = 16.0;
/// From one box to the next below it.
const GAP: f64 = 14.0;
/// Below the storage: two lines of caption and a margin.
pub(super) const CAPTION: f64 = 160.0;
/// The most lanes that are drawn of one task.
pub(super) const LANES_MAX: usize = 6;
/// The most splits of a source that have a line of their own.
pub(super) const SPLITS_MAX: usize = 4;

/// What a layout is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A slide: sources left, sinks right.
    Wide,
    /// A phone held upright: sources above, sinks below, and the job alone.
    Tall,
}

impl Shape {
    pub(super) const fn width(self) -> f64 {
        match self {
            Self::Wide => 1920.0,
            Self::Tall => 600.0,
        }
    }

    /// Left and right of everything.
    pub(super) const fn margin(self) -> f64 {
        match self {
            Self::Wide => 64.0,
            Self::Tall => 20.0,
        }
    }

    /// What the job has from left to right.
    const fn room(self) -> f64 {
        self.width() - 2.0 * self.margin()
    }
}

/// A layout.
pub(super) struct Plan {
    pub(super) shape: Shape,
    pub(super) height: f64,
    pub(super) bands: Vec<Band>,
    pub(super) strips: Strips,
    pub(super) sizes: Sizes,
}

/// The sizes of things on lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) chip: f64,
    /// Height of a record.
    pub(super) record: f64,
    /// Width and height of a barrier.
    pub(super) barrier: (f64, f64),
    /// Height of a compartment.
    pub(super) lane: f64,
    /// From one lane to the next.
    pub(super) pitch: f64,
    /// Height of a box.
    least: f64,
    /// Whether boxes are so low that their texts stand closer.
    pub(super) compact: bool,
}

/// Columns beside each other.
pub(super) struct Band {
    /// Where its boxes begin.
    pub(super) top: f64,
    pub(super) columns: Vec<Column>,
}

/// Tasks below each other, and the lanes to them.
pub(super) struct Column {
    pub(super) zone: Option<Zone>,
    /// Left edge and width of the boxes.
    pub(super) x: f64,
    pub(super) width: f64,
    pub(super) nodes: Vec<(Node, Rect)>,
}

/// From left to right: where the parts of the lanes begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zone {
    pub(super) output: f64,
    pub(super) wire: f64,
    pub(super) input: f64,
    /// The end of the receive queue; arrow or padlock follow.
    pub(super) gap: f64,
    pub(super) end: f64,
    /// Whether the queues end with a place for a barrier that blocks.
    pub(super) gate: bool,
}

/// From the edge of a compartment to its first record.
pub(super) const INSET: f64 = 8.0;
/// How wide the place of a barrier that blocks is.
pub(super) const GATE: f64 = 56.0;

impl Plan {
    pub(super) fn new(story: &Story, names: Names<'_>, (font, shape): (&Font, Shape)) -> Self {
        let measures = Measures::of(story, names.language, (font, shape));
        let strips = Strips::new(story, &measures, shape);
        let mut columns = columns(&story.scenario.graph);
        if shape == Shape::Tall {
            return Self::tall(names, (&mut columns, &measures), strips);
        }
        let below = 32.0 + strips.height() + CAPTION;
        let room = HEIGHT - TOP - below;
        let groups = bands(names, &columns, &measures);
        let least = |sizes: Sizes| -> f64 {
            let bands = groups.iter().map(|columns| band_height(names, columns, sizes));
            bands.sum::<f64>() + (groups.len() - 1) as f64 * (GAP + 44.0)
        };
        let sizes = Sizes::ALL.map(|sizes| Sizes { chip: measures.chip, ..sizes });
        let fitting = sizes.iter().find(|sizes| least(**sizes) <= room);
        let sizes = *fitting.unwrap_or(&sizes[2]);
        let spare = (room - least(sizes)).max(0.0);
        let mut top = TOP;
        let mut planned = Vec::new();
        for columns in &groups {
            let own = band_height(names, columns, sizes) + spare / groups.len() as f64;
            planned.push(Band::new((names, &measures), columns, (top, own), (sizes, shape)));
            top += own + GAP + 44.0;
        }
        let bottom = top - GAP - 44.0;
        let strips = strips.at(bottom + 32.0);
        Self { shape, height: strips.bottom() + CAPTION, bands: planned, strips, sizes }
    }

    /// Every column is a band, as high as it needs to be. What passes a column
    /// by has no line there: each lane says where it comes from.
    fn tall(
        names: Names<'_>,
        (columns, measures): (&mut Vec<Vec<Node>>, &Measures),
        strips: Strips,
    ) -> Self {
        let shape = Shape::Tall;
        let sizes = Sizes { chip: measures.chip, ..Sizes::ALL[2] };
        let mut top = HEADS + 22.0;
        let mut bands = Vec::new();
        for column in columns {
            column.retain(|node| !matches!(node, Node::Pass { .. }));
            let own = std::slice::from_ref(column);
            let height = rows_height(names, column, (sizes, shape));
            bands.push(Band::new((names, measures), own, (top, height), (sizes, shape)));
            top += height + GAP + 36.0;
        }
        let strips = strips.at(top - 36.0);
        Self { shape, height: strips.bottom() + shape.margin(), bands, strips, sizes }
    }
}

impl Sizes {
    /// The sizes to choose from: the first that fit are taken.
    const ALL: [Self; 3] = {
        let normal = Self {
            chip: 0.0,
            record: 48.0,
            barrier: (30.0, 52.0),
            lane: 64.0,
            pitch: 106.0,
            least: 222.0,
            compact: false,
        };
        let medium = Self {
            record: 44.0,
            barrier: (30.0, 48.0),
            lane: 58.0,
            pitch: 92.0,
            least: 196.0,
            ..normal
        };
        let compact = Self {
            record: 38.0,
            barrier: (28.0, 42.0),
            lane: 50.0,
            pitch: 74.0,
            least: 143.0,
            compact: true,
            ..normal
        };
        [normal, medium, compact]
    };

    /// From one place in a compartment to the next.
    pub(super) fn slot(&self) -> f64 {
        self.chip + 12.0
    }
}

/// The columns in as few bands as their least widths allow.
fn bands<'c>(
    names: Names<'_>,
    columns: &'c [Vec<Node>],
    measures: &Measures,
) -> Vec<&'c [Vec<Node>]> {
    for n_bands in 1..columns.len() {
        let (mut groups, mut rest) = (Vec::new(), columns);
        for group in (1..=n_bands).rev() {
            let (first, others) = rest.split_at(rest.len().div_ceil(group));
            groups.push(first);
            rest = others;
        }
        let fits = |group: &&[Vec<Node>]| {
            let parts = parts(names, group, measures);
            parts.iter().map(|part| part.least).sum::<f64>() <= WIDTH - 2.0 * MARGIN
        };
        if groups.iter().all(fits) {
            return groups;
        }
    }
    columns.chunks(1).collect()
}

/// A part of a band from left to right, that can be wider or narrower.
struct Part {
    least: f64,
    /// With this, all that it ever holds is seen.
    needed: f64,
    wanted: f64,
    /// Its share of what is left then.
    stretch: f64,
}

/// Eight parts a column: fan-out, output, wire, input, gap, and the box.
fn parts(names: Names<'_>, columns: &[Vec<Node>], measures: &Measures) -> Vec<Part> {
    let graph = &names.scenario.graph;
    let slot = measures.chip + 12.0;
    let room = |n: usize| n as f64 * slot + 2.0 * INSET - 12.0;
    let mut parts = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let channels = inputs(graph, column);
        let part = |least, needed: f64, wanted: f64, stretch| {
            let needed = needed.max(least);
            Part { least, needed, wanted: wanted.max(needed), stretch }
        };
        if channels.is_empty() {
            parts.extend((0..5).map(|_| part(0.0, 0.0, 0.0, 0.0)));
        } else {
            let [buffer, wire, queue] = measures.of_channels(&channels).map(|n| n.clamp(1, 4));
            let gate = if has_gate(graph, column) { GATE - 6.0 } else { 0.0 };
            let is_plain = is_straight(graph, column);
            parts.push(match (place, is_plain) {
                (0, _) => part(0.0, 0.0, 0.0, 0.0),
                (_, true) => part(20.0, 0.0, 32.0, 0.5),
                (_, false) => part(52.0, 0.0, 88.0, 1.0),
            });
            let wanted = |n: usize| if is_plain { room(n) } else { room(n.max(2)) };
            parts.push(part(room(1), room(buffer), wanted(buffer), 1.0));
            parts.push(part(slot, wire as f64 * slot, wire as f64 * slot + 40.0, 3.0));
            parts.push(part(gate + room(1), gate + room(queue), gate + wanted(queue), 1.0));
            let entrance = if gate > 0.0 { (44.0, 48.0) } else { (28.0, 32.0) };
            parts.push(part(entrance.0, 0.0, entrance.1, 0.0));
        }
        let [least, needed, wanted] = box_width(names, column);
        parts.push(part(least, needed, wanted, 0.5));
    }
    parts
}

/// Shares a width: everything has its least, then what is needed to see all
/// that it holds, then comes nearer to what it wants, then stretches.
fn share(parts: &[Part], width: f64) -> Vec<f64> {
    let sum = |of: fn(&Part) -> f64| parts.iter().map(of).sum::<f64>();
    let (least, needed, wanted) =
        (sum(|part| part.least), sum(|part| part.needed), sum(|part| part.wanted));
    let near = |from: f64, to: f64| ((width - from) / (to - from).max(1.0)).clamp(0.0, 1.0);
    let (first, second) = (near(least, needed), near(needed, wanted));
    let spare = (width - wanted).max(0.0) / sum(|part| part.stretch).max(1.0);
    let size = |part: &Part| {
        let size = part.least
            + (part.needed - part.least) * first
            + (part.wanted - part.needed) * second
            + spare * part.stretch;
        size.floor()
    };
    parts.iter().map(size).collect()
}

/// Shares a narrow width: what waits at the receiver is seen first, then what is
/// on the wire, then what waits at the sender; the rest is left to the wire.
fn share_narrow(parts: &[Part], width: f64) -> Vec<f64> {
    const FIRST_SEEN: [usize; 4] = [3, 2, 1, 5];
    let mut sizes: Vec<f64> = parts.iter().map(|part| part.least).collect();
    let mut left = width - sizes.iter().sum::<f64>();
    for place in FIRST_SEEN {
        let more = (parts[place].needed - parts[place].least).min(left).max(0.0);
        sizes[place] += more;
        left -= more;
    }
    if parts[2].least > 0.0 {
        sizes[2] += left.max(0.0);
    }
    sizes.iter().map(|size| size.floor()).collect()
}

impl Band {
    fn new(
        (names, measures): (Names<'_>, &Measures),
        columns: &[Vec<Node>],
        (top, height): (f64, f64),
        (sizes, shape): (Sizes, Shape),
    ) -> Self {
        let graph = &names.scenario.graph;
        let parts = parts(names, columns, measures);
        let widths = match shape {
            Shape::Wide => share(&parts, shape.room()),
            Shape::Tall => share_narrow(&parts, shape.room()),
        };
        let mut x = shape.margin();
        let mut planned = Vec::new();
        let n_columns = columns.len();
        for (place, (column, widths)) in columns.iter().zip(widths.chunks(6)).enumerate() {
            let mut next = |width: f64| {
                x += width;
                x
            };
            let [output, wire, input, gap, end] =
                [widths[0], widths[1], widths[2], widths[3], widths[4]].map(&mut next);
            let zone = (end > output).then_some(Zone {
                output,
                wire,
                input,
                gap,
                end,
                gate: has_gate(graph, column),
            });
            // The last box ends at the margin, whatever was rounded.
            let right = shape.width() - shape.margin();
            let width = if place + 1 == n_columns { right - end } else { widths[5] };
            x = end + width;
            let nodes = stack(names, column, (top, height), (sizes, shape));
            let n = beside(names, column, shape) as f64;
            let own = (width - GAP * (n - 1.0)) / n;
            let place = |(node, slot, y, height): (Node, usize, f64, f64)| {
                (node, Rect::new(end + slot as f64 * (own + GAP), y, own, height))
            };
            let nodes = nodes.into_iter().map(place).collect();
            planned.push(Column { zone, x: end, width, nodes });
        }
        Self { top, columns: planned }
    }
}

/// How many nodes of a column stand beside each other: of a tall layout's
/// sources as many as fit, else one.
fn beside(names: Names<'_>, column: &[Node], shape: Shape) -> usize {
    let is_grid = shape == Shape::Tall && inputs(&names.scenario.graph, column).is_empty();
    let [least, ..] = box_width(names, column);
    let fitting = ((shape.room() + GAP) / (least + GAP)).floor() as usize;
    if is_grid { fitting.clamp(1, column.len()) } else { 1 }
}

/// Rows of nodes over the height of a band: of each node its place in its row,
/// its top and its height.
fn stack(
    names: Names<'_>,
    column: &[Node],
    (top, height): (f64, f64),
    (sizes, shape): (Sizes, Shape),
) -> Vec<(Node, usize, f64, f64)> {
    const GROWTH_MAX: f64 = 1.3;
    let needs = row_needs(names, column, (sizes, shape));
    let gaps = (needs.len() - 1) as f64 * GAP;
    let spare = (height - needs.iter().sum::<f64>() - gaps) / needs.len() as f64;
    let mut y = top;
    let mut placed = Vec::new();
    for (row, need) in column.chunks(beside(names, column, shape)).zip(needs) {
        let cell = need + spare;
        let own = cell.min(need * GROWTH_MAX).floor();
        let top = (y + (cell - own) / 2.0).floor();
        placed.extend(row.iter().enumerate().map(|(slot, node)| (node.clone(), slot, top, own)));
        y += cell + GAP;
    }
    placed
}

fn band_height(names: Names<'_>, columns: &[Vec<Node>], sizes: Sizes) -> f64 {
    let height = |column: &Vec<Node>| rows_height(names, column, (sizes, Shape::Wide));
    columns.iter().map(height).fold(0.0, f64::max)
}

/// What the rows of a column need, with the gaps between them.
fn rows_height(names: Names<'_>, column: &[Node], own: (Sizes, Shape)) -> f64 {
    let needs = row_needs(names, column, own);
    needs.iter().sum::<f64>() + (needs.len() - 1) as f64 * GAP
}

fn row_needs(names: Names<'_>, column: &[Node], (sizes, shape): (Sizes, Shape)) -> Vec<f64> {
    let highest =
        |row: &[Node]| row.iter().map(|node| need(names, node, sizes)).fold(0.0, f64::max);
    column.chunks(beside(names, column, shape)).map(highest).collect()
}

/// The height that a node needs.
fn need(names: Names<'_>, node: &Node, sizes: Sizes) -> f64 {
    let graph = &names.scenario.graph;
    match node {
        Node::Pass { .. } => 40.0,
        Node::More(_) => 64.0,
        Node::Task(task) => {
            let subtask = &graph.subtasks[task.index()];
            let lanes = subtask.inputs.len().min(LANES_MAX) as f64 * sizes.pitch;
            let least = sizes.least;
            let own = match &graph.operator(*task).kind {
                OperatorKind::Source { .. } => {
                    let n = subtask.splits.len().min(SPLITS_MAX);
                    if n < 2 { least } else { 66.0 + 52.0 * n as f64 }
                }
                OperatorKind::Sink(SinkKind::Transactional | SinkKind::Idempotent) => {
                    least.max(190.0)
                }
                _ => least,
            };
            own.max(least).max(lanes)
        }
    }
}

/// All channels that end in a column.
fn inputs(graph: &ExecutionGraph, column: &[Node]) -> Vec<ChannelIndex> {
    let tasks = column.iter().flat_map(tasks_of);
    tasks.flat_map(|task| graph.subtasks[task.index()].inputs.iter().copied()).collect()
}

/// The tasks of a node.
pub(super) fn tasks_of(node: &Node) -> &[SubtaskIndex] {
    match node {
        Node::Task(task) => std::slice::from_ref(task),
        Node::Pass { .. } => &[],
        Node::More(tasks) => tasks,
    }
}

fn has_gate(graph: &ExecutionGraph, column: &[Node]) -> bool {
    let mut tasks = column.iter().flat_map(tasks_of);
    tasks.any(|task| graph.subtasks[task.index()].inputs.len() > 1)
}

/// Whether every task has one channel, so that no lane needs a name.
fn is_straight(graph: &ExecutionGraph, column: &[Node]) -> bool {
    let mut tasks = column.iter().flat_map(tasks_of);
    tasks.all(|task| {
        let subtask = &graph.subtasks[task.index()];
        subtask.inputs.iter().all(|input| {
            let from = graph.channels[input.index()].from;
            subtask.inputs.len() == 1
                && graph.subtasks[from.index()]
                    .outputs
                    .iter()
                    .map(|o| o.channels.len())
                    .sum::<usize>()
                    == 1
        })
    })
}

/// Least, needed and wanted width of the boxes of a column.
fn box_width(names: Names<'_>, column: &[Node]) -> [f64; 3] {
    let graph = &names.scenario.graph;
    let width = |task: &SubtaskIndex| match &graph.operator(*task).kind {
        OperatorKind::Source { .. } => {
            // A short tape is seen whole.
            let tape = match graph.subtasks[task.index()].splits.as_slice() {
                [only] => f64::from(graph.split(*only).values.len()) * 42.0 + 30.0,
                _ => 0.0,
            };
            [232.0, if tape <= 330.0 { tape } else { 0.0 }, 300.0]
        }
        OperatorKind::Sink(SinkKind::Transactional) => [236.0, 0.0, 272.0],
        OperatorKind::Sink(_) => [204.0, 0.0, 264.0],
        kind => {
            let works = !graph.spec(*task).service.is_none();
            let has_table = kind.key_selector().is_some() && names.names_keys(*task);
            // A table beside the record that is worked on needs more.
            if works && has_table { [224.0, 0.0, 250.0] } else { [164.0, 0.0, 184.0] }
        }
    };
    let mut most = [100.0; 3];
    for own in column.iter().flat_map(tasks_of).map(width) {
        for (most, own) in most.iter_mut().zip(own) {
            *most = f64::max(*most, own);
        }
    }
    most
}
