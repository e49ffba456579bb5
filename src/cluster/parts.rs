//! The cluster in parts, each of which one event touches or not.
//!
//! For a driver that keeps very many clusters: most parts of two neighbouring
//! ones are the same, and are kept once. Knows no driver.

use std::collections::VecDeque;

use super::{Channel, Cluster, Lane, Letter, Task, ToJobManager, ToTask};
use crate::model::{
    Attempt, ChannelIndex, CheckpointId, ExecutionGraph, Message, StreamElement, SubtaskIndex,
};
use crate::protocol::PendingCheckpoint;
use crate::trace::{CheckpointView, JobStatus, TaskStatus};

/// One part of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A subtask.
    Task(Box<Task>),
    /// A channel with both its ends.
    Channel(Box<Channel>),
    /// What is under way between the JobManager and a subtask.
    Letters(Box<Letters>),
    /// JobManager, storage and all else: a cluster without the other parts.
    Rest(Box<Cluster>),
}

/// Letters under way between the JobManager and a subtask, and how many there
/// have been.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Letters {
    to_job_manager: VecDeque<Letter<ToJobManager>>,
    to_task: VecDeque<Letter<ToTask>>,
    n_letters: [u64; 3],
}

/// Which parts a job's cluster has: first the subtasks, then the channels, then
/// each subtask's letters, and the rest at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    n_tasks: usize,
    n_channels: usize,
}

impl Places {
    /// The places of a job's parts.
    #[must_use]
    pub fn of(graph: &ExecutionGraph) -> Self {
        Self { n_tasks: graph.subtasks.len(), n_channels: graph.channels.len() }
    }

    /// How many parts there are.
    #[must_use]
    pub fn count(&self) -> usize {
        2 * self.n_tasks + self.n_channels + 1
    }

    /// The place of a subtask.
    #[must_use]
    pub fn task(&self, task: SubtaskIndex) -> usize {
        task.index()
    }

    /// The place of a channel.
    #[must_use]
    pub fn channel(&self, channel: ChannelIndex) -> usize {
        self.n_tasks + channel.index()
    }

    /// The place of a subtask's letters.
    #[must_use]
    pub fn letters(&self, task: SubtaskIndex) -> usize {
        self.n_tasks + self.n_channels + task.index()
    }

    /// The place of the rest.
    #[must_use]
    pub fn rest(&self) -> usize {
        self.count() - 1
    }

    /// The parts that the head of a lane looks at, as long as it changes no
    /// others; none: any.
    ///
    /// A task looks at itself, its channels, its letters and the rest. It looks
    /// at a neighbour only to wake it, and that changes the neighbour. The
    /// JobManager looks at the letters, and at what [`Part::summary`] says of
    /// the tasks.
    #[must_use]
    pub fn concerned(&self, graph: &ExecutionGraph, lane: Lane) -> Concerned {
        let task = match lane {
            Lane::Channel(channel) => graph.channels[channel.index()].to,
            Lane::Subtask(task)
            | Lane::InputTimer(task)
            | Lane::OutputTimer(task)
            | Lane::Sync(task)
            | Lane::Store(task)
            | Lane::ToTask(task) => task,
            Lane::ToJobManager(_) | Lane::Trigger(_) | Lane::Interval | Lane::Expiry => {
                let letters = graph.subtask_indices().map(|task| self.letters(task));
                return Concerned::JobManager(letters.chain([self.rest()]).collect());
            }
            Lane::Fault(_) | Lane::Restart | Lane::Cancel | Lane::Restore(_) => {
                return Concerned::All;
            }
        };
        let outputs = graph.subtasks[task.index()].outputs.iter();
        let channels = outputs.flat_map(|output| &output.channels);
        let channels = channels.chain(&graph.subtasks[task.index()].inputs);
        let channels = channels.map(|channel| self.n_tasks + channel.index());
        let own = [task.index(), self.letters(task), self.rest()];
        Concerned::Task(channels.chain(own).collect())
    }
}

/// What can be known of a part without looking into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Of a task: how it is.
    pub status: Option<TaskStatus>,
    /// Of a task: no record comes to it any more.
    pub has_ended: bool,
    /// Of a task: it waits for room.
    pub is_backed_up: bool,
    /// Of a channel: its first element on the wire.
    pub head: Option<Head>,
    /// Of a channel: its barrier has come, and it is not read.
    pub is_blocked: bool,
    /// Of letters: so many are on their way to the JobManager.
    pub n_to_job_manager: usize,
    /// Of letters: one of them says that the task has died.
    pub fails: bool,
    /// Of letters: the next one acknowledges this checkpoint.
    pub acknowledges: Option<CheckpointId>,
    /// Of letters: the next one to the JobManager says that data has ended here.
    pub reports_end: bool,
    /// Of letters: the next one tells that a checkpoint is complete.
    pub notifies: bool,
    /// Of the rest: each pending checkpoint, with how many acknowledgements are
    /// missing.
    pub pending: Vec<(CheckpointId, u32)>,
    /// Of the rest: requests that wait.
    pub n_queued: usize,
}

