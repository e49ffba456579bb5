//! State in files: sizes and times of the stories by arithmetic.

use checkdam::load;
use checkdam::model::{
    CheckpointId, FileName, Location, ReadFailure, Scenario, Time, WriteFailure,
};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, View};
use checkdam::verify::{Outcome, Wrong, verify};

use super::reading::Reading;

const MB: u64 = 1 << 20;

/// What the tasks of a run have written for each checkpoint, in MB.
fn written(reading: &Reading) -> Vec<u64> {
    let mut written: Vec<(CheckpointId, u64)> = Vec::new();
    for (_, fact) in reading.facts() {
        if let Fact::StateWritten { checkpoint, pieces, .. } = fact {
            let new = pieces.iter().filter(|piece| matches!(piece.location, Location::Written(_)));
            let bytes: u64 = new.map(|piece| piece.bytes).sum();
            match written.last_mut() {
                Some((id, sum)) if id == checkpoint => *sum += bytes,
                _ => written.push((*checkpoint, bytes)),
            }
        }
    }
    written.into_iter().map(|(_, bytes)| bytes / MB).collect()
}

/// How long a checkpoint takes: 1 ms to the source, 1 ms to the task, writing,
/// 1 ms back.
fn with_messages(writing_ms: u64) -> u64 {
    1 + 1 + writing_ms + 1
}

#[test]
fn an_incremental_checkpoint_writes_what_has_changed() {
    let incremental = Reading::of("incremental-files");
    // Four keys; then one at a time; after four tables everything and one key.
    assert_eq!(written(&incremental), [4, 1, 1, 1, 4 + 1, 1]);
    // 5 ms a file and 10 ms a MB.
    let durations: Vec<u64> = (1..=6).map(|id| incremental.duration_ms(id)).collect();
    let expected = [5 + 40, 5 + 10, 5 + 10, 5 + 10, 2 * 5 + 50, 5 + 10].map(|ms| ms + 1 + 1 + 1);
    assert_eq!(durations, expected);
    let full = "\"execution.checkpointing.incremental\": false";
    let full = [("\"execution.checkpointing.incremental\": true", full)];
    let full = Reading::changed("incremental-files", &full);
    assert_eq!(written(&full), [4; 6]);
    assert_eq!((1..=6).map(|id| full.duration_ms(id)).collect::<Vec<_>>(), [48; 6]);
    // The heap has no tables to share.
    let heap = [("\"rocksdb\"", "\"hashmap\"")];
    assert_eq!(written(&Reading::changed("incremental-files", &heap)), [4; 6]);
}

#[test]
fn shared_files_go_with_the_last_retained_checkpoint_that_uses_them() {
    let reading = Reading::of("incremental-files");
    let mut view = View::start(&reading.scenario.graph);
    let mut listings = Vec::new();
    for step in &reading.trace.steps {
        view.apply_step(&reading.scenario.graph, step).expect("it happened");
        let is_complete = |fact: &Fact| matches!(fact, Fact::CheckpointCompleted { .. });
        if step.facts.iter().any(is_complete) {
            let shared = view.files.files().filter_map(|(name, file)| {
                let path = name.path(&reading.scenario.graph);
                let number = path.strip_prefix("shared/count-")?.strip_suffix(".sst")?;
                Some(format!("{number}×{}", file.users.len()))
            });
            listings.push(shared.collect::<Vec<_>>().join(" "));
        }
    }
    let expected = [
        "1×1",
        "1×2 2×1",
        "1×2 2×2 3×1",
        "1×2 2×2 3×2 4×1",
        "1×1 2×1 3×1 4×1 5×1 6×1",
        "5×2 6×2 7×1",
    ];
    assert_eq!(listings, expected);
}

