//! The keys that the rules between settings speak of.

pub(super) const INTERVAL: &str = "execution.checkpointing.interval";
pub(super) const BACKLOG_INTERVAL: &str = "execution.checkpointing.interval-during-backlog";
pub(super) const TIMEOUT: &str = "execution.checkpointing.timeout";
pub(super) const MIN_PAUSE: &str = "execution.checkpointing.min-pause";
pub(super) const MAX_CONCURRENT: &str = "execution.checkpointing.max-concurrent-checkpoints";
pub(super) const TOLERABLE: &str = "execution.checkpointing.tolerable-failed-checkpoints";
pub(super) const MODE: &str = "execution.checkpointing.mode";
pub(super) const RETENTION: &str = "execution.checkpointing.externalized-checkpoint-retention";
pub(super) const AFTER_TASKS_FINISH: &str =
    "execution.checkpointing.checkpoints-after-tasks-finish";
pub(super) const UNALIGNED: &str = "execution.checkpointing.unaligned.enabled";
pub(super) const UNALIGNED_FORCED: &str = "execution.checkpointing.unaligned.forced";
pub(super) const ALIGNED_TIMEOUT: &str = "execution.checkpointing.aligned-checkpoint-timeout";
pub(super) const NUM_RETAINED: &str = "execution.checkpointing.num-retained";
pub(super) const BACKEND: &str = "state.backend.type";
pub(super) const STORAGE: &str = "execution.checkpointing.storage";
pub(super) const DIR: &str = "execution.checkpointing.dir";
pub(super) const CREATE_SUBDIR: &str = "execution.checkpointing.create-subdir";
pub(super) const SAVEPOINT_DIR: &str = "execution.checkpointing.savepoint-dir";
pub(super) const INLINE_THRESHOLD: &str = "execution.checkpointing.data-inline-threshold";
pub(super) const INCREMENTAL: &str = "execution.checkpointing.incremental";
pub(super) const FROM_LOCAL: &str = "execution.state-recovery.from-local";
pub(super) const LOCAL_BACKUP: &str = "execution.checkpointing.local-backup.enabled";
pub(super) const LOCAL_DIRS: &str = "execution.checkpointing.local-backup.dirs";
pub(super) const IGNORE_UNCLAIMED: &str = "execution.state-recovery.ignore-unclaimed-state";
pub(super) const CLAIM_MODE: &str = "execution.state-recovery.claim-mode";
pub(super) const RECOVERY_PATH: &str = "execution.state-recovery.path";
pub(super) const RUNTIME_MODE: &str = "execution.runtime-mode";
pub(super) const HIGH_AVAILABILITY: &str = "high-availability.type";
pub(super) const FAILOVER: &str = "jobmanager.execution.failover-strategy";

pub(super) const RESTART: &str = "restart-strategy.type";
pub(super) const FIXED_ATTEMPTS: &str = "restart-strategy.fixed-delay.attempts";
pub(super) const FIXED_DELAY: &str = "restart-strategy.fixed-delay.delay";
pub(super) const RATE_FAILURES: &str = "restart-strategy.failure-rate.max-failures-per-interval";
pub(super) const RATE_INTERVAL: &str = "restart-strategy.failure-rate.failure-rate-interval";
pub(super) const RATE_DELAY: &str = "restart-strategy.failure-rate.delay";
pub(super) const BACKOFF_INITIAL: &str = "restart-strategy.exponential-delay.initial-backoff";
pub(super) const BACKOFF_MAX: &str = "restart-strategy.exponential-delay.max-backoff";
pub(super) const BACKOFF_MULTIPLIER: &str = "restart-strategy.exponential-delay.backoff-multiplier";
pub(super) const BACKOFF_RESET: &str = "restart-strategy.exponential-delay.reset-backoff-threshold";
pub(super) const BACKOFF_JITTER: &str = "restart-strategy.exponential-delay.jitter-factor";
pub(super) const BACKOFF_ATTEMPTS: &str =
    "restart-strategy.exponential-delay.attempts-before-reset-backoff";
