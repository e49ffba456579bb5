//! Scenarios made in code, for pictures and sentences: the lecture, and jobs
//! of other shapes.

use checkdam::model::{
    ChannelKind, CheckpointingMode, Config, Delay, Edge, ExecutionGraph, FactPattern, Fault,
    FaultKind, JobGraph, JoinSide, KeySelector, MapFunction, MaxParallelismOrigin, Micros, Moment,
    Operator, OperatorIndex, OperatorKind, Partitioner, Predicate, Redistribution, RpcDelays,
    Scenario, SinkKind, SnapshotState, Split, SplitValues, StorageSpec, SubtaskSpec, Text, Time,
    Value, When,
};
use checkdam::narrate::Story;

fn ms(ms: u64) -> Delay {
    Delay::Fixed(Micros::from_ms(ms))
}

fn text(en: &str, zh: &str) -> Text {
    Text { en: en.to_owned(), zh: zh.to_owned() }
}

fn numbers(from: i64, to: i64) -> SplitValues {
    SplitValues::Range { from, to }
}

/// A job under construction.
#[derive(Default)]
pub(super) struct Job {
    graph: JobGraph,
    config: Config,
    triggers: Vec<When>,
    faults: Vec<Fault>,
    moments: Vec<Moment>,
    broken: Vec<checkdam::model::Mutation>,
}

impl Job {
    fn operator(mut self, name: &str, kind: OperatorKind, subtasks: &[(&str, Text, Text)]) -> Self {
        let is_source = matches!(kind, OperatorKind::Source { .. });
        let subtasks: Vec<SubtaskSpec> = subtasks
            .iter()
            .map(|(own, label, short)| SubtaskSpec {
                name: (*own).to_owned(),
                label: label.clone(),
                short: short.clone(),
                service: if is_source { ms(10) } else { Delay::NONE },

                sync: Delay::NONE,
                store: Delay::NONE,
            })
            .collect();
        let parallelism = subtasks.len() as u32;
        self.graph.operators.push(Operator {
            name: name.to_owned(),
            uid: name.to_owned(),
            label: Text::same(name),
            kind,
            parallelism,
            max_parallelism: 128,
            max_parallelism_origin: MaxParallelismOrigin::Derived,
            bytes_per_key: SnapshotState::KEY_BYTES,
            subtasks,
        });
        self
    }

    /// A source whose subtasks are named after their splits.
    pub(super) fn source(self, name: &str, splits: &[(&str, &str, SplitValues)]) -> Self {
        let subtasks: Vec<_> = splits
            .iter()
            .map(|(split, zh, _)| {
                let label = text(&format!("{split} source"), &format!("{zh}源"));
                (*split, label, text(split, zh))
            })
            .collect();
        let kind = OperatorKind::Source {
            splits: splits
                .iter()
                .map(|(split, zh, values)| Split {
                    name: (*split).to_owned(),
                    label: text(split, zh),
                    values: values.clone(),
                })
                .collect(),
            replayable: true,
            redistribution: Redistribution::EvenSplit,
        };
        self.operator(name, kind, &subtasks)
    }

    /// An operator with named subtasks; with several, "name(part)".
    pub(super) fn named(
        self,
        name: &str,
        zh: &str,
        kind: OperatorKind,
        parts: &[(&str, &str)],
    ) -> Self {
        let is_sink = matches!(kind, OperatorKind::Sink(_));
        let subtasks: Vec<_> = parts
            .iter()
            .map(|(part, part_zh)| {
                let label = text(&format!("{name}({part})"), &format!("{zh}({part_zh})"));
                let short = if is_sink { label.clone() } else { text(part, part_zh) };
                (*part, label, short)
            })
            .collect();
        self.operator(name, kind, &subtasks)
    }

    /// An operator with numbered subtasks, or just one.
    pub(super) fn plain(self, name: &str, kind: OperatorKind, parallelism: usize) -> Self {
        let parts: Vec<String> = (0..parallelism).map(|part| part.to_string()).collect();
        let subtasks: Vec<_> = parts
            .iter()
            .map(|part| {
                let label =
                    if parallelism == 1 { name.to_owned() } else { format!("{name}({part})") };
                (part.as_str(), Text::same(&label), Text::same(&label))
            })
            .collect();
        self.operator(name, kind, &subtasks)
    }

    /// An edge between two operators by position.
    pub(super) fn edge(mut self, from: usize, to: usize, partitioner: Partitioner) -> Self {
        let to = OperatorIndex::at(to);
        let first = !self.graph.edges.iter().any(|edge| edge.to == to);
        self.graph.edges.push(Edge {
            from: OperatorIndex::at(from),
            to,
            input: if first { JoinSide::Left } else { JoinSide::Right },
            partitioner,
            kind: ChannelKind::Remote,
            latency: ms(5),
            channel_latency: Vec::new(),
            credits: 8,
            output_buffers: 8,
        });
        self
    }

