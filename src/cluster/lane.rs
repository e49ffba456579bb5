//! Lanes: what may happen next, in concurrent queues.
//!
//! Each lane is a FIFO of things to come; lanes are concurrent with each
//! other. The simulator gives each head a time, the explorer tries each head.
//! A lane's number also breaks ties between equal times: the lower goes first.

use crate::model::{ChannelIndex, CheckpointStorage, Scenario, SnapshotType, SubtaskIndex};

/// What a lane is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// A fault begins, and, for slowness, ends; by position in
    /// [`Scenario::faults`].
    Fault(u32),
    /// The scenario asks for a checkpoint or a savepoint; by position in
    /// [`Scenario::triggers`] and, behind them, [`Scenario::savepoints`].
    Trigger(u32),
    /// The coordinator's interval is over.
    Interval,
    /// The restart delay is over.
    Restart,
    /// A pending checkpoint has taken too long.
    Expiry,
    /// The user cancels the job.
    Cancel,
    /// A message from a task comes to the JobManager.
    ToJobManager(SubtaskIndex),
    /// A message from the JobManager comes to a task.
    ToTask(SubtaskIndex),
    /// The alignment at a task's input has timed out.
    InputTimer(SubtaskIndex),
    /// A barrier in a task's output buffers has timed out.
    OutputTimer(SubtaskIndex),
    /// A task has copied its state.
    Sync(SubtaskIndex),
    /// A copied state is stored.
    Store(SubtaskIndex),
    /// A task has read its state.
    Restore(SubtaskIndex),
    /// The first element on a channel's wire comes to the receiver.
    Channel(ChannelIndex),
    /// A subtask's next step: a source reads, a record's service time is
    /// over, or there is something to take.
    Subtask(SubtaskIndex),
}

/// The numbers of a scenario's lanes, in the order of [`Lane`]'s variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lanes {
    triggers: u32,
    interval: u32,
    to_job_manager: u32,
    to_task: u32,
    input_timers: u32,
    output_timers: u32,
    syncs: u32,
    stores: u32,
    restores: u32,
    channels: u32,
    subtasks: u32,
    end: u32,
}

impl Lanes {
    /// Numbers the lanes of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let n_tasks = scenario.graph.subtasks.len() as u32;
        let triggers = scenario.faults.len() as u32;
        let n_requests = scenario.triggers.len() + scenario.savepoints.len();
        let interval = triggers + n_requests as u32;
        let to_job_manager = interval + 4;
        let to_task = to_job_manager + n_tasks;
        // What a scenario never uses gets no number: fewer lanes compete.
        let specs = || scenario.graph.job.operators.iter().flat_map(|operator| &operator.subtasks);
        let if_used = |used: bool| if used { n_tasks } else { 0 };
        let options = scenario.config.checkpoint_options(SnapshotType::Checkpoint);
        let n_timers = if_used(options.timeout().is_some());
        let input_timers = to_task + n_tasks;
        let output_timers = input_timers + n_timers;
        let syncs = output_timers + n_timers;
        let stores = syncs + if_used(specs().any(|spec| !spec.sync.is_none()));
        let uses_files = scenario.config.state.storage == CheckpointStorage::FileSystem;
        let files_take_time = uses_files && scenario.storage.takes_time();
        let stores_in_time = specs().any(|spec| !spec.store.is_none()) || files_take_time;
        let restores = stores + if_used(stores_in_time);
        let channels = restores + if_used(files_take_time);
        let subtasks = channels + scenario.graph.channels.len() as u32;
        let end = subtasks + n_tasks;
        Self {
            triggers,
            interval,
            to_job_manager,
            to_task,
            input_timers,
            output_timers,
            syncs,
            stores,
            restores,
            channels,
            subtasks,
            end,
        }
    }

    /// How many lanes there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.end
    }

    /// Whether anything can ever stand in a lane.
    #[must_use]
    pub fn has(&self, lane: Lane) -> bool {
        match lane {
            Lane::InputTimer(_) => self.output_timers > self.input_timers,
            Lane::OutputTimer(_) => self.syncs > self.output_timers,
            Lane::Sync(_) => self.stores > self.syncs,
            Lane::Store(_) => self.restores > self.stores,
            Lane::Restore(_) => self.channels > self.restores,
            _ => true,
        }
    }

    /// The number of a lane.
    #[inline]
    #[must_use]
    pub fn number(&self, lane: Lane) -> u32 {
        match lane {
            Lane::Fault(fault) => fault,
            Lane::Trigger(trigger) => self.triggers + trigger,
            Lane::Interval => self.interval,
            Lane::Restart => self.interval + 1,
            Lane::Expiry => self.interval + 2,
            Lane::Cancel => self.interval + 3,
            Lane::ToJobManager(task) => self.to_job_manager + task.0,
            Lane::ToTask(task) => self.to_task + task.0,
            Lane::InputTimer(task) => self.input_timers + task.0,
            Lane::OutputTimer(task) => self.output_timers + task.0,
            Lane::Sync(task) => self.syncs + task.0,
            Lane::Store(task) => self.stores + task.0,
            Lane::Restore(task) => self.restores + task.0,
            Lane::Channel(channel) => self.channels + channel.0,
            Lane::Subtask(task) => self.subtasks + task.0,
        }
    }

    /// The lane of a number.
    ///
    /// # Panics
    /// When there is no such lane.
    #[inline]
    #[must_use]
    pub fn lane(&self, number: u32) -> Lane {
        assert!(number < self.end, "lane {number} of {}", self.end);
        if number >= self.subtasks {
            Lane::Subtask(SubtaskIndex(number - self.subtasks))
        } else if number >= self.channels {
            Lane::Channel(ChannelIndex(number - self.channels))
        } else if number >= self.restores {
            Lane::Restore(SubtaskIndex(number - self.restores))
        } else if number >= self.stores {
            Lane::Store(SubtaskIndex(number - self.stores))
        } else if number >= self.syncs {
            Lane::Sync(SubtaskIndex(number - self.syncs))
        } else if number >= self.output_timers {
            Lane::OutputTimer(SubtaskIndex(number - self.output_timers))
        } else if number >= self.input_timers {
            Lane::InputTimer(SubtaskIndex(number - self.input_timers))
        } else if number >= self.to_task {
            Lane::ToTask(SubtaskIndex(number - self.to_task))
        } else if number >= self.to_job_manager {
            Lane::ToJobManager(SubtaskIndex(number - self.to_job_manager))
        } else if number == self.interval + 3 {
            Lane::Cancel
        } else if number == self.interval + 2 {
            Lane::Expiry
        } else if number == self.interval + 1 {
            Lane::Restart
        } else if number == self.interval {
            Lane::Interval
        } else if number >= self.triggers {
            Lane::Trigger(number - self.triggers)
        } else {
            Lane::Fault(number)
        }
    }
}
