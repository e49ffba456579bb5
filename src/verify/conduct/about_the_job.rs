//! Facts about transactions, failures and the job's life, told to the
//! properties that they concern; and what is said in the end.

use std::collections::BTreeSet;

use super::breach::{ConductJudgement, Wrong};
use super::fencing::{Job, Life};
use super::liveness;
use super::watch::Conduct;
use crate::model::{CheckpointingMode, HighAvailability, RecordId, SubtaskIndex};
use crate::trace::{Fact, FailureCause, RpcMessage};

impl Conduct<'_> {
    /// Facts about transactions, failures and the job's life.
    pub(super) fn about_the_job(&mut self, fact: &Fact) {
        let (graph, step) = (self.graph, self.step);
        match fact {
            Fact::TransactionBegun { transaction } => {
                let found = (step, &mut self.found);
                let attempt = self.fencing.attempt_of(transaction.subtask);
                self.commitment.begun(*transaction, attempt, found);
            }
            Fact::TransactionPrepared { transaction, checkpoint } => {
                self.acts(transaction.subtask);
                let found = (step, &mut self.found);
                self.commitment.prepared((*transaction, *checkpoint), found);
            }
            Fact::TransactionCommitted { transaction, n_records } => {
                let world = (&self.checkpoints, &self.fencing);
                let found = (step, &mut self.found);
                self.commitment.committed((*transaction, *n_records), world, found);
            }
            Fact::TransactionAborted { transaction, n_records } => {
                let found = (step, &mut self.found);
                let world = (&self.checkpoints, &self.fencing);
                self.commitment.aborted((*transaction, *n_records), world, found);
            }
            Fact::EndOfData { task } => {
                self.acts(*task);
                let is_read =
                    self.checkpoints.stops_job() || self.computation.is_all_read(graph, *task);
                if !is_read || !self.end_of_data.came_from_all(graph, *task) {
                    self.found.push(step, None, Wrong::DoneEarly { tasks: vec![*task] });
                }
                self.end_of_data.said(*task, (step, &mut self.found));
                self.messages.at_end.insert(*task);
                self.commitment.at_end(*task);
            }
            Fact::EndReported { task } => self.came(*task, RpcMessage::EndOfData),
            Fact::MessageIgnored { task, attempt, message } => {
                let what = (*task, *attempt, *message);
                if let RpcMessage::Acknowledge(checkpoint) = message {
                    self.messages.acknowledged((*task, *attempt), *checkpoint);
                }
                let found = (self.fencing.attempt_of(*task), step, &mut self.found);
                self.messages.ignored(&mut self.checkpoints, what, found);
            }
            Fact::MessageLost { task, message: RpcMessage::Acknowledge(checkpoint) } => {
                let sender = (*task, self.fencing.attempt_of(*task));
                self.messages.acknowledged(sender, *checkpoint);
            }
            Fact::Crashed { tasks } => {
                for task in tasks {
                    if matches!(self.fencing.life(*task), Life::Dead | Life::Finished) {
                        self.acts(*task);
                    }
                    self.fencing.set(*task, Life::Dead, step);
                    self.messages.failed.insert(*task);
                }
                self.completeness.crashed();
            }
            Fact::RestoreFailed { task, .. } => {
                self.fencing.set(*task, Life::Dead, step);
                self.messages.failed.insert(*task);
            }
            Fact::JobFailed { attempt, cause, region, restart_after } => {
                let before = match cause {
                    FailureCause::TaskFailed { task } => self.fencing.attempt_of(*task),
                    FailureCause::TooManyFailedCheckpoints { .. } => self.fencing.attempt,
                };
                if *attempt != before {
                    let attempt = *attempt;
                    self.found.push(step, None, Wrong::AttemptMisnumbered { attempt, before });
                }
                match cause {
                    FailureCause::TaskFailed { task } => self.came(*task, RpcMessage::Failure),
                    FailureCause::TooManyFailedCheckpoints { checkpoint, tolerable, .. } => {
                        self.blamed = Some((*checkpoint, *tolerable));
                    }
                }
                let job = if restart_after.is_some() { Job::Down } else { Job::Over };
                let tasks = match restart_after {
                    Some(_) => self.tasks_of(region.as_deref()),
                    None => self.tasks_of(None),
                };
                self.fencing.fails(&tasks, (&[Job::Running], job), (step, &mut self.found));
            }
            Fact::JobManagerCrashed { attempt, .. } => {
                if *attempt != self.fencing.attempt {
                    let (attempt, before) = (*attempt, self.fencing.attempt);
                    self.found.push(step, None, Wrong::AttemptMisnumbered { attempt, before });
                }
                let change: (&[Job], Job) = (&[Job::Running, Job::Down], Job::Suspended);
                let tasks = self.tasks_of(None);
                self.fencing.fails(&tasks, change, (step, &mut self.found));
                self.checkpoints.job_manager_crashed();
            }
            Fact::JobManagerStarted { high_availability: HighAvailability::Off } => {
                self.checkpoints.forgotten();
                self.completeness.abandoned();
            }
            Fact::SavepointRestored { checkpoint, .. } => {
                self.starts(*checkpoint);
                self.assigned(fact);
            }
            Fact::StateAssigned { .. } => self.assigned(fact),
            Fact::AttemptStarted { attempt, region, checkpoint } => {
                let tasks = self.tasks_of(region.as_deref());
                self.fencing.restarted(*attempt, &tasks, (step, &mut self.found));
                let found = (step, &mut self.found);
                self.restores.restarted(&self.checkpoints, *checkpoint, found);
                if region.is_none() {
                    self.checkpoints.restarted();
                }
                for task in tasks {
                    for channel in &graph.subtasks[task.index()].inputs {
                        self.delivery.restarted(*channel);
                        self.barriers.restarted(*channel);
                    }
                    self.computation.restarted(graph, task);
                    self.inputs.restarted(graph, task);
                    self.end_of_data.restarted(graph, task);
                    self.messages.restarted(task);
                    self.commitment.restarted(task);
                    self.surgery.restarted(task, *checkpoint);
                }
            }
            Fact::RestoreStarted { task, checkpoint, .. } => {
                let is_new = self.restores.begins(*task, *checkpoint);
                if self.fencing.life(*task) != Life::Restoring || !is_new {
                    self.found.push(step, None, Wrong::RestoredUnasked { task: *task });
                }
            }
            Fact::StateRestored { task, state } => {
                // Who needs time for it has begun to read before.
                let is_at_once = self.fencing.since(*task) == step;
                let is_read = self.restores.has_begun(*task);
                if self.fencing.life(*task) != Life::Restoring || is_at_once == is_read {
                    self.found.push(step, None, Wrong::RestoredUnasked { task: *task });
                }
                self.restores.restored(graph, (*task, state), (step, &mut self.found));
                self.commitment.restored(*task, &self.checkpoints, (step, &mut self.found));
                self.computation.restored(graph, *task, state);
                self.fencing.set(*task, Life::Running, step);
            }
            Fact::TaskFinished { task } => {
                self.acts(*task);
                let has_ended = self.inputs.all_ended(graph, *task);
                if !self.messages.at_end.contains(task) || !has_ended {
                    self.found.push(step, None, Wrong::DoneEarly { tasks: vec![*task] });
                }
                self.fencing.set(*task, Life::Finished, step);
            }
            Fact::JobFinished => {
                let tasks = self.fencing.unfinished();
                if !tasks.is_empty() {
                    self.found.push(step, None, Wrong::DoneEarly { tasks });
                }
                self.fencing.job = Job::Over;
                self.commitment.job_ends(&self.checkpoints, (step, &mut self.found));
            }
            Fact::JobCanceled => self.fencing.all_stop(Job::Over, step),
            _ => {}
        }
    }

    /// The tasks of a region; without one, all.
    fn tasks_of(&self, region: Option<&[SubtaskIndex]>) -> BTreeSet<SubtaskIndex> {
        match region {
            Some(tasks) => tasks.iter().copied().collect(),
            None => self.graph.subtask_indices().collect(),
        }
    }

    /// The trace is whole, and nothing follows.
    pub(in crate::verify) fn run_ends(&mut self) {
        if self.step >= self.steps_max && self.fencing.job != Job::Over {
            return; // the scenario's bound has stopped it
        }
        let world = (&self.fencing, &self.inputs);
        let found = (self.step, &mut self.found);
        liveness::run_ends(self.graph, world, &mut self.checkpoints, found);
    }

    /// Cuts away what failures have undone, and runs the rest again.
    pub(in crate::verify) fn explain(
        self,
        seed: Option<u64>,
        committed: &[Option<Vec<RecordId>>],
    ) -> ConductJudgement {
        let mut found = self.found;
        if self.mode == CheckpointingMode::ExactlyOnce {
            let is_down = matches!(self.fencing.job, Job::Down | Job::Suspended);
            let live = (!is_down).then_some(&self.computation);
            let place = (self.step, &mut found);
            let run = (self.graph, seed, self.given.as_ref());
            self.surgery.explain(run, committed, live, place);
        }
        found
    }
}
