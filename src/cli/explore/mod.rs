//! `checkdam explore`: every order in which a scenario can happen, and every
//! crash point.

mod json;
mod text;

use std::process::ExitCode;

use indicatif::HumanCount;

use super::args::{Explore, FindName, Format};
use super::output::Output;
use super::problem::{BROKEN, CANNOT_TELL, Problem};
use super::progress::Meter;
use super::{input, run, starts};
use crate::explore::{Budget, Choices, Ended, Exploration, Find, Orders, explore_and_tell, play};
use crate::model::{Language, Scenario};
use crate::trace::{Driver, Trace, TraceWriter};

/// A search that is over.
struct Explored<'a> {
    scenario: &'a Scenario,
    choices: Choices,
    budget: Budget,
    found: Exploration,
    seconds: f64,
    /// Where the trace of what was found is.
    trace: Option<String>,
    /// How many outcomes are shown with the order that leads to them.
    n_shown: usize,
}

/// Explores a scenario.
pub(super) fn explore(
    arguments: &Explore,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let word = &arguments.scenario;
    let scenario = starts::chained(input::scenario(word, output)?, word, 1, output)?;
    let choices = Choices {
        crashes: arguments.crashes,
        intervals: arguments.checkpoints,
        expiries: arguments.expiries,
        orders: match arguments.all_orders {
            true => Orders::All,
            false => Orders::Representative,
        },
        find: arguments.find.map(Find::from),
    };
    let budget =
        Budget { states_max: arguments.states, bytes_max: u64::from(arguments.memory) << 20 };
    let mut meter = Meter::new();
    let found = explore_and_tell(&scenario, (choices, budget), |progress| {
        meter.show(|| {
            format!(
                "{} states · {} to look at · up to step {}",
                HumanCount(progress.n_states),
                HumanCount(progress.n_waiting),
                progress.depth
            )
        });
    });
    let seconds = meter.end().as_secs_f64();
    let found = found.map_err(|error| {
        let what = format!("`{}` has too many {} to be explored", arguments.scenario, error.what);
        Problem::input("too-large", what, "leave out tasks or records, or make channels smaller")
    })?;
    let schedule = found.counterexample.as_ref().map(|one| &one.schedule).or(found.found.as_ref());
    let trace = match (&arguments.trace, schedule) {
        (Some(file), Some(schedule)) => {
            write_trace(&found.scenario, schedule, run::create(file)?)?;
            Some(file.display().to_string())
        }
        _ => None,
    };
    let n_shown = arguments.show;
    let explored =
        Explored { scenario: &scenario, choices, budget, found, seconds, trace, n_shown };
    output.print(&match arguments.format {
        Format::Json => format!("{:#}\n", json::json(&explored)),
        Format::Text => output.text(&text::text(&explored, language)),
    })?;
    Ok(match (explored.found.ended, choices.find) {
        (Ended::Violated, _) => ExitCode::from(BROKEN),
        (Ended::Exhausted, None) | (Ended::Found, _) => ExitCode::SUCCESS,
        // What is looked for does not exist.
        (Ended::Exhausted, Some(_)) => ExitCode::from(BROKEN),
        (Ended::TooManyStates | Ended::TooMuchMemory, _) => ExitCode::from(CANNOT_TELL),
    })
}

/// The run of a schedule that the search has found.
fn played(scenario: &Scenario, schedule: &[u32]) -> Trace {
    play(scenario, schedule).expect("the search has gone this way")
}

fn write_trace(
    scenario: &Scenario,
    schedule: &[u32],
    out: Box<dyn std::io::Write>,
) -> Result<(), Problem> {
    let driver = Driver::Schedule(schedule.to_vec());
    let mut writer = TraceWriter::new(out, scenario, &driver)?;
    for step in played(scenario, schedule).steps {
        writer.step(step.number, step.at, &step.facts)?;
    }
    Ok(writer.finish()?)
}

impl From<FindName> for Find {
    fn from(name: FindName) -> Self {
        match name {
            FindName::HeldBack => Self::HeldBack,
            FindName::ChannelState => Self::ChannelState,
            FindName::Overtaken => Self::Overtaken,
            FindName::Restart => Self::RestartFromCheckpoint,
            FindName::AbortedTransaction => Self::AbortedTransaction,
        }
    }
}
