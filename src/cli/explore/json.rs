//! The same for machines.

use serde_json::{Value, json};

use super::Explored;
use crate::explore::{Ended, FinalOutput, Wrong};
use crate::model::{Scenario, Value as RecordValue};

pub(super) fn json(explored: &Explored<'_>) -> Value {
    let found = &explored.found;
    let graph = explored.scenario;
    json!({
        "scenario": explored.scenario.name,
        "crashes": explored.choices.crashes,
        "checkpoints": explored.choices.intervals,
        "expiries": explored.choices.expiries,
        "ended": match found.ended {
            Ended::Exhausted => "exhausted",
            Ended::Violated => "violated",
            Ended::Found => "found",
            Ended::TooManyStates => "too-many-states",
            Ended::TooMuchMemory => "too-much-memory",
        },
        "states": found.n_states,
        "transitions": found.n_transitions,
        // Too large for a number of JSON.
        "orders": found.n_orders.map(|n| n.to_string()),
        "crash_points": found.n_crash_points,
        "unfinished": found.n_unfinished,
        "depth": found.depth,
        "bytes": found.bytes,
        "seconds": explored.seconds,
        "outcomes": found.outcomes.iter().map(|one| outcome(graph, one)).collect::<Vec<_>>(),
        "counterexample": found.counterexample.as_ref().map(|one| json!({
            "wrong": match &one.wrong {
                Wrong::Judged(_) => "judged",
                Wrong::Stuck => "stuck",
            },
            "steps": one.schedule.len(),
            "schedule": one.schedule,
        })),
        "found": found.found,
        "trace": explored.trace,
    })
}

fn outcome(scenario: &Scenario, outcome: &FinalOutput) -> Value {
    let published = outcome.published.iter().map(|(task, records)| {
        let name = scenario.graph.subtasks[task.index()].name.clone();
        let values = records.iter().map(|record| match record.value {
            RecordValue::Number(number) => json!(number),
            RecordValue::Letter(letter) => json!(letter),
        });
        (name, values.collect())
    });
    json!({
        "status": format!("{:?}", outcome.status).to_uppercase(),
        "published": published.collect::<serde_json::Map<String, Value>>(),
        "final_states": outcome.n_states,
        "schedule": outcome.schedule,
    })
}
