//! The job as its author wrote it, and the execution graph that it becomes:
//! every subtask and every channel.
//!
//! Operators stand in columns by their distance from the sources; their
//! subtasks stand below, in the same columns. What an edge does with records
//! is said in the box that it leads to, not on the line.

mod text;

pub(super) use text::mermaid_text;
pub use text::{graph_dot, graph_mermaid};

use super::font::{Font, Weight};
use super::scene::{Ink, Rect, Scene, Segment, Stroke};
use super::sheet::{HAIRLINE, Sheet, quiet, style};
use super::symbols;
use crate::model::{
    ChannelKind, EdgeIndex, ExecutionGraph, Language, OperatorIndex, OperatorKind, Partitioner,
    Scenario, SinkKind, SubtaskIndex,
};
use crate::narrate::Names;

const WIDTH: f64 = 1920.0;
const MARGIN: f64 = 64.0;
/// Where the job begins.
const TOP: f64 = 200.0;
/// Height of a subtask.
const TASK: f64 = 52.0;
/// From one subtask to the next.
const PITCH: f64 = 70.0;
/// The most subtasks of an operator that are drawn.
const TASKS_MAX: usize = 12;
/// From a box's edge to its texts.
const PAD: f64 = 20.0;

/// The job graph and the execution graph of a scenario.
#[must_use]
pub fn graph(scenario: &Scenario, language: Language) -> Scene {
    let names = Names::new(scenario, language);
    Diagram::new(names).draw()
}

struct Diagram<'a> {
    names: Names<'a>,
    /// By operator.
    boxes: Vec<Rect>,
    /// By subtask; none of those that are left out.
    tasks: Vec<Option<Rect>>,
    /// Where what is left out is counted.
    more: Vec<(Rect, usize)>,
    middle: f64,
    height: f64,
}

/// Operators by their distance from the sources.
pub(super) fn layers(graph: &ExecutionGraph) -> Vec<Vec<OperatorIndex>> {
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
    for (operator, depth) in depth.into_iter().enumerate() {
        layers[depth].push(OperatorIndex::at(operator));
    }
    layers
}

impl<'a> Diagram<'a> {
    fn new(names: Names<'a>) -> Self {
        let graph = &names.scenario.graph;
        let layers = layers(graph);
        let column = (WIDTH - 2.0 * MARGIN) / layers.len().max(1) as f64;
        let width = (column - 90.0).clamp(120.0, 330.0);
        // The last column ends at the margin.
        let gap = match layers.len() {
            0 | 1 => 0.0,
            n => (WIDTH - 2.0 * MARGIN - width) / (n as f64 - 1.0),
        };
        let n_inputs = |operator: OperatorIndex| {
            graph.job.edges.iter().filter(|edge| edge.to == operator).count() as f64
        };
        let height = |operator: OperatorIndex| 124.0 + 26.0 * n_inputs(operator);
        let stack = |layer: &Vec<OperatorIndex>| {
            layer.iter().map(|own| height(*own)).sum::<f64>() + 20.0 * (layer.len() - 1) as f64
        };
        let tallest = layers.iter().map(stack).fold(0.0, f64::max);
        let n_shown = |operator: OperatorIndex| {
            let n = graph.job.operators[operator.index()].parallelism as usize;
            if n > TASKS_MAX { TASKS_MAX } else { n }
        };
        let rows =
            |layer: &Vec<OperatorIndex>| layer.iter().map(|own| n_shown(*own)).sum::<usize>();
        let most_rows = layers.iter().map(rows).max().unwrap_or(0);
        let middle = TOP + tallest + 92.0;
        let mut diagram = Self {
            names,
            boxes: vec![Rect::default(); graph.job.operators.len()],
            tasks: vec![None; graph.subtasks.len()],
            more: Vec::new(),
            middle,
            height: middle + PITCH * most_rows as f64 + 60.0,
        };
        for (place, layer) in layers.iter().enumerate() {
            let x = MARGIN + gap * place as f64;
            let mut y = TOP + (tallest - stack(layer)) / 2.0;
            let mut row = (most_rows - rows(layer)) as f64 / 2.0;
            for &operator in layer {
                diagram.boxes[operator.index()] = Rect::new(x, y, width, height(operator));
                y += height(operator) + 20.0;
                let own: Vec<SubtaskIndex> = graph
                    .subtask_indices()
                    .filter(|task| graph.subtasks[task.index()].operator == operator)
                    .collect();
                let shown = n_shown(operator);
                for (number, task) in own.iter().take(shown).enumerate() {
                    let rect = Rect::new(x, middle + PITCH * row, width, TASK);
                    row += 1.0;
                    if own.len() > shown && number + 1 == shown {
                        diagram.more.push((rect, own.len() - number));
                    } else {
                        diagram.tasks[task.index()] = Some(rect);
                    }
                }
            }
        }
        diagram
    }

