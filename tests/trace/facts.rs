//! Random facts about the sample scenario: each kind, and each kind of word in
//! it.

use checkdam::model::{
    AlignmentType, Attempt, Backlog, Barrier, ChannelEnd, ChannelIndex, CheckpointFailureReason,
    CheckpointId, CheckpointOptions, ClaimMode, FaultKind, FileName, HighAvailability, InFlight,
    Key, Location, Micros, Path, ReadFailure, Record, RecordId, SavepointFormatType,
    SnapshotMetrics, SnapshotState, SnapshotType, SplitIndex, StateKind, StatePiece, StateValue,
    StreamElement, SubtaskIndex, TaskManagerIndex, Time, TransactionId, Value, WriteFailure,
};
use checkdam::trace::{Fact, FailureCause, Rejection, RpcMessage, Step, Transaction, TriggerCause};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::{Union, ValueTree};
use proptest::test_runner::TestRunner;

use super::sample;

/// One fact of each kind, always the same.
pub(super) fn one_of_each() -> Vec<Fact> {
    let mut runner = TestRunner::deterministic();
    let mut fact = |kind: BoxedStrategy<Fact>| {
        kind.new_tree(&mut runner).expect("nothing is filtered").current()
    };
    kinds().into_iter().map(&mut fact).collect()
}

/// Steps in order, with any facts.
pub(super) fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..=1_000_000_u64, vec(Union::new(kinds()), 0..6));
    vec(step, 0..6).prop_map(|steps| {
        let mut at = Time::ZERO;
        let mut step = |(number, (after, facts))| {
            at = at.after(Micros(after));
            Step { number, at, facts }
        };
        (1..).zip(steps).map(&mut step).collect()
    })
}

/// A strategy for each kind of fact.
fn kinds() -> Vec<BoxedStrategy<Fact>> {
    let mut kinds = flowing();
    kinds.extend(checkpointing());
    kinds.extend(failing());
    kinds
}

/// Turns `Variant { field: strategy, ... }` into a strategy for that fact.
macro_rules! fact {
    ($variant:ident { $($field:ident: $strategy:expr),* $(,)? }) => {
        ($($strategy,)* Just(()))
            .prop_map(|($($field,)* ())| Fact::$variant { $($field),* })
            .boxed()
    };
}

fn options() -> impl Strategy<Value = CheckpointOptions> {
    let snapshot = snapshot_type();
    let alignment = prop_oneof![
        Just(AlignmentType::AtLeastOnce),
        Just(AlignmentType::Aligned),
        Just(AlignmentType::Unaligned),
        Just(AlignmentType::ForcedAligned),
    ];
    let timeout = option::of(any::<u64>().prop_map(Micros));
    (snapshot, alignment, timeout).prop_map(|(snapshot, alignment, aligned_timeout)| {
        CheckpointOptions { snapshot, alignment, aligned_timeout }
    })
}

fn flowing() -> Vec<BoxedStrategy<Fact>> {
    vec![
        fact!(Read { task: task(), record: record() }),
        fact!(Emitted {
            channel: channel(),
            number: any::<u64>(),
            element: record().prop_map(StreamElement::Record),
            buffered: any::<bool>(),
        }),
        fact!(Emitted {
            channel: channel(),
            number: any::<u64>(),
            element: (checkpoint(), time(), options()).prop_map(
                |(checkpoint, triggered_at, options)| {
                    StreamElement::Barrier(Barrier { checkpoint, triggered_at, options })
                }
            ),
            buffered: any::<bool>(),
        }),
        fact!(Emitted {
            channel: channel(),
            number: any::<u64>(),
            element: Just(StreamElement::EndOfData),
            buffered: any::<bool>(),
        }),
        fact!(Departed { channel: channel(), number: any::<u64>() }),
        fact!(Arrived { channel: channel(), number: any::<u64>() }),
        fact!(Started { task: task(), channel: channel(), number: any::<u64>() }),
        fact!(Processed {
            task: task(),
            channel: channel(),
            number: any::<u64>(),
            record: record(),
            state: option::of((key(), state_value())),
        }),
        fact!(EndReceived { task: task(), channel: channel(), number: any::<u64>() }),
        fact!(Emitted {
            channel: channel(),
            number: any::<u64>(),
            element: checkpoint().prop_map(StreamElement::CancelMarker),
            buffered: any::<bool>(),
        }),
        fact!(Emitted {
            channel: channel(),
            number: any::<u64>(),
            element: Just(StreamElement::EndOfPartition),
            buffered: any::<bool>(),
        }),
        fact!(Emitted {
            channel: channel(),
            number: any::<u64>(),
            element: Just(StreamElement::EndOfChannelState),
            buffered: any::<bool>(),
        }),
        fact!(PartitionEnded { task: task(), channel: channel(), number: any::<u64>() }),
        fact!(ChannelStateReceived { task: task(), channel: channel(), number: any::<u64>() }),
        fact!(EndOfData { task: task() }),
    ]
}

