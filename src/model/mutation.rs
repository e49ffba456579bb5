//! Classic protocol mistakes, each a named switch that a scenario may set
//! (`"break": ["process-after-first-barrier"]`). They prove that the judge has
//! teeth. Where each one is built in, the place says so with this enum.

/// A rule broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutation {
    /// An input goes on being processed after its barrier, although others
    /// have not sent theirs: no alignment.
    ProcessAfterFirstBarrier,
    /// The state is stored, and the barrier sent on, at the first barrier.
    SnapshotAtFirstBarrier,
    /// An aligned barrier goes ahead of the records in the output buffer.
    BarrierOvertakesRecords,
    /// A record goes ahead of the aligned barrier that is on the wire.
    RecordOvertakesBarrier,
    /// The barrier goes out at once, and the snapshot is taken after the next
    /// record.
    SnapshotAfterNextRecord,
    /// The snapshot is taken at once, and the barrier goes out after the next
    /// record.
    BarrierAfterNextRecord,
    /// A snapshot refers to the state, which changes until it is stored.
    StoreWithoutCopy,
    /// What waited behind a barrier is dropped when its channel is freed.
    DropHeldBackRecords,
    /// What waited behind a barrier comes in reverse when its channel is freed.
    ReverseHeldBackRecords,
    /// The barrier goes to the first outgoing channel only.
    BarrierToOneOutput,
    /// A source stores an offset that is too high by one.
    OffsetTooHigh,
    /// A source stores an offset that is too low by one.
    OffsetTooLow,
    /// A task acknowledges when it has copied its state, not when it has
    /// stored it.
    AcknowledgeBeforeStored,
    /// A checkpoint is complete when the sinks have acknowledged.
    CompleteOnSinks,
    /// The job restarts from the newest checkpoint that was begun.
    RestoreNewestBegun,
    /// Every task restarts from the newest snapshot of its own.
    RestoreOwnNewest,
    /// A restart leaves in the channels what was there.
    KeepChannelsOnRestart,
    /// A restart leaves keyed state as it was.
    KeepStateOnRestart,
    /// A restart leaves sources where they were.
    KeepOffsetsOnRestart,
    /// A sink commits when it should prepare.
    CommitAtPreCommit,
    /// A restart aborts the transactions that the checkpoint has prepared.
    AbortPreparedOnRestart,
    /// Nobody is told that a checkpoint is complete.
    LoseNotifications,
    /// A sink commits what it has prepared for just the checkpoint that is
    /// complete, and not for those before it.
    CommitExactCheckpoint,
    /// A sink that hears of an aborted checkpoint throws away what it has
    /// prepared for it.
    AbortDropsPrepared,
    /// A checkpoint that is given up leaves its inputs blocked.
    AbortLeavesBlocked,
    /// A sink of a failed attempt commits what it has open.
    ZombieCommits,
    /// Barriers are counted whatever checkpoint they are of.
    CountAnyBarrier,
    /// Nothing in flight becomes part of an unaligned checkpoint.
    ForgetChannelState,
    /// What waits in output buffers becomes no part of an unaligned checkpoint.
    ForgetOutputBuffers,
    /// Of a task's inputs, only the first one's records in flight become part
    /// of an unaligned checkpoint.
    SaveFirstInputOnly,
    /// What was in flight at a receiver is put back behind what its sender had.
    RestoreInFlightLast,
    /// What was in flight at a receiver is put back at both ends.
    RestoreAtBothEnds,
    /// Shared files go although older checkpoints that are kept need them.
    DeleteSharedFiles,
    /// Only the task that has failed is restarted: those that it exchanges
    /// records with go on as if nothing had happened.
    RestartFailedTaskOnly,
    /// A restart commits once more what the checkpoint names as prepared,
    /// although it was committed before.
    RecommitOnRestart,
    /// An unaligned checkpoint goes on storing what arrives on a channel behind
    /// the channel's barrier.
    LogPastBarrier,
    /// An unaligned barrier is handled between the effect of a record on the
    /// state and the sending of its results.
    BarrierInMidRecord,
    /// A task that has finished is still expected to acknowledge.
    ExpectFinishedTasks,
    /// An acknowledgement of an earlier attempt counts for the checkpoint that is
    /// under way.
    StaleAcknowledgementCounts,
    /// An unaligned barrier stays so on an edge that cannot carry one.
    OvertakeOnBroadcast,
    /// A barrier that was forced to be aligned may time out all the same.
    ForcedBarrierTimesOut,
    /// A sink that hears of an aborted checkpoint puts what it has prepared for it
    /// into the transaction that is open.
    MergeAborted,
    /// A sink that has committed for a checkpoint takes what it prepares for a
    /// lower id, or the same, for committed.
    SkipCommittedIds,

    /// The snapshot is taken before the barrier goes out, not after it: harmless,
    /// since nothing lies between them.
    SnapshotBeforeBarrier,
    /// Blocked channels are freed before the snapshot, not after it: harmless,
    /// since nothing is taken out of them in between.
    ReleaseBeforeSnapshot,
    /// A task with one input does not block it: harmless, since its barrier is
    /// the last one.
    NoAlignmentOfOneInput,
    /// Every other checkpoint is announced to nobody: harmless, since the next
    /// one stands for it.
    LoseEveryOtherNotification,
}

