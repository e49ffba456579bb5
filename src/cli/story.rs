//! The run that a command tells of: of a scenario a fresh one, of a trace its
//! own; and the place in it that was asked for.

use super::input::{self, Opened};
use super::output::Output;
use super::problem::Problem;
use super::progress::Progress;
use super::starts;
use crate::cluster::Detail;
use crate::model::Scenario;
use crate::narrate::{Story, StoryReader, Window};
use crate::sim::Simulation;
use crate::trace::{Driver, Ending, Names, Step};

/// Reads or makes the run, and keeps a part of it.
pub(super) fn story(
    word: &str,
    (seed, window): (Option<u64>, Window),
    output: Output,
) -> Result<Story, Problem> {
    let mut reader = None;
    let watched = watch(word, (seed, output), |scenario, step| {
        let reader = reader.get_or_insert_with(|| StoryReader::new(scenario, window));
        reader.read(scenario, step);
    })?;
    let Watched { scenario, driver, complete } = watched;
    let reader = reader.unwrap_or_else(|| StoryReader::new(&scenario, window));
    Ok(reader.finish(scenario, driver, complete))
}

/// A run that has gone by.
pub(super) struct Watched {
    pub(super) scenario: Scenario,
    pub(super) driver: Driver,
    /// Whether its end is there.
    pub(super) complete: bool,
}

/// Reads or makes the run, step by step, and keeps nothing of it.
pub(super) fn watch(
    word: &str,
    (seed, output): (Option<u64>, Output),
    mut take: impl FnMut(&Scenario, Step),
) -> Result<Watched, Problem> {
    let mut progress = Progress::new(None, "steps");
    let watched = match input::begin(word, output)? {
        Opened::Scenario(scenario) => {
            let seed = seed.unwrap_or(1);
            let scenario = Box::new(starts::chained(*scenario, word, seed, output)?);
            let mut simulation = Simulation::new(&scenario, seed, Detail::All);
            while let Some(step) = simulation.step() {
                let facts = step.facts.to_vec();
                take(&scenario, Step { number: step.number, at: step.at, facts });
                progress.step();
            }
            Watched { scenario: *scenario, driver: Driver::Seed(seed), complete: true }
        }
        Opened::Trace(..) if seed.is_some() => {
            let what = "a trace has its own seed, so --seed has no meaning here";
            return Err(Problem::input("usage", what, "leave out --seed"));
        }
        Opened::Trace(scenario, reader) => {
            let driver = reader.header().driver.clone();
            let names = Names::of(&scenario);
            let mut steps = reader.steps(&names);
            for step in steps.by_ref() {
                take(&scenario, step.map_err(|error| input::bad_trace(word, &error))?);
                progress.step();
            }
            let complete = steps.ending() == Some(Ending::Complete);
            drop(steps);
            Watched { scenario: *scenario, driver, complete }
        }
    };
    progress.end();
    Ok(watched)
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
