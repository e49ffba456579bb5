//! A run as numbers over time: checkpoints, throughput, queues, latency.
//!
//! One pass over the facts, and no more room for a long run than for a short
//! one. Knows neither what the numbers are drawn with nor what they should be.

mod buckets;
mod channels;
mod latencies;

pub use buckets::{Bucket, Buckets};

use channels::Channels;
use latencies::{Latencies, Latency};

use super::fact::Fact;
use crate::model::{
    CheckpointId, ExecutionGraph, Micros, OperatorKind, Record, SubtaskIndex, Time,
};

/// The numbers of a run.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Steps seen.
    pub n_steps: u64,
    /// Time of the last one.
    pub ended_at: Time,
    /// From trigger to completion, in microseconds, at the time of the
    /// completion.
    pub duration: Buckets,
    /// The longest alignment at a subtask, in microseconds, at the time of the
    /// completion.
    pub alignment: Buckets,
    /// Bytes in flight that a completed checkpoint holds.
    pub persisted: Buckets,
    /// Checkpoints given up: each counts as the time since its trigger.
    pub given_up: Buckets,
    /// Records that sources have read.
    pub read: Buckets,
    /// Records that have come to a sink.
    pub written: Buckets,
    /// Bytes in flight in all channels.
    pub in_flight: Gauge,
    /// By operator: the most records that wait in front of one subtask, in
    /// output buffers and receive queues.
    pub waiting: Vec<Gauge>,
    /// From the first read to a sink, in microseconds.
    pub latency_to_sink: Buckets,
    /// From the first read until a result is published, in microseconds.
    pub latency: Buckets,
    /// When the job, or a region of it, was down.
    pub outages: Vec<Outage>,
    /// How many more outages there were.
    pub n_outages_left_out: usize,
    pending: Vec<Pending>,
    channels: Channels,
    latencies: Latencies,
}

/// A number that holds until it changes.
#[derive(Clone, Debug, Default)]
pub struct Gauge {
    /// The number times the microseconds that it held, in slices of time.
    pub buckets: Buckets,
    now: u64,
    since: Time,
}

/// A time in which the job, or a region of it, did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When the JobManager noticed it.
    pub from: Time,
    /// When the next attempt started; none: never.
    pub until: Option<Time>,
}

/// A checkpoint that is not complete yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    id: CheckpointId,
    triggered: Time,
    alignment: Micros,
    persisted: u64,
}

impl Gauge {
    fn set(&mut self, at: Time, number: u64) {
        if number != self.now {
            self.settle(at);
            self.now = number;
            // A number that holds for no time is the most all the same.
            self.buckets.hold((at, at), number);
        }
    }

    fn settle(&mut self, at: Time) {
        self.buckets.hold((self.since, at), self.now);
        self.since = at;
    }
}

impl Metrics {
    /// The most outages that are kept.
    pub const OUTAGES_MAX: usize = 128;

    /// Nothing has happened yet.
    #[must_use]
    pub fn new(graph: &ExecutionGraph) -> Self {
        Self {
            n_steps: 0,
            ended_at: Time::ZERO,
            duration: Buckets::default(),
            alignment: Buckets::default(),
            persisted: Buckets::default(),
            given_up: Buckets::default(),
            read: Buckets::default(),
            written: Buckets::default(),
            in_flight: Gauge::default(),
            waiting: vec![Gauge::default(); graph.job.operators.len()],
            latency_to_sink: Buckets::default(),
            latency: Buckets::default(),
            outages: Vec::new(),
            n_outages_left_out: 0,
            pending: Vec::new(),
            channels: Channels::new(graph),
            latencies: Latencies::new(graph),
        }
    }

    /// Takes in the facts of the next step.
    pub fn observe(&mut self, graph: &ExecutionGraph, at: Time, facts: &[Fact]) {
        self.n_steps += 1;
        self.ended_at = at;
        for fact in facts {
            self.channels.observe(graph, fact);
            let Self { latencies, latency, latency_to_sink, .. } = self;
            latencies.observe((graph, at), fact, &mut |took| match took {
                Latency::Written(took) => latency_to_sink.add(at, took.0),
                Latency::Published(took) => latency.add(at, took.0),
            });
            self.take_in(graph, at, fact);
        }
        self.in_flight.set(at, self.channels.n_in_flight * Record::BYTES);
        let mut first = 0;
        for (gauge, operator) in self.waiting.iter_mut().zip(&graph.job.operators) {
            let tasks = (first..first + operator.parallelism).map(SubtaskIndex);
            gauge.set(at, self.channels.most_waiting(tasks));
            first += operator.parallelism;
        }
    }

    /// The run is over: what holds, holds until now.
    pub fn finish(&mut self) {
        let at = self.ended_at;
        self.in_flight.settle(at);
        self.waiting.iter_mut().for_each(|gauge| gauge.settle(at));
    }

    /// Records in flight now.
    #[must_use]
    pub fn n_in_flight(&self) -> u64 {
        self.channels.n_in_flight
    }

    /// Records that wait in front of a task now.
    #[must_use]
    pub fn n_waiting(&self, task: SubtaskIndex) -> u64 {
        self.channels.n_waiting[task.index()]
    }

    fn take_in(&mut self, graph: &ExecutionGraph, at: Time, fact: &Fact) {
        match fact {
            Fact::Read { .. } => self.read.add(at, 1),
            Fact::Processed { task, .. } => {
                if matches!(graph.operator(*task).kind, OperatorKind::Sink(_)) {
                    self.written.add(at, 1);
                }
            }
            Fact::CheckpointTriggered { checkpoint, .. } => self.pending.push(Pending {
                id: *checkpoint,
                triggered: at,
                alignment: Micros::ZERO,
                persisted: 0,
            }),
            Fact::SnapshotStored { checkpoint, metrics, .. } => {
                if let Some(own) = self.pending.iter_mut().find(|own| own.id == *checkpoint) {
                    own.alignment = own.alignment.max(metrics.alignment_duration);
                    own.persisted += metrics.bytes_persisted_during_alignment;
                }
            }
            Fact::CheckpointCompleted { checkpoint } => {
                if let Some(own) = self.take(*checkpoint) {
                    self.duration.add(at, at.0 - own.triggered.0);
                    self.alignment.add(at, own.alignment.0);
                    self.persisted.add(at, own.persisted);
                }
            }
            Fact::CheckpointAborted { checkpoint, .. } => {
                if let Some(own) = self.take(*checkpoint) {
                    self.given_up.add(at, at.0 - own.triggered.0);
                }
            }
            Fact::JobManagerCrashed { .. } => {
                self.pending.clear();
                self.down(at);
            }
            Fact::JobFailed { .. } => self.down(at),
            Fact::AttemptStarted { .. } => {
                if let Some(last) = self.outages.last_mut() {
                    last.until.get_or_insert(at);
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, id: CheckpointId) -> Option<Pending> {
        let place = self.pending.iter().position(|own| own.id == id)?;
        Some(self.pending.swap_remove(place))
    }

    fn down(&mut self, at: Time) {
        if self.outages.last().is_some_and(|last| last.until.is_none()) {
            return;
        }
        if self.outages.len() == Self::OUTAGES_MAX {
            self.n_outages_left_out += 1;
            return;
        }
        self.outages.push(Outage { from: at, until: None });
    }
}
