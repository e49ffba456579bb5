//! Everything that can be seen at one step: a fold over facts.
//!
//! It knows no rule of the algorithm: it moves things where the facts say they
//! went. The cluster can draw the same picture of itself, and the tests hold
//! the two against each other after every step.

use std::collections::{BTreeMap, VecDeque};

use super::fact::Fact;
use super::tail::Tail;
use crate::model::{
    Attempt, ChannelIndex, CheckpointId, ExecutionGraph, FaultKind, Key, Message, OperatorKind,
    Record, SinkKind, SnapshotState, StateValue, StreamElement, SubtaskIndex, Time, TransactionId,
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
    /// By [`SubtaskIndex`].
    pub tasks: Vec<TaskView>,
    /// By [`ChannelIndex`].
    pub channels: Vec<ChannelView>,
    /// Pending checkpoints and the newest completed one, by id.
    pub checkpoints: Vec<CheckpointView>,
    /// Ids of all completed checkpoints, in the order of completion.
    pub completed: Vec<CheckpointId>,
    /// What is slower than usual.
    pub slow: Vec<FaultKind>,
}

/// How a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobStatus {
    /// Its tasks run.
    Running,
    /// It has failed and waits for its restart.
    Restarting,
    /// It has failed for good.
    Failed,
    /// All of its tasks are done.
    Finished,
}

/// How a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskStatus {
    /// It works or waits for work.
    Running,
    /// It has died.
    Crashed,
    /// The JobManager has stopped it, since another task has failed.
    Cancelled,
    /// It is done.
    Finished,
}

/// A subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskView {
    /// How it is.
    pub status: TaskStatus,
    /// The record that it works on, and the channel that it came from.
    pub in_hand: Option<(ChannelIndex, Message)>,
    /// A source's offset in each of its splits, in the order of
    /// [`crate::model::Subtask::splits`].
    pub offsets: Vec<u32>,
    /// Keyed state.
    pub state: BTreeMap<Key, StateValue>,
    /// Barriers that it has of the checkpoint that it is aligning.
    pub aligning: Option<Aligning>,
    /// The newest checkpoint that it has stored its state for in this attempt.
    pub snapshot: Option<CheckpointId>,
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
    /// Between the two.
    pub wire: VecDeque<Message>,
    /// At the receiver.
    pub queue: VecDeque<Message>,
    /// The checkpoint whose barrier blocks it.
    pub blocked: Option<CheckpointId>,
}

impl ChannelView {
    /// Everything in flight, the first to arrive first.
    pub fn in_flight(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.queue.iter().chain(&self.wire).chain(&self.buffer)
    }
}

