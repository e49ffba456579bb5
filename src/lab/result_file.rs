//! The file of results: JSON Lines, one case a line.
//!
//! - The first line says what the batch is, and which shard of it this is.
//! - Each further line is one case: `{"case":17,…}`.
//! - The last line counts the cases and has a digest of every byte before it:
//!   a file without it was cut, and its shard is not done.
//!
//! The same batch gives the same lines on every machine, so those of several
//! shards, sorted, are those of the whole.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::batch::Batch;
use super::result_error::ResultError;
use super::shard::Shard;
use crate::trace::ENGINE_VERSION;

/// The version of this format.
pub const RESULT_FORMAT_VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    /// Says that these are results.
    checkdam: Kind,
    /// The version of this format.
    format: u32,
    /// The version of the engine that ran the cases.
    engine: u32,
    /// The program that wrote it.
    tool: String,
    /// What the whole is.
    batch: Batch,
    /// Which part of it this is.
    shard: Shard,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Results,
}

/// What every version's first line has.
#[derive(Deserialize)]
struct AnyHeader {
    checkdam: String,
    format: u32,
    tool: Option<String>,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine {
    end: End,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    cases: u64,
    digest: String,
}

/// What every line of a case has.
#[derive(Deserialize)]
struct AnyCase {
    case: u64,
}

/// A file of results that is being written.
pub struct ResultWriter<W: io::Write> {
    out: W,
    digest: Xxh3,
    n_cases: u64,
}

impl<W: io::Write> ResultWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn new(out: W, batch: &Batch, shard: Shard) -> io::Result<Self> {
        let mut writer = Self { out, digest: Xxh3::new(), n_cases: 0 };
        let header = HeaderLine {
            checkdam: Kind::Results,
            format: RESULT_FORMAT_VERSION,
            engine: ENGINE_VERSION,
            tool: concat!("checkdam ", env!("CARGO_PKG_VERSION")).to_owned(),
            batch: batch.clone(),
            shard,
        };
        writer.line(&serde_json::to_string(&header)?)?;
        Ok(writer)
    }

    /// Writes the line of a case, an object whose first key is `case`. Cases
    /// come in order.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn case(&mut self, line: &str) -> io::Result<()> {
        self.n_cases += 1;
        self.line(line)
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        assert!(!line.contains('\n'), "a line is one line");
        for part in [line.as_bytes(), b"\n"] {
            self.digest.update(part);
            self.out.write_all(part)?;
        }
        Ok(())
    }

    /// Ends the file, and gives back what it was written to.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        let digest = format!("{:032x}", self.digest.digest128());
        let end = EndLine { end: End { cases: self.n_cases, digest } };
        self.out.write_all(serde_json::to_string(&end)?.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The results of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// What the file is called, for messages.
    pub name: String,
    /// What the whole is.
    pub batch: Batch,
    /// Which part of it this is.
    pub shard: Shard,
    /// The line of each case; none if the file was cut.
    pub cases: BTreeMap<u64, String>,
    /// Whether its end is there.
    pub is_whole: bool,
}

/// Reads the results of a shard.
///
/// # Errors
/// When the text is no file of results, when another version made it, or when
/// it was changed. That its end is missing is no error.
pub fn read_results(name: &str, text: &str) -> Result<ResultFile, ResultError> {
    let refuse = |line: u64, what: String, remedy: &str| ResultError {
        file: name.to_owned(),
        line,
        what,
        remedy: remedy.to_owned(),
    };
    let mut lines = text.split_inclusive('\n').zip(1..);
    let header = lines.next().map_or("", |(line, _)| line);
    let header = header_of(header).map_err(|(what, remedy)| refuse(1, what, remedy))?;
    let mut file = ResultFile {
        name: name.to_owned(),
        batch: header.batch,
        shard: header.shard,
        cases: BTreeMap::new(),
        is_whole: false,
    };
    let again = format!("run the shard again: --shard {}", file.shard);
    let damaged = |line: u64, what: &str| refuse(line, what.to_owned(), &again);
    let mut n_bytes = text.find('\n').map_or(text.len(), |place| place + 1);
    for (whole, number) in lines {
        let Some(line) = whole.strip_suffix('\n') else { break };
        if file.is_whole {
            return Err(damaged(number, "there are lines behind the end"));
        }
        if let Ok(EndLine { end }) = serde_json::from_str(line) {
            let mut digest = Xxh3::new();
            digest.update(&text.as_bytes()[..n_bytes]);
            let digest = format!("{:032x}", digest.digest128());
            if end.digest != digest || end.cases != file.cases.len() as u64 {
                return Err(damaged(number, "the file was changed: the digest does not fit"));
            }
            file.is_whole = true;
        } else {
            let case = serde_json::from_str::<AnyCase>(line).map(|line| line.case);
            let case = case.ok().filter(|case| {
                *case < file.batch.cases && file.shard.has(*case) && !file.cases.contains_key(case)
            });
            let Some(case) = case else {
                let what = "this is no line of a case of this shard";
                return Err(damaged(number, what));
            };
            file.cases.insert(case, line.to_owned());
        }
        n_bytes += whole.len();
    }
    if file.is_whole {
        let expected = file.shard.cases(file.batch.cases).count();
        if file.cases.len() != expected {
            let what = format!("{} cases are here, and the shard has {expected}", file.cases.len());
            return Err(refuse(1, what, &again));
        }
    } else {
        // Without the digest no line can be trusted.
        file.cases.clear();
    }
    Ok(file)
}

fn header_of(line: &str) -> Result<HeaderLine, (String, &'static str)> {
    const WANTED: &str = "results are what --results writes";
    let any: AnyHeader = serde_json::from_str(line)
        .map_err(|_| ("this is no file of results".to_owned(), WANTED))?;
    if any.checkdam != "results" {
        return Err((format!("this is no file of results, it is a {}", any.checkdam), WANTED));
    }
    let tool = any.tool.unwrap_or_else(|| "an unknown program".to_owned());
    if any.format != RESULT_FORMAT_VERSION {
        let what = format!(
            "{tool} wrote it in format {}, and this program knows format {RESULT_FORMAT_VERSION}",
            any.format
        );
        return Err((what, "merge with the program that made it"));
    }
    let header: HeaderLine = serde_json::from_str(line)
        .map_err(|error| (format!("the first line is damaged: {error}"), WANTED))?;
    if header.engine != ENGINE_VERSION {
        let what = format!(
            "engine {} of {tool} ran these cases, and this is engine {ENGINE_VERSION}",
            header.engine
        );
        return Err((what, "run the shards with one version of the program"));
    }
    Ok(header)
}
