//! The lecture's walkthrough, its crashes and its two counterexamples.
//!
//! Source: the lecture's two-source example; what each variant must give
//! follows by arithmetic from its definition.

use checkdam::model::{OperatorIndex, SinkKind, SplitIndex};
use checkdam::verify::{Finding, LedgerRow, Restore};

use super::story::judge;
use super::{CANNOT_TELL, HOLDS, VIOLATED, flaws, jobs, names, outcomes};

/// Everything up to the barriers' arrival at the sums.
const UP_TO_ALIGNMENT: &str = "
    checkpoint 1
    read yellow 1; read yellow 2; read blue 1; read blue 2; read yellow 3; read blue 3
    sum[odd] takes yellow 1; sum[odd] takes blue 1; sum[odd] takes yellow 3
    sum[even] takes yellow 2
    sink[odd] takes yellow 1; sink[odd] takes blue 1; sink[even] takes yellow 2
    read yellow 4
    numbers[blue] stores 2; numbers[yellow] stores 2
    sum[even] takes blue 2; sum[odd] takes blue 3
    sink[odd] takes yellow 3
    read blue 4; read yellow 5";

/// Held back until both barriers are there, as it should be.
const ALIGNED: &str = "
    sum[even] takes yellow 4
    sum[even] stores 2; sum[odd] stores 2
    sum[even] takes blue 4; sum[odd] takes yellow 5
    sink[even] takes blue 2; sink[even] takes yellow 4; sink[odd] takes blue 3
    sink[even] stores 2; sink[odd] stores 2";

/// What lies behind the first barrier is processed before the second one
/// comes.
const NOT_ALIGNED: &str = "
    sum[even] takes blue 4; sum[odd] takes yellow 5
    sum[even] takes yellow 4
    sum[even] stores 2; sum[odd] stores 2
    sink[even] takes blue 2; sink[even] takes blue 4; sink[even] takes yellow 4
    sink[odd] takes blue 3; sink[odd] takes yellow 5
    sink[even] stores 2; sink[odd] stores 2";

/// The state is stored at the first barrier; yellow 4 comes after.
const AT_FIRST_BARRIER: &str = "
    sum[even] stores 2; sum[odd] stores 2
    sum[even] takes yellow 4; sum[even] takes blue 4; sum[odd] takes yellow 5
    sink[even] takes blue 2; sink[odd] takes blue 3
    sink[even] stores 2; sink[odd] stores 2
    sink[even] takes yellow 4";

const TO_THE_END: &str = "
    read yellow 6; read blue 5
    sum[even] takes yellow 6; sum[odd] takes blue 5
    sink[even] takes blue 4; sink[even] takes yellow 6
    sink[odd] takes yellow 5; sink[odd] takes blue 5
    checkpoint 3; notify 3; finish";

/// Blue 12 and yellow 13 are written when sum(even) crashes.
const CRASH: &str = "
    sink[even] takes blue 4; sink[odd] takes yellow 5
    crash sum[even]; fail";

/// From offsets 3 and 4 to the end.
const AGAIN_FROM_2: &str = "
    read blue 4; read blue 5; read yellow 5; read yellow 6
    sum[even] takes yellow 6; sum[even] takes blue 4
    sum[odd] takes yellow 5; sum[odd] takes blue 5
    sink[even] takes yellow 6; sink[even] takes blue 4
    sink[odd] takes yellow 5; sink[odd] takes blue 5
    checkpoint 3; notify 3; finish";

const AGAIN_FROM_1: &str = "
    read blue 1; read blue 2; read blue 3; read yellow 1; read yellow 2; read yellow 3; read yellow 4
    sum[odd] takes blue 1; sum[even] takes blue 2; sum[odd] takes blue 3
    sum[odd] takes yellow 1; sum[even] takes yellow 2; sum[odd] takes yellow 3
    sum[even] takes yellow 4
    sink[odd] takes blue 1; sink[even] takes blue 2; sink[odd] takes blue 3
    sink[odd] takes yellow 1; sink[even] takes yellow 2; sink[odd] takes yellow 3
    sink[even] takes yellow 4";

