//! Random scenarios, as scenario files: jobs, delays, settings and faults. The
//! same number always gives the same file.
//!
//! A file, not a [`crate::model::Scenario`]: it goes through the loader like
//! anybody's, and what is found with it is something to keep.

mod aim;
mod case;
mod changed;
mod choices;
mod fault;
mod files;
mod job;
mod mishaps;
mod mode;
mod needs;
mod savepoints;

pub use aim::{Aim, with_aimed_faults, with_fault_at};
pub use case::{case, case_of};
pub use changed::{with_delays, with_settings};
pub use files::with_files;
pub use job::job;
pub use mishaps::with_mishaps;
pub use mode::{Mode, Protocol};
pub use needs::{Needs, job_that_needs};
pub use savepoints::with_savepoints;