impl Mutation {
    /// Changes that look like mistakes and are none: the judge must be silent
    /// about them.
    pub const HARMLESS: [Self; 4] = [
        Self::SnapshotBeforeBarrier,
        Self::ReleaseBeforeSnapshot,
        Self::NoAlignmentOfOneInput,
        Self::LoseEveryOtherNotification,
    ];

    /// Whether it is no mistake at all.
    #[must_use]
    pub fn is_harmless(self) -> bool {
        Self::HARMLESS.contains(&self)
    }

    /// All that a scenario can name: the mistakes, then what is harmless.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::HARMLESS)
    }

    /// Every mutation, in order.
    pub const ALL: [Self; 43] = [
        Self::ProcessAfterFirstBarrier,
        Self::SnapshotAtFirstBarrier,
        Self::BarrierOvertakesRecords,
        Self::RecordOvertakesBarrier,
        Self::SnapshotAfterNextRecord,
        Self::BarrierAfterNextRecord,
        Self::StoreWithoutCopy,
        Self::DropHeldBackRecords,
        Self::ReverseHeldBackRecords,
        Self::BarrierToOneOutput,
        Self::OffsetTooHigh,
        Self::OffsetTooLow,
        Self::AcknowledgeBeforeStored,
        Self::CompleteOnSinks,
        Self::RestoreNewestBegun,
        Self::RestoreOwnNewest,
        Self::KeepChannelsOnRestart,
        Self::KeepStateOnRestart,
        Self::KeepOffsetsOnRestart,
        Self::CommitAtPreCommit,
        Self::AbortPreparedOnRestart,
        Self::LoseNotifications,
        Self::CommitExactCheckpoint,
        Self::AbortDropsPrepared,
        Self::AbortLeavesBlocked,
        Self::ZombieCommits,
        Self::CountAnyBarrier,
        Self::ForgetChannelState,
        Self::ForgetOutputBuffers,
        Self::SaveFirstInputOnly,
        Self::RestoreInFlightLast,
        Self::RestoreAtBothEnds,
        Self::DeleteSharedFiles,
        Self::RestartFailedTaskOnly,
        Self::RecommitOnRestart,
        Self::LogPastBarrier,
        Self::BarrierInMidRecord,
        Self::ExpectFinishedTasks,
        Self::StaleAcknowledgementCounts,
        Self::OvertakeOnBroadcast,
        Self::ForcedBarrierTimesOut,
        Self::MergeAborted,
        Self::SkipCommittedIds,
    ];

    /// Its name in scenario files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ProcessAfterFirstBarrier => "process-after-first-barrier",
            Self::SnapshotAtFirstBarrier => "snapshot-at-first-barrier",
            Self::BarrierOvertakesRecords => "barrier-overtakes-records",
            Self::RecordOvertakesBarrier => "record-overtakes-barrier",
            Self::SnapshotAfterNextRecord => "snapshot-after-next-record",
            Self::BarrierAfterNextRecord => "barrier-after-next-record",
            Self::StoreWithoutCopy => "store-without-copy",
            Self::DropHeldBackRecords => "drop-held-back-records",
            Self::ReverseHeldBackRecords => "reverse-held-back-records",
            Self::BarrierToOneOutput => "barrier-to-one-output",
            Self::OffsetTooHigh => "offset-too-high",
            Self::OffsetTooLow => "offset-too-low",
            Self::AcknowledgeBeforeStored => "acknowledge-before-stored",
            Self::CompleteOnSinks => "complete-on-sinks",
            Self::RestoreNewestBegun => "restore-newest-begun",
            Self::RestoreOwnNewest => "restore-own-newest",
            Self::KeepChannelsOnRestart => "keep-channels-on-restart",
            Self::KeepStateOnRestart => "keep-state-on-restart",
            Self::KeepOffsetsOnRestart => "keep-offsets-on-restart",
            Self::CommitAtPreCommit => "commit-at-pre-commit",
            Self::AbortPreparedOnRestart => "abort-prepared-on-restart",
            Self::LoseNotifications => "lose-notifications",
            Self::CommitExactCheckpoint => "commit-exact-checkpoint",
            Self::AbortDropsPrepared => "abort-drops-prepared",
            Self::AbortLeavesBlocked => "abort-leaves-blocked",
            Self::ZombieCommits => "zombie-commits",
            Self::CountAnyBarrier => "count-any-barrier",
            Self::ForgetChannelState => "forget-channel-state",
            Self::ForgetOutputBuffers => "forget-output-buffers",
            Self::SaveFirstInputOnly => "save-first-input-only",
            Self::RestoreInFlightLast => "restore-in-flight-last",
            Self::RestoreAtBothEnds => "restore-at-both-ends",
            Self::DeleteSharedFiles => "delete-shared-files",
            Self::RestartFailedTaskOnly => "restart-failed-task-only",
            Self::RecommitOnRestart => "recommit-on-restart",
            Self::LogPastBarrier => "log-past-barrier",
            Self::BarrierInMidRecord => "barrier-in-mid-record",
            Self::ExpectFinishedTasks => "expect-finished-tasks",
            Self::StaleAcknowledgementCounts => "stale-acknowledgement-counts",
            Self::OvertakeOnBroadcast => "overtake-on-broadcast",
            Self::ForcedBarrierTimesOut => "forced-barrier-times-out",
            Self::MergeAborted => "merge-aborted",
            Self::SkipCommittedIds => "skip-committed-ids",
            Self::SnapshotBeforeBarrier => "snapshot-before-barrier",
            Self::ReleaseBeforeSnapshot => "release-before-snapshot",
            Self::NoAlignmentOfOneInput => "no-alignment-of-one-input",
            Self::LoseEveryOtherNotification => "lose-every-other-notification",
        }
    }

    /// The mutation of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::every().find(|mutation| mutation.name() == name)
    }

    /// Whether it is a way to handle the barriers at a task's input.
    #[must_use]
    pub fn handles_barriers(self) -> bool {
        self.place() == Place::Alignment
    }

    /// What a job must have for it to matter.
    #[must_use]
    pub fn place(self) -> Place {
        match self {
            Self::ProcessAfterFirstBarrier
            | Self::SnapshotAtFirstBarrier
            | Self::AbortLeavesBlocked
            | Self::CountAnyBarrier
            | Self::ReleaseBeforeSnapshot
            | Self::NoAlignmentOfOneInput => Place::Alignment,
            Self::DropHeldBackRecords | Self::ReverseHeldBackRecords => Place::HeldBack,
            Self::ForgetChannelState
            | Self::ForgetOutputBuffers
            | Self::SaveFirstInputOnly
            | Self::RestoreInFlightLast
            | Self::RestoreAtBothEnds
            | Self::LogPastBarrier
            | Self::BarrierInMidRecord
            | Self::OvertakeOnBroadcast
            | Self::ForcedBarrierTimesOut => Place::Overtaking,
            _ => Place::Anywhere,
        }
    }
}

/// What a job must have for a mistake to matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Any job has it.
    Anywhere,
    /// Tasks that align barriers, and never do without.
    Alignment,
    /// Records that wait behind an aligned barrier.
    HeldBack,
    /// Barriers that overtake records, which become part of the checkpoint.
    Overtaking,
}
