//! What several settings come to together.

use super::Reading;
use super::keys;
use super::release::Release;
use super::settings::Origin;
use super::value::Value;

/// How the barriers of a checkpoint begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierAlignment {
    /// Inputs are not blocked.
    AtLeastOnce,
    /// Inputs are blocked until every barrier is there.
    Aligned,
    /// Barriers overtake what is under way.
    Unaligned,
    /// Aligned, and after so many ms unaligned.
    AlignedWithTimeout {
        /// How long.
        ms: u64,
    },
}

impl Reading {
    /// Whether the file sets an option.
    fn is_set(&self, key: &str) -> bool {
        self.setting(key).is_some_and(|setting| matches!(setting.origin, Origin::File { .. }))
    }

    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.setting(key).and_then(|setting| setting.value.as_ref())
    }

    fn is_true(&self, key: &str) -> bool {
        self.value(key).is_some_and(Value::is_true)
    }

    fn is_at_least_once(&self) -> bool {
        self.value(keys::MODE) == Some(&Value::Word("AT_LEAST_ONCE"))
    }

    /// Whether checkpoints are periodic: an interval is set.
    #[must_use]
    pub fn is_periodic(&self) -> bool {
        self.is_set(keys::INTERVAL)
    }

    /// How the barriers of periodic checkpoints begin.
    // Flink 1.20: CheckpointOptions.forConfig
    #[must_use]
    pub fn barrier_alignment(&self) -> BarrierAlignment {
        let timeout = self.value(keys::ALIGNED_TIMEOUT).and_then(Value::ms).unwrap_or(0);
        match (self.is_at_least_once(), self.is_true(keys::UNALIGNED), timeout) {
            (true, _, _) => BarrierAlignment::AtLeastOnce,
            (false, false, _) => BarrierAlignment::Aligned,
            (false, true, 0) => BarrierAlignment::Unaligned,
            (false, true, ms) => BarrierAlignment::AlignedWithTimeout { ms },
        }
    }

    /// Whether the coordinator takes checkpoints for unaligned, so that it
    /// lets savepoints pass by those that are under way.
    // Flink 1.20: StreamingJobGraphGenerator.preValidate clears the switch in
    // at-least-once mode; Flink 2.1 leaves it.
    #[must_use]
    pub fn coordinator_is_unaligned(&self) -> bool {
        let is_cleared = self.is_at_least_once() && self.release == Release::V1;
        self.is_true(keys::UNALIGNED) && !is_cleared
    }

    /// The interval in ms while a source works off a backlog; nothing if there
    /// are no periodic checkpoints then.
    // Flink 1.20: CheckpointConfig.getCheckpointIntervalDuringBacklog
    #[must_use]
    pub fn interval_during_backlog_ms(&self) -> Option<u64> {
        let own = self.value(keys::BACKLOG_INTERVAL).and_then(Value::ms);
        let base = self.value(keys::INTERVAL).and_then(Value::ms);
        own.or(base).filter(|ms| *ms > 0)
    }
}

/// The configuration file that a release reads first in a folder.
// Flink 1.20: GlobalConfiguration.loadConfiguration: the older one, if it is
// there; Flink 2 knows the newer one alone.
#[must_use]
pub fn files_in_order(release: Release) -> &'static [&'static str] {
    match release {
        Release::V1 => &["flink-conf.yaml", "config.yaml"],
        Release::V2 => &["config.yaml"],
    }
}
