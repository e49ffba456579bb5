//! The names of a job's tasks, channels, splits and TaskManagers, in tables
//! that are made once for a whole trace.

use std::collections::BTreeMap;

use super::key::Keys;
use super::pen::Name;
use crate::model::{ChannelIndex, OperatorIndex, Scenario, SplitIndex, SubtaskIndex};

/// Number to name and name to number, for everything that a trace names.
#[derive(Clone, Debug)]
pub struct Names {
    pub(super) tasks: Table,
    pub(super) channels: Table,
    pub(super) splits: Table,
    pub(super) task_managers: Table,
    /// Each way to make keys in the job once.
    keys: Vec<Keys>,
    /// By task: which of them makes the keys of its state and its records.
    keys_of_tasks: Vec<Option<usize>>,
    /// By channel: the task that sends on it.
    senders: Vec<SubtaskIndex>,
    /// By channel: the task that it leads to.
    receivers: Vec<SubtaskIndex>,
    /// By split: the task that reads it.
    readers: Vec<SubtaskIndex>,
}

impl Names {
    /// The names in a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let graph = &scenario.graph;
        let split_names = graph
            .splits
            .iter()
            .enumerate()
            .map(|(position, _)| graph.split(SplitIndex::at(position)).name.as_str());
        let mut keys: Vec<Keys> = Vec::new();
        let operators = (0..graph.job.operators.len()).map(OperatorIndex::at);
        let places: Vec<Option<usize>> = operators
            .map(|operator| {
                let selector = graph.keys_of(operator)?;
                let known = keys.iter().position(|keys| keys.selector == *selector);
                Some(known.unwrap_or_else(|| {
                    keys.push(Keys::new(selector.clone()));
                    keys.len() - 1
                }))
            })
            .collect();
        Self {
            tasks: Table::new("task", graph.subtasks.iter().map(|task| task.name.as_str())),
            channels: Table::new("channel", graph.channels.iter().map(|c| c.name.as_str())),
            splits: Table::new("split", split_names),
            task_managers: Table::new(
                "TaskManager",
                scenario.task_managers.iter().map(|process| process.name.as_str()),
            ),
            senders: graph.channels.iter().map(|channel| channel.from).collect(),
            receivers: graph.channels.iter().map(|channel| channel.to).collect(),
            readers: graph.splits.iter().map(|split| split.subtask).collect(),
            keys,
            keys_of_tasks: graph
                .subtasks
                .iter()
                .map(|task| places[task.operator.index()])
                .collect(),
        }
    }

    /// How the keys of the records in a channel are made.
    pub(super) fn keys_in(&self, channel: ChannelIndex) -> Option<&Keys> {
        self.keys_at(self.senders[channel.index()])
    }

    /// The task that a channel leads to.
    #[inline]
    pub(super) fn receiver(&self, channel: ChannelIndex) -> SubtaskIndex {
        self.receivers[channel.index()]
    }

    /// The task that reads a split.
    #[inline]
    pub(super) fn reader(&self, split: SplitIndex) -> SubtaskIndex {
        self.readers[split.index()]
    }

    /// How the keys of a task's state are made.
    pub(super) fn keys_at(&self, task: SubtaskIndex) -> Option<&Keys> {
        self.keys_of_tasks[task.index()].map(|place| &self.keys[place])
    }
}

/// The names of one kind of thing, by its number.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// What these things are called.
    pub(super) kind: &'static str,
    entries: Vec<Entry>,
    places: BTreeMap<String, u32>,
}

/// A name, and the same in quotation marks and escaped, as JSON has it.
#[derive(Clone, Debug)]
struct Entry {
    plain: String,
    /// As JSON spells it, without the quotation marks.
    spelled: String,
    quoted: Name,
    /// Without the closing quotation mark.
    open: Name,
}

impl Table {
    pub(super) fn new<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Self {
        let entries: Vec<Entry> = names
            .map(|name| {
                let quoted = serde_json::to_string(name).expect("a text is JSON");
                let (open, spelled) = (&quoted[..quoted.len() - 1], &quoted[1..quoted.len() - 1]);
                Entry {
                    plain: name.to_owned(),
                    spelled: spelled.to_owned(),
                    open: Name::new(open.as_bytes()),
                    quoted: Name::new(quoted.as_bytes()),
                }
            })
            .collect();
        let places = (0..).zip(&entries).map(|(place, entry)| (entry.plain.clone(), place));
        Self { kind, places: places.collect(), entries }
    }

    /// The name of a number.
    pub(super) fn plain(&self, place: usize) -> &str {
        &self.entries[place].plain
    }

    /// The name of a number as JSON.
    #[inline]
    pub(super) fn quoted(&self, place: usize) -> &Name {
        &self.entries[place].quoted
    }

    /// The same without the closing quotation mark.
    #[inline]
    pub(super) fn open(&self, place: usize) -> &Name {
        &self.entries[place].open
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether each name means one thing.
    pub(super) fn are_unique(&self) -> bool {
        self.places.len() == self.entries.len()
    }

    /// The number of a name that is spelled as the writer spells it. With many
    /// names the one that needs no escapes is enough.
    #[inline]
    pub(super) fn place_of_spelled(&self, spelled: &str) -> Option<u32> {
        const FEW: usize = 16;
        if self.entries.len() <= FEW {
            // Of equal names the last one counts, as in the table.
            let place = self.entries.iter().rposition(|entry| entry.spelled == spelled);
            return place.map(|place| place as u32);
        }
        let place = self.place(spelled)?;
        (self.entries[place as usize].spelled == spelled).then_some(place)
    }

    /// The number of a name.
    pub(super) fn place(&self, name: &str) -> Option<u32> {
        self.places.get(name).copied()
    }

    /// The name that looks most like a wrong one, if any does.
    pub(super) fn closest(&self, wrong: &str) -> Option<&str> {
        let distance = |name: &str| strsim::osa_distance(wrong, name);
        let names = self.entries.iter().map(|entry| entry.plain.as_str());
        names
            .map(|name| (distance(name), name))
            .min()
            .filter(|(distance, name)| *distance <= name.chars().count().div_ceil(3))
            .map(|(_, name)| name)
    }
}