    fn draw(&self) -> Scene {
        let font = Font::new();
        let mut sheet = Sheet::new(&font, (WIDTH, self.height), self.names);
        let room = WIDTH - 2.0 * MARGIN;
        let names = self.names;
        let title = names.scenario.title.of(names.language);
        let look = style(22.0, Weight::Medium, Ink::Quiet);
        sheet.text(title, (MARGIN, 72.0), look, room);
        let look = style(42.0, Weight::SemiBold, Ink::Text);
        let heading = names.pick("The job and its execution graph", "作业与执行图");
        sheet.text(heading, (MARGIN, 128.0), look, room);
        let graph = &names.scenario.graph;
        let (n_tasks, n_channels) = (graph.subtasks.len(), graph.channels.len());
        let above = |text: &str, y: f64, sheet: &mut Sheet<'_>| {
            sheet.text(text, (MARGIN, y), quiet(20.0), room);
        };
        above(
            names.pick("job graph: operators and edges", "作业图：算子与边"),
            TOP - 20.0,
            &mut sheet,
        );
        let counted = match names.language {
            Language::En => {
                format!("execution graph: {n_tasks} subtasks and {n_channels} channels")
            }
            Language::Zh => format!("执行图：{n_tasks} 个子任务，{n_channels} 条通道"),
        };
        above(&counted, self.middle - 24.0, &mut sheet);
        for edge in 0..graph.job.edges.len() {
            self.edge(&mut sheet, EdgeIndex::at(edge));
        }
        for channel in &graph.channels {
            let ends = (self.tasks[channel.from.index()], self.tasks[channel.to.index()]);
            if let (Some(from), Some(to)) = ends {
                let line = Stroke::new(Ink::Edge, 1.5);
                let line = match channel.kind {
                    ChannelKind::Remote => line,
                    ChannelKind::Local => line.dashed(3.0, 5.0),
                };
                connect(&mut sheet, (from, to), line);
            }
        }
        for operator in 0..graph.job.operators.len() {
            self.operator(&mut sheet, OperatorIndex::at(operator));
        }
        for task in graph.subtask_indices() {
            self.task(&mut sheet, task);
        }
        for (rect, n) in &self.more {
            sheet.framed(*rect, 10.0, (Ink::Panel, HAIRLINE));
            let text = match names.language {
                Language::En => format!("+ {n} more"),
                Language::Zh => format!("另有 {n} 个"),
            };
            sheet.label(&text, *rect, quiet(20.0));
        }
        let mut scene = sheet.finish(false);
        scene.title = format!("{title} – {heading}");
        scene.description = counted;
        scene
    }

    fn edge(&self, sheet: &mut Sheet<'_>, edge: EdgeIndex) {
        let edge = &self.names.scenario.graph.job.edges[edge.index()];
        let ends = (self.boxes[edge.from.index()], self.boxes[edge.to.index()]);
        connect(sheet, ends, Stroke::new(Ink::Edge, 2.5));
    }

    fn operator(&self, sheet: &mut Sheet<'_>, operator: OperatorIndex) {
        let names = self.names;
        let graph = &names.scenario.graph;
        let own = &graph.job.operators[operator.index()];
        let rect = self.boxes[operator.index()];
        sheet.framed(rect, 12.0, (Ink::Panel, Stroke::new(Ink::Edge, 2.0)));
        let (x, room) = (rect.x + PAD, rect.width - 2.0 * PAD);
        let look = style(26.0, Weight::SemiBold, Ink::Text);
        sheet.text(names.operator(operator), (x, rect.y + 42.0), look, room);
        let look = style(20.0, Weight::Medium, Ink::Text);
        sheet.text(&kind(&own.kind, names), (x, rect.y + 74.0), look, room);
        let parallelism = format!("{} {}", names.pick("parallelism", "并行度"), own.parallelism);
        sheet.text(&parallelism, (x, rect.y + 102.0), quiet(18.0), room);
        let mut y = rect.y + 130.0;
        for edge in graph.job.edges.iter().filter(|edge| edge.to == operator) {
            let from = names.operator(edge.from);
            let by = partitioner(&edge.partitioner, names.language);
            let text = match names.language {
                Language::En => format!("from {from}: {by}"),
                Language::Zh => format!("来自{from}：{by}"),
            };
            sheet.text(&text, (x, y), quiet(18.0), room);
            y += 26.0;
        }
    }

    fn task(&self, sheet: &mut Sheet<'_>, task: SubtaskIndex) {
        let Some(rect) = self.tasks[task.index()] else { return };
        sheet.framed(rect, 10.0, (Ink::Page, Stroke::new(Ink::Edge, 1.5)));
        let splits = &self.names.scenario.graph.subtasks[task.index()].splits;
        let mut x = rect.x + PAD;
        for split in splits.iter().take(3) {
            let swatch = Rect::new(x, rect.y + (TASK - 18.0) / 2.0, 18.0, 18.0);
            symbols::swatch(sheet, swatch, split.0);
            x += 26.0;
        }
        let look = style(22.0, Weight::SemiBold, Ink::Text);
        let room = rect.right() - PAD - x;
        sheet.text(self.names.task(task), (x, rect.y + 34.0), look, room);
    }
}

