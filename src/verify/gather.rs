//! All that passed an operator, from the logs of its subtasks, sorted by
//! record.

use super::history::{Entry, History};
use super::published::Published;
use crate::model::{ExecutionGraph, OperatorIndex, SplitIndex, SubtaskIndex};

/// A record that passed somewhere, and who was there.
pub(super) type Seen = (Entry, SubtaskIndex);

/// What a source has read.
pub(super) fn read_by(graph: &ExecutionGraph, history: &History, id: OperatorIndex) -> Vec<Seen> {
    let splits = graph.splits.iter().zip(&history.read).enumerate();
    let splits = splits.filter(|(_, (place, _))| place.operator == id);
    sorted(splits.flat_map(|(split, (place, log))| {
        let earlier = history.earlier.read.get(split).into_iter().flatten();
        earlier.chain(&log.entries).map(|entry| (*entry, place.subtask))
    }))
}

/// The input records that were sent on an edge.
pub(super) fn sent_on(
    graph: &ExecutionGraph,
    history: &History,
    edge: usize,
) -> Vec<(SplitIndex, u32)> {
    let channels = graph.channels.iter().zip(&history.sent);
    let logs = channels.filter(|(channel, _)| channel.edge.index() == edge).map(|(_, log)| log);
    let record = |entry: &Entry| (history.origins.of(entry.origin).0, entry.offset);
    let earlier = history.earlier.sent.get(edge).into_iter().flatten();
    let all = logs.flat_map(|log| &log.entries).chain(earlier);
    let mut records: Vec<_> = all.map(record).collect();
    records.sort();
    records
}

/// What others have sent to an operator.
pub(super) fn sent_to(graph: &ExecutionGraph, history: &History, id: OperatorIndex) -> Vec<Seen> {
    let channels = graph.channels.iter().zip(&history.sent);
    let own = channels.filter(|(channel, _)| graph.subtasks[channel.to.index()].operator == id);
    let own = own.flat_map(|(channel, log)| log.entries.iter().map(|entry| (*entry, channel.from)));
    let edges = graph.job.edges.iter().zip(&history.earlier.sent);
    let edges = edges.filter(|(edge, _)| edge.to == id);
    let earlier = edges.flat_map(|(edge, sent)| by_first(graph, edge.from, sent));
    sorted(own.chain(earlier))
}

/// What an operator has processed.
pub(super) fn processed_by(
    graph: &ExecutionGraph,
    history: &History,
    id: OperatorIndex,
) -> Vec<Seen> {
    let channels = graph.channels.iter().zip(&history.processed);
    let own = channels.filter(|(channel, _)| graph.subtasks[channel.to.index()].operator == id);
    let own = own.flat_map(|(channel, log)| log.entries.iter().map(|entry| (*entry, channel.to)));
    let earlier = history.earlier.processed.get(id.index()).map_or(&[][..], Vec::as_slice);
    sorted(own.chain(by_first(graph, id, earlier)))
}

/// What a sink has published.
pub(super) fn published_by(
    graph: &ExecutionGraph,
    (history, published): (&History, &Published),
    id: OperatorIndex,
) -> Vec<Seen> {
    let tasks = graph.subtask_indices().zip(&published.seen);
    let own = tasks.filter(|(task, _)| graph.subtasks[task.index()].operator == id);
    let own = own.flat_map(|(task, seen)| seen.iter().map(move |entry| (*entry, task)));
    let earlier = history.earlier.published.get(id.index()).map_or(&[][..], Vec::as_slice);
    sorted(own.chain(by_first(graph, id, earlier)))
}

/// What an operator did in an earlier run, as if its first subtask had done it.
fn by_first<'e>(
    graph: &ExecutionGraph,
    id: OperatorIndex,
    entries: &'e [Entry],
) -> impl Iterator<Item = Seen> + 'e {
    let first = graph.subtasks.iter().position(|subtask| subtask.operator == id);
    let first = SubtaskIndex::at(first.unwrap_or(0));
    entries.iter().map(move |entry| (*entry, first))
}

/// Records of one origin pass a place in their order: taken origin by origin,
/// the logs are a few runs that a stable sort has only to merge.
fn sorted(all: impl Iterator<Item = Seen>) -> Vec<Seen> {
    let mut by_origin: Vec<Vec<Seen>> = Vec::new();
    for seen in all {
        let origin = seen.0.origin as usize;
        if by_origin.len() <= origin {
            by_origin.resize_with(origin + 1, Vec::new);
        }
        by_origin[origin].push(seen);
    }
    by_origin.iter_mut().for_each(|own| own.sort());
    by_origin.concat()
}

/// Calls back for each record that is in any of three sorted lists, with its
/// part of each.
pub(super) fn for_each_record(mut lists: [&[Seen]; 3], mut callback: impl FnMut([&[Seen]; 3])) {
    loop {
        let firsts = lists.iter().filter_map(|list| list.first());
        let Some(record) = firsts.map(|(entry, _)| entry.record()).min() else { return };
        callback(std::array::from_fn(|place| {
            let list = lists[place];
            let n = list.iter().take_while(|(entry, _)| entry.record() == record).count();
            lists[place] = &list[n..];
            &list[..n]
        }));
    }
}
