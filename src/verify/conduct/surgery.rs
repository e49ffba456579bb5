//! Without what failures have undone, the run is one without failures.
//!
//! From every failed attempt all is cut away that each task did after its own
//! part of the checkpoint that the job restarts from; the attempts are joined,
//! and what is left is run again: every read and every record processed must
//! be possible there, in this order, with no failure and no restart. It must
//! end in the same state, and its sinks must write what was committed.
//!
//! Source: Veresov, Spenger, Carbone, Haller: Failure Transparency in Stateful
//! Dataflow Systems (ECOOP 2024): observational explainability, here shown by
//! the run that explains.

use std::collections::VecDeque;

use super::breach::{ConductJudgement, Wrong};
use super::computation::{Computation, Worker, is_replayable};
use crate::model::{
    ChannelIndex, CheckpointId, ExecutionGraph, Partitioner, Path, Record, RecordId, Route,
    SnapshotState, SplitIndex, SplitValues, SubtaskIndex,
};
use crate::verify::given::Given;

/// What survives of each task's doings.
#[derive(Debug)]
pub(in crate::verify) struct Surgery {
    tasks: Vec<Survivor>,
    n_events: u64,
}

/// The doings of one task.
#[derive(Clone, Debug, Default)]
struct Survivor {
    events: Vec<Event>,
    /// The channels that its records took where that was free to choose.
    ways: Vec<ChannelIndex>,
    /// How many events and ways lie before a cut.
    marks: Vec<(CheckpointId, usize, usize)>,
}

/// A record that is read, or that has its effect.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Its place in the whole run.
    place: u64,
    record: RecordId,
    /// None: it is read.
    channel: Option<ChannelIndex>,
}

impl Surgery {
    pub(super) fn new(graph: &ExecutionGraph) -> Self {
        Self { tasks: vec![Survivor::default(); graph.subtasks.len()], n_events: 0 }
    }

    /// A task reads or processes a record.
    #[inline]
    pub(super) fn event(
        &mut self,
        task: SubtaskIndex,
        record: RecordId,
        channel: Option<ChannelIndex>,
    ) {
        let event = Event { place: self.n_events, record, channel };
        self.n_events += 1;
        self.tasks[task.index()].events.push(event);
    }

    /// A task sends a record.
    #[inline]
    pub(super) fn sent(&mut self, graph: &ExecutionGraph, channel: ChannelIndex) {
        let spec = &graph.channels[channel.index()];
        if graph.job.edges[spec.edge.index()].partitioner == Partitioner::Rebalance {
            self.tasks[spec.from.index()].ways.push(channel);
        }
    }

    /// A task's part of a checkpoint.
    pub(super) fn cut(&mut self, task: SubtaskIndex, checkpoint: CheckpointId) {
        let own = &mut self.tasks[task.index()];
        if own.marks.iter().all(|(id, ..)| *id != checkpoint) {
            own.marks.push((checkpoint, own.events.len(), own.ways.len()));
        }
    }

    /// Nobody can restart from a checkpoint any more.
    pub(super) fn forget(&mut self, checkpoint: CheckpointId) {
        for own in &mut self.tasks {
            own.marks.retain(|(id, ..)| *id != checkpoint);
        }
    }

    /// A task restarts: what came after its cut is cut away.
    pub(super) fn restarted(&mut self, task: SubtaskIndex, checkpoint: Option<CheckpointId>) {
        let own = &mut self.tasks[task.index()];
        let mark = own.marks.iter().find(|(id, ..)| Some(*id) == checkpoint).copied();
        let (_, n_events, n_ways) = mark.unwrap_or_default();
        own.events.truncate(n_events);
        own.ways.truncate(n_ways);
        own.marks.retain(|(id, n, _)| Some(*id) <= checkpoint && *n <= n_events);
    }

    /// What is left, in the order of the run.
    fn in_order(&self) -> impl Iterator<Item = (SubtaskIndex, Event)> {
        let mut by_place = vec![None; self.n_events as usize];
        for (task, own) in (0..).map(SubtaskIndex).zip(&self.tasks) {
            for event in &own.events {
                by_place[event.place as usize] = Some((task, *event));
            }
        }
        by_place.into_iter().flatten()
    }

