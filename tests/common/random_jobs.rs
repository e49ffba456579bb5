//! Random scenarios: jobs, delays, settings and faults, as scenario files. The
//! same number always gives the same file.

use checkdam::load;
use checkdam::model::Scenario;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

/// Random choices.
struct Choices(ChaCha8Rng);

impl Choices {
    /// A whole number from `from` to `to`, both included.
    fn number(&mut self, from: u64, to: u64) -> u64 {
        from + self.0.next_u64() % (to - from + 1)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.number(1, 100) <= percent
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.number(0, of.len() as u64 - 1) as usize]
    }

    /// A delay of at most so many milliseconds.
    fn delay(&mut self, most: u64) -> Value {
        match self.number(0, 2) {
            0 => json!(self.number(0, most)),
            1 => {
                let min = self.number(0, most);
                json!({ "min": min, "max": self.number(min, most) })
            }
            _ => json!((0..self.number(1, 5)).map(|_| self.number(0, most)).collect::<Vec<_>>()),
        }
    }
}

/// How the checkpoints of a random job are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Aligned,
    Unaligned,
    Timeout,
    AtLeastOnce,
}

impl Mode {
    pub(crate) const ALL: [Self; 4] =
        [Self::Aligned, Self::Unaligned, Self::Timeout, Self::AtLeastOnce];

    /// The mode of the random scenario of a number: they take turns.
    pub(crate) fn of(number: u64) -> Self {
        Self::ALL[number as usize % Self::ALL.len()]
    }
}

/// The random scenario of a number.
pub(crate) fn scenario(number: u64) -> Scenario {
    scenario_in(number, Mode::of(number))
}

/// The random scenario of a number, in another mode perhaps.
pub(crate) fn scenario_in(number: u64, mode: Mode) -> Scenario {
    loaded(number, &document(number, mode))
}

/// The scenario that a random file holds.
pub(crate) fn loaded(number: u64, document: &Value) -> Scenario {
    let text = document.to_string();
    match load::scenario(&format!("random-{number}"), text.as_bytes()) {
        Ok(loaded) => loaded.scenario,
        Err(problems) => panic!("random scenario {number} is not valid: {problems:?}\n{text}"),
    }
}

