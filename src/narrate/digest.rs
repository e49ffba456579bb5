//! The facts of some steps, sorted by kind: what a summary is made from.

use crate::model::{
    AlignmentType, Attempt, Barrier, ChannelIndex, CheckpointFailureReason, CheckpointId, Key,
    Record, SnapshotState, StateValue, StreamElement, SubtaskIndex, TransactionId,
};
use crate::trace::{Fact, Step, View};

/// Facts by kind, each kind in the order in which they happened.
#[derive(Default)]
pub(super) struct Digest<'a> {
    pub(super) crashed: Vec<SubtaskIndex>,
    /// Of the whole job: failure, restart, end; slowness; rejected triggers.
    pub(super) job: Vec<&'a Fact>,
    pub(super) restored: Vec<(SubtaskIndex, &'a SnapshotState)>,
    pub(super) triggered: Vec<CheckpointId>,
    pub(super) trigger_received: Vec<(SubtaskIndex, CheckpointId)>,
    pub(super) read: Vec<(SubtaskIndex, Vec<Record>)>,
    pub(super) processed: Vec<(SubtaskIndex, Vec<Processed>)>,
    pub(super) sent: Vec<(SubtaskIndex, Vec<Sent>)>,
    /// With the barrier itself, where one was taken.
    pub(super) barriers_received: Vec<(&'a Fact, Option<Barrier>)>,
    pub(super) snapshots: Vec<(SubtaskIndex, CheckpointId, &'a SnapshotState)>,
    pub(super) barriers_sent: Vec<((CheckpointId, AlignmentType), Vec<ChannelIndex>)>,
    pub(super) acknowledged: Vec<(CheckpointId, Vec<SubtaskIndex>)>,
    pub(super) completed: Vec<CheckpointId>,
    /// Completed checkpoints that are deleted.
    pub(super) discarded: Vec<CheckpointId>,
    /// Completed checkpoints that outlive the job.
    pub(super) retained: Vec<CheckpointId>,
    pub(super) aborted: Vec<(CheckpointId, CheckpointFailureReason)>,
    pub(super) notified: Vec<(CheckpointId, Vec<SubtaskIndex>)>,
    pub(super) begun: Vec<TransactionId>,
    pub(super) prepared: Vec<(TransactionId, CheckpointId)>,
    pub(super) committed: Vec<(TransactionId, u64)>,
    pub(super) rolled_back: Vec<(TransactionId, u64)>,
    /// Checkpoints that become unaligned, and what leads there.
    pub(super) turns: Vec<&'a Fact>,
    /// Checkpoints given up, parts of snapshots stored.
    pub(super) parts: Vec<&'a Fact>,
    /// Records in flight that are stored or put back.
    pub(super) in_flight: Vec<&'a Fact>,
    /// Cancellation markers sent.
    pub(super) markers: Vec<StreamElement>,
    pub(super) partitions_ended: Vec<(SubtaskIndex, ChannelIndex)>,
    pub(super) ends_received: Vec<(SubtaskIndex, ChannelIndex)>,
    pub(super) ended: Vec<SubtaskIndex>,
    pub(super) ends_reported: Vec<SubtaskIndex>,
    pub(super) finished: Vec<SubtaskIndex>,
    pub(super) ignored: Vec<(SubtaskIndex, Attempt, &'a Fact)>,
    /// Files written, deleted and read.
    pub(super) files: Vec<&'a Fact>,
    /// What only moves: departures, arrivals, work begun.
    pub(super) moved: Vec<(&'a Fact, Option<StreamElement>)>,
}

/// A record that has had its effect.
pub(super) struct Processed {
    pub(super) record: Record,
    pub(super) state: Option<(Key, StateValue)>,
    /// Whether it had left its channel earlier, when the work on it began.
    pub(super) was_in_hand: bool,
}

/// A record that has been sent.
pub(super) struct Sent {
    pub(super) channel: ChannelIndex,
    pub(super) record: Record,
    pub(super) buffered: bool,
}

impl<'a> Digest<'a> {
    /// Sorts the facts of some steps; `before` is the view before the first.
    pub(super) fn of(
        before: &View,
        steps: &'a [Step],
        graph: &crate::model::ExecutionGraph,
    ) -> Self {
        let mut digest = Self::default();
        let facts = || steps.iter().flat_map(|step| &step.facts);
        for fact in facts() {
            match fact {
                Fact::Crashed { tasks } => digest.crashed.extend(tasks),
                Fact::JobFailed { .. }
                | Fact::SavepointRestored { .. }
                | Fact::StateAssigned { .. }
                | Fact::ChannelStateAssigned { .. }
                | Fact::AttemptStarted { .. }
                | Fact::JobManagerCrashed { .. }
                | Fact::JobManagerStarted { .. }
                | Fact::JobFinished
                | Fact::JobCanceled
                | Fact::Slowed { .. }
                | Fact::SlownessEnded { .. }
                | Fact::MessageLost { .. }
                | Fact::BacklogReported { .. }
                | Fact::MessageDelayed { .. }
                | Fact::TriggerRejected { .. } => digest.job.push(fact),
                Fact::StateRestored { task, state } => digest.restored.push((*task, state)),
                Fact::CheckpointTriggered { checkpoint, .. } => digest.triggered.push(*checkpoint),
                Fact::TriggerReceived { task, checkpoint } => {
                    digest.trigger_received.push((*task, *checkpoint));
                }
                Fact::Read { task, record } => group(&mut digest.read, *task).push(*record),
                Fact::Processed { task, channel, number, record, state } => {
                    let in_hand = before.tasks[task.index()].in_hand;
                    let was_in_hand =
                        in_hand.is_some_and(|(from, m)| from == *channel && m.number == *number);
                    group(&mut digest.processed, *task).push(Processed {
                        record: *record,
                        state: *state,
                        was_in_hand,
                    });
                }
                Fact::Emitted { channel, element, buffered, .. } => match element {
                    StreamElement::Record(record) => {
                        let sender = graph.channels[channel.index()].from;
                        group(&mut digest.sent, sender).push(Sent {
                            channel: *channel,
                            record: *record,
                            buffered: *buffered,
                        });
                    }
                    StreamElement::Barrier(barrier) => {
                        let kind = (barrier.checkpoint, barrier.options.alignment);
                        group(&mut digest.barriers_sent, kind).push(*channel);
                    }
                    // The end of data goes to every channel: `EndOfData` says so.
                    StreamElement::EndOfData
                    | StreamElement::EndOfPartition
                    | StreamElement::EndOfChannelState => {}
                    StreamElement::CancelMarker(_) => digest.markers.push(*element),
                },
                Fact::BarrierReceived { channel, number, .. } => {
                    let barrier = barrier(before, facts(), *channel, *number);
                    digest.barriers_received.push((fact, barrier));
                }
                Fact::EndCounted { .. } => digest.barriers_received.push((fact, None)),
                // Of a barrier that is taken at once, taking it says it all.
                Fact::Announced { channel, checkpoint, .. } => {
                    let is_taken = |fact: &Fact| {
                        matches!(fact, Fact::BarrierReceived { channel: own, checkpoint: id, .. }
                            if (own, id) == (channel, checkpoint))
                    };
                    if !facts().any(is_taken) {
                        digest.turns.push(fact);
                    }
                }
                Fact::Prioritized { channel, number } => {
                    let is_taken = |fact: &Fact| {
                        matches!(fact, Fact::BarrierReceived { channel: own, number: n, .. }
                            if (own, n) == (channel, number))
                    };
                    if !facts().any(is_taken) {
                        digest.turns.push(fact);
                    }
                }
                Fact::AlignmentTimerDue { .. }
                | Fact::AlignmentTimedOut { .. }
                | Fact::OutputTimedOut { .. } => digest.turns.push(fact),
                Fact::CancelMarkerReceived { .. }
                | Fact::Declined { .. }
                | Fact::DeclineReceived { .. }
                | Fact::AbortNotified { .. }
                | Fact::SyncEnded { .. }
                | Fact::FinishedTaskIncluded { .. }
                | Fact::ChannelStateReceived { .. } => digest.parts.push(fact),
                // In the step that takes the snapshot, that says it.
                Fact::SnapshotStored { task, checkpoint, .. } => {
                    let is_taken = |(own, id, _): &(SubtaskIndex, CheckpointId, _)| {
                        (own, id) == (task, checkpoint)
                    };
                    if !digest.snapshots.iter().any(is_taken) {
                        digest.parts.push(fact);
                    }
                }
                Fact::ChannelStateSaved { .. } | Fact::ChannelStateRestored { .. } => {
                    digest.in_flight.push(fact);
                }
                Fact::PartitionEnded { task, channel, .. } => {
                    digest.partitions_ended.push((*task, *channel));
                }
                // The views before and after show which channels these are.
                Fact::Blocked { .. } | Fact::Resumed { .. } => {}
                Fact::SnapshotTaken { task, checkpoint, state } => {
                    digest.snapshots.push((*task, *checkpoint, state));
                }
                Fact::Acknowledged { task, checkpoint } => {
                    group(&mut digest.acknowledged, *checkpoint).push(*task);
                }
                Fact::CheckpointCompleted { checkpoint } => digest.completed.push(*checkpoint),
                Fact::CheckpointDiscarded { checkpoint } => digest.discarded.push(*checkpoint),
                Fact::CheckpointRetained { checkpoint } => digest.retained.push(*checkpoint),
                Fact::CheckpointAborted { checkpoint, reason } => {
                    digest.aborted.push((*checkpoint, *reason));
                }
                Fact::Notified { task, checkpoint } => {
                    group(&mut digest.notified, *checkpoint).push(*task);
                }
                Fact::TransactionBegun { transaction } => digest.begun.push(*transaction),
                Fact::TransactionPrepared { transaction, checkpoint } => {
                    digest.prepared.push((*transaction, *checkpoint));
                }
                Fact::TransactionCommitted { transaction, n_records } => {
                    digest.committed.push((*transaction, *n_records));
                }
                Fact::TransactionAborted { transaction, n_records } => {
                    digest.rolled_back.push((*transaction, *n_records));
                }
                Fact::StateWritten { .. }
                | Fact::WriteFailed { .. }
                | Fact::MetadataWritten { .. }
                | Fact::CheckpointDisposed { .. }
                | Fact::FilesDeleted { .. }
                | Fact::RestoreStarted { .. }
                | Fact::RestoreFailed { .. } => digest.files.push(fact),
                Fact::EndReceived { task, channel, .. } => {
                    digest.ends_received.push((*task, *channel));
                }
                Fact::EndOfData { task } => digest.ended.push(*task),
                Fact::EndReported { task } => digest.ends_reported.push(*task),
                Fact::TaskFinished { task } => digest.finished.push(*task),
                Fact::MessageIgnored { task, attempt, .. } => {
                    digest.ignored.push((*task, *attempt, fact));
                }
                Fact::Departed { channel, number }
                | Fact::Arrived { channel, number }
                | Fact::Started { channel, number, .. } => {
                    digest.moved.push((fact, element(before, facts(), *channel, *number)));
                }
            }
        }
        digest
    }
}

/// The entry of a key, made if it is not there.
fn group<K: PartialEq, V>(entries: &mut Vec<(K, Vec<V>)>, key: K) -> &mut Vec<V> {
    let place = match entries.iter().position(|(own, _)| *own == key) {
        Some(place) => place,
        None => {
            entries.push((key, Vec::new()));
            entries.len() - 1
        }
    };
    &mut entries[place].1
}

/// The barrier that a message carries, as it arrives: one of the steps may have
/// made it unaligned.
pub(super) fn barrier<'f>(
    before: &View,
    facts: impl Iterator<Item = &'f Fact> + Clone,
    channel: ChannelIndex,
    number: u64,
) -> Option<Barrier> {
    let times_out = |fact: &Fact| {
        matches!(fact, Fact::OutputTimedOut { channel: own, number: n }
            if (*own, *n) == (channel, number))
    };
    match element(before, facts.clone(), channel, number)? {
        StreamElement::Barrier(barrier) if facts.into_iter().any(times_out) => {
            Some(barrier.as_unaligned())
        }
        StreamElement::Barrier(barrier) => Some(barrier),
        _ => None,
    }
}

/// What a message carries: it is in flight before the steps, or one of them
/// has sent it, or put it back.
pub(super) fn element<'f>(
    before: &View,
    mut facts: impl Iterator<Item = &'f Fact> + Clone,
    channel: ChannelIndex,
    number: u64,
) -> Option<StreamElement> {
    // A new attempt counts from 1 again.
    let anew = facts.clone().any(|fact| matches!(fact, Fact::AttemptStarted { .. }));
    let in_flight = before.channels[channel.index()].in_flight();
    let mut in_flight = in_flight.filter(|_| !anew);
    let found = in_flight.find(|message| message.number == number);
    found.map(|message| message.element).or_else(|| {
        facts.find_map(|fact| match fact {
            Fact::Emitted { channel: own, number: n, element, .. }
                if (*own, *n) == (channel, number) =>
            {
                Some(*element)
            }
            Fact::ChannelStateRestored { channel: own, input, output } if *own == channel => {
                let place = usize::try_from(number).ok()?.checked_sub(1)?;
                input.iter().chain(output).nth(place).map(|own| StreamElement::Record(*own))
            }
            _ => None,
        })
    })
}