    /// Changes the newest edge.
    pub(super) fn with_edge(mut self, change: impl FnOnce(&mut Edge)) -> Self {
        change(self.graph.edges.last_mut().expect("there is an edge"));
        self
    }

    pub(super) fn with_service(mut self, operator: usize, service: Delay) -> Self {
        for subtask in &mut self.graph.operators[operator].subtasks {
            subtask.service = service.clone();
        }
        self
    }

    pub(super) fn trigger(mut self, at_ms: u64) -> Self {
        self.triggers.push(When::At(Time(at_ms * 1000)));
        self
    }

    pub(super) fn concurrent(mut self, n: u32) -> Self {
        self.config.max_concurrent_checkpoints = n;
        self
    }

    pub(super) fn crash(mut self, task: u32, at_ms: u64) -> Self {
        let task = checkdam::model::SubtaskIndex(task);
        self.faults.push(Fault {
            kind: FaultKind::CrashSubtask(task),
            when: When::At(Time(at_ms * 1000)),
        });
        self
    }

    /// Unaligned checkpoints, at once or after a timeout.
    pub(super) fn unaligned(mut self, timeout_ms: u64) -> Self {
        self.config.unaligned = true;
        self.config.aligned_timeout = Micros::from_ms(timeout_ms);
        self
    }

    pub(super) fn at_least_once(mut self) -> Self {
        self.config.mode = CheckpointingMode::AtLeastOnce;
        self
    }

    /// A synchronous and an asynchronous part of every snapshot of an operator.
    pub(super) fn with_snapshot(mut self, operator: usize, sync: Delay, store: Delay) -> Self {
        for subtask in &mut self.graph.operators[operator].subtasks {
            subtask.sync = sync.clone();
            subtask.store = store.clone();
        }
        self
    }

    pub(super) fn breaks(mut self, mutation: checkdam::model::Mutation) -> Self {
        self.broken.push(mutation);
        self
    }

    pub(super) fn moment(mut self, title: (&str, &str), begins: Option<FactPattern>) -> Self {
        self.moments.push(Moment {
            name: title.0.replace(' ', "-"),
            title: text(title.0, title.1),
            note: Text::default(),
            begins,
            ends: None,
        });
        self
    }

    pub(super) fn scenario(self, title: &str) -> Scenario {
        Scenario {
            document: "{}".to_owned(),
            name: title.to_lowercase().replace(' ', "-"),
            title: Text::same(title),
            notes: Text::default(),
            graph: ExecutionGraph::expand(self.graph),
            config: self.config,
            rpc: RpcDelays { trigger: ms(3), acknowledge: ms(2), notify: ms(2) },
            storage: StorageSpec::INSTANT,
            cancel: None,
            backlogs: Vec::new(),
            initial_delay: checkdam::model::InitialDelay::Interval,
            message_faults: Vec::new(),
            start: None,
            from: None,
            triggers: self.triggers,
            savepoints: Vec::new(),
            faults: self.faults,
            task_managers: Vec::new(),
            moments: self.moments,
            broken: self.broken,
            steps_max: 100_000,
        }
    }
}

/// Runs a scenario and keeps its story.
pub(super) fn story(scenario: Scenario) -> Story {
    let (trace, _) = checkdam::sim::simulate(&scenario, 1);
    Story::new(scenario, trace)
}

const PARTS: [(&str, &str); 2] = [("even", "偶"), ("odd", "奇")];

/// Two sources, keyed sums, sinks: the lecture's job, with delays at which
/// both sums have to hold records back.
pub(super) fn two_sources(sink: SinkKind) -> Job {
    Job::default()
        .source("numbers", &[("blue", "蓝", numbers(1, 5)), ("yellow", "黄", numbers(1, 6))])
        .named("sum", "和", OperatorKind::Sum(KeySelector::Parity), &PARTS)
        .named("sink", "汇", OperatorKind::Sink(sink), &PARTS)
        .edge(0, 1, Partitioner::Hash(KeySelector::Parity))
        .with_edge(|edge| {
            edge.latency = ms(4);
            edge.channel_latency = vec![(1, 0, ms(21)), (0, 1, ms(17))];
        })
        .edge(1, 2, Partitioner::Forward)
        .trigger(0)
        .trigger(33)
}

/// A slow sum beside its source, on one machine.
pub(super) fn local() -> Job {
    Job::default()
        .source("numbers", &[("n", "数", numbers(1, 9))])
        .plain("sum", OperatorKind::Sum(KeySelector::Parity), 1)
        .plain("sink", OperatorKind::Sink(SinkKind::Publish), 1)
        .edge(0, 1, Partitioner::Hash(KeySelector::Parity))
        .with_edge(|edge| edge.kind = ChannelKind::Local)
        .edge(1, 2, Partitioner::Forward)
        .with_service(1, ms(24))
        .trigger(45)
        .unaligned(0)
}

