//! What operators, subtasks and splits are called for people.

use std::collections::{BTreeMap, BTreeSet};

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::operators::{OperatorDraft, subtask_number};
use super::places::Places;
use super::problems::Problems;
use super::texts::LABEL_BYTES_MAX;
use super::tree::key;
use super::vocabulary::{KindKey, LANGUAGES};
use super::words::{clip, names};
use crate::model::Text;

/// Words by name, per language.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    en: BTreeMap<String, String>,
    zh: BTreeMap<String, String>,
    /// Names of subtasks that say enough without their operator.
    telling: BTreeSet<String>,
}

impl Labels {
    /// Reads what stands under `labels`, if anything does.
    pub(super) fn read(
        value: Option<&Value<'_>>,
        places: &Places<'_>,
        problems: &mut Problems,
    ) -> Self {
        let mut labels = Self { telling: telling(places.operators), ..Self::default() };
        let Some(value) = value else { return labels };
        let expected = "an object as { \"zh\": { \"sum\": \"和\" } }";
        let Some(object) = problems.object(value, "`labels`", expected) else { return labels };
        let fields = problems.fields(object, "`labels`".into(), LANGUAGES);
        let known = nameable(places);
        for (language, words) in [("en", &mut labels.en), ("zh", &mut labels.zh)] {
            let Some(value) = fields.value(language) else { continue };
            let what = format!("`{language}`");
            let expected = "an object from a name to what it is called";
            let Some(each) = problems.object(value, &what, expected) else { continue };
            for property in &each.properties {
                let name = key(property);
                if !known.contains(name.text) && !places.operators.is_empty() {
                    let near = problems.nearest(name.text, known.iter().map(String::as_str));
                    let message = format!("nothing in the job is called `{}`", clip(name.text));
                    let operators = places.operators.iter().map(|o| o.name.as_str());
                    problems.add(
                        Diagnostic::error("unknown-name", message)
                            .at(name.range, "nothing to label")
                            .did_you_mean(near)
                            .help(format!(
                                "labels are for operators ({}), subtasks and splits",
                                names(operators)
                            )),
                    );
                }
                if let Some(word) = problems.string(&property.value, "a label", "a text")
                    && problems.short_enough(&word, LABEL_BYTES_MAX)
                {
                    words.insert(name.text.to_owned(), word.text.to_owned());
                }
            }
        }
        labels
    }

    /// The label of a name, if it has one in any language.
    pub(super) fn text(&self, name: &str) -> Option<Text> {
        let (en, zh) = (self.en.get(name), self.zh.get(name));
        if en.is_none() && zh.is_none() {
            return None;
        }
        let en = en.map_or(name, String::as_str).to_owned();
        Some(Text { zh: zh.unwrap_or(&en).clone(), en })
    }

    /// The full label of a subtask: "sum(odd)", "blue source".
    pub(super) fn full(&self, operator: &OperatorDraft, position: u32) -> Text {
        let full_name = operator.full_name(position);
        let default = self.default_full(operator, position);
        // In each language, what the file says of just this subtask wins.
        Text {
            en: self.en.get(&full_name).unwrap_or(&default.en).clone(),
            zh: match (self.zh.get(&full_name), self.en.get(&full_name)) {
                (Some(zh), _) => zh.clone(),
                (None, Some(en)) if !self.has_chinese(operator, position) => en.clone(),
                (None, _) => default.zh,
            },
        }
    }

    fn has_chinese(&self, operator: &OperatorDraft, position: u32) -> bool {
        let part = part(operator, position);
        part.into_iter().chain([operator.name.as_str()]).any(|name| self.zh.contains_key(name))
    }

    fn default_full(&self, operator: &OperatorDraft, position: u32) -> Text {
        let whole = self.text(&operator.name).unwrap_or_else(|| Text::same(&operator.name));
        let Some(part) = part(operator, position) else { return whole };
        let name = self.text(part).unwrap_or_else(|| Text::same(part));
        if operator.kind_key == Some(KindKey::Source) && part != position.to_string() {
            // A Chinese word needs no space before its noun, a Latin one does.
            let space = if name.zh.ends_with(|c: char| c.is_ascii()) { " " } else { "" };
            Text { en: format!("{} source", name.en), zh: format!("{}{space}源", name.zh) }
        } else {
            Text {
                en: format!("{}({})", whole.en, name.en),
                zh: format!("{}({})", whole.zh, name.zh),
            }
        }
    }

    /// The short label of a subtask: "odd", "blue".
    pub(super) fn short(&self, operator: &OperatorDraft, position: u32) -> Text {
        match part(operator, position) {
            Some(part)
                if operator.kind_key != Some(KindKey::Sink) && self.telling.contains(part) =>
            {
                self.text(part).unwrap_or_else(|| Text::same(part))
            }
            _ => self.full(operator, position),
        }
    }
}

/// The name of a subtask within its operator; nothing if it is the only one
/// and has no name of its own.
fn part(operator: &OperatorDraft, position: u32) -> Option<&str> {
    match operator.subtasks.as_deref()? {
        [only] if only == "0" => None,
        subtasks => Some(&subtasks[position as usize]),
    }
}

/// Names, not numbers, that only one subtask has, sinks aside.
fn telling(operators: &[OperatorDraft]) -> BTreeSet<String> {
    let mut n_users: BTreeMap<&str, u32> = BTreeMap::new();
    for operator in operators.iter().filter(|o| o.kind_key != Some(KindKey::Sink)) {
        for name in operator.subtasks.iter().flatten() {
            *n_users.entry(name).or_default() += 1;
        }
    }
    n_users
        .into_iter()
        .filter(|(name, n)| *n == 1 && subtask_number(name).is_none())
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Everything that can have a label.
fn nameable(places: &Places<'_>) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = places.splits.keys().cloned().collect();
    for operator in places.operators {
        known.insert(operator.name.clone());
        for (name, position) in operator.subtasks.iter().flatten().zip(0..) {
            known.insert(name.clone());
            known.insert(operator.full_name(position));
        }
    }
    known
}
