//! Sweeps: the built-in ones are right by arithmetic, and a sweep that was
//! shared out gives the same results.

use checkdam::lab::sweep::{
    Measured, Numbers, Plan, Recipe, Row, Table, Vary, line, numbers_of, recipes,
};
use checkdam::lab::{ResultWriter, Shard, merge, read_results};
use checkdam::load;

fn recipe(name: &str) -> &'static Recipe {
    recipes().iter().find(|recipe| recipe.name == name).expect("it is built in")
}

fn plan(recipe: &Recipe, varies: &[&str], n_seeds: u64) -> Plan {
    let loaded = load::scenario(recipe.name, recipe.text.as_bytes()).expect("it is valid");
    assert!(loaded.remarks.is_empty(), "{}", recipe.name);
    let varies = varies.iter().map(|vary| vary.parse::<Vary>().expect("it is right"));
    Plan::new(loaded.scenario, varies.collect(), recipe.measured.to_vec(), (1, n_seeds))
}

fn runs(plan: &Plan) -> Vec<Numbers> {
    (0..plan.batch().cases).map(|case| plan.run(case)).collect()
}

fn swept(name: &str) -> (Plan, Table) {
    let recipe = recipe(name);
    let plan = plan(recipe, recipe.varies, 1);
    let runs = runs(&plan);
    assert!(runs.iter().all(|run| run.finished), "{name}");
    let table = Table::new(&plan, &runs);
    (plan, table)
}

fn median(row: &Row, place: usize) -> u64 {
    row.spreads[place].expect("every run has this number").median
}

/// Both barriers leave at the same time and are taken when they come: the sum
/// aligns for the difference of the two latencies, no more and no less.
#[test]
fn alignment_is_exactly_the_skew_of_the_inputs() {
    let (plan, table) = swept("skew");
    assert_eq!(plan.measured[0], Measured::Alignment);
    assert_eq!(table.rows.len(), 11);
    for (point, row) in table.rows.iter().enumerate() {
        let far = plan.values(point as u64)[0].number.expect("a duration").value();
        assert_eq!(median(row, 0), far - 10_000, "{far} µs");
    }
}

/// A sum takes a record every 2 ms at most as fast as it comes. Slower than
/// that, the queues of its two inputs are full: 10 in the receive queue and 10
/// in the output buffer of each, and the barrier waits for all 40. Unaligned
/// barriers overtake them: one service time and a few latencies.
#[test]
fn aligned_checkpoints_grow_with_backpressure_and_unaligned_ones_do_not() {
    let (plan, table) = swept("backpressure");
    for (point, row) in table.rows.iter().enumerate() {
        let values = plan.values(point as u64);
        let service = values[0].number.expect("a duration").value();
        let (duration, persisted) = (median(row, 0), median(row, 1));
        let what = format!("{}, {}: {duration} µs, {persisted} B", values[0].text, values[1].text);
        match (values[1].text.as_str(), service) {
            ("true", _) => {
                assert!(duration <= 5_000 + 2 * service, "{what}");
                // Four channels of 20 records of 8 bytes, and the sinks' two.
                assert!(persisted <= 6 * 20 * 8, "{what}");
                if service > 2250 {
                    assert!(persisted > 4 * 10 * 8, "{what}");
                }
            }
            (_, 0..2000) => assert!(duration <= 5_000 + 4 * service, "{what}"),
            (_, 2500..) => {
                let full = 40 * service;
                assert!(duration.abs_diff(full) <= full / 5, "{what}, not {full}");
            }
            _ => {}
        }
        if values[1].text == "false" {
            assert_eq!(persisted, 0, "{what}");
        }
    }
}

/// The cost of checkpoints and failures is that of the formula
/// `1 + C/τ + (τ/2 + D + R)/M` with C = 0.5 s, D = 8 s, R = 30 s, M = 30 min,
/// and its minimum is Young's, sqrt(2 C M) = 42.43 s.
///
/// Of N failures the lost work has a relative deviation of 1/sqrt(3 N), and the
/// curve's minimum moves by half of that: with more than 500 failures a point,
/// and all points under the same failures, 15 % are more than four deviations.
#[test]
fn the_cheapest_interval_is_youngs() {
    let recipe = recipe("interval");
    let plan = plan(recipe, recipe.varies, 10);
    let runs = runs(&plan);
    assert!(runs.iter().all(|run| run.finished));
    let table = Table::new(&plan, &runs);
    let young = table.young.expect("it looks for the best interval");
    assert!((young.blocked / 1e6 - 0.5).abs() < 0.02, "{} µs", young.blocked);
    assert!((young.interval / 1e6 - 42.43).abs() < 1.0, "{} µs", young.interval);
    let simulated = young.simulated.expect("the curve has a lowest place");
    assert!((simulated / young.interval - 1.0).abs() < 0.15, "{simulated} µs");
    for (point, row) in table.rows.iter().enumerate() {
        assert!(row.counts[2] > 500, "{:?}", row.counts);
        let tau = plan.values(point as u64)[0].number.expect("a duration").value() as f64 / 1e6;
        let formula = 1.0 + 0.5 / tau + (tau / 2.0 + 8.0 + 30.0) / 1800.0;
        let cost = row.spreads[0].expect("every run has a cost").mean() / 1e6;
        assert!((cost - formula).abs() < 0.015, "{tau} s: {cost}, not {formula}");
    }
}

/// Every point meets the same seeds, and what differs is only what is varied.
#[test]
fn points_meet_the_same_seeds() {
    let plan = plan(recipe("interval"), &["execution.checkpointing.interval=42s,60s"], 2);
    assert_eq!((plan.n_points(), plan.batch().cases), (2, 4));
    let scenario = plan.scenario(0).expect("it is valid");
    assert_eq!(scenario.graph, plan.scenario(1).expect("it is valid").graph);
    assert_ne!(scenario.config, plan.scenario(1).expect("it is valid").config);
}

#[test]
fn a_sweep_that_was_shared_out_gives_the_same_bytes() {
    let plan = plan(recipe("skew"), &["edges.1.3.latency=10ms..50ms:10ms"], 2);
    let batch = plan.batch();
    let file = |shard: Shard| {
        let mut writer = ResultWriter::new(Vec::new(), &batch, shard).expect("memory");
        for case in shard.cases(batch.cases) {
            writer.case(&line(case, &plan.run(case))).expect("memory");
        }
        String::from_utf8(writer.finish().expect("memory")).expect("text")
    };
    let shards = Shard::new(0, 3).expect("there is one").all();
    let files = shards.map(|shard| read_results("part", &file(shard)).expect("it is whole"));
    let merged = merge(&files.collect::<Vec<_>>()).expect("they are of one sweep");
    assert!(merged.missing.is_empty());
    let whole = read_results("whole", &file(Shard::WHOLE)).expect("it is whole");
    assert_eq!(merged.cases, whole.cases);
    let numbers = merged.cases.values().map(|line| numbers_of(line).expect("numbers"));
    assert_eq!(numbers.collect::<Vec<_>>(), runs(&plan));
}

#[test]
fn a_value_that_makes_no_scenario_is_told_before_anything_runs() {
    let plan = plan(recipe("skew"), &["sum.parallelism=0,1"], 1);
    let error = plan.scenario(0).expect_err("no operator has no subtask");
    assert!(format!("{error:?}").contains("sum.parallelism=0"), "{error:?}");
    assert!(plan.scenario(1).is_ok());
}
