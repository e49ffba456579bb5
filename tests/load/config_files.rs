//! Flink configuration files as people write them: what they set, and what is
//! said of them.

#![expect(clippy::disallowed_methods, reason = "its cases are files")]

use checkdam::load::flink::{How, Reading, Release, option_of, read};
use checkdam::load::{self, Severity};
use checkdam::model::{Config, Language, Scenario};
use serde_json::{Value, json};

use super::generate::Dice;
use crate::common::sizes::samples;

/// Code and line; no line for what is missing or holds for the whole file.
type Message = (&'static str, Option<usize>);

/// For each file the messages that it must be met with.
///
/// Source: the lines under `warnings` in `expected.json`.
const MESSAGES: &[(&str, &[Message])] = &[
    (
        "c02-flat-dirs-but-no-interval.yaml",
        &[("no-periodic", Some(11)), ("old-backend", Some(10)), ("old-key", Some(10))],
    ),
    (
        "c03-flat-all-commented.yaml",
        &[("no-periodic", Some(22)), ("placeholder", Some(4)), ("placeholder", Some(6))],
    ),
    (
        "c04-flat-duplicates-and-equals-lines.yaml",
        &[
            ("skipped-line", Some(15)),
            ("skipped-line", Some(16)),
            ("given-twice", Some(4)),
            ("not-yaml", Some(4)),
        ],
    ),
    ("c06-nested-config-yaml.yaml", &[("old-key", Some(39)), ("unknown-backend", Some(12))]),
    ("c07-nested-template-commented.yaml", &[("no-periodic", None), ("unknown-setting", Some(46))]),
    (
        "c08-flinkdeployment-envsubst.yaml",
        &[("placeholder", Some(10)), ("placeholder", Some(11)), ("upgrade-mode", Some(19))],
    ),
    (
        "c09-flinkdeployment-no-checkpointing.yaml",
        &[("upgrade-mode", Some(13)), ("restart-none", None)],
    ),
    ("c12-flat-statefun-1sec.yaml", &[("no-periodic", Some(11)), ("state-dropped", Some(18))]),
    (
        "c14-flat-inline-comments-unaligned.yaml",
        &[("old-key", Some(11)), ("late-overtaking", Some(12))],
    ),
    ("c16-helm-template.yaml", &[("template", Some(1))]),
    ("c17-flat-trailing-spaces.yaml", &[("old-key", Some(10))]),
    ("c19-flat-hyphenated-enum.yaml", &[("unknown-word", Some(2))]),
    ("c20-flat-appended-heredoc.yaml", &[("old-key", Some(5))]),
    ("c21-flinkdeployment-wrong-key.yaml", &[("unknown-setting", Some(21))]),
    ("c22-flat-exponential-jitter.yaml", &[("old-key", Some(11)), ("jitter", Some(21))]),
    ("c23-flat-failure-rate.yaml", &[("fatal-failure", Some(19))]),
    ("c25-configmap-quoted-values-in-flat.yaml", &[("template", Some(4)), ("quotes", Some(13))]),
    ("c26-compose-flink-properties.yaml", &[("format", None)]),
    (
        "c27-flat-memory-sizes-and-removed-keys.yaml",
        &[("no-periodic", Some(4)), ("no-effect", Some(3)), ("not-local", Some(12))],
    ),
    ("c30-flat-typo-in-key.yaml", &[("unknown-setting", Some(10))]),
    ("c31-sql-set-unquoted.sql", &[("no-unit", Some(7)), ("format", None)]),
    ("c33-cli-dynamic-properties.sh", &[("format", None)]),
];

fn folder() -> String {
    format!("{}/tests/cases/user-configs", env!("CARGO_MANIFEST_DIR"))
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/{name}", folder())).expect(name)
}

fn expected() -> serde_json::Map<String, Value> {
    let text = String::from_utf8(file("expected.json")).expect("text");
    let Ok(Value::Object(files)) = serde_json::from_str(&text) else { panic!("an object") };
    files
}

fn read_file(name: &str) -> Reading {
    read(name, &file(name), How::default())
}

/// Whether one value has all that the other asks for.
fn has(got: &Value, wanted: &Value) -> bool {
    match (got, wanted) {
        (Value::Object(got), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| got.get(key).is_some_and(|own| has(own, value)))
        }
        _ => got == wanted,
    }
}

