//! Traces that end before the job does: what is in flight is not lost.

use checkdam::model::SinkKind;
use checkdam::verify::{CannotTell, Outcome, Verdict};

use super::story::judge;
use super::{CANNOT_TELL, HOLDS, VIOLATED, jobs, names, outcomes};

fn publish(story: &str) -> Verdict {
    judge(&jobs::lecture(SinkKind::Publish), story)
}

#[test]
fn an_empty_trace_holds() {
    let verdict = publish("");
    assert_eq!(outcomes(&verdict), [HOLDS; 3]);
    assert_eq!((verdict.state.n, verdict.output.n, verdict.outcome()), (0, 0, HOLDS));
}

#[test]
fn what_is_in_flight_is_pending() {
    let verdict = publish("read blue 1; read blue 2; sum[odd] takes blue 1");
    assert_eq!(outcomes(&verdict), [HOLDS, CANNOT_TELL, CANNOT_TELL]);
    assert_eq!((verdict.state.n_once, verdict.state.n_pending, verdict.state.n), (1, 1, 2));
    assert_eq!((verdict.output.n_pending, verdict.output.n), (1, 1));
    assert_eq!(verdict.cannot_tell, [CannotTell::InFlight { n_records: 1, n_results: 1 }]);
}

/// The same in a job that says that it is finished.
#[test]
fn what_is_in_flight_when_the_job_finishes_is_lost() {
    let verdict = publish("read blue 1; read blue 2; sum[odd] takes blue 1; finish");
    assert!(names(&verdict.state.lost).contains(&"blue 2"));
    assert_eq!(names(&verdict.output.lost), ["blue 1"]);
}

#[test]
fn a_cut_trace_cannot_tell() {
    let story = "read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1";
    assert_eq!(outcomes(&publish(story)), [HOLDS; 3]);
    let verdict = publish(&[story, "cut"].join("\n"));
    assert_eq!(outcomes(&verdict), [HOLDS, CANNOT_TELL, CANNOT_TELL]);
    assert_eq!(verdict.cannot_tell, [CannotTell::TraceCut]);
    assert_eq!(verdict.outcome(), Outcome::CannotTell);
}

/// What is wrong stays wrong, whatever may come.
#[test]
fn a_cut_trace_can_still_be_wrong() {
    let story = "
        read blue 1; sum[odd] takes blue 1; sum[odd] takes blue 1 again
        sink[odd] takes blue 1; sink[odd] takes blue 1; cut";
    let verdict = publish(story);
    assert_eq!(outcomes(&verdict), [HOLDS, VIOLATED, VIOLATED]);
    assert_eq!(names(&verdict.state.too_often), ["blue 1"]);
}

/// A job that is down will come back from its newest checkpoint: what came
/// after it neither counts nor is lost.
#[test]
fn a_trace_that_ends_between_failure_and_restart_is_judged_from_the_checkpoint() {
    let story = "
        read blue 1; sum[odd] takes blue 1; sink[odd] takes blue 1
        checkpoint 1
        read blue 2; sum[even] takes blue 2; sink[even] takes blue 2; read blue 3
        crash sum[odd]; fail";
    let verdict = publish(story);
    assert_eq!(outcomes(&verdict), [HOLDS, HOLDS, CANNOT_TELL]);
    assert_eq!((verdict.state.n_once, verdict.state.n), (1, 1));
    assert_eq!(verdict.output.n_pending, 1, "blue 2 is out and will come again");
}
