//! The numbers of a run, counted fact by fact, against what the view shows.

use checkdam::load;
use checkdam::model::{Message, Micros, Scenario, StreamElement, Time};
use checkdam::sim::simulate;
use checkdam::trace::{Metrics, View};

use crate::common::{random_jobs, sizes};

fn records<'m>(messages: impl Iterator<Item = &'m Message>) -> u64 {
    messages.filter(|own| matches!(own.element, StreamElement::Record(_))).count() as u64
}

/// After every step the counted records are those that the view shows.
fn check(scenario: &Scenario, seed: u64) {
    let graph = &scenario.graph;
    let (trace, _) = simulate(scenario, seed);
    let (mut view, mut metrics) = (View::start(graph), Metrics::new(graph));
    for step in &trace.steps {
        view.apply_step(graph, step).expect("the engine's own trace is sound");
        metrics.observe(graph, step.at, &step.facts);
        let shown: u64 = view.channels.iter().map(|own| records(own.in_flight())).sum();
        let what = || format!("{}, seed {seed}, step {}", scenario.name, step.number);
        assert_eq!(metrics.n_in_flight(), shown, "{}", what());
        for task in graph.subtask_indices() {
            let inputs = graph.subtasks[task.index()].inputs.iter();
            let inputs = inputs.map(|channel| &view.channels[channel.index()]);
            let waiting: u64 = inputs.map(|own| records(own.buffer.iter().chain(&own.queue))).sum();
            assert_eq!(metrics.n_waiting(task), waiting, "{}, {task:?}", what());
        }
    }
}

#[test]
fn counted_records_are_those_of_the_view_in_every_scenario() {
    for own in load::builtin() {
        let loaded = load::scenario(own.name, own.text.as_bytes()).expect("it is valid");
        check(&loaded.scenario, 1);
    }
}

#[test]
fn counted_records_are_those_of_the_view_in_random_jobs() {
    for seed in 0..sizes::samples(60) {
        check(&random_jobs::scenario(seed), seed);
    }
}

fn metrics(text: &str) -> (Scenario, Metrics) {
    let scenario = Scenario::parse("numbers", text).expect("it is valid");
    let (trace, _) = simulate(&scenario, 1);
    let mut metrics = Metrics::new(&scenario.graph);
    for step in &trace.steps {
        metrics.observe(&scenario.graph, step.at, &step.facts);
    }
    metrics.finish();
    (scenario, metrics)
}

/// Read every 10 ms, 7 ms on the wire, worked on for 2 ms: each record is with
/// the outside 9 ms after it was read, and as many bytes are in flight on
/// average as Little's law says, 8 B · 7 ms / 10 ms, until the last has gone.
#[test]
fn latency_and_data_in_flight_are_what_arithmetic_says() {
    let (_, metrics) = metrics(
        r#"{
            "job": {
                "in": { "source": { "from": 1, "to": 100 }, "service": "10 ms" },
                "out": { "sink": "publish", "service": "2 ms" }
            },
            "edges": [["in", "out", "forward", { "latency": "7 ms" }]]
        }"#,
    );
    let latency = metrics.latency.total();
    assert_eq!((latency.n, latency.min, latency.max), (100, 9000, 9000));
    assert_eq!(metrics.latency, metrics.latency_to_sink);
    assert_eq!((metrics.read.total().n, metrics.written.total().n), (100, 100));
    let in_flight = metrics.in_flight.buckets.total();
    assert_eq!((in_flight.max, in_flight.sum), (8, 100 * 7000 * 8));
}

/// A record waits for its checkpoint to complete at a transactional sink: the
/// latency until it is published is longer by that.
#[test]
fn a_transactional_sink_publishes_with_the_checkpoint() {
    let text = |sink: &str| {
        format!(
            r#"{{
                "job": {{
                    "in": {{ "source": [1], "service": "10 ms" }},
                    "out": {{ "sink": "{sink}" }}
                }},
                "edges": [["in", "out", "forward", {{ "latency": "7 ms" }}]],
                "checkpoints": [{{ "at": "50 ms" }}], "rpc": "1 ms"
            }}"#
        )
    };
    let (_, now) = metrics(&text("publish"));
    let (_, later) = metrics(&text("transactional"));
    assert_eq!(now.latency.total().max, 7000);
    assert_eq!(later.latency_to_sink.total().max, 7000);
    assert!(later.latency.total().max > 7000, "{:?}", later.latency.total());
}

/// What a failure costs is in the latency: it counts from the first read.
#[test]
fn an_outage_is_noticed_and_counts() {
    let (_, metrics) = metrics(
        r#"{
            "job": {
                "in": { "source": [1, 2, 3], "service": "10 ms" },
                "out": { "sink": "publish" }
            },
            "edges": [["in", "out", "forward", { "latency": "7 ms" }]],
            "rpc": "1 ms",
            "faults": [{ "crash": "out", "at": "15 ms" }]
        }"#,
    );
    let [outage] = metrics.outages.as_slice() else { panic!("{:?}", metrics.outages) };
    assert_eq!(outage.from, Time(16_000));
    // Flink's delay of a restart where nothing is configured: 1 s.
    assert_eq!(outage.until, Some(Time(1_016_000)));
    let latency = metrics.latency.total();
    // Record 1 was read at 10 ms and comes 17 ms after the restart.
    assert_eq!((latency.n, latency.max), (3, 1_016_000 + 17_000 - 10_000));
    assert!(metrics.duration.width() >= Micros(1));
}
