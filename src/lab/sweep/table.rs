//! The results of a sweep: a row a point, each number with its spread over the
//! seeds.

use super::numbers::{Numbers, median};
use super::plan::Plan;
use super::young::{Young, young};

/// What came out of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// By point.
    pub rows: Vec<Row>,
    /// The best interval, where the sweep looks for it.
    pub young: Option<Young>,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// By measured number.
    pub spreads: Vec<Option<Spread>>,
    /// Runs that came to their end.
    pub n_finished: u64,
    /// All runs.
    pub n_runs: u64,
    /// Completed checkpoints, given-up ones and failures of all runs.
    pub counts: [u64; 3],
}

/// A number over several seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The one in the middle.
    pub median: u64,
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
    /// Their sum.
    pub sum: u128,
    /// How many runs have it.
    pub n: u64,
}

impl Spread {
    fn of(mut numbers: Vec<u64>) -> Option<Self> {
        Some(Self {
            median: median(&mut numbers)?,
            min: *numbers.first()?,
            max: *numbers.last()?,
            sum: numbers.iter().map(|number| u128::from(*number)).sum(),
            n: numbers.len() as u64,
        })
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.n as f64
    }
}

impl Table {
    /// Puts the runs of a plan together, which come in the order of the cases.
    #[must_use]
    pub fn new(plan: &Plan, runs: &[Numbers]) -> Self {
        let rows: Vec<Row> =
            runs.chunks(plan.n_seeds as usize).map(|runs| Row::of(plan, runs)).collect();
        let young = young(plan, runs, &rows);
        Self { rows, young }
    }
}

impl Row {
    fn of(plan: &Plan, runs: &[Numbers]) -> Self {
        let spread =
            |place: usize| Spread::of(runs.iter().filter_map(|run| run.values[place]).collect());
        let sum = |count: &dyn Fn(&Numbers) -> u64| runs.iter().map(count).sum();
        Self {
            spreads: (0..plan.measured.len()).map(spread).collect(),
            n_finished: runs.iter().filter(|run| run.finished).count() as u64,
            n_runs: runs.len() as u64,
            counts: [sum(&|run| run.completed), sum(&|run| run.given_up), sum(&|run| run.failures)],
        }
    }
}
