//! Cases from Flink's own tests of barrier handling, and from its sources
//! where it has no test: inputs of one layer, and what must come of them.

mod channels;
mod gate;
mod line;

use channels::{LocalBench, OutputBench, PersisterBench, RemoteBench};
use gate::GateBench;
use line::Line;
use serde_json::Value as Json;

use super::report::{Answer, Mismatch, Verdict};

/// Whether a document holds such cases.
pub(crate) fn recognises(document: &Json) -> bool {
    document.as_array().is_some_and(|cases| cases.iter().any(|case| case.get("layer").is_some()))
}

/// Answers every case of a document.
pub(crate) fn answer(document: &Json) -> Vec<Answer> {
    let cases = document.as_array().map(Vec::as_slice).unwrap_or_default();
    cases
        .iter()
        .map(|case| {
            let name = case["name"].as_str().unwrap_or("a case without a name");
            let group = format!(
                "{} {}",
                case["layer"].as_str().unwrap_or("no layer"),
                case["mode"].as_str().unwrap_or("no mode")
            );
            super::answered(name, group, || answer_case(case))
        })
        .collect()
}

fn answer_case(case: &Json) -> Result<Verdict, String> {
    let text = |field: &str| {
        case[field].as_str().ok_or_else(|| format!("`{field}` is not a text")).map(str::to_owned)
    };
    let (layer, mode) = (text("layer")?, text("mode")?);
    let mut bench: Box<dyn Bench> = match layer.as_str() {
        "gate" | "recovery" => Box::new(GateBench::new(case, &mode)?),
        "persister" => Box::new(PersisterBench::default()),
        "remote_channel" => Box::new(RemoteBench::default()),
        "local_channel" => Box::new(LocalBench::default()),
        "output" => Box::new(OutputBench::default()),
        other => return Err(format!("no layer is called `{other}`")),
    };
    let inputs = case["input"].as_array().ok_or("`input` is not a list")?;
    let mut mismatch = None;
    for (place, line) in inputs.iter().enumerate() {
        let input = Line { line, default_timeout: case["alignment_timeout_ms"].as_u64() };
        // Only the whole input has what a check asks for.
        if line["kind"] == "check" && !matches!(layer.as_str(), "gate" | "recovery") {
            continue;
        }
        if let Some((expected, got)) = bench.input(&input)? {
            let input = inputs[..=place].iter().map(Json::to_string).collect();
            let (expected, got) = (vec![expected.to_string()], vec![got.to_string()]);
            mismatch = Some(Mismatch { input, expected, got });
            break;
        }
    }
    if mismatch.is_none() {
        let expected = case["expect"].as_object().ok_or("`expect` is not an object")?;
        let per_channel = case["record_order"] == "per_channel";
        let (mut wanted, mut got) = (Vec::new(), Vec::new());
        for (field, value) in expected {
            let ours = bench.outcome(field, value)?;
            let alike = if field == "output_order" && per_channel {
                by_channel(value) == by_channel(&ours)
            } else {
                *value == ours
            };
            if !alike {
                wanted.push(format!("{field}: {value}"));
                got.push(format!("{field}: {ours}"));
            }
        }
        if !wanted.is_empty() {
            let input = inputs.iter().map(Json::to_string).collect();
            mismatch = Some(Mismatch { input, expected: wanted, got });
        }
    }
    Ok(mismatch.map_or(Verdict::Passed, Verdict::Failed))
}

/// Between two entries that are no records, only the order within a channel
/// counts.
fn by_channel(order: &Json) -> Vec<Json> {
    let entries = order.as_array().map(Vec::as_slice).unwrap_or_default();
    let groups = entries.chunk_by(|one, next| one.is_string() && next.is_string());
    let sorted = groups.flat_map(|group| {
        let mut group = group.to_vec();
        group.sort_by_key(|id| id.as_str().and_then(|id| id.chars().next()));
        group
    });
    sorted.collect()
}

/// Machines under test.
trait Bench {
    /// Takes an input line. A check that fails gives what was wanted and what
    /// there is.
    fn input(&mut self, line: &Line<'_>) -> Result<Option<(Json, Json)>, String>;

    /// What came of it, in the form of the field of the expectation.
    fn outcome(&mut self, field: &str, expected: &Json) -> Result<Json, String>;
}

fn no_field<T>(field: &str) -> Result<T, String> {
    Err(format!("nothing of this layer is called `{field}`"))
}
