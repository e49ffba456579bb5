//! The cluster has as many states as a model of the same job that was written
//! apart from it, in another language, and searched by another program: SPIN
//! searches `aligned.pml` (`.ci/spin`).
//!
//! The model knows sources, sums, what is between them, one aligned checkpoint
//! and crashes. So a state of the cluster is projected on that: coordinator,
//! messages to and from it, sinks, transactions, numbers of attempts and time
//! are left out. What is left out never decides what the rest can do, but in
//! two places, where it moves along at once: a checkpoint whose snapshots are all
//! taken is complete before a crash, and a job is back at work right after one.

use std::collections::{BTreeSet, VecDeque};

use checkdam::cluster::{Cluster, Detail, Lane, Lanes, Outcome, Pending};
use checkdam::model::{
    ChannelIndex, Key, Scenario, SnapshotState, StateValue, StreamElement, SubtaskIndex, Time,
    Value as RecordValue,
};
use checkdam::trace::View;
use serde::Deserialize;
use serde_json::json;

use super::parse;

/// How many states and transitions SPIN finds.
#[derive(Deserialize)]
struct Expected {
    records: u32,
    crashes: u32,
    states: usize,
    transitions: usize,
}

/// Two sources, of which the test lets the first `records` records be read, so
/// that they do not end; two sums; two sinks that are always slower.
fn job(records: u32) -> Scenario {
    let from = |first: u32| json!({ "from": first, "to": first + records + 2 });
    parse(&json!({
        "job": {
            "numbers": { "source": { "a": from(1), "b": from(2) } },
            "sum": { "sum": "parity", "parallelism": 2 },
            "sink": { "sink": "publish", "parallelism": 2 }
        },
        "edges": [["numbers", "sum", "hash"], ["sum", "sink", "forward"]],
        "network": { "capacity": 1000 },
        "faults": [{ "crash": "sum[0]", "at": "1 ms" }],
        "config": {
            "execution.checkpointing.interval": "10 ms",
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": 3,
            "restart-strategy.fixed-delay.delay": "0 ms"
        }
    }))
}

/// What the model knows of a state, in its words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Projection {
    offsets: Vec<u32>,
    source_snapshots: Vec<Option<u32>>,
    /// By channel from a source: values, and none for a barrier.
    wires: Vec<Vec<Option<i64>>>,
    blocked: Vec<bool>,
    sums: Vec<i64>,
    sum_snapshots: Vec<Option<i64>>,
    crashes: u32,
}

impl Projection {
    /// Whether every snapshot of the checkpoint is taken.
    fn is_whole(&self) -> bool {
        self.sum_snapshots.iter().all(Option::is_some)
    }
}

/// A cluster with what waits in its lanes.
#[derive(Clone)]
struct World {
    cluster: Cluster,
    /// By number of the lane.
    waiting: Vec<u32>,
    crashes: u32,
}

/// A job with the numbers of its channels.
struct Model {
    scenario: Scenario,
    lanes: Lanes,
    records: u32,
    sources: Vec<SubtaskIndex>,
    sums: Vec<SubtaskIndex>,
    /// Those that come from sources.
    channels: Vec<ChannelIndex>,
}

impl Model {
    fn new(records: u32) -> Self {
        let scenario = job(records);
        let graph = &scenario.graph;
        let of = |operator: &str| {
            let is_of = |task: &SubtaskIndex| graph.operator(*task).name == operator;
            let tasks: Vec<SubtaskIndex> = graph.subtask_indices().filter(is_of).collect();
            assert_eq!(tasks.len(), 2, "{operator}");
            tasks
        };
        let (sources, sums) = (of("numbers"), of("sum"));
        let channels = graph.channels.iter().zip(0..);
        let channels = channels
            .filter(|(channel, _)| sources.contains(&channel.from))
            .map(|(_, place)| ChannelIndex(place))
            .collect();
        Self { lanes: Lanes::of(&scenario), scenario, records, sources, sums, channels }
    }

