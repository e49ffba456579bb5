//! Takes in a trace step by step and lets each checker know what concerns it.

use std::collections::{BTreeMap, BTreeSet};

use super::before::Before;
use super::conduct::{Conduct, excess};
use super::consistent_cut::ConsistentCut;
use super::history::{Entry, History, Restarted};
use super::ledger::{Bookkeeper, Job};
use super::limit::Stops;
use super::miscount::{Judgement, Miscount};
use super::published::Published;
use super::source_position::SourcePosition;
use super::verdict::{CannotTell, Outcome, Restore, Verdict};
use crate::model::{
    Attempt, ChannelIndex, CheckpointId, CheckpointingMode, ExecutionGraph, FailoverStrategy,
    HighAvailability, OperatorKind, Record, RecordId, Scenario, SinkKind, SnapshotType,
    StreamElement, SubtaskIndex,
};
use crate::trace::{Driver, Fact, Step, Trace};

/// How a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The run had no further step.
    Whole,
    /// The trace was cut, or the judge has not been shown all of it.
    Cut,
}

/// Judges a run while it happens.
#[derive(Debug)]
pub struct Judge<'a> {
    graph: &'a ExecutionGraph,
    mode: CheckpointingMode,
    seed: Option<u64>,
    history: History,
    cuts: ConsistentCut,
    sources: SourcePosition,
    published: Published,
    conduct: Conduct<'a>,
    /// What counts too often because of restarts, in at-least-once mode.
    excess: excess::Excess,
    restores: Vec<Restore>,
    stops: Stops,
    /// The savepoint that another run starts from, and what there is with it.
    hands_over: Option<(CheckpointId, Before)>,
    contradictions: Vec<CannotTell>,
    /// Snapshots that are the user's.
    savepoints: BTreeMap<CheckpointId, SnapshotType>,
    /// Whether the savepoint that the job is to stop with is complete.
    is_stopped: bool,
    /// Checkpoints that the job can restart from.
    completed: BTreeSet<CheckpointId>,
    is_finished: bool,
    is_canceled: bool,
    /// Tasks that do not run, and will begin anew if anything does.
    down: BTreeSet<SubtaskIndex>,
    /// By task: the first task of those that failures take down together.
    region: Vec<SubtaskIndex>,
    step: u64,
}

/// Judges a whole trace of a scenario.
#[must_use]
pub fn verify(scenario: &Scenario, trace: &Trace) -> Verdict {
    let seed = match trace.driver {
        Driver::Seed(seed) => Some(seed),
        Driver::Schedule(_) => None,
    };
    let mut judge = Judge::new(scenario, seed);
    for step in &trace.steps {
        judge.observe(step);
    }
    judge.finish(if trace.complete { Ending::Whole } else { Ending::Cut })
}

impl<'a> Judge<'a> {
    /// Starts judging a run of a scenario. Without the run's seed, values that
    /// were drawn from it are taken as they are.
    #[must_use]
    pub fn new(scenario: &'a Scenario, seed: Option<u64>) -> Self {
        let graph = &scenario.graph;
        Self {
            graph,
            mode: scenario.config.mode,
            seed: seed.map(|seed| scenario.seed_of_values(seed)),
            history: History::new(graph),
            cuts: ConsistentCut::new(graph),
            sources: SourcePosition::new(graph),
            published: Published::new(graph),
            conduct: Conduct::new(scenario),
            excess: excess::Excess::new(),
            restores: Vec::new(),
            stops: Stops::default(),
            hands_over: None,
            contradictions: Vec::new(),
            savepoints: BTreeMap::new(),
            is_stopped: false,
            completed: BTreeSet::new(),
            is_finished: false,
            is_canceled: false,
            down: BTreeSet::new(),
            region: regions(scenario),
            step: 0,
        }
    }

    /// The run follows others, which are judged with it.
    pub(super) fn follows(&mut self, scenario: &Scenario, before: &Before) {
        self.history.earlier = before.translate(self.graph, &mut self.history);
        self.published.again = before.committed_again(scenario);
    }

    /// Another run starts from this savepoint of the run.
    pub(super) fn hands_over_at(&mut self, savepoint: CheckpointId) {
        self.hands_over = Some((savepoint, Before::default()));
    }

