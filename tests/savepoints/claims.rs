//! Whose a savepoint is after a job has started from it, and what a job without
//! a checkpoint of its own goes back to.

use checkdam::chain;
use checkdam::cluster::Detail;
use checkdam::model::{CheckpointId, FileName, Scenario};
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Fact, Step, Trace, View};
use checkdam::verify::{Outcome, verify, verify_chain};

use crate::story;

use super::{last_savepoint, stopped};

/// The job of `stop-with-savepoint`, started from its savepoint.
fn resumed(changes: &[(&str, &str)]) -> Scenario {
    let savepoint = last_savepoint(&stopped(&[]));
    let saved = checkdam::savepoint::Saved::of(savepoint);
    checkdam::savepoint::start_from(&stopped(changes), &saved).expect("it fits")
}

fn run(scenario: &Scenario) -> Trace {
    let (trace, ending) = simulate(scenario, 1);
    assert_eq!(ending, Ending::Finished);
    let verdict = verify(scenario, &trace);
    assert_eq!(verdict.answer(), Outcome::Holds, "{verdict}");
    trace
}

fn facts(trace: &Trace) -> impl Iterator<Item = &Fact> {
    trace.steps.iter().flat_map(|step| &step.facts)
}

const CONFIG: &str = "\"config\": {";

fn claim(mode: &str) -> String {
    format!("{CONFIG} \"execution.state-recovery.claim-mode\": \"{mode}\",")
}

/// Flink (FLIP-193): with CLAIM the job deletes the savepoint when a checkpoint
/// of its own has taken its place; else nobody does.
#[test]
fn a_claimed_savepoint_goes_with_the_next_checkpoint() {
    for (mode, deleted) in [("NO_CLAIM", false), ("CLAIM", true), ("LEGACY", false)] {
        let scenario = resumed(&[(CONFIG, &claim(mode))]);
        let trace = run(&scenario);
        let savepoint = CheckpointId(2);
        let is_gone = facts(&trace).any(
            |fact| matches!(fact, Fact::CheckpointDiscarded { checkpoint } if *checkpoint == savepoint),
        );
        let file = FileName::SavepointMetadata { savepoint };
        let is_deleted = facts(&trace)
            .any(|fact| matches!(fact, Fact::FilesDeleted { files } if files.contains(&file)));
        assert_eq!((is_gone, is_deleted), (deleted, deleted), "{mode}");
    }
}

/// Flink: the savepoint is in the store of completed checkpoints, and a job
/// without high availability is submitted again as it was.
#[test]
fn a_job_without_a_checkpoint_of_its_own_goes_back_to_the_savepoint() {
    for fault in [
        "\"faults\": [{ \"crash\": \"sum\", \"at\": \"12 ms\" }], \"checkpoints\"",
        "\"faults\": [{ \"crash\": \"jobmanager\", \"for\": \"5 ms\", \"at\": \"12 ms\" }], \"checkpoints\"",
    ] {
        let scenario = resumed(&[("\"checkpoints\"", fault)]);
        let trace = run(&scenario);
        let from: Vec<_> = facts(&trace)
            .filter_map(|fact| match fact {
                Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
                _ => None,
            })
            .collect();
        assert_eq!(from, [Some(CheckpointId(2)); 2], "{fault}");
    }
}

#[test]
fn the_view_from_the_facts_is_what_the_cluster_says() {
    let crash = "\"faults\": [{ \"crash\": \"jobmanager\", \"for\": \"5 ms\", \"at\": \"30 ms\" }], \"checkpoints\"";
    for changes in [vec![], vec![("\"checkpoints\"", crash)]] {
        let scenario = resumed(&changes);
        let mut simulation = Simulation::new(&scenario, 1, Detail::All);
        let mut view = View::start(&scenario.graph);
        while let Some(step) = simulation.step() {
            let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
            view.apply_step(&scenario.graph, &step).expect("the facts can have happened");
            let own = simulation.cluster().view(&scenario, step.number, step.at);
            assert_eq!(view, own, "step {}", step.number);
        }
    }
}

/// The two runs of a chain as one.
fn as_one(name: &str) -> checkdam::verify::Verdict {
    let scenario = checkdam::load::builtin().iter().find(|own| own.name == name);
    let scenario = Scenario::parse(name, scenario.expect("it is shipped").text).expect("valid");
    let mut find = |name: &str| Ok::<_, std::convert::Infallible>(story::scenario(name));
    let links = chain::links(scenario, 1, &mut find).expect("they follow each other");
    let traces: Vec<Trace> = links.iter().map(|link| simulate(link, 1).0).collect();
    verify_chain(&links.iter().zip(&traces).collect::<Vec<_>>())
}

/// Nine records in all, each result once, by two jobs.
#[test]
fn two_jobs_that_follow_each_other_are_right_as_one() {
    for name in ["resumed", "moved-to-another-cluster", "upgrade-after", "variant-a", "variant-b"] {
        let verdict = as_one(name);
        assert_eq!(verdict.answer(), Outcome::Holds, "{name}: {verdict}");
        assert_eq!((verdict.state.n, verdict.output.n_once), (9, 9), "{name}");
    }
}

/// Seven results came out after savepoint 1 and come out again: those of 3 to 9.
#[test]
fn a_savepoint_that_is_too_old_publishes_twice() {
    let verdict = as_one("too-old-savepoint");
    assert_eq!(verdict.answer(), Outcome::Violated);
    assert_eq!((verdict.state.outcome, verdict.output.n_too_often), (Outcome::Holds, 7));
    let twice: Vec<u32> = verdict.output.too_often.iter().map(|one| one.record.id.offset).collect();
    assert_eq!(twice, [3, 4, 5, 6, 7, 8, 9]);
}
