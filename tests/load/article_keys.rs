//! The article's configuration keys about state: changing one changes what a
//! run leaves behind.

use std::io::Write as _;
use std::process::{Command, Stdio};

use checkdam::load;
use checkdam::model::{FileName, Location, Scenario, SnapshotType, StatePiece};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, Rejection};
use serde_json::{Value, json};

/// A job of 4 keys of 1 KB each, with a checkpoint after every second record
/// or so and a crash, under some settings.
fn document(settings: &[(&str, Value)]) -> String {
    let mut config = json!({
        "execution.checkpointing.interval": "20 ms",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 1,
    });
    for (key, value) in settings {
        config[*key] = value.clone();
    }
    let scenario = json!({
        "job": {
            "numbers": { "source": { "from": 1, "to": 20 }, "service": "10 ms" },
            "sum": { "sum": { "modulo": 4 }, "bytes-per-key": "1 kb" },
            "out": { "sink": "publish" },
        },
        "edges": [["numbers", "sum", "hash"], ["sum", "out"]],
        "storage": { "latency": "1 ms", "disk": { "latency": "1 ms" } },
        "faults": [{ "crash": "sum", "at": "105 ms" }],
        "config": config,
    });
    scenario.to_string()
}

/// All facts of its run.
fn facts(settings: &[(&str, Value)]) -> Vec<Fact> {
    let text = document(settings);
    let scenario: Scenario =
        load::scenario("job.json", text.as_bytes()).expect("it is valid").scenario;
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(ending, Ending::Finished, "{settings:?}");
    trace.steps.into_iter().flat_map(|step| step.facts).collect()
}

/// With a directory, and something else.
fn in_files(settings: &[(&str, Value)]) -> Vec<Fact> {
    let directory = ("state.checkpoints.dir", json!("hdfs:///checkpoints"));
    facts(&[std::slice::from_ref(&directory), settings].concat())
}

fn pieces(facts: &[Fact]) -> impl Iterator<Item = &StatePiece> {
    facts.iter().flat_map(|fact| match fact {
        Fact::StateWritten { pieces, .. } => pieces.as_slice(),
        _ => &[],
    })
}

fn n_files(facts: &[Fact]) -> usize {
    pieces(facts).filter(|piece| matches!(piece.location, Location::Written(_))).count()
}

fn n_shared(facts: &[Fact]) -> usize {
    let is_shared =
        |piece: &&StatePiece| matches!(piece.location.file(), Some(FileName::Shared { .. }));
    pieces(facts).filter(is_shared).count()
}

fn count(facts: &[Fact], wanted: fn(&Fact) -> bool) -> usize {
    facts.iter().filter(|fact| wanted(fact)).count()
}

#[test]
fn a_directory_makes_files_of_checkpoints() {
    assert_eq!(pieces(&facts(&[])).count(), 0);
    let with = in_files(&[]);
    assert!(pieces(&with).count() > 0);
    assert!(count(&with, |fact| matches!(fact, Fact::MetadataWritten { .. })) > 0);
}

/// Flink: without a directory, and with none given by hand, the request for a
/// savepoint is refused.
#[test]
fn a_directory_of_savepoints_decides_whether_there_is_one() {
    let run = |settings: &[(&str, Value)]| {
        let mut document: Value = serde_json::from_str(&document(settings)).expect("it is JSON");
        document["savepoints"] = json!([{ "at": "65 ms" }]);
        let text = document.to_string();
        let scenario = load::scenario("job.json", text.as_bytes()).expect("it is valid").scenario;
        let (trace, ending) = simulate(&scenario, 1);
        assert_eq!(ending, Ending::Finished, "{settings:?}");
        trace.steps.into_iter().flat_map(|step| step.facts).collect::<Vec<_>>()
    };
    let n_written = |facts: &[Fact]| {
        let snapshot = SnapshotType::Savepoint;
        let is_it = |fact: &&Fact| matches!(fact, Fact::MetadataWritten { snapshot: own, .. } if *own == snapshot);
        facts.iter().filter(is_it).count()
    };
    let refused = |fact: &Fact| {
        matches!(fact, Fact::TriggerRejected { reason: Rejection::NoSavepointDirectory, .. })
    };
    let with = run(&[("state.savepoints.dir", json!("hdfs:///savepoints"))]);
    let without = run(&[]);
    assert_eq!((n_written(&with), count(&with, refused)), (1, 0));
    assert_eq!((n_written(&without), count(&without, refused)), (0, 1));
}

#[test]
fn the_threshold_decides_what_gets_a_file_of_its_own() {
    // Four keys, 4 KB: more than the 1024 bytes of old, less than 20 kb.
    let with = |threshold: Value| in_files(&[("state.backend.fs.memory-threshold", threshold)]);
    assert_eq!(n_files(&in_files(&[])), 0);
    assert!(n_files(&with(json!(1024))) > 0);
    // The offsets, too.
    assert!(n_files(&with(json!(0))) > n_files(&with(json!(1024))));
}

#[test]
fn only_rocksdb_shares_files_and_only_if_it_is_told_to() {
    let with = |backend: &str, incremental: bool| {
        n_shared(&in_files(&[
            ("state.backend", json!(backend)),
            ("state.backend.incremental", json!(incremental)),
            ("state.backend.fs.memory-threshold", json!(100)),
        ]))
    };
    assert!(with("rocksdb", true) > 0);
    assert_eq!((with("rocksdb", false), with("filesystem", true)), (0, 0));
}

#[test]
fn local_recovery_reads_the_own_disk_and_not_with_the_memory_backend() {
    let from_disk = |settings: &[(&str, Value)], on: bool| {
        let local = ("state.backend.local-recovery", json!(on));
        let small = ("state.backend.fs.memory-threshold", json!(100));
        let facts = in_files(&[&[local, small], settings].concat());
        let read = facts.iter().map(|fact| match fact {
            Fact::RestoreStarted { from_disk, .. } => *from_disk,
            _ => 0,
        });
        read.sum::<u64>()
    };
    assert_eq!(from_disk(&[], true), 4 << 10);
    assert_eq!(from_disk(&[], false), 0);
    assert_eq!(from_disk(&[("state.backend", json!("jobmanager"))], true), 0);
}

#[test]
fn more_retained_checkpoints_are_deleted_later() {
    // Until the job has ended.
    let deleted = |n_retained: u32| {
        let facts = in_files(&[("state.checkpoints.num-retained", json!(n_retained))]);
        let ended = facts.iter().position(|fact| matches!(fact, Fact::JobFinished));
        let before = &facts[..ended.expect("it finishes")];
        count(before, |fact| matches!(fact, Fact::CheckpointDiscarded { .. }))
    };
    assert_eq!(deleted(1), deleted(3) + 2);
}

#[test]
fn the_local_directories_are_where_the_copies_lie() {
    let listing = |root: &str| {
        let text = document(&[
            ("state.checkpoints.dir", json!("hdfs:///checkpoints")),
            ("state.backend.local-recovery", json!(true)),
            ("taskmanager.state.local.root-dirs", json!(root)),
        ]);
        let mut run = Command::new(env!("CARGO_BIN_EXE_checkdam"))
            .args(["run", "-", "--storage", "--lang", "en"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut input = run.stdin.take().expect("it has an input");
        input.write_all(text.as_bytes()).expect("it reads");
        drop(input);
        let output = run.wait_with_output().expect("it ends");
        String::from_utf8(output.stdout).expect("it is text")
    };
    for root in ["/data/one", "/data/two"] {
        let copy = format!("{root}/localState/chk_");
        assert!(listing(root).contains(&copy), "{}", listing(root));
    }
}