    /// What the run leaves to the one that follows.
    pub(super) fn leaves(self) -> Before {
        let (_, mut before) = self.hands_over.unwrap_or_default();
        let committed = self.published.committed_ids();
        before.published(self.graph, &self.history, (&self.published.seen, committed));
        before
    }

    /// Takes in the next step.
    pub fn observe(&mut self, step: &Step) {
        self.observe_facts(step.number, &step.facts);
    }

    /// Takes in the facts of the next step, for those who have no [`Step`] of
    /// their own.
    pub fn observe_facts(&mut self, number: u64, facts: &[Fact]) {
        self.step = number;
        self.conduct.observe(number, facts);
        for fact in facts {
            self.fact(fact);
        }
        let History { channel_states, origins, .. } = &mut self.history;
        for finding in channel_states.compare_restored(self.graph, origins, number) {
            self.cuts.judgement.push(|| finding);
        }
    }

    fn fact(&mut self, fact: &Fact) {
        let (graph, step) = (self.graph, self.step);
        match fact {
            Fact::Read { task, record } => {
                self.check_value(record);
                let entry = self.history.entry(record.id, step);
                self.history.read(entry, record.id.split);
                self.sources.read(graph, *task, record);
            }
            Fact::Emitted { channel, element: StreamElement::Record(record), .. } => {
                let entry = self.history.entry(record.id, step);
                self.history.sent(entry, *channel);
                let sender = graph.channels[channel.index()].from;
                if graph.is_source(sender) {
                    self.sources.sent(sender, *channel, record);
                }
            }
            Fact::Processed { channel, record, .. } => self.processed(*channel, record),
            Fact::BarrierReceived { channel, checkpoint, .. } => {
                self.cuts.barrier(*channel, *checkpoint, step);
            }
            Fact::SnapshotTaken { task, checkpoint, state } => {
                self.history.cut(graph, *task, *checkpoint);
                self.cuts.stored(*task, *checkpoint, state, step);
                self.sources.stored(graph, (*task, *checkpoint), state, step);
            }
            Fact::FinishedTaskIncluded { task, checkpoint, state } => {
                self.history.cut(graph, *task, *checkpoint);
                self.cuts.stored(*task, *checkpoint, state, step);
                self.sources.stored(graph, (*task, *checkpoint), state, step);
            }
            Fact::ChannelStateSaved { checkpoint, channel, end, records } => {
                let entries = self.entries(records.iter().map(|in_flight| &in_flight.record));
                self.history.channel_states.saved(*checkpoint, (*channel, *end), entries);
            }
            Fact::CheckpointTriggered { checkpoint, snapshot, .. } => {
                self.savepoints.remove(checkpoint);
                if snapshot.is_savepoint() {
                    self.savepoints.insert(*checkpoint, *snapshot);
                }
            }
            Fact::CheckpointCompleted { checkpoint } => {
                match self.savepoints.get(checkpoint) {
                    Some(savepoint) if savepoint.stops_job() => {
                        self.is_stopped = true;
                        self.stops.completed(*checkpoint, step);
                    }
                    Some(_) => {}
                    None => {
                        self.completed.insert(*checkpoint);
                        self.stops.covered(*checkpoint);
                    }
                }
                for finding in self.sources.completed(*checkpoint) {
                    self.cuts.judgement.push(|| finding);
                }
                self.cuts.completed(graph, &self.history, *checkpoint, step);
                if let Some((wanted, before)) = &mut self.hands_over
                    && wanted == checkpoint
                {
                    *before = Before::at(graph, &self.history, *checkpoint);
                }
            }
            Fact::CheckpointAborted { checkpoint, .. } => {
                self.history.forget(*checkpoint);
                self.cuts.aborted(*checkpoint);
                self.sources.aborted(*checkpoint);
            }
            Fact::TransactionBegun { transaction } => self.published.begun(*transaction),
            Fact::TransactionPrepared { transaction, checkpoint } => {
                self.published.prepared(*transaction);
                self.stops.prepared(*transaction, *checkpoint);
            }
            Fact::TransactionCommitted { transaction, n_records } => {
                let result = self.published.committed(*transaction, *n_records);
                self.note(result);
            }
            Fact::TransactionAborted { transaction, .. } => self.published.aborted(*transaction),
            // A crash of tasks that do not run harms nobody.
            Fact::Crashed { tasks } => tasks.iter().for_each(|task| self.goes_down(*task)),
            Fact::JobFailed { region: Some(tasks), .. } => self.down.extend(tasks),
            Fact::JobFailed { region: None, .. } | Fact::JobManagerCrashed { .. } => {
                self.down.extend(graph.subtask_indices());
            }
            Fact::JobManagerStarted { high_availability } => {
                if *high_availability == HighAvailability::Off {
                    self.completed.clear();
                    self.stops.forgotten();
                }
            }
            Fact::SavepointRestored { checkpoint, .. } => self.starts(*checkpoint),
            Fact::AttemptStarted { attempt, region, checkpoint } => {
                let (attempt, checkpoint) = (*attempt, *checkpoint);
                self.restores.push(Restore { step, attempt, checkpoint });
                let undone = self.stops.restarted(checkpoint, step);
                self.published.come_again(&undone);
                let tasks = match region {
                    Some(tasks) => tasks.iter().copied().collect(),
                    None => graph.subtask_indices().collect(),
                };
                self.restart(&Restarted { attempt, checkpoint, tasks });
            }
            Fact::ChannelStateRestored { channel, input, output } => {
                let ends = [input, output].map(|records| self.entries(records));
                let result = self.history.channel_states.restored(*channel, ends);
                self.note(result);
            }
            Fact::StateRestored { state, .. } => {
                self.history.restored(state);
                self.sources.restored(state);
            }
            Fact::JobFinished => self.is_finished = true,
            Fact::JobCanceled => self.is_canceled = true,
            // Where an element is on its way, what blocks it and what tasks
            // tell the coordinator decides nothing here.
            Fact::Emitted { .. }
            | Fact::Departed { .. }
            | Fact::Arrived { .. }
            | Fact::Started { .. }
            | Fact::Blocked { .. }
            | Fact::Resumed { .. }
            | Fact::EndReceived { .. }
            | Fact::EndCounted { .. }
            | Fact::PartitionEnded { .. }
            | Fact::Announced { .. }
            | Fact::AlignmentTimerDue { .. }
            | Fact::AlignmentTimedOut { .. }
            | Fact::Prioritized { .. }
            | Fact::OutputTimedOut { .. }
            | Fact::ChannelStateReceived { .. }
            | Fact::CancelMarkerReceived { .. }
            | Fact::Declined { .. }
            | Fact::DeclineReceived { .. }
            | Fact::AbortNotified { .. }
            | Fact::SyncEnded { .. }
            | Fact::SnapshotStored { .. }
            | Fact::EndOfData { .. }
            | Fact::CheckpointDiscarded { .. }
            | Fact::CheckpointRetained { .. }
            | Fact::TriggerRejected { .. }
            | Fact::TriggerReceived { .. }
            | Fact::Acknowledged { .. }
            | Fact::Notified { .. }
            | Fact::EndReported { .. }
            | Fact::BacklogReported { .. }
            | Fact::MessageIgnored { .. }
            | Fact::StateWritten { .. }
            | Fact::WriteFailed { .. }
            | Fact::MetadataWritten { .. }
            | Fact::CheckpointDisposed { .. }
            | Fact::FilesDeleted { .. }
            | Fact::StateAssigned { .. }
            | Fact::ChannelStateAssigned { .. }
            | Fact::RestoreStarted { .. }
            | Fact::RestoreFailed { .. }
            | Fact::MessageLost { .. }
            | Fact::MessageDelayed { .. }
            | Fact::Slowed { .. }
            | Fact::SlownessEnded { .. }
            | Fact::TaskFinished { .. } => {}
        }
    }

