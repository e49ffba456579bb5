//! The numbers of a run, gathered step by step: a trace of any length is read
//! through once and never held.

use super::super::args::{Draw, Numbers};
use super::super::input::{self, Opened};
use super::super::output::Output;
use super::super::problem::Problem;
use super::super::progress::Progress;
use crate::cluster::Detail;
use crate::model::{Language, Scenario};
use crate::render::{self, Measure, Scene};
use crate::sim::Simulation;
use crate::trace::{Metrics, Names};

/// Runs or reads what was named, and draws its numbers.
pub(super) fn chart(
    arguments: &Draw,
    language: Language,
    output: Output,
) -> Result<Scene, Problem> {
    let (scenario, metrics) = gather(arguments, output)?;
    let measures: Vec<Measure> = match arguments.only.as_slice() {
        [] => Measure::ALL.to_vec(),
        only => only.iter().map(|numbers| measure(*numbers)).collect(),
    };
    if measures.len() > Measure::ALL.len() {
        let help = "name each kind of numbers once";
        return Err(Problem::input("only", "a chart has room for six kinds of numbers", help));
    }
    Ok(render::chart(&scenario, &metrics, language, &measures))
}

fn gather(arguments: &Draw, output: Output) -> Result<(Scenario, Metrics), Problem> {
    let word = &arguments.input;
    let mut progress = Progress::new(None, "steps");
    let gathered = match input::begin(word, output)? {
        Opened::Scenario(scenario) => {
            let mut metrics = Metrics::new(&scenario.graph);
            let seed = arguments.seed.unwrap_or(1);
            let mut simulation = Simulation::new(&scenario, seed, Detail::All);
            while let Some(step) = simulation.step() {
                metrics.observe(&scenario.graph, step.at, step.facts);
                progress.step();
            }
            (*scenario, metrics)
        }
        Opened::Trace(..) if arguments.seed.is_some() => {
            let what = "a trace has its own seed, so --seed has no meaning here";
            return Err(Problem::input("usage", what, "leave out --seed"));
        }
        Opened::Trace(scenario, reader) => {
            let mut metrics = Metrics::new(&scenario.graph);
            let names = Names::of(&scenario);
            for step in reader.steps(&names) {
                let step = step.map_err(|error| input::bad_trace(word, &error))?;
                metrics.observe(&scenario.graph, step.at, &step.facts);
                progress.step();
            }
            (*scenario, metrics)
        }
    };
    progress.end();
    let (scenario, mut metrics) = gathered;
    metrics.finish();
    Ok((scenario, metrics))
}

fn measure(numbers: Numbers) -> Measure {
    match numbers {
        Numbers::Duration => Measure::Duration,
        Numbers::Alignment => Measure::Alignment,
        Numbers::InFlight => Measure::InFlight,
        Numbers::Throughput => Measure::Throughput,
        Numbers::Queues => Measure::Queues,
        Numbers::Latency => Measure::Latency,
    }
}
