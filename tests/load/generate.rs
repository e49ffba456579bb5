//! Sound scenarios from a seed, and ways to spoil a text.

use checkdam::model::mix;
use serde_json::{Map, Value, json};

/// A stream of numbers from a seed.
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: mix(seed) }
    }

    /// A number less than a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state) % bound
    }

    pub(crate) fn place(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.place(from.len())]
    }
}

/// An operator as far as its edges need to know it.
struct Made {
    name: String,
    n_subtasks: u64,
    kind: &'static str,
    subtasks: Vec<String>,
}

impl Made {
    fn task(&self, place: usize) -> String {
        if self.subtasks.len() == 1 && self.subtasks[0] == "0" {
            self.name.clone()
        } else {
            format!("{}[{}]", self.name, self.subtasks[place])
        }
    }
}

/// The text of a sound scenario.
pub(crate) fn scenario(seed: u64) -> String {
    let mut maker = Maker { dice: Dice::new(seed), made: Vec::new(), splits: Vec::new() };
    let value = maker.scenario();
    let text = serde_json::to_string_pretty(&value).expect("it is JSON");
    if maker.dice.one_in(4) { format!("// seed {seed}\n{text} /* the end */\n") } else { text }
}

struct Maker {
    dice: Dice,
    made: Vec<Made>,
    /// Name of each split, its source's position, its number of records.
    splits: Vec<(String, usize, u64)>,
}

const NAMES: [&str; 6] = ["red", "green", "north", "south", "奇", "x-1"];

impl Maker {
    fn scenario(&mut self) -> Value {
        let mut job = Map::new();
        for number in 0..1 + self.dice.below(3) {
            let (name, value) = self.source(number);
            job.insert(name, value);
        }
        let n_sources = self.made.len();
        let mut edges = Vec::new();
        for number in 0..self.dice.below(5) {
            let value = self.middle(number, &mut edges);
            job.insert(format!("m{number}"), value);
        }
        self.sink(&mut job, &mut edges, n_sources);
        let mut file = Map::new();
        file.insert("job".to_owned(), Value::Object(job));
        file.insert("edges".to_owned(), Value::Array(edges));
        self.extras(&mut file);
        Value::Object(file)
    }

    fn source(&mut self, number: u64) -> (String, Value) {
        let name = format!("s{number}");
        let n_splits = 1 + self.dice.below(3);
        let mut named = Map::new();
        for split in 0..n_splits {
            let n_records = 1 + self.dice.below(6);
            let values = match self.dice.below(4) {
                0 => json!((0..n_records as i64).map(|n| n - 2).collect::<Vec<_>>()),
                1 => json!("abcdefgh"[..n_records as usize]),
                2 => json!({ "from": 1, "to": n_records }),
                _ => json!({ "random": n_records, "below": 10 }),
            };
            let split_name = format!("{name}-{split}x");
            self.splits.push((split_name.clone(), self.made.len(), n_records));
            named.insert(split_name, values);
        }
        let mut value = Map::new();
        let mut subtasks: Vec<String> = named.keys().cloned().collect();
        if self.dice.one_in(3) {
            let parallelism = 1 + self.dice.below(3);
            value.insert("parallelism".to_owned(), json!(parallelism));
            if parallelism != n_splits {
                subtasks = (0..parallelism).map(|n| n.to_string()).collect();
            }
        }
        value.insert("source".to_owned(), Value::Object(named));
        if self.dice.one_in(4) {
            value.insert("replayable".to_owned(), json!(self.dice.one_in(2)));
        }
        if self.dice.one_in(2) {
            value.insert("service".to_owned(), self.each(&subtasks));
        }
        let n_subtasks = subtasks.len() as u64;
        self.made.push(Made { name: name.clone(), n_subtasks, kind: "source", subtasks });
        (name, Value::Object(value))
    }

    fn middle(&mut self, number: u64, edges: &mut Vec<Value>) -> Value {
        let kinds = ["map", "filter", "sum", "count", "max", "union", "join"];
        let kind = *self.dice.pick(&kinds);
        let what = match kind {
            "map" => self.dice.pick(&[json!({ "add": 3 }), json!({ "multiply": -2 })]).clone(),
            "filter" => self
                .dice
                .pick(&[json!("odd"), json!({ "above": 2 }), json!({ "below": 9 })])
                .clone(),
            "union" => json!(true),
            _ => self.key(),
        };
        let value = self.operator(&format!("m{number}"), kind, what);
        let receiver = self.made.pop().expect("it was just made");
        for side in 0..if kind == "join" { 2 } else { 1 + self.dice.below(2) } {
            let from = self.dice.place(self.made.len());
            let edge = self.edge(from, &receiver, (kind == "join").then_some(side));
            edges.push(edge);
        }
        self.made.push(receiver);
        value
    }

