//! What is left of a run when every failure has undone what it undoes.
//!
//! Each end of each channel, and each split, has a log of the records that
//! passed there. A task that stores its state marks its logs; a restart from a
//! checkpoint cuts every log back to the mark of that checkpoint. So the logs
//! are at all times the surviving history.
//!
//! Source: Veresov, Spenger, Carbone, Haller: Failure Transparency in Stateful
//! Dataflow Systems (ECOOP 2024): delete from a failed attempt all that each
//! task did after its own cut, and join the attempts.

use std::collections::{BTreeMap, BTreeSet};

use super::before::Earlier;
use super::channel_state::ChannelStates;
use super::given::Given;
use crate::model::{
    Attempt, ChannelEnd, ChannelIndex, CheckpointId, ExecutionGraph, Path, RecordId, SnapshotState,
    SplitIndex, SubtaskIndex,
};

/// A record that passed somewhere. Ordered by record, then by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// Split and path, see [`Origins`].
    pub(super) origin: u32,
    /// Place in the split, from 1.
    pub(super) offset: u32,
    /// When. A step past the range is shown as its end: a trace that long
    /// would have outgrown any memory before.
    pub(super) step: u32,
}

impl Entry {
    /// Which record it is, as one number.
    #[inline]
    pub(super) fn record(self) -> u64 {
        u64::from(self.origin) << 32 | u64::from(self.offset)
    }
}

/// Split and path of records as one number: the splits themselves for records
/// that took no turn, then the others as they come.
#[derive(Debug)]
pub(super) struct Origins {
    by_number: Vec<(SplitIndex, Path)>,
    turned: BTreeMap<(SplitIndex, Path), u32>,
}

impl Origins {
    fn new(n_splits: usize) -> Self {
        let by_number = (0..n_splits).map(|split| (SplitIndex::at(split), Path(0))).collect();
        Self { by_number, turned: BTreeMap::new() }
    }

    fn number(&mut self, id: RecordId) -> u32 {
        if id.path == Path(0) {
            return id.split.0;
        }
        let origin = (id.split, id.path);
        *self.turned.entry(origin).or_insert_with(|| {
            self.by_number.push(origin);
            self.by_number.len() as u32 - 1
        })
    }

    /// Split and path of an entry.
    pub(super) fn of(&self, origin: u32) -> (SplitIndex, Path) {
        self.by_number[origin as usize]
    }
}

/// Records that passed one place and survive, in order, with the cuts.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The oldest first.
    pub(super) entries: Vec<Entry>,
    /// How many there were at a cut, by checkpoint.
    marks: Vec<(CheckpointId, usize)>,
    /// How many there were when the attempt began.
    pub(super) attempt_began: usize,
}

impl Log {
    /// How many entries lie before a cut, if the cut was made here.
    pub(super) fn mark(&self, checkpoint: CheckpointId) -> Option<usize> {
        self.place(checkpoint).ok().map(|place| self.marks[place].1)
    }

    fn place(&self, checkpoint: CheckpointId) -> Result<usize, usize> {
        self.marks.binary_search_by_key(&checkpoint, |(id, _)| *id)
    }

    /// Marks a cut; of two cuts for one checkpoint the first counts.
    fn cut(&mut self, checkpoint: CheckpointId) {
        if let Err(place) = self.place(checkpoint) {
            self.marks.insert(place, (checkpoint, self.entries.len()));
        }
    }

    fn forget(&mut self, checkpoint: CheckpointId) {
        if let Ok(place) = self.place(checkpoint) {
            self.marks.remove(place);
        }
    }

    /// Undoes all that came after a cut; everything if there is none.
    fn undo(&mut self, checkpoint: Option<CheckpointId>) -> Vec<Entry> {
        let keep = checkpoint.and_then(|id| self.mark(id)).unwrap_or(0);
        self.marks.retain(|(id, n)| checkpoint.is_some_and(|kept| *id <= kept) && *n <= keep);
        self.attempt_began = keep;
        self.entries.split_off(keep)
    }
}

/// An attempt that begins.
#[derive(Debug)]
pub(super) struct Restarted {
    /// Which.
    pub(super) attempt: Attempt,
    /// What it begins from; none: the beginning.
    pub(super) checkpoint: Option<CheckpointId>,
    /// The tasks that begin anew. Nothing connects them with the others.
    pub(super) tasks: BTreeSet<SubtaskIndex>,
}

impl Restarted {
    /// Whether a channel begins anew.
    pub(super) fn takes(&self, graph: &ExecutionGraph, channel: usize) -> bool {
        self.tasks.contains(&graph.channels[channel].to)
    }
}

/// The surviving history.
#[derive(Debug)]
pub(super) struct History {
    /// What the entries' origins mean.
    pub(super) origins: Origins,
    /// By channel: records that the sender has sent.
    pub(super) sent: Vec<Log>,
    /// By channel: records that the receiver has processed.
    pub(super) processed: Vec<Log>,
    /// By split: records that its source has read.
    pub(super) read: Vec<Log>,
    /// By split: records that were read and whose reading was undone.
    pub(super) undone_reads: Vec<Vec<Entry>>,
    /// By split: the offset from which the attempt reads on.
    pub(super) restored_offsets: Vec<u32>,
    /// By split: records that the job before has read, if it is not judged with
    /// this one.
    pub(super) first_offsets: Vec<u32>,
    /// What the runs before have done, if they are judged with this one.
    pub(super) earlier: Earlier,
    /// By task: the step in which its attempt began.
    attempt_began: Vec<u64>,
    /// What snapshots hold in flight.
    pub(super) channel_states: ChannelStates,
    /// By channel: what was in flight when the attempt began, the first to be
    /// processed first. It has been sent, and is not sent again.
    pub(super) in_flight: Vec<Vec<Entry>>,
    /// The same by sender.
    resent: BTreeSet<(SubtaskIndex, u64)>,
}

