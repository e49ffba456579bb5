//! Sweeps: one scenario with one or a few of its values varied, and what comes
//! of it in numbers.
//!
//! Knows no files and draws nothing. Floating point numbers are only in the
//! statistics (`young`), never in a run.

mod numbers;
mod plan;
mod recipes;
mod table;
mod vary;
mod young;

pub use numbers::{Measured, Numbers, mean_time_between_failures};
pub use plan::{Plan, PlanError, RUNS_MAX, line, numbers_of};
pub use recipes::{Recipe, recipes};
pub use table::{Row, Spread, Table};
pub use vary::{Number, Value, Vary, VaryError};
pub use young::Young;
