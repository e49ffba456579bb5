//! Traces by hand: one short line a step, separated by new lines or `;`.
//!
//! | line | happens |
//! | --- | --- |
//! | `read blue 4` | the source reads it and sends it where it belongs |
//! | `read blue 4 unsent`, `send blue 4` | only the one half of it |
//! | `sum[even] takes blue 4` | it is processed, and its result sent on; also out of order |
//! | `sum[even] takes blue 4 again` | the channel delivers it once more |
//! | `sum[even] starts blue 4` | it is in hand |
//! | `sum[even] stores 2` | the snapshot for checkpoint 2; a sink prepares |
//! | `sum[even] saves 2 blue 4` | it belongs to checkpoint 2, in flight at the receiver's end, or at the sender's |
//! | `numbers[blue] stores 2 at 5` | with that offset, whatever was read |
//! | `complete 2`, `abort 2` | |
//! | `checkpoint 1` | every task stores, and it is complete |
//! | `notify 2` | transactional sinks commit |
//! | `commit sink[even] 1.1`, `drop sink[even] 1.1` | attempt 1's transaction 1 |
//! | `crash sum[even]`, `fail` | |
//! | `restart`, `restart 2`, `restart 2 at blue 5` | from the beginning, from a checkpoint with what it holds in flight, with that source staying where it was |
//! | `finish`, `cut` | the job is done; the trace ends too early |

use std::collections::BTreeMap;

use checkdam::model::{
    Attempt, ChannelEnd, ChannelIndex, CheckpointId, InFlight, Message, OperatorKind, Path, Record,
    RecordId, Route, Scenario, SinkKind, SnapshotState, SplitIndex, StreamElement, SubtaskIndex,
    Time, TransactionId,
};
use checkdam::trace::{Driver, Fact, FailureCause, Step, Trace};
use checkdam::verify::{Verdict, verify};

/// Tells a story and judges it.
pub(super) fn judge(scenario: &Scenario, story: &str) -> Verdict {
    verify(scenario, &tell(scenario, story))
}

/// The trace of a story.
pub(super) fn tell(scenario: &Scenario, story: &str) -> Trace {
    let mut teller = Teller::new(scenario);
    for line in story.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
        teller.line(&line.split(' ').collect::<Vec<_>>());
        let facts = std::mem::take(&mut teller.facts);
        let number = teller.steps.len() as u64 + 1;
        teller.steps.push(Step { number, at: Time(number), facts });
    }
    Trace { driver: Driver::Seed(1), steps: teller.steps, complete: teller.complete }
}

struct Teller<'a> {
    scenario: &'a Scenario,
    steps: Vec<Step>,
    complete: bool,
    facts: Vec<Fact>,
    attempt: Attempt,
    in_flight: Vec<Vec<Message>>,
    delivered: Vec<Vec<Message>>,
    n_elements: Vec<u64>,
    n_routed: BTreeMap<(SubtaskIndex, usize), u64>,
    offsets: Vec<u32>,
    stored_offsets: BTreeMap<CheckpointId, Vec<(SplitIndex, u32)>>,
    saved: Vec<(CheckpointId, ChannelIndex, ChannelEnd, Record)>,
    open: BTreeMap<SubtaskIndex, (TransactionId, u64)>,
    prepared: Vec<(TransactionId, CheckpointId, u64)>,
}

