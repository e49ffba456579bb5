//! A job that starts from a savepoint: it is read, given to tasks and channels,
//! and the first attempt begins with it as any other would.
//!
//! Source: Flink `SchedulerBase.tryRestoreExecutionGraphFromSavepoint`,
//! `CheckpointCoordinator.restoreSavepoint`.

use super::Lane;
use super::outcome::Wait;
use super::turn::Turn;
use super::work::Work;
use crate::model::{
    CheckpointId, CheckpointStorage, FileName, Location, SnapshotState, SnapshotType, Start,
    StatePiece, SubtaskIndex, When,
};
use crate::protocol::CoordinatorInput;
use crate::trace::{ChannelState, CheckpointView, Fact, Transaction, Watch};

/// Whether the outside of the job's sinks is told of what the job before has
/// prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adoption {
    /// The job starts for the first time.
    First,
    /// It has started before, and the outside knows.
    Again,
}

impl Turn<'_> {
    /// What the scenario lets happen waits for its time, or for its fact.
    pub(super) fn arm(&mut self) {
        let scenario = self.scenario;
        let faults = scenario.faults.iter().map(|fault| &fault.when);
        let faults = faults.enumerate().map(|(place, when)| (Lane::Fault(place as u32), when));
        let savepoints = scenario.savepoints.iter().map(|request| &request.when);
        let triggers = scenario.triggers.iter().chain(savepoints).enumerate();
        let triggers = triggers.map(|(place, when)| (Lane::Trigger(place as u32), when));
        let cancel = scenario.cancel.iter().map(|when| (Lane::Cancel, when));
        for (lane, when) in faults.chain(triggers).chain(cancel) {
            match when {
                When::At(time) => self.out.event(lane, Wait::At(*time)),
                When::Random { mean } => {
                    let Lane::Fault(fault) = lane else { unreachable!("only faults are random") };
                    self.out.event(lane, Wait::Failure { fault, mean: *mean });
                }
                When::Upon { pattern, nth, .. } => {
                    let watch = Watch::new(pattern.clone(), *nth, &scenario.graph);
                    self.cluster.watches.push((lane, watch));
                }
            }
        }
    }

    /// The job starts from its savepoint.
    #[cold]
    pub(super) fn start_from_savepoint(&mut self) {
        self.arm();
        if let Some(start) = &self.scenario.start {
            self.adopt(start, Adoption::First);
        }
        self.begin_attempt(None);
    }

    /// The JobManager takes a savepoint for a checkpoint of the job, and gives
    /// everybody his part.
    pub(super) fn adopt(&mut self, start: &Start, adoption: Adoption) {
        let (id, snapshot) = (start.savepoint.id, start.savepoint.snapshot);
        let claim = self.scenario.config.claim_mode;
        let parts: Vec<_> = self.parts(start).collect();
        let in_metadata = parts.iter().flat_map(|(_, _, pieces)| pieces);
        let in_metadata = in_metadata.filter(|piece| piece.location == Location::Metadata);
        let bytes = in_metadata.map(|piece| piece.bytes).sum();
        let view = CheckpointView::restored((id, snapshot), self.now, &self.scenario.graph);
        self.cluster.storage.push(view);
        self.cluster.completed.push(id);
        self.cluster.files.begin(id);
        self.cluster.files.write_metadata(id, snapshot, bytes);
        self.out.fact(Fact::SavepointRestored { checkpoint: id, snapshot, claim, bytes });
        for (task, state, pieces) in parts {
            self.assign((task, id), (state, pieces), (start, adoption));
        }
        for channel in &start.in_flight {
            let (input, output) = (channel.input.clone(), channel.output.clone());
            let channel = channel.channel;
            if let Some(stored) = self.stored(id) {
                let state = ChannelState { input: input.clone(), output: output.clone() };
                stored.in_flight[channel.index()] = state;
            }
            self.out.fact(Fact::ChannelStateAssigned { checkpoint: id, channel, input, output });
        }
        self.coordinate(CoordinatorInput::Restored { snapshot: id, mode: claim });
    }

    fn assign(
        &mut self,
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        (state, pieces): (SnapshotState, Vec<StatePiece>),
        (start, adoption): (&Start, Adoption),
    ) {
        let mut transactions = Vec::new();
        if adoption == Adoption::First {
            let own = start.transactions.iter().filter(|one| one.id.subtask == task);
            let prepared = own.map(|one| {
                let transaction = Transaction { id: one.id, records: one.records.clone() };
                (one.checkpoint, transaction)
            });
            let prepared: Vec<_> = prepared.collect();
            transactions.extend(prepared.iter().map(|(_, transaction)| transaction.clone()));
            match (&mut self.cluster.tasks[task.index()].work, &state) {
                (Work::Sink(sink), _) => sink.take_over(task, prepared),
                // What cannot rewind goes on where it was.
                (Work::Source(reader), SnapshotState::Offsets(offsets)) => {
                    reader.offsets = offsets.iter().map(|(_, offset)| *offset).collect();
                }
                _ => {}
            }
        }
        self.cluster.files.write(task, checkpoint, &pieces);
        if let Some(stored) = self.stored(checkpoint) {
            stored.stored[task.index()] = Some(state.clone());
        }
        self.out.fact(Fact::StateAssigned { task, checkpoint, state, pieces, transactions });
    }

    /// What each task gets, and where it is.
    // Differs: a job that starts from an incremental checkpoint with CLAIM or LEGACY
    // builds on its files in Flink; here its first checkpoint writes all of its own.
    // Differs: in Flink a task reads the files of the old subtasks that had a
    // part of its state; here each has one file of its own, of the same size.
    fn parts<'s>(
        &'s self,
        start: &'s Start,
    ) -> impl Iterator<Item = (SubtaskIndex, SnapshotState, Vec<StatePiece>)> + 's {
        let tasks = self.scenario.graph.subtask_indices().zip(&start.states);
        tasks.filter_map(|(task, state)| {
            let state = state.clone()?;
            let which = (start.savepoint.id, start.savepoint.snapshot);
            let pieces = self.piece_of(task, which, &state).into_iter().collect();
            Some((task, state, pieces))
        })
    }

    fn piece_of(
        &self,
        task: SubtaskIndex,
        (id, snapshot): (CheckpointId, SnapshotType),
        state: &SnapshotState,
    ) -> Option<StatePiece> {
        let settings = &self.scenario.config.state;
        let bytes_per_key = self.scenario.graph.operator(task).bytes_per_key;
        let (kind, bytes) = state.size(bytes_per_key)?;
        let is_small = bytes <= settings.inline_max;
        let is_in_metadata = settings.storage == CheckpointStorage::JobManager || is_small;
        let location = match (is_in_metadata, snapshot.is_savepoint()) {
            (true, _) => Location::Metadata,
            (false, true) => {
                Location::Written(FileName::SavepointState { savepoint: id, task, kind })
            }
            (false, false) => Location::Written(FileName::Exclusive { checkpoint: id, task, kind }),
        };
        Some(StatePiece { kind, bytes, location })
    }
}
