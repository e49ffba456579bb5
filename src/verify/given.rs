//! What a savepoint gives to each subtask and channel of the job that starts
//! from it, worked out from its file alone.
//!
//! Source: Flink's documentation of rescaling: key groups go in ranges, list
//! state in slices that differ by one at most, records in flight to whoever
//! their key belongs to now.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Attempt, ChannelIndex, CheckpointId, ExecutionGraph, Key, KeySelector, OperatorIndex,
    OperatorKind, OperatorSnapshot, Partitioner, Path, Record, RecordId, Route, SavedKey,
    SavedRecord, SavedState, SavedValue, Savepoint, SinkKind, SnapshotState, SplitIndex,
    StateValue, SubtaskIndex, SubtaskLife, SubtaskState, TransactionFate, TransactionId, Value,
};

/// What everybody must get.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The savepoint.
    pub(super) savepoint: CheckpointId,
    /// By subtask; none starts empty.
    pub(super) states: Vec<Option<SnapshotState>>,
    /// By channel: what comes into the receive queue, and into the output
    /// buffer.
    pub(super) in_flight: BTreeMap<ChannelIndex, [Vec<Record>; 2]>,
    /// What sinks must commit.
    pub(super) transactions: Vec<GivenTransaction>,
    /// By split: records that the job before has read.
    pub(super) offsets: Vec<u32>,
}

/// A transaction that the job before has prepared.
#[derive(Debug)]
pub(super) struct GivenTransaction {
    pub(super) id: TransactionId,
    pub(super) checkpoint: CheckpointId,
    pub(super) records: Vec<Record>,
}

impl Given {
    /// What a savepoint gives to a job.
    pub(super) fn of(graph: &ExecutionGraph, savepoint: &Savepoint) -> Self {
        let mut given = Self {
            savepoint: savepoint.id,
            states: vec![None; graph.subtasks.len()],
            offsets: vec![0; graph.splits.len()],
            ..Self::default()
        };
        for operator in (0..graph.job.operators.len()).map(OperatorIndex::at) {
            let uid = &graph.job.operators[operator.index()].uid;
            if let Some(from) = savepoint.operators.iter().find(|own| own.uid == *uid) {
                given.operator(graph, operator, from);
            }
        }
        given.channels(graph, savepoint);
        given
    }

    fn operator(&mut self, graph: &ExecutionGraph, id: OperatorIndex, from: &OperatorSnapshot) {
        let tasks = subtasks(graph, id);
        let kind = &graph.job.operators[id.index()].kind;
        match kind {
            OperatorKind::Source { .. } => self.source(graph, &tasks, from),
            OperatorKind::Sink(SinkKind::Transactional) => self.sink(graph, &tasks, from),
            OperatorKind::BroadcastProcess(selector) => self.rules(selector, &tasks, from),
            _ => match kind.key_selector() {
                Some(selector) => self.keyed((kind, selector), &tasks, from),
                None => tasks.iter().for_each(|task| {
                    self.states[task.index()] = Some(SnapshotState::Stateless);
                }),
            },
        }
    }

    /// The splits that were being read are dealt out in slices; the graph must
    /// have them where they belong, or the state will not be the one restored.
    fn source(&mut self, graph: &ExecutionGraph, tasks: &[SubtaskIndex], from: &OperatorSnapshot) {
        let number = |name: &str| {
            (0..graph.splits.len()).map(SplitIndex::at).find(|at| graph.split(*at).name == name)
        };
        let mut dealt: Vec<Vec<SplitIndex>> = Vec::new();
        let mut is_known = BTreeSet::new();
        for subtask in &from.subtasks {
            let mut own = Vec::new();
            if let SubtaskState::Splits(splits) = &subtask.state {
                for at in splits {
                    let Some(split) = number(&at.split) else { continue };
                    self.offsets[split.index()] = at.offset;
                    if subtask.life == SubtaskLife::Running {
                        own.push(split);
                        is_known.insert(split);
                    }
                }
            }
            dealt.push(own);
        }
        let n_old = dealt.len();
        let is_union =
            tasks.first().is_some_and(|task| graph.operator(*task).kind.has_union_list());
        if is_union {
            // Everybody knows of all, and reads what it would read anyway.
            is_known.clear();
            dealt = vec![Vec::new(); tasks.len()];
        }
        let dealt = if is_union || n_old == tasks.len() {
            dealt
        } else {
            deal(dealt.concat(), tasks.len())
        };
        let of_source = |split: &SplitIndex| {
            let first = tasks.first().map(|task| graph.subtasks[task.index()].operator);
            Some(graph.splits[split.index()].operator) == first
        };
        let all: Vec<_> = (0..graph.splits.len()).map(SplitIndex::at).filter(of_source).collect();
        for (place, (task, mut splits)) in tasks.iter().zip(dealt).enumerate() {
            // What nobody was reading is read where a job without a savepoint
            // would read it.
            let others = all.iter().enumerate().filter(|(at, _)| at % tasks.len() == place);
            splits.extend(others.map(|(_, split)| *split).filter(|at| !is_known.contains(at)));
            let at = |split: SplitIndex| (split, self.offsets[split.index()]);
            let offsets = splits.into_iter().map(at).collect();
            self.states[task.index()] = Some(SnapshotState::Offsets(offsets));
        }
    }

