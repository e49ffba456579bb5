//! `checkdam sweep`: many runs of one scenario with values varied, as a table
//! and as a chart.

mod figure;
mod results;
mod table;
mod words;

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

use super::args::{FigureFormat, MeasuredName, Sweep, TableFormat};
use super::draw::files::write;
use super::draw::format_of;
use super::draw::press::Press;
use super::input;
use super::output::Output;
use super::problem::{CANNOT_TELL, Problem};
use super::progress::Progress;
use crate::lab::sweep::{
    Measured, Numbers, Plan, PlanError, RUNS_MAX, Recipe, Table, Vary, recipes,
};
use crate::lab::{Shard, fan_out};
use crate::load;
use crate::model::{Language, Scenario};
use table::Report;

/// Carries a sweep out, or lists the built-in ones.
pub(super) fn sweep(
    arguments: &Sweep,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let Some(word) = &arguments.scenario else {
        output.print(&words::built_in(language))?;
        return Ok(ExitCode::SUCCESS);
    };
    let outs = outs(arguments)?;
    let plan = plan(arguments, word, output)?;
    if !arguments.merge.is_empty() {
        let merged = results::merge(&plan, &arguments.merge)?;
        if let Some(missing) = merged.missing {
            output.complain(&missing);
            return Ok(ExitCode::from(CANNOT_TELL));
        }
        return report(arguments, (&plan, &merged.runs), (&outs, language, output));
    }
    let shard = match &arguments.shard {
        None => Shard::WHOLE,
        Some(text) => text.parse::<Shard>().map_err(|error| {
            Problem::input("shard", error.to_string(), "--shard 0/4 to --shard 3/4")
        })?,
    };
    let runs = run(&plan, shard);
    if let Some(file) = &arguments.results {
        write(Some(file), &results::bytes(&plan, shard, &runs)?)?;
    }
    if shard != Shard::WHOLE {
        return Ok(ExitCode::SUCCESS);
    }
    report(arguments, (&plan, &runs), (&outs, language, output))
}

/// A file that is wanted.
#[derive(Clone, Copy, Debug)]
enum Out<'a> {
    Figure(&'a Path, FigureFormat),
    Table(&'a Path, TableFormat),
}

/// Which files are wanted; what cannot be is told before anything runs.
fn outs(arguments: &Sweep) -> Result<Vec<Out<'_>>, Problem> {
    arguments.out.iter().map(|path| out(path)).collect()
}

fn out(path: &Path) -> Result<Out<'_>, Problem> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => return Ok(Out::Table(path, TableFormat::Csv)),
        Some("json") => return Ok(Out::Table(path, TableFormat::Json)),
        _ => {}
    }
    match format_of(path)? {
        format @ (FigureFormat::Svg | FigureFormat::Png) => Ok(Out::Figure(path, format)),
        other => {
            let what = format!("a sweep cannot be written as .{}", other.ending());
            Err(Problem::input("format", what, "-o FILE.svg, .png, .csv or .json"))
        }
    }
}

