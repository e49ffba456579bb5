//! Channels that do not deliver what was sent, and cuts of several checkpoints
//! at once.

use checkdam::model::SinkKind;
use checkdam::verify::Finding;

use super::story::judge;
use super::{HOLDS, VIOLATED, flaws, jobs, names, outcomes};

const STORE_2: &str = "
    sum[even] stores 2; sum[odd] stores 2
    sink[even] stores 2; sink[odd] stores 2; complete 2";

fn judge_lecture(parts: &[&str]) -> checkdam::verify::Verdict {
    judge(&jobs::lecture(SinkKind::Publish), &parts.join("\n"))
}

/// The even ones go their way; the odd ones are on theirs.
const FIVE_READ: &str = "
    read blue 1; read blue 2; read blue 3; read blue 4; read blue 5
    sum[even] takes blue 2; sum[even] takes blue 4
    sink[even] takes blue 2; sink[even] takes blue 4
    numbers[blue] stores 2 at 5; numbers[yellow] stores 2";

#[test]
fn a_record_that_is_delivered_twice_is_a_duplicate_and_counts_twice() {
    let story = "
        sum[odd] takes blue 1; sum[odd] takes blue 3; sum[odd] takes blue 3 again
        sum[odd] takes blue 5
        sink[odd] takes blue 1; sink[odd] takes blue 3; sink[odd] takes blue 3
        sink[odd] takes blue 5";
    let verdict = judge_lecture(&[FIVE_READ, story, STORE_2]);
    assert_eq!(flaws(&verdict), ["duplicate of 2 on numbers[blue]->sum[odd]: blue 3"]);
    assert_eq!(names(&verdict.state.too_often), ["blue 3"]);
    assert_eq!(names(&verdict.output.too_often), ["blue 3"]);
}

#[test]
fn a_record_that_is_overtaken_is_reordered_and_still_counts_once() {
    let story = "
        sum[odd] takes blue 1; sum[odd] takes blue 5; sum[odd] takes blue 3
        sink[odd] takes blue 1; sink[odd] takes blue 5; sink[odd] takes blue 3";
    let verdict = judge_lecture(&[FIVE_READ, story, STORE_2]);
    assert_eq!(flaws(&verdict), ["reordered of 2 on numbers[blue]->sum[odd]: blue 3"]);
    assert_eq!(verdict.state.too_often, []);
    assert_eq!((verdict.state.n_once, verdict.state.n), (5, 5));
}

#[test]
fn a_record_in_hand_is_not_processed() {
    let story = "
        sum[odd] takes blue 1; sum[odd] takes blue 3; sum[odd] starts blue 5
        sink[odd] takes blue 1; sink[odd] takes blue 3";
    let verdict = judge_lecture(&[FIVE_READ, story, STORE_2]);
    assert_eq!(flaws(&verdict), ["lost of 2 on numbers[blue]->sum[odd]: blue 5"]);
}

/// Each deviation is reported with the first checkpoint that shows it, and the
/// next cut does not count it again.
#[test]
fn later_cuts_do_not_repeat_a_finding() {
    let story = "
        sum[odd] takes blue 1; sum[odd] takes blue 3; sum[odd] takes blue 3 again
        sink[odd] takes blue 1; sink[odd] takes blue 3; sink[odd] takes blue 3";
    let again = STORE_2.replace('2', "3");
    let later = [
        "read yellow 1; numbers[blue] stores 3 at 5; numbers[yellow] stores 3",
        "sum[odd] takes blue 5; sum[odd] takes yellow 1",
        "sink[odd] takes blue 5; sink[odd] takes yellow 1",
        &again,
    ]
    .join("\n");
    let verdict = judge_lecture(&[FIVE_READ, story, STORE_2, &later]);
    let expected = [
        "duplicate of 2 on numbers[blue]->sum[odd]: blue 3",
        "lost of 2 on numbers[blue]->sum[odd]: blue 5",
    ];
    assert_eq!(flaws(&verdict), expected);
    let Finding::Channel(lost) = &verdict.cut.findings[1] else { unreachable!() };
    assert_eq!(lost.steps.processed, None, "it had not come when checkpoint 2 was complete");
}

/// A delivery that is repeated behind the cut that covered it the first time.
#[test]
fn a_duplicate_across_a_cut_is_a_duplicate_and_no_orphan() {
    let story = "
        sum[odd] takes blue 1; sum[odd] takes blue 3; sum[odd] takes blue 5
        sink[odd] takes blue 1; sink[odd] takes blue 3; sink[odd] takes blue 5";
    let again = STORE_2.replace('2', "3");
    let later = [
        "sum[odd] takes blue 3 again; sink[odd] takes blue 3",
        "numbers[blue] stores 3 at 5; numbers[yellow] stores 3",
        &again,
    ]
    .join("\n");
    let verdict = judge_lecture(&[FIVE_READ, story, STORE_2, &later]);
    assert_eq!(flaws(&verdict), ["duplicate of 3 on numbers[blue]->sum[odd]: blue 3"]);
}

