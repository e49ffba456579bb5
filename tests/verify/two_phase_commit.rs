//! The four facts of the two-phase commit are told apart: early publish, lost
//! publish, double publish, ghost writer. Each by a run of the engine in which
//! just that mistake is made.

use std::collections::BTreeSet;

use checkdam::lab::run;
use checkdam::model::Scenario;
use checkdam::verify::{Verdict, Wrong};

/// Which of the four a verdict names.
fn named(verdict: &Verdict) -> BTreeSet<&'static str> {
    let name = |wrong: &Wrong| match wrong {
        Wrong::EarlyPublish { .. } => Some("early publish"),
        Wrong::LostPublish { .. } => Some("lost publish"),
        Wrong::DoublePublish { .. } => Some("double publish"),
        Wrong::GhostWriter { .. } => Some("ghost writer"),
        _ => None,
    };
    verdict.conduct.breaches.iter().filter_map(|breach| name(&breach.wrong)).collect()
}

fn is_told_apart(mistake: &str, fact: &'static str) {
    let scenario = crate::lab::gallery_story(mistake);
    let broken = run(scenario.clone()).verdict;
    assert_eq!(named(&broken), BTreeSet::from([fact]), "{mistake}: {broken}");
    let right = run(Scenario { broken: Vec::new(), ..scenario }).verdict;
    assert_eq!(named(&right), BTreeSet::new(), "without {mistake}: {right}");
}

/// Committed with the snapshot, before the checkpoint is complete.
#[test]
fn an_early_publish_is_one() {
    is_told_apart("commit-at-pre-commit", "early publish");
}

/// Prepared for a complete checkpoint, and thrown away by the restart.
#[test]
fn a_lost_publish_is_one() {
    is_told_apart("abort-prepared-on-restart", "lost publish");
}

/// Committed, and once more by the restart.
#[test]
fn a_double_publish_is_one() {
    is_told_apart("recommit-on-restart", "double publish");
}

/// Committed by a sink whose attempt is over.
#[test]
fn a_ghost_writer_is_one() {
    is_told_apart("zombie-commits", "ghost writer");
}
