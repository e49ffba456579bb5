//! The search, breadth first: of the orders that are tried, what is found first is
//! shortest.

use super::choices::{Budget, Choices, Orders, with_crashes};
use super::fingerprint::{Bytes, Row};
use super::index::{Entered, Index};
use super::reduction::Reduction;
use super::schedule::play;
use super::space::{Space, TooLarge};
use crate::cluster::Lanes;
use crate::model::{Record, Scenario, SubtaskIndex};
use crate::trace::{JobStatus, SinkView, Trace};
use crate::verify::{Ending, Judge, Outcome, Verdict};

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The scenario that the schedules are of: with a crash of every subtask
    /// behind its own faults, if crashes were allowed.
    pub scenario: Scenario,
    /// Different states.
    pub n_states: u64,
    /// Ways from one state to another.
    pub n_transitions: u64,
    /// Orders in which the whole run can happen; none if not all were tried, a
    /// state is reached by runs of different lengths, or there are more than
    /// 2^128.
    pub n_orders: Option<u128>,
    /// Crashes, each in another state.
    pub n_crash_points: u64,
    /// States in which the job only waits for the next checkpoint of the
    /// coordinator's interval, which was not allowed any more.
    pub n_unfinished: u64,
    /// The longest run, in steps, as far as the search went.
    pub depth: u64,
    /// How often a cluster really had to move.
    pub n_applied: u64,
    /// Whether every state has been looked at.
    pub ended: Ended,
    /// How the job can end, the most frequent first.
    pub outcomes: Vec<FinalOutput>,
    /// A run in which something is wrong, up to there: the shortest of those that
    /// were judged, which is wherever a checkpoint that looks new completes, an
    /// attempt starts, a transaction is committed, and at the end.
    pub counterexample: Option<Counterexample>,
    /// The order of events of the shortest run that was tried and shows what is
    /// looked for.
    pub found: Option<Vec<u32>>,
    /// Bytes of memory, without the program's own.
    pub bytes: u64,
}

/// Why a search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left.
    Exhausted,
    /// Something is wrong in some run.
    Violated,
    /// What is looked for is found.
    Found,
    /// There are more states than the budget has.
    TooManyStates,
    /// They need more memory than the budget has.
    TooMuchMemory,
}

/// Final states in which the outside has seen the same.
#[derive(Clone, Debug)]
pub struct FinalOutput {
    /// How the job has ended.
    pub status: JobStatus,
    /// By sink subtask: what was published, in order.
    pub published: Vec<(SubtaskIndex, Vec<Record>)>,
    /// Final states.
    pub n_states: u64,
    /// The order of events of a shortest run.
    pub schedule: Vec<u32>,
}

/// A run in which something is wrong.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The order of events.
    pub schedule: Vec<u32>,
    /// What.
    pub wrong: Wrong,
}

/// What can be wrong.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// The judge says so.
    Judged(Box<Verdict>),
    /// Nothing can happen any more, and the job is not done.
    Stuck,
}

/// Tells someone how far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States so far.
    pub n_states: u64,
    /// Of these, not looked at yet.
    pub n_waiting: u64,
    /// Steps of the runs looked at.
    pub depth: u64,
}

/// Tries every order in which a scenario can happen.
///
/// # Errors
/// When the scenario has more tasks and channels, or more in flight, than a
/// state has room for.
///
/// # Examples
/// ```
/// use checkdam::explore::{Budget, Choices, explore};
/// use checkdam::model::Scenario;
/// let text = r#"{
///     "job": { "in": { "source": [1, 2] }, "out": { "sink": "publish" } },
///     "edges": [["in", "out"]]
/// }"#;
/// let scenario = Scenario::parse("small", text).expect("it is valid");
/// let found = explore(&scenario, Choices::default(), Budget::default())?;
/// assert!(found.counterexample.is_none() && found.outcomes.len() == 1);
/// # Ok::<(), checkdam::explore::TooLarge>(())
/// ```
pub fn explore(
    scenario: &Scenario,
    choices: Choices,
    budget: Budget,
) -> Result<Exploration, TooLarge> {
    explore_and_tell(scenario, (choices, budget), |_| {})
}

/// The same, and tells now and then how far it is.
///
/// # Errors
/// As [`explore`].
pub fn explore_and_tell(
    scenario: &Scenario,
    (choices, budget): (Choices, Budget),
    mut tell: impl FnMut(Progress),
) -> Result<Exploration, TooLarge> {
    let n_own_faults = scenario.faults.len() as u32;
    let scenario = if choices.crashes > 0 { with_crashes(scenario) } else { scenario.clone() };
    let (space, start) = Space::new(&scenario, choices, n_own_faults)?;
    let search = Search {
        scenario: &scenario,
        n_own_faults,
        lanes: Lanes::of(&scenario),
        space,
        reduction: match choices.orders {
            Orders::Representative => Some(Reduction::new(&scenario, n_own_faults)),
            Orders::All => None,
        },
        visited: Index::new(),
        came: Vec::new(),
        snapshots: Index::new(),
        endings: Index::new(),
        found: Found::default(),
        numbers: Row::default(),
    };
    let (space, found, ended) = search.run(&start, budget, &mut tell)?;
    let mut outcomes = found.outcomes;
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.n_states));
    let all = ended == Ended::Exhausted && choices.orders == Orders::All;
    let n_orders = found.n_orders.filter(|_| all);
    let (n_applied, bytes) = (space.n_applied, found.bytes);
    drop(space);
    Ok(Exploration {
        n_states: found.n_states,
        n_transitions: found.n_transitions,
        n_orders,
        n_crash_points: found.n_crash_points,
        n_unfinished: found.n_unfinished,
        depth: found.depth,
        n_applied,
        ended,
        outcomes,
        counterexample: found.counterexample,
        found: found.found,
        bytes,
        scenario,
    })
}

