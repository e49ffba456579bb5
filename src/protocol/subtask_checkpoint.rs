//! What a task does for a checkpoint: the order of barrier, snapshot and
//! acknowledgement, and giving it up.
//!
//! Knows neither state nor channels; a snapshot has three parts that it waits
//! for: the copied state being stored, what is in flight at the inputs, and
//! what is in flight at the outputs.
//!
//! Source: Flink `SubtaskCheckpointCoordinatorImpl`, `AsyncCheckpointRunnable`,
//! `ChannelStateWriterImpl`.

use std::collections::BTreeSet;

use crate::model::{Barrier, CheckpointFailureReason, CheckpointId, Micros, SnapshotMetrics, Time};

/// Something that comes to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubtaskInput {
    /// The snapshot is due.
    Trigger {
        /// What to send on, and how.
        barrier: Barrier,
        /// From the creation of the checkpoint until now, or until its first
        /// barrier.
        start_delay: Micros,
    },
    /// The alignment of a checkpoint is over.
    Aligned {
        /// Which.
        checkpoint: CheckpointId,
        /// How long it took.
        duration: Micros,
        /// What was processed in that time.
        bytes: u64,
    },
    /// The inputs begin to capture what is in flight, or, for an aligned
    /// checkpoint, need not.
    InitInputs(Barrier),
    /// The inputs have captured everything.
    InputsComplete(CheckpointId),
    /// Records in flight belong to a checkpoint.
    Captured {
        /// Which.
        checkpoint: CheckpointId,
        /// Their size.
        bytes: u64,
    },
    /// An output cannot say yet what its barrier will overtake.
    OutputPending(CheckpointId),
    /// An output that was pending can say it now.
    OutputDecided(CheckpointId),
    /// The state has been copied: the task goes on.
    SyncEnded(CheckpointId),
    /// The copied state is stored.
    Stored(CheckpointId),
    /// The copied state could not be stored.
    StoreFailed(CheckpointId),
    /// The barrier handler has given a checkpoint up.
    Aborted {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// The coordinator has given a checkpoint up.
    AbortNotified(CheckpointId),
    /// The task is at the end of its data, and waits for a last checkpoint.
    EndOfData,
    /// A checkpoint is complete.
    Completed(CheckpointId),
    /// The timer of [`SubtaskEffect::ArmTimer`] is due.
    Timer(CheckpointId),
}

/// Something that the task is asked to do, in this order and with nothing in
/// between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubtaskEffect {
    /// Put the barrier behind everything that the task has emitted, or in
    /// front of it if it is unaligned, on every outgoing channel.
    BroadcastBarrier(Barrier),
    /// Put a cancellation marker on every outgoing channel.
    BroadcastCancelMarker(CheckpointId),
    /// Copy the state, and report [`SubtaskInput::SyncEnded`].
    TakeSnapshot(CheckpointId),
    /// Store the copy, and report [`SubtaskInput::Stored`].
    Store(CheckpointId),
    /// Tell the coordinator that everything is stored.
    Acknowledge {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// How it went.
        metrics: SnapshotMetrics,
    },
    /// Tell the coordinator that there will be no snapshot.
    Decline {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        reason: CheckpointFailureReason,
    },
    /// The last checkpoint that the task waits for is complete.
    MayFinish,
    /// Let the barrier of a checkpoint that waits in an output buffer become
    /// unaligned.
    TimeOutOutputs(CheckpointId),
    /// Do not wait for what the barrier of a checkpoint might overtake.
    AbortOutputs(CheckpointId),
    /// Report [`SubtaskInput::Timer`] at this time.
    ArmTimer {
        /// Whose timer it is.
        checkpoint: CheckpointId,
        /// When it is due.
        at: Time,
    },
    /// Forget the timer that was armed last.
    DisarmTimer,
}

/// A snapshot that is not stored whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OpenSnapshot {
    checkpoint: CheckpointId,
    metrics: SnapshotMetrics,
    triggered_at: Time,
    /// When its barrier becomes unaligned, if it can.
    times_out_at: Option<Time>,
    sync_ended_at: Time,
    state: StateProgress,
    alignment_is_open: bool,
    inputs_are_open: bool,
    n_outputs_open: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StateProgress {
    NotTriggered,
    Copying,
    Storing,
    Stored,
}

/// The snapshots of one task in one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SubtaskCheckpointCoordinator {
    /// The newest checkpoint that was handled, snapshot or not.
    last: Option<CheckpointId>,
    last_taken: Option<CheckpointId>,
    /// Newer than `last`, and given up by the coordinator.
    aborted: BTreeSet<CheckpointId>,
    /// By id, oldest first.
    open: Vec<OpenSnapshot>,
    timer: Option<CheckpointId>,
    end: End,
}

/// Whether the task is at the end of its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum End {
    /// It is not.
    #[default]
    Ahead,
    /// It is, and has taken no snapshot since.
    Reached,
    /// It is, and waits for this checkpoint or a later one.
    Waits(CheckpointId),
}

