//! A scenario that is already valid: a job, its settings, what happens to it,
//! and how its story is told.

use super::config::Config;
use super::element::SnapshotType;
use super::fault::{FactPattern, Fault, MessageFault, When};
use super::graph::ExecutionGraph;
use super::ids::{CheckpointId, OperatorIndex, SubtaskIndex};
use super::mutation::Mutation;
use super::savepoint_format::SavepointFormatType;
use super::start::Start;
use super::state::StorageSpec;
use super::text::Text;
use super::time::{Delay, Micros};

/// Everything that a run is made from, but for the seed.
///
/// Only the loader makes one, so whoever holds it may index its tables without
/// asking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scenario {
    /// The scenario file as one line of JSON: loading it again gives this
    /// scenario. A trace carries it.
    pub document: String,
    /// Name of the file without its ending, or of the built-in scenario.
    pub name: String,
    /// One line for people.
    pub title: Text,
    /// What to see in it; for a lecturer.
    pub notes: Text,
    /// The job.
    pub graph: ExecutionGraph,
    /// Flink's settings.
    pub config: Config,
    /// Latency of messages between the JobManager and the tasks.
    pub rpc: RpcDelays,
    /// How fast files are written and read, and who sees them.
    pub storage: StorageSpec,
    /// When the first periodic checkpoint comes after the job runs.
    pub initial_delay: InitialDelay,
    /// Sources that work off old data at first: how many records of each, in
    /// all of its splits together, are old.
    pub backlogs: Vec<(OperatorIndex, u64)>,
    /// What the job starts from; none: from nothing.
    pub start: Option<Box<Start>>,
    /// The scenario whose savepoint the job is meant to start from, if the file
    /// names one.
    pub from: Option<FromScenario>,
    /// Checkpoints that the scenario asks for itself.
    pub triggers: Vec<When>,
    /// Savepoints that the user asks for.
    pub savepoints: Vec<SavepointRequest>,
    /// When the user cancels the job, if that happens.
    pub cancel: Option<When>,
    /// What breaks, in the order of the scenario file.
    pub faults: Vec<Fault>,
    /// Messages that are lost or late, in the order of the scenario file.
    pub message_faults: Vec<MessageFault>,
    /// Which subtasks run in which TaskManager. A subtask is in at most one.
    pub task_managers: Vec<TaskManager>,
    /// The steps of the story, in order.
    pub moments: Vec<Moment>,
    /// Rules that the scenario breaks on purpose, sorted, each once.
    pub broken: Vec<Mutation>,
    /// The most steps that a run may take.
    pub steps_max: u64,
}

impl Scenario {
    /// Whether a rule is broken on purpose.
    #[must_use]
    pub fn breaks(&self, mutation: Mutation) -> bool {
        self.broken.contains(&mutation)
    }

    /// The seed from which the values of random splits are drawn, in a run with
    /// a seed of its own: the outside of a job stays what it was when its
    /// savepoint was taken.
    #[must_use]
    pub fn seed_of_values(&self, seed: u64) -> u64 {
        self.start.as_ref().map_or(seed, |start| start.savepoint.seed)
    }

    /// The savepoint of a request, if it is for one: requests for checkpoints
    /// are numbered first.
    #[must_use]
    pub fn savepoint(&self, request: u32) -> Option<&SavepointRequest> {
        self.savepoints.get((request as usize).checked_sub(self.triggers.len())?)
    }
}

/// The run before this one, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FromScenario {
    /// A built-in scenario, or a file beside this one.
    pub scenario: String,
    /// Which of its savepoints, by id; none: the last one that is complete.
    pub savepoint: Option<CheckpointId>,
}

/// A savepoint that the user asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SavepointRequest {
    /// When.
    pub when: When,
    /// Whether the job stops with it; never a checkpoint.
    pub snapshot: SnapshotType,
    /// How its state is written.
    pub format: SavepointFormatType,
}

/// When the first periodic checkpoint comes after the job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitialDelay {
    /// After one interval.
    Interval,
    /// After this.
    Fixed(Micros),
    /// As Flink does it: at any time between the minimum pause and the interval.
    Drawn,
}

/// How long each kind of message between JobManager and tasks takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RpcDelays {
    /// Coordinator to source: take checkpoint n.
    pub trigger: Delay,
    /// Task to coordinator: acknowledgements and reports.
    pub acknowledge: Delay,
    /// Coordinator to task: checkpoint n is complete.
    pub notify: Delay,
}

/// A process that runs several subtasks and takes them along when it crashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskManager {
    /// Unique among TaskManagers and subtask names.
    pub name: String,
    /// Its subtasks.
    pub subtasks: Vec<SubtaskIndex>,
}

/// A step of the story that a scenario tells.
///
/// A moment begins with the first step that has a fact of its kind and lasts
/// until the step before the next moment begins. It is shown as it is at its
/// end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Unique; used in links and on the command line.
    pub name: String,
    /// For people.
    pub title: Text,
    /// A sentence for people, beside what the facts say.
    pub note: Text,
    /// The fact that begins it; none for a moment that begins at the start.
    pub begins: Option<FactPattern>,
    /// The fact that ends it, if it ends before the next moment begins: the
    /// step with this fact is its last.
    pub ends: Option<FactPattern>,
}