    fn start(&self) -> World {
        let mut outcome = Outcome::new(Detail::All);
        let cluster = Cluster::start(&self.scenario, 0, &mut outcome);
        let waiting = vec![0; self.lanes.count() as usize];
        let mut world = World { cluster, waiting, crashes: 0 };
        self.announce(&mut world, &outcome);
        self.happen(&mut world, Lane::Interval);
        world
    }

    /// Lets the head of a lane happen.
    fn happen(&self, world: &mut World, lane: Lane) {
        let mut outcome = Outcome::new(Detail::All);
        world.waiting[self.lanes.number(lane) as usize] -= 1;
        world.cluster.apply(&self.scenario, (Time::ZERO, lane), &mut outcome);
        self.announce(world, &outcome);
    }

    fn announce(&self, world: &mut World, outcome: &Outcome) {
        let place = |lane: Lane| self.lanes.number(lane) as usize;
        for pending in &outcome.pending {
            match pending {
                Pending::Event { lane, .. } => world.waiting[place(*lane)] += 1,
                Pending::Cleared { lane } if self.lanes.has(*lane) => {
                    world.waiting[place(*lane)] = 0;
                }
                Pending::Cleared { .. } | Pending::Held { .. } => {}
            }
        }
    }

    /// The lanes in which something waits.
    fn open(&self, world: &World) -> Vec<Lane> {
        let waits = |lane: &u32| world.waiting[*lane as usize] > 0;
        (0..self.lanes.count()).filter(waits).map(|lane| self.lanes.lane(lane)).collect()
    }

    fn view(&self, world: &World) -> View {
        world.cluster.view(&self.scenario, 0, Time::ZERO)
    }

    fn project(&self, world: &World) -> Projection {
        let view = self.view(world);
        let number = |value: RecordValue| value.number();
        let sum = |state: &mut dyn Iterator<Item = (Key, StateValue)>| {
            let values = state.map(|(_, value)| match value {
                StateValue::Value(value) => number(value),
                StateValue::Sides { .. } => unreachable!("a sum has one value"),
            });
            values.sum::<i64>()
        };
        let stored = |task: SubtaskIndex| {
            view.checkpoints.last().and_then(|checkpoint| checkpoint.stored[task.index()].clone())
        };
        let wire = |channel: &ChannelIndex| {
            let in_flight = view.channels[channel.index()].in_flight();
            let element = |message: &checkdam::model::Message| match message.element {
                StreamElement::Record(record) => Some(number(record.value)),
                StreamElement::Barrier(_) => None,
                other => unreachable!("no {other:?} comes up in this model"),
            };
            in_flight.map(element).collect()
        };
        Projection {
            offsets: self.sources.iter().map(|task| view.tasks[task.index()].offsets[0]).collect(),
            source_snapshots: self
                .sources
                .iter()
                .map(|task| match stored(*task) {
                    Some(SnapshotState::Offsets(offsets)) => Some(offsets[0].1),
                    _ => None,
                })
                .collect(),
            wires: self.channels.iter().map(wire).collect(),
            blocked: self
                .channels
                .iter()
                .map(|channel| view.channels[channel.index()].blocked.is_some())
                .collect(),
            sums: self
                .sums
                .iter()
                .map(|task| sum(&mut view.tasks[task.index()].state.iter().map(|(k, v)| (*k, *v))))
                .collect(),
            sum_snapshots: self
                .sums
                .iter()
                .map(|task| match stored(*task) {
                    Some(SnapshotState::Keyed(entries)) => Some(sum(&mut entries.into_iter())),
                    _ => None,
                })
                .collect(),
            crashes: world.crashes,
        }
    }