    fn sink(&mut self, job: &mut Map<String, Value>, edges: &mut Vec<Value>, n_sources: usize) {
        let kind = *self.dice.pick(&["publish", "transactional", "idempotent"]);
        let value = self.operator("out", "sink", json!(kind));
        job.insert("out".to_owned(), value);
        let sink = self.made.pop().expect("it was just made");
        let text = serde_json::to_string(&edges).expect("it is JSON");
        for from in 0..self.made.len() {
            let begins = format!("[\"{}\",", self.made[from].name);
            if !text.contains(&begins) || (from < n_sources && self.dice.one_in(6)) {
                let edge = self.edge(from, &sink, None);
                edges.push(edge);
            }
        }
        self.made.push(sink);
    }

    fn operator(&mut self, name: &str, kind: &'static str, what: Value) -> Value {
        let n = 1 + self.dice.below(3);
        let mut value = Map::new();
        value.insert(kind.to_owned(), what);
        let mut subtasks: Vec<String> = (0..n).map(|number| number.to_string()).collect();
        if n > 1 || self.dice.one_in(2) {
            value.insert("parallelism".to_owned(), json!(n));
        }
        if self.dice.one_in(2) {
            let first = self.dice.place(3);
            subtasks = NAMES[first..first + n as usize].iter().map(|s| (*s).to_owned()).collect();
            value.insert("names".to_owned(), json!(subtasks));
        }
        if self.dice.one_in(3) {
            value.insert("service".to_owned(), self.each(&subtasks));
        }
        if self.dice.one_in(5) {
            value.insert("max-parallelism".to_owned(), json!(3 + self.dice.below(200)));
        }
        self.made.push(Made { name: name.to_owned(), n_subtasks: n, kind, subtasks });
        Value::Object(value)
    }

    fn key(&mut self) -> Value {
        let keys = [
            json!("parity"),
            json!("value"),
            json!({ "modulo": 3 }),
            json!({ "names": ["even", "odd", "奇"] }),
        ];
        self.dice.pick(&keys).clone()
    }

    fn edge(&mut self, from: usize, to: &Made, side: Option<u64>) -> Value {
        let is_keyed = ["sum", "count", "max", "join"].contains(&to.kind);
        let mut ways = vec![json!("modulo"), json!({ "hash": { "modulo": 5 } })];
        let sender = &self.made[from];
        if is_keyed {
            ways = vec![json!("hash"), json!("modulo")];
        } else {
            ways.push(json!("rebalance"));
            ways.push(json!("broadcast"));
        }
        if sender.n_subtasks == to.n_subtasks && (!is_keyed || to.n_subtasks == 1) {
            ways.push(json!("forward"));
        }
        let way = self.dice.pick(&ways).clone();
        let sender = &self.made[from];
        let mut edge = vec![json!(sender.name), json!(to.name)];
        if self.dice.one_in(4) && side.is_none() {
            return Value::Array(edge);
        }
        let mut options = Map::new();
        if self.dice.one_in(2) {
            let position = self.dice.place(self.made[from].subtasks.len().min(to.subtasks.len()));
            let channel =
                format!("{}->{}", self.made[from].subtasks[position], to.subtasks[position]);
            let latency = self.delay();
            let latency = if self.dice.one_in(2) { json!({ channel: latency }) } else { latency };
            options.insert("latency".to_owned(), latency);
        }
        if self.dice.one_in(4) {
            let capacities = [json!(3), json!({ "credits": 2 }), json!({ "buffers": 1 })];
            options.insert("capacity".to_owned(), self.dice.pick(&capacities).clone());
        }
        if let Some(side) = side
            && self.dice.one_in(2)
        {
            options.insert("input".to_owned(), json!(["left", "right"][side as usize]));
        }
        edge.push(way);
        if !options.is_empty() {
            edge.push(Value::Object(options));
        }
        Value::Array(edge)
    }

    fn duration(&mut self) -> Value {
        let durations =
            [json!(5), json!("10 ms"), json!("1 s"), json!("250 µs"), json!("2 Min"), json!(" 7 ")];
        self.dice.pick(&durations).clone()
    }

    fn delay(&mut self) -> Value {
        match self.dice.below(3) {
            0 => json!({ "min": 1, "max": "3 ms" }),
            1 => json!([self.duration(), self.duration()]),
            _ => self.duration(),
        }
    }

    fn each(&mut self, subtasks: &[String]) -> Value {
        if self.dice.one_in(2) {
            return self.delay();
        }
        let name = self.dice.pick(subtasks).clone();
        json!({ name: self.delay() })
    }

    fn task(&mut self) -> String {
        let operator = self.dice.place(self.made.len());
        let place = self.dice.place(self.made[operator].subtasks.len());
        self.made[operator].task(place)
    }

    fn fact(&mut self) -> String {
        let (task, n) = (self.task(), 1 + self.dice.below(3));
        let (split, _, n_records) = self.dice.pick(&self.splits).clone();
        let offset = 1 + self.dice.below(n_records);
        match self.dice.below(9) {
            0 => format!("checkpoint {n} is triggered"),
            1 => format!("checkpoint {n} completed"),
            2 => format!("{task} has taken snapshot {n}"),
            3 => format!("checkpoint {n} is acknowledged by {task}"),
            4 => format!("{task} is notified of checkpoint {n}"),
            5 => format!("all tasks are notified of checkpoint {n}"),
            6 => format!("{split} {offset} is read"),
            7 => format!("attempt {n} starts"),
            _ => "job fails".to_owned(),
        }
    }

