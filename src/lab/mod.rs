//! Many runs: which cases there are, who runs which, and how their results come
//! together again.
//!
//! What if a run crashed here, or a rule were broken in it: `branches` and
//! `mistakes`.
//!
//! A **batch** is a number of cases that all follow from one seed. A **shard**
//! is every N-th of them, so that several machines share the work; what a case
//! is does not depend on who runs it. Results are lines, and lines of several
//! shards merge into those of the whole batch.
//!
//! Knows no files and no terminal. Threads are used here and nowhere below
//! `cli`: one run is one thread's, and the order of results is that of their
//! cases, whoever was done first.

mod batch;
mod branches;
mod case;
mod caught_by;
mod fan_out;
mod fuzz;
mod merge;
mod mistakes;
pub mod random;
mod result_error;
mod result_file;
mod shard;
pub mod shrink;
#[cfg(feature = "proptest")]
pub mod strategies;
mod style;
pub mod sweep;

pub use batch::Batch;
pub use branches::{CrashBranch, crash_branches};
pub use case::{Broken, CASE_SEED, Case, run, scenario, try_run};
pub use caught_by::CAUGHT_BY;
pub use fan_out::fan_out;
pub use fuzz::{
    CaseEnding, CaseOutcome, CaseResult, Failure, Found, Fuzz, Kind, fails, kind_of, kinds,
};
pub use merge::{Merged, Missing, merge};
pub use mistakes::{Mistake, mistakes};
pub use result_error::ResultError;
pub use result_file::{RESULT_FORMAT_VERSION, ResultFile, ResultWriter, read_results};
pub use shard::{Shard, ShardError};
pub use style::written;
