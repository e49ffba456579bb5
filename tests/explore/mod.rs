//! Every order of small jobs.

mod projection;

use std::collections::BTreeSet;

use checkdam::cluster::Detail;
use checkdam::explore::{
    Budget, Choices, Ended, Exploration, FinalOutput, Find, Orders, Wrong, compare_moves, explore,
    play,
};
use checkdam::load;
use checkdam::model::{Mutation, Scenario};
use checkdam::sim::{Ending, Simulation};
use checkdam::trace::{Driver, Fact};
use checkdam::verify::{Outcome, verify};
use serde_json::{Value, json};

use crate::common::sizes;

fn parse(document: &Value) -> Scenario {
    let text = document.to_string();
    match load::scenario("small", text.as_bytes()) {
        Ok(loaded) => loaded.scenario,
        Err(problems) => panic!("{problems:?}"),
    }
}

fn search(scenario: &Scenario, choices: Choices) -> Exploration {
    let budget = Budget { states_max: 300_000, ..Budget::default() };
    explore(scenario, choices, budget).expect("it is small")
}

/// One source of three numbers, a sum, and a sink of some kind; one checkpoint
/// whenever the coordinator likes.
fn chain(sink: &str) -> Value {
    json!({
        "job": {
            "in": { "source": [1, 2, 4] },
            "sum": { "sum": { "modulo": 1 } },
            "out": { "sink": sink }
        },
        "edges": [["in", "sum"], ["sum", "out"]],
        "config": {
            "execution.checkpointing.interval": "10 ms",
            "execution.checkpointing.checkpoints-after-tasks-finish": false,
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": 3,
            "restart-strategy.fixed-delay.delay": "0 ms"
        }
    })
}

fn values(outcome: &FinalOutput) -> Vec<i64> {
    let records = outcome.published.iter().flat_map(|(_, records)| records);
    records.map(|record| record.value.number()).collect()
}

#[test]
fn without_failures_every_order_of_a_chain_publishes_the_same() {
    for sink in ["publish", "transactional", "idempotent"] {
        let mut document = chain(sink);
        // Else nobody commits the last results.
        document["config"]["execution.checkpointing.checkpoints-after-tasks-finish"] = json!(true);
        let found = search(&parse(&document), Choices::default());
        assert_eq!(found.ended, Ended::Exhausted, "{sink}");
        assert_eq!(found.n_crash_points, 0);
        if sink == "publish" {
            // 1, 1 + 2, 1 + 2 + 4.
            let all: Vec<_> = found.outcomes.iter().map(values).collect();
            assert_eq!(all, [[1, 3, 7]]);
        }
    }
}

#[test]
fn a_crash_at_any_moment_repeats_just_what_was_published_since_the_restored_cut() {
    let scenario = parse(&chain("publish"));
    let found = search(&scenario, Choices { crashes: 1, ..Choices::default() });
    assert_eq!(found.ended, Ended::Exhausted);
    assert!(found.n_crash_points > 0);
    let all = [1, 3, 7];
    let seen: BTreeSet<Vec<i64>> = found.outcomes.iter().map(values).collect();
    // So much was published before the crash, and the cut held so much of it.
    let mut possible = BTreeSet::new();
    for published in 0..=3 {
        for cut in 0..=published {
            let again = all[cut..].iter();
            possible.insert(all[..published].iter().chain(again).copied().collect::<Vec<_>>());
        }
    }
    assert_eq!(seen, possible);
}

#[test]
fn a_transactional_sink_publishes_once_wherever_the_crash_is() {
    let mut document = chain("transactional");
    document["config"]["execution.checkpointing.checkpoints-after-tasks-finish"] = json!(true);
    let found = search(&parse(&document), Choices { crashes: 1, ..Choices::default() });
    assert_eq!(found.ended, Ended::Exhausted);
    let seen: Vec<_> = found.outcomes.iter().map(values).collect();
    assert_eq!(seen, [[1, 3, 7]]);
}

