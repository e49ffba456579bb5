//! The format of a savepoint: asked for savepoint by savepoint, and what each
//! allows.
//!
//! Source: Flink's documentation, "Checkpoints vs. Savepoints", capabilities and
//! limitations: a change of the state backend needs the canonical format;
//! another parallelism, a changed job and another place do not.

use checkdam::chain;
use checkdam::model::{
    FileName, Location, Savepoint, SavepointFormat, Scenario, SnapshotType, StateBackend,
    StatePiece,
};
use checkdam::savepoint::{Refusal, Saved, start_from};
use checkdam::trace::Fact;

use super::{last_savepoint, refusal, stopped};
use crate::story::Reading;

const HASH_MAP: (&str, StateBackend) = ("hashmap", StateBackend::HashMap);
const ROCKS_DB: (&str, StateBackend) = ("rocksdb", StateBackend::RocksDb);

/// The job with a backend, its savepoint in a format.
fn job(backend: &str, format: &str, changes: &[(&str, &str)]) -> Scenario {
    let backend = format!("\"config\": {{ \"state.backend.type\": \"{backend}\",");
    let format = format!("\"stop\": \"suspend\", \"format\": \"{format}\"");
    let mut all = vec![("\"config\": {", backend.as_str()), ("\"stop\": \"suspend\"", &format)];
    all.extend(changes);
    stopped(&all)
}

#[test]
fn only_the_canonical_format_allows_another_state_backend() {
    for (from, backend) in [HASH_MAP, ROCKS_DB] {
        let canonical = last_savepoint(&job(from, "canonical", &[]));
        let native = last_savepoint(&job(from, "native", &[]));
        assert_eq!(canonical.format, SavepointFormat::Canonical, "{from}");
        assert_eq!(native.format, SavepointFormat::native(backend), "{from}");
        // Nothing else of the two is different.
        assert_eq!(Savepoint { format: canonical.format, ..native.clone() }, canonical);
        for (to, other) in [HASH_MAP, ROCKS_DB] {
            let next = job(to, "canonical", &[]);
            assert!(start_from(&next, &Saved::of(canonical.clone())).is_ok(), "{from} to {to}");
            if from == to {
                assert!(start_from(&next, &Saved::of(native.clone())).is_ok(), "{from} to {to}");
            } else {
                let (format, backend) = (native.format, other);
                let expected = Refusal::OtherBackend { format, backend };
                assert_eq!(refusal(&next, &native), expected, "{from} to {to}");
            }
        }
    }
}

/// Rescaling, and a changed job: whatever the format.
#[test]
fn both_formats_allow_another_parallelism_and_another_job() {
    let wider = ("\"sum\": \"parity\"", "\"sum\": \"parity\", \"parallelism\": 2");
    let changes = [wider, ("\"sink\", \"forward\"", "\"sink\", \"rebalance\"")];
    for (backend, _) in [HASH_MAP, ROCKS_DB] {
        for format in ["canonical", "native"] {
            let saved = Saved::of(last_savepoint(&job(backend, format, &[])));
            let next = job(backend, format, &changes);
            assert!(start_from(&next, &saved).is_ok(), "{backend}, {format}");
        }
    }
}

/// A checkpoint is in the format of its backend, whatever savepoints are in.
#[test]
fn a_retained_checkpoint_does_not_allow_another_state_backend() {
    let retain = (
        "\"config\": {",
        "\"config\": { \"execution.checkpointing.externalized-checkpoint-retention\": \
         \"RETAIN_ON_CANCELLATION\",",
    );
    let cancel = ("\"savepoints\": [", "\"cancel\": { \"at\": \"40 ms\" }, \"savepoints\": [");
    let first = job("rocksdb", "canonical", &[retain, cancel]);
    let kept = chain::savepoints(&first, 1).remove(0).savepoint;
    assert_eq!(kept.snapshot, SnapshotType::Checkpoint);
    let (format, backend) = (SavepointFormat::NativeRocksDb, StateBackend::HashMap);
    assert_eq!(
        refusal(&job("hashmap", "canonical", &[]), &kept),
        Refusal::OtherBackend { format, backend }
    );
    assert!(start_from(&job("rocksdb", "canonical", &[]), &Saved::of(kept)).is_ok());
}

/// Each savepoint has the format that was asked for, also where a later request
/// is served first: the one that the job stops with drops what waits.
#[test]
fn each_savepoint_has_a_format_of_its_own() {
    let several = "\"savepoints\": [{ \"at\": \"15 ms\", \"format\": \"native\" }, \
                   { \"at\": \"33 ms\", \"format\": \"canonical\" }, { \"at\": \"38 ms\" }, ";
    let scenario = stopped(&[("\"savepoints\": [", several)]);
    let taken = chain::savepoints(&scenario, 1);
    let savepoints = taken.iter().filter(|own| own.savepoint.snapshot.is_savepoint());
    let formats: Vec<_> = savepoints.map(|own| own.savepoint.format).collect();
    let canonical = SavepointFormat::Canonical;
    assert_eq!(formats, [SavepointFormat::NativeHashMap, canonical, canonical, canonical]);
}

/// A native savepoint of RocksDB with incremental checkpoints is no increment:
/// it holds all of the state, 2 keys of 1 MB, in files of its own.
#[test]
fn a_native_savepoint_is_never_incremental() {
    let incremental = (
        "\"config\": {",
        "\"config\": { \"execution.checkpointing.incremental\": true, \
         \"execution.checkpointing.dir\": \"file:///checkpoints\",",
    );
    let large = ("\"sum\": \"parity\"", "\"sum\": \"parity\", \"bytes-per-key\": 1000000");
    for format in ["canonical", "native"] {
        let scenario = job("rocksdb", format, &[incremental, large]);
        let sum = scenario.graph.subtask_indices().nth(1).expect("the sum");
        let pieces = |of: u64| -> Vec<StatePiece> {
            let mut written = Vec::new();
            let mut simulation =
                checkdam::sim::Simulation::new(&scenario, 1, checkdam::cluster::Detail::All);
            while let Some(step) = simulation.step() {
                for fact in step.facts {
                    match fact {
                        Fact::StateWritten { task, checkpoint, pieces, .. }
                            if *task == sum && checkpoint.0 == of =>
                        {
                            written.extend(pieces.iter().cloned());
                        }
                        _ => {}
                    }
                }
            }
            written
        };
        let savepoint = pieces(2);
        assert_eq!(savepoint.iter().map(|piece| piece.bytes).sum::<u64>(), 2_000_000, "{format}");
        let is_own = |piece: &StatePiece| {
            matches!(piece.location, Location::Written(FileName::SavepointState { .. }))
        };
        assert!(savepoint.iter().all(is_own), "{format}: {savepoint:?}");
        let shared = |piece: &StatePiece| {
            matches!(piece.location, Location::Written(FileName::Shared { .. }))
        };
        assert!(pieces(1).iter().all(shared), "the checkpoint is incremental");
    }
}

/// The walk says what follows from the format.
#[test]
fn the_story_tells_a_native_savepoint() {
    let reading = Reading::run(job("hashmap", "native", &[]));
    let native = |fact: &Fact| {
        matches!(fact, Fact::CheckpointTriggered { checkpoint, format, .. }
            if checkpoint.0 == 2 && *format == checkdam::model::SavepointFormatType::Native)
    };
    assert_eq!(reading.count(native), 1);
}