#[test]
fn the_lecture_as_it_is_holds_in_cut_state_and_output() {
    let story = [UP_TO_ALIGNMENT, ALIGNED, "complete 2; notify 2", TO_THE_END].join("\n");
    for sink in [SinkKind::Publish, SinkKind::Transactional, SinkKind::Idempotent] {
        let verdict = judge(&jobs::lecture(sink), &story);
        assert_eq!(outcomes(&verdict), [HOLDS; 3], "{sink:?}\n{verdict}");
        assert_eq!((verdict.state.n_once, verdict.state.n), (11, 11));
        assert_eq!((verdict.output.n_once, verdict.output.n), (11, 11));
        assert_eq!((verdict.cut.n_checkpoints, verdict.cut.n_cuts), (3, 3 * 6));
        assert_eq!(verdict.cannot_tell, []);
        assert_eq!(verdict.promise, HOLDS);
    }
}

#[test]
fn the_ledger_has_a_line_for_each_record() {
    let story = [UP_TO_ALIGNMENT, ALIGNED, "complete 2; notify 2", TO_THE_END].join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Publish), &story);
    let rows: Vec<LedgerRow> = verdict.ledger.rows().collect();
    assert_eq!(rows.len(), 11);
    for row in &rows {
        assert_eq!((row.read, &*row.counted), (1, &[(OperatorIndex(1), 1, 1)][..]), "{row:?}");
        assert_eq!(row.published, [(OperatorIndex(2), 1, 1)], "{row:?}");
    }
    assert_eq!((rows[5].split, rows[5].offset), (SplitIndex(1), 1));
}

/// No failure is needed: the cut shows it first.
#[test]
fn without_alignment_the_cut_has_two_orphans() {
    let story = [UP_TO_ALIGNMENT, NOT_ALIGNED, "complete 2"].join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Publish), &story);
    let expected = [
        "orphan of 2 on numbers[blue]->sum[even]: blue 4",
        "orphan of 2 on numbers[yellow]->sum[odd]: yellow 5",
    ];
    assert_eq!(flaws(&verdict), expected);
    assert_eq!(outcomes(&verdict), [VIOLATED, HOLDS, HOLDS]);
}

/// The stored sums 12 and 13 hold blue 4 and yellow 5, the offsets 3 and 4 do
/// not: after the restart the sums end at 22 and 23.
#[test]
fn without_alignment_two_records_count_twice_after_a_crash() {
    let story = [
        UP_TO_ALIGNMENT,
        NOT_ALIGNED,
        "complete 2; crash sum[even]; fail; restart 2",
        AGAIN_FROM_2,
    ]
    .join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Transactional), &story);
    assert_eq!(outcomes(&verdict), [VIOLATED; 3]);
    assert_eq!(names(&verdict.state.too_often), ["blue 4", "yellow 5"]);
    assert_eq!(names(&verdict.state.lost), [""; 0]);
    assert_eq!((verdict.state.n_once, verdict.state.n), (9, 11));
    assert_eq!(names(&verdict.output.too_often), ["blue 4", "yellow 5"]);
    let blue = &verdict.state.too_often[0];
    assert_eq!((blue.operator.name.as_str(), blue.n, blue.expected), ("sum", 2, 1));
    assert!(blue.sightings.iter().all(|sighting| sighting.task.name == "sum(even)"));
    assert_eq!(verdict.ledger.row(SplitIndex(0), 4).counted, [(OperatorIndex(1), 2, 1)]);
    assert_eq!(verdict.ledger.row(SplitIndex(0), 3).counted, [(OperatorIndex(1), 1, 1)]);
}

/// The steps that the explanation needs, by the numbers of the story's lines.
#[test]
fn a_finding_names_the_steps_that_made_it() {
    let story = "
        read blue 2
        numbers[blue] stores 2
        numbers[yellow] stores 2
        read blue 4
        sum[even] takes blue 2
        sum[even] takes blue 4
        sum[even] stores 2
        sum[odd] stores 2
        sink[even] takes blue 2
        sink[even] takes blue 4
        sink[even] stores 2
        sink[odd] stores 2
        complete 2
        crash sum[even]
        fail
        restart 2
        read blue 4
        sum[even] takes blue 4";
    let verdict = judge(&jobs::lecture(SinkKind::Publish), story);
    let Finding::Channel(finding) = &verdict.cut.findings[0] else { panic!("{verdict}") };
    let steps = finding.steps;
    assert_eq!((steps.sent, steps.processed), (Some(4), Some(6)));
    assert_eq!((steps.sender_cut, steps.receiver_cut), (Some(2), Some(7)));
    assert_eq!((steps.completed, verdict.cut.findings[0].first_wrong_step()), (13, 6));
    assert_eq!(finding.source_offset, Some(2));
    assert_eq!((&*finding.sender.name, &*finding.receiver.name), ("numbers(blue)", "sum(even)"));
    let twice = &verdict.state.too_often[0];
    let seen: Vec<u64> = twice.sightings.iter().map(|sighting| sighting.step).collect();
    assert_eq!(seen, [6, 18]);
    assert_eq!(twice.to_string(), "blue 4 counts twice in sum(even) (step 6, 18)");
    let (attempt, checkpoint) = (checkdam::model::Attempt(2), checkdam::model::CheckpointId(2));
    assert_eq!(verdict.restores, [Restore { step: 16, attempt, checkpoint: Some(checkpoint) }]);
}