fn checkpointing() -> Vec<BoxedStrategy<Fact>> {
    vec![
        fact!(BarrierReceived {
            task: task(),
            channel: channel(),
            number: any::<u64>(),
            checkpoint: checkpoint(),
            n_received: any::<u32>(),
            n_needed: any::<u32>(),
        }),
        fact!(EndCounted {
            task: task(),
            checkpoint: checkpoint(),
            n_received: any::<u32>(),
            n_needed: any::<u32>(),
        }),
        fact!(Announced {
            task: task(),
            channel: channel(),
            checkpoint: checkpoint(),
            n_received: any::<u32>(),
            n_needed: any::<u32>(),
        }),
        fact!(AlignmentTimerDue { task: task(), checkpoint: checkpoint() }),
        fact!(AlignmentTimedOut { task: task(), checkpoint: checkpoint() }),
        fact!(Prioritized { channel: channel(), number: any::<u64>() }),
        fact!(OutputTimedOut { channel: channel(), number: any::<u64>() }),
        fact!(ChannelStateSaved {
            checkpoint: checkpoint(),
            channel: channel(),
            end: prop_oneof![Just(ChannelEnd::Input), Just(ChannelEnd::Output)],
            records: vec(in_flight(), 0..4),
        }),
        fact!(CancelMarkerReceived {
            task: task(),
            channel: channel(),
            number: any::<u64>(),
            checkpoint: checkpoint(),
        }),
        fact!(Declined { task: task(), checkpoint: checkpoint(), reason: reason() }),
        fact!(DeclineReceived { task: task(), checkpoint: checkpoint(), reason: reason() }),
        fact!(AbortNotified { task: task(), checkpoint: checkpoint() }),
        fact!(FinishedTaskIncluded { task: task(), checkpoint: checkpoint(), state: snapshot() }),
        fact!(SyncEnded { task: task(), checkpoint: checkpoint() }),
        fact!(StateWritten {
            task: task(),
            checkpoint: checkpoint(),
            pieces: vec(piece(), 0..4),
            copy: option::of(any::<u64>()),
        }),
        fact!(WriteFailed {
            task: task(),
            checkpoint: checkpoint(),
            why: prop_oneof![
                (any::<u64>(), any::<u64>())
                    .prop_map(|(bytes, bytes_max)| WriteFailure::TooLarge { bytes, bytes_max }),
                Just(WriteFailure::StorageDown),
            ],
        }),
        fact!(MetadataWritten {
            checkpoint: checkpoint(),
            snapshot: snapshot_type(),
            bytes: any::<u64>(),
        }),
        fact!(CheckpointDisposed { checkpoint: checkpoint() }),
        fact!(FilesDeleted { files: vec(file(), 0..4) }),
        fact!(SnapshotStored { task: task(), checkpoint: checkpoint(), metrics: metrics() }),
        fact!(Blocked { channel: channel(), checkpoint: checkpoint() }),
        fact!(Resumed { channel: channel() }),
        fact!(CheckpointTriggered {
            checkpoint: checkpoint(),
            snapshot: snapshot_type(),
            format: prop_oneof![
                Just(SavepointFormatType::Canonical),
                Just(SavepointFormatType::Native)
            ],
            cause: cause(),
        }),
        fact!(TriggerRejected {
            cause: cause(),
            reason: prop_oneof![
                Just(Rejection::TasksNotRunning),
                Just(Rejection::NoSavepointDirectory)
            ],
        }),
        fact!(TriggerReceived { task: task(), checkpoint: checkpoint() }),
        fact!(SnapshotTaken { task: task(), checkpoint: checkpoint(), state: snapshot() }),
        fact!(Acknowledged { task: task(), checkpoint: checkpoint() }),
        fact!(CheckpointCompleted { checkpoint: checkpoint() }),
        fact!(CheckpointAborted { checkpoint: checkpoint(), reason: reason() }),
        fact!(Notified { task: task(), checkpoint: checkpoint() }),
        fact!(EndReported { task: task() }),
        fact!(TransactionBegun { transaction: transaction() }),
        fact!(TransactionPrepared { transaction: transaction(), checkpoint: checkpoint() }),
        fact!(TransactionCommitted { transaction: transaction(), n_records: any::<u64>() }),
        fact!(TransactionAborted { transaction: transaction(), n_records: any::<u64>() }),
    ]
}

