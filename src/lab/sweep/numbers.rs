//! The numbers of one run that a sweep compares, in whole units.

use serde::{Deserialize, Serialize};

use crate::cluster::Detail;
use crate::model::{Delay, InitialDelay, Scenario, SplitIndex, SplitValues, When};
use crate::sim::{CheckpointReport, Ending, Report, Simulation};
use crate::trace::Metrics;

/// What a sweep can measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// How long a completed checkpoint takes, in microseconds; of several in a
    /// run the one in the middle.
    Duration,
    /// The longest alignment at a subtask, likewise.
    Alignment,
    /// Bytes in flight that a completed checkpoint holds, likewise.
    Persisted,
    /// From the first read of a record to its publication, the mean in
    /// microseconds.
    Latency,
    /// Records that come to sinks in a thousand seconds.
    Throughput,
    /// How long the job runs, in microseconds.
    Time,
    /// The same against a run without checkpoints and failures, in millionths.
    Cost,
}

impl Measured {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::Duration,
        Self::Alignment,
        Self::Persisted,
        Self::Latency,
        Self::Throughput,
        Self::Time,
        Self::Cost,
    ];

    /// Its name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Alignment => "alignment",
            Self::Persisted => "persisted",
            Self::Latency => "latency",
            Self::Throughput => "throughput",
            Self::Time => "time",
            Self::Cost => "cost",
        }
    }

    /// What one of it is, as in the head of a table of numbers.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Duration | Self::Alignment | Self::Latency | Self::Time => "us",
            Self::Persisted => "bytes",
            Self::Throughput => "records_per_1000_s",
            Self::Cost => "ppm",
        }
    }

    /// Whether every record has to be looked at.
    fn wants_records(self) -> bool {
        matches!(self, Self::Latency | Self::Throughput)
    }
}

/// The numbers of one run; what it does not have is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// By [`Measured`], as asked for.
    pub values: Vec<Option<u64>>,
    /// Whether the job came to its end.
    pub finished: bool,
    /// Completed checkpoints.
    pub completed: u64,
    /// Checkpoints that were given up.
    pub given_up: u64,
    /// Failures.
    pub failures: u64,
    /// What one checkpoint costs the job if nothing fails, in microseconds;
    /// measured together with [`Measured::Cost`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<u64>,
}

/// What a job takes if nothing fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    /// Without checkpoints, in microseconds.
    bare: Option<u64>,
    /// With them, and how many there were.
    calm: Option<(u64, u64)>,
}

impl Baseline {
    pub(super) fn of(scenario: &Scenario, seed: u64) -> Self {
        let bare = Run::of(&without_checkpoints(scenario), seed, &[]);
        let calm = Run::of(&without_failures(scenario), seed, &[]);
        let time = |run: &Run| run.finished.then_some(run.report.ended_at.0);
        let n = calm.completed().count() as u64;
        Self { bare: time(&bare), calm: time(&calm).map(|time| (time, n)) }
    }

    /// How much longer a time is than without checkpoints and failures, in
    /// millionths.
    fn cost(&self, time: u64) -> Option<u64> {
        let bare = u128::from(self.bare?.max(1));
        Some((u128::from(time) * 1_000_000 / bare) as u64)
    }

    /// What one checkpoint costs the job, in microseconds.
    fn blocked(&self) -> Option<u64> {
        let (time, n) = self.calm?;
        time.saturating_sub(self.bare?).checked_div(n)
    }
}

/// Whether a job goes the same way with every seed as long as nothing fails.
pub(super) fn draws_nothing(scenario: &Scenario) -> bool {
    let is_fixed = |delay: &Delay| !matches!(delay, Delay::Uniform { .. });
    let graph = &scenario.graph;
    let mut specs = graph.job.operators.iter().flat_map(|operator| &operator.subtasks);
    let rpc = &scenario.rpc;
    let mut splits = graph.splits.iter().zip(0..).map(|(_, split)| graph.split(SplitIndex(split)));
    specs.all(|spec| [&spec.service, &spec.sync, &spec.store].into_iter().all(is_fixed))
        && graph.channels.iter().all(|channel| is_fixed(&channel.latency))
        && [&rpc.trigger, &rpc.acknowledge, &rpc.notify].into_iter().all(is_fixed)
        && scenario.initial_delay != InitialDelay::Drawn
        && splits.all(|split| !matches!(split.values, SplitValues::Drawn { .. }))
}

