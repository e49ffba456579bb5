//! Jobs that share a cluster. Each begins when it has its slots, in the order
//! in which the jobs are submitted, and gives them back when it is over.
//!
//! Jobs of a session cluster know nothing of each other but that: each is a run
//! of its own, with a clock of its own.
//!
//! Source: Flink's session mode. Subtasks of all operators share slots
//! (`SlotSharingGroup` "default"), so that a job needs as many as its widest
//! operator has subtasks; who gets none within `slot.request.timeout` fails
//! with a `NoResourceAvailableException`.
// Differs: jobs are served in the order in which they are submitted, and all at
// once; Flink's slot manager hands out single slots, in no promised order.

use crate::cluster::Detail;
use crate::model::{CheckpointId, Micros, Scenario, Time};
use crate::sim::{Ending, Report, Simulation};
use crate::trace::Fact;

/// `slot.request.timeout` where nobody sets it.
pub const SLOT_REQUEST_TIMEOUT: Micros = Micros(300_000_000);

/// A job as it is handed to a cluster. What it starts from is part of its
/// scenario, see [`super::started`].
#[derive(Clone, Debug)]
pub struct Submission {
    /// The job.
    pub scenario: Scenario,
    /// When, on the cluster's clock. A job that starts from a savepoint of
    /// another one of the cluster is submitted when that is complete, if it is
    /// asked for earlier.
    pub at: Time,
}

/// One run of a job, on its own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRun {
    /// From its beginning to its end; none: it does not end.
    pub took: Option<Micros>,
    /// Records that its sources read, over all attempts.
    pub n_read: u64,
    /// How it ended.
    pub ending: Ending,
    /// The savepoint that it was stopped with.
    pub stopped_with: Option<CheckpointId>,
}

/// What became of a job on a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// How many slots it needs.
    pub n_slots: u32,
    /// When it was submitted; none: what it starts from never came about.
    pub submitted: Option<Time>,
    /// When it had its slots; none: it got none in time, and never ran.
    pub began: Option<Time>,
    /// When it gave them back; none: never.
    pub ended: Option<Time>,
    /// What it did from there.
    pub run: JobRun,
    /// The same job without its savepoint: everything is read again.
    pub afresh: Option<JobRun>,
}

/// How many slots a job needs.
#[must_use]
pub fn n_slots(scenario: &Scenario) -> u32 {
    scenario.graph.job.operators.iter().map(|operator| operator.parallelism).max().unwrap_or(0)
}

/// Runs jobs on a cluster with so many slots, with one seed. What became of
/// them comes in the order of the list.
#[must_use]
pub fn session(n_slots_total: u32, jobs: &[Submission], seed: u64) -> Vec<Stay> {
    let mut stays: Vec<Option<Stay>> = vec![None; jobs.len()];
    // Nobody begins before one that was submitted earlier.
    let mut served = Time(0);
    while let Some((at, place)) = next(jobs, &stays) {
        let scenario = &jobs[place].scenario;
        let needed = n_slots(scenario);
        let submitted = (at < Time::MAX).then_some(at);
        let began = free_from(n_slots_total, needed, at.max(served), &stays)
            .filter(|began| began.0 - at.0 <= SLOT_REQUEST_TIMEOUT.0);
        let run = run(scenario, seed);
        let afresh = scenario.start.is_some().then(|| {
            let alone = Scenario { start: None, from: None, ..scenario.clone() };
            self::run(&alone, seed)
        });
        served = began.unwrap_or(served);
        let ended = began.zip(run.took).map(|(began, took)| began.after(took));
        stays[place] = Some(Stay { n_slots: needed, submitted, began, ended, run, afresh });
    }
    stays.into_iter().flatten().collect()
}

/// The job that is submitted next, of those that have had no turn yet.
fn next(jobs: &[Submission], stays: &[Option<Stay>]) -> Option<(Time, usize)> {
    let waiting = jobs.iter().enumerate().filter(|(place, _)| stays[*place].is_none());
    let submitted = waiting.map(|(place, job)| {
        let start = job.scenario.start.as_ref().zip(job.scenario.from.as_ref());
        let ready = start.map(|(start, from)| {
            let before = jobs[..place].iter().rposition(|own| own.scenario.name == from.scenario);
            let completed = start.savepoint.completed_at;
            match before.map(|before| stays[before].as_ref().map(|stay| stay.began)) {
                None => Time(0), // taken somewhere else
                Some(Some(Some(began))) => Time(began.0.saturating_add(completed.0)),
                Some(_) => Time::MAX,
            }
        });
        (job.at.max(ready.unwrap_or(Time(0))), place)
    });
    submitted.min()
}

/// The first moment from a time on at which enough slots are free.
fn free_from(total: u32, needed: u32, from: Time, stays: &[Option<Stay>]) -> Option<Time> {
    let holders = || {
        let stays = stays.iter().flatten();
        stays.filter_map(|stay| Some((stay.began?, stay.ended.unwrap_or(Time::MAX), stay.n_slots)))
    };
    let ends = holders().map(|(_, ended, _)| ended).filter(|ended| *ended > from);
    let mut moments: Vec<Time> = std::iter::once(from).chain(ends).collect();
    moments.sort();
    moments.into_iter().filter(|moment| *moment < Time::MAX).find(|moment| {
        let taken: u32 = holders()
            .filter(|(began, ended, _)| began <= moment && moment < ended)
            .map(|(.., n)| n)
            .sum();
        taken + needed <= total
    })
}

fn run(scenario: &Scenario, seed: u64) -> JobRun {
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    let mut report = Report::default();
    let (mut n_read, mut over) = (0, Time(0));
    while let Some(step) = simulation.step() {
        report.observe(step.number, step.at, step.facts);
        for fact in step.facts {
            match fact {
                Fact::Read { .. } => n_read += 1,
                Fact::JobFinished | Fact::JobFailed { .. } | Fact::JobCanceled => over = step.at,
                _ => {}
            }
        }
    }
    let ending = simulation.ending().expect("it makes no step any more").clone();
    let is_over = matches!(ending, Ending::Finished | Ending::Failed | Ending::Canceled);
    let stopped = report
        .checkpoints
        .iter()
        .rev()
        .find(|own| own.snapshot.stops_job() && own.completed.is_some());
    let stopped_with = stopped.filter(|_| ending == Ending::Finished).map(|own| own.id);
    JobRun { took: is_over.then_some(Micros(over.0)), n_read, ending, stopped_with }
}
