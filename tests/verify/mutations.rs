//! The judge's teeth: every classic mistake is caught, by the property that it
//! breaks, within a few random runs.

use std::fmt::Write as _;

use checkdam::model::{Mutation, Scenario};
use checkdam::sim::simulate;
use checkdam::verify::{Outcome, Property, Verdict, Wrong, verify};
use serde_json::{Value, json};

use crate::common::random_jobs::{self, Mode};
use crate::common::snapshot;

/// Runs in which a mistake must show.
const RUNS_MAX: u64 = 2_000;

/// A mistake, what a job needs for it to matter, and what it breaks.
struct Row(Mutation, Needs, &'static [Property]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Aligned,
    Unaligned,
    /// Files, of which several checkpoints use the same.
    SharedFiles,
    /// Checkpoints that are given up while others go on.
    Timeouts,
    /// The same, with a few checkpoints only: what is stuck is seen to be.
    FewCheckpoints,
}

/// The properties are those of the definitions: what is received before the
/// cut and sent after it, what waits for ever, and so on.
const TABLE: &[Row] = {
    use Mutation as M;
    use Needs::{Aligned, FewCheckpoints, SharedFiles, Timeouts, Unaligned};
    use Property as P;
    &[
        Row(M::ProcessAfterFirstBarrier, Aligned, &[P::Alignment, P::ConsistentCut]),
        Row(M::SnapshotAtFirstBarrier, Aligned, &[P::BarrierOrder, P::ConsistentCut]),
        Row(M::BarrierOvertakesRecords, Aligned, &[P::Delivery, P::ConsistentCut]),
        Row(M::RecordOvertakesBarrier, Aligned, &[P::Delivery, P::ConsistentCut]),
        Row(M::SnapshotAfterNextRecord, Aligned, &[P::CutAtomicity, P::ConsistentCut]),
        Row(M::BarrierAfterNextRecord, Aligned, &[P::CutAtomicity, P::ConsistentCut]),
        Row(M::StoreWithoutCopy, Aligned, &[P::RestoreEquality]),
        Row(M::DropHeldBackRecords, Aligned, &[P::Delivery, P::ConsistentCut]),
        Row(M::ReverseHeldBackRecords, Aligned, &[P::Delivery, P::ConsistentCut]),
        Row(M::BarrierToOneOutput, FewCheckpoints, &[P::BarrierOrder, P::Liveness]),
        Row(M::OffsetTooHigh, Aligned, &[P::SourcePosition, P::SnapshotState]),
        Row(M::OffsetTooLow, Aligned, &[P::SourcePosition, P::SnapshotState]),
        Row(M::AcknowledgeBeforeStored, Aligned, &[P::Completeness]),
        Row(M::CompleteOnSinks, Aligned, &[P::Completeness]),
        Row(M::RestoreNewestBegun, Aligned, &[P::RestoreEquality]),
        Row(M::RestoreOwnNewest, Aligned, &[P::RestoreEquality]),
        Row(M::KeepChannelsOnRestart, Aligned, &[P::RestoreEquality]),
        Row(M::KeepStateOnRestart, Aligned, &[P::RestoreEquality]),
        Row(M::KeepOffsetsOnRestart, Aligned, &[P::RestoreEquality, P::ExactlyOnceState]),
        Row(M::CommitAtPreCommit, Aligned, &[P::Commitment]),
        Row(M::AbortPreparedOnRestart, Aligned, &[P::Commitment]),
        Row(M::LoseNotifications, FewCheckpoints, &[P::Liveness]),
        Row(M::CommitExactCheckpoint, Timeouts, &[P::Commitment]),
        Row(M::AbortDropsPrepared, Timeouts, &[P::Commitment, P::ExactlyOnceOutput]),
        Row(M::AbortLeavesBlocked, FewCheckpoints, &[P::Liveness]),
        Row(M::ZombieCommits, Aligned, &[P::Commitment, P::ExactlyOnceOutput]),
        Row(M::CountAnyBarrier, Timeouts, &[P::BarrierOrder]),
        Row(M::ForgetChannelState, Unaligned, &[P::ConsistentCut]),
        Row(M::ForgetOutputBuffers, Unaligned, &[P::ConsistentCut]),
        Row(M::SaveFirstInputOnly, Unaligned, &[P::ConsistentCut]),
        Row(M::RestoreInFlightLast, Unaligned, &[P::RestoreEquality]),
        Row(M::RestoreAtBothEnds, Unaligned, &[P::RestoreEquality]),
        Row(M::DeleteSharedFiles, SharedFiles, &[P::Completeness]),
    ]
};

