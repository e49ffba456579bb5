//! YAML as a tree with the place of every node.
//!
//! The parser is saphyr's; what is refused beyond its complaints is what
//! Flink's own parser (snakeyaml-engine) refuses: keys that stand twice, and
//! tags of one's own.

use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use crate::load::limits::DEPTH_MAX;

/// The tags that Flink's parser can make something of.
const TAGS: [&str; 9] = ["binary", "bool", "float", "int", "map", "null", "seq", "set", "str"];

/// More nodes than any configuration has; aliases can multiply them.
const NODES_MAX: usize = 50_000;

/// A node and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) content: Content,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A text; whether it stands without quotation marks, so that it can be a
    /// number or nothing, and its tag of the core schema.
    Scalar { text: String, is_plain: bool, tag: Option<String> },
    /// A list.
    List(Vec<Node>),
    /// Keys and values in the order in which they stand.
    Map(Vec<(Node, Node)>),
}

/// What is wrong with a text.
#[derive(Clone, Debug)]
pub(super) struct YamlFlaw {
    pub(super) range: Range<usize>,
    pub(super) what: What,
}

/// Which kind of wrong it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The parser's complaint.
    Syntax(String),
    /// A key stands twice; the place of the first.
    Twice(String, Range<usize>),
    /// A tag that is not of the core schema.
    Tag,
    /// An anchor that is not known.
    Anchor,
    /// A tab stands where something should begin.
    Tab,
    /// Too many levels or nodes.
    TooMuch,
}

/// The documents of a text.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, YamlFlaw> {
    let bytes: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect();
    let parser = Parser::new_from_str(text);
    let mut reader = Reader { parser, bytes, anchors: BTreeMap::new(), n_nodes: 0, seen: 0, text };
    let mut documents = Vec::new();
    while let Some((event, span)) = reader.next()? {
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => documents.push(reader.node(event, span, 0)?),
        }
    }
    Ok(documents)
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// The byte at which each character begins.
    bytes: Vec<usize>,
    anchors: BTreeMap<usize, Node>,
    n_nodes: usize,
    /// Up to here no tab stands in a wrong place.
    seen: usize,
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Option<(Event<'t>, Range<usize>)>, YamlFlaw> {
        let (event, range) = match self.parser.next_event() {
            None => return Ok(None),
            Some(Ok((event, span))) => {
                let mut range = self.place(span);
                // The parser counts a comment behind quotation marks to them.
                if let Event::Scalar(_, style, ..) = &event
                    && let Some(end) = quotes_end(self.text, range.start, *style)
                {
                    range.end = end;
                }
                (event, range)
            }
            Some(Err(error)) => {
                let at = self.byte(error.marker().index());
                let what = What::Syntax(error.info().to_owned());
                return Err(YamlFlaw { range: at..at, what });
            }
        };
        self.no_tabs(range.start)?;
        let is_plain = matches!(&event, Event::Scalar(_, ScalarStyle::Plain, ..));
        if range.end > self.seen {
            self.seen = range.end;
            // Blanks behind a plain text still belong to it.
            if is_plain {
                let rest = &self.text[range.end..];
                self.seen += rest.len() - rest.trim_start_matches([' ', '\t']).len();
            }
        }
        Ok(Some((event, range)))
    }

    /// Between the nodes Flink's parser takes no tabs, but for those in
    /// comments.
    // snakeyaml-engine: ScannerImpl.scanToNextToken
    fn no_tabs(&mut self, until: usize) -> Result<(), YamlFlaw> {
        let Some(gap) = self.text.get(self.seen..until) else { return Ok(()) };
        let mut at = self.seen;
        for line in gap.split_inclusive('\n') {
            let said = line.split('#').next().unwrap_or_default();
            if let Some(tab) = said.find('\t') {
                return Err(YamlFlaw { range: at + tab..at + tab + 1, what: What::Tab });
            }
            at += line.len();
        }
        self.seen = until;
        Ok(())
    }

    fn place(&self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index()).max(start);
        // The parser counts blanks behind a node to it.
        start..start + self.text[start..end].trim_end().len()
    }

    fn byte(&self, character: usize) -> usize {
        self.bytes.get(character).copied().unwrap_or(self.text.len())
    }

    fn node(
        &mut self,
        event: Event<'t>,
        range: Range<usize>,
        depth: usize,
    ) -> Result<Node, YamlFlaw> {
        self.n_nodes += 1;
        if depth > DEPTH_MAX || self.n_nodes > NODES_MAX {
            return Err(YamlFlaw { range, what: What::TooMuch });
        }
        let own_tag = |tag: &saphyr_parser::Tag| {
            !tag.is_yaml_core_schema() || !TAGS.contains(&tag.suffix.as_str())
        };
        let (anchor, content, end) = match event {
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id).cloned() else {
                    return Err(YamlFlaw { range, what: What::Anchor });
                };
                self.n_nodes += size(&node);
                return Ok(Node { range, ..node });
            }
            Event::Scalar(text, style, anchor, tag) => {
                if tag.as_deref().is_some_and(own_tag) {
                    return Err(YamlFlaw { range, what: What::Tag });
                }
                let tag = tag.map(|tag| tag.suffix.clone());
                let is_plain = style == ScalarStyle::Plain;
                (anchor, Content::Scalar { text: text.into_owned(), is_plain, tag }, range.end)
            }
            Event::SequenceStart(anchor, tag) => {
                if tag.as_deref().is_some_and(own_tag) {
                    return Err(YamlFlaw { range, what: What::Tag });
                }
                let (items, end) = self.list(depth)?;
                (anchor, Content::List(items), end)
            }
            Event::MappingStart(anchor, tag) => {
                if tag.as_deref().is_some_and(own_tag) {
                    return Err(YamlFlaw { range, what: What::Tag });
                }
                let (pairs, end) = self.map(depth)?;
                (anchor, Content::Map(pairs), end)
            }
            _ => (0, Content::Scalar { text: String::new(), is_plain: true, tag: None }, range.end),
        };
        let node = Node { range: range.start..end.max(range.start), content };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<(Vec<Node>, usize), YamlFlaw> {
        let mut items = Vec::new();
        while let Some((event, range)) = self.next()? {
            if matches!(event, Event::SequenceEnd) {
                return Ok((items, range.end));
            }
            items.push(self.node(event, range, depth + 1)?);
        }
        Ok((items, self.text.len()))
    }

    fn map(&mut self, depth: usize) -> Result<(Vec<(Node, Node)>, usize), YamlFlaw> {
        let mut pairs: Vec<(Node, Node)> = Vec::new();
        let mut seen: BTreeMap<String, Range<usize>> = BTreeMap::new();
        while let Some((event, range)) = self.next()? {
            if matches!(event, Event::MappingEnd) {
                return Ok((pairs, range.end));
            }
            let key = self.node(event, range, depth + 1)?;
            if let Content::Scalar { text, .. } = &key.content
                && let Some(first) = seen.insert(text.clone(), key.range.clone())
            {
                return Err(YamlFlaw { range: key.range, what: What::Twice(text.clone(), first) });
            }
            let Some((event, range)) = self.next()? else { break };
            let value = self.node(event, range, depth + 1)?;
            pairs.push((key, value));
        }
        Ok((pairs, self.text.len()))
    }
}

