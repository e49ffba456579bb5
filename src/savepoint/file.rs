//! The file of a savepoint: one JSON object that people can read, with a
//! version and a checksum.
//!
//! The checksum is taken of the object as one line, without white space, so
//! that a file may be laid out anew; any other change is noticed.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use crate::model::{Savepoint, SubtaskState};
use crate::trace::ENGINE_VERSION;

/// The version of the format that this program reads and writes.
pub const SAVEPOINT_FORMAT: u32 = 1;

/// The largest file that is read: the header of a trace must have room for it.
pub const SAVEPOINT_BYTES_MAX: u64 = 48 << 20;

/// A savepoint with what its file says of the program that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The version of the engine whose run it is of. A job of another version
    /// can start from it.
    pub engine: u32,
    /// The program, with its version.
    pub tool: String,
    /// The savepoint.
    pub savepoint: Savepoint,
}

/// Why a savepoint cannot be read: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavepointError {
    /// From 1.
    pub line: usize,
    /// From 1, in bytes.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

/// A savepoint of checkdam.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "checkdam savepoint")]
struct SavepointFile<'a> {
    /// Says that this is a savepoint.
    checkdam: Kind,
    /// The version of this format.
    format: u32,
    /// The version of the engine whose run it is of.
    engine: u32,
    /// The program that wrote it.
    tool: Cow<'a, str>,
    /// What it holds.
    savepoint: Cow<'a, Savepoint>,
    /// XXH3 of 128 bits, in hexadecimal, of everything else as one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(required, regex(pattern = "^[0-9a-f]{32}$"))]
    digest: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Savepoint,
}

/// What every version's file has.
#[derive(Deserialize)]
struct AnyFile {
    checkdam: String,
    format: Option<u32>,
    tool: Option<String>,
}

const WHERE_FROM: &str = "`checkdam run SCENARIO --savepoint-dir FOLDER` writes savepoints";
const DAMAGED: &str = "the file is damaged: take the savepoint again";

impl Saved {
    /// A savepoint of a run of this program.
    #[must_use]
    pub fn of(savepoint: Savepoint) -> Self {
        let tool = concat!("checkdam ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { engine: ENGINE_VERSION, tool, savepoint }
    }

    fn file(&self) -> SavepointFile<'_> {
        let mut file = SavepointFile {
            checkdam: Kind::Savepoint,
            format: SAVEPOINT_FORMAT,
            engine: self.engine,
            tool: Cow::Borrowed(&self.tool),
            savepoint: Cow::Borrowed(&self.savepoint),
            digest: None,
        };
        let line = serde_json::to_string(&file).expect("texts and numbers are JSON");
        file.digest = Some(format!("{:032x}", xxh3_128(line.as_bytes())));
        file
    }

    /// The file, for people.
    #[must_use]
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(&self.file());
        text.expect("texts and numbers are JSON") + "\n"
    }

    /// The same as one line, for the header of a trace.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(&self.file()).expect("texts and numbers are JSON")
    }
}

