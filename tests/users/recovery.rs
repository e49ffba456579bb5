//! Endings, restarts and fencing.

use checkdam::model::CheckpointId;
use checkdam::sim::Ending;
use checkdam::trace::Fact;
use checkdam::verify::{Outcome, Property};

use super::{EXACT, broken, exact, wrong};
use crate::story::{self, Reading};

/// A new leader goes on from the newest checkpoint, with the next id; one that
/// was told nothing begins from zero.
#[test]
fn u51_high_availability_survives_the_leader() {
    let case = exact("jobmanager-crash");
    let newest = case.verdict.restores[0].checkpoint.expect("it knows of a checkpoint");
    let reading = Reading::of("jobmanager-crash");
    let restarted = reading.when(|fact| matches!(fact, Fact::JobManagerStarted { .. }));
    let next =
        reading.facts().filter(|(at, _)| *at >= restarted).find_map(|(_, fact)| match fact {
            Fact::CheckpointTriggered { checkpoint, .. } => Some(*checkpoint),
            _ => None,
        });
    assert!(next > Some(newest), "{next:?} after {newest}");
    let reading = Reading::of("jobmanager-crash-without-ha");
    let from: Vec<_> = reading
        .facts()
        .filter_map(|(_, fact)| match fact {
            Fact::AttemptStarted { checkpoint, .. } => Some(*checkpoint),
            _ => None,
        })
        .collect();
    assert_eq!(from, [None]);
    // A cancelled job keeps what RETAIN_ON_CANCELLATION says; see `story/endings`
    // for the whole table.
    let cancelled = Reading::of("cancelled-job");
    let kept =
        |fact: &Fact| matches!(fact, Fact::CheckpointRetained { checkpoint: CheckpointId(2) });
    assert_eq!(cancelled.count(kept), 1);
}

#[test]
fn u55_restart_strategies_count_exactly() {
    let delays = |name: &str| -> Vec<Option<u64>> {
        assert_eq!(story::ending_of(name), Ending::Failed);
        let reading = Reading::of(name);
        let delays = reading.facts().filter_map(|(_, fact)| match fact {
            Fact::JobFailed { restart_after, .. } => {
                Some(restart_after.map(|own| own.0 / 1_000_000))
            }
            _ => None,
        });
        delays.collect()
    };
    assert_eq!(delays("restart-none"), [None]);
    let ten = Some(10);
    assert_eq!(delays("restart-fixed-delay"), [ten, ten, ten, None]);
    assert_eq!(delays("restart-exponential-delay"), [Some(1), Some(2), Some(4), Some(8), None]);
    assert_eq!(delays("restart-failure-rate"), [ten, ten, ten, None]);
}

#[test]
fn u56_a_dead_attempt_that_goes_on_publishes_twice() {
    let (case, right) = broken("zombie-commits");
    assert!(case.breaks(Property::Commitment) && case.verdict.output.n_too_often > 0);
    assert_eq!((right.verdict.answer(), wrong(&right.verdict)), (Outcome::Holds, EXACT));
}
