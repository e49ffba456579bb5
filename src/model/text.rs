//! Words for people, per language.

use serde::{Deserialize, Serialize};

/// A language that checkdam speaks.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese, in simplified characters.
    Zh,
}

/// One text in each language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text {
    /// English.
    pub en: String,
    /// Chinese; where a scenario gives none, the English text.
    pub zh: String,
}

impl Text {
    /// The same words in both languages: a name.
    #[must_use]
    pub fn same(words: &str) -> Self {
        Self { en: words.to_owned(), zh: words.to_owned() }
    }

    /// The text in one language.
    #[must_use]
    pub fn of(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }

    /// Whether nothing is said in any language.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.en.is_empty() && self.zh.is_empty()
    }
}