impl History {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        let logs = |n: usize| (0..n).map(|_| Log::default()).collect::<Vec<_>>();
        let n_splits = graph.splits.len();
        Self {
            origins: Origins::new(n_splits),
            sent: logs(graph.channels.len()),
            processed: logs(graph.channels.len()),
            read: logs(n_splits),
            undone_reads: vec![Vec::new(); n_splits],
            restored_offsets: vec![0; n_splits],
            first_offsets: vec![0; n_splits],
            earlier: Earlier::default(),
            attempt_began: vec![0; graph.subtasks.len()],
            channel_states: ChannelStates::default(),
            in_flight: vec![Vec::new(); graph.channels.len()],
            resent: BTreeSet::new(),
        }
    }

    /// The entry of a record that passes somewhere in a step.
    #[inline]
    pub(super) fn entry(&mut self, id: RecordId, step: u64) -> Entry {
        let step = u32::try_from(step).unwrap_or(u32::MAX);
        Entry { origin: self.origins.number(id), offset: id.offset, step }
    }

    pub(super) fn read(&mut self, entry: Entry, split: SplitIndex) {
        self.read[split.index()].entries.push(entry);
    }

    pub(super) fn sent(&mut self, entry: Entry, channel: ChannelIndex) {
        self.sent[channel.index()].entries.push(entry);
    }

    pub(super) fn processed(&mut self, entry: Entry, channel: ChannelIndex) {
        self.processed[channel.index()].entries.push(entry);
    }

    /// Takes a task's cut: from here on its doings come after it.
    pub(super) fn cut(
        &mut self,
        graph: &ExecutionGraph,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) {
        let task = &graph.subtasks[task.index()];
        for split in &task.splits {
            self.read[split.index()].cut(checkpoint);
        }
        for channel in &task.inputs {
            self.processed[channel.index()].cut(checkpoint);
        }
        for channel in task.outputs.iter().flat_map(|output| &output.channels) {
            self.sent[channel.index()].cut(checkpoint);
        }
    }

    /// Forgets the cuts of a checkpoint that nobody can restart from.
    pub(super) fn forget(&mut self, checkpoint: CheckpointId) {
        for log in self.read.iter_mut().chain(&mut self.sent).chain(&mut self.processed) {
            log.forget(checkpoint);
        }
        self.channel_states.forget(checkpoint);
    }

    /// What a job starts from: what is in flight has been sent, what stands in a
    /// transaction has been processed, and the cut of the savepoint lies behind
    /// all of it.
    pub(super) fn begin(&mut self, graph: &ExecutionGraph, given: &Given) {
        let id = given.savepoint;
        for (channel, ends) in &given.in_flight {
            for (end, records) in [ChannelEnd::Input, ChannelEnd::Output].into_iter().zip(ends) {
                let entries: Vec<_> = records.iter().map(|one| self.entry(one.id, 0)).collect();
                self.sent[channel.index()].entries.extend(&entries);
                self.channel_states.saved(id, (*channel, end), entries);
            }
        }
        for prepared in &given.transactions {
            let inputs = &graph.subtasks[prepared.id.subtask.index()].inputs;
            let Some(channel) = inputs.first() else { continue };
            for record in &prepared.records {
                let entry = self.entry(record.id, 0);
                self.sent[channel.index()].entries.push(entry);
                self.processed[channel.index()].entries.push(entry);
            }
        }
        for task in graph.subtask_indices() {
            self.cut(graph, task, id);
        }
        if self.earlier.read.is_empty() {
            self.first_offsets.clone_from(&given.offsets);
        }
    }

    /// Undoes what the tasks did after their cuts of a checkpoint (none: all
    /// that they did), and begins an attempt with what was in flight there.
    pub(super) fn restart(&mut self, graph: &ExecutionGraph, restarted: &Restarted, step: u64) {
        let checkpoint = restarted.checkpoint;
        for task in &restarted.tasks {
            self.attempt_began[task.index()] = step;
            for split in graph.subtasks[task.index()].splits.iter().map(|split| split.index()) {
                self.undone_reads[split].extend(self.read[split].undo(checkpoint));
                self.restored_offsets[split] = 0;
            }
        }
        self.channel_states.restart(restarted.attempt, checkpoint, restarted.tasks.clone());
        self.resent.retain(|(sender, _)| !restarted.tasks.contains(sender));
        for (channel, in_flight) in self.in_flight.iter_mut().enumerate() {
            if !restarted.takes(graph, channel) {
                continue;
            }
            self.sent[channel].undo(checkpoint);
            self.processed[channel].undo(checkpoint);
            let saved = checkpoint.into_iter().flat_map(|checkpoint| {
                self.channel_states.of(checkpoint, ChannelIndex::at(channel))
            });
            *in_flight = saved.map(|(entry, _)| entry).collect();
            let sender = graph.channels[channel].from;
            self.resent.extend(in_flight.iter().map(|entry| (sender, entry.record())));
        }
    }

    /// Whether a record that has been sent can still be on its way: only the
    /// running attempt's channels hold anything.
    pub(super) fn can_be_in_flight(&self, (sent, sender): (Entry, SubtaskIndex)) -> bool {
        let began = self.attempt_began[sender.index()];
        u64::from(sent.step) >= began || self.resent.contains(&(sender, sent.record()))
    }

    /// Notes where the attempt reads on.
    pub(super) fn restored(&mut self, state: &SnapshotState) {
        if let SnapshotState::Offsets(offsets) = state {
            for (split, offset) in offsets {
                self.restored_offsets[split.index()] = *offset;
            }
        }
    }
}
