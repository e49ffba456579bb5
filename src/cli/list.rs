//! `checkdam list`: the built-in scenarios, and the rules that one can break.

use unicode_width::UnicodeWidthStr;

use super::mutations;
use super::output::Output;
use super::problem::Problem;
use crate::load;
use crate::model::{Language, Mutation};

/// The built-in scenarios, one a line, name first.
pub(super) fn scenarios(language: Language, output: Output) -> Result<(), Problem> {
    let lines: Vec<(&str, String)> = load::builtin()
        .iter()
        .map(|own| {
            let loaded = load::scenario(own.name, own.text.as_bytes());
            let loaded = loaded.expect("the built-in scenarios are tested to be right");
            (own.name, loaded.scenario.title.of(language).to_owned())
        })
        .collect();
    Ok(output.print(&columns(&lines))?)
}

/// The mutations, one a line, name first.
pub(super) fn broken_rules(language: Language, output: Output) -> Result<(), Problem> {
    let lines: Vec<(&str, String)> = Mutation::every()
        .map(|mutation| (mutation.name(), mutations::text(mutation, language).to_owned()))
        .collect();
    Ok(output.print(&columns(&lines))?)
}

fn columns(lines: &[(&str, String)]) -> String {
    let widest = lines.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    lines.iter().map(|(name, text)| format!("{name:widest$}  {text}\n")).collect()
}
