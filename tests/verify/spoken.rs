//! What `checkdam verify` says of a trace.

#![expect(clippy::disallowed_methods, reason = "these tests are about files and processes")]

use std::path::Path;
use std::process::Command;

use checkdam::model::{Language, Scenario};
use checkdam::trace::{Trace, TraceWriter};
use checkdam::verify::Property;
use serde_json::Value;

/// The bytes of a trace's file.
pub(super) fn written(scenario: &Scenario, trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = TraceWriter::new(&mut bytes, scenario, &trace.driver).expect("memory");
    for step in &trace.steps {
        writer.step(step.number, step.at, &step.facts).expect("memory");
    }
    writer.finish().expect("memory");
    bytes
}

/// Runs `verify` on a trace: exit status and what is printed.
pub(super) fn verdict(name: &str, bytes: &[u8], arguments: &[&str]) -> (Option<i32>, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("verify-{name}.trace"));
    std::fs::write(&path, bytes).expect("a file of the test's own");
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.arg("verify").arg(&path).args(arguments).env_clear().env("LANG", "C.UTF-8");
    let output = command.output().expect("the program starts");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
    (output.status.code(), text)
}

/// The first sentence on a property that is broken.
pub(super) fn explanation(
    scenario: &Scenario,
    trace: &Trace,
    (number, property, language): (usize, Property, Language),
) -> String {
    let bytes = written(scenario, trace);
    let format = ["--format", "json"];
    let (status, text) = verdict(&number.to_string(), &bytes, &format);
    assert_eq!(status, Some(1), "{text}");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let properties = json["properties"].as_array().expect("a list");
    let own = properties.iter().find(|own| own["name"] == property.name()).expect("it is there");
    assert_eq!(own["outcome"], "violated");
    let language = match language {
        Language::En => "en",
        Language::Zh => "zh",
    };
    own["findings"][0][language].as_str().expect("a sentence").to_owned()
}
