//! How often each restart strategy restarts a job, and after how long: Flink's
//! rules, and what the real Flink answered.

use checkdam::trace::Fact;

use super::reading::Reading;

const SECOND: u64 = 1000;
const DAY: u64 = 86_400 * SECOND;

/// Failures of the job: when, and after how long it is restarted, in
/// milliseconds. The JobManager learns of a crash a millisecond later.
fn failures(reading: &Reading) -> Vec<(u64, Option<u64>)> {
    let failures = reading.facts().filter_map(|(at, fact)| match fact {
        Fact::JobFailed { restart_after, .. } => {
            Some((at.0 / 1000 - 1, restart_after.map(|after| after.0 / 1000)))
        }
        _ => None,
    });
    failures.collect()
}

fn delays(reading: &Reading) -> Vec<Option<u64>> {
    failures(reading).into_iter().map(|(_, delay)| delay).collect()
}

#[test]
fn none_makes_the_first_failure_the_last() {
    let reading = Reading::of("restart-none");
    assert_eq!(delays(&reading), [None]);
    assert_eq!(reading.n_committed(), 2, "with checkpoint 1");
}

#[test]
fn a_fixed_delay_never_forgets_a_failure_however_long_ago() {
    let reading = Reading::of("restart-fixed-delay");
    let soon = Some(10 * SECOND);
    let expected = [(7 * DAY, soon), (14 * DAY, soon), (21 * DAY, soon), (28 * DAY, None)];
    assert_eq!(failures(&reading), expected);
}

#[test]
fn an_exponential_delay_doubles_until_its_attempts_are_used_up() {
    let reading = Reading::of("restart-exponential-delay");
    let expected = [1, 2, 4, 8].map(|seconds| Some(seconds * SECOND));
    assert_eq!(delays(&reading), [&expected[..], &[None]].concat());
    assert_eq!(reading.n_committed(), 2, "1 and 2, before the poison");
}

#[test]
fn an_exponential_delay_grows_no_longer_than_its_limit() {
    let changes = [("\"1 min\"", "\"3 s\"")];
    let reading = Reading::changed("restart-exponential-delay", &changes);
    let expected = [1, 2, 3, 3].map(|seconds| Some(seconds * SECOND));
    assert_eq!(delays(&reading), [&expected[..], &[None]].concat());
}

#[test]
fn a_failure_rate_of_three_allows_three_failures_and_not_a_fourth() {
    let reading = Reading::of("restart-failure-rate");
    let soon = Some(10 * SECOND);
    assert_eq!(delays(&reading), [soon, soon, soon, None]);
    assert_eq!(failures(&reading).last().map(|(at, _)| *at), Some(480 * SECOND));
}

#[test]
fn a_failure_rate_forgets_what_is_longer_ago_than_its_interval() {
    let soon = Some(10 * SECOND);
    // The first was at 2 minutes; just ten minutes apart is still too close.
    for (fourth, restart) in [("12 min", None), ("13 min", soon)] {
        let fourth = format!("\"{fourth}\"");
        let changes = [("\"8 min\"", &*fourth), ("\"to\": 10", "\"to\": 30")];
        let reading = Reading::changed("restart-failure-rate", &changes);
        assert_eq!(delays(&reading), [soon, soon, soon, restart], "{fourth}");
    }
}
