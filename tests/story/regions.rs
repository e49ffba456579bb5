//! What restarts with a failed task: expectations from the clock of the two
//! scenarios (a record every 10 ms, a restart 20 ms after the failure).

use checkdam::model::SubtaskIndex;
use checkdam::trace::{Fact, JobStatus, View};

use super::reading::Reading;

fn n_reads(reading: &Reading, source: &str) -> usize {
    let source = reading.task(source);
    reading.count(|fact| matches!(fact, Fact::Read { task, .. } if *task == source))
}

fn region(reading: &Reading, side: &str) -> Vec<SubtaskIndex> {
    let names = [side.to_owned(), format!("{side}-sum"), format!("{side}-sink")];
    let mut tasks: Vec<_> = names.iter().map(|name| reading.task(name)).collect();
    tasks.sort_unstable();
    tasks
}

/// Five records are read when the failure is noticed at 57 ms, and checkpoint 1
/// holds two of them.
#[test]
fn a_pipeline_without_a_failed_task_reads_nothing_again() {
    let reading = Reading::of("region-failover");
    assert_eq!((n_reads(&reading, "left"), n_reads(&reading, "right")), (12, 9));
    let full = Reading::of("full-failover");
    assert_eq!((n_reads(&full, "left"), n_reads(&full, "right")), (12, 12));
    assert_eq!((reading.n_committed(), full.n_committed()), (18, 18));
}

#[test]
fn the_tasks_that_channels_connect_stop_and_come_back_together() {
    let reading = Reading::of("region-failover");
    let left = Some(region(&reading, "left"));
    let failed =
        reading.times_ms(|fact| matches!(fact, Fact::JobFailed { region, .. } if *region == left));
    let restarted = reading
        .times_ms(|fact| matches!(fact, Fact::AttemptStarted { region, .. } if *region == left));
    assert_eq!((failed, restarted), (vec![57], vec![77]));
    let right = region(&reading, "right");
    let came_back =
        |fact: &Fact| matches!(fact, Fact::StateRestored { task, .. } if right.contains(task));
    assert_eq!(reading.count(came_back), 0);
    let full = Reading::of("full-failover");
    assert_eq!(full.count(|fact| matches!(fact, Fact::JobFailed { region: None, .. })), 1);
    assert_eq!(full.count(|fact| matches!(fact, Fact::StateRestored { .. })), 6);
}

/// Flink: any task failure moves the job to RESTARTING, and that aborts every
/// pending checkpoint.
#[test]
fn a_checkpoint_of_the_whole_job_is_lost_with_one_region() {
    let reading = Reading::of("region-failover");
    let told = reading.count(|fact| {
        matches!(fact, Fact::AbortNotified { checkpoint, task }
            if checkpoint.0 == 2 && region(&reading, "right").contains(task))
    });
    assert_eq!(told, 3, "every task that goes on hears of it");
    let sink = reading.task("right-sink");
    let commits = reading.facts().filter_map(|(_, fact)| match fact {
        Fact::TransactionCommitted { transaction, n_records } if transaction.subtask == sink => {
            Some(*n_records)
        }
        _ => None,
    });
    // Two with checkpoint 1, and what checkpoint 2 would have let out comes
    // with checkpoint 3.
    assert_eq!(commits.filter(|n| *n > 0).collect::<Vec<_>>(), [2, 7]);
}

#[test]
fn one_cut_goes_through_different_attempts() {
    let reading = Reading::of("region-failover");
    assert_eq!(reading.stored("left", 3), [4]);
    assert_eq!(reading.stored("right", 3), [9]);
    let mut view = View::start(&reading.scenario.graph);
    let mut waiting = 0;
    for step in &reading.trace.steps {
        view.apply_step(&reading.scenario.graph, step).expect("it has happened");
        if view.status == JobStatus::Restarting {
            waiting += 1;
            assert_eq!(
                view.restarting.iter().copied().collect::<Vec<_>>(),
                region(&reading, "left")
            );
        }
    }
    assert!(waiting > 0);
    let attempt = |name| view.tasks[reading.task(name).index()].attempt.0;
    assert_eq!((attempt("left-sum"), attempt("right-sum")), (2, 1));
}

/// Both regions fail before the first of them is back: each waits its own 20
/// ms, and the job runs when both are.
#[test]
fn two_regions_can_wait_at_the_same_time() {
    let crash = r#"[{ "crash": "left-sum", "at": "56 ms" }"#;
    let both =
        r#"[{ "crash": "left-sum", "at": "56 ms" }, { "crash": "right-sink", "at": "66 ms" }"#;
    let reading = Reading::changed("region-failover", &[(crash, both)]);
    let attempts = reading.times_ms(|fact| matches!(fact, Fact::AttemptStarted { .. }));
    assert_eq!(attempts, [77, 87]);
    // Right has read six when it fails at 67 ms.
    assert_eq!((n_reads(&reading, "left"), n_reads(&reading, "right")), (12, 13));
    assert_eq!(reading.n_committed(), 18);
    let failed = |attempt: u32| {
        reading
            .count(|fact| matches!(fact, Fact::JobFailed { attempt: own, .. } if own.0 == attempt))
    };
    assert_eq!(failed(1), 2, "each region was in its first attempt");
}

/// Fixed delay counts the failures of the job, whichever region they are in.
#[test]
fn when_no_restart_is_left_every_region_goes_down() {
    let crash = r#"[{ "crash": "left-sum", "at": "56 ms" }"#;
    let both =
        r#"[{ "crash": "left-sum", "at": "56 ms" }, { "crash": "right-sink", "at": "66 ms" }"#;
    let once = (r#"attempts": 3"#, r#"attempts": 1"#);
    let reading = Reading::changed("region-failover", &[(crash, both), once]);
    let last = reading.facts().find_map(|(at, fact)| match fact {
        Fact::JobFailed { restart_after: None, region, .. } => Some((at.0 / 1000, region.clone())),
        _ => None,
    });
    assert_eq!(last, Some((67, None)));
    assert_eq!(reading.count(|fact| matches!(fact, Fact::AttemptStarted { .. })), 0);
}
