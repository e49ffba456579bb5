//! Rules of the coordinator that no recorded case covers: errors of services,
//! tasks that finish in part, attempts, the end of a job.
//!
//! What is expected is what Flink's sources and tests say; each test names
//! the place.

use checkdam::model::{
    Attempt, CheckpointFailureReason as Reason, CheckpointId, Micros, SubtaskIndex, SubtaskLife,
};
use checkdam::protocol::{
    AcknowledgeResult, CoordinatorEffect as Effect, CoordinatorInput as Input, CoordinatorSettings,
    DistributionPattern, Drain, Exchange, Execution, ExecutionState, Health, HighAvailability,
    JobFailure, LastCheckpoint, OperatorStateKind, RequestId, RequestOutcome, SchedulingTopology,
    Sender, Service, SnapshotKind, TolerableFailures,
};

use super::driver::coordinator_bench::{CoordinatorBench, time};

const TASKS: [SubtaskIndex; 2] = [SubtaskIndex(0), SubtaskIndex(1)];

/// Source and sink, both running.
fn bench(settings: CoordinatorSettings) -> CoordinatorBench {
    let mut topology = SchedulingTopology::new(&[1, 1]);
    topology.connect((0, 1), DistributionPattern::Pointwise, Exchange::Pipelined);
    let mut bench = CoordinatorBench::new(settings, topology);
    TASKS.iter().for_each(|task| bench.set_task(*task, ExecutionState::Running));
    bench
}

fn request(bench: &mut CoordinatorBench, kind: SnapshotKind) {
    bench.put(Input::Requested { id: RequestId(0), kind });
}

fn sender(task: SubtaskIndex, attempt: u32) -> Sender {
    Sender::Task { task, attempt: Attempt(attempt) }
}

fn acknowledge(bench: &mut CoordinatorBench, id: u64) {
    for task in TASKS {
        let checkpoint = CheckpointId(id);
        bench.put(Input::Acknowledged {
            sender: sender(task, 1),
            checkpoint,
            life: SubtaskLife::Running,
        });
    }
}

fn effects(bench: &mut CoordinatorBench) -> Vec<Effect> {
    bench.take().into_iter().map(|(_, effect)| effect).collect()
}

fn aborted(effects: &[Effect]) -> Vec<(u64, Reason)> {
    let aborted = effects.iter().filter_map(|effect| match effect {
        Effect::Abort { checkpoint, reason, .. } => Some((checkpoint.0, *reason)),
        _ => None,
    });
    aborted.collect()
}

fn triggered(effects: &[Effect]) -> Vec<u64> {
    let triggered = effects.iter().filter_map(|effect| match effect {
        Effect::Trigger { barrier, .. } => Some(barrier.checkpoint.0),
        _ => None,
    });
    triggered.collect()
}

fn notified_of_abort(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::NotifyAbort { .. }))
}

/// CheckpointCoordinator.finalizeCheckpoint, addCompletedCheckpointToStore…;
/// counted since FLINK-32347.
#[test]
fn a_checkpoint_that_cannot_be_stored_fails_and_counts() {
    for service in [Service::Metadata, Service::CompletedStore] {
        let mut bench = bench(CoordinatorSettings::default());
        bench.put(Input::ServiceChanged { service, health: Health::Fails });
        request(&mut bench, SnapshotKind::Checkpoint);
        acknowledge(&mut bench, 1);
        let told = effects(&mut bench);
        assert_eq!(aborted(&told), [(1, Reason::FinalizeCheckpointFailure)], "{service:?}");
        let (failure, reason) = (JobFailure::Tolerance, Reason::FinalizeCheckpointFailure);
        let failed = Effect::FailJob { failure, checkpoint: Some(CheckpointId(1)), reason };
        assert!(told.contains(&failed), "{service:?}");
        assert!(notified_of_abort(&told), "{service:?}");
        assert!(bench.pending().is_empty() && bench.retained().is_empty());
        let outcome = RequestOutcome::Failed(Reason::FinalizeCheckpointFailure);
        assert!(told.contains(&Effect::Answer { id: RequestId(0), outcome }));
    }
}

