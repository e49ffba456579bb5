//! The edges of a job: between which operators, how records are distributed,
//! how long they take.

use std::collections::BTreeMap;
use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::diagnostic::Diagnostic;
use super::limits::{CAPACITY_MAX, EDGES_MAX};
use super::operators::{OperatorDraft, unknown_subtask};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Quoted, key};
use super::vocabulary::{CAPACITY, EDGE, KindKey, NETWORK};
use super::words::{clip, names};
use crate::model::{ChannelKind, Delay, JoinSide, KeySelector, Micros, Partitioner};

/// An edge as it stands in the file. What is missing here was wrong there.
#[derive(Clone, Debug)]
pub(super) struct EdgeDraft {
    pub(super) range: Range<usize>,
    /// Position of the sending operator.
    pub(super) from: Option<usize>,
    pub(super) from_range: Range<usize>,
    /// Position of the receiving operator.
    pub(super) to: Option<usize>,
    pub(super) to_range: Range<usize>,
    pub(super) partitioner: Option<Partitioner>,
    pub(super) partitioner_range: Range<usize>,
    pub(super) kind: ChannelKind,
    pub(super) latency: Delay,
    pub(super) channel_latency: Vec<(u32, u32, Delay)>,
    pub(super) capacity: Capacity,
    /// The side of a join, if the file says it, and where.
    pub(super) input: Option<(JoinSide, Range<usize>)>,
}

/// How many records a channel holds at its two ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    pub(super) credits: u32,
    pub(super) buffers: u32,
}

/// What holds for every edge that does not say otherwise.
#[derive(Clone, Debug)]
pub(super) struct Network {
    latency: Delay,
    capacity: Capacity,
}

impl Network {
    /// Reads what stands under `network`, if anything does.
    pub(super) fn read(value: Option<&Value<'_>>, problems: &mut Problems) -> Self {
        let mut network = Self {
            latency: Delay::Fixed(Micros::from_ms(1)),
            capacity: Capacity { credits: 8, buffers: 8 },
        };
        let Some(value) = value else { return network };
        let expected = "an object with `latency` and `capacity`";
        let Some(object) = problems.object(value, "`network`", expected) else { return network };
        let fields = problems.fields(object, "the network".into(), NETWORK);
        if let Some(value) = fields.value("latency")
            && let Some(latency) = problems.delay(value, "`latency`")
        {
            network.latency = latency;
        }
        if let Some(value) = fields.value("capacity") {
            problems.capacity(value, &mut network.capacity);
        }
        network
    }
}

impl Problems {
    fn capacity(&mut self, value: &Value<'_>, capacity: &mut Capacity) {
        if let Value::Object(object) = value {
            let fields = self.fields(object, "a capacity".into(), CAPACITY);
            for (name, part) in
                [("credits", &mut capacity.credits), ("buffers", &mut capacity.buffers)]
            {
                if let Some(value) = fields.value(name)
                    && let Some(n) = self.whole(value, &format!("`{name}`"), 1..=CAPACITY_MAX)
                {
                    *part = n as u32;
                }
            }
        } else if let Some(n) = self.whole(value, "`capacity`", 1..=CAPACITY_MAX) {
            *capacity = Capacity { credits: n as u32, buffers: n as u32 };
        }
    }
}

/// Reads everything under `edges`.
pub(super) fn read(
    value: &Value<'_>,
    operators: &[OperatorDraft],
    network: &Network,
    problems: &mut Problems,
) -> Vec<EdgeDraft> {
    let Some(array) = problems.list(value, "`edges`", "a list of edges") else { return Vec::new() };
    if array.elements.len() > EDGES_MAX {
        let message = format!("a job has at most {EDGES_MAX} edges, not {}", array.elements.len());
        let at = range_of(&array.elements[EDGES_MAX]);
        problems.add(Diagnostic::error("too-many-edges", message).at(at, "one too many"));
    }
    let index = operators.iter().zip(0..).map(|(o, place)| (o.name.as_str(), place)).collect();
    let mut reader = Reader { problems, operators, index, network };
    array.elements.iter().take(EDGES_MAX).map(|edge| reader.edge(edge)).collect()
}

