//! What is seen of a run on its lifelines: chips, snapshots, words, the
//! messages between them, and the phases of an alignment.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    CheckpointId, OperatorKind, Record, RecordId, SinkKind, SnapshotState, StreamElement,
    SubtaskIndex,
};
use crate::narrate::{Names, Story};
use crate::render::scene::Ink;
use crate::render::symbols::Look;
use crate::trace::{Fact, JobStatus, RpcMessage, TaskStatus, View};

/// A lifeline: 0 is the JobManager's, then the tasks' in order.
pub(super) type Band = usize;

/// The lifeline of a task.
pub(super) fn band(task: SubtaskIndex) -> Band {
    task.index() + 1
}

/// Something on a lifeline.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) step: u64,
    pub(super) band: Band,
    pub(super) what: What,
}

/// What it is.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A record that was read or processed, with what the state or the sink is
    /// after it.
    Chip { record: Record, look: Look, after: String },
    /// A record that came behind a barrier and has to wait.
    Held(Record),
    /// A snapshot.
    Snapshot(CheckpointId),
    /// A word of the JobManager.
    Word(String, Ink),
    /// The state that a task begins anew with.
    Restored(String),
    /// The end of an attempt for one who has died.
    Crash,
}

/// A message from one lifeline to another.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) kind: Kind,
    pub(super) from: (u64, Band),
    /// Where it is taken, and when; or where it would have gone, and when it
    /// was lost.
    pub(super) to: (u64, Band),
    pub(super) lost: bool,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Record(u32),
    Barrier,
    Rpc,
}

/// A stretch of a lifeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    pub(super) band: Band,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) what: PhaseKind,
}

/// What fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhaseKind {
    Align,
    Sync,
    Async,
    /// The lifeline itself: its task lives.
    Alive,
}

/// All of a run, up to a step.
#[derive(Default)]
pub(super) struct Events {
    pub(super) sightings: Vec<Sighting>,
    pub(super) messages: Vec<Message>,
    pub(super) phases: Vec<Phase>,
    /// By checkpoint, in the order of completion: step and lifeline of each
    /// snapshot.
    pub(super) cuts: Vec<(CheckpointId, Vec<(u64, Band)>)>,
}

impl Events {
    /// Keeps what is on the first lifelines, from a step on.
    pub(super) fn keep(&mut self, n_bands: usize, first: u64) {
        self.sightings.retain(|own| own.band < n_bands && own.step >= first);
        self.messages
            .retain(|own| own.from.1 < n_bands && own.to.1 < n_bands && own.from.0 >= first);
        self.phases.retain(|own| own.band < n_bands && own.to >= first);
        for (_, points) in &mut self.cuts {
            points.retain(|(_, band)| *band < n_bands);
        }
    }
}

/// Where what is held back behind a barrier is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// At its receiver, from when it could have been taken.
    AtTheReceiver,
    /// Nowhere: only when it is taken.
    Unseen,
}

/// Gathers while the run goes by.
pub(super) struct Gatherer<'a> {
    names: Names<'a>,
    pub(super) events: Events,
    last: u64,
    waits: Waits,
    /// Elements that are on their way: by channel and number.
    elements: BTreeMap<(u32, u64), (u64, StreamElement)>,
    /// By channel: the barrier that its sender waits behind, if that has begun:
    /// when the receiver took it.
    blocked: BTreeMap<u32, Option<u64>>,
    /// Letters that are on their way: by task and what they say.
    letters: BTreeMap<(u32, RpcMessage), u64>,
    open: BTreeMap<(Band, u8), u64>,
    /// By split: what was read before the first step that is gathered; but for
    /// what is on its way.
    read_before: &'a [u32],
    on_their_way: BTreeSet<(u32, u32)>,
    read: BTreeSet<RecordId>,
    processed: BTreeSet<(u32, RecordId)>,
    snapshots: BTreeMap<CheckpointId, Vec<(u64, Band)>>,
}

/// Gathers a run's events up to a step.
pub(super) fn events(story: &Story, names: Names<'_>, (last, waits): (u64, Waits)) -> Events {
    let (view, _) = story.at(story.base);
    let mut gatherer = Gatherer {
        names,
        events: Events::default(),
        last,
        waits,
        elements: BTreeMap::new(),
        blocked: BTreeMap::new(),
        letters: BTreeMap::new(),
        open: BTreeMap::new(),
        read_before: &story.read_before,
        on_their_way: on_their_way(&view),
        read: BTreeSet::new(),
        processed: BTreeSet::new(),
        snapshots: BTreeMap::new(),
    };
    gatherer.open(&view, story.base);
    for step in story.trace.steps.iter().take_while(|step| step.number <= last) {
        for fact in &step.facts {
            gatherer.fact(step.number, fact);
        }
    }
    // What has not ended goes on to the end of the picture.
    for (band, kind) in gatherer.open.keys().copied().collect::<Vec<_>>() {
        gatherer.end(kind_of(kind), band, last);
    }
    gatherer.events
}

