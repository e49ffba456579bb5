//! Aligned against unaligned checkpoints where records pile up: a fast source,
//! a chain of maps, and a slow sum at the end of it.
//!
//! Source: FLIP-76's claim, as arithmetic. An aligned barrier waits until all
//! that stands before it has been processed. An unaligned one waits at each
//! task for the record in hand, and for nothing else.

use checkdam::model::Scenario;
use checkdam::sim::{Ending, Report, simulate};
use checkdam::trace::{Fact, Trace};
use serde_json::{Value, json};

use crate::common::{random_jobs, sizes};

const LATENCY_MS: u64 = 3;
const RPC_MS: u64 = 2;
const FAST_MS: u64 = 1;

/// How checkpoints are taken.
#[derive(Clone, Copy, Debug)]
enum Way {
    Aligned,
    Unaligned,
    Timeout(u64),
}

/// Each channel up to the sum is full: its receiver's credits are used up, and
/// so is its sender's output buffer.
#[derive(Clone, Copy, Debug)]
struct Chain {
    n_maps: u64,
    /// Credits, and places in the output buffer.
    capacity: u64,
    /// How long the sum needs for a record.
    slow_ms: u64,
}

/// What became of the one checkpoint.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    duration_ms: u64,
    /// Records that stood before its barrier when it was triggered.
    n_queued: u64,
    n_in_flight: u64,
}

impl Chain {
    fn of(number: u64) -> Self {
        Self { n_maps: number % 4, capacity: 1 + number / 4 % 12, slow_ms: 5 + number % 13 }
    }

    /// With a checkpoint when everything is full.
    fn scenario(self, way: Way) -> Scenario {
        let n_places = (self.n_maps + 1) * (2 * self.capacity + 1);
        let full_after = 2 * n_places + (self.n_maps + 1) * 4 * LATENCY_MS + 100;
        let n_records = 2 * n_places + full_after / self.slow_ms + 50;
        let mut job = serde_json::Map::new();
        let source = json!({ "source": { "from": 1, "to": n_records }, "service": FAST_MS });
        job.insert("in".into(), source);
        let mut edges = Vec::new();
        let mut last = "in".to_owned();
        for map in 0..self.n_maps {
            let name = format!("map{map}");
            job.insert(name.clone(), json!({ "map": { "add": 0 }, "service": FAST_MS }));
            edges.push(self.edge(&last, &name, "rebalance"));
            last = name;
        }
        job.insert("sum".into(), json!({ "sum": "parity", "service": self.slow_ms }));
        edges.push(self.edge(&last, "sum", "hash"));
        job.insert("out".into(), json!({ "sink": "publish" }));
        edges.push(self.edge("sum", "out", "rebalance"));
        let document = json!({
            "job": job, "edges": edges, "config": config(way),
            "rpc": { "trigger": RPC_MS, "acknowledge": RPC_MS, "notify": RPC_MS },
            "checkpoints": [{ "at": full_after }],
        });
        random_jobs::loaded(0, &document)
    }

    fn edge(self, from: &str, to: &str, partitioner: &str) -> Value {
        json!([from, to, partitioner, { "latency": LATENCY_MS, "capacity": self.capacity }])
    }

    /// The trigger's and the acknowledgement's way, each channel's latency, and
    /// one service time of each task that needs any.
    fn latencies_and_services_ms(self) -> u64 {
        let latencies = (self.n_maps + 2) * LATENCY_MS;
        2 * RPC_MS + latencies + (1 + self.n_maps) * FAST_MS + self.slow_ms
    }

    fn checkpoint(self, way: Way) -> Outcome {
        let (trace, ending) = simulate(&self.scenario(way), 1);
        assert_eq!(ending, Ending::Finished, "{self:?}");
        let mut report = Report::default();
        for step in &trace.steps {
            report.observe(step.number, step.at, &step.facts);
        }
        let (_, triggered) = report.checkpoints[0].triggered;
        let (_, completed) = report.checkpoints[0].completed.expect("it is complete");
        let before = |fact: fn(&Fact) -> bool| {
            let steps = trace.steps.iter().filter(|step| step.at < triggered);
            steps.flat_map(|step| &step.facts).filter(|of| fact(of)).count() as u64
        };
        let n_read = before(|fact| matches!(fact, Fact::Read { .. }));
        let n_counted = before(|fact| matches!(fact, Fact::Processed { state: Some(_), .. }));
        Outcome {
            duration_ms: (completed.0 - triggered.0) / 1_000,
            n_queued: n_read - n_counted,
            n_in_flight: n_saved(&trace),
        }
    }
}

