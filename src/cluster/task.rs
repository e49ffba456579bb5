//! One subtask: its input gate, its barrier handler, its state.

use super::checkpointed_input_gate::CheckpointedInputGate;
use super::keyed_state::KeyedState;
use super::sink::Sink;
use super::storage::Written;
use super::work::{SourceReader, Work};
use std::collections::VecDeque;

use crate::model::{
    Attempt, Barrier, ChannelIndex, CheckpointId, Message, Mutation, OperatorKind, Scenario,
    SnapshotState, SubtaskIndex,
};
use crate::protocol::{
    BarrierHandling, CheckpointBarrierHandler, IncrementalSnapshots, SubtaskCheckpointCoordinator,
};
use crate::trace::TaskStatus;

/// A subtask in one attempt. What survives a failure of the job (the outside
/// of a sink, the position of a source that cannot rewind, a slowness) is taken
/// over by [`Task::restart`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// The attempt of the job in which it was started last.
    pub attempt: Attempt,
    /// How it is.
    pub status: TaskStatus,
    /// Whether an event stands in its lane: it is busy, or about to be.
    pub scheduled: bool,
    /// The record that it works on.
    pub in_hand: Option<(ChannelIndex, Message)>,
    /// What comes in, and what becomes of barriers there.
    pub input: CheckpointedInputGate,
    /// Snapshots.
    pub snapshots: SubtaskCheckpointCoordinator,
    /// The checkpoint whose state it is copying: it stands still.
    pub copying: Option<CheckpointId>,
    /// Whether its next step was due while it was copying.
    pub postponed: bool,
    /// Checkpoints whose copied state is being stored, the first to be stored
    /// first.
    pub storing: VecDeque<Written>,
    /// Tables of its keyed state, where checkpoints are incremental.
    pub tables: IncrementalSnapshots,
    /// Triggers that came while it was copying.
    pub triggers: VecDeque<Barrier>,
    /// Halves of snapshots that wait for the next record, where a rule is
    /// broken.
    pub late: Vec<Late>,
    /// The first checkpoint for which it has copied its state after the end of
    /// its data.
    pub finished_since: Option<CheckpointId>,
    /// Snapshots taken in this attempt.
    pub n_snapshots: u64,
    /// Outgoing channels whose output buffer is full. The task stops while
    /// there is one.
    pub n_full: u32,
    /// Service times used in this attempt.
    pub n_services: u64,
    /// Whether it needs no time for a record.
    pub instant: bool,
    /// Whether, besides, nothing of a checkpoint is under way that a record
    /// would concern: no alignment is measured, nothing is captured, no state
    /// is being copied.
    pub plain: bool,
    /// How many times slower than usual it is.
    pub slowness: u32,
    /// Inputs from which no record comes any more.
    pub n_ended: u32,
    /// Inputs that have ended altogether.
    pub n_partitions_ended: u32,
    /// Whether no record can come any more.
    pub ended: bool,
    /// Outgoing channels whose receiver has processed all of its records.
    pub n_outputs_processed: u32,
    /// Whether the last checkpoint that it waits for, at its end, is complete.
    pub last_is_complete: bool,
    /// The savepoint that it is to stop with, once it takes part in it.
    pub stops_with: Option<CheckpointId>,
    /// Records sent on each outgoing edge in this attempt.
    pub n_routed: Vec<u64>,
    /// What it does.
    pub work: Work,
}

/// Half of a snapshot that comes too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Late {
    /// The copy of the state ([`Mutation::SnapshotAfterNextRecord`]).
    Snapshot(CheckpointId),
    /// The barrier ([`Mutation::BarrierAfterNextRecord`]).
    Barrier(Barrier),
}

impl Task {
    /// A subtask at the start of a run.
    #[must_use]
    pub fn new(scenario: &Scenario, task: SubtaskIndex) -> Self {
        let graph = &scenario.graph;
        let subtask = &graph.subtasks[task.index()];
        let work = match &graph.operator(task).kind {
            OperatorKind::Source { .. } => {
                Work::Source(SourceReader { offsets: vec![0; subtask.splits.len()], turn: 0 })
            }
            OperatorKind::Map(_) | OperatorKind::Filter(_) | OperatorKind::Union => Work::Stateless,
            OperatorKind::Sum(key)
            | OperatorKind::Count(key)
            | OperatorKind::Max(key)
            | OperatorKind::BroadcastProcess(key) => Work::Keyed(KeyedState::values(key)),
            OperatorKind::Join(_) => Work::Keyed(KeyedState::sides()),
            OperatorKind::Sink(kind) => {
                let sink = Sink::new(*kind, task);
                Work::Sink(match scenario.breaks(Mutation::RecommitOnRestart) {
                    true => sink.that_recommits(),
                    false => sink,
                })
            }
        };
        Self {
            attempt: Attempt(1),
            status: TaskStatus::Running,
            scheduled: false,
            in_hand: None,
            input: input(scenario, task),
            snapshots: SubtaskCheckpointCoordinator::default(),
            copying: None,
            postponed: false,
            storing: VecDeque::new(),
            tables: IncrementalSnapshots::default(),
            triggers: VecDeque::new(),
            late: Vec::new(),
            finished_since: None,
            n_snapshots: 0,
            n_full: 0,
            n_services: 0,
            instant: graph.spec(task).service.is_none(),
            plain: graph.spec(task).service.is_none(),
            slowness: 1,
            n_ended: 0,
            n_partitions_ended: 0,
            ended: false,
            n_outputs_processed: 0,
            last_is_complete: false,
            stops_with: None,
            n_routed: vec![0; subtask.outputs.len()],
            work,
        }
    }

