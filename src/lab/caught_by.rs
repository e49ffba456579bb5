//! By which property each mistake is caught.

use crate::model::Mutation;
use crate::verify::Property;

/// Every mistake, in the order of [`Mutation::ALL`], with the properties that it
/// breaks. They are those of the definitions: what is received before the cut
/// and sent after it, what waits for ever, and so on; the tests hold the judge
/// to them.
pub const CAUGHT_BY: &[(Mutation, &[Property])] = {
    use Mutation as M;
    use Property as P;
    &[
        (M::ProcessAfterFirstBarrier, &[P::Alignment, P::ConsistentCut]),
        (M::SnapshotAtFirstBarrier, &[P::BarrierOrder, P::ConsistentCut]),
        (M::BarrierOvertakesRecords, &[P::Delivery, P::ConsistentCut]),
        (M::RecordOvertakesBarrier, &[P::Delivery, P::ConsistentCut]),
        (M::SnapshotAfterNextRecord, &[P::CutAtomicity, P::ConsistentCut]),
        (M::BarrierAfterNextRecord, &[P::CutAtomicity, P::ConsistentCut]),
        (M::StoreWithoutCopy, &[P::RestoreEquality]),
        (M::DropHeldBackRecords, &[P::Delivery, P::ConsistentCut]),
        (M::ReverseHeldBackRecords, &[P::Delivery, P::ConsistentCut]),
        (M::BarrierToOneOutput, &[P::BarrierOrder, P::Liveness]),
        (M::OffsetTooHigh, &[P::SourcePosition, P::SnapshotState]),
        (M::OffsetTooLow, &[P::SourcePosition, P::SnapshotState]),
        (M::AcknowledgeBeforeStored, &[P::Completeness]),
        (M::CompleteOnSinks, &[P::Completeness]),
        (M::RestoreNewestBegun, &[P::RestoreEquality]),
        (M::RestoreOwnNewest, &[P::RestoreEquality]),
        (M::KeepChannelsOnRestart, &[P::RestoreEquality]),
        (M::KeepStateOnRestart, &[P::RestoreEquality]),
        (M::KeepOffsetsOnRestart, &[P::RestoreEquality, P::ExactlyOnceState]),
        (M::CommitAtPreCommit, &[P::Commitment]),
        (M::AbortPreparedOnRestart, &[P::Commitment]),
        (M::LoseNotifications, &[P::Liveness]),
        (M::CommitExactCheckpoint, &[P::Commitment]),
        (M::AbortDropsPrepared, &[P::Commitment, P::ExactlyOnceOutput]),
        (M::AbortLeavesBlocked, &[P::Liveness]),
        (M::ZombieCommits, &[P::Commitment, P::ExactlyOnceOutput]),
        (M::CountAnyBarrier, &[P::BarrierOrder]),
        (M::ForgetChannelState, &[P::ConsistentCut]),
        (M::ForgetOutputBuffers, &[P::ConsistentCut]),
        (M::SaveFirstInputOnly, &[P::ConsistentCut]),
        (M::RestoreInFlightLast, &[P::RestoreEquality]),
        (M::RestoreAtBothEnds, &[P::RestoreEquality]),
        (M::DeleteSharedFiles, &[P::Completeness]),
        (M::RestartFailedTaskOnly, &[P::FailureTransparency, P::ExactlyOnceState]),
        (M::RecommitOnRestart, &[P::Commitment, P::ExactlyOnceOutput]),
        (M::LogPastBarrier, &[P::ConsistentCut]),
        (M::BarrierInMidRecord, &[P::LocalAtomicity]),
        (M::ExpectFinishedTasks, &[P::Liveness]),
        (M::StaleAcknowledgementCounts, &[P::Fencing]),
        (M::OvertakeOnBroadcast, &[P::Delivery]),
        (M::ForcedBarrierTimesOut, &[P::Delivery]),
        (M::MergeAborted, &[P::Commitment]),
        (M::SkipCommittedIds, &[P::Commitment]),
    ]
};
