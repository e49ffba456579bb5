//! What the lecture's job does after a crash, right and with a rule broken:
//! the numbers of the lecture's page, by arithmetic.

use checkdam::model::{CheckpointId, ExecutionGraph};
use checkdam::trace::Trace;
use checkdam::verify::{Finding, Flaw, Miscount, Outcome, Verdict, verify};

use super::lecture::cell;

/// What must come out of a variant of the lecture.
struct Story {
    name: &'static str,
    /// The sums at the end.
    sums: [&'static str; 2],
    /// The checkpoint that the second attempt starts from.
    restored: u64,
    /// Records whose results were published more than once.
    published_twice: &'static [&'static str],
    /// Records that are counted twice in the state.
    counted_twice: &'static [&'static str],
    /// Records that are in no state.
    lost: &'static [&'static str],
}

const EVERYTHING_WRITTEN: &[&str] =
    &["blue 1", "blue 2", "blue 3", "yellow 1", "yellow 2", "yellow 3", "yellow 4"];

const STORIES: [Story; 7] = [
    Story {
        name: "crash-after-complete",
        sums: ["18", "18"],
        restored: 2,
        published_twice: &["blue 4", "yellow 5"],
        counted_twice: &[],
        lost: &[],
    },
    Story {
        name: "crash-after-complete-transactional",
        sums: ["18", "18"],
        restored: 2,
        published_twice: &[],
        counted_twice: &[],
        lost: &[],
    },
    Story {
        name: "crash-before-complete",
        sums: ["18", "18"],
        restored: 1,
        // Yellow 2, blue 4, yellow 8 of even and yellow 1, blue 2, yellow 5, blue 8
        // of odd are written: caused by these records.
        published_twice: EVERYTHING_WRITTEN,
        counted_twice: &[],
        lost: &[],
    },
    Story {
        name: "crash-before-complete-transactional",
        sums: ["18", "18"],
        restored: 1,
        published_twice: &[],
        counted_twice: &[],
        lost: &[],
    },
    Story {
        name: "without-alignment",
        sums: ["22", "23"],
        restored: 2,
        published_twice: &[],
        counted_twice: &["blue 4", "yellow 5"],
        lost: &[],
    },
    // The same records by the same times, though nothing is broken.
    Story {
        name: "lecture-at-least-once",
        sums: ["22", "23"],
        restored: 2,
        published_twice: &[],
        counted_twice: &["blue 4", "yellow 5"],
        lost: &[],
    },
    Story {
        name: "snapshot-at-first-barrier",
        sums: ["14", "18"],
        restored: 2,
        published_twice: &[],
        counted_twice: &[],
        lost: &["yellow 4"],
    },
];

#[test]
fn every_crash_ends_with_the_sums_and_duplicates_of_the_lecture() {
    for story in STORIES {
        let name = story.name;
        let (scenario, trace) = super::run(name);
        let graph = &scenario.graph;
        assert_eq!(sums(graph, &trace), story.sums, "{name}: sums");
        let verdict = verify(&scenario, &trace);
        let restored: Vec<_> = verdict.restores.iter().map(|restore| restore.checkpoint).collect();
        assert_eq!(restored, [Some(CheckpointId(story.restored))], "{name}: restored");
        assert_eq!(names(&verdict.state.too_often), story.counted_twice, "{name}: counted twice");
        assert_eq!(names(&verdict.state.lost), story.lost, "{name}: lost");
        if story.counted_twice.is_empty() && story.lost.is_empty() {
            assert_eq!(verdict.cut.findings, [], "{name}: cut");
            assert_eq!(verdict.state.outcome, Outcome::Holds, "{name}: state");
            assert_eq!(names(&verdict.output.too_often), story.published_twice, "{name}: twice");
            assert!(verdict.output.too_often.iter().all(|miscount| miscount.n == 2), "{name}");
            assert_eq!(names(&verdict.output.lost), [""; 0], "{name}: lost in output");
        }
    }
}

#[test]
fn without_alignment_the_judge_names_the_orphans_and_the_checkpoint() {
    let verdict = judge("without-alignment");
    assert_eq!(
        flaws(&verdict),
        [
            (Flaw::Orphan, "blue 4", "numbers[blue]->sum[even]"),
            (Flaw::Orphan, "yellow 5", "numbers[yellow]->sum[odd]"),
        ]
    );
}

#[test]
fn with_a_snapshot_at_the_first_barrier_the_judge_names_the_lost_record() {
    let verdict = judge("snapshot-at-first-barrier");
    assert_eq!(flaws(&verdict), [(Flaw::Lost, "yellow 4", "numbers[yellow]->sum[even]")]);
}

fn judge(name: &str) -> Verdict {
    let (scenario, trace) = super::run(name);
    verify(&scenario, &trace)
}

/// The flaws of checkpoint 2, which is the only broken one.
fn flaws(verdict: &Verdict) -> Vec<(Flaw, &str, &str)> {
    verdict.cut.findings.iter().map(flaw).collect()
}

fn flaw(finding: &Finding) -> (Flaw, &str, &str) {
    match finding {
        Finding::Channel(finding) => {
            assert_eq!(finding.checkpoint, CheckpointId(2));
            (finding.flaw, &finding.record.name, &finding.channel.name)
        }
        other => panic!("{other:?}"),
    }
}

fn sums(graph: &ExecutionGraph, trace: &Trace) -> [String; 2] {
    let end = trace.view(graph, u64::MAX).expect("the run's own trace is sound");
    ["sum(even)", "sum(odd)"].map(|row| cell(graph, &end, row))
}

fn names(miscounts: &[Miscount]) -> Vec<&str> {
    miscounts.iter().map(|miscount| miscount.record.name.as_str()).collect()
}
