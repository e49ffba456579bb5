//! Traces of which one field of one line is not as it was written.

use std::collections::{BTreeMap, BTreeSet};

use checkdam::trace::{Names, TraceReader, read_trace};
use serde_json::Value;

use super::corruption::{ASIDES, Missed, Row, lines, originals};
use super::spoken::written;
use crate::common::sizes;

/// Fields that no record, state or checkpoint hangs on: times, sizes, reasons.
const MEASURES: [&str; 21] = [
    "alignment",
    "aligned_timeout",
    "alignment_duration",
    "async_duration",
    "at",
    "by",
    "bytes",
    "bytes_max",
    "bytes_persisted_during_alignment",
    "bytes_processed_during_alignment",
    "cause",
    "copy",
    "from_disk",
    "from_storage",
    "reason",
    "restart_after",
    "start_delay",
    "sync_duration",
    "times",
    "triggered_at",
    "unaligned",
];

/// Fields that no property looks at: which of several files of the same size,
/// all there, is used again. A restart reads one or the other, and what comes back
/// is compared whole.
const UNSEEN: [(&str, &str); 1] = [("state-written", "number")];

/// Every so many fields are changed at a desk, all of them at scale 16.
#[test]
fn a_changed_field_is_found_or_harmless() {
    let every = 16_u64.div_ceil(sizes::samples(1)).max(1) as usize;
    let mut row = Row::default();
    let mut missed = Missed::default();
    let mut unread = 0;
    let mut n_fields = 0;
    // Where something is wrong already, one mistake may hide another.
    for original in originals().filter(|original| original.scenario.broken.is_empty()) {
        let (names, lines) = (Names::of(&original.scenario), lines(&original));
        let header = String::from_utf8(written(&original.scenario, &original.trace)).expect("text");
        let header = header.lines().next().expect("a header").to_owned();
        let values = values_by_key(&lines);
        for (place, line) in lines.iter().enumerate() {
            let parsed: Value = serde_json::from_str(line).expect("JSON");
            let mut paths = Vec::new();
            leaves(&parsed["facts"], &mut Vec::new(), &mut paths);
            for path in paths {
                n_fields += 1;
                if n_fields % every != 0 {
                    continue;
                }
                let mut changed = parsed.clone();
                changed["step"] = Value::from(1);
                let at = path.iter().fold(&mut changed["facts"], |at, key| match key {
                    Key::Name(name) => &mut at[name.as_str()],
                    Key::Place(place) => &mut at[*place],
                });
                let key = path.iter().rev().find_map(|key| match key {
                    Key::Name(name) => Some(name.as_str()),
                    Key::Place(_) => None,
                });
                let key = key.expect("a fact has a word");
                let mut others = others(at, values.get(key));
                if others.is_empty() {
                    continue;
                }
                *at = others.swap_remove(place % others.len());
                row.n += 1;
                let file = format!("{header}\n{changed}\n");
                let read = TraceReader::open(file.as_bytes())
                    .and_then(|reader| read_trace(reader, &names));
                let Ok((read, _)) = read else {
                    unread += 1;
                    continue;
                };
                let mut steps = original.trace.steps.clone();
                steps[place] = read.steps[0].clone();
                let (trace, verdict) = original.judged(steps);
                if original.is_seen(&verdict) {
                    row.by_judge += 1;
                    continue;
                }
                row.harmless += 1;
                let what = || format!("{}: step {}: {changed}", original.scenario.name, place + 1);
                let word = path.iter().find_map(|key| match key {
                    Key::Name(name) => Some(name.as_str()),
                    Key::Place(_) => None,
                });
                let is_aside = word.is_some_and(|word| ASIDES.contains(&word));
                let pair = (word.unwrap_or_default(), key);
                if original.comes_to_nothing(place, "removed") || UNSEEN.contains(&pair) {
                    continue;
                }
                if !is_aside && !MEASURES.contains(&key) {
                    missed.note(&format!("{}: {key}", word.unwrap_or_default()), &what());
                } else if !original.is_same(&trace, &verdict) {
                    missed.note("another end", &what());
                }
            }
        }
    }
    missed.are_none();
    assert_eq!(row.n, unread + row.by_judge + row.harmless);
    assert!(row.by_judge + unread > row.harmless, "{unread}, {}, {}", row.by_judge, row.harmless);
    println!(
        "{} fields changed: {unread} cannot be read, {} found by the judge, {} harmless",
        row.n, row.by_judge, row.harmless
    );
}

enum Key {
    Name(String),
    Place(usize),
}

/// The places of everything in a value that has no parts.
fn leaves(value: &Value, path: &mut Vec<Key>, found: &mut Vec<Vec<Key>>) {
    let copy = |path: &[Key]| {
        path.iter()
            .map(|key| match key {
                Key::Name(name) => Key::Name(name.clone()),
                Key::Place(place) => Key::Place(*place),
            })
            .collect()
    };
    match value {
        Value::Object(entries) => {
            for (name, entry) in entries {
                path.push(Key::Name(name.clone()));
                leaves(entry, path, found);
                path.pop();
            }
        }
        Value::Array(entries) => {
            for (place, entry) in entries.iter().enumerate() {
                path.push(Key::Place(place));
                leaves(entry, path, found);
                path.pop();
            }
        }
        _ => found.push(copy(path)),
    }
}

/// The texts that a trace has under each key.
fn values_by_key(lines: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    fn walk(key: &str, value: &Value, all: &mut BTreeMap<String, BTreeSet<String>>) {
        match value {
            Value::Object(entries) => entries.iter().for_each(|(key, entry)| walk(key, entry, all)),
            Value::Array(entries) => entries.iter().for_each(|entry| walk(key, entry, all)),
            Value::String(text) => {
                all.entry(key.to_owned()).or_default().insert(text.clone());
            }
            _ => {}
        }
    }
    let mut all = BTreeMap::new();
    for line in lines {
        walk("", &serde_json::from_str(line).expect("JSON"), &mut all);
    }
    all
}

/// Other values in place of one: the next number, the other truth, another text
/// of the same key, the same text with the next number behind it.
fn others(value: &Value, texts: Option<&BTreeSet<String>>) -> Vec<Value> {
    match value {
        Value::Bool(truth) => vec![Value::from(!truth)],
        Value::Number(number) => number.as_i64().map(|n| Value::from(n + 1)).into_iter().collect(),
        Value::String(text) => {
            let mut others = texts.into_iter().flatten().filter(|other| *other != text);
            let other = others.next_back().map(|other| Value::from(other.clone()));
            let next = text.rsplit_once('/').and_then(|(name, number)| {
                Some(Value::from(format!("{name}/{}", number.parse::<u64>().ok()? + 1)))
            });
            other.into_iter().chain(next).collect()
        }
        _ => Vec::new(),
    }
}