fn plan(arguments: &Sweep, word: &str, output: Output) -> Result<Plan, Problem> {
    let recipe = recipes().iter().find(|recipe| recipe.name == word);
    let scenario = match recipe {
        Some(recipe) => scenario_of(recipe),
        None => input::scenario(word, output)?,
    };
    if scenario.from.is_some() || scenario.config.savepoint_path.is_some() {
        let name = &scenario.name;
        let what = format!("`{name}` starts from a savepoint, and a sweep starts from nothing");
        let help = "leave out \"from\" and execution.state-recovery.path";
        return Err(Problem::input("sweep-from-savepoint", what, help));
    }
    let varies: Vec<&str> = match (recipe, arguments.varies.as_slice()) {
        (Some(recipe), []) => recipe.varies.to_vec(),
        (None, []) => {
            let what = "a sweep varies something, and --vary is missing";
            let help = "--vary latency=0..50ms; checkdam sweep alone lists the built-in sweeps";
            return Err(Problem::input("no-vary", what, help));
        }
        (_, given) => given.iter().map(String::as_str).collect(),
    };
    let varies: Result<Vec<Vary>, _> = varies.into_iter().map(str::parse).collect();
    let varies = varies.map_err(|error: crate::lab::sweep::VaryError| {
        Problem::input("vary", error.what, error.remedy)
    })?;
    for (place, vary) in varies.iter().enumerate() {
        if varies[..place].iter().any(|other| other.key == vary.key) {
            let what = format!("`{}` is varied twice", vary.key);
            return Err(Problem::input("vary", what, "give all of its values at once"));
        }
    }
    let measured = match (recipe, arguments.measure.as_slice()) {
        (Some(recipe), []) => recipe.measured.to_vec(),
        (None, []) => vec![Measured::Duration],
        (_, named) => named.iter().map(|name| measured(*name)).collect(),
    };
    if measured.len() > 6 {
        let what = "a chart has room for six kinds of numbers";
        return Err(Problem::input("measure", what, "name each kind of numbers once"));
    }
    let n_seeds = arguments.seeds.or(recipe.map(|recipe| recipe.n_seeds)).unwrap_or(1);
    let plan = Plan::new(scenario, varies, measured, (arguments.seed, n_seeds));
    let n = plan.n_points().saturating_mul(n_seeds);
    if n > RUNS_MAX {
        let what = format!("that are {n} runs, and {RUNS_MAX} are the most");
        return Err(Problem::input("too-many", what, "fewer values, or fewer --seeds"));
    }
    for point in 0..plan.n_points() {
        plan.scenario(point).map_err(problem)?;
    }
    Ok(plan)
}

fn scenario_of(recipe: &Recipe) -> Scenario {
    let loaded = load::scenario(recipe.name, recipe.text.as_bytes());
    loaded.expect("the built-in sweeps are tested to be right").scenario
}

fn problem(error: PlanError) -> Problem {
    match error {
        PlanError::NoPlace { key, what } => {
            let help = "--help says which keys there are";
            Problem::input("vary", format!("`{key}` has no place in the scenario: {what}"), help)
        }
        PlanError::Scenario { problems, .. } => Problem::Scenario(problems),
    }
}

fn measured(name: MeasuredName) -> Measured {
    match name {
        MeasuredName::Duration => Measured::Duration,
        MeasuredName::Alignment => Measured::Alignment,
        MeasuredName::Persisted => Measured::Persisted,
        MeasuredName::Latency => Measured::Latency,
        MeasuredName::Throughput => Measured::Throughput,
        MeasuredName::Time => Measured::Time,
        MeasuredName::Cost => Measured::Cost,
    }
}

/// Runs a shard's cases on all cores; results are in the order of the cases.
fn run(plan: &Plan, shard: Shard) -> Vec<Numbers> {
    let n_threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let cases = shard.cases(plan.batch().cases);
    let mut progress = Progress::new(Some(cases.clone().count() as u64), "runs");
    let mut runs = Vec::new();
    let taken = fan_out(
        cases,
        n_threads,
        |case| plan.run(case),
        |_, numbers| {
            runs.push(numbers);
            progress.one();
            Ok::<(), std::convert::Infallible>(())
        },
    );
    let Ok(()) = taken;
    progress.end();
    runs
}

/// Prints the table and writes the files.
fn report(
    arguments: &Sweep,
    (plan, runs): (&Plan, &[Numbers]),
    (outs, language, output): (&[Out<'_>], Language, Output),
) -> Result<ExitCode, Problem> {
    let table = Table::new(plan, runs);
    let report = Report { plan, table: &table, language };
    for out in outs {
        match *out {
            Out::Table(path, format) => write(Some(path), report.print(format).as_bytes())?,
            Out::Figure(path, format) => {
                let drawing = figure::draw(&report);
                let mut press = Press::new(format, arguments.look);
                let bytes = press.print(&drawing)?;
                press.warn(&output);
                write(Some(path), &bytes)?;
            }
        }
    }
    output.print(&report.print(arguments.format))?;
    let is_whole = table.rows.iter().all(|row| row.n_finished == row.n_runs);
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(CANNOT_TELL) })
}
