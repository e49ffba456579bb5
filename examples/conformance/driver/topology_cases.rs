//! Cases about the shape of a job: who takes part in a checkpoint, and who is
//! restarted together.

use std::collections::BTreeSet;

use checkdam::model::{Attempt, SubtaskIndex};
use checkdam::protocol::{
    AfterTasksFinish, CheckpointPlan, DistributionPattern, Exchange, Execution, ExecutionState,
    FailoverRegions, SchedulingTopology,
};
use serde_json::{Map, Value, json};

use super::coordinator_cases::object;
use super::json::{field, list, text};

/// A topology with its tasks' names.
struct Named {
    topology: SchedulingTopology,
    names: Vec<String>,
}

/// Plans a checkpoint.
///
/// # Errors
/// When the case is not of the format.
pub(crate) fn plan(case: &Value) -> Result<Map<String, Value>, String> {
    let named = Named::read(field(case, "config")?)?;
    let running = Execution { attempt: Attempt(1), state: ExecutionState::Running };
    let mut executions = vec![running; named.names.len()];
    let mut fields = Map::new();
    for event in list(case, "events")? {
        match text(event, "what")? {
            "tasks_finished" => {
                for task in list(event, "tasks")? {
                    let task = named.task(task.as_str().unwrap_or_default())?;
                    executions[task.index()].state = ExecutionState::Finished;
                }
            }
            "compute_plan" => {
                let goes_on = AfterTasksFinish::GoOn;
                let plan = CheckpointPlan::calculate(&named.topology, &executions, goes_on);
                let plan = plan.map_err(|reason| format!("no plan: {reason:?}"))?;
                let wait = named.told(&plan.wait);
                fields = object([
                    ("trigger", named.told(&plan.trigger)),
                    ("commit", wait.clone()),
                    ("wait", wait),
                    ("finished", named.told(&plan.finished)),
                ]);
            }
            what => return Err(format!("unknown event {what}")),
        }
    }
    Ok(fields)
}

/// Fails a task.
///
/// # Errors
/// When the case is not of the format.
pub(crate) fn region(case: &Value) -> Result<Map<String, Value>, String> {
    let named = Named::read(field(case, "config")?)?;
    let regions = FailoverRegions::of(&named.topology);
    let mut restarted = BTreeSet::new();
    for event in list(case, "events")? {
        match text(event, "what")? {
            "task_fail" => {
                let failed = named.task(text(event, "task")?)?;
                let tasks = regions.tasks_to_restart(failed, &BTreeSet::new());
                restarted.extend(tasks.into_iter().map(|task| &named.names[task.index()]));
            }
            what => return Err(format!("unknown event {what}")),
        }
    }
    Ok(object([("restart", json!(restarted))]))
}

impl Named {
    /// Vertices stand in the order of the edges: a vertex comes after all that
    /// it consumes.
    fn read(config: &Value) -> Result<Self, String> {
        let vertices = field(config, "vertices")?.as_object().ok_or("vertices are no object")?;
        let edges = list(config, "edges")?;
        let mut order: Vec<&str> = Vec::new();
        while order.len() < vertices.len() {
            let is_next = |name: &&str| {
                let mut inputs = edges.iter().filter(|edge| text(edge, "to") == Ok(name));
                let done = |edge: &Value| text(edge, "frm").is_ok_and(|from| order.contains(&from));
                !order.contains(name) && inputs.all(done)
            };
            let next = vertices.keys().map(String::as_str).find(is_next);
            order.push(next.ok_or("the edges form a circle")?);
        }
        let parallelism = |name: &&str| vertices[*name].as_u64().unwrap_or(0) as u32;
        let parallelisms: Vec<_> = order.iter().map(parallelism).collect();
        let mut topology = SchedulingTopology::new(&parallelisms);
        for edge in edges {
            let place = |key| {
                let name = text(edge, key)?;
                order.iter().position(|known| *known == name).ok_or(format!("no vertex {name}"))
            };
            let pattern = match text(edge, "pattern")? {
                "all_to_all" => DistributionPattern::AllToAll,
                "pointwise" => DistributionPattern::Pointwise,
                word => return Err(format!("unknown pattern {word}")),
            };
            let exchange = match edge.get("exchange").and_then(Value::as_str) {
                None | Some("pipelined") => Exchange::Pipelined,
                Some("blocking") => Exchange::Blocking,
                Some(word) => return Err(format!("unknown exchange {word}")),
            };
            topology.connect((place("frm")?, place("to")?), pattern, exchange);
        }
        let tasks = order.iter().zip(parallelisms);
        let names = tasks.flat_map(|(name, n)| (0..n).map(move |i| format!("{name}-{i}")));
        Ok(Self { topology, names: names.collect() })
    }

    fn task(&self, name: &str) -> Result<SubtaskIndex, String> {
        let place = self.names.iter().position(|known| known == name);
        place.map(SubtaskIndex::at).ok_or_else(|| format!("no task {name}"))
    }

    fn told(&self, tasks: &[SubtaskIndex]) -> Value {
        json!(tasks.iter().map(|task| &self.names[task.index()]).collect::<Vec<_>>())
    }
}
