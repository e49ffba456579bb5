//! Savepoints between jobs: taken out of a run, written and read as files, and
//! given to another job.
//!
//! Knows no files and no machine of a running job: who gets what is decided by
//! the machines of `protocol`, and what a run does with it, in `cluster`.

mod assign;
mod file;
mod in_flight;
mod recorder;
mod refusal;
mod words;

pub use assign::start_from;
pub use file::{
    SAVEPOINT_BYTES_MAX, SAVEPOINT_FORMAT, Saved, SavepointError, read_savepoint, savepoint_schema,
};
pub use recorder::{Recorder, Taken, Wanted};
pub use refusal::Refusal;
