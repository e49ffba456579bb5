//! Claims about the sentences.

use checkdam::model::{
    Attempt, Backlog, ChannelEnd, ChannelIndex, CheckpointFailureReason, CheckpointId, ClaimMode,
    FaultKind, FileName, HighAvailability, InFlight, Language, Location, Micros, Mutation, Path,
    ReadFailure, Record, RecordId, SavepointFormatType, SinkKind, SnapshotMetrics, SnapshotState,
    SnapshotType, SplitIndex, StateKind, StatePiece, StreamElement, SubtaskIndex, TransactionId,
    Value, WriteFailure,
};
use checkdam::narrate::{Scene, Story, tell};
use checkdam::trace::{Fact, FailureCause, Rejection, RpcMessage, Step, TriggerCause, View};

use super::fixture::{shapes, story, two_sources};

/// The sentence "why" of the first step with a fact that some test accepts.
fn why(story: &Story, language: Language, test: impl Fn(&Fact) -> bool + Copy) -> String {
    let step = (1..=story.n_steps()).find(|step| story.any(*step, test)).expect("it happens");
    let narration = tell(&story.step(step), language);
    let rule = narration.rule.expect("a step has a rule").name();
    format!("{} [{rule}]", narration.why).replace('\u{a0}', " ")
}

fn processed(task: u32, split: u32, offset: u32) -> impl Fn(&Fact) -> bool + Copy {
    move |fact| {
        matches!(fact, Fact::Processed { task: who, record, .. }
            if who.0 == task && record.id.split.0 == split && record.id.offset == offset)
    }
}

#[test]
fn the_hold_back_is_told_as_the_lecture_tells_it() {
    let story = story(two_sources(SinkKind::Publish).scenario("Two sources"));
    // Yellow 2 comes while blue 4 stands behind blue's barrier.
    assert_eq!(
        why(&story, Language::En, processed(2, 1, 2)),
        "yellow’s barrier 2 has not come yet, so yellow 2 belongs to checkpoint 2; blue 4 came \
         after blue’s barrier 2 and is held back: counted now, it would count twice after a \
         recovery. [align.hold-back]"
    );
    assert_eq!(
        why(&story, Language::Zh, processed(2, 1, 2)),
        "黄源的屏障 2 还没到，所以黄 2 属于检查点 2；蓝 4 在蓝源的屏障 2 之后到达，先扣住：\
         现在就算进去，恢复后会被重复计算。 [align.hold-back]"
    );
}

#[test]
fn what_was_held_back_says_so_when_its_turn_comes() {
    let story = story(two_sources(SinkKind::Publish).scenario("Two sources"));
    let why = why(&story, Language::En, processed(2, 0, 4));
    assert!(why.starts_with("blue 4 was held back at barrier 2; "), "{why}");
    assert!(why.ends_with("[align.release]"), "{why}");
}

#[test]
fn a_broken_rule_is_named_as_broken() {
    let told_of = [Mutation::ProcessAfterFirstBarrier, Mutation::SnapshotAtFirstBarrier];
    for mutation in told_of {
        let story = story(two_sources(SinkKind::Publish).breaks(mutation).scenario("Broken"));
        for (language, words) in
            [(Language::En, "the scenario breaks"), (Language::Zh, "本场景故意违反")]
        {
            let told = (1..=story.n_steps())
                .filter(|step| tell(&story.step(*step), language).why.contains(words))
                .count();
            assert!(told > 0, "{}", mutation.name());
        }
    }
}

#[test]
fn a_result_published_twice_is_told_as_such() {
    let story = story(two_sources(SinkKind::Publish).crash(3, 70).scenario("A crash"));
    let told = (1..=story.n_steps())
        .filter(|step| tell(&story.step(*step), Language::En).why.contains("publishes it twice"))
        .count();
    let sinks = [4, 5].map(|sink: usize| story.at(story.n_steps()).0.tasks[sink].sink.clone());
    let written: u64 = sinks.iter().flatten().map(|sink| sink.published.count).sum();
    // Eleven records are read; whatever is written beyond that was written again.
    assert!(told > 0);
    assert_eq!(told as u64, written - 11);
}