    fn sink(&mut self, graph: &ExecutionGraph, tasks: &[SubtaskIndex], from: &OperatorSnapshot) {
        let mut lists = Vec::new();
        for subtask in &from.subtasks {
            lists.push(match &subtask.state {
                SubtaskState::Transactions(prepared) => prepared.clone(),
                _ => Vec::new(),
            });
        }
        let n_old = lists.len();
        let lists = if n_old == tasks.len() { lists } else { deal(lists.concat(), tasks.len()) };
        for (subtask, list) in tasks.iter().zip(lists) {
            let mut named = Vec::new();
            let keys = graph.keys_of(graph.subtasks[subtask.index()].operator);
            for one in list.into_iter().filter(|one| one.fate == TransactionFate::Prepared) {
                let number = named.len() as u32 + 1;
                let id = TransactionId { subtask: *subtask, attempt: Attempt(0), number };
                let checkpoint = one.checkpoint.min(self.savepoint);
                named.push((id, checkpoint));
                let records = one.records.iter().filter_map(|saved| record(graph, saved, keys));
                let records = records.collect();
                self.transactions.push(GivenTransaction { id, checkpoint, records });
            }
            self.states[subtask.index()] = Some(SnapshotState::Transactions(named));
        }
    }

    /// Everybody gets what the subtask of its number had, and beyond these again
    /// from the first on.
    fn rules(&mut self, selector: &KeySelector, tasks: &[SubtaskIndex], from: &OperatorSnapshot) {
        for (place, task) in tasks.iter().enumerate() {
            let old = from.subtasks.get(place % from.subtasks.len().max(1));
            let mut rules: BTreeMap<Key, StateValue> = BTreeMap::new();
            if let Some(SubtaskState::Broadcast(entries)) = old.map(|old| &old.state) {
                for entry in entries {
                    if let (Some(key), SavedState::Value(one)) =
                        (key(&entry.key, Some(selector)), &entry.value)
                    {
                        rules.insert(key, StateValue::Value(value(*one)));
                    }
                }
            }
            self.states[task.index()] = Some(SnapshotState::Broadcast(rules.into_iter().collect()));
        }
    }

    fn keyed(
        &mut self,
        (kind, selector): (&OperatorKind, &KeySelector),
        tasks: &[SubtaskIndex],
        from: &OperatorSnapshot,
    ) {
        let is_join = matches!(kind, OperatorKind::Join(_));
        let n_new = tasks.len() as u64;
        let mut states: Vec<BTreeMap<Key, StateValue>> = vec![BTreeMap::new(); tasks.len()];
        for (old, subtask) in from.subtasks.iter().enumerate() {
            let SubtaskState::Keyed(groups) = &subtask.state else { continue };
            for group in groups {
                let place = match from.subtasks.len() == tasks.len() {
                    true => old,
                    // The range that the group lies in.
                    false => {
                        let max = u64::from(from.max_parallelism);
                        (u64::from(group.group) * n_new / max) as usize
                    }
                };
                for entry in &group.entries {
                    let value = match &entry.value {
                        SavedState::Value(one) if !is_join => StateValue::Value(value(*one)),
                        SavedState::Sides(sides) if is_join => StateValue::Sides {
                            left: sides.left.map(value),
                            right: sides.right.map(value),
                        },
                        _ => continue,
                    };
                    if let Some(key) = key(&entry.key, Some(selector)) {
                        states[place].insert(key, value);
                    }
                }
            }
        }
        for (task, state) in tasks.iter().zip(states) {
            self.states[task.index()] = Some(SnapshotState::Keyed(state.into_iter().collect()));
        }
    }