/// A savepoint is not put into the list of completed checkpoints.
#[test]
fn a_broken_list_of_checkpoints_does_no_harm_to_a_savepoint() {
    let mut bench = bench(CoordinatorSettings::default());
    let (service, health) = (Service::CompletedStore, Health::Fails);
    bench.put(Input::ServiceChanged { service, health });
    request(&mut bench, SnapshotKind::Savepoint);
    acknowledge(&mut bench, 1);
    assert_eq!(aborted(&effects(&mut bench)), []);
}

/// CheckpointCoordinatorTest.testTriggerCheckpointRequestCancelled.
#[test]
fn a_checkpoint_that_expires_before_it_has_a_place_is_never_triggered() {
    let timeout = Some(Micros::from_ms(100));
    let tolerable = TolerableFailures::Unlimited;
    let settings = CoordinatorSettings { timeout, tolerable, ..CoordinatorSettings::default() };
    let mut bench = bench(settings);
    bench.location = None;
    request(&mut bench, SnapshotKind::Checkpoint);
    request(&mut bench, SnapshotKind::Savepoint);
    bench.advance(time(100));
    let told = effects(&mut bench);
    assert_eq!(aborted(&told), [(1, Reason::CheckpointExpired)]);
    assert_eq!(bench.coordinator.n_queued(), 1, "the phase is not over");
    bench.location = Some(Health::Works);
    let (checkpoint, outcome) = (CheckpointId(1), Health::Works);
    bench.put(Input::LocationInitialized { checkpoint, outcome });
    assert_eq!(triggered(&effects(&mut bench)), [2]);
}

/// CheckpointCoordinatorTest.testTasksFinishDuringTriggering.
#[test]
fn a_trigger_that_reaches_nobody_gives_the_checkpoint_up_and_counts_for_nothing() {
    let mut bench = bench(CoordinatorSettings::default());
    request(&mut bench, SnapshotKind::Checkpoint);
    bench.put(Input::TriggerFailed(CheckpointId(1)));
    let told = effects(&mut bench);
    assert_eq!(aborted(&told), [(1, Reason::TriggerCheckpointFailure)]);
    assert!(notified_of_abort(&told));
    assert!(!told.iter().any(|effect| matches!(effect, Effect::FailJob { .. })));
}

/// DefaultCheckpointPlan.fulfillFinishedTaskStatus.
#[test]
fn a_vertex_of_union_state_must_not_finish_in_part() {
    for (state, expected) in [
        (OperatorStateKind::UnionList, vec![(1, Reason::CheckpointDeclinedTaskClosing)]),
        (OperatorStateKind::Ordinary, vec![]),
    ] {
        let mut topology = SchedulingTopology::new(&[3]);
        topology.set_state(0, state);
        let mut bench = CoordinatorBench::new(CoordinatorSettings::default(), topology);
        TASKS.iter().for_each(|task| bench.set_task(*task, ExecutionState::Running));
        bench.set_task(SubtaskIndex(2), ExecutionState::Finished);
        request(&mut bench, SnapshotKind::Checkpoint);
        acknowledge(&mut bench, 1);
        let told = effects(&mut bench);
        assert_eq!(aborted(&told), expected, "{state:?}");
        assert!(!told.iter().any(|effect| matches!(effect, Effect::FailJob { .. })));
    }
}

/// CheckpointCoordinator.receiveAcknowledgeMessage: attempts, not subtasks.
#[test]
fn the_attempt_before_a_restart_is_unknown_to_the_checkpoint_after_it() {
    let mut bench = bench(CoordinatorSettings::default());
    for task in TASKS {
        let execution = Execution { attempt: Attempt(2), state: ExecutionState::Running };
        bench.put(Input::TaskChanged { task, execution });
    }
    request(&mut bench, SnapshotKind::Checkpoint);
    effects(&mut bench);
    for (attempt, result) in [(1, AcknowledgeResult::UnknownTask), (2, AcknowledgeResult::Success)]
    {
        let (sender, checkpoint) = (sender(TASKS[0], attempt), CheckpointId(1));
        bench.put(Input::Acknowledged { sender, checkpoint, life: SubtaskLife::Running });
        let told = effects(&mut bench);
        assert_eq!(told[0], Effect::Acknowledge { sender, checkpoint, result });
    }
}

