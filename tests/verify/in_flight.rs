//! Records in flight that belong to a snapshot: in the lecture's job, whose
//! unaligned cut stores yellow 4 between its source and the even sum.
//!
//! Source: what must be found follows from the definition: sent before the
//! sender's cut = received before the receiver's, then the input end's, then
//! the output end's.

use checkdam::model::{ChannelEnd, CheckpointingMode, Scenario, SinkKind};
use checkdam::trace::Fact;
use checkdam::verify::{Finding, Part, Verdict, verify};

use super::story::{judge, tell};
use super::{HOLDS, VIOLATED, flaws, jobs, names, outcomes};

/// Blue 2 is processed, yellow 2 and 4 have arrived and wait when blue's
/// barrier comes; blue 4 has left its source and is overtaken there. The odd
/// ones are through.
const CUT: &str = "
    read yellow 1; read yellow 2; read yellow 3; read yellow 4
    read blue 1; read blue 2; read blue 3; read blue 4
    sum[odd] takes yellow 1; sum[odd] takes yellow 3; sum[odd] takes blue 1; sum[odd] takes blue 3
    sink[odd] takes yellow 1; sink[odd] takes yellow 3; sink[odd] takes blue 1
    sink[odd] takes blue 3
    sum[even] takes blue 2; sink[even] takes blue 2
    numbers[blue] saves 2 blue 4; numbers[blue] stores 2
    sum[even] saves 2 yellow 2; sum[even] saves 2 yellow 4; sum[even] stores 2; sum[odd] stores 2
    numbers[yellow] stores 2
    sink[even] stores 2; sink[odd] stores 2
    complete 2; notify 2";

/// They go on as if nothing had happened.
const ON: &str = "
    sum[even] takes yellow 2; sum[even] takes blue 4; sum[even] takes yellow 4
    sink[even] takes yellow 2; sink[even] takes blue 4; sink[even] takes yellow 4";

/// The rest of the job.
const END: &str = "
    read yellow 5; read yellow 6; read blue 5
    sum[even] takes yellow 6; sum[odd] takes yellow 5; sum[odd] takes blue 5
    sink[even] takes yellow 6; sink[odd] takes yellow 5; sink[odd] takes blue 5
    checkpoint 9; notify 9";

fn unaligned() -> Scenario {
    let mut scenario = jobs::lecture(SinkKind::Transactional);
    scenario.config.unaligned = true;
    scenario
}

fn judged(parts: &[&str]) -> Verdict {
    judge(&unaligned(), &parts.join("\n"))
}

/// The verdict after one fact of the story has been changed.
fn damaged(story: &str, damage: impl Fn(&mut Fact)) -> Verdict {
    let scenario = unaligned();
    let mut trace = tell(&scenario, story);
    trace.steps.iter_mut().flat_map(|step| &mut step.facts).for_each(damage);
    verify(&scenario, &trace)
}

#[test]
fn what_is_stored_in_flight_is_part_of_the_cut() {
    let verdict = judged(&[CUT]);
    assert_eq!(flaws(&verdict), [""; 0]);
    assert_eq!((verdict.cut.n_cuts, verdict.cut.n_wrong_cuts), (6, 0));
    let missing = CUT.replace("sum[even] saves 2 yellow 4;", "");
    let verdict = judged(&[&missing]);
    assert_eq!(flaws(&verdict), ["lost of 2 on numbers[yellow]->sum[even]: yellow 4"]);
    let missing = CUT.replace("sum[even] saves 2 yellow 2;", "");
    let verdict = judged(&[&missing]);
    assert_eq!(flaws(&verdict), ["lost of 2 on numbers[yellow]->sum[even]: yellow 2"]);
}

#[test]
fn the_next_cut_begins_with_what_was_in_flight() {
    let again = "
        numbers[blue] stores 3; numbers[yellow] stores 3
        sum[even] saves 3 yellow 4; sum[even] saves 3 blue 4; sum[even] stores 3; sum[odd] stores 3
        sink[even] takes yellow 2; sink[even] stores 3; sink[odd] stores 3
        complete 3
        sum[even] takes yellow 4; sum[even] takes blue 4
        sink[even] takes yellow 4; sink[even] takes blue 4";
    let end = format!("{END}; finish");
    let verdict = judged(&[CUT, "sum[even] takes yellow 2", again, &end]);
    assert_eq!(flaws(&verdict), [""; 0]);
    assert_eq!(outcomes(&verdict), [HOLDS; 3], "{verdict}");
    // Once more in flight, though it was processed after cut 2.
    let verdict = judged(&[CUT, "sum[even] saves 3 yellow 2; sum[even] takes yellow 2", again]);
    assert_eq!(
        flaws(&verdict),
        ["duplicate of 3 in flight on numbers[yellow]->sum[even]: yellow 2"]
    );
}

