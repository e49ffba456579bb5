//! What became of a run: as text for people, as JSON for machines.

pub(super) mod json;
mod kept;
pub(super) mod text;

mod checkpoints;
mod cut;
mod metrics;
mod start;
mod storage;
mod verdict;
