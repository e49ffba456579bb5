//! The published schema describes what is written.

use std::collections::BTreeSet;

use checkdam::trace::trace_schema;
use proptest::prelude::*;
use serde_json::Value;

use super::{facts, sample_trace, samples, written};

#[test]
fn the_published_schema_is_current() {
    let published = include_str!("../../schemas/trace.schema.json");
    let current = serde_json::to_string_pretty(&trace_schema()).expect("a schema is JSON") + "\n";
    assert!(published == current, "run: checkdam schema trace > schemas/trace.schema.json");
}

#[test]
fn the_sample_has_each_kind_of_fact_that_the_schema_knows() {
    let schema = trace_schema();
    let kinds = schema["$defs"]["FactLine"]["oneOf"].as_array().expect("kinds of facts");
    let known: BTreeSet<&str> =
        kinds.iter().map(|kind| kind["required"][0].as_str().expect("a kind's name")).collect();
    let text = String::from_utf8(written(&sample_trace())).expect("UTF-8");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let written: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line["facts"].as_array())
        .flatten()
        .flat_map(|fact| fact.as_object().expect("a fact is an object").keys())
        .map(String::as_str)
        .collect();
    assert_eq!(written, known);
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let validator = jsonschema::validator_for(&trace_schema()).expect("a schema");
    for line in [
        r#"{"step":1,"at":0,"facts":[{"vanished":{}}]}"#,
        r#"{"step":1,"at":0,"facts":[{"job-finished":{"early":true}}]}"#,
        r#"{"step":-1,"at":0,"facts":[]}"#,
        r#"{"step":1,"facts":[]}"#,
        r#"{"end":{"records":1,"digest":"00"}}"#,
        r#"{}"#,
    ] {
        assert!(!validator.is_valid(&serde_json::from_str(line).expect("JSON")), "{line}");
    }
}

proptest! {
    #![proptest_config(samples())]

    #[test]
    fn every_line_that_is_written_is_valid(steps in facts::any_steps()) {
        let validator = jsonschema::validator_for(&trace_schema()).expect("a schema");
        let text = String::from_utf8(written(&steps)).expect("UTF-8");
        for line in text.lines() {
            let value = serde_json::from_str(line).expect("JSON");
            if let Err(error) = validator.validate(&value) {
                return Err(TestCaseError::fail(format!("{error}: {line}")));
            }
        }
    }
}
