//! What an operator does, from the value under the key that says so.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::problems::Problems;
use super::splits::SplitsDraft;
use super::text::range_of;
use super::tree::{Fields, key, kind};
use super::vocabulary::KindKey;
use super::words::clip;
use crate::model::{MapFunction, OperatorKind, Predicate, Redistribution, SinkKind};

/// What an operator does; a source's splits may still lack their names.
#[derive(Clone, Debug)]
pub(super) enum KindDraft {
    /// Reads splits.
    Source { splits: SplitsDraft, replayable: bool, redistribution: Redistribution, backlog: u64 },
    /// Everything else is settled at once.
    Settled(OperatorKind),
}

impl Problems {
    /// What stands under the key of an operator's kind.
    pub(super) fn operator_kind(
        &mut self,
        fields: &Fields<'_, '_>,
        kind_key: KindKey,
    ) -> Option<KindDraft> {
        let value = fields.value(kind_key.name())?;
        let key_of = |problems: &mut Self| {
            problems.selector(value, &format!("what stands under `{}`", kind_key.name()))
        };
        Some(KindDraft::Settled(match kind_key {
            KindKey::Source => {
                let replayable = match fields.value("replayable") {
                    Some(value) => self.boolean(value, "`replayable`"),
                    None => Some(true),
                };
                let redistribution = match fields.value("redistribution") {
                    Some(value) => self.redistribution(value),
                    None => None,
                };
                let splits = self.splits(value)?;
                let backlog = fields.value("backlog");
                let backlog = backlog
                    .and_then(|value| self.whole(value, "`backlog`", 1..=u64::from(u32::MAX)));
                return Some(KindDraft::Source {
                    splits,
                    replayable: replayable.unwrap_or(true),
                    redistribution: redistribution.unwrap_or_default(),
                    backlog: backlog.unwrap_or(0),
                });
            }
            KindKey::Map => OperatorKind::Map(self.map_function(value)?),
            KindKey::Filter => OperatorKind::Filter(self.predicate(value)?),
            KindKey::Sum => OperatorKind::Sum(key_of(self)?),
            KindKey::Count => OperatorKind::Count(key_of(self)?),
            KindKey::Max => OperatorKind::Max(key_of(self)?),
            KindKey::Join => OperatorKind::Join(key_of(self)?),
            KindKey::BroadcastProcess => OperatorKind::BroadcastProcess(key_of(self)?),
            KindKey::Union => {
                if self.boolean(value, "`union`")? {
                    OperatorKind::Union
                } else {
                    let message = "`union` must be true: an operator that is none has another key";
                    let problem = Diagnostic::error("wrong-value", message);
                    self.add(problem.at(range_of(value), "write true"));
                    return None;
                }
            }
            KindKey::Sink => OperatorKind::Sink(self.sink_kind(value)?),
        }))
    }

    fn map_function(&mut self, value: &Value<'_>) -> Option<MapFunction> {
        const FORMS: &str = "{ \"add\": 1 } or { \"multiply\": 2 }";
        match one_property(value) {
            Some(("add", by)) => self.number(by, "`add`").map(MapFunction::Add),
            Some(("multiply", by)) => self.number(by, "`multiply`").map(MapFunction::Multiply),
            Some((other, _)) => self.unknown_word(value, other, &["add", "multiply"], FORMS),
            None => self.wrong_form(value, "`map`", FORMS),
        }
    }

    fn predicate(&mut self, value: &Value<'_>) -> Option<Predicate> {
        const FORMS: &str = "\"even\", \"odd\", { \"above\": 3 } or { \"below\": 3 }";
        const WORDS: &[&str] = &["even", "odd", "above", "below"];
        if let Value::StringLit(literal) = value {
            return match literal.value.as_ref() {
                "even" => Some(Predicate::Even),
                "odd" => Some(Predicate::Odd),
                other => self.unknown_word(value, other, WORDS, FORMS),
            };
        }
        match one_property(value) {
            Some(("above", than)) => self.number(than, "`above`").map(Predicate::Above),
            Some(("below", than)) => self.number(than, "`below`").map(Predicate::Below),
            Some((other, _)) => self.unknown_word(value, other, WORDS, FORMS),
            None => self.wrong_form(value, "`filter`", FORMS),
        }
    }

    fn sink_kind(&mut self, value: &Value<'_>) -> Option<SinkKind> {
        const FORMS: &str = "\"publish\" (at once), \"transactional\" (with the checkpoint) or \
                             \"idempotent\" (at once, overwriting by key)";
        let Value::StringLit(literal) = value else {
            return self.wrong_form(value, "`sink`", FORMS);
        };
        match literal.value.as_ref() {
            "publish" => Some(SinkKind::Publish),
            "transactional" => Some(SinkKind::Transactional),
            "idempotent" => Some(SinkKind::Idempotent),
            other => {
                let words = &["publish", "transactional", "idempotent"];
                self.unknown_word(value, other, words, FORMS)
            }
        }
    }

    fn redistribution(&mut self, value: &Value<'_>) -> Option<Redistribution> {
        const FORMS: &str = "\"even-split\" (each offset to one subtask) or \"union\" (all \
                             offsets to every subtask)";
        let Value::StringLit(literal) = value else {
            return self.wrong_form(value, "`redistribution`", FORMS);
        };
        match literal.value.as_ref() {
            "even-split" => Some(Redistribution::EvenSplit),
            "union" => Some(Redistribution::Union),
            other => self.unknown_word(value, other, &["even-split", "union"], FORMS),
        }
    }

    fn unknown_word<T>(
        &mut self,
        value: &Value<'_>,
        word: &str,
        known: &[&str],
        forms: &str,
    ) -> Option<T> {
        let near = self.nearest(word, known.iter().copied());
        let range = match value {
            Value::Object(object) => key(&object.properties[0]).range,
            other => range_of(other),
        };
        let message = format!("`{}` is not known here", clip(word));
        self.add(
            Diagnostic::error("unknown-word", message)
                .at(range, "unknown")
                .did_you_mean(near)
                .help(format!("known are {forms}")),
        );
        None
    }

    fn wrong_form<T>(&mut self, value: &Value<'_>, what: &str, forms: &str) -> Option<T> {
        let message = format!("{what} cannot be {}", found(value));
        let problem = Diagnostic::error("wrong-type", message).at(range_of(value), "not this");
        self.add(problem.help(format!("write {forms}")));
        None
    }
}

fn found(value: &Value<'_>) -> &'static str {
    match value {
        Value::Object(object) if object.properties.is_empty() => "an empty object",
        Value::Object(_) => "an object with several keys",
        other => kind(other),
    }
}

/// Key and value of an object that has just one.
fn one_property<'t, 'a>(value: &'t Value<'a>) -> Option<(&'t str, &'t Value<'a>)> {
    let Value::Object(object) = value else { return None };
    let [property] = object.properties.as_slice() else { return None };
    Some((key(property).text, &property.value))
}
