//! How a fact changes what can be seen.
//!
//! It knows no rule of the algorithm: it moves things where the facts say they
//! went.

use std::collections::VecDeque;

use super::fact::Fact;
use super::view::{
    Aligning, ChannelState, ChannelView, CheckpointView, JobStatus, SinkView, TaskStatus, TaskView,
    Transaction, View,
};
use crate::model::{
    Attempt, ChannelIndex, CheckpointFailureReason, CheckpointId, ExecutionGraph, HighAvailability,
    Message, OperatorKind, Record, SinkKind, SnapshotState, StreamElement, SubtaskIndex,
    TransactionId,
};

impl View {
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
                if !buffered {
                    places.wire.push_back(message);
                } else if element.has_priority() {
                    places.buffer.insert(places.buffer_priority, message);
                    places.buffer_priority += 1;
                } else {
                    places.buffer.push_back(message);
                }
            }
            Fact::Departed { channel, number } => {
                let places = self.channel(*channel);
                let message = take(&mut places.buffer, *number, "the output buffer")?;
                places.buffer_priority = places.buffer_priority.saturating_sub(1);
                places.wire.push_back(message);
            }
            Fact::Arrived { channel, number } => {
                let places = self.channel(*channel);
                let message = take(&mut places.wire, *number, "the wire")?;
                if message.element.has_priority() {
                    places.queue.insert(places.queue_priority, message);
                    places.queue_priority += 1;
                } else {
                    places.queue.push_back(message);
                }
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
                self.task(*task).align(Aligning { checkpoint, n_received, n_needed });
            }
            Fact::Blocked { channel, checkpoint } => {
                self.channel(*channel).blocked = Some(*checkpoint);
            }
            Fact::EndCounted { task, checkpoint, n_received, n_needed }
            | Fact::Announced { task, checkpoint, n_received, n_needed, .. } => {
                let (checkpoint, n_received, n_needed) = (*checkpoint, *n_received, *n_needed);
                self.task(*task).align(Aligning { checkpoint, n_received, n_needed });
            }
            Fact::Resumed { channel } => self.channel(*channel).blocked = None,
            Fact::EndReceived { channel, number, .. }
            | Fact::PartitionEnded { channel, number, .. }
            | Fact::CancelMarkerReceived { channel, number, .. }
            | Fact::ChannelStateReceived { channel, number, .. } => {
                self.take_from_channel(*channel, *number)?;
            }
            Fact::Prioritized { channel, number } => {
                let places = self.channel(*channel);
                let place = place_of(&places.queue, *number, "the receive queue")?;
                advance(&mut places.queue, place, &mut places.queue_priority);
            }
            Fact::OutputTimedOut { channel, number } => {
                let places = self.channel(*channel);
                let place = place_of(&places.buffer, *number, "the output buffer")?;
                if let StreamElement::Barrier(barrier) = &mut places.buffer[place].element {
                    *barrier = barrier.as_unaligned();
                }
                advance(&mut places.buffer, place, &mut places.buffer_priority);
            }
            Fact::ChannelStateSaved { checkpoint, channel, end, records } => {
                if let Some(view) = self.checkpoint(*checkpoint) {
                    let stored = view.in_flight[channel.index()].end(*end);
                    stored.extend(records.iter().map(|in_flight| in_flight.record));
                }
            }
            Fact::Declined { task, checkpoint, reason } => {
                let view = self.task(*task);
                // What could not be stored may still be aligned.
                if *reason != CheckpointFailureReason::CheckpointAsyncException {
                    view.aligning.take_if(|aligning| aligning.checkpoint <= *checkpoint);
                }
                view.forget(*checkpoint);
            }
            Fact::EndOfData { task } => self.task(*task).ended = true,
            Fact::CheckpointTriggered { checkpoint, snapshot, .. } => {
                self.files.begin(*checkpoint);
                let which = (*checkpoint, *snapshot);
                self.checkpoints.push(CheckpointView::triggered(which, self.at, graph));
            }
            Fact::SnapshotTaken { task, checkpoint, state } => {
                if let Some(view) = self.checkpoint(*checkpoint) {
                    view.stored[task.index()] = Some(state.clone());
                }
                let view = self.task(*task);
                // Barriers of older ones are of no use any more.
                view.aligning.take_if(|aligning| aligning.checkpoint < *checkpoint);
                view.snapshot = Some(*checkpoint);
                view.storing.push(*checkpoint);
                view.copying = graph.takes_sync_time(*task).then_some(*checkpoint);
            }
            Fact::FinishedTaskIncluded { task, checkpoint, state } => {
                let view = self.checkpoint(*checkpoint).ok_or("an unknown checkpoint")?;
                view.stored[task.index()] = Some(state.clone());
                view.acknowledged[task.index()] = true;
            }
            Fact::SyncEnded { task, .. } => self.task(*task).copying = None,
            Fact::SnapshotStored { task, checkpoint, .. }
            | Fact::AbortNotified { task, checkpoint } => self.task(*task).forget(*checkpoint),
            Fact::Acknowledged { task, checkpoint } => {
                let view = self.checkpoint(*checkpoint).ok_or("an unknown checkpoint")?;
                view.acknowledged[task.index()] = true;
            }
            Fact::CheckpointCompleted { checkpoint } => {
                let view = self.checkpoint(*checkpoint).ok_or("an unknown checkpoint")?;
                view.completed = true;
                if !view.snapshot.is_savepoint() {
                    self.completed.push(*checkpoint);
                }
            }
            Fact::StateWritten { task, checkpoint, pieces, copy } => {
                self.files.write(*task, *checkpoint, pieces);
                if let Some(bytes) = copy {
                    self.files.copy(*task, *checkpoint, *bytes);
                }
            }
            Fact::MetadataWritten { checkpoint, snapshot, bytes } => {
                self.files.write_metadata(*checkpoint, *snapshot, *bytes);
            }
            Fact::FilesDeleted { files } => self.files.delete(files),
            Fact::CheckpointAborted { checkpoint, .. }
            | Fact::CheckpointDiscarded { checkpoint } => {
                self.files.forget(*checkpoint);
                self.checkpoints.retain(|view| view.id != *checkpoint);
            }
            Fact::Notified { task, checkpoint } => {
                if let Some(view) = self.checkpoint(*checkpoint) {
                    view.notified[task.index()] = true;
                }
            }
            Fact::WriteFailed { .. }
            | Fact::CheckpointDisposed { .. }
            | Fact::CheckpointRetained { .. }
            | Fact::TriggerRejected { .. }
            | Fact::TriggerReceived { .. }
            | Fact::DeclineReceived { .. }
            | Fact::AlignmentTimerDue { .. }
            | Fact::AlignmentTimedOut { .. }
            | Fact::EndReported { .. }
            | Fact::BacklogReported { .. }
            | Fact::MessageLost { .. }
            | Fact::MessageDelayed { .. }
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
            Fact::JobFailed { region, restart_after, .. } => {
                let tasks = tasks_of(graph, region.as_deref());
                self.cancel_tasks(&tasks);
                if restart_after.is_some() {
                    self.status = JobStatus::Restarting;
                    self.restarting.extend(tasks);
                } else {
                    self.status = JobStatus::Failed;
                    self.restarting.clear();
                }
            }
            Fact::JobManagerCrashed { .. } => {
                self.status = JobStatus::Suspended;
                self.restarting.clear();
                self.checkpoints.retain(|view| view.completed);
                self.files.forget_all_but(self.checkpoints.iter().map(|view| view.id));
                self.cancel_tasks(&tasks_of(graph, None));
            }
            Fact::JobManagerStarted { high_availability: HighAvailability::On } => {}
            Fact::JobManagerStarted { high_availability: HighAvailability::Off } => {
                self.checkpoints.clear();
                self.completed.clear();
                self.files.abandon();
            }
            Fact::SavepointRestored { checkpoint, snapshot, bytes, .. } => {
                self.files.begin(*checkpoint);
                self.files.write_metadata(*checkpoint, *snapshot, *bytes);
                let which = (*checkpoint, *snapshot);
                self.checkpoints.push(CheckpointView::restored(which, self.at, graph));
                self.completed.push(*checkpoint);
            }
            Fact::StateAssigned { task, checkpoint, state, pieces, transactions } => {
                self.files.write(*task, *checkpoint, pieces);
                let view = self.checkpoint(*checkpoint).ok_or("an unknown savepoint")?;
                view.stored[task.index()] = Some(state.clone());
                for transaction in transactions {
                    let prepared = (state.prepared_for(transaction.id), transaction.clone());
                    let checkpoint = prepared.0.ok_or("a transaction that the state has not")?;
                    self.sink(transaction.id)?.prepared.push((checkpoint, prepared.1));
                }
            }
            Fact::ChannelStateAssigned { checkpoint, channel, input, output } => {
                let view = self.checkpoint(*checkpoint).ok_or("an unknown savepoint")?;
                let (input, output) = (input.clone(), output.clone());
                view.in_flight[channel.index()] = ChannelState { input, output };
            }
            Fact::AttemptStarted { attempt, region, .. } => {
                self.attempt = *attempt;
                for task in tasks_of(graph, region.as_deref()) {
                    self.restarting.remove(&task);
                    self.task(task).restart(*attempt);
                    for channel in &graph.subtasks[task.index()].inputs {
                        *self.channel(*channel) = ChannelView::default();
                    }
                }
                if self.restarting.is_empty() {
                    self.status = JobStatus::Running;
                }
            }
            Fact::ChannelStateRestored { channel, input, output } => {
                let places = self.channel(*channel);
                let records = input.iter().chain(output).map(|r| StreamElement::Record(*r));
                let end = [StreamElement::EndOfChannelState];
                for (element, number) in records.chain(end).zip(1..) {
                    let place = if number <= input.len() as u64 {
                        &mut places.queue
                    } else {
                        &mut places.buffer
                    };
                    place.push_back(Message { number, element });
                }
            }
            Fact::RestoreStarted { task, .. } => {
                self.unset(graph, *task, TaskStatus::Initializing);
            }
            Fact::RestoreFailed { task, .. } => self.unset(graph, *task, TaskStatus::Crashed),
            Fact::StateRestored { task, state } => {
                self.task(*task).status = TaskStatus::Running;
                self.restore(graph, *task, state);
            }
            Fact::TaskFinished { task } => self.task(*task).status = TaskStatus::Finished,
            Fact::JobFinished => self.status = JobStatus::Finished,
            Fact::JobCanceled => {
                self.status = JobStatus::Canceled;
                self.restarting.clear();
                let alive = |task: &TaskView| {
                    matches!(task.status, TaskStatus::Running | TaskStatus::Initializing)
                };
                for task in self.tasks.iter_mut().filter(|task| alive(task)) {
                    task.stop(TaskStatus::Cancelled);
                }
            }
        }
        Ok(())
    }

    /// A task of a new attempt has no state yet. A source that cannot rewind
    /// stays where it is.
    fn unset(&mut self, graph: &ExecutionGraph, task: SubtaskIndex, status: TaskStatus) {
        let view = self.task(task);
        view.status = status;
        if let OperatorKind::Source { replayable: true, .. } = graph.operator(task).kind {
            view.offsets.fill(0);
        }
    }

    /// An attempt is over.
    fn cancel_tasks(&mut self, tasks: &[SubtaskIndex]) {
        for task in tasks {
            let task = self.task(*task);
            if task.status != TaskStatus::Crashed {
                task.stop(TaskStatus::Cancelled);
            }
        }
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
            SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                view.state = entries.iter().copied().collect();
            }
            SnapshotState::Stateless | SnapshotState::Transactions(_) => {}
        }
    }

    /// A checkpoint that is pending, or complete and not deleted.
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
        if !places.queue.is_empty() {
            let message = take(&mut places.queue, number, "the receive queue")?;
            places.queue_priority = places.queue_priority.saturating_sub(1);
            Ok(message)
        } else if places.wire.is_empty() {
            // A local channel: there is nothing in between.
            let message = take(&mut places.buffer, number, "the output buffer")?;
            places.buffer_priority = places.buffer_priority.saturating_sub(1);
            Ok(message)
        } else {
            take(&mut places.wire, number, "the wire")
        }
    }
}

