//! A random job: one or two sources, perhaps something in the middle, a keyed
//! operator, one or two sinks; delays everywhere, little room in channels.

use serde_json::{Map, Value, json};

use super::choices::Choices;
use super::fault::fault;
use super::mode::{Mode, settings};

/// The file of the random scenario of a number.
#[must_use]
pub fn job(number: u64, mode: Mode) -> Value {
    let mut choices = Choices::new(number);
    let c = &mut choices;
    let (mut job, mut edges) = (Map::new(), Vec::new());
    let n_sources = c.number(1, 2);
    let mut tasks = Vec::new();
    for source in 0..n_sources {
        let n_splits = c.number(1, 3);
        let splits = (0..n_splits).map(|split| {
            let values = match c.number(0, 1) {
                0 => json!({ "from": 1, "to": c.number(0, 25) }),
                _ => json!({ "random": c.number(0, 25), "below": c.number(1, 9) }),
            };
            (format!("s{source}-{split}"), values)
        });
        let splits: Map<String, Value> = splits.collect();
        let parallelism = c.number(1, n_splits);
        let name = format!("source{source}");
        let mut operator = json!({
            "source": splits, "parallelism": parallelism, "service": c.delay(6),
            "names": (0..parallelism).map(|i| format!("r{i}")).collect::<Vec<_>>(),
        });
        snapshot(c, &mut operator);
        job.insert(name.clone(), operator);
        tasks.extend((0..parallelism).map(|i| format!("{name}[r{i}]")));
    }
    let names: Vec<String> = (0..n_sources).map(|source| format!("source{source}")).collect();
    let mut last = names.clone();
    let middles: &[&str] = match c.number(0, 4) {
        0 | 1 => &[],
        2 | 3 => &["middle"],
        _ => &["middle", "behind"],
    };
    for name in middles {
        let kind = match c.number(0, 3) {
            0 => json!({ "map": { "add": 3 } }),
            1 => json!({ "filter": "odd" }),
            2 => json!({ "map": { "multiply": -2 } }),
            _ => json!({ "union": true }),
        };
        add(c, &mut job, &mut tasks, (name, kind));
        for from in &last {
            edges.push(edge(c, &job, (from, name), ANY));
        }
        last = vec![(*name).to_owned()];
    }
    let key = match c.number(0, 3) {
        0 => json!("parity"),
        1 => json!("value"),
        2 => json!({ "names": ["a", "b", "c"] }),
        _ => json!({ "modulo": c.number(1, 7) }),
    };
    let keyed = match c.number(0, 3) {
        0 => json!({ "sum": key }),
        1 => json!({ "count": key }),
        2 => json!({ "max": key }),
        _ if last.len() == 2 => json!({ "join": key }),
        _ => json!({ "sum": key }),
    };
    add(c, &mut job, &mut tasks, ("keyed", keyed));
    for from in &last {
        edges.push(edge(c, &job, (from, "keyed"), &["hash"]));
    }
    let sinks = if c.chance(25) { 2 } else { 1 };
    for sink in 0..sinks {
        let name = format!("sink{sink}");
        let kind = c.one(&["publish", "transactional", "transactional", "idempotent"]);
        add(c, &mut job, &mut tasks, (&name, json!({ "sink": kind })));
        edges.push(edge(c, &job, ("keyed", &name), ANY));
    }
    let config = settings(c, mode);
    let faults: Vec<Value> = (0..c.number(0, 3)).map(|_| fault(c, &tasks)).collect();
    json!({
        "job": job, "edges": edges, "config": config, "faults": faults,
        "taskmanagers": { "manager": ["source0[r0]", "keyed[t0]"] },
        "rpc": { "trigger": c.delay(8), "acknowledge": c.delay(8), "notify": c.delay(8) },
        "steps": 200_000,
    })
}

fn add(
    c: &mut Choices,
    job: &mut Map<String, Value>,
    tasks: &mut Vec<String>,
    what: (&str, Value),
) {
    let (name, mut operator) = what;
    let parallelism = c.number(1, 3);
    operator["parallelism"] = json!(parallelism);
    operator["names"] = json!((0..parallelism).map(|i| format!("t{i}")).collect::<Vec<_>>());
    if c.chance(40) {
        let most = *c.one(&[5, 5, 15]);
        operator["service"] = c.delay(most);
    }
    snapshot(c, &mut operator);
    job.insert(name.to_owned(), operator);
    tasks.extend((0..parallelism).map(|i| format!("{name}[t{i}]")));
}

/// What a snapshot costs, if it costs anything.
fn snapshot(c: &mut Choices, operator: &mut Value) {
    if c.chance(30) {
        operator["snapshot"] = json!({ "sync": c.delay(4), "async": c.delay(20) });
    }
}

/// Ways to distribute records that need no key.
const ANY: &[&str] = &["rebalance", "rebalance", "modulo", "broadcast", "forward"];

fn edge(
    c: &mut Choices,
    job: &Map<String, Value>,
    (from, to): (&str, &str),
    partitioners: &[&str],
) -> Value {
    let most = if c.chance(25) { 2 } else { 6 };
    let capacity = json!({ "credits": c.number(1, most), "buffers": c.number(1, most) });
    let mut partitioner = *c.one(partitioners);
    if partitioner == "forward" && job[from]["parallelism"] != job[to]["parallelism"] {
        partitioner = "rebalance";
    }
    // One edge has a network for certain, which faults make slow.
    if to != "sink0" && c.chance(20) {
        return json!([from, to, partitioner, { "local": true, "capacity": capacity }]);
    }
    json!([from, to, partitioner, { "latency": c.delay(12), "capacity": capacity }])
}
