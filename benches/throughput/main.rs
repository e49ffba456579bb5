//! Throughput against a bare heap, in the same run.
#![expect(missing_docs, reason = "a program, not a library")]

mod floor;

use std::hint::black_box;

use checkdam::cluster::Detail;
use checkdam::model::*;
use checkdam::sim::Simulation;

fn scenario(records: u32, latency_us: u64) -> Scenario {
    let text = |s: &str| Text::same(s);
    let sub = |n: &str, service: Delay| SubtaskSpec {
        name: n.into(),
        label: text(n),
        short: text(n),
        service,
    };
    let op = |name: &str, kind, service: Delay| Operator {
        name: name.into(),
        label: text(name),
        kind,
        parallelism: 2,
        max_parallelism: 128,
        subtasks: vec![sub("0", service.clone()), sub("1", service)],
    };
    let split = |n: &str| Split {
        name: n.into(),
        label: text(n),
        values: SplitValues::Drawn { count: records / 2, below: 1 << 18 },
    };
    let lat = Delay::Uniform { min: Micros(latency_us), max: Micros(2 * latency_us - 1) };
    let edge = |from, to, partitioner| Edge {
        from: OperatorIndex(from),
        to: OperatorIndex(to),
        input: JoinSide::Left,
        partitioner,
        latency: lat.clone(),
        channel_latency: vec![],
        credits: 100_000,
        output_buffers: 64,
    };
    let key = KeySelector::Modulo(1024);
    let job = JobGraph {
        operators: vec![
            op(
                "numbers",
                OperatorKind::Source { splits: vec![split("a"), split("b")], replayable: true },
                Delay::Fixed(Micros(1000)),
            ),
            op("sum", OperatorKind::Sum(key.clone()), Delay::NONE),
            op("sink", OperatorKind::Sink(SinkKind::Transactional), Delay::NONE),
        ],
        edges: vec![edge(0, 1, Partitioner::Hash(key)), edge(1, 2, Partitioner::Forward)],
    };
    Scenario {
        document: "{}".into(),
        name: "bench".into(),
        title: text(""),
        notes: text(""),
        graph: ExecutionGraph::expand(job),
        config: Config { interval: Some(Micros(5_000_000)), ..Config::default() },
        rpc: RpcDelays {
            trigger: Delay::Fixed(Micros(1000)),
            acknowledge: Delay::Fixed(Micros(1000)),
            notify: Delay::Fixed(Micros(1000)),
        },
        triggers: vec![],
        faults: vec![],
        task_managers: vec![],
        moments: vec![],
        broken: vec![],
        steps_max: 1 << 40,
    }
}

fn main() {
    for (records, latency, end, ord) in floor::PUBLISHED {
        let w1 = floor::W1 { parallelism: 2, records, latency, seed: 42 };
        assert_eq!(floor::run(w1), (end, ord));
    }
    let n = 1_000_000;
    for (name, lat, lat_us) in [("few", 1 << 20, 1000), ("thousands", 1 << 30, 1_000_000)] {
        let s = scenario(n, lat_us);
        let (mut best_floor, mut best) = (f64::MAX, f64::MAX);
        let mut steps = 0;
        for _ in 0..5 {
            let t = cpu_time::ProcessTime::now();
            black_box(floor::run(floor::W1 {
                parallelism: 2,
                records: u64::from(n),
                latency: lat,
                seed: 42,
            }));
            best_floor = best_floor.min(t.elapsed().as_secs_f64());
            let t = cpu_time::ProcessTime::now();
            let mut sim = Simulation::new(&s, 42, Detail::Control);
            while sim.step().is_some() {}
            steps = sim.n_steps();
            best = best.min(t.elapsed().as_secs_f64());
            assert_eq!(sim.ending(), Some(&checkdam::sim::Ending::Finished));
        }
        let per = |t: f64| t * 1e9 / f64::from(3 * n);
        println!(
            "{name}: floor {:.1} engine {:.1} ns/event, ratio {:.2}, steps {steps}",
            per(best_floor),
            per(best),
            best / best_floor
        );
    }
}
