//! Configurations against recorded cases: what Flink's sources say of settings,
//! and what the real Flink answers to options, values, files and settings.

#![expect(clippy::disallowed_methods, reason = "its cases are files")]

use std::collections::BTreeMap;

use super::driver::{self, Tally, Verdict};

/// Answers the cases of a file that are of some kinds, prints the counts, and
/// fails on the first one that is answered otherwise than it was recorded.
fn check(file: &str, expected: &[(&str, u64)]) {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the cases are in the tree");
    let answers = driver::answer(&text).unwrap_or_else(|problem| panic!("{file}: {problem}"));
    let tallies = Tally::by_group(&answers);
    let own = |group: &str| expected.iter().any(|(kind, _)| *kind == group);
    for (group, tally) in tallies.iter().filter(|(group, _)| own(group)) {
        println!("{file}, {group}: {tally}");
    }
    for answer in answers.iter().filter(|answer| own(&answer.group)) {
        if let Verdict::Failed(mismatch) = &answer.verdict {
            panic!("{file}, {} ({}):\n{mismatch}", answer.case, answer.group);
        }
    }
    let passed = tallies.iter().map(|(group, tally)| (*group, tally.passed));
    let passed: BTreeMap<&str, u64> = passed.filter(|(group, _)| own(group)).collect();
    assert_eq!(passed, expected.iter().copied().collect(), "cases of {file} by kind");
}

#[test]
fn the_table_has_every_option_as_the_real_flink_has_it() {
    check("flink-oracle/facts-options.json", &[("options", 101)]);
    check("flink-oracle/facts-2.1.3/facts-options.json", &[("options", 69)]);
}

#[test]
fn values_are_refused_where_the_real_flink_refuses_them() {
    let file = "facts-validation.json";
    check(
        &format!("flink-oracle/{file}"),
        &[
            ("defaults", 22),
            ("failure_reasons", 24),
            ("job_level", 20),
            ("methods", 13),
            ("setters", 24),
        ],
    );
    check(
        &format!("flink-oracle/facts-2.1.3/{file}"),
        &[
            ("defaults", 18),
            ("failure_reasons", 24),
            ("job_level", 20),
            ("methods", 13),
            ("setters", 24),
        ],
    );
}

#[test]
fn files_and_values_are_read_as_the_real_flink_reads_them() {
    let kinds = [
        ("both_files", 1),
        ("flat files", 3),
        ("state_backend_names", 7),
        ("values", 31),
        ("yaml files", 11),
    ];
    check("flink-oracle/facts-config.json", &kinds);
    check("flink-oracle/facts-2.1.3/facts-config.json", &kinds);
}

#[test]
fn random_files_values_and_settings_come_to_what_the_real_flink_makes_of_them() {
    check(
        "flink-oracle/facts-config-asked.json",
        &[
            ("flat files", 121),
            ("settings got", 216),
            ("settings refused", 330),
            ("settings restart", 216),
            ("settings storage", 216),
            ("values", 391),
            ("yaml files", 369),
        ],
    );
}