/// The end of a text in quotation marks; nothing if it is in none.
fn quotes_end(text: &str, start: usize, style: ScalarStyle) -> Option<usize> {
    let quote = match style {
        ScalarStyle::SingleQuoted => b'\'',
        ScalarStyle::DoubleQuoted => b'"',
        _ => return None,
    };
    let bytes = text.as_bytes();
    // A tag or an anchor can stand before it.
    let open = bytes[start..].iter().position(|byte| *byte == quote)?;
    let mut at = start + open + 1;
    while at < bytes.len() {
        if bytes[at] == quote && bytes.get(at + 1) == Some(&quote) && quote == b'\'' {
            at += 2;
        } else if bytes[at] == quote {
            return Some(at + 1);
        } else {
            at += if quote == b'"' && bytes[at] == b'\\' { 2 } else { 1 };
        }
    }
    None
}

fn size(node: &Node) -> usize {
    match &node.content {
        Content::Scalar { .. } => 1,
        Content::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Content::Map(pairs) => {
            1 + pairs.iter().map(|(key, value)| size(key) + size(value)).sum::<usize>()
        }
    }
}

impl Node {
    /// The value under a key, if this is a map that has it.
    pub(super) fn get(&self, wanted: &str) -> Option<&Self> {
        let Content::Map(pairs) = &self.content else { return None };
        pairs.iter().find(|(key, _)| key.text() == Some(wanted)).map(|(_, value)| value)
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_know_their_places() {
        let text = "# 注释\na:\n  b: 'x y' # z\n  c: [1, 2]\n";
        let documents = parse(text).expect("it is YAML");
        let node = documents[0].get("a").and_then(|a| a.get("b")).expect("it is there");
        assert_eq!(&text[node.range.clone()], "'x y'");
        assert_eq!(node.text(), Some("x y"));
    }

    #[test]
    fn what_flink_refuses_is_refused() {
        let what = |text: &str| parse(text).expect_err(text).what;
        assert!(
            matches!(what("a: 1\na: 2\n"), What::Twice(key, first) if key == "a" && first == (0..1))
        );
        assert_eq!(what("k: !foo 5\n"), What::Tag);
        assert!(matches!(what("bad: [1, 2\n"), What::Syntax(_)));
        assert_eq!(what(&"[".repeat(80)), What::TooMuch);
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            bomb += &format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}]\n", level - 1);
        }
        assert_eq!(what(&bomb), What::TooMuch);
    }
}