struct Search<'a> {
    scenario: &'a Scenario,
    n_own_faults: u32,
    lanes: Lanes,
    space: Space<'a>,
    /// None: every order is tried.
    reduction: Option<Reduction>,
    visited: Index,
    /// By state: from which one, in which lane, it was reached first.
    came: Vec<(u32, u32)>,
    /// What complete checkpoints hold, and what attempts started from.
    snapshots: Index,
    /// Final states, by what can be seen of them.
    endings: Index,
    found: Found,
    numbers: Row,
}

#[derive(Default)]
struct Found {
    n_states: u64,
    n_transitions: u64,
    n_orders: Option<u128>,
    n_crash_points: u64,
    n_unfinished: u64,
    depth: u64,
    outcomes: Vec<FinalOutput>,
    counterexample: Option<Counterexample>,
    found: Option<Vec<u32>>,
    bytes: u64,
}

/// States at the same distance from the start.
#[derive(Default)]
struct Level {
    /// One after the other.
    rows: Vec<u32>,
    /// Orders of events that lead to each; none: too many to count, or the
    /// distance is not the same in all of them.
    n_orders: Vec<Option<u128>>,
}

impl<'a> Search<'a> {
    fn run(
        mut self,
        start: &[u32],
        budget: Budget,
        tell: &mut impl FnMut(Progress),
    ) -> Result<(Space<'a>, Found, Ended), TooLarge> {
        let row_len = self.space.row_len();
        let key = self.numbers.fingerprint(start.iter().copied(), row_len, 0);
        self.visited.enter(key, 0);
        self.came.push((0, 0));
        self.found.n_orders = Some(0);
        let mut level = Level { rows: start.to_vec(), n_orders: vec![Some(1)] };
        let mut first = 0u32;
        let ended = 'search: loop {
            if level.rows.is_empty() {
                break Ended::Exhausted;
            }
            let mut next_level = Level::default();
            let next_first = self.came.len() as u32;
            for (position, row) in level.rows.chunks_exact(row_len).enumerate() {
                if position % 4096 == 0 {
                    let n_states = self.came.len() as u64;
                    let n_waiting = n_states - u64::from(first) - position as u64;
                    tell(Progress { n_states, n_waiting, depth: self.found.depth });
                    self.found.bytes = self.bytes(&level, &next_level);
                    if self.found.bytes > budget.bytes_max {
                        break 'search Ended::TooMuchMemory;
                    }
                }
                let at = (first + position as u32, level.n_orders[position]);
                self.leave(at, row, (next_first, &mut next_level))?;
                if self.found.counterexample.is_some() {
                    break 'search Ended::Violated;
                }
                if self.found.found.is_some() {
                    break 'search Ended::Found;
                }
                if self.came.len() as u64 > u64::from(budget.states_max) {
                    break 'search Ended::TooManyStates;
                }
            }
            first = next_first;
            self.found.depth += u64::from(!next_level.rows.is_empty());
            level = next_level;
        };
        self.found.n_states = self.came.len() as u64;
        Ok((self.space, self.found, ended))
    }

    /// Goes every way that leads out of a state.
    fn leave(
        &mut self,
        (state, n_orders): (u32, Option<u128>),
        row: &[u32],
        (next_first, next_level): (u32, &mut Level),
    ) -> Result<(), TooLarge> {
        let status = self.space.status(row);
        if matches!(status, JobStatus::Finished | JobStatus::Failed | JobStatus::Canceled) {
            self.end(state, n_orders, row);
            return Ok(());
        }
        let mut open: Vec<u32> = self.space.open(row).collect();
        let is_crash = |lane: u32| matches!(self.lanes.lane(lane), crate::cluster::Lane::Fault(f) if f >= self.n_own_faults);
        if open.iter().all(|lane| is_crash(*lane)) {
            if !self.space.waits_for_interval(row) {
                let schedule = self.schedule(state);
                self.found.counterexample = Some(Counterexample { schedule, wrong: Wrong::Stuck });
                return Ok(());
            }
            self.found.n_unfinished += 1;
        }
        if let Some(reduction) = &self.reduction {
            reduction.reduce(&mut open, |place| self.space.outlook(row, place));
        }
        self.found.n_crash_points += open.iter().filter(|lane| is_crash(**lane)).count() as u64;
        let mut next = Vec::with_capacity(row.len());
        for lane in open {
            let notes = self.space.step(row, lane, &mut next)?;
            self.found.n_transitions += 1;
            let number = self.came.len() as u32;
            let key = self.numbers.fingerprint(next.iter().copied(), next.len(), 0);
            match self.visited.enter(key, number) {
                Entered::New => {
                    self.came.push((state, lane));
                    next_level.rows.extend_from_slice(&next);
                    next_level.n_orders.push(n_orders);
                    if notes.found {
                        self.found.found = Some(self.schedule(number));
                        return Ok(());
                    }
                    let snapshot = notes.snapshot.map(|key| self.snapshots.enter(key, number));
                    if snapshot == Some(Entered::New) {
                        self.judge(number, Ending::Cut);
                        if self.found.counterexample.is_some() {
                            return Ok(());
                        }
                    }
                }
                Entered::Known(known) if known >= next_first => {
                    let known = &mut next_level.n_orders[(known - next_first) as usize];
                    *known = known.zip(n_orders).and_then(|(a, b)| a.checked_add(b));
                }
                // A state that shorter runs reach as well.
                Entered::Known(_) => self.found.n_orders = None,
            }
        }
        Ok(())
    }

    /// A final state.
    fn end(&mut self, state: u32, n_orders: Option<u128>, row: &[u32]) {
        let total = self.found.n_orders.zip(n_orders);
        self.found.n_orders = total.and_then(|(a, b)| a.checked_add(b));
        let view = self.space.cluster(row).view(self.scenario, 0, crate::model::Time::ZERO);
        let sinks = self.scenario.graph.subtask_indices().zip(&view.tasks);
        let sinks = sinks.filter_map(|(task, view)| Some((task, view.sink.as_ref()?)));
        let sinks: Vec<(SubtaskIndex, &SinkView)> = sinks.collect();
        let seen: Vec<_> =
            sinks.iter().map(|(_, sink)| (&sink.published, &sink.upserted)).collect();
        let mut bytes = Bytes::default();
        let outcome_key = bytes.fingerprint(&(view.status, &seen));
        let state_of = |task: &crate::trace::TaskView| task.state.clone();
        let states: Vec<_> = view.tasks.iter().map(state_of).collect();
        let ending_key = bytes.fingerprint(&(outcome_key, states));
        let place = self.found.outcomes.len() as u32;
        match self.endings.enter(outcome_key, place) {
            Entered::Known(place) => self.found.outcomes[place as usize].n_states += 1,
            Entered::New => {
                let published = sinks
                    .iter()
                    .map(|(task, sink)| (*task, sink.published.last.iter().copied().collect()))
                    .collect();
                self.found.outcomes.push(FinalOutput {
                    status: view.status,
                    published,
                    n_states: 1,
                    schedule: self.schedule(state),
                });
            }
        }
        if self.snapshots.enter(ending_key, state) == Entered::New {
            self.judge(state, Ending::Whole);
        }
    }

    /// Judges the run that leads to a state. What is wrong with it may be wrong
    /// before its end.
    fn judge(&mut self, state: u32, ending: Ending) {
        let mut schedule = self.schedule(state);
        let trace = self.play(&schedule);
        let verdict = self.verdict(&trace, trace.steps.len(), ending);
        if verdict.answer() != Outcome::Violated {
            return;
        }
        let earlier = (1..trace.steps.len()).find_map(|n_steps| {
            let verdict = self.verdict(&trace, n_steps, Ending::Cut);
            (verdict.answer() == Outcome::Violated).then_some((n_steps, verdict))
        });
        let (n_steps, verdict) = earlier.unwrap_or((schedule.len(), verdict));
        schedule.truncate(n_steps);
        let wrong = Wrong::Judged(Box::new(verdict));
        self.found.counterexample = Some(Counterexample { schedule, wrong });
    }

    /// The verdict on the first steps of a run.
    fn verdict(&self, trace: &Trace, n_steps: usize, ending: Ending) -> Verdict {
        let mut judge = Judge::new(self.scenario, None);
        trace.steps[..n_steps].iter().for_each(|step| judge.observe(step));
        judge.finish(ending)
    }

    fn play(&self, schedule: &[u32]) -> Trace {
        play(self.scenario, schedule).expect("the search has gone this way")
    }

    /// The lanes that lead to a state.
    fn schedule(&self, mut state: u32) -> Vec<u32> {
        let mut schedule = Vec::new();
        while state != 0 {
            let (from, lane) = self.came[state as usize];
            schedule.push(lane);
            state = from;
        }
        schedule.reverse();
        schedule
    }

    fn bytes(&self, level: &Level, next: &Level) -> u64 {
        let rows = (level.rows.capacity() + next.rows.capacity()) * size_of::<u32>();
        let orders = level.n_orders.capacity() + next.n_orders.capacity();
        let orders = orders * size_of::<Option<u128>>();
        let came = self.came.capacity() * size_of::<(u32, u32)>();
        (rows + orders + came) as u64 + self.visited.bytes() + self.space.bytes()
    }
}