    /// Whether it may take something up now.
    #[inline]
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.may_go_on() && !self.scheduled && self.n_full == 0
    }

    /// Whether it may take up a record now that concerns nothing but its own
    /// work.
    #[inline]
    #[must_use]
    pub fn is_plainly_free(&self) -> bool {
        // A task that copies its state is not plain.
        self.plain && !self.scheduled && self.n_full == 0 && self.status == TaskStatus::Running
    }

    /// Whether nothing but a full output buffer, or a step that is scheduled
    /// already, keeps it from doing something.
    #[inline]
    #[must_use]
    pub fn may_go_on(&self) -> bool {
        self.status == TaskStatus::Running && self.copying.is_none()
    }

    /// Whether it is between two records, so that it may do something else.
    #[must_use]
    pub fn is_between_records(&self) -> bool {
        self.may_go_on() && self.in_hand.is_none()
    }

    /// Stops it where it stands: it never does anything again in this attempt.
    pub fn stop(&mut self, scenario: &Scenario, task: SubtaskIndex, status: TaskStatus) {
        self.status = status;
        self.scheduled = false;
        self.in_hand = None;
        self.copying = None;
        self.storing.clear();
        self.triggers.clear();
        self.late.clear();
        self.input = input(scenario, task);
        self.snapshots.stop();
    }

    /// Begins a new attempt, without state. A source that cannot rewind stays
    /// where it is.
    pub fn restart(&mut self, scenario: &Scenario, task: SubtaskIndex, attempt: Attempt) {
        let mut fresh = Self::new(scenario, task);
        fresh.attempt = attempt;
        fresh.slowness = self.slowness;
        std::mem::swap(self, &mut fresh);
        let dead = fresh;
        self.tables = dead.tables;
        match (&mut self.work, dead.work) {
            (Work::Source(reader), Work::Source(before)) if !is_replayable(scenario, task) => {
                *reader = before;
            }
            (Work::Sink(sink), Work::Sink(before)) => *sink = before,
            (Work::Keyed(state), Work::Keyed(before))
                if scenario.breaks(Mutation::KeepStateOnRestart) =>
            {
                *state = before;
            }
            _ => {}
        }
    }

    /// Gets the state of a snapshot back.
    pub fn restore(&mut self, scenario: &Scenario, task: SubtaskIndex, from: &SnapshotState) {
        match (&mut self.work, from) {
            (Work::Source(reader), SnapshotState::Offsets(offsets))
                if is_replayable(scenario, task) =>
            {
                reader.offsets = offsets.iter().map(|(_, offset)| *offset).collect();
            }
            (
                Work::Keyed(state),
                SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries),
            ) if !scenario.breaks(Mutation::KeepStateOnRestart) => {
                state.restore(entries);
            }
            _ => {}
        }
    }

    /// What it stores in a snapshot now, and what it has after a restart.
    #[must_use]
    pub fn state(&self, scenario: &Scenario, task: SubtaskIndex) -> SnapshotState {
        let graph = &scenario.graph;
        match &self.work {
            Work::Source(reader) => {
                let splits = graph.subtasks[task.index()].splits.iter().copied();
                SnapshotState::Offsets(splits.zip(reader.offsets.iter().copied()).collect())
            }
            Work::Stateless => SnapshotState::Stateless,
            Work::Keyed(state) => {
                let kind = &graph.operator(task).kind;
                let selector = kind.key_selector().expect("a keyed operator has a key");
                match kind {
                    OperatorKind::BroadcastProcess(_) => {
                        SnapshotState::Broadcast(state.entries(selector))
                    }
                    _ => SnapshotState::Keyed(state.entries(selector)),
                }
            }
            Work::Sink(sink) => match sink.prepared() {
                Some(prepared) => SnapshotState::Transactions(prepared.to_vec()),
                None => SnapshotState::Stateless,
            },
        }
    }
}

fn is_replayable(scenario: &Scenario, task: SubtaskIndex) -> bool {
    match scenario.graph.operator(task).kind {
        OperatorKind::Source { replayable, .. } => {
            replayable && !scenario.breaks(Mutation::KeepOffsetsOnRestart)
        }
        _ => unreachable!("only sources read"),
    }
}

fn input(scenario: &Scenario, task: SubtaskIndex) -> CheckpointedInputGate {
    let n_channels = scenario.graph.subtasks[task.index()].inputs.len();
    let handling = BarrierHandling::of(scenario);
    CheckpointedInputGate::new(CheckpointBarrierHandler::new(
        n_channels,
        handling,
        &scenario.config,
    ))
}
