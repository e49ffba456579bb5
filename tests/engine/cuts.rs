//! The cuts of completed checkpoints, worked out from the facts alone, without
//! the judge.

use std::collections::{BTreeMap, BTreeSet};

use checkdam::model::{ChannelEnd, CheckpointId, ExecutionGraph, RecordId, StreamElement};
use checkdam::trace::{Fact, Trace};

/// A completed checkpoint: its channels, in order.
pub(super) struct Cut {
    pub(super) checkpoint: CheckpointId,
    pub(super) channels: Vec<ChannelCut>,
}

/// A channel in a cut: records in order.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelCut {
    /// Before the sender's snapshot.
    pub(super) sent: Vec<RecordId>,
    /// Before the receiver's.
    pub(super) received: Vec<RecordId>,
    /// Stored at the receiver's end.
    pub(super) input: Vec<RecordId>,
    /// Stored at the sender's.
    pub(super) output: Vec<RecordId>,
}

impl ChannelCut {
    /// Received, and then what is stored in flight.
    pub(super) fn received_and_in_flight(&self) -> Vec<RecordId> {
        [&*self.received, &self.input, &self.output].concat()
    }

    /// Received before the cut and sent after it, if at all.
    pub(super) fn orphans(&self) -> Vec<RecordId> {
        let sent: BTreeSet<_> = self.sent.iter().collect();
        self.received.iter().filter(|record| !sent.contains(record)).copied().collect()
    }
}

/// All of a run. What an attempt got back in flight counts as sent in it.
pub(super) fn completed(graph: &ExecutionGraph, trace: &Trace) -> Vec<Cut> {
    let empty = vec![ChannelCut::default(); graph.channels.len()];
    // What the attempt has done so far, in the first two fields.
    let mut now = empty.clone();
    let mut pending: BTreeMap<CheckpointId, Vec<ChannelCut>> = BTreeMap::new();
    let mut cuts = Vec::new();
    for fact in trace.steps.iter().flat_map(|step| &step.facts) {
        match fact {
            Fact::Emitted { channel, element: StreamElement::Record(record), .. } => {
                now[channel.index()].sent.push(record.id);
            }
            Fact::Processed { channel, record, .. } => {
                now[channel.index()].received.push(record.id);
            }
            Fact::SnapshotTaken { task, checkpoint, .. }
            | Fact::FinishedTaskIncluded { task, checkpoint, .. } => {
                let cut = pending.entry(*checkpoint).or_insert_with(|| empty.clone());
                for (place, channel) in graph.channels.iter().enumerate() {
                    if channel.from == *task {
                        cut[place].sent.clone_from(&now[place].sent);
                    }
                    if channel.to == *task {
                        cut[place].received.clone_from(&now[place].received);
                    }
                }
            }
            Fact::ChannelStateSaved { checkpoint, channel, end, records } => {
                let cut = pending.entry(*checkpoint).or_insert_with(|| empty.clone());
                let there = &mut cut[channel.index()];
                let own = match end {
                    ChannelEnd::Input => &mut there.input,
                    ChannelEnd::Output => &mut there.output,
                };
                own.extend(records.iter().map(|in_flight| in_flight.record.id));
            }
            Fact::CheckpointCompleted { checkpoint } => {
                let channels = pending.remove(checkpoint).unwrap_or_else(|| empty.clone());
                cuts.push(Cut { checkpoint: *checkpoint, channels });
            }
            Fact::AttemptStarted { region, .. } => {
                for channel in graph.channel_indices() {
                    let receiver = graph.channels[channel.index()].to;
                    if region.as_ref().is_none_or(|tasks| tasks.contains(&receiver)) {
                        now[channel.index()].clone_from(&empty[channel.index()]);
                    }
                }
                pending.clear();
            }
            Fact::ChannelStateRestored { channel, input, output } => {
                let restored = input.iter().chain(output).map(|record| record.id);
                now[channel.index()].sent.extend(restored);
            }
            _ => {}
        }
    }
    cuts
}
