//! What ends a command early, and with which exit status.

use std::io;
use std::process::ExitCode;

use super::output::Output;
use crate::load::Diagnostics;

/// Exit status of a run, a replay or a judgement in which something is not as
/// it should be.
pub(super) const BROKEN: u8 = 1;
/// Exit status of a run that did not come to its end, and of a judgement for
/// which the trace does not say enough.
pub(super) const CANNOT_TELL: u8 = 3;
/// Exit status for wrong input.
pub(super) const WRONG_INPUT: u8 = 2;

/// What ends a command early.
#[derive(Debug)]
pub(super) enum Problem {
    /// The input is wrong: one sentence, and what to do about it.
    Input {
        /// A stable name of the kind, in small letters with hyphens.
        code: &'static str,
        /// What is wrong.
        what: String,
        /// What to do; may be empty.
        help: String,
    },
    /// A scenario file is wrong, in all these ways.
    Scenario(Box<Diagnostics>),
    /// Something could not be written.
    Output(io::Error),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Problem {
    /// A problem with what was given.
    pub(super) fn input(
        code: &'static str,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::Input { code, what: what.into(), help: help.into() }
    }

    /// Says what is wrong, on standard error, and gives the exit status.
    /// Nobody being left to read is no problem.
    pub(super) fn report(&self, output: &Output) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                output.complain(&headline("error[output]", &error.to_string(), "", output));
                ExitCode::from(WRONG_INPUT)
            }
            Self::Input { code, what, help } => {
                output.complain(&headline(&format!("error[{code}]"), what, help, output));
                ExitCode::from(WRONG_INPUT)
            }
            Self::Scenario(diagnostics) => {
                output.complain(&diagnostics.show(output.error_colour()));
                ExitCode::from(WRONG_INPUT)
            }
        }
    }
}

/// `error[code]: what`, and the help below it.
pub(super) fn headline(label: &str, what: &str, help: &str, output: &Output) -> String {
    let (on, off) = output.error_style();
    let help = if help.is_empty() { String::new() } else { format!("  help: {help}\n") };
    format!("{on}{label}{off}: {what}\n{help}")
}
