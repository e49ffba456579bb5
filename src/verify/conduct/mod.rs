//! How tasks, channels and the JobManager behave, property by property: what
//! can be seen step by step, apart from what comes of it in the end.
//!
//! - `delivery`: a channel delivers what was sent, once and in order.
//! - `computation`: a record changes the state and sends its results in one
//!   go; a snapshot holds the state that the records before it make.
//! - `barrier_order`, `alignment`, `cut_atomicity`: barriers and snapshots.
//! - `completeness`, `messages`: what makes a checkpoint complete.
//! - `fencing`, `restore_equality`: who is dead, and what a restart puts back.
//! - `commitment`: transactions.
//! - `liveness`: what has begun ends.
//! - `surgery`: without what failures have undone, the run is one without
//!   failures.
//! - `excess`: what may count twice in at-least-once mode.

mod about_checkpoints;
mod about_the_job;
mod alignment;
mod barrier_order;
mod breach;
mod checkpoints;
mod commitment;
mod completeness;
mod computation;
mod cut_atomicity;
mod delivery;
mod end_of_data;
pub(in crate::verify) mod excess;
mod fencing;
mod inputs;
mod liveness;
mod messages;
mod property;
mod restore_equality;
mod surgery;
mod watch;

pub use breach::{Breach, ConductJudgement, Wrong};
pub use property::Property;
pub(super) use watch::Conduct;
