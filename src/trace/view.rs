//! Everything that can be seen at one step: a fold over facts.
//!
//! The cluster can draw the same picture of itself, and the tests hold the two
//! against each other after every step.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::stored_files::StoredFiles;
use super::tail::Tail;
use crate::model::{
    Attempt, ChannelEnd, ChannelIndex, CheckpointId, ExecutionGraph, FaultKind, Key, Message,
    OperatorKind, Record, SinkKind, SnapshotState, SnapshotType, StateValue, SubtaskIndex, Time,
    TransactionId,
};

/// The visible state of a run after a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The number of the last step that is in it; 0 at the start.
    pub step: u64,
    /// When that step happened.
    pub at: Time,
    /// The attempt that runs, or that has just failed.
    pub attempt: Attempt,
    /// How the job is.
    pub status: JobStatus,
    /// The tasks that wait for their restart.
    pub restarting: BTreeSet<SubtaskIndex>,
    /// By [`SubtaskIndex`].
    pub tasks: Vec<TaskView>,
    /// By [`ChannelIndex`].
    pub channels: Vec<ChannelView>,
    /// Pending checkpoints and the completed ones that are not deleted, by id.
    pub checkpoints: Vec<CheckpointView>,
    /// Ids of all completed checkpoints that the JobManager knows of, in the order
    /// of completion; no savepoints.
    pub completed: Vec<CheckpointId>,
    /// What lies in files.
    pub files: StoredFiles,
    /// What is slower than usual, or does not answer.
    pub slow: Vec<FaultKind>,
}

/// How a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobStatus {
    /// Its tasks run.
    Running,
    /// It has failed, or a region of it, and waits for a restart.
    Restarting,
    /// Its JobManager has died, and it waits for another one.
    Suspended,
    /// It has failed for good.
    Failed,
    /// All of its tasks are done.
    Finished,
    /// The user has cancelled it.
    Canceled,
}

/// How a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskStatus {
    /// It works or waits for work.
    Running,
    /// It reads its state.
    ///
    /// Source: Flink `ExecutionState.INITIALIZING`.
    Initializing,
    /// It has died.
    Crashed,
    /// The JobManager has stopped it, since another task has failed or the
    /// user has cancelled the job.
    Cancelled,
    /// It is done.
    Finished,
}

/// A subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskView {
    /// The attempt in which it was started last.
    pub attempt: Attempt,
    /// How it is.
    pub status: TaskStatus,
    /// The record that it works on, and the channel that it came from.
    pub in_hand: Option<(ChannelIndex, Message)>,
    /// A source's offset in each of its splits, in the order of
    /// [`crate::model::Subtask::splits`].
    pub offsets: Vec<u32>,
    /// Keyed or broadcast state.
    pub state: BTreeMap<Key, StateValue>,
    /// Barriers that it has of the checkpoint that it is aligning.
    pub aligning: Option<Aligning>,
    /// The newest checkpoint that it has copied its state for in this attempt.
    pub snapshot: Option<CheckpointId>,
    /// The checkpoint whose state it is copying right now.
    pub copying: Option<CheckpointId>,
    /// Checkpoints whose state it has copied and not stored whole yet, oldest
    /// first.
    pub storing: Vec<CheckpointId>,
    /// Whether no record can come any more.
    pub ended: bool,
    /// What it has written, if it is a sink.
    pub sink: Option<SinkView>,
}

/// An alignment that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aligning {
    /// Of which checkpoint.
    pub checkpoint: CheckpointId,
    /// Barriers received.
    pub n_received: u32,
    /// Barriers needed.
    pub n_needed: u32,
}

/// What a sink subtask has written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SinkView {
    /// What the outside has seen, in order; never taken back by a failure.
    pub published: Tail,
    /// What the outside holds by key, at an idempotent sink; never taken back.
    pub upserted: BTreeMap<Option<Key>, Record>,
    /// The transaction that records are written into, at a transactional sink.
    pub open: Option<Transaction>,
    /// Transactions prepared and not committed, oldest first.
    pub prepared: Vec<(CheckpointId, Transaction)>,
}

/// A transaction with what has been written into it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    /// Its name.
    pub id: TransactionId,
    /// In the order of writing.
    pub records: Vec<Record>,
}

/// A channel: output buffer, wire and receive queue, each with the first to
/// leave at the front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChannelView {
    /// At the sender.
    pub buffer: VecDeque<Message>,
    /// How many of the first in the buffer have overtaken the rest.
    pub buffer_priority: usize,
    /// Between the two.
    pub wire: VecDeque<Message>,
    /// At the receiver.
    pub queue: VecDeque<Message>,
    /// How many of the first in the queue have overtaken the rest.
    pub queue_priority: usize,
    /// The checkpoint whose barrier blocks it.
    pub blocked: Option<CheckpointId>,
}

