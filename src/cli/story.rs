//! The run that a command tells of: of a scenario a fresh one, of a trace its
//! own; and the place in it that was asked for.

use super::input::{self, Input};
use super::output::Output;
use super::problem::Problem;
use super::progress::Progress;
use super::starts;
use crate::cluster::Detail;
use crate::model::Scenario;
use crate::narrate::Story;
use crate::sim::Simulation;
use crate::trace::{Driver, Step, Trace};

/// Reads or makes the run.
pub(super) fn story(word: &str, seed: Option<u64>, output: Output) -> Result<Story, Problem> {
    match input::read(word, output)? {
        Input::Scenario(scenario) => {
            let seed = seed.unwrap_or(1);
            let scenario = starts::chained(*scenario, word, seed, output)?;
            let trace = run(&scenario, seed);
            Ok(Story::new(scenario, trace))
        }
        Input::Trace(..) if seed.is_some() => {
            let what = "a trace has its own seed, so --seed has no meaning here";
            Err(Problem::input("usage", what, "leave out --seed"))
        }
        Input::Trace(scenario, trace) => Ok(Story::new(*scenario, trace)),
    }
}

fn run(scenario: &Scenario, seed: u64) -> Trace {
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    let mut progress = Progress::new(None, "steps");
    let mut steps = Vec::new();
    while let Some(step) = simulation.step() {
        steps.push(Step { number: step.number, at: step.at, facts: step.facts.to_vec() });
        progress.step();
    }
    progress.end();
    Trace { driver: Driver::Seed(seed), steps, complete: true }
}

/// A step that the run has.
pub(super) fn existing(story: &Story, step: u64) -> Result<u64, Problem> {
    let n = story.n_steps();
    if step > n {
        let what = format!("there is no step {step}");
        return Err(Problem::input("no-step", what, format!("the run has steps 0 to {n}")));
    }
    Ok(step)
}

/// A moment by its name or number: its position in [`Story::spans`].
pub(super) fn moment(story: &Story, wanted: &str) -> Result<usize, Problem> {
    let found = story.spans.iter().enumerate().find(|(span, place)| {
        let name = &story.scenario.moments[place.moment].name;
        name == wanted || story.moment_number(*span).to_string() == *wanted
    });
    if let Some((position, _)) = found {
        return Ok(position);
    }
    let names: Vec<String> = story
        .spans
        .iter()
        .map(|span| format!("`{}`", story.scenario.moments[span.moment].name))
        .collect();
    let help = match names.len() {
        0 => "the run has no moments; --step takes a step’s number".to_owned(),
        _ => format!("its moments are {}", names.join(", ")),
    };
    let what = format!("no moment of this run is called `{wanted}`");
    Err(Problem::input("no-moment", what, help))
}
