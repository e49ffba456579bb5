//! The engine on random jobs.

mod at_least_once;
mod backpressure;
mod chance;
mod channel_state;
mod cuts;
mod failures;
mod files;
mod regions;
mod savepoints;

use checkdam::cluster::Detail;
use checkdam::model::{CheckpointId, CheckpointingMode, Config, Time};
use checkdam::protocol::{BarrierHandling, BarrierInput, CheckpointBarrierHandler};
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Fact, Step, View};
use checkdam::verify::{Outcome, verify};

use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

/// Steps up to which the view is compared after every step; beyond it at
/// checkpoints, recoveries and the end.
const EVERY_STEP_MAX: u64 = 2_000;

#[test]
fn the_view_from_the_facts_is_what_the_cluster_says() {
    /// Barriers of an older checkpoint are left over when a task is told to
    /// take a newer one.
    const OLD_BARRIERS: [u64; 2] = [1875, 2807];
    for number in (0..sizes::samples(300)).chain(OLD_BARRIERS) {
        let scenario = random_jobs::scenario(number);
        let mut simulation = Simulation::new(&scenario, number, Detail::All);
        let mut view = View::start(&scenario.graph);
        assert_eq!(view, simulation.cluster().view(&scenario, 0, Time::ZERO));
        while let Some(step) = simulation.step() {
            let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
            view.apply_step(&scenario.graph, &step)
                .unwrap_or_else(|what| panic!("random job {number}: {what}"));
            let control = step.facts.iter().any(is_turning_point);
            if step.number <= EVERY_STEP_MAX || control {
                let own = simulation.cluster().view(&scenario, step.number, step.at);
                assert_eq!(view, own, "random job {number}, step {}", step.number);
            }
        }
        let own = simulation.cluster().view(&scenario, view.step, view.at);
        assert_eq!(view, own, "random job {number} at its end");
    }
}

fn is_turning_point(fact: &checkdam::trace::Fact) -> bool {
    use checkdam::trace::Fact;
    matches!(
        fact,
        Fact::CheckpointTriggered { .. }
            | Fact::CheckpointCompleted { .. }
            | Fact::JobFailed { .. }
            | Fact::AttemptStarted { .. }
    )
}

/// Replayable sources, failures at any time: in exactly-once mode, however the
/// checkpoints are taken, the state is exactly-once, and so is the output of
/// transactional sinks, unless the job ends without a last checkpoint; in
/// at-least-once mode nothing is lost.
#[test]
fn random_jobs_finish_and_keep_what_they_promise() {
    let (mut restarts, mut checkpoints) = (0, 0);
    for number in 0..sizes::samples(1_000) {
        let scenario = random_jobs::scenario(number);
        let (trace, ending) = simulate(&scenario, number);
        assert_eq!(ending, Ending::Finished, "random job {number}");
        let verdict = verify(&scenario, &trace);
        if Mode::of(number) == Mode::AtLeastOnce {
            assert_eq!(verdict.cut.n_findings, verdict.cut.n_orphans, "random job {number}");
            assert_eq!(verdict.state.n_lost, 0, "random job {number}: {verdict}");
        } else {
            assert_eq!(verdict.cut.findings, [], "random job {number}");
            assert_eq!(verdict.state.outcome, Outcome::Holds, "random job {number}: {verdict}");
        }
        if scenario.config.checkpoints_after_tasks_finish {
            assert_eq!(verdict.promise, Outcome::Holds, "random job {number}: {verdict}");
        } else {
            assert_eq!(verdict.output.stale, [], "random job {number}: {verdict}");
        }
        restarts += verdict.restores.len();
        checkpoints += verdict.cut.n_checkpoints;
    }
    // The random jobs reach what they are for.
    assert!(restarts > 500, "{restarts} restarts");
    assert!(checkpoints > 3_000, "{checkpoints} checkpoints");
}

/// A source that ends without waiting sends no barrier any more; whoever
/// aligns must not wait for it.
#[test]
fn an_alignment_does_not_wait_for_a_source_that_has_ended() {
    let text = r#"{
        "job": {
            "short": { "source": [1], "service": 10 },
            "long": { "source": { "from": 1, "to": 9 }, "service": 10 },
            "sum": { "sum": "parity" },
            "sink": { "sink": "publish" }
        },
        "edges": [["short", "sum"], ["long", "sum"], ["sum", "sink"]],
        "rpc": { "trigger": { "min": 12, "max": 12 } },
        "checkpoints": [{ "at": "9 ms" }],
        "config": { "execution.checkpointing.checkpoints-after-tasks-finish": false }
    }"#;
    let scenario = checkdam::model::Scenario::parse("ended", text).expect("it is valid");
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(ending, Ending::Finished);
    let blocked = trace.steps.iter().flat_map(|step| &step.facts);
    let blocked = blocked.filter(|fact| matches!(fact, checkdam::trace::Fact::Blocked { .. }));
    assert!(blocked.count() > 0, "the long source's barrier has come and blocked its channel");
    assert_eq!(verify(&scenario, &trace).state.outcome, Outcome::Holds);
}

