//! What a job starts from: a savepoint in a file, or the run of another
//! scenario; and why it cannot.

use std::io::Read;
use std::path::Path;

use super::input;
use super::output::Output;
use super::problem::Problem;
use crate::chain::{self, ChainError};
use crate::load;
use crate::model::{KeyType, SavepointFormat, Scenario, StateBackend};
use crate::protocol::{FinishedState, RestoreRefusal};
use crate::savepoint::{
    Refusal, SAVEPOINT_BYTES_MAX, Saved, SavepointError, read_savepoint, start_from,
};

/// A savepoint in a file.
pub(super) fn saved(word: &str) -> Result<Saved, Problem> {
    let mut bytes = Vec::new();
    let mut limited = input::open(word)?.take(SAVEPOINT_BYTES_MAX + 1);
    limited.read_to_end(&mut bytes).map_err(|error| input::unreadable(word, &error))?;
    read_savepoint(&bytes).map_err(|error| bad_savepoint(word, &error))
}

/// A savepoint that cannot be read.
pub(super) fn bad_savepoint(word: &str, error: &SavepointError) -> Problem {
    let SavepointError { line, column, what, remedy } = error;
    Problem::input("savepoint", format!("{word}:{line}:{column}: {what}"), remedy.clone())
}

/// A scenario with its job starting from a savepoint in a file.
pub(super) fn from_file(scenario: &Scenario, word: &str) -> Result<Scenario, Problem> {
    let saved = saved(word)?;
    start_from(scenario, &saved).map_err(|refusal| refused(scenario, word, &refusal))
}

/// The key under which the settings of a job name what it starts from.
const PATH: &str = "execution.state-recovery.path";

/// A scenario whose settings name a savepoint: its job starts from that file,
/// unless it names another scenario. Others stay as they are. A path is
/// relative to the file, or in the folder, that says it.
pub(super) fn from_setting(scenario: Scenario, said_in: &str) -> Result<Scenario, Problem> {
    let is_open = scenario.start.is_none() && scenario.from.is_none();
    let Some(path) = scenario.config.savepoint_path.as_deref().filter(|_| is_open) else {
        return Ok(scenario);
    };
    let name = &scenario.name;
    let unusable = |why: String, help: &str| {
        let what = format!("`{name}` cannot start from `{path}`, which {PATH} names: {why}");
        Err(Problem::input("no-such-savepoint", what, help))
    };
    let local = path.strip_prefix("file://").or_else(|| path.strip_prefix("file:"));
    if local.is_none() && path.contains("://") {
        let help = "fetch a savepoint of checkdam into a file and name that, or leave the key out: \
                    the job then starts from nothing";
        return unusable("it is in a file system that checkdam does not reach".to_owned(), help);
    }
    let said_in = Path::new(said_in);
    let folder = if said_in.is_dir() { Some(said_in) } else { said_in.parent() };
    let file = folder.unwrap_or(Path::new("")).join(local.unwrap_or(path));
    if !file.is_file() {
        let help = "checkdam run SCENARIO --savepoint-dir FOLDER writes one; or leave the key out: \
                    the job then starts from nothing";
        let why = match file.is_dir() {
            true => format!("{} is a folder, and a savepoint is a file", file.display()),
            false => format!("there is no file {}", file.display()),
        };
        return unusable(why, help);
    }
    from_file(&scenario, &file.to_string_lossy())
}

/// A scenario whose file names another one: that one is run first; one whose
/// settings name a savepoint starts from that. Others stay as they are. `word`
/// is where it comes from.
pub(super) fn chained(
    scenario: Scenario,
    word: &str,
    seed: u64,
    output: Output,
) -> Result<Scenario, Problem> {
    let mut links = links(scenario, word, seed, output)?;
    Ok(links.pop().expect("there is at least the scenario itself"))
}

/// The same with all that is run before it, the first run first.
pub(super) fn links(
    scenario: Scenario,
    word: &str,
    seed: u64,
    output: Output,
) -> Result<Vec<Scenario>, Problem> {
    let scenario = from_setting(scenario, word)?;
    let name = scenario.name.clone();
    let folder = Path::new(word).parent().unwrap_or(Path::new("")).to_owned();
    let is_built_in = load::builtin().iter().any(|own| own.name == word);
    let mut find = |wanted: &str| {
        let beside = folder.join(wanted);
        if is_built_in || load::builtin().iter().any(|own| own.name == wanted) {
            return from_setting(input::scenario(wanted, output)?, wanted);
        }
        let file = match beside.extension() {
            Some(_) => beside,
            None => beside.with_extension("json"),
        };
        let file = file.to_string_lossy();
        from_setting(input::scenario(&file, output)?, &file)
    };
    let wants = scenario.clone();
    chain::links(scenario, seed, &mut find).map_err(|error| match error {
        ChainError::Missing(problem) => problem,
        ChainError::TooLong { scenario } => {
            let what = format!("`{name}` starts from `{scenario}`, and so on without an end");
            Problem::input("circle", what, "one of them must start from nothing")
        }
        ChainError::NoSavepoint { scenario, wanted, taken } => {
            let what = match wanted {
                Some(id) => format!("`{scenario}` takes no savepoint {id}"),
                None => format!("`{scenario}` takes no savepoint that `{name}` could start from"),
            };
            let list: Vec<String> = taken.iter().map(ToString::to_string).collect();
            let help = match taken.is_empty() {
                true => "ask for one there: \"savepoints\": [{ \"at\": \"40 ms\", \"stop\": \
                         \"suspend\" }], with execution.checkpointing.savepoint-dir set"
                    .to_owned(),
                false => format!("it has {}", list.join(", ")),
            };
            Problem::input("no-savepoint", what, help)
        }
        ChainError::Refused { scenario, savepoint, refusal } => {
            refused(&wants, &format!("savepoint {savepoint} of {scenario}"), &refusal)
        }
    })
}

