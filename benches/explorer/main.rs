//! Distinct states of the cluster per second and core: the search of `explore`
//! against stateright's breadth-first checker, on the same scenarios, with the
//! same cluster, and every order in both.
//!
//! Both must find as many states; that they do is checked. Each runs in a process
//! of its own, so that its peak memory is its own. Times are processor times.
//!
//! `cargo bench --bench explorer`, or `-- --quick` for a glance.

mod rival;

use std::process::Command;

use checkdam::explore::{Budget, Choices, Ended, Orders, explore};
use checkdam::load;
use checkdam::model::Scenario;
use cpu_time::ProcessTime;

/// Two sources whose records meet in one sum: something to align, and two places
/// where results wait.
const PAIR: &str = r#"{
    "job": {
        "in": { "source": { "a": [1], "b": [2] }, "parallelism": 2 },
        "sum": { "sum": { "modulo": 1 } },
        "out": { "sink": "transactional" }
    },
    "edges": [["in", "sum"], ["sum", "out"]],
    "config": {
        "execution.checkpointing.interval": "10 ms",
        "execution.checkpointing.checkpoints-after-tasks-finish": true,
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 3,
        "restart-strategy.fixed-delay.delay": "0 ms"
    }
}"#;

/// What is explored: a name, its file, and how many crashes there may be.
const CASES: [(&str, &str, u8); 2] = [("pair", PAIR, 0), ("pair, one crash", PAIR, 1)];

/// What one of the two has found.
struct Measured {
    n_states: u64,
    seconds: f64,
    peak_kib: u64,
}

impl Measured {
    fn per_second(&self) -> f64 {
        self.n_states as f64 / self.seconds
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, who, case] = arguments.as_slice()
        && ["ours", "stateright"].contains(&who.as_str())
    {
        return measure(who, case.parse().expect("the number of a case"));
    }
    let n_cases = if arguments.iter().any(|own| own == "--quick") { 1 } else { CASES.len() };
    println!("distinct states per second and core, every order");
    for (place, (name, ..)) in CASES.iter().enumerate().take(n_cases) {
        let (ours, theirs) = (apart("ours", place), apart("stateright", place));
        assert_eq!(ours.n_states, theirs.n_states, "{name}: both find the same states");
        println!("\n{name}: {} states", ours.n_states);
        for (who, one) in [("checkdam", &ours), ("stateright", &theirs)] {
            println!(
                "  {who:<11}{:>10.0} a second{:>9.2} s{:>7} MiB at most",
                one.per_second(),
                one.seconds,
                one.peak_kib / 1024
            );
        }
        println!("  ratio      {:>10.1}", ours.per_second() / theirs.per_second());
    }
}

/// Runs one of the two in a process of its own.
fn apart(who: &str, case: usize) -> Measured {
    let program = std::env::current_exe().expect("this program is a file");
    let output = Command::new(program).arg(who).arg(case.to_string()).output();
    let output = output.expect("it can be started again");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    let numbers: Vec<f64> = text.split_whitespace().map(|own| own.parse().expect("one")).collect();
    let [n_states, seconds, peak_kib] = numbers[..] else { panic!("three numbers: {text}") };
    Measured { n_states: n_states as u64, seconds, peak_kib: peak_kib as u64 }
}

#[expect(clippy::disallowed_methods, reason = "the peak stands in a file of the system")]
fn measure(who: &str, case: usize) {
    let (name, text, crashes) = CASES[case];
    let loaded = load::scenario(name, text.as_bytes());
    let scenario: Scenario = loaded.expect("it is a scenario").scenario;
    let begun = ProcessTime::now();
    let n_states = match who {
        "ours" => ours(&scenario, crashes),
        _ => rival::count(scenario, crashes),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.trim().strip_suffix(" kB")).map_or("0", str::trim);
    println!("{n_states} {seconds} {peak}");
}

fn ours(scenario: &Scenario, crashes: u8) -> u64 {
    let choices = Choices { crashes, orders: Orders::All, ..Choices::default() };
    let found = explore(scenario, choices, Budget::default()).expect("it is small");
    assert_eq!(found.ended, Ended::Exhausted);
    found.n_states
}
