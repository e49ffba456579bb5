//! Savepoints in a scenario: those that the user asks for, and the one that the
//! job starts from.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::limits::COUNTER_MAX;
use super::places::Places;
use super::problems::Problems;
use super::vocabulary::{FROM, SAVEPOINT};
use super::when::{Here, WhenReader};
use super::words::clip;
use crate::model::{
    CheckpointId, FromScenario, SavepointFormatType, SavepointRequest, SnapshotType,
};

/// Reads what stands under `from`: the run before this one.
pub(super) fn from(value: &Value<'_>, problems: &mut Problems) -> Option<FromScenario> {
    let Value::Object(object) = value else {
        let expected =
            "the name of a scenario, or an object as { \"scenario\": \"…\", \"savepoint\": 2 }";
        let scenario = problems.string(value, "`from`", expected)?.text.to_owned();
        return Some(FromScenario { scenario, savepoint: None });
    };
    let fields = problems.fields(object, "`from`".into(), FROM);
    let scenario = problems.required(&fields, "`from`", "scenario")?;
    let scenario = problems.string(scenario, "`scenario`", "the name of a scenario")?;
    let savepoint = fields.value("savepoint").and_then(|number| {
        problems.whole(number, "`savepoint`", 1..=COUNTER_MAX).map(CheckpointId)
    });
    Some(FromScenario { scenario: scenario.text.to_owned(), savepoint })
}

/// Reads what stands under `savepoints`.
pub(super) fn requests(
    value: &Value<'_>,
    places: &Places<'_>,
    problems: &mut Problems,
) -> Vec<SavepointRequest> {
    let expected = "a list as [{ \"at\": \"40 ms\" }]";
    let Some(array) = problems.list(value, "`savepoints`", expected) else { return Vec::new() };
    let mut requests = Vec::new();
    for element in &array.elements {
        let expected = "an object with `at` or `when`";
        let Some(object) = problems.object(element, "a savepoint", expected) else { continue };
        let fields = problems.fields(object, "a savepoint".into(), SAVEPOINT);
        let stop = fields.value("stop");
        let snapshot = stop.map_or(Some(SnapshotType::Savepoint), |stop| how(stop, problems));
        let format = fields.value("format");
        let format = format
            .map_or(Some(SavepointFormatType::Canonical), |written| format_type(written, problems));
        let mut reader = WhenReader { places, problems: &mut *problems, here: Here::Nobody };
        let when = reader.when(&fields, "a savepoint");
        let whole = when.zip(snapshot).zip(format);
        requests.extend(whole.map(|((when, snapshot), format)| SavepointRequest {
            when,
            snapshot,
            format,
        }));
    }
    requests
}

/// How the state of a savepoint is written.
fn format_type(value: &Value<'_>, problems: &mut Problems) -> Option<SavepointFormatType> {
    let word = problems.string(value, "`format`", "\"canonical\" or \"native\"")?;
    match word.text {
        "canonical" => Some(SavepointFormatType::Canonical),
        "native" => Some(SavepointFormatType::Native),
        other => {
            let message = format!("a savepoint has no format `{}`", clip(other));
            let near = problems.nearest(other, ["canonical", "native"]);
            let problem = Diagnostic::error("unknown-format", message);
            let problem = problem.at(word.range.clone(), "\"canonical\" or \"native\"");
            problems.add(problem.did_you_mean(near));
            None
        }
    }
}

/// How a job stops with its savepoint.
fn how(value: &Value<'_>, problems: &mut Problems) -> Option<SnapshotType> {
    let word = problems.string(value, "`stop`", "\"suspend\" or \"drain\"")?;
    match word.text {
        "suspend" => Some(SnapshotType::Suspend),
        "drain" => Some(SnapshotType::Terminate),
        other => {
            let message = format!("a job cannot stop with `{}`", clip(other));
            let near = problems.nearest(other, ["suspend", "drain"]);
            let problem = Diagnostic::error("unknown-stop", message);
            let problem = problem.at(word.range.clone(), "\"suspend\" or \"drain\"");
            problems.add(problem.did_you_mean(near));
            None
        }
    }
}
