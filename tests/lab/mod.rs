//! Many runs: shards and their results, random cases, shrinking, strategies,
//! sweeps.

mod branches;
mod fuzzing;
mod gallery;
mod merging;
mod shrinking;
mod silence;
mod strategies;
mod sweep;
mod sweep_command;

pub(crate) use gallery::gallery_story;