/// Runs a scenario and measures. What it takes if nothing fails is asked for
/// when it is wanted.
pub(super) fn measure(
    (scenario, seed): (&Scenario, u64),
    wanted: &[Measured],
    baseline: impl FnOnce() -> Baseline,
) -> Numbers {
    let run = Run::of(scenario, seed, wanted);
    let mut numbers = Numbers {
        values: wanted.iter().map(|measured| run.value(*measured)).collect(),
        finished: run.finished,
        completed: run.completed().count() as u64,
        given_up: run.report.checkpoints.iter().filter(|own| own.aborted.is_some()).count() as u64,
        failures: run.report.recoveries.len() as u64,
        blocked: None,
    };
    if let Some(place) = wanted.iter().position(|measured| *measured == Measured::Cost) {
        let baseline = baseline();
        let time = run.finished.then_some(run.report.ended_at.0);
        numbers.values[place] = time.and_then(|time| baseline.cost(time));
        numbers.blocked = baseline.blocked();
    }
    numbers
}

/// The same job, and nothing fails.
fn without_failures(scenario: &Scenario) -> Scenario {
    let mut calm = scenario.clone();
    calm.faults.clear();
    calm.message_faults.clear();
    calm
}

/// The same job, nothing fails, and it takes no checkpoints.
fn without_checkpoints(scenario: &Scenario) -> Scenario {
    let mut bare = without_failures(scenario);
    bare.config.interval = None;
    bare.triggers.clear();
    bare.savepoints.clear();
    bare
}

/// The mean time between failures of a scenario, in microseconds, if it has
/// failures at random: the rates of several add up.
#[must_use]
pub fn mean_time_between_failures(scenario: &Scenario) -> Option<f64> {
    let rates = scenario.faults.iter().filter_map(|fault| match fault.when {
        When::Random { mean } => Some(1.0 / mean.0 as f64),
        When::At(_) | When::Upon { .. } => None,
    });
    let rate: f64 = rates.sum();
    (rate > 0.0).then_some(1.0 / rate)
}

struct Run {
    report: Report,
    metrics: Option<Metrics>,
    finished: bool,
}

impl Run {
    fn of(scenario: &Scenario, seed: u64, wanted: &[Measured]) -> Self {
        let wants_records = wanted.iter().any(|measured| measured.wants_records());
        let detail = if wants_records { Detail::All } else { Detail::Control };
        let mut metrics = wants_records.then(|| Metrics::new(&scenario.graph));
        let mut report = Report::default();
        let mut simulation = Simulation::new(scenario, seed, detail);
        while let Some(step) = simulation.step() {
            report.observe(step.number, step.at, step.facts);
            if let Some(metrics) = &mut metrics {
                metrics.observe(&scenario.graph, step.at, step.facts);
            }
        }
        let finished = simulation.ending() == Some(&Ending::Finished);
        Self { report, metrics, finished }
    }

    fn completed(&self) -> impl Iterator<Item = &CheckpointReport> {
        self.report.checkpoints.iter().filter(|own| own.completed.is_some())
    }

    fn value(&self, measured: Measured) -> Option<u64> {
        let of_checkpoints = |number: &dyn Fn(&CheckpointReport) -> u64| {
            median(&mut self.completed().map(number).collect::<Vec<u64>>())
        };
        match measured {
            Measured::Duration => {
                of_checkpoints(&|own| own.completed.map_or(0, |(_, at)| at.0 - own.triggered.1.0))
            }
            Measured::Alignment => of_checkpoints(&|own| own.metrics.alignment_duration.0),
            Measured::Persisted => {
                of_checkpoints(&|own| own.metrics.bytes_persisted_during_alignment)
            }
            Measured::Latency => {
                let total = self.metrics.as_ref()?.latency.total();
                total.sum.checked_div(u128::from(total.n)).map(|mean| mean as u64)
            }
            Measured::Throughput => {
                let n = self.metrics.as_ref()?.written.total().n;
                (u128::from(n) * 1_000_000_000)
                    .checked_div(u128::from(self.report.ended_at.0))
                    .map(|rate| rate as u64)
            }
            Measured::Time => self.finished.then_some(self.report.ended_at.0),
            // Against another run.
            Measured::Cost => None,
        }
    }
}

/// The number in the middle; of two, the lower. None of nothing.
pub(super) fn median(numbers: &mut [u64]) -> Option<u64> {
    numbers.sort_unstable();
    numbers.get(numbers.len().saturating_sub(1) / 2).copied()
}
