//! How fast the engine is, against a bare heap in the same run.
//!
//! The yardstick is workload W1 (`floor.rs`): the same job with no engine at
//! all. The engine runs it as a real scenario: two sources, a hash exchange,
//! two keyed sums, two transactional sinks, a checkpoint every 10,000 records.
//! Times are processor time, the best of some repetitions taken in turns;
//! quote the ratios. `--quick` is smaller and says so.

mod floor;

use std::hint::black_box;
use std::io::{BufReader, BufWriter, Seek, Write};

use checkdam::cluster::Detail;
use checkdam::load;
use checkdam::model::Scenario;
use checkdam::sim::{Ending, Simulation};
use checkdam::trace::{Driver, Ending as TraceEnding, Names, Step, TraceReader, TraceWriter};
use checkdam::verify::{self, Judge};
use cpu_time::ProcessTime;

const SEED: u64 = 42;

/// How many records are in flight, and what makes it so.
struct Load {
    name: &'static str,
    /// Latency scale of the yardstick, in its ticks.
    ticks: u64,
    /// Latencies of the scenario, in ms; a source reads one record each ms.
    latency: (u64, u64),
}

const LOADS: [Load; 2] = [
    Load { name: "few in flight", ticks: 1 << 20, latency: (1, 2) },
    Load { name: "thousands in flight", ticks: 1 << 30, latency: (1000, 2000) },
];

/// What becomes of the facts.
#[derive(Clone, Copy)]
enum Keep {
    Nothing,
    InMemory,
    OnDisk,
    Judged,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(records) = arguments.iter().position(|word| word == "--peak") {
        return peak_of(&arguments[records + 1], &arguments[records + 2]);
    }
    let quick = arguments.iter().any(|word| word == "--quick");
    let (records, repetitions) = if quick { (100_000, 2) } else { (1_000_000, 5) };
    println!("{records} records, best of {repetitions}, processor time");
    check_the_yardstick(records);
    for load in &LOADS {
        measure(load, records, repetitions);
    }
    recoveries(quick);
    memory();
}

/// How many crashes with their recoveries are simulated and judged whole in a
/// second: two sources, two sums, two sinks, 40 records, three checkpoints and
/// a crash each.
fn recoveries(quick: bool) {
    let text = r#"{
        "job": {
            "numbers": { "source": { "blue": { "from": 1, "to": 20 }, "yellow": { "from": 1, "to": 20 } }, "parallelism": 2, "service": 5 },
            "sum": { "sum": "parity", "parallelism": 2 },
            "sink": { "sink": "transactional", "parallelism": 2 }
        },
        "edges": [["numbers", "sum"], ["sum", "sink"]],
        "checkpoints": [{ "at": 20 }, { "at": 50 }],
        "faults": [{ "crash": "sum[0]", "at": 70 }]
    }"#;
    let scenario = load::scenario("recovery", text.as_bytes()).expect("it is valid").scenario;
    let n = if quick { 500 } else { 5_000 };
    let start = ProcessTime::now();
    for seed in 0..n {
        let mut simulation = Simulation::new(&scenario, seed, Detail::All);
        let mut judge = Judge::new(&scenario, Some(seed));
        while let Some(step) = simulation.step() {
            judge.observe_facts(step.number, step.facts);
        }
        let verdict = judge.finish(verify::Ending::Whole);
        assert_eq!((verdict.answer(), verdict.restores.len()), (verify::Outcome::Holds, 1));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("\nrecoveries simulated and judged: {:.0} per second", n as f64 / seconds);
}

/// The yardstick's results are the published ones, so it is the published
/// workload.
fn check_the_yardstick(records: u64) {
    for (n, latency, end, ord) in floor::PUBLISHED {
        if n <= records {
            let w1 = floor::W1 { parallelism: 2, records: n, latency, seed: SEED };
            assert_eq!(floor::run(w1), (end, ord), "W1 with {n} records");
        }
    }
    println!("W1: end times and checksums are the published ones");
}

fn measure(load: &Load, records: u64, repetitions: u32) {
    let scenario = scenario(load, records);
    let w1 = floor::W1 { parallelism: 2, records, latency: load.ticks, seed: SEED };
    let (mut best, mut best_verify) = ([f64::MAX; 5], f64::MAX);
    for _ in 0..repetitions {
        let runs: [&dyn Fn() -> Option<TraceFile>; 5] = [
            &|| {
                black_box(floor::run(w1));
                None
            },
            &|| run(&scenario, Keep::Nothing),
            &|| run(&scenario, Keep::InMemory),
            &|| run(&scenario, Keep::OnDisk),
            &|| run(&scenario, Keep::Judged),
        ];
        for (best, run) in best.iter_mut().zip(runs) {
            let start = ProcessTime::now();
            let file = run();
            *best = best.min(start.elapsed().as_secs_f64());
            // Taking the file's pages away again is no part of writing it.
            let Some(file) = file else { continue };
            let start = ProcessTime::now();
            verify(file, &scenario);
            best_verify = best_verify.min(start.elapsed().as_secs_f64());
        }
    }
    let names = [
        "bare heap",
        "engine, trace off",
        "engine, trace in memory",
        "engine, trace on disk",
        "engine and judge",
    ];
    println!("\n{}", load.name);
    for (name, seconds) in names.iter().zip(best) {
        // Three events a record, whatever the engine needs for them.
        let per_event = seconds * 1e9 / (3 * records) as f64;
        println!("  {name:<24} {per_event:8.1} ns per event   {:6.2} x", seconds / best[0]);
    }
    let per_event = best_verify * 1e9 / (3 * records) as f64;
    let [.., on_disk, _] = best;
    println!(
        "  {:<24} {per_event:8.1} ns per event   {:6.2} x that with the trace on disk",
        "verify that trace",
        best_verify / on_disk
    );
}