/// A checkpoint that is pending, or the newest completed one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointView {
    /// Which.
    pub id: CheckpointId,
    /// Whether it is complete.
    pub completed: bool,
    /// When it was triggered.
    pub triggered_at: Time,
    /// By [`SubtaskIndex`]: what the storage holds.
    pub stored: Vec<Option<SnapshotState>>,
    /// By [`SubtaskIndex`]: whether the coordinator has the acknowledgement.
    pub acknowledged: Vec<bool>,
    /// By [`SubtaskIndex`]: whether the task knows that it is complete.
    pub notified: Vec<bool>,
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
            tasks: graph.subtask_indices().map(|task| TaskView::start(graph, task)).collect(),
            channels: vec![ChannelView::default(); graph.channels.len()],
            checkpoints: Vec::new(),
            completed: Vec::new(),
            slow: Vec::new(),
        }
    }

    /// Lets a fact happen.
    ///
    /// # Errors
    /// When the fact cannot have happened here (a message leaves a place where
    /// it is not): the trace is damaged, and the text says how.
    pub fn apply(&mut self, graph: &ExecutionGraph, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::Read { task, record } => {
                let splits = &graph.subtasks[task.index()].splits;
                let place = splits.iter().position(|split| *split == record.id.split);
                let place = place.ok_or("a source reads a split of another subtask")?;
                self.task(*task).offsets[place] = record.id.offset;
            }
            Fact::Emitted { channel, number, element, buffered } => {
                let message = Message { number: *number, element: *element };
                let places = self.channel(*channel);
                if *buffered { &mut places.buffer } else { &mut places.wire }.push_back(message);
            }
            Fact::Departed { channel, number } => {
                let places = self.channel(*channel);
                let message = take(&mut places.buffer, *number, "the output buffer")?;
                places.wire.push_back(message);
            }
            Fact::Arrived { channel, number } => {
                let places = self.channel(*channel);
                let message = take(&mut places.wire, *number, "the wire")?;
                places.queue.push_back(message);
            }
            Fact::Started { task, channel, number } => {
                let message = self.take_from_channel(*channel, *number)?;
                self.task(*task).in_hand = Some((*channel, message));
            }
            Fact::Processed { task, channel, number, record, state } => {
                let view = self.task(*task);
                match view.in_hand {
                    Some((from, message)) if from == *channel && message.number == *number => {
                        view.in_hand = None;
                    }
                    _ => {
                        self.take_from_channel(*channel, *number)?;
                    }
                }
                let view = self.task(*task);
                if let Some((key, value)) = state {
                    view.state.insert(*key, *value);
                }
                if let Some(sink) = &mut view.sink {
                    sink.write(graph, *task, *record);
                }
            }
            Fact::BarrierReceived { task, channel, number, checkpoint, n_received, n_needed } => {
                self.take_from_channel(*channel, *number)?;
                let (checkpoint, n_received, n_needed) = (*checkpoint, *n_received, *n_needed);
                self.task(*task).aligning = (n_received < n_needed).then_some(Aligning {
                    checkpoint,
                    n_received,
                    n_needed,
                });
            }
            Fact::Blocked { channel, checkpoint } => {
                self.channel(*channel).blocked = Some(*checkpoint);
            }
            Fact::Resumed { channel } => self.channel(*channel).blocked = None,
            Fact::EndReceived { channel, number, .. } => {
                self.take_from_channel(*channel, *number)?;
            }
            Fact::EndOfData { task } => self.task(*task).ended = true,
            Fact::CheckpointTriggered { checkpoint, .. } => {
                let n_tasks = self.tasks.len();
                self.checkpoints.push(CheckpointView {
                    id: *checkpoint,
                    completed: false,
                    triggered_at: self.at,
                    stored: vec![None; n_tasks],
                    acknowledged: vec![false; n_tasks],
                    notified: vec![false; n_tasks],
                });
            }
            Fact::SnapshotTaken { task, checkpoint, state } => {
                if let Some(view) = self.checkpoint(*checkpoint) {
                    view.stored[task.index()] = Some(state.clone());
                }
                self.task(*task).snapshot = Some(*checkpoint);
            }
            Fact::Acknowledged { task, checkpoint } => {
                let view = self.checkpoint(*checkpoint).ok_or("an unknown checkpoint")?;
                view.acknowledged[task.index()] = true;
            }
            Fact::CheckpointCompleted { checkpoint } => {
                let view = self.checkpoint(*checkpoint).ok_or("an unknown checkpoint")?;
                view.completed = true;
                self.checkpoints.retain(|view| !view.completed || view.id == *checkpoint);
                self.completed.push(*checkpoint);
            }
            Fact::CheckpointAborted { checkpoint, .. } => {
                self.checkpoints.retain(|view| view.id != *checkpoint);
            }
            Fact::Notified { task, checkpoint } => {
                if let Some(view) = self.checkpoint(*checkpoint) {
                    view.notified[task.index()] = true;
                }
            }
            Fact::TriggerRejected { .. }
            | Fact::TriggerReceived { .. }
            | Fact::EndReported { .. }
            | Fact::MessageIgnored { .. } => {}
            Fact::TransactionBegun { transaction } => {
                let open = Transaction { id: *transaction, records: Vec::new() };
                self.sink(*transaction)?.open = Some(open);
            }
            Fact::TransactionPrepared { transaction, checkpoint } => {
                let sink = self.sink(*transaction)?;
                let open = sink.open.take_if(|open| open.id == *transaction);
                sink.prepared.push((*checkpoint, open.ok_or("a transaction that is not open")?));
            }
            Fact::TransactionCommitted { transaction, n_records } => {
                let sink = self.sink(*transaction)?;
                let committed = sink.remove(*transaction)?;
                if committed.records.len() as u64 != *n_records {
                    return Err("a transaction with another number of records".to_owned());
                }
                for record in committed.records {
                    sink.published.push(record);
                }
            }
            Fact::TransactionAborted { transaction, .. } => {
                self.sink(*transaction)?.remove(*transaction)?;
            }
            Fact::Crashed { tasks } => {
                for task in tasks {
                    self.task(*task).stop(TaskStatus::Crashed);
                }
            }
            Fact::Slowed { fault } => self.slow.push(fault.clone()),
            Fact::SlownessEnded { fault } => {
                if let Some(place) = self.slow.iter().position(|slow| slow == fault) {
                    self.slow.remove(place);
                }
            }
            Fact::JobFailed { restart_after, .. } => {
                self.status = match restart_after {
                    Some(_) => JobStatus::Restarting,
                    None => JobStatus::Failed,
                };
                for task in &mut self.tasks {
                    if task.status != TaskStatus::Crashed {
                        task.stop(TaskStatus::Cancelled);
                    }
                }
            }
            Fact::AttemptStarted { attempt, .. } => {
                self.attempt = *attempt;
                self.status = JobStatus::Running;
                self.channels.fill(ChannelView::default());
                for task in graph.subtask_indices() {
                    self.task(task).restart();
                }
            }
            Fact::StateRestored { task, state } => self.restore(graph, *task, state),
            Fact::TaskFinished { task } => self.task(*task).status = TaskStatus::Finished,
            Fact::JobFinished => self.status = JobStatus::Finished,
        }
        Ok(())
    }

    fn restore(&mut self, graph: &ExecutionGraph, task: SubtaskIndex, state: &SnapshotState) {
        let splits = &graph.subtasks[task.index()].splits;
        let view = self.task(task);
        match state {
            SnapshotState::Offsets(offsets) => {
                for (split, offset) in offsets {
                    if let Some(place) = splits.iter().position(|own| own == split) {
                        view.offsets[place] = *offset;
                    }
                }
            }
            SnapshotState::Keyed(entries) => view.state = entries.iter().copied().collect(),
            SnapshotState::Stateless | SnapshotState::Transactions(_) => {}
        }
    }

    /// A checkpoint that is pending, or the newest completed one.
    pub fn checkpoint(&mut self, id: CheckpointId) -> Option<&mut CheckpointView> {
        self.checkpoints.iter_mut().find(|view| view.id == id)
    }

    fn task(&mut self, task: SubtaskIndex) -> &mut TaskView {
        &mut self.tasks[task.index()]
    }

    fn channel(&mut self, channel: ChannelIndex) -> &mut ChannelView {
        &mut self.channels[channel.index()]
    }

    fn sink(&mut self, transaction: TransactionId) -> Result<&mut SinkView, String> {
        let sink = self.tasks[transaction.subtask.index()].sink.as_mut();
        sink.ok_or_else(|| "a transaction of a task that is no sink".to_owned())
    }

    /// Takes a message out of the receive queue, or off the wire if it was
    /// never queued.
    fn take_from_channel(&mut self, channel: ChannelIndex, number: u64) -> Result<Message, String> {
        let places = self.channel(channel);
        if places.queue.is_empty() {
            take(&mut places.wire, number, "the wire")
        } else {
            take(&mut places.queue, number, "the receive queue")
        }
    }
}

