//! `checkdam fuzz`: random cases on all cores, or the results of shards put
//! together; what fails is made small and saved.

mod json;
mod mistakes;
mod results;
mod save;
mod text;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use super::args::{self, Format};
use super::explain;
use super::output::Output;
use super::problem::{BROKEN, CANNOT_TELL, Problem};
use super::progress::Progress;
use super::words::pick;
use crate::lab::random::Protocol;
use crate::lab::{
    CaseOutcome, CaseResult, Failure, Fuzz, Kind, Missing, Shard, fan_out, kind_of, kinds, written,
};
use crate::model::{Language, Mutation};
use crate::verify::Property;

/// What is known of a batch.
struct Gathered {
    fuzz: Fuzz,
    shard: Shard,
    results: Vec<CaseResult>,
    /// Shards that nobody has brought.
    missing: Vec<Missing>,
}

/// What was saved of a kind of failure.
struct Saved {
    kind: Kind,
    /// The scenario file.
    file: PathBuf,
    /// Of its run; none if this program panics.
    n_steps: Option<u64>,
}

/// Runs cases, or puts results together.
pub(super) fn fuzz(
    arguments: &args::Fuzz,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let threads = arguments.threads.unwrap_or_else(processors);
    // An assertion that fails is a finding here, and while it is made small it
    // fails a thousand times.
    std::panic::set_hook(Box::new(|_| ()));
    let only = arguments.only.as_deref().map(property).transpose()?;
    if let Some(case) = arguments.show {
        let fuzz = asked_for(arguments)?;
        output.print(&written(&fuzz.document(case)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.mistakes {
        return mistakes::mistakes(arguments, threads, (language, output));
    }
    let gathered = match arguments.merge.is_empty() {
        true => run(arguments, threads)?,
        false => results::merged(arguments, output)?,
    };
    if arguments.results.as_deref().is_some_and(|file| file.as_os_str() == "-") {
        return Ok(status(&gathered));
    }
    let kinds = match only {
        Some(property) => kind_of(&gathered.results, property).into_iter().collect(),
        None => kinds(&gathered.results),
    };
    let mut saved = Vec::new();
    let mut progress = Progress::new(Some(kinds.len() as u64), "made small");
    let fuzz = &gathered.fuzz;
    let small = |place: u64| {
        let kind = kinds[place as usize];
        (kind, fuzz.shrunk(kind.case, kind.failure))
    };
    fan_out(0..kinds.len() as u64, threads, small, |_, (kind, found)| {
        saved.push(save::save(&arguments.out, fuzz, (kind, &found))?);
        progress.one();
        Ok::<(), Problem>(())
    })?;
    progress.end();
    output.print(&match arguments.format {
        Format::Json => format!("{:#}\n", json::json(&gathered, &saved)),
        Format::Text => output.text(&text::text(&gathered, &saved, language)),
    })?;
    Ok(status(&gathered))
}

fn status(gathered: &Gathered) -> ExitCode {
    let is = |wanted: CaseOutcome| gathered.results.iter().any(|own| own.outcome == wanted);
    if is(CaseOutcome::Violated) || is(CaseOutcome::Panicked) {
        ExitCode::from(BROKEN)
    } else if is(CaseOutcome::CannotTell) || !gathered.missing.is_empty() {
        ExitCode::from(CANNOT_TELL)
    } else {
        ExitCode::SUCCESS
    }
}

fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

fn asked_for(arguments: &args::Fuzz) -> Result<Fuzz, Problem> {
    let broken = arguments.broken.iter().map(|name| mutation(name));
    let broken = broken.collect::<Result<Vec<_>, _>>()?;
    let protocol = arguments.protocol.as_deref().map(protocol).transpose()?;
    Ok(Fuzz { seed: arguments.seed, n_cases: arguments.cases, protocol, broken })
}

fn run(arguments: &args::Fuzz, threads: NonZeroUsize) -> Result<Gathered, Problem> {
    let fuzz = asked_for(arguments)?;
    let shard = match &arguments.shard {
        None => Shard::WHOLE,
        Some(text) => text.parse().map_err(|error: crate::lab::ShardError| {
            Problem::input("shard", error.to_string(), "--shard 0/4 is the first of four parts")
        })?,
    };
    let cases = shard.cases(fuzz.n_cases);
    let mut writer = results::Writer::new(arguments.results.as_deref(), &fuzz.batch(), shard)?;
    let mut progress = Progress::new(Some(cases.clone().count() as u64), "cases");
    let mut all = Vec::new();
    fan_out(
        cases,
        threads,
        |case| fuzz.result(case),
        |_, result| {
            writer.case(&result)?;
            all.push(result);
            progress.one();
            Ok::<(), Problem>(())
        },
    )?;
    progress.end();
    writer.finish()?;
    Ok(Gathered { fuzz, shard, results: all, missing: Vec::new() })
}

fn mutation(name: &str) -> Result<Mutation, Problem> {
    Mutation::of_name(name).ok_or_else(|| {
        let all = "checkdam list --mutations shows them all";
        let help = match nearest(name, Mutation::every().map(Mutation::name)) {
            Some(near) => format!("did you mean `{near}`? {all}"),
            None => all.to_owned(),
        };
        Problem::input("mutation", format!("there is no rule `{name}` to break"), help)
    })
}

fn protocol(name: &str) -> Result<Protocol, Problem> {
    Protocol::of_name(name).ok_or_else(|| {
        let names = Protocol::ALL.map(Protocol::name);
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the protocols are {}", names.join(", ")),
        };
        Problem::input("protocol", format!("there is no protocol `{name}`"), help)
    })
}

fn property(name: &str) -> Result<Property, Problem> {
    Property::of_name(name).ok_or_else(|| {
        let names = Property::ALL.map(Property::name);
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the properties are {}", names.join(", ")),
        };
        Problem::input("property", format!("there is no property `{name}`"), help)
    })
}

/// What was perhaps meant.
fn nearest(name: &str, known: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    const NEAR: f64 = 0.7;
    let likenesses = known.into_iter().map(|own| (strsim::jaro_winkler(name, own), own));
    let near = likenesses.filter(|(likeness, _)| *likeness >= NEAR);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, own)| own)
}

/// What is wrong, in a sentence.
fn sentence(failure: Failure, language: Language) -> &'static str {
    match failure {
        Failure::Broken(property) => explain::sentence(property, language),
        Failure::Panic => pick(
            language,
            "this program itself makes a mistake: please report it",
            "本程序自己出了错，请报告",
        ),
    }
}
