//! What a job leaves behind, by its setting and by how it ends.

use checkdam::load;
use checkdam::model::{CheckpointId, Scenario};
use checkdam::sim::{Ending, simulate};
use checkdam::trace::{Fact, TaskStatus};
use checkdam::verify::{Outcome, verify};

/// The story of the cancelled job, with another setting and another end.
fn job(retention: &str, end: &str) -> Scenario {
    let built_in = load::builtin().iter().find(|scenario| scenario.name == "cancelled-job");
    let text = built_in.expect("it is shipped").text;
    let cancel = r#""cancel": { "when": "checkpoint 2 is complete", "after": "14 ms" },"#;
    assert!(text.contains(cancel));
    let text = text
        .replace(cancel, end)
        .replace("RETAIN_ON_CANCELLATION\"\n", &format!("{retention}\"\n"));
    assert!(text.contains(&format!("\"{retention}\"")));
    // Without its cancelling, the story has a moment that never begins.
    Scenario::parse("ending", &text).expect("it is valid")
}

const CANCEL: &str = r#""cancel": { "at": "75 ms" },"#;
const FAIL: &str = r#""faults": [{ "crash": "sum", "at": "75 ms" }],"#;
const FINISH: &str = "";

/// Flink 1.20.3's `CheckpointProperties`: what is left of the job's completed
/// checkpoints when it is FINISHED, CANCELED, FAILED.
#[test]
fn what_is_left_depends_on_the_setting_and_on_the_end() {
    let cases = [
        ("NO_EXTERNALIZED_CHECKPOINTS", [None, None, None]),
        ("DELETE_ON_CANCELLATION", [None, None, Some(2)]),
        ("RETAIN_ON_CANCELLATION", [None, Some(2), Some(2)]),
    ];
    let ends = [(FINISH, Ending::Finished), (CANCEL, Ending::Canceled), (FAIL, Ending::Failed)];
    for (retention, left) in cases {
        for ((end, expected), left) in ends.iter().zip(left) {
            let mut scenario = job(retention, end);
            scenario.config.restart = checkdam::model::RestartStrategy::None;
            let (trace, ending) = simulate(&scenario, 1);
            assert_eq!(ending, *expected, "{retention}");
            let view = trace.view(&scenario.graph, u64::MAX).expect("the trace is sound");
            let stored: Vec<_> = view.checkpoints.iter().map(|stored| stored.id.0).collect();
            assert_eq!(stored, Vec::from_iter(left), "{retention}, {expected:?}");
            let told = trace.steps.last().expect("it has steps").facts.iter();
            let retained: Vec<_> = told
                .filter_map(|fact| match fact {
                    Fact::CheckpointRetained { checkpoint } => Some(checkpoint.0),
                    _ => None,
                })
                .collect();
            assert_eq!(retained, Vec::from_iter(left), "{retention}, {expected:?}");
        }
    }
}

/// 1, 2, 1 + 3, 2 + 4 and 1 + 3 + 5 are committed with checkpoints 1 and 2;
/// the results of 6 and 7 are thrown away, and 8 and 9 are never read.
#[test]
fn a_cancelled_job_has_published_what_its_checkpoints_cover() {
    let (scenario, trace) = super::run("cancelled-job");
    let end = trace.view(&scenario.graph, u64::MAX).expect("the trace is sound");
    let sink = end.tasks.last().and_then(|task| task.sink.as_ref()).expect("the sink is last");
    let published: Vec<String> =
        sink.published.last.iter().map(|record| record.value.to_string()).collect();
    assert_eq!(published, ["1", "2", "4", "6", "9"]);
    assert!(sink.open.is_none() && sink.prepared.is_empty());
    assert!(end.tasks.iter().all(|task| task.status == TaskStatus::Cancelled));
    let verdict = verify(&scenario, &trace);
    assert_eq!((verdict.output.n_once, verdict.output.n_pending), (5, 2));
    assert_eq!(verdict.promise, Outcome::Holds);
    assert_eq!(verdict.cannot_tell, []);
}

/// With two places, the third checkpoint takes that of the first. The job's
/// last one, at its end, is its third.
#[test]
fn as_many_completed_checkpoints_are_kept_as_the_setting_says() {
    let mut scenario = job("RETAIN_ON_CANCELLATION", FINISH);
    scenario.config.num_retained = 2;
    let (trace, _) = simulate(&scenario, 1);
    let discarded: Vec<_> = trace
        .steps
        .iter()
        .flat_map(|step| &step.facts)
        .filter_map(|fact| match fact {
            Fact::CheckpointDiscarded { checkpoint } => Some(*checkpoint),
            _ => None,
        })
        .collect();
    assert_eq!(discarded, [1, 2, 3].map(CheckpointId));
}
