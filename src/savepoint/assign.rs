//! Gives a savepoint to a job: who gets what.
//!
//! Source: Flink `CheckpointCoordinator.restoreSavepoint`,
//! `StateAssignmentOperation.assignStates`.

use std::collections::BTreeMap;

use super::file::Saved;
use super::in_flight;
use super::refusal::Refusal;
use super::words::{key, key_text, key_type, record, split, state as state_of};
use crate::model::{
    Attempt, CheckpointId, ExecutionGraph, Key, KeySelector, MaxParallelismOrigin, Operator,
    OperatorIndex, OperatorKind, OperatorSnapshot, Partitioner, PreparedTransaction, SavedState,
    Scenario, SinkKind, SnapshotState, SplitIndex, Start, StartTransaction, StateValue,
    SubtaskIndex, SubtaskLife, SubtaskState, TransactionFate, TransactionId,
};
use crate::protocol::{
    DistributionPattern, FinishedState, HasState, JobOperator, KeyGroupRange, NamedState,
    OperatorStateMode, SnapshotOperator, map_states, repartition,
};

/// The same scenario, with its job starting from a savepoint. What its subtasks
/// read and how many key groups there are may become another than the file of
/// the scenario says.
///
/// # Errors
/// When the job cannot start from it.
pub fn start_from(scenario: &Scenario, saved: &Saved) -> Result<Scenario, Refusal> {
    let savepoint = &saved.savepoint;
    let (format, backend) = (savepoint.format, scenario.config.state.backend);
    if !format.fits(backend) {
        return Err(Refusal::OtherBackend { format, backend });
    }
    let snapshot: Vec<_> = savepoint.operators.iter().map(snapshot_operator).collect();
    let job = job_operators(&scenario.graph);
    let mapping = map_states(&snapshot, &job, scenario.config.non_restored_state)?;
    let mut graph = scenario.graph.job.clone();
    for (operator, place) in graph.operators.iter_mut().zip(&mapping.states) {
        let Some(from) = place.map(|place| &savepoint.operators[place]) else { continue };
        if operator.max_parallelism_origin == MaxParallelismOrigin::Derived {
            operator.max_parallelism = from.max_parallelism;
        }
        end_finished_splits(operator, from);
    }
    let mut assignment = Assignment {
        graph: ExecutionGraph::expand(graph),
        states: vec![None; scenario.graph.subtasks.len()],
        transactions: Vec::new(),
        skipped: mapping.skipped.iter().map(|at| savepoint.operators[*at].uid.clone()).collect(),
    };
    for (operator, place) in mapping.states.iter().enumerate() {
        if let Some(place) = place {
            let from = &savepoint.operators[*place];
            assignment.operator(OperatorIndex::at(operator), from, savepoint.id)?;
        }
    }
    let in_flight = in_flight::assign(&assignment.graph, savepoint)?;
    let start = Start {
        savepoint: savepoint.clone(),
        document: saved.line(),
        states: assignment.states,
        in_flight,
        transactions: assignment.transactions,
        skipped: assignment.skipped,
    };
    Ok(Scenario { graph: assignment.graph, start: Some(Box::new(start)), ..scenario.clone() })
}

fn snapshot_operator(operator: &OperatorSnapshot) -> SnapshotOperator {
    let finished = |subtask: &&crate::model::SubtaskSnapshot| subtask.life == SubtaskLife::Finished;
    let n_finished = operator.subtasks.iter().filter(finished).count();
    let is_empty = operator.subtasks.iter().all(|subtask| subtask.state.is_empty());
    SnapshotOperator {
        uid: operator.uid.clone(),
        max_parallelism: operator.max_parallelism,
        has_state: if is_empty { HasState::No } else { HasState::Yes },
        finished: match n_finished {
            0 => FinishedState::AllRunning,
            n if n == operator.subtasks.len() => FinishedState::FullyFinished,
            _ => FinishedState::PartiallyFinished,
        },
    }
}

