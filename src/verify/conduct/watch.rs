//! Lets each property know of the facts that concern it.

use super::alignment;
use super::barrier_order::BarrierOrder;
use super::breach::{ConductJudgement, Wrong};
use super::checkpoints::Checkpoints;
use super::commitment::Commitment;
use super::completeness::Completeness;
use super::computation::Computation;
use super::cut_atomicity::CutAtomicity;
use super::delivery::Delivery;
use super::end_of_data::EndOfData;
use super::fencing::{Fencing, Life};
use super::inputs::Inputs;
use super::messages::Messages;
use super::restore_equality::RestoreEquality;
use super::surgery::Surgery;
use crate::model::{
    ChannelIndex, CheckpointId, CheckpointingMode, ExecutionGraph, Message, OperatorKind, Record,
    RecordId, Scenario, StreamElement, SubtaskIndex,
};
use crate::trace::Fact;
use crate::verify::given::Given;

/// Follows a run, and notes what is not as it should be.
#[derive(Debug)]
pub(in crate::verify) struct Conduct<'a> {
    pub(super) graph: &'a ExecutionGraph,
    pub(super) mode: CheckpointingMode,
    pub(super) steps_max: u64,
    pub(super) step: u64,
    pub(super) delivery: Delivery,
    pub(super) computation: Computation,
    pub(super) inputs: Inputs,
    pub(super) end_of_data: EndOfData,
    pub(super) barriers: BarrierOrder,
    pub(super) cuts: CutAtomicity,
    pub(super) checkpoints: Checkpoints,
    pub(super) completeness: Completeness,
    pub(super) messages: Messages,
    pub(super) fencing: Fencing,
    pub(super) restores: RestoreEquality,
    pub(super) commitment: Commitment,
    pub(super) surgery: Surgery,
    /// Checkpoints that may fail in a row.
    tolerable: u32,
    /// What the job is said to have failed of in this step, a checkpoint if it had
    /// begun, and how many may fail.
    pub(super) blamed: Option<(Option<CheckpointId>, u32)>,
    /// What the job starts from.
    pub(super) given: Option<Given>,
    pub(in crate::verify) found: ConductJudgement,
}

impl<'a> Conduct<'a> {
    pub(in crate::verify) fn new(scenario: &'a Scenario) -> Self {
        let (graph, mode) = (&scenario.graph, scenario.config.mode);
        let takes_checkpoints = scenario.config.interval.is_some() || !scenario.triggers.is_empty();
        Self {
            graph,
            mode,
            steps_max: scenario.steps_max,
            step: 0,
            delivery: Delivery::new(graph),
            computation: Computation::new(graph),
            inputs: Inputs::new(graph),
            end_of_data: EndOfData::new(graph),
            barriers: BarrierOrder::new(graph, mode),
            cuts: CutAtomicity::default(),
            checkpoints: Checkpoints::default(),
            completeness: Completeness::default(),
            messages: Messages::default(),
            fencing: Fencing::new(graph),
            restores: RestoreEquality::default(),
            commitment: Commitment::new(graph, takes_checkpoints),
            surgery: Surgery::new(graph),
            tolerable: scenario.config.tolerable_failed_checkpoints,
            blamed: None,
            given: scenario.start.as_ref().map(|start| Given::of(graph, &start.savepoint)),
            found: ConductJudgement::default(),
        }
    }

    /// What the job starts from, if not from nothing.
    pub(in crate::verify) fn given(&self) -> Option<&Given> {
        self.given.as_ref()
    }

    /// The job starts from a savepoint: it counts as a complete checkpoint, and
    /// nobody has anything yet.
    pub(super) fn starts(&mut self, checkpoint: CheckpointId) {
        let step = self.step;
        let Some(given) = &self.given else { return };
        self.checkpoints.given(checkpoint, step);
        let states = self.graph.subtask_indices().zip(&given.states);
        for (task, state) in states {
            if let Some(state) = state {
                self.restores.stored((task, checkpoint), state, step);
            }
            self.surgery.cut(task, checkpoint);
        }
        if step > 1 {
            return;
        }
        self.fencing.before_the_start(step);
        self.commitment.given(given, step);
    }

