//! Takes savepoints, and the checkpoints that a job leaves behind, out of a run
//! while it goes on.
//!
//! It goes by the facts alone, so that a trace will do as well.

use std::collections::BTreeMap;

use super::words::{key_type, saved_key, saved_record, saved_state};
use crate::model::{
    ChannelIndex, ChannelPlace, ChannelSnapshot, CheckpointId, ExecutionGraph, HighAvailability,
    KeyGroupSnapshot, KeyedEntry, OperatorIndex, OperatorKind, OperatorSnapshot,
    PreparedTransaction, Record, Savepoint, SavepointFormat, Scenario, SinkKind, SnapshotState,
    SnapshotType, SplitOffset, StateValue, SubtaskIndex, SubtaskLife, SubtaskSnapshot,
    SubtaskState, Time, TransactionFate, TransactionId, key_group,
};
use crate::trace::{ChannelState, Fact};

/// Which snapshots are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Savepoints.
    Savepoints,
    /// And the checkpoints that the job leaves behind.
    SavepointsAndCheckpoints,
}

/// A snapshot that has been taken out of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// In which step it was there: a savepoint when it was complete, a
    /// checkpoint when the job has left it behind.
    pub step: u64,
    /// What it holds.
    pub savepoint: Savepoint,
}

/// Follows a run.
#[derive(Debug)]
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    wanted: Wanted,
    seed: u64,
    /// Snapshots that are pending, or complete and not deleted.
    snapshots: BTreeMap<CheckpointId, Snapshot>,
    /// By task: the transaction that is written into.
    open: BTreeMap<SubtaskIndex, TransactionId>,
    transactions: BTreeMap<TransactionId, Written>,
}

#[derive(Debug)]
struct Snapshot {
    snapshot: SnapshotType,
    format: SavepointFormat,
    triggered_at: Time,
    completed_at: Option<Time>,
    states: BTreeMap<SubtaskIndex, (SnapshotState, SubtaskLife)>,
    in_flight: BTreeMap<ChannelIndex, ChannelState>,
    /// What was in the transactions, as soon as it is complete.
    prepared: BTreeMap<TransactionId, (TransactionFate, Vec<Record>)>,
}

/// What stands in a transaction.
#[derive(Debug, Default)]
struct Written {
    fate: TransactionFate,
    records: Vec<Record>,
}

impl<'a> Recorder<'a> {
    /// Begins with a run of a scenario with a seed.
    #[must_use]
    pub fn new(scenario: &'a Scenario, seed: u64, wanted: Wanted) -> Self {
        let graph = &scenario.graph;
        // Every transactional sink starts with its first transaction open.
        let is_transactional = |task: &SubtaskIndex| {
            graph.operator(*task).kind == OperatorKind::Sink(SinkKind::Transactional)
        };
        let sinks = graph.subtask_indices().filter(is_transactional);
        let attempt = crate::model::Attempt(1);
        let open = sinks.map(|task| (task, TransactionId { subtask: task, attempt, number: 1 }));
        let mut transactions = BTreeMap::new();
        for start in scenario.start.iter().flat_map(|start| &start.transactions) {
            let written = Written { records: start.records.clone(), ..Written::default() };
            transactions.insert(start.id, written);
        }
        Self {
            scenario,
            wanted,
            seed: scenario.seed_of_values(seed),
            snapshots: BTreeMap::new(),
            open: open.collect(),
            transactions,
        }
    }

    /// Takes in a step; gives what is there with it.
    pub fn observe(&mut self, step: u64, at: Time, facts: &[Fact]) -> Vec<Taken> {
        let mut taken = Vec::new();
        for fact in facts {
            taken.extend(self.take_in(at, fact).map(|savepoint| Taken { step, savepoint }));
        }
        taken
    }