    /// Records that were in flight: sender i of n becomes sender i modulo the
    /// new number, and the receiver is whoever the record is for now.
    fn channels(&mut self, graph: &ExecutionGraph, savepoint: &Savepoint) {
        let mut saved: Vec<_> = savepoint.in_flight.iter().collect();
        saved.sort_by_key(|one| (one.from.subtask, one.to.subtask));
        for one in saved {
            let of = |uid: &str| graph.job.operators.iter().position(|own| own.uid == uid);
            let (Some(from), Some(to)) = (of(&one.from.uid), of(&one.to.uid)) else { continue };
            let (from, to) = (OperatorIndex::at(from), OperatorIndex::at(to));
            let edges = graph.job.edges.iter().enumerate();
            let mut edges = edges.filter(|(_, edge)| (edge.from, edge.to) == (from, to));
            let Some((edge, spec)) = edges.nth(one.edge as usize) else { continue };
            let (senders, receivers) = (subtasks(graph, from), subtasks(graph, to));
            let n_old = savepoint.operators.iter().find(|own| own.uid == one.to.uid);
            let is_rescaled = n_old.is_none_or(|own| own.subtasks.len() != receivers.len());
            let sender = senders[one.from.subtask as usize % senders.len()];
            let outputs = &graph.subtasks[sender.index()].outputs;
            let Some(output) = outputs.iter().find(|own| own.edge.index() == edge) else {
                continue;
            };
            for (end, records) in [&one.input, &one.output].into_iter().enumerate() {
                for saved in records {
                    let Some(record) = record(graph, saved, graph.keys_of(from)) else { continue };
                    let receiver = match (&spec.partitioner, is_rescaled) {
                        (_, false) => one.to.subtask,
                        (Partitioner::Rebalance, true) => one.to.subtask % receivers.len() as u32,
                        (_, true) => match graph.route(output, 0, &record, 0) {
                            Route::One(receiver) => receiver,
                            Route::All => continue,
                        },
                    };
                    let to = receivers[receiver as usize];
                    let mut channels = output.channels.iter();
                    let channel = channels.find(|at| graph.channels[at.index()].to == to);
                    if let Some(channel) = channel {
                        self.in_flight.entry(*channel).or_default()[end].push(record);
                    }
                }
            }
        }
    }
}

/// Deals a list out in slices: the first ones get one more, if it does not come
/// out even.
fn deal<T>(list: Vec<T>, n: usize) -> Vec<Vec<T>> {
    let n_items = list.len();
    let mut items = list.into_iter();
    let n_of = |place: usize| n_items / n + usize::from(place < n_items % n);
    (0..n).map(|place| items.by_ref().take(n_of(place)).collect()).collect()
}

fn subtasks(graph: &ExecutionGraph, operator: OperatorIndex) -> Vec<SubtaskIndex> {
    let all = graph.subtask_indices();
    all.filter(|task| graph.subtasks[task.index()].operator == operator).collect()
}

fn value(saved: SavedValue) -> Value {
    match saved {
        SavedValue::Number(number) => Value::Number(number),
        SavedValue::Letter(letter) => Value::Letter(letter),
    }
}

fn key(saved: &SavedKey, selector: Option<&KeySelector>) -> Option<Key> {
    match saved {
        SavedKey::Boolean(odd) => Some(Key::Bool(*odd)),
        SavedKey::Integer(number) => Some(Key::Int(*number)),
        SavedKey::Long(number) => Some(Key::Long(*number)),
        SavedKey::Letter(letter) => Some(Key::Letter(*letter)),
        SavedKey::Name(name) => {
            let Some(KeySelector::Names(names)) = selector else { return None };
            let place = names.iter().position(|own| own == name)?;
            Some(Key::Name(u16::try_from(place).ok()?))
        }
    }
}

fn record(
    graph: &ExecutionGraph,
    saved: &SavedRecord,
    keys: Option<&KeySelector>,
) -> Option<Record> {
    let mut splits = (0..graph.splits.len()).map(SplitIndex::at);
    let split = splits.find(|at| graph.split(*at).name == saved.split)?;
    let turns = saved.turns.iter().fold(0, |path: u64, turn| path << 8 | u64::from(*turn));
    let id = RecordId { split, offset: saved.offset, path: Path(turns) };
    let key = match &saved.key {
        Some(saved) => Some(key(saved, keys)?),
        None => None,
    };
    Some(Record { id, value: value(saved.value), key })
}
