//! The cluster as a model for stateright, as one would write it for it: a state is
//! the cluster with what waits in its lanes, an action is a lane.

use checkdam::cluster::{Cluster, Detail, Lane, Lanes, Outcome, Pending};
use checkdam::model::{Document, Fault, FaultKind, Scenario, Time, When};
use checkdam::trace::JobStatus;
use stateright::{Checker, Model, Property};

struct World {
    scenario: Scenario,
    lanes: Lanes,
    crashes: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    cluster: Cluster,
    /// By lane: events that wait in it.
    waiting: Vec<u8>,
    crashes: u8,
    intervals: u8,
}

impl World {
    fn announce(&self, state: &mut State, outcome: &Outcome) {
        for pending in &outcome.pending {
            match pending {
                Pending::Event { lane, .. } => {
                    state.waiting[self.lanes.number(*lane) as usize] += 1;
                }
                Pending::Cleared { lane } if self.lanes.has(*lane) => {
                    state.waiting[self.lanes.number(*lane) as usize] = 0;
                }
                Pending::Cleared { .. } | Pending::Held { .. } => {}
            }
        }
    }

    fn may_happen(&self, state: &State, lane: u32) -> bool {
        let is_there = state.waiting[lane as usize] > 0;
        is_there
            && match self.lanes.lane(lane) {
                Lane::Fault(_) => state.crashes < self.crashes,
                Lane::Interval => state.intervals == 0,
                Lane::Expiry => false,
                _ => true,
            }
    }
}

impl Model for World {
    type State = State;
    type Action = u32;

    fn init_states(&self) -> Vec<State> {
        let mut outcome = Outcome::new(Detail::All);
        let cluster = Cluster::start(&self.scenario, 0, &mut outcome);
        let waiting = vec![0; self.lanes.count() as usize];
        let mut state = State { cluster, waiting, crashes: 0, intervals: 0 };
        self.announce(&mut state, &outcome);
        vec![state]
    }

    fn actions(&self, state: &State, actions: &mut Vec<u32>) {
        let is_over = matches!(
            state.cluster.status(),
            JobStatus::Finished | JobStatus::Failed | JobStatus::Canceled
        );
        if !is_over {
            actions.extend((0..self.lanes.count()).filter(|lane| self.may_happen(state, *lane)));
        }
    }

    fn next_state(&self, before: &State, lane: u32) -> Option<State> {
        let mut state = before.clone();
        let mut outcome = Outcome::new(Detail::All);
        state.waiting[lane as usize] -= 1;
        match self.lanes.lane(lane) {
            Lane::Fault(_) => state.crashes += 1,
            Lane::Interval => state.intervals += 1,
            _ => {}
        }
        state.cluster.apply(&self.scenario, (Time::ZERO, self.lanes.lane(lane)), &mut outcome);
        self.announce(&mut state, &outcome);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // Without one the checker does not search.
        vec![Property::always("there is a job", |_, state: &State| state.cluster.attempt().0 > 0)]
    }
}

/// How many states there are.
pub(crate) fn count(scenario: Scenario, crashes: u8) -> u64 {
    let scenario = if crashes > 0 { with_crashes(scenario) } else { scenario };
    let world = World { lanes: Lanes::of(&scenario), scenario, crashes };
    let checker = world.checker().threads(1).spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count() as u64
}

/// A crash of each subtask at whatever moment.
fn with_crashes(mut scenario: Scenario) -> Scenario {
    let mut document = Document::parse(&scenario.document).expect("a scenario is an object");
    for task in &scenario.graph.subtasks {
        let crash = serde_json::json!({ "crash": task.name, "at": 0 });
        document.push("faults", &crash).expect("a scenario's faults are a list");
    }
    scenario.document = document.text();
    let tasks = scenario.graph.subtask_indices();
    let crash = |task| Fault { kind: FaultKind::CrashSubtask(task), when: When::At(Time::ZERO) };
    scenario.faults.extend(tasks.map(crash));
    scenario
}
