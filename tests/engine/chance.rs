//! What chance decides, within Flink's bounds, and what a backlog does to the
//! interval.

use std::collections::BTreeSet;

use checkdam::model::Scenario;
use checkdam::sim::simulate;
use checkdam::trace::{Fact, TriggerCause};

fn job(extra: &str, config: &str) -> Scenario {
    let text = format!(
        r#"{{
            "job": {{
                "in": {{ "source": {{ "from": 1, "to": 20 }}, "service": 10 }},
                "out": {{ "sink": "publish" }}
            }},
            "edges": [["in", "out"]],
            {extra}
            "config": {{ "execution.checkpointing.interval": 50, {config} }}
        }}"#
    );
    Scenario::parse("chance", &text).expect("it is valid")
}

/// In milliseconds, over many seeds.
fn seen(scenario: &Scenario, what: impl Fn(u64, &Fact) -> Option<u64>) -> BTreeSet<u64> {
    let first = |seed| {
        let (trace, _) = simulate(scenario, seed);
        let facts = trace.steps.iter().flat_map(|step| step.facts.iter().map(|f| (step.at.0, f)));
        let mut found = facts.filter_map(|(at, fact)| what(at, fact));
        found.next().expect("it happens") / 1000
    };
    (1..=400).map(first).collect()
}

/// 100 ms, and up to 10 more; never less, which is the least delay.
#[test]
fn the_jitter_of_a_restart_is_drawn_within_its_bounds() {
    let delays = |jitter: &str| {
        let config = format!(
            r#""restart-strategy.type": "exponential-delay",
            "restart-strategy.exponential-delay.initial-backoff": "100 ms",
            "restart-strategy.exponential-delay.jitter-factor": {jitter}"#
        );
        seen(&job(r#""faults": [{ "crash": "out", "at": 35 }],"#, &config), |_, fact| match fact {
            Fact::JobFailed { restart_after, .. } => restart_after.map(|after| after.0),
            _ => None,
        })
    };
    assert_eq!(delays("0.1"), (100..=110).collect());
    assert_eq!(delays("0"), [100].into());
}

/// Between the minimum pause and the interval, both included.
#[test]
fn the_initial_delay_is_an_interval_or_given_or_drawn() {
    let first = |extra: &str| {
        let config = r#""execution.checkpointing.min-pause": 20"#;
        seen(&job(extra, config), |at, fact| {
            matches!(fact, Fact::CheckpointTriggered { .. }).then_some(at)
        })
    };
    assert_eq!(first(""), [50].into());
    assert_eq!(first(r#""initial-delay": "7 ms","#), [7].into());
    assert_eq!(first(r#""initial-delay": "random","#), (20..=50).collect());
}

/// Flink's rule: the tick that is armed comes, the next one after the longer
/// interval; the end of the backlog brings it forward. Record 12 is read at
/// 120 ms, and the report comes at 121.
#[test]
fn a_backlog_stretches_the_interval_until_it_is_worked_off() {
    for (during, expected) in
        [(None, [50, 100]), (Some("200 ms"), [50, 171]), (Some("0"), [50, 171])]
    {
        let config = during.map_or(r#""execution.checkpointing.min-pause": 0"#.to_owned(), |ms| {
            format!(r#""execution.checkpointing.interval-during-backlog": "{ms}""#)
        });
        let text =
            job("", &config).document.replace(r#""service":10"#, r#""service":10,"backlog":12"#);
        assert!(text.contains("backlog\":12"), "{text}");
        let scenario = Scenario::parse("backlog", &text).expect("it is valid");
        let (trace, _) = simulate(&scenario, 1);
        let facts = trace.steps.iter().flat_map(|step| step.facts.iter().map(|f| (step.at.0, f)));
        let periodic = facts.filter_map(|(at, fact)| match fact {
            Fact::CheckpointTriggered { cause: TriggerCause::Periodic, .. } => Some(at / 1000),
            _ => None,
        });
        let first: Vec<u64> = periodic.take(2).collect();
        assert_eq!(first, expected, "{during:?}");
    }
}