    fn entries<'b>(&mut self, records: impl IntoIterator<Item = &'b Record>) -> Vec<Entry> {
        let entry = |record: &Record| self.history.entry(record.id, self.step);
        records.into_iter().map(entry).collect()
    }

    fn processed(&mut self, channel: ChannelIndex, record: &Record) {
        let entry = self.history.entry(record.id, self.step);
        self.history.processed(entry, channel);
        let result = self.published.processed(self.graph, &self.history, (channel, record.key));
        self.note(result);
    }

    /// The job starts from a savepoint, or, with another JobManager, starts
    /// from it again.
    fn starts(&mut self, checkpoint: CheckpointId) {
        let given = match self.conduct.given() {
            Some(given) if given.savepoint == checkpoint => given,
            _ => {
                let what = "the job starts from a savepoint that the trace does not have";
                return self.note(Err(what.to_owned()));
            }
        };
        self.completed.insert(checkpoint);
        if self.step > 1 {
            return;
        }
        self.history.begin(self.graph, given);
        let prepared = given.transactions.iter().map(|one| {
            let entries = one.records.iter().map(|record| self.history.entry(record.id, 0));
            (one.id, entries.collect::<Vec<_>>())
        });
        self.published.given(prepared);
    }

    /// Undoes what a restart undoes.
    fn restart(&mut self, restarted: &Restarted) {
        let checkpoint = restarted.checkpoint;
        self.is_stopped = false;
        self.down.retain(|task| !restarted.tasks.contains(task));
        if let Some(id) = checkpoint.filter(|id| !self.completed.contains(id)) {
            let what = format!("the job restarts from checkpoint {id}, which is not complete");
            self.note(Err(what));
        }
        self.completed.retain(|id| checkpoint.is_some_and(|kept| *id <= kept));
        self.history.restart(self.graph, restarted, self.step);
        if self.mode == CheckpointingMode::AtLeastOnce {
            self.excess = excess::excess(&self.history);
        }
        self.cuts.restarted(self.graph, &self.history, restarted);
        self.sources.restarted(self.graph, restarted);
        self.published.restarted(&self.history);
    }

    /// A task has died, and will not begin anew alone.
    fn goes_down(&mut self, task: SubtaskIndex) {
        let region = self.region[task.index()];
        let tasks = self.graph.subtask_indices();
        self.down.extend(tasks.filter(|task| self.region[task.index()] == region));
    }

    /// A source reads what its split holds.
    fn check_value(&mut self, record: &Record) {
        let (id, values) = (record.id, &self.graph.split(record.id.split).values);
        if id.offset == 0 || id.offset > values.len() {
            self.note(Err(format!("a source reads record {}, which its split has not", id.offset)));
            return;
        }
        let seed = match (values, self.seed) {
            (crate::model::SplitValues::Drawn { .. }, None) => return,
            (_, seed) => seed.unwrap_or_default(),
        };
        let value = values.value(id.offset, id.split.0, seed);
        if value != record.value {
            self.note(Err(format!(
                "a source reads {} where its split holds {value}",
                record.value
            )));
        }
    }

    fn note(&mut self, result: Result<(), String>) {
        /// More would say nothing new.
        const NOTED_MAX: usize = 100;
        if let Err(what) = result
            && self.contradictions.len() < NOTED_MAX
        {
            self.contradictions.push(CannotTell::Contradiction { step: self.step, what });
        }
    }

    /// Says what there is to say.
    #[must_use]
    pub fn finish(mut self, ending: Ending) -> Verdict {
        if !self.down.is_empty() && !self.is_finished {
            // Whatever comes, comes from the newest checkpoint.
            let (checkpoint, tasks) = (self.completed.last().copied(), self.down.clone());
            self.restart(&Restarted { attempt: Attempt::default(), checkpoint, tasks });
        }
        let job = match (self.is_finished, self.is_canceled) {
            (true, _) if self.is_stopped => Job::Stopped,
            (true, _) => Job::Finished,
            (false, true) => Job::Canceled,
            (false, false) => Job::Unfinished,
        };
        if ending == Ending::Whole {
            self.conduct.run_ends();
        }
        if self.mode == CheckpointingMode::AtLeastOnce {
            let place = (self.step, &mut self.conduct.found);
            excess::compare((self.graph, &self.history), &self.excess, place);
        }
        let committed = self.committed();
        let conduct = self.conduct.explain(self.seed, &committed);
        let mut books = Bookkeeper::new(self.graph, &self.history, &self.published, job);
        books.close();
        let (ledger, mut state, mut output) = (books.ledger, books.state, books.output);
        let mut cannot_tell = self.contradictions;
        if ending == Ending::Cut {
            cannot_tell.push(CannotTell::TraceCut);
        }
        let is_whole = cannot_tell.is_empty();
        // Of a job that was cancelled, nothing more is to come.
        let is_settled = |n_pending: u64| n_pending == 0 || job == Job::Canceled;
        let is_state_certain = is_whole && is_settled(state.n_pending);
        state.outcome = outcome(state.is_violated(), is_state_certain);
        let is_output_certain = is_whole && is_settled(output.n_pending);
        output.outcome = outcome(output.is_violated(), is_output_certain);
        let cut = self.cuts.judgement;
        let promise = match self.mode {
            CheckpointingMode::ExactlyOnce => {
                let promised = outcome(breaks_promise(self.graph, &output), is_output_certain);
                cut.outcome().max(state.outcome).max(promised)
            }
            CheckpointingMode::AtLeastOnce => {
                let loses = cut.n_findings > cut.n_orphans
                    || state.n_lost + output.n_lost > 0
                    || !output.stale.is_empty();
                outcome(loses, is_output_certain && is_state_certain)
            }
        };
        if job != Job::Canceled && state.n_pending + output.n_pending > 0 {
            let (n_records, n_results) = (state.n_pending, output.n_pending);
            cannot_tell.push(CannotTell::InFlight { n_records, n_results });
        }
        if state.outcome == Outcome::Violated && output.outcome != Outcome::Violated {
            output.outcome = Outcome::CannotTell;
            cannot_tell.push(CannotTell::StateIsWrong);
        }
        let (mode, restores, limits) = (self.mode, self.restores, self.stops.limits);
        Verdict {
            cut,
            state,
            output,
            conduct,
            mode,
            promise,
            ledger,
            cannot_tell,
            restores,
            limits,
        }
    }

    /// What transactional sinks have published, by subtask.
    fn committed(&self) -> Vec<Option<Vec<RecordId>>> {
        let of = |entries: &[Entry]| {
            let id = |entry: &Entry| {
                let (split, path) = self.history.origins.of(entry.origin);
                RecordId { split, offset: entry.offset, path }
            };
            entries.iter().map(id).collect()
        };
        let is_transactional = |task| {
            let kind = &self.graph.operator(task).kind;
            matches!(kind, OperatorKind::Sink(SinkKind::Transactional))
        };
        // What the job before had prepared is no doing of this one.
        let n_given = |task| {
            let given = self.conduct.given().into_iter().flat_map(|given| &given.transactions);
            let own = given.filter(|one| one.id.subtask == task);
            let own = own.filter(|one| !self.published.again.contains(&one.id));
            own.map(|one| one.records.len()).sum::<usize>()
        };
        let tasks = self.graph.subtask_indices().zip(&self.published.seen);
        let own = tasks.map(|(task, entries)| {
            let own = entries.get(n_given(task)..).unwrap_or_default();
            // What was committed and is undone all the same is told apart.
            let comes_again = |entry: &&Entry| self.published.comes_again(&(**entry, task));
            let own: Vec<Entry> = own.iter().filter(|own| !comes_again(own)).copied().collect();
            is_transactional(task).then(|| of(&own))
        });
        own.collect()
    }
}

