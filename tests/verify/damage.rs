//! Traces that are damaged: the judge stands, and notices what matters.

use checkdam::model::{CheckpointId, SinkKind, StreamElement};
use checkdam::trace::{Fact, Trace};
use checkdam::verify::verify;

use super::engine::{random_run, run};
use super::{HOLDS, jobs};

/// Every place of a fact in a trace: step and position.
fn places(trace: &Trace) -> Vec<(usize, usize)> {
    let steps = trace.steps.iter().enumerate();
    steps.flat_map(|(step, of)| (0..of.facts.len()).map(move |fact| (step, fact))).collect()
}

/// The facts that say what happened to records.
fn is_about_a_record(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Read { .. }
            | Fact::Processed { .. }
            | Fact::Emitted { element: StreamElement::Record(_), .. }
    )
}

/// In a run without failure that ends with a checkpoint nothing is undone, so
/// each of these facts counts.
#[test]
fn a_fact_about_a_record_that_is_missing_or_repeated_is_noticed() {
    for seed in 0..3 {
        let mut scenario = random_run(seed, true);
        scenario.faults.clear();
        let (trace, verdict) = run(&scenario, seed);
        assert_eq!(verdict.outcome(), HOLDS);
        for (step, fact) in places(&trace) {
            let mut damaged = trace.clone();
            let facts = &mut damaged.steps[step].facts;
            if !is_about_a_record(&facts[fact]) {
                continue;
            }
            let removed = facts.remove(fact);
            assert_ne!(verify(&scenario, &damaged).outcome(), HOLDS, "without {removed:?}");
            let facts = &mut damaged.steps[step].facts;
            facts.insert(fact, removed.clone());
            facts.insert(fact, removed.clone());
            assert_ne!(verify(&scenario, &damaged).outcome(), HOLDS, "twice {removed:?}");
        }
    }
}

/// Whatever happens to a fact, in runs with crashes too.
#[test]
fn no_damage_makes_the_judge_fall() {
    for seed in 0..6 {
        let scenario = random_run(seed, seed % 2 == 0);
        let (trace, _) = run(&scenario, seed);
        for (step, fact) in places(&trace).into_iter().skip(seed as usize).step_by(3) {
            let mut damaged = trace.clone();
            let facts = &mut damaged.steps[step].facts;
            facts[fact] = other(&facts[fact]);
            let _ = verify(&scenario, &damaged);
            damaged.steps.truncate(step);
            damaged.complete = false;
            assert_ne!(verify(&scenario, &damaged).state.outcome, HOLDS);
            let mut damaged = trace.clone();
            let facts = damaged.steps[step].facts.split_off(fact);
            damaged.steps[step].facts.extend(facts.into_iter().rev());
            let _ = verify(&scenario, &damaged);
        }
    }
}

/// A fact that says something else.
fn other(fact: &Fact) -> Fact {
    let mut other = fact.clone();
    match &mut other {
        Fact::Read { record, .. }
        | Fact::Processed { record, .. }
        | Fact::Emitted { element: StreamElement::Record(record), .. } => {
            record.id.offset = record.id.offset.wrapping_mul(1_000_003);
        }
        Fact::SnapshotTaken { checkpoint, .. }
        | Fact::CheckpointCompleted { checkpoint }
        | Fact::CheckpointAborted { checkpoint, .. }
        | Fact::TransactionPrepared { checkpoint, .. } => checkpoint.0 /= 2,
        Fact::AttemptStarted { checkpoint, .. } => *checkpoint = Some(CheckpointId(1)),
        Fact::TransactionCommitted { transaction, .. }
        | Fact::TransactionAborted { transaction, .. }
        | Fact::TransactionBegun { transaction } => transaction.number += 1,
        _ => other = Fact::JobFinished,
    }
    other
}

#[test]
fn a_restart_from_a_checkpoint_that_is_not_complete_is_noticed() {
    let story = "
        read blue 1; numbers[blue] stores 1; numbers[yellow] stores 1; fail; restart 1";
    let verdict = super::story::judge(&jobs::lecture(SinkKind::Publish), story);
    assert_eq!(
        verdict.cannot_tell[0].to_string(),
        "step 5: the job restarts from checkpoint 1, which is not complete"
    );
}