fn job_operators(graph: &ExecutionGraph) -> Vec<JobOperator> {
    let operators = graph.job.operators.iter().enumerate();
    let operator = |(place, operator): (usize, &Operator)| {
        let edges = graph.job.edges.iter().filter(|edge| edge.to.index() == place);
        let input = |edge: &crate::model::Edge| {
            let pattern = match edge.partitioner {
                Partitioner::Forward => DistributionPattern::Pointwise,
                _ => DistributionPattern::AllToAll,
            };
            (edge.from.index(), pattern)
        };
        let is_configured = operator.max_parallelism_origin == MaxParallelismOrigin::Configured;
        JobOperator {
            uid: operator.uid.clone(),
            parallelism: operator.parallelism,
            max_parallelism: is_configured.then_some(operator.max_parallelism),
            inputs: edges.map(input).collect(),
        }
    };
    operators.map(operator).collect()
}

/// A subtask of a source that had finished does not run again: what its splits
/// have beyond is not read.
// Flink 1.20: StateAssignmentOperation.assignFinishedStateToTask; the splits of
// a part that had finished are in no reader's state, and the enumerator has
// given them out.
fn end_finished_splits(operator: &mut Operator, from: &OperatorSnapshot) {
    let OperatorKind::Source { splits, .. } = &mut operator.kind else { return };
    let finished = from.subtasks.iter().filter(|subtask| subtask.life == SubtaskLife::Finished);
    for offset in finished.filter_map(|subtask| match &subtask.state {
        SubtaskState::Splits(offsets) => Some(offsets),
        _ => None,
    }) {
        for at in offset {
            for split in splits.iter_mut().filter(|split| split.name == at.split) {
                split.values = split.values.first(at.offset);
            }
        }
    }
}

/// What is given to a job so far.
struct Assignment {
    graph: ExecutionGraph,
    states: Vec<Option<SnapshotState>>,
    transactions: Vec<StartTransaction>,
    skipped: Vec<String>,
}

impl Assignment {
    /// Gives an operator what it had stored.
    fn operator(
        &mut self,
        operator: OperatorIndex,
        from: &OperatorSnapshot,
        savepoint: CheckpointId,
    ) -> Result<(), Refusal> {
        let kind = self.graph.job.operators[operator.index()].kind.clone();
        match &kind {
            OperatorKind::Source { .. } => self.source(operator, from),
            OperatorKind::Sink(SinkKind::Transactional) => self.sink(operator, from, savepoint),
            OperatorKind::Sum(keys) | OperatorKind::Count(keys) | OperatorKind::Max(keys) => {
                self.keyed((operator, keys), from, |state| matches!(state, SavedState::Value(_)))
            }
            OperatorKind::Join(keys) => {
                self.keyed((operator, keys), from, |state| matches!(state, SavedState::Sides(_)))
            }
            OperatorKind::BroadcastProcess(keys) => self.broadcast((operator, keys), from),
            OperatorKind::Map(_)
            | OperatorKind::Filter(_)
            | OperatorKind::Union
            | OperatorKind::Sink(_) => {
                // Flink does not complain: it is the state of a name that nobody
                // asks for.
                if from.subtasks.iter().any(|subtask| !subtask.state.is_empty()) {
                    self.skipped.push(from.uid.clone());
                }
                for task in self.tasks(operator) {
                    self.states[task.index()] = Some(SnapshotState::Stateless);
                }
                Ok(())
            }
        }
    }

    fn tasks(&self, operator: OperatorIndex) -> Vec<SubtaskIndex> {
        let tasks = self.graph.subtask_indices();
        tasks.filter(|task| self.graph.subtasks[task.index()].operator == operator).collect()
    }

