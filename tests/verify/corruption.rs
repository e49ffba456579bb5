//! Traces of which one line is not as it was written: removed, repeated,
//! swapped with its neighbour, or with one field changed.
//!
//! With the file as it is, its numbers and digest show every such change. Here
//! the digest is ignored and the steps are numbered anew, so that the judge
//! alone has to see it. What it does not see must be harmless: the verdict with
//! its ledger is the same, the final picture too, and what was changed is of a
//! kind that says nothing about records, state or checkpoints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use checkdam::load;
use checkdam::model::{CheckpointId, Scenario};
use checkdam::sim::simulate;
use checkdam::trace::{Comparison, Fact, Names, Step, Trace, TraceReader, read_trace};
use checkdam::verify::{Outcome, Verdict, verify};
use serde_json::Value;

use super::conduct::shipped;
use super::spoken::written;
use crate::common::{sizes, snapshot};

/// What was done to a line, and what came of it.
#[derive(Default)]
struct Row {
    n: u64,
    by_judge: u64,
    harmless: u64,
}

/// What nobody saw and is not harmless, by kind, each with an example.
#[derive(Default)]
struct Missed(BTreeMap<String, (u64, String)>);

impl Missed {
    fn note(&mut self, kind: &str, example: &str) {
        self.0.entry(kind.to_owned()).or_insert_with(|| (0, example.to_owned())).0 += 1;
    }

    fn are_none(&self) {
        let line = |(kind, (n, example)): (&String, &(u64, String))| {
            format!("{n:4} {kind}   {}", example.chars().take(300).collect::<String>())
        };
        let lines: Vec<String> = self.0.iter().map(line).collect();
        assert!(lines.is_empty(), "missed:\n{}", lines.join("\n"));
    }
}

/// A run that is damaged, with all that it is compared with.
struct Original {
    scenario: Scenario,
    trace: Trace,
    verdict: Verdict,
}

fn originals() -> impl Iterator<Item = Original> {
    load::builtin().iter().map(|own| {
        let scenario = shipped(own.name);
        let (trace, _) = simulate(&scenario, 1);
        let verdict = verify(&scenario, &trace);
        Original { scenario, trace, verdict }
    })
}

impl Original {
    /// The steps with one of them changed, numbered anew.
    fn judged(&self, mut steps: Vec<Step>) -> (Trace, Verdict) {
        for (number, step) in (1..).zip(&mut steps) {
            step.number = number;
        }
        let trace = Trace { steps, ..self.trace.clone() };
        let verdict = verify(&self.scenario, &trace);
        (trace, verdict)
    }

    /// Whether the judge sees that a trace is another one than the original:
    /// it says that more is wrong, or cannot tell.
    fn is_seen(&self, changed: &Verdict) -> bool {
        let broken = |verdict: &Verdict| -> BTreeSet<_> {
            let all = verdict.properties().into_iter();
            let broken = all.filter(|own| own.outcome != Outcome::Holds);
            broken.map(|own| (own.property, own.n)).collect()
        };
        broken(&self.verdict) != broken(changed)
            || self.verdict.cannot_tell.len() != changed.cannot_tell.len()
            || self.verdict.answer() != changed.answer()
    }

    /// Whether what a step has done is undone by a failure, left undone when
    /// the job is cancelled, or is part of a checkpoint that is never complete:
    /// a run in which it does not happen is another one, and a right one. So is
    /// one with a crash more of tasks that were dead already.
    fn comes_to_nothing(&self, place: usize, how: &str) -> bool {
        let later = || self.trace.steps[place + 1..].iter().flat_map(|step| &step.facts);
        let is_over = later().any(|fact| {
            matches!(
                fact,
                Fact::JobFailed { .. } | Fact::JobManagerCrashed { .. } | Fact::JobCanceled
            )
        });
        let is_complete = |wanted: CheckpointId| {
            later().any(|fact| *fact == Fact::CheckpointCompleted { checkpoint: wanted })
        };
        let is_nothing = |fact: &Fact| match fact {
            Fact::Acknowledged { checkpoint, .. } => !is_complete(*checkpoint),
            Fact::Crashed { tasks } => tasks.is_empty(),
            _ => false,
        };
        let is_open = || !later().any(|fact| matches!(fact, Fact::CheckpointCompleted { .. }));
        (how == "removed" && (is_over || is_open()))
            || self.trace.steps[place].facts.iter().all(is_nothing)
    }

    /// Whether everything that counts is as it was.
    fn is_same(&self, changed: &Trace, verdict: &Verdict) -> bool {
        let picture = |trace: &Trace| {
            let last = trace.steps.last().expect("a step").number;
            let view = trace.view(&self.scenario.graph, last);
            view.map(|view| {
                (
                    view.status,
                    view.tasks
                        .iter()
                        .map(|task| (task.state.clone(), task.offsets.clone()))
                        .collect::<Vec<_>>(),
                )
            })
        };
        verdict.ledger == self.verdict.ledger
            && picture(changed).expect("it can be drawn") == picture(&self.trace).expect("a run")
    }
}

