//! Claims about the program as it is called from a shell.

#![expect(clippy::disallowed_methods, reason = "these tests are about files and processes")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use unicode_width::UnicodeWidthStr;

/// The program with a fixed environment.
fn checkdam(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.args(arguments).env_clear().env("LANG", "C.UTF-8").stdin(Stdio::null());
    command
}

fn call(arguments: &[&str]) -> Output {
    checkdam(arguments).output().expect("the program starts")
}

fn stdout(arguments: &[&str]) -> String {
    let output = call(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    assert_eq!(complaint, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// What the program says of wrong input: on standard error, with status 2,
/// and nothing on standard output.
fn refusal(arguments: &[&str]) -> String {
    let output = call(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("walk-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a new folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the test's own names are text")
}

#[test]
fn nothing_but_the_name_shows_the_lecture() {
    assert_eq!(stdout(&[]), stdout(&["walk", "lecture"]));
}

#[test]
fn a_walk_prints_one_block_a_step_and_each_alone() {
    let all = stdout(&["walk", "lecture", "--width", "80"]);
    let blocks: Vec<&str> = all.split("\n\n━━").collect();
    let n = blocks.len() - 1;
    assert!(blocks[n].contains(&format!("step {n} of {n}")));
    for step in [0, 1, n / 2, n] {
        let alone = stdout(&["walk", "lecture", "--width", "80", "--step", &step.to_string()]);
        let block = blocks[step].trim_start_matches("━━").trim_end();
        assert_eq!(alone.trim_start_matches("━━").trim_end(), block, "step {step}");
    }
    assert!(refusal(&["walk", "lecture", "--step", &(n + 1).to_string()]).contains("no-step"));
}

#[test]
fn every_step_of_every_built_in_scenario_stays_within_its_width() {
    let list = stdout(&["list"]);
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        for width in ["80", "100"] {
            for language in ["en", "zh"] {
                let walk = stdout(&["walk", name, "--width", width, "--lang", language]);
                let columns = width.parse().expect("a number");
                for line in walk.lines() {
                    assert!(line.width() <= columns, "{name} {language}: {line:?}");
                    assert!(!line.ends_with(' '), "{name} {language}: {line:?}");
                }
            }
        }
    }
}

#[test]
fn a_trace_walks_like_its_scenario_and_replays() {
    let folder = folder("trace");
    let trace = folder.join("lecture.trace");
    let trace = text(&trace);
    let said = stdout(&["run", "lecture", "--trace", trace]);
    assert_eq!(said, stdout(&["run", "lecture"]));
    assert_eq!(stdout(&["walk", trace]), stdout(&["walk", "lecture"]));
    assert!(stdout(&["replay", trace]).contains("byte for byte"));

    let mut changed = std::fs::read(trace).expect("it was written");
    let place = changed.len() / 2;
    changed[place] ^= 1;
    let wrong = folder.join("changed.trace");
    std::fs::write(&wrong, &changed).expect("a new file");
    let output = call(&["replay", text(&wrong)]);
    assert_ne!(output.status.code(), Some(0));
    let said = [output.stdout, output.stderr].concat();
    assert!(String::from_utf8_lossy(&said).contains("line"), "it names the place");
}

#[test]
fn the_language_is_that_of_the_environment_unless_it_is_asked_for() {
    let environment = checkdam(&["walk", "lecture", "--step", "3"])
        .env("LANG", "zh_CN.UTF-8")
        .output()
        .expect("the program starts");
    let asked = stdout(&["walk", "lecture", "--step", "3", "--lang", "zh"]);
    assert_eq!(String::from_utf8_lossy(&environment.stdout), asked);
    assert!(asked.contains("变化："));
    assert!(stdout(&["walk", "lecture", "--step", "3"]).contains("changed:"));
}

#[test]
fn colours_go_to_terminals_or_where_they_are_asked_for() {
    let plain = stdout(&["walk", "lecture", "--step", "3"]);
    assert!(!plain.contains('\u{1b}'));
    assert!(stdout(&["walk", "lecture", "--step", "3", "--color", "always"]).contains('\u{1b}'));
    assert!(stdout(&["run", "lecture", "--color", "always"]).contains('\u{1b}'));
}

#[test]
fn a_run_for_machines_says_what_it_says_for_people() {
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&["run", "lecture", "--format", "json"])).expect("JSON");
    assert_eq!(json["scenario"], "lecture");
    assert_eq!(json["ending"], "finished");
    assert_eq!(json["verdict"]["state"]["outcome"], "holds");
    assert_eq!(json["verdict"]["output"]["outcome"], "holds");
    assert_eq!(json["state"]["sum[even]"]["even"], 18);
    assert_eq!(json["state"]["sum[odd]"]["odd"], 18);
    let text = stdout(&["run", "lecture"]);
    assert!(text.contains("even 18 · odd 18"), "{text}");
    assert!(text.contains("2 4 8 12 18"), "{text}");
    assert!(text.contains("1 2 5 8 13 18"), "{text}");
    assert!(text.contains("11 of 11 records count once"), "{text}");
    let chinese = stdout(&["run", "lecture", "--lang", "zh"]);
    assert!(chinese.contains("状态精确一次") && chinese.contains("输出精确一次"), "{chinese}");
}

#[test]
fn a_run_tells_how_a_checkpoint_was_taken_where_it_was_not_plainly_aligned() {
    let scenario = |settings: &str| {
        format!(
            r#"{{
            "job": {{
                "in": {{ "source": {{ "from": 1, "to": 9 }}, "service": 1 }},
                "sum": {{ "sum": "parity", "service": 8 }},
                "out": {{ "sink": "publish" }}
            }},
            "edges": [["in", "sum", "hash", {{ "latency": 2, "capacity": 3 }}], ["sum", "out"]],
            "checkpoints": [{{ "at": "20 ms" }}],
            "config": {{ {settings} }}
            }}"#
        )
    };
    let unaligned = r#""execution.checkpointing.unaligned.enabled": true"#;
    let at_least_once = r#""execution.checkpointing.mode": "AT_LEAST_ONCE""#;
    let folder = folder("kinds");
    for (settings, en, zh) in [
        ("", None, None),
        (unaligned, Some(" unaligned "), Some(" 非对齐 ")),
        (at_least_once, Some(" at least once "), Some(" 至少一次 ")),
    ] {
        let file = folder.join("kinds.json");
        std::fs::write(&file, scenario(settings)).expect("a new file");
        for (language, kind) in [("en", en), ("zh", zh)] {
            let run = stdout(&["run", text(&file), "--lang", language]);
            let head = run.contains("persisted in flight") || run.contains("持久化的在途数据");
            assert_eq!(head, kind.is_some(), "{run}");
            assert!(kind.is_none_or(|kind| run.contains(kind)), "{run}");
            assert!(run.lines().all(|line| line.width() <= 100), "{run}");
        }
        let json = stdout(&["run", text(&file), "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let persisted = &json["checkpoints"][0]["persisted_in_flight"];
        assert_eq!(persisted["records"].as_u64() > Some(0), settings == unaligned, "{persisted}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_a_reason() {
    let folder = folder("refusals");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a new file");
        path
    };
    let said = refusal(&["walk", "lectrue"]);
    assert!(
        said.starts_with("error[not-found]") && said.contains("did you mean `lecture`"),
        "{said}"
    );
    assert!(refusal(&["walk", text(&folder)]).contains("is a directory"));
    assert!(refusal(&["run", text(&folder)]).contains("is a directory"));
    let latin = file("latin.json", b"{ \"job\": \"\xff\" }");
    assert!(refusal(&["run", text(&latin)]).starts_with("error["));
    let large = file("large.json", &vec![b' '; (4 << 20) + 1]);
    assert!(refusal(&["walk", text(&large)]).starts_with("error["));
    assert!(refusal(&["walk", text(&file("empty.json", b""))]).starts_with("error["));
    assert!(refusal(&["replay", text(&file("no.trace", b"{}\n"))]).contains("not a trace"));
    assert!(refusal(&["walk", "lecture", "--width", "5"]).contains("60 to 100"));
    assert!(refusal(&["walk", "lecture", "--moment", "nowhere"]).contains("its moments are"));
}

#[test]
fn misuse_is_answered_in_the_same_tone() {
    let said = refusal(&["walk", "lecture", "--stpe", "3"]);
    assert!(said.starts_with("error[usage]: "), "{said}");
    assert!(said.contains("--step"), "{said}");
    assert!(refusal(&["wlak"]).starts_with("error[usage]: "));
    assert!(stdout(&["--help"]).contains("walk"));
    assert!(stdout(&["--version"]).starts_with("checkdam "));
}

#[test]
fn a_new_scenario_runs_and_is_never_overwritten() {
    let folder = folder("new");
    let file = folder.join("first.json");
    let said = stdout(&["new", text(&file)]);
    assert!(said.contains("first.json") && said.contains("checkdam.schema.json"), "{said}");
    let schema = std::fs::read_to_string(folder.join("checkdam.schema.json")).expect("it is there");
    assert_eq!(schema, stdout(&["schema", "scenario"]));
    let run = stdout(&["run", text(&file)]);
    assert!(run.contains("✓ state exactly once") && run.contains("✓ output exactly once"), "{run}");
    std::fs::write(&file, "mine").expect("it is there");
    assert!(refusal(&["new", text(&file)]).contains("is there already"));
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "mine");
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let mut child = checkdam(&["walk", "lecture"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = [0; 10];
    let mut reader = child.stdout.take().expect("it is piped");
    reader.read_exact(&mut first).expect("something comes");
    drop(reader);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn lists_and_completions_have_their_names_first() {
    let mutations = stdout(&["list", "--mutations"]);
    assert!(mutations.starts_with("process-after-first-barrier  "), "{mutations}");
    assert!(stdout(&["list"]).starts_with("lecture "));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stdout(&["completions", shell]).contains("checkdam"));
    }
    for schema in ["scenario", "trace"] {
        let text = stdout(&["schema", schema]);
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    }
}