#[test]
fn state_beyond_5_mb_does_not_fit_into_the_jobmanager() {
    let text = load::builtin().iter().find(|own| own.name == "memory-storage-too-small");
    let text = text.expect("it is shipped").text;
    let run = |text: &str| {
        let scenario = Scenario::parse("memory", text).expect("it is valid");
        let (trace, ending) = simulate(&scenario, 1);
        (Reading { scenario, trace }, ending)
    };
    let (reading, ending) = run(text);
    assert_eq!(ending, Ending::Failed);
    let failures: Vec<_> = reading
        .facts()
        .filter_map(|(_, fact)| match fact {
            Fact::WriteFailed { checkpoint, why, .. } => Some((checkpoint.0, *why)),
            _ => None,
        })
        .collect();
    let too_large = WriteFailure::TooLarge { bytes: 6 * MB, bytes_max: 5 * MB };
    assert_eq!(failures, [(2, too_large), (3, too_large), (4, too_large)]);
    // One key less a piece, or a directory, and all is well.
    let (_, ending) = run(&text.replace("\"3 mb\"", "\"2 mb\""));
    assert_eq!(ending, Ending::Finished);
    let interval = "\"execution.checkpointing.interval\"";
    let directory = format!("\"execution.checkpointing.dir\": \"hdfs:///c\", {interval}");
    assert_eq!(run(&text.replace(interval, &directory)).1, Ending::Finished);
}

/// From the start of an attempt until a task has its state, in milliseconds.
fn ready_after(reading: &Reading, attempt: u32, task: &str) -> u64 {
    let task = reading.task(task);
    let mut facts = reading.facts();
    let started = facts.find_map(|(at, fact)| match fact {
        Fact::AttemptStarted { attempt: own, .. } if own.0 == attempt => Some(at),
        _ => None,
    });
    let ready = facts.find_map(|(at, fact)| match fact {
        Fact::StateRestored { task: own, .. } if *own == task => Some(at),
        _ => None,
    });
    let (started, ready): (Time, Time) = started.zip(ready).expect("both happen");
    (ready.0 - started.0) / 1000
}

#[test]
fn a_copy_on_the_own_disk_saves_the_way_to_the_storage() {
    let both = ["sum[even]", "sum[odd]"];
    let ready = |reading: &Reading, attempt| both.map(|task| ready_after(reading, attempt, task));
    let local = Reading::of("local-recovery");
    // 1 ms and 20 MB at 500 MB/s against 100 ms and 20 MB at 100 MB/s.
    let (disk, storage) = (1 + 40, 100 + 200);
    assert_eq!(ready(&local, 2), [disk, disk]);
    assert_eq!(ready(&local, 3), [storage, disk]);
    assert_eq!(local.duration_ms(1), with_messages(storage + disk));
    // The second crash would come while they read.
    let later = ("\"after\": \"200 ms\"", "\"after\": \"500 ms\"");
    let off = [
        later,
        (
            "\"execution.state-recovery.from-local\": true",
            "\"state.backend.local-recovery\": false",
        ),
    ];
    let remote = Reading::changed("local-recovery", &off);
    assert_eq!(ready(&remote, 2), [storage, storage]);
    assert_eq!(remote.duration_ms(1), with_messages(storage));
    // Written and never read.
    let backup = [
        later,
        (
            "\"execution.state-recovery.from-local\": true",
            "\"execution.checkpointing.local-backup.enabled\": true",
        ),
    ];
    let backup = Reading::changed("local-recovery", &backup);
    assert_eq!(ready(&backup, 2), [storage, storage]);
    assert_eq!(backup.duration_ms(1), with_messages(storage + disk));
    // In the JobManager's memory there is nothing to copy.
    let memory = [
        (
            "\"s3://bucket/checkpoints\"",
            "\"s3://bucket/checkpoints\", \"state.checkpoint-storage\": \"jobmanager\"",
        ),
        ("\"20 mb\"", "\"2 mb\""),
    ];
    assert_eq!(ready(&Reading::changed("local-recovery", &memory), 2), [0, 0]);
}

