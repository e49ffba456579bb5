//! `checkdam page`: what is in the file, without a browser. What a browser
//! makes of it is tried by `.ci/page`.

mod command_line;
pub(crate) mod data;
mod lecture;
mod questions;
mod small;