/// The file of the random scenario of a number.
pub(crate) fn document(number: u64, mode: Mode) -> Value {
    let mut choices = Choices(ChaCha8Rng::seed_from_u64(number));
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
    let mut config = Map::new();
    config.insert("restart-strategy.type".into(), json!("fixed-delay"));
    config.insert("restart-strategy.fixed-delay.attempts".into(), json!(100));
    config.insert("restart-strategy.fixed-delay.delay".into(), json!(c.number(0, 40)));
    config.insert("execution.checkpointing.interval".into(), json!(c.number(10, 60)));
    let (concurrent, timeout) = (c.number(1, 3), *c.one(&[1, 4, 10, 25, 80]));
    if matches!(mode, Mode::Aligned | Mode::AtLeastOnce) {
        let name = "execution.checkpointing.max-concurrent-checkpoints";
        config.insert(name.into(), json!(concurrent));
    }
    if mode == Mode::AtLeastOnce {
        config.insert("execution.checkpointing.mode".into(), json!("AT_LEAST_ONCE"));
    }
    if matches!(mode, Mode::Unaligned | Mode::Timeout) {
        config.insert("execution.checkpointing.unaligned.enabled".into(), json!(true));
        // A partitioner of the job's own asks for it.
        config.insert("execution.checkpointing.unaligned.forced".into(), json!(true));
    }
    if mode == Mode::Timeout {
        let name = "execution.checkpointing.aligned-checkpoint-timeout";
        config.insert(name.into(), json!(timeout));
    }
    if c.chance(25) {
        // No last checkpoint: what stands in open transactions at the end is lost.
        config
            .insert("execution.checkpointing.checkpoints-after-tasks-finish".into(), json!(false));
    }
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

/// A channel that every random job has.
const CHANNEL: &str = "keyed[t0]->sink0[t0]";

fn fault(c: &mut Choices, tasks: &[String]) -> Value {
    let task = c.one(tasks).clone();
    let mut fault = match c.number(0, 5) {
        0 => json!({ "slow": task, "times": c.number(2, 9), "for": c.number(1, 50) }),
        1 => json!({ "slow": CHANNEL, "times": c.number(2, 9), "for": c.number(1, 50) }),
        2 => json!({ "crash": "manager" }),
        _ => json!({ "crash": task }),
    };
    let checkpoint = c.number(1, 3);
    match c.number(0, 3) {
        0 => {
            fault["at"] = json!(c.number(0, 200));
        }
        1 => {
            fault["when"] = json!(format!("checkpoint {checkpoint} is complete"));
            fault["after"] = json!(c.number(0, 5));
        }
        2 => {
            let other = c.one(tasks);
            fault["when"] = json!(format!("{other} has taken snapshot {checkpoint}"));
        }
        _ => {
            fault["when"] = json!("attempt 2 starts");
            fault["after"] = json!(c.number(0, 20));
        }
    }
    fault
}

/// The same job with its state in files: any backend, any size, storage that
/// needs time, stalls, does not answer, or is another one on each machine.
pub(crate) fn with_files(number: u64, document: &Value) -> Value {
    let mut choices = Choices(ChaCha8Rng::seed_from_u64(number));
    let c = &mut choices;
    let mut document = document.clone();
    let config = document["config"].as_object_mut().expect("it has settings");
    config.insert("execution.checkpointing.dir".into(), json!("hdfs:///checkpoints"));
    config.insert("state.backend.type".into(), json!(c.one(&["hashmap", "rocksdb", "rocksdb"])));
    config.insert("execution.checkpointing.incremental".into(), json!(c.chance(70)));
    config.insert("execution.checkpointing.num-retained".into(), json!(c.number(1, 3)));
    config.insert("execution.state-recovery.from-local".into(), json!(c.chance(50)));
    // What an outage costs is another story.
    config.insert("execution.checkpointing.tolerable-failed-checkpoints".into(), json!(i32::MAX));
    config.insert("restart-strategy.fixed-delay.attempts".into(), json!(1_000));
    let threshold = c.one(&["0 b", "100 b", "20 kb"]);
    config.insert("execution.checkpointing.data-inline-threshold".into(), json!(threshold));
    document["job"]["keyed"]["bytes-per-key"] = json!(c.number(1, 2_000));
    if c.chance(75) {
        document["storage"] = json!({
            "latency": c.number(0, 4),
            "bandwidth": c.number(100_000, 2_000_000),
            "disk": { "latency": c.number(0, 2) },
        });
    }
    let faults = document["faults"].as_array_mut().expect("it has faults");
    for _ in 0..c.number(0, 2) {
        let mut fault = match c.chance(50) {
            true => json!({ "storage": "down", "for": c.number(1, 60) }),
            false => {
                json!({ "storage": "slow", "times": c.number(2, 9), "for": c.number(1, 60) })
            }
        };
        fault["at"] = json!(c.number(0, 250));
        faults.push(fault);
    }
    document
}

/// Two random jobs as one: nothing connects them. The settings are those of the
/// first.
pub(crate) fn beside(one: &Value, other: &Value) -> Value {
    let mut text = other.to_string();
    for name in ["source0", "source1", "sink0", "sink1", "middle", "behind", "keyed"] {
        text = text.replace(name, &format!("b-{name}"));
    }
    for (name, new) in [("\"manager\"", "\"b-manager\""), ("\"s0-", "\"b0-"), ("\"s1-", "\"b1-")] {
        text = text.replace(name, new);
    }
    let other: Value = serde_json::from_str(&text).expect("names are only names");
    let mut both = one.clone();
    for key in ["job", "taskmanagers"] {
        let more = other[key].as_object().expect("it has names").clone();
        both[key].as_object_mut().expect("it has names").extend(more);
    }
    for key in ["edges", "faults"] {
        let more = other[key].as_array().expect("it is a list").clone();
        both[key].as_array_mut().expect("it is a list").extend(more);
    }
    both
}