impl TaskView {
    fn start(graph: &ExecutionGraph, task: SubtaskIndex) -> Self {
        Self {
            status: TaskStatus::Running,
            in_hand: None,
            offsets: vec![0; graph.subtasks[task.index()].splits.len()],
            state: BTreeMap::new(),
            aligning: None,
            snapshot: None,
            ended: false,
            sink: SinkView::start(graph, task),
        }
    }

    fn stop(&mut self, status: TaskStatus) {
        self.status = status;
        self.in_hand = None;
        self.aligning = None;
    }

    fn restart(&mut self) {
        self.status = TaskStatus::Running;
        self.in_hand = None;
        self.aligning = None;
        self.snapshot = None;
        self.ended = false;
        self.state.clear();
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

    fn write(&mut self, graph: &ExecutionGraph, task: SubtaskIndex, record: Record) {
        let OperatorKind::Sink(kind) = graph.operator(task).kind else { return };
        match kind {
            SinkKind::Publish => self.published.push(record),
            SinkKind::Transactional => {
                if let Some(open) = &mut self.open {
                    open.records.push(record);
                }
            }
            SinkKind::Idempotent => {
                self.published.push(record);
                self.upserted.insert(record.key, record);
            }
        }
    }

    fn remove(&mut self, id: TransactionId) -> Result<Transaction, String> {
        if let Some(open) = self.open.take_if(|open| open.id == id) {
            return Ok(open);
        }
        let place = self.prepared.iter().position(|(_, prepared)| prepared.id == id);
        Ok(self.prepared.remove(place.ok_or("a transaction that is not there")?).1)
    }
}

fn take(place: &mut VecDeque<Message>, number: u64, name: &str) -> Result<Message, String> {
    match place.front() {
        Some(first) if first.number == number => Ok(place.pop_front().expect("it has a front")),
        Some(first) => {
            Err(format!("message {number} leaves {name}, but message {} is first", first.number))
        }
        None => Err(format!("message {number} leaves {name}, which is empty")),
    }
}

/// Whether an element is a record, for counting what takes a credit.
#[must_use]
pub fn is_record(message: &Message) -> bool {
    matches!(message.element, StreamElement::Record(_))
}
