//! A savepoint that somebody asks for during a walk: the same run once more,
//! with one more request in its scenario.

use serde_json::json;

use crate::cluster::Detail;
use crate::load;
use crate::model::{Document, Scenario, Time};
use crate::narrate::{Story, StoryReader, Window};
use crate::sim::Simulation;
use crate::trace::{Driver, Step};

/// What has become of the wish for a savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The run has one more request, at this time.
    AskedAt(Time),
    /// Nothing happens any more after the step that is shown.
    Over,
    /// The run cannot be had again from its scenario and seed: another engine
    /// made it, or it follows a list of lanes.
    NotOurs,
}

/// The run with a savepoint that is asked for just after a step. Up to that step
/// it is the same.
///
/// # Errors
/// When that cannot be.
pub(super) fn with_savepoint(story: &Story, step: u64) -> Result<(Story, Time), Answer> {
    if step >= story.n_steps() {
        return Err(Answer::Over);
    }
    let Driver::Seed(seed) = story.trace.driver else { return Err(Answer::NotOurs) };
    let (view, _) = story.at(step);
    // Behind all that happens at the time of the step.
    let at = Time(view.at.0 + 1);
    let scenario = with_request(&story.scenario, at).ok_or(Answer::NotOurs)?;
    let asked = told(scenario, seed);
    let n_same = step as usize;
    let is_same = asked.trace.steps.get(..n_same) == story.trace.steps.get(..n_same);
    if is_same { Ok((asked, at)) } else { Err(Answer::NotOurs) }
}

/// The scenario, read again with one more request in its document.
fn with_request(scenario: &Scenario, at: Time) -> Option<Scenario> {
    let mut document = Document::parse(&scenario.document)?;
    document.push("savepoints", &json!({ "at": format!("{} micros", at.0) }))?;
    if scenario.config.state.savepoint_directory.is_none() {
        let key = "execution.checkpointing.savepoint-dir";
        document.set("config", key, &json!("file:///savepoints"))?;
    }
    let loaded = load::scenario(&scenario.name, document.text().as_bytes()).ok()?;
    Some(Scenario { start: scenario.start.clone(), ..loaded.scenario })
}

fn told(scenario: Scenario, seed: u64) -> Story {
    let mut reader = StoryReader::new(&scenario, Window::WHOLE);
    let mut simulation = Simulation::new(&scenario, seed, Detail::All);
    while let Some(step) = simulation.step() {
        let facts = step.facts.to_vec();
        reader.read(&scenario, Step { number: step.number, at: step.at, facts });
    }
    drop(simulation);
    reader.finish(scenario, Driver::Seed(seed), true)
}
