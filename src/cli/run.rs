//! `checkdam run`: runs a scenario, writes its trace if that is wanted, and
//! prints what became of it.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{Format, Run};
use super::file_log::FileLog;
use super::output::Output;
use super::problem::{CANNOT_TELL, Problem};
use super::progress::Progress;
use super::result::{json, text};
use super::{config, input, savepoint, starts};
use crate::cluster::Detail;
use crate::model::{CheckpointId, Language, Scenario, SnapshotState, SubtaskIndex};
use crate::savepoint::{Recorder, Wanted};
use crate::sim::{Ending, Report, Simulation};
use crate::trace::{Driver, Fact, TraceWriter, View};
use crate::verify::{self, Judge, Verdict};

/// Runs longer than this are not judged: the judge remembers every record.
pub(super) const JUDGED_STEPS_MAX: u64 = 5_000_000;

/// What became of a run.
pub(super) struct RunResult<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) seed: u64,
    pub(super) ending: Ending,
    pub(super) report: Report,
    pub(super) holdings: Holdings,
    pub(super) files: FileLog,
    /// Savepoints that have been written to files.
    pub(super) savepoints: Vec<PathBuf>,
    /// Whether what lies where is printed, too.
    pub(super) shows: Shows,
    /// The end of the run.
    pub(super) view: View,
    /// None for a run that was too long.
    pub(super) verdict: Option<Verdict>,
}

/// What one checkpoint holds.
struct Holding {
    /// The step of its trigger: without high availability, ids come again.
    triggered: u64,
    checkpoint: CheckpointId,
    parts: Vec<(SubtaskIndex, SnapshotState)>,
}

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// What became of the run.
    Result,
    /// And what lies where.
    ResultAndStorage,
}

/// What the newest checkpoints hold.
#[derive(Default)]
pub(super) struct Holdings {
    newest: Vec<Holding>,
}

impl Holdings {
    /// As many checkpoints are printed.
    pub(super) const KEPT_MAX: usize = 20;

    fn observe(&mut self, step: u64, fact: &Fact) {
        match fact {
            Fact::CheckpointTriggered { checkpoint, .. } => {
                if self.newest.len() == Self::KEPT_MAX {
                    self.newest.remove(0);
                }
                let (triggered, checkpoint) = (step, *checkpoint);
                self.newest.push(Holding { triggered, checkpoint, parts: Vec::new() });
            }
            Fact::SnapshotTaken { task, checkpoint, state } => {
                let mut newest = self.newest.iter_mut().rev();
                if let Some(holding) = newest.find(|own| own.checkpoint == *checkpoint) {
                    holding.parts.push((*task, state.clone()));
                }
            }
            _ => {}
        }
    }

    /// What the checkpoint that was triggered in a step holds, by task.
    pub(super) fn of(&self, triggered: u64) -> Vec<(SubtaskIndex, &SnapshotState)> {
        let holding = self.newest.iter().find(|holding| holding.triggered == triggered);
        let parts = holding.into_iter().flat_map(|holding| &holding.parts);
        let mut parts: Vec<_> = parts.map(|(task, state)| (*task, state)).collect();
        parts.sort_by_key(|(task, _)| *task);
        parts
    }
}

/// Runs a scenario.
pub(super) fn run(
    arguments: &Run,
    language: Language,
    output: Output,
) -> Result<ExitCode, Problem> {
    let scenario = input::scenario(&arguments.scenario, output)?;
    let scenario = match &arguments.config {
        Some(file) => config::under(&scenario, file, language, output)?,
        None => scenario,
    };
    let scenario = if arguments.native { savepoint::native(&scenario)? } else { scenario };
    let scenario = match (&arguments.from, &arguments.config) {
        (Some(file), _) => starts::from_file(&scenario, file)?,
        (None, config) => {
            let said_in = config.as_deref().unwrap_or(&arguments.scenario);
            let scenario = starts::from_setting(scenario, said_in)?;
            starts::chained(scenario, &arguments.scenario, arguments.seed, output)?
        }
    };
    let trace = arguments.trace.as_deref().map(create).transpose()?;
    let mut result = simulate(&scenario, arguments, trace)?;
    if arguments.storage {
        result.shows = Shows::ResultAndStorage;
    }
    let status = match result.ending {
        Ending::Finished | Ending::Failed | Ending::Canceled => ExitCode::SUCCESS,
        Ending::Stuck(_) | Ending::OutOfSteps(_) | Ending::OutOfTime(_) => {
            ExitCode::from(CANNOT_TELL)
        }
    };
    if arguments.trace.as_deref() == Some(Path::new("-")) {
        return Ok(status);
    }
    output.print(&match arguments.format {
        Format::Json => format!("{:#}\n", json::json(&result)),
        Format::Text => output.text(&text::text(&result, language)),
    })?;
    Ok(status)
}

fn simulate<'a>(
    scenario: &'a Scenario,
    arguments: &Run,
    trace: Option<Box<dyn Write>>,
) -> Result<RunResult<'a>, Problem> {
    let seed = arguments.seed;
    let mut recorder = arguments.savepoint_dir.as_deref().map(|folder| {
        let wanted = match arguments.retained {
            true => Wanted::SavepointsAndCheckpoints,
            false => Wanted::Savepoints,
        };
        (folder, Recorder::new(scenario, seed, wanted))
    });
    let mut savepoints = Vec::new();
    let mut writer = match trace {
        Some(out) => Some(TraceWriter::new(out, scenario, &Driver::Seed(seed))?),
        None => None,
    };
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    let (mut report, mut holdings) = (Report::default(), Holdings::default());
    let mut files = FileLog::default();
    let mut judge = Some(Judge::new(scenario, Some(seed)));
    let mut progress = Progress::new(None, "steps");
    while let Some(step) = simulation.step() {
        report.observe(step.number, step.at, step.facts);
        step.facts.iter().for_each(|fact| holdings.observe(step.number, fact));
        files.observe(step.number, step.at, step.facts);
        if step.number > JUDGED_STEPS_MAX {
            judge = None;
        }
        if let Some(judge) = &mut judge {
            judge.observe_facts(step.number, step.facts);
        }
        if let Some((folder, recorder)) = &mut recorder {
            for taken in recorder.observe(step.number, step.at, step.facts) {
                savepoints.push(savepoint::write(folder, &scenario.name, &taken)?);
            }
        }
        if let Some(writer) = &mut writer {
            writer.step(step.number, step.at, step.facts)?;
        }
        progress.step();
    }
    progress.end();
    if let Some(writer) = writer {
        writer.finish()?;
    }
    let view = simulation.cluster().view(scenario, simulation.n_steps(), simulation.now());
    let ending = simulation.ending().cloned().expect("a run without a next step has ended");
    let verdict = judge.map(|judge| judge.finish(verify::Ending::Whole));
    let shows = Shows::Result;
    Ok(RunResult {
        scenario,
        seed,
        ending,
        report,
        holdings,
        files,
        savepoints,
        shows,
        view,
        verdict,
    })
}

#[expect(clippy::disallowed_types, reason = "the command line is the room that writes files")]
pub(super) fn create(file: &Path) -> Result<Box<dyn Write>, Problem> {
    if file == Path::new("-") {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    let created: Result<std::fs::File, io::Error> = std::fs::File::create(file);
    match created {
        Ok(created) => Ok(Box::new(created)),
        Err(error) => {
            let what = format!("the trace `{}` cannot be written: {error}", file.display());
            Err(Problem::input("unwritable", what, ""))
        }
    }
}
