//! Reading JSON with a sentence for what is missing, and comparing answers.

use checkdam::model::Micros;
use serde_json::{Map, Value};

use super::{Mismatch, Verdict};

/// A field that has to be there.
pub(crate) fn field<'a>(value: &'a Value, key: &str) -> Result<&'a Value, String> {
    value.get(key).ok_or_else(|| format!("no field {key} in {value}"))
}

/// A text field.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    field(value, key)?.as_str().ok_or_else(|| format!("{key} is no text in {value}"))
}

/// A list field.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], String> {
    let list = field(value, key)?.as_array().map(Vec::as_slice);
    list.ok_or_else(|| format!("{key} is no list in {value}"))
}

/// A number field.
pub(crate) fn number(value: &Value, key: &str) -> Result<u64, String> {
    field(value, key)?.as_u64().ok_or_else(|| format!("{key} is no whole number in {value}"))
}

/// A number field that may be left out.
pub(crate) fn number_or(value: &Value, key: &str, default: u64) -> Result<u64, String> {
    if value.get(key).is_some() { number(value, key) } else { Ok(default) }
}

/// A field that is true, false or left out.
pub(crate) fn flag_or(value: &Value, key: &str, default: bool) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(default)
}

/// A duration in milliseconds.
pub(crate) fn millis(value: &Value, key: &str) -> Result<Micros, String> {
    number(value, key).map(Micros::from_ms)
}

/// Compares what a case expects with what has come out, field by field. An
/// expected field that there is no answer to is a failure too.
pub(crate) fn compare(input: &[Value], expected: &Value, got: &Map<String, Value>) -> Verdict {
    let nothing = Map::new();
    let expected = expected.as_object().unwrap_or(&nothing);
    let wrong = expected.iter().find(|(key, value)| got.get(*key) != Some(*value));
    let Some((key, value)) = wrong else { return Verdict::Passed };
    let lines = |value: Option<&Value>| match value {
        Some(Value::Array(list)) => list.iter().map(Value::to_string).collect(),
        Some(value) => vec![value.to_string()],
        None => vec!["nothing".to_owned()],
    };
    let mut input: Vec<_> = input.iter().map(Value::to_string).collect();
    input.push(format!("expected field: {key}"));
    Verdict::Failed(Mismatch { input, expected: lines(Some(value)), got: lines(got.get(key)) })
}
