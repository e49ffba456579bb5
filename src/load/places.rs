//! Subtasks, splits and channels by the names that a scenario gives them.
//!
//! Numbers are those that [`ExecutionGraph::expand`] will give; they mean
//! something only if the job has no problem.
//!
//! [`ExecutionGraph::expand`]: crate::model::ExecutionGraph::expand

use std::collections::BTreeMap;
use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::edges::EdgeDraft;
use super::operators::{OperatorDraft, unknown_subtask};
use super::problems::Problems;
use super::settle::SplitPlace;
use super::tree::Quoted;
use super::words::{clip, names};
use crate::model::{ChannelIndex, ChannelKind, Partitioner, SplitIndex, SubtaskIndex};

/// A word of the file and its place.
#[derive(Clone, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    quoted: Quoted<'t>,
    start: usize,
}

impl<'t> Word<'t> {
    /// A string as one word.
    pub(super) fn whole(quoted: &Quoted<'t>) -> Self {
        Self { text: quoted.text, quoted: quoted.clone(), start: 0 }
    }

    /// A part of a string.
    pub(super) fn part(quoted: &Quoted<'t>, part: Range<usize>) -> Self {
        Self { text: &quoted.text[part.clone()], quoted: quoted.clone(), start: part.start }
    }

    pub(super) fn range(&self) -> Range<usize> {
        // Around a whole string the quotation marks belong to it.
        if self.text.len() == self.quoted.text.len() {
            return self.quoted.range.clone();
        }
        self.sub(0..self.text.len())
    }

    fn sub(&self, part: Range<usize>) -> Range<usize> {
        self.quoted.part(self.start + part.start..self.start + part.end)
    }
}

/// A subtask by operator and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskPlace {
    pub(super) operator: usize,
    pub(super) position: u32,
}

/// The job as far as it is known.
pub(super) struct Places<'j> {
    pub(super) operators: &'j [OperatorDraft],
    pub(super) edges: &'j [EdgeDraft],
    by_name: BTreeMap<&'j str, usize>,
    first_subtask: Vec<u32>,
    first_channel: Vec<u32>,
    pub(super) splits: &'j BTreeMap<String, SplitPlace>,
    /// For each operator, every operator that can be reached from it.
    reach: Vec<Vec<bool>>,
}

impl<'j> Places<'j> {
    pub(super) fn of(
        operators: &'j [OperatorDraft],
        edges: &'j [EdgeDraft],
        splits: &'j BTreeMap<String, SplitPlace>,
    ) -> Self {
        let graph = super::graph::Graph { operators, edges };
        let running = |sizes: Vec<u64>| {
            let sum = |sum: &mut u64, size: u64| {
                let first = *sum;
                *sum += size;
                Some(u32::try_from(first).unwrap_or(u32::MAX))
            };
            sizes.into_iter().scan(0, sum).collect()
        };
        let sizes = operators.iter().map(|operator| operator.parallelism.unwrap_or(1).into());
        let channels = edges.iter().map(|edge| graph.n_channels(edge).unwrap_or(1));
        Self {
            operators,
            edges,
            by_name: operators.iter().zip(0..).map(|(o, place)| (o.name.as_str(), place)).collect(),
            first_subtask: running(sizes.collect()),
            first_channel: running(channels.collect()),
            splits,
            reach: reach(operators.len(), edges),
        }
    }

    /// The operator of a name.
    pub(super) fn operator(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The number of a subtask.
    pub(super) fn subtask(&self, task: TaskPlace) -> SubtaskIndex {
        SubtaskIndex(self.first_subtask[task.operator] + task.position)
    }

    /// The number of a split.
    pub(super) fn split_index(&self, split: &SplitPlace) -> SplitIndex {
        SplitIndex(split.number)
    }

    /// The full name of a subtask.
    pub(super) fn full_name(&self, task: TaskPlace) -> String {
        self.operators[task.operator].full_name(task.position)
    }

    /// Whether records go from one subtask's operator to another's.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        self.reach[from][to]
    }