/// Facts that no record, state or checkpoint hangs on: what is told besides, and
/// where an element waited.
const ASIDES: [&str; 17] = [
    "abort-notified",
    "alignment-timer-due",
    "announced",
    "arrived",
    "backlog-reported",
    "checkpoint-retained",
    "decline-received",
    "declined",
    "end-reported",
    "message-delayed",
    "message-ignored",
    "message-lost",
    "metadata-written",
    "notified",
    "slowed",
    "slowness-ended",
    "trigger-rejected",
];

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

/// The words of a step's facts, as the file has them.
fn words(line: &str) -> Vec<String> {
    let line: Value = serde_json::from_str(line).expect("JSON");
    let facts = line["facts"].as_array().expect("a list");
    let word = |fact: &Value| fact.as_object().expect("one word").keys().next().cloned();
    facts.iter().filter_map(word).collect()
}

fn lines(original: &Original) -> Vec<String> {
    let text = String::from_utf8(written(&original.scenario, &original.trace)).expect("text");
    let n = original.trace.steps.len();
    text.lines().skip(1).take(n).map(str::to_owned).collect()
}

#[test]
fn a_line_removed_repeated_or_swapped_is_found_or_harmless() {
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    let mut missed = Missed::default();
    for original in originals() {
        let (steps, lines) = (&original.trace.steps, lines(&original));
        for place in 0..steps.len() {
            let mut removed = steps.clone();
            removed.remove(place);
            let mut repeated = steps.clone();
            repeated.insert(place, steps[place].clone());
            let mut changes = vec![("removed", removed), ("repeated", repeated)];
            if place + 1 < steps.len() {
                let mut swapped = steps.clone();
                let (left, right) = (swapped[place].at, swapped[place + 1].at);
                swapped.swap(place, place + 1);
                (swapped[place].at, swapped[place + 1].at) = (left, right);
                changes.push(("swapped", swapped));
            }
            for (how, changed) in changes {
                let row = table.entry(how).or_default();
                row.n += 1;
                let (trace, verdict) = original.judged(changed);
                if original.is_seen(&verdict) {
                    row.by_judge += 1;
                    continue;
                }
                row.harmless += 1;
                let what = format!("{}: step {} {how}", original.scenario.name, place + 1);
                if how != "swapped" && original.comes_to_nothing(place, how) {
                    continue;
                }
                if !original.is_same(&trace, &verdict) {
                    missed.note(&format!("{how}: another end"), &what);
                }
                // Two steps that do not touch each other may come in either
                // order: that is another run, and a right one.
                if how != "swapped" {
                    let words = words(&lines[place]);
                    let aside = |word: &String| ASIDES.contains(&word.as_str());
                    if !words.iter().all(aside) {
                        missed.note(&format!("{how}: {}", words.join(" ")), &what);
                    }
                }
            }
        }
    }
    missed.are_none();
    snapshot("verify", "corrupted-lines", &text(&table));
}

/// Every so many fields are changed at a desk, all of them at scale 16.
#[test]
fn a_changed_field_is_found_or_harmless() {
    let every = 16_u64.div_ceil(sizes::samples(1)).max(1) as usize;
    let mut row = Row::default();
    let mut missed = Missed::default();
    let mut unread = 0;
    let mut n_fields = 0;
    for original in originals() {
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
                let Some(other) = other(at, values.get(key)) else { continue };
                *at = other;
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

/// The file as it is: every change of a line is found by reading it, and by
/// replaying it.
#[test]
fn a_file_with_a_line_changed_is_refused_and_its_replay_differs() {
    for original in originals() {
        let bytes = written(&original.scenario, &original.trace);
        let text = String::from_utf8(bytes.clone()).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        let names = Names::of(&original.scenario);
        let stride = lines.len() / sizes::samples(10) as usize + 1;
        for place in (1..lines.len() - 2).step_by(stride) {
            let mut removed = lines.clone();
            removed.remove(place);
            let mut repeated = lines.clone();
            repeated.insert(place, lines[place]);
            let mut swapped = lines.clone();
            swapped.swap(place, place + 1);
            for changed in [removed, repeated, swapped] {
                let file = changed.join("\n") + "\n";
                let read = TraceReader::open(file.as_bytes())
                    .and_then(|reader| read_trace(reader, &names));
                assert!(read.is_err(), "{}: line {}", original.scenario.name, place + 1);
                let mut comparison = Comparison::new(file.as_bytes());
                std::io::Write::write_all(&mut comparison, &bytes).expect("memory");
                assert!(comparison.finish().expect("memory").is_some(), "line {}", place + 1);
            }
        }
    }
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

/// Another value in place of one: the next number, the other truth, another
/// text of the same key.
fn other(value: &Value, texts: Option<&BTreeSet<String>>) -> Option<Value> {
    match value {
        Value::Bool(truth) => Some(Value::from(!truth)),
        Value::Number(number) => Some(Value::from(number.as_i64()? + 1)),
        Value::String(text) => {
            let mut others = texts?.iter().filter(|other| *other != text);
            others.next_back().map(|other| Value::from(other.clone()))
        }
        _ => None,
    }
}

fn text(table: &BTreeMap<&str, Row>) -> String {
    let mut text = "one line of a shipped scenario's trace; the digest ignored\n".to_owned();
    for (how, Row { n, by_judge, harmless }) in table {
        writeln!(
            text,
            "{how:8}  {n:5} in all  {by_judge:5} found by the judge  {harmless:4} harmless"
        )
        .expect("a string takes all");
    }
    text
}