impl ChannelView {
    /// Everything in flight, the first to arrive first.
    pub fn in_flight(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.queue.iter().chain(&self.wire).chain(&self.buffer)
    }
}

/// A checkpoint or savepoint that is pending, or complete and not deleted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointView {
    /// Which.
    pub id: CheckpointId,
    /// A checkpoint, or a savepoint.
    pub snapshot: SnapshotType,
    /// Whether it is complete.
    pub completed: bool,
    /// When it was triggered.
    pub triggered_at: Time,
    /// By [`SubtaskIndex`]: what the storage holds.
    pub stored: Vec<Option<SnapshotState>>,
    /// By [`ChannelIndex`]: what the storage holds of records in flight.
    pub in_flight: Vec<ChannelState>,
    /// By [`SubtaskIndex`]: whether the coordinator has the acknowledgement.
    pub acknowledged: Vec<bool>,
    /// By [`SubtaskIndex`]: whether the task knows that it is complete.
    pub notified: Vec<bool>,
}

/// Records of one channel that were in flight when a snapshot was taken, each
/// end with the first to be processed first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChannelState {
    /// At the receiver.
    pub input: Vec<Record>,
    /// At the sender.
    pub output: Vec<Record>,
}

impl ChannelState {
    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.output.is_empty()
    }

    /// The records of one end.
    pub fn end(&mut self, end: ChannelEnd) -> &mut Vec<Record> {
        match end {
            ChannelEnd::Input => &mut self.input,
            ChannelEnd::Output => &mut self.output,
        }
    }
}

impl CheckpointView {
    /// A checkpoint that has just been triggered.
    #[must_use]
    pub fn triggered(
        (id, snapshot): (CheckpointId, SnapshotType),
        at: Time,
        graph: &ExecutionGraph,
    ) -> Self {
        let n_tasks = graph.subtasks.len();
        Self {
            id,
            snapshot,
            completed: false,
            triggered_at: at,
            stored: vec![None; n_tasks],
            in_flight: vec![ChannelState::default(); graph.channels.len()],
            acknowledged: vec![false; n_tasks],
            notified: vec![false; n_tasks],
        }
    }
}

impl CheckpointView {
    /// The savepoint that a job starts from, before anybody has anything of it.
    #[must_use]
    pub fn restored(which: (CheckpointId, SnapshotType), at: Time, graph: &ExecutionGraph) -> Self {
        let mut view = Self::triggered(which, at, graph);
        view.completed = true;
        view.acknowledged.fill(true);
        view
    }
}

impl View {
    /// The start of a run: step 0, nothing read, every transactional sink with
    /// its first transaction open.
    #[must_use]
    pub fn start(graph: &ExecutionGraph) -> Self {
        let attempt = Attempt(1);
        Self {
            step: 0,
            at: Time::ZERO,
            attempt,
            status: JobStatus::Running,
            restarting: BTreeSet::new(),
            tasks: graph.subtask_indices().map(|task| TaskView::start(graph, task)).collect(),
            channels: vec![ChannelView::default(); graph.channels.len()],
            checkpoints: Vec::new(),
            completed: Vec::new(),
            files: StoredFiles::default(),
            slow: Vec::new(),
        }
    }
}

impl TaskView {
    fn start(graph: &ExecutionGraph, task: SubtaskIndex) -> Self {
        Self {
            attempt: Attempt(1),
            status: TaskStatus::Running,
            in_hand: None,
            offsets: vec![0; graph.subtasks[task.index()].splits.len()],
            state: BTreeMap::new(),
            aligning: None,
            snapshot: None,
            copying: None,
            storing: Vec::new(),
            ended: false,
            sink: SinkView::start(graph, task),
        }
    }
}

impl SinkView {
    /// What a sink subtask has written at the start; nothing for other tasks.
    #[must_use]
    pub fn start(graph: &ExecutionGraph, task: SubtaskIndex) -> Option<Self> {
        let OperatorKind::Sink(kind) = graph.operator(task).kind else { return None };
        let first = TransactionId { subtask: task, attempt: Attempt(1), number: 1 };
        Some(Self {
            published: Tail::default(),
            upserted: BTreeMap::new(),
            open: (kind == SinkKind::Transactional)
                .then(|| Transaction { id: first, records: Vec::new() }),
            prepared: Vec::new(),
        })
    }
}
