//! State in files, on random jobs.

use std::collections::BTreeMap;

use checkdam::cluster::Detail;
use checkdam::model::{CheckpointId, FileName, StatePiece, Time};
use checkdam::sim::{Ending, Simulation, simulate};
use checkdam::trace::{Fact, Step, View};
use checkdam::verify::{Outcome, verify};

use crate::common::random_jobs::{self, Mode};
use crate::common::sizes;

fn is_about_files(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::StateWritten { .. } | Fact::MetadataWritten { .. } | Fact::FilesDeleted { .. }
    )
}

#[test]
fn files_that_need_no_time_change_nothing_but_files() {
    for number in 0..sizes::samples(100) {
        let mut document = random_jobs::document(number, Mode::of(number));
        let plain = random_jobs::loaded(number, &document);
        let config = document["config"].as_object_mut().expect("it has settings");
        config.insert("execution.checkpointing.dir".into(), "hdfs:///checkpoints".into());
        config.insert("execution.checkpointing.data-inline-threshold".into(), "0 b".into());
        let in_files = random_jobs::loaded(number, &document);
        let (mut trace, _) = simulate(&in_files, number);
        let n_files: usize = trace.steps.iter().map(|step| step.facts.len()).sum();
        trace.steps.iter_mut().for_each(|step| step.facts.retain(|fact| !is_about_files(fact)));
        let n_others: usize = trace.steps.iter().map(|step| step.facts.len()).sum();
        // A short job may end before its first checkpoint.
        let mut facts = trace.steps.iter().flat_map(|step| &step.facts);
        let is_safe = facts.any(|fact| matches!(fact, Fact::CheckpointCompleted { .. }));
        assert!(n_files > n_others || !is_safe, "random job {number} writes files");
        assert_eq!(trace, simulate(&plain, number).0, "random job {number}");
    }
}

/// A file is there as long as a checkpoint that can be restored refers to it.
#[test]
fn whatever_a_retained_checkpoint_refers_to_is_there() {
    let (mut n_shared, mut n_restores, mut n_failed_writes) = (0, 0, 0);
    for number in 0..sizes::samples(300) {
        let mode = Mode::of(number);
        let document = random_jobs::with_files(number, &random_jobs::document(number, mode));
        let scenario = random_jobs::loaded(number, &document);
        let n_retained = scenario.config.num_retained as usize;
        let mut simulation = Simulation::new(&scenario, number, Detail::All);
        let mut view = View::start(&scenario.graph);
        let mut pieces: BTreeMap<CheckpointId, Vec<StatePiece>> = BTreeMap::new();
        while let Some(step) = simulation.step() {
            let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
            view.apply_step(&scenario.graph, &step)
                .unwrap_or_else(|what| panic!("random job {number}: {what}"));
            for fact in &step.facts {
                match fact {
                    Fact::StateWritten { checkpoint, pieces: new, .. } => {
                        pieces.entry(*checkpoint).or_default().extend_from_slice(new);
                    }
                    Fact::WriteFailed { .. } => n_failed_writes += 1,
                    Fact::RestoreStarted { .. } => n_restores += 1,
                    _ => {}
                }
            }
            if !step.facts.iter().any(is_about_files) {
                continue;
            }
            let own = simulation.cluster().view(&scenario, step.number, step.at);
            assert_eq!(view, own, "random job {number}, step {}", step.number);
            // At its end the job has deleted them with their files.
            let kept = view.checkpoints.iter().filter(|stored| stored.completed);
            let kept: Vec<CheckpointId> = kept.map(|stored| stored.id).collect();
            assert!(kept.len() <= n_retained, "random job {number}: {kept:?}");
            for checkpoint in &kept {
                for file in pieces.get(checkpoint).into_iter().flatten() {
                    let Some(file) = file.location.file() else { continue };
                    n_shared += usize::from(matches!(file, FileName::Shared { .. }));
                    assert!(
                        view.files.file(file).is_some(),
                        "random job {number}, step {}: checkpoint {checkpoint} has {file:?}",
                        step.number
                    );
                }
            }
        }
        assert_eq!(simulation.ending(), Some(&Ending::Finished), "random job {number}");
        let own = simulation.cluster().view(&scenario, view.step, Time(view.at.0));
        assert_eq!(view, own, "random job {number} at its end");
    }
    assert!(n_shared > 1_000, "{n_shared} looks at shared files");
    assert!(n_restores > 50, "{n_restores} tasks read their state");
    assert!(n_failed_writes > 20, "{n_failed_writes} writes failed");
}

#[test]
fn storage_in_trouble_costs_time_and_nothing_else() {
    for number in 0..sizes::samples(300) {
        let mode = [Mode::Aligned, Mode::Unaligned, Mode::Timeout][number as usize % 3];
        let document = random_jobs::with_files(number, &random_jobs::document(number, mode));
        let scenario = random_jobs::loaded(number, &document);
        let (trace, ending) = simulate(&scenario, number);
        assert_eq!(ending, Ending::Finished, "random job {number}");
        let verdict = verify(&scenario, &trace);
        assert_eq!(verdict.cut.findings, [], "random job {number}");
        assert_eq!(verdict.state.outcome, Outcome::Holds, "random job {number}: {verdict}");
        if scenario.config.checkpoints_after_tasks_finish {
            assert_eq!(verdict.promise, Outcome::Holds, "random job {number}: {verdict}");
        }
    }
}