/// One fact of every kind, on the lecture's job.
fn every_fact() -> Vec<Fact> {
    let (task, channel, checkpoint) = (SubtaskIndex(2), ChannelIndex(0), CheckpointId(2));
    let id = RecordId { split: SplitIndex(0), offset: 4, path: Path::default() };
    let record = Record { id, value: Value::Number(4), key: None };
    let transaction = TransactionId { subtask: SubtaskIndex(4), attempt: Attempt(1), number: 1 };
    let (number, attempt) = (1, Attempt(1));
    let slow = FaultKind::SlowSubtask { subtask: task, times: 3, lasts: Micros::from_ms(10) };
    let saved = |end| {
        let records = vec![InFlight { number, record }];
        Fact::ChannelStateSaved { checkpoint, channel, end, records }
    };
    let declined = |reason| Fact::Declined { task, checkpoint, reason };
    let by_task = FailureCause::TaskFailed { task };
    let by_checkpoints = |tolerable| FailureCause::TooManyFailedCheckpoints {
        checkpoint: Some(checkpoint),
        reason: CheckpointFailureReason::CheckpointExpired,
        tolerable,
    };
    let failed =
        |cause, region, restart_after| Fact::JobFailed { attempt, cause, region, restart_after };
    let region = || Some(vec![SubtaskIndex(0), task]);
    let triggered = |snapshot, format| {
        let cause = TriggerCause::Scenario;
        Fact::CheckpointTriggered { checkpoint, snapshot, format, cause }
    };
    let rejected = |reason| Fact::TriggerRejected { cause: TriggerCause::Periodic, reason };
    let lost = |message| Fact::MessageLost { task, message };
    let ignored = |message| Fact::MessageIgnored { task, attempt, message };
    vec![
        Fact::Read { task: SubtaskIndex(0), record },
        Fact::Emitted { channel, number, element: StreamElement::Record(record), buffered: false },
        Fact::Emitted { channel, number, element: StreamElement::Record(record), buffered: true },
        Fact::Departed { channel, number },
        Fact::Arrived { channel, number },
        Fact::Started { task, channel, number },
        Fact::Processed { task, channel, number, record, state: None },
        Fact::BarrierReceived { task, channel, number, checkpoint, n_received: 1, n_needed: 2 },
        Fact::Announced { task, channel, checkpoint, n_received: 0, n_needed: 2 },
        Fact::AlignmentTimerDue { task, checkpoint },
        Fact::AlignmentTimedOut { task, checkpoint },
        Fact::Prioritized { channel, number },
        Fact::OutputTimedOut { channel, number },
        saved(ChannelEnd::Input),
        saved(ChannelEnd::Output),
        Fact::CancelMarkerReceived { task, channel, number, checkpoint },
        declined(CheckpointFailureReason::CheckpointDeclinedSubsumed),
        declined(CheckpointFailureReason::CheckpointDeclinedOnCancellationBarrier),
        declined(CheckpointFailureReason::CheckpointDeclinedInputEndOfStream),
        declined(CheckpointFailureReason::CheckpointDeclinedTaskNotReady),
        declined(CheckpointFailureReason::CheckpointSubsumed),
        Fact::DeclineReceived {
            task,
            checkpoint,
            reason: CheckpointFailureReason::CheckpointDeclinedSubsumed,
        },
        Fact::AbortNotified { task, checkpoint },
        Fact::SyncEnded { task, checkpoint },
        Fact::FinishedTaskIncluded { task, checkpoint, state: SnapshotState::Stateless },
        Fact::SnapshotStored { task, checkpoint, metrics: SnapshotMetrics::default() },
        Fact::PartitionEnded { task, channel, number },
        Fact::ChannelStateReceived { task, channel, number },
        Fact::ChannelStateRestored { channel, input: vec![record], output: Vec::new() },
        Fact::Blocked { channel, checkpoint },
        Fact::Resumed { channel },
        Fact::EndReceived { task, channel, number },
        Fact::EndCounted { task, checkpoint, n_received: 2, n_needed: 2 },
        Fact::EndOfData { task },
        triggered(SnapshotType::Checkpoint, SavepointFormatType::Canonical),
        triggered(SnapshotType::Savepoint, SavepointFormatType::Canonical),
        triggered(SnapshotType::Suspend, SavepointFormatType::Native),
        triggered(SnapshotType::Terminate, SavepointFormatType::Canonical),
        rejected(Rejection::TasksNotRunning),
        rejected(Rejection::NoSavepointDirectory),
        Fact::TriggerReceived { task: SubtaskIndex(0), checkpoint },
        Fact::SnapshotTaken { task, checkpoint, state: SnapshotState::Stateless },
        Fact::Acknowledged { task, checkpoint },
        Fact::CheckpointCompleted { checkpoint },
        Fact::CheckpointAborted { checkpoint, reason: CheckpointFailureReason::CheckpointSubsumed },
        Fact::CheckpointAborted {
            checkpoint,
            reason: CheckpointFailureReason::CheckpointCoordinatorSuspend,
        },
        Fact::CheckpointAborted { checkpoint, reason: CheckpointFailureReason::CheckpointExpired },
        Fact::CheckpointAborted { checkpoint, reason: CheckpointFailureReason::IoException },
        Fact::CheckpointAborted {
            checkpoint,
            reason: CheckpointFailureReason::FinalizeCheckpointFailure,
        },
        declined(CheckpointFailureReason::CheckpointAsyncException),
        Fact::CheckpointAborted { checkpoint, reason: CheckpointFailureReason::CheckpointDeclined },
        Fact::Notified { task, checkpoint },
        Fact::EndReported { task },
        ignored(RpcMessage::Trigger(checkpoint)),
        ignored(RpcMessage::Acknowledge(checkpoint)),
        ignored(RpcMessage::Decline(checkpoint)),
        ignored(RpcMessage::Abort(checkpoint)),
        ignored(RpcMessage::Notify(checkpoint)),
        ignored(RpcMessage::EndOfData),
        ignored(RpcMessage::Failure),
        Fact::TransactionBegun { transaction },
        Fact::TransactionPrepared { transaction, checkpoint },
        Fact::TransactionCommitted { transaction, n_records: 2 },
        Fact::TransactionAborted { transaction, n_records: 2 },
        Fact::Crashed { tasks: vec![task] },
        Fact::Slowed { fault: slow.clone() },
        Fact::SlownessEnded { fault: slow },
        failed(by_task, None, Some(Micros::from_ms(10))),
        failed(by_task, region(), Some(Micros::from_ms(10))),
        failed(by_task, None, None),
        failed(by_checkpoints(0), None, Some(Micros::from_ms(10))),
        failed(by_checkpoints(3), None, None),
        Fact::AttemptStarted { attempt, region: None, checkpoint: Some(checkpoint) },
        Fact::AttemptStarted { attempt, region: None, checkpoint: None },
        Fact::AttemptStarted { attempt, region: region(), checkpoint: Some(checkpoint) },
        Fact::AttemptStarted { attempt, region: region(), checkpoint: None },
        Fact::StateRestored { task, state: SnapshotState::Stateless },
        Fact::TaskFinished { task },
        Fact::StateWritten { task, checkpoint, pieces: pieces(task), copy: Some(1) },
        Fact::StateWritten { task, checkpoint, pieces: pieces(task)[..1].to_vec(), copy: None },
        Fact::StateWritten { task, checkpoint, pieces: pieces(task)[..2].to_vec(), copy: None },
        Fact::WriteFailed { task, checkpoint, why: WriteFailure::StorageDown },
        Fact::WriteFailed {
            task,
            checkpoint,
            why: WriteFailure::TooLarge { bytes: 6 << 20, bytes_max: 5 << 20 },
        },
        Fact::MetadataWritten { checkpoint, snapshot: SnapshotType::Checkpoint, bytes: 64 },
        Fact::MetadataWritten { checkpoint, snapshot: SnapshotType::Savepoint, bytes: 64 },
        Fact::CheckpointDisposed { checkpoint },
        Fact::FilesDeleted { files: vec![FileName::Local { checkpoint, task }] },
        Fact::FilesDeleted { files: vec![FileName::Metadata { checkpoint }] },
        Fact::RestoreStarted { task, checkpoint, from_storage: 1, from_disk: 0 },
        Fact::RestoreStarted { task, checkpoint, from_storage: 0, from_disk: 1 },
        Fact::RestoreFailed { task, checkpoint, why: ReadFailure::StorageDown },
        Fact::RestoreFailed {
            task,
            checkpoint,
            why: ReadFailure::FileMissing { file: FileName::Shared { task, number: 1 } },
        },
        Fact::JobFinished,
        lost(RpcMessage::Trigger(checkpoint)),
        lost(RpcMessage::Acknowledge(checkpoint)),
        lost(RpcMessage::Notify(checkpoint)),
        lost(RpcMessage::Abort(checkpoint)),
        Fact::MessageDelayed {
            task,
            message: RpcMessage::Notify(checkpoint),
            by: Micros::from_ms(10),
        },
        Fact::Slowed { fault: FaultKind::StallChannel { channel, lasts: Micros::from_ms(10) } },
        Fact::BacklogReported { task, backlog: Backlog::Processing },
        Fact::JobManagerCrashed { attempt },
        Fact::JobManagerStarted { high_availability: HighAvailability::On },
        Fact::JobManagerStarted { high_availability: HighAvailability::Off },
        Fact::JobCanceled,
        Fact::CheckpointDiscarded { checkpoint },
        Fact::CheckpointRetained { checkpoint },
        Fact::SavepointRestored {
            checkpoint,
            snapshot: SnapshotType::Savepoint,
            claim: ClaimMode::Claim,
            bytes: 7,
        },
        Fact::StateAssigned {
            task,
            checkpoint,
            state: SnapshotState::Stateless,
            pieces: Vec::new(),
            transactions: Vec::new(),
        },
        Fact::ChannelStateAssigned { checkpoint, channel, input: Vec::new(), output: Vec::new() },
    ]
}

