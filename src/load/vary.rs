//! A scenario's text with one value changed: for runs of many variants.
//!
//! The place is named by a path as people write it: Flink's own key, or keys
//! of the file with points between them. What stands there then is read and
//! judged as any file is.

use std::ops::Range;

use jsonc_parser::ast::Value;

use super::text::{parse, range_of};
use super::tree::get;
use super::vocabulary::SCENARIO;
use super::{durations, problems::Problems};
use crate::model::Micros;

/// Where a value stands in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePlace(Vec<String>);

impl ValuePlace {
    /// The place that a key names in a scenario:
    ///
    /// - `latency` and `capacity` are those of the network;
    /// - `sum.service` is a key of the operator `sum`, `sum.sync` and
    ///   `sum.async` are those of its snapshots;
    /// - `rpc`, `faults.0.times` and the like are keys of the file, and numbers
    ///   places in a list, from 0;
    /// - everything else is a key of Flink's.
    #[must_use]
    pub fn of(document: &str, key: &str) -> Self {
        let words: Vec<&str> = key.split('.').collect();
        let path: Vec<&str> = match words.as_slice() {
            ["latency" | "capacity"] => vec!["network", words[0]],
            [first, ..] if SCENARIO.contains(first) => words,
            [operator, rest @ ..] if !rest.is_empty() && has_operator(document, operator) => {
                match rest {
                    ["sync" | "async"] => vec!["job", operator, "snapshot", rest[0]],
                    _ => [&["job", operator], rest].concat(),
                }
            }
            _ => vec!["config", key],
        };
        Self(path.into_iter().map(str::to_owned).collect())
    }
}

/// The text of a scenario file, with a value put into a place; objects on the
/// way that are not there are made.
///
/// # Errors
/// When something on the way is no object and no list, or a list has no such
/// place; says which.
pub fn with_value(document: &str, place: &ValuePlace, value: &str) -> Result<String, String> {
    let mut problems = Problems::new(document);
    let Some(root) = parse(document, &mut problems) else {
        return Err("the scenario is no JSON".to_owned());
    };
    let (range, text) = change(&root, &place.0, value)?;
    Ok(format!("{}{text}{}", &document[..range.start], &document[range.end..]))
}

/// What is to be replaced, and by what.
fn change(
    within: &Value<'_>,
    path: &[String],
    value: &str,
) -> Result<(Range<usize>, String), String> {
    let Some((key, rest)) = path.split_first() else {
        return Ok((range_of(within), value.to_owned()));
    };
    match within {
        Value::Object(object) => {
            if let Some(found) = get(object, key) {
                return change(&found.value, rest, value);
            }
            let mut text = value.to_owned();
            for key in rest.iter().rev() {
                text = format!("{{{}:{text}}}", quoted(key));
            }
            let end = range_of(within).end - 1;
            let comma = if object.properties.is_empty() { "" } else { "," };
            Ok((end..end, format!("{comma}{}:{text}", quoted(key))))
        }
        Value::Array(array) => {
            let element = key.parse::<usize>().ok().and_then(|place| array.elements.get(place));
            let n = array.elements.len();
            let element = element
                .ok_or_else(|| format!("`{key}` is no place in a list of {n}, counted from 0"))?;
            change(element, rest, value)
        }
        _ => Err(format!("what `{key}` belongs to is neither an object nor a list")),
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

fn has_operator(document: &str, name: &str) -> bool {
    let mut problems = Problems::new(document);
    let Some(Value::Object(root)) = parse(document, &mut problems) else { return false };
    match get(&root, "job").map(|job| &job.value) {
        Some(Value::Object(job)) => get(job, name).is_some(),
        _ => false,
    }
}

/// A duration as scenario files have it; nothing for any other text.
#[must_use]
pub fn duration(text: &str) -> Option<Micros> {
    durations::parse(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"job":{"in":{"source":[1]},"sum":{"sum":"value"}},"edges":[["in","sum",{"latency":"1 ms"}]],"rpc":2}"#;

    fn varied(key: &str, value: &str) -> Result<String, String> {
        with_value(DOCUMENT, &ValuePlace::of(DOCUMENT, key), value)
    }

    #[test]
    fn a_value_is_replaced_where_it_stands_and_added_where_it_does_not() {
        let cases = [
            ("rpc", "5", r#""rpc":5"#),
            ("edges.0.2.latency", "\"9 ms\"", r#"["in","sum",{"latency":"9 ms"}]"#),
            ("sum.service", "3", r#""sum":{"sum":"value","service":3}"#),
            ("sum.sync", "3", r#""sum":{"sum":"value","snapshot":{"sync":3}}"#),
            ("latency", "7", r#","network":{"latency":7}}"#),
            ("execution.a.b", "true", r#","config":{"execution.a.b":true}}"#),
        ];
        for (key, value, part) in cases {
            let text = varied(key, value).expect("it has such a place");
            assert!(text.contains(part), "{key}: {text}");
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_place_that_cannot_be_is_told() {
        let said = |key: &str| varied(key, "1").expect_err("there is none");
        assert!(said("rpc.trigger").contains("neither an object nor a list"));
        assert!(said("edges.3.2").contains("no place in a list of 1"));
    }
}
