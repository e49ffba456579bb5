//! Records that were in flight come back into the channels of another job.
//!
//! Source: Flink `StateAssignmentOperation.reDistributeInputChannelStates`,
//! `reDistributeResultSubpartitionStates`; `DemultiplexingRecordDeserializer`,
//! which drops what is not for its subtask.

use std::collections::BTreeMap;

use super::refusal::Refusal;
use super::words::record;
use crate::model::{
    ChannelIndex, ChannelSnapshot, EdgeIndex, ExecutionGraph, OperatorIndex, Record, Route,
    SavedRecord, Savepoint, StartChannel, SubtaskIndex,
};
use crate::protocol::{Parallelisms, SubtaskStateMapper};

/// Which channel gets what, in order of the channels.
pub(super) fn assign(
    graph: &ExecutionGraph,
    savepoint: &Savepoint,
) -> Result<Vec<StartChannel>, Refusal> {
    let mut channels: BTreeMap<ChannelIndex, (Vec<Record>, Vec<Record>)> = BTreeMap::new();
    let mut saved: Vec<&ChannelSnapshot> = savepoint.in_flight.iter().collect();
    saved.sort_by_key(|channel| (channel.from.subtask, channel.to.subtask));
    for channel in saved {
        let Some(edge) = RescaledEdge::of(graph, savepoint, channel)? else { continue };
        for saved in &channel.input {
            let (channel, record) = edge.place(saved)?;
            channels.entry(channel).or_default().0.push(record);
        }
        for saved in &channel.output {
            let (channel, record) = edge.place(saved)?;
            channels.entry(channel).or_default().1.push(record);
        }
    }
    let channel = |(channel, (input, output))| StartChannel { channel, input, output };
    Ok(channels.into_iter().map(channel).collect())
}

/// An edge with perhaps another number of senders and receivers, and the old
/// channel of it that is looked at.
struct RescaledEdge<'a> {
    graph: &'a ExecutionGraph,
    edge: EdgeIndex,
    old: &'a ChannelSnapshot,
    senders: Parallelisms,
    receivers: Parallelisms,
}

impl<'a> RescaledEdge<'a> {
    /// The edge of a channel; none if neither end is in the job.
    fn of(
        graph: &'a ExecutionGraph,
        savepoint: &Savepoint,
        old: &'a ChannelSnapshot,
    ) -> Result<Option<Self>, Refusal> {
        let operator = |uid: &str| graph.job.operators.iter().position(|own| own.uid == uid);
        let (from, to) = match (operator(&old.from.uid), operator(&old.to.uid)) {
            (None, None) => return Ok(None),
            (Some(from), Some(to)) => (OperatorIndex::at(from), OperatorIndex::at(to)),
            _ => return Err(gone(old)),
        };
        let edges = graph.job.edges.iter().enumerate();
        let mut edges = edges.filter(|(_, edge)| (edge.from, edge.to) == (from, to));
        let (edge, _) = edges.nth(old.edge as usize).ok_or_else(|| gone(old))?;
        let parallelisms = |uid: &str, operator: OperatorIndex| {
            let before = savepoint.operators.iter().find(|own| own.uid == uid);
            let new = graph.job.operators[operator.index()].parallelism;
            Parallelisms { old: before.map_or(new, |own| own.parallelism), new }
        };
        Ok(Some(Self {
            graph,
            edge: EdgeIndex::at(edge),
            old,
            senders: parallelisms(&old.from.uid, from),
            receivers: parallelisms(&old.to.uid, to),
        }))
    }

    /// The channel that a record comes back into.
    fn place(&self, saved: &SavedRecord) -> Result<(ChannelIndex, Record), Refusal> {
        let graph = self.graph;
        let spec = &graph.job.edges[self.edge.index()];
        let record = record(graph, saved, graph.keys_of(spec.from))?;
        let upstream = SubtaskStateMapper::upstream(&spec.partitioner);
        let downstream = SubtaskStateMapper::downstream(&spec.partitioner);
        let cannot = |_| Refusal::CannotRescale {
            from: self.old.from.uid.clone(),
            to: self.old.to.uid.clone(),
        };
        let sender = upstream.new_subtask(self.old.from.subtask, self.senders, || 0);
        let sender = self.subtask(spec.from, sender.map_err(cannot)?);
        let outputs = &graph.subtasks[sender.index()].outputs;
        let output = outputs.iter().find(|output| output.edge == self.edge);
        let output = output.ok_or_else(|| gone(self.old))?;
        let owner = || match graph.route(output, 0, &record, 0) {
            Route::One(receiver) => receiver,
            Route::All => 0,
        };
        let receiver = downstream.new_subtask(self.old.to.subtask, self.receivers, owner);
        let receiver = self.subtask(spec.to, receiver.map_err(cannot)?);
        let mut channels = output.channels.iter().copied();
        let channel = channels.find(|channel| graph.channels[channel.index()].to == receiver);
        Ok((channel.ok_or_else(|| cannot(crate::protocol::CannotRescale))?, record))
    }

    fn subtask(&self, operator: OperatorIndex, position: u32) -> SubtaskIndex {
        let subtasks = &self.graph.subtasks;
        let first = subtasks.iter().position(|subtask| subtask.operator == operator);
        SubtaskIndex::at(first.expect("an operator has subtasks") + position as usize)
    }
}

fn gone(channel: &ChannelSnapshot) -> Refusal {
    Refusal::EdgeGone { from: channel.from.uid.clone(), to: channel.to.uid.clone() }
}