impl<'a> Teller<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        let graph = &scenario.graph;
        let n_channels = graph.channels.len();
        let sinks = graph.subtask_indices().filter(|task| {
            matches!(graph.operator(*task).kind, OperatorKind::Sink(SinkKind::Transactional))
        });
        let first = |subtask| TransactionId { subtask, attempt: Attempt(1), number: 1 };
        Self {
            scenario,
            steps: Vec::new(),
            complete: true,
            facts: Vec::new(),
            attempt: Attempt(1),
            in_flight: vec![Vec::new(); n_channels],
            delivered: vec![Vec::new(); n_channels],
            n_elements: vec![0; n_channels],
            n_routed: BTreeMap::new(),
            offsets: vec![0; graph.splits.len()],
            stored_offsets: BTreeMap::new(),
            saved: Vec::new(),
            open: sinks.map(|task| (task, (first(task), 0))).collect(),
            prepared: Vec::new(),
        }
    }

    fn line(&mut self, words: &[&str]) {
        match *words {
            ["read", split, offset] => {
                self.read(split, offset);
                self.send(split, offset);
            }
            ["read", split, offset, "unsent"] => self.read(split, offset),
            ["send", split, offset] => self.send(split, offset),
            [task, "takes", split, offset] => {
                let (channel, message) = self.find(task, split, offset);
                self.in_flight[channel.index()].retain(|other| other.number != message.number);
                self.process(task, channel, message);
            }
            [task, "takes", split, offset, "again"] => {
                let (channel, message) = self.find_delivered(task, split, offset);
                self.process(task, channel, message);
            }
            [task, "starts", split, offset] => {
                let (channel, message) = self.find(task, split, offset);
                let task = self.task(task);
                self.facts.push(Fact::Started { task, channel, number: message.number });
            }
            [task, "stores", checkpoint] => self.store(self.task(task), number(checkpoint), None),
            [task, "stores", checkpoint, "at", offset] => {
                let offset = Some(number(offset) as u32);
                self.store(self.task(task), number(checkpoint), offset);
            }
            [task, "saves", checkpoint, split, offset] => {
                self.save(task, CheckpointId(number(checkpoint)), (split, offset));
            }
            ["complete", checkpoint] => {
                let checkpoint = CheckpointId(number(checkpoint));
                self.facts.push(Fact::CheckpointCompleted { checkpoint });
            }
            ["abort", checkpoint] => self.facts.push(Fact::CheckpointAborted {
                checkpoint: CheckpointId(number(checkpoint)),
                reason: checkdam::model::CheckpointFailureReason::CheckpointSubsumed,
            }),
            ["checkpoint", checkpoint] => {
                for task in self.scenario.graph.subtask_indices() {
                    self.store(task, number(checkpoint), None);
                }
                self.line(&["complete", checkpoint]);
            }
            ["notify", checkpoint] => self.settle(CheckpointId(number(checkpoint))),
            ["commit", task, id] => self.commit_again(task, id),
            ["drop", task, id] => {
                let transaction = self.transaction(task, id);
                let n_records = self.records_of(transaction);
                self.prepared.retain(|(other, ..)| *other != transaction);
                self.facts.push(Fact::TransactionAborted { transaction, n_records });
            }
            ["crash", task] => {
                let tasks = vec![self.task(task)];
                self.facts.push(Fact::Crashed { tasks });
            }
            ["fail"] => {
                let restart_after = Some(checkdam::model::Micros(1));
                let cause = FailureCause::TaskFailed { task: checkdam::model::SubtaskIndex(0) };
                let (attempt, region) = (self.attempt, None);
                self.facts.push(Fact::JobFailed { attempt, cause, region, restart_after });
            }
            ["restart"] => self.restart(None, None),
            ["restart", checkpoint] => self.restart(Some(checkpoint), None),
            ["restart", checkpoint, "at", split, offset] => {
                let checkpoint = (checkpoint != "0").then_some(checkpoint);
                let offset = number(offset) as u32;
                let split = self.split(split);
                self.restart(checkpoint, Some((split, offset)));
            }
            ["finish"] => self.facts.push(Fact::JobFinished),
            ["cut"] => self.complete = false,
            _ => panic!("no such line: {words:?}"),
        }
    }

    fn task(&self, name: &str) -> SubtaskIndex {
        let place = self.scenario.graph.subtasks.iter().position(|task| task.name == name);
        SubtaskIndex::at(place.unwrap_or_else(|| panic!("no task {name}")))
    }

    fn split(&self, name: &str) -> SplitIndex {
        let graph = &self.scenario.graph;
        let mut splits = (0..graph.splits.len()).map(SplitIndex::at);
        splits.find(|split| graph.split(*split).name == name).expect("a split of that name")
    }

    fn record(&self, split: &str, offset: &str) -> Record {
        let (split, offset) = (self.split(split), number(offset) as u32);
        let value = self.scenario.graph.split(split).values.value(offset, split.0, 1);
        Record { id: RecordId { split, offset, path: Path(0) }, value, key: None }
    }

    fn read(&mut self, split: &str, offset: &str) {
        let record = self.record(split, offset);
        let task = self.scenario.graph.splits[record.id.split.index()].subtask;
        self.offsets[record.id.split.index()] = record.id.offset;
        self.facts.push(Fact::Read { task, record });
    }

    fn send(&mut self, split: &str, offset: &str) {
        let record = self.record(split, offset);
        self.send_on(self.scenario.graph.splits[record.id.split.index()].subtask, record);
    }

    fn send_on(&mut self, task: SubtaskIndex, record: Record) {
        let graph = &self.scenario.graph;
        let spec = &graph.subtasks[task.index()];
        for (place, output) in spec.outputs.iter().enumerate() {
            let mut record = record;
            if spec.outputs.len() > 1 {
                record.id.path = record.id.path.turn(place as u8 + 1);
            }
            let n_routed = self.n_routed.entry((task, place)).or_default();
            let route = graph.route(output, spec.position, &record, *n_routed);
            *n_routed += 1;
            for (way, channel) in output.channels.iter().enumerate() {
                let mut record = record;
                match route {
                    Route::One(receiver) if receiver as usize != way => continue,
                    Route::One(_) => {}
                    Route::All => record.id.path = record.id.path.turn(way as u8 + 1),
                }
                self.emit(*channel, StreamElement::Record(record));
            }
        }
    }

    fn emit(&mut self, channel: ChannelIndex, element: StreamElement) {
        self.n_elements[channel.index()] += 1;
        let number = self.n_elements[channel.index()];
        self.in_flight[channel.index()].push(Message { number, element });
        self.facts.push(Fact::Emitted { channel, number, element, buffered: false });
    }

    fn find(&self, task: &str, split: &str, offset: &str) -> (ChannelIndex, Message) {
        self.search(&self.in_flight, task, (split, offset)).next().expect("it is in flight")
    }

    fn find_delivered(&self, task: &str, split: &str, offset: &str) -> (ChannelIndex, Message) {
        self.search(&self.delivered, task, (split, offset)).last().expect("it was delivered")
    }

    fn search<'b>(
        &'b self,
        places: &'b [Vec<Message>],
        task: &str,
        (split, offset): (&str, &str),
    ) -> impl Iterator<Item = (ChannelIndex, Message)> + 'b {
        let wanted = self.record(split, offset).id;
        let inputs = &self.scenario.graph.subtasks[self.task(task).index()].inputs;
        let all = inputs.iter().flat_map(|channel| {
            places[channel.index()].iter().map(move |message| (*channel, *message))
        });
        all.filter(move |(_, message)| match message.element {
            StreamElement::Record(Record { id, .. }) => {
                (id.split, id.offset) == (wanted.split, wanted.offset)
            }
            _ => false,
        })
    }

    fn process(&mut self, task: &str, channel: ChannelIndex, message: Message) {
        let task = self.task(task);
        let StreamElement::Record(mut record) = message.element else { unreachable!() };
        self.delivered[channel.index()].push(message);
        let number = message.number;
        self.facts.push(Fact::Processed { task, channel, number, record, state: None });
        if let Some((_, n_records)) = self.open.get_mut(&task) {
            *n_records += 1;
        }
        let selector = self.scenario.graph.operator(task).kind.key_selector();
        if let Some(selector) = selector {
            record.key = Some(selector.key(record.value));
        }
        self.send_on(task, record);
    }

    fn store(&mut self, task: SubtaskIndex, checkpoint: u64, offset: Option<u32>) {
        let checkpoint = CheckpointId(checkpoint);
        let spec = &self.scenario.graph.subtasks[task.index()];
        let state = if self.scenario.graph.is_source(task) {
            let own = spec.splits.iter();
            let offsets: Vec<_> =
                own.map(|split| (*split, offset.unwrap_or(self.offsets[split.index()]))).collect();
            self.stored_offsets.entry(checkpoint).or_default().extend(&offsets);
            SnapshotState::Offsets(offsets)
        } else {
            SnapshotState::Stateless
        };
        if let Some((transaction, n_records)) = self.open.remove(&task) {
            self.facts.push(Fact::TransactionPrepared { transaction, checkpoint });
            self.prepared.push((transaction, checkpoint, n_records));
            self.begin(TransactionId { number: transaction.number + 1, ..transaction });
        }
        self.facts.push(Fact::SnapshotTaken { task, checkpoint, state });
    }

    fn save(&mut self, task: &str, checkpoint: CheckpointId, (split, offset): (&str, &str)) {
        let wanted = self.record(split, offset).id;
        let own = self.task(task);
        let ends = self.scenario.graph.channel_indices().filter_map(|channel| {
            let spec = &self.scenario.graph.channels[channel.index()];
            match (spec.to == own, spec.from == own) {
                (true, _) => Some((channel, ChannelEnd::Input)),
                (_, true) => Some((channel, ChannelEnd::Output)),
                _ => None,
            }
        });
        let mut there = ends.flat_map(|(channel, end)| {
            self.in_flight[channel.index()].iter().map(move |message| (channel, end, message))
        });
        let found = there.find_map(|(channel, end, message)| match message.element {
            StreamElement::Record(record) => {
                let is_it = (record.id.split, record.id.offset) == (wanted.split, wanted.offset);
                is_it.then_some((channel, end, InFlight { number: message.number, record }))
            }
            _ => None,
        });
        let (channel, end, in_flight) = found.expect("it is in flight");
        self.saved.push((checkpoint, channel, end, in_flight.record));
        let records = vec![in_flight];
        self.facts.push(Fact::ChannelStateSaved { checkpoint, channel, end, records });
    }

    /// Puts back what a checkpoint holds in flight.
    fn put_back(&mut self, checkpoint: CheckpointId) {
        let saved: Vec<_> =
            self.saved.iter().filter(|(id, ..)| *id == checkpoint).copied().collect();
        if saved.is_empty() {
            return;
        }
        for channel in self.scenario.graph.channel_indices() {
            let [input, output] = [ChannelEnd::Input, ChannelEnd::Output].map(|wanted| {
                let own = saved.iter().filter(|(_, of, end, _)| (*of, *end) == (channel, wanted));
                own.map(|(.., record)| *record).collect::<Vec<_>>()
            });
            for record in input.iter().chain(&output) {
                self.n_elements[channel.index()] += 1;
                let number = self.n_elements[channel.index()];
                let element = StreamElement::Record(*record);
                self.in_flight[channel.index()].push(Message { number, element });
            }
            self.facts.push(Fact::ChannelStateRestored { channel, input, output });
        }
    }

    fn begin(&mut self, transaction: TransactionId) {
        self.open.insert(transaction.subtask, (transaction, 0));
        self.facts.push(Fact::TransactionBegun { transaction });
    }

    fn settle(&mut self, checkpoint: CheckpointId) {
        let (commit, keep) = self.prepared.iter().partition(|(_, of, _)| *of <= checkpoint);
        self.prepared = keep;
        let commit: Vec<(TransactionId, CheckpointId, u64)> = commit;
        for (transaction, _, n_records) in commit {
            self.facts.push(Fact::TransactionCommitted { transaction, n_records });
        }
    }

    fn transaction(&self, task: &str, id: &str) -> TransactionId {
        let (attempt, count) = id.split_once('.').expect("attempt.number");
        let (attempt, count) = (number(attempt) as u32, number(count) as u32);
        TransactionId { subtask: self.task(task), attempt: Attempt(attempt), number: count }
    }

    fn records_of(&self, id: TransactionId) -> u64 {
        let prepared = self.prepared.iter().find(|(other, ..)| *other == id);
        prepared.map(|(_, _, n)| *n).expect("it is prepared")
    }

    /// Commits what is prepared, or again what has been committed.
    fn commit_again(&mut self, task: &str, id: &str) {
        let transaction = self.transaction(task, id);
        let all = self.steps.iter().flat_map(|step| &step.facts);
        let mut before = all.filter_map(|fact| match fact {
            Fact::TransactionCommitted { transaction: other, n_records }
                if *other == transaction =>
            {
                Some(*n_records)
            }
            _ => None,
        });
        let n_records = before.next_back().unwrap_or_else(|| self.records_of(transaction));
        self.prepared.retain(|(other, ..)| *other != transaction);
        self.facts.push(Fact::TransactionCommitted { transaction, n_records });
    }

    fn restart(&mut self, checkpoint: Option<&str>, stays: Option<(SplitIndex, u32)>) {
        let checkpoint = checkpoint.map(|id| CheckpointId(number(id)));
        self.attempt.0 += 1;
        let attempt = self.attempt;
        self.facts.push(Fact::AttemptStarted { attempt, region: None, checkpoint });
        self.in_flight.iter_mut().chain(&mut self.delivered).for_each(Vec::clear);
        self.n_elements.fill(0);
        self.n_routed.clear();
        self.offsets.fill(0);
        let stored = checkpoint.map(|id| self.stored_offsets[&id].clone()).unwrap_or_default();
        for (split, offset) in stored.into_iter().chain(stays) {
            self.offsets[split.index()] = offset;
        }
        if let Some(checkpoint) = checkpoint {
            self.settle(checkpoint);
        }
        let dropped = std::mem::take(&mut self.prepared).into_iter().map(|(id, _, n)| (id, n));
        let open: Vec<_> = self.open.values().copied().collect();
        for (transaction, n_records) in dropped.chain(open.iter().copied()) {
            self.facts.push(Fact::TransactionAborted { transaction, n_records });
        }
        for (transaction, _) in open {
            self.begin(TransactionId { attempt, number: 1, ..transaction });
        }
        let sources = self.scenario.graph.subtask_indices();
        for task in sources.filter(|task| self.scenario.graph.is_source(*task)) {
            let own = &self.scenario.graph.subtasks[task.index()].splits;
            let offsets = own.iter().map(|split| (*split, self.offsets[split.index()]));
            let state = SnapshotState::Offsets(offsets.collect());
            self.facts.push(Fact::StateRestored { task, state });
        }
        if let Some(checkpoint) = checkpoint {
            self.put_back(checkpoint);
        }
    }
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_else(|_| panic!("{word} is no number"))
}
