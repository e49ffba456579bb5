//! Many runs: shards and their results, sweeps.

mod merging;
mod sweep;