#[test]
fn a_record_in_flight_too_often_too_early_or_too_late_is_found() {
    let twice = CUT.replace("sum[even] stores 2", "sum[even] saves 2 yellow 4; sum[even] stores 2");
    let verdict = judged(&[&twice]);
    let expected = "duplicate of 2 in flight on numbers[yellow]->sum[even]: yellow 4";
    assert_eq!(flaws(&verdict), [expected]);
    let Finding::Channel(finding) = &verdict.cut.findings[0] else { unreachable!() };
    assert_eq!(finding.part, Some(Part::InFlight(ChannelEnd::Input)));
    assert_eq!((finding.steps.saved, finding.steps.processed), (Some(23), None));
    assert_eq!(verdict.cut.findings[0].first_wrong_step(), 23);

    let processed = CUT.replace(
        "sum[even] stores 2",
        "sum[even] takes yellow 2; sink[even] takes yellow 2; sum[even] stores 2",
    );
    let verdict = judged(&[&processed]);
    let expected = "duplicate of 2 in flight on numbers[yellow]->sum[even]: yellow 2";
    assert_eq!(flaws(&verdict), [expected]);

    let behind = CUT.replace(
        "complete 2",
        "read yellow 5; read yellow 6; sum[even] saves 2 yellow 6; complete 2",
    );
    let verdict = judged(&[&behind]);
    let expected = "orphan of 2 in flight on numbers[yellow]->sum[even]: yellow 6";
    assert_eq!(flaws(&verdict), [expected]);

    let swapped = CUT.replace(
        "sum[even] saves 2 yellow 2; sum[even] saves 2 yellow 4",
        "sum[even] saves 2 yellow 4; sum[even] saves 2 yellow 2",
    );
    let verdict = judged(&[&swapped]);
    let expected = "reordered of 2 in flight on numbers[yellow]->sum[even]: yellow 2";
    assert_eq!(flaws(&verdict), [expected]);
}

/// The receiver's end comes before the sender's.
#[test]
fn the_two_ends_are_one_sequence() {
    let both = CUT.replace("sum[even] saves 2 yellow 4", "numbers[yellow] saves 2 yellow 4");
    assert_eq!(flaws(&judged(&[&both])), [""; 0]);
    let crossed = CUT
        .replace("sum[even] saves 2 yellow 4", "numbers[yellow] saves 2 yellow 2")
        .replace("sum[even] saves 2 yellow 2", "sum[even] saves 2 yellow 4");
    let expected = "reordered of 2 in flight on numbers[yellow]->sum[even]: yellow 2";
    assert_eq!(flaws(&judged(&[&crossed])), [expected]);
}

#[test]
fn what_is_put_back_counts_once_and_is_not_sent_again() {
    let end = format!("{END}; finish");
    let verdict = judged(&[CUT, "crash sum[even]; fail; restart 2", ON, &end]);
    assert_eq!((flaws(&verdict), outcomes(&verdict)), (Vec::new(), [HOLDS; 3]), "{verdict}");
    assert_eq!((verdict.state.n_once, verdict.promise), (11, HOLDS));
    // Also from the same checkpoint once more.
    let fails = "crash sum[even]; fail; restart 2; sum[even] takes yellow 2";
    let verdict = judged(&[CUT, fails, fails, "fail; restart 2", ON, &end]);
    assert_eq!((flaws(&verdict), outcomes(&verdict)), (Vec::new(), [HOLDS; 3]), "{verdict}");
    // What is sent again, too, counts twice.
    let again = "crash sum[even]; fail; restart 2; send yellow 4";
    let verdict =
        judged(&[CUT, again, ON, "sum[even] takes yellow 4; sink[even] takes yellow 4", &end]);
    assert_eq!(names(&verdict.state.too_often), ["yellow 4"], "{verdict}");
}

#[test]
fn what_is_put_back_and_not_processed_is_in_flight_until_it_is_lost() {
    let restarted = "crash sum[even]; fail; restart 2; sum[even] takes yellow 2";
    let verdict = judged(&[CUT, restarted]);
    assert_eq!((verdict.state.n_pending, verdict.state.n_lost), (2, 0), "{verdict}");
    // A crash at the end of the trace: it will be put back.
    let verdict = judged(&[CUT, "crash sum[even]; fail"]);
    assert_eq!((verdict.state.n_pending, verdict.state.n_lost), (3, 0), "{verdict}");
    let verdict = judged(&[CUT, restarted, "sink[even] takes yellow 2; checkpoint 3; finish"]);
    let expected = [
        "lost of 3 on numbers[blue]->sum[even]: blue 4",
        "lost of 3 on numbers[yellow]->sum[even]: yellow 4",
    ];
    assert_eq!(flaws(&verdict), expected);
    let Finding::Channel(lost) = &verdict.cut.findings[1] else { unreachable!() };
    assert_eq!((lost.part, lost.steps.sent), (None, Some(4)), "in the attempt before");
    assert_eq!(names(&verdict.state.lost)[..2], ["blue 4", "blue 5"]);
}

