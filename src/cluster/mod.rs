//! The whole world of a job as one value: tasks, channels, JobManager,
//! storage, the outside.
//!
//! [`Cluster::apply`] lets one event happen and says what has happened and what
//! is still to come. It draws no number and knows no order of events: the
//! simulator and the explorer both drive it, lane by lane.

mod backlog;
mod channel;
mod channel_state_persister;
mod checkpointed_input_gate;
mod checkpoints;
mod endings;
mod failures;
mod flow;
mod input_channel;
mod input_gate;
mod inputs;
mod job_manager;
mod keyed_state;
mod lane;
mod outcome;
mod parts;
mod regions;
mod restores;
mod savepoints;
mod sink;
mod snapshots;
mod starts;
mod storage;
mod stuck;
mod subpartition;
mod task;
mod turn;
mod view;
mod work;

use std::collections::VecDeque;

pub use channel::{Channel, Inputs};
pub use channel_state_persister::{CaptureStatus, ChannelStatePersister};
pub use checkpointed_input_gate::{CheckpointedInputGate, InputEffect, Polled, Progress};
pub use input_channel::{Arrival, Captured, InputChannel, Taken};
pub use input_gate::InputGate;
pub use keyed_state::KeyedState;
pub use lane::{Lane, Lanes};
pub use outcome::{Chance, Detail, Outcome, Pending, RpcKind, Wait};
pub use parts::{Concerned, Head, Letters, Outlook, Part, Places};
pub use sink::Sink;
pub use stuck::Waiting;
pub use subpartition::{FlowControl, Room, Sent, Subpartition, SubpartitionEffect};
pub use task::Task;
pub use work::{SourceReader, Work};

use crate::model::{
    Attempt, Backlog, Barrier, CheckpointFailureReason, CheckpointId, FaultKind, FileName,
    Scenario, SubtaskIndex, Time, When,
};
use crate::protocol::{CheckpointCoordinator, RestartStrategyMachine, SharedStateRegistry};
use crate::trace::{CheckpointView, JobStatus, RpcMessage, StoredFiles, Watch};
use storage::StorageCondition;
use turn::Turn;

/// The world of one job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cluster {
    seed: u64,
    attempt: Attempt,
    status: JobStatus,
    tasks: Vec<Task>,
    n_finished: u32,
    channels: Vec<Channel>,
    coordinator: CheckpointCoordinator,
    restart: RestartStrategyMachine,
    /// What waits for its restart, the first to restart first. No task is in
    /// two of them.
    restarts: Vec<Restart>,
    /// What the pending and the completed checkpoints hold, oldest first.
    storage: Vec<CheckpointView>,
    /// What lies in files.
    files: StoredFiles,
    /// Which checkpoints use which of the shared ones.
    shared: SharedStateRegistry<FileName>,
    condition: StorageCondition,
    completed: Vec<CheckpointId>,
    /// When pending checkpoints expire, the first to expire first.
    expiries: VecDeque<(CheckpointId, Time)>,
    /// Letters under way, by task.
    to_job_manager: Vec<VecDeque<Letter<ToJobManager>>>,
    to_task: Vec<VecDeque<Letter<ToTask>>>,
    /// Letters sent in this attempt, by task and [`RpcKind`].
    n_letters: Vec<[u64; 3]>,
    slow: Vec<FaultKind>,
    /// By fault: whether it has begun.
    begun: Vec<bool>,
    /// By message fault: whether it has happened.
    mishaps: Vec<bool>,
    /// What the user does when there is a JobManager again.
    user: User,
    /// Facts that faults, triggers and the user who cancels wait for.
    watches: Vec<(Lane, Watch)>,
}

/// A message between JobManager and a task, with the attempt it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Letter<T> {
    attempt: Attempt,
    text: T,
}

/// Tasks that will be started again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Restart {
    at: Time,
    region: Region,
}

/// Tasks that fail and are started together, in order; none: every task of the
/// job.
type Region = Option<Vec<SubtaskIndex>>;