    fn take_in(&mut self, at: Time, fact: &Fact) -> Option<Savepoint> {
        match fact {
            Fact::CheckpointTriggered { checkpoint, snapshot, format, .. } => {
                let backend = self.scenario.config.state.backend;
                let snapshot = Snapshot {
                    snapshot: *snapshot,
                    format: match snapshot.is_savepoint() {
                        true => SavepointFormat::of(*format, backend),
                        false => SavepointFormat::native(backend),
                    },
                    triggered_at: at,
                    completed_at: None,
                    states: BTreeMap::new(),
                    in_flight: BTreeMap::new(),
                    prepared: BTreeMap::new(),
                };
                self.snapshots.insert(*checkpoint, snapshot);
            }
            Fact::SnapshotTaken { task, checkpoint, state } => {
                self.stored((*task, *checkpoint), state, SubtaskLife::Running);
            }
            Fact::FinishedTaskIncluded { task, checkpoint, state } => {
                self.stored((*task, *checkpoint), state, SubtaskLife::Finished);
            }
            Fact::ChannelStateSaved { checkpoint, channel, end, records } => {
                if let Some(snapshot) = self.snapshots.get_mut(checkpoint) {
                    let state = snapshot.in_flight.entry(*channel).or_default();
                    state.end(*end).extend(records.iter().map(|in_flight| in_flight.record));
                }
            }
            Fact::CheckpointCompleted { checkpoint } => return self.completed(*checkpoint, at),
            Fact::CheckpointRetained { checkpoint } => {
                let snapshot = self.snapshots.remove(checkpoint)?;
                let is_wanted = self.wanted == Wanted::SavepointsAndCheckpoints;
                return is_wanted.then(|| self.savepoint(*checkpoint, &snapshot));
            }
            Fact::CheckpointAborted { checkpoint, .. }
            | Fact::CheckpointDiscarded { checkpoint } => {
                self.snapshots.remove(checkpoint);
            }
            Fact::JobManagerCrashed { .. } => {
                self.snapshots.retain(|_, snapshot| snapshot.completed_at.is_some());
            }
            Fact::JobManagerStarted { high_availability: HighAvailability::Off } => {
                self.snapshots.clear();
            }
            Fact::Processed { task, record, .. } => {
                if let Some(open) = self.open.get(task) {
                    self.transactions.entry(*open).or_default().records.push(*record);
                }
            }
            Fact::TransactionBegun { transaction } => {
                self.open.insert(transaction.subtask, *transaction);
                self.transactions.insert(*transaction, Written::default());
            }
            Fact::TransactionPrepared { transaction, .. } => {
                self.open.retain(|_, open| open != transaction);
            }
            Fact::TransactionCommitted { transaction, .. } => {
                if let Some(written) = self.transactions.get_mut(transaction) {
                    written.fate = TransactionFate::Committed;
                }
            }
            Fact::TransactionAborted { transaction, .. } => {
                self.transactions.remove(transaction);
            }
            _ => {}
        }
        None
    }

    fn stored(
        &mut self,
        (task, checkpoint): (SubtaskIndex, CheckpointId),
        state: &SnapshotState,
        life: SubtaskLife,
    ) {
        if let Some(snapshot) = self.snapshots.get_mut(&checkpoint) {
            snapshot.states.insert(task, (state.clone(), life));
        }
    }

    /// A snapshot is complete: what its transactions hold is settled.
    fn completed(&mut self, checkpoint: CheckpointId, at: Time) -> Option<Savepoint> {
        let snapshot = self.snapshots.get_mut(&checkpoint)?;
        snapshot.completed_at = Some(at);
        for (state, _) in snapshot.states.values() {
            let SnapshotState::Transactions(prepared) = state else { continue };
            for (id, _) in prepared {
                let written = self.transactions.get(id);
                let written = written.map(|written| (written.fate, written.records.clone()));
                snapshot.prepared.insert(*id, written.unwrap_or_default());
            }
        }
        // What has been committed and is in no snapshot is never asked for again.
        let snapshots = &self.snapshots;
        self.transactions.retain(|id, written| {
            written.fate == TransactionFate::Prepared
                || snapshots
                    .values()
                    .any(|snapshot| snapshot.completed_at.is_none() && snapshot.holds(*id))
        });
        if !self.snapshots[&checkpoint].snapshot.is_savepoint() {
            return None;
        }
        let snapshot = self.snapshots.remove(&checkpoint)?;
        Some(self.savepoint(checkpoint, &snapshot))
    }

    fn savepoint(&self, id: CheckpointId, snapshot: &Snapshot) -> Savepoint {
        let graph = &self.scenario.graph;
        let operators = (0..graph.job.operators.len()).map(OperatorIndex::at);
        let in_flight = snapshot.in_flight.iter().filter(|(_, state)| !state.is_empty());
        Savepoint {
            job: self.scenario.name.clone(),
            snapshot: snapshot.snapshot,
            id,
            format: snapshot.format,
            seed: self.seed,
            triggered_at: snapshot.triggered_at,
            completed_at: snapshot.completed_at.unwrap_or(snapshot.triggered_at),
            operators: operators.map(|id| operator(graph, id, snapshot)).collect(),
            in_flight: in_flight.map(|(channel, state)| flight(graph, *channel, state)).collect(),
        }
    }
}