fn outcome(is_violated: bool, is_certain: bool) -> Outcome {
    match (is_violated, is_certain) {
        (true, _) => Outcome::Violated,
        (false, true) => Outcome::Holds,
        (false, false) => Outcome::CannotTell,
    }
}

/// A sink that publishes at once promises no more than at-least-once.
fn breaks_promise(graph: &ExecutionGraph, output: &Judgement) -> bool {
    let promises_once = |miscount: &Miscount| {
        let kind = &graph.job.operators[miscount.operator.id.index()].kind;
        !miscount.is_known_limit && !matches!(kind, OperatorKind::Sink(SinkKind::Publish))
    };
    output.n_lost > 0 || !output.stale.is_empty() || output.too_often.iter().any(promises_once)
}

/// By task: the first of those that it falls with. With region failover these
/// are the tasks that channels connect.
fn regions(scenario: &Scenario) -> Vec<SubtaskIndex> {
    let graph = &scenario.graph;
    if scenario.config.failover == FailoverStrategy::Full {
        return vec![SubtaskIndex(0); graph.subtasks.len()];
    }
    let mut region: Vec<_> = graph.subtask_indices().collect();
    for channel in &graph.channels {
        let ends = [channel.from, channel.to].map(|task| region[task.index()]);
        let (first, last) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        region.iter_mut().filter(|own| **own == last).for_each(|own| *own = first);
    }
    region
}
