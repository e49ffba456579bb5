//! `checkdam reference`: pages of the book that are made from the program
//! itself, so that they cannot be out of date.

mod command_line;
mod formats;
mod gallery;
mod rules;

use super::args::{ReferenceName, ReferenceOf};
use super::output::Output;
use super::problem::Problem;
use crate::model::Language;

/// Prints a page of the reference.
pub(super) fn reference(
    arguments: &ReferenceOf,
    language: Language,
    output: Output,
) -> Result<(), Problem> {
    let page = match arguments.page {
        ReferenceName::CommandLine => command_line::page(language),
        ReferenceName::ScenarioFormat => formats::scenario(language),
        ReferenceName::Facts => formats::facts(language),
        ReferenceName::Mutations => rules::page(language),
        ReferenceName::Scenarios => gallery::page(arguments.book.as_deref(), language)?,
    };
    Ok(output.print(&page)?)
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    prose(text).replace('|', "\\|").replace('\n', " ")
}

/// A text of the code's own documentation: without the brackets of its links,
/// and with `<` and `>` as signs.
fn prose(text: &str) -> String {
    let text = text.replace("[`", "`").replace("`]", "`").replace("super::", "");
    // Inside of code signs stand for themselves.
    let mut out = String::with_capacity(text.len());
    for (place, part) in text.split('`').enumerate() {
        if place > 0 {
            out.push('`');
        }
        match place % 2 {
            0 => out.push_str(&part.replace('<', "&lt;").replace('>', "&gt;")),
            _ => out.push_str(part),
        }
    }
    out
}

/// How a page begins: its title, its question, and what it is made from.
fn head(language: Language, [en, zh]: [[&str; 3]; 2]) -> String {
    let [title, question, about] = match language {
        Language::En => en,
        Language::Zh => zh,
    };
    format!("# {title}\n\n*{question}*\n\n{about}\n")
}
