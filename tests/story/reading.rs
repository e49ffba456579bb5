//! Questions that the stories of barriers put to a trace.

use checkdam::load;
use checkdam::model::{
    ChannelEnd, ChannelIndex, CheckpointId, Micros, Scenario, SnapshotMetrics, SnapshotState,
    StateValue, SubtaskIndex, Time,
};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, Trace};

/// A run, and what it was a run of.
pub(crate) struct Reading {
    pub(crate) scenario: Scenario,
    pub(crate) trace: Trace,
}

impl Reading {
    /// The run of a built-in scenario.
    pub(crate) fn of(name: &str) -> Self {
        let (scenario, trace) = super::run(name);
        Self { scenario, trace }
    }

    /// The run of a built-in scenario in which some texts are others.
    pub(crate) fn changed(name: &str, changes: &[(&str, &str)]) -> Self {
        let built_in = load::builtin().iter().find(|scenario| scenario.name == name);
        let mut text = built_in.expect("it is shipped").text.to_owned();
        for (old, new) in changes {
            assert!(text.contains(old), "{name} has {old}");
            text = text.replace(old, new);
        }
        let scenario = Scenario::parse(name, &text).expect("it is valid");
        let (trace, ending) = simulate(&scenario, 1);
        assert!(matches!(ending, Ending::Finished | Ending::Failed), "{name}: {ending:?}");
        Self { scenario, trace }
    }

    /// The run of a scenario.
    pub(crate) fn run(scenario: Scenario) -> Self {
        let (trace, _) = simulate(&scenario, 1);
        Self { scenario, trace }
    }

    /// Facts with their times, in the order in which they happened.
    pub(crate) fn facts(&self) -> impl DoubleEndedIterator<Item = (Time, &Fact)> {
        self.trace.steps.iter().flat_map(|step| step.facts.iter().map(move |fact| (step.at, fact)))
    }

    /// When the first fact of this kind happened.
    pub(crate) fn when(&self, what: impl Fn(&Fact) -> bool) -> Time {
        let first = self.facts().find(|(_, fact)| what(fact));
        first.expect("it happens").0
    }

    /// When facts of a kind happened, in milliseconds.
    pub(crate) fn times_ms(&self, what: impl Fn(&Fact) -> bool) -> Vec<u64> {
        self.facts().filter(|(_, fact)| what(fact)).map(|(at, _)| at.0 / 1000).collect()
    }

    /// How many facts of a kind there are.
    pub(crate) fn count(&self, what: impl Fn(&Fact) -> bool) -> usize {
        self.facts().filter(|(_, fact)| what(fact)).count()
    }

    /// The offsets, or the numbers under the keys, that a task has stored.
    pub(crate) fn stored(&self, name: &str, id: u64) -> Vec<i64> {
        let who = self.task(name);
        let stored = self.facts().find_map(|(_, fact)| match fact {
            Fact::SnapshotTaken { task, checkpoint, state }
                if *task == who && *checkpoint == CheckpointId(id) =>
            {
                Some(state)
            }
            _ => None,
        });
        match stored.expect("it takes the snapshot") {
            SnapshotState::Offsets(offsets) => {
                offsets.iter().map(|(_, offset)| i64::from(*offset)).collect()
            }
            SnapshotState::Keyed(entries) => {
                entries.iter().map(|(_, value)| number(value)).collect()
            }
            other => panic!("{other:?} has no numbers"),
        }
    }

    /// The numbers under the keys of a task at the end of the run.
    pub(crate) fn at_end(&self, name: &str) -> Vec<i64> {
        let view = self.trace.view(&self.scenario.graph, u64::MAX).expect("the trace is sound");
        view.tasks[self.task(name).index()].state.values().map(number).collect()
    }

    /// Records published by transactions.
    pub(crate) fn n_committed(&self) -> u64 {
        let committed = self.facts().filter_map(|(_, fact)| match fact {
            Fact::TransactionCommitted { n_records, .. } => Some(*n_records),
            _ => None,
        });
        committed.sum()
    }