fn failing() -> Vec<BoxedStrategy<Fact>> {
    let message = prop_oneof![
        checkpoint().prop_map(RpcMessage::Trigger),
        checkpoint().prop_map(RpcMessage::Acknowledge),
        checkpoint().prop_map(RpcMessage::Decline),
        checkpoint().prop_map(RpcMessage::Abort),
        checkpoint().prop_map(RpcMessage::Notify),
        Just(RpcMessage::EndOfData),
        backlog().prop_map(RpcMessage::Backlog),
        Just(RpcMessage::Failure),
    ];
    vec![
        fact!(MessageIgnored { task: task(), attempt: attempt(), message: message.clone() }),
        fact!(MessageLost { task: task(), message: message.clone() }),
        fact!(MessageDelayed { task: task(), message: message, by: micros() }),
        fact!(Crashed { tasks: vec(task(), 0..4) }),
        fact!(Slowed { fault: fault() }),
        fact!(SlownessEnded { fault: fault() }),
        fact!(JobFailed {
            attempt: attempt(),
            cause: failure_cause(),
            region: option::of(vec(task(), 1..4)),
            restart_after: option::of(micros()),
        }),
        fact!(AttemptStarted {
            attempt: attempt(),
            region: option::of(vec(task(), 1..4)),
            checkpoint: option::of(checkpoint()),
        }),
        fact!(ChannelStateRestored {
            channel: channel(),
            input: vec(record(), 0..4),
            output: vec(record(), 0..4),
        }),
        fact!(RestoreStarted {
            task: task(),
            checkpoint: checkpoint(),
            from_storage: any::<u64>(),
            from_disk: any::<u64>(),
        }),
        fact!(RestoreFailed {
            task: task(),
            checkpoint: checkpoint(),
            why: prop_oneof![
                file().prop_map(|file| ReadFailure::FileMissing { file }),
                Just(ReadFailure::StorageDown),
            ],
        }),
        fact!(StateRestored { task: task(), state: snapshot() }),
        fact!(TaskFinished { task: task() }),
        Just(Fact::JobFinished).boxed(),
        Just(Fact::JobCanceled).boxed(),
        fact!(BacklogReported { task: task(), backlog: backlog() }),
        fact!(JobManagerCrashed { attempt: attempt() }),
        fact!(JobManagerStarted {
            high_availability: prop_oneof![Just(HighAvailability::Off), Just(HighAvailability::On)],
        }),
        fact!(CheckpointDiscarded { checkpoint: checkpoint() }),
        fact!(CheckpointRetained { checkpoint: checkpoint() }),
        fact!(SavepointRestored {
            checkpoint: checkpoint(),
            snapshot: snapshot_type(),
            claim: prop_oneof![
                Just(ClaimMode::NoClaim),
                Just(ClaimMode::Claim),
                Just(ClaimMode::Legacy),
            ],
            bytes: any::<u64>(),
        }),
        fact!(StateAssigned {
            task: task(),
            checkpoint: checkpoint(),
            state: snapshot(),
            pieces: vec(piece(), 0..3),
            transactions: vec(written(), 0..3),
        }),
        fact!(ChannelStateAssigned {
            checkpoint: checkpoint(),
            channel: channel(),
            input: vec(record(), 0..3),
            output: vec(record(), 0..3),
        }),
    ]
}

