//! How large a scenario may be. Whatever lies beyond is a problem that is
//! told, never a crash or a wait.

/// Bytes of a file.
pub(super) const SIZE_MAX: usize = 4 << 20;
/// Values inside values.
pub(super) const DEPTH_MAX: usize = 64;
/// Operators of a job.
pub(super) const OPERATORS_MAX: usize = 200;
/// Edges of a job.
pub(super) const EDGES_MAX: usize = 1000;
/// Subtasks of a job.
pub(super) const SUBTASKS_MAX: u64 = 4096;
/// Channels of a job.
pub(super) const CHANNELS_MAX: u64 = 20_000;
/// Splits of a source.
pub(super) const SPLITS_MAX: usize = 65_536;
/// Records of a split: their offsets have 32 bits.
pub(super) const RECORDS_MAX: u64 = 4_000_000_000;
/// Records in a channel's queue or buffer.
pub(super) const CAPACITY_MAX: u64 = 1_000_000;
/// Key groups of an operator (Flink's upper bound of the maximum parallelism).
// Flink 1.20: KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM
pub(super) const KEY_GROUPS_MAX: u64 = 1 << 15;
/// Keys that a selector can tell apart by number.
pub(super) const MODULUS_MAX: u64 = 65_536;
/// Keys that a selector can name.
pub(super) const KEY_NAMES_MAX: usize = 65_535;
/// The how-manieth fact something waits for.
pub(super) const NTH_MAX: u64 = 1_000_000;
/// How many times slower something becomes.
pub(super) const TIMES_MAX: u64 = 1_000_000;
/// Steps of a run.
pub(super) const STEPS_MAX: u64 = 1_000_000_000_000;
/// Steps of a run if the scenario does not say.
pub(super) const STEPS_DEFAULT: u64 = 10_000_000;
/// Checkpoints and attempts that can be named.
pub(super) const COUNTER_MAX: u64 = u32::MAX as u64;

// The event queue has 16 bits for a lane: one lane a channel, eight a
// subtask, and some of the coordinator. The limits above leave room.
const _: () = assert!(CHANNELS_MAX + 8 * SUBTASKS_MAX + 64 <= 65_535);
