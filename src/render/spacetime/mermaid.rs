//! The messages of a run as a Mermaid sequence diagram.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Range;
use super::events::{Band, Kind, Waits, What, events};
use crate::model::{Language, StreamElement};
use crate::narrate::{Names, Story};
use crate::render::graph::mermaid_text;
use crate::trace::Fact;

/// The most lines of messages and notes; a diagram with more is not readable,
/// and Mermaid refuses it.
const LINES_MAX: usize = 400;

/// The run between two steps as the text of a Mermaid sequence diagram. What
/// is left out of it says a note at its end.
#[must_use]
pub fn sequence(story: &Story, language: Language, range: Range) -> String {
    let names = story.names(language);
    let last = range.last.unwrap_or(u64::MAX).min(story.n_steps());
    let gathered = events(story, names, (last, Waits::Unseen));
    let texts = texts(story, names);
    let mut lines: BTreeMap<(u64, usize), String> = BTreeMap::new();
    for message in gathered.messages.iter().filter(|own| own.to.0 >= range.first) {
        let (from, to) = (participant(message.from.1), participant(message.to.1));
        let arrow = match (message.lost, message.kind) {
            (true, _) => "-x",
            (false, Kind::Rpc) => "-->>",
            (false, _) => "->>",
        };
        let key = (message.kind, message.from, message.to.1);
        let text = texts.get(&key).map_or("", String::as_str);
        let text = if text.is_empty() { names.pick("message", "消息") } else { text };
        let line = format!("{from}{arrow}{to}: {}", mermaid_text(text));
        lines.insert((message.to.0, lines.len()), line);
    }
    for sighting in gathered.sightings.iter().filter(|own| own.step >= range.first) {
        let text = match &sighting.what {
            What::Snapshot(id) => format!("{} {id}", names.pick("snapshot", "快照")),
            What::Word(text, _) => text.clone(),
            What::Restored(text) => format!("{} {text}", names.pick("restored", "恢复")),
            What::Crash => names.pick("crash", "崩溃").to_owned(),
            What::Chip { .. } | What::Held(_) => continue,
        };
        let line = format!("Note over {}: {}", participant(sighting.band), mermaid_text(&text));
        lines.insert((sighting.step, lines.len()), line);
    }
    let mut out = String::from("sequenceDiagram\n  participant J as JobManager\n");
    for task in story.scenario.graph.subtask_indices() {
        let name = mermaid_text(names.task(task));
        let _ = writeln!(out, "  participant T{} as {name}", task.index());
    }
    let kept = story.base + story.trace.steps.len() as u64;
    let behind = (kept < last).then_some(kept + 1);
    let left_out = lines.keys().nth(LINES_MAX).map(|(step, _)| *step).or(behind);
    for line in lines.into_values().take(LINES_MAX) {
        let _ = writeln!(out, "  {line}");
    }
    if let Some(step) = left_out {
        let text = match language {
            Language::En => format!("messages and notes from step {step} on are left out"),
            Language::Zh => format!("第 {step} 步起的消息和注释省略"),
        };
        let _ = writeln!(out, "  Note over J: {text}");
    }
    out
}

fn participant(band: Band) -> String {
    match band.checked_sub(1) {
        None => "J".to_owned(),
        Some(task) => format!("T{task}"),
    }
}

/// What each message says, by kind, beginning and goal.
fn texts(story: &Story, names: Names<'_>) -> BTreeMap<(Kind, (u64, Band), Band), String> {
    let graph = &story.scenario.graph;
    let mut texts = BTreeMap::new();
    for step in &story.trace.steps {
        for fact in &step.facts {
            match fact {
                Fact::Emitted { channel, element, .. } => {
                    let kind = match element {
                        StreamElement::Record(record) => Kind::Record(record.id.split.0),
                        StreamElement::Barrier(_) => Kind::Barrier,
                        _ => continue,
                    };
                    let own = &graph.channels[channel.index()];
                    let ends = ((step.number, own.from.index() + 1), own.to.index() + 1);
                    let text = names.tidy(&names.element(element));
                    texts.insert((kind, ends.0, ends.1), text);
                }
                Fact::CheckpointTriggered { checkpoint, .. } => {
                    for task in graph.subtask_indices() {
                        let text = format!("{} {checkpoint}", names.pick("trigger", "触发"));
                        texts.insert((Kind::Rpc, (step.number, 0), task.index() + 1), text);
                    }
                }
                Fact::CheckpointCompleted { checkpoint } => {
                    for task in graph.subtask_indices() {
                        let text = format!("{} {checkpoint}", names.pick("complete", "完成"));
                        texts.insert((Kind::Rpc, (step.number, 0), task.index() + 1), text);
                    }
                }
                Fact::SnapshotStored { task, checkpoint, .. } => {
                    let text = format!("{} {checkpoint}", names.pick("acknowledge", "确认"));
                    texts.insert((Kind::Rpc, (step.number, task.index() + 1), 0), text);
                }
                Fact::Declined { task, checkpoint, .. } => {
                    let text = format!("{} {checkpoint}", names.pick("decline", "拒绝"));
                    texts.insert((Kind::Rpc, (step.number, task.index() + 1), 0), text);
                }
                _ => {}
            }
        }
    }
    texts
}
