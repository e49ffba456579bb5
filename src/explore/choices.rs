//! What may go wrong, and how much of the search may cost.

use crate::model::{Document, Fault, FaultKind, Scenario, Time, When};

/// What may happen besides the scenario's own events, and how often at most.
///
/// The scenario's own faults happen at any moment, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Crashes of a subtask, of whichever.
    pub crashes: u8,
    /// Requests of the coordinator's interval.
    pub intervals: u8,
    /// Pending checkpoints that take too long.
    pub expiries: u8,
    /// Which orders are tried.
    pub orders: Orders,
    /// What is looked for; the search ends where it is found.
    pub find: Option<Find>,
}

/// Which orders of events are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Orders {
    /// Of those that come to the same, some.
    #[default]
    Representative,
    /// Every one.
    All,
}

/// Something that a run can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Find {
    /// A record waits behind a barrier whose channel is blocked.
    HeldBack,
    /// An unaligned snapshot holds records in flight.
    ChannelState,
    /// A checkpoint completes after one with a higher id was triggered.
    Overtaken,
    /// An attempt starts from a completed checkpoint.
    RestartFromCheckpoint,
    /// A transaction is aborted.
    AbortedTransaction,
}

impl Default for Choices {
    /// No crash, one checkpoint where the job takes them periodically, and every
    /// checkpoint comes in time.
    fn default() -> Self {
        Self { crashes: 0, intervals: 1, expiries: 0, orders: Orders::Representative, find: None }
    }
}

/// When a search gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most states that are looked at.
    pub states_max: u32,
    /// The most bytes of memory for them.
    pub bytes_max: u64,
}

impl Default for Budget {
    /// Ten million states, 4 GiB.
    fn default() -> Self {
        Self { states_max: 10_000_000, bytes_max: 4 << 30 }
    }
}

/// The scenario with a crash of each subtask behind its own faults, so that a
/// run of it can be written down as an ordinary trace.
///
/// # Panics
/// When the scenario's document is not a JSON object.
#[must_use]
pub(super) fn with_crashes(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    let mut document = Document::parse(&scenario.document).expect("a scenario is an object");
    for task in &scenario.graph.subtasks {
        let crash = serde_json::json!({ "crash": task.name, "at": 0 });
        document.push("faults", &crash).expect("a scenario's faults are a list");
    }
    scenario.document = document.text();
    scenario.faults.extend(
        scenario
            .graph
            .subtask_indices()
            .map(|task| Fault { kind: FaultKind::CrashSubtask(task), when: When::At(Time::ZERO) }),
    );
    scenario
}