#[test]
fn whatever_random_runs_come_to_is_among_the_outcomes() {
    let tasks = ["in", "sum", "out"];
    let found = search(&parse(&chain("publish")), Choices { crashes: 1, ..Choices::default() });
    let explored: BTreeSet<Vec<i64>> = found.outcomes.iter().map(values).collect();
    let mut simulated = BTreeSet::new();
    for number in 0..sizes::samples(100) {
        let mut document = chain("publish");
        document["job"]["in"]["service"] = json!({ "min": 0, "max": 8 });
        document["job"]["sum"]["service"] = json!({ "min": 0, "max": 3 });
        document["network"] = json!({ "latency": { "min": 0, "max": 9 } });
        document["rpc"] = json!({ "min": 0, "max": 9 });
        document["config"]["execution.checkpointing.interval"] = json!(1 + number % 20);
        let crash = tasks[number as usize % 3];
        document["faults"] = json!([{ "crash": crash, "at": number / 3 % 40 }]);
        // One checkpoint, as in the search.
        document["config"]
            .as_object_mut()
            .expect("an object")
            .remove("execution.checkpointing.interval");
        document["checkpoints"] = json!([{ "at": number % 17 }]);
        let scenario = parse(&document);
        for seed in 0..100 {
            let mut simulation = Simulation::new(&scenario, seed, Detail::All);
            let mut published = Vec::new();
            while let Some(step) = simulation.step() {
                for fact in step.facts {
                    if let Fact::Processed { task, record, .. } = fact
                        && scenario.graph.subtasks[task.index()].name == "out"
                    {
                        published.push(record.value.number());
                    }
                }
            }
            assert_eq!(simulation.ending(), Some(&Ending::Finished));
            simulated.insert(published);
        }
    }
    assert!(simulated.len() > 5, "{simulated:?}");
    let foreign: Vec<_> = simulated.difference(&explored).collect();
    assert!(foreign.is_empty(), "{foreign:?} are not among {explored:?}");
}

/// Two sources of one number each, so that there is something to align.
fn pair(mutation: &str) -> Value {
    let mut document = chain("transactional");
    document["job"]["in"] = json!({ "source": { "a": [1], "b": [2] }, "parallelism": 2 });
    document["config"]["execution.checkpointing.checkpoints-after-tasks-finish"] = json!(true);
    document["break"] = json!([mutation]);
    document
}

#[test]
fn the_classic_mistakes_are_found_with_a_shortest_story() {
    for mutation in [
        Mutation::ProcessAfterFirstBarrier,
        Mutation::SnapshotAtFirstBarrier,
        Mutation::SnapshotAfterNextRecord,
        Mutation::BarrierAfterNextRecord,
    ] {
        let scenario = parse(&pair(mutation.name()));
        let found = search(&scenario, Choices { crashes: 1, ..Choices::default() });
        assert_eq!(found.ended, Ended::Violated, "{mutation:?}");
        let one = found.counterexample.expect("something is wrong");
        let Wrong::Judged(verdict) = one.wrong else {
            // A barrier that waits for a next record, and there is none.
            assert_eq!(mutation, Mutation::BarrierAfterNextRecord);
            continue;
        };
        assert_eq!(verdict.answer(), Outcome::Violated);
        // The story can be told again, and the judge says the same of it.
        let mut trace = play(&found.scenario, &one.schedule).expect("it has been found");
        trace.complete = false;
        assert_eq!(trace.driver, Driver::Schedule(one.schedule.clone()));
        assert_eq!(verify(&found.scenario, &trace).answer(), Outcome::Violated);
        // No shorter one: the story without its last step is right.
        trace.steps.pop();
        assert_ne!(verify(&found.scenario, &trace).answer(), Outcome::Violated, "{mutation:?}");
    }
}

/// A source that hears late of the checkpoint that it has waited for finishes while
/// the next one begins, and cannot take part in it: the job needs another one. If
/// the interval may not ask for any, that is no fault of the job's.
#[test]
fn a_job_that_only_waits_for_its_next_checkpoint_is_not_stuck() {
    let mut document = pair("process-after-first-barrier");
    document.as_object_mut().expect("an object").remove("break");
    let scenario = parse(&document);
    let found = search(&scenario, Choices::default());
    assert_eq!(found.ended, Ended::Exhausted);
    assert!(found.n_unfinished > 0);
    // Whichever number comes first: its sum, and the sum of both.
    let seen: BTreeSet<Vec<i64>> = found.outcomes.iter().map(values).collect();
    assert_eq!(seen, BTreeSet::from([vec![1, 3], vec![2, 3]]));
}

#[test]
fn what_is_looked_for_is_shown_or_does_not_exist() {
    let mut unaligned = chain("publish");
    unaligned["job"]["in"] = json!({ "source": { "a": [1], "b": [2] }, "parallelism": 2 });
    let aligned = unaligned.clone();
    unaligned["config"]["execution.checkpointing.unaligned.enabled"] = json!(true);
    let look = |document: &Value, find| {
        let choices = Choices { find: Some(find), ..Choices::default() };
        search(&parse(document), choices).ended
    };
    assert_eq!(look(&unaligned, Find::ChannelState), Ended::Found);
    assert_eq!(look(&aligned, Find::ChannelState), Ended::Exhausted);
    assert_eq!(look(&aligned, Find::HeldBack), Ended::Found);
    assert_eq!(look(&aligned, Find::RestartFromCheckpoint), Ended::Exhausted);
}

