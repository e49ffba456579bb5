//! Traces that are damaged: the judge stands, and notices what matters.

use checkdam::model::{CheckpointId, Scenario, SinkKind, StreamElement};
use checkdam::trace::{Fact, Trace};
use checkdam::verify::verify;

use super::engine::{random_run, run};
use super::{HOLDS, VIOLATED, jobs};

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
    for seed in 0..4 {
        let mut scenario = random_run(seed, true);
        scenario.faults.clear();
        if seed % 2 == 1 {
            make_unaligned(&mut scenario);
        }
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

fn make_unaligned(scenario: &mut Scenario) {
    scenario.config.max_concurrent_checkpoints = 1;
    scenario.config.unaligned = true;
}

/// Each record that a completed checkpoint stores in flight counts, in its
/// place, and so does each that a restart puts back.
#[test]
fn a_record_in_flight_that_is_missing_repeated_or_misplaced_is_noticed() {
    let mut n = [0; 2];
    for seed in 0..crate::common::sizes::samples(40) {
        let mut scenario = random_run(seed, true);
        make_unaligned(&mut scenario);
        let (trace, verdict) = run(&scenario, seed);
        assert_eq!((verdict.cut.outcome(), verdict.promise), (HOLDS, HOLDS), "{verdict}");
        let completed = |checkpoint: CheckpointId| {
            let mut facts = trace.steps.iter().flat_map(|step| &step.facts);
            facts.any(|fact| *fact == Fact::CheckpointCompleted { checkpoint })
        };
        for (step, fact) in places(&trace) {
            let kind = match &trace.steps[step].facts[fact] {
                Fact::ChannelStateSaved { checkpoint, .. } if completed(*checkpoint) => 0,
                Fact::ChannelStateRestored { .. } => 1,
                _ => continue,
            };
            for change in changes(&trace.steps[step].facts[fact]) {
                n[kind] += 1;
                let mut damaged = trace.clone();
                let before = std::mem::replace(&mut damaged.steps[step].facts[fact], change);
                let verdict = verify(&scenario, &damaged);
                let change = &damaged.steps[step].facts[fact];
                let what = || format!("seed {seed}: {change:?}, not {before:?}\n{verdict}");
                assert_eq!(
                    (verdict.cut.outcome(), verdict.promise),
                    (VIOLATED, VIOLATED),
                    "{}",
                    what()
                );
            }
        }
    }
    assert!(n.iter().all(|n| *n > 40), "{n:?} records damaged");
}

/// A fact about records in flight with one of them missing, twice there, or
/// behind the next one.
fn changes(fact: &Fact) -> Vec<Fact> {
    let n = match fact {
        Fact::ChannelStateSaved { records, .. } => [records.len(), 0],
        Fact::ChannelStateRestored { input, output, .. } => [input.len(), output.len()],
        _ => [0, 0],
    };
    let places = (0..2).flat_map(|end| (0..n[end]).map(move |place| (end, place)));
    let mut changes = Vec::new();
    for (end, place) in places {
        for how in [How::Missing, How::Twice, How::Behind] {
            if how == How::Behind && place + 1 == n[end] {
                continue;
            }
            let mut fact = fact.clone();
            match &mut fact {
                Fact::ChannelStateSaved { records, .. } => how.change(records, place),
                Fact::ChannelStateRestored { input, .. } if end == 0 => how.change(input, place),
                Fact::ChannelStateRestored { output, .. } => how.change(output, place),
                _ => unreachable!("it has records"),
            }
            changes.push(fact);
        }
    }
    changes
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Missing,
    Twice,
    Behind,
}

impl How {
    fn change<T: Copy>(self, records: &mut Vec<T>, place: usize) {
        match self {
            Self::Missing => {
                records.remove(place);
            }
            Self::Twice => records.insert(place, records[place]),
            Self::Behind => records.swap(place, place + 1),
        }
    }
}

/// Whatever happens to a fact, in runs with crashes too.
#[test]
fn no_damage_makes_the_judge_fall() {
    for seed in 0..6 {
        let mut scenario = random_run(seed, seed % 2 == 0);
        if seed % 3 == 1 {
            make_unaligned(&mut scenario);
        }
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
        | Fact::ChannelStateSaved { checkpoint, .. }
        | Fact::CheckpointCompleted { checkpoint }
        | Fact::CheckpointAborted { checkpoint, .. }
        | Fact::TransactionPrepared { checkpoint, .. } => checkpoint.0 /= 2,
        Fact::ChannelStateRestored { channel, .. } => channel.0 /= 2,
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
