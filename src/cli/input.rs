//! Files and built-in scenarios: from a word on the command line to a scenario
//! or a trace.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::output::Output;
use super::problem::Problem;
use super::starts;
use crate::load;
use crate::model::Scenario;
use crate::savepoint::{read_savepoint, start_from};
use crate::trace::{Header, LINE_BYTES_MAX, TraceError, TraceReader, read_header};

/// The largest scenario file. The loader's own limit, so that no more than
/// this is read of a file that is too large.
const SCENARIO_BYTES_MAX: u64 = 4 << 20;

/// The beginning of the first line of every trace.
const TRACE_BEGINS: &[u8] = br#"{"checkdam":"trace""#;

/// What a word on the command line turned out to be.
pub(super) enum Opened {
    /// A scenario.
    Scenario(Box<Scenario>),
    /// A trace whose header has been read, with its scenario.
    Trace(Box<Scenario>, Box<TraceReader<Box<dyn BufRead>>>),
}

/// A scenario, or a trace, of which no more than the header is read; which of
/// them it is, its first line says.
pub(super) fn begin(word: &str, output: Output) -> Result<Opened, Problem> {
    if let Some(scenario) = built_in(word) {
        return Ok(Opened::Scenario(Box::new(scenario)));
    }
    let mut reader = open(word)?;
    let begin = reader.fill_buf().map_err(|error| unreadable(word, &error))?;
    if begin.starts_with(TRACE_BEGINS) {
        let reader = TraceReader::open(reader).map_err(|error| bad_trace(word, &error))?;
        let scenario = scenario_of(reader.header())?;
        return Ok(Opened::Trace(Box::new(scenario), Box::new(reader)));
    }
    scenario_from(word, reader, output).map(|scenario| Opened::Scenario(Box::new(scenario)))
}

/// A scenario.
pub(super) fn scenario(word: &str, output: Output) -> Result<Scenario, Problem> {
    match built_in(word) {
        Some(scenario) => Ok(scenario),
        None => {
            let mut reader = open(word)?;
            let begin = reader.fill_buf().map_err(|error| unreadable(word, &error))?;
            if begin.starts_with(TRACE_BEGINS) {
                let help = format!("checkdam walk {word}    or    checkdam replay {word}");
                let what = format!("`{word}` is a trace, and a scenario is wanted here");
                return Err(Problem::input("not-a-scenario", what, help));
            }
            scenario_from(word, reader, output)
        }
    }
}

/// The first line of a file with its newline, of at most the length that a
/// trace's line may have.
pub(super) fn first_line(word: &str, reader: &mut dyn BufRead) -> Result<Vec<u8>, Problem> {
    let mut line = Vec::new();
    let mut limited = reader.take(LINE_BYTES_MAX as u64 + 1);
    limited.read_until(b'\n', &mut line).map_err(|error| unreadable(word, &error))?;
    Ok(line)
}

/// What the first line of a trace says, and the scenario in it.
pub(super) fn header(word: &str, line: &[u8]) -> Result<(Header, Scenario), Problem> {
    let line = String::from_utf8_lossy(line);
    let header = read_header(line.trim_end_matches('\n'));
    let header = header.map_err(|error| bad_trace(word, &error))?;
    let scenario = scenario_of(&header)?;
    Ok((header, scenario))
}

fn scenario_of(header: &Header) -> Result<Scenario, Problem> {
    let loaded = load::scenario(&header.name, header.document.as_bytes());
    let scenario = loaded.map_err(|diagnostics| Problem::Scenario(Box::new(diagnostics)))?.scenario;
    let Some(savepoint) = &header.savepoint else { return Ok(scenario) };
    let place = "the trace's savepoint";
    let saved = read_savepoint(savepoint.as_bytes());
    let saved = saved.map_err(|error| starts::bad_savepoint(place, &error))?;
    start_from(&scenario, &saved).map_err(|refusal| starts::refused(&scenario, place, &refusal))
}

/// A trace that cannot be read.
pub(super) fn bad_trace(word: &str, error: &TraceError) -> Problem {
    let TraceError { line, column, what, remedy } = error;
    Problem::input("trace", format!("{word}:{line}:{column}: {what}"), remedy.clone())
}

/// A built-in scenario.
fn built_in(word: &str) -> Option<Scenario> {
    let found = load::builtin().iter().find(|own| own.name == word)?;
    let loaded = load::scenario(found.name, found.text.as_bytes());
    Some(loaded.expect("the built-in scenarios are tested to be right").scenario)
}

fn scenario_from(
    word: &str,
    reader: Box<dyn BufRead>,
    output: Output,
) -> Result<Scenario, Problem> {
    let mut bytes = Vec::new();
    // One byte more than is allowed, so that the loader can see that it is too much.
    let mut limited = reader.take(SCENARIO_BYTES_MAX + 1);
    limited.read_to_end(&mut bytes).map_err(|error| unreadable(word, &error))?;
    let name = if word == "-" { "standard input" } else { word };
    let loaded = load::scenario(name, &bytes)
        .map_err(|diagnostics| Problem::Scenario(Box::new(diagnostics)))?;
    if !loaded.remarks.is_empty() {
        output.complain(&loaded.remarks.show(output.error_colour()));
    }
    Ok(loaded.scenario)
}

/// Opens a file, or standard input for `-`.
#[expect(clippy::disallowed_types, reason = "the command line is the room that opens files")]
pub(super) fn open(word: &str) -> Result<Box<dyn BufRead>, Problem> {
    if word == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let path = Path::new(word);
    if path.is_dir() {
        let what = format!("`{word}` is a directory, and a file is wanted here");
        return Err(Problem::input("not-a-file", what, ""));
    }
    match fs::File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::with_capacity(1 << 16, file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(not_found(word)),
        Err(error) => Err(unreadable(word, &error)),
    }
}

pub(super) fn unreadable(word: &str, error: &io::Error) -> Problem {
    Problem::input("unreadable", format!("`{word}` cannot be read: {error}"), "")
}

/// Neither a file nor a built-in scenario, perhaps a misspelt one.
fn not_found(word: &str) -> Problem {
    const NEAR: f64 = 0.7;
    let names = load::builtin().iter().map(|own| own.name);
    let near = names
        .map(|name| (strsim::jaro_winkler(word, name), name))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let what = format!("there is no file and no built-in scenario `{word}`");
    let help = match near {
        Some((_, name)) => format!("did you mean `{name}`? checkdam list shows them all"),
        None => "checkdam list shows the built-in scenarios; checkdam new makes a file".to_owned(),
    };
    Problem::input("not-found", what, help)
}
