//! Random jobs of two pipelines that nothing connects: a failure takes down
//! its region, and the other goes on as if nothing had happened.

use std::collections::BTreeSet;

use checkdam::cluster::Detail;
use checkdam::model::Scenario;
use checkdam::sim::{Simulation, simulate};
use checkdam::trace::{Fact, JobStatus, Step, View};
use serde_json::{Value, json};

use super::failures;
use crate::common::random_jobs;
use crate::common::sizes;

/// Far beyond the numbers that are used, and of the same mode.
const OTHER: u64 = 4_000_000;

fn scenario(number: u64, strategy: &str) -> Scenario {
    let (one, other) = (failures::document(number), failures::document(number + OTHER));
    let mut document = random_jobs::beside(&one, &other);
    document["config"]["jobmanager.execution.failover-strategy"] = json!(strategy);
    random_jobs::loaded(number, &document)
}

fn regions(step: &Step) -> impl Iterator<Item = &Vec<checkdam::model::SubtaskIndex>> {
    step.facts.iter().filter_map(|fact| match fact {
        Fact::JobFailed { region, .. } | Fact::AttemptStarted { region, .. } => region.as_ref(),
        _ => None,
    })
}

#[test]
fn with_regions_the_view_from_the_facts_is_what_the_cluster_says() {
    let (mut partial, mut both) = (0, 0);
    for number in 0..sizes::samples(150) {
        let scenario = scenario(number, "region");
        let n_tasks = scenario.graph.subtasks.len();
        let mut simulation = Simulation::new(&scenario, number, Detail::All);
        let mut view = View::start(&scenario.graph);
        while let Some(step) = simulation.step() {
            let step = Step { number: step.number, at: step.at, facts: step.facts.to_vec() };
            let before = view.clone();
            view.apply_step(&scenario.graph, &step)
                .unwrap_or_else(|what| panic!("random job {number}: {what}"));
            let own = simulation.cluster().view(&scenario, step.number, step.at);
            assert_eq!(view, own, "random job {number}, step {}", step.number);
            for region in regions(&step) {
                partial += 1;
                assert!(region.len() < n_tasks, "random job {number}, step {}", step.number);
                // Nobody outside is touched.
                let graph = &scenario.graph;
                for task in graph.subtask_indices().filter(|task| !region.contains(task)) {
                    let now = &view.tasks[task.index()];
                    assert_eq!(&before.tasks[task.index()], now, "random job {number}, {task:?}");
                    for channel in &graph.subtasks[task.index()].inputs {
                        let (then, now) =
                            (&before.channels[channel.index()], &view.channels[channel.index()]);
                        assert_eq!(then, now, "random job {number}, {channel:?}");
                    }
                }
            }
            both +=
                u32::from(view.status == JobStatus::Restarting && view.restarting.len() == n_tasks);
        }
    }
    assert!(partial > 200 && both > 20, "{partial} {both}");
}

#[test]
fn with_either_strategy_random_jobs_keep_what_they_promise() {
    let mut restarted = [0; 2];
    for number in 0..sizes::samples(300) {
        for (place, strategy) in ["region", "full"].into_iter().enumerate() {
            let scenario = scenario(number, strategy);
            let (trace, ending) = simulate(&scenario, number);
            failures::kept(number, &scenario, (&trace, &ending));
            let facts = trace.steps.iter().flat_map(|step| &step.facts);
            let restores = facts.filter(|fact| matches!(fact, Fact::StateRestored { .. }));
            restarted[place] += restores.count();
        }
    }
    let [region, full] = restarted;
    assert!(region > 1_000 && region < full, "{region} tasks with regions, {full} without");
}

/// A job of one region behaves the same under both strategies, whatever fails.
#[test]
fn one_region_is_the_whole_job() {
    for number in 0..sizes::samples(100) {
        let traces = ["region", "full"].map(|strategy| {
            let mut document: Value = failures::document(number);
            document["config"]["jobmanager.execution.failover-strategy"] = json!(strategy);
            let scenario = random_jobs::loaded(number, &document);
            let ends = scenario.graph.channels.iter().map(|channel| (channel.from, channel.to));
            (simulate(&scenario, number).0, is_connected(scenario.graph.subtasks.len(), ends))
        });
        let [(regions, is_connected), (full, _)] = traces;
        assert!(!is_connected || regions == full, "random job {number}");
    }
}

fn is_connected(
    n_tasks: usize,
    ends: impl Iterator<Item = (checkdam::model::SubtaskIndex, checkdam::model::SubtaskIndex)>,
) -> bool {
    let ends: Vec<_> = ends.collect();
    let mut reached = BTreeSet::from([checkdam::model::SubtaskIndex(0)]);
    loop {
        let n_reached = reached.len();
        for (from, to) in &ends {
            if reached.contains(from) || reached.contains(to) {
                reached.extend([*from, *to]);
            }
        }
        if reached.len() == n_reached {
            return n_reached == n_tasks;
        }
    }
}
