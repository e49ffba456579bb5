//! What snapshots hold in flight, and whether a restart puts it back as it
//! was.
//!
//! Source: what the restored queues must hold is the channel state of the
//! restored snapshot and nothing else (Chandy and Lamport 1985, section 3).

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, Flaw, RestoreFinding};
use super::history::{Entry, Origins};
use super::named;
use crate::model::{
    Attempt, ChannelEnd, ChannelIndex, CheckpointId, ExecutionGraph, RecordId, SubtaskIndex,
};

/// The channel states of all snapshots that the job may come back to.
#[derive(Debug, Default)]
pub(super) struct ChannelStates {
    saved: BTreeMap<CheckpointId, BTreeMap<ChannelIndex, Ends>>,
    /// The restart of this step.
    restart: Option<Restart>,
}

/// The channel state of one channel, each end's in its order. Its entries'
/// steps are those in which they were saved.
#[derive(Clone, Debug, Default)]
struct Ends {
    input: Vec<Entry>,
    output: Vec<Entry>,
}

#[derive(Debug)]
struct Restart {
    attempt: Attempt,
    /// None: from the beginning, with nothing in flight.
    checkpoint: Option<CheckpointId>,
    /// The tasks that begin.
    tasks: BTreeSet<SubtaskIndex>,
    restored: BTreeMap<ChannelIndex, Ends>,
}

impl Ends {
    fn of(&self, end: ChannelEnd) -> &[Entry] {
        match end {
            ChannelEnd::Input => &self.input,
            ChannelEnd::Output => &self.output,
        }
    }

    fn extend(&mut self, end: ChannelEnd, entries: Vec<Entry>) {
        match end {
            ChannelEnd::Input => self.input.extend(entries),
            ChannelEnd::Output => self.output.extend(entries),
        }
    }
}

impl ChannelStates {
    /// Records have become part of a snapshot.
    pub(super) fn saved(
        &mut self,
        checkpoint: CheckpointId,
        (channel, end): (ChannelIndex, ChannelEnd),
        entries: Vec<Entry>,
    ) {
        let channels = self.saved.entry(checkpoint).or_default();
        channels.entry(channel).or_default().extend(end, entries);
    }

    /// A channel's state in a snapshot, the first to be processed first: the
    /// receiver has what the sender sent earlier.
    pub(super) fn of(
        &self,
        checkpoint: CheckpointId,
        channel: ChannelIndex,
    ) -> impl Iterator<Item = (Entry, ChannelEnd)> + '_ {
        let ends = self.saved.get(&checkpoint).and_then(|channels| channels.get(&channel));
        ends.into_iter().flat_map(|ends| {
            let input = ends.input.iter().map(|entry| (*entry, ChannelEnd::Input));
            input.chain(ends.output.iter().map(|entry| (*entry, ChannelEnd::Output)))
        })
    }

    /// Forgets a snapshot that nobody can restart from.
    pub(super) fn forget(&mut self, checkpoint: CheckpointId) {
        self.saved.remove(&checkpoint);
    }

    /// An attempt begins; later snapshots are gone.
    pub(super) fn restart(
        &mut self,
        attempt: Attempt,
        checkpoint: Option<CheckpointId>,
        tasks: BTreeSet<SubtaskIndex>,
    ) {
        self.saved.retain(|id, _| checkpoint.is_some_and(|kept| *id <= kept));
        self.restart = Some(Restart { attempt, checkpoint, tasks, restored: BTreeMap::new() });
    }

    /// A channel has records back.
    ///
    /// # Errors
    /// When no attempt begins in this step, or not from a checkpoint.
    pub(super) fn restored(
        &mut self,
        channel: ChannelIndex,
        [input, output]: [Vec<Entry>; 2],
    ) -> Result<(), String> {
        let restart = self.restart.as_mut().filter(|restart| restart.checkpoint.is_some());
        let restart = restart.ok_or("records in flight are restored from no checkpoint")?;
        let ends = restart.restored.entry(channel).or_default();
        ends.extend(ChannelEnd::Input, input);
        ends.extend(ChannelEnd::Output, output);
        Ok(())
    }

    /// The step is over: what it has put back must be what was saved.
    pub(super) fn compare_restored(
        &mut self,
        graph: &ExecutionGraph,
        origins: &Origins,
        step: u64,
    ) -> Vec<Finding> {
        let Some(restart) = self.restart.take() else { return Vec::new() };
        let Restart { attempt, checkpoint: Some(checkpoint), tasks, restored } = restart else {
            return Vec::new();
        };
        let none = BTreeMap::new();
        let saved = self.saved.get(&checkpoint).unwrap_or(&none);
        let begins = |channel: &&ChannelIndex| tasks.contains(&graph.channels[channel.index()].to);
        let saved_there = saved.keys().filter(begins);
        let channels: BTreeSet<ChannelIndex> =
            saved_there.chain(restored.keys()).copied().collect();
        let mut findings = Vec::new();
        for channel in channels {
            for end in [ChannelEnd::Input, ChannelEnd::Output] {
                let [saved, restored] = [saved, &restored]
                    .map(|channels| channels.get(&channel).map_or(&[][..], |ends| ends.of(end)));
                findings.extend(differences(saved, restored).into_iter().map(|(flaw, entry)| {
                    let (split, path) = origins.of(entry.origin);
                    let id = RecordId { split, offset: entry.offset, path };
                    let was_saved = saved.iter().find(|other| other.record() == entry.record());
                    let spec = &graph.channels[channel.index()];
                    let owner = match end {
                        ChannelEnd::Input => spec.to,
                        ChannelEnd::Output => spec.from,
                    };
                    Finding::Restore(RestoreFinding {
                        flaw,
                        checkpoint,
                        attempt,
                        record: named::record(graph, id),
                        channel: named::channel(graph, channel),
                        end,
                        owner: named::task(graph, owner),
                        saved: was_saved.map(|entry| u64::from(entry.step)),
                        step,
                    })
                }));
            }
        }
        findings
    }
}

/// How two sequences differ, record by record.
fn differences(saved: &[Entry], restored: &[Entry]) -> Vec<(Flaw, Entry)> {
    let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, entry) in saved.iter().enumerate().rev() {
        places.entry(entry.record()).or_default().push(place);
    }
    let mut flaws = Vec::new();
    let mut furthest = 0;
    for entry in restored {
        match places.get_mut(&entry.record()).map(Vec::pop) {
            None => flaws.push((Flaw::Orphan, *entry)),
            Some(None) => flaws.push((Flaw::Duplicate, *entry)),
            Some(Some(place)) => {
                if place < furthest {
                    flaws.push((Flaw::Reordered, *entry));
                }
                furthest = furthest.max(place);
            }
        }
    }
    let mut missing: Vec<usize> = places.into_values().flatten().collect();
    missing.sort_unstable();
    flaws.extend(missing.into_iter().map(|place| (Flaw::Lost, saved[place])));
    flaws
}
