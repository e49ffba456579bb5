//! A property that a run has broken: what happened, where, when, and since when
//! it could not be right any more.

use super::property::Property;
use crate::model::{
    Attempt, ChannelIndex, CheckpointId, FileName, RecordId, SubtaskIndex, TransactionId,
};
use crate::trace::RpcMessage;

/// A property is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What happened.
    pub wrong: Wrong,
    /// When: the first step at which it went wrong.
    pub step: u64,
    /// The earlier step that makes it wrong, where there is one.
    pub since: Option<u64>,
}

impl Breach {
    /// The property that is broken.
    #[must_use]
    pub fn property(&self) -> Property {
        self.wrong.property()
    }
}

/// Something that must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// An element leaves a place of a channel where it is not.
    NotThere {
        /// Where.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
    },
    /// An element leaves before one that stands in front of it.
    OutOfTurn {
        /// Where.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
        /// The element in front of it.
        first: u64,
    },
    /// What is taken is not what was sent under this number.
    AnotherThanSent {
        /// Where.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
    },
    /// An element has not the number that is next on its channel.
    Misnumbered {
        /// Where.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
        /// The number that is next.
        next: u64,
    },
    /// A task that needs time for a record has its effect without having taken
    /// it before, or one that needs none has taken it.
    NotInHand {
        /// Where it comes from.
        channel: ChannelIndex,
        /// Which element.
        number: u64,
    },
    /// A barrier overtakes, or may do so, on an edge that cannot carry an
    /// unaligned one.
    OvertakesWhereNone {
        /// Where.
        channel: ChannelIndex,
        /// Whose barrier.
        checkpoint: CheckpointId,
    },
    /// A task takes from a channel that does not lead to it.
    NotItsChannel {
        /// Who.
        task: SubtaskIndex,
        /// Where.
        channel: ChannelIndex,
    },

    /// A source that is at the end of its data reads a record.
    ReadAfterEnd {
        /// Who.
        task: SubtaskIndex,
        /// What.
        record: RecordId,
    },
    /// A record comes from a channel that is at the end of its data.
    ComesAfterEnd {
        /// Which.
        channel: ChannelIndex,
        /// The record, if it is known.
        record: Option<RecordId>,
    },
    /// A task says once more that it is at the end of its data.
    EndsAgain {
        /// Who.
        task: SubtaskIndex,
    },

    /// A record had its effect, and its result was not sent in the same step.
    ResultMissing {
        /// Who.
        task: SubtaskIndex,
        /// The result.
        record: RecordId,
        /// Where it belongs.
        channel: ChannelIndex,
    },
    /// A task stores its state when a record has had its effect on it, and
    /// before the record's result is sent.
    StoredInMidRecord {
        /// Who.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// The result.
        record: RecordId,
        /// Where it belongs.
        channel: ChannelIndex,
    },
    /// A task sends what no record of this step makes it send.
    ResultUnasked {
        /// Who.
        task: SubtaskIndex,
        /// What.
        record: RecordId,
        /// Where.
        channel: ChannelIndex,
    },
    /// The state after a record is not what the operator makes of it.
    StateWrong {
        /// Who.
        task: SubtaskIndex,
        /// After which record.
        record: RecordId,
    },
    /// A source does not read the next record of a split of its own.
    ReadOutOfOrder {
        /// Who.
        task: SubtaskIndex,
        /// What it reads.
        record: RecordId,
        /// The offset that is next.
        next: u32,
    },

    /// A snapshot holds another state than the task has.
    SnapshotDiffers {
        /// Whose.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },

    /// A checkpoint is complete without a task's acknowledgement.
    CompletedWithout {
        /// Which.
        checkpoint: CheckpointId,
        /// Whose part is missing.
        task: SubtaskIndex,
    },
    /// A task's part counts as acknowledged, and the task has not stored it.
    AcknowledgedUnstored {
        /// Whose.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task says that it has stored what it has not copied.
    StoredUntaken {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A task writes what is not of its own, or not of this checkpoint.
    WrittenWrong {
        /// Who.
        task: SubtaskIndex,
        /// For which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A checkpoint ends that is not under way.
    EndsUnbegun {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A checkpoint is deleted, and an older one stays.
    DeletedOutOfOrder {
        /// Which.
        checkpoint: CheckpointId,
        /// The older one.
        older: CheckpointId,
    },
    /// A complete checkpoint needs a file that is not there.
    FileMissing {
        /// Which.
        checkpoint: CheckpointId,
        /// The file.
        file: FileName,
    },
    /// What is deleted or used is not there.
    NoSuchFile {
        /// The file.
        file: FileName,
    },

    /// A checkpoint has a lower id than one before it.
    IdsGoBack {
        /// Which.
        checkpoint: CheckpointId,
        /// The one before.
        before: CheckpointId,
    },
    /// A barrier follows one of the same or a later checkpoint.
    BarrierBehindLater {
        /// Where.
        channel: ChannelIndex,
        /// Whose barrier.
        checkpoint: CheckpointId,
        /// The barrier before it.
        before: CheckpointId,
    },
    /// A task takes a snapshot and sends no barrier on one of its channels.
    BarrierMissing {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Where it is missing.
        channel: ChannelIndex,
    },
    /// A snapshot is taken before the barrier of an input has come.
    SnapshotEarly {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Whose barrier is missing.
        channel: ChannelIndex,
    },
    /// A snapshot is taken that nobody has asked for.
    SnapshotUnasked {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A snapshot follows one of the same or a later checkpoint.
    SnapshotBehindLater {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// The snapshot before it.
        before: CheckpointId,
    },
    /// Barriers are counted wrong.
    Miscounted {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// How many have come.
        n: u32,
        /// How many the task counts.
        counted: u32,
    },

    /// An aligned checkpoint times out where none is being aligned.
    TimedOutUnasked {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },

    /// A record is processed although the barrier of its channel has come, and
    /// another one has not.
    ProcessedBehindBarrier {
        /// Who.
        task: SubtaskIndex,
        /// Where the record comes from.
        channel: ChannelIndex,
        /// Which record.
        record: Option<RecordId>,
        /// Whose barrier.
        checkpoint: CheckpointId,
        /// An input whose barrier has not come.
        awaited: ChannelIndex,
    },
    /// A channel is blocked by a barrier that has not come, or freed without
    /// being blocked.
    BlockedWrong {
        /// Which.
        channel: ChannelIndex,
    },

    /// A barrier has gone out, and the snapshot is not taken in the same step.
    BarrierWithoutSnapshot {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A record is sent between the barrier going out and the snapshot.
    BetweenBarrierAndSnapshot {
        /// Who.
        task: SubtaskIndex,
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// Which record.
        record: RecordId,
    },

    /// A checkpoint was begun and never came to an end.
    CheckpointNeverEnds {
        /// Which.
        checkpoint: CheckpointId,
        /// Whose acknowledgements are missing.
        tasks: Vec<SubtaskIndex>,
    },
    /// A channel stays blocked until the end.
    StaysBlocked {
        /// Which.
        channel: ChannelIndex,
        /// By whose barrier.
        checkpoint: CheckpointId,
    },
    /// A task, or the job, is said to be done and is not.
    DoneEarly {
        /// Who has more to do.
        tasks: Vec<SubtaskIndex>,
    },
    /// The run has come to a standstill, and the job is not at its end.
    JobNeverEnds {
        /// The tasks that are not done.
        tasks: Vec<SubtaskIndex>,
    },

    /// A task does something and does not run.
    DeadActs {
        /// Who.
        task: SubtaskIndex,
    },
    /// A task takes up a record while it stands still to copy its state.
    WorksWhileCopying {
        /// Who.
        task: SubtaskIndex,
    },
    /// A message of a dead attempt, or about a checkpoint that is over, counts.
    StaleCounts {
        /// Whose.
        task: SubtaskIndex,
        /// About which checkpoint.
        checkpoint: CheckpointId,
    },
    /// An attempt has not the number that is next.
    AttemptMisnumbered {
        /// Which.
        attempt: Attempt,
        /// The attempt before it.
        before: Attempt,
    },
    /// An attempt begins although the one before it has not failed.
    RestartedRunning {
        /// Which.
        attempt: Attempt,
    },
    /// Something of the job goes on after its end.
    GoesOnAfterEnd,

    /// The job fails because of a checkpoint that has not failed, or by another
    /// limit than its own.
    FailsUncaused {
        /// The checkpoint; none: it had not begun.
        checkpoint: Option<CheckpointId>,
    },

    /// A task could not store its part of a checkpoint, and does not decline it.
    Undeclined {
        /// Who.
        task: SubtaskIndex,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A message comes that nobody has sent.
    Unsent {
        /// Whose, or to whom.
        task: SubtaskIndex,
        /// What it says.
        message: RpcMessage,
    },

    /// The job restarts from a checkpoint that is not complete, or was deleted.
    RestoredIncomplete {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// The job restarts from an older checkpoint than the newest complete one.
    RestoredOlder {
        /// From which; none: from the beginning.
        checkpoint: Option<CheckpointId>,
        /// The newest.
        newest: CheckpointId,
    },
    /// A task gets another state back than the checkpoint holds.
    RestoredOther {
        /// Who.
        task: SubtaskIndex,
        /// From which; none: from the beginning.
        checkpoint: Option<CheckpointId>,
    },
    /// A task gets its state back in the middle of an attempt.
    RestoredUnasked {
        /// Who.
        task: SubtaskIndex,
    },

    /// Early publish: a transaction is committed before its checkpoint is
    /// complete.
    EarlyPublish {
        /// Which.
        transaction: TransactionId,
        /// What it waits for; none: it was not even prepared.
        checkpoint: Option<CheckpointId>,
    },
    /// Lost publish: a transaction is thrown away, or never committed, although
    /// its checkpoint is complete.
    LostPublish {
        /// Which.
        transaction: TransactionId,
        /// Its checkpoint.
        checkpoint: CheckpointId,
    },
    /// Double publish: a transaction is committed again.
    DoublePublish {
        /// Which.
        transaction: TransactionId,
    },
    /// Ghost writer: a sink that is dead, or one of an earlier attempt, commits.
    GhostWriter {
        /// Which transaction.
        transaction: TransactionId,
        /// The attempt that runs.
        attempt: Attempt,
    },
    /// A transaction is committed while an older one of its sink still waits.
    CommittedOutOfOrder {
        /// Which.
        transaction: TransactionId,
        /// The older one.
        older: TransactionId,
    },
    /// Something is done to a transaction that is not open, or not there.
    NoSuchTransaction {
        /// Which.
        transaction: TransactionId,
    },
    /// A sink writes a record while it has no transaction open: nobody will
    /// ever see it.
    WrittenNowhere {
        /// Who.
        task: SubtaskIndex,
        /// What.
        record: RecordId,
    },
    /// A transaction has another number of records than were written into it.
    TransactionSize {
        /// Which.
        transaction: TransactionId,
        /// Records that it is said to hold.
        n_records: u64,
        /// Records that were written into it.
        n_written: u64,
    },

    /// In the surviving history a task processes what is not first on its
    /// channel there.
    NotARun {
        /// Who.
        task: SubtaskIndex,
        /// What it processes.
        record: RecordId,
    },
    /// A run without failures of the same records would end with another state.
    EndsOtherwise {
        /// Who has another state.
        task: SubtaskIndex,
    },
    /// The committed output is not what the surviving history wrote first.
    CommitsOtherwise {
        /// The sink.
        task: SubtaskIndex,
        /// The first result that differs.
        record: RecordId,
    },

    /// A record counts more often than the cuts of the restarts explain.
    BeyondOrphans {
        /// The record, as the operator got it.
        record: RecordId,
        /// A task of the operator.
        task: SubtaskIndex,
        /// How often too much it counts.
        n: u32,
        /// How often the cuts explain.
        explained: u32,
    },
}

impl Wrong {
    /// The property that it breaks.
    #[must_use]
    pub fn property(&self) -> Property {
        match self {
            Self::NotThere { .. }
            | Self::OutOfTurn { .. }
            | Self::AnotherThanSent { .. }
            | Self::Misnumbered { .. }
            | Self::NotInHand { .. }
            | Self::OvertakesWhereNone { .. }
            | Self::NotItsChannel { .. } => Property::Delivery,
            Self::ReadAfterEnd { .. } | Self::ComesAfterEnd { .. } | Self::EndsAgain { .. } => {
                Property::EndOfData
            }
            Self::ResultMissing { .. }
            | Self::StoredInMidRecord { .. }
            | Self::ResultUnasked { .. }
            | Self::StateWrong { .. }
            | Self::ReadOutOfOrder { .. } => Property::LocalAtomicity,
            Self::SnapshotDiffers { .. } => Property::SnapshotState,
            Self::CompletedWithout { .. }
            | Self::AcknowledgedUnstored { .. }
            | Self::StoredUntaken { .. }
            | Self::WrittenWrong { .. }
            | Self::EndsUnbegun { .. }
            | Self::DeletedOutOfOrder { .. }
            | Self::FileMissing { .. }
            | Self::NoSuchFile { .. } => Property::Completeness,
            Self::IdsGoBack { .. }
            | Self::BarrierBehindLater { .. }
            | Self::BarrierMissing { .. }
            | Self::SnapshotEarly { .. }
            | Self::SnapshotUnasked { .. }
            | Self::SnapshotBehindLater { .. }
            | Self::TimedOutUnasked { .. }
            | Self::Miscounted { .. } => Property::BarrierOrder,
            Self::ProcessedBehindBarrier { .. } | Self::BlockedWrong { .. } => Property::Alignment,
            Self::WorksWhileCopying { .. }
            | Self::BarrierWithoutSnapshot { .. }
            | Self::BetweenBarrierAndSnapshot { .. } => Property::CutAtomicity,
            Self::CheckpointNeverEnds { .. }
            | Self::StaysBlocked { .. }
            | Self::DoneEarly { .. }
            | Self::JobNeverEnds { .. } => Property::Liveness,
            Self::DeadActs { .. }
            | Self::StaleCounts { .. }
            | Self::AttemptMisnumbered { .. }
            | Self::RestartedRunning { .. }
            | Self::FailsUncaused { .. }
            | Self::GoesOnAfterEnd => Property::Fencing,
            Self::Undeclined { .. } | Self::Unsent { .. } => Property::Messages,
            Self::RestoredIncomplete { .. }
            | Self::RestoredOlder { .. }
            | Self::RestoredOther { .. }
            | Self::RestoredUnasked { .. } => Property::RestoreEquality,
            Self::EarlyPublish { .. }
            | Self::LostPublish { .. }
            | Self::DoublePublish { .. }
            | Self::GhostWriter { .. }
            | Self::CommittedOutOfOrder { .. }
            | Self::NoSuchTransaction { .. }
            | Self::WrittenNowhere { .. }
            | Self::TransactionSize { .. } => Property::Commitment,
            Self::NotARun { .. } | Self::EndsOtherwise { .. } | Self::CommitsOtherwise { .. } => {
                Property::FailureTransparency
            }
            Self::BeyondOrphans { .. } => Property::AtLeastOnceBound,
        }
    }
}

/// All breaches of a run, the first found first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConductJudgement {
    /// At most [`ConductJudgement::LISTED_MAX`] of each property.
    pub breaches: Vec<Breach>,
    /// All that there are, listed or not, by [`Property::ALL`]'s places.
    pub n_by_property: [u64; Property::ALL.len()],
}

impl ConductJudgement {
    /// How many breaches of a property are listed.
    pub const LISTED_MAX: u64 = 100;

    /// How many breaches there are of a property.
    #[must_use]
    pub fn n(&self, property: Property) -> u64 {
        self.n_by_property[place(property)]
    }

    /// How many breaches there are.
    #[must_use]
    pub fn n_breaches(&self) -> u64 {
        self.n_by_property.iter().sum()
    }

    /// The first step at which a property is broken.
    #[must_use]
    pub fn first_step(&self, property: Property) -> Option<u64> {
        let own = self.breaches.iter().filter(|breach| breach.property() == property);
        own.map(|breach| breach.step).min()
    }

    /// Notes a breach.
    pub(super) fn push(&mut self, step: u64, since: Option<u64>, wrong: Wrong) {
        let n = &mut self.n_by_property[place(wrong.property())];
        *n += 1;
        if *n <= Self::LISTED_MAX {
            self.breaches.push(Breach { wrong, step, since });
        }
    }
}

fn place(property: Property) -> usize {
    Property::ALL.iter().position(|own| *own == property).expect("ALL has every property")
}