/// A piece in the metadata, one in a new file, and one in an old file.
fn pieces(task: SubtaskIndex) -> Vec<StatePiece> {
    let file = |number| FileName::Shared { task, number };
    let locations = [Location::Metadata, Location::Written(file(2)), Location::Reused(file(1))];
    let piece = |location| StatePiece { kind: StateKind::Keyed, bytes: 1 << 20, location };
    locations.map(piece).to_vec()
}

/// How many kinds of facts there are: a new one must get a sentence here.
fn kind(fact: &Fact) -> usize {
    match fact {
        Fact::Read { .. } => 0,
        Fact::Emitted { .. } => 1,
        Fact::Departed { .. } => 2,
        Fact::Arrived { .. } => 3,
        Fact::Started { .. } => 4,
        Fact::Processed { .. } => 5,
        Fact::BarrierReceived { .. } => 6,
        Fact::Blocked { .. } => 7,
        Fact::Resumed { .. } => 8,
        Fact::EndReceived { .. } => 9,
        Fact::EndOfData { .. } => 10,
        Fact::CheckpointTriggered { .. } => 11,
        Fact::TriggerRejected { .. } => 12,
        Fact::TriggerReceived { .. } => 13,
        Fact::SnapshotTaken { .. } => 14,
        Fact::Acknowledged { .. } => 15,
        Fact::CheckpointCompleted { .. } => 16,
        Fact::CheckpointAborted { .. } => 17,
        Fact::Notified { .. } => 18,
        Fact::EndReported { .. } => 19,
        Fact::MessageIgnored { .. } => 20,
        Fact::TransactionBegun { .. } => 21,
        Fact::TransactionPrepared { .. } => 22,
        Fact::TransactionCommitted { .. } => 23,
        Fact::TransactionAborted { .. } => 24,
        Fact::Crashed { .. } => 25,
        Fact::Slowed { .. } => 26,
        Fact::SlownessEnded { .. } => 27,
        Fact::JobFailed { .. } => 28,
        Fact::AttemptStarted { .. } => 29,
        Fact::StateRestored { .. } => 30,
        Fact::TaskFinished { .. } => 31,
        Fact::JobFinished => 32,
        Fact::EndCounted { .. } => 33,
        Fact::Announced { .. } => 34,
        Fact::AlignmentTimedOut { .. } => 35,
        Fact::Prioritized { .. } => 36,
        Fact::OutputTimedOut { .. } => 37,
        Fact::ChannelStateSaved { .. } => 38,
        Fact::CancelMarkerReceived { .. } => 39,
        Fact::Declined { .. } => 40,
        Fact::DeclineReceived { .. } => 41,
        Fact::AbortNotified { .. } => 42,
        Fact::SyncEnded { .. } => 43,
        Fact::SnapshotStored { .. } => 44,
        Fact::PartitionEnded { .. } => 45,
        Fact::ChannelStateReceived { .. } => 46,
        Fact::ChannelStateRestored { .. } => 47,
        Fact::FinishedTaskIncluded { .. } => 48,
        Fact::AlignmentTimerDue { .. } => 49,
        Fact::StateWritten { .. } => 50,
        Fact::WriteFailed { .. } => 51,
        Fact::MetadataWritten { .. } => 52,
        Fact::FilesDeleted { .. } => 53,
        Fact::RestoreStarted { .. } => 54,
        Fact::RestoreFailed { .. } => 55,
        Fact::MessageLost { .. } => 56,
        Fact::MessageDelayed { .. } => 57,
        Fact::JobManagerCrashed { .. } => 58,
        Fact::JobManagerStarted { .. } => 59,
        Fact::BacklogReported { .. } => 60,
        Fact::JobCanceled => 61,
        Fact::CheckpointDiscarded { .. } => 62,
        Fact::CheckpointRetained { .. } => 63,
        Fact::SavepointRestored { .. } => 64,
        Fact::StateAssigned { .. } => 65,
        Fact::ChannelStateAssigned { .. } => 66,
        Fact::CheckpointDisposed { .. } => 67,
    }
}