/// The input records that something on its way was caused by.
fn on_their_way(view: &View) -> BTreeSet<(u32, u32)> {
    let channels = view.channels.iter().flat_map(|channel| channel.in_flight());
    let in_hand = view.tasks.iter().filter_map(|task| task.in_hand.as_ref().map(|(_, own)| own));
    let records = channels.chain(in_hand).filter_map(|message| match message.element {
        StreamElement::Record(record) => Some((record.id.split.0, record.id.offset)),
        _ => None,
    });
    records.collect()
}

fn kind_of(number: u8) -> PhaseKind {
    match number {
        0 => PhaseKind::Align,
        1 => PhaseKind::Sync,
        2 => PhaseKind::Async,
        _ => PhaseKind::Alive,
    }
}

impl Gatherer<'_> {
    /// What has begun before the first step that is gathered.
    fn open(&mut self, view: &View, step: u64) {
        if view.status != JobStatus::Suspended {
            self.begin(PhaseKind::Alive, 0, step);
        }
        for own in view.checkpoints.iter().filter(|own| !own.completed) {
            let taken = own.stored.iter().zip(1..).filter(|(stored, _)| stored.is_some());
            self.snapshots.insert(own.id, taken.map(|(_, band)| (step, band)).collect());
        }
        for (task, own) in view.tasks.iter().enumerate() {
            if !matches!(own.status, TaskStatus::Running | TaskStatus::Initializing) {
                continue;
            }
            self.begin(PhaseKind::Alive, task + 1, step);
            if own.aligning.is_some() {
                self.begin(PhaseKind::Align, task + 1, step);
            }
            match (own.copying, own.storing.is_empty()) {
                (Some(_), _) => self.begin(PhaseKind::Sync, task + 1, step),
                (None, false) => self.begin(PhaseKind::Async, task + 1, step),
                (None, true) => {}
            }
        }
    }

    /// Whether a record had its turn before the first step that is gathered.
    fn is_of_before(&self, id: RecordId) -> bool {
        id.offset <= self.read_before[id.split.index()]
            && !self.on_their_way.contains(&(id.split.0, id.offset))
    }

    fn see(&mut self, step: u64, band: Band, what: What) {
        self.events.sightings.push(Sighting { step, band, what });
    }

    fn begin(&mut self, kind: PhaseKind, band: Band, step: u64) {
        self.open.entry((band, kind as u8)).or_insert(step);
    }

    fn end(&mut self, what: PhaseKind, band: Band, to: u64) {
        if let Some(from) = self.open.remove(&(band, what as u8)) {
            self.events.phases.push(Phase { band, from, to, what });
        }
    }

    fn fact(&mut self, step: u64, fact: &Fact) {
        let graph = &self.names.scenario.graph;
        match fact {
            Fact::Read { task, record } => {
                let again = !self.read.insert(record.id) || self.is_of_before(record.id);
                let look = if again { Look::Again } else { Look::Solid };
                let what = What::Chip { record: *record, look, after: String::new() };
                self.see(step, band(*task), what);
            }
            Fact::Emitted { channel, number, element, .. } => {
                self.elements.insert((channel.0, *number), (step, *element));
                if element.blocks_upstream() {
                    self.blocked.insert(channel.0, None);
                }
            }
            Fact::Blocked { channel, .. } => {
                self.blocked.insert(channel.0, Some(step));
            }
            Fact::Resumed { channel } => {
                let blocked = self.blocked.remove(&channel.0).flatten();
                if let (Some(blocked), Waits::AtTheReceiver) = (blocked, self.waits) {
                    self.held_back(channel.0, (blocked, step));
                }
            }
            Fact::Processed { task, channel, number, record, state } => {
                self.taken(step, (channel.0, *number));
                let again =
                    !self.processed.insert((task.0, record.id)) || self.is_of_before(record.id);
                let look = if again { Look::Again } else { Look::Solid };
                let is_publishing =
                    graph.operator(*task).kind == OperatorKind::Sink(SinkKind::Publish);
                let after = match state {
                    Some((_, value)) => self.names.state_value(value),
                    None if again && is_publishing => self.names.pick("again", "重复").to_owned(),
                    None => String::new(),
                };
                self.see(step, band(*task), What::Chip { record: *record, look, after });
            }
            Fact::BarrierReceived { task, channel, number, n_received, n_needed, .. } => {
                self.taken(step, (channel.0, *number));
                if n_received < n_needed {
                    self.begin(PhaseKind::Align, band(*task), step);
                } else {
                    self.end(PhaseKind::Align, band(*task), step);
                }
            }
            Fact::ChannelStateSaved { channel, end, records, .. } => {
                let own = &graph.channels[channel.index()];
                let task = match end {
                    crate::model::ChannelEnd::Input => own.to,
                    crate::model::ChannelEnd::Output => own.from,
                };
                for in_flight in records {
                    let (record, after) = (in_flight.record, String::new());
                    let what = What::Chip { record, look: Look::Ghost, after };
                    self.see(step, band(task), what);
                }
            }
            Fact::CheckpointTriggered { checkpoint, .. } => {
                let word = format!("{} {checkpoint}", self.names.pick("trigger", "触发"));
                self.see(step, 0, What::Word(word, Ink::Text));
                for task in graph.subtask_indices().filter(|task| graph.is_source(*task)) {
                    self.letters.insert((task.0, RpcMessage::Trigger(*checkpoint)), step);
                }
            }
            Fact::TriggerReceived { task, checkpoint } => {
                self.told(step, *task, RpcMessage::Trigger(*checkpoint));
            }
            Fact::SnapshotTaken { task, checkpoint, .. } => {
                self.see(step, band(*task), What::Snapshot(*checkpoint));
                self.end(PhaseKind::Align, band(*task), step);
                if graph.takes_sync_time(*task) {
                    self.begin(PhaseKind::Sync, band(*task), step);
                } else {
                    self.begin(PhaseKind::Async, band(*task), step);
                }
                self.snapshots.entry(*checkpoint).or_default().push((step, band(*task)));
            }
            Fact::SyncEnded { task, .. } => {
                self.end(PhaseKind::Sync, band(*task), step);
                self.begin(PhaseKind::Async, band(*task), step);
            }
            Fact::SnapshotStored { task, checkpoint, .. } => {
                self.end(PhaseKind::Async, band(*task), step);
                self.letters.insert((task.0, RpcMessage::Acknowledge(*checkpoint)), step);
            }
            Fact::Acknowledged { task, checkpoint } => {
                self.said(step, *task, RpcMessage::Acknowledge(*checkpoint));
            }
            Fact::Declined { task, checkpoint, .. } => {
                self.end(PhaseKind::Align, band(*task), step);
                self.letters.insert((task.0, RpcMessage::Decline(*checkpoint)), step);
            }
            Fact::DeclineReceived { task, checkpoint, .. } => {
                self.said(step, *task, RpcMessage::Decline(*checkpoint));
            }
            Fact::CheckpointCompleted { checkpoint } => {
                let word = match self.names.language {
                    crate::model::Language::En => format!("{checkpoint} complete"),
                    crate::model::Language::Zh => format!("{checkpoint} 完成"),
                };
                self.see(step, 0, What::Word(word, Ink::Done));
                for task in graph.subtask_indices() {
                    self.letters.insert((task.0, RpcMessage::Notify(*checkpoint)), step);
                }
                let mut points = self.snapshots.remove(checkpoint).unwrap_or_default();
                points.sort_by_key(|(_, band)| *band);
                self.events.cuts.push((*checkpoint, points));
            }
            Fact::Notified { task, checkpoint } => {
                self.told(step, *task, RpcMessage::Notify(*checkpoint));
            }
            Fact::CheckpointAborted { checkpoint, .. } => {
                let word = match self.names.language {
                    crate::model::Language::En => format!("{checkpoint} given up"),
                    crate::model::Language::Zh => format!("放弃 {checkpoint}"),
                };
                self.see(step, 0, What::Word(word, Ink::Text));
                self.snapshots.remove(checkpoint);
            }
            Fact::MessageLost { task, message } => {
                // A letter can be lost before the fact that sends it is told.
                let from = self.letters.remove(&(task.0, *message)).unwrap_or(step);
                let is_from_task = matches!(
                    message,
                    RpcMessage::Acknowledge(_) | RpcMessage::Decline(_) | RpcMessage::Failure
                );
                let ends = if is_from_task { (band(*task), 0) } else { (0, band(*task)) };
                let (from, to) = ((from, ends.0), (step, ends.1));
                self.events.messages.push(Message { kind: Kind::Rpc, from, to, lost: true });
            }
            Fact::Crashed { tasks } => {
                for task in tasks {
                    self.see(step, band(*task), What::Crash);
                    self.stop(band(*task), step);
                }
            }
            Fact::JobFailed { .. } => {
                self.see(
                    step,
                    0,
                    What::Word(self.names.pick("the job fails", "作业失败").to_owned(), Ink::Text),
                );
                self.stop_all(step);
            }
            Fact::JobManagerCrashed { .. } => {
                self.see(step, 0, What::Crash);
                self.stop(0, step);
                self.stop_all(step);
            }
            Fact::JobManagerStarted { .. } => self.begin(PhaseKind::Alive, 0, step),
            Fact::AttemptStarted { checkpoint, .. } => {
                let word = match checkpoint {
                    Some(id) => format!("{} {id}", self.names.pick("restore", "恢复")),
                    None => self.names.pick("restart", "重启").to_owned(),
                };
                self.see(step, 0, What::Word(word, Ink::Text));
                for task in graph.subtask_indices() {
                    self.stop(band(task), step);
                    self.begin(PhaseKind::Alive, band(task), step);
                }
            }
            Fact::StateRestored { task, state } => {
                let text = match state {
                    SnapshotState::Offsets(offsets) => {
                        let offsets: Vec<String> =
                            offsets.iter().map(|(_, offset)| offset.to_string()).collect();
                        offsets.join(" ")
                    }
                    SnapshotState::Keyed(entries) | SnapshotState::Broadcast(entries) => {
                        self.names.keyed(*task, entries)
                    }
                    SnapshotState::Stateless | SnapshotState::Transactions(_) => return,
                };
                self.see(step, band(*task), What::Restored(text));
            }
            Fact::TaskFinished { task } => self.stop(band(*task), step),
            Fact::JobCanceled => self.stop_all(step),
            _ => {}
        }
    }

    /// A channel is free again that was blocked: what its sender has sent in the
    /// meantime was held back, and is drawn waiting at the receiver. What came
    /// just before the end of it did not wait to speak of.
    fn held_back(&mut self, channel: u32, (blocked, resumed): (u64, u64)) {
        let to = band(self.names.scenario.graph.channels[channel as usize].to);
        let waiting = self.elements.range((channel, 0)..=(channel, u64::MAX));
        let waiting: Vec<(u64, u64, StreamElement)> =
            waiting.map(|((_, number), (sent, element))| (*number, *sent, *element)).collect();
        for (number, sent, element) in waiting {
            let StreamElement::Record(record) = element else { continue };
            let comes = sent.max(blocked) + 1;
            if comes < resumed {
                self.elements.remove(&(channel, number));
                self.message((sent, element), channel, (comes, false));
                self.see(comes, to, What::Held(record));
            }
        }
    }

    /// A task takes an element from a channel.
    fn taken(&mut self, step: u64, (channel, number): (u32, u64)) {
        let Some((from, element)) = self.elements.remove(&(channel, number)) else { return };
        self.message((from, element), channel, (step, false));
    }

    fn message(
        &mut self,
        (from, element): (u64, StreamElement),
        channel: u32,
        (step, lost): (u64, bool),
    ) {
        let own = &self.names.scenario.graph.channels[channel as usize];
        let kind = match element {
            StreamElement::Record(record) => Kind::Record(record.id.split.0),
            StreamElement::Barrier(_) => Kind::Barrier,
            _ => return,
        };
        let (from, to) = ((from, band(own.from)), (step, band(own.to)));
        self.events.messages.push(Message { kind, from, to, lost });
    }

    /// The JobManager's letter has come to a task.
    fn told(&mut self, step: u64, task: SubtaskIndex, message: RpcMessage) {
        if let Some(from) = self.letters.remove(&(task.0, message)) {
            let (from, to) = ((from, 0), (step, band(task)));
            self.events.messages.push(Message { kind: Kind::Rpc, from, to, lost: false });
        }
    }

    /// A task's letter has come to the JobManager.
    fn said(&mut self, step: u64, task: SubtaskIndex, message: RpcMessage) {
        if let Some(from) = self.letters.remove(&(task.0, message)) {
            let (from, to) = ((from, band(task)), (step, 0));
            self.events.messages.push(Message { kind: Kind::Rpc, from, to, lost: false });
        }
    }

    fn stop(&mut self, band: Band, step: u64) {
        for kind in [PhaseKind::Align, PhaseKind::Sync, PhaseKind::Async, PhaseKind::Alive] {
            self.end(kind, band, step);
        }
    }

    /// The attempt is over, and with it what is on its way.
    fn stop_all(&mut self, step: u64) {
        for task in self.names.scenario.graph.subtask_indices() {
            self.stop(band(task), step);
        }
        for ((channel, _), sent) in std::mem::take(&mut self.elements) {
            self.message(sent, channel, (step.min(self.last), true));
        }
        self.blocked.clear();
        self.letters.clear();
        self.snapshots.clear();
    }
}
