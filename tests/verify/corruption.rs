//! Traces of which one line is not as it was written: removed, repeated,
//! swapped with its neighbour; `corrupted_fields` changes one field of one.
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
pub(super) struct Row {
    pub(super) n: u64,
    pub(super) by_judge: u64,
    pub(super) harmless: u64,
}

/// What nobody saw and is not harmless, by kind, each with an example.
#[derive(Default)]
pub(super) struct Missed(BTreeMap<String, (u64, String)>);

impl Missed {
    pub(super) fn note(&mut self, kind: &str, example: &str) {
        self.0.entry(kind.to_owned()).or_insert_with(|| (0, example.to_owned())).0 += 1;
    }

    pub(super) fn are_none(&self) {
        let line = |(kind, (n, example)): (&String, &(u64, String))| {
            format!("{n:4} {kind}   {}", example.chars().take(300).collect::<String>())
        };
        let lines: Vec<String> = self.0.iter().map(line).collect();
        assert!(lines.is_empty(), "missed:\n{}", lines.join("\n"));
    }
}

/// A run that is damaged, with all that it is compared with.
pub(super) struct Original {
    pub(super) scenario: Scenario,
    pub(super) trace: Trace,
    pub(super) verdict: Verdict,
}

pub(super) fn originals() -> impl Iterator<Item = Original> {
    load::builtin().iter().map(|own| {
        let scenario = shipped(own.name);
        let (trace, _) = simulate(&scenario, 1);
        let verdict = verify(&scenario, &trace);
        Original { scenario, trace, verdict }
    })
}

impl Original {
    /// The steps with one of them changed, numbered anew.
    pub(super) fn judged(&self, mut steps: Vec<Step>) -> (Trace, Verdict) {
        for (number, step) in (1..).zip(&mut steps) {
            step.number = number;
        }
        let trace = Trace { steps, ..self.trace.clone() };
        let verdict = verify(&self.scenario, &trace);
        (trace, verdict)
    }

    /// Whether the judge sees that a trace is another one than the original:
    /// it says that more is wrong, or cannot tell.
    pub(super) fn is_seen(&self, changed: &Verdict) -> bool {
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
    pub(super) fn comes_to_nothing(&self, place: usize, how: &str) -> bool {
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
    pub(super) fn is_same(&self, changed: &Trace, verdict: &Verdict) -> bool {
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
pub(super) const ASIDES: [&str; 17] = [
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

/// The words of a step's facts, as the file has them.
fn words(line: &str) -> Vec<String> {
    let line: Value = serde_json::from_str(line).expect("JSON");
    let facts = line["facts"].as_array().expect("a list");
    let word = |fact: &Value| fact.as_object().expect("one word").keys().next().cloned();
    facts.iter().filter_map(word).collect()
}

pub(super) fn lines(original: &Original) -> Vec<String> {
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
