//! `checkdam walk`: the walkthrough, interactive on a terminal, plain text
//! elsewhere.

use std::io::{self, BufWriter, IsTerminal, Write};

use super::args::Walk;
use super::input::{self, Input};
use super::output::Output;
use super::problem::Problem;
use super::progress::Progress;
use super::session::{Look, Session};
use super::terminal;
use crate::cluster::Detail;
use crate::model::{Language, Scenario};
use crate::narrate::{Grain, Story};
use crate::render::text::{Pictures, Place, WIDTHS};
use crate::sim::Simulation;
use crate::trace::{Driver, Step, Trace};

/// Shows a walkthrough.
pub(super) fn walk(arguments: &Walk, language: Language, output: Output) -> Result<(), Problem> {
    if let Some(width) = arguments.width
        && !WIDTHS.contains(&width)
    {
        let what = format!("a picture cannot be {width} columns wide");
        return Err(Problem::input("width", what, "--width takes 60 to 100"));
    }
    let story = story(arguments, output)?;
    let start = start(arguments, &story)?;
    let grain =
        if arguments.moments || arguments.moment.is_some() { Grain::Moments } else { Grain::Steps };
    if grain == Grain::Moments && story.spans.is_empty() {
        let what = "no moment of a story is in this run";
        return Err(Problem::input("no-moments", what, "walk by steps: leave out --moments"));
    }
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        let (columns, lines) = terminal::size();
        let columns = arguments.width.unwrap_or(columns);
        let look = Look { language, columns, lines, grain };
        let session = Session::new(story, look, start.unwrap_or(0));
        return Ok(terminal::show(session, arguments.width, output)?);
    }
    let columns = arguments.width.or_else(terminal::columns).unwrap_or(*WIDTHS.end());
    let pictures = Pictures::new(&story, language, columns);
    let places: Vec<Place> = match (start, grain) {
        (Some(step), Grain::Steps) => vec![Place::Step(step)],
        (Some(step), Grain::Moments) => {
            story.span_near(step).map(Place::Moment).into_iter().collect()
        }
        (None, Grain::Steps) => (0..=story.n_steps()).map(Place::Step).collect(),
        (None, Grain::Moments) => (0..story.spans.len()).map(Place::Moment).collect(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for (number, place) in places.into_iter().enumerate() {
        if number > 0 {
            out.write_all(b"\n")?;
        }
        out.write_all(output.text(&pictures.frame(place)).as_bytes())?;
    }
    Ok(out.flush()?)
}

/// The run to walk through: of a scenario a fresh one, of a trace its own.
fn story(arguments: &Walk, output: Output) -> Result<Story, Problem> {
    match input::read(&arguments.input, output)? {
        Input::Scenario(scenario) => {
            let trace = run(&scenario, arguments.seed.unwrap_or(1));
            Ok(Story::new(*scenario, trace))
        }
        Input::Trace(..) if arguments.seed.is_some() => {
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

/// The step that was asked for, by its number or by a moment's name.
fn start(arguments: &Walk, story: &Story) -> Result<Option<u64>, Problem> {
    if let Some(step) = arguments.step {
        let n = story.n_steps();
        if step > n {
            let what = format!("there is no step {step}");
            return Err(Problem::input("no-step", what, format!("the run has steps 0 to {n}")));
        }
        return Ok(Some(step));
    }
    let Some(wanted) = &arguments.moment else { return Ok(None) };
    let found = story.spans.iter().enumerate().find(|(span, place)| {
        let name = &story.scenario.moments[place.moment].name;
        name == wanted || story.moment_number(*span).to_string() == *wanted
    });
    if let Some((_, span)) = found {
        return Ok(Some(span.last));
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