    /// Runs again what is left, and compares. Committed output is asked for by
    /// sink subtask; the state is compared unless the last attempt has failed.
    pub(in crate::verify) fn explain(
        self,
        (graph, seed, given): (&ExecutionGraph, Option<u64>, Option<&Given>),
        committed: &[Option<Vec<RecordId>>],
        live: Option<&Computation>,
        (step, found): (u64, &mut ConductJudgement),
    ) {
        let is_drawn = |split: usize| {
            matches!(graph.split(SplitIndex::at(split)).values, SplitValues::Drawn { .. })
        };
        let all_replay = graph.subtask_indices().all(|task| is_replayable(graph, task));
        if !all_replay || (seed.is_none() && (0..graph.splits.len()).any(is_drawn)) {
            return; // what was read once cannot be read again
        }
        let mut rerun = Rerun::new(graph, self.tasks.iter().map(|own| &*own.ways).collect());
        if let Some(given) = given {
            rerun.begin(given);
        }
        let mut n_committed = vec![0; graph.subtasks.len()];
        for (task, event) in self.in_order() {
            let record = event.record;
            let possible = match event.channel {
                None => rerun.read(task, record, seed.unwrap_or_default()),
                Some(channel) => rerun.process(channel, record),
            };
            if !possible {
                found.push(step, None, Wrong::NotARun { task, record });
                return;
            }
            let n = &mut n_committed[task.index()];
            if let Some(output) = &committed[task.index()]
                && let Some(next) = output.get(*n)
            {
                if *next != record {
                    found.push(step, None, Wrong::CommitsOtherwise { task, record: *next });
                    return;
                }
                *n += 1;
            }
        }
        for (task, n) in (0..).map(SubtaskIndex).zip(n_committed) {
            if let Some(record) = committed[task.index()].as_ref().and_then(|all| all.get(n)) {
                found.push(step, None, Wrong::CommitsOtherwise { task, record: *record });
            }
        }
        let Some(live) = live else { return };
        for task in graph.subtask_indices() {
            let (own, live) = (&rerun.tasks[task.index()], live.worker(task));
            let is_same = own.keyed == live.keyed && own.offsets == live.offsets;
            if live.has_state && !is_same {
                found.push(step, None, Wrong::EndsOtherwise { task });
            }
        }
    }
}

/// A run without failures.
struct Rerun<'a> {
    graph: &'a ExecutionGraph,
    tasks: Vec<Worker>,
    channels: Vec<VecDeque<Record>>,
    ways: Vec<&'a [ChannelIndex]>,
}

impl<'a> Rerun<'a> {
    fn new(graph: &'a ExecutionGraph, ways: Vec<&'a [ChannelIndex]>) -> Self {
        let channels = vec![VecDeque::new(); graph.channels.len()];
        Self { graph, tasks: Worker::all(graph), channels, ways }
    }

    /// The run starts from a savepoint.
    fn begin(&mut self, given: &Given) {
        for (place, state) in given.states.iter().enumerate() {
            let worker = &mut self.tasks[place];
            match state {
                Some(SnapshotState::Offsets(offsets)) => {
                    worker.offsets = offsets.iter().map(|(_, offset)| *offset).collect();
                }
                Some(SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries)) => {
                    worker.keyed = entries.iter().copied().collect();
                }
                _ => {}
            }
        }
        for (channel, [input, output]) in &given.in_flight {
            self.channels[channel.index()].extend(input.iter().chain(output));
        }
    }

    /// A source reads a record; false if it is not the next one.
    fn read(&mut self, task: SubtaskIndex, id: RecordId, seed: u64) -> bool {
        let splits = &self.graph.subtasks[task.index()].splits;
        let Some(place) = splits.iter().position(|split| *split == id.split) else { return false };
        let n_read = &mut self.tasks[task.index()].offsets[place];
        let values = &self.graph.split(id.split).values;
        let next = values.next(*n_read, id.split.0, seed);
        *n_read += 1;
        let Some(value) = next.filter(|_| *n_read == id.offset) else { return false };
        self.send(task, &Record { id, value, key: None });
        true
    }

    /// A record has its effect; false if it is not the first on its channel.
    fn process(&mut self, channel: ChannelIndex, id: RecordId) -> bool {
        let Some(record) = self.channels[channel.index()].pop_front() else { return false };
        let spec = &self.graph.channels[channel.index()];
        let (task, kind) = (spec.to, &self.graph.operator(spec.to).kind);
        let (_, result) = self.tasks[task.index()].process(kind, spec.input, &record);
        if let Some(result) = result {
            self.send(task, &result);
        }
        record.id == id
    }

    fn send(&mut self, task: SubtaskIndex, record: &Record) {
        let spec = &self.graph.subtasks[task.index()];
        for (edge, output) in spec.outputs.iter().enumerate() {
            let mut record = *record;
            if spec.outputs.len() > 1 {
                record.id.path = turned(record.id.path, edge);
            }
            let ways = &mut self.ways[task.index()];
            if output.partitioner == Partitioner::Rebalance {
                if let [way, rest @ ..] = *ways {
                    self.channels[way.index()].push_back(record);
                    *ways = rest;
                }
                continue;
            }
            match self.graph.route(output, spec.position, &record, 0) {
                Route::One(receiver) => {
                    let channel = output.channels[receiver as usize];
                    self.channels[channel.index()].push_back(record);
                }
                Route::All => {
                    for (way, channel) in output.channels.iter().enumerate() {
                        let mut record = record;
                        if output.channels.len() > 1 {
                            record.id.path = turned(record.id.path, way);
                        }
                        self.channels[channel.index()].push_back(record);
                    }
                }
            }
        }
    }
}

fn turned(path: Path, way: usize) -> Path {
    path.turn(way as u8 + 1)
}
