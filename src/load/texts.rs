//! Texts for people: titles and notes, per language.

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::problems::Problems;
use super::tree::Quoted;
use super::vocabulary::LANGUAGES;
use crate::model::Text;

/// A title or note may be this long.
const TEXT_BYTES_MAX: usize = 4000;
/// A label may be this long.
pub(super) const LABEL_BYTES_MAX: usize = 200;

impl Problems {
    /// One text for all languages, or one for each. Where one language is
    /// missing the other stands in.
    pub(super) fn text(&mut self, value: &Value<'_>, what: &str) -> Option<Text> {
        match value {
            Value::StringLit(literal) => {
                let quoted = Quoted::of(literal);
                self.short_enough(&quoted, TEXT_BYTES_MAX).then(|| Text::same(quoted.text))
            }
            Value::Object(object) => {
                let fields = self.fields(object, "a text".into(), LANGUAGES);
                let mut word = |language: &str| {
                    let word = self.string(fields.value(language)?, what, "a text")?;
                    self.short_enough(&word, TEXT_BYTES_MAX).then(|| word.text.to_owned())
                };
                let (en, zh) = (word("en"), word("zh"));
                match (en, zh) {
                    (Some(en), Some(zh)) => Some(Text { en, zh }),
                    (Some(one), None) | (None, Some(one)) => Some(Text::same(&one)),
                    (None, None) => {
                        if fields.is_empty() {
                            self.required(&fields, "a text", "en");
                        }
                        None
                    }
                }
            }
            _ => {
                let expected = "a text, or { \"en\": …, \"zh\": … }";
                self.wrong_type(value, what, expected);
                None
            }
        }
    }

    /// Tells a text that is too long.
    pub(super) fn short_enough(&mut self, quoted: &Quoted<'_>, max: usize) -> bool {
        let fits = quoted.text.len() <= max;
        if !fits {
            let message = format!("this text has {} bytes, more than {max}", quoted.text.len());
            let problem = Diagnostic::error("text-too-long", message);
            self.add(problem.at(quoted.range.clone(), "too long"));
        }
        fits
    }
}
