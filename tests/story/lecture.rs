//! The lecture's seven moments, cell by cell.
//!
//! Each row is the state at the end of a moment; one step of the run satisfies
//! all of it. Channels list what is in flight, the first to arrive first; ▮ is
//! barrier 2.

use checkdam::model::{
    ChannelIndex, CheckpointId, ExecutionGraph, Key, Message, SnapshotState, StateValue,
    StreamElement, Value,
};
use checkdam::trace::{View, moment_spans};

/// The columns of the lecture's table.
const MOMENTS: [&str; 7] = [
    "before",
    "trigger",
    "sources-snapshot",
    "alignment",
    "aligned",
    "held-back-first",
    "complete",
];

/// A row of the lecture's table: what it shows, and its cells by moment.
const TABLE: [(&str, [&str; 7]); 15] = [
    ("blue offset", ["3", "3", "3", "4", "4", "5", "5"]),
    ("yellow offset", ["4", "4", "4", "5", "5", "6", "6"]),
    ("blue -> even", ["2", "2", "▮", "blocked, held: 4", "4", "", ""]),
    ("blue -> odd", ["3", "3", "▮", "▮", "", "", ""]),
    ("yellow -> even", ["4", "4", "4 ▮", "▮", "", "", ""]),
    ("yellow -> odd", ["", "", "▮", "blocked, held: 5", "5", "", ""]),
    ("sum(even)", ["2", "2", "4", "8", "8", "18", "18"]),
    ("sum(odd)", ["5", "5", "8", "8", "8", "18", "18"]),
    (
        "even -> its sink",
        [
            "yellow 2",
            "",
            "blue 4",
            "blue 4, yellow 8",
            "blue 4, yellow 8, ▮",
            "▮, blue 12, yellow 18",
            "blue 12, yellow 18",
        ],
    ),
    (
        "odd -> its sink",
        [
            "blue 2, yellow 5",
            "yellow 5",
            "blue 8",
            "blue 8",
            "blue 8, ▮",
            "▮, yellow 13, blue 18",
            "yellow 13, blue 18",
        ],
    ),
    (
        "sink(even) has written",
        [
            "",
            "yellow 2",
            "yellow 2",
            "yellow 2",
            "yellow 2",
            "yellow 2, blue 4, yellow 8",
            "yellow 2, blue 4, yellow 8",
        ],
    ),
    (
        "sink(odd) has written",
        [
            "yellow 1",
            "yellow 1, blue 2",
            "yellow 1, blue 2, yellow 5",
            "yellow 1, blue 2, yellow 5",
            "yellow 1, blue 2, yellow 5",
            "yellow 1, blue 2, yellow 5, blue 8",
            "yellow 1, blue 2, yellow 5, blue 8",
        ],
    ),
    (
        "checkpoint 2",
        ["none", "pending", "pending", "pending", "pending", "pending", "complete, all notified"],
    ),
    (
        "checkpoint 2 holds",
        [
            "",
            "",
            "blue 3, yellow 4",
            "blue 3, yellow 4",
            "blue 3, yellow 4, even 8, odd 8",
            "blue 3, yellow 4, even 8, odd 8",
            "blue 3, yellow 4, even 8, odd 8, sink(even), sink(odd)",
        ],
    ),
    (
        "acknowledged",
        [
            "",
            "",
            "blue, yellow",
            "blue, yellow",
            "blue, yellow, even, odd",
            "blue, yellow, even, odd",
            "blue, yellow, even, odd, sink(even), sink(odd)",
        ],
    ),
];

#[test]
fn one_step_satisfies_each_moment_of_the_lecture_whole() {
    let (scenario, trace) = super::run("lecture");
    let spans = moment_spans(&scenario, &trace.steps);
    for (column, name) in MOMENTS.iter().enumerate() {
        let span = spans.iter().find(|span| scenario.moments[span.moment].name == *name);
        let step = span.unwrap_or_else(|| panic!("moment {name} begins")).last;
        let view = trace.view(&scenario.graph, step).expect("the run's own trace is sound");
        for (row, cells) in TABLE {
            let seen = cell(&scenario.graph, &view, row);
            assert_eq!(seen, cells[column], "{row} at the end of moment {name}, step {step}");
        }
    }
}

#[test]
fn the_lecture_ends_with_everything_written_and_both_sums_at_18() {
    let (scenario, trace) = super::run("lecture");
    let last = trace.steps.len() as u64;
    let view = trace.view(&scenario.graph, last).expect("the run's own trace is sound");
    let end = [
        ("sum(even)", "18"),
        ("sum(odd)", "18"),
        ("sink(even) has written", "yellow 2, blue 4, yellow 8, blue 12, yellow 18"),
        ("sink(odd) has written", "yellow 1, blue 2, yellow 5, blue 8, yellow 13, blue 18"),
    ];
    for (row, expected) in end {
        assert_eq!(cell(&scenario.graph, &view, row), expected, "{row} at the end");
    }
}

