//! Of every completed checkpoint, on every channel: what was sent before the
//! sender's cut is what was processed before the receiver's and then what the
//! checkpoint holds in flight, in this order.
//!
//! It looks only at the attempt that took the checkpoint, which begins with
//! what it got back in flight. A record that a task has in hand is not
//! processed.
//!
//! Source: Chandy and Lamport 1985, section 3: n ≥ m on every channel, and the
//! channel's state is the difference.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{ChannelFinding, CutSteps, Finding, Flaw, Part};
use super::history::{Entry, History, Log, Restarted};
use super::named;
use super::verdict::CutJudgement;
use crate::model::{
    ChannelEnd, ChannelIndex, CheckpointId, ExecutionGraph, RecordId, SnapshotState, SplitIndex,
    SubtaskIndex,
};

/// Compares the two ends of every channel at each completed checkpoint.
#[derive(Debug)]
pub(super) struct ConsistentCut {
    pending: BTreeMap<CheckpointId, PendingCut>,
    lines: Vec<Line>,
    /// What has been found so far.
    pub(super) judgement: CutJudgement,
}

/// When the parts of a checkpoint were stored.
#[derive(Debug, Default)]
struct PendingCut {
    stored: BTreeMap<SubtaskIndex, u64>,
    barriers: BTreeMap<ChannelIndex, u64>,
    offsets: BTreeMap<SplitIndex, u32>,
}

/// How far the two ends of a channel have been compared.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Entries of the sender's log before the newest compared cut.
    n_sent: usize,
    /// Entries of the receiver's log before it.
    n_processed: usize,
    /// Sent before it and not processed, in the order of sending: in flight
    /// there ([`Since::ThisCut`]: all was well), or lost there; they may still
    /// come.
    owed: Vec<(Entry, Since)>,
    /// Orphans in the state there; they may still be sent.
    early: Vec<Entry>,
    /// Records that have been found too often in flight, which may make them
    /// show again.
    told: BTreeSet<u64>,
    /// What was sent before it, once a flaw has made it necessary to know.
    sent_before: BTreeSet<u64>,
    /// How much of the sender's log is in there.
    n_indexed: usize,
}

impl ConsistentCut {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let lines = vec![Line::default(); graph.channels.len()];
        Self { pending: BTreeMap::new(), lines, judgement: CutJudgement::default() }
    }

    /// A receiver has got a barrier.
    pub(super) fn barrier(&mut self, channel: ChannelIndex, checkpoint: CheckpointId, step: u64) {
        self.pending.entry(checkpoint).or_default().barriers.entry(channel).or_insert(step);
    }

    /// A task has stored its state.
    pub(super) fn stored(
        &mut self,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
        state: &SnapshotState,
        step: u64,
    ) {
        let pending = self.pending.entry(checkpoint).or_default();
        pending.stored.entry(task).or_insert(step);
        if let SnapshotState::Offsets(offsets) = state {
            pending.offsets.extend(offsets.iter().copied());
        }
    }

    /// A checkpoint is given up.
    pub(super) fn aborted(&mut self, checkpoint: CheckpointId) {
        self.pending.remove(&checkpoint);
    }

    /// A new attempt begins, with nothing in the channels but what is put
    /// back.
    pub(super) fn restarted(
        &mut self,
        graph: &ExecutionGraph,
        history: &History,
        restarted: &Restarted,
    ) {
        self.pending.clear();
        for (channel, line) in self.lines.iter_mut().enumerate() {
            if restarted.takes(graph, channel) {
                *line = Line::of_attempt(history, channel);
            }
        }
    }

    /// A checkpoint is declared complete.
    pub(super) fn completed(
        &mut self,
        graph: &ExecutionGraph,
        history: &History,
        checkpoint: CheckpointId,
        step: u64,
    ) {
        let cut = self.pending.remove(&checkpoint).unwrap_or_default();
        self.judgement.n_checkpoints += 1;
        for task in graph.subtask_indices().filter(|task| !cut.stored.contains_key(task)) {
            let task = named::task(graph, task);
            self.judgement.push(|| Finding::NotStored { checkpoint, task, completed: step });
        }
        for channel in graph.channel_indices() {
            let (sent, processed) =
                (&history.sent[channel.index()], &history.processed[channel.index()]);
            let (Some(n_sent), Some(n_processed)) =
                (sent.mark(checkpoint), processed.mark(checkpoint))
            else {
                continue; // a part is missing, as found above
            };
            self.judgement.n_cuts += 1;
            let line = &mut self.lines[channel.index()];
            if n_sent < line.n_sent || n_processed < line.n_processed {
                // Not newer than the last one: compare it from the start.
                *line = Line::of_attempt(history, channel.index());
            }
            if n_sent < line.n_sent || n_processed < line.n_processed {
                continue; // made in an earlier attempt: its parts are missing here
            }
            let in_flight: Vec<_> = history.channel_states.of(checkpoint, channel).collect();
            let flaws = line.compare((sent, n_sent), (processed, n_processed), &in_flight);
            self.judgement.n_wrong_cuts += u64::from(!flaws.is_empty());
            let place = Place { graph, history, cut: &cut, channel, checkpoint, completed: step };
            for flawed in flaws {
                self.judgement.n_orphans += u64::from(flawed.flaw == Flaw::Orphan);
                self.judgement.push(|| place.finding(&flawed));
            }
        }
    }
}