/// Jobs that are small enough to try everything.
fn small_jobs() -> Vec<Value> {
    let mut jobs = Vec::new();
    for sink in ["publish", "transactional"] {
        for unaligned in [false, true] {
            for last in [false, true] {
                let mut document = chain(sink);
                document["job"]["in"]["source"] = json!([1, 2]);
                let config = &mut document["config"];
                config["execution.checkpointing.unaligned.enabled"] = json!(unaligned);
                config["execution.checkpointing.checkpoints-after-tasks-finish"] = json!(last);
                jobs.push(document.clone());
                if !last {
                    // The user asks twice, and nobody else does.
                    let mut twice = document.clone();
                    twice["job"]["in"]["source"] = json!([1]);
                    twice["checkpoints"] = json!([{ "at": 0 }, { "at": 1 }]);
                    let config = twice["config"].as_object_mut().expect("settings");
                    config.remove("execution.checkpointing.interval");
                    jobs.push(twice);
                }
                document["job"]["in"] =
                    json!({ "source": { "a": [1], "b": [2] }, "parallelism": 2 });
                jobs.push(document);
            }
        }
    }
    jobs
}

#[test]
fn leaving_out_orders_that_come_to_the_same_loses_no_outcome_and_no_verdict() {
    let mut n_compared = 0;
    for (number, document) in small_jobs().iter().enumerate() {
        for crashes in [0, 1] {
            for mutation in [None, Some(Mutation::SnapshotAtFirstBarrier)] {
                let mut document = document.clone();
                let key = "execution.checkpointing.unaligned.enabled";
                if mutation.is_some() && document["config"][key] == json!(true) {
                    // There is no first barrier to wait for.
                    continue;
                }
                if let Some(mutation) = mutation {
                    document["break"] = json!([mutation.name()]);
                }
                let scenario = parse(&document);
                let of = |orders| {
                    let choices = Choices { crashes, orders, ..Choices::default() };
                    search(&scenario, choices)
                };
                let (all, some) = (of(Orders::All), of(Orders::Representative));
                let name = format!("job {number}, {crashes} crashes, {mutation:?}");
                println!("{name}: {} of {} states", some.n_states, all.n_states);
                if all.ended == Ended::TooManyStates {
                    continue;
                }
                n_compared += 1;
                assert_eq!(some.ended, all.ended, "{name}");
                let outcomes = |one: &Exploration| -> BTreeSet<(String, Vec<i64>)> {
                    let of = |own: &FinalOutput| (format!("{:?}", own.status), values(own));
                    one.outcomes.iter().map(of).collect()
                };
                if all.ended == Ended::Exhausted {
                    assert_eq!(outcomes(&some), outcomes(&all), "{name}");
                }
            }
        }
    }
    assert!(n_compared >= 30, "{n_compared}");
}

/// What is looked up is what the cluster does: along random walks through jobs
/// of every kind.
#[test]
fn what_a_lane_does_depends_on_nothing_but_the_parts_it_looks_at() {
    let names = [
        "one-stream",
        "lecture",
        "lecture-unaligned",
        "lecture-timeout",
        "lecture-at-least-once",
        "backpressure",
        "crash-after-complete-transactional",
        "several-checkpoints-in-flight",
        "two-input-join",
        "region-failover",
        "last-results-committed",
    ];
    for name in names {
        let text = load::builtin().iter().find(|own| own.name == name).expect(name).text;
        let scenario = load::scenario(name, text.as_bytes()).expect(name).scenario;
        let choices = Choices { crashes: 1, intervals: 2, expiries: 1, ..Choices::default() };
        let n_compared = compare_moves(&scenario, choices, sizes::samples(30)).expect(name);
        assert!(n_compared > 500, "{name}: {n_compared}");
    }
}

#[test]
fn a_budget_that_is_too_small_is_said_to_be() {
    let scenario = parse(&chain("publish"));
    let budget = Budget { states_max: 50, ..Budget::default() };
    let found = explore(&scenario, Choices::default(), budget).expect("it is small");
    assert_eq!(found.ended, Ended::TooManyStates);
    assert_eq!(found.n_orders, None);
}

#[test]
fn a_schedule_that_no_run_follows_is_refused() {
    let scenario = parse(&chain("publish"));
    let wrong = play(&scenario, &[100_000]).expect_err("there is no such lane");
    assert_eq!((wrong.step, wrong.lane), (1, 100_000));
}

/// The numbers of operators, tasks, channels and lanes come from the order of
/// the document's keys.
#[test]
fn a_document_with_crashes_in_it_is_of_the_same_job() {
    for name in ["lecture", "two-input-join", "region-failover"] {
        let text = load::builtin().iter().find(|own| own.name == name).expect(name).text;
        let scenario = load::scenario(name, text.as_bytes()).expect(name).scenario;
        let choices = Choices { crashes: 1, ..Choices::default() };
        let budget = Budget { states_max: 10, ..Budget::default() };
        let explored = explore(&scenario, choices, budget).expect("it is small").scenario;
        let again = load::scenario(name, explored.document.as_bytes()).expect(name).scenario;
        assert_eq!(again.graph, scenario.graph, "{name}");
        assert_eq!(again.faults, explored.faults, "{name}");
        assert_eq!(again.faults.len(), scenario.faults.len() + scenario.graph.subtasks.len());
    }
}
