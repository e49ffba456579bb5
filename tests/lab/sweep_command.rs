//! `checkdam sweep` as it is typed: tables, files, shards, and what is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn sweep(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.env_clear().current_dir(folder).arg("sweep").args(arguments);
    command.output().expect("it can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[expect(clippy::disallowed_methods, reason = "it reads what the program has written")]
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[expect(clippy::disallowed_methods, reason = "it writes what the program is to read")]
fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("it can be written");
}

const SKEW: [&str; 3] = ["skew", "--vary", "edges.1.3.latency=10ms..50ms:10ms"];

/// Alignment is the latency less 10 ms, in every form of the table.
#[test]
fn every_form_of_the_table_says_the_same() {
    let folder = folder("forms");
    let files = ["-o", "t.csv", "-o", "t.json", "-o", "t.svg", "-o", "t.png"];
    let done = sweep(&folder, &[&SKEW[..], &["--measure", "alignment"], &files].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    let csv = text(&read(&folder.join("t.csv")));
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..2], ["edges.1.3.latency (us)", "alignment median (us)"]);
    let json: serde_json::Value =
        serde_json::from_slice(&read(&folder.join("t.json"))).expect("it is JSON");
    for (place, row) in rows[1..].iter().enumerate() {
        let latency = 10_000 * (place as u64 + 1);
        assert_eq!(row[0], latency.to_string());
        assert_eq!(row[1], (latency - 10_000).to_string());
        let own = &json["rows"][place];
        assert_eq!(own["values"]["edges.1.3.latency"]["number"], latency);
        assert_eq!(own["numbers"]["alignment"]["median"], latency - 10_000);
    }
    assert_eq!(rows.len(), 6);
    assert!(read(&folder.join("t.svg")).starts_with(b"<svg "));
    assert!(read(&folder.join("t.png")).starts_with(b"\x89PNG"));
    let again =
        sweep(&folder, &[&SKEW[..], &["--measure", "alignment", "--format", "csv"]].concat());
    assert_eq!(text(&again.stdout), csv);
}

#[test]
fn shards_merge_to_the_bytes_of_the_whole() {
    let folder = folder("shards");
    let whole = sweep(&folder, &SKEW);
    assert!(whole.status.success());
    for shard in ["0/3", "1/3", "2/3"] {
        let file = format!("part-{}", &shard[..1]);
        let done = sweep(&folder, &[&SKEW[..], &["--shard", shard, "--results", &file]].concat());
        assert!(done.status.success() && done.stdout.is_empty(), "{}", text(&done.stderr));
    }
    let merge = |files: &[&str]| sweep(&folder, &[&SKEW[..], &["--merge"], files].concat());
    let merged = merge(&["part-2", "part-0", "part-1", "part-0"]);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    assert_eq!(text(&merged.stdout), text(&whole.stdout));
    let part = merge(&["part-2", "part-0"]);
    assert_eq!(part.status.code(), Some(3));
    assert!(text(&part.stderr).contains("shard 1/3 is missing, 2 runs"), "{}", text(&part.stderr));
    assert!(part.stdout.is_empty());
    // Another sweep is no part of this one.
    let other = sweep(&folder, &["skew", "--merge", "part-0", "part-1", "part-2"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("another sweep"), "{}", text(&other.stderr));
    let mut bytes = read(&folder.join("part-1"));
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    write(&folder.join("part-1"), &bytes);
    assert_eq!(merge(&["part-0", "part-1", "part-2"]).status.code(), Some(2));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let folder = folder("wrong");
    let cases: [(&[&str], &str); 11] = [
        (&["lecture"], "--vary is missing"),
        (&["lecture", "--vary", "latency"], "has no ="),
        (&["lecture", "--vary", "latency=5..1"], "does not grow"),
        (&["lecture", "--vary", "latency=1..2", "--vary", "latency=3..4"], "varied twice"),
        (&["lecture", "--vary", "edges.99.3.latency=1..2"], "no place in a list"),
        (&["lecture", "--vary", "execution.checkpointing.intervall=1s"], "intervall"),
        (&["lecture", "--vary", "latency=1..2", "--shard", "2/2", "--results", "r"], "0/2 to 1/2"),
        (&["lecture", "--vary", "latency=0..999:1", "--seeds", "100000"], "are the most"),
        (&["no-such-sweep", "--vary", "latency=1"], "no file and no built-in scenario"),
        (&["skew", "-o", "out.gif"], "cannot be written as .gif"),
        (&["skew", "--merge", "nowhere"], "no file"),
    ];
    for (arguments, said) in cases {
        let mut all = arguments.to_vec();
        if !arguments.contains(&"-o") {
            all.extend(["-o", "out.svg"]);
        }
        let done = sweep(&folder, &all);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(said), "{arguments:?}: {}", text(&done.stderr));
        assert!(done.stdout.is_empty(), "{arguments:?}");
    }
    let left: Vec<_> = std::fs::read_dir(&folder).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A job that does not come to its end is no success, and the table says so.
#[test]
fn runs_that_do_not_finish_are_told() {
    let folder = folder("unfinished");
    let job = r#"{ "job": { "in": { "source": { "from": 1, "to": 1000 } }, "out": { "sink": "publish" } },
        "edges": [["in", "out"]], "steps": 100 }"#;
    write(&folder.join("s.json"), job.as_bytes());
    let done = sweep(&folder, &["s.json", "--vary", "steps=100,100000", "--measure", "time"]);
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("1 of 1 did not finish"), "{}", text(&done.stdout));
}
