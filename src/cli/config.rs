//! `checkdam config`: what a Flink configuration file comes to, and what is to
//! be said of it.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use unicode_width::UnicodeWidthStr;

use super::args::{ConfigOf, Format};
use super::input;
use super::output::Output;
use super::problem::{Problem, WRONG_INPUT};
use super::words::pick;
use crate::load::flink::{self, Effect, How, Origin, Reading, Release, Setting};
use crate::load::{Colour, Severity};
use crate::model::{Language, Scenario};

/// More than any configuration has, so that no more is read of a file that is
/// too large.
const BYTES_MAX: u64 = 4 << 20;

/// Settings that are shown even where nothing is set.
const ALWAYS: [&str; 14] = [
    "execution.checkpointing.interval",
    "execution.checkpointing.timeout",
    "execution.checkpointing.min-pause",
    "execution.checkpointing.max-concurrent-checkpoints",
    "execution.checkpointing.tolerable-failed-checkpoints",
    "execution.checkpointing.mode",
    "execution.checkpointing.unaligned.enabled",
    "execution.checkpointing.externalized-checkpoint-retention",
    "execution.checkpointing.num-retained",
    "state.backend.type",
    "execution.checkpointing.incremental",
    "execution.checkpointing.storage",
    "execution.checkpointing.dir",
    "restart-strategy.type",
];

/// Reads a configuration file and prints what it comes to.
pub(super) fn config(
    arguments: &ConfigOf,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let Some(file) = &arguments.file else {
        output.print(&flink::reference(language))?;
        return Ok(ExitCode::SUCCESS);
    };
    let reading = read(file, arguments.flink.as_deref(), language)?;
    let status = if reading.is_right() { ExitCode::SUCCESS } else { ExitCode::from(WRONG_INPUT) };
    match arguments.format {
        Format::Json => output.print(&format!("{:#}\n", reading.to_json()))?,
        Format::Text if !reading.is_right() => {
            output.complain(&reading.diagnostics.show(output.error_colour()));
        }
        Format::Text => {
            output.print(&format!(
                "{}{}",
                table(&reading, language),
                messages(&reading, language, output.colour())
            ))?;
        }
    }
    Ok(status)
}

/// A scenario's job under somebody's own configuration; what is to be said of
/// that goes to standard error.
pub(super) fn under(
    scenario: &Scenario,
    file: &str,
    language: Language,
    output: Output,
) -> Result<Scenario, Problem> {
    let reading = read(file, None, language)?;
    if !reading.is_right() {
        return Err(Problem::Scenario(Box::new(reading.diagnostics)));
    }
    output.complain(&messages(&reading, language, output.error_colour()));
    let loaded = reading.apply_to(scenario);
    let loaded = loaded.map_err(|diagnostics| Problem::Scenario(Box::new(diagnostics)))?;
    Ok(loaded.scenario)
}

/// Warnings with the lines that they are about; notes in one line each, since
/// they are many.
fn messages(reading: &Reading, language: Language, colour: Colour) -> String {
    let mut text = String::new();
    let warnings = reading.diagnostics.only(Severity::Warning);
    if !warnings.is_empty() {
        text.push('\n');
        text.push_str(&warnings.show(colour));
    }
    let lines = Lines::of(&reading.diagnostics.text);
    let mut notes: Vec<(String, &str)> = Vec::new();
    for note in reading.diagnostics.items.iter().filter(|item| item.severity == Severity::Note) {
        let line = note.labels.first().map(|label| lines.number(label.range.start));
        let place = line.map_or(String::new(), |line| line_words(line, language));
        notes.push((place, &note.message));
    }
    if !notes.is_empty() {
        text.push_str(pick(language, "\nnotes\n", "\n附注\n"));
    }
    let width = notes.iter().map(|(place, _)| place.width()).max().unwrap_or(0);
    for (place, note) in notes {
        let gap = " ".repeat(width - place.width());
        text.push_str(&format!("  {place}{gap}  {note}\n"));
    }
    text
}

fn line_words(line: usize, language: Language) -> String {
    match language {
        Language::En => format!("line {line}"),
        Language::Zh => format!("第 {line} 行"),
    }
}

