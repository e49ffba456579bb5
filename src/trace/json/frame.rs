//! The three kinds of lines: header, step, end.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::error::{Misfit, TraceError};
use super::fact::FactLine;
use super::line::{Line, Scope};
use super::names::Names;
use crate::model::{Scenario, Time};
use crate::trace::{Driver, ENGINE_VERSION, FORMAT_VERSION, Step};

/// What the first line of a trace says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of the engine that made the trace. Another version's trace
    /// can be looked at and judged, but not replayed.
    pub engine: u32,
    /// The program that made it, with its version.
    pub tool: String,
    /// The scenario's name.
    pub name: String,
    /// What decided the order of events.
    pub driver: Driver,
    /// The scenario file, as one line of JSON.
    pub document: String,
    /// The savepoint that the job starts from, as one line of JSON.
    pub savepoint: Option<String>,
}

impl Header {
    /// Whether this program's engine makes the same trace of the same scenario
    /// and driver.
    #[must_use]
    pub fn is_of_this_engine(&self) -> bool {
        self.engine == ENGINE_VERSION
    }
}

/// The first line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLine<'a> {
    /// Says that this is a trace.
    checkdam: Kind,
    /// The version of this format.
    format: u32,
    /// The version of the engine: the same version makes the same trace of the
    /// same scenario and driver, byte for byte.
    engine: u32,
    /// The program that wrote the trace.
    tool: Cow<'a, str>,
    /// The scenario's name.
    name: Cow<'a, str>,
    /// What decided the order of events.
    driver: Driver,
    /// The scenario file.
    #[serde(borrow)]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    scenario: &'a RawValue,
    /// The savepoint that the job starts from, if it starts from one.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    savepoint: Option<&'a RawValue>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Trace,
}

/// The header of a run, without the newline.
///
/// # Panics
/// When the scenario's document is not one line of JSON.
pub(super) fn header_text(scenario: &Scenario, driver: &Driver) -> String {
    let document = &scenario.document;
    assert!(!document.contains('\n'), "a scenario's document is one line");
    let line = HeaderLine {
        checkdam: Kind::Trace,
        format: FORMAT_VERSION,
        engine: ENGINE_VERSION,
        tool: concat!("checkdam ", env!("CARGO_PKG_VERSION")).into(),
        name: scenario.name.as_str().into(),
        driver: driver.clone(),
        scenario: serde_json::from_str(document).expect("a scenario's document is JSON"),
        savepoint: scenario.start.as_ref().map(|start| {
            serde_json::from_str(&start.document).expect("a savepoint's document is JSON")
        }),
    };
    serde_json::to_string(&line).expect("a header has only texts and numbers")
}

/// What every version's header has.
#[derive(Deserialize)]
struct AnyHeader {
    checkdam: String,
    format: u32,
    tool: Option<String>,
}

/// Reads the first line of a trace.
///
/// # Errors
/// When it is not the header of a trace, or of a format that this program does
/// not know. Another engine version is no error.
///
/// # Examples
/// ```
/// let line = r#"{"checkdam":"trace","format":2,"engine":1,"tool":"checkdam 0.1.0","name":"lecture","driver":{"seed":1},"scenario":{}}"#;
/// let header = checkdam::trace::read_header(line)?;
/// assert_eq!((header.name.as_str(), header.document.as_str()), ("lecture", "{}"));
/// # Ok::<(), checkdam::trace::TraceError>(())
/// ```
pub fn read_header(line: &str) -> Result<Header, TraceError> {
    let any = serde_json::from_str::<AnyHeader>(line).ok().filter(|any| any.checkdam == "trace");
    let Some(any) = any else {
        return Err(TraceError {
            line: 1,
            column: 1,
            what: "this is not a trace: the first line is not a trace's header".to_owned(),
            remedy: "`checkdam run SCENARIO --trace FILE` writes a trace".to_owned(),
        });
    };
    if any.format != FORMAT_VERSION {
        return Err(TraceError {
            line: 1,
            column: line.find("\"format\"").unwrap_or(0) + 1,
            what: format!(
                "the trace has format {}, and this program knows format {FORMAT_VERSION}",
                any.format
            ),
            remedy: match any.tool {
                Some(tool) => format!("read it with {tool}, which wrote it"),
                None => "read it with the program that wrote it".to_owned(),
            },
        });
    }
    let line: HeaderLine<'_> =
        serde_json::from_str(line).map_err(|error| TraceError::of_json(1, &error))?;
    Ok(Header {
        engine: line.engine,
        tool: line.tool.into_owned(),
        name: line.name.into_owned(),
        driver: line.driver,
        document: line.scenario.get().to_owned(),
        savepoint: line.savepoint.map(|savepoint| savepoint.get().to_owned()),
    })
}

/// One step as a line of the trace, by serde: what [`super::TraceWriter`]
/// writes faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
pub struct StepLine<'a> {
    /// Counts the steps, from 1.
    step: u64,
    /// When, in microseconds of virtual time since the start.
    at: Time,
    /// What happened, in order.
    facts: Vec<FactLine<'a>>,
}

impl<'a> StepLine<'a> {
    /// The line of a step.
    #[must_use]
    pub fn of(names: &'a Names, step: &Step) -> Self {
        let mut scope = Scope::new(names, "");
        let facts = step.facts.iter().map(|fact| {
            scope.next_fact();
            FactLine::of(fact, &mut scope)
        });
        Self { step: step.number, at: step.at, facts: facts.collect() }
    }

    /// The step that a line says, read from `text`.
    pub(super) fn step(self, names: &Names, text: &str) -> Result<Step, Misfit> {
        let mut scope = Scope::new(names, text);
        let facts = self.facts.into_iter().enumerate().map(|(place, fact)| {
            scope.next_fact();
            fact.word(&mut scope).map_err(|misfit| misfit.inside(&format!("facts[{place}]")))
        });
        Ok(Step { number: self.step, at: self.at, facts: facts.collect::<Result<_, _>>()? })
    }
}

/// The last line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    /// Counts and digest.
    pub(super) end: Totals,
}

/// What the last line says of all lines before it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Totals {
    /// The number of steps.
    pub(super) records: u64,
    /// XXH3 of 128 bits over every byte before this line, in hexadecimal.
    #[schemars(regex(pattern = "^[0-9a-f]{32}$"))]
    pub(super) digest: String,
}

/// The beginning of the last line, and of no other.
pub(super) const END_BEGINS: &[u8] = b"{\"end\"";

/// The last line, with its newline.
pub(super) fn end_text(records: u64, digest: u128) -> String {
    format!("{{\"end\":{{\"records\":{records},\"digest\":\"{digest:032x}\"}}}}\n")
}
