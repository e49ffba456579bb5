//! The command line: arguments, files, standard output, the terminal. The only
//! room that touches the world.

mod args;
mod asked;
mod columns;
mod compare;
mod config;
mod demo;
mod draw;
mod explain;
mod explore;
mod file_log;
mod fuzz;
mod input;
mod list;
mod mutations;
mod new;
mod output;
mod page;
mod problem;
mod progress;
mod questions;
mod reference;
mod remedy;
mod replay;
mod result;
mod run;
mod savepoint;
mod session;
mod shared_cluster;
mod starts;
mod story;
mod sweep;
mod terminal;
mod verify;
mod walk;
mod words;

pub use session::{After, Key, Look, Session};

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use crate::model::Language;
use args::{Arguments, Command, SavepointCommand, SchemaOf, Walk};
use output::Output;
use problem::{Problem, WRONG_INPUT};

/// The program: reads the arguments, does what they say, gives the exit
/// status. 0: right; 1: something is not as it should be; 2: the input is
/// wrong; 3: cannot tell.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return misused(&error),
    };
    let output = Output::new(arguments.color);
    let language = arguments.lang.map_or_else(language_of_the_environment, Language::from);
    let command = arguments
        .command
        .unwrap_or_else(|| Command::Walk(Walk { input: "lecture".to_owned(), ..Walk::default() }));
    match carry_out(command, language, output) {
        Ok(status) => status,
        Err(problem) => problem.report(&output),
    }
}

fn carry_out(command: Command, language: Language, output: Output) -> Result<ExitCode, Problem> {
    match command {
        Command::Walk(arguments) => walk::walk(&arguments, language, output)?,
        Command::Compare(arguments) => return compare::compare(&arguments, language, output),
        Command::Session(arguments) => {
            return shared_cluster::session(&arguments, language, output);
        }
        Command::Sweep(arguments) => return sweep::sweep(&arguments, language, output),
        Command::Demo(arguments) => demo::demo(&arguments, language, output)?,
        Command::Page(arguments) => page::page(&arguments, language, output)?,
        Command::Questions(arguments) => questions::questions(&arguments, language, output)?,
        Command::Reference(arguments) => reference::reference(&arguments, language, output)?,
        Command::Draw(arguments) => draw::draw(&arguments, language, output)?,
        Command::Run(arguments) => return run::run(&arguments, language, output),
        Command::Replay { trace } => return replay::replay(&trace, language, output),
        Command::Verify(arguments) => return verify::verify(&arguments, language, output),
        Command::Fuzz(arguments) => return fuzz::fuzz(&arguments, language, output),
        Command::Explore(arguments) => return explore::explore(&arguments, language, output),
        Command::Config(arguments) => return config::config(&arguments, language, output),
        Command::List { mutations: true } => list::broken_rules(language, output)?,
        Command::List { mutations: false } => list::scenarios(language, output)?,
        Command::Schema { what } => {
            let schema = match what {
                SchemaOf::Scenario => crate::load::scenario_schema(),
                SchemaOf::Trace => crate::trace::trace_schema(),
                SchemaOf::Savepoint => crate::savepoint::savepoint_schema(),
            };
            output.print(&format!("{schema:#}\n"))?;
        }
        Command::Savepoint { what: SavepointCommand::Show { file, format } } => {
            savepoint::show(&file, format, language, output)?;
        }
        Command::New { file } => new::new(&file, language, output)?,
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "checkdam", &mut text);
            output.print(&String::from_utf8_lossy(&text))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Help and version as clap writes them; what is wrong, in our own words.
fn misused(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // Nobody being left to read is no problem.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let output = Output::new(args::Colours::Auto);
    let text = error.render().to_string();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let what = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let rest: Vec<&str> = lines
        .filter(|line| !line.starts_with("For more information"))
        .map(|line| line.trim_start_matches("  tip: "))
        .collect();
    let help = rest.join("\n        ");
    output.complain(&problem::headline("error[usage]", &what.replace('\'', "`"), &help, &output));
    ExitCode::from(WRONG_INPUT)
}

fn language_of_the_environment() -> Language {
    match sys_locale::get_locale() {
        Some(locale) if locale.to_ascii_lowercase().starts_with("zh") => Language::Zh,
        _ => Language::En,
    }
}