    /// Splits with their offsets are list state, or union list state. Those that
    /// the savepoint does not know, and those of subtasks that had finished, are
    /// read where they would be read without it.
    fn source(&mut self, operator: OperatorIndex, from: &OperatorSnapshot) -> Result<(), Refusal> {
        let tasks = self.tasks(operator);
        let mut offsets: BTreeMap<SplitIndex, u32> = BTreeMap::new();
        let mut running = vec![Vec::new(); from.subtasks.len()];
        for (subtask, running) in from.subtasks.iter().zip(&mut running) {
            let SubtaskState::Splits(splits) = &subtask.state else { continue };
            for at in splits {
                let split = split(&self.graph, &at.split)?;
                let is_own = self.graph.splits[split.index()].operator == operator;
                let n_records = self.graph.split(split).values.len();
                if !is_own || at.offset > n_records {
                    return Err(Refusal::SplitGone { split: at.split.clone() });
                }
                offsets.insert(split, at.offset);
                if subtask.life == SubtaskLife::Running {
                    running.push(split);
                }
            }
        }
        let (name, mode) = match self.graph.job.operators[operator.index()].kind.has_union_list() {
            true => ("topic-partition-offset-states", OperatorStateMode::Union),
            false => ("SourceReaderState", OperatorStateMode::SplitDistribute),
        };
        let state = NamedState { name: name.to_owned(), mode, subtasks: running };
        let assigned = repartition(&[state], tasks.len() as u32).remove(0);
        let mut readers: BTreeMap<SubtaskIndex, Vec<SplitIndex>> = BTreeMap::new();
        for (task, given) in tasks.iter().zip(assigned) {
            let own = &self.graph.subtasks[task.index()].splits;
            let kept = match mode {
                // Flink 1.14: FlinkKafkaConsumerBase.open: everybody looks at all of
                // them, and one rule says whose a split is.
                OperatorStateMode::Union => {
                    own.iter().filter(|split| given.contains(split)).copied().collect()
                }
                _ => given,
            };
            readers.insert(*task, kept);
        }
        let known: Vec<SplitIndex> = readers.values().flatten().copied().collect();
        for task in &tasks {
            let own = self.graph.subtasks[task.index()].splits.clone();
            let new = own.into_iter().filter(|split| !known.contains(split));
            readers.entry(*task).or_default().extend(new);
        }
        self.graph.reassign_splits(&readers);
        for (task, splits) in readers {
            let at = |split: SplitIndex| (split, offsets.get(&split).copied().unwrap_or(0));
            let offsets = splits.into_iter().map(at).collect();
            self.states[task.index()] = Some(SnapshotState::Offsets(offsets));
        }
        Ok(())
    }

    /// Prepared transactions are list state.
    fn sink(
        &mut self,
        operator: OperatorIndex,
        from: &OperatorSnapshot,
        savepoint: CheckpointId,
    ) -> Result<(), Refusal> {
        let tasks = self.tasks(operator);
        let prepared = |subtask: &crate::model::SubtaskSnapshot| match &subtask.state {
            SubtaskState::Transactions(prepared) => prepared.clone(),
            _ => Vec::new(),
        };
        let mode = OperatorStateMode::SplitDistribute;
        let subtasks: Vec<Vec<PreparedTransaction>> = from.subtasks.iter().map(prepared).collect();
        let state = NamedState { name: "state".to_owned(), mode, subtasks };
        let assigned = repartition(&[state], tasks.len() as u32).remove(0);
        let keys = self.graph.keys_of(operator).cloned();
        for (task, prepared) in tasks.into_iter().zip(assigned) {
            // Flink commits all of them again; the outside knows those that it
            // has committed already.
            let open = prepared.iter().filter(|one| one.fate == TransactionFate::Prepared);
            let mut ids = Vec::new();
            for (transaction, number) in open.zip(1..) {
                let id = TransactionId { subtask: task, attempt: Attempt(0), number };
                let records = transaction.records.iter();
                let records = records.map(|saved| record(&self.graph, saved, keys.as_ref()));
                let records = records.collect::<Result<_, _>>()?;
                let checkpoint = transaction.checkpoint.min(savepoint);
                ids.push((id, checkpoint));
                self.transactions.push(StartTransaction { id, checkpoint, records });
            }
            self.states[task.index()] = Some(SnapshotState::Transactions(ids));
        }
        Ok(())
    }

