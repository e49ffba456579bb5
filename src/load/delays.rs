//! Delays: one duration, two bounds, or a list.

use jsonc_parser::ast::{Object, Value};

use super::diagnostic::Diagnostic;
use super::problems::Problems;
use super::text::range_of;
use super::tree::get;
use super::vocabulary::UNIFORM;
use crate::model::Delay;

impl Problems {
    /// A delay of any form. `what` says whose.
    pub(super) fn delay(&mut self, value: &Value<'_>, what: &str) -> Option<Delay> {
        match value {
            Value::Array(array) => {
                if array.elements.is_empty() {
                    let message = format!("{what} is an empty list");
                    self.add(
                        Diagnostic::error("empty-list", message)
                            .at(range_of(value), "at least one duration belongs here")
                            .help("each record takes the next duration, the last one is repeated"),
                    );
                    return None;
                }
                let each: Vec<_> =
                    array.elements.iter().map(|element| self.duration(element, what)).collect();
                each.into_iter().collect::<Option<_>>().map(Delay::List)
            }
            Value::Object(object) => self.uniform(object, what),
            Value::StringLit(_) | Value::NumberLit(_) => {
                self.duration(value, what).map(Delay::Fixed)
            }
            _ => {
                let expected = "a duration as \"10 ms\", a list of durations, or \
                                { \"min\": …, \"max\": … }";
                self.wrong_type(value, what, expected);
                None
            }
        }
    }

    fn uniform(&mut self, object: &Object<'_>, what: &str) -> Option<Delay> {
        let fields = self.fields(object, "a delay between two bounds".into(), UNIFORM);
        let (low, high) =
            (self.required(&fields, what, "min"), self.required(&fields, what, "max"));
        let min = low.and_then(|min| self.duration(min, "`min`"));
        let max = high.and_then(|max| self.duration(max, "`max`"));
        let (min, max) = (min?, max?);
        if min > max {
            self.add(
                Diagnostic::error("min-above-max", format!("{what} is from {min} to {max}"))
                    .at(range_of(high?), "less than `min`")
                    .at(range_of(low?), "`min` is here"),
            );
            return None;
        }
        Some(Delay::Uniform { min, max })
    }
}

/// Whether an object is a delay between bounds, and not one delay for each of
/// several names.
pub(super) fn is_uniform(object: &Object<'_>) -> bool {
    get(object, "min").is_some() && get(object, "max").is_some()
}