impl SubtaskCheckpointCoordinator {
    /// The newest checkpoint that the task has copied its state for.
    #[must_use]
    pub fn last_taken(&self) -> Option<CheckpointId> {
        self.last_taken
    }

    /// Checkpoints whose state is being copied or stored, oldest first.
    pub fn storing(&self) -> impl Iterator<Item = CheckpointId> {
        let triggered = self.open.iter().filter(|open| open.state != StateProgress::NotTriggered);
        triggered.map(|open| open.checkpoint)
    }

    /// The checkpoint whose timer is armed.
    #[must_use]
    pub fn timer(&self) -> Option<CheckpointId> {
        self.timer
    }

    /// The task stops: nothing comes of what is under way.
    pub fn stop(&mut self) {
        self.open.clear();
        self.timer = None;
    }

    /// Handles an input at a time.
    pub fn on(&mut self, now: Time, input: SubtaskInput, effects: &mut Vec<SubtaskEffect>) {
        match input {
            SubtaskInput::Trigger { barrier, start_delay } => {
                self.trigger(now, barrier, start_delay, effects);
            }
            SubtaskInput::Aligned { checkpoint, duration, bytes } => {
                if let Some(open) = self.find(checkpoint) {
                    open.metrics.alignment_duration = duration;
                    open.metrics.bytes_processed_during_alignment = bytes;
                    open.alignment_is_open = false;
                }
                self.acknowledge_if_whole(now, checkpoint, effects);
            }
            SubtaskInput::InitInputs(barrier) => {
                if barrier.options.is_unaligned() {
                    self.supersede(barrier.checkpoint, effects);
                    let open = self.find_or_open(now, barrier.checkpoint);
                    open.metrics.unaligned = true;
                    open.inputs_are_open = true;
                }
            }
            SubtaskInput::InputsComplete(checkpoint) => {
                if let Some(open) = self.find(checkpoint) {
                    open.inputs_are_open = false;
                }
                self.acknowledge_if_whole(now, checkpoint, effects);
            }
            SubtaskInput::Captured { checkpoint, bytes } => {
                if let Some(open) = self.find(checkpoint) {
                    open.metrics.bytes_persisted_during_alignment += bytes;
                }
            }
            SubtaskInput::OutputPending(checkpoint) => {
                self.output_pending(now, checkpoint, effects);
            }
            SubtaskInput::OutputDecided(checkpoint) => {
                if let Some(open) = self.find(checkpoint) {
                    open.n_outputs_open -= 1;
                    if open.n_outputs_open == 0 && self.timer == Some(checkpoint) {
                        self.disarm(effects);
                    }
                }
                self.acknowledge_if_whole(now, checkpoint, effects);
            }
            SubtaskInput::SyncEnded(checkpoint) => {
                if let Some(open) = self.find(checkpoint) {
                    open.metrics.sync_duration = since(open.triggered_at, now);
                    open.sync_ended_at = now;
                    open.state = StateProgress::Storing;
                    effects.push(SubtaskEffect::Store(checkpoint));
                }
            }
            SubtaskInput::Stored(checkpoint) => {
                if let Some(open) = self.find(checkpoint) {
                    open.state = StateProgress::Stored;
                }
                self.acknowledge_if_whole(now, checkpoint, effects);
            }
            SubtaskInput::StoreFailed(checkpoint) => {
                // Flink 1.20: AsyncCheckpointRunnable.handleExecutionException.
                if self.find(checkpoint).is_some() {
                    let reason = CheckpointFailureReason::CheckpointAsyncException;
                    effects.push(SubtaskEffect::Decline { checkpoint, reason });
                    self.discard(checkpoint, effects);
                }
            }
            SubtaskInput::Aborted { checkpoint, reason } => {
                // Flink 1.20: SubtaskCheckpointCoordinatorImpl.abortCheckpointOnBarrier.
                self.last = self.last.max(Some(checkpoint));
                self.aborted.retain(|aborted| *aborted > checkpoint);
                effects.push(SubtaskEffect::Decline { checkpoint, reason });
                self.discard(checkpoint, effects);
                effects.push(SubtaskEffect::BroadcastCancelMarker(checkpoint));
            }
            SubtaskInput::AbortNotified(checkpoint) => {
                // Flink 1.20: SubtaskCheckpointCoordinatorImpl.notifyCheckpointAborted.
                if self.last < Some(checkpoint) {
                    self.aborted.insert(checkpoint);
                }
                self.discard(checkpoint, effects);
            }
            SubtaskInput::EndOfData => self.end = End::Reached,
            SubtaskInput::Completed(checkpoint) => {
                // Flink 1.20: StreamTask.notifyCheckpointComplete.
                if matches!(self.end, End::Waits(least) if least <= checkpoint) {
                    effects.push(SubtaskEffect::MayFinish);
                }
            }
            SubtaskInput::Timer(checkpoint) => {
                if self.timer.take_if(|timer| *timer == checkpoint).is_some() {
                    effects.push(SubtaskEffect::TimeOutOutputs(checkpoint));
                }
            }
        }
    }

