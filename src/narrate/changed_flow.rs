//! What changed in the flow of records: what was read, processed, written and
//! moved.

use super::changed::Teller;
use super::digest::{Processed, Sent};
use crate::model::{
    ChannelIndex, OperatorKind, Record, SinkKind, StateValue, StreamElement, SubtaskIndex,
};
use crate::trace::Fact;

impl Teller<'_> {
    pub(super) fn sources(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for (task, records) in &self.digest.read {
            if !self.is_step() {
                clauses.push(self.offsets(*task, records));
                continue;
            }
            let (who, what) = (names.task(*task), names.records(records));
            let to = self.sent_by(*task).map(|sent| self.receivers(sent));
            clauses.push(match to {
                Some((to, false)) => self.say(
                    || format!("{who} read {what} and sent it to {to}"),
                    || format!("{who}读出{what}，发往{to}"),
                ),
                Some((to, true)) => self.say(
                    || format!("{who} read {what}; it waits in the output buffer to {to}"),
                    || format!("{who}读出{what}，留在去{to}的输出缓冲里"),
                ),
                None => self.say(|| format!("{who} read {what}"), || format!("{who}读出{what}")),
            });
        }
    }

    /// "blue offset 3 → 4", or what was read if there are several splits or it
    /// was not read in one go.
    fn offsets(&self, task: SubtaskIndex, records: &[Record]) -> String {
        let names = self.names;
        let (before, after) = (&self.scene.before.tasks, &self.scene.after.tasks);
        let (before, after) = (&before[task.index()].offsets, &after[task.index()].offsets);
        match (before.as_slice(), after.as_slice()) {
            ([before], [after]) if *after as usize == *before as usize + records.len() => {
                let (who, word) = (names.short(task), names.pick(" offset", "偏移量"));
                format!("{who}{word}\u{a0}{before}\u{a0}→\u{a0}{after}")
            }
            _ => {
                let (who, what) = (names.task(task), names.records(records));
                self.say(|| format!("{who} read {what}"), || format!("{who}读出{what}"))
            }
        }
    }

    fn sent_by(&self, task: SubtaskIndex) -> Option<&Vec<Sent>> {
        self.digest.sent.iter().find(|(sender, _)| *sender == task).map(|(_, sent)| sent)
    }

    /// Who gets what has been sent, and whether all of it waits at the sender.
    fn receivers(&self, sent: &[Sent]) -> (String, bool) {
        let tasks: Vec<SubtaskIndex> =
            sent.iter().map(|sent| self.receiver(sent.channel)).collect();
        (self.names.tasks(&tasks), sent.iter().all(|sent| sent.buffered))
    }

    pub(super) fn receiver(&self, channel: ChannelIndex) -> SubtaskIndex {
        self.scene.scenario.graph.channels[channel.index()].to
    }

    pub(super) fn operators(&self, clauses: &mut Vec<String>) {
        for (task, processed) in &self.digest.processed {
            match &self.scene.scenario.graph.operator(*task).kind {
                OperatorKind::Sink(_) => {}
                _ if processed.iter().any(|one| one.state.is_some()) => {
                    clauses.push(self.keyed(*task, processed));
                }
                // Of a moment, what passes through leaves no trace.
                _ if !self.is_step() => {}
                _ => clauses.push(self.stateless(*task, processed)),
            }
            if let ([only], true) = (processed.as_slice(), self.is_step())
                && !only.was_in_hand
                && !matches!(self.scene.scenario.graph.operator(*task).kind, OperatorKind::Sink(_))
            {
                let record = self.names.record(&only.record);
                clauses.push(
                    self.say(
                        || format!("{record} left its channel"),
                        || format!("{record}离开通道"),
                    ),
                );
            }
        }
    }

    /// "sum(even) 4 → 8, emitted yellow 8".
    fn keyed(&self, task: SubtaskIndex, processed: &[Processed]) -> String {
        let names = self.names;
        let operator = self.scene.scenario.graph.subtasks[task.index()].operator;
        let before = &self.scene.before.tasks[task.index()].state;
        let mut latest: Vec<(crate::model::Key, StateValue)> = Vec::new();
        for (key, value) in processed.iter().filter_map(|processed| processed.state) {
            latest.retain(|(own, _)| *own != key);
            latest.push((key, value));
        }
        let changes: Vec<String> = latest
            .iter()
            .map(|(key, value)| {
                let change = names.change(before.get(key), value);
                if names.names_keys(task) { names.entry(operator, *key, &change) } else { change }
            })
            .collect();
        let (who, changes) = (names.task(task), changes.join(names.pick(", ", "，")));
        match self.emitted(task).filter(|_| self.is_step()) {
            Some(sent) => self.say(
                || format!("{who} {changes}, emitted {sent}"),
                || format!("{who} {changes}，发出{sent}"),
            ),
            None => format!("{who} {changes}"),
        }
    }

    /// "plus took blue 3, emitted blue 13".
    fn stateless(&self, task: SubtaskIndex, processed: &[Processed]) -> String {
        let names = self.names;
        let records: Vec<Record> = processed.iter().map(|processed| processed.record).collect();
        let (who, what) = (names.task(task), names.records(&records));
        match self.emitted(task) {
            Some(sent) => self.say(
                || format!("{who} took {what}, emitted {sent}"),
                || format!("{who}处理{what}，发出{sent}"),
            ),
            None => self.say(
                || format!("{who} took {what}, emitted nothing"),
                || format!("{who}处理{what}，没有发出任何记录"),
            ),
        }
    }

    /// The records that a task has sent; a copy for each receiver counts once.
    fn emitted(&self, task: SubtaskIndex) -> Option<String> {
        let mut records: Vec<Record> = Vec::new();
        for sent in self.sent_by(task)? {
            let same = |own: &Record| {
                (own.id.split, own.id.offset) == (sent.record.id.split, sent.record.id.offset)
                    && own.value == sent.record.value
            };
            if !records.iter().any(same) {
                records.push(sent.record);
            }
        }
        (!records.is_empty()).then(|| self.names.records(&records))
    }

    pub(super) fn sinks(&self, clauses: &mut Vec<String>) {
        let names = self.names;
        for (task, processed) in &self.digest.processed {
            let OperatorKind::Sink(kind) = self.scene.scenario.graph.operator(*task).kind else {
                continue;
            };
            let records: Vec<Record> = processed.iter().map(|processed| processed.record).collect();
            let (who, what) = (names.task(*task), names.records(&records));
            clauses.push(match kind {
                SinkKind::Publish | SinkKind::Idempotent => {
                    self.say(|| format!("{who} wrote {what}"), || format!("{who}写出{what}"))
                }
                SinkKind::Transactional => self.say(
                    || format!("{who} put {what} into its open transaction"),
                    || format!("{who}把{what}写入未提交的事务"),
                ),
            });
        }
        for (transaction, checkpoint) in &self.digest.prepared {
            let (who, which) = (names.task(transaction.subtask), names.checkpoint(*checkpoint));
            let next = self.digest.begun.iter().any(|begun| begun.subtask == transaction.subtask);
            clauses.push(self.say(
                || {
                    let next = if next { " and began the next one" } else { "" };
                    format!("{who} prepared its transaction for {which}{next}")
                },
                || {
                    let next = if next { "，并开始下一个事务" } else { "" };
                    format!("{who}为{which}预提交事务{next}")
                },
            ));
        }
        let alone = self.digest.begun.iter().filter(|begun| {
            !self.digest.prepared.iter().any(|(prepared, _)| prepared.subtask == begun.subtask)
        });
        let alone: Vec<SubtaskIndex> = alone.map(|begun| begun.subtask).collect();
        if !alone.is_empty() {
            let tasks = names.tasks(&alone);
            clauses.push(
                self.say(
                    || format!("{tasks} began a transaction"),
                    || format!("{tasks}开始一个事务"),
                ),
            );
        }
        for (transaction, n) in &self.digest.committed {
            let who = names.task(transaction.subtask);
            let records = if *n == 1 { "record is" } else { "records are" };
            clauses.push(self.say(
                || format!("{who} committed: {n}\u{a0}{records} published"),
                || format!("{who}提交事务：发布 {n}条记录"),
            ));
        }
        for (transaction, n) in &self.digest.rolled_back {
            let who = names.task(transaction.subtask);
            let records = if *n == 1 { "record" } else { "records" };
            clauses.push(self.say(
                || format!("{who} aborted a transaction of {n}\u{a0}{records}"),
                || format!("{who}中止一个含 {n}条记录的事务"),
            ));
        }
    }

    fn takes_barrier(&self, channel: ChannelIndex, number: u64) -> bool {
        self.digest.barriers_received.iter().any(|(fact, _)| {
            matches!(fact, Fact::BarrierReceived { channel: own, number: n, .. }
                if (*own, *n) == (channel, number))
        })
    }

    /// Departures and arrivals are told of a step only.
    pub(super) fn moves(&self, clauses: &mut Vec<String>) {
        if !self.is_step() {
            return;
        }
        for (fact, element) in &self.digest.moved {
            // What is put back is told where it is put.
            if matches!(fact, Fact::Departed { channel, .. } if self.scene.begins_anew(*channel)) {
                continue;
            }
            // A barrier that is taken as it arrives does not wait.
            if let Fact::Arrived { channel, number } = fact
                && self.takes_barrier(*channel, *number)
            {
                continue;
            }
            let what = match element {
                Some(element @ StreamElement::Barrier(_)) => {
                    let (Fact::Departed { channel, .. }
                    | Fact::Arrived { channel, .. }
                    | Fact::Started { channel, .. }) = fact
                    else {
                        continue;
                    };
                    let StreamElement::Barrier(barrier) = element else { continue };
                    self.names.kind_of_barrier_of(*channel, barrier)
                }
                Some(element) => self.names.element(element),
                None => self.names.pick("something", "一条消息").to_owned(),
            };
            clauses.push(match fact {
                Fact::Departed { channel, .. } => {
                    let to = self.names.task(self.receiver(*channel));
                    self.say(
                        || format!("{what} left the output buffer towards {to}"),
                        || format!("{what}离开输出缓冲，发往{to}"),
                    )
                }
                Fact::Arrived { channel, .. } => {
                    let at = self.names.task(self.receiver(*channel));
                    self.say(
                        || format!("{what} arrived at {at} and waits"),
                        || format!("{what}到达{at}，排队等待"),
                    )
                }
                Fact::Started { task, .. } => {
                    let who = self.names.task(*task);
                    self.say(
                        || format!("{who} began to work on {what}"),
                        || format!("{who}开始处理{what}"),
                    )
                }
                _ => continue,
            });
        }
    }
}