#[test]
fn records_arrive_at_the_sums_in_the_lectures_order() {
    let (scenario, trace) = super::run("lecture");
    let graph = &scenario.graph;
    let order = |sum: &str| {
        let processed =
            trace.steps.iter().flat_map(|step| &step.facts).filter_map(|fact| match fact {
                checkdam::trace::Fact::Processed { task, record, .. }
                    if graph.subtasks[task.index()].name == sum =>
                {
                    Some(format!("{} {}", graph.split(record.id.split).name, record.value))
                }
                _ => None,
            });
        processed.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(order("sum[odd]"), "yellow 1, blue 1, yellow 3, blue 3, yellow 5, blue 5");
    assert_eq!(order("sum[even]"), "yellow 2, blue 2, yellow 4, blue 4, yellow 6");
}

/// What a view shows in a row of the table.
pub(crate) fn cell(graph: &ExecutionGraph, view: &View, row: &str) -> String {
    let task = |name: &str| graph.subtasks.iter().position(|task| task.name == name).expect(name);
    let sum = |name: &str| {
        let values = view.tasks[task(name)].state.values().map(number);
        values.sum::<i64>().to_string()
    };
    let written = |name: &str| {
        let sink = view.tasks[task(name)].sink.as_ref().expect("it is a sink");
        let records = sink
            .published
            .last
            .iter()
            .map(|record| format!("{} {}", graph.split(record.id.split).name, record.value));
        records.collect::<Vec<_>>().join(", ")
    };
    match row {
        "blue offset" => view.tasks[task("numbers[blue]")].offsets[0].to_string(),
        "yellow offset" => view.tasks[task("numbers[yellow]")].offsets[0].to_string(),
        "blue -> even" => input(graph, view, "numbers[blue]->sum[even]"),
        "blue -> odd" => input(graph, view, "numbers[blue]->sum[odd]"),
        "yellow -> even" => input(graph, view, "numbers[yellow]->sum[even]"),
        "yellow -> odd" => input(graph, view, "numbers[yellow]->sum[odd]"),
        "sum(even)" => sum("sum[even]"),
        "sum(odd)" => sum("sum[odd]"),
        "even -> its sink" => output(graph, view, "sum[even]->sink[even]"),
        "odd -> its sink" => output(graph, view, "sum[odd]->sink[odd]"),
        "sink(even) has written" => written("sink[even]"),
        "sink(odd) has written" => written("sink[odd]"),
        "checkpoint 2" => status(view),
        "checkpoint 2 holds" => holds(view),
        "acknowledged" => acknowledged(view),
        _ => panic!("no row {row}"),
    }
}

fn channel(graph: &ExecutionGraph, name: &str) -> ChannelIndex {
    ChannelIndex::at(graph.channels.iter().position(|channel| channel.name == name).expect(name))
}

/// A channel from a source: plain numbers.
fn input(graph: &ExecutionGraph, view: &View, name: &str) -> String {
    let channel = &view.channels[channel(graph, name).index()];
    let elements: Vec<_> = channel.in_flight().map(|message| element(graph, message, "")).collect();
    match channel.blocked {
        Some(by) => {
            assert_eq!(by, CheckpointId(2), "{name} is blocked by barrier 2");
            format!("blocked, held: {}", elements.join(" "))
        }
        None => elements.join(" "),
    }
}

/// A channel to a sink: values in the colour of their cause.
fn output(graph: &ExecutionGraph, view: &View, name: &str) -> String {
    let channel = &view.channels[channel(graph, name).index()];
    assert_eq!(channel.blocked, None, "{name} is free");
    let elements = channel.in_flight().map(|message| element(graph, message, "colour"));
    elements.collect::<Vec<_>>().join(", ")
}

fn element(graph: &ExecutionGraph, message: &Message, colour: &str) -> String {
    match message.element {
        StreamElement::Record(record) if colour.is_empty() => record.value.to_string(),
        StreamElement::Record(record) => {
            format!("{} {}", graph.split(record.id.split).name, record.value)
        }
        StreamElement::Barrier(barrier) => {
            assert_eq!(barrier.checkpoint, CheckpointId(2), "only barrier 2 is under way");
            "▮".to_owned()
        }
        StreamElement::EndOfData => "end".to_owned(),
        other => panic!("{other:?} is under way"),
    }
}

fn number(state: &StateValue) -> i64 {
    match state {
        StateValue::Value(Value::Number(number)) => *number,
        other => panic!("{other:?} is no sum"),
    }
}

fn status(view: &View) -> String {
    let two = view.checkpoints.iter().find(|checkpoint| checkpoint.id == CheckpointId(2));
    match two {
        None => "none".to_owned(),
        Some(two) if !two.completed => "pending".to_owned(),
        Some(two) => {
            assert_eq!(view.completed, [CheckpointId(1), CheckpointId(2)]);
            let notified = two.notified.iter().all(|notified| *notified);
            if notified { "complete, all notified" } else { "complete" }.to_owned()
        }
    }
}

/// Tasks in the order of the graph: both sources, both sums, both sinks.
const SHORT: [&str; 6] = ["blue", "yellow", "even", "odd", "sink(even)", "sink(odd)"];

fn holds(view: &View) -> String {
    let two = view.checkpoints.iter().find(|checkpoint| checkpoint.id == CheckpointId(2));
    let Some(two) = two else { return String::new() };
    let parts =
        SHORT.iter().zip(&two.stored).filter_map(|(name, stored)| match stored.as_ref()? {
            SnapshotState::Offsets(offsets) => Some(format!("{name} {}", offsets[0].1)),
            SnapshotState::Keyed(entries) => {
                let odd = *name == "odd";
                assert!(entries.iter().all(|(key, _)| *key == Key::Bool(odd)), "its own key only");
                Some(format!(
                    "{name} {}",
                    entries.iter().map(|(_, value)| number(value)).sum::<i64>()
                ))
            }
            SnapshotState::Stateless
            | SnapshotState::Transactions(_)
            | SnapshotState::Broadcast(_) => Some((*name).to_owned()),
        });
    parts.collect::<Vec<_>>().join(", ")
}

fn acknowledged(view: &View) -> String {
    let two = view.checkpoints.iter().find(|checkpoint| checkpoint.id == CheckpointId(2));
    let Some(two) = two else { return String::new() };
    let done = SHORT.iter().zip(&two.acknowledged).filter(|(_, done)| **done);
    done.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
