//! A run by a list of lanes: what the search has found, as an ordinary trace.

use crate::cluster::{Cluster, Detail, Lane, Lanes, Outcome, Pending};
use crate::model::{Micros, Scenario, SnapshotType, Time};
use crate::trace::{Driver, Step, Trace};

/// How far time moves when the timer of an alignment fires: far enough for every
/// timer of the checkpoints so far. Nothing else takes time.
pub(super) fn late(scenario: &Scenario) -> u64 {
    let timeout = scenario.config.checkpoint_options(SnapshotType::Checkpoint).timeout();
    timeout.unwrap_or(Micros::ZERO).0 + 1
}

/// Whether time moves when the head of a lane happens.
pub(super) fn takes_time(lane: Lane) -> bool {
    matches!(lane, Lane::InputTimer(_) | Lane::OutputTimer(_))
}

/// A list of lanes that no run of the scenario follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unplayable {
    /// The step, from 1, in whose lane nothing stands.
    pub step: u64,
    /// The lane.
    pub lane: u32,
}

impl std::fmt::Display for Unplayable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { step, lane } = self;
        write!(f, "step {step}: nothing can happen in lane {lane} of this scenario")
    }
}

impl std::error::Error for Unplayable {}

/// Runs a scenario in a given order.
///
/// # Errors
/// When nothing stands in a lane of the list.
pub fn play(scenario: &Scenario, schedule: &[u32]) -> Result<Trace, Unplayable> {
    let lanes = Lanes::of(scenario);
    let mut outcome = Outcome::new(Detail::All);
    let mut cluster = Cluster::start(scenario, 0, &mut outcome);
    let mut events = vec![0u32; lanes.count() as usize];
    let (mut steps, mut now) = (Vec::new(), Time::ZERO);
    for (number, lane) in (1..).zip(schedule) {
        announce(&outcome, &lanes, &mut events);
        let waiting = events.get_mut(*lane as usize).filter(|waiting| **waiting > 0);
        let waiting = waiting.ok_or(Unplayable { step: number, lane: *lane })?;
        *waiting -= 1;
        outcome.clear();
        let lane = lanes.lane(*lane);
        if takes_time(lane) {
            now = Time(now.0 + late(scenario));
        }
        cluster.apply(scenario, (now, lane), &mut outcome);
        steps.push(Step { number, at: now, facts: outcome.facts.clone() });
    }
    Ok(Trace { driver: Driver::Schedule(schedule.to_vec()), steps, complete: true })
}

fn announce(outcome: &Outcome, lanes: &Lanes, events: &mut [u32]) {
    for pending in &outcome.pending {
        match pending {
            Pending::Event { lane, .. } => events[lanes.number(*lane) as usize] += 1,
            Pending::Cleared { lane } if lanes.has(*lane) => {
                events[lanes.number(*lane) as usize] = 0;
            }
            // Time is left out.
            Pending::Cleared { .. } | Pending::Held { .. } => {}
        }
    }
}
