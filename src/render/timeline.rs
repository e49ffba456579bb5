//! A run as a trace for timeline viewers: Perfetto, `chrome://tracing`.
//!
//! One thread a task, times in virtual microseconds. Work, alignment, sync and
//! async parts are slices; reads, snapshots and crashes are instants; a
//! checkpoint is an asynchronous slice of the JobManager; barriers are flows.
//!
//! Source: the Trace Event Format.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::spacetime::Range;
use crate::model::{CheckpointId, Language, StreamElement, SubtaskIndex, Time};
use crate::narrate::{Names, Story};
use crate::trace::Fact;

/// The run between two steps as a JSON object in the Trace Event Format. What
/// began before is left out.
#[must_use]
pub fn timeline(story: &Story, language: Language, range: Range) -> String {
    let names = story.names(language);
    let mut writer = Writer {
        names,
        events: Vec::new(),
        begun: BTreeMap::new(),
        pending: BTreeSet::new(),
        sent: BTreeSet::new(),
        n_attempts: 1,
    };
    writer.threads();
    let last = range.last.unwrap_or(u64::MAX);
    let steps = story.trace.steps.iter();
    for step in steps.filter(|step| (range.first..=last).contains(&step.number)) {
        for fact in &step.facts {
            writer.fact(step.at, fact);
        }
    }
    let whole = json!({
        "displayTimeUnit": "ms",
        "otherData": { "title": story.scenario.title.of(language) },
        "traceEvents": writer.events,
    });
    format!("{whole:#}\n")
}

struct Writer<'a> {
    names: Names<'a>,
    events: Vec<Value>,
    /// When something began, by task and what it is.
    begun: BTreeMap<(u32, &'static str), Time>,
    pending: BTreeSet<CheckpointId>,
    /// Barriers that have left.
    sent: BTreeSet<String>,
    /// Elements of each attempt are counted anew.
    n_attempts: u32,
}

/// The thread of a task; 0 is the JobManager's.
fn thread(task: SubtaskIndex) -> u32 {
    task.0 + 1
}

