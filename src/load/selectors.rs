//! Keys of keyed operators and hash edges.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::limits::{KEY_NAMES_MAX, MODULUS_MAX};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{key, kind};
use super::words::clip;
use crate::model::KeySelector;

/// The forms of a key.
const FORMS: &str =
    "\"parity\", \"value\", { \"modulo\": 3 } or { \"names\": [\"odd\", \"even\"] }";

impl Problems {
    /// How records get their keys.
    pub(super) fn selector(&mut self, value: &Value<'_>, what: &str) -> Option<KeySelector> {
        match value {
            Value::StringLit(literal) => match literal.value.as_ref() {
                "parity" => Some(KeySelector::Parity),
                "value" => Some(KeySelector::Value),
                other => {
                    let near = self.nearest(other, ["parity", "value"]);
                    let message = format!("`{}` is no key that records could have", clip(other));
                    self.add(
                        Diagnostic::error("unknown-key-selector", message)
                            .at(range_of(value), "unknown")
                            .did_you_mean(near)
                            .help(format!("a key is {FORMS}")),
                    );
                    None
                }
            },
            Value::Object(object) => {
                let [property] = object.properties.as_slice() else {
                    self.not_a_selector(value, what);
                    return None;
                };
                match key(property).text {
                    "modulo" => self
                        .whole(&property.value, "`modulo`", 1..=MODULUS_MAX)
                        .map(|modulus| KeySelector::Modulo(modulus as i32)),
                    "names" => self.key_names(&property.value),
                    _ => {
                        self.not_a_selector(value, what);
                        None
                    }
                }
            }
            _ => {
                self.not_a_selector(value, what);
                None
            }
        }
    }

    fn not_a_selector(&mut self, value: &Value<'_>, what: &str) {
        let found = match value {
            Value::Object(_) => "not this object".to_owned(),
            other => format!("not {}", kind(other)),
        };
        self.add(
            Diagnostic::error("wrong-type", format!("{what} must be a key, {found}"))
                .at(range_of(value), "not this")
                .help(format!("a key is {FORMS}")),
        );
    }

    fn key_names(&mut self, value: &Value<'_>) -> Option<KeySelector> {
        let array = self.list(value, "`names`", "a list of texts")?;
        let n_names = array.elements.len();
        if n_names == 0 || n_names > KEY_NAMES_MAX {
            let message = format!("a key needs 1 to {KEY_NAMES_MAX} names, not {n_names}");
            self.add(Diagnostic::error("out-of-range", message).at(range_of(value), ""));
            return None;
        }
        let names: Vec<_> = array
            .elements
            .iter()
            .map(|name| {
                self.string(name, "a key's name", "a text").map(|name| name.text.to_owned())
            })
            .collect();
        let names = names.into_iter().collect::<Option<Vec<_>>>()?;
        let mut sorted: Vec<(&String, usize)> = names.iter().zip(0..).collect();
        sorted.sort();
        for pair in sorted.windows(2) {
            if pair[0].0 == pair[1].0 {
                let (first, again) = (&array.elements[pair[0].1], &array.elements[pair[1].1]);
                let message = format!("two keys are called `{}`", clip(pair[0].0));
                self.add(
                    Diagnostic::error("duplicate-name", message)
                        .at(range_of(again), "again here")
                        .at(range_of(first), "first here"),
                );
                return None;
            }
        }
        Some(KeySelector::Names(names.into()))
    }
}
