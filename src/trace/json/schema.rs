//! The published JSON Schema of a trace.

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value;

use super::frame::{EndLine, HeaderLine, StepLine};

/// A line of a trace of checkdam: JSON Lines with a header, a line for each
/// step, and an end. A trace whose end is missing was cut.
#[derive(JsonSchema)]
#[schemars(untagged, title = "Line of a checkdam trace")]
#[expect(dead_code, reason = "only its schema is used")]
enum TraceLine {
    Header(HeaderLine<'static>),
    Step(StepLine<'static>),
    End(EndLine),
}

/// The JSON Schema of one line of a trace.
#[must_use]
pub fn trace_schema() -> Value {
    without_null(schema_for!(TraceLine))
}

/// A schema in which nothing may be `null`.
#[must_use]
pub fn without_null(mut schema: Schema) -> Value {
    RecursiveTransform(forbid_null).transform(&mut schema);
    schema.to_value()
}

/// What there is not is left out of a line, and never `null`.
fn forbid_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            schema.remove("anyOf");
            only.into_iter().for_each(|(name, value)| {
                schema.insert(name, value);
            });
        }
    }
}