/// CheckpointCoordinator.NUM_GHOST_CHECKPOINT_IDS.
#[test]
fn only_the_last_16_expired_checkpoints_are_remembered() {
    let timeout = Some(Micros::from_ms(10));
    let tolerable = TolerableFailures::Unlimited;
    let settings = CoordinatorSettings { timeout, tolerable, ..CoordinatorSettings::default() };
    let mut bench = bench(settings);
    for round in 0..20 {
        request(&mut bench, SnapshotKind::Checkpoint);
        bench.advance(time((round + 1) * 10));
    }
    let remembered: Vec<_> = bench.coordinator.recently_expired().map(|id| id.0).collect();
    assert_eq!(remembered, (5..=20).collect::<Vec<_>>());
}

/// CheckpointCoordinator.completePendingCheckpoint: FLIP-193.
#[test]
fn only_a_savepoint_that_the_job_stops_with_subsumes_older_checkpoints() {
    for (kind, expected) in [
        (SnapshotKind::Savepoint, vec![]),
        (SnapshotKind::SynchronousSavepoint(Drain::No), vec![(1, Reason::CheckpointSubsumed)]),
    ] {
        let mut bench = bench(CoordinatorSettings::default());
        request(&mut bench, SnapshotKind::Checkpoint);
        request(&mut bench, kind);
        acknowledge(&mut bench, 2);
        let told = effects(&mut bench);
        assert_eq!(aborted(&told), expected, "{kind:?}");
        let notices = told.iter().filter(|effect| matches!(effect, Effect::NotifyComplete { .. }));
        assert_eq!(notices.count(), usize::from(kind.is_synchronous()), "{kind:?}");
        assert!(bench.retained().is_empty(), "{kind:?}");
    }
}

/// CheckpointCoordinator.shutdown.
#[test]
fn nothing_happens_after_the_coordinator_is_shut_down() {
    let mut bench = bench(CoordinatorSettings::default());
    request(&mut bench, SnapshotKind::Checkpoint);
    request(&mut bench, SnapshotKind::Checkpoint);
    bench.put(Input::ShutDown);
    let told = effects(&mut bench);
    assert_eq!(aborted(&told), [(1, Reason::CheckpointCoordinatorShutdown)]);
    let outcome = RequestOutcome::Failed(Reason::CheckpointCoordinatorShutdown);
    let answers = told.iter().filter(|told| **told == Effect::Answer { id: RequestId(0), outcome });
    assert_eq!(answers.count(), 2);
    request(&mut bench, SnapshotKind::Checkpoint);
    acknowledge(&mut bench, 1);
    assert_eq!(effects(&mut bench), []);
}

/// ZooKeeperCheckpointIDCounter, DefaultCompletedCheckpointStore.
#[test]
fn the_next_job_manager_finds_what_a_service_has_kept() {
    let mut bench = bench(CoordinatorSettings::default());
    request(&mut bench, SnapshotKind::Checkpoint);
    acknowledge(&mut bench, 1);
    request(&mut bench, SnapshotKind::Checkpoint);
    for (at, next, latest) in
        [(HighAvailability::On, 3, Some(CheckpointId(1))), (HighAvailability::Off, 1, None)]
    {
        let successor = bench.coordinator.successor(at);
        assert_eq!(successor.next_id(), CheckpointId(next));
        assert_eq!(successor.store().latest(), latest);
        assert_eq!(successor.pending().count(), 0);
    }
}

/// SchedulerBase.notifyEndOfData; tasks wait until some checkpoint after the
/// end of their data is complete.
#[test]
fn a_job_at_its_end_tries_again_when_its_last_checkpoint_fails() {
    let settings = CoordinatorSettings {
        interval: Some(Micros::from_ms(1000)),
        tolerable: TolerableFailures::Unlimited,
        ..CoordinatorSettings::default()
    };
    let mut bench = bench(settings);
    bench.put(Input::JobRunning { initial_delay: Micros::from_ms(1000) });
    TASKS.iter().for_each(|task| bench.put(Input::EndReported { task: *task }));
    assert_eq!(triggered(&effects(&mut bench)), [1]);
    let (sender, reason) = (sender(TASKS[0], 1), Reason::CheckpointDeclined);
    bench.put(Input::Declined { sender, checkpoint: CheckpointId(1), reason });
    bench.advance(time(1000));
    assert_eq!(triggered(&effects(&mut bench)), [2]);
    acknowledge(&mut bench, 2);
    let is_last = |effect: &Effect| match effect {
        Effect::NotifyComplete { last, .. } => *last == LastCheckpoint::Yes,
        _ => false,
    };
    assert!(effects(&mut bench).iter().any(is_last));
}
