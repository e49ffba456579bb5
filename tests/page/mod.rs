//! `checkdam page`: what is in the file, without a browser. What a browser
//! makes of it is tried by `.ci/page`.

mod command_line;
pub(crate) mod data;
mod lecture;
mod questions;
mod small;

/// Every crash that a page holds: step, task, and the number of its verdict.
pub(crate) fn crashes(data: &serde_json::Value) -> Vec<(u64, usize, usize)> {
    data::crashes(data)
}
