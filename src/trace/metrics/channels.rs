//! How many records are in flight, and how many of them wait: counted fact by
//! fact, without keeping the records.

use std::collections::BTreeSet;

use crate::model::{ChannelIndex, ExecutionGraph, StreamElement, SubtaskIndex};
use crate::trace::Fact;

/// What is known of one channel.
#[derive(Clone, Debug, Default)]
struct Channel {
    /// Records in output buffer, wire and receive queue.
    n_in_flight: u64,
    /// Records in output buffer and receive queue.
    n_waiting: u64,
    /// The number of the last record that went onto the wire.
    sent: u64,
    /// The number of the last record that came to the receive queue.
    arrived: u64,
    /// Numbers of what is in flight and no record.
    others: BTreeSet<u64>,
}

/// Counts the records of every channel.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    channels: Vec<Channel>,
    /// Records in flight in the whole job.
    pub(super) n_in_flight: u64,
    /// By subtask: records that wait in front of it.
    pub(super) n_waiting: Vec<u64>,
    /// By subtask: whether it works on a record, which is in no channel.
    in_hand: Vec<bool>,
}

impl Channels {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self {
            channels: vec![Channel::default(); graph.channels.len()],
            n_in_flight: 0,
            n_waiting: vec![0; graph.subtasks.len()],
            in_hand: vec![false; graph.subtasks.len()],
        }
    }

    /// Takes a fact in.
    pub(super) fn observe(&mut self, graph: &ExecutionGraph, fact: &Fact) {
        match fact {
            Fact::Emitted { channel, number, element, buffered } => {
                let is_record = matches!(element, StreamElement::Record(_));
                self.change(graph, *channel, |own| match (is_record, buffered) {
                    (false, _) => drop(own.others.insert(*number)),
                    (true, true) => {
                        own.n_in_flight += 1;
                        own.n_waiting += 1;
                    }
                    (true, false) => {
                        own.n_in_flight += 1;
                        own.sent = *number;
                    }
                });
            }
            Fact::Departed { channel, number } => self.change(graph, *channel, |own| {
                if !own.others.contains(number) {
                    own.n_waiting = own.n_waiting.saturating_sub(1);
                    own.sent = *number;
                }
            }),
            Fact::Arrived { channel, number } => self.change(graph, *channel, |own| {
                if !own.others.contains(number) {
                    own.n_waiting += 1;
                    own.arrived = *number;
                }
            }),
            Fact::Started { task, channel, number } => {
                self.in_hand[task.index()] = true;
                self.change(graph, *channel, |own| own.take(*number));
            }
            Fact::Processed { task, channel, number, .. } => {
                let was_in_hand = std::mem::take(&mut self.in_hand[task.index()]);
                let taken = [*number].into_iter().filter(|_| !was_in_hand);
                taken.for_each(|number| self.change(graph, *channel, |own| own.take(number)));
            }
            Fact::BarrierReceived { channel, number, .. }
            | Fact::CancelMarkerReceived { channel, number, .. }
            | Fact::EndReceived { channel, number, .. }
            | Fact::PartitionEnded { channel, number, .. }
            | Fact::ChannelStateReceived { channel, number, .. } => {
                self.channels[channel.index()].others.remove(number);
            }
            Fact::AttemptStarted { region, .. } => {
                let all = || graph.subtask_indices().collect();
                for task in region.clone().unwrap_or_else(all) {
                    self.in_hand[task.index()] = false;
                    for channel in &graph.subtasks[task.index()].inputs {
                        self.change(graph, *channel, |own| *own = Channel::default());
                    }
                }
            }
            Fact::ChannelStateRestored { channel, input, output } => {
                let (n_input, n_output) = (input.len() as u64, output.len() as u64);
                self.change(graph, *channel, |own| {
                    own.n_in_flight = n_input + n_output;
                    own.n_waiting = n_input + n_output;
                    (own.sent, own.arrived) = (n_input, n_input);
                    // The end of the channel state stands behind them.
                    own.others.insert(n_input + n_output + 1);
                });
            }
            _ => {}
        }
    }

    fn change(
        &mut self,
        graph: &ExecutionGraph,
        channel: ChannelIndex,
        change: impl FnOnce(&mut Channel),
    ) {
        let own = &mut self.channels[channel.index()];
        let waiting = &mut self.n_waiting[graph.channels[channel.index()].to.index()];
        self.n_in_flight -= own.n_in_flight;
        *waiting -= own.n_waiting;
        change(own);
        self.n_in_flight += own.n_in_flight;
        *waiting += own.n_waiting;
    }

    /// The most records that wait in front of one of some subtasks.
    pub(super) fn most_waiting(&self, tasks: impl Iterator<Item = SubtaskIndex>) -> u64 {
        tasks.map(|task| self.n_waiting[task.index()]).max().unwrap_or(0)
    }
}

impl Channel {
    /// A record leaves: the receive queue, or right off the wire, or, where
    /// there is none, the output buffer.
    fn take(&mut self, number: u64) {
        self.n_in_flight = self.n_in_flight.saturating_sub(1);
        let is_on_wire = self.arrived < number && number <= self.sent;
        if !is_on_wire {
            self.n_waiting = self.n_waiting.saturating_sub(1);
        }
    }
}