/// What an element of a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// A record.
    Record,
    /// A barrier.
    Barrier,
    /// Something that ends data, a channel, or a checkpoint.
    End,
}

/// What the head of a lane looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concerned {
    /// These parts.
    Task(Vec<usize>),
    /// These parts, and the summaries of all tasks.
    JobManager(Vec<usize>),
    /// All parts.
    All,
}

impl Cluster {
    /// A copy of one part.
    ///
    /// # Panics
    /// When there is no such place.
    #[must_use]
    pub fn part(&self, places: Places, place: usize) -> Part {
        match self.at(places, place) {
            At::Task(task) => Part::Task(Box::new(self.tasks[task].clone())),
            At::Channel(channel) => Part::Channel(Box::new(self.channels[channel].clone())),
            At::Letters(task) => Part::Letters(Box::new(Letters {
                to_job_manager: self.to_job_manager[task].clone(),
                to_task: self.to_task[task].clone(),
                n_letters: self.n_letters[task],
            })),
            At::Rest => Part::Rest(Box::new(self.rest())),
        }
    }

    /// Whether a part is at its place.
    #[must_use]
    pub fn has_part(&self, places: Places, place: usize, part: &Part) -> bool {
        match (self.at(places, place), part) {
            (At::Task(task), Part::Task(part)) => self.tasks[task] == **part,
            (At::Channel(channel), Part::Channel(part)) => self.channels[channel] == **part,
            (At::Letters(task), Part::Letters(part)) => {
                self.n_letters[task] == part.n_letters
                    && self.to_job_manager[task] == part.to_job_manager
                    && self.to_task[task] == part.to_task
            }
            (At::Rest, Part::Rest(part)) => self.has_rest(part),
            _ => false,
        }
    }

    /// Puts a part to its place.
    ///
    /// # Panics
    /// When it is a part of another kind.
    pub fn set_part(&mut self, places: Places, place: usize, part: &Part) {
        match (self.at(places, place), part) {
            (At::Task(task), Part::Task(part)) => self.tasks[task].clone_from(part),
            (At::Channel(channel), Part::Channel(part)) => {
                self.channels[channel].clone_from(part);
            }
            (At::Letters(task), Part::Letters(part)) => {
                self.to_job_manager[task].clone_from(&part.to_job_manager);
                self.to_task[task].clone_from(&part.to_task);
                self.n_letters[task] = part.n_letters;
            }
            (At::Rest, Part::Rest(part)) => {
                let rest = part.rest();
                let whole = std::mem::replace(self, rest);
                self.tasks = whole.tasks;
                self.channels = whole.channels;
                self.to_job_manager = whole.to_job_manager;
                self.to_task = whole.to_task;
                self.n_letters = whole.n_letters;
            }
            (_, part) => panic!("{part:?} does not belong to place {place}"),
        }
    }

    /// What a pending or completed checkpoint holds.
    #[must_use]
    pub fn checkpoint(&self, checkpoint: CheckpointId) -> Option<&CheckpointView> {
        self.storage.iter().find(|held| held.id == checkpoint)
    }

    /// Whether one with a higher id has been begun and is not given up.
    #[must_use]
    pub fn has_newer_checkpoint(&self, checkpoint: CheckpointId) -> bool {
        self.storage.iter().any(|held| held.id > checkpoint)
    }

    fn at(&self, places: Places, place: usize) -> At {
        let Places { n_tasks, n_channels } = places;
        if place < n_tasks {
            At::Task(place)
        } else if place < n_tasks + n_channels {
            At::Channel(place - n_tasks)
        } else if place < 2 * n_tasks + n_channels {
            At::Letters(place - n_tasks - n_channels)
        } else {
            assert_eq!(place, places.rest(), "a place of the cluster");
            At::Rest
        }
    }

    /// Whether all but tasks, channels and letters are the same.
    fn has_rest(&self, other: &Self) -> bool {
        let Self {
            seed,
            attempt,
            status,
            tasks: _,
            n_finished,
            channels: _,
            coordinator,
            restart,
            restarts,
            storage,
            files,
            shared,
            condition,
            completed,
            expiries,
            to_job_manager: _,
            to_task: _,
            n_letters: _,
            slow,
            begun,
            mishaps,
            user,
            watches,
        } = self;
        (*seed, *attempt, *status) == (other.seed, other.attempt, other.status)
            && (*n_finished, *user) == (other.n_finished, other.user)
            && *coordinator == other.coordinator
            && *restart == other.restart
            && *restarts == other.restarts
            && *storage == other.storage
            && *files == other.files
            && *shared == other.shared
            && *condition == other.condition
            && *completed == other.completed
            && *expiries == other.expiries
            && *slow == other.slow
            && *begun == other.begun
            && *mishaps == other.mishaps
            && *watches == other.watches
    }

