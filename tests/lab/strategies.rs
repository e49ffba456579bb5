//! The strategies: valid scenarios, also while they shrink.

use checkdam::lab::random::Mode;
use checkdam::lab::strategies::{self, Files, ScenarioFile};
use checkdam::model::Mutation;
use checkdam::sim::simulate;
use checkdam::verify::{Property, verify};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

fn runner(cases: u32) -> TestRunner {
    let max_shrink_iters = 5_000;
    let config = Config { cases, max_shrink_iters, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    )
}

#[test]
fn every_value_is_valid_also_while_it_shrinks() {
    let mut runner = runner(1);
    let mut one = |files: Files| {
        let mut tree = files.new_tree(&mut runner).expect("it can be drawn");
        let first = tree.current();
        // Everything is a failure, and every third is none.
        for turn in 0..60 {
            let goes_on = if turn % 3 == 2 { tree.complicate() } else { tree.simplify() };
            assert!(!tree.current().scenario().document.is_empty());
            if !goes_on {
                break;
            }
        }
        assert!(tree.current().text().len() <= first.text().len());
        first
    };
    for mode in Mode::ALL {
        let job = one(strategies::jobs(mode));
        one(strategies::jobs_with_files(mode));
        let faulty = one(strategies::fault_plans(&job));
        assert!(!faulty.scenario().faults.is_empty());
        one(strategies::settings(&job));
        one(strategies::delays(&job));
    }
    one(strategies::scenarios());
}

/// A property that does not hold ends with a small scenario.
#[test]
fn a_property_that_fails_shrinks_to_a_small_scenario() {
    let broken = [Mutation::RecordOvertakesBarrier];
    let files = strategies::scenarios_that_break(&broken);
    let failed = runner(40).run(&files, |file: ScenarioFile| {
        let scenario = file.scenario();
        let verdict = verify(&scenario, &simulate(&scenario, 1).0);
        let delivery = verdict.property(Property::Delivery);
        match delivery.n {
            0 => Ok(()),
            n => Err(TestCaseError::fail(format!("{n} times"))),
        }
    });
    let Err(TestError::Fail(_, file)) = failed else { panic!("it is to fail: {failed:?}") };
    let scenario = file.scenario();
    assert!(scenario.graph.job.operators.len() <= 3, "{file:?}");
    assert!(file.text().lines().count() <= 25, "{file:?}");
}