/// Yellow 4 lies before the stored offset 4 and is not in the stored sum 4:
/// after the restart the sums end at 14 and 18.
#[test]
fn a_snapshot_at_the_first_barrier_loses_a_record() {
    let story = [UP_TO_ALIGNMENT, AT_FIRST_BARRIER, "complete 2"].join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Publish), &story);
    assert_eq!(flaws(&verdict), ["lost of 2 on numbers[yellow]->sum[even]: yellow 4"]);
    assert_eq!(outcomes(&verdict)[..2], [VIOLATED, HOLDS]);

    let story = [&*story, "crash sum[even]; fail; restart 2", AGAIN_FROM_2].join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Transactional), &story);
    assert_eq!(outcomes(&verdict), [VIOLATED, VIOLATED, CANNOT_TELL]);
    assert_eq!(names(&verdict.state.lost), ["yellow 4"]);
    assert_eq!(names(&verdict.state.too_often), [""; 0]);
    assert_eq!((verdict.state.n_once, verdict.state.n), (10, 11));
    assert_eq!(verdict.ledger.row(SplitIndex(1), 4).counted, [(OperatorIndex(1), 0, 1)]);
}

#[test]
fn after_checkpoint_2_only_what_blue_4_and_yellow_5_caused_is_published_twice() {
    let story =
        [UP_TO_ALIGNMENT, ALIGNED, "complete 2; notify 2", CRASH, "restart 2", AGAIN_FROM_2]
            .join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Publish), &story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    assert_eq!(names(&verdict.output.too_often), ["blue 4", "yellow 5"]);
    assert_eq!((verdict.output.n_once, verdict.output.n), (9, 11));
    assert_eq!((verdict.state.n_once, verdict.state.n), (11, 11));
    assert_eq!(verdict.promise, HOLDS, "publishing at once promises at-least-once");
    assert_eq!(verdict.ledger.row(SplitIndex(0), 4).published, [(OperatorIndex(2), 2, 1)]);

    let verdict = judge(&jobs::lecture(SinkKind::Transactional), &story);
    assert_eq!(outcomes(&verdict), [HOLDS; 3], "{verdict}");
    assert_eq!((verdict.output.n_once, verdict.output.n), (11, 11));
}

#[test]
fn before_checkpoint_2_is_complete_everything_written_is_written_again() {
    let story = [
        UP_TO_ALIGNMENT,
        ALIGNED,
        "crash sum[even]; fail; abort 2; restart 1",
        AGAIN_FROM_1,
        AGAIN_FROM_2,
    ]
    .join("\n");
    let verdict = judge(&jobs::lecture(SinkKind::Publish), &story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    let written = ["yellow 2", "blue 2", "yellow 4", "yellow 1", "blue 1", "yellow 3", "blue 3"];
    let mut expected = written.to_vec();
    expected.sort_unstable();
    assert_eq!(names(&verdict.output.too_often), expected);

    let verdict = judge(&jobs::lecture(SinkKind::Transactional), &story);
    assert_eq!(outcomes(&verdict), [HOLDS; 3], "{verdict}");
}

#[test]
fn without_any_checkpoint_a_restart_begins_at_the_beginning() {
    let story = "
        read blue 1; read blue 2; sum[odd] takes blue 1; sink[odd] takes blue 1
        crash sum[odd]; fail; restart
        read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1
        read blue 2; sum[even] takes blue 2; sink[even] takes blue 2";
    let verdict = judge(&jobs::lecture(SinkKind::Publish), story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, VIOLATED]);
    assert_eq!((verdict.state.n_once, verdict.state.n), (2, 2));
    assert_eq!(names(&verdict.output.too_often), ["blue 1"]);
}