    /// Broadcast state is the same in every subtask, and everybody gets it.
    fn broadcast(
        &mut self,
        (operator, selector): (OperatorIndex, &KeySelector),
        from: &OperatorSnapshot,
    ) -> Result<(), Refusal> {
        let (uid, job) = (|| from.uid.clone(), key_type(selector));
        if let Some(snapshot) = from.keys.filter(|snapshot| *snapshot != job) {
            return Err(Refusal::OtherKeys { operator: uid(), snapshot, job });
        }
        let is_other = |state: &SubtaskState| {
            !matches!(state, SubtaskState::Broadcast(_) | SubtaskState::Stateless)
        };
        if from.subtasks.iter().any(|subtask| is_other(&subtask.state)) {
            self.skipped.push(uid());
        }
        let of = |subtask: &crate::model::SubtaskSnapshot| match &subtask.state {
            SubtaskState::Broadcast(entries) => entries.clone(),
            _ => Vec::new(),
        };
        let subtasks = from.subtasks.iter().map(of).collect();
        let mode = OperatorStateMode::Broadcast;
        let state = NamedState { name: "rules".to_owned(), mode, subtasks };
        let tasks = self.tasks(operator);
        let assigned = repartition(&[state], tasks.len() as u32).remove(0);
        for (task, saved) in tasks.into_iter().zip(assigned) {
            let entry = |entry: crate::model::KeyedEntry| {
                let own = key(&entry.key, selector);
                let own = own.ok_or_else(|| Refusal::UnknownKey {
                    operator: uid(),
                    key: key_text(&entry.key),
                })?;
                Ok((own, state_of(&entry.value)))
            };
            let mut entries = saved.into_iter().map(entry).collect::<Result<Vec<_>, Refusal>>()?;
            entries.sort_by_key(|(key, _)| *key);
            self.states[task.index()] = Some(SnapshotState::Broadcast(entries));
        }
        Ok(())
    }

    /// State by key goes where its key group goes. State of another name than
    /// the operator asks for stays unused.
    // Differs: in Flink state by key follows key groups whatever comes before; here
    // a custom partitioner may distribute the keys, and such state is not given to
    // another number of subtasks.
    // Differs: Flink keeps the state of a key that never comes again; here an
    // operator bounds its keys, and does not start with one that it cannot have.
    fn keyed(
        &mut self,
        (operator, selector): (OperatorIndex, &KeySelector),
        from: &OperatorSnapshot,
        is_asked_for: impl Fn(&SavedState) -> bool,
    ) -> Result<(), Refusal> {
        let uid = || from.uid.clone();
        let job = key_type(selector);
        if let Some(snapshot) = from.keys.filter(|snapshot| *snapshot != job) {
            return Err(Refusal::OtherKeys { operator: uid(), snapshot, job });
        }
        let tasks = self.tasks(operator);
        let is_rescaled = from.parallelism != tasks.len() as u32;
        let edges = self.graph.job.edges.iter().filter(|edge| edge.to == operator);
        let is_custom = edges.clone().any(|edge| edge.partitioner == Partitioner::Modulo);
        if is_rescaled && is_custom {
            return Err(Refusal::CustomPartitioner { operator: uid() });
        }
        let mut entries: Vec<Vec<(Key, StateValue)>> = vec![Vec::new(); tasks.len()];
        let ranges = KeyGroupRange::partitions(tasks.len() as u32, from.max_parallelism);
        let mut is_unused = false;
        for (old, subtask) in from.subtasks.iter().enumerate() {
            let SubtaskState::Keyed(groups) = &subtask.state else { continue };
            for group in groups {
                // Flink 1.20: with as many subtasks as before each keeps its own.
                let new = match is_rescaled {
                    true => ranges.iter().position(|range| range.contains(group.group)),
                    false => Some(old),
                };
                let new = new.ok_or_else(|| Refusal::Impossible {
                    what: format!("key group {} belongs to nobody", group.group),
                })?;
                for entry in &group.entries {
                    let key = key(&entry.key, selector).ok_or_else(|| Refusal::UnknownKey {
                        operator: uid(),
                        key: key_text(&entry.key),
                    })?;
                    match is_asked_for(&entry.value) {
                        true => entries[new].push((key, state_of(&entry.value))),
                        false => is_unused = true,
                    }
                }
            }
        }
        if is_unused {
            self.skipped.push(from.uid.clone());
        }
        for (task, mut entries) in tasks.into_iter().zip(entries) {
            entries.sort_by_key(|(key, _)| *key);
            entries.dedup_by_key(|(key, _)| *key);
            self.states[task.index()] = Some(SnapshotState::Keyed(entries));
        }
        Ok(())
    }
}