#[test]
fn what_is_not_put_back_as_it_was_stored_is_found() {
    let story = [CUT, "crash sum[even]; fail; restart 2", ON].join("\n");
    let restored = |change: fn(&mut Vec<checkdam::model::Record>)| {
        damaged(&story, move |fact| {
            if let Fact::ChannelStateRestored { input, .. } = fact
                && input.len() == 2
            {
                change(input);
            }
        })
    };
    let channel = "by restart 2 on numbers[yellow]->sum[even]: yellow";
    assert_eq!(flaws(&restored(|_| {})), [""; 0]);
    assert_eq!(flaws(&restored(|input| input.truncate(1))), [format!("lost {channel} 4")]);
    let twice = restored(|input| input.push(input[0]));
    assert_eq!(flaws(&twice), [format!("duplicate {channel} 2")]);
    let swapped = restored(|input| input.reverse());
    assert_eq!(flaws(&swapped), [format!("reordered {channel} 2")]);
    let other = restored(|input| input[1].id.offset = 6);
    assert_eq!(flaws(&other), [format!("orphan {channel} 6"), format!("lost {channel} 4")]);
    let Finding::Restore(lost) = &other.cut.findings[1] else { unreachable!() };
    assert_eq!((lost.end, &*lost.owner.name), (ChannelEnd::Input, "sum(even)"));
    assert_eq!((lost.saved, other.cut.n_wrong_cuts), (Some(22), 0));
    assert_eq!(other.promise, VIOLATED);
}

#[test]
fn a_channel_that_is_not_put_back_at_all_is_found() {
    let scenario = unaligned();
    let mut trace = tell(&scenario, &[CUT, "crash sum[even]; fail; restart 2", ON].join("\n"));
    for step in &mut trace.steps {
        step.facts.retain(|fact| !matches!(fact, Fact::ChannelStateRestored { .. }));
    }
    let expected = [
        "lost by restart 2 on numbers[blue]->sum[even]: blue 4",
        "lost by restart 2 on numbers[yellow]->sum[even]: yellow 2",
        "lost by restart 2 on numbers[yellow]->sum[even]: yellow 4",
    ];
    assert_eq!(flaws(&verify(&scenario, &trace)), expected);
}

/// The lecture without alignment is what at-least-once allows.
#[test]
fn at_least_once_allows_orphans_and_that_they_count_twice() {
    let mut scenario = jobs::lecture(SinkKind::Transactional);
    let story = "
        read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1
        numbers[blue] stores 2; numbers[yellow] stores 2; read blue 2
        sum[even] takes blue 2; sum[even] stores 2; sum[odd] stores 2
        sink[even] takes blue 2; sink[even] stores 2; sink[odd] stores 2
        complete 2; notify 2; crash sum[even]; fail; restart 2
        read blue 2; sum[even] takes blue 2; sink[even] takes blue 2; checkpoint 3; notify 3";
    let verdict = judge(&scenario, story);
    assert_eq!((verdict.promise, outcomes(&verdict)), (VIOLATED, [VIOLATED; 3]));
    scenario.config.mode = CheckpointingMode::AtLeastOnce;
    let verdict = judge(&scenario, story);
    assert_eq!((verdict.promise, outcomes(&verdict)), (HOLDS, [VIOLATED; 3]), "{verdict}");
    assert_eq!((verdict.cut.n_findings, verdict.cut.n_orphans), (1, 1));
    assert_eq!(names(&verdict.state.too_often), ["blue 2"]);
    assert_eq!(names(&verdict.output.too_often), ["blue 2"]);
    assert_eq!((verdict.state.n_lost, verdict.output.n_lost), (0, 0));
}

#[test]
fn at_least_once_does_not_allow_a_loss() {
    let mut scenario = jobs::lecture(SinkKind::Publish);
    scenario.config.mode = CheckpointingMode::AtLeastOnce;
    let cut = "
        read blue 1; numbers[blue] stores 2; numbers[yellow] stores 2
        sum[odd] stores 2; sum[even] stores 2; sum[odd] takes blue 1; sink[odd] takes blue 1
        sink[even] stores 2; sink[odd] stores 2; complete 2";
    let verdict = judge(&scenario, cut);
    assert_eq!((verdict.promise, outcomes(&verdict)), (VIOLATED, [VIOLATED, HOLDS, HOLDS]));
    let verdict = judge(&scenario, "checkpoint 1; read blue 1; finish");
    assert_eq!((verdict.promise, verdict.state.n_lost), (VIOLATED, 11), "it was all to be read");
}
