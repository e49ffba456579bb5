//! `checkdam config` as it is called from a shell.

#![expect(clippy::disallowed_methods, reason = "these tests are about files and processes")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn config(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.arg("config").args(arguments).env_clear().env("LANG", "C.UTF-8");
    command.output().expect("the program starts")
}

fn user(name: &str) -> String {
    format!("{}/tests/cases/user-configs/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn machines_get_what_is_expected_the_messages_and_every_setting() {
    let output = config(&[&user("c13-flat-small.yaml"), "--format", "json"]);
    assert!(output.status.success() && output.stderr.is_empty());
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["expect"]["interval_ms"], 60_000);
    assert_eq!(json["expect"]["restart"]["type"], "exponential-delay");
    for message in json["messages"].as_array().expect("a list") {
        for part in ["severity", "key", "line", "text"] {
            assert!(message.get(part).is_some(), "{part}: {message:#}");
        }
    }
    let settings = json["settings"].as_array().expect("a list");
    let find = |key: &str| settings.iter().find(|setting| setting["key"] == key).expect("a key");
    let interval = find("execution.checkpointing.interval");
    assert_eq!(
        interval["origin"],
        serde_json::json!({
            "from": "file", "line": 6, "key": "execution.checkpointing.interval", "written": "60s",
        })
    );
    assert_eq!(find("execution.checkpointing.timeout")["origin"]["from"], "default");
    assert_eq!(find("restart-strategy.type")["origin"]["from"], "derived");
}

#[test]
fn what_flink_refuses_is_refused_with_status_2() {
    let name = user("c19-flat-hyphenated-enum.yaml");
    let output = config(&[&name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = text(&output.stderr);
    assert!(said.contains("did you mean `EXACTLY_ONCE`?"), "{said}");
    let output = config(&[&name, "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(json["expect"]["error"].is_string());
}

#[test]
fn the_release_decides_about_names_and_files() {
    let name = user("c02-flat-dirs-but-no-interval.yaml");
    let (old, new) = (config(&[&name]), config(&[&name, "--flink", "2.1"]));
    assert!(text(&old.stdout).contains("as Flink 1.20 reads it"));
    let new = text(&new.stdout);
    assert!(new.contains("as Flink 2.x reads it") && new.contains("warning[unknown-backend]"));
    let output = config(&[&name, "--flink", "0.9"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no-such-version"));
}

/// The same job under somebody's own configuration; its trace holds what was
/// run.
#[test]
fn a_run_under_a_configuration_can_be_replayed() {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-run.jsonl");
    let trace = trace.to_str().expect("a plain name");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
        command.args(arguments).env_clear().env("LANG", "C.UTF-8");
        command.output().expect("the program starts")
    };
    let file = user("c23-flat-failure-rate.yaml");
    let output = run(&["run", "crash-after-complete", "--config", &file, "--trace", trace]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("failure number 4 within 5 min is fatal"));
    let header = std::fs::read_to_string(trace).expect("it was written");
    let header = header.lines().next().expect("a first line").to_owned();
    assert!(header.contains(r#""restart-strategy.type":"failure-rate""#), "{header}");
    assert!(run(&["replay", trace]).status.success());
    // A configuration that Flink refuses runs nothing.
    let file = user("c19-flat-hyphenated-enum.yaml");
    let output = run(&["run", "lecture", "--config", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

/// Of a folder Flink 1.20 reads the older file first; Flink 2 only the newer.
#[test]
fn a_folder_stands_for_the_file_that_flink_would_read() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-folder");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a new folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("flink-conf.yaml", "execution.checkpointing.interval: 1 min\n");
    write("config.yaml", "execution.checkpointing.interval: 2 min\n");
    let folder = folder.to_str().expect("a plain name");
    for (version, interval) in [("1.20", 60_000), ("2.0", 120_000)] {
        let output = config(&[folder, "--flink", version, "--format", "json"]);
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["expect"]["interval_ms"], interval, "{version}");
    }
}
