//! `checkdam page` as it is typed.

use super::data::{data, folder, lecture, page};

#[expect(clippy::disallowed_methods, reason = "it reads what the program has written")]
fn text(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

#[test]
fn a_page_is_the_same_every_time_and_shows_the_language_first_that_is_asked_for() {
    let folder = folder("languages");
    let path = folder.join("lecture.html");
    let made = page(&["lecture", "--lang", "zh", "-o", path.to_str().expect("plain names")]);
    assert!(made.status.success() && made.stdout.is_empty() && made.stderr.is_empty());
    let chinese = text(&path);
    assert!(chinese.contains("<html lang=\"zh-Hans\">"));
    assert!(chinese.contains("<title>两个源，一次检查点</title>"));
    assert!(lecture().contains("<html lang=\"en\">"));
    // But for the first words it is the same file.
    assert_eq!(data(&chinese), data(lecture()));
}

#[test]
fn a_trace_has_a_page_with_the_crashes_of_its_seed() {
    let folder = folder("trace");
    let trace = folder.join("run.jsonl");
    let trace = trace.to_str().expect("plain names");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_checkdam"));
    let run = command.env_clear().args(["run", "letters", "--trace", trace]).output();
    assert!(run.expect("it can be started").status.success());
    let made = page(&[trace]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let of_the_trace = data(&String::from_utf8(made.stdout).expect("text"));
    let of_the_scenario = data(&String::from_utf8(page(&["letters"]).stdout).expect("text"));
    assert_eq!(of_the_trace["crashes"], of_the_scenario["crashes"]);
    assert!(!super::data::crashes(&of_the_trace).is_empty());
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let made = page(&["no-such-scenario"]);
    assert_eq!(made.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&made.stderr).contains("no-such-scenario"));
}

#[test]
fn the_demonstration_shows_everything_once_and_leaves_its_files() {
    let folder = folder("demo");
    let out = folder.join("made");
    for language in ["en", "zh"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_checkdam"));
        command.env_clear().args(["demo", "--lang", language, "-o"]).arg(&out);
        let done = command.output().expect("it can be started");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
        for command in
            ["walk lecture", "run crash-after-complete", "fuzz", "draw lecture", "page lecture"]
        {
            assert!(said.contains(&format!("$ checkdam {command}")), "{command}: {said}");
        }
        let files = ["alignment.svg", "spacetime.svg", "crash.svg", "gantt.svg", "lecture.html"];
        for file in files {
            assert!(text(&out.join(file)).len() > 1000, "{file}");
        }
    }
}
