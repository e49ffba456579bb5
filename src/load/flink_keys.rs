//! Flink's configuration keys: which ones checkdam follows, which ones are
//! real and not simulated yet, and older spellings of either.
//!
//! Source: the options of Flink 1.20.3 (`CheckpointingOptions`,
//! `StateRecoveryOptions`, `RestartStrategyOptions` and their kin).

/// A setting that the simulator follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Setting {
    Interval,
    MaxConcurrent,
    AfterTasksFinish,
    Mode,
    Unaligned,
    UnalignedForced,
    AlignedTimeout,
    RestartType,
    RestartAttempts,
    RestartDelay,
}

/// What a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Followed.
    Followed(Setting),
    /// Real in Flink, without effect here.
    NotSimulated,
}

/// What a spelling stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) known: Known,
    /// The key's name today, if this is an older one.
    pub(super) renamed: Option<&'static str>,
}

/// Key, older spellings, setting.
const FOLLOWED: [(&str, &[&str], Setting); 10] = [
    ("execution.checkpointing.interval", &[], Setting::Interval),
    ("execution.checkpointing.max-concurrent-checkpoints", &[], Setting::MaxConcurrent),
    (
        "execution.checkpointing.checkpoints-after-tasks-finish",
        &["execution.checkpointing.checkpoints-after-tasks-finish.enabled"],
        Setting::AfterTasksFinish,
    ),
    ("execution.checkpointing.mode", &[], Setting::Mode),
    (
        "execution.checkpointing.unaligned.enabled",
        &["execution.checkpointing.unaligned"],
        Setting::Unaligned,
    ),
    ("execution.checkpointing.unaligned.forced", &[], Setting::UnalignedForced),
    (
        "execution.checkpointing.aligned-checkpoint-timeout",
        &["execution.checkpointing.alignment-timeout"],
        Setting::AlignedTimeout,
    ),
    ("restart-strategy.type", &["restart-strategy"], Setting::RestartType),
    ("restart-strategy.fixed-delay.attempts", &[], Setting::RestartAttempts),
    ("restart-strategy.fixed-delay.delay", &[], Setting::RestartDelay),
];

