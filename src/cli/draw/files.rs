//! Where figures go: one file, numbered ones, or standard output; each whole
//! or not at all.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::super::args::FigureFormat;
use super::super::problem::Problem;

/// Numbered files: in a folder, or as a name with `%d` or `%03d` says.
pub(super) struct Series {
    before: String,
    after: String,
    digits: usize,
}

impl Series {
    pub(super) fn new(out: Option<&Path>, format: FigureFormat, n: usize) -> Result<Self, Problem> {
        let digits = n.saturating_sub(1).to_string().len();
        let Some(out) = out else {
            let what = "several frames need several files, and --output is missing";
            return Err(Problem::input("no-output", what, "-o FOLDER, or -o 'slides/%02d.svg'"));
        };
        let name = out.to_string_lossy().into_owned();
        if let Some((before, rest)) = name.split_once('%') {
            let (width, after) = rest.split_once('d').unwrap_or((rest, ""));
            let is_width = width.chars().all(|sign| sign.is_ascii_digit()) && width.len() < 3;
            if rest.contains('d') && is_width {
                let digits = width.parse().unwrap_or(1);
                if let Some(folder) = Path::new(before).parent() {
                    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
                }
                return Ok(Self { before: before.to_owned(), after: after.to_owned(), digits });
            }
            let what = format!("`{name}` has a % that is no %d");
            return Err(Problem::input("output", what, "-o 'slides/%02d.svg'"));
        }
        if out.extension().is_some() && !out.is_dir() {
            let what = format!("`{name}` is one file, and several frames need several");
            return Err(Problem::input("output", what, "-o FOLDER, or -o 'slides/%02d.svg'"));
        }
        fs::create_dir_all(out).map_err(|error| unwritable(out, &error))?;
        let after = format!(".{}", format.ending());
        Ok(Self { before: format!("{}/", name.trim_end_matches('/')), after, digits })
    }

    pub(super) fn file(&self, number: usize) -> PathBuf {
        let Self { before, after, digits } = self;
        PathBuf::from(format!("{before}{number:0digits$}{after}"))
    }
}

/// Writes a file whole or not at all; standard output where none is named.
pub(in crate::cli) fn write(out: Option<&Path>, bytes: &[u8]) -> Result<(), Problem> {
    let Some(out) = out.filter(|out| *out != Path::new("-")) else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(bytes)?;
        return Ok(stdout.flush()?);
    };
    let part = PathBuf::from(format!("{}.part", out.display()));
    let written = write_file(&part, bytes).and_then(|()| fs::rename(&part, out));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        unwritable(out, &error)
    })
}

#[expect(clippy::disallowed_methods, reason = "the command line is the room that writes files")]
fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::write(path, bytes)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Problem {
    let what = format!("`{}` cannot be written: {error}", path.display());
    Problem::input("output", what, "")
}
