//! `checkdam replay`: runs a trace again from its own header and compares it
//! line by line.

use std::io::{Cursor, Read};
use std::process::ExitCode;

use super::input;
use super::output::Output;
use super::problem::{BROKEN, Problem};
use super::progress::Progress;
use crate::cluster::Detail;
use crate::explore::play;
use crate::model::Language;
use crate::sim::Simulation;
use crate::trace::{Comparison, Driver, ENGINE_VERSION, TraceWriter};

/// Replays a trace.
pub(super) fn replay(word: &str, language: Language, output: Output) -> Result<ExitCode, Problem> {
    let mut recorded = input::open(word)?;
    let first = input::first_line(word, &mut recorded)?;
    let (header, scenario) = input::header(word, &first)?;
    if !header.is_of_this_engine() {
        let what = format!(
            "`{word}` was made by engine {} ({}), and this is engine {ENGINE_VERSION}",
            header.engine, header.tool
        );
        let help = "it can be walked through; only the same engine can replay it";
        return Err(Problem::input("other-engine", what, help));
    }
    let mut comparison = Comparison::new(Cursor::new(first).chain(recorded));
    let mut writer = TraceWriter::new(&mut comparison, &scenario, &header.driver)?;
    let n_steps = match &header.driver {
        Driver::Seed(seed) => {
            let mut simulation = Simulation::new(&scenario, *seed, Detail::All);
            let mut progress = Progress::new(None, "steps");
            while let Some(step) = simulation.step() {
                writer.step(step.number, step.at, step.facts)?;
                progress.step();
            }
            progress.end();
            simulation.n_steps()
        }
        Driver::Schedule(schedule) => {
            let trace = play(&scenario, schedule).map_err(|error| {
                let help = "it has been changed since it was written";
                Problem::input("schedule", format!("`{word}`: {error}"), help)
            })?;
            for step in &trace.steps {
                writer.step(step.number, step.at, &step.facts)?;
            }
            trace.steps.len() as u64
        }
    };
    writer.finish()?;
    match comparison.finish()? {
        None => {
            let text = match language {
                Language::En => format!("✓ {word} is replayed byte for byte: {n_steps} steps\n"),
                Language::Zh => format!("✓ {word} 重放后逐字节相同：{n_steps} 步\n"),
            };
            output.print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(difference) => {
            output.print(&format!("✗ {word}: {difference}\n"))?;
            Ok(ExitCode::from(BROKEN))
        }
    }
}
