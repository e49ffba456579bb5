//! `config.yaml`: nested maps, whose keys are joined with dots.
//!
//! Source: Flink 1.20 `GlobalConfiguration.loadYAMLResource`, `flatten`, and
//! `YamlParserUtils`.

use std::ops::Range;

use super::source::{Entry, Source, Written};
use super::yaml::{Content, Node};
use super::{java, scalar};

/// What Flink's reading of a YAML document stumbles over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NestedFlaw {
    pub(super) range: Range<usize>,
    pub(super) what: NestedWhat,
}

/// Which kind of stumbling block it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NestedWhat {
    /// The document is no map.
    NoMap,
    /// A key has no value.
    NoValue(String),
    /// A key is no text.
    Key,
    /// A value is not what its tag says.
    Scalar,
}

/// The settings of a document; all that is wrong with it otherwise.
pub(super) fn read(root: &Node, source: &Source<'_>) -> (Vec<Entry>, Vec<NestedFlaw>) {
    let mut walk = Walk { source, entries: Vec::new(), flaws: Vec::new() };
    match &root.content {
        Content::Map(pairs) => walk.map(pairs, ""),
        Content::Scalar { text, is_plain: true, .. } if text.is_empty() => {}
        _ => walk.flaw(&root.range, NestedWhat::NoMap),
    }
    (walk.entries, walk.flaws)
}

struct Walk<'s> {
    source: &'s Source<'s>,
    entries: Vec<Entry>,
    flaws: Vec<NestedFlaw>,
}

impl Walk<'_> {
    fn map(&mut self, pairs: &[(Node, Node)], prefix: &str) {
        for (key, value) in pairs {
            let Some(name) = key_text(key) else {
                self.flaw(&key.range, NestedWhat::Key);
                continue;
            };
            let path = format!("{prefix}{name}");
            let text = match &value.content {
                Content::Map(pairs) => {
                    self.map(pairs, &format!("{path}."));
                    continue;
                }
                Content::List(_) => list_text(value),
                Content::Scalar { text, is_plain, tag } => {
                    match scalar::resolve(text, *is_plain, tag.as_deref()) {
                        scalar::Scalar::Null => {
                            self.flaw(&key.range, NestedWhat::NoValue(path));
                            continue;
                        }
                        scalar::Scalar::Wrong => {
                            self.flaw(&value.range, NestedWhat::Scalar);
                            continue;
                        }
                        scalar => scalar.text(),
                    }
                }
            };
            let key = Written { text: path, range: self.source.place(key.range.clone()) };
            let value = Written { text, range: self.source.place(value.range.clone()) };
            self.entries.push(Entry { key, value });
        }
    }

    fn flaw(&mut self, range: &Range<usize>, what: NestedWhat) {
        self.flaws.push(NestedFlaw { range: self.source.place(range.clone()), what });
    }
}

/// A key as Flink joins it; nothing if Flink's cast to a text fails.
fn key_text(key: &Node) -> Option<String> {
    let Content::Scalar { text, is_plain, tag } = &key.content else { return None };
    match scalar::resolve(text, *is_plain, tag.as_deref()) {
        scalar::Scalar::Null => Some("null".to_owned()),
        scalar::Scalar::Text(text) => Some(text),
        _ => None,
    }
}

/// A list as one line of YAML.
// Flink 1.20: YamlParserUtils.toYAMLString
fn list_text(node: &Node) -> String {
    match &node.content {
        Content::List(items) => {
            format!("[{}]", items.iter().map(list_text).collect::<Vec<_>>().join(", "))
        }
        Content::Map(pairs) => {
            let pair =
                |(key, value): &(Node, Node)| format!("{}: {}", list_text(key), list_text(value));
            format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Content::Scalar { text, is_plain, tag } => {
            match scalar::resolve(text, *is_plain, tag.as_deref()) {
                scalar::Scalar::Text(text) => scalar::quoted_where_needed(&text),
                scalar::Scalar::Fraction(number) => java::yaml_double_text(number),
                other => other.text(),
            }
        }
    }
}
