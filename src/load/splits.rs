//! What a source reads: splits and their values.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};

use super::diagnostic::Diagnostic;
use super::limits::{RECORDS_MAX, SPLITS_MAX};
use super::names::NameOf;
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Quoted, get, key};
use super::vocabulary::{DRAWN, RANGE};
use super::words::clip;
use crate::model::{SplitValues, Value as RecordValue};

/// A split before its name is settled.
#[derive(Clone, Debug)]
pub(super) struct SplitDraft {
    /// Its name, if the file gives it one.
    pub(super) name: Option<String>,
    /// Where it stands, for messages.
    pub(super) range: Range<usize>,
    /// What it holds; nothing if that is wrong.
    pub(super) values: Option<SplitValues>,
}

/// The splits of a source.
#[derive(Clone, Debug)]
pub(super) enum SplitsDraft {
    /// One without a name.
    One(SplitDraft),
    /// Several without names.
    Numbered(Vec<SplitDraft>),
    /// With names.
    Named(Vec<SplitDraft>),
}

impl SplitsDraft {
    /// All of them.
    pub(super) fn all(&self) -> &[SplitDraft] {
        match self {
            Self::One(split) => std::slice::from_ref(split),
            Self::Numbered(splits) | Self::Named(splits) => splits,
        }
    }
}

/// The forms of values.
const FORMS: &str = "values are a list of whole numbers or of letters, a text of letters, \
                     { \"from\": 1, \"to\": 5 } or { \"random\": 100, \"below\": 10 }";

impl Problems {
    /// What stands under `source`.
    pub(super) fn splits(&mut self, value: &Value<'_>) -> Option<SplitsDraft> {
        let n_splits = match value {
            Value::Object(object) => object.properties.len(),
            Value::Array(array) if !array.elements.iter().all(is_scalar) => array.elements.len(),
            _ => 1,
        };
        if n_splits > SPLITS_MAX {
            let message = format!("a source has at most {SPLITS_MAX} splits, not {n_splits}");
            self.add(Diagnostic::error("too-many-splits", message).at(range_of(value), ""));
            return None;
        }
        let splits = match value {
            Value::Object(object) if is_values(object) => {
                SplitsDraft::One(self.split(None, range_of(value), value))
            }
            Value::Object(object) => {
                let named = object.properties.iter().map(|property| {
                    let name = key(property);
                    self.name(&name, NameOf::Split);
                    let text = name.text.to_owned();
                    self.split(Some(text), name.range, &property.value)
                });
                SplitsDraft::Named(named.collect())
            }
            Value::Array(array) if !array.elements.iter().all(is_scalar) => {
                let numbered =
                    array.elements.iter().map(|item| self.split(None, range_of(item), item));
                SplitsDraft::Numbered(numbered.collect())
            }
            _ => SplitsDraft::One(self.split(None, range_of(value), value)),
        };
        if splits.all().is_empty() {
            let problem = Diagnostic::error("empty-source", "a source needs at least one split");
            self.add(problem.at(range_of(value), "no split").help("an empty split is written []"));
            return None;
        }
        Some(splits)
    }

    fn split(
        &mut self,
        name: Option<String>,
        range: Range<usize>,
        value: &Value<'_>,
    ) -> SplitDraft {
        SplitDraft { name, range, values: self.values(value) }
    }

    fn values(&mut self, value: &Value<'_>) -> Option<SplitValues> {
        match value {
            Value::Array(array) => self.listed(array),
            Value::StringLit(literal) => self.letters(&Quoted::of(literal)),
            Value::Object(object) if get(object, "random").is_some() => self.drawn(object),
            Value::Object(object) if get(object, "from").is_some() => self.range(object),
            Value::Object(object) if get(object, "to").is_some() => self.range(object),
            Value::Object(object) if get(object, "below").is_some() => self.drawn(object),
            _ => {
                let problem = Diagnostic::error("wrong-type", "these are no values of a split");
                self.add(problem.at(range_of(value), "not this").help(FORMS));
                None
            }
        }
    }