    // Flink 1.20: SubtaskCheckpointCoordinatorImpl.checkpointState.
    fn trigger(
        &mut self,
        now: Time,
        mut barrier: Barrier,
        start_delay: Micros,
        effects: &mut Vec<SubtaskEffect>,
    ) {
        let checkpoint = barrier.checkpoint;
        if self.last >= Some(checkpoint) {
            // Passed over in silence.
            self.discard(checkpoint, effects);
            return;
        }
        self.last = Some(checkpoint);
        let is_aborted = self.aborted.remove(&checkpoint);
        self.aborted.retain(|aborted| *aborted > checkpoint);
        self.disarm(effects);
        if is_aborted {
            self.discard(checkpoint, effects);
            effects.push(SubtaskEffect::BroadcastCancelMarker(checkpoint));
            return;
        }
        barrier.options = barrier.options.unforce_aligned();
        self.last_taken = Some(checkpoint);
        if self.end == End::Reached {
            self.end = End::Waits(checkpoint);
        }
        let open = self.find_or_open(now, checkpoint);
        open.state = StateProgress::Copying;
        open.metrics.start_delay = start_delay;
        open.times_out_at = barrier.times_out_at();
        open.triggered_at = now;
        // The barrier leaves before the state is copied; no record is
        // processed in between, so the cut is the same either way.
        effects.push(SubtaskEffect::BroadcastBarrier(barrier));
        effects.push(SubtaskEffect::TakeSnapshot(checkpoint));
    }

    /// The first output that cannot say what it will overtake arms the timer;
    /// where every barrier goes out at once there is nothing to time.
    // Flink 1.20: SubtaskCheckpointCoordinatorImpl.registerAlignmentTimer, which
    // arms it in any case.
    fn output_pending(
        &mut self,
        now: Time,
        checkpoint: CheckpointId,
        effects: &mut Vec<SubtaskEffect>,
    ) {
        let Some(open) = self.find(checkpoint) else { return };
        open.n_outputs_open += 1;
        if let Some(times_out_at) = open.times_out_at
            && self.timer.is_none()
        {
            self.timer = Some(checkpoint);
            effects.push(SubtaskEffect::ArmTimer { checkpoint, at: times_out_at.max(now) });
        }
    }

    fn acknowledge_if_whole(
        &mut self,
        now: Time,
        checkpoint: CheckpointId,
        effects: &mut Vec<SubtaskEffect>,
    ) {
        let Some(place) = self.open.iter().position(|open| open.checkpoint == checkpoint) else {
            return;
        };
        let open = &self.open[place];
        let is_whole = open.state == StateProgress::Stored
            && !open.alignment_is_open
            && !open.inputs_are_open
            && open.n_outputs_open == 0;
        if is_whole {
            let mut open = self.open.remove(place);
            open.metrics.async_duration = since(open.sync_ended_at, now);
            effects.push(SubtaskEffect::Acknowledge { checkpoint, metrics: open.metrics });
        }
    }

    /// Channel state is written for one checkpoint at a time: a newer one ends
    /// an older one that is not complete.
    // Flink 1.20: ChannelStateWriteRequestDispatcherImpl.
    fn supersede(&mut self, newer: CheckpointId, effects: &mut Vec<SubtaskEffect>) {
        let superseded = |open: &OpenSnapshot| {
            open.checkpoint < newer && (open.inputs_are_open || open.n_outputs_open > 0)
        };
        for open in self.open.extract_if(.., |open| superseded(open)) {
            if open.state != StateProgress::NotTriggered {
                let reason = CheckpointFailureReason::CheckpointAsyncException;
                effects.push(SubtaskEffect::Decline { checkpoint: open.checkpoint, reason });
            }
        }
    }

    fn discard(&mut self, checkpoint: CheckpointId, effects: &mut Vec<SubtaskEffect>) {
        if self.timer == Some(checkpoint) {
            self.disarm(effects);
        }
        self.open.retain(|open| open.checkpoint != checkpoint);
        effects.push(SubtaskEffect::AbortOutputs(checkpoint));
    }

    fn disarm(&mut self, effects: &mut Vec<SubtaskEffect>) {
        if self.timer.take().is_some() {
            effects.push(SubtaskEffect::DisarmTimer);
        }
    }

    fn find(&mut self, checkpoint: CheckpointId) -> Option<&mut OpenSnapshot> {
        self.open.iter_mut().find(|open| open.checkpoint == checkpoint)
    }

    fn find_or_open(&mut self, now: Time, checkpoint: CheckpointId) -> &mut OpenSnapshot {
        let place = self.open.partition_point(|open| open.checkpoint < checkpoint);
        if self.open.get(place).is_none_or(|open| open.checkpoint != checkpoint) {
            let open = OpenSnapshot {
                checkpoint,
                metrics: SnapshotMetrics::default(),
                triggered_at: now,
                times_out_at: None,
                sync_ended_at: now,
                state: StateProgress::NotTriggered,
                alignment_is_open: true,
                inputs_are_open: false,
                n_outputs_open: 0,
            };
            self.open.insert(place, open);
        }
        &mut self.open[place]
    }
}

fn since(start: Time, now: Time) -> Micros {
    Micros(now.0.saturating_sub(start.0))
}