    /// The lanes of the moves that the model knows, but for crashes.
    fn moves(&self, world: &World, now: &Projection) -> Vec<Lane> {
        let mut moves = Vec::new();
        for (source, offset) in self.sources.iter().zip(&now.offsets) {
            if *offset < self.records {
                moves.push(Lane::Subtask(*source));
            }
        }
        for (source, snapshot) in self.sources.iter().zip(&now.source_snapshots) {
            if snapshot.is_none() {
                moves.push(Lane::ToTask(*source));
            }
        }
        for (place, channel) in self.channels.iter().enumerate() {
            if !now.wires[place].is_empty() && !now.blocked[place] {
                moves.push(Lane::Channel(*channel));
            }
        }
        let open = self.open(world);
        for lane in &moves {
            assert!(open.contains(lane), "the model lets {lane:?} happen, the cluster does not");
        }
        moves
    }

    /// A crash, and the job at work again.
    fn crash(&self, world: &World, now: &Projection) -> World {
        let mut world = world.clone();
        if now.is_whole() {
            self.complete(&mut world);
        }
        self.happen(&mut world, Lane::Fault(0));
        // The JobManager hears of it after all that the task wrote before.
        while !self.open(&world).contains(&Lane::Restart) {
            self.happen(&mut world, Lane::ToJobManager(self.sums[0]));
        }
        self.happen(&mut world, Lane::Restart);
        // What was under way to or from the dead tasks is of no use any more.
        self.let_happen(&mut world, |lane| matches!(lane, Lane::ToJobManager(_) | Lane::ToTask(_)));
        if !now.is_whole() {
            self.happen(&mut world, Lane::Interval);
        }
        world.crashes += 1;
        world
    }

    /// Lets everything happen that a checkpoint whose snapshots are taken needs.
    fn complete(&self, world: &mut World) {
        let is_left_out = |lane: Lane| match lane {
            Lane::ToJobManager(_) | Lane::ToTask(_) => true,
            Lane::Channel(channel) => !self.channels.contains(&channel),
            Lane::Subtask(task) => !self.sources.contains(&task) && !self.sums.contains(&task),
            _ => false,
        };
        self.let_happen(world, is_left_out);
        assert_eq!(world.cluster.completed().len(), 1);
    }

    fn let_happen(&self, world: &mut World, is_meant: impl Fn(Lane) -> bool) {
        while let Some(lane) = self.open(world).into_iter().find(|lane| is_meant(*lane)) {
            self.happen(world, lane);
        }
    }

    /// How many states and transitions there are.
    fn count(&self, crashes: u32) -> (usize, usize) {
        let start = self.start();
        let mut met = BTreeSet::from([self.project(&start)]);
        let (mut queue, mut n_transitions) = (VecDeque::from([start]), 0);
        while let Some(world) = queue.pop_front() {
            let now = self.project(&world);
            let moved = |lane: Lane| {
                let mut world = world.clone();
                self.happen(&mut world, lane);
                world
            };
            let mut next: Vec<World> = self.moves(&world, &now).into_iter().map(moved).collect();
            if world.crashes < crashes {
                next.push(self.crash(&world, &now));
            }
            n_transitions += next.len();
            for world in next {
                if met.insert(self.project(&world)) {
                    queue.push_back(world);
                }
            }
        }
        (met.len(), n_transitions)
    }
}

fn check(records: u32) {
    let expected: Vec<Expected> =
        serde_json::from_str(include_str!("aligned-states.json")).expect("it is a list");
    let of_this_size: Vec<Expected> =
        expected.into_iter().filter(|row| row.records == records).collect();
    assert_eq!(of_this_size.len(), 2, "without and with a crash");
    for row in of_this_size {
        let counted = Model::new(records).count(row.crashes);
        assert_eq!(counted, (row.states, row.transitions), "{records}, {} crashes", row.crashes);
    }
}

#[test]
fn four_records_of_each_source_have_the_states_that_spin_finds() {
    check(4);
}

#[test]
fn six_records_of_each_source_have_the_states_that_spin_finds() {
    check(6);
}