impl TaskView {
    fn stop(&mut self, status: TaskStatus) {
        self.status = status;
        self.in_hand = None;
        self.aligning = None;
        self.copying = None;
        self.storing.clear();
    }

    /// Barriers of a checkpoint have been counted. Of several, the newest
    /// shows; one that needs none is over, and so is one older than the newest
    /// snapshot.
    fn align(&mut self, new: Aligning) {
        if self.snapshot > Some(new.checkpoint) {
            return;
        }
        let newer = self.aligning.filter(|aligning| aligning.checkpoint > new.checkpoint);
        if newer.is_none() && new.n_needed > 0 {
            self.aligning = (new.n_received < new.n_needed).then_some(new);
        }
    }

    /// A checkpoint is nothing to wait for any more.
    fn forget(&mut self, checkpoint: CheckpointId) {
        self.storing.retain(|storing| *storing != checkpoint);
    }

    fn restart(&mut self, attempt: Attempt) {
        self.attempt = attempt;
        self.status = TaskStatus::Running;
        self.in_hand = None;
        self.aligning = None;
        self.snapshot = None;
        self.copying = None;
        self.storing.clear();
        self.ended = false;
        self.state.clear();
    }
}

impl SinkView {
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

/// Moves the element at a place to the front, behind what is there already.
fn advance(queue: &mut VecDeque<Message>, place: usize, n_priority: &mut usize) {
    let message = queue.remove(place).expect("the place was found in it");
    queue.insert(*n_priority, message);
    *n_priority += 1;
}

/// The tasks that a failure or a restart takes along.
fn tasks_of(graph: &ExecutionGraph, region: Option<&[SubtaskIndex]>) -> Vec<SubtaskIndex> {
    region.map_or_else(|| graph.subtask_indices().collect(), <[_]>::to_vec)
}

fn place_of(queue: &VecDeque<Message>, number: u64, name: &str) -> Result<usize, String> {
    let place = queue.iter().position(|message| message.number == number);
    place.ok_or_else(|| format!("message {number} moves in {name}, where it is not"))
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