    fn listed(&mut self, array: &Array<'_>) -> Option<SplitValues> {
        let mut values = Some(Vec::new());
        let mut first: Option<(&Value<'_>, RecordValue)> = None;
        for element in &array.elements {
            let Some(value) = self.record_value(element) else {
                values = None;
                continue;
            };
            match first {
                Some((other, known))
                    if std::mem::discriminant(&known) != std::mem::discriminant(&value) =>
                {
                    let message = "a split holds numbers or letters, not both";
                    self.add(
                        Diagnostic::error("mixed-values", message)
                            .at(range_of(element), "of another kind")
                            .at(range_of(other), "than this"),
                    );
                    return None;
                }
                Some(_) => {}
                None => first = Some((element, value)),
            }
            if let Some(values) = &mut values {
                values.push(value);
            }
        }
        values.map(SplitValues::List)
    }

    fn record_value(&mut self, element: &Value<'_>) -> Option<RecordValue> {
        match element {
            Value::StringLit(literal) => {
                let quoted = Quoted::of(literal);
                let mut signs = quoted.text.chars();
                match (signs.next(), signs.next()) {
                    (Some(letter), None) if letter.is_alphabetic() => {
                        Some(RecordValue::Letter(letter))
                    }
                    _ => {
                        let message = format!("`{}` is not one letter", clip(quoted.text));
                        self.add(
                            Diagnostic::error("not-a-letter", message)
                                .at(quoted.range, "a record is a whole number or one letter"),
                        );
                        None
                    }
                }
            }
            Value::NumberLit(_) => self.number(element, "a record").map(RecordValue::Number),
            _ => {
                self.wrong_type(element, "a record", "a whole number or a letter");
                None
            }
        }
    }

    fn letters(&mut self, quoted: &Quoted<'_>) -> Option<SplitValues> {
        let wrong = quoted.text.char_indices().find(|(_, sign)| !sign.is_alphabetic());
        if let Some((at, sign)) = wrong {
            let message = format!("`{}` is not a letter", clip(&sign.to_string()));
            self.add(
                Diagnostic::error("not-a-letter", message)
                    .at(
                        quoted.part(at..at + sign.len_utf8()),
                        "a text of values holds letters only",
                    )
                    .help("numbers stand in a list: [1, 2, 3]"),
            );
            return None;
        }
        Some(SplitValues::List(quoted.text.chars().map(RecordValue::Letter).collect()))
    }

    fn range(&mut self, object: &Object<'_>) -> Option<SplitValues> {
        let fields = self.fields(object, "a range of values".into(), RANGE);
        let from = self.required(&fields, "a range of values", "from");
        let to = self.required(&fields, "a range of values", "to");
        let from = from.and_then(|from| self.number(from, "`from`"));
        let to = to.and_then(|to| self.number(to, "`to`"));
        let (from, to) = (from?, to?);
        let n_records = i128::from(to) - i128::from(from) + 1;
        let at = fields.range();
        if n_records < 0 {
            let message = format!("a range from {from} to {to} runs backwards");
            let help = "an empty split is written []";
            self.add(Diagnostic::error("backwards-range", message).at(at, "").help(help));
            return None;
        }
        if n_records > i128::from(RECORDS_MAX) {
            let message = format!("a split has at most {RECORDS_MAX} records, not {n_records}");
            self.add(Diagnostic::error("out-of-range", message).at(at, "too many"));
            return None;
        }
        Some(SplitValues::Range { from, to })
    }

    fn drawn(&mut self, object: &Object<'_>) -> Option<SplitValues> {
        let fields = self.fields(object, "a split of drawn values".into(), DRAWN);
        let count = self.required(&fields, "a split of drawn values", "random");
        let below = self.required(&fields, "a split of drawn values", "below");
        let count = count.and_then(|count| self.whole(count, "`random`", 0..=RECORDS_MAX));
        let below = below.and_then(|below| self.whole(below, "`below`", 1..=u32::MAX.into()));
        Some(SplitValues::Drawn { count: count? as u32, below: below? as u32 })
    }
}

fn is_scalar(value: &Value<'_>) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Whether an object describes values, and not splits by name. A split may be
/// called `from` as long as what stands there is no number.
fn is_values(object: &Object<'_>) -> bool {
    let is_number = |name: &str| {
        matches!(get(object, name).map(|property| &property.value), Some(Value::NumberLit(_)))
    };
    RANGE.iter().chain(DRAWN).any(|name| is_number(name))
}
