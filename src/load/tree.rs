//! Reading JSON values: what is expected, what is there instead, and where.
//!
//! Every function here that gives back nothing has told a problem.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};

use super::diagnostic::Diagnostic;
use super::problems::Problems;
use super::text::range_of;
use super::words::{clip, names};

/// A string of the file, whose parts have places too.
#[derive(Clone, Debug)]
pub(super) struct Quoted<'t> {
    /// What it says.
    pub(super) text: &'t str,
    /// Its place, quotation marks included.
    pub(super) range: Range<usize>,
}

impl<'t> Quoted<'t> {
    pub(super) fn of(literal: &'t StringLit<'_>) -> Self {
        Self { text: &literal.value, range: literal.range.start..literal.range.end }
    }

    /// The place of some bytes of what it says; the whole string if escape
    /// sequences make that unclear.
    pub(super) fn part(&self, part: Range<usize>) -> Range<usize> {
        // An escape sequence is always longer than what it stands for.
        let quotes = match self.range.len().checked_sub(self.text.len()) {
            Some(0) => 0,
            Some(2) => 1,
            _ => return self.range.clone(),
        };
        let first = self.range.start + quotes;
        first + part.start..first + part.end
    }
}

/// How to speak of an object whose keys are known: "the operator `sum`" has no
/// key so and so; "`sum` is a keyed sum; it" takes others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    pub(super) subject: &'a str,
    pub(super) taker: &'a str,
}

impl<'a> From<&'a str> for Owner<'a> {
    fn from(name: &'a str) -> Self {
        Self { subject: name, taker: name }
    }
}

/// A property's key.
pub(super) fn key<'t>(property: &'t ObjectProp<'_>) -> Quoted<'t> {
    match &property.name {
        jsonc_parser::ast::ObjectPropName::String(literal) => Quoted::of(literal),
        jsonc_parser::ast::ObjectPropName::Word(word) => {
            Quoted { text: word.value, range: word.range.start..word.range.end }
        }
    }
}

/// A property's place, from its key to its value.
pub(super) fn place(property: &ObjectProp<'_>) -> Range<usize> {
    property.range.start..property.range.end
}

/// The value under a key; of two equal keys, the first.
pub(super) fn get<'t, 'a>(object: &'t Object<'a>, key: &str) -> Option<&'t ObjectProp<'a>> {
    object.properties.iter().find(|property| property.name.as_str() == key)
}

/// The fields of an object whose keys are known.
#[derive(Clone, Debug)]
pub(super) struct Fields<'t, 'a> {
    object: &'t Object<'a>,
    /// Misspelt keys under what they were probably meant to be. They are told
    /// as unknown; reading them all the same keeps one slip of the pen from
    /// causing a second message.
    meant: Vec<(String, &'t ObjectProp<'a>)>,
}

impl<'t, 'a> Fields<'t, 'a> {
    /// The field of a name.
    pub(super) fn get(&self, key: &str) -> Option<&'t ObjectProp<'a>> {
        let meant = || self.meant.iter().find(|(meant, _)| meant == key);
        get(self.object, key).or_else(|| meant().map(|(_, property)| *property))
    }

    /// The value of a field.
    pub(super) fn value(&self, key: &str) -> Option<&'t Value<'a>> {
        self.get(key).map(|property| &property.value)
    }

    /// The brace that opens the object: where something is missing.
    pub(super) fn open(&self) -> Range<usize> {
        self.object.range.start..self.object.range.start + 1
    }

    /// The whole object.
    pub(super) fn range(&self) -> Range<usize> {
        self.object.range.start..self.object.range.end
    }

    /// Whether it has no fields at all.
    pub(super) fn is_empty(&self) -> bool {
        self.object.properties.is_empty()
    }
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(literal) if literal.value => "true",
        Value::BooleanLit(_) => "false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

impl Problems {
    /// Tells that a value has the wrong type.
    pub(super) fn wrong_type(&mut self, value: &Value<'_>, what: &str, expected: &str) {
        let message = format!("{what} must be {expected}, not {}", kind(value));
        self.add(Diagnostic::error("wrong-type", message).at(range_of(value), "not this"));
    }

    /// An object.
    pub(super) fn object<'t, 'a>(
        &mut self,
        value: &'t Value<'a>,
        what: &str,
        expected: &str,
    ) -> Option<&'t Object<'a>> {
        match value {
            Value::Object(object) => Some(object),
            _ => {
                self.wrong_type(value, what, expected);
                None
            }
        }
    }

    /// A list.
    pub(super) fn list<'t, 'a>(
        &mut self,
        value: &'t Value<'a>,
        what: &str,
        expected: &str,
    ) -> Option<&'t Array<'a>> {
        match value {
            Value::Array(array) => Some(array),
            _ => {
                self.wrong_type(value, what, expected);
                None
            }
        }
    }

