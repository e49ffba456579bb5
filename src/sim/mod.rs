//! One run: the clock and the dice that drive a cluster.
//!
//! The only room that owns either. Which event comes next is decided by time,
//! then by lane; everything else is the cluster's.

mod agenda;
mod dice;
mod report;

pub use agenda::{Agenda, LANES_MAX};
pub use dice::{Dice, Purpose};
pub use report::{CheckpointReport, RecoveryReport, Report};

use crate::cluster::{Chance, Cluster, Detail, Lane, Lanes, Outcome, Pending, Waiting};
use crate::model::{Scenario, Time};
use crate::trace::{Driver, Fact, JobStatus, Step, Trace};

/// How a run has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every task is done.
    Finished,
    /// The job has failed for good.
    Failed,
    /// The user has cancelled the job.
    Canceled,
    /// Nothing can happen any more, and the job is not done.
    Stuck(Vec<Waiting>),
    /// The scenario's bound on steps is reached.
    OutOfSteps(Vec<Waiting>),
    /// Virtual time has come to its end, [`Time::MAX`].
    OutOfTime(Vec<Waiting>),
}

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    scenario: &'a Scenario,
    detail: Detail,
    cluster: Cluster,
    lanes: Lanes,
    agenda: Agenda,
    dice: Dice,
    outcome: Outcome,
    n_steps: u64,
    now: Time,
    ending: Option<Ending>,
}

/// What one step was: [`Step`], borrowed from the simulation.
#[derive(Clone, Copy, Debug)]
pub struct StepRef<'a> {
    /// From 1.
    pub number: u64,
    /// When.
    pub at: Time,
    /// In the order in which they happened.
    pub facts: &'a [Fact],
}

impl<'a> Simulation<'a> {
    /// A run of a scenario with a seed, with every fact or only those about
    /// checkpoints, transactions and failures.
    #[must_use]
    pub fn new(scenario: &'a Scenario, seed: u64, detail: Detail) -> Self {
        let lanes = Lanes::of(scenario);
        let (mut outcome, mut dice) = (Outcome::new(detail), Dice::new(seed));
        draw(&mut outcome, &mut dice);
        let cluster = Cluster::start(scenario, seed, &mut outcome);
        let mut simulation = Self {
            scenario,
            detail,
            cluster,
            lanes,
            agenda: Agenda::new(lanes.count()),
            dice,
            outcome,
            n_steps: 0,
            now: Time::ZERO,
            ending: None,
        };
        simulation.schedule();
        draw(&mut simulation.outcome, &mut simulation.dice);
        simulation.choose_detail();
        simulation
    }

    /// Lets the next event happen; none when the run has ended.
    #[inline]
    pub fn step(&mut self) -> Option<StepRef<'_>> {
        if self.ending.is_some() {
            return None;
        }
        if self.n_steps == self.scenario.steps_max {
            self.ending = Some(Ending::OutOfSteps(self.cluster.waiting(self.scenario)));
            return None;
        }
        let Some((at, number)) = self.agenda.pop() else {
            self.ending = Some(Ending::Stuck(self.cluster.waiting(self.scenario)));
            return None;
        };
        let lane = self.lanes.lane(number);
        self.n_steps += 1;
        self.now = at;
        self.outcome.clear();
        self.cluster.apply(self.scenario, (at, lane), &mut self.outcome);
        self.schedule();
        if !self.outcome.facts.is_empty() || lane == Lane::Interval {
            self.look_around(lane);
            draw(&mut self.outcome, &mut self.dice);
        }
        Some(StepRef { number: self.n_steps, at, facts: &self.outcome.facts })
    }

    /// Gives what the cluster announced its time.
    #[inline]
    fn schedule(&mut self) {
        for pending in &self.outcome.pending {
            match pending {
                Pending::Event { lane, wait } => {
                    let at = self.dice.until(self.scenario, self.now, *wait);
                    self.agenda.push(self.lanes.number(*lane), at);
                }
                Pending::Held { lane, until } => {
                    self.agenda.hold(self.lanes.number(*lane), *until);
                }
                Pending::Cleared { lane } => {
                    if self.lanes.has(*lane) {
                        self.agenda.clear(self.lanes.number(*lane));
                    }
                }
            }
        }
    }

    /// Whether this was the last step, and which facts are wanted next.
    fn look_around(&mut self, lane: Lane) {
        match self.cluster.status() {
            JobStatus::Finished => self.ending = Some(Ending::Finished),
            JobStatus::Failed => self.ending = Some(Ending::Failed),
            JobStatus::Canceled => self.ending = Some(Ending::Canceled),
            JobStatus::Running | JobStatus::Restarting | JobStatus::Suspended => {}
        }
        // A job of which only the coordinator's clock still ticks will not move again.
        if lane == Lane::Interval
            && self.outcome.facts.is_empty()
            && self.agenda.holds_only(self.lanes.number(Lane::Interval))
        {
            self.ending = Some(Ending::Stuck(self.cluster.waiting(self.scenario)));
        }
        if self.now == Time::MAX && self.ending.is_none() {
            self.ending = Some(Ending::OutOfTime(self.cluster.waiting(self.scenario)));
        }
        self.choose_detail();
    }

    fn choose_detail(&mut self) {
        if self.detail == Detail::Control {
            let watches = self.cluster.watches_records();
            self.outcome.detail = if watches { Detail::All } else { Detail::Control };
        }
    }

    /// Lets a fault of the scenario happen in the very next step, whatever it
    /// waits for: what if it came here? Faults come before everything else that
    /// is due at the same time.
    ///
    /// # Panics
    /// When the scenario has no such fault.
    pub fn provoke(&mut self, fault: u32) {
        assert!((fault as usize) < self.scenario.faults.len(), "there is no fault {fault}");
        self.agenda.push(self.lanes.number(Lane::Fault(fault)), self.now);
    }

    /// How the run has ended; none while it goes on.
    #[must_use]
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The world now.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The time of the last step.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Steps so far.
    #[must_use]
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }
}

/// Draws what chance has to decide next, where it is used up.
fn draw(outcome: &mut Outcome, dice: &mut Dice) {
    for chance in Chance::ALL {
        outcome.drawn[chance as usize].get_or_insert_with(|| dice.chance(chance));
    }
}

/// Runs a scenario to its end and keeps every step.
#[must_use]
pub fn simulate(scenario: &Scenario, seed: u64) -> (Trace, Ending) {
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    let mut steps = Vec::new();
    while let Some(step) = simulation.step() {
        steps.push(Step { number: step.number, at: step.at, facts: step.facts.to_vec() });
    }
    let ending = simulation.ending.expect("a run without a next step has ended");
    (Trace { driver: Driver::Seed(seed), steps, complete: true }, ending)
}
