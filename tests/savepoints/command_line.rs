//! Savepoints on the command line: written, shown, started from, replayed.

#![expect(clippy::disallowed_methods, reason = "it reads and writes what the program does")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own, empty at first.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("savepoints-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("it can be made");
    folder
}

pub(super) fn checkdam(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.args(arguments).current_dir(folder).env("LC_ALL", "C").env("NO_COLOR", "1");
    command.output().expect("it can be started")
}

pub(super) fn text(bytes: &[u8]) -> String {
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

/// The job of `resumed` with some settings, in a file.
fn resumed_with(folder: &Path, settings: &str, from: &str) {
    let built_in = checkdam::load::builtin().iter().find(|own| own.name == "resumed");
    let text = built_in.expect("it is shipped").text;
    let own = "\"from\": \"stop-with-savepoint\",";
    assert!(text.contains(own) && !text.contains("\"config\""));
    let text = text.replace(own, &format!("{from} \"config\": {{ {settings} }},"));
    std::fs::create_dir_all(folder.join("jobs")).expect("it can be made");
    std::fs::write(folder.join("jobs/job.json"), text).expect("it can be written");
}

/// Under either spelling, from the folder of the scenario, whatever reads it.
#[test]
fn a_job_starts_from_the_savepoint_that_its_settings_name() {
    let folder = folder("setting");
    let run = checkdam(&folder, &["run", "stop-with-savepoint", "--savepoint-dir", "kept"]);
    assert!(run.status.success());
    let absolute = folder.join("kept/stop-with-savepoint-savepoint-2.json");
    let paths = [
        "../kept/stop-with-savepoint-savepoint-2.json".to_owned(),
        absolute.display().to_string(),
        format!("file://{}", absolute.display()),
    ];
    for key in ["execution.state-recovery.path", "execution.savepoint.path"] {
        for path in &paths {
            resumed_with(&folder, &format!("\"{key}\": \"{path}\""), "");
            let run = checkdam(&folder, &["run", "jobs/job.json"]);
            let told = text(&run.stdout);
            assert!(told.contains("started from savepoint 2 of stop-with-savepoint"), "{told}");
            assert!(told.contains("5 of 5 records count once"), "9 less 4: {told}");
        }
    }
    for command in ["walk", "verify"] {
        let run = checkdam(&folder, &[command, "jobs/job.json"]);
        assert!(run.status.success(), "{command}: {}", text(&run.stderr));
    }
    // A configuration file says it of a job that says nothing of the kind.
    let config = "execution.state-recovery.path: kept/stop-with-savepoint-savepoint-2.json\n";
    std::fs::write(folder.join("flink.yaml"), config).expect("it can be written");
    resumed_with(&folder, "", "");
    let run = checkdam(&folder, &["run", "jobs/job.json", "--config", "flink.yaml"]);
    assert!(text(&run.stdout).contains("started from savepoint 2"), "{}", text(&run.stderr));
}

/// As with Flink, what the user names by hand comes before the settings.
#[test]
fn what_is_named_by_hand_comes_before_the_settings() {
    let folder = folder("setting-later");
    let run = checkdam(&folder, &["run", "savepoint", "--savepoint-dir", "kept"]);
    assert!(run.status.success());
    let missing = "\"execution.state-recovery.path\": \"missing.json\"";
    resumed_with(&folder, missing, "");
    let arguments = ["run", "jobs/job.json", "--from", "kept/savepoint-savepoint-3.json"];
    let run = checkdam(&folder, &arguments);
    assert!(text(&run.stdout).contains("started from savepoint 3"), "{}", text(&run.stderr));
    resumed_with(&folder, missing, "\"from\": \"stop-with-savepoint\",");
    let run = checkdam(&folder, &["run", "jobs/job.json"]);
    assert!(text(&run.stdout).contains("started from savepoint 2"), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("two-starts"), "{}", text(&run.stderr));
}

#[test]
fn a_setting_that_names_no_file_is_told_with_a_remedy() {
    let folder = folder("setting-missing");
    let cases = [
        ("missing.json", "there is no file jobs/missing.json"),
        ("../jobs", "is a folder, and a savepoint is a file"),
        ("s3://bucket/savepoint-1", "it is in a file system that checkdam does not reach"),
    ];
    for (path, why) in cases {
        resumed_with(&folder, &format!("\"execution.savepoint.path\": \"{path}\""), "");
        for command in ["run", "walk", "verify"] {
            let mut arguments = vec![command, "jobs/job.json"];
            if command == "run" {
                arguments.extend(["--trace", "trace"]);
            }
            let run = checkdam(&folder, &arguments);
            assert_eq!(run.status.code(), Some(2), "{command} {path}");
            let told = text(&run.stderr);
            for part in ["execution.state-recovery.path", why, "help:", "leave the key out"] {
                assert!(told.contains(part), "{part}: {told}");
            }
            assert!(!folder.join("trace").exists(), "{path}");
        }
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

/// Who tries every order starts where the job does: the outcome is the one of a
/// run, 4 and 6 of the job before, and the sums of 5 to 9. A sweep varies jobs
/// that start from nothing, and says so.
#[test]
fn every_order_of_a_job_begins_with_its_savepoint() {
    let folder = folder("explored");
    let run = checkdam(&folder, &["explore", "resumed", "--crashes", "0"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let told = text(&run.stdout);
    assert!(told.contains("sink 4 6 9 12 16 20 25"), "{told}");
    assert!(told.contains("1 outcome"), "{told}");
    let run = checkdam(&folder, &["sweep", "resumed", "--vary", "latency=0..2ms"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("leave out \"from\""), "{}", text(&run.stderr));
}

/// A savepoint is the user's to delete: nothing else goes with it, and nobody
/// starts from it any more.
#[test]
fn a_savepoint_that_the_user_deletes_is_gone() {
    let folder = folder("deleted");
    let built_in = checkdam::load::builtin().iter().find(|own| own.name == "savepoint");
    let document = built_in.expect("it is shipped").text;
    let delete = "\"faults\": [{ \"dispose\": 1, \"at\": \"60 ms\" },";
    let deleted = document.replace("\"faults\": [", delete);
    assert_ne!(deleted, document);
    std::fs::write(folder.join("deleted.json"), deleted).expect("it can be written");
    let run = checkdam(&folder, &["run", "deleted.json"]);
    let told = text(&run.stdout);
    assert!(told.contains("left         savepoint 3 stays until the user deletes it"), "{told}");
    assert!(told.contains("sink  1 2 4 6 9 12 16 20 25"), "the job does not need it: {told}");
    for (savepoint, status) in [(1, 2), (3, 0)] {
        let from =
            format!("\"from\": {{ \"scenario\": \"deleted\", \"savepoint\": {savepoint} }},");
        resumed_with(&folder, "", &from);
        std::fs::rename(folder.join("jobs/job.json"), folder.join("job.json")).expect("moved");
        let run = checkdam(&folder, &["run", "job.json"]);
        assert_eq!(run.status.code(), Some(status), "{}", text(&run.stderr));
        let is_refused = text(&run.stderr).contains("takes no savepoint 1");
        assert_eq!(is_refused, savepoint == 1, "{}", text(&run.stderr));
    }
}

/// A misuse that only the run shows ends with what to do, in both languages.
#[test]
fn what_to_do_about_a_misuse_stands_at_the_end() {
    let folder = folder("misused");
    let misuses: [(&[&str], [&str; 2]); 3] = [
        (&["run", "retained-checkpoint-deleted"], ["take a savepoint", "用保存点"]),
        (&["verify", "retained-checkpoint-deleted"], ["take a savepoint", "用保存点"]),
        (&["verify", "too-old-savepoint", "--as-one"], ["the newest savepoint", "最新的保存点"]),
    ];
    for (arguments, told) in misuses {
        for (language, told) in ["en", "zh"].into_iter().zip(told) {
            let said = checkdam(&folder, &[arguments, &["--lang", language]].concat());
            // As one line, without the indentation.
            let words = text(&said.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
            let (_, remedy) = words
                .split_once(["what to do", "怎么办"][usize::from(language == "zh")])
                .expect("it is told");
            assert!(remedy.contains(told), "{arguments:?}: {words}");
        }
    }
    // Each of the runs is right by itself, and needs no advice.
    let said = text(&checkdam(&folder, &["run", "too-old-savepoint"]).stdout);
    assert!(!said.contains("what to do"), "{said}");
}
