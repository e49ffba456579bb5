//! Many runs: shards and their results.

mod merging;