    /// A subtask by name.
    pub(crate) fn task(&self, name: &str) -> SubtaskIndex {
        let subtasks = &self.scenario.graph.subtasks;
        SubtaskIndex::at(subtasks.iter().position(|task| task.name == name).expect(name))
    }

    /// A channel by name.
    pub(crate) fn channel(&self, name: &str) -> ChannelIndex {
        let channels = &self.scenario.graph.channels;
        ChannelIndex::at(channels.iter().position(|channel| channel.name == name).expect(name))
    }

    /// The name of a channel.
    pub(crate) fn channel_name(&self, channel: ChannelIndex) -> &str {
        &self.scenario.graph.channels[channel.index()].name
    }

    /// From the trigger of a checkpoint to its completion, in milliseconds.
    pub(crate) fn duration_ms(&self, id: u64) -> u64 {
        let id = CheckpointId(id);
        let triggered = self.when(
            |fact| matches!(fact, Fact::CheckpointTriggered { checkpoint, .. } if *checkpoint == id),
        );
        let completed = self.when(
            |fact| matches!(fact, Fact::CheckpointCompleted { checkpoint } if *checkpoint == id),
        );
        (completed.0 - triggered.0) / 1000
    }

    /// Everything in flight that a checkpoint stored: channel, end, and
    /// records as split and value.
    pub(crate) fn in_flight(&self, id: u64) -> Vec<(&str, ChannelEnd, String)> {
        let saved = self.facts().filter_map(|(_, fact)| match fact {
            Fact::ChannelStateSaved { checkpoint, channel, end, records }
                if *checkpoint == CheckpointId(id) =>
            {
                let names = records.iter().map(|in_flight| {
                    let record = &in_flight.record;
                    format!("{} {}", self.scenario.graph.split(record.id.split).name, record.value)
                });
                Some((self.channel_name(*channel), *end, names.collect::<Vec<_>>().join(", ")))
            }
            _ => None,
        });
        saved.collect()
    }

    /// How many records in flight a checkpoint stored.
    pub(crate) fn n_in_flight(&self, id: u64) -> usize {
        let saved = self.facts().filter_map(|(_, fact)| match fact {
            Fact::ChannelStateSaved { checkpoint, records, .. }
                if *checkpoint == CheckpointId(id) =>
            {
                Some(records.len())
            }
            _ => None,
        });
        saved.sum()
    }

    /// How a task took its snapshot.
    pub(crate) fn metrics(&self, name: &str, id: u64) -> SnapshotMetrics {
        let who = self.task(name);
        let stored = self.facts().find_map(|(_, fact)| match fact {
            Fact::SnapshotStored { task, checkpoint, metrics }
                if *task == who && *checkpoint == CheckpointId(id) =>
            {
                Some(*metrics)
            }
            _ => None,
        });
        stored.expect("it stores its snapshot")
    }

    /// Channels that were blocked for some time, and for how long; a channel
    /// that is free again in the same step was not.
    pub(crate) fn blocked(&self) -> Vec<(&str, Micros)> {
        let mut since = vec![None; self.scenario.graph.channels.len()];
        let mut spans = Vec::new();
        for (at, fact) in self.facts() {
            match fact {
                Fact::Blocked { channel, .. } => since[channel.index()] = Some(at),
                Fact::Resumed { channel } => {
                    let from: Time = since[channel.index()].take().expect("it was blocked");
                    if at > from {
                        spans.push((self.channel_name(*channel), Micros(at.0 - from.0)));
                    }
                }
                _ => {}
            }
        }
        spans
    }
}

fn number(value: &StateValue) -> i64 {
    match value {
        StateValue::Value(value) => value.number(),
        StateValue::Sides { .. } => panic!("a join has no number"),
    }
}