    fn when(&mut self, object: &mut Map<String, Value>) {
        if self.dice.one_in(2) {
            object.insert("at".to_owned(), self.duration());
            return;
        }
        object.insert("when".to_owned(), json!(self.fact()));
        if self.dice.one_in(3) {
            object.insert("nth".to_owned(), json!(1 + self.dice.below(3)));
        }
        if self.dice.one_in(3) {
            object.insert("after".to_owned(), self.duration());
        }
    }

    fn extras(&mut self, file: &mut Map<String, Value>) {
        let mut faults = Vec::new();
        for _ in 0..self.dice.below(3) {
            let mut fault = Map::new();
            if self.dice.one_in(2) {
                fault.insert("crash".to_owned(), json!(self.task()));
            } else {
                fault.insert("slow".to_owned(), json!(self.task()));
                fault.insert("times".to_owned(), json!(2 + self.dice.below(9)));
                fault.insert("for".to_owned(), json!("20 ms"));
            }
            self.when(&mut fault);
            faults.push(Value::Object(fault));
        }
        if self.dice.one_in(3) {
            file.insert("taskmanagers".to_owned(), json!({ "tm-1": [self.task()], "tm-2": [] }));
            faults.push(json!({ "crash": "tm-1", "at": 4 }));
        }
        file.insert("faults".to_owned(), Value::Array(faults));
        let mut checkpoint = Map::new();
        self.when(&mut checkpoint);
        file.insert("checkpoints".to_owned(), json!([{ "at": 0 }, checkpoint]));
        file.insert("title".to_owned(), json!({ "zh": "随机", "en": "random" }));
        if self.dice.one_in(2) {
            file.insert("rpc".to_owned(), self.delay());
            file.insert("network".to_owned(), json!({ "latency": self.delay(), "capacity": 2 }));
        }
        if self.dice.one_in(2) {
            let config = json!({
                "execution.checkpointing.interval": self.duration_of_interval(),
                "restart-strategy": "fixed-delay",
                "restart-strategy.fixed-delay.attempts": "4",
                "execution.checkpointing.timeout": "1 min",
            });
            file.insert("config".to_owned(), config);
        }
        let label = self.task();
        file.insert("labels".to_owned(), json!({ "zh": { label: "标签" }, "en": {} }));
        let moments = json!([
            { "name": "start" },
            { "name": "later", "when": self.fact(), "until": self.fact(), "title": "later" },
        ]);
        file.insert("moments".to_owned(), moments);
        if self.dice.one_in(4) {
            file.insert("break".to_owned(), json!(["snapshot-at-first-barrier"]));
            file.insert("steps".to_owned(), json!(1000));
        }
    }

    fn duration_of_interval(&mut self) -> Value {
        self.dice.pick(&[json!(10), json!("1 s"), json!("2 h")]).clone()
    }
}

/// Words that are wrong in most places.
const WORDS: [&str; 28] = [
    "null",
    "true",
    "-1",
    "0",
    "1.5",
    "1e9",
    "99999999999999999999",
    "\"\"",
    "\"x\"",
    "\"10 s\"",
    "{}",
    "[]",
    "[[]]",
    "{\"min\":1,\"max\":2}",
    "\"sum[odd]\"",
    "\"checkpoint 1 is complete\"",
    "\"\\u4e00\"",
    "{\"from\":1,\"to\":4000000000}",
    ",",
    ":",
    "{",
    "}",
    "]",
    "\"",
    "//",
    "/*",
    "\\",
    "4096",
];

/// A text, spoilt in one to three places.
pub(crate) fn spoilt(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + dice.below(4) / 2 {
        if bytes.is_empty() {
            break;
        }
        let at = dice.place(bytes.len());
        let until = (at + dice.place(40)).min(bytes.len());
        match dice.below(16) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..until)),
            2 => {
                let again = bytes[at..until].to_vec();
                bytes.splice(at..at, again);
            }
            3 => bytes[at] = dice.below(256) as u8,
            // The rest replaces whole values, which gets further; a value of
            // the same type gets furthest.
            _ => {
                let tokens = tokens(&bytes);
                if tokens.is_empty() {
                    continue;
                }
                let place = dice.pick(&tokens).clone();
                let is_string = |at: usize| bytes[at] == b'"';
                let alike: Vec<_> = tokens
                    .iter()
                    .filter(|other| is_string(other.start) == is_string(place.start))
                    .collect();
                let word = match dice.below(4) {
                    0 => dice.pick(&WORDS).as_bytes().to_vec(),
                    1 => bytes[dice.pick(&tokens).clone()].to_vec(),
                    _ => bytes[(*dice.pick(&alike)).clone()].to_vec(),
                };
                bytes.splice(place, word);
            }
        }
    }
    bytes
}

/// The places of strings and numbers.
fn tokens(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if bytes[at] == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += 1;
            }
            at = (at + 1).min(bytes.len());
            tokens.push(start..at);
        } else if bytes[at].is_ascii_digit() {
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            tokens.push(start..at);
        } else {
            at += 1;
        }
    }
    tokens
}
