//! Random jobs of which savepoints are taken, at any moment and whatever else
//! goes wrong, and which stop with one.

use checkdam::cluster::Detail;
use checkdam::lab::random;
use checkdam::model::Scenario;
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Fact, Step, Trace, View};

use super::failures;
use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

fn scenario(number: u64) -> Scenario {
    random_jobs::loaded(number, &random::with_savepoints(number, &failures::document(number)))
}

#[test]
fn with_savepoints_the_view_from_the_facts_is_what_the_cluster_says() {
    for number in 0..sizes::samples(150) {
        let scenario = scenario(number);
        let mut simulation = Simulation::new(&scenario, number, Detail::All);
        let mut view = View::start(&scenario.graph);
        while let Some(step) = simulation.step() {
            let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
            view.apply_step(&scenario.graph, &step)
                .unwrap_or_else(|what| panic!("random job {number}: {what}"));
            let own = simulation.cluster().view(&scenario, step.number, step.at);
            assert_eq!(view, own, "random job {number}, step {}", step.number);
        }
    }
}

#[test]
fn with_savepoints_random_jobs_keep_what_they_promise() {
    let (mut taken, mut stopped, mut n_stuck) = (0, 0, 0);
    for number in 0..sizes::samples(400) {
        let scenario = scenario(number);
        let (trace, ending) = simulate(&scenario, number);
        if let Ending::OutOfSteps(_) = ending {
            // A savepoint that is given up holds its channels back until a newer
            // barrier comes, and some edges never let one overtake: where the
            // channels are full, that is for ever.
            assert!(matches!(Mode::of(number), Mode::Unaligned | Mode::Timeout), "{number}");
            assert!(gives_up_a_savepoint(&trace), "random job {number} hangs: {ending:?}");
            n_stuck += 1;
            continue;
        }
        failures::kept(number, &scenario, (&trace, &ending));
        let view = trace.view(&scenario.graph, u64::MAX).expect("it has happened");
        let savepoints = view.checkpoints.iter().filter(|view| view.snapshot.is_savepoint());
        taken += savepoints.clone().filter(|view| view.completed).count();
        let stops = savepoints.filter(|view| view.completed && view.snapshot.stops_job()).count();
        stopped += usize::from(stops > 0 && ending == Ending::Finished);
    }
    assert!(taken > 200 && stopped > 50, "{taken} savepoints, {stopped} jobs stopped");
    assert!(n_stuck <= sizes::samples(400) / 200, "{n_stuck} jobs hang");
}

fn gives_up_a_savepoint(trace: &Trace) -> bool {
    let savepoints = trace.savepoints();
    trace.steps.iter().flat_map(|step| &step.facts).any(|fact| {
        matches!(fact, Fact::CheckpointAborted { checkpoint, .. } if savepoints.contains(checkpoint))
    })
}