/// What the user wants of a job without a JobManager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum User {
    /// Nothing.
    Content,
    /// To cancel it.
    Cancels,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ToJobManager {
    Acknowledge(CheckpointId),
    Decline { checkpoint: CheckpointId, reason: CheckpointFailureReason },
    EndOfData,
    Backlog(Backlog),
    Failure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ToTask {
    Trigger(Barrier),
    Notify(CheckpointId),
    /// The newest completed checkpoint goes with it.
    Abort {
        checkpoint: CheckpointId,
        latest_completed: Option<CheckpointId>,
    },
}

impl From<ToJobManager> for RpcMessage {
    fn from(text: ToJobManager) -> Self {
        match text {
            ToJobManager::Acknowledge(checkpoint) => Self::Acknowledge(checkpoint),
            ToJobManager::Decline { checkpoint, .. } => Self::Decline(checkpoint),
            ToJobManager::EndOfData => Self::EndOfData,
            ToJobManager::Backlog(backlog) => Self::Backlog(backlog),
            ToJobManager::Failure => Self::Failure,
        }
    }
}

impl From<ToTask> for RpcMessage {
    fn from(text: ToTask) -> Self {
        match text {
            ToTask::Trigger(barrier) => Self::Trigger(barrier.checkpoint),
            ToTask::Notify(checkpoint) => Self::Notify(checkpoint),
            ToTask::Abort { checkpoint, .. } => Self::Abort(checkpoint),
        }
    }
}

impl Cluster {
    /// The world at the start of a run, and in `outcome` what is to come
    /// first. `seed` decides the values of drawn splits, nothing else.
    #[must_use]
    pub fn start(scenario: &Scenario, seed: u64, outcome: &mut Outcome) -> Self {
        let graph = &scenario.graph;
        let n_tasks = graph.subtasks.len();
        let mut cluster = Self {
            seed: scenario.seed_of_values(seed),
            attempt: Attempt(1),
            status: JobStatus::Running,
            tasks: graph.subtask_indices().map(|task| Task::new(scenario, task)).collect(),
            n_finished: 0,
            channels: graph.channels.iter().map(Channel::of).collect(),
            coordinator: CheckpointCoordinator::new(scenario),
            restart: RestartStrategyMachine::new(scenario.config.restart),
            restarts: Vec::new(),
            storage: Vec::new(),
            files: StoredFiles::default(),
            shared: SharedStateRegistry::new(),
            condition: StorageCondition::default(),
            completed: Vec::new(),
            expiries: VecDeque::new(),
            to_job_manager: vec![VecDeque::new(); n_tasks],
            to_task: vec![VecDeque::new(); n_tasks],
            n_letters: vec![[0; 3]; n_tasks],
            slow: Vec::new(),
            begun: vec![false; scenario.faults.len()],
            mishaps: vec![false; scenario.message_faults.len()],
            user: User::Content,
            watches: Vec::new(),
        };
        Turn::new(&mut cluster, scenario, Time::ZERO, outcome).job_runs();
        cluster
    }

    /// Lets the head of a lane happen.
    ///
    /// # Panics
    /// When nothing stands in the lane.
    #[inline]
    pub fn apply(&mut self, scenario: &Scenario, at: (Time, Lane), outcome: &mut Outcome) {
        let (now, lane) = at;
        let mut turn = Turn::new(self, scenario, now, outcome);
        match lane {
            Lane::Channel(channel) => turn.deliver(channel),
            Lane::Subtask(task) => turn.step(task),
            Lane::InputTimer(task) => turn.input_timer(task),
            Lane::OutputTimer(task) => turn.output_timer(task),
            Lane::Sync(task) => turn.sync_ended(task),
            Lane::Store(task) => turn.stored_state(task),
            Lane::Restore(task) => turn.state_read(task),
            Lane::ToJobManager(task) => turn.letter_to_job_manager(task),
            Lane::ToTask(task) => turn.letter_to_task(task),
            Lane::Interval => turn.interval_elapsed(),
            Lane::Trigger(trigger) => turn.requested(trigger),
            Lane::Restart => turn.restart(),
            Lane::Expiry => turn.expired(),
            Lane::Cancel => turn.cancel(),
            Lane::Fault(fault) => turn.fault(fault),
        }
        if !self.watches.is_empty() {
            self.watch(scenario, outcome);
        }
    }

    /// Arms what waits for one of these facts.
    fn watch(&mut self, scenario: &Scenario, outcome: &mut Outcome) {
        let Outcome { facts, pending, .. } = outcome;
        self.watches.retain_mut(|(lane, watch)| {
            let seen = facts.iter().any(|fact| watch.observe(&scenario.graph, fact));
            if seen {
                let when = match lane {
                    Lane::Fault(fault) => Some(&scenario.faults[*fault as usize].when),
                    Lane::Trigger(trigger) => match scenario.savepoint(*trigger) {
                        Some(request) => Some(&request.when),
                        None => scenario.triggers.get(*trigger as usize),
                    },
                    Lane::Cancel => scenario.cancel.as_ref(),
                    _ => None,
                };
                let Some(When::Upon { after, .. }) = when else {
                    unreachable!("only what waits for a fact has a watch")
                };
                pending.push(Pending::Event { lane: *lane, wait: Wait::After(*after) });
            }
            !seen
        });
    }

    /// Whether some fault waits for a fact about a single record, so that
    /// these are wanted even when nobody else wants them.
    #[must_use]
    pub fn watches_records(&self) -> bool {
        self.watches.iter().any(|(_, watch)| watch.wants_records())
    }

    /// How the job is.
    #[must_use]
    pub fn status(&self) -> JobStatus {
        self.status
    }

    /// The attempt that runs or has just failed.
    #[must_use]
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// A subtask.
    #[must_use]
    pub fn task(&self, task: SubtaskIndex) -> &Task {
        &self.tasks[task.index()]
    }

    /// Ids of the completed checkpoints, in the order of completion.
    #[must_use]
    pub fn completed(&self) -> &[CheckpointId] {
        &self.completed
    }
}
