//! What if it crashed here: branches leave the run exactly there.

use checkdam::lab::crash_branches;
use checkdam::model::SubtaskIndex;
use checkdam::trace::Fact;

#[test]
fn a_branch_is_the_run_up_to_the_crash_and_then_the_crash() {
    for name in ["lecture", "lecture-unaligned", "region-failover", "crash-before-complete"] {
        let (scenario, main) = crate::story::run(name);
        let mut n = 0;
        crash_branches(
            &scenario,
            1,
            |step| step % 7 == 0,
            |own| {
                n += 1;
                let shared = usize::try_from(own.step).expect("few steps");
                assert_eq!(own.trace.steps[..shared], main.steps[..shared], "{name}: {}", own.step);
                let crash = &own.trace.steps[shared];
                let is_crash =
                    |fact: &Fact| matches!(fact, Fact::Crashed { tasks } if *tasks == [own.task]);
                assert!(crash.facts.iter().any(is_crash), "{name}: {}", own.step);
                // It takes no time to happen.
                let before = main.steps[..shared].last().map_or(0, |step| step.at.0);
                assert_eq!(crash.at.0, before, "{name}: {}", own.step);
            },
        );
        assert!(n > 10, "{name}: {n}");
    }
}

#[test]
fn branches_come_in_order_and_only_where_they_are_wanted() {
    let scenario = crate::story::scenario("lecture");
    let mut seen: Vec<(u64, SubtaskIndex)> = Vec::new();
    crash_branches(
        &scenario,
        1,
        |step| step == 9 || step == 40,
        |own| seen.push((own.step, own.task)),
    );
    let tasks: Vec<SubtaskIndex> = scenario.graph.subtask_indices().collect();
    let expected: Vec<_> =
        [9, 40].into_iter().flat_map(|step| tasks.iter().map(move |task| (step, *task))).collect();
    assert_eq!(seen, expected);
}
