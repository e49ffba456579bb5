//! What sinks publish, and when it is too much, too little or too early to
//! say.

use checkdam::model::{OperatorIndex, SinkKind, SplitIndex};
use checkdam::verify::Verdict;

use super::story::judge;
use super::{CANNOT_TELL, HOLDS, VIOLATED, jobs, names, outcomes};

fn transactional(story: &str) -> Verdict {
    judge(&jobs::lecture(SinkKind::Transactional), story)
}

const ONE: &str = "read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1";

#[test]
fn what_is_in_a_transaction_is_pending_until_it_is_committed() {
    let story = [ONE, "checkpoint 1"].join("\n");
    let verdict = transactional(&story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, CANNOT_TELL]);
    assert_eq!((verdict.output.n_pending, verdict.output.n), (1, 1));
    assert_eq!(outcomes(&transactional(&[&*story, "notify 1"].join("\n"))), [HOLDS; 3]);
}

/// Complete, not yet notified, and then a crash: recovery commits it.
#[test]
fn a_crash_between_complete_and_notified_loses_nothing() {
    let story = [ONE, "checkpoint 1; crash sink[odd]; fail; restart 1"].join("\n");
    assert_eq!(outcomes(&transactional(&story)), [HOLDS; 3]);
}

#[test]
fn a_prepared_transaction_that_is_dropped_is_a_lost_publication() {
    let story = [ONE, "checkpoint 1; drop sink[odd] 1.1; crash sink[odd]; fail; restart 1"];
    let verdict = transactional(&story.join("\n"));
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    assert_eq!(names(&verdict.output.lost), ["blue 1"]);
    assert_eq!(verdict.promise, VIOLATED);
}

#[test]
fn a_transaction_that_is_committed_twice_publishes_twice() {
    let story = [ONE, "checkpoint 1; notify 1; commit sink[odd] 1.1"].join("\n");
    let verdict = transactional(&story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    assert_eq!(names(&verdict.output.too_often), ["blue 1"]);
    assert_eq!(verdict.promise, VIOLATED);
}

/// Committed before the checkpoint is complete; then the checkpoint fails.
#[test]
fn an_early_commit_publishes_twice_after_a_crash() {
    let story = [
        ONE,
        "numbers[blue] stores 1; numbers[yellow] stores 1; sum[even] stores 1; sum[odd] stores 1",
        "sink[odd] stores 1; commit sink[odd] 1.1",
        "crash sum[odd]; fail; abort 1; restart",
    ]
    .join("\n");
    let verdict = transactional(&story);
    assert_eq!(verdict.output.outcome, CANNOT_TELL, "it may come again, and has not yet");
    let again = [&*story, ONE, "checkpoint 2; notify 2"].join("\n");
    let verdict = transactional(&again);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    assert_eq!(names(&verdict.output.too_often), ["blue 1"]);
}

/// The job ends and the last transaction was never committed.
#[test]
fn what_a_finished_job_never_committed_is_lost() {
    let reads = "
        read blue 1; read blue 2; read blue 3; read blue 4; read blue 5; read yellow 1
        read yellow 2; read yellow 3; read yellow 4; read yellow 5; read yellow 6";
    let takes = reads.replace("read", "TASK takes");
    let odd = |line: &str| line.ends_with(['1', '3', '5']);
    let of = |operator: &str| {
        let lines = takes.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty());
        let name = |line: &str| {
            let key = if odd(line) { "odd" } else { "even" };
            line.replace("TASK", &format!("{operator}[{key}]"))
        };
        lines.map(name).collect::<Vec<_>>().join("\n")
    };
    let story = [reads, &of("sum"), &of("sink"), "finish"].join("\n");
    let verdict = transactional(&story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    assert_eq!((verdict.output.n_lost, verdict.output.n), (11, 11));
    let verdict = judge(&jobs::lecture(SinkKind::Publish), &story);
    assert_eq!(outcomes(&verdict), [HOLDS; 3]);
}

fn idempotent(story: &str) -> Verdict {
    judge(&jobs::lecture(SinkKind::Idempotent), story)
}

/// Key odd is written by blue 1, yellow 1, and after the crash by both again.
#[test]
fn writing_again_under_the_same_key_is_no_duplicate() {
    let one = "
        read blue 1; read yellow 1; sum[odd] takes blue 1; sum[odd] takes yellow 1
        sink[odd] takes blue 1; sink[odd] takes yellow 1";
    let verdict = idempotent(&[one, "crash sum[odd]; fail; restart", one].join("\n"));
    assert_eq!(verdict.output.outcome, HOLDS, "{verdict}");
    assert_eq!(names(&verdict.output.overwritten), ["blue 1", "yellow 1"]);
    assert_eq!((verdict.output.n_once, verdict.output.n), (2, 2));
    let row = verdict.ledger.row(SplitIndex(0), 1);
    assert_eq!(row.published, [(OperatorIndex(2), 2, 1)]);
}

/// After the restart nothing overwrites what the dead attempt wrote last.
#[test]
fn what_a_dead_attempt_wrote_last_under_a_key_is_stale() {
    let story = "
        read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1
        checkpoint 1
        read yellow 1; sum[odd] takes yellow 1; sink[odd] takes yellow 1
        crash sum[odd]; fail; restart 1";
    let verdict = idempotent(story);
    assert_eq!(verdict.output.outcome, CANNOT_TELL, "it can still be overwritten");
    let again = "read yellow 1; sum[odd] takes yellow 1; sink[odd] takes yellow 1";
    assert_eq!(idempotent(&[story, again].join("\n")).output.outcome, HOLDS);

    let verdict = idempotent(&[story, "finish"].join("\n"));
    assert_eq!(verdict.output.outcome, VIOLATED);
    let stale = &verdict.output.stale[0];
    assert_eq!((stale.key.as_deref(), &*stale.record.name), (Some("odd"), "yellow 1"));
    assert_eq!(verdict.promise, VIOLATED);
}