/// A job that cannot start from a savepoint: why, and what to do.
pub(super) fn refused(scenario: &Scenario, from: &str, refusal: &Refusal) -> Problem {
    let (code, what, help) = reasons(scenario, refusal);
    Problem::input(code, format!("`{}` cannot start from {from}: {what}", scenario.name), help)
}

fn reasons(scenario: &Scenario, refusal: &Refusal) -> (&'static str, String, String) {
    match refusal {
        Refusal::Mapping(refusal) => mapping(scenario, refusal),
        Refusal::OtherKeys { operator, snapshot, job } => (
            "state-does-not-fit",
            format!(
                "the keys of `{operator}` are of type {} there and {} here",
                key_type(*snapshot),
                key_type(*job)
            ),
            format!(
                "keep the key, or give the operator a new \"uid\" and set \
                 \"execution.state-recovery.ignore-unclaimed-state\": true; `{operator}` then \
                 starts empty"
            ),
        ),
        Refusal::UnknownKey { operator, key } => (
            "state-does-not-fit",
            format!("`{operator}` has no key `{key}` any more, and there is state under it"),
            "keep the keys that there were; more may be added".to_owned(),
        ),
        Refusal::SplitGone { split } => (
            "split-gone",
            format!("the job has no split `{split}` with as many records as were read of it"),
            "a split may grow and others may be added; none may go or shrink".to_owned(),
        ),
        Refusal::EdgeGone { from, to } => (
            "edge-gone",
            format!(
                "records were in flight from `{from}` to `{to}`, and the job has no such edge: it \
                 cannot recover from an unaligned checkpoint when the topology changes"
            ),
            "keep the edge, or start from a savepoint: it has nothing in flight".to_owned(),
        ),
        Refusal::CannotRescale { from, to } => (
            "cannot-rescale",
            format!(
                "records were in flight from `{from}` to `{to}`, and Flink cannot rescale a \
                 pointwise or broadcast edge then"
            ),
            "keep the parallelism, or start from a savepoint: it has nothing in flight".to_owned(),
        ),
        Refusal::CustomPartitioner { operator } => (
            "custom-partitioner",
            format!(
                "the state of `{operator}` does not follow key groups, since \"modulo\" \
                 distributes its keys"
            ),
            "keep its parallelism, or distribute by \"hash\"".to_owned(),
        ),
        Refusal::OtherBackend { format, backend } => {
            let (there, here) = (format_name(*format), backend_name(*backend));
            (
                "other-backend",
                format!("it is in the native format of {there}, and the job uses {here}"),
                format!(
                    "set \"state.backend.type\": \"{there}\", or take a savepoint in the \
                     canonical format, which fits every backend"
                ),
            )
        }
        Refusal::Impossible { what } => {
            ("savepoint", what.clone(), "take the savepoint again".to_owned())
        }
    }
}

fn mapping(scenario: &Scenario, refusal: &RestoreRefusal) -> (&'static str, String, String) {
    match refusal {
        RestoreRefusal::NoOperator { operator } => {
            let uids = scenario.graph.job.operators.iter().map(|own| own.uid.as_str());
            let uids: Vec<String> = uids.map(|uid| format!("`{uid}`")).collect();
            (
                "no-operator",
                format!(
                    "it holds state of operator `{operator}`, and the job has only {}",
                    uids.join(", ")
                ),
                format!(
                    "if it was renamed, give the new one \"uid\": \"{operator}\"; if it is gone \
                     on purpose, set \"execution.state-recovery.ignore-unclaimed-state\": true, \
                     and its state is dropped"
                ),
            )
        }
        RestoreRefusal::MaxParallelismMismatch { operator, snapshot, job } => (
            "max-parallelism",
            format!(
                "the state of `{operator}` has {snapshot} key groups, and the job says \
                 \"max-parallelism\": {job}"
            ),
            format!(
                "say {snapshot}, or nothing: then the savepoint's number holds; it cannot be \
                 changed without starting from nothing"
            ),
        ),
        RestoreRefusal::ParallelismExceedsMaxParallelism {
            operator,
            parallelism,
            max_parallelism,
        } => (
            "parallelism",
            format!(
                "`{operator}` would have {parallelism} subtasks, and its state has only \
                 {max_parallelism} key groups"
            ),
            format!("give it at most {max_parallelism} subtasks"),
        ),
        RestoreRefusal::FinishedBehindUnfinished { operator, finished, predecessor } => {
            let how = match finished {
                FinishedState::FullyFinished => "had finished",
                _ => "had finished in part",
            };
            (
                "finished",
                format!(
                    "`{operator}` {how}, and `{predecessor}` before it had not: what has finished \
                     does not run again"
                ),
                format!("put `{predecessor}` behind an operator that has not finished"),
            )
        }
    }
}

/// The type of keys, as Java calls it.
pub(super) fn key_type(keys: KeyType) -> &'static str {
    match keys {
        KeyType::Boolean => "Boolean",
        KeyType::Integer => "Integer",
        KeyType::Value => "Long or String",
        KeyType::String => "String",
    }
}

/// A format by name.
pub(super) fn format_name(format: SavepointFormat) -> &'static str {
    match format {
        SavepointFormat::Canonical => "canonical",
        SavepointFormat::NativeHashMap => "hashmap",
        SavepointFormat::NativeRocksDb => "rocksdb",
    }
}

fn backend_name(backend: StateBackend) -> &'static str {
    match backend {
        StateBackend::HashMap => "hashmap",
        StateBackend::RocksDb => "rocksdb",
    }
}