fn written() -> impl Strategy<Value = Transaction> {
    (transaction(), vec(record(), 0..3)).prop_map(|(id, records)| Transaction { id, records })
}

fn failure_cause() -> impl Strategy<Value = FailureCause> {
    prop_oneof![
        task().prop_map(|task| FailureCause::TaskFailed { task }),
        (option::of(checkpoint()), reason(), any::<u32>()).prop_map(
            |(checkpoint, reason, tolerable)| FailureCause::TooManyFailedCheckpoints {
                checkpoint,
                reason,
                tolerable
            },
        ),
    ]
}

fn backlog() -> impl Strategy<Value = Backlog> {
    prop_oneof![Just(Backlog::Processing), Just(Backlog::CaughtUp)]
}

fn reason() -> impl Strategy<Value = CheckpointFailureReason> {
    let all = CheckpointFailureReason::ALL;
    (0..all.len()).prop_map(move |place| all[place])
}

fn in_flight() -> impl Strategy<Value = InFlight> {
    (any::<u64>(), record()).prop_map(|(number, record)| InFlight { number, record })
}

fn snapshot_type() -> impl Strategy<Value = SnapshotType> {
    prop_oneof![
        Just(SnapshotType::Checkpoint),
        Just(SnapshotType::Savepoint),
        Just(SnapshotType::Suspend),
        Just(SnapshotType::Terminate),
    ]
}

fn state_kind() -> impl Strategy<Value = StateKind> {
    prop_oneof![Just(StateKind::Operator), Just(StateKind::Keyed), Just(StateKind::Channel)]
}

fn file() -> impl Strategy<Value = FileName> {
    prop_oneof![
        checkpoint().prop_map(|checkpoint| FileName::Metadata { checkpoint }),
        (checkpoint(), task(), state_kind()).prop_map(|(checkpoint, task, kind)| {
            FileName::Exclusive { checkpoint, task, kind }
        }),
        checkpoint().prop_map(|savepoint| FileName::SavepointMetadata { savepoint }),
        (checkpoint(), task(), state_kind()).prop_map(|(savepoint, task, kind)| {
            FileName::SavepointState { savepoint, task, kind }
        }),
        (task(), any::<u32>()).prop_map(|(task, number)| FileName::Shared { task, number }),
        (checkpoint(), task()).prop_map(|(checkpoint, task)| FileName::Local { checkpoint, task }),
    ]
}

fn piece() -> impl Strategy<Value = StatePiece> {
    let location = prop_oneof![
        Just(Location::Metadata),
        file().prop_map(Location::Written),
        file().prop_map(Location::Reused),
    ];
    (state_kind(), any::<u64>(), location).prop_map(|(kind, bytes, location)| StatePiece {
        kind,
        bytes,
        location,
    })
}

fn metrics() -> impl Strategy<Value = SnapshotMetrics> {
    let durations = (micros(), micros(), micros(), micros());
    (durations, any::<u64>(), any::<u64>(), any::<bool>()).prop_map(
        |((start_delay, alignment_duration, sync_duration, async_duration), a, b, unaligned)| {
            SnapshotMetrics {
                start_delay,
                alignment_duration,
                sync_duration,
                async_duration,
                bytes_processed_during_alignment: a,
                bytes_persisted_during_alignment: b,
                unaligned,
            }
        },
    )
}

fn task() -> impl Strategy<Value = SubtaskIndex> + Clone {
    (0..sample::scenario().graph.subtasks.len()).prop_map(SubtaskIndex::at)
}

fn channel() -> impl Strategy<Value = ChannelIndex> {
    (0..sample::scenario().graph.channels.len()).prop_map(ChannelIndex::at)
}

