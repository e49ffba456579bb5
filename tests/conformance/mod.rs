//! Recorded cases: what Flink's own tests expect and what the real Flink has
//! answered, put to the machines that the simulator runs.

#[path = "../../examples/conformance/driver/mod.rs"]
mod driver;

mod coordinator;
mod coordinator_rules;

use driver::{Tally, Verdict};

/// Puts every case of a file to the machines; all must be answered as
/// recorded, but for so many documented differences.
fn check(file: &str, n_differences: u64) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    let text = std::fs::read_to_string(path).expect("recorded cases are part of the project");
    let answers = driver::answer(&text).unwrap_or_else(|problem| panic!("{file}: {problem}"));
    println!("{file}: {}", Tally::of(&answers));
    for (group, tally) in Tally::by_group(&answers) {
        println!("  {group}: {tally}");
    }
    for answer in &answers {
        match &answer.verdict {
            Verdict::Passed => {}
            Verdict::Failed(mismatch) => panic!("{} ({})\n{mismatch}", answer.case, answer.group),
            Verdict::NotAnswered(why) => panic!("{} is not answered: {why}", answer.case),
            Verdict::Difference(which) => println!("  {} differs: {which}", answer.case),
        }
    }
    assert!(!answers.is_empty(), "{file} holds cases");
    assert_eq!(Tally::of(&answers).differences, n_differences, "{file}");
}

#[test]
fn the_barrier_handler_does_what_flinks_does() {
    check("flink-oracle/cases-handler.jsonl", 0);
}

#[test]
fn the_barrier_handler_does_what_flinks_does_even_with_nonsense() {
    check("flink-oracle/cases-wild.jsonl", 0);
}

#[test]
fn queues_and_gate_do_what_flinks_do() {
    check("flink-oracle/cases-gate.jsonl", 0);
}

#[test]
fn queues_do_what_flinks_do_whenever_the_network_delivers() {
    check("flink-oracle/cases-net.jsonl", 0);
}

#[test]
fn the_named_cases_are_answered_as_by_flink() {
    check("flink-oracle/cases-named.jsonl", 1);
}
