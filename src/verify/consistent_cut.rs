//! Of every completed checkpoint, on every channel: what was sent before the
//! sender's cut is what was processed before the receiver's, in this order.
//!
//! It looks only at the attempt that took the checkpoint. A record that a task
//! has in hand is not processed. Nothing may be left in the channel: channel
//! state comes with unaligned checkpoints.
//!
//! Source: Chandy and Lamport 1985, section 3: n ≥ m on every channel.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{ChannelFinding, CutSteps, Finding, Flaw};
use super::history::{Entry, History, Log};
use super::named;
use super::verdict::CutJudgement;
use crate::model::{
    ChannelIndex, CheckpointId, ExecutionGraph, RecordId, SnapshotState, SplitIndex, SubtaskIndex,
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
    /// Lost there; they may still come.
    owed: Vec<Entry>,
    /// Orphans there; they may still be sent.
    early: Vec<Entry>,
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

    /// A new attempt begins, with empty channels.
    pub(super) fn restarted(&mut self, history: &History) {
        self.pending.clear();
        for (channel, line) in self.lines.iter_mut().enumerate() {
            *line = Line::of_attempt(&history.sent[channel], &history.processed[channel]);
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
                *line = Line::of_attempt(sent, processed);
            }
            if n_sent < line.n_sent || n_processed < line.n_processed {
                continue; // made in an earlier attempt: its parts are missing here
            }
            let flaws = line.compare((sent, n_sent), (processed, n_processed));
            let place = Place { graph, history, cut: &cut, channel, checkpoint, completed: step };
            for (flaw, entry) in flaws {
                self.judgement.push(|| place.finding(flaw, entry));
            }
        }
    }
}

impl Line {
    fn of_attempt(sent: &Log, processed: &Log) -> Self {
        Self {
            n_sent: sent.attempt_began,
            n_processed: processed.attempt_began,
            n_indexed: sent.attempt_began,
            ..Self::default()
        }
    }

    /// Compares the part between the last cut and this one, and moves on.
    fn compare(
        &mut self,
        (sent, n_sent): (&Log, usize),
        (processed, n_processed): (&Log, usize),
    ) -> Vec<(Flaw, Entry)> {
        let before = self.n_sent;
        let new_sent = &sent.entries[before..n_sent];
        let new_processed = &processed.entries[self.n_processed..n_processed];
        (self.n_sent, self.n_processed) = (n_sent, n_processed);
        let same = new_sent.len() == new_processed.len()
            && new_sent.iter().zip(new_processed).all(|(a, b)| a.record() == b.record());
        if same && self.owed.is_empty() && self.early.is_empty() {
            return Vec::new();
        }
        self.sent_before.extend(sent.entries[self.n_indexed..before].iter().map(|e| e.record()));
        self.n_indexed = before;
        let owed = std::mem::take(&mut self.owed);
        let early = std::mem::take(&mut self.early);
        let later = sent.entries[n_sent..].iter().map(|entry| entry.record()).collect();
        self.differences(&since(&owed, new_sent), &since(&early, new_processed), &later)
    }

    /// What the slow and general way finds: each record's times on both sides,
    /// and the order of those that are on both.
    fn differences(
        &mut self,
        sent: &[(Entry, Since)],
        processed: &[(Entry, Since)],
        sent_later: &BTreeSet<u64>,
    ) -> Vec<(Flaw, Entry)> {
        let mut flaws = Vec::new();
        let mut expected: BTreeMap<u64, Expected> = BTreeMap::new();
        for (place, (entry, since)) in sent.iter().enumerate() {
            let there = expected.entry(entry.record()).or_insert(Expected {
                entry: *entry,
                place,
                since: *since,
                n_sent: 0,
                n_processed: 0,
            });
            there.n_sent += 1;
        }
        let mut furthest = 0;
        for (entry, since) in processed {
            let record = entry.record();
            let was_sent = self.sent_before.contains(&record) && !sent_later.contains(&record);
            match expected.get_mut(&record) {
                Some(there) if there.n_processed < there.n_sent => {
                    there.n_processed += 1;
                    if there.place < furthest {
                        flaws.push((Flaw::Reordered, *entry));
                    }
                    furthest = furthest.max(there.place);
                }
                Some(_) => flaws.push((Flaw::Duplicate, *entry)),
                None if was_sent && *since == Since::ThisCut => {
                    flaws.push((Flaw::Duplicate, *entry));
                }
                None => {
                    self.early.push(*entry);
                    if *since == Since::ThisCut {
                        flaws.push((Flaw::Orphan, *entry));
                    }
                }
            }
        }
        for missing in expected.into_values().filter(|there| there.n_processed < there.n_sent) {
            self.owed.push(missing.entry);
            if missing.since == Since::ThisCut {
                flaws.push((Flaw::Lost, missing.entry));
            }
        }
        self.owed.sort_by_key(|entry| entry.step);
        flaws
    }
}

/// Which cut is the first to show something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    /// An earlier one, which has reported it.
    EarlierCut,
    /// The one that is compared.
    ThisCut,
}

fn since(left_over: &[Entry], new: &[Entry]) -> Vec<(Entry, Since)> {
    let left_over = left_over.iter().map(|entry| (*entry, Since::EarlierCut));
    left_over.chain(new.iter().map(|entry| (*entry, Since::ThisCut))).collect()
}

/// A record that the sender has sent before its cut.
struct Expected {
    entry: Entry,
    place: usize,
    since: Since,
    n_sent: u32,
    n_processed: u32,
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
    fn finding(&self, flaw: Flaw, entry: Entry) -> Finding {
        let Self { graph, history, cut, channel, checkpoint, completed } = *self;
        let spec = &graph.channels[channel.index()];
        let (split, path) = history.origins.of(entry.origin);
        let find = |log: &Log| {
            let newest_first = log.entries[log.attempt_began..].iter().rev();
            let mut same = newest_first.filter(|other| other.record() == entry.record());
            same.next().map(|other| u64::from(other.step))
        };
        let processed = match flaw {
            Flaw::Lost => find(&history.processed[channel.index()]),
            Flaw::Orphan | Flaw::Duplicate | Flaw::Reordered => Some(u64::from(entry.step)),
        };
        let steps = CutSteps {
            sent: find(&history.sent[channel.index()]),
            processed,
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
            steps,
            source_offset: cut.offsets.get(&split).copied(),
        })
    }
}