fn split() -> impl Strategy<Value = SplitIndex> {
    (0..sample::scenario().graph.splits.len()).prop_map(SplitIndex::at)
}

fn task_manager() -> impl Strategy<Value = TaskManagerIndex> {
    (0..sample::scenario().task_managers.len()).prop_map(TaskManagerIndex::at)
}

fn checkpoint() -> impl Strategy<Value = CheckpointId> {
    any::<u64>().prop_map(CheckpointId)
}

fn attempt() -> impl Strategy<Value = Attempt> {
    any::<u32>().prop_map(Attempt)
}

fn time() -> impl Strategy<Value = Time> {
    (0..=Time::MAX.0).prop_map(Time)
}

fn micros() -> impl Strategy<Value = Micros> {
    any::<u64>().prop_map(Micros)
}

fn cause() -> impl Strategy<Value = TriggerCause> {
    prop_oneof![
        Just(TriggerCause::Periodic),
        Just(TriggerCause::Scenario),
        Just(TriggerCause::EndOfData),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-20..20_i64).prop_map(Value::Number),
        any::<i64>().prop_map(Value::Number),
        any::<char>().prop_map(Value::Letter),
        proptest::char::range('a', 'z').prop_map(Value::Letter),
    ]
}

/// Keys of every type, most of them not of the type that their operator makes.
fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        any::<bool>().prop_map(Key::Bool),
        (0..7).prop_map(Key::Int),
        any::<i32>().prop_map(Key::Int),
        any::<i64>().prop_map(Key::Long),
        any::<char>().prop_map(Key::Letter),
        (0..4_u16).prop_map(Key::Name),
        any::<u16>().prop_map(Key::Name),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let path =
        prop_oneof![Just(Path(0)), (1..=255_u64).prop_map(Path), any::<u64>().prop_map(Path)];
    (split(), any::<u32>(), path, value(), option::of(key())).prop_map(
        |(split, offset, path, value, key)| Record {
            id: RecordId { split, offset, path },
            value,
            key,
        },
    )
}

fn state_value() -> impl Strategy<Value = StateValue> {
    prop_oneof![
        value().prop_map(StateValue::Value),
        (option::of(value()), option::of(value()))
            .prop_map(|(left, right)| StateValue::Sides { left, right }),
    ]
}

fn transaction() -> impl Strategy<Value = TransactionId> {
    (task(), attempt(), any::<u32>()).prop_map(|(subtask, attempt, number)| TransactionId {
        subtask,
        attempt,
        number,
    })
}

fn snapshot() -> impl Strategy<Value = SnapshotState> {
    prop_oneof![
        vec((split(), any::<u32>()), 0..4).prop_map(SnapshotState::Offsets),
        vec((key(), state_value()), 0..4).prop_map(SnapshotState::Keyed),
        Just(SnapshotState::Stateless),
        vec((transaction(), checkpoint()), 0..3).prop_map(SnapshotState::Transactions),
    ]
}

fn fault() -> impl Strategy<Value = FaultKind> {
    prop_oneof![
        task().prop_map(FaultKind::CrashSubtask),
        task_manager().prop_map(FaultKind::CrashTaskManager),
        micros().prop_map(|lasts| FaultKind::CrashJobManager { lasts }),
        (task(), any::<u32>(), micros())
            .prop_map(|(subtask, times, lasts)| FaultKind::SlowSubtask { subtask, times, lasts }),
        (channel(), any::<u32>(), micros())
            .prop_map(|(channel, times, lasts)| FaultKind::SlowChannel { channel, times, lasts }),
        (any::<u32>(), micros()).prop_map(|(times, lasts)| FaultKind::SlowStorage { times, lasts }),
        micros().prop_map(|lasts| FaultKind::StorageDown { lasts }),
        checkpoint().prop_map(|checkpoint| FaultKind::Dispose { checkpoint }),
        (channel(), micros())
            .prop_map(|(channel, lasts)| FaultKind::StallChannel { channel, lasts }),
    ]
}