    /// A copy of all but tasks, channels and letters.
    fn rest(&self) -> Self {
        let Self {
            seed,
            attempt,
            status,
            tasks: _,
            n_finished,
            channels: _,
            coordinator,
            restart,
            restarts,
            storage,
            files,
            shared,
            condition,
            completed,
            expiries,
            to_job_manager: _,
            to_task: _,
            n_letters: _,
            slow,
            begun,
            mishaps,
            user,
            watches,
        } = self;
        Self {
            seed: *seed,
            attempt: *attempt,
            status: *status,
            tasks: Vec::new(),
            n_finished: *n_finished,
            channels: Vec::new(),
            coordinator: coordinator.clone(),
            restart: restart.clone(),
            restarts: restarts.clone(),
            storage: storage.clone(),
            files: files.clone(),
            shared: shared.clone(),
            condition: condition.clone(),
            completed: completed.clone(),
            expiries: expiries.clone(),
            to_job_manager: Vec::new(),
            to_task: Vec::new(),
            n_letters: Vec::new(),
            slow: slow.clone(),
            begun: begun.clone(),
            mishaps: mishaps.clone(),
            user: *user,
            watches: watches.clone(),
        }
    }
}

/// Where a part is.
enum At {
    Task(usize),
    Channel(usize),
    Letters(usize),
    Rest,
}

impl Part {
    /// What the JobManager looks at in a task: whether it runs, in which attempt,
    /// whether its data has ended, and since which checkpoint that shows in its
    /// state.
    #[must_use]
    pub fn summary(&self) -> Option<(TaskStatus, Attempt, bool, Option<CheckpointId>)> {
        match self {
            Self::Task(task) => Some((task.status, task.attempt, task.ended, task.finished_since)),
            Self::Channel(_) | Self::Letters(_) | Self::Rest(_) => None,
        }
    }

    /// Whether records wait in a channel behind a barrier that has blocked it.
    #[must_use]
    pub fn holds_records_back(&self) -> bool {
        let Self::Channel(channel) = self else { return false };
        let is_record = |message: &Message| matches!(message.element, StreamElement::Record(_));
        let mut waiting = channel.subpartition.buffer().iter().chain(channel.input.messages());
        channel.blocked.is_some() && waiting.any(is_record)
    }

    /// What a driver may know of a part that wants to leave out orders that come
    /// to the same.
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        let mut outlook = Outlook::default();
        match self {
            Self::Task(task) => {
                outlook.status = Some(task.status);
                outlook.has_ended = task.ended;
                outlook.is_backed_up = task.n_full > 0;
            }
            Self::Channel(channel) => {
                outlook.head = channel.wire.front().map(|message| match message.element {
                    StreamElement::Record(_) => Head::Record,
                    StreamElement::Barrier(_) => Head::Barrier,
                    _ => Head::End,
                });
                outlook.is_blocked = channel.blocked.is_some();
            }
            Self::Letters(letters) => {
                outlook.n_to_job_manager = letters.to_job_manager.len();
                let mut sent = letters.to_job_manager.iter();
                outlook.fails = sent.any(|letter| letter.text == ToJobManager::Failure);
                outlook.acknowledges = match letters.to_job_manager.front() {
                    Some(Letter { text: ToJobManager::Acknowledge(id), .. }) => Some(*id),
                    _ => None,
                };
                outlook.reports_end = match letters.to_job_manager.front() {
                    Some(letter) => letter.text == ToJobManager::EndOfData,
                    None => false,
                };
                let first = letters.to_task.front();
                outlook.notifies = first.is_some_and(|one| matches!(one.text, ToTask::Notify(_)));
            }
            Self::Rest(rest) => {
                let pending = rest.coordinator.pending();
                let of = |one: &PendingCheckpoint| (one.id(), one.missing().count() as u32);
                outlook.pending = pending.map(of).collect();
                outlook.n_queued = rest.coordinator.n_queued();
            }
        }
        outlook
    }

    /// How the job is; asked of the rest.
    #[must_use]
    pub fn job_status(&self) -> Option<JobStatus> {
        match self {
            Self::Rest(rest) => Some(rest.status),
            Self::Task(_) | Self::Channel(_) | Self::Letters(_) => None,
        }
    }
}
