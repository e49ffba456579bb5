//! What holds for every shipped scenario.

use checkdam::cluster::Detail;
use checkdam::load;
use checkdam::model::{CheckpointFailureReason, HighAvailability, Time};
use checkdam::sim::{Simulation, simulate};
use checkdam::trace::{Fact, Step, View, moment_spans};
use checkdam::verify::{Outcome, verify};

fn names() -> impl Iterator<Item = &'static str> {
    load::builtin().iter().map(|scenario| scenario.name)
}

#[test]
fn the_view_from_the_facts_is_what_the_cluster_says_after_every_step() {
    for name in names() {
        let scenario = super::scenario(name);
        for seed in 1..=3 {
            let mut simulation = Simulation::new(&scenario, seed, Detail::All);
            let mut view = View::start(&scenario.graph);
            assert_eq!(view, simulation.cluster().view(&scenario, 0, Time::ZERO), "{name}: start");
            while let Some(step) = simulation.step() {
                let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
                view.apply_step(&scenario.graph, &step).unwrap_or_else(|e| panic!("{name}: {e}"));
                let own = simulation.cluster().view(&scenario, step.number, step.at);
                assert_eq!(
                    view, own,
                    "{name}, seed {seed}, step {}: {:?}",
                    step.number, step.facts
                );
            }
        }
    }
}

#[test]
fn the_same_scenario_and_seed_give_the_same_run() {
    for name in names() {
        let scenario = super::scenario(name);
        assert_eq!(simulate(&scenario, 7), simulate(&scenario, 7), "{name}");
    }
}

#[test]
fn a_run_does_not_depend_on_which_facts_are_wanted() {
    for name in names() {
        let scenario = super::scenario(name);
        let end = |detail| {
            let mut simulation = Simulation::new(&scenario, 1, detail);
            while simulation.step().is_some() {}
            (simulation.n_steps(), simulation.cluster().view(&scenario, 0, simulation.now()))
        };
        assert_eq!(end(Detail::All), end(Detail::Control), "{name}");
    }
}

#[test]
fn every_moment_of_every_scenario_begins_and_no_two_are_shown_at_one_step() {
    for name in names() {
        let (scenario, trace) = super::run(name);
        let spans = moment_spans(&scenario, &trace.steps);
        assert_eq!(spans.len(), scenario.moments.len(), "{name}: {spans:?}");
        for pair in spans.windows(2) {
            assert!(pair[0].last < pair[1].first, "{name}: {pair:?}");
            assert!(pair[0].first <= pair[0].last, "{name}: {pair:?}");
        }
    }
}

#[test]
fn checkpoints_begin_in_the_order_of_their_ids_and_only_those_end() {
    for name in names() {
        let (_, trace) = super::run(name);
        let mut newest = 0;
        for fact in trace.steps.iter().flat_map(|step| &step.facts) {
            match fact {
                // Another job, with ids of its own.
                Fact::JobManagerStarted { high_availability: HighAvailability::Off } => newest = 0,
                // Numbers go on from the savepoint that the job starts from.
                Fact::SavepointRestored { checkpoint, .. } => newest = checkpoint.0,
                Fact::CheckpointTriggered { checkpoint, .. } => {
                    assert_eq!(checkpoint.0, newest + 1, "{name}");
                    newest += 1;
                }
                // It has an id, and no place in the storage.
                Fact::CheckpointAborted {
                    checkpoint,
                    reason: CheckpointFailureReason::IoException,
                } => {
                    assert_eq!(checkpoint.0, newest + 1, "{name}");
                    newest += 1;
                }
                Fact::CheckpointCompleted { checkpoint }
                | Fact::CheckpointAborted { checkpoint, .. } => {
                    assert!(checkpoint.0 <= newest, "{name}: {checkpoint} has never begun");
                }
                _ => {}
            }
        }
    }
}

/// What each scenario's title promises: state, then output. Where the state is
/// wrong nobody can say what the output should have been.
#[test]
fn every_scenario_keeps_or_breaks_what_its_story_says() {
    use Outcome::{CannotTell, Holds, Violated};
    for name in names() {
        let expected = match name {
            "crash-after-complete" | "crash-before-complete" => (Holds, Violated),
            // Nobody will ever know: the job has failed.
            "backup" => (Holds, CannotTell),
            // Everything is committed again.
            "jobmanager-crash-without-ha" => (Holds, Violated),
            // The results after the first checkpoint are never committed.
            "source-finishes-first-off"
            | "more-subtasks-than-partitions-off"
            | "last-results-missing" => (Holds, Violated),
            // What is published twice can be seen all the same.
            "without-alignment" | "lecture-at-least-once" => (Violated, Violated),
            "non-replayable-source"
            | "snapshot-at-first-barrier"
            | "at-least-once-counts-twice" => (Violated, CannotTell),
            _ => (Holds, Holds),
        };
        let (scenario, trace) = super::run(name);
        let verdict = verify(&scenario, &trace);
        let told = (verdict.state.outcome, verdict.output.outcome);
        assert_eq!(told, expected, "{name}: {verdict:#?}");
    }
}

#[test]
fn every_scenario_has_title_notes_and_moments_in_both_languages() {
    for name in names() {
        let scenario = super::scenario(name);
        let mut texts = vec![&scenario.title, &scenario.notes];
        for moment in &scenario.moments {
            texts.extend([&moment.title, &moment.note]);
        }
        for text in texts {
            assert!(!text.en.is_empty(), "{name}");
            assert!(text.zh.chars().any(|c| ('一'..='鿿').contains(&c)), "{name}: {}", text.zh);
        }
        assert!(scenario.moments.len() >= 4, "{name} tells a story");
    }
}

#[test]
fn every_run_ends_by_itself() {
    for name in names() {
        let scenario = super::scenario(name);
        assert_eq!(simulate(&scenario, 1).1, super::ending_of(name), "{name}");
    }
}
