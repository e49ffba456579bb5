//! The schema of what happens to a run.

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::{Duration, FactSentence, JobManagerName, MessageName, TaskName, Whole};
use crate::load::limits::{COUNTER_MAX, NTH_MAX, TIMES_MAX};

/// The run whose savepoint a job starts from: a built-in scenario or a file
/// beside this one.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum FromFile {
    /// From its last savepoint.
    Scenario(String),
    /// From one of its savepoints.
    Savepoint(FromOptionsFile),
}

/// One of the savepoints of a run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FromOptionsFile {
    /// Which scenario.
    scenario: String,
    /// The number of its savepoint or retained checkpoint. Default: the last
    /// savepoint.
    savepoint: Option<Whole<1, COUNTER_MAX>>,
}

/// A checkpoint that the scenario asks for: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckpointFile {
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// A savepoint that the user asks for: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SavepointFile {
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
    /// The job stops with it. Default: it goes on.
    stop: Option<StopFile>,
    /// How its state is written. Default: canonical.
    format: Option<FormatFile>,
}

/// How a job stops with its savepoint.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StopFile {
    /// It is put aside: windows and timers stay in the savepoint.
    Suspend,
    /// It ends: windows and timers fire first.
    Drain,
}

/// How the state of a savepoint is written.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FormatFile {
    /// So that a job with any state backend can start from it.
    Canonical,
    /// As the state backend writes its checkpoints: for the same backend alone.
    Native,
}

/// The user cancels the job: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CancelFile {
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// Something that breaks: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum FaultFile {
    /// Something dies.
    Crash(CrashFile),
    /// The JobManager dies.
    JobManagerCrash(JobManagerCrashFile),
    /// Something becomes slow for a while.
    Slow(SlowFile),
    /// The checkpoint storage does not answer, or becomes slow, for a while.
    Storage(StorageFaultFile),
    /// The user deletes a checkpoint by hand.
    Dispose(DisposeFile),
    /// A channel stands still for a while.
    Stall(StallFile),
    /// A message is lost.
    Lose(LoseFile),
    /// A message is late.
    Delay(LateFile),
}

/// Something dies: at a time, upon a fact, or again and again at random.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CrashFile {
    /// A task or a TaskManager.
    crash: String,
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
    /// Again and again, at random, so far apart on average (exponential).
    #[serde(rename = "mean-time-between")]
    mean_time_between: Option<Duration>,
}

/// The JobManager dies, and another one takes over: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JobManagerCrashFile {
    /// The JobManager.
    crash: JobManagerName,
    /// How long there is none. Default: 1 s.
    #[serde(rename = "for")]
    lasts: Option<Duration>,
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// Something becomes slow for a while: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlowFile {
    /// A task, or a channel as `numbers->sum[even]`.
    slow: String,
    /// How many times slower it becomes.
    times: Whole<2, TIMES_MAX>,
    /// For how long.
    #[serde(rename = "for")]
    lasts: Duration,
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// The checkpoint storage does not answer, or becomes slow, for a while: at a
/// time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StorageFaultFile {
    /// What: down, writing and reading fail; slow, they take longer.
    storage: StorageState,
    /// How many times slower it becomes.
    times: Option<Whole<2, TIMES_MAX>>,
    /// For how long.
    #[serde(rename = "for")]
    lasts: Duration,
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// The user deletes a checkpoint or savepoint by hand, with every file that it
/// uses: at a time, or upon a fact.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DisposeFile {
    /// Its number.
    dispose: Whole<1, COUNTER_MAX>,
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// Nothing arrives on a channel for a while; then everything comes, in order.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StallFile {
    /// A channel as `numbers->sum[even]`.
    stall: String,
    /// For how long.
    #[serde(rename = "for")]
    lasts: Duration,
    /// At this time.
    at: Option<Duration>,
    /// Upon this fact.
    when: Option<FactSentence>,
    /// Upon its how-manieth occurrence. Default: 1.
    nth: Option<Whole<1, NTH_MAX>>,
    /// So long after it. Default: in the very next step.
    after: Option<Duration>,
}

/// How the storage is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum StorageState {
    /// It does not answer.
    Down,
    /// It takes longer.
    Slow,
}

/// A message between the JobManager and a task never comes, once.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoseFile {
    /// Which message.
    lose: MessageName,
    /// Who sends it: for an acknowledgement.
    of: Option<TaskName>,
    /// Whom it is for: for a trigger or a notification.
    to: Option<TaskName>,
    /// The checkpoint that it is about.
    checkpoint: Whole<1, COUNTER_MAX>,
}

/// A message between the JobManager and a task comes later, once, and so does
/// what is sent behind it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LateFile {
    /// Which message.
    delay: MessageName,
    /// Who sends it: for an acknowledgement.
    of: Option<TaskName>,
    /// Whom it is for: for a trigger or a notification.
    to: Option<TaskName>,
    /// The checkpoint that it is about.
    checkpoint: Whole<1, COUNTER_MAX>,
    /// How much later it comes.
    by: Duration,
}
