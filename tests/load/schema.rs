//! The schema of scenario files.

use checkdam::load;
use serde_json::Value;

#[test]
fn the_copy_in_the_tree_is_current() {
    let copy: Value = serde_json::from_str(include_str!("../../schemas/scenario.json"))
        .expect("the copy is JSON");
    assert!(
        copy == load::scenario_schema(),
        "schemas/scenario.json is old: checkdam schema scenario > schemas/scenario.json"
    );
}

#[test]
fn built_in_scenarios_fit_the_schema() {
    let schema = jsonschema::validator_for(&load::scenario_schema()).expect("it is a schema");
    for scenario in load::builtin() {
        let value: Value = serde_json::from_str(scenario.text).expect("it is JSON");
        assert!(schema.is_valid(&value), "{}", scenario.name);
    }
}

#[test]
fn the_schema_refuses_what_is_wrong_in_itself() {
    let schema = jsonschema::validator_for(&load::scenario_schema()).expect("it is a schema");
    let sound =
        r#"{"job": {"in": {"source": [1]}, "out": {"sink": "publish"}}, "edges": [["in", "out"]]}"#;
    assert!(schema.is_valid(&serde_json::from_str(sound).expect("it is JSON")));
    for (wrong, right) in [
        (r#""sink""#, r#""snik""#),
        (r#""publish""#, r#""later""#),
        (r#"[1]"#, r#"true"#),
        (r#"["in", "out"]"#, r#"["in"]"#),
        (r#"["in", "out"]"#, r#"["in", "out", "hash", {"capacity": 0}]"#),
        (r#"{"job""#, r#"{"steps": 0, "job""#),
        (r#"{"job""#, r#"{"steps": null, "job""#),
        (r#"{"job""#, r#"{"network": null, "job""#),
        (r#"{"job""#, r#"{"rpc": "soon", "job""#),
        (r#"{"job""#, r#"{"faults": [{"crash": "in", "for": 3}], "job""#),
    ] {
        let text = sound.replace(wrong, right);
        let value = serde_json::from_str(&text).expect("it is JSON");
        assert!(!schema.is_valid(&value), "{text}");
    }
}
