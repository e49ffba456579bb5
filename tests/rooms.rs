//! The arrows between rooms: who may use whom, over `crate::` paths.

use std::path::Path;

/// Room, and the rooms that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("load", &["model"]),
    ("protocol", &["model"]),
    ("trace", &["model"]),
    ("cluster", &["model", "protocol", "trace"]),
    ("sim", &["model", "cluster", "trace"]),
    ("savepoint", &["model", "protocol", "trace"]),
    ("chain", &["model", "trace", "cluster", "savepoint", "sim"]),
    ("verify", &["model", "trace"]),
    ("explore", &["model", "cluster", "trace", "verify"]),
    ("narrate", &["model", "trace"]),
    ("render", &["model", "trace", "narrate"]),
    ("questions", &["model", "trace", "verify", "narrate"]),
    ("page", &["model", "trace", "verify", "narrate", "render", "questions"]),
    ("lab", &["model", "load", "trace", "cluster", "sim", "verify"]),
    (
        "cli",
        &[
            "model",
            "load",
            "protocol",
            "trace",
            "cluster",
            "sim",
            "savepoint",
            "chain",
            "verify",
            "narrate",
            "render",
            "questions",
            "page",
            "explore",
            "lab",
        ],
    ),
];

#[test]
fn arrows_between_rooms_point_down_only() {
    let mut wrong = Vec::new();
    let rooms = std::fs::read_dir(src()).expect("src is there");
    for room in rooms.map(|entry| entry.expect("it can be listed")) {
        if !room.file_type().expect("it has a type").is_dir() {
            continue;
        }
        let name = room.file_name().into_string().expect("rooms have plain names");
        let arrows = ARROWS.iter().find(|(known, _)| *known == name);
        let (_, allowed) = arrows.unwrap_or_else(|| panic!("{name} is a room without arrows"));
        for (file, used) in uses(&room.path()) {
            if used != name && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{file} uses crate::{used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that are not allowed:\n{}", wrong.join("\n"));
}

#[test]
fn the_judge_does_not_look_through_the_engines_eyes() {
    for (file, text) in sources(&src().join("verify")) {
        for word in ["View", "moment_spans", "MomentSpan"] {
            let found = text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
            assert!(!found, "{file} uses {word}");
        }
    }
}

#[test]
fn the_arrows_test_sees_every_way_to_name_a_room() {
    let text = "use crate::sim::Dice;\nuse crate::{model::Time, trace};\nlet x = crate::load::y();";
    let seen = rooms_named("file", text);
    let rooms: Vec<_> = seen.iter().map(|(_, room)| room.as_str()).collect();
    assert_eq!(rooms, ["sim", "model", "trace", "load"]);
}

fn src() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn uses(room: &Path) -> Vec<(String, String)> {
    sources(room).iter().flat_map(|(file, text)| rooms_named(file, text)).collect()
}

/// Every room that a text names after `crate::`, alone or in braces.
fn rooms_named(file: &str, text: &str) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for rest in text.split("crate::").skip(1) {
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            let mut at_start = true;
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        named.push((file.to_owned(), std::mem::take(&mut word)));
                        at_start = true;
                        continue;
                    }
                    c if c.is_whitespace() => continue,
                    c if depth == 0 && at_start && (c.is_alphanumeric() || c == '_') => {
                        word.push(c);
                        continue;
                    }
                    _ => {}
                }
                at_start = false;
            }
            named.push((file.to_owned(), word));
        } else {
            let word: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            named.push((file.to_owned(), word));
        }
    }
    named
        .retain(|(_, room)| !room.is_empty() && room.chars().all(|c| c.is_lowercase() || c == '_'));
    named
}

#[expect(clippy::disallowed_methods, reason = "it reads the sources themselves")]
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a room can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = std::fs::read_to_string(&path).expect("sources are text");
            found.push((path.display().to_string(), text));
        }
    }
    found
}
