//! The curves from a task to the lanes that it sends on: where lines cross,
//! they cross here. Records travel on the lanes only.

use super::nodes::{Node, ends_at};
use super::plan::{Band, Zone};
use crate::model::{EdgeIndex, ExecutionGraph, SubtaskIndex};
use crate::render::scene::{Ink, Rect, Segment, Stroke};
use crate::render::sheet::Sheet;

/// Where the lane of a channel begins, by channel.
pub(super) type Ends = Vec<Option<(f64, f64)>>;

/// Draws the curves of a band. What comes from a band above has none: the lane
/// is named.
pub(super) fn draw(sheet: &mut Sheet<'_>, graph: &ExecutionGraph, band: &Band, ends: &Ends) {
    for (place, column) in band.columns.iter().enumerate() {
        let Some(next) = band.columns.get(place + 1) else { continue };
        let Some(zone) = next.zone else { continue };
        for (node, rect) in &column.nodes {
            let origins: Vec<(SubtaskIndex, EdgeIndex)> = match node {
                Node::Task(task) => graph.subtasks[task.index()]
                    .outputs
                    .iter()
                    .map(|output| (*task, output.edge))
                    .collect(),
                Node::Pass { from, edge } => vec![(*from, *edge)],
                Node::More(_) => continue,
            };
            let is_pass = matches!(node, Node::Pass { .. });
            if let (Node::Pass { from, .. }, (_, y)) = (node, rect.middle()) {
                // Through the column, from where the fan before it has ended.
                let left = column.zone.map_or(rect.x, |zone| zone.output);
                let line = stroke(sheet, graph, *from);
                sheet.scene.line((left, y), (rect.right(), y), line);
            }
            let mut targets = Vec::new();
            for origin in origins {
                for (node, rect) in &next.nodes {
                    match node {
                        Node::Task(task) => {
                            let channels = ends_at(graph, origin, *task);
                            targets.extend(channels.filter_map(|channel| ends[channel.index()]));
                        }
                        Node::Pass { from, edge } if (*from, *edge) == origin => {
                            targets.push((zone.output, rect.middle().1));
                        }
                        Node::Pass { .. } | Node::More(_) => {}
                    }
                }
            }
            let line = stroke(sheet, graph, origin_of(node));
            fan(sheet, (rect, is_pass), (&targets, zone), line);
        }
    }
}

fn origin_of(node: &Node) -> SubtaskIndex {
    match node {
        Node::Task(task) | Node::Pass { from: task, .. } => *task,
        Node::More(tasks) => tasks[0],
    }
}

/// In the colour of a source's split; dots for the second, dashes for the
/// third and fourth.
fn stroke(sheet: &Sheet<'_>, graph: &ExecutionGraph, task: SubtaskIndex) -> Stroke {
    match graph.subtasks[task.index()].splits.as_slice() {
        [only] => {
            let family = sheet.family(only.0);
            let ink = if family == 0 { Ink::Body(0) } else { Ink::Rim(family) };
            let plain = Stroke::new(ink, 2.5).rounded();
            match family {
                0 => plain,
                1 => plain.dashed(1.0, 7.0),
                2 => plain.dashed(8.0, 6.0),
                _ => plain.dashed(14.0, 6.0),
            }
        }
        _ => Stroke::new(Ink::Edge, 2.0).rounded(),
    }
}

/// Curves from the right side of a box to several lanes.
fn fan(
    sheet: &mut Sheet<'_>,
    (rect, is_pass): (&Rect, bool),
    (targets, zone): (&[(f64, f64)], Zone),
    line: Stroke,
) {
    let n = targets.len();
    let pitch = if is_pass { 0.0 } else { (rect.height - 60.0).min(44.0 * (n as f64 - 1.0)) };
    for (place, (x, y)) in targets.iter().enumerate() {
        let part = if n > 1 { place as f64 / (n as f64 - 1.0) - 0.5 } else { 0.0 };
        let start = rect.middle().1 + part * pitch.max(0.0);
        // A single lane beside its box is reached without a curve.
        let start = if n == 1 && (start - y).abs() < 12.0 { *y } else { start };
        let from = (rect.right(), start);
        let bend = (zone.output - rect.right()) * 0.57;
        let curve = vec![
            Segment::Move(from.0, from.1),
            Segment::Cubic((from.0 + bend, from.1), (x - bend, *y), (*x, *y)),
        ];
        sheet.scene.stroke(curve, line);
    }
}
