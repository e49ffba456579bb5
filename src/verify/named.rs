//! Things with the names that people read, so that a finding can be shown
//! without the job it is about.

use std::fmt;

use crate::model::{
    ChannelIndex, ExecutionGraph, OperatorIndex, RecordId, SplitIndex, SubtaskIndex,
};

/// A number of the job's tables with its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Named<I> {
    /// Which.
    pub id: I,
    /// What it is called, in English.
    pub name: String,
}

impl<I> fmt::Display for Named<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A subtask: `sum(even)`.
pub(super) fn task(graph: &ExecutionGraph, id: SubtaskIndex) -> Named<SubtaskIndex> {
    let label = &graph.spec(id).label.en;
    let name = if label.is_empty() { &graph.subtasks[id.index()].name } else { label };
    Named { id, name: name.clone() }
}

/// A channel, as traces call it: `numbers[blue]->sum[even]`.
pub(super) fn channel(graph: &ExecutionGraph, id: ChannelIndex) -> Named<ChannelIndex> {
    Named { id, name: graph.channels[id.index()].name.clone() }
}

/// An operator, as the scenario calls it.
pub(super) fn operator(graph: &ExecutionGraph, id: OperatorIndex) -> Named<OperatorIndex> {
    Named { id, name: graph.job.operators[id.index()].name.clone() }
}

/// A split: `blue`.
pub(super) fn split(graph: &ExecutionGraph, id: SplitIndex) -> Named<SplitIndex> {
    let split = graph.split(id);
    let name = if split.label.en.is_empty() { &split.name } else { &split.label.en };
    Named { id, name: name.clone() }
}

/// A record, by split and offset, and by its turns if it took any: `blue 4`,
/// `blue 4 by way 1.2`.
pub(super) fn record(graph: &ExecutionGraph, id: RecordId) -> Named<RecordId> {
    let mut name = format!("{} {}", split(graph, id.split), id.offset);
    let turns: Vec<String> =
        id.path.0.to_be_bytes().iter().filter(|way| **way > 0).map(u8::to_string).collect();
    if !turns.is_empty() {
        name.push_str(&format!(" by way {}", turns.join(".")));
    }
    Named { id, name }
}
