//! The scenarios that come with checkdam.

/// A scenario that comes with checkdam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// What it is called on the command line; its file's name without ending.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

/// Every built-in scenario by name: one line each, in the order in which a
/// list shows them.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../scenarios/", $name, ".json")),
        }),*];
    };
}

built_in! {
    "lecture",
    "lecture-unaligned",
    "lecture-timeout",
    "lecture-at-least-once",
    "one-stream",
    "slow-trigger",
    "letters",
    "both-keys-on-one-subtask",
    "crash-after-complete",
    "crash-after-complete-transactional",
    "crash-before-complete",
    "crash-before-complete-transactional",
    "five-six-nine",
    "two-partitions-one-counter",
    "beads",
    "message-by-message",
    "several-checkpoints-in-flight",
    "backpressure",
    "backpressure-unaligned",
    "backpressure-timeout",
    "timeout-counts-from-the-trigger",
    "digits-and-letters",
    "digits-and-letters-unaligned",
    "at-least-once-counts-twice",
    "in-flight-comes-back",
    "one-slow-input",
    "barrier-behind-a-slow-record",
    "slow-snapshot",
    "incremental-files",
    "memory-storage-too-small",
    "local-recovery",
    "storage-outage",
    "directory-on-one-machine",
    "retained-checkpoint-deleted",
    "one-checkpoint-at-a-time",
    "three-checkpoints-at-a-time",
    "pause-after-a-completion",
    "no-pause-after-a-failure",
    "expired-until-failed",
    "expired-and-tolerated",
    "third-expiry-fails-the-job",
    "late-barrier-of-a-dead-checkpoint",
    "article",
    "restart-none",
    "restart-fixed-delay",
    "restart-exponential-delay",
    "restart-failure-rate",
    "region-failover",
    "full-failover",
    "broadcast",
    "broadcast-unaligned",
    "broadcast-state",
    "two-input-join",
    "several-splits",
    "source-finishes-first",
    "source-finishes-first-off",
    "second-failure",
    "recovery-test-plan",
    "lost-notification",
    "lost-acknowledgement",
    "jobmanager-crash",
    "jobmanager-crash-without-ha",
    "cancelled-job",
    "savepoint",
    "stop-with-savepoint",
    "urgent",
    "resumed",
    "moved-to-another-cluster",
    "upgrade-before",
    "upgrade-after",
    "variant-a",
    "variant-b",
    "backup",
    "restore-from-backup",
    "too-old-savepoint",
    "more-subtasks-than-partitions",
    "more-subtasks-than-partitions-off",
    "last-results-committed",
    "last-results-missing",
    "nothing-is-ever-committed",
    "checkpoint-without-records",
    "non-replayable-source",
    "without-alignment",
    "snapshot-at-first-barrier",
}

/// The scenarios that come with checkdam, the lecture's walkthrough first.
#[must_use]
pub fn builtin() -> &'static [BuiltIn] {
    BUILT_IN
}
