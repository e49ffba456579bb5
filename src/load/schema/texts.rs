//! The schema of what people read: texts, labels, moments.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::FactSentence;

/// A text for people: the same in every language, or one for each.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum TextFile {
    /// The same in every language.
    Same(String),
    /// One for each language.
    Each(LanguagesFile),
}

/// A text in each language; where one is missing the other stands in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub(super) struct LanguagesFile {
    /// English.
    en: Option<String>,
    /// Chinese.
    zh: Option<String>,
}

/// Labels per language.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelsFile {
    /// English, by name.
    en: Option<BTreeMap<String, String>>,
    /// Chinese, by name.
    zh: Option<BTreeMap<String, String>>,
}

/// A step of the story: it begins with a fact and lasts until the next moment
/// begins.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MomentFile {
    /// A unique name for links and the command line.
    name: String,
    /// For people. Default: the name.
    title: Option<TextFile>,
    /// A sentence for people.
    note: Option<TextFile>,
    /// The fact that begins it; only the first moment can begin at the start.
    when: Option<FactSentence>,
    /// The fact that ends it, if it ends before the next moment begins.
    until: Option<FactSentence>,
}
