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