#[test]
fn every_fact_has_a_reason_in_both_languages() {
    let scenario = two_sources(SinkKind::Transactional).scenario("Two sources");
    let view = View::start(&scenario.graph);
    let mut told = [false; 68];
    for fact in every_fact() {
        told[kind(&fact)] = true;
        let steps = [Step { number: 1, at: Default::default(), facts: vec![fact.clone()] }];
        // The facts do not make a run, so the views stay as they are.
        let mut reasons = Vec::new();
        for language in [Language::En, Language::Zh] {
            let (why, rule) = checkdam::narrate::reason(
                &Scene {
                    scenario: &scenario,
                    before: view.clone(),
                    steps: &steps,
                    after: view.clone(),
                    memory: Default::default(),
                    savepoints: &[],
                    moment: None,
                },
                &fact,
                language,
            );
            assert!(why.len() > 10, "{fact:?}: {why}");
            assert!(!rule.name().is_empty());
            reasons.push(why);
        }
        assert!(
            reasons[0].is_ascii() || reasons[0].contains(['’', '→', '\u{a0}']),
            "{}",
            reasons[0]
        );
        let chinese = reasons[1].chars().filter(|sign| ('\u{4e00}'..='\u{9fff}').contains(sign));
        assert!(chinese.count() >= 4, "{fact:?}: {}", reasons[1]);
    }
    assert!(told.iter().all(|told| *told), "{told:?}");
}

#[test]
fn every_step_of_every_shape_changes_something_for_a_reason() {
    for (name, scenario) in shapes() {
        let story = story(scenario);
        // Every step of the small runs, a sample of the large one.
        for step in (1..=story.n_steps()).step_by(1 + story.n_steps() as usize / 400) {
            for (language, stop) in [(Language::En, '.'), (Language::Zh, '。')] {
                let narration = tell(&story.step(step), language);
                let empty = story.trace.steps[step as usize - 1].facts.is_empty();
                assert!(!narration.changed.is_empty(), "{name} {step}");
                assert_eq!(narration.rule.is_none(), empty, "{name} {step}");
                assert!(narration.why.ends_with(stop), "{name} {step}: {}", narration.why);
                for wrong in ["  ", " ;", " ，", "，，", "；；", " 。", "the the"] {
                    let texts = [&narration.changed, &narration.why];
                    assert!(
                        !texts.iter().any(|text| text.contains(wrong)),
                        "{name} {step}: {texts:?}"
                    );
                }
            }
        }
    }
}
