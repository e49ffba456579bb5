//! Which task stands in which column, and which channels pass by a column.
//!
//! Operators stand by their distance from the sources. An edge that skips a
//! column has a place there that its line goes through. The tasks of a column
//! stand in the order of their senders, so that few lines cross.

use crate::model::{ChannelIndex, EdgeIndex, ExecutionGraph, SubtaskIndex};

/// A place in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A task.
    Task(SubtaskIndex),
    /// The channels of a sender's edge, on their way to a later column.
    Pass { from: SubtaskIndex, edge: EdgeIndex },
    /// Tasks that have no place of their own any more.
    More(Vec<SubtaskIndex>),
}

/// The most tasks of a column that have a place of their own.
pub(super) const TASKS_MAX: usize = 8;

/// The columns of a job, from the sources on.
pub(super) fn columns(graph: &ExecutionGraph) -> Vec<Vec<Node>> {
    let depth = depths(graph);
    let n_columns = depth.iter().max().map_or(0, |deepest| deepest + 1);
    let mut columns: Vec<Vec<Node>> = vec![Vec::new(); n_columns];
    let column_of = |task: SubtaskIndex| depth[graph.subtasks[task.index()].operator.index()];
    for task in graph.subtask_indices() {
        columns[column_of(task)].push(Node::Task(task));
        for output in &graph.subtasks[task.index()].outputs {
            let to = depth[graph.job.edges[output.edge.index()].to.index()];
            for column in &mut columns[column_of(task) + 1..to] {
                column.push(Node::Pass { from: task, edge: output.edge });
            }
        }
    }
    for place in 0..columns.len() {
        let (before, here) = columns.split_at_mut(place);
        if let Some(before) = before.last() {
            order(graph, before, &mut here[0]);
        }
        fold(&mut here[0]);
    }
    columns
}

fn depths(graph: &ExecutionGraph) -> Vec<usize> {
    let job = &graph.job;
    let mut depth = vec![0; job.operators.len()];
    // A path has fewer edges than there are operators.
    for _ in 0..job.operators.len() {
        for edge in &job.edges {
            depth[edge.to.index()] = depth[edge.to.index()].max(depth[edge.from.index()] + 1);
        }
    }
    depth
}

/// Sorts a column by the mean place of what leads to each node; those with the
/// same mean stay as they are.
fn order(graph: &ExecutionGraph, before: &[Node], column: &mut [Node]) {
    let mean = |node: &Node| {
        let mut places = Vec::new();
        let mut add = |from: SubtaskIndex, edge: EdgeIndex| {
            places.extend(before.iter().position(|other| match other {
                Node::Task(task) => *task == from,
                Node::Pass { from: other, edge: own } => *other == from && *own == edge,
                Node::More(tasks) => tasks.contains(&from),
            }));
        };
        match node {
            Node::Task(task) => {
                for input in &graph.subtasks[task.index()].inputs {
                    let channel = &graph.channels[input.index()];
                    add(channel.from, channel.edge);
                }
            }
            Node::Pass { from, edge } => add(*from, *edge),
            Node::More(_) => {}
        }
        // In whole numbers, so that equal means are equal.
        let n = places.len().max(1);
        places.iter().sum::<usize>() * 1000 / n
    };
    column.sort_by_key(mean);
}

/// Of very many tasks the last ones share a place.
fn fold(column: &mut Vec<Node>) {
    let n_tasks = column.iter().filter(|node| matches!(node, Node::Task(_))).count();
    if n_tasks <= TASKS_MAX {
        return;
    }
    let (mut kept, mut more, mut seen) = (Vec::new(), Vec::new(), 0);
    for node in column.drain(..) {
        match node {
            Node::Task(task) => {
                seen += 1;
                if seen < TASKS_MAX { kept.push(node) } else { more.push(task) }
            }
            _ => kept.push(node),
        }
    }
    kept.push(Node::More(more));
    *column = kept;
}

/// The channels of a sender's edge that end at a task.
pub(super) fn ends_at(
    graph: &ExecutionGraph,
    (from, edge): (SubtaskIndex, EdgeIndex),
    task: SubtaskIndex,
) -> impl Iterator<Item = ChannelIndex> {
    let inputs = graph.subtasks[task.index()].inputs.iter().copied();
    inputs.filter(move |input| {
        let channel = &graph.channels[input.index()];
        channel.from == from && channel.edge == edge
    })
}