impl Line {
    fn of_attempt(history: &History, channel: usize) -> Self {
        let (sent, in_flight) = (&history.sent[channel], &history.in_flight[channel]);
        Self {
            n_sent: sent.attempt_began,
            n_processed: history.processed[channel].attempt_began,
            owed: in_flight.iter().map(|entry| (*entry, Since::ThisCut)).collect(),
            sent_before: in_flight.iter().map(|entry| entry.record()).collect(),
            n_indexed: sent.attempt_began,
            ..Self::default()
        }
    }

    /// Compares the part between the last cut and this one, and moves on.
    fn compare(
        &mut self,
        (sent, n_sent): (&Log, usize),
        (processed, n_processed): (&Log, usize),
        in_flight: &[(Entry, ChannelEnd)],
    ) -> Vec<Flawed> {
        let before = self.n_sent;
        let new_sent = &sent.entries[before..n_sent];
        let new_processed = &processed.entries[self.n_processed..n_processed];
        (self.n_sent, self.n_processed) = (n_sent, n_processed);
        let owed = std::mem::take(&mut self.owed);
        let early = std::mem::take(&mut self.early);
        let is_well = early.is_empty() && owed.iter().all(|(_, since)| *since == Since::ThisCut);
        let sent_in_order = || owed.iter().map(|(entry, _)| entry).chain(new_sent);
        let got_in_order = new_processed.iter().chain(in_flight.iter().map(|(entry, _)| entry));
        let same = owed.len() + new_sent.len() == new_processed.len() + in_flight.len()
            && sent_in_order().zip(got_in_order).all(|(a, b)| a.record() == b.record());
        if is_well && same {
            let left_over = sent_in_order().skip(new_processed.len());
            self.owed = left_over.map(|entry| (*entry, Since::ThisCut)).collect();
            return Vec::new();
        }
        self.sent_before.extend(sent.entries[self.n_indexed..before].iter().map(|e| e.record()));
        self.n_indexed = before;
        let later = sent.entries[n_sent..].iter().map(|entry| entry.record()).collect();
        let sent = owed.into_iter().chain(new_sent.iter().map(|entry| (*entry, Since::ThisCut)));
        let early = early.into_iter().map(|entry| (entry, Part::State, Since::EarlierCut));
        let new = new_processed.iter().map(|entry| (*entry, Part::State, Since::ThisCut));
        let in_flight =
            in_flight.iter().map(|(entry, end)| (*entry, Part::InFlight(*end), Since::ThisCut));
        let got = early.chain(new).chain(in_flight);
        self.differences(&sent.collect::<Vec<_>>(), &got.collect::<Vec<_>>(), &later)
    }