    /// A task is given its part of it.
    pub(super) fn assigned(&mut self, fact: &Fact) {
        let step = self.step;
        let Some(given) = &self.given else { return };
        match fact {
            Fact::StateAssigned { task, checkpoint, state, pieces, transactions } => {
                let own = given.transactions.iter().filter(|one| one.id.subtask == *task);
                let own = own.map(|one| (one.id, &one.records));
                let told = transactions.iter().map(|one| (one.id, &one.records));
                let is_right = *checkpoint == given.savepoint
                    && given.states[task.index()].as_ref() == Some(state)
                    && (step > 1 || own.eq(told));
                if !is_right {
                    let (task, checkpoint) = (*task, Some(*checkpoint));
                    self.found.push(step, None, Wrong::RestoredOther { task, checkpoint });
                }
                let of = (self.graph, (*task, *checkpoint));
                self.completeness.written(of, (pieces, false), (step, &mut self.found));
            }
            Fact::SavepointRestored { checkpoint, snapshot, .. } => {
                self.completeness.metadata_written(*checkpoint, *snapshot);
            }
            _ => {}
        }
    }

    /// Takes in the facts of a step.
    pub(in crate::verify) fn observe(&mut self, step: u64, facts: &[Fact]) {
        self.step = step;
        for fact in facts {
            self.about_records(fact);
        }
        let found = &mut self.found;
        self.messages.step_ends((step, found));
        if let Some((checkpoint, tolerable)) = self.blamed.take() {
            let aborted = &self.checkpoints.aborted;
            let has_failed = checkpoint.is_none_or(|id| aborted.contains(&id));
            if !has_failed || tolerable != self.tolerable {
                found.push(step, None, Wrong::FailsUncaused { checkpoint });
            }
        }
        self.computation.step_ends(step, found);
        self.cuts.step_ends(step, found);
        self.barriers.step_ends(self.graph, (step, found));
        self.completeness.step_ends(&self.checkpoints, (step, found));
    }

    pub(super) fn acts(&mut self, task: SubtaskIndex) {
        self.fencing.acts(task, self.step, &mut self.found);
    }

    /// A task ends what it had begun: storing goes on when it has finished.
    pub(super) fn ends(&mut self, task: SubtaskIndex) {
        if self.fencing.life(task) != Life::Finished {
            self.acts(task);
        }
    }

    /// A task acts upon a channel that must lead to it.
    fn receives(&mut self, task: SubtaskIndex, channel: ChannelIndex) {
        self.acts(task);
        if self.graph.channels[channel.index()].to != task {
            self.found.push(self.step, None, Wrong::NotItsChannel { task, channel });
        }
    }

    /// Facts about what channels carry; the others are told on.
    fn about_records(&mut self, fact: &Fact) {
        let (graph, step) = (self.graph, self.step);
        match fact {
            Fact::Read { task, record } => {
                self.acts(*task);
                self.fencing.works(*task, step, &mut self.found);
                self.end_of_data.read((*task, record.id), (step, &mut self.found));
                self.computation.read(graph, (*task, record), (step, &mut self.found));
                self.surgery.event(*task, record.id, None);
            }
            Fact::Emitted { channel, number, element, buffered } => {
                self.sent(*channel, Message { number: *number, element: *element }, *buffered);
            }
            Fact::Departed { channel, number } => {
                self.delivery.departed((*channel, *number), (step, &mut self.found));
            }
            Fact::Arrived { channel, number } => {
                self.delivery.arrived((*channel, *number), (step, &mut self.found));
            }
            Fact::Started { task, channel, number } => {
                self.receives(*task, *channel);
                let place = (*channel, *number);
                let record = self.delivery.started(graph, place, (step, &mut self.found));
                self.record_taken(*channel, record.map(|record| record.id));
            }
            Fact::Processed { task, channel, number, record, state } => {
                self.receives(*task, *channel);
                self.processed((*channel, *number), record, state.as_ref());
            }
            Fact::Prioritized { channel, number } => {
                self.delivery.prioritized((*channel, *number), (step, &mut self.found));
            }
            Fact::OutputTimedOut { channel, number } => {
                self.delivery.output_timed_out((*channel, *number), (step, &mut self.found));
            }
            Fact::BarrierReceived { task, channel, number, checkpoint, n_received, n_needed } => {
                let (task, checkpoint) = (*task, *checkpoint);
                self.receives(task, *channel);
                let is_it = |element: &StreamElement| matches!(element, StreamElement::Barrier(own) if own.checkpoint == checkpoint);
                let place = (*channel, *number);
                let barrier = self.delivery.taken(graph, place, is_it, (step, &mut self.found));
                self.inputs.barrier(graph, (task, *channel), (checkpoint, barrier), step);
                self.counted((task, checkpoint), (*n_received, *n_needed));
            }
            Fact::EndCounted { task, checkpoint, n_received, n_needed } => {
                self.acts(*task);
                self.counted((*task, *checkpoint), (*n_received, *n_needed));
            }
            Fact::CancelMarkerReceived { task, channel, number, checkpoint } => {
                self.receives(*task, *channel);
                let is_it =
                    |element: &StreamElement| *element == StreamElement::CancelMarker(*checkpoint);
                let place = (*channel, *number);
                self.delivery.taken(graph, place, is_it, (step, &mut self.found));
                self.inputs.over(*task, *checkpoint);
            }
            Fact::EndReceived { task, channel, number } => {
                self.receives(*task, *channel);
                let is_it = |element: &StreamElement| *element == StreamElement::EndOfData;
                self.end_of_data.came(*channel, step);
                let place = (*channel, *number);
                self.delivery.taken(graph, place, is_it, (step, &mut self.found));
            }
            Fact::PartitionEnded { task, channel, number } => {
                self.receives(*task, *channel);
                let is_it = |element: &StreamElement| *element == StreamElement::EndOfPartition;
                let place = (*channel, *number);
                self.delivery.taken(graph, place, is_it, (step, &mut self.found));
                self.inputs.ended(*channel, step);
            }
            Fact::ChannelStateReceived { task, channel, number } => {
                self.receives(*task, *channel);
                let is_it = |element: &StreamElement| *element == StreamElement::EndOfChannelState;
                let place = (*channel, *number);
                self.delivery.taken(graph, place, is_it, (step, &mut self.found));
            }
            Fact::ChannelStateSaved { channel, end, records, .. } => {
                let place = (*channel, *end);
                self.delivery.saved(graph, place, records, (step, &mut self.found));
            }
            Fact::ChannelStateRestored { channel, input, output } => {
                self.delivery.restored(*channel, input, output);
            }
            Fact::Blocked { channel, checkpoint } => {
                let place = (*channel, *checkpoint);
                alignment::blocked(&mut self.inputs, place, (step, &mut self.found));
            }
            Fact::Resumed { channel } => {
                alignment::resumed(&mut self.inputs, *channel, (step, &mut self.found));
            }
            _ => self.about_checkpoints(fact),
        }
    }

