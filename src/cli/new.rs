//! `checkdam new`: a small scenario to begin with, and the schema that lets an
//! editor help with it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::output::Output;
use super::problem::Problem;
use crate::model::Language;

/// What a new scenario file holds.
const STARTER: &str = include_str!("starter.json");

/// The name of the schema's file, as the starter names it.
const SCHEMA_FILE: &str = "checkdam.schema.json";

/// Writes both files. A schema that is there already stays.
pub(super) fn new(file: &Path, language: Language, output: Output) -> Result<(), Problem> {
    create(file, STARTER).map_err(|error| {
        let shown = file.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            let what = format!("`{shown}` is there already, and is left as it is");
            return Problem::input("exists", what, "give another name: checkdam new FILE");
        }
        Problem::input("unwritable", format!("`{shown}` cannot be written: {error}"), "")
    })?;
    let schema = file.with_file_name(SCHEMA_FILE);
    let text = format!("{:#}\n", crate::load::scenario_schema());
    match create(&schema, &text) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => {
            let what = format!("`{}` cannot be written: {error}", schema.display());
            return Err(Problem::input("unwritable", what, ""));
        }
    }
    let (file, schema) = (file.display(), schema.display());
    let text = match language {
        Language::En => format!(
            "{file}     a scenario to begin with\n{schema}     its schema, for your editor\n\nnext: \
             checkdam walk {file}\n      checkdam run {file}\n"
        ),
        Language::Zh => format!(
            "{file}     一个入门场景\n{schema}     它的 JSON Schema，供编辑器使用\n\n接下来：checkdam \
             walk {file}\n        checkdam run {file}\n"
        ),
    };
    Ok(output.print(&text)?)
}

#[expect(clippy::disallowed_types, reason = "the command line is the room that writes files")]
fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file: std::fs::File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}