/// A curve from the right of one box to the left of another, with a head.
fn connect(sheet: &mut Sheet<'_>, (from, to): (Rect, Rect), line: Stroke) {
    let (start, end) = ((from.right(), from.middle().1), (to.x, to.middle().1));
    let neck = end.0 - 12.0;
    let bend = (neck - start.0) * 0.5;
    let curve = vec![
        Segment::Move(start.0, start.1),
        Segment::Cubic((start.0 + bend, start.1), (neck - bend, end.1), (neck, end.1)),
    ];
    sheet.scene.stroke(curve, line);
    let tip = [
        Segment::Move(end.0 - 1.0, end.1),
        Segment::Line(neck, end.1 - 5.5),
        Segment::Line(neck, end.1 + 5.5),
        Segment::Close,
    ];
    sheet.scene.fill(tip.to_vec(), Ink::Edge);
}

/// What an operator does, in a few words.
fn kind(kind: &OperatorKind, names: Names<'_>) -> String {
    let text = match kind {
        OperatorKind::Source { splits, .. } => {
            let n = splits.len();
            return match names.language {
                Language::En if n == 1 => "source, one split".to_owned(),
                Language::En => format!("source, {n} splits"),
                Language::Zh => format!("源，{n} 个分片"),
            };
        }
        OperatorKind::Map(_) => names.pick("map", "映射"),
        OperatorKind::Filter(_) => names.pick("filter", "过滤"),
        OperatorKind::Sum(_) => names.pick("sum by key", "按键求和"),
        OperatorKind::Count(_) => names.pick("count by key", "按键计数"),
        OperatorKind::Max(_) => names.pick("maximum by key", "按键取最大"),
        OperatorKind::Union => names.pick("union", "合并"),
        OperatorKind::Join(_) => names.pick("join by key", "按键连接"),
        OperatorKind::BroadcastProcess(_) => names.pick("broadcast process", "广播处理"),
        OperatorKind::Sink(SinkKind::Publish) => {
            names.pick("sink, publishes at once", "汇，立即发布")
        }
        OperatorKind::Sink(SinkKind::Transactional) => names.pick("transactional sink", "事务型汇"),
        OperatorKind::Sink(SinkKind::Idempotent) => names.pick("idempotent sink", "幂等汇"),
    };
    text.to_owned()
}

/// Which channel of an edge a record takes.
fn partitioner(partitioner: &Partitioner, language: Language) -> &'static str {
    let (en, zh) = match partitioner {
        Partitioner::Forward => ("forward", "直连"),
        Partitioner::Hash(_) => ("hash", "按键哈希"),
        Partitioner::Rebalance => ("rebalance", "轮流"),
        Partitioner::Broadcast => ("broadcast", "广播"),
        Partitioner::Modulo => ("modulo", "取模"),
    };
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}