/// The random job of a number with what a mistake needs.
fn document(number: u64, needs: Needs) -> Value {
    let mode = match needs {
        Needs::Unaligned => Mode::Unaligned,
        _ => Mode::Aligned,
    };
    let mut document = random_jobs::document(number, mode);
    match needs {
        Needs::Aligned | Needs::Unaligned => {}
        Needs::SharedFiles => document = random_jobs::with_files(number, &document),
        Needs::Timeouts | Needs::FewCheckpoints => {
            let config = document["config"].as_object_mut().expect("it has settings");
            let mut set = |key: &str, value: Value| {
                config.insert(format!("execution.checkpointing.{key}"), value);
            };
            set("interval", json!(10));
            set("max-concurrent-checkpoints", json!(3));
            set("timeout", json!(20 + number % 30));
            set("tolerable-failed-checkpoints", json!(1_000));
            if needs == Needs::FewCheckpoints {
                config.remove("execution.checkpointing.interval");
                config.remove("execution.checkpointing.timeout");
                let at = |ms: u64| json!({ "at": ms });
                document["checkpoints"] = [10, 13, 16, 40, 43].map(at).to_vec().into();
            }
        }
    }
    // A run that is stuck need not be long for that.
    document["steps"] = json!(20_000);
    document
}

/// Every property that a mistake is to break is broken within the runs.
#[test]
fn every_mistake_is_caught_by_the_property_that_it_breaks() {
    assert_eq!(TABLE.iter().map(|row| row.0).collect::<Vec<_>>(), Mutation::ALL);
    let mut table =
        "mistake, property, and the first of 2000 random runs that shows it\n".to_owned();
    let mut uncaught = Vec::new();
    for Row(mutation, needs, properties) in TABLE {
        let mut first = vec![None; properties.len()];
        for number in 0..RUNS_MAX {
            let mut document = document(number, *needs);
            document["break"] = json!([mutation.name()]);
            let scenario = random_jobs::loaded(number, &document);
            let (trace, _) = simulate(&scenario, number);
            let verdict = verify(&scenario, &trace);
            let mut right = None;
            for (property, first) in properties.iter().zip(&mut first) {
                let is_broken =
                    |verdict: &Verdict| verdict.property(*property).outcome == Outcome::Violated;
                if first.is_some() || !is_broken(&verdict) {
                    continue;
                }
                // The same run without the mistake must have it.
                let right = right.get_or_insert_with(|| {
                    let scenario = Scenario { broken: Vec::new(), ..scenario.clone() };
                    verify(&scenario, &simulate(&scenario, number).0)
                });
                if !is_broken(right) {
                    *first = Some(number);
                }
            }
            if first.iter().all(Option::is_some) {
                break;
            }
        }
        for (property, first) in properties.iter().zip(first) {
            let (mistake, property) = (mutation.name(), property.name());
            match first {
                Some(first) => {
                    writeln!(table, "{mistake:28} {property:20} {first:4}").expect("a string");
                }
                None => uncaught.push(format!("{mistake}: {property}")),
            }
        }
    }
    assert!(uncaught.is_empty(), "not caught:\n{}\n{table}", uncaught.join("\n"));
    snapshot("verify", "mutations", &table);
}

/// The same jobs without the mistake. Where nobody asks for checkpoints any
/// more, a job at its end waits for ever when its last one fails.
#[test]
fn the_jobs_that_show_mistakes_are_right_without_them() {
    let all = [
        Needs::Aligned,
        Needs::Unaligned,
        Needs::SharedFiles,
        Needs::Timeouts,
        Needs::FewCheckpoints,
    ];
    for needs in all {
        for number in 0..crate::common::sizes::samples(100) {
            let scenario = random_jobs::loaded(number, &document(number, needs));
            let (trace, _) = simulate(&scenario, number);
            let verdict = verify(&scenario, &trace);
            if verdict.promise != Outcome::Violated {
                let mut breaches = verdict.conduct.breaches.clone();
                if needs == Needs::FewCheckpoints {
                    breaches.retain(|own| !matches!(own.wrong, Wrong::JobNeverEnds { .. }));
                }
                assert_eq!(breaches, [], "random job {number}\n{verdict}");
            }
        }
    }
}
