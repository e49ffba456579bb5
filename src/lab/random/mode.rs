//! How the checkpoints of a random job are taken.

use serde_json::{Map, Value, json};

use super::choices::Choices;

/// How the checkpoints of a random job are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Exactly once, with aligned barriers, up to three at once.
    Aligned,
    /// Exactly once, with unaligned barriers.
    Unaligned,
    /// Exactly once, with barriers that become unaligned after a while.
    Timeout,
    /// At least once.
    AtLeastOnce,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::Aligned, Self::Unaligned, Self::Timeout, Self::AtLeastOnce];

    /// The mode of the random scenario of a number: they take turns.
    #[must_use]
    pub fn of(number: u64) -> Self {
        Self::ALL[number as usize % Self::ALL.len()]
    }
}

/// A protocol that a batch can keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Exactly once, aligned, one checkpoint at a time.
    Aligned,
    /// The same with two or three at a time.
    SeveralInFlight,
    /// Exactly once, unaligned.
    Unaligned,
    /// Exactly once, aligned until a timeout.
    Alternating,
    /// At least once.
    AtLeastOnce,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 5] = [
        Self::Aligned,
        Self::SeveralInFlight,
        Self::Unaligned,
        Self::Alternating,
        Self::AtLeastOnce,
    ];

    /// Its name on the command line and in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::SeveralInFlight => "several-in-flight",
            Self::Unaligned => "unaligned",
            Self::Alternating => "alternating",
            Self::AtLeastOnce => "at-least-once",
        }
    }

    /// The protocol of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.name() == name)
    }

    /// The mode of its jobs.
    pub(super) fn mode(self) -> Mode {
        match self {
            Self::Aligned | Self::SeveralInFlight => Mode::Aligned,
            Self::Unaligned => Mode::Unaligned,
            Self::Alternating => Mode::Timeout,
            Self::AtLeastOnce => Mode::AtLeastOnce,
        }
    }

    /// How many checkpoints there may be at a time, where that makes the
    /// protocol.
    pub(super) fn concurrent(self, seed: u64) -> Option<u64> {
        match self {
            Self::Aligned => Some(1),
            Self::SeveralInFlight => Some(2 + seed % 2),
            Self::Unaligned | Self::Alternating | Self::AtLeastOnce => None,
        }
    }
}

/// Flink's settings of a random job.
pub(super) fn settings(c: &mut Choices, mode: Mode) -> Map<String, Value> {
    let mut config = Map::new();
    config.insert("restart-strategy.type".into(), json!("fixed-delay"));
    config.insert("restart-strategy.fixed-delay.attempts".into(), json!(100));
    config.insert("restart-strategy.fixed-delay.delay".into(), json!(c.number(0, 40)));
    config.insert("execution.checkpointing.interval".into(), json!(c.number(10, 60)));
    let (concurrent, timeout) = (c.number(1, 3), *c.one(&[1, 4, 10, 25, 80]));
    if matches!(mode, Mode::Aligned | Mode::AtLeastOnce) {
        let name = "execution.checkpointing.max-concurrent-checkpoints";
        config.insert(name.into(), json!(concurrent));
    }
    if mode == Mode::AtLeastOnce {
        config.insert("execution.checkpointing.mode".into(), json!("AT_LEAST_ONCE"));
    }
    if matches!(mode, Mode::Unaligned | Mode::Timeout) {
        config.insert("execution.checkpointing.unaligned.enabled".into(), json!(true));
        // A partitioner of the job's own asks for it.
        config.insert("execution.checkpointing.unaligned.forced".into(), json!(true));
    }
    if mode == Mode::Timeout {
        let name = "execution.checkpointing.aligned-checkpoint-timeout";
        config.insert(name.into(), json!(timeout));
    }
    if c.chance(25) {
        // No last checkpoint: what stands in open transactions at the end is lost.
        config
            .insert("execution.checkpointing.checkpoints-after-tasks-finish".into(), json!(false));
    }
    config
}