/// Reads a configuration file.
pub(super) fn read(
    word: &str,
    version: Option<&str>,
    language: Language,
) -> Result<Reading, Problem> {
    let release = match version.map(|version| (version, Release::of(version))) {
        Some((version, None)) => {
            let what = format!("`{version}` is no version of Flink that checkdam knows");
            return Err(Problem::input("no-such-version", what, "1.20 or 2.x, as in --flink 2.1"));
        }
        Some((_, release)) => release,
        None => None,
    };
    let word = &file_in(word, release.unwrap_or_default());
    let mut bytes = Vec::new();
    let mut limited = input::open(word)?.take(BYTES_MAX + 1);
    limited.read_to_end(&mut bytes).map_err(|error| input::unreadable(word, &error))?;
    let name = if word == "-" { "standard input" } else { word };
    Ok(flink::read(name, &bytes, How { release, language }))
}

/// Of a folder, the file that Flink would read.
fn file_in(word: &str, release: Release) -> String {
    let folder = Path::new(word);
    if !folder.is_dir() {
        return word.to_owned();
    }
    let files = flink::files_in_order(release).iter().map(|file| folder.join(file));
    let found =
        files.filter(|file| file.is_file()).find_map(|file| file.to_str().map(str::to_owned));
    found.unwrap_or_else(|| word.to_owned())
}

/// The settings that hold, in columns.
fn table(reading: &Reading, language: Language) -> String {
    let lines = Lines::of(&reading.diagnostics.text);
    let heads = [
        pick(language, "setting", "设置"),
        pick(language, "value", "值"),
        pick(language, "from", "来源"),
        pick(language, "simulated", "是否模拟"),
    ];
    let mut rows = vec![heads.map(str::to_owned)];
    let shown = reading.settings.iter().filter(|setting| is_shown(setting, reading));
    rows.extend(shown.map(|setting| row(setting, reading, &lines, language)));
    let widths: Vec<usize> = (0..heads.len())
        .map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0))
        .collect();
    let (what, release) = (reading.format.words().of(language), reading.release.name());
    let mut text = match language {
        Language::En => format!("{what}, as Flink {release} reads it\n\n"),
        Language::Zh => format!("{what}，按 Flink {release} 读取\n\n"),
    };
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Whether a setting is worth a row: it is set, or people ask for it.
fn is_shown(setting: &Setting, reading: &Reading) -> bool {
    let key = setting.option.key;
    let strategy = reading.setting("restart-strategy.type").and_then(|s| s.value.as_ref());
    let own = strategy.map(|name| format!("restart-strategy.{name}."));
    matches!(setting.origin, Origin::File { .. })
        || ALWAYS.contains(&key)
        || own.is_some_and(|own| key.starts_with(&own))
}

fn row(setting: &Setting, reading: &Reading, lines: &Lines, language: Language) -> [String; 4] {
    let value = match &setting.value {
        Some(value) => shortened(&value.to_string()),
        None => pick(language, "none", "无").to_owned(),
    };
    let from = match &setting.origin {
        Origin::File { key, key_place, .. } => {
            let line = line_words(lines.number(key_place.start), language);
            let is_old = key != setting.option.key;
            if is_old { format!("{line}: {}", shortened(key)) } else { line }
        }
        Origin::Derived => pick(language, "follows from the others", "由其他设置推出").to_owned(),
        Origin::Default => match language {
            Language::En => format!("default of {}", reading.release.name()),
            Language::Zh => format!("{} 的默认值", reading.release.name()),
        },
    };
    let simulated = match setting.option.effect {
        Effect::Followed => pick(language, "yes", "是"),
        Effect::NotSimulated => pick(language, "no", "否"),
        Effect::Nothing => pick(language, "no effect in Flink", "在 Flink 中也无作用"),
    };
    [setting.option.key.to_owned(), value, from, simulated.to_owned()]
}

/// Foreign text for a cell: not long, and without signs that would change how
/// a terminal shows the rest.
fn shortened(text: &str) -> String {
    const MAX: usize = 48;
    let mut short: String = text
        .chars()
        .take(MAX)
        .map(|sign| if sign.is_control() { '\u{fffd}' } else { sign })
        .collect();
    if text.chars().nth(MAX).is_some() {
        short.push('…');
    }
    short
}

/// Where the lines of a text begin.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        Self {
            starts: text
                .bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(at, _)| at + 1)
                .collect(),
        }
    }

    fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) + 1
    }
}
