//! A scenario file as one line: the same keys in the same order, without
//! comments and without spaces.

use jsonc_parser::ast::Value;

use super::tree::key;

/// The value as compact JSON.
pub(super) fn compact(value: &Value<'_>) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value<'_>, out: &mut String) {
    match value {
        Value::StringLit(literal) => string(&literal.value, out),
        Value::NumberLit(literal) => out.push_str(literal.value),
        Value::BooleanLit(literal) => out.push_str(if literal.value { "true" } else { "false" }),
        Value::NullKeyword(_) => out.push_str("null"),
        Value::Array(array) => {
            out.push('[');
            for (element, place) in array.elements.iter().zip(0..) {
                if place > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (property, place) in object.properties.iter().zip(0..) {
                if place > 0 {
                    out.push(',');
                }
                string(key(property).text, out);
                out.push(':');
                write(&property.value, out);
            }
            out.push('}');
        }
    }
}

fn string(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).expect("a string is JSON"));
}