    /// What the slow and general way finds: each record's times on both sides,
    /// and the order of those that are on both.
    fn differences(
        &mut self,
        sent: &[(Entry, Since)],
        got: &[(Entry, Part, Since)],
        sent_later: &BTreeSet<u64>,
    ) -> Vec<Flawed> {
        let mut flaws = Vec::new();
        let mut expected: BTreeMap<u64, Expected> = BTreeMap::new();
        for (place, (entry, since)) in sent.iter().enumerate() {
            let there = expected.entry(entry.record()).or_insert(Expected {
                entry: *entry,
                place,
                since: *since,
                n_sent: 0,
                n_processed: 0,
                n_in_flight: 0,
            });
            there.n_sent += 1;
        }
        let mut furthest = 0;
        for (entry, part, since) in got {
            let record = entry.record();
            let was_sent = self.sent_before.contains(&record) && !sent_later.contains(&record);
            let flaw = match expected.get_mut(&record) {
                Some(there) if there.n_processed + there.n_in_flight < there.n_sent => {
                    match part {
                        Part::State => there.n_processed += 1,
                        Part::InFlight(_) => there.n_in_flight += 1,
                    }
                    let is_late = there.place < furthest;
                    furthest = furthest.max(there.place);
                    if !is_late {
                        continue;
                    }
                    Flaw::Reordered
                }
                Some(_) => Flaw::Duplicate,
                None if was_sent && *since == Since::ThisCut => Flaw::Duplicate,
                None => {
                    if *part == Part::State {
                        self.early.push(*entry);
                    }
                    Flaw::Orphan
                }
            };
            let is_told = flaw != Flaw::Reordered && self.told.contains(&record);
            let is_new = *since == Since::ThisCut || flaw != Flaw::Orphan;
            if is_new && !is_told {
                flaws.push(Flawed { flaw, entry: *entry, part: Some(*part) });
            }
            if flaw != Flaw::Reordered && *part != Part::State {
                self.told.insert(record);
            }
        }
        let mut owed = Vec::new();
        for there in expected.into_values() {
            if there.n_processed + there.n_in_flight < there.n_sent {
                owed.push((there.place, there.entry, Since::EarlierCut));
                if there.since == Since::ThisCut {
                    flaws.push(Flawed { flaw: Flaw::Lost, entry: there.entry, part: None });
                }
            }
            if there.n_in_flight > 0 {
                owed.push((there.place, there.entry, Since::ThisCut));
            }
        }
        owed.sort_by_key(|(place, ..)| *place);
        self.owed = owed.into_iter().map(|(_, entry, since)| (entry, since)).collect();
        flaws
    }
}

/// A record with something wrong.
struct Flawed {
    flaw: Flaw,
    /// Where it was seen.
    entry: Entry,
    /// What of the snapshot holds it.
    part: Option<Part>,
}

/// Which cut is the first to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// An earlier one, which has reported it.
    EarlierCut,
    /// The one that is compared.
    ThisCut,
}

/// A record that the sender has sent before its cut.
struct Expected {
    entry: Entry,
    place: usize,
    since: Since,
    n_sent: u32,
    n_processed: u32,
    n_in_flight: u32,
}

/// Where a flaw is, for putting names and steps to it.
struct Place<'a> {
    graph: &'a ExecutionGraph,
    history: &'a History,
    cut: &'a PendingCut,
    channel: ChannelIndex,
    checkpoint: CheckpointId,
    completed: u64,
}

impl Place<'_> {
    fn finding(&self, &Flawed { flaw, entry, part }: &Flawed) -> Finding {
        let Self { graph, history, cut, channel, checkpoint, completed } = *self;
        let spec = &graph.channels[channel.index()];
        let (split, path) = history.origins.of(entry.origin);
        let find = |entries: &[Entry]| {
            let mut same = entries.iter().rev().filter(|other| other.record() == entry.record());
            same.next().map(|other| u64::from(other.step))
        };
        let (sent, processed) =
            (&history.sent[channel.index()], &history.processed[channel.index()]);
        // What was in flight when the attempt began was sent earlier.
        let is_resent =
            history.in_flight[channel.index()].iter().any(|r| r.record() == entry.record());
        let sent_from = if is_resent { 0 } else { sent.attempt_began };
        let seen = Some(u64::from(entry.step));
        let steps = CutSteps {
            sent: find(&sent.entries[sent_from..]),
            processed: match part {
                Some(Part::State) => seen,
                _ => find(&processed.entries[processed.attempt_began..]),
            },
            saved: seen.filter(|_| matches!(part, Some(Part::InFlight(_)))),
            sender_cut: cut.stored.get(&spec.from).copied(),
            barrier: cut.barriers.get(&channel).copied(),
            receiver_cut: cut.stored.get(&spec.to).copied(),
            completed,
        };
        Finding::Channel(ChannelFinding {
            flaw,
            checkpoint,
            record: named::record(graph, RecordId { split, offset: entry.offset, path }),
            channel: named::channel(graph, channel),
            sender: named::task(graph, spec.from),
            receiver: named::task(graph, spec.to),
            part,
            steps,
            source_offset: cut.offsets.get(&split).copied(),
        })
    }
}
