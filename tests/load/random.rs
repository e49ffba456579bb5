//! Nothing makes the loader panic or wait, and what it accepts it can write
//! down and read again.

use checkdam::load::{self, Colour, Diagnostics, Severity};
use checkdam::model::Scenario;
use serde_json::Value;

use super::generate::{Dice, scenario, spoilt};
use crate::common::sizes::samples;

/// What one byte may cost: it is scanned, it can be a value, and it can be
/// part of a name that every known name is compared with.
const WORK_PER_BYTE: u64 = 40;
/// What the smallest file may cost: a job of thousands of subtasks is a few
/// bytes, and a wrong name is compared with theirs.
const WORK_AT_LEAST: u64 = 10_000;

/// Loads bytes and checks what must hold for all of them.
fn check(bytes: &[u8]) -> Result<Scenario, Diagnostics> {
    let result = load::scenario("any.json", bytes);
    let said = match &result {
        Ok(loaded) => {
            assert_eq!(loaded.remarks.count(Severity::Error), 0);
            &loaded.remarks
        }
        Err(problems) => {
            assert!(problems.count(Severity::Error) > 0, "a refusal says why");
            problems
        }
    };
    let bound = WORK_PER_BYTE * bytes.len() as u64 + WORK_AT_LEAST;
    assert!(said.work <= bound, "{} steps of work for {} bytes", said.work, bytes.len());
    assert!(said.items.is_sorted_by_key(|item| item.labels.first().map(|label| label.range.start)));
    for label in said.items.iter().flat_map(|item| &item.labels) {
        assert!(said.text.get(label.range.clone()).is_some(), "{:?} is no place", label.range);
    }
    let shown = said.show(Colour::Never);
    assert!(shown.ends_with(&format!("{}\n", said.summary())));
    assert!(!shown.contains("Failed to read"), "{shown}");
    let json = said.to_json();
    assert_eq!(json["problems"].as_array().map(Vec::len), Some(said.items.len()));
    result.map(|loaded| loaded.scenario)
}

/// Checks a scenario that was accepted: its document gives it again and fits
/// the schema.
fn check_accepted(scenario: &Scenario, schema: &jsonschema::Validator) {
    let document = &scenario.document;
    let again = Scenario::parse(&scenario.name, document).expect("it was accepted before");
    assert_eq!(&again, scenario);
    let value: Value = serde_json::from_str(document).expect("the document is JSON");
    if let Err(error) = schema.validate(&value) {
        panic!("the schema refuses {}: {error}\n{document}", error.instance_path());
    }
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&load::scenario_schema()).expect("it is a schema")
}

#[test]
fn random_bytes_are_refused_without_a_panic() {
    let pieces: [&[u8]; 16] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\"",
        b"\"job\"",
        b"\"source\"",
        b"1",
        b"-",
        b"//",
        b"/*",
        b"\n",
        b"\xff",
        "蓝".as_bytes(),
    ];
    for seed in 0..samples(10_000) {
        let mut dice = Dice::new(seed);
        let mut bytes = Vec::new();
        for _ in 0..dice.below(200) {
            if seed % 2 == 0 {
                bytes.push(dice.below(256) as u8);
            } else {
                bytes.extend_from_slice(dice.pick::<&[u8]>(&pieces));
            }
        }
        let _ = check(&bytes);
    }
}

#[test]
fn generated_scenarios_are_accepted_and_survive_a_round_trip() {
    let schema = schema();
    for seed in 0..samples(2_000) {
        let text = scenario(seed);
        match check(text.as_bytes()) {
            Ok(scenario) => check_accepted(&scenario, &schema),
            Err(problems) => panic!("seed {seed}:\n{problems}\n{text}"),
        }
    }
}

#[test]
fn spoilt_scenarios_are_explained_or_sound() {
    let schema = schema();
    let (mut n_accepted, n) = (0, samples(10_000));
    for seed in 0..n {
        let mut dice = Dice::new(seed ^ 0x5eed);
        let text = if dice.one_in(4) {
            dice.pick(load::builtin()).text.to_owned()
        } else {
            scenario(seed % 500)
        };
        if let Ok(scenario) = check(&spoilt(&text, &mut dice)) {
            n_accepted += 1;
            check_accepted(&scenario, &schema);
        }
    }
    // Both ways must have been taken often for this to mean anything.
    assert!(n_accepted > n / 20 && n_accepted < n / 2, "{n_accepted} of {n} were accepted");
}

/// The largest jobs that few bytes can ask for.
#[test]
fn small_files_ask_for_large_jobs_in_vain() {
    let long_list = format!("[{}1]", "1,".repeat(500_000));
    let many_edges = "[\"in\",\"out\"],".repeat(300_000);
    for (name, text) in [
        (
            "a delay as long as the file for each of thousands of subtasks",
            format!(
                r#"{{"job":{{"in":{{"source":[1],"parallelism":2000,"service":{long_list}}},
                "out":{{"sink":"publish","parallelism":2000}}}},
                "edges":[["in","out","forward",{{"latency":{long_list}}}]]}}"#
            ),
        ),
        (
            "as many edges as fit",
            format!(
                r#"{{"job":{{"in":{{"source":[1]}},"out":{{"sink":"publish"}}}},
                "edges":[{many_edges}["in","out"]]}}"#
            ),
        ),
        (
            "the largest key table for thousands of senders",
            r#"{"job":{"in":{"source":[1],"parallelism":4000},
                "sum":{"sum":{"modulo":65536},"parallelism":4},"out":{"sink":"publish"}},
                "edges":[["in","sum"],["sum","out"]]}"#
                .to_owned(),
        ),
        ("a wrong name among thousands, again and again", {
            let faults =
                r#"{"crash":"m[4001]","at":0},{"crash":"mmm","at":0},{"crash":"m","at":0},"#;
            format!(
                r#"{{"job":{{"in":{{"source":[1]}},"m":{{"union":true,"parallelism":4000}},
                "out":{{"sink":"publish"}}}},"edges":[["in","m"],["m","out"]],
                "faults":[{}{{"crash":"in","at":0}}]}}"#,
                faults.repeat(40_000)
            )
        }),
        ("a longer split than memory", {
            r#"{"job":{"in":{"source":{"from":1,"to":4000000000}},"out":{"sink":"publish"}},
                "edges":[["in","out"]]}"#
                .to_owned()
        }),
    ] {
        let result = check(text.as_bytes());
        let refused = ["as many edges as fit", "a wrong name among thousands, again and again"];
        assert_eq!(result.is_err(), refused.contains(&name), "{name}");
    }
}
