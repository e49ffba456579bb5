//! What must hold for a job as a whole: who is connected to whom and how,
//! that nothing goes in circles, that it is not too large.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::Diagnostic;
use super::edges::EdgeDraft;
use super::limits::CHANNELS_MAX;
use super::operators::OperatorDraft;
use super::problems::Problems;
use super::vocabulary::KindKey;
use super::words::clip;
use crate::model::{Partitioner, Path};

/// Operators and edges, to be checked together.
pub(super) struct Graph<'g> {
    pub(super) operators: &'g [OperatorDraft],
    pub(super) edges: &'g [EdgeDraft],
}

impl Graph<'_> {
    /// Tells everything that is wrong between operators and edges.
    pub(super) fn check(&self, problems: &mut Problems) {
        for edge in self.edges {
            self.check_ends(edge, problems);
            self.check_partitioner(edge, problems);
        }
        self.check_connected(problems);
        self.check_joins(problems);
        self.check_broadcast_processes(problems);
        self.check_channels(problems);
        let mut cut = BTreeSet::new();
        while let Err(circle) = self.order(&cut) {
            // Going on without its last edge finds the next circle.
            cut.insert(self.tell_circle(&circle, problems));
        }
        if let (true, Ok(order)) = (cut.is_empty(), self.order(&cut)) {
            self.check_turns(&order, problems);
        }
    }

    fn ends(&self, edge: &EdgeDraft) -> Option<(&OperatorDraft, &OperatorDraft)> {
        Some((&self.operators[edge.from?], &self.operators[edge.to?]))
    }

    /// Nothing flows into a source or out of a sink.
    fn check_ends(&self, edge: &EdgeDraft, problems: &mut Problems) {
        let kind = |place: Option<usize>| self.operators[place?].kind_key;
        if kind(edge.to) == Some(KindKey::Source) {
            let name = clip(&self.operators[edge.to.expect("it has a kind")].name);
            let message = format!("`{name}` is a source: it reads splits, not other operators");
            let problem = Diagnostic::error("edge-into-source", message);
            problems.add(problem.at(edge.to_range.clone(), "no edge can end here"));
        }
        if kind(edge.from) == Some(KindKey::Sink) {
            let name = clip(&self.operators[edge.from.expect("it has a kind")].name);
            let message = format!("`{name}` is a sink: what it gets leaves the job");
            let problem = Diagnostic::error("edge-out-of-sink", message);
            problems.add(problem.at(edge.from_range.clone(), "no edge can begin here"));
        }
        if let (Some((_, at)), Some(to)) = (&edge.input, edge.to)
            && self.operators[to].kind_key.is_some_and(|kind| kind != KindKey::Join)
        {
            let operator = &self.operators[to];
            let article = operator.kind_key.map_or("", KindKey::article);
            let message = format!(
                "only joins have inputs with names; `{}` is {article}",
                clip(&operator.name)
            );
            let problem = Diagnostic::error("input-without-join", message);
            problems.add(problem.at(at.clone(), "remove this"));
        }
    }

    fn check_partitioner(&self, edge: &EdgeDraft, problems: &mut Problems) {
        let Some((from, to)) = self.ends(edge) else { return };
        let (Some(partitioner), Some(n_from), Some(n_to)) =
            (&edge.partitioner, from.parallelism, to.parallelism)
        else {
            return;
        };
        let at = edge.partitioner_range.clone();
        if *partitioner == Partitioner::Forward && n_from != n_to {
            let message = format!(
                "a forward edge joins one subtask to one, but {} and `{}` has {n_to}",
                from.has_subtasks(),
                clip(&to.name)
            );
            problems.add(
                Diagnostic::error("forward-parallelism", message)
                    .at(
                        at,
                        "use \"hash\" (by key), \"rebalance\" or \"broadcast\", \
                         or make the two equal",
                    )
                    .at(from.parallelism_range.clone(), format!("{n_from} here"))
                    .at(to.parallelism_range.clone(), format!("{n_to} here")),
            );
            return;
        }
        let Some(kind) = to.kind_key.filter(|kind| kind.is_keyed() && n_to > 1) else { return };
        match partitioner {
            Partitioner::Modulo => {}
            Partitioner::Hash(selector) => {
                let own = match &to.kind {
                    Some(super::kinds::KindDraft::Settled(settled)) => settled.key_selector(),
                    _ => None,
                };
                if own.is_some_and(|own| own != selector) {
                    let message = format!(
                        "`{}` keeps its state by another key than this edge distributes by",
                        clip(&to.name)
                    );
                    problems.add(
                        Diagnostic::error("other-key", message)
                            .at(at, "write just \"hash\": it takes the key of the receiver")
                            .at(to.range.clone(), "its key is here"),
                    );
                }
            }
            Partitioner::Forward | Partitioner::Rebalance | Partitioner::Broadcast => {
                let message = format!(
                    "`{}` is {}: each key must always come to the same of its {n_to} subtasks",
                    clip(&to.name),
                    kind.article()
                );
                problems.add(
                    Diagnostic::error("keys-not-distributed", message)
                        .at(at, "use \"hash\" (by key) or \"modulo\" (by value)"),
                );
            }
        }
    }

    /// Every operator gets something and passes something on.
    fn check_connected(&self, problems: &mut Problems) {
        let n = self.operators.len();
        // The other end of an edge to nowhere, which is told already, can be
        // anything.
        let is_unclear = |end: fn(&EdgeDraft) -> Option<usize>| {
            self.edges.iter().any(|edge| end(edge).is_none())
        };
        let (mut has_input, mut has_output) =
            (vec![is_unclear(|edge| edge.to); n], vec![is_unclear(|edge| edge.from); n]);
        for edge in self.edges {
            edge.from.inspect(|from| has_output[*from] = true);
            edge.to.inspect(|to| has_input[*to] = true);
        }
        for (place, operator) in self.operators.iter().enumerate() {
            let Some(kind) = operator.kind_key else { continue };
            let (name, article) = (clip(&operator.name), kind.article());
            let mut alone = |code, lacks: &str, help: String| {
                let message = format!("{lacks} `{name}`, which is {article}");
                let problem = Diagnostic::error(code, message);
                problems.add(problem.at(operator.range.clone(), "not connected").help(help));
            };
            let lacks_input = kind != KindKey::Source && !has_input[place];
            let lacks_output = kind != KindKey::Sink && !has_output[place];
            if lacks_input && lacks_output {
                let help = format!(
                    "add edges: [\"…\", \"{name}\"] and [\"{name}\", \"…\"]; every way ends in a sink"
                );
                alone("not-connected", "nothing flows into or out of", help);
            } else if lacks_input {
                let help = format!("add an edge that ends there: [\"…\", \"{name}\"]");
                alone("no-input", "nothing flows into", help);
            } else if lacks_output {
                let help = format!(
                    "add an edge that begins there: [\"{name}\", \"…\"]; every way ends in a sink"
                );
                alone("no-output", "nothing flows out of", help);
            }
        }
    }

    fn check_joins(&self, problems: &mut Problems) {
        let mut inputs: BTreeMap<usize, Vec<&EdgeDraft>> = BTreeMap::new();
        for edge in self.edges {
            if let Some(to) = edge.to
                && self.operators[to].kind_key == Some(KindKey::Join)
            {
                inputs.entry(to).or_default().push(edge);
            }
        }
        for (join, edges) in inputs {
            let operator = &self.operators[join];
            let name = clip(&operator.name);
            if let [first, second] = edges.as_slice() {
                let (Some((one, _)), Some((other, at))) = (&first.input, &second.input) else {
                    continue;
                };
                if one == other {
                    let message = format!("both edges feed the same input of `{name}`");
                    problems.add(
                        Diagnostic::error("join-inputs", message)
                            .at(at.clone(), "make one \"left\" and the other \"right\""),
                    );
                }
            } else {
                let n = edges.len();
                let message = format!("a join has two inputs, and `{name}` has {n}");
                let last = edges.last().map_or(operator.range.clone(), |edge| edge.range.clone());
                let (label, help) = match n {
                    1 => ("the only one", "add the edge of the other side"),
                    _ => ("one too many", "unite several streams in a `union` before the join"),
                };
                let problem = Diagnostic::error("join-inputs", message);
                problems.add(problem.at(last, label).help(help));
            }
        }
    }

    /// Rules come over broadcast edges, and what they are for over others.
    fn check_broadcast_processes(&self, problems: &mut Problems) {
        for (place, operator) in self.operators.iter().enumerate() {
            let inputs = self.edges.iter().filter(|edge| edge.to == Some(place));
            let inputs: Vec<&EdgeDraft> = inputs.collect();
            let is_known = inputs.iter().all(|edge| edge.partitioner.is_some());
            let is_one = operator.kind_key == Some(KindKey::BroadcastProcess);
            // Without any input it is not connected, which is told.
            if !is_one || inputs.is_empty() || !is_known {
                continue;
            }
            let is_broadcast =
                |edge: &&&EdgeDraft| edge.partitioner == Some(Partitioner::Broadcast);
            let n_broadcast = inputs.iter().filter(is_broadcast).count();
            let name = clip(&operator.name);
            let (what, help) = if n_broadcast == 0 {
                let help = format!(
                    "add the stream that every subtask gets: [\"…\", \"{name}\", \"broadcast\"]"
                );
                ("no broadcast input", help)
            } else if n_broadcast == inputs.len() {
                let help = format!(
                    "add the stream whose records it changes, over an edge of another kind: \
                     [\"…\", \"{name}\", \"rebalance\"]"
                );
                ("nothing but broadcast inputs", help)
            } else {
                continue;
            };
            let message = format!("`{name}` is a broadcast process with {what}");
            let problem = Diagnostic::error("broadcast-inputs", message);
            problems.add(problem.at(operator.range.clone(), "this one").help(help));
        }
    }

    /// How many channels an edge has, if that is known.
    pub(super) fn n_channels(&self, edge: &EdgeDraft) -> Option<u64> {
        let (from, to) = self.ends(edge)?;
        let (n_from, n_to) = (u64::from(from.parallelism?), u64::from(to.parallelism?));
        Some(match edge.partitioner.as_ref()? {
            Partitioner::Forward => n_from,
            _ => n_from * n_to,
        })
    }

    fn check_channels(&self, problems: &mut Problems) {
        let n_channels: u64 = self.edges.iter().filter_map(|edge| self.n_channels(edge)).sum();
        if n_channels > CHANNELS_MAX {
            let message = format!("a job has at most {CHANNELS_MAX} channels, not {n_channels}");
            let largest = self.edges.iter().max_by_key(|edge| self.n_channels(edge));
            let at = largest.map_or(0..0, |edge| edge.range.clone());
            problems.add(
                Diagnostic::error("too-many-channels", message)
                    .at(at, "most are here")
                    .help("every sender has a channel to every receiver, except on forward edges"),
            );
        }
    }

    /// The operators in an order in which edges point forwards; else some
    /// edges that form a circle. Edges that are cut do not count.
    fn order(&self, cut: &BTreeSet<usize>) -> Result<Vec<usize>, Vec<usize>> {
        let n = self.operators.len();
        let mut outputs = vec![Vec::new(); n];
        let mut n_inputs = vec![0; n];
        for (place, edge) in self.edges.iter().enumerate() {
            if let (Some(from), Some(to), false) = (edge.from, edge.to, cut.contains(&place)) {
                outputs[from].push(to);
                n_inputs[to] += 1;
            }
        }
        let mut order: Vec<usize> = (0..n).filter(|place| n_inputs[*place] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for to in &outputs[order[next]] {
                n_inputs[*to] -= 1;
                if n_inputs[*to] == 0 {
                    order.push(*to);
                }
            }
            next += 1;
        }
        match (0..n).find(|place| n_inputs[*place] > 0) {
            None => Ok(order),
            Some(_) => Err(self.circle(&n_inputs, cut)),
        }
    }

    /// What is left after taking away everything that has no input left:
    /// walking backwards there never ends, so it comes to a place twice.
    fn circle(&self, n_inputs: &[usize], cut: &BTreeSet<usize>) -> Vec<usize> {
        let is_left = |place: Option<usize>| place.is_some_and(|place| n_inputs[place] > 0);
        let mut input = vec![None; n_inputs.len()];
        for (place, edge) in self.edges.iter().enumerate() {
            if is_left(edge.from) && is_left(edge.to) && !cut.contains(&place) {
                input[edge.to.expect("it is left")] = Some(place);
            }
        }
        let mut at = (0..n_inputs.len()).find(|place| n_inputs[*place] > 0).expect("some are left");
        let mut walked: Vec<usize> = Vec::new();
        let mut seen_at = BTreeMap::new();
        loop {
            if let Some(start) = seen_at.insert(at, walked.len()) {
                let mut circle = walked.split_off(start);
                circle.reverse();
                return circle;
            }
            let edge = input[at].expect("what is left has an input that is left");
            walked.push(edge);
            at = self.edges[edge].from.expect("it is left");
        }
    }

    /// Tells a circle, and gives back its edge that comes last in the file,
    /// which is the likely mistake.
    fn tell_circle(&self, circle: &[usize], problems: &mut Problems) -> usize {
        let name = |edge: &usize| {
            let from = self.edges[*edge].from.expect("an edge of a circle has ends");
            format!("`{}`", clip(&self.operators[from].name))
        };
        let mut around: Vec<String> = circle.iter().map(name).collect();
        around.extend(circle.first().map(name));
        let message = if circle.len() == 1 {
            format!("{} sends to itself", around[0])
        } else {
            format!("records would run in a circle: {}", around.join(" -> "))
        };
        let mut problem = Diagnostic::error("cycle", message);
        let last = circle.iter().copied().max().expect("a circle has edges");
        problem = problem.at(self.edges[last].range.clone(), "this edge closes it");
        for edge in circle.iter().filter(|edge| **edge != last) {
            problem = problem.at(self.edges[*edge].range.clone(), "");
        }
        problems.add(problem.help("a job flows one way, from its sources to its sinks"));
        last
    }

    /// A record remembers its way at each branch; there is room for so many.
    fn check_turns(&self, order: &[usize], problems: &mut Problems) {
        let mut n_outputs = vec![0; self.operators.len()];
        for from in self.edges.iter().filter_map(|edge| edge.from) {
            n_outputs[from] += 1;
        }
        let is_wide = |edge: &EdgeDraft| {
            let n_to = edge.to.and_then(|to| self.operators[to].parallelism).unwrap_or(1) as usize;
            (edge.partitioner == Some(Partitioner::Broadcast) && n_to > 1).then_some(n_to)
        };
        for edge in self.edges {
            if let Some(n) = is_wide(edge).filter(|n| *n > Path::WAYS_MAX) {
                let message =
                    format!("a broadcast reaches at most {} subtasks, not {n}", Path::WAYS_MAX);
                let problem = Diagnostic::error("too-many-ways", message);
                problems.add(problem.at(edge.partitioner_range.clone(), "too wide"));
            }
        }
        let mut leaving = vec![Vec::new(); self.operators.len()];
        for edge in self.edges {
            if let (Some(from), Some(to)) = (edge.from, edge.to) {
                leaving[from].push((edge, to));
            }
        }
        let mut turns = vec![0; self.operators.len()];
        for from in order {
            if n_outputs[*from] > Path::WAYS_MAX {
                let operator = &self.operators[*from];
                let (n, max) = (n_outputs[*from], Path::WAYS_MAX);
                let message = format!("an operator has at most {max} outgoing edges, not {n}");
                let problem = Diagnostic::error("too-many-ways", message);
                problems.add(problem.at(operator.range.clone(), "too many leave here"));
            }
            for (edge, to) in &leaving[*from] {
                let more = usize::from(n_outputs[*from] > 1) + usize::from(is_wide(edge).is_some());
                turns[*to] = turns[*to].max(turns[*from] + more);
            }
        }
        if let Some(place) = turns.iter().position(|n| *n > Path::TURNS_MAX) {
            let (operator, n) = (&self.operators[place], turns[place]);
            let message = format!(
                "on its way to `{}` a record would be copied at {n} branches; at most {} are told \
                 apart",
                clip(&operator.name),
                Path::TURNS_MAX
            );
            problems.add(
                Diagnostic::error("too-many-turns", message)
                    .at(operator.range.clone(), "too far down")
                    .help("a branch is an operator with several outgoing edges, or a broadcast"),
            );
        }
    }
}
