//! Savepoints on the command line: written, shown, started from, replayed.

#![expect(clippy::disallowed_methods, reason = "it reads and writes what the program does")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own, empty at first.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("savepoints-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

fn checkdam(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.args(arguments).current_dir(folder).env("LC_ALL", "C").env("NO_COLOR", "1");
    command.output().expect("it can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it prints UTF-8")
}

#[test]
fn a_savepoint_is_written_and_a_job_started_from_it_leaves_a_whole_trace() {
    let folder = folder("written");
    let run = checkdam(&folder, &["run", "stop-with-savepoint", "--savepoint-dir", "kept"]);
    assert!(run.status.success());
    let file = "kept/stop-with-savepoint-savepoint-2.json";
    assert!(text(&run.stdout).contains(file), "{}", text(&run.stdout));
    let arguments = ["run", "moved-to-another-cluster", "--from", file, "--trace", "trace"];
    let run = checkdam(&folder, &arguments);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("started from savepoint 2 of stop-with-savepoint"));
    for command in ["replay", "verify", "walk", "draw"] {
        let mut arguments = vec![command, "trace"];
        if command == "draw" {
            arguments.extend(["--as", "spacetime", "-o", "figure.svg"]);
        }
        let done = checkdam(&folder, &arguments);
        assert!(done.status.success(), "{command}: {}", text(&done.stderr));
    }
    // A chain of scenarios is the same run as one from the file.
    let chained = checkdam(&folder, &["run", "moved-to-another-cluster", "--trace", "other"]);
    assert!(chained.status.success());
    let same = |file: &str| std::fs::read(folder.join(file)).expect("it is written");
    assert_eq!(same("trace"), same("other"));
}

#[test]
fn the_checkpoints_that_a_job_leaves_behind_are_written_when_asked_for() {
    let folder = folder("retained");
    let arguments = ["run", "cancelled-job", "--savepoint-dir", "kept", "--retained"];
    assert!(checkdam(&folder, &arguments).status.success());
    let files = std::fs::read_dir(folder.join("kept")).expect("it is made");
    let mut names: Vec<String> =
        files.map(|file| file.expect("listed").file_name().into_string().expect("plain")).collect();
    names.sort();
    assert!(
        !names.is_empty() && names.iter().all(|name| name.contains("-checkpoint-")),
        "{names:?}"
    );
    let shown = checkdam(&folder, &["savepoint", "show", &format!("kept/{}", names[0])]);
    assert!(text(&shown.stdout).contains("left behind by cancelled-job"));
}

#[test]
fn what_is_no_savepoint_is_refused_and_nothing_is_written() {
    let folder = folder("refused");
    let run = checkdam(&folder, &["run", "stop-with-savepoint", "--savepoint-dir", "."]);
    assert!(run.status.success());
    let file = "stop-with-savepoint-savepoint-2.json";
    let whole = std::fs::read_to_string(folder.join(file)).expect("it is written");
    let cases = [
        ("cut", whole[..whole.len() / 2].to_owned(), "the savepoint is cut here"),
        ("changed", whole.replace("\"offset\": 4", "\"offset\": 3"), "the checksum does not match"),
        ("newer", whole.replace("\"format\": 1", "\"format\": 7"), "has format 7"),
        ("foreign", "{}".to_owned(), "this is not a savepoint"),
    ];
    for (name, content, what) in cases {
        std::fs::write(folder.join(name), content).expect("it can be written");
        let arguments = ["run", "stop-with-savepoint", "--from", name, "--trace", "trace"];
        let run = checkdam(&folder, &arguments);
        assert_eq!(run.status.code(), Some(2), "{name}");
        let told = text(&run.stderr);
        assert!(told.contains(what) && told.contains("help:"), "{name}: {told}");
        assert!(told.contains(&format!("{name}:")), "the place is told: {told}");
        assert!(!folder.join("trace").exists(), "{name}");
    }
    // One that is right, and does not fit.
    let run = checkdam(&folder, &["run", "lecture", "--from", file, "--trace", "trace"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("`lecture` cannot start from"), "{}", text(&run.stderr));
    assert!(!folder.join("trace").exists());
}

/// What is written in the native format says so, in the trace as well; another
/// backend is refused, with both ways out.
#[test]
fn a_native_savepoint_is_told_and_refused_to_another_backend() {
    let folder = folder("native");
    let arguments =
        ["run", "stop-with-savepoint", "--native", "--savepoint-dir", ".", "--trace", "trace"];
    let run = checkdam(&folder, &arguments);
    assert!(text(&run.stdout).contains("a native savepoint: numbers 4"), "{}", text(&run.stdout));
    assert!(checkdam(&folder, &["replay", "trace"]).status.success());
    let trace = std::fs::read_to_string(folder.join("trace")).expect("it is written");
    assert_eq!(trace.matches("\"snapshot\":\"suspend\",\"format\":\"native\"").count(), 1);
    let file = "stop-with-savepoint-savepoint-2.json";
    for (language, told) in [("en", "native: for the backend hashmap alone"), ("zh", "原生格式")]
    {
        let shown = checkdam(&folder, &["savepoint", "show", file, "--lang", language]);
        assert!(text(&shown.stdout).contains(told), "{}", text(&shown.stdout));
    }
    std::fs::write(folder.join("rocks.yaml"), "state.backend.type: rocksdb\n").expect("written");
    let arguments = ["run", "resumed", "--config", "rocks.yaml", "--from", file];
    let run = checkdam(&folder, &arguments);
    assert_eq!(run.status.code(), Some(2));
    let told = text(&run.stderr);
    for part in [
        "other-backend",
        "\"state.backend.type\": \"hashmap\"",
        "a savepoint in the canonical format",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

/// To move to another version of the engine is one of the uses of a savepoint:
/// the file says which one wrote it, and any that knows the format starts from it.
#[test]
fn a_job_starts_from_a_savepoint_of_another_engine() {
    let folder = folder("engine");
    let savepoint = super::last_savepoint(&super::changed("stop-with-savepoint", &[]));
    let (engine, tool) = (checkdam::trace::ENGINE_VERSION + 1, "checkdam 9.0.0".to_owned());
    let saved = checkdam::savepoint::Saved { engine, tool, savepoint };
    std::fs::write(folder.join("saved.json"), saved.text()).expect("it can be written");
    let shown = checkdam(&folder, &["savepoint", "show", "saved.json"]);
    assert!(text(&shown.stdout).contains(&format!("checkdam 9.0.0, engine {engine}")));
    let run = checkdam(&folder, &["run", "resumed", "--from", "saved.json", "--trace", "trace"]);
    // 2+4+6+8 and 1+3+5+7+9.
    assert!(text(&run.stdout).contains("even 20, odd 25"), "{}", text(&run.stderr));
    for command in ["replay", "verify"] {
        let done = checkdam(&folder, &[command, "trace"]);
        assert!(done.status.success(), "{command}: {}", text(&done.stderr));
    }
}
