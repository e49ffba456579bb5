//! `checkdam verify`: judges a trace, or a fresh run of a scenario.

mod json;
mod ledger;
mod text;

pub(in crate::cli) use text::findings;

use std::process::ExitCode;

use super::args::{Format, Verify};
use super::input::{self, Opened};
use super::output::Output;
use super::problem::{BROKEN, CANNOT_TELL, Problem};
use super::progress::Progress;
use super::starts;
use crate::cluster::Detail;
use crate::model::{Language, Scenario};
use crate::render::text::Frame;
use crate::sim::{Simulation, simulate};
use crate::trace::{Driver, Ending as TraceEnding, Names, Trace};
use crate::verify::{Ending, Judge, Outcome, Verdict, verify_chain};

/// What has been judged, and how.
struct Judged {
    scenario: Box<Scenario>,
    /// None: no dice decided the run.
    seed: Option<u64>,
    n_steps: u64,
    /// What the file says of its end, if that is not there.
    note: Option<String>,
    verdict: Verdict,
    shows: Shows,
}

/// How much is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Verdict,
    VerdictAndLedger,
}

/// The verdict on a run of a scenario, as `checkdam verify` prints it. Without a
/// seed no dice decided the run.
pub(super) fn page(
    scenario: &Scenario,
    seed: Option<u64>,
    (n_steps, verdict): (u64, &Verdict),
    language: Language,
) -> Frame {
    let judged = Judged {
        scenario: Box::new(scenario.clone()),
        seed,
        n_steps,
        note: None,
        verdict: verdict.clone(),
        shows: Shows::Verdict,
    };
    text::text(&judged, language)
}

/// Judges.
pub(super) fn verify(
    arguments: &Verify,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let word = &arguments.input;
    let mut judged = match input::begin(word, output)? {
        Opened::Scenario(scenario) => {
            let seed = arguments.seed.unwrap_or(1);
            let mut links = starts::links(*scenario, word, seed, output)?;
            let last = links.pop().expect("there is at least the scenario itself");
            match arguments.as_one {
                true => judge_chain(&links, Box::new(last), seed),
                false => judge_run(Box::new(last), seed),
            }
        }
        Opened::Trace(..) if arguments.as_one => {
            let what = "a trace has only the last run, so --as-one has no meaning here";
            return Err(Problem::input("usage", what, "name the scenario instead"));
        }
        Opened::Trace(..) if arguments.seed.is_some() => {
            let what = "a trace has its own seed, so --seed has no meaning here";
            return Err(Problem::input("usage", what, "leave out --seed"));
        }
        Opened::Trace(scenario, reader) => {
            let seed = match reader.header().driver {
                Driver::Seed(seed) => Some(seed),
                Driver::Schedule(_) => None,
            };
            let names = Names::of(&scenario);
            let mut steps = reader.steps(&names);
            let mut judge = Judge::new(&scenario, seed);
            let (mut progress, mut n_steps) = (Progress::new(None, "steps"), 0);
            while let Some(step) = steps.next() {
                let step = step.map_err(|error| input::bad_trace(word, &error))?;
                judge.observe(&step);
                steps.recycle(step);
                n_steps += 1;
                progress.step();
            }
            progress.end();
            let ending = steps.ending().expect("the steps have been read to their end");
            let verdict = judge.finish(match ending {
                TraceEnding::Complete => Ending::Whole,
                TraceEnding::Cut { .. } => Ending::Cut,
            });
            let note = ending.note();
            Judged { scenario, seed, n_steps, note, verdict, shows: Shows::Verdict }
        }
    };
    if arguments.ledger {
        judged.shows = Shows::VerdictAndLedger;
    }
    output.print(&match arguments.format {
        Format::Json => format!("{:#}\n", json::json(&judged)),
        Format::Text => output.text(&text::text(&judged, language)),
    })?;
    Ok(match judged.verdict.answer() {
        Outcome::Holds => ExitCode::SUCCESS,
        Outcome::Violated => ExitCode::from(BROKEN),
        Outcome::CannotTell => ExitCode::from(CANNOT_TELL),
    })
}

fn judge_chain(before: &[Scenario], scenario: Box<Scenario>, seed: u64) -> Judged {
    let run = |scenario: &Scenario| simulate(scenario, seed).0;
    let earlier: Vec<Trace> = before.iter().map(run).collect();
    let last = run(&scenario);
    let mut runs: Vec<(&Scenario, &Trace)> = before.iter().zip(&earlier).collect();
    runs.push((&scenario, &last));
    let verdict = verify_chain(&runs);
    let n_steps = runs.iter().map(|(_, trace)| trace.steps.len() as u64).sum();
    Judged { scenario, seed: Some(seed), n_steps, note: None, verdict, shows: Shows::Verdict }
}

fn judge_run(scenario: Box<Scenario>, seed: u64) -> Judged {
    let mut simulation = Simulation::new(&scenario, seed, Detail::All);
    let mut judge = Judge::new(&scenario, Some(seed));
    let mut progress = Progress::new(None, "steps");
    while let Some(step) = simulation.step() {
        judge.observe_facts(step.number, step.facts);
        progress.step();
    }
    progress.end();
    let n_steps = simulation.n_steps();
    let verdict = judge.finish(Ending::Whole);
    Judged { scenario, seed: Some(seed), n_steps, note: None, verdict, shows: Shows::Verdict }
}
