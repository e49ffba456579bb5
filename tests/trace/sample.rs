//! A scenario with every kind of name and key in it, made by hand, so that
//! these tests need no loader.

use checkdam::model::{
    ChannelKind, Config, Delay, Edge, ExecutionGraph, JobGraph, JoinSide, KeySelector,
    MaxParallelismOrigin, Micros, Operator, OperatorIndex, OperatorKind, Partitioner,
    Redistribution, RpcDelays, Scenario, SinkKind, SnapshotState, Split, SplitValues, StorageSpec,
    SubtaskIndex, SubtaskSpec, TaskManager, Text,
};

/// Sources, keyed operators of every selector, a union of two of them, a join,
/// and sinks; some names need escapes.
pub(crate) fn scenario() -> Scenario {
    let names = ["red".to_owned(), "绿".to_owned(), "say \"blue\"".to_owned()];
    let operators = vec![
        operator(
            "numbers",
            &["blue", "yellow"],
            source(&["blue", "yellow", "a/b~1.2", "色\t\"c\""]),
        ),
        operator("letters", &["0"], source(&["letters"])),
        operator("sum", &["even", "odd"], OperatorKind::Sum(KeySelector::Parity)),
        operator("count", &["0", "1"], OperatorKind::Count(KeySelector::Modulo(7))),
        operator("max \"of\" all", &["0"], OperatorKind::Max(KeySelector::Names(names.into()))),
        operator("both", &["0"], OperatorKind::Union),
        operator("join", &["左", "右"], OperatorKind::Join(KeySelector::Value)),
        operator("sink", &["even", "odd"], OperatorKind::Sink(SinkKind::Transactional)),
        operator("screen", &["0"], OperatorKind::Sink(SinkKind::Publish)),
    ];
    let edges = vec![
        edge(0, 2, Partitioner::Hash(KeySelector::Parity)),
        edge(0, 3, Partitioner::Hash(KeySelector::Modulo(7))),
        edge(0, 4, Partitioner::Rebalance),
        edge(2, 5, Partitioner::Rebalance),
        edge(3, 5, Partitioner::Rebalance),
        edge(1, 6, Partitioner::Hash(KeySelector::Value)),
        Edge { input: JoinSide::Right, ..edge(1, 6, Partitioner::Broadcast) },
        edge(6, 7, Partitioner::Forward),
        edge(5, 8, Partitioner::Rebalance),
        edge(4, 8, Partitioner::Rebalance),
        edge(2, 7, Partitioner::Forward),
    ];
    Scenario {
        document: r#"{"title":"A \"sample\"","job":{"色":[1,2.50,-0]}}"#.to_owned(),
        name: "sample".to_owned(),
        title: Text::same("A sample"),
        notes: Text::default(),
        graph: ExecutionGraph::expand(JobGraph { operators, edges }),
        config: Config::default(),
        rpc: RpcDelays { trigger: Delay::NONE, acknowledge: Delay::NONE, notify: Delay::NONE },
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
        task_managers: vec![
            TaskManager { name: "left".to_owned(), subtasks: vec![SubtaskIndex(0)] },
            TaskManager { name: "右".to_owned(), subtasks: vec![SubtaskIndex(1)] },
        ],
        moments: Vec::new(),
        broken: Vec::new(),
        steps_max: 1000,
    }
}

fn operator(name: &str, subtasks: &[&str], kind: OperatorKind) -> Operator {
    let subtask = |name: &&str| SubtaskSpec {
        name: (*name).to_owned(),
        label: Text::same(name),
        short: Text::same(name),
        service: Delay::NONE,
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
        subtasks: subtasks.iter().map(subtask).collect(),
    }
}

fn source(splits: &[&str]) -> OperatorKind {
    let split = |name: &&str| Split {
        name: (*name).to_owned(),
        label: Text::same(name),
        values: SplitValues::Range { from: 1, to: 100 },
    };
    OperatorKind::Source {
        splits: splits.iter().map(split).collect(),
        replayable: true,
        redistribution: Redistribution::EvenSplit,
    }
}

fn edge(from: u32, to: u32, partitioner: Partitioner) -> Edge {
    Edge {
        from: OperatorIndex(from),
        to: OperatorIndex(to),
        input: JoinSide::Left,
        partitioner,
        kind: ChannelKind::Remote,
        latency: Delay::Fixed(Micros(1000)),
        channel_latency: Vec::new(),
        credits: 4,
        output_buffers: 4,
    }
}
