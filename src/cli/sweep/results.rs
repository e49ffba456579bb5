//! The runs of a sweep in files of results, and back.

use super::super::input;
use super::super::problem::Problem;
use crate::lab::sweep::{Numbers, Plan, line, numbers_of};
use crate::lab::{ResultError, ResultWriter, Shard, merge as merge_files, read_results};

/// The results of a shard as a file.
pub(super) fn bytes(plan: &Plan, shard: Shard, runs: &[Numbers]) -> Result<Vec<u8>, Problem> {
    let batch = plan.batch();
    let mut writer = ResultWriter::new(Vec::new(), &batch, shard)?;
    for (case, numbers) in shard.cases(batch.cases).zip(runs) {
        writer.case(&line(case, numbers))?;
    }
    Ok(writer.finish()?)
}

/// What files of results have together.
pub(super) struct Merged {
    /// In the order of the cases.
    pub(super) runs: Vec<Numbers>,
    /// What to say of what is not there, if something is not.
    pub(super) missing: Option<String>,
}

/// Reads files of results and puts them together.
pub(super) fn merge(plan: &Plan, files: &[String]) -> Result<Merged, Problem> {
    let mut read = Vec::new();
    for name in files {
        let mut text = String::new();
        let mut reader = input::open(name)?;
        std::io::Read::read_to_string(&mut reader, &mut text)
            .map_err(|error| input::unreadable(name, &error))?;
        read.push(read_results(name, &text).map_err(refused)?);
    }
    let merged = merge_files(&read).map_err(refused)?;
    if merged.batch != plan.batch() {
        let what = format!("`{}` has the results of another sweep", files[0]);
        let help =
            "name the same scenario, --vary, --measure, --seeds and --seed as for the shards";
        return Err(Problem::input("results", what, help));
    }
    let mut said = String::new();
    for missing in &merged.missing {
        let cut = missing.cut.as_ref().map_or(String::new(), |file| format!(", {file} was cut"));
        let (shard, n) = (missing.shard, missing.n_cases);
        said += &format!(
            "warning[missing]: shard {shard} is missing, {n} runs{cut}\n  help: run it again: \
             --shard {shard}\n"
        );
    }
    let mut runs = Vec::new();
    for line in merged.cases.values() {
        runs.push(numbers_of(line).map_err(|error| {
            let what = format!("`{}` has a line that is no run of a sweep: {error}", files[0]);
            Problem::input("results", what, "run the shard again")
        })?);
    }
    Ok(Merged { runs, missing: (!said.is_empty()).then_some(said) })
}

fn refused(error: ResultError) -> Problem {
    Problem::input("results", error.to_string(), error.remedy)
}