    /// A string.
    pub(super) fn string<'t>(
        &mut self,
        value: &'t Value<'_>,
        what: &str,
        expected: &str,
    ) -> Option<Quoted<'t>> {
        match value {
            Value::StringLit(literal) => Some(Quoted::of(literal)),
            _ => {
                self.wrong_type(value, what, expected);
                None
            }
        }
    }

    /// true or false.
    pub(super) fn boolean(&mut self, value: &Value<'_>, what: &str) -> Option<bool> {
        match value {
            Value::BooleanLit(literal) => Some(literal.value),
            _ => {
                self.wrong_type(value, what, "true or false");
                None
            }
        }
    }

    /// A whole number of 64 bits.
    pub(super) fn number(&mut self, value: &Value<'_>, what: &str) -> Option<i64> {
        self.number_within(value, what, i64::MIN.into()..=i64::MAX.into())
            .and_then(|number| i64::try_from(number).ok())
    }

    /// A whole number within bounds.
    pub(super) fn whole(
        &mut self,
        value: &Value<'_>,
        what: &str,
        bounds: RangeInclusive<u64>,
    ) -> Option<u64> {
        let bounds = i128::from(*bounds.start())..=i128::from(*bounds.end());
        self.number_within(value, what, bounds).and_then(|number| u64::try_from(number).ok())
    }

    fn number_within(
        &mut self,
        value: &Value<'_>,
        what: &str,
        bounds: RangeInclusive<i128>,
    ) -> Option<i128> {
        let Value::NumberLit(literal) = value else {
            self.wrong_type(value, what, "a whole number");
            return None;
        };
        let written = literal.value;
        let (from, to) = (bounds.start(), bounds.end());
        match whole_number(written) {
            Some(number) if bounds.contains(&number) => Some(number),
            None if written.contains(['.', 'e', 'E']) => {
                let message = format!("{what} must be a whole number, not {}", clip(written));
                let problem = Diagnostic::error("not-a-whole-number", message);
                self.add(problem.at(range_of(value), "write digits only"));
                None
            }
            _ => {
                let message = format!("{what} must be from {from} to {to}, not {}", clip(written));
                let label = if written.starts_with('-') || whole_number(written) < Some(*from) {
                    "too small"
                } else {
                    "too large"
                };
                self.add(Diagnostic::error("out-of-range", message).at(range_of(value), label));
                None
            }
        }
    }

    /// The fields of an object. Tells every key that nobody would read.
    pub(super) fn fields<'t, 'a>(
        &mut self,
        object: &'t Object<'a>,
        owner: Owner<'_>,
        known: &[&str],
    ) -> Fields<'t, 'a> {
        let mut fields = Fields { object, meant: Vec::new() };
        for property in &object.properties {
            let key = key(property);
            if known.contains(&key.text) {
                continue;
            }
            let near = self.nearest(key.text, known.iter().copied());
            if let Some(near) = &near {
                fields.meant.push((near.clone(), property));
            }
            let message = format!("{} has no key `{}`", owner.subject, clip(key.text));
            let help = format!("{} takes {}", owner.taker, names(known.iter().copied()));
            self.add(
                Diagnostic::error("unknown-key", message)
                    .at(key.range, "unknown")
                    .did_you_mean(near)
                    .help(help),
            );
        }
        fields
    }

    /// The value under a key that must be there.
    pub(super) fn required<'t, 'a>(
        &mut self,
        fields: &Fields<'t, 'a>,
        what: &str,
        key: &str,
    ) -> Option<&'t Value<'a>> {
        let found = fields.get(key);
        if found.is_none() {
            let message = format!("{what} needs a key `{key}`");
            let open = fields.open();
            let label = format!("`{key}` is missing here");
            self.add(Diagnostic::error("missing-key", message).at(open, label));
        }
        found.map(|property| &property.value)
    }
}

/// The whole number that a literal of JSON stands for.
pub(super) fn whole_number(literal: &str) -> Option<i128> {
    // Far more digits than any number that is wanted.
    if literal.len() > 30 { None } else { literal.parse().ok() }
}

/// Looks at every value of the file once: counts them, and tells every key
/// that stands twice in one object.
pub(super) fn survey(root: &Value<'_>, problems: &mut Problems) {
    if let Value::Object(object) = root {
        let job = get(object, "job").map(|property| range_of(&property.value));
        visit(root, job.as_ref(), problems);
    } else {
        visit(root, None, problems);
    }
}

fn visit(value: &Value<'_>, job: Option<&Range<usize>>, problems: &mut Problems) {
    problems.worked(1);
    match value {
        Value::Object(object) => {
            let is_job = job == Some(&range_of(value));
            let mut seen: BTreeMap<&str, Range<usize>> = BTreeMap::new();
            for property in &object.properties {
                let key = key(property);
                if let Some(first) = seen.get(key.text) {
                    problems.add(twice(&key, first.clone(), is_job));
                } else {
                    seen.insert(property.name.as_str(), key.range);
                }
                visit(&property.value, job, problems);
            }
        }
        Value::Array(array) => {
            for element in &array.elements {
                visit(element, job, problems);
            }
        }
        _ => {}
    }
}

fn twice(key: &Quoted<'_>, first: Range<usize>, is_job: bool) -> Diagnostic {
    let name = clip(key.text);
    let (code, message, help) = if is_job {
        let message = format!("two operators are called `{name}`");
        ("duplicate-operator", message, "give one of them another name")
    } else {
        ("duplicate-key", format!("the key `{name}` stands twice in one object"), "remove one")
    };
    Diagnostic::error(code, message)
        .at(key.range.clone(), "again here")
        .at(first, "first here")
        .help(help)
}