    /// The subtask of a full name; `sorry` begins the message if there is
    /// none ("nothing to crash: ").
    pub(super) fn task(
        &self,
        word: &Word<'_>,
        sorry: &str,
        problems: &mut Problems,
    ) -> Option<TaskPlace> {
        match self.find_task(word, problems) {
            Ok(found) => Some(found),
            Err(Some(mut problem)) => {
                problem.message.insert_str(0, sorry);
                problems.add(problem);
                None
            }
            // Told elsewhere: the operator itself is wrong.
            Err(None) => None,
        }
    }

    fn find_task(
        &self,
        word: &Word<'_>,
        problems: &mut Problems,
    ) -> Result<TaskPlace, Option<Diagnostic>> {
        let text = word.text;
        let bracket = text.find('[').filter(|_| text.ends_with(']'));
        let name = &text[..bracket.unwrap_or(text.len())];
        let Some(operator) = self.operator(name) else {
            return Err(self.unknown_operator(word, name, problems));
        };
        let draft = &self.operators[operator];
        let (Some(n), true) = (draft.parallelism, draft.subtasks.is_some()) else {
            return Err(None);
        };
        let Some(bracket) = bracket else {
            if n == 1 {
                return Ok(TaskPlace { operator, position: 0 });
            }
            let listed = n.min(8);
            let mut subtasks: Vec<String> =
                (0..listed).map(|place| format!("`{}`", clip(&draft.full_name(place)))).collect();
            if n > listed {
                subtasks.push(format!("and {} more", n - listed));
            }
            let message = format!("{}: which one?", draft.has_subtasks());
            let help = format!("they are {}", subtasks.join(", "));
            let problem = Diagnostic::error("which-subtask", message);
            return Err(Some(problem.at(word.range(), "one of several").help(help)));
        };
        let inner = &text[bracket + 1..text.len() - 1];
        match draft.position(inner) {
            Some(position) => Ok(TaskPlace { operator, position }),
            None => {
                let at = word.sub(bracket + 1..text.len() - 1);
                Err(Some(unknown_subtask(draft, inner, at, problems)))
            }
        }
    }

    fn unknown_operator(
        &self,
        word: &Word<'_>,
        name: &str,
        problems: &mut Problems,
    ) -> Option<Diagnostic> {
        if self.operators.is_empty() {
            return None;
        }
        let message = format!("the job has no operator `{}`", clip(name));
        if problems.is_full() {
            return Some(Diagnostic::error("unknown-task", message));
        }
        let all = || self.operators.iter().map(|operator| operator.name.as_str());
        let at = if name == word.text { word.range() } else { word.sub(0..name.len()) };
        // "even" alone is a subtask's name without its operator.
        let owner = self
            .operators
            .iter()
            .find(|operator| operator.subtasks.iter().flatten().any(|own| own == name));
        let near = match owner {
            Some(owner) => Some(format!("{}[{name}]", owner.name)),
            None => problems.nearest(name, all()).or_else(|| self.near_subtask(name, problems)),
        };
        Some(
            Diagnostic::error("unknown-task", message)
                .at(at, "no such operator")
                .did_you_mean(near)
                .help(format!(
                    "a task is an operator with one of its subtasks in brackets; \
                     the operators are {}",
                    names(all())
                )),
        )
    }

    /// The full name of a subtask whose own name is near.
    fn near_subtask(&self, name: &str, problems: &mut Problems) -> Option<String> {
        let subtasks = |operator: &'j OperatorDraft| operator.subtasks.iter().flatten();
        let all = self.operators.iter().flat_map(subtasks).map(String::as_str);
        let near = problems.nearest(name, all)?;
        let owner = self.operators.iter().find(|owner| subtasks(owner).any(|own| *own == near))?;
        Some(format!("{}[{near}]", owner.name))
    }

