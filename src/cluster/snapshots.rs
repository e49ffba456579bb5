//! What a task does for a checkpoint: barriers out, state copied and stored,
//! acknowledged or declined.

use super::outcome::Wait;
use super::subpartition::SubpartitionEffect;
use super::task::Late;
use super::turn::Turn;
use super::work::Work;
use super::{Lane, ToJobManager};
use crate::model::{
    Barrier, ChannelEnd, ChannelIndex, ChannelKind, CheckpointId, InFlight, Message, Micros,
    Mutation, Record, SnapshotState, StreamElement, SubtaskIndex, WriteFailure,
};
use crate::protocol::{SubtaskEffect, SubtaskInput, TwoPhaseCommitInput};
use crate::trace::Fact;

impl Turn<'_> {
    /// Lets a task's snapshots act.
    pub(super) fn checkpoint(&mut self, task: SubtaskIndex, input: SubtaskInput) {
        let mut effects = Vec::new();
        self.cluster.tasks[task.index()].snapshots.on(self.now, input, &mut effects);
        for effect in effects {
            match effect {
                SubtaskEffect::BroadcastBarrier(barrier) => {
                    if self.scenario.breaks(Mutation::SnapshotBeforeBarrier) {
                        self.copy_state(task, barrier.checkpoint);
                    }
                    if self.scenario.breaks(Mutation::BarrierAfterNextRecord) {
                        self.postpone(task, Late::Barrier(barrier));
                    } else {
                        self.broadcast_barrier(task, barrier);
                    }
                }
                SubtaskEffect::BroadcastCancelMarker(checkpoint) => {
                    self.broadcast(task, StreamElement::CancelMarker(checkpoint));
                }
                SubtaskEffect::TakeSnapshot(checkpoint) => {
                    if self.scenario.breaks(Mutation::SnapshotAfterNextRecord) {
                        self.postpone(task, Late::Snapshot(checkpoint));
                    } else if self.scenario.breaks(Mutation::SnapshotBeforeBarrier) {
                        self.state_copied(task, checkpoint);
                    } else {
                        self.take_snapshot(task, checkpoint);
                    }
                }
                SubtaskEffect::Store(checkpoint) => {
                    if self.scenario.breaks(Mutation::AcknowledgeBeforeStored) {
                        self.write_to_job_manager(task, ToJobManager::Acknowledge(checkpoint));
                    }
                    self.store(task, checkpoint);
                }
                SubtaskEffect::Acknowledge { checkpoint, metrics } => {
                    let in_flight = metrics.bytes_persisted_during_alignment;
                    self.write_channel_state(task, checkpoint, in_flight);
                    self.out.fact(Fact::SnapshotStored { task, checkpoint, metrics });
                    if !self.scenario.breaks(Mutation::AcknowledgeBeforeStored) {
                        self.write_to_job_manager(task, ToJobManager::Acknowledge(checkpoint));
                    }
                }
                SubtaskEffect::Decline { checkpoint, reason } => {
                    self.out.fact(Fact::Declined { task, checkpoint, reason });
                    self.write_to_job_manager(task, ToJobManager::Decline { checkpoint, reason });
                }
                SubtaskEffect::MayFinish => {
                    self.cluster.tasks[task.index()].last_is_complete = true;
                    self.finish_if_done(task);
                }
                SubtaskEffect::TimeOutOutputs(checkpoint) => {
                    self.time_out_outputs(task, checkpoint);
                }
                SubtaskEffect::AbortOutputs(checkpoint) => {
                    for channel in self.outputs_of(task) {
                        let mut told = Vec::new();
                        let state = &mut self.cluster.channels[channel.index()];
                        state.subpartition.abort(checkpoint, &mut told);
                        self.carry_out_output(channel, told);
                    }
                }
                SubtaskEffect::ArmTimer { at, .. } => {
                    self.out.clear_lane(Lane::OutputTimer(task));
                    self.out.event(Lane::OutputTimer(task), Wait::At(at));
                }
                SubtaskEffect::DisarmTimer => self.out.clear_lane(Lane::OutputTimer(task)),
            }
        }
    }

    /// A barrier in a task's output buffers has timed out.
    #[cold]
    pub(super) fn output_timer(&mut self, task: SubtaskIndex) {
        if let Some(checkpoint) = self.cluster.tasks[task.index()].snapshots.timer() {
            self.checkpoint(task, SubtaskInput::Timer(checkpoint));
        }
    }

    /// Puts a barrier into every outgoing channel; where the edge cannot carry
    /// an unaligned one, an aligned one.
    // Flink 1.20: PipelinedResultPartition.broadcastEvent,
    // RecordWriterOutput.broadcastEvent.
    fn broadcast_barrier(&mut self, task: SubtaskIndex, barrier: Barrier) {
        let scenario = self.scenario;
        for output in &scenario.graph.subtasks[task.index()].outputs {
            let mut barrier = barrier;
            let is_unaligned = barrier.options.is_unaligned();
            let times_out = barrier.options.timeout().is_some();
            let stays = (is_unaligned && scenario.breaks(Mutation::OvertakeOnBroadcast))
                || (times_out && scenario.breaks(Mutation::ForcedBarrierTimesOut));
            if !output.supports_unaligned && !stays {
                barrier.options = barrier.options.force_aligned();
            }
            for channel in &output.channels {
                self.put(*channel, StreamElement::Barrier(barrier));
                if self.scenario.breaks(Mutation::BarrierToOneOutput) {
                    return;
                }
            }
        }
    }

    fn time_out_outputs(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        for channel in self.outputs_of(task) {
            let mut told = Vec::new();
            let state = &mut self.cluster.channels[channel.index()];
            if let Some(number) = state.subpartition.time_out(checkpoint, &mut told) {
                self.out.fact(Fact::OutputTimedOut { channel, number });
            }
            self.carry_out_output(channel, told);
            self.pump(channel);
        }
    }

    fn outputs_of(&self, task: SubtaskIndex) -> impl Iterator<Item = ChannelIndex> + use<> {
        let outputs = &self.scenario.graph.subtasks[task.index()].outputs;
        let channels: Vec<_> = outputs.iter().flat_map(|output| &output.channels).collect();
        channels.into_iter().copied().collect::<Vec<_>>().into_iter()
    }

    /// What a subpartition tells of its part of a snapshot.
    pub(super) fn carry_out_output(
        &mut self,
        channel: ChannelIndex,
        told: Vec<SubpartitionEffect>,
    ) {
        let task = self.scenario.graph.channels[channel.index()].from;
        for effect in told {
            match effect {
                SubpartitionEffect::OutputPending { checkpoint } => {
                    self.checkpoint(task, SubtaskInput::OutputPending(checkpoint));
                }
                SubpartitionEffect::OutputOvertaken { checkpoint, messages } => {
                    self.save_in_flight(task, (channel, ChannelEnd::Output), checkpoint, &messages);
                }
                SubpartitionEffect::OutputDecided { checkpoint, messages } => {
                    self.save_in_flight(task, (channel, ChannelEnd::Output), checkpoint, &messages);
                    self.checkpoint(task, SubtaskInput::OutputDecided(checkpoint));
                }
                SubpartitionEffect::OutputAborted { .. } => {}
            }
        }
    }

    /// Records in flight become part of a task's snapshot.
    pub(super) fn save_in_flight(
        &mut self,
        task: SubtaskIndex,
        place: (ChannelIndex, ChannelEnd),
        checkpoint: CheckpointId,
        messages: &[Message],
    ) {
        let (channel, end) = place;
        let is_first = self.scenario.graph.channels[channel.index()].input_position == 0;
        let is_forgotten = match end {
            ChannelEnd::Input => self.scenario.breaks(Mutation::SaveFirstInputOnly) && !is_first,
            ChannelEnd::Output => self.scenario.breaks(Mutation::ForgetOutputBuffers),
        };
        if is_forgotten || self.scenario.breaks(Mutation::ForgetChannelState) {
            return;
        }
        let records: Vec<InFlight> = messages
            .iter()
            .filter_map(|message| match message.element {
                StreamElement::Record(record) => Some(InFlight { number: message.number, record }),
                _ => None,
            })
            .collect();
        if records.is_empty() {
            return;
        }
        let bytes = Record::BYTES * records.len() as u64;
        if let Some(stored) = self.stored(checkpoint) {
            let state = stored.in_flight[channel.index()].end(end);
            state.extend(records.iter().map(|in_flight| in_flight.record));
        }
        self.out.fact(Fact::ChannelStateSaved { checkpoint, channel, end, records });
        self.checkpoint(task, SubtaskInput::Captured { checkpoint, bytes });
    }

    fn take_snapshot(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        self.copy_state(task, checkpoint);
        self.state_copied(task, checkpoint);
    }

    fn copy_state(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let state = &mut self.cluster.tasks[task.index()];
        if let Work::Sink(sink) = &mut state.work {
            sink.on(TwoPhaseCommitInput::Snapshot(checkpoint), &mut self.out.facts);
            if self.scenario.breaks(Mutation::CommitAtPreCommit) {
                sink.on(TwoPhaseCommitInput::Completed(checkpoint), &mut self.out.facts);
            }
        }
        let mut snapshot = state.state(self.scenario, task);
        if let SnapshotState::Offsets(offsets) = &mut snapshot {
            for (_, offset) in offsets {
                *offset += u32::from(self.scenario.breaks(Mutation::OffsetTooHigh));
                let too_low = self.scenario.breaks(Mutation::OffsetTooLow);
                *offset = offset.saturating_sub(u32::from(too_low));
            }
        }
        state.n_snapshots += 1;
        if state.ended {
            state.finished_since.get_or_insert(checkpoint);
        }
        if let Some(stored) = self.stored(checkpoint) {
            stored.stored[task.index()] = Some(snapshot.clone());
            if stored.snapshot.stops_job() {
                self.cluster.tasks[task.index()].stops_with = Some(checkpoint);
            }
        }
        self.out.fact(Fact::SnapshotTaken { task, checkpoint, state: snapshot });
    }

    /// Copying begins, or is over at once.
    fn state_copied(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let number = self.cluster.tasks[task.index()].n_snapshots;
        if self.scenario.graph.takes_sync_time(task) {
            self.cluster.tasks[task.index()].copying = Some(checkpoint);
            self.note_plainness(task);
            self.out.event(Lane::Sync(task), Wait::Sync { subtask: task, number });
        } else {
            self.checkpoint(task, SubtaskInput::SyncEnded(checkpoint));
        }
    }

    /// A task has copied its state and goes on.
    #[cold]
    pub(super) fn sync_ended(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        let Some(checkpoint) = state.copying.take() else { return };
        let postponed = std::mem::take(&mut state.postponed);
        self.note_plainness(task);
        self.out.fact(Fact::SyncEnded { task, checkpoint });
        self.checkpoint(task, SubtaskInput::SyncEnded(checkpoint));
        // One that was given up in the meantime takes no snapshot.
        while self.cluster.tasks[task.index()].copying.is_none()
            && let Some(barrier) = self.cluster.tasks[task.index()].triggers.pop_front()
        {
            self.triggered(task, barrier);
        }
        self.mind_mail(task);
        if postponed && !self.cluster.tasks[task.index()].scheduled {
            self.step(task);
        }
        self.finish_if_done(task);
        self.go_on(task);
    }

    fn store(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let written = match self.about_to_write(task, checkpoint) {
            Ok(written) => written,
            Err(why) => return self.fail_to_store(task, checkpoint, why),
        };
        let files = self.write_time(&written);
        if self.scenario.graph.spec(task).store.is_none() && files == Micros::ZERO {
            self.write(task, written);
            self.checkpoint(task, SubtaskInput::Stored(checkpoint));
            return;
        }
        let state = &mut self.cluster.tasks[task.index()];
        state.storing.push_back(written);
        let number = state.n_snapshots;
        self.out.event(Lane::Store(task), Wait::Store { subtask: task, number, files });
    }

    /// A copied state is stored, unless the storage does not answer now.
    // Differs: in Flink the asynchronous parts of several checkpoints run side
    // by side, and that of one given up is cancelled; here a task stores one
    // after the other, and nothing comes of one given up.
    #[cold]
    pub(super) fn stored_state(&mut self, task: SubtaskIndex) {
        let state = &mut self.cluster.tasks[task.index()];
        let written = state.storing.pop_front().expect("what is stored was being stored");
        let checkpoint = written.checkpoint;
        if !state.snapshots.storing().any(|open| open == checkpoint) {
            // It was given up: what there is of its files goes unfinished.
            return;
        }
        if !written.pieces.is_empty() && self.cluster.storage_is_down() {
            return self.fail_to_store(task, checkpoint, WriteFailure::StorageDown);
        }
        if self.scenario.breaks(Mutation::StoreWithoutCopy) {
            let now = self.cluster.tasks[task.index()].state(self.scenario, task);
            if let Some(stored) = self.stored(checkpoint) {
                stored.stored[task.index()] = Some(now);
            }
        }
        self.write(task, written);
        self.checkpoint(task, SubtaskInput::Stored(checkpoint));
    }

    /// Half of a snapshot waits for the next record, which breaks a rule.
    #[cold]
    fn postpone(&mut self, task: SubtaskIndex, late: Late) {
        self.cluster.tasks[task.index()].late.push(late);
        self.note_plainness(task);
    }

    /// A task has processed a record, or read one: what waited for it is done.
    #[cold]
    pub(super) fn catch_up(&mut self, task: SubtaskIndex) {
        for late in std::mem::take(&mut self.cluster.tasks[task.index()].late) {
            match late {
                Late::Snapshot(checkpoint) => self.take_snapshot(task, checkpoint),
                Late::Barrier(barrier) => self.broadcast_barrier(task, barrier),
            }
        }
        self.note_plainness(task);
    }

    fn fail_to_store(&mut self, task: SubtaskIndex, checkpoint: CheckpointId, why: WriteFailure) {
        self.out.fact(Fact::WriteFailed { task, checkpoint, why });
        self.checkpoint(task, SubtaskInput::StoreFailed(checkpoint));
    }

    /// Notes whether a record concerns nothing but the task's own work.
    pub(super) fn note_plainness(&mut self, task: SubtaskIndex) {
        let inputs = &self.scenario.graph.subtasks[task.index()].inputs;
        let captures = inputs.iter().any(|channel| {
            let state = &self.cluster.channels[channel.index()];
            state.kind == ChannelKind::Local || state.input.persister().captures_for().is_some()
        });
        let state = &mut self.cluster.tasks[task.index()];
        state.plain = state.instant
            && !captures
            && state.late.is_empty()
            && state.copying.is_none()
            && !state.input.handler().is_during_alignment();
    }
}
