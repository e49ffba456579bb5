//! Small jobs, put together by hand.

use checkdam::model::{
    ChannelKind, Config, Delay, Edge, ExecutionGraph, JobGraph, JoinSide, KeySelector, MapFunction,
    MaxParallelismOrigin, Micros, Operator, OperatorIndex, OperatorKind, Partitioner,
    Redistribution, RpcDelays, Scenario, SinkKind, SnapshotState, Split, SplitValues, StorageSpec,
    SubtaskSpec, Text,
};

/// An operator with named subtasks.
pub(super) fn operator(name: &str, kind: OperatorKind, subtasks: &[&str]) -> Operator {
    let is_source = matches!(kind, OperatorKind::Source { .. });
    let spec = |subtask: &&str| SubtaskSpec {
        name: (*subtask).to_owned(),
        label: Text::same(&format!("{name}({subtask})")),
        short: Text::same(subtask),
        service: if is_source { Delay::Fixed(Micros(1000)) } else { Delay::NONE },
        sync: Delay::NONE,
        store: Delay::NONE,
    };
    Operator {
        name: name.to_owned(),
        uid: name.to_owned(),
        label: Text::same(name),
        kind,
        parallelism: subtasks.len() as u32,
        max_parallelism: 128,
        max_parallelism_origin: MaxParallelismOrigin::Derived,
        bytes_per_key: SnapshotState::KEY_BYTES,
        subtasks: subtasks.iter().map(spec).collect(),
    }
}

/// A source of whole numbers from 1, one split a name.
pub(super) fn numbers(replayable: bool, splits: &[(&str, i64)]) -> OperatorKind {
    let split = |(name, to): &(&str, i64)| Split {
        name: (*name).to_owned(),
        label: Text::same(name),
        values: SplitValues::Range { from: 1, to: *to },
    };
    OperatorKind::Source {
        splits: splits.iter().map(split).collect(),
        replayable,
        redistribution: Redistribution::EvenSplit,
    }
}

/// A job with an edge for each (from, to, partitioner).
pub(super) fn scenario(operators: Vec<Operator>, edges: Vec<(u32, u32, Partitioner)>) -> Scenario {
    let edge = |(from, to, partitioner)| Edge {
        from: OperatorIndex(from),
        to: OperatorIndex(to),
        input: JoinSide::Left,
        partitioner,
        kind: ChannelKind::Remote,
        latency: Delay::Uniform { min: Micros(1), max: Micros(5000) },
        channel_latency: Vec::new(),
        credits: 8,
        output_buffers: 8,
    };
    let edges = edges.into_iter().map(edge).collect();
    let rpc = Delay::Uniform { min: Micros(1), max: Micros(2000) };
    Scenario {
        document: "{}".to_owned(),
        name: "by hand".to_owned(),
        title: Text::default(),
        notes: Text::default(),
        graph: ExecutionGraph::expand(JobGraph { operators, edges }),
        config: Config::default(),
        rpc: RpcDelays { trigger: rpc.clone(), acknowledge: rpc.clone(), notify: rpc },
        storage: StorageSpec::INSTANT,
        cancel: None,
        backlogs: Vec::new(),
        initial_delay: checkdam::model::InitialDelay::Interval,
        message_faults: Vec::new(),
        start: None,
        from: None,
        triggers: Vec::new(),
        savepoints: Vec::new(),
        faults: Vec::new(),
        task_managers: Vec::new(),
        moments: Vec::new(),
        broken: Vec::new(),
        steps_max: 1_000_000,
    }
}

/// The lecture's job: blue 1 to 5, yellow 1 to 6, sums by parity, two sinks.
pub(super) fn lecture(sink: SinkKind) -> Scenario {
    lecture_from(numbers(true, &[("blue", 5), ("yellow", 6)]), sink)
}

/// The lecture's job with sources that cannot read anything twice.
pub(super) fn lecture_from_sockets(sink: SinkKind) -> Scenario {
    lecture_from(numbers(false, &[("blue", 5), ("yellow", 6)]), sink)
}

fn lecture_from(source: OperatorKind, sink: SinkKind) -> Scenario {
    scenario(
        vec![
            operator("numbers", source, &["blue", "yellow"]),
            operator("sum", OperatorKind::Sum(KeySelector::Parity), &["even", "odd"]),
            operator("sink", OperatorKind::Sink(sink), &["even", "odd"]),
        ],
        vec![(0, 1, Partitioner::Hash(KeySelector::Parity)), (1, 2, Partitioner::Forward)],
    )
}

/// Two sources into two maps, then a sum: the record can be lost before it
/// comes to anything that counts.
pub(super) fn with_maps() -> Scenario {
    scenario(
        vec![
            operator("numbers", numbers(true, &[("blue", 3), ("yellow", 3)]), &["blue", "yellow"]),
            operator("map", OperatorKind::Map(MapFunction::Add(0)), &["0"]),
            operator("sum", OperatorKind::Sum(KeySelector::Parity), &["0"]),
            operator("sink", OperatorKind::Sink(SinkKind::Publish), &["0"]),
        ],
        vec![
            (0, 1, Partitioner::Rebalance),
            (1, 2, Partitioner::Hash(KeySelector::Parity)),
            (2, 3, Partitioner::Forward),
        ],
    )
}

/// One source that is broadcast to two sums of one subtask each, by two edges:
/// each record counts four times, on four ways.
pub(super) fn branching() -> Scenario {
    let key = || Partitioner::Hash(KeySelector::Parity);
    scenario(
        vec![
            operator("numbers", numbers(true, &[("blue", 2)]), &["0"]),
            operator("copy", OperatorKind::Union, &["0", "1"]),
            operator("sum", OperatorKind::Sum(KeySelector::Parity), &["0"]),
            operator("count", OperatorKind::Count(KeySelector::Parity), &["0"]),
            operator("sink", OperatorKind::Sink(SinkKind::Publish), &["0"]),
        ],
        vec![
            (0, 1, Partitioner::Broadcast),
            (1, 2, key()),
            (1, 3, key()),
            (2, 4, Partitioner::Forward),
            (3, 4, Partitioner::Forward),
        ],
    )
}