#[test]
fn an_outage_of_the_storage_costs_a_restart_and_no_record() {
    let reading = Reading::of("storage-outage");
    let ms = |what: fn(&Fact) -> bool| {
        let found = reading.facts().filter(|(_, fact)| what(fact));
        found.map(|(at, _)| at.0 / 1000).collect::<Vec<_>>()
    };
    // Begun at 202 ms, 10 ms and 2 MB at 200 MB/s; the outage began at 210 ms.
    assert_eq!(ms(|fact| matches!(fact, Fact::WriteFailed { .. })), [202 + 10 + 10]);
    let given_up = ms(|fact| matches!(fact, Fact::CheckpointAborted { .. }));
    // The refusal comes 1 ms later; checkpoint 3 finds no place at its time.
    assert_eq!(given_up, [223, 300]);
    // Crash at 350 ms, noticed 1 ms later; one attempt in the outage, until 510
    // ms, one after it.
    assert_eq!(ms(|fact| matches!(fact, Fact::AttemptStarted { .. })), [451, 552]);
    assert_eq!(ms(|fact| matches!(fact, Fact::RestoreFailed { .. })), [451]);
    assert_eq!(ready_after(&reading, 3, "sum"), 10 + 10);
    assert_eq!(reading.facts().filter(|(_, f)| matches!(f, Fact::JobFinished)).count(), 1);
}

#[test]
fn a_directory_of_one_machine_is_lost_with_it() {
    let (scenario, trace) = super::run("directory-on-one-machine");
    let reading = Reading { scenario, trace };
    let failed: Vec<String> = reading
        .facts()
        .filter_map(|(_, fact)| match fact {
            Fact::RestoreFailed { task, why, .. } => Some(format!("{}: {why:?}", task.0)),
            _ => None,
        })
        .collect();
    // Of three restarts the first succeeds, on the same machine.
    assert_eq!(failed.len(), 2, "{failed:?}");
    let is_last = |fact: &Fact| matches!(fact, Fact::JobFailed { restart_after: None, .. });
    assert!(reading.facts().any(|(_, fact)| is_last(fact)));
    // A directory that everybody sees makes the difference.
    let shared = [("\"shared\": false", "\"shared\": true")];
    let shared = Reading::changed("directory-on-one-machine", &shared);
    let attempts = shared.facts().filter(|(_, f)| matches!(f, Fact::AttemptStarted { .. }));
    assert_eq!(attempts.count(), 2);
}

#[test]
fn a_slow_storage_needs_so_many_times_the_time() {
    let slow = [(
        "\"faults\": [",
        "\"faults\": [{ \"storage\": \"slow\", \"times\": 3, \"for\": \"40 ms\", \"at\": \"90 ms\" },",
    )];
    let slow = Reading::changed("storage-outage", &slow);
    assert_eq!(slow.duration_ms(1), with_messages(3 * (10 + 10)));
}

/// Flink: disposing of a checkpoint by hand takes its shared files as well, and
/// an increment that refers to them cannot be restored. Two restarts are
/// allowed; each attempt misses the table that checkpoint 1 wrote.
#[test]
fn an_increment_cannot_do_without_the_files_of_a_deleted_checkpoint() {
    let reading = Reading::of("retained-checkpoint-deleted");
    let table = |file: &FileName| matches!(file, FileName::Shared { number: 1, .. });
    let reused = reading.count(|fact| match fact {
        Fact::StateWritten { checkpoint: CheckpointId(2), pieces, .. } => pieces
            .iter()
            .any(|piece| matches!(&piece.location, Location::Reused(file) if table(file))),
        _ => false,
    });
    assert_eq!(reused, 1);
    let missed = |fact: &Fact| match fact {
        Fact::RestoreFailed { checkpoint, why: ReadFailure::FileMissing { file }, .. } => {
            (*checkpoint, table(file)) == (CheckpointId(2), true)
        }
        _ => false,
    };
    assert_eq!(reading.count(missed), 2);
    let verdict = verify(&reading.scenario, &reading.trace);
    let missing = verdict.conduct.breaches.iter().map(|breach| match &breach.wrong {
        Wrong::FileMissing { checkpoint, file } => (checkpoint.0, table(file)),
        wrong => panic!("{wrong:?}"),
    });
    assert_eq!(missing.collect::<Vec<_>>(), [(2, true)]);
    // Left alone, the same job ends well.
    let alone = [("{ \"dispose\": 1, \"at\": \"65 ms\" },", "")];
    let alone = Reading::changed("retained-checkpoint-deleted", &alone);
    assert_eq!(simulate(&alone.scenario, 1).1, Ending::Finished);
    assert_eq!(verify(&alone.scenario, &alone.trace).answer(), Outcome::Holds);
}
