//! Sweeps that are built in: a scenario, what is varied in it, and what is
//! measured.

use super::numbers::Measured;

/// A built-in sweep.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its scenario file.
    pub text: &'static str,
    /// What is varied, unless somebody says otherwise.
    pub varies: &'static [&'static str],
    /// How many seeds, likewise.
    pub n_seeds: u64,
    /// What is measured, likewise.
    pub measured: &'static [Measured],
}

/// Every built-in sweep.
#[must_use]
pub fn recipes() -> &'static [Recipe] {
    const RECIPES: &[Recipe] = &[
        Recipe {
            name: "backpressure",
            text: include_str!("../../../sweeps/backpressure.json"),
            varies: &[
                "sum.service=1ms..3ms:250us",
                "execution.checkpointing.unaligned.enabled=false,true",
            ],
            n_seeds: 1,
            measured: &[Measured::Duration, Measured::Persisted],
        },
        Recipe {
            name: "skew",
            text: include_str!("../../../sweeps/skew.json"),
            varies: &["edges.1.3.latency=10ms..110ms:10ms"],
            n_seeds: 1,
            measured: &[Measured::Alignment, Measured::Latency],
        },
        Recipe {
            name: "interval",
            text: include_str!("../../../sweeps/interval.json"),
            varies: &["execution.checkpointing.interval=10s,20s,30s,42s,60s,90s,120s,180s,240s"],
            n_seeds: 20,
            measured: &[Measured::Cost],
        },
    ];
    RECIPES
}
