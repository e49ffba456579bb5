//! Puts recorded cases to the machines of this crate and compares the answers.
//!
//! `cargo run --release --example conformance -- FILE…` takes files of cases
//! that Flink's own tests describe and of inputs that the real Flink has
//! answered; what a file holds is recognised by its content.

#![expect(clippy::disallowed_methods, reason = "its arguments are files")]

mod driver;

use std::process::ExitCode;

use driver::{Answer, Tally, Verdict};

/// Differences that are shown in full, per file.
const SHOWN_MAX: usize = 3;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: conformance FILE…\nfiles of cases; their kind is recognised by content");
        return ExitCode::from(2);
    }
    let (mut some_failed, mut some_unreadable) = (false, false);
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                some_unreadable = true;
                continue;
            }
        };
        match driver::answer(&text) {
            Ok(answers) => some_failed |= print(file, &answers),
            Err(problem) => {
                eprintln!("{file}: {problem}");
                some_unreadable = true;
            }
        }
    }
    match (some_unreadable, some_failed) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    }
}

/// Prints what came of a file; says whether a case failed.
fn print(file: &str, answers: &[Answer]) -> bool {
    let tally = Tally::of(answers);
    println!("{file}: {tally}");
    for (group, tally) in Tally::by_group(answers) {
        println!("  {group}: {tally}");
    }
    let failures = answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Failed(mismatch) => Some((answer, mismatch)),
        _ => None,
    });
    for (answer, mismatch) in failures.take(SHOWN_MAX) {
        println!("\n  {} ({})\n{mismatch}", answer.case, answer.group);
    }
    for answer in answers {
        if let Verdict::Difference(which) = &answer.verdict {
            println!("\n  {} ({}) differs as documented: {which}", answer.case, answer.group);
        }
    }
    tally.failed > 0
}