/// Reads a trace back from its file and judges it.
fn verify(file: TraceFile, scenario: &Scenario) {
    let mut file = file.into_inner().expect("disk");
    file.rewind().expect("disk");
    let reader = TraceReader::open(BufReader::with_capacity(1 << 16, file)).expect("a trace");
    let names = Names::of(scenario);
    let mut steps = reader.steps(&names);
    let mut judge = Judge::new(scenario, Some(SEED));
    while let Some(step) = steps.next() {
        let step = step.expect("a step");
        judge.observe(&step);
        steps.recycle(step);
    }
    assert_eq!(steps.ending(), Some(TraceEnding::Complete));
    let verdict = judge.finish(verify::Ending::Whole);
    assert_eq!(verdict.answer(), verify::Outcome::Holds);
}

/// Runs, and gives the file that the trace is in, if it is in one.
fn run(scenario: &Scenario, keep: Keep) -> Option<TraceFile> {
    let detail = match keep {
        Keep::Nothing => Detail::Control,
        Keep::InMemory | Keep::OnDisk | Keep::Judged => Detail::All,
    };
    let mut simulation = Simulation::new(scenario, SEED, detail);
    let mut written = None;
    match keep {
        Keep::Nothing => while simulation.step().is_some() {},
        Keep::InMemory => {
            let mut steps = Vec::new();
            while let Some(step) = simulation.step() {
                steps.push(Step { number: step.number, at: step.at, facts: step.facts.to_vec() });
            }
            black_box(steps);
        }
        Keep::Judged => {
            let mut judge = Judge::new(scenario, Some(SEED));
            while let Some(step) = simulation.step() {
                judge.observe_facts(step.number, step.facts);
            }
            let verdict = judge.finish(verify::Ending::Whole);
            assert_eq!(verdict.answer(), verify::Outcome::Holds);
        }
        Keep::OnDisk => {
            let mut file = tempfile();
            let mut writer =
                TraceWriter::new(&mut file, scenario, &Driver::Seed(SEED)).expect("disk");
            while let Some(step) = simulation.step() {
                writer.step(step.number, step.at, step.facts).expect("disk");
            }
            writer.finish().expect("disk");
            file.flush().expect("disk");
            written = Some(file);
        }
    }
    assert_eq!(simulation.ending(), Some(&Ending::Finished));
    written
}

#[expect(clippy::disallowed_types, reason = "a benchmark of writing to a file")]
type TraceFile = BufWriter<std::fs::File>;

/// A file that is gone when it is dropped.
fn tempfile() -> TraceFile {
    let path = std::env::temp_dir().join(format!("checkdam-bench-{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(true).open(&path);
    let file = opened.expect("the folder for temporary files is there");
    std::fs::remove_file(&path).expect("it was just made");
    BufWriter::with_capacity(1 << 16, file)
}

fn scenario(load: &Load, records: u64) -> Scenario {
    let half = records / 2;
    let (min, max) = load.latency;
    // 2000 records a second: 10,000 between two checkpoints.
    let text = format!(
        r#"{{
          "job": {{
            "numbers": {{ "source": {{ "a": {{ "random": {half}, "below": 262144 }}, "b": {{ "random": {half}, "below": 262144 }} }} }},
            "sum": {{ "sum": {{ "modulo": 1024 }}, "parallelism": 2 }},
            "sink": {{ "sink": "transactional", "parallelism": 2 }}
          }},
          "edges": [["numbers", "sum", "hash"], ["sum", "sink", "forward"]],
          "network": {{ "latency": {{ "min": {min}, "max": {max} }}, "capacity": 100000 }},
          "config": {{ "execution.checkpointing.interval": "5 s" }},
          "steps": 1000000000
        }}"#
    );
    match load::scenario("keyed-sum", text.as_bytes()) {
        Ok(loaded) => loaded.scenario,
        Err(problems) => panic!("{problems:?}"),
    }
}

/// Peak memory at 1,000,000 records against 100,000, each in a process of its
/// own.
fn memory() {
    println!("\npeak memory, few in flight");
    for (name, keep) in [("trace off", "nothing"), ("trace on disk", "disk"), ("judged", "judge")] {
        let peaks = ["100000", "1000000"].map(|records| peak(records, keep));
        let [small, large] = peaks;
        println!(
            "  {name:<24} {small} KiB at 100,000   {large} KiB at 1,000,000   {:.2} x",
            large as f64 / small as f64
        );
    }
}

fn peak(records: &str, keep: &str) -> u64 {
    let program = std::env::current_exe().expect("it runs from a file");
    let output = std::process::Command::new(program)
        .args(["--peak", records, keep])
        .output()
        .expect("it can run itself");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("the peak in KiB")
}

#[expect(clippy::disallowed_methods, reason = "the peak stands in a file of the system")]
fn peak_of(records: &str, keep: &str) {
    let scenario = scenario(&LOADS[0], records.parse().expect("a number"));
    let keep = match keep {
        "disk" => Keep::OnDisk,
        "judge" => Keep::Judged,
        _ => Keep::Nothing,
    };
    run(&scenario, keep);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("the peak");
    println!("{}", line.split_whitespace().nth(1).expect("a number"));
}
