//! One step, and a whole trace in memory.

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::view::View;
use crate::model::{CheckpointId, ExecutionGraph, Time};

/// The version of the trace's format: what the words in a trace mean.
pub const FORMAT_VERSION: u32 = 2;
/// The version of the engine: the same version makes the same trace of the same
/// scenario and driver, byte for byte.
pub const ENGINE_VERSION: u32 = 1;

/// One applied event with all its facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// From 1; step 0 is the start, before anything has happened.
    pub number: u64,
    /// When.
    pub at: Time,
    /// In the order in which they happened.
    pub facts: Vec<Fact>,
}

/// What decided the order of events.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Driver {
    /// The simulator with this seed.
    Seed(u64),
    /// A list of lanes, one a step.
    Schedule(Vec<u32>),
}

/// A trace in memory: the driver and every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What decided the order.
    pub driver: Driver,
    /// Step 1 first.
    pub steps: Vec<Step>,
    /// Whether the end is there: false when the file was cut, or the writer
    /// died.
    pub complete: bool,
}

impl Trace {
    /// The view after a step; step 0 is the start.
    ///
    /// # Errors
    /// When the trace is damaged: some fact cannot have happened.
    pub fn view(&self, graph: &ExecutionGraph, step: u64) -> Result<View, String> {
        let mut view = View::start(graph);
        for step in self.steps.iter().take_while(|candidate| candidate.number <= step) {
            view.apply_step(graph, step)?;
        }
        Ok(view)
    }
}

impl Trace {
    /// Which checkpoints are savepoints.
    #[must_use]
    pub fn savepoints(&self) -> Vec<CheckpointId> {
        let facts = self.steps.iter().flat_map(|step| &step.facts);
        let savepoints = facts.filter_map(|fact| match fact {
            Fact::CheckpointTriggered { checkpoint, snapshot, .. }
            | Fact::SavepointRestored { checkpoint, snapshot, .. }
                if snapshot.is_savepoint() =>
            {
                Some(*checkpoint)
            }
            _ => None,
        });
        savepoints.collect()
    }
}

impl View {
    /// Lets a step happen.
    ///
    /// # Errors
    /// As [`View::apply`]; the text names the step.
    pub fn apply_step(&mut self, graph: &ExecutionGraph, step: &Step) -> Result<(), String> {
        self.step = step.number;
        self.at = step.at;
        for fact in &step.facts {
            self.apply(graph, fact).map_err(|what| format!("step {}: {what}", step.number))?;
        }
        Ok(())
    }
}
