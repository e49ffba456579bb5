//! The source's part of the cut, and sources that cannot read anything twice.

use checkdam::model::SinkKind;
use checkdam::verify::{CannotTell, Finding, Flaw, SourceFinding, Verdict};

use super::story::{judge, tell};
use super::{CANNOT_TELL, HOLDS, VIOLATED, jobs, names, outcomes};

fn source_flaws(verdict: &Verdict) -> Vec<(Flaw, u64, &str, u32, u32)> {
    let flaw = |finding| match finding {
        &Finding::Source(SourceFinding { flaw, checkpoint, ref split, first, last, .. }) => {
            Some((flaw, checkpoint.0, split.name.as_str(), first, last))
        }
        _ => None,
    };
    verdict.cut.findings.iter().filter_map(flaw).collect()
}

const OTHERS_STORE_2: &str = "
    numbers[yellow] stores 2; sum[even] stores 2; sum[odd] stores 2
    sink[even] stores 2; sink[odd] stores 2; complete 2";

fn blue_1_and(stores: &str) -> Verdict {
    let story = [
        "read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1",
        stores,
        OTHERS_STORE_2,
        "crash sum[odd]; fail; restart 2",
    ]
    .join("\n");
    judge(&jobs::lecture(SinkKind::Publish), &story)
}

#[test]
fn a_stored_offset_that_does_not_cover_what_was_sent_makes_an_orphan() {
    let verdict = blue_1_and("numbers[blue] stores 2 at 0");
    assert_eq!(source_flaws(&verdict), [(Flaw::Orphan, 2, "blue", 1, 1)]);
}

#[test]
fn a_stored_offset_that_covers_more_than_was_sent_loses_records() {
    let verdict = blue_1_and("numbers[blue] stores 2 at 4");
    assert_eq!(source_flaws(&verdict), [(Flaw::Lost, 2, "blue", 2, 4)]);
    assert_eq!(outcomes(&verdict)[1], VIOLATED);
    assert_eq!(names(&verdict.state.lost), ["blue 2", "blue 3", "blue 4"]);
}

#[test]
fn a_stored_offset_of_just_what_was_sent_is_right() {
    assert_eq!(outcomes(&blue_1_and("numbers[blue] stores 2")), [HOLDS; 3]);
}

#[test]
fn a_record_that_is_read_and_not_sent_before_the_snapshot_is_lost() {
    let verdict = blue_1_and("read blue 2 unsent; numbers[blue] stores 2");
    assert_eq!(source_flaws(&verdict), [(Flaw::Lost, 2, "blue", 2, 2)]);
    assert_eq!(names(&verdict.state.lost), ["blue 2"]);
}

#[test]
fn a_record_that_is_sent_and_was_not_read_is_an_orphan() {
    let verdict = blue_1_and("send blue 3; sum[odd] takes blue 3; numbers[blue] stores 2");
    assert_eq!(source_flaws(&verdict), [(Flaw::Orphan, 2, "blue", 3, 3)]);
}

/// Blue has read 3 when the job fails; the checkpoint holds 1, and the source
/// goes on at 4.
#[test]
fn a_source_that_cannot_rewind_loses_what_it_had_read_since_the_checkpoint() {
    let story = "
        read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1
        checkpoint 1
        read blue 2; read blue 3; sum[even] takes blue 2; sink[even] takes blue 2
        crash sum[odd]; fail; restart 1 at blue 3
        read blue 4; sum[even] takes blue 4; sink[even] takes blue 4";
    let verdict = judge(&jobs::lecture_from_sockets(SinkKind::Publish), story);
    assert_eq!(verdict.cut.outcome(), HOLDS);
    assert_eq!(verdict.state.outcome, VIOLATED);
    assert_eq!(names(&verdict.state.lost), ["blue 2", "blue 3"]);
    let read_at: Vec<u64> = verdict.state.lost[0].sightings.iter().map(|s| s.step).collect();
    assert_eq!(read_at, [5], "checkpoint 1 is one line");
    assert_eq!((verdict.state.n_once, verdict.state.n), (2, 4));

    // It is known as soon as the source is back where it was.
    let story = story.split("read blue 4").next().expect("a beginning");
    let verdict = judge(&jobs::lecture_from_sockets(SinkKind::Publish), story);
    assert_eq!(names(&verdict.state.lost), ["blue 2", "blue 3"]);
}

#[test]
fn a_source_that_cannot_rewind_loses_nothing_without_a_failure() {
    let story = "
        read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1
        checkpoint 1
        read blue 2; sum[even] takes blue 2; sink[even] takes blue 2";
    let verdict = judge(&jobs::lecture_from_sockets(SinkKind::Publish), story);
    assert_eq!(outcomes(&verdict), [HOLDS; 3]);
}

#[test]
fn a_finished_job_has_read_everything() {
    let verdict = judge(&jobs::lecture(SinkKind::Publish), "finish");
    assert_eq!((verdict.state.n_lost, verdict.state.n_once), (11, 0));
    assert_eq!(verdict.state.outcome, VIOLATED);
}

/// The judge knows what the splits hold.
#[test]
fn a_source_that_reads_something_else_than_its_split_holds_is_noticed() {
    let scenario = jobs::lecture(SinkKind::Publish);
    let mut trace = tell(&scenario, "read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1");
    for fact in &mut trace.steps[0].facts {
        if let checkdam::trace::Fact::Read { record, .. } = fact {
            record.value = checkdam::model::Value::Number(7);
        }
    }
    let verdict = checkdam::verify::verify(&scenario, &trace);
    assert!(matches!(verdict.cannot_tell[0], CannotTell::Contradiction { step: 1, .. }));
    assert_eq!(verdict.state.outcome, CANNOT_TELL);
}
