//! Configurations inside of other YAML files: resources of Kubernetes and its
//! operator, docker compose, values of charts.

use super::format::Format;
use super::yaml::{Content, Node};

/// A configuration inside of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'n> {
    pub(super) what: Inside<'n>,
    /// The service of a compose file that it is for.
    pub(super) service: Option<&'n str>,
}

/// In which form it stands there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inside<'n> {
    /// As YAML, map by map.
    Map(&'n Node),
    /// As a text.
    Text {
        node: &'n Node,
        /// What stands before it in the text.
        skip: usize,
        format: Option<Format>,
    },
    /// As arguments of a command.
    Arguments(&'n Node),
}

/// What kind of wrapper a file is, and what is in it.
#[derive(Debug)]
pub(super) struct Wrapper<'n> {
    pub(super) format: Format,
    pub(super) found: Vec<Found<'n>>,
}

const PROPERTIES: &str = "FLINK_PROPERTIES";

/// Looks for configurations in documents; nothing if they are no wrappers.
pub(super) fn find(documents: &[Node]) -> Option<Wrapper<'_>> {
    let kinds: Vec<&str> = documents.iter().filter_map(|doc| doc.get("kind")?.text()).collect();
    let is_resource = documents.iter().any(|doc| doc.get("apiVersion").is_some());
    let is_compose = documents.iter().any(|doc| doc.get("services").is_some());
    let mut walk = Walk { found: Vec::new(), may_have_arguments: is_resource || is_compose };
    documents.iter().for_each(|document| walk.node(document, None));
    let format = if kinds.iter().any(|kind| kind.starts_with("Flink")) {
        Format::Operator
    } else if is_resource && !kinds.is_empty() {
        Format::Kubernetes
    } else if is_compose {
        Format::Compose
    } else if !walk.found.is_empty() {
        Format::Wrapped
    } else {
        return None;
    };
    Some(Wrapper { format, found: walk.found })
}

struct Walk<'n> {
    found: Vec<Found<'n>>,
    may_have_arguments: bool,
}

impl<'n> Walk<'n> {
    fn node(&mut self, node: &'n Node, service: Option<&'n str>) {
        match &node.content {
            Content::Scalar { .. } => {}
            Content::List(items) => items.iter().for_each(|item| self.item(item, service)),
            Content::Map(pairs) => {
                if node.get("name").and_then(Node::text) == Some(PROPERTIES)
                    && let Some(value) = node.get("value")
                {
                    self.text(value, 0, None, service);
                }
                pairs.iter().for_each(|(key, value)| self.pair(key, value, service));
            }
        }
    }

    fn item(&mut self, item: &'n Node, service: Option<&'n str>) {
        let rest = item.text().and_then(|text| text.trim_start().strip_prefix(PROPERTIES));
        match rest.map(str::trim_start).and_then(|rest| rest.strip_prefix('=')) {
            Some(rest) => {
                let skip = item.text().map_or(0, str::len) - rest.len();
                self.text(item, skip, None, service);
            }
            None => self.node(item, service),
        }
    }

    fn pair(&mut self, key: &'n Node, value: &'n Node, service: Option<&'n str>) {
        let name = key.text().unwrap_or_default();
        let is_text = value.text().is_some();
        match name {
            "flinkConfiguration" if !is_text => {
                self.found.push(Found { what: Inside::Map(value), service });
            }
            "flinkConfiguration" | PROPERTIES if is_text => self.text(value, 0, None, service),
            _ if is_text && name.starts_with("flink-conf") => {
                self.text(value, 0, Some(Format::Flat), service);
            }
            "config.yaml" if is_text => self.text(value, 0, Some(Format::Yaml), service),
            "command" | "args" | "entrypoint" if self.may_have_arguments => {
                self.found.push(Found { what: Inside::Arguments(value), service });
            }
            "services" => {
                let Content::Map(services) = &value.content else { return };
                for (name, value) in services {
                    self.node(value, name.text());
                }
            }
            _ => self.node(value, service),
        }
    }

    fn text(
        &mut self,
        node: &'n Node,
        skip: usize,
        format: Option<Format>,
        service: Option<&'n str>,
    ) {
        self.found.push(Found { what: Inside::Text { node, skip, format }, service });
    }
}