impl Writer<'_> {
    fn threads(&mut self) {
        let mut name = |thread: u32, name: &str| {
            self.events.push(json!({
                "ph": "M", "name": "thread_name", "pid": 1, "tid": thread, "ts": 0,
                "args": { "name": name },
            }));
            self.events.push(json!({
                "ph": "M", "name": "thread_sort_index", "pid": 1, "tid": thread, "ts": 0,
                "args": { "sort_index": thread },
            }));
        };
        name(0, "JobManager");
        for task in self.names.scenario.graph.subtask_indices() {
            name(thread(task), self.names.task(task));
        }
    }

    fn instant(&mut self, at: Time, thread: u32, name: &str) {
        self.events.push(json!({
            "ph": "i", "s": "t", "name": name, "cat": "run", "pid": 1, "tid": thread, "ts": at.0,
        }));
    }

    fn begin(&mut self, at: Time, task: SubtaskIndex, what: &'static str) {
        self.begun.entry((task.0, what)).or_insert(at);
    }

    fn end(&mut self, at: Time, task: SubtaskIndex, (what, name): (&'static str, &str)) {
        if let Some(from) = self.begun.remove(&(task.0, what)) {
            self.events.push(json!({
                "ph": "X", "name": name, "cat": what, "pid": 1, "tid": thread(task),
                "ts": from.0, "dur": at.0 - from.0,
            }));
        }
    }

    fn checkpoint(&mut self, at: Time, id: CheckpointId, (phase, end): (&str, &str)) {
        let name = self.names.tidy(&self.names.checkpoint(id));
        let is_known = match phase {
            "b" => self.pending.insert(id),
            _ => self.pending.remove(&id),
        };
        if !is_known {
            // One that was given up before it had begun.
            return self.instant(at, 0, &format!("{name}: {end}"));
        }
        self.events.push(json!({
            "ph": phase, "name": name, "cat": "checkpoint", "id": id.0, "pid": 1, "tid": 0,
            "ts": at.0, "args": { "ends": end },
        }));
    }

    /// The name of an element on its way.
    fn element(&self, channel: u32, number: u64) -> String {
        format!("{}-{channel}-{number}", self.n_attempts)
    }

    /// A barrier leaves a task, or comes to one.
    fn flow(&mut self, at: Time, task: SubtaskIndex, (phase, id): (&str, String)) {
        let is_known = match phase {
            "s" => self.sent.insert(id.clone()),
            _ => self.sent.remove(&id),
        };
        if !is_known {
            return;
        }
        let mut event = json!({
            "ph": phase, "name": self.names.pick("barrier", "屏障"), "cat": "barrier", "id": id,
            "pid": 1, "tid": thread(task), "ts": at.0,
        });
        if phase == "f" {
            event["bp"] = json!("e");
        }
        self.events.push(event);
    }

    fn fact(&mut self, at: Time, fact: &Fact) {
        let names = self.names;
        let graph = &names.scenario.graph;
        match fact {
            Fact::Read { task, record } => {
                let name = format!("{} {}", names.pick("read", "读取"), names.record(record));
                self.instant(at, thread(*task), &names.tidy(&name));
            }
            Fact::Started { task, .. } => self.begin(at, *task, "work"),
            Fact::Processed { task, record, .. } => {
                let name = names.tidy(&names.record(record));
                if self.begun.contains_key(&(task.0, "work")) {
                    self.end(at, *task, ("work", &name));
                } else {
                    self.instant(at, thread(*task), &name);
                }
            }
            Fact::Emitted { channel, number, element: StreamElement::Barrier(_), .. } => {
                let from = graph.channels[channel.index()].from;
                let id = self.element(channel.0, *number);
                self.flow(at, from, ("s", id));
            }
            Fact::BarrierReceived { task, channel, number, n_received, n_needed, .. } => {
                let id = self.element(channel.0, *number);
                self.flow(at, *task, ("f", id));
                if n_received < n_needed {
                    self.begin(at, *task, "alignment");
                } else {
                    self.end(at, *task, ("alignment", names.pick("alignment", "对齐")));
                }
            }
            Fact::CheckpointTriggered { checkpoint, .. } => {
                self.checkpoint(at, *checkpoint, ("b", ""));
            }
            Fact::CheckpointCompleted { checkpoint } => {
                self.checkpoint(at, *checkpoint, ("e", names.pick("complete", "完成")));
            }
            Fact::CheckpointAborted { checkpoint, .. } => {
                self.checkpoint(at, *checkpoint, ("e", names.pick("given up", "放弃")));
            }
            Fact::SnapshotTaken { task, checkpoint, .. } => {
                let name = format!("{} {checkpoint}", names.pick("snapshot", "快照"));
                self.instant(at, thread(*task), &name);
                let takes_time = graph.takes_sync_time(*task);
                self.begin(at, *task, if takes_time { "sync" } else { "async" });
            }
            Fact::SyncEnded { task, .. } => {
                self.end(at, *task, ("sync", "sync"));
                self.begin(at, *task, "async");
            }
            Fact::SnapshotStored { task, .. } => self.end(at, *task, ("async", "async")),
            Fact::Acknowledged { task, checkpoint } => {
                let who = names.task(*task);
                let name = match names.language {
                    Language::En => format!("{who} acknowledged {checkpoint}"),
                    Language::Zh => format!("{who}确认 {checkpoint}"),
                };
                self.instant(at, 0, &name);
            }
            Fact::Crashed { tasks } => {
                for task in tasks {
                    self.instant(at, thread(*task), names.pick("crash", "崩溃"));
                }
            }
            Fact::JobManagerCrashed { .. } => {
                for id in self.pending.clone() {
                    self.checkpoint(at, id, ("e", names.pick("forgotten", "丢失")));
                }
                self.instant(at, 0, names.pick("crash", "崩溃"));
                self.begun.clear();
            }
            Fact::JobFailed { .. } => {
                self.instant(at, 0, names.pick("the job fails", "作业失败"));
                self.begun.clear();
            }
            Fact::AttemptStarted { attempt, .. } => {
                self.begun.clear();
                self.n_attempts += 1;
                self.instant(at, 0, &names.tidy(&names.attempt(*attempt)));
            }
            _ => {}
        }
    }
}