#[test]
fn every_file_of_a_user_comes_to_what_a_correct_reader_makes_of_it() {
    let files = expected();
    assert_eq!(files.len(), 25);
    for (name, case) in files {
        let (wanted, got) = (&case["expect"], read_file(&name).expect());
        match wanted.get("error") {
            Some(_) => assert!(got["error"].is_string(), "{name} must be refused: {got:#}"),
            None => assert!(has(&got, wanted), "{name}\nwanted {wanted:#}\ngot {got:#}"),
        }
    }
}

#[test]
fn every_file_of_a_user_is_met_with_the_messages_that_it_deserves() {
    for (name, case) in expected() {
        let messages = read_file(&name).to_json()["messages"].clone();
        let messages = messages.as_array().expect("a list").clone();
        let wanted =
            MESSAGES.iter().find(|(file, _)| *file == name).map_or(&[][..], |(_, all)| all);
        let none = case["warnings"].as_array().is_none_or(Vec::is_empty);
        assert_eq!(wanted.is_empty(), none, "{name}");
        for (code, line) in wanted {
            let met = |message: &&Value| {
                message["code"] == *code && message["line"].as_u64() == line.map(|line| line as u64)
            };
            assert!(
                messages.iter().any(|m| met(&m)),
                "{name}: {code} on {line:?} in {messages:#?}"
            );
        }
        // Each message is complete.
        for message in &messages {
            assert!(message["text"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
            assert!(message["severity"].is_string(), "{name}");
            let without_place = ["format", "in-memory", "no-periodic", "restart-none"];
            let code = message["code"].as_str().expect("a code");
            assert!(
                message["line"].is_u64() || without_place.contains(&code),
                "{name}: {message:#}"
            );
        }
    }
}

/// What is written in a file is what the program shows as written.
#[test]
fn every_setting_names_the_line_that_it_comes_from() {
    for name in expected().keys() {
        let text = String::from_utf8(file(name)).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        let mut n_from_the_file = 0;
        for setting in read_file(name).to_json()["settings"].as_array().expect("a list") {
            let origin = &setting["origin"];
            if origin["from"] != "file" {
                continue;
            }
            n_from_the_file += 1;
            let line = lines[origin["line"].as_u64().expect("a line") as usize - 1];
            let written = origin["written"].as_str().expect("a text");
            assert!(line.contains(written), "{name}: `{written}` is not in `{line}`");
            let last = origin["key"].as_str().and_then(|key| key.rsplit('.').next());
            assert!(line.contains(last.expect("a key")), "{name}: {line}");
        }
        assert!(n_from_the_file > 0, "{name}");
    }
}

#[test]
fn both_languages_say_the_same_things() {
    for name in expected().keys() {
        let in_language = |language| {
            let how = How { language, ..How::default() };
            let reading = read(name, &file(name), how);
            let items = reading.diagnostics.items;
            items
                .into_iter()
                .map(|item| (item.severity, item.code, item.message))
                .collect::<Vec<_>>()
        };
        let (en, zh) = (in_language(Language::En), in_language(Language::Zh));
        assert_eq!(en.len(), zh.len(), "{name}");
        for (en, zh) in en.iter().zip(&zh) {
            assert_eq!((en.0, en.1), (zh.0, zh.1), "{name}");
            let is_chinese =
                |text: &str| text.chars().any(|sign| ('\u{4e00}'..'\u{9fff}').contains(&sign));
            assert!(!is_chinese(&en.2), "{name}: {}", en.2);
            // What the parser of YAML complains of, and durations, are told in
            // English everywhere.
            let in_english = ["not-a-duration", "syntax"].contains(&zh.1);
            assert!(is_chinese(&zh.2) || in_english, "{name}: {}", zh.2);
        }
    }
}

/// A scenario takes the same settings by the same rules; only its restarts are
/// its own affair where nothing is said of them.
#[test]
fn the_same_rules_hold_in_scenarios() {
    for (name, case) in expected() {
        let reading = read_file(&name);
        let known = reading.map.iter().filter(|(key, _)| option_of(key).is_some());
        let settings: serde_json::Map<String, Value> =
            known.map(|(key, value)| (key.clone(), value.clone().into())).collect();
        let has_restart = settings.keys().any(|key| key.starts_with("restart-strategy"));
        let text = json!({
            "job": { "in": { "source": [1, 2] }, "out": { "sink": "publish" } },
            "edges": [["in", "out"]],
            "config": settings,
        });
        let loaded = load::scenario("job.json", text.to_string().as_bytes());
        // Whoever has not filled in a template has nothing to run.
        let is_template = case["expect"]["error"] == "template not rendered";
        match loaded {
            Ok(_) if is_template => {}
            Ok(loaded) => {
                assert!(reading.is_right(), "{name}");
                let mut config = reading.config();
                if !has_restart {
                    config.restart = Config::default().restart;
                }
                assert_eq!(loaded.scenario.config, config, "{name}");
            }
            Err(problems) => assert!(!reading.is_right(), "{name}: {problems}"),
        }
    }
}

/// A job under a configuration is a scenario of its own: what is written down
/// of it gives it again.
#[test]
fn a_job_under_a_configuration_has_its_settings_and_flinks_defaults() {
    let lecture = load::builtin().iter().find(|own| own.name == "lecture").expect("it is there");
    let lecture = Scenario::parse(lecture.name, lecture.text).expect("it is valid");
    for name in expected().keys().filter(|name| read_file(name).is_right()) {
        let reading = read_file(name);
        let under = reading.apply_to(&lecture).expect("they go together").scenario;
        let config = reading.config();
        assert_eq!(under.config.interval, config.interval, "{name}");
        assert_eq!(under.config.min_pause, config.min_pause, "{name}");
        assert_eq!(under.config.mode, config.mode, "{name}");
        assert_eq!(under.config.num_retained, config.num_retained, "{name}");
        assert_eq!(
            std::mem::discriminant(&under.config.restart),
            std::mem::discriminant(&config.restart),
            "{name}"
        );
        assert_eq!(under.graph, lecture.graph, "{name}");
        let again = Scenario::parse(&under.name, &under.document).expect("it was accepted");
        assert_eq!(again, under, "{name}");
    }
}

/// Pieces that break files in the way people break them.
const PIECES: [&str; 24] = [
    ": ", ":", "\n", "\t", "  ", "#", "\"", "'", "[", "]", "{", "}", "{{ x }}", "{%", "${X}", "- ",
    "\\", "\r", "=", "---\n", "&a ", "*a", "\u{feff}", "蓝",
];

fn mutated(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(6) {
        let at = dice.place(bytes.len() + 1);
        match dice.below(7) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            2 if at < bytes.len() => {
                let end = (at + dice.place(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + dice.place(80)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = dice.place(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let (other, _) = dice.pick(MESSAGES);
                let other = file(other);
                let from = dice.place(other.len());
                let end = (from + dice.place(200)).min(other.len());
                bytes.splice(at..at, other[from..end].iter().copied());
            }
            _ => {
                let piece = dice.pick(&PIECES).as_bytes();
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Reads bytes and checks what must hold for all of them.
fn check(name: &str, bytes: &[u8], release: Release) {
    let how = How { release: Some(release), language: Language::Zh };
    let reading = read(name, bytes, how);
    let said = &reading.diagnostics;
    let is_refused = reading.expect()["error"].is_string();
    assert_eq!(is_refused, said.count(Severity::Error) > 0);
    assert_eq!(is_refused, !reading.is_right());
    for item in said.items.iter().filter(|item| item.severity == Severity::Error) {
        assert!(!item.labels.is_empty(), "{name}: {} has no line", item.message);
    }
    for label in said.items.iter().flat_map(|item| &item.labels) {
        assert!(said.text.get(label.range.clone()).is_some(), "{name}: {:?}", label.range);
    }
    assert_eq!(reading.to_json()["messages"].as_array().map(Vec::len), Some(said.items.len()));
}

#[test]
fn mutated_files_give_a_result_or_an_error_with_a_line() {
    let names: Vec<String> = expected().keys().cloned().collect();
    let originals: Vec<Vec<u8>> = names.iter().map(|name| file(name)).collect();
    for seed in 0..samples(10_000) {
        let mut dice = Dice::new(seed);
        let which = dice.place(names.len());
        let bytes = mutated(&originals[which], &mut dice);
        // Sometimes the name says what the file is.
        let name = match dice.below(6) {
            0 => "config.yaml",
            1 => "flink-conf.yaml",
            _ => names[which].as_str(),
        };
        let is_unread = name == "flink-conf.yaml" || dice.one_in(2);
        check(name, &bytes, if is_unread { Release::V1 } else { Release::V2 });
    }
}

#[test]
fn a_file_that_is_too_large_or_no_text_is_refused() {
    let how = How::default();
    let reading = read("flink-conf.yaml", &vec![b'a'; (1 << 20) + 1], how);
    assert_eq!(reading.diagnostics.items[0].code, "too-large");
    let reading = read("flink-conf.yaml", b"a: \xff\n", how);
    assert_eq!(reading.diagnostics.items[0].code, "not-utf8");
    assert!(!reading.is_right());
}
