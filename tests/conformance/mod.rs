//! Recorded cases: what Flink's own tests expect and what the real Flink has
//! answered, put to the machines that the simulator runs.

#![expect(clippy::disallowed_methods, reason = "its cases are files")]

#[path = "../../examples/conformance/driver/mod.rs"]
mod driver;

mod config;
mod coordinator;
mod coordinator_rules;

use std::fmt::Write as _;
use std::io::Write as _;

use driver::{Answer, Tally, Verdict};

/// Prints the counts of a file by mode or kind; a passing test prints them,
/// too.
fn tell(file: &str, answers: &[Answer]) {
    let mut text = format!("{file}: {}\n", Tally::of(answers));
    for (group, tally) in Tally::by_group(answers) {
        writeln!(text, "  {group}: {tally}").expect("a text grows");
    }
    for answer in answers {
        if let Verdict::Difference(which) = &answer.verdict {
            writeln!(text, "  {} differs as documented: {which}", answer.case)
                .expect("a text grows");
        }
    }
    std::io::stdout().write_all(text.as_bytes()).expect("there is an output");
}

/// Puts every case of a file to the machines; all must be answered as
/// recorded, but for so many documented differences.
fn check(file: &str, n_differences: u64) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    let text = std::fs::read_to_string(path).expect("recorded cases are part of the project");
    let answers = driver::answer(&text).unwrap_or_else(|problem| panic!("{file}: {problem}"));
    tell(file, &answers);
    for answer in &answers {
        match &answer.verdict {
            Verdict::Passed => {}
            Verdict::Failed(mismatch) => panic!("{} ({})\n{mismatch}", answer.case, answer.group),
            Verdict::Difference(_) => {}
        }
    }
    assert!(!answers.is_empty(), "{file} holds cases");
    assert_eq!(Tally::of(&answers).differences, n_differences, "{file}");
}

#[test]
fn barriers_are_handled_as_flinks_tests_expect() {
    check("barrier-cases.json", 0);
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
