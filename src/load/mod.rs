//! Text -> model: a scenario file becomes a [`Scenario`], or all that is wrong
//! with it in one go, each with its place and a remedy.
//!
//! A hand-written walk over the JSON tree finds every problem; the schema that
//! editors use is derived from types that say the same. Nothing here knows how
//! a scenario runs, and nothing here touches a file.

mod builtin;
mod config;
mod delays;
mod diagnostic;
mod document;
mod durations;
mod edges;
mod excerpt;
pub mod flink;
mod grammar;
mod graph;
mod happenings;
mod kinds;
mod labels;
mod limits;
mod lines;
mod message_faults;
mod moments;
mod names;
mod operators;
mod places;
mod problems;
mod savepoints;
mod scenario;
mod schema;
mod selectors;
mod settle;
mod show;
mod splits;
mod storage;
mod text;
mod texts;
mod tree;
mod vary;
mod vocabulary;
mod when;
mod words;

use crate::model::Scenario;
use problems::Problems;

pub use builtin::{BuiltIn, builtin};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use schema::scenario_schema;
pub use show::Colour;
pub use vary::{ValuePlace, duration, with_value};

/// A scenario, and what is worth saying about its file all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// Warnings and notes.
    pub remarks: Diagnostics,
}

/// Loads a scenario file. `name` is the file's path or a built-in scenario's
/// name, for messages; the scenario takes its last part, without ending.
///
/// # Errors
/// Everything that is wrong with the file, if anything is: also if it is too
/// large, nested too deep, or no text.
pub fn scenario(name: &str, bytes: &[u8]) -> Result<Loaded, Diagnostics> {
    let text = match text::decode(bytes) {
        Ok(text) => text,
        Err((shown, problem)) => {
            let mut problems = Problems::new(&shown);
            problems.worked(shown.len());
            problems.add(*problem);
            return Err(problems.into_diagnostics(name, &shown));
        }
    };
    let mut problems = Problems::new(text);
    let scenario = text::parse(text, &mut problems).and_then(|root| {
        tree::survey(&root, &mut problems);
        scenario::read(&root, name, &mut problems)
    });
    assert!(scenario.is_some() || problems.n_errors() > 0, "a refusal says why");
    let remarks = problems.into_diagnostics(name, text);
    match scenario {
        Some(scenario) => Ok(Loaded { scenario, remarks }),
        None => Err(remarks),
    }
}

impl Scenario {
    /// Reads a scenario from the text of its file; warnings and notes are
    /// dropped ([`crate::load::scenario`] keeps them).
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse(name: &str, text: &str) -> Result<Self, Diagnostics> {
        scenario(name, text.as_bytes()).map(|loaded| loaded.scenario)
    }
}