/// Reads a savepoint.
///
/// # Errors
/// When it is none, is damaged or cut, or of a format that this program does
/// not know.
pub fn read_savepoint(bytes: &[u8]) -> Result<Saved, SavepointError> {
    if bytes.len() as u64 > SAVEPOINT_BYTES_MAX {
        let what = format!("a savepoint has at most {SAVEPOINT_BYTES_MAX} bytes");
        return Err(wrong(1, 1, what, WHERE_FROM));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let (line, column) = place(&String::from_utf8_lossy(before), before.len());
        wrong(line, column, "not valid UTF-8".to_owned(), DAMAGED)
    })?;
    let any = match serde_json::from_str::<AnyFile>(text) {
        Ok(any) => any,
        Err(error) if error.is_eof() && looks_like_one(text) => {
            let what = match text.trim().is_empty() {
                true => "the file is empty",
                false => "the savepoint is cut here",
            };
            return Err(wrong(error.line(), error.column(), what.to_owned(), DAMAGED));
        }
        Err(error) if looks_like_one(text) => return Err(of_json(&error)),
        Err(_) => return Err(foreign(text)),
    };
    if any.checkdam != "savepoint" {
        return Err(foreign(text));
    }
    if any.format != Some(SAVEPOINT_FORMAT) {
        let (line, column) = place(text, text.find("\"format\"").unwrap_or(0));
        let format = any.format.map_or("none".to_owned(), |format| format.to_string());
        let what = format!(
            "the savepoint has format {format}, and this program knows format {SAVEPOINT_FORMAT}"
        );
        let remedy = match any.tool {
            Some(tool) => format!("start from it with {tool}, which wrote it"),
            None => "start from it with the program that wrote it".to_owned(),
        };
        return Err(SavepointError { line, column, what, remedy });
    }
    let file: SavepointFile<'_> = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    let saved = Saved {
        engine: file.engine,
        tool: file.tool.into_owned(),
        savepoint: file.savepoint.into_owned(),
    };
    if file.digest != saved.file().digest {
        let (line, column) = place(text, text.rfind("\"digest\"").unwrap_or(0));
        let what = "the checksum does not match: something in the savepoint has changed".to_owned();
        return Err(wrong(line, column, what, DAMAGED));
    }
    check(&saved.savepoint)
        .map_err(|(key, what)| {
            let (line, column) = place(text, text.find(&format!("\"{key}\"")).unwrap_or(0));
            wrong(line, column, what, DAMAGED)
        })
        .map(|()| saved)
}

/// What types alone do not say.
fn check(savepoint: &Savepoint) -> Result<(), (&str, String)> {
    const KEY_GROUPS_MAX: u32 = 1 << 15;
    for operator in &savepoint.operators {
        let uid = operator.uid.as_str();
        let wrong = |what: String| Err((uid, format!("operator `{uid}`: {what}")));
        let (n, max) = (operator.parallelism, operator.max_parallelism);
        if savepoint.operators.iter().filter(|other| other.uid == uid).count() > 1 {
            return wrong("two have this id".to_owned());
        }
        if n == 0 || n > max || max > KEY_GROUPS_MAX {
            return wrong(format!("{n} subtasks and {max} key groups"));
        }
        if operator.subtasks.len() != n as usize {
            return wrong(format!("{n} subtasks, and {} entries", operator.subtasks.len()));
        }
        for subtask in &operator.subtasks {
            if let SubtaskState::Keyed(groups) = &subtask.state {
                if operator.keys.is_none() && !groups.is_empty() {
                    return wrong("state by key, and no type of keys".to_owned());
                }
                if let Some(group) = groups.iter().find(|group| group.group >= max) {
                    return wrong(format!("key group {} of {max}", group.group));
                }
            }
        }
    }
    for channel in &savepoint.in_flight {
        for end in [&channel.from, &channel.to] {
            let of = savepoint.operators.iter().find(|operator| operator.uid == end.uid);
            if of.is_none_or(|operator| end.subtask >= operator.parallelism) {
                let what = format!("a channel of `{}` subtask {}", end.uid, end.subtask);
                return Err(("in_flight", what + ", which is not there"));
            }
        }
    }
    Ok(())
}

/// Whether it can be a savepoint that is damaged, and nothing else.
fn looks_like_one(text: &str) -> bool {
    let begin: String = text.chars().filter(|sign| !sign.is_whitespace()).take(23).collect();
    begin.starts_with("{\"checkdam\":\"savepoint\"")
        || "{\"checkdam\":\"savepoint\"".starts_with(&begin)
}

fn foreign(text: &str) -> SavepointError {
    let is_trace = text.starts_with("{\"checkdam\":\"trace\"");
    let what = match is_trace {
        true => "this is a trace, and a savepoint is wanted here",
        false => "this is not a savepoint",
    };
    wrong(1, 1, what.to_owned(), WHERE_FROM)
}

fn of_json(error: &serde_json::Error) -> SavepointError {
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
    wrong(error.line(), error.column(), what.to_owned(), DAMAGED)
}

fn wrong(line: usize, column: usize, what: String, remedy: &str) -> SavepointError {
    SavepointError { line: line.max(1), column: column.max(1), what, remedy: remedy.to_owned() }
}

/// Line and column of a byte, from 1.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

/// The JSON Schema of a savepoint.
#[must_use]
pub fn savepoint_schema() -> Value {
    crate::trace::without_null(schemars::schema_for!(SavepointFile<'static>))
}