    /// The split of a name.
    pub(super) fn split(&self, word: &Word<'_>, problems: &mut Problems) -> Option<&SplitPlace> {
        let found = self.splits.get(word.text);
        if found.is_none() && !self.splits.is_empty() {
            let all = || self.splits.keys().map(String::as_str);
            let near = problems.nearest(word.text, all());
            let message = format!("no source has a split `{}`", clip(word.text));
            problems.add(
                Diagnostic::error("unknown-split", message)
                    .at(word.range(), "no such split")
                    .did_you_mean(near)
                    .help(format!("the splits are {}", names(all()))),
            );
        }
        found
    }

    /// The channel of a name `sender->receiver`, a second one between the same
    /// two with `#2` behind.
    pub(super) fn channel(
        &self,
        word: &Word<'_>,
        sorry: &str,
        problems: &mut Problems,
    ) -> Option<ChannelIndex> {
        let arrow = word.text.find("->")?;
        let (end, nth) = match word.text.rfind('#') {
            Some(hash) if hash > arrow => (hash, word.text[hash + 1..].parse().unwrap_or(0)),
            _ => (word.text.len(), 1_usize),
        };
        let piece = |part: Range<usize>| {
            Word::part(&word.quoted, word.start + part.start..word.start + part.end)
        };
        let from = self.task(&piece(0..arrow), sorry, problems);
        let to = self.task(&piece(arrow + 2..end), sorry, problems);
        let (from, to) = (from?, to?);
        let found = nth.checked_sub(1).and_then(|nth| self.channels(from, to).nth(nth));
        if found.is_none() {
            let (sender, receiver) = (self.full_name(from), self.full_name(to));
            let receivers: Vec<String> = self
                .edges
                .iter()
                .filter(|edge| edge.from == Some(from.operator))
                .filter_map(|edge| edge.to.map(|to| self.operators[to].name.clone()))
                .collect();
            let help = match receivers.as_slice() {
                [] => format!("`{sender}` sends to nobody"),
                some => format!("`{sender}` sends to {}", names(some.iter().map(String::as_str))),
            };
            let message = format!("{sorry}no channel leads from `{sender}` to `{receiver}`");
            let problem = Diagnostic::error("unknown-channel", message);
            problems.add(problem.at(word.range(), "no such channel").help(help));
        }
        found
    }

    /// Whether both ends of a channel are in one process.
    pub(super) fn is_local(&self, channel: ChannelIndex) -> bool {
        let n_before = self.first_channel.partition_point(|first| *first <= channel.0);
        let edge = n_before.checked_sub(1).and_then(|place| self.edges.get(place));
        edge.is_some_and(|edge| edge.kind == ChannelKind::Local)
    }

    /// Every channel between two subtasks, in order.
    pub(super) fn channels(
        &self,
        from: TaskPlace,
        to: TaskPlace,
    ) -> impl Iterator<Item = ChannelIndex> {
        self.edges.iter().zip(&self.first_channel).filter_map(move |(edge, first)| {
            if edge.from != Some(from.operator) || edge.to != Some(to.operator) {
                return None;
            }
            let n_to = self.operators[to.operator].parallelism?;
            match edge.partitioner {
                Some(Partitioner::Forward) => {
                    (from.position == to.position).then_some(ChannelIndex(first + from.position))
                }
                _ => Some(ChannelIndex(first + from.position * n_to + to.position)),
            }
        })
    }
}

/// From which operator which others can be reached.
fn reach(n: usize, edges: &[EdgeDraft]) -> Vec<Vec<bool>> {
    let mut next = vec![Vec::new(); n];
    for edge in edges {
        if let (Some(from), Some(to)) = (edge.from, edge.to) {
            next[from].push(to);
        }
    }
    (0..n)
        .map(|start| {
            let (mut reached, mut open) = (vec![false; n], vec![start]);
            while let Some(at) = open.pop() {
                for to in &next[at] {
                    if !std::mem::replace(&mut reached[*to], true) {
                        open.push(*to);
                    }
                }
            }
            reached
        })
        .collect()
}
