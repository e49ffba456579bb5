//! Savepoints: expectations from Flink's rules (FLIP-193: a savepoint is not
//! used for recovery and commits nothing) and from the scenarios' clock.

use checkdam::model::{CheckpointId, FileName, SnapshotState, SnapshotType};
use checkdam::trace::{Fact, View};
use checkdam::verify::{Limit, Outcome};

use super::reading::Reading;

fn commits(reading: &Reading) -> Vec<(u64, u64)> {
    let commits = reading.facts().filter_map(|(at, fact)| match fact {
        Fact::TransactionCommitted { n_records, .. } if *n_records > 0 => {
            Some((at.0 / 1000, *n_records))
        }
        _ => None,
    });
    commits.collect()
}

fn at_end(reading: &Reading) -> View {
    let last = reading.trace.steps.last().expect("it has steps").number;
    reading.trace.view(&reading.scenario.graph, last).expect("it has happened")
}

/// A savepoint that is asked for 1 ms before the trigger comes holds what the
/// source has read by then, as a checkpoint would.
#[test]
fn a_savepoint_holds_what_a_checkpoint_would() {
    let reading = Reading::of("savepoint");
    let held = |id| [reading.stored("numbers", id), reading.stored("sum", id)].concat();
    // 2 + 4 + 6 and 1 + 3 + 5, in the order of the keys.
    assert_eq!(held(1), [2, 2, 1]);
    assert_eq!(held(3), [6, 12, 9]);
}

#[test]
fn a_savepoint_commits_nothing_and_is_no_place_to_go_back_to() {
    let reading = Reading::of("savepoint");
    // Checkpoint 2 is complete at 51 ms, its notice comes a millisecond later;
    // it commits what was prepared for the savepoint as well.
    assert_eq!(commits(&reading)[..2], [(52, 2), (52, 2)]);
    let from = reading.facts().find_map(|(_, fact)| match fact {
        Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    });
    assert_eq!(from, Some(Some(CheckpointId(2))));
    let notified = |fact: &Fact| matches!(fact, Fact::Notified { checkpoint, .. } if [1, 3].contains(&checkpoint.0));
    assert_eq!(reading.count(notified), 0);
}

#[test]
fn savepoints_outlive_the_job() {
    let view = at_end(&Reading::of("savepoint"));
    let files: Vec<_> = view.files.files().map(|(name, _)| name).collect();
    let savepoint = |id| FileName::SavepointMetadata { savepoint: CheckpointId(id) };
    assert_eq!(files, [savepoint(1), savepoint(3)]);
    assert_eq!(view.completed, [CheckpointId(2), CheckpointId(4)]);
}

#[test]
fn a_job_that_stops_with_a_savepoint_leaves_nothing_half_done() {
    let reading = Reading::of("stop-with-savepoint");
    let read = reading.count(|fact| matches!(fact, Fact::Read { .. }));
    assert_eq!(read, 4, "a record every 10 ms, and the trigger comes at 46 ms");
    assert_eq!(commits(&reading).iter().map(|(_, n)| n).sum::<u64>(), 4);
    assert_eq!(reading.stored("numbers", 2), [4]);
    assert_eq!(reading.stored("sum", 2), [6, 4]);
    let view = at_end(&reading);
    let savepoints: Vec<_> = view.checkpoints.iter().map(|view| (view.id, view.snapshot)).collect();
    assert_eq!(savepoints, [(CheckpointId(2), SnapshotType::Suspend)]);
    // What is not in it is committed: the sink has nothing left to do.
    let sink = reading.task("sink");
    let held = view.checkpoints[0].stored[sink.index()].clone();
    let Some(SnapshotState::Transactions(prepared)) = held else { panic!("{held:?}") };
    assert_eq!(prepared.len(), 1);
}

/// Flink: the savepoint exists, but since the job did not finish it goes back
/// to its last checkpoint, and what the savepoint's notice has committed comes
/// again.
#[test]
fn a_crash_between_the_savepoint_and_the_end_publishes_twice() {
    let stop = r#""savepoints": [{ "at": "45 ms", "stop": "suspend" }],"#;
    let crash = format!("{stop}\n  \"faults\": [{{ \"crash\": \"sum\", \"at\": \"52 ms\" }}],");
    let reading = Reading::changed("stop-with-savepoint", &[(stop, &crash)]);
    let from = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    });
    assert_eq!(from.collect::<Vec<_>>(), [Some(CheckpointId(1))]);
    let verdict = checkdam::verify::verify(&reading.scenario, &reading.trace);
    assert_eq!(verdict.output.n_too_often, 2, "the results of 3 and 4: {verdict}");
    // Which is no mistake of anybody, and named as what it is.
    assert_eq!(verdict.output.n_known_limit, 2);
    let [Limit::StoppedLate { savepoint, checkpoint, .. }] = verdict.limits[..] else {
        panic!("{:?}", verdict.limits)
    };
    assert_eq!((savepoint, checkpoint), (CheckpointId(2), Some(CheckpointId(1))));
    assert_eq!(verdict.answer(), Outcome::Holds, "{verdict}");
}

/// Without timers nothing is left that draining could let out.
#[test]
fn a_drained_job_ends_as_one_that_is_put_aside() {
    let changes = [("\"suspend\"", "\"drain\"")];
    let (aside, drained) =
        (Reading::of("stop-with-savepoint"), Reading::changed("stop-with-savepoint", &changes));
    assert_eq!(commits(&aside), commits(&drained));
    let view = at_end(&drained);
    assert_eq!(view.checkpoints[0].snapshot, SnapshotType::Terminate);
}

/// Flink: a task that is told that the savepoint which it stops with was
/// aborted fails; the job goes back to its last checkpoint and on from there.
#[test]
fn a_savepoint_that_fails_does_not_end_the_job() {
    let stop = r#""savepoints": [{ "at": "45 ms", "stop": "suspend" }],"#;
    let lost = format!(
        "{stop}\n  \"faults\": [{{ \"lose\": \"acknowledgement\", \"of\": \"sink\", \"checkpoint\": 2 }}],"
    );
    let config = r#""config": {"#;
    let brief = format!("{config} \"execution.checkpointing.timeout\": \"30 ms\",");
    let reading = Reading::changed("stop-with-savepoint", &[(stop, &lost), (config, &brief)]);
    let from = reading.facts().find_map(|(_, fact)| match fact {
        Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    });
    assert_eq!(from, Some(Some(CheckpointId(1))));
    assert_eq!(reading.n_committed(), 9, "everything in the end, each once");
}

/// The other savepoint is asked for when checkpoint 2 is complete, at 51 ms.
#[test]
fn a_savepoint_can_be_asked_for_upon_a_fact() {
    let upon = "{ \"when\": \"checkpoint 2 is complete\" }";
    let reading = Reading::changed("savepoint", &[("{ \"at\": \"65 ms\" }", upon)]);
    let triggered = reading.facts().filter_map(|(at, fact)| match fact {
        Fact::CheckpointTriggered { snapshot: SnapshotType::Savepoint, .. } => Some(at.0 / 1000),
        _ => None,
    });
    assert_eq!(triggered.collect::<Vec<_>>(), [25, 51]);
}
