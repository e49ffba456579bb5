//! Results of shards become the results of the whole.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::Batch;
use super::result_error::ResultError;
use super::result_file::ResultFile;
use super::shard::Shard;

/// Results that were put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// What the whole is.
    pub batch: Batch,
    /// The line of each case that is there.
    pub cases: BTreeMap<u64, String>,
    /// What is not there, in order.
    pub missing: Vec<Missing>,
}

/// A part of a batch that nobody has brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Which.
    pub shard: Shard,
    /// How many of its cases are missing.
    pub n_cases: u64,
    /// The first of them.
    pub first: u64,
    /// A file of it that has no end.
    pub cut: Option<String>,
}

/// Puts files of one batch together. The same cases twice change nothing, and
/// the order of files does not matter.
///
/// # Errors
/// When two files are of different batches, or do not agree on a case.
///
/// # Panics
/// When there is no file.
pub fn merge(files: &[ResultFile]) -> Result<Merged, ResultError> {
    let first = files.first().expect("there is something to merge");
    let mut cases: BTreeMap<u64, (&str, &ResultFile)> = BTreeMap::new();
    for file in files {
        if file.batch != first.batch {
            return Err(ResultError {
                file: file.name.clone(),
                line: 1,
                what: format!(
                    "it is of another batch than {}: {}",
                    first.name,
                    differ(first, file)
                ),
                remedy: "merge only shards of one batch".to_owned(),
            });
        }
        for (case, line) in &file.cases {
            let (known, other) = *cases.entry(*case).or_insert((line, file));
            if known != line {
                return Err(ResultError {
                    file: file.name.clone(),
                    line: 1,
                    what: format!("it does not agree with {} on case {case}", other.name),
                    remedy: "one case has one result: run it again with one build".to_owned(),
                });
            }
        }
    }
    let cases: BTreeMap<u64, String> =
        cases.into_iter().map(|(case, (line, _))| (case, line.to_owned())).collect();
    let missing = missing(files, &first.batch, &cases);
    Ok(Merged { batch: first.batch.clone(), cases, missing })
}

/// What of the finest division that somebody used is not there.
fn missing(files: &[ResultFile], batch: &Batch, cases: &BTreeMap<u64, String>) -> Vec<Missing> {
    let finest = files.iter().map(|file| file.shard).max_by_key(|shard| shard.of());
    let finest = finest.expect("there is something to merge");
    let lacking: BTreeSet<u64> =
        (0..batch.cases).filter(|case| !cases.contains_key(case)).collect();
    let cut = |shard: Shard| {
        let is_cut = |file: &&ResultFile| file.shard == shard && !file.is_whole;
        files.iter().find(is_cut).map(|file| file.name.clone())
    };
    let missing = finest.all().filter_map(|shard| {
        let mut own = lacking.iter().filter(|case| shard.has(**case));
        let first = *own.next()?;
        Some(Missing { shard, n_cases: 1 + own.count() as u64, first, cut: cut(shard) })
    });
    missing.collect()
}

/// How two batches differ.
fn differ(one: &ResultFile, other: &ResultFile) -> String {
    let (a, b) = (&one.batch, &other.batch);
    if a.what != b.what {
        format!("{} there, {} here", a.what, b.what)
    } else if a.seed != b.seed {
        format!("seed {} there, seed {} here", a.seed, b.seed)
    } else if a.cases != b.cases {
        format!("{} cases there, {} here", a.cases, b.cases)
    } else {
        format!("{} there, {} here", a.settings, b.settings)
    }
}