struct Reader<'r> {
    problems: &'r mut Problems,
    operators: &'r [OperatorDraft],
    index: BTreeMap<&'r str, usize>,
    network: &'r Network,
}

impl Reader<'_> {
    fn edge(&mut self, value: &Value<'_>) -> EdgeDraft {
        const FORM: &str = "a list as [\"numbers\", \"sum\", \"hash\"]";
        let mut edge = EdgeDraft {
            range: range_of(value),
            from: None,
            from_range: range_of(value),
            to: None,
            to_range: range_of(value),
            partitioner: None,
            partitioner_range: range_of(value),
            kind: ChannelKind::Remote,
            latency: self.network.latency.clone(),
            channel_latency: Vec::new(),
            capacity: self.network.capacity,
            input: None,
        };
        let Some(array) = self.problems.list(value, "an edge", FORM) else { return edge };
        let items = array.elements.as_slice();
        let (Some(from), Some(to), true) = (items.first(), items.get(1), items.len() <= 4) else {
            let message = format!("an edge has 2 to 4 items, not {}", items.len());
            self.problems.add(
                Diagnostic::error("wrong-number-of-items", message).at(range_of(value), "").help(
                    "an edge is [from, to], [from, to, partitioner] or \
                     [from, to, partitioner, options]",
                ),
            );
            return edge;
        };
        edge.from = self.end(from, "begins");
        edge.from_range = range_of(from);
        edge.to = self.end(to, "ends");
        edge.to_range = range_of(to);
        edge.partitioner_range = items.get(2).map_or(range_of(value), range_of);
        edge.partitioner = match items.get(2) {
            Some(partitioner) => self.partitioner(partitioner, &edge),
            None => self.default_partitioner(&edge),
        };
        if let Some(options) = items.get(3) {
            let expected = "an object with `latency`, `capacity`, `input` and `local`";
            if let Some(options) = self.problems.object(options, "the options of an edge", expected)
            {
                self.options(options, &mut edge);
            }
        }
        edge
    }

    /// The operator at one end of an edge; where there is none of that name,
    /// the one that was probably meant.
    fn end(&mut self, value: &Value<'_>, verb: &str) -> Option<usize> {
        let name = self.problems.string(value, "an end of an edge", "the name of an operator")?;
        let mut found = self.index.get(name.text).copied();
        // With no operators at all, their absence is the only problem.
        if found.is_none() && !self.operators.is_empty() {
            let all = || self.operators.iter().map(|operator| operator.name.as_str());
            let near = self.problems.nearest(name.text, all());
            found = near.as_deref().and_then(|near| self.index.get(near).copied());
            let lines = |operator: Option<&OperatorDraft>| {
                operator.map_or(0, |operator| self.problems.lines.number(operator.range.start))
            };
            let (first, last) = (lines(self.operators.first()), lines(self.operators.last()));
            let where_ = if first == last {
                format!("(line {first})")
            } else {
                format!("(lines {first} to {last})")
            };
            let message = format!(
                "this edge {verb} at `{}`, and there is no operator of that name",
                clip(name.text)
            );
            self.problems.add(
                Diagnostic::error("unknown-operator", message)
                    .at(name.range, "no such operator")
                    .did_you_mean(near)
                    .help(format!("the job has {} {where_}", names(all()))),
            );
        }
        found
    }

    fn partitioner(&mut self, value: &Value<'_>, edge: &EdgeDraft) -> Option<Partitioner> {
        const FORMS: &str = "\"forward\", \"hash\", { \"hash\": KEY }, \"rebalance\", \
                             \"broadcast\" or \"modulo\"";
        match value {
            Value::StringLit(literal) => match literal.value.as_ref() {
                "forward" => Some(Partitioner::Forward),
                "rebalance" => Some(Partitioner::Rebalance),
                "broadcast" => Some(Partitioner::Broadcast),
                "modulo" => Some(Partitioner::Modulo),
                "hash" => self.hash_by_receiver(value, edge),
                other => {
                    let known = ["forward", "hash", "rebalance", "broadcast", "modulo"];
                    let near = self.problems.nearest(other, known);
                    let message = format!("`{}` is no way to distribute records", clip(other));
                    self.problems.add(
                        Diagnostic::error("unknown-partitioner", message)
                            .at(range_of(value), "unknown")
                            .did_you_mean(near)
                            .help(format!("known are {FORMS}")),
                    );
                    None
                }
            },
            Value::Object(object) => match object.properties.as_slice() {
                [property] if key(property).text == "hash" => self
                    .problems
                    .selector(&property.value, "what stands under `hash`")
                    .map(Partitioner::Hash),
                _ => {
                    let message = "the third item of an edge says how records are distributed";
                    self.problems.add(
                        Diagnostic::error("wrong-type", message)
                            .at(range_of(value), "options are the fourth item")
                            .help(format!("the third is {FORMS}")),
                    );
                    None
                }
            },
            _ => {
                let what = "the third item of an edge";
                self.problems.wrong_type(value, what, &format!("one of {FORMS}"));
                None
            }
        }
    }

    /// "hash" without a key goes by the key of the receiver.
    fn hash_by_receiver(&mut self, value: &Value<'_>, edge: &EdgeDraft) -> Option<Partitioner> {
        let receiver = &self.operators[edge.to?];
        if let Some(selector) = self.selector_of(receiver) {
            return Some(Partitioner::Hash(selector));
        }
        // If its kind or its key is wrong, that has been told already.
        let kind = receiver.kind_key.filter(|kind| !kind.is_keyed())?;
        let name = clip(&receiver.name);
        let message = format!("`hash` needs a key, and `{name}`, {}, has none", kind.article());
        self.problems.add(
            Diagnostic::error("hash-without-key", message)
                .at(range_of(value), "by which key?")
                .help("say it here: { \"hash\": \"parity\" }, or take \"rebalance\""),
        );
        None
    }

    fn selector_of(&self, operator: &OperatorDraft) -> Option<KeySelector> {
        use super::kinds::KindDraft;
        match operator.kind.as_ref()? {
            KindDraft::Settled(kind) => kind.key_selector().cloned(),
            KindDraft::Source { .. } => None,
        }
    }

    fn default_partitioner(&self, edge: &EdgeDraft) -> Option<Partitioner> {
        let (from, to) = (&self.operators[edge.from?], &self.operators[edge.to?]);
        if to.kind_key.is_some_and(KindKey::is_keyed) {
            return self.selector_of(to).map(Partitioner::Hash);
        }
        let same = from.parallelism? == to.parallelism?;
        Some(if same { Partitioner::Forward } else { Partitioner::Rebalance })
    }

    fn options(&mut self, options: &Object<'_>, edge: &mut EdgeDraft) {
        let fields = self.problems.fields(options, "an edge".into(), EDGE);
        match fields.value("latency") {
            None => {}
            Some(Value::Object(each)) if !super::delays::is_uniform(each) => {
                self.latency_of_each(each, edge);
            }
            Some(value) => {
                if let Some(delay) = self.problems.delay(value, "`latency`") {
                    edge.latency = delay;
                }
            }
        }
        if let Some(value) = fields.value("capacity") {
            self.problems.capacity(value, &mut edge.capacity);
        }
        if let Some(value) = fields.value("local")
            && self.problems.boolean(value, "`local`") == Some(true)
        {
            edge.kind = ChannelKind::Local;
            edge.latency = Delay::NONE;
            if let Some(latency) = fields.get("latency") {
                let message = "a local edge has no network, and so no latency";
                self.problems.add(
                    Diagnostic::error("local-latency", message)
                        .at(key(latency).range, "leave this out"),
                );
            }
        }
        if let Some(property) = fields.get("input") {
            edge.input = self.input(&property.value).map(|side| (side, key(property).range));
        }
    }

    fn input(&mut self, value: &Value<'_>) -> Option<JoinSide> {
        let side = self.problems.string(value, "`input`", "\"left\" or \"right\"")?;
        match side.text {
            "left" => Some(JoinSide::Left),
            "right" => Some(JoinSide::Right),
            other => {
                let near = self.problems.nearest(other, ["left", "right"]);
                let message = format!("a join has no input `{}`", clip(other));
                let problem = Diagnostic::error("unknown-word", message);
                self.problems
                    .add(problem.at(side.range, "\"left\" or \"right\"").did_you_mean(near));
                None
            }
        }
    }

    /// Latencies by "sender->receiver".
    fn latency_of_each(&mut self, each: &Object<'_>, edge: &mut EdgeDraft) {
        let mut given: BTreeMap<(u32, u32), Quoted<'_>> = BTreeMap::new();
        for property in &each.properties {
            let name = key(property);
            let delay = self.problems.delay(&property.value, "a latency");
            let Some((sender, receiver)) = self.channel(&name, edge) else { continue };
            let Some(delay) = delay else { continue };
            if let Some(first) = given.get(&(sender, receiver)) {
                // Told as a duplicate key.
                if first.text == name.text {
                    continue;
                }
                let message = format!("`{}` has two latencies", clip(name.text));
                self.problems.add(
                    Diagnostic::error("given-twice", message)
                        .at(name.range, "again here")
                        .at(first.range.clone(), "first here"),
                );
                continue;
            }
            given.insert((sender, receiver), name);
            edge.channel_latency.push((sender, receiver, delay));
        }
    }

    fn channel(&mut self, name: &Quoted<'_>, edge: &EdgeDraft) -> Option<(u32, u32)> {
        let (from, to) = (&self.operators[edge.from?], &self.operators[edge.to?]);
        let (Some(arrow), true) =
            (name.text.find("->"), from.subtasks.is_some() && to.subtasks.is_some())
        else {
            if !name.text.contains("->") {
                let message = format!("`{}` names no channel", clip(name.text));
                let example = |operator: &OperatorDraft| {
                    let subtasks = operator.subtasks.as_deref().unwrap_or_default();
                    subtasks.first().map_or("0", String::as_str).to_owned()
                };
                let help = format!(
                    "a channel is sender->receiver: \"{}->{}\"; \
                     one latency for all needs no names: \"latency\": \"2 ms\"",
                    example(from),
                    example(to)
                );
                let problem = Diagnostic::error("not-a-channel", message);
                self.problems.add(problem.at(name.range.clone(), "no `->` in it").help(help));
            }
            return None;
        };
        let (sender, receiver) = (&name.text[..arrow], &name.text[arrow + 2..]);
        let at_sender = name.part(0..arrow);
        let at_receiver = name.part(arrow + 2..name.text.len());
        let mut position = |operator: &OperatorDraft, word: &str, at: Range<usize>| {
            let found = operator.own_position(word);
            if found.is_none() {
                let problem = unknown_subtask(operator, word, at, self.problems);
                self.problems.add(problem);
            }
            found
        };
        let sender = position(from, sender, at_sender);
        let receiver = position(to, receiver, at_receiver);
        let (sender, receiver) = (sender?, receiver?);
        if edge.partitioner == Some(Partitioner::Forward) && sender != receiver {
            let message = format!("this edge has no channel `{}`", clip(name.text));
            let help = format!(
                "a forward edge joins `{}` to `{}`",
                from.full_name(sender),
                to.full_name(sender.min(to.parallelism? - 1))
            );
            let problem = Diagnostic::error("unknown-channel", message);
            self.problems.add(problem.at(name.range.clone(), "no such channel").help(help));
            return None;
        }
        Some((sender, receiver))
    }
}
