//! Pages of other runs: those that have to leave something out say so.

use super::data::{crashes, data, folder, page};

#[expect(clippy::disallowed_methods, reason = "it writes what the program is to read")]
fn write(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).expect("it can be written");
}

const SMALL: &str = r#"{
    "job": { "in": { "source": ["LETTERS"] }, "out": { "sink": "publish" } },
    "edges": [["in", "out"]],
    "labels": { "en": { "in": "<b>\"in\" & 😀</b>" } }
}"#;

fn small(name: &str, letters: &str) -> serde_json::Value {
    let path = folder(name).join("small.json");
    write(&path, &SMALL.replace("\"LETTERS\"", letters));
    let made = page(&[path.to_str().expect("plain names")]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    data(&String::from_utf8(made.stdout).expect("text"))
}

#[test]
fn a_job_without_checkpoints_and_moments_has_a_page() {
    let data = small("plain", "1, 2, 3");
    assert_eq!(data["moments"].as_array().expect("a list").len(), 0);
    assert!(data["diagrams"][""]["gantt"].is_null());
    assert!(!crashes(&data).is_empty());
}

#[test]
fn names_of_a_scenario_do_not_break_the_page() {
    let data = small("names", "1");
    let label = data["tasks"][0][1].as_str().expect("text");
    assert!(label.contains("<b>\"in\" & 😀</b>"), "{label}");
    for element in data["elements"].as_array().expect("a list") {
        let element = element.as_str().expect("text");
        assert!(!element.contains("<b>"), "{element}");
    }
}

/// Some 800 steps with two tasks: a crash at every step would be more than a
/// million steps.
#[test]
fn a_large_page_keeps_the_crashes_at_moments_and_says_so() {
    let numbers: Vec<String> = (0..400).map(|n| n.to_string()).collect();
    let text = SMALL.replace("\"LETTERS\"", &numbers.join(", "));
    let moments = r#""checkpoints": [{ "at": "5 ms" }],
    "moments": [{ "name": "start" }, { "name": "trigger", "when": "checkpoint 1 is triggered" }]"#;
    let path = folder("large").join("large.json");
    write(
        &path,
        &format!("{},\n    {moments}\n}}", text.trim_end().trim_end_matches('}').trim_end()),
    );
    let made = page(&[path.to_str().expect("plain names")]);
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{said}");
    assert!(said.contains("note[page]"), "{said}");
    assert!(made.stdout.len() < 5_000_000, "{} bytes", made.stdout.len());
    let data = data(&String::from_utf8(made.stdout).expect("text"));
    assert_eq!(data["left_out"].as_array().expect("a list").len(), 1);
    let ends: Vec<u64> = data["moments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|own| own["last"].as_u64().expect("a number"))
        .collect();
    let crashes = crashes(&data);
    assert!(!crashes.is_empty());
    assert!(crashes.iter().all(|(step, ..)| ends.contains(step)), "{crashes:?}");
}

/// Jobs of every kind have a page, and their questions can be made.
#[test]
fn other_scenarios_have_pages() {
    for name in [
        "letters",
        "broadcast",
        "incremental-files",
        "restart-none",
        "jobmanager-crash",
        "resumed",
        "lecture-unaligned",
        "source-finishes-first",
    ] {
        let made = page(&[name]);
        assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
        data(&String::from_utf8(made.stdout).expect("text"));
    }
}
