//! Files of results: written whole or not at all, and put together.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::super::args;
use super::super::input::unreadable;
use super::super::output::Output;
use super::super::problem::{Problem, headline};
use super::Gathered;
use crate::lab::{
    Batch, CaseResult, Fuzz, ResultError, ResultFile, ResultWriter, Shard, merge, read_results,
};

/// Writes results, if they are wanted.
pub(super) struct Writer(Option<Open>);

struct Open {
    writer: ResultWriter<Box<dyn Write>>,
    /// What the file is called until it is whole, and then; none: standard
    /// output.
    names: Option<(PathBuf, PathBuf)>,
}

impl Writer {
    pub(super) fn new(file: Option<&Path>, batch: &Batch, shard: Shard) -> Result<Self, Problem> {
        let Some(file) = file else { return Ok(Self(None)) };
        let (out, names): (Box<dyn Write>, _) = match file == Path::new("-") {
            true => (Box::new(BufWriter::new(io::stdout())), None),
            false => {
                let part = PathBuf::from(format!("{}.part", file.display()));
                let out = create(&part).map_err(|error| unwritable(file, &error))?;
                (Box::new(BufWriter::new(out)), Some((part, file.to_owned())))
            }
        };
        Ok(Self(Some(Open { writer: ResultWriter::new(out, batch, shard)?, names })))
    }

    pub(super) fn case(&mut self, result: &CaseResult) -> Result<(), Problem> {
        match &mut self.0 {
            None => Ok(()),
            Some(open) => Ok(open.writer.case(&line(result))?),
        }
    }

    /// Ends the file and gives it its name.
    pub(super) fn finish(self) -> Result<(), Problem> {
        let Some(open) = self.0 else { return Ok(()) };
        drop(open.writer.finish()?);
        match open.names {
            None => Ok(()),
            Some((part, file)) => {
                fs::rename(part, &file).map_err(|error| unwritable(&file, &error))
            }
        }
    }
}

fn line(result: &CaseResult) -> String {
    serde_json::to_string(result).expect("a result has only texts and numbers")
}

/// Puts the files of shards together, and writes the whole where that is
/// wanted.
pub(super) fn merged(arguments: &args::Fuzz, output: Output) -> Result<Gathered, Problem> {
    let files = arguments.merge.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?;
    let merged = merge(&files).map_err(|error| refused(&error))?;
    let first = &files[0].name;
    let foreign = |what: String| {
        let remedy = "merge results of `checkdam fuzz --results`".to_owned();
        refused(&ResultError { file: first.clone(), line: 1, what, remedy })
    };
    let fuzz = Fuzz::of(&merged.batch).map_err(foreign)?;
    let results = merged.cases.iter().map(|(case, line)| {
        serde_json::from_str::<CaseResult>(line)
            .map_err(|error| foreign(format!("case {case} is no result: {error}")))
    });
    let results = results.collect::<Result<Vec<_>, _>>()?;
    if merged.missing.is_empty() {
        let mut writer = Writer::new(arguments.results.as_deref(), &merged.batch, Shard::WHOLE)?;
        results.iter().try_for_each(|result| writer.case(result))?;
        writer.finish()?;
    } else if arguments.results.is_some() {
        let missing: Vec<String> = merged.missing.iter().map(|own| own.shard.to_string()).collect();
        let what = format!("no results are written: shards {} are missing", missing.join(", "));
        let help = "run these shards, and merge again";
        output.complain(&headline("warning[missing-shards]", &what, help, &output));
    }
    Ok(Gathered { fuzz, shard: Shard::WHOLE, results, missing: merged.missing })
}

#[expect(clippy::disallowed_methods, reason = "the command line is the room that reads files")]
fn read(name: &str) -> Result<ResultFile, Problem> {
    let bytes = fs::read(name).map_err(|error| unreadable(name, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let what = format!("`{name}` is no text");
        Problem::input("results", what, "results are what --results writes")
    })?;
    read_results(name, &text).map_err(|error| refused(&error))
}

fn refused(error: &ResultError) -> Problem {
    Problem::input("results", error.to_string(), error.remedy.clone())
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    Problem::input("output", format!("`{}` cannot be written: {error}", path.display()), "")
}

#[expect(clippy::disallowed_types, reason = "the command line is the room that writes files")]
fn create(path: &Path) -> io::Result<fs::File> {
    fs::File::create(path)
}