impl Snapshot {
    fn holds(&self, transaction: TransactionId) -> bool {
        self.states.values().any(|(state, _)| match state {
            SnapshotState::Transactions(prepared) => {
                prepared.iter().any(|(id, _)| *id == transaction)
            }
            _ => false,
        })
    }
}

fn operator(graph: &ExecutionGraph, id: OperatorIndex, snapshot: &Snapshot) -> OperatorSnapshot {
    let spec = &graph.job.operators[id.index()];
    let tasks = graph.subtask_indices();
    let tasks = tasks.filter(|task| graph.subtasks[task.index()].operator == id);
    let subtask = |task: SubtaskIndex| match snapshot.states.get(&task) {
        Some((state, life)) => {
            SubtaskSnapshot { life: *life, state: subtask_state(graph, task, (state, snapshot)) }
        }
        None => SubtaskSnapshot { life: SubtaskLife::Running, state: SubtaskState::Stateless },
    };
    OperatorSnapshot {
        uid: spec.uid.clone(),
        name: spec.name.clone(),
        parallelism: spec.parallelism,
        max_parallelism: spec.max_parallelism,
        keys: spec.kind.key_selector().map(key_type),
        subtasks: tasks.map(subtask).collect(),
    }
}

fn subtask_state(
    graph: &ExecutionGraph,
    task: SubtaskIndex,
    (state, snapshot): (&SnapshotState, &Snapshot),
) -> SubtaskState {
    match state {
        SnapshotState::Stateless => SubtaskState::Stateless,
        SnapshotState::Offsets(offsets) => {
            let split = |(split, offset): &(_, u32)| SplitOffset {
                split: graph.split(*split).name.clone(),
                offset: *offset,
            };
            SubtaskState::Splits(offsets.iter().map(split).collect())
        }
        SnapshotState::Keyed(entries) => SubtaskState::Keyed(groups(graph, task, entries)),
        SnapshotState::Broadcast(entries) => {
            let keys = graph.operator(task).kind.key_selector();
            let entry = |(key, value): &(crate::model::Key, StateValue)| KeyedEntry {
                key: saved_key(*key, keys),
                value: saved_state(value),
            };
            SubtaskState::Broadcast(entries.iter().map(entry).collect())
        }
        SnapshotState::Transactions(prepared) => {
            let keys = graph.keys_of(graph.subtasks[task.index()].operator);
            let transaction = |(id, checkpoint): &(TransactionId, CheckpointId)| {
                let (fate, records) = snapshot.prepared.get(id).cloned().unwrap_or_default();
                let sink = &graph.subtasks[id.subtask.index()].name;
                PreparedTransaction {
                    transaction: format!("{sink}/{}/{}", id.attempt, id.number),
                    checkpoint: *checkpoint,
                    fate,
                    records: records.iter().map(|one| saved_record(graph, one, keys)).collect(),
                }
            };
            SubtaskState::Transactions(prepared.iter().map(transaction).collect())
        }
    }
}

/// State by key, by key group.
fn groups(
    graph: &ExecutionGraph,
    task: SubtaskIndex,
    entries: &[(crate::model::Key, StateValue)],
) -> Vec<KeyGroupSnapshot> {
    let operator = graph.operator(task);
    let Some(selector) = operator.kind.key_selector() else { return Vec::new() };
    let mut groups: BTreeMap<u32, Vec<KeyedEntry>> = BTreeMap::new();
    for (key, value) in entries {
        let group = key_group(selector.hash_code(*key), operator.max_parallelism);
        let entry = KeyedEntry { key: saved_key(*key, Some(selector)), value: saved_state(value) };
        groups.entry(group).or_default().push(entry);
    }
    groups.into_iter().map(|(group, entries)| KeyGroupSnapshot { group, entries }).collect()
}

/// What was in flight on a channel.
fn flight(graph: &ExecutionGraph, channel: ChannelIndex, state: &ChannelState) -> ChannelSnapshot {
    let spec = &graph.channels[channel.index()];
    let edge = &graph.job.edges[spec.edge.index()];
    let earlier = &graph.job.edges[..spec.edge.index()];
    let place = |task: SubtaskIndex| ChannelPlace {
        uid: graph.operator(task).uid.clone(),
        subtask: graph.subtasks[task.index()].position,
    };
    let keys = graph.keys_of(edge.from);
    let records =
        |records: &[Record]| records.iter().map(|one| saved_record(graph, one, keys)).collect();
    ChannelSnapshot {
        from: place(spec.from),
        to: place(spec.to),
        edge: earlier.iter().filter(|e| (e.from, e.to) == (edge.from, edge.to)).count() as u32,
        input: records(&state.input),
        output: records(&state.output),
    }
}
