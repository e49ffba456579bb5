//! What barriers have changed: received, sent on, channels blocked and free
//! again, states stored.

use super::changed::Teller;
use crate::model::{Barrier, ChannelIndex, CheckpointId, SnapshotState, SubtaskIndex};
use crate::trace::Fact;

/// A snapshot that a task has taken.
type Taken<'s> = (SubtaskIndex, CheckpointId, &'s SnapshotState);

/// Snapshots that are equally far, with the words for it.
type Progressed<'s> = (&'static str, &'static str, Vec<&'s Taken<'s>>);

const STORED: &str = "stored";

impl Teller<'_> {
    pub(super) fn barriers(&self, clauses: &mut Vec<String>) {
        let (blocked, freed) = self.block_changes();
        // Of a moment, a blocked channel says it already.
        if self.is_step() || self.digest.snapshots.is_empty() && blocked.is_empty() {
            for (fact, barrier) in &self.digest.barriers_received {
                clauses.extend(self.received(fact, barrier.as_ref()));
            }
        }
        if !blocked.is_empty() {
            let list = self.channels(&blocked);
            let verb = if blocked.len() == 1 { "is" } else { "are" };
            clauses.push(
                self.say(|| format!("{list} {verb} blocked"), || format!("通道 {list} 被阻塞")),
            );
        }
        if !freed.is_empty() {
            let list = self.channels(&freed);
            let verb = if freed.len() == 1 { "is" } else { "are" };
            clauses.push(
                self.say(
                    || format!("{list} {verb} free again"),
                    || format!("通道 {list} 恢复接收"),
                ),
            );
        }
    }

    fn received(&self, fact: &Fact, barrier: Option<&Barrier>) -> Option<String> {
        let names = self.names;
        let name = |channel: ChannelIndex, checkpoint: CheckpointId| match barrier {
            Some(barrier) => names.kind_of_barrier_of(channel, barrier),
            None => names.barrier_of(channel, checkpoint),
        };
        match fact {
            Fact::BarrierReceived { task, channel, checkpoint, n_needed: 0, .. } => {
                let (who, what) = (names.task(*task), name(*channel, *checkpoint));
                Some(self.say(
                    || format!("{who} got {what}, too late"),
                    || format!("{who}收到迟到的{what}"),
                ))
            }
            Fact::BarrierReceived { task, channel, checkpoint, n_received, n_needed, .. } => {
                let (who, what) = (names.task(*task), name(*channel, *checkpoint));
                Some(self.say(
                    || format!("{who} got {what} ({n_received} of {n_needed})"),
                    || format!("{who}收到{what}（{n_received}/{n_needed}）"),
                ))
            }
            Fact::EndCounted { task, checkpoint, n_received, n_needed } => {
                let (who, what) = (names.task(*task), names.barrier(*checkpoint));
                Some(self.say(
                    || format!("{who} counts the end as {what} ({n_received} of {n_needed})"),
                    || format!("{who}把通道结束当作{what}（{n_received}/{n_needed}）"),
                ))
            }
            _ => None,
        }
    }

    /// Channels that are blocked now and were not, and the other way round; a
    /// crash, which clears all of them, is told by its own words.
    fn block_changes(&self) -> (Vec<ChannelIndex>, Vec<ChannelIndex>) {
        let (mut blocked, mut freed) = (Vec::new(), Vec::new());
        for channel in self.scene.scenario.graph.channel_indices() {
            let was = self.scene.before.channels[channel.index()].blocked;
            let is = self.scene.after.channels[channel.index()].blocked;
            match (was, is) {
                (None, Some(_)) => blocked.push(channel),
                (Some(_), None) if !self.scene.begins_anew(channel) => freed.push(channel),
                _ => {}
            }
        }
        (blocked, freed)
    }

    fn channels(&self, channels: &[ChannelIndex]) -> String {
        let list: Vec<String> =
            channels.iter().map(|channel| self.names.channel(*channel)).collect();
        self.names.list(&list)
    }

    pub(super) fn snapshots(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for checkpoint in self.snapshot_ids() {
            let of = |wanted: fn(&SnapshotState) -> bool| {
                let taken = self
                    .digest
                    .snapshots
                    .iter()
                    .filter(move |(_, id, state)| *id == checkpoint && wanted(state));
                taken.collect::<Vec<_>>()
            };
            let stored = |list: &[&Taken<'_>]| {
                let list: Vec<String> =
                    list.iter().filter_map(|(task, _, state)| names.stored(*task, state)).collect();
                names.list(&list)
            };
            let which = names.checkpoint(checkpoint);
            let offsets = of(|state| matches!(state, SnapshotState::Offsets(_)));
            for (word, zh, list) in self.by_progress(&offsets) {
                let list = stored(&list);
                clauses.push(
                    self.say(
                        || format!("{list} {word} for {which}"),
                        || format!("{list}{zh}{which}"),
                    ),
                );
            }
            let keyed =
                of(|state| matches!(state, SnapshotState::Keyed(_) | SnapshotState::Broadcast(_)));
            for (word, zh, list) in self.by_progress(&keyed) {
                let verb = if list.len() == 1 { "is" } else { "are" };
                let at = if word == STORED { "in" } else { "for" };
                let list = stored(&list);
                clauses.push(self.say(
                    || format!("{list} {verb} {word} {at} {which}"),
                    || format!("{list}{zh}{which}"),
                ));
            }
            let rest = of(|state| {
                matches!(state, SnapshotState::Stateless | SnapshotState::Transactions(_))
            });
            if !rest.is_empty() {
                let tasks: Vec<SubtaskIndex> = rest.iter().map(|(task, ..)| *task).collect();
                let tasks = names.tasks(&tasks);
                clauses.push(self.say(
                    || format!("{tasks} took snapshot\u{a0}{checkpoint}"),
                    || format!("{tasks}完成快照\u{a0}{checkpoint}"),
                ));
            }
        }
        for ((checkpoint, alignment), channels) in &self.digest.barriers_sent {
            let barrier = names.kind_of_barrier(*alignment, *checkpoint);
            clauses.push(self.barrier_sent(&barrier, channels));
        }
    }

    /// Snapshots that are in the storage at once, and those that have only been
    /// copied yet, each with its words.
    fn by_progress<'s>(&self, taken: &[&'s Taken<'s>]) -> Vec<Progressed<'s>> {
        let graph = &self.scene.scenario.graph;
        let is_stored = |(task, ..): &Taken<'_>| {
            let spec = graph.spec(*task);
            spec.sync.is_none() && spec.store.is_none()
        };
        let (at_once, later): (Vec<&Taken<'_>>, Vec<&Taken<'_>>) =
            taken.iter().copied().partition(|taken| is_stored(taken));
        let progressed = [(STORED, "存入", at_once), ("copied", "复制到", later)];
        progressed.into_iter().filter(|(.., list)| !list.is_empty()).collect()
    }

    fn snapshot_ids(&self) -> Vec<CheckpointId> {
        let mut ids: Vec<CheckpointId> =
            self.digest.snapshots.iter().map(|taken| taken.1).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// "barrier 2 is on all four channels", "barrier 2 went to sum(even)".
    fn barrier_sent(&self, barrier: &str, channels: &[ChannelIndex]) -> String {
        const NUMBERS: [&str; 7] = ["no", "one", "two", "three", "four", "five", "six"];
        let (names, n) = (self.names, channels.len());
        let mut receivers: Vec<SubtaskIndex> = Vec::new();
        for channel in channels {
            let receiver = self.receiver(*channel);
            if !receivers.contains(&receiver) {
                receivers.push(receiver);
            }
        }
        if receivers.len() == n {
            let to = names.tasks(&receivers);
            return self
                .say(|| format!("{barrier} went out to {to}"), || format!("{barrier}发往{to}"));
        }
        let graph = &self.scene.scenario.graph;
        let mut operators: Vec<_> =
            receivers.iter().map(|receiver| graph.subtasks[receiver.index()].operator).collect();
        operators.dedup();
        let to: Vec<_> = operators.into_iter().map(|operator| names.operator(operator)).collect();
        let to = to.join(names.pick(" and ", "、"));
        let count = NUMBERS.get(n).map_or(n.to_string(), |word| (*word).to_owned());
        self.say(
            || format!("{barrier} is on {count} channels to {to}"),
            || format!("{barrier}在通往{to}的 {n}条通道上"),
        )
    }
}
