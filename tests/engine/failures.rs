//! Random jobs whose messages are lost, whose JobManager crashes, and that are
//! cancelled: nothing of it may break what they promise.

use checkdam::cluster::Detail;
use checkdam::lab::random;
use checkdam::model::{HighAvailability, Scenario, Time};
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Fact, Step, Trace, View};
use checkdam::verify::{Outcome, Verdict, verify};
use serde_json::Value;

use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

/// The random job of a number, with more that goes wrong.
pub(super) fn document(number: u64) -> Value {
    random::with_mishaps(number, &random::job(number, Mode::of(number)))
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
