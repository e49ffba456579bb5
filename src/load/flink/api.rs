//! The methods of Flink's API that set what the options set.
//!
//! Source: `CheckpointConfig`, `StreamExecutionEnvironment` and their kin of
//! Flink 1.20.3 and 2.1.3.

use super::keys;
use super::release::Release;
use super::value::Value;

/// A method that sets an option.
#[derive(Clone, Copy, Debug)]
pub struct ApiMethod {
    /// Its name, without the class.
    pub name: &'static str,
    /// The option that it sets.
    pub key: &'static str,
    /// What has become of it.
    pub standing: Standing,
}

/// What has become of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is there.
    Present,
    /// Deprecated in 1.20, gone in 2.
    Deprecated,
    /// Deprecated, and there all the same.
    DeprecatedStill,
}

impl Standing {
    /// In one word, as of a release.
    #[must_use]
    pub fn word(self, release: Release) -> &'static str {
        match (self, release) {
            (Self::Present, _) => "present",
            (Self::DeprecatedStill, _) | (Self::Deprecated, Release::V1) => "deprecated",
            (Self::Deprecated, Release::V2) => "absent",
        }
    }
}

impl ApiMethod {
    /// What the option is set to by calling the method.
    #[must_use]
    pub fn sets(&self, argument: Value) -> Value {
        match (self.name, argument) {
            // Flink 1.20: CheckpointConfig.setFailOnCheckpointingErrors
            ("setFailOnCheckpointingErrors", Value::Bool(true)) => Value::Whole(0),
            ("setFailOnCheckpointingErrors", Value::Bool(false)) => Value::Whole(i32::MAX.into()),
            (_, argument) => argument,
        }
    }
}

const fn method(name: &'static str, key: &'static str) -> ApiMethod {
    ApiMethod { name, key, standing: Standing::Present }
}

const fn deprecated(name: &'static str, key: &'static str) -> ApiMethod {
    ApiMethod { name, key, standing: Standing::Deprecated }
}

/// Every method that the reference names.
pub const API: &[ApiMethod] = &[
    method("enableCheckpointing", keys::INTERVAL),
    method("setCheckpointInterval", keys::INTERVAL),
    method("setCheckpointIntervalDuringBacklog", keys::BACKLOG_INTERVAL),
    ApiMethod {
        name: "setCheckpointingMode",
        key: keys::MODE,
        standing: Standing::DeprecatedStill,
    },
    method("setCheckpointingConsistencyMode", keys::MODE),
    method("setCheckpointTimeout", keys::TIMEOUT),
    method("setMinPauseBetweenCheckpoints", keys::MIN_PAUSE),
    method("setMaxConcurrentCheckpoints", keys::MAX_CONCURRENT),
    method("setTolerableCheckpointFailureNumber", keys::TOLERABLE),
    deprecated("setFailOnCheckpointingErrors", keys::TOLERABLE),
    method("setExternalizedCheckpointRetention", keys::RETENTION),
    deprecated("setExternalizedCheckpointCleanup", keys::RETENTION),
    deprecated("enableExternalizedCheckpoints", keys::RETENTION),
    method("enableUnalignedCheckpoints", keys::UNALIGNED),
    method("setAlignedCheckpointTimeout", keys::ALIGNED_TIMEOUT),
    deprecated("setAlignmentTimeout", keys::ALIGNED_TIMEOUT),
    method(
        "enableUnalignedCheckpointsInterruptibleTimers",
        "execution.checkpointing.unaligned.interruptible-timers.enabled",
    ),
    method("enableApproximateLocalRecovery", "execution.state-recovery.approximate-local-recovery"),
    method("setForceUnalignedCheckpoints", "execution.checkpointing.unaligned.forced"),
    deprecated("setForceCheckpointing", "execution.checkpointing.force"),
    method(
        "setMaxSubtasksPerChannelStateFile",
        "execution.checkpointing.unaligned.max-subtasks-per-channel-state-file",
    ),
    method(
        "setCheckpointIdOfIgnoredInFlightData",
        "execution.state-recovery.without-channel-state.checkpoint-id",
    ),
    deprecated("setStateBackend", keys::BACKEND),
    deprecated("setCheckpointStorage", keys::STORAGE),
    deprecated("setRestartStrategy", keys::RESTART),
    method("setRuntimeMode", keys::RUNTIME_MODE),
    method("setBufferTimeout", "execution.buffer-timeout.interval"),
    method("setParallelism", "parallelism.default"),
    method("setMaxParallelism", "pipeline.max-parallelism"),
    method("disableOperatorChaining", "pipeline.operator-chaining.enabled"),
];

/// The methods that set an option.
pub fn api_of(key: &str) -> impl Iterator<Item = &'static ApiMethod> {
    API.iter().filter(move |method| method.key == key)
}
