//! The settings of Flink that the simulator follows, already read and
//! checked. How they are spelled stands in `load`.

use super::time::Micros;

/// Effective settings of a job.
///
/// Source: Flink `CheckpointConfig`, `RestartStrategyOptions`; defaults are
/// those of Flink 1.20 unless a field says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// `execution.checkpointing.interval`: time between two periodic
    /// checkpoints; none: only those that the scenario asks for.
    pub interval: Option<Micros>,
    /// `execution.checkpointing.max-concurrent-checkpoints`, at least 1.
    pub max_concurrent_checkpoints: u32,
    /// `execution.checkpointing.checkpoints-after-tasks-finish`: whether a job
    /// at its end takes a last checkpoint, in which transactional sinks
    /// commit their last records.
    pub checkpoints_after_tasks_finish: bool,
    /// `restart-strategy.type` and its parameters.
    pub restart: RestartStrategy,
}

/// What the JobManager does after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RestartStrategy {
    /// The job fails for good.
    None,
    /// So many restarts, so far apart.
    FixedDelay {
        /// Restarts allowed over the whole run.
        attempts: u32,
        /// Time between a failure and the restart.
        delay: Micros,
    },
}

impl Default for Config {
    fn default() -> Self {
        Self {
            interval: None,
            max_concurrent_checkpoints: 1,
            checkpoints_after_tasks_finish: true,
            restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: Micros(1_000_000) },
        }
    }
}