/// Jobs of many shapes, by name.
pub(super) fn shapes() -> Vec<(&'static str, Scenario)> {
    let letters = SplitValues::List("abcde".chars().map(Value::Letter).collect());
    let many: Vec<(String, String)> =
        (0..12).map(|n| (format!("s{n}"), format!("源头{n}"))).collect();
    let many: Vec<(&str, &str, SplitValues)> =
        many.iter().map(|(en, zh)| (en.as_str(), zh.as_str(), numbers(1, 6))).collect();
    let slow = |job: Job| job.with_service(1, ms(30));
    vec![
        ("lecture", two_sources(SinkKind::Publish).scenario("Two sources")),
        (
            "crash",
            two_sources(SinkKind::Transactional).crash(2, 80).scenario("A crash, transactional"),
        ),
        ("crash-publish", two_sources(SinkKind::Publish).crash(3, 70).scenario("A crash")),
        (
            "no-alignment",
            two_sources(SinkKind::Idempotent)
                .breaks(checkdam::model::Mutation::ProcessAfterFirstBarrier)
                .scenario("No alignment"),
        ),
        (
            "first-barrier",
            two_sources(SinkKind::Publish)
                .breaks(checkdam::model::Mutation::SnapshotAtFirstBarrier)
                .scenario("Snapshot at the first barrier"),
        ),
        (
            "single",
            Job::default()
                .source("letters", &[("letters", "字母", letters)])
                .plain("count", OperatorKind::Count(KeySelector::Value), 1)
                .plain("sink", OperatorKind::Sink(SinkKind::Publish), 1)
                .edge(0, 1, Partitioner::Forward)
                .edge(1, 2, Partitioner::Forward)
                .trigger(25)
                .scenario("One stream of letters"),
        ),
        (
            "chain",
            Job::default()
                .source("numbers", &[("n", "数", numbers(1, 12))])
                .plain("plus", OperatorKind::Map(MapFunction::Add(3)), 2)
                .plain("big", OperatorKind::Filter(Predicate::Above(6)), 2)
                .plain("total", OperatorKind::Sum(KeySelector::Modulo(3)), 1)
                .plain("sink", OperatorKind::Sink(SinkKind::Transactional), 1)
                .edge(0, 1, Partitioner::Rebalance)
                .edge(1, 2, Partitioner::Forward)
                .edge(2, 3, Partitioner::Hash(KeySelector::Modulo(3)))
                .edge(3, 4, Partitioner::Forward)
                .trigger(40)
                .scenario("A chain of five"),
        ),
        (
            "join",
            Job::default()
                .source("orders", &[("orders", "订单", numbers(1, 6))])
                .source("payments", &[("payments", "付款", numbers(2, 7))])
                .named("pair", "配对", OperatorKind::Join(KeySelector::Parity), &PARTS)
                .plain("sink", OperatorKind::Sink(SinkKind::Publish), 1)
                .edge(0, 2, Partitioner::Hash(KeySelector::Parity))
                .edge(1, 2, Partitioner::Hash(KeySelector::Parity))
                .with_edge(|edge| edge.latency = ms(18))
                .edge(2, 3, Partitioner::Rebalance)
                .trigger(35)
                .scenario("A join"),
        ),
        (
            "backpressure",
            slow(two_sources(SinkKind::Publish))
                .concurrent(3)
                .trigger(60)
                .trigger(70)
                .scenario("Backpressure"),
        ),
        ("unaligned", two_sources(SinkKind::Publish).unaligned(0).scenario("Unaligned")),
        (
            "unaligned-backpressure",
            slow(two_sources(SinkKind::Transactional))
                .with_edge(|edge| edge.partitioner = Partitioner::Rebalance)
                .unaligned(0)
                .trigger(60)
                .scenario("Unaligned under backpressure"),
        ),
        (
            "timeout",
            slow(two_sources(SinkKind::Publish)).unaligned(12).trigger(60).scenario("A timeout"),
        ),
        (
            "at-least-once",
            two_sources(SinkKind::Publish).at_least_once().crash(3, 70).scenario("At least once"),
        ),
        (
            "snapshots-take-time",
            two_sources(SinkKind::Publish)
                .with_snapshot(1, ms(6), ms(9))
                .unaligned(0)
                .scenario("Snapshots take time"),
        ),
        ("local", local().scenario("One machine")),
        ("local-crash", local().crash(1, 85).scenario("One machine, a crash")),
        (
            "wide",
            Job::default()
                .source("many", &many)
                .plain("all", OperatorKind::Union, 10)
                .plain("sink", OperatorKind::Sink(SinkKind::Publish), 3)
                .edge(0, 1, Partitioner::Broadcast)
                .edge(1, 2, Partitioner::Rebalance)
                .trigger(30)
                .scenario("Very many of everything"),
        ),
    ]
}