/// The last checkpoint is unaligned and complete while records are still on
/// their way to a slow sum. A source that finished then would have them in
/// flight, and no barrier to send any more.
#[test]
fn a_source_does_not_finish_while_what_it_has_sent_waits_to_be_processed() {
    let text = r#"{
        "job": {
            "short": { "source": [1, 2, 3, 4], "service": 1 },
            "long": { "source": { "from": 1, "to": 30 }, "service": 5 },
            "sum": { "sum": "parity", "service": 20 },
            "sink": { "sink": "publish" }
        },
        "edges": [["short", "sum"], ["long", "sum"], ["sum", "sink"]],
        "config": {
            "execution.checkpointing.interval": 10,
            "execution.checkpointing.unaligned.enabled": true
        }
    }"#;
    let scenario = checkdam::model::Scenario::parse("finished", text).expect("it is valid");
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(ending, Ending::Finished);
    let facts = || trace.steps.iter().flat_map(|step| &step.facts);
    let place = |wanted: fn(&Fact) -> bool| facts().position(wanted);
    let finished = place(|fact| matches!(fact, Fact::TaskFinished { .. })).expect("short");
    let processed = place(|fact| match fact {
        Fact::Processed { record, .. } => (record.id.split.0, record.id.offset) == (0, 4),
        _ => false,
    });
    assert!(processed.expect("short's last record") < finished);
    let is_included = facts().any(|fact| matches!(fact, Fact::FinishedTaskIncluded { .. }));
    assert!(is_included, "a checkpoint is taken without it");
    let verdict = verify(&scenario, &trace);
    assert_eq!((verdict.cut.findings, verdict.promise), (Vec::new(), Outcome::Holds));
}

/// The source still copies its state for checkpoint 1 when 2 and 3 are
/// triggered; when it is done, 2 has expired. It took 2's cancellation for the
/// end of what waited, and 3 never came.
#[test]
fn a_trigger_that_waited_behind_one_that_was_given_up_is_obeyed() {
    let text = r#"{
        "job": {
            "in": {
                "source": { "from": 1, "to": 20 }, "service": 5, "snapshot": { "sync": [50, 0] }
            },
            "out": { "sink": "publish" }
        },
        "edges": [["in", "out"]],
        "checkpoints": [{ "at": 0 }, { "at": 5 }, { "at": 45 }],
        "config": {
            "execution.checkpointing.timeout": 20,
            "execution.checkpointing.tolerable-failed-checkpoints": 9,
            "execution.checkpointing.max-concurrent-checkpoints": 3,
            "execution.checkpointing.checkpoints-after-tasks-finish": false
        }
    }"#;
    let scenario = checkdam::model::Scenario::parse("waiting", text).expect("it is valid");
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(ending, Ending::Finished);
    let facts = || trace.steps.iter().flat_map(|step| &step.facts);
    let completed: Vec<u64> = facts()
        .filter_map(|fact| match fact {
            Fact::CheckpointCompleted { checkpoint } => Some(checkpoint.0),
            _ => None,
        })
        .collect();
    assert_eq!(completed, [3]);
}

/// Its entry stays to swallow the barriers that still come; nobody waits for
/// them.
#[test]
fn of_a_cancelled_checkpoint_no_barrier_is_waited_for() {
    let config = Config { mode: CheckpointingMode::AtLeastOnce, ..Config::default() };
    let mut handler = CheckpointBarrierHandler::new(3, BarrierHandling::Tracking, &config);
    let checkpoint = CheckpointId(1);
    let cancelled = BarrierInput::Cancellation { channel: 0, checkpoint };
    handler.on(Time::ZERO, cancelled, &mut Vec::new());
    assert_eq!(handler.pending(), [checkpoint]);
    assert_eq!((handler.progress(checkpoint), handler.aligning()), ((0, 0), None));
    handler.on(Time::ZERO, BarrierInput::EndOfPartition { channel: 1 }, &mut Vec::new());
    assert_eq!((handler.progress(checkpoint), handler.aligning()), ((0, 0), None));
}

#[test]
fn a_run_that_does_not_end_in_time_says_who_waits_for_what() {
    let mut scenario = random_jobs::scenario(1);
    scenario.steps_max = 20;
    let (trace, ending) = simulate(&scenario, 1);
    assert_eq!(trace.steps.len(), 20);
    let Ending::OutOfSteps(waiting) = ending else { panic!("{ending:?}") };
    assert!(!waiting.is_empty());
}

/// The first job of a cluster that never comes back: no restart is left.
#[test]
fn without_a_restart_left_the_job_fails() {
    let text = r#"{
        "job": { "in": { "source": [1, 2, 3] }, "out": { "sink": "publish" } },
        "edges": [["in", "out"]],
        "faults": [{ "crash": "out", "at": "2 ms" }],
        "config": { "restart-strategy.type": "none" }
    }"#;
    let scenario = checkdam::model::Scenario::parse("none", text).expect("it is valid");
    assert_eq!(simulate(&scenario, 1).1, Ending::Failed);
}
