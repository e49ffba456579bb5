//! The schema of what happens to a run.

use schemars::JsonSchema;
use serde::Deserialize;

use super::by_hand::{Duration, FactSentence, Whole};
use crate::load::limits::{NTH_MAX, TIMES_MAX};

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
    /// Something becomes slow for a while.
    Slow(SlowFile),
}

/// Something dies: at a time, or upon a fact.
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
