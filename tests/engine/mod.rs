//! The engine on random jobs.

use checkdam::cluster::Detail;
use checkdam::model::Time;
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Step, View};
use checkdam::verify::{Outcome, verify};

use crate::common::{random_jobs, sizes};

/// Steps up to which the view is compared after every step; beyond it at
/// checkpoints, recoveries and the end.
const EVERY_STEP_MAX: u64 = 2_000;

#[test]
fn the_view_from_the_facts_is_what_the_cluster_says() {
    for number in 0..sizes::samples(300) {
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

/// Aligned checkpoints, replayable sources, failures at any time: the state is
/// exactly-once, and so is the output of transactional sinks.
#[test]
fn random_jobs_finish_and_keep_what_they_promise() {
    let (mut restarts, mut checkpoints) = (0, 0);
    for number in 0..sizes::samples(1_000) {
        let scenario = random_jobs::scenario(number);
        let (trace, ending) = simulate(&scenario, number);
        assert_eq!(ending, Ending::Finished, "random job {number}");
        let verdict = verify(&scenario, &trace);
        assert_eq!(verdict.cut.findings, [], "random job {number}");
        assert_eq!(verdict.state.outcome, Outcome::Holds, "random job {number}: {verdict:#?}");
        assert_eq!(verdict.promise, Outcome::Holds, "random job {number}: {verdict:#?}");
        restarts += verdict.restores.len();
        checkpoints += verdict.cut.n_checkpoints;
    }
    // The random jobs reach what they are for.
    assert!(restarts > 500, "{restarts} restarts");
    assert!(checkpoints > 3_000, "{checkpoints} checkpoints");
}