fn config(way: Way) -> Value {
    let mut config = json!({
        "execution.checkpointing.checkpoints-after-tasks-finish": false,
        "execution.checkpointing.unaligned.enabled": !matches!(way, Way::Aligned),
    });
    if let Way::Timeout(timeout) = way {
        config["execution.checkpointing.aligned-checkpoint-timeout"] = json!(timeout);
    }
    config
}

/// Records that were stored in flight.
fn n_saved(trace: &Trace) -> u64 {
    let facts = trace.steps.iter().flat_map(|step| &step.facts);
    let saved = facts.map(|fact| match fact {
        Fact::ChannelStateSaved { records, .. } => records.len() as u64,
        _ => 0,
    });
    saved.sum()
}

#[test]
fn an_aligned_checkpoint_takes_as_long_as_the_queued_work() {
    for number in 0..sizes::samples(96) {
        let chain = Chain::of(number);
        let outcome = chain.checkpoint(Way::Aligned);
        // All is full, and the first record may be nearly done.
        assert!(outcome.n_queued >= (chain.n_maps + 1) * 2 * chain.capacity, "{chain:?}");
        let queued_ms = (outcome.n_queued - 1) * chain.slow_ms;
        assert!(outcome.duration_ms >= queued_ms, "{chain:?}: {outcome:?}");
        assert_eq!(outcome.n_in_flight, 0, "{chain:?}");
        let longer = Chain { n_maps: chain.n_maps + 1, ..chain };
        let roomier = Chain { capacity: chain.capacity + 1, ..chain };
        for more in [longer, roomier] {
            let more = more.checkpoint(Way::Aligned);
            assert!(more.duration_ms > outcome.duration_ms, "{chain:?}: {outcome:?}, {more:?}");
        }
    }
}

#[test]
fn an_unaligned_checkpoint_takes_the_latencies_and_one_service_time_a_hop() {
    for number in 0..sizes::samples(200) {
        let chain = Chain::of(number);
        let outcome = chain.checkpoint(Way::Unaligned);
        let most_ms = chain.latencies_and_services_ms();
        assert!(outcome.duration_ms <= most_ms, "{chain:?}: {outcome:?}, not {most_ms}");
        // What does not wait is stored.
        assert!(outcome.n_in_flight >= (chain.n_maps + 1) * (2 * chain.capacity - 1), "{chain:?}");
    }
}

#[test]
fn a_timeout_bounds_an_aligned_checkpoint_by_as_much() {
    for number in 0..sizes::samples(200) {
        let (chain, timeout_ms) = (Chain::of(number), 1 + number * 7 % 60);
        let outcome = chain.checkpoint(Way::Timeout(timeout_ms));
        let most_ms = timeout_ms + chain.latencies_and_services_ms();
        assert!(outcome.duration_ms <= most_ms, "{chain:?}: {outcome:?}, not {most_ms}");
    }
}

/// Sources that are slower than what comes behind them.
#[test]
fn a_healthy_job_with_a_timeout_stores_nothing_in_flight() {
    for number in 0..sizes::samples(200) {
        let (latency, service) = (1 + number % 7, number % 5);
        let fourth = json!({ "latency": { "min": 0, "max": latency } });
        let document = json!({
            "job": {
                "in": {
                    "source": { "a": { "from": 1, "to": 30 }, "b": { "from": 1, "to": 20 } },
                    "parallelism": 2, "service": 20 + number % 11,
                },
                "sum": { "sum": "parity", "parallelism": 2, "service": service },
                "out": { "sink": "transactional" },
            },
            "edges": [["in", "sum", "hash", fourth], ["sum", "out", "rebalance", fourth]],
            "config": {
                "execution.checkpointing.interval": 50,
                "execution.checkpointing.unaligned.enabled": true,
                // The rounds that a barrier takes, and what may stand before it.
                "execution.checkpointing.aligned-checkpoint-timeout": 100,
            },
        });
        let scenario = random_jobs::loaded(number, &document);
        let (trace, ending) = simulate(&scenario, number);
        assert_eq!(ending, Ending::Finished);
        let facts = || trace.steps.iter().flat_map(|step| &step.facts);
        let completed = facts().filter(|fact| matches!(fact, Fact::CheckpointCompleted { .. }));
        assert!(completed.count() >= 5, "job {number}");
        assert_eq!(n_saved(&trace), 0, "job {number}");
        let unaligned = facts().filter(|fact| {
            matches!(fact, Fact::OutputTimedOut { .. } | Fact::AlignmentTimedOut { .. })
        });
        assert_eq!(unaligned.count(), 0, "job {number}");
    }
}
