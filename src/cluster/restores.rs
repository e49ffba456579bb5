//! A new attempt: tasks read their state, from wherever it is, and begin.
//!
//! Source: Flink `StreamTask.restoreInternal`,
//! `BackendRestorerProcedure`, which tries the local copy first.

use super::lane::Lane;
use super::outcome::Wait;
use super::turn::Turn;
use super::work::Work;
use super::{Channel, Region, ToJobManager};
use crate::model::{
    ChannelIndex, CheckpointId, FileName, LocalRecovery, Location, Message, Micros, Mutation,
    ReadFailure, Record, SnapshotState, StateKind, StatePiece, StreamElement, SubtaskIndex,
    Transfer,
};
use crate::protocol::{
    CoordinatorInput, Execution, ExecutionState, IncrementalSnapshots, RestoredTables, Table,
    TwoPhaseCommitInput,
};
use crate::trace::{ChannelState, Fact, TaskStatus};

impl Turn<'_> {
    /// The tasks of a new attempt get back what a checkpoint holds of them.
    pub(super) fn restore(
        &mut self,
        checkpoint: Option<CheckpointId>,
        region: &Region,
        left: Vec<Vec<Record>>,
    ) {
        let restored = self.cluster.storage.iter().find(|stored| Some(stored.id) == checkpoint);
        let mut in_flight = restored.map(|stored| stored.in_flight.clone()).unwrap_or_default();
        self.mishandle_in_flight(&mut in_flight, left);
        let tasks = self.cluster.tasks_of(region);
        for task in &tasks {
            self.begin_restore(*task, checkpoint);
        }
        let inputs = tasks.iter().map(|task| &self.scenario.graph.subtasks[task.index()].inputs);
        let mut channels: Vec<_> = inputs.flatten().copied().collect();
        channels.sort_unstable();
        self.restore_in_flight(&channels, &in_flight);
    }

    /// The checkpoint that the job restarts from.
    pub(super) fn newest(&self) -> Option<CheckpointId> {
        match self.scenario.breaks(Mutation::RestoreNewestBegun) {
            true => self.cluster.storage.last().map(|stored| stored.id),
            false => self.cluster.coordinator.store().latest(),
        }
    }

    /// What the channels still hold of the failed attempt, where a restart
    /// leaves it there.
    pub(super) fn left_in_channels(&self) -> Vec<Vec<Record>> {
        if !self.scenario.breaks(Mutation::KeepChannelsOnRestart) {
            return Vec::new();
        }
        let left = |channel: &Channel| {
            let all = channel.input.messages().chain(&channel.wire);
            let all = all.chain(channel.subpartition.buffer());
            let record = |message: &Message| match message.element {
                StreamElement::Record(record) => Some(record),
                _ => None,
            };
            all.filter_map(record).collect()
        };
        self.cluster.channels.iter().map(left).collect()
    }

    /// Puts back in flight what does not belong there, or where it does not
    /// belong, if a rule is broken.
    fn mishandle_in_flight(&self, in_flight: &mut Vec<ChannelState>, left: Vec<Vec<Record>>) {
        let is_any_left = left.iter().any(|records| !records.is_empty());
        if is_any_left && in_flight.is_empty() {
            in_flight.resize(left.len(), ChannelState::default());
        }
        for (state, left) in in_flight.iter_mut().zip(left) {
            state.output.extend(left);
        }
        for state in in_flight {
            if self.scenario.breaks(Mutation::RestoreInFlightLast) {
                let input = std::mem::take(&mut state.input);
                state.output.extend(input);
            }
            if self.scenario.breaks(Mutation::RestoreAtBothEnds) {
                state.output.splice(..0, state.input.iter().copied());
            }
        }
    }

    /// A task gets its state back, or begins to read it.
    fn begin_restore(&mut self, task: SubtaskIndex, checkpoint: Option<CheckpointId>) {
        let attempt = self.cluster.attempt;
        self.cluster.tasks[task.index()].restart(self.scenario, task, attempt);
        let Some(checkpoint) = checkpoint else { return self.restore_state(task, None) };
        let failed = match self.files_to_read(task, checkpoint) {
            Ok((storage, disk)) => {
                let time = self.time_of(storage, disk);
                if time == Micros::ZERO {
                    return self.restore_state(task, Some(checkpoint));
                }
                let (from_storage, from_disk) = (storage.bytes, disk.bytes);
                self.out.fact(Fact::RestoreStarted { task, checkpoint, from_storage, from_disk });
                self.out.event(Lane::Restore(task), Wait::After(time));
                None
            }
            Err(why) => Some(why),
        };
        let state = &mut self.cluster.tasks[task.index()];
        state.status = TaskStatus::Initializing;
        if let Some(why) = failed {
            state.stop(self.scenario, task, TaskStatus::Crashed);
            self.out.fact(Fact::RestoreFailed { task, checkpoint, why });
            self.write_to_job_manager(task, ToJobManager::Failure);
        }
    }

    /// The files that a task has to read to have its state back, in the storage
    /// and on its own disk: keyed state from there, if a copy is there and may
    /// be read.
    fn files_to_read(
        &self,
        task: SubtaskIndex,
        checkpoint: CheckpointId,
    ) -> Result<(Transfer, Transfer), ReadFailure> {
        let files = &self.cluster.files;
        let has_copy = files.file(FileName::Local { checkpoint, task }).is_some();
        let reads_copy = has_copy && self.scenario.config.state.local == LocalRecovery::On;
        let (mut storage, mut disk) = (Transfer::default(), Transfer::default());
        let graph = &self.scenario.graph;
        let operator = graph.subtasks[task.index()].operator;
        let is_union = graph.operator(task).kind.has_union_list();
        // Of a union list everybody reads all, and of what else others have nothing.
        let others = graph.subtask_indices().filter(|other| {
            is_union && *other != task && graph.subtasks[other.index()].operator == operator
        });
        let lists = others.flat_map(|other| files.pieces(checkpoint, other));
        let lists = lists.filter(|piece| piece.kind == StateKind::Operator);
        for StatePiece { kind, bytes, location } in
            files.pieces(checkpoint, task).iter().chain(lists)
        {
            let Some(file) = location.file() else { continue };
            if *kind == StateKind::Keyed && reads_copy {
                disk.add(*bytes);
            } else if files.file(file).is_none() {
                return Err(ReadFailure::FileMissing { file });
            } else if self.cluster.storage_is_down() {
                return Err(ReadFailure::StorageDown);
            } else {
                storage.add(*bytes);
            }
        }
        Ok((storage, disk))
    }

    /// A task has read its state: it begins.
    #[cold]
    pub(super) fn state_read(&mut self, task: SubtaskIndex) {
        self.restore_state(task, self.newest());
        let attempt = self.cluster.tasks[task.index()].attempt;
        let execution = Execution { attempt, state: ExecutionState::Running };
        self.coordinate(CoordinatorInput::TaskChanged { task, execution });
        for output in &self.scenario.graph.subtasks[task.index()].outputs {
            output.channels.iter().for_each(|channel| self.pump(*channel));
        }
        self.report_backlog_after(task);
        self.mind_mail(task);
        self.go_on(task);
    }

    fn restore_state(&mut self, task: SubtaskIndex, checkpoint: Option<CheckpointId>) {
        let scenario = self.scenario;
        let restored = self.cluster.storage.iter().find(|stored| Some(stored.id) == checkpoint);
        let mut from = restored.and_then(|stored| stored.stored[task.index()].clone());
        if self.scenario.breaks(Mutation::RestoreOwnNewest) {
            let mut own = self.cluster.storage.iter().rev();
            from = own.find_map(|stored| stored.stored[task.index()].clone());
        }
        let tables = self.restored_tables(task, checkpoint, from.as_ref());
        let state = &mut self.cluster.tasks[task.index()];
        state.status = TaskStatus::Running;
        state.tables = tables;
        if let Some(from) = &from {
            state.restore(scenario, task, from);
        }
        if let Work::Sink(sink) = &mut state.work {
            let prepared = match from {
                Some(SnapshotState::Transactions(prepared))
                    if !scenario.breaks(Mutation::AbortPreparedOnRestart) =>
                {
                    prepared
                }
                _ => Vec::new(),
            };
            if scenario.breaks(Mutation::RecommitOnRestart) {
                let again: Vec<_> = prepared.iter().map(|(id, _)| *id).collect();
                sink.recommit(&again, &mut self.out.facts);
            }
            let input = TwoPhaseCommitInput::Restore { attempt: state.attempt, prepared };
            sink.on(input, &mut self.out.facts);
        }
        let state = state.state(scenario, task);
        self.out.fact(Fact::StateRestored { task, state });
    }

    fn restored_tables(
        &self,
        task: SubtaskIndex,
        checkpoint: Option<CheckpointId>,
        from: Option<&SnapshotState>,
    ) -> IncrementalSnapshots {
        let before = &self.cluster.tasks[task.index()].tables;
        let (Some(checkpoint), Some(SnapshotState::Keyed(entries))) = (checkpoint, from) else {
            return before.emptied();
        };
        let bytes_per_key = self.scenario.graph.operator(task).bytes_per_key.max(1);
        let mut tables = RestoredTables::default();
        for piece in self.cluster.files.pieces(checkpoint, task) {
            let n_keys = piece.bytes / bytes_per_key;
            match piece.location {
                Location::Written(FileName::Shared { number, .. })
                | Location::Reused(FileName::Shared { number, .. }) => {
                    tables.in_files.push(Table { number, n_keys });
                }
                _ if piece.kind == StateKind::Keyed => tables.inline.push(n_keys),
                _ => {}
            }
        }
        before.restored(checkpoint, tables, entries)
    }

    /// Puts back what the restored snapshot held in flight in some channels,
    /// ahead of everything new. Where it held anything, every one of them says
    /// when it has sent its part.
    // Flink 1.20: SequentialChannelStateReaderImpl, UpstreamRecoveryTracker.
    fn restore_in_flight(&mut self, channels: &[ChannelIndex], in_flight: &[ChannelState]) {
        let held = |channel: &ChannelIndex| in_flight.get(channel.index());
        if channels.iter().filter_map(held).all(ChannelState::is_empty) {
            return;
        }
        for channel in channels.iter().copied() {
            let ChannelState { input, output } = held(&channel).cloned().unwrap_or_default();
            let n_input = input.len() as u64;
            self.cluster.channels[channel.index()].subpartition.recover(n_input, &output);
            if self.cluster.channels[channel.index()].subpartition.is_full() {
                let sender = self.scenario.graph.channels[channel.index()].from;
                self.cluster.tasks[sender.index()].n_full += 1;
            }
            self.recover_input(channel, &input);
            self.out.fact(Fact::ChannelStateRestored { channel, input, output });
        }
        for channel in channels.iter().copied() {
            // A task that still reads its state sends nothing yet.
            if self.is_running(self.scenario.graph.channels[channel.index()].from) {
                self.pump(channel);
            }
        }
    }
}
