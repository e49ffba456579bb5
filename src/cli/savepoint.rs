//! `checkdam savepoint show`: what a savepoint holds, for people and for
//! machines; and the files that a run writes.

use std::fs;
use std::path::{Path, PathBuf};

use unicode_width::UnicodeWidthStr;

use super::args::Format;
use super::output::Output;
use super::problem::Problem;
use super::starts::{self, format_name, key_type};
use super::words::pick;
use crate::load::{self, ValuePlace, with_value};
use crate::model::{
    ChannelSnapshot, Language, OperatorSnapshot, SavedKey, SavedRecord, SavedState, SavedValue,
    Savepoint, SavepointFormat, Scenario, SnapshotType, SubtaskLife, SubtaskState, TransactionFate,
};
use crate::savepoint::{Saved, Taken};

/// Shows a savepoint.
pub(super) fn show(
    file: &str,
    format: Format,
    language: Language,
    output: Output,
) -> Result<(), Problem> {
    let saved = starts::saved(file)?;
    Ok(output.print(&match format {
        Format::Json => saved.text(),
        Format::Text => text(&saved, language),
    })?)
}

/// The same scenario, in which every savepoint that is asked for has the native
/// format. Its document says so, too: a trace of it is replayed from that.
pub(super) fn native(scenario: &Scenario) -> Result<Scenario, Problem> {
    let mut document = scenario.document.clone();
    for request in 0..scenario.savepoints.len() {
        let place = ValuePlace::of(&document, &format!("savepoints.{request}.format"));
        document = with_value(&document, &place, "\"native\"").expect("there is such a request");
    }
    let loaded = load::scenario(&scenario.name, document.as_bytes());
    let loaded = loaded.map_err(|diagnostics| Problem::Scenario(Box::new(diagnostics)))?;
    Ok(loaded.scenario)
}

/// Writes a savepoint into a folder: whole, or not at all.
#[expect(clippy::disallowed_methods, reason = "the command line is the room that writes files")]
pub(super) fn write(folder: &Path, job: &str, taken: &Taken) -> Result<PathBuf, Problem> {
    let kind = if taken.savepoint.snapshot.is_savepoint() { "savepoint" } else { "checkpoint" };
    let name = format!("{job}-{kind}-{}.json", taken.savepoint.id);
    let (file, part) = (folder.join(&name), folder.join(format!("{name}.part")));
    let text = Saved::of(taken.savepoint.clone()).text();
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&part, text))
        .and_then(|()| fs::rename(&part, &file));
    written.map(|()| file).map_err(|error| {
        let what = format!("`{}` cannot be written: {error}", folder.join(&name).display());
        Problem::input("unwritable", what, "name a folder that can be written to")
    })
}

fn text(saved: &Saved, language: Language) -> String {
    let page = Page { language, savepoint: &saved.savepoint };
    let mut lines = vec![page.title(saved)];
    lines.push(String::new());
    lines.push(page.labelled(page.pick("taken", "建立"), &page.taken()));
    lines.push(page.labelled(page.pick("format", "格式"), &page.format()));
    lines.push(String::new());
    for operator in &page.savepoint.operators {
        page.operator(operator, &mut lines);
    }
    if !page.savepoint.in_flight.is_empty() {
        lines.push(page.pick("in flight", "在途").to_owned());
        lines.extend(page.savepoint.in_flight.iter().map(|channel| page.channel(channel)));
        lines.push(String::new());
    }
    let hint = page.pick("start from it:", "从它启动：");
    lines.push(format!("{hint} checkdam run SCENARIO --from FILE"));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

struct Page<'a> {
    language: Language,
    savepoint: &'a Savepoint,
}