    fn sent(&mut self, channel: ChannelIndex, message: Message, waits: bool) {
        let (graph, step, found) = (self.graph, self.step, &mut self.found);
        let task = graph.channels[channel.index()].from;
        self.fencing.acts(task, step, found);
        self.delivery.sent((channel, message), waits, (step, found));
        match message.element {
            StreamElement::Record(record) => {
                self.computation.sent((task, channel, &record), (step, found));
                self.cuts.record_sent((task, record.id), (step, found));
                self.surgery.sent(graph, channel);
            }
            StreamElement::Barrier(barrier) => {
                self.barriers.sent((channel, barrier.checkpoint), (step, found));
                self.cuts.barrier(task, barrier.checkpoint);
            }
            StreamElement::CancelMarker(checkpoint) => self.inputs.over(task, checkpoint),
            _ => {}
        }
    }

    fn processed(
        &mut self,
        (channel, number): (ChannelIndex, u64),
        record: &Record,
        state: Option<&(crate::model::Key, crate::model::StateValue)>,
    ) {
        let (graph, step) = (self.graph, self.step);
        let task = graph.channels[channel.index()].to;
        let place = (channel, number, record);
        if self.delivery.processed(graph, place, (step, &mut self.found)) {
            self.record_taken(channel, Some(record.id));
        }
        let found = (step, &mut self.found);
        self.computation.processed(graph, (channel, record), state, found);
        if let OperatorKind::Sink(_) = graph.operator(task).kind {
            self.commitment.written((task, record.id), (step, &mut self.found));
        }
        self.surgery.event(task, record.id, Some(channel));
    }

    fn record_taken(&mut self, channel: ChannelIndex, record: Option<RecordId>) {
        let task = self.graph.channels[channel.index()].to;
        self.fencing.works(task, self.step, &mut self.found);
        self.end_of_data.taken((channel, record), (self.step, &mut self.found));
        let (of, what) = ((self.graph, self.mode), (channel, record));
        alignment::record_taken(of, &self.inputs, what, (self.step, &mut self.found));
    }

    pub(super) fn counted(&mut self, of: (SubtaskIndex, CheckpointId), counts: (u32, u32)) {
        let (world, found) = ((self.graph, &mut self.inputs), (self.step, &mut self.found));
        self.barriers.counted(world, of, counts, found);
    }
}
