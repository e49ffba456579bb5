//! The JobManager's machines against recorded cases.

use std::collections::BTreeMap;

use super::driver::{self, Answer, Tally, Verdict};

fn answers(file: &str) -> Vec<Answer> {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the cases are in the tree");
    driver::answer(&text).unwrap_or_else(|problem| panic!("{file}: {problem}"))
}

/// Answers a file, prints the counts by kind, and fails on the first case that
/// is answered otherwise than it was recorded.
fn check(file: &str, expected: &[(&str, u64)]) {
    let answers = answers(file);
    super::tell(file, &answers);
    for answer in &answers {
        if let Verdict::Failed(mismatch) = &answer.verdict {
            panic!("{file}, {} ({}):\n{mismatch}", answer.case, answer.group);
        }
    }
    let told: BTreeMap<_, _> = Tally::by_group(&answers)
        .into_iter()
        .map(|(group, tally)| (group, tally.passed + tally.differences))
        .collect();
    assert_eq!(told, expected.iter().copied().collect(), "cases of {file} by kind");
}

#[test]
fn the_coordinator_and_its_kin_do_what_flinks_tests_and_sources_say() {
    check(
        "coordinator-cases.json",
        &[
            ("committer", 5),
            ("config", 14),
            ("coordinator", 80),
            ("default_max_parallelism", 1),
            ("failure_manager", 2),
            ("key_group", 4),
            ("key_group_range", 1),
            ("plan", 4),
            ("region", 4),
            ("rescale", 8),
            ("restart", 9),
            ("restore_mapping", 5),
            ("retention", 2),
            ("two_phase_commit", 8),
        ],
    );
}

#[test]
fn the_coordinator_answers_random_scripts_as_the_real_one_does() {
    check("flink-oracle/cases-coord.jsonl", &[("coordinator", 500)]);
    check("flink-oracle/cases-named-coord.jsonl", &[("coordinator", 9)]);
}

#[test]
fn restart_strategies_answer_sequences_of_failures_as_the_real_ones_do() {
    check(
        "flink-oracle/facts-restart.json",
        &[
            ("restart sequence, exponential-delay", 12),
            ("restart sequence, failure-rate", 8),
            ("restart sequence, fixed-delay", 8),
            ("restart strategy chosen by configuration", 22),
        ],
    );
}

#[test]
fn keys_and_their_groups_are_those_of_the_real_flink() {
    check(
        "flink-oracle/facts-key-groups.json",
        &[("default max parallelism", 29), ("key", 112), ("key group range", 102)],
    );
}

#[test]
fn operator_state_is_distributed_as_by_the_real_flink() {
    check("flink-oracle/facts-operator-state.json", &[("operator state", 120)]);
}

/// The judge of the cases, judged: a case with another expectation fails.
#[test]
fn a_wrong_expectation_is_noticed() {
    for (file, from, to) in [
        ("coordinator-cases.json", "\"recover_abort t2\"", "\"recover_abort t3\""),
        ("coordinator-cases.json", "\"queued\": 4", "\"queued\": 5"),
        ("flink-oracle/facts-restart.json", "[6000,true,3000]", "[6000,true,3001]"),
        ("flink-oracle/cases-named-coord.jsonl", "[\"completed\",4]", "[\"completed\",5]"),
        ("coordinator-cases.json", "\"max_parallelism_mismatch\"", "\"another\""),
        ("flink-oracle/facts-key-groups.json", "1917716652,44", "1917716652,45"),
        ("flink-oracle/cases-named-coord.jsonl", "\"now\":150", "\"now\":151"),
    ] {
        let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the cases are in the tree");
        assert!(text.contains(from), "{file} has {from}");
        let answers = driver::answer(&text.replacen(from, to, 1)).expect("it can still be read");
        assert_eq!(Tally::of(&answers).failed, 1, "{file}: {from} made {to}");
    }
}

/// A file that is almost a case is refused with its place, not passed over.
#[test]
fn what_is_no_case_is_an_error_with_its_place() {
    let document =
        r#"{"format": "coordinator-cases/1", "cases": [{"name": "odd", "kind": "new"}]}"#;
    assert_eq!(driver::answer(document).unwrap_err(), "case odd: unknown kind new");
    let line = r#"{"id": "odd", "tasks": 1, "ops": [["jump", 1]], "res": [[]]}"#;
    let problem = driver::answer(line).unwrap_err();
    assert_eq!(problem, r#"line 1: cannot be read: ["jump",1]"#);
}
