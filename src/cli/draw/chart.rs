//! The numbers of a run, gathered step by step: a trace of any length is read
//! through once and never held.

use super::super::args::{Draw, Numbers};
use super::super::output::Output;
use super::super::problem::Problem;
use super::super::story::{Watched, watch};
use crate::model::{Language, Scenario};
use crate::render::{self, Measure, Scene};
use crate::trace::Metrics;

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
    let mut metrics = None;
    let seed = (arguments.seed, output);
    let Watched { scenario, .. } = watch(&arguments.input, seed, |scenario, step| {
        let metrics = metrics.get_or_insert_with(|| Metrics::new(&scenario.graph));
        metrics.observe(&scenario.graph, step.at, &step.facts);
    })?;
    let mut metrics = metrics.unwrap_or_else(|| Metrics::new(&scenario.graph));
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