/// Barriers 2 and 3 are both under way: each record is on the right side of
/// both.
#[test]
fn several_checkpoints_in_flight_are_told_apart() {
    let story = "
        read blue 1; numbers[blue] stores 2; numbers[yellow] stores 2
        read blue 2; read blue 3; numbers[blue] stores 3; numbers[yellow] stores 3
        read blue 4
        sum[odd] takes blue 1; sum[odd] stores 2; sum[even] stores 2
        sum[even] takes blue 2; sum[odd] takes blue 3; sum[even] stores 3; sum[odd] stores 3
        sum[even] takes blue 4
        sink[odd] takes blue 1; sink[odd] stores 2; sink[even] stores 2
        complete 2
        sink[odd] takes blue 3; sink[even] takes blue 2; sink[even] stores 3; sink[odd] stores 3
        sink[even] takes blue 4
        complete 3";
    assert_eq!(outcomes(&judge_lecture(&[story])), [HOLDS; 3]);

    // Now blue 3 is taken before barrier 2, and blue 4 before barrier 3.
    let early = story
        .replace("sum[odd] stores 2; sum[even] stores 2", "sum[even] stores 2")
        .replace(
            "sum[odd] takes blue 3; sum[even] stores 3; sum[odd] stores 3",
            "
            sum[odd] takes blue 3; sum[odd] stores 2
            sum[even] takes blue 4; sum[even] stores 3; sum[odd] stores 3",
        )
        .replace("sum[odd] stores 3\n        sum[even] takes blue 4", "sum[odd] stores 3");
    let verdict = judge_lecture(&[&early]);
    let expected = [
        "orphan of 2 on numbers[blue]->sum[odd]: blue 3",
        "lost of 2 on sum[odd]->sink[odd]: blue 3",
        "orphan of 3 on numbers[blue]->sum[even]: blue 4",
        "lost of 3 on sum[even]->sink[even]: blue 4",
    ];
    assert_eq!(flaws(&verdict), expected);
}

/// An aborted checkpoint proves nothing: only completed ones are judged.
#[test]
fn the_cut_of_an_aborted_checkpoint_is_not_judged() {
    let story = "
        read blue 1; numbers[blue] stores 2; numbers[yellow] stores 2
        read blue 3; sum[odd] takes blue 1; sum[odd] takes blue 3
        sum[odd] stores 2; sum[even] stores 2
        abort 2
        sink[odd] takes blue 1; sink[odd] takes blue 3
        checkpoint 3";
    let verdict = judge_lecture(&[story]);
    assert_eq!((outcomes(&verdict)[0], verdict.cut.n_checkpoints), (HOLDS, 1));
}

#[test]
fn a_checkpoint_without_the_part_of_a_task_is_not_complete() {
    let story = "
        read blue 1; numbers[blue] stores 2; numbers[yellow] stores 2
        sum[odd] takes blue 1; sum[odd] stores 2
        sink[even] stores 2; sink[odd] stores 2; complete 2";
    let verdict = judge_lecture(&[story]);
    let texts: Vec<String> = verdict.cut.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts[0],
        "checkpoint 2 is declared complete at step 8, but sum(even) stored nothing for it"
    );
    assert_eq!(verdict.cut.outcome(), VIOLATED);
}

/// Records that are lost before they come to anything that keeps state leave
/// no trace there: the loss must be seen where it happens.
#[test]
fn a_record_that_is_lost_at_a_map_is_lost() {
    let story = "
        read blue 1; read yellow 1
        numbers[blue] stores 1; numbers[yellow] stores 1
        map takes blue 1; map stores 1
        sum takes blue 1; sum stores 1
        sink takes blue 1; sink stores 1; complete 1
        crash map; fail; restart 1
        read blue 2; read blue 3; read yellow 2; read yellow 3
        map takes blue 2; map takes blue 3; map takes yellow 2; map takes yellow 3
        sum takes blue 2; sum takes blue 3; sum takes yellow 2; sum takes yellow 3
        sink takes blue 2; sink takes blue 3; sink takes yellow 2; sink takes yellow 3
        finish";
    let verdict = judge(&jobs::with_maps(), story);
    assert_eq!(flaws(&verdict), ["lost of 1 on numbers[yellow]->map: yellow 1"]);
    assert_eq!(names(&verdict.state.lost), ["yellow 1"]);
    assert_eq!(verdict.state.lost[0].operator.name, "map");
    assert_eq!((verdict.state.n_once, verdict.state.n), (5, 6));
}

/// A record that counts on two ways, twice on the one and never on the other,
/// has the right number of counts and is wrong all the same.
#[test]
fn ways_are_counted_one_by_one() {
    let both = "
        read blue 1; read blue 2
        copy[0] takes blue 1; copy[0] takes blue 2; copy[1] takes blue 1; copy[1] takes blue 2
        sum takes blue 1; sum takes blue 1; sum takes blue 2; sum takes blue 2
        count takes blue 1; count takes blue 1; count takes blue 2; count takes blue 2
        sink takes blue 1; sink takes blue 1; sink takes blue 1; sink takes blue 1
        sink takes blue 2; sink takes blue 2; sink takes blue 2; sink takes blue 2
        finish";
    let verdict = judge(&jobs::branching(), both);
    assert_eq!(outcomes(&verdict), [HOLDS; 3], "{verdict}");
    assert_eq!((verdict.state.n_once, verdict.output.n_once), (2, 8));
    let row = verdict.ledger.rows().next().expect("a row");
    assert_eq!(row.counted.iter().map(|(_, n, of)| (*n, *of)).collect::<Vec<_>>(), [(2, 2); 2]);

    let swapped = both.replacen(
        "sum takes blue 1; sum takes blue 1",
        "
        sum takes blue 1; sum takes blue 1 again",
        1,
    );
    let verdict = judge(&jobs::branching(), &swapped);
    assert_eq!(names(&verdict.state.too_often), ["blue 1 by way 1.1"]);
    assert_eq!(names(&verdict.state.lost), ["blue 1 by way 2.1"]);
    assert_eq!((verdict.state.n_once, verdict.state.n), (1, 2));
}