/// Keys that are real and not simulated, with older spellings.
const OTHERS: [(&str, &[&str]); 65] = [
    ("state.backend.type", &["state.backend"]),
    ("state.backend.async", &[]),
    ("state.backend.latency-track.keyed-state-enabled", &[]),
    ("state.backend.latency-track.sample-interval", &[]),
    ("state.backend.latency-track.history-size", &[]),
    ("state.backend.latency-track.state-name-as-variable", &[]),
    ("execution.checkpointing.storage", &["state.checkpoint-storage"]),
    (
        "execution.checkpointing.data-inline-threshold",
        &["state.storage.fs.memory-threshold", "state.backend.fs.memory-threshold"],
    ),
    (
        "execution.checkpointing.write-buffer-size",
        &["state.storage.fs.write-buffer-size", "state.backend.fs.write-buffer-size"],
    ),
    ("execution.checkpointing.incremental", &["state.backend.incremental"]),
    ("execution.checkpointing.local-backup.enabled", &[]),
    ("execution.checkpointing.local-backup.dirs", &["taskmanager.state.local.root-dirs"]),
    ("execution.checkpointing.dir", &["state.checkpoints.dir", "state.backend.fs.checkpointdir"]),
    (
        "execution.checkpointing.savepoint-dir",
        &["state.savepoints.dir", "savepoints.state.backend.fs.dir"],
    ),
    ("execution.checkpointing.num-retained", &["state.checkpoints.num-retained"]),
    ("execution.checkpointing.create-subdir", &["state.checkpoints.create-subdir"]),
    ("execution.checkpointing.cleaner.parallel-mode", &["state.checkpoint.cleaner.parallel-mode"]),
    ("execution.checkpointing.interval-during-backlog", &[]),
    ("execution.checkpointing.timeout", &[]),
    ("execution.checkpointing.min-pause", &[]),
    ("execution.checkpointing.tolerable-failed-checkpoints", &[]),
    ("execution.checkpointing.externalized-checkpoint-retention", &[]),
    ("execution.checkpointing.unaligned.interruptible-timers.enabled", &[]),
    ("execution.checkpointing.unaligned.max-subtasks-per-channel-state-file", &[]),
    ("execution.checkpointing.force", &[]),
    ("execution.checkpointing.file-merging.enabled", &[]),
    ("execution.checkpointing.file-merging.across-checkpoint-boundary", &[]),
    ("execution.checkpointing.file-merging.max-file-size", &[]),
    ("execution.checkpointing.file-merging.max-space-amplification", &[]),
    ("execution.checkpointing.file-merging.max-subtasks-per-file", &[]),
    ("execution.checkpointing.file-merging.pool-blocking", &[]),
    ("execution.state-recovery.path", &["execution.savepoint.path"]),
    (
        "execution.state-recovery.ignore-unclaimed-state",
        &["execution.savepoint.ignore-unclaimed-state"],
    ),
    ("execution.state-recovery.claim-mode", &["execution.savepoint-restore-mode"]),
    ("execution.state-recovery.from-local", &["state.backend.local-recovery"]),
    (
        "execution.state-recovery.approximate-local-recovery",
        &["execution.checkpointing.approximate-local-recovery"],
    ),
    (
        "execution.state-recovery.without-channel-state.checkpoint-id",
        &["execution.checkpointing.recover-without-channel-state.checkpoint-id"],
    ),
    ("restart-strategy.failure-rate.max-failures-per-interval", &[]),
    ("restart-strategy.failure-rate.failure-rate-interval", &[]),
    ("restart-strategy.failure-rate.delay", &[]),
    ("restart-strategy.exponential-delay.initial-backoff", &[]),
    ("restart-strategy.exponential-delay.max-backoff", &[]),
    ("restart-strategy.exponential-delay.backoff-multiplier", &[]),
    ("restart-strategy.exponential-delay.reset-backoff-threshold", &[]),
    ("restart-strategy.exponential-delay.jitter-factor", &[]),
    ("restart-strategy.exponential-delay.attempts-before-reset-backoff", &[]),
    ("jobmanager.execution.failover-strategy", &[]),
    ("sink.committer.retries", &[]),
    ("state.changelog.enabled", &["state.backend.changelog.enabled"]),
    ("state.changelog.storage", &["state.backend.changelog.storage"]),
    ("state.changelog.max-failures-allowed", &["state.backend.changelog.max-failures-allowed"]),
    (
        "state.changelog.periodic-materialize.enabled",
        &["state.backend.changelog.periodic-materialize.enabled"],
    ),
    (
        "state.changelog.periodic-materialize.interval",
        &["state.backend.changelog.periodic-materialize.interval"],
    ),
    ("execution.runtime-mode", &[]),
    ("execution.buffer-timeout.enabled", &[]),
    ("execution.buffer-timeout.interval", &["execution.buffer-timeout"]),
    ("parallelism.default", &[]),
    ("pipeline.max-parallelism", &[]),
    ("pipeline.name", &[]),
    ("pipeline.operator-chaining.enabled", &["pipeline.operator-chaining"]),
    ("taskmanager.numberOfTaskSlots", &[]),
    ("taskmanager.network.memory.buffers-per-channel", &[]),
    ("taskmanager.network.memory.floating-buffers-per-gate", &[]),
    ("taskmanager.network.memory.max-overdraft-buffers-per-gate", &[]),
    ("taskmanager.network.memory.buffer-debloat.enabled", &[]),
];

/// What a key means; nothing if Flink has no such key.
pub(super) fn meaning(key: &str) -> Option<Meaning> {
    let renamed = |name: &'static str| (name != key).then_some(name);
    let followed = FOLLOWED.iter().find(|(name, old, _)| *name == key || old.contains(&key));
    if let Some((name, _, setting)) = followed {
        return Some(Meaning { known: Known::Followed(*setting), renamed: renamed(name) });
    }
    let (name, _) = OTHERS.iter().find(|(name, old)| *name == key || old.contains(&key))?;
    Some(Meaning { known: Known::NotSimulated, renamed: renamed(name) })
}

/// Every key under its present name, those that are followed first.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    followed_names().chain(OTHERS.iter().map(|(name, _)| *name))
}

/// Every key that is followed, under its present name.
pub(super) fn followed_names() -> impl Iterator<Item = &'static str> {
    followed().map(|(name, _)| name)
}

/// Every key that is followed, with its setting.
pub(super) fn followed() -> impl Iterator<Item = (&'static str, Setting)> {
    FOLLOWED.iter().map(|(name, _, setting)| (*name, *setting))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_stands_for_one_key() {
        let followed = FOLLOWED
            .iter()
            .flat_map(|(name, old, _)| [*name].into_iter().chain(old.iter().copied()));
        let others =
            OTHERS.iter().flat_map(|(name, old)| [*name].into_iter().chain(old.iter().copied()));
        let mut all: Vec<&str> = followed.chain(others).collect();
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n);
        assert!(all.iter().all(|key| meaning(key).is_some()));
    }

    #[test]
    fn an_old_spelling_names_the_new_one() {
        let old = meaning("restart-strategy").expect("Flink has it");
        assert_eq!(old.known, Known::Followed(Setting::RestartType));
        assert_eq!(old.renamed, Some("restart-strategy.type"));
        let old = meaning("state.backend.fs.memory-threshold").expect("Flink has it");
        assert_eq!(old.renamed, Some("execution.checkpointing.data-inline-threshold"));
        assert_eq!(meaning("execution.checkpointing.intervall"), None);
    }
}