impl Page<'_> {
    fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        pick(self.language, en, zh)
    }

    fn labelled(&self, label: &str, text: &str) -> String {
        const LABEL: usize = 13;
        format!("{label}{}{text}", " ".repeat(LABEL.saturating_sub(label.width())))
    }

    fn title(&self, saved: &Saved) -> String {
        let (job, id) = (&self.savepoint.job, self.savepoint.id);
        let (tool, engine) = (&saved.tool, saved.engine);
        match (self.language, self.savepoint.snapshot.is_savepoint()) {
            (Language::En, true) => format!("savepoint {id} of {job} · {tool}, engine {engine}"),
            (Language::En, false) => {
                format!("checkpoint {id}, left behind by {job} · {tool}, engine {engine}")
            }
            (Language::Zh, true) => format!("{job} 的保存点 {id} · {tool}，引擎 {engine}"),
            (Language::Zh, false) => format!("{job} 留下的检查点 {id} · {tool}，引擎 {engine}"),
        }
    }

    fn taken(&self) -> String {
        let Savepoint { triggered_at, completed_at, seed, .. } = self.savepoint;
        let how =
            match self.savepoint.snapshot {
                SnapshotType::Checkpoint => self.pick("by the system", "由系统触发"),
                SnapshotType::Savepoint => self.pick("by the user", "由用户触发"),
                SnapshotType::Suspend => self
                    .pick("by the user, who stopped the job with it", "由用户触发，作业随之停下"),
                SnapshotType::Terminate => self
                    .pick("by the user, who drained the job with it", "由用户触发，作业排空后停下"),
            };
        match self.language {
            Language::En => {
                format!(
                    "{how}; triggered at {triggered_at}, complete at {completed_at}, seed {seed}"
                )
            }
            Language::Zh => {
                format!("{how}；{triggered_at} 触发，{completed_at} 完成，种子 {seed}")
            }
        }
    }

    fn format(&self) -> String {
        match self.savepoint.format {
            SavepointFormat::Canonical => self
                .pick("canonical: fits every state backend", "规范格式：适用于任何状态后端")
                .to_owned(),
            native => match self.language {
                Language::En => format!("native: for the backend {} alone", format_name(native)),
                Language::Zh => format!("原生格式：只适用于后端 {}", format_name(native)),
            },
        }
    }

    fn operator(&self, operator: &OperatorSnapshot, lines: &mut Vec<String>) {
        let (uid, n, max) = (&operator.uid, operator.parallelism, operator.max_parallelism);
        let keys = operator.keys.map(|keys| match self.language {
            Language::En => format!(", keys of type {}", key_type(keys)),
            Language::Zh => format!("，键的类型 {}", key_type(keys)),
        });
        let keys = keys.unwrap_or_default();
        lines.push(match self.language {
            Language::En => {
                let plural = if n == 1 { "" } else { "s" };
                format!("{uid}: {n} subtask{plural}, {max} key groups{keys}")
            }
            Language::Zh => format!("{uid}：{n} 个子任务，{max} 个键组{keys}"),
        });
        for (place, subtask) in operator.subtasks.iter().enumerate() {
            let finished = match subtask.life {
                SubtaskLife::Running => "",
                SubtaskLife::Finished => self.pick(" (finished)", "（已结束）"),
            };
            for (line, text) in self.state(&subtask.state).into_iter().enumerate() {
                let label = if line == 0 { format!("[{place}]{finished}") } else { String::new() };
                lines.push(format!("  {}", self.labelled(&label, &text)));
            }
        }
        lines.push(String::new());
    }

    fn state(&self, state: &SubtaskState) -> Vec<String> {
        match state {
            SubtaskState::Stateless => vec![self.pick("no state", "无状态").to_owned()],
            SubtaskState::Splits(splits) => {
                let split =
                    |one: &crate::model::SplitOffset| format!("{} {}", one.split, one.offset);
                let list: Vec<String> = splits.iter().map(split).collect();
                match (self.language, list.is_empty()) {
                    (Language::En, true) => vec!["no splits".to_owned()],
                    (Language::Zh, true) => vec!["没有分片".to_owned()],
                    (Language::En, false) => vec![format!("records read: {}", list.join(" · "))],
                    (Language::Zh, false) => vec![format!("已读记录：{}", list.join(" · "))],
                }
            }
            SubtaskState::Keyed(groups) if groups.is_empty() => {
                vec![self.pick("no keys", "没有键").to_owned()]
            }
            SubtaskState::Keyed(groups) => {
                let group = |one: &crate::model::KeyGroupSnapshot| {
                    let entry = |own: &crate::model::KeyedEntry| {
                        format!("{}={}", key(&own.key), value(&own.value))
                    };
                    let entries: Vec<String> = one.entries.iter().map(entry).collect();
                    match self.language {
                        Language::En => format!("key group {}: {}", one.group, entries.join(" ")),
                        Language::Zh => format!("键组 {}：{}", one.group, entries.join(" ")),
                    }
                };
                groups.iter().map(group).collect()
            }
            SubtaskState::Broadcast(entries) => {
                let entry = |own: &crate::model::KeyedEntry| {
                    format!("{}={}", key(&own.key), value(&own.value))
                };
                let entries: Vec<String> = entries.iter().map(entry).collect();
                let entries = if entries.is_empty() { "–".to_owned() } else { entries.join(" ") };
                let word = self.pick("broadcast state: ", "广播状态：");
                vec![format!("{word}{entries}")]
            }
            SubtaskState::Transactions(prepared) if prepared.is_empty() => {
                vec![self.pick("no transactions", "没有事务").to_owned()]
            }
            SubtaskState::Transactions(prepared) => {
                let transaction = |one: &crate::model::PreparedTransaction| {
                    let fate = match one.fate {
                        TransactionFate::Prepared => self.pick("prepared", "已预提交"),
                        TransactionFate::Committed => self.pick("committed", "已提交"),
                    };
                    let colon = self.pick(": ", "：");
                    format!("{} {fate}{colon}{}", one.transaction, records(&one.records))
                };
                prepared.iter().map(transaction).collect()
            }
        }
    }

    fn channel(&self, channel: &ChannelSnapshot) -> String {
        let (from, to) = (&channel.from, &channel.to);
        let place = format!("{}[{}] -> {}[{}]", from.uid, from.subtask, to.uid, to.subtask);
        let (input, output) = (records(&channel.input), records(&channel.output));
        match self.language {
            Language::En => format!("  {place}  at the receiver {input}, at the sender {output}"),
            Language::Zh => format!("  {place}  接收端 {input}，发送端 {output}"),
        }
    }
}

fn key(key: &SavedKey) -> String {
    match key {
        SavedKey::Boolean(true) => "odd".to_owned(),
        SavedKey::Boolean(false) => "even".to_owned(),
        SavedKey::Integer(number) => number.to_string(),
        SavedKey::Long(number) => number.to_string(),
        SavedKey::Letter(letter) => letter.to_string(),
        SavedKey::Name(name) => name.clone(),
    }
}

fn number(value: SavedValue) -> String {
    match value {
        SavedValue::Number(number) => number.to_string(),
        SavedValue::Letter(letter) => letter.to_string(),
    }
}

fn value(state: &SavedState) -> String {
    let side = |side: Option<SavedValue>| side.map_or("–".to_owned(), number);
    match state {
        SavedState::Value(value) => number(*value),
        SavedState::Sides(sides) => format!("({}, {})", side(sides.left), side(sides.right)),
    }
}

fn records(records: &[SavedRecord]) -> String {
    if records.is_empty() {
        return "–".to_owned();
    }
    let record =
        |one: &SavedRecord| format!("{} ({}/{})", number(one.value), one.split, one.offset);
    records.iter().map(record).collect::<Vec<_>>().join(", ")
}
