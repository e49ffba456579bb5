//! Random jobs whose messages are lost, whose JobManager crashes, and that are
//! cancelled: nothing of it may break what they promise.

use checkdam::cluster::Detail;
use checkdam::model::{HighAvailability, Scenario, Time, mix};
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Fact, Step, Trace, View};
use checkdam::verify::{Outcome, Verdict, verify};
use serde_json::{Value, json};

use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

/// The random job of a number, with more that goes wrong.
pub(super) fn document(number: u64) -> Value {
    let mut document = random_jobs::document(number, Mode::of(number));
    let mut turn = 0;
    let mut draw = |n: u64| {
        turn += 1;
        mix(number << 16 | turn) % n
    };
    let tasks = tasks(&document);
    let config = document["config"].as_object_mut().expect("it has settings");
    let service = if draw(4) == 0 { "NONE" } else { "zookeeper" };
    config.insert("high-availability.type".into(), json!(service));
    config.insert("execution.checkpointing.timeout".into(), json!("3 s"));
    config.insert("execution.checkpointing.num-retained".into(), json!(1 + draw(3)));
    let tolerable = "execution.checkpointing.tolerable-failed-checkpoints";
    config.insert(tolerable.into(), json!(draw(3)));
    let retention = ["NO_EXTERNALIZED_CHECKPOINTS", "RETAIN_ON_CANCELLATION"][draw(2) as usize];
    let key = "execution.checkpointing.externalized-checkpoint-retention";
    config.insert(key.into(), json!(retention));
    let mut faults = document["faults"].as_array().expect("a list").clone();
    for _ in 0..1 + draw(3) {
        let task = &tasks[draw(tasks.len() as u64) as usize];
        let checkpoint = 1 + draw(4);
        let (message, end) = [("trigger", "to"), ("acknowledgement", "of"), ("notification", "to")]
            [draw(3) as usize];
        let mut fault = json!({ "checkpoint": checkpoint });
        fault[end] = json!(task);
        if draw(2) == 0 {
            fault["lose"] = json!(message);
        } else {
            fault["delay"] = json!(message);
            fault["by"] = json!(1 + draw(90));
        }
        faults.push(fault);
    }
    if draw(2) == 0 {
        faults.push(json!({ "crash": "jobmanager", "for": 1 + draw(60), "at": draw(200) }));
    }
    if draw(3) == 0 {
        faults
            .push(json!({ "stall": "keyed[t0]->sink0[t0]", "for": 1 + draw(60), "at": draw(99) }));
    }
    document["faults"] = json!(faults);
    if draw(4) == 0 {
        document["cancel"] = json!({ "at": draw(400) });
    }
    document
}

fn tasks(document: &Value) -> Vec<String> {
    let operators = document["job"].as_object().expect("operators by name").iter();
    let names = operators.flat_map(|(operator, described)| {
        let names = described["names"].as_array().expect("its tasks").iter();
        names.map(move |name| format!("{operator}[{}]", name.as_str().expect("a name")))
    });
    names.collect()
}

#[test]
fn whatever_is_lost_the_view_from_the_facts_is_what_the_cluster_says() {
    for number in 0..sizes::samples(150) {
        let scenario = random_jobs::loaded(number, &document(number));
        let mut simulation = Simulation::new(&scenario, number, Detail::All);
        let mut view = View::start(&scenario.graph);
        while let Some(step) = simulation.step() {
            let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
            view.apply_step(&scenario.graph, &step)
                .unwrap_or_else(|what| panic!("random job {number}: {what}"));
            if step.number <= 1_000 || step.facts.iter().any(is_turning_point) {
                let own = simulation.cluster().view(&scenario, step.number, step.at);
                assert_eq!(view, own, "random job {number}, step {}", step.number);
            }
        }
        let own = simulation.cluster().view(&scenario, view.step, view.at);
        assert_eq!(view, own, "random job {number} at its end, {}", Time::ZERO);
    }
}

fn is_turning_point(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::CheckpointCompleted { .. }
            | Fact::CheckpointAborted { .. }
            | Fact::JobFailed { .. }
            | Fact::JobManagerCrashed { .. }
            | Fact::JobCanceled
            | Fact::AttemptStarted { .. }
    )
}

/// Sees that a random job has come to an end and kept what its state promises.
pub(super) fn kept(
    number: u64,
    scenario: &Scenario,
    (trace, ending): (&Trace, &Ending),
) -> Verdict {
    let is_over = matches!(ending, Ending::Finished | Ending::Canceled);
    assert!(is_over, "random job {number}: {ending:?}");
    let verdict = verify(scenario, trace);
    if Mode::of(number) == Mode::AtLeastOnce {
        assert_eq!(verdict.cut.n_findings, verdict.cut.n_orphans, "random job {number}");
        assert_eq!(verdict.state.n_lost, 0, "random job {number}: {verdict}");
    } else {
        assert_eq!(verdict.cut.findings, [], "random job {number}");
        assert_eq!(verdict.state.outcome, Outcome::Holds, "random job {number}: {verdict}");
    }
    verdict
}

#[test]
fn whatever_is_lost_random_jobs_keep_what_they_promise() {
    /// An unaligned barrier comes on a local channel before the task has taken
    /// what was restored there.
    const RESTORED_FIRST: u64 = 3361;
    let (mut takeovers, mut begun_anew, mut cancelled, mut lost) = (0, 0, 0, 0);
    for number in (0..sizes::samples(500)).chain([RESTORED_FIRST]) {
        let scenario = random_jobs::loaded(number, &document(number));
        let (trace, ending) = simulate(&scenario, number);
        let verdict = kept(number, &scenario, (&trace, &ending));
        let facts = || trace.steps.iter().flat_map(|step| &step.facts);
        let high_availability = HighAvailability::Off;
        let begins_anew = Fact::JobManagerStarted { high_availability };
        if facts().any(|fact| *fact == begins_anew) {
            // What had been committed is committed again; nothing is lost.
            begun_anew += 1;
            assert!(verdict.restores.iter().any(|restore| restore.checkpoint.is_none()));
        } else if scenario.config.checkpoints_after_tasks_finish || ending == Ending::Canceled {
            assert_eq!(verdict.promise, Outcome::Holds, "random job {number}: {verdict}");
        }
        if scenario.config.checkpoints_after_tasks_finish {
            assert_eq!(verdict.output.n_lost, 0, "random job {number}: {verdict}");
        }
        takeovers += facts().filter(|f| matches!(f, Fact::JobManagerStarted { .. })).count();
        lost += facts().filter(|fact| matches!(fact, Fact::MessageLost { .. })).count();
        cancelled += u32::from(ending == Ending::Canceled);
    }
    // The random jobs reach what they are for.
    assert!(takeovers > 100 && begun_anew > 20, "{takeovers} {begun_anew}");
    assert!(cancelled > 50 && lost > 100, "{cancelled} {lost}");
}
