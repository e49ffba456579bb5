//! Charts: their texts keep apart, their numbers are those of the run, and a
//! long run needs no more room than a short one.

use checkdam::cluster::Detail;
use checkdam::load;
use checkdam::model::{Language, Scenario};
use checkdam::narrate::Names;
use checkdam::render::{
    Colouring, Landmark, Measure, Quantity, Scene, SweepCurve, SweepFigure, SweepPlot, chart, svg,
    sweep_chart,
};
use checkdam::sim::Simulation;
use checkdam::trace::{Buckets, Metrics};

use super::measure;
use crate::common::{random_jobs, sizes, snapshot};

const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

fn metrics(scenario: &Scenario, seed: u64) -> Metrics {
    let mut metrics = Metrics::new(&scenario.graph);
    let mut simulation = Simulation::new(scenario, seed, Detail::All);
    while let Some(step) = simulation.step() {
        metrics.observe(&scenario.graph, step.at, step.facts);
    }
    metrics.finish();
    metrics
}

fn check(what: &str, drawing: &Scene) {
    assert_eq!((drawing.width, drawing.height), (1920.0, 1080.0), "{what}");
    let wrong = measure::problems(drawing);
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

fn check_all(name: &str, scenario: &Scenario, metrics: &Metrics) {
    for language in LANGUAGES {
        let what = format!("{name}, {language:?}");
        check(&what, &chart(scenario, metrics, language, &Measure::ALL));
        for only in Measure::ALL {
            let what = format!("{what}, {only:?}");
            check(&what, &chart(scenario, metrics, language, &[only]));
        }
        check(&what, &chart(scenario, metrics, language, &Measure::ALL[..3]));
    }
}

#[test]
fn texts_of_charts_keep_apart_in_every_scenario() {
    for own in load::builtin() {
        let loaded = load::scenario(own.name, own.text.as_bytes()).expect("it is valid");
        check_all(own.name, &loaded.scenario, &metrics(&loaded.scenario, 1));
    }
}

#[test]
fn texts_of_charts_keep_apart_in_random_jobs() {
    for number in 0..sizes::samples(20) {
        let scenario = random_jobs::scenario(number);
        check_all(&format!("random {number}"), &scenario, &metrics(&scenario, number));
    }
}

#[test]
fn a_chart_of_backpressure_looks_like_this() {
    let own = load::builtin().iter().find(|own| own.name == "backpressure").expect("it is there");
    let scenario = load::scenario(own.name, own.text.as_bytes()).expect("it is valid").scenario;
    let drawing = chart(&scenario, &metrics(&scenario, 1), Language::En, &Measure::ALL);
    let text = svg(&drawing, Colouring::Variables);
    assert_eq!(text, svg(&drawing, Colouring::Variables));
    snapshot("pictures", "backpressure-chart", &text);
}

/// The dots of the durations stand at the durations that the run has.
#[test]
fn a_chart_says_what_the_run_says() {
    let text = r#"{
        "job": { "in": { "source": { "from": 1, "to": 100 }, "service": "10 ms" },
                 "out": { "sink": "publish" } },
        "edges": [["in", "out", "forward", { "latency": "7 ms" }]],
        "rpc": "1 ms", "checkpoints": [{ "at": "200 ms" }, { "at": "600 ms" }]
    }"#;
    let scenario = Scenario::parse("two", text).expect("it is valid");
    let metrics = metrics(&scenario, 1);
    // The trigger takes 1 ms, the barrier 7 ms, the acknowledgement 1 ms.
    let of_interval = metrics.duration.filled().filter(|(at, _)| at.0 < 900_000);
    let durations: Vec<u64> = of_interval.map(|(_, slice)| slice.max).collect();
    assert_eq!(durations, [9000, 9000]);
    let drawing = chart(&scenario, &metrics, Language::En, &[Measure::Duration]);
    let words: Vec<&str> = drawing.words().map(|words| words.text.as_str()).collect();
    assert!(words.contains(&"Checkpoint duration") && words.contains(&"ms"), "{words:?}");
}

/// Three hours, 1.2 million records, more than ten thousand checkpoints: as
/// many slices, and so as many shapes, as any run has at most.
#[test]
fn a_run_of_hours_is_drawn_in_bounded_room() {
    let n = 20_000 * sizes::samples(1);
    let text = format!(
        r#"{{
            "job": {{
                "numbers": {{ "source": {{ "random": {n}, "below": 100 }}, "service": {{ "min": "400 ms", "max": "600 ms" }} }},
                "sum": {{ "sum": {{ "modulo": 7 }}, "parallelism": 5 }},
                "sink": {{ "sink": "transactional", "parallelism": 5 }}
            }},
            "edges": [["numbers", "sum"], ["sum", "sink", "rebalance"]],
            "config": {{ "execution.checkpointing.interval": "1 s" }}
        }}"#
    );
    let scenario = Scenario::parse("hours", &text).expect("it is valid");
    let metrics = metrics(&scenario, 1);
    assert!(metrics.n_steps > 100_000 && metrics.duration.total().n > 5_000);
    for buckets in [&metrics.duration, &metrics.read, &metrics.latency, &metrics.in_flight.buckets]
    {
        assert!(buckets.slices().count() <= Buckets::N_MAX);
    }
    check_all("hours", &scenario, &metrics);
    let drawing = chart(&scenario, &metrics, Language::En, &Measure::ALL);
    assert!(drawing.items.len() < 400, "{}", drawing.items.len());
    let kicker = drawing.words().find(|words| words.text.contains("gathered in slices"));
    assert!(kicker.is_some(), "what stands for more than one is told");
}

/// What can be varied: durations near and far apart, modes, numbers.
#[test]
fn texts_of_sweeps_keep_apart() {
    let own = load::builtin().iter().find(|own| own.name == "lecture").expect("it is there");
    let scenario = load::scenario(own.name, own.text.as_bytes()).expect("it is valid").scenario;
    let times = |all: &[u64]| {
        let value = |ms: &u64| (format!("{ms} ms"), Some(*ms as f64 * 1000.0));
        (Some(Quantity::Time), all.iter().map(value).collect::<Vec<_>>())
    };
    let modes = ["EXACTLY_ONCE", "AT_LEAST_ONCE"].map(|mode| (mode.to_owned(), None)).to_vec();
    let axes = [
        times(&[0, 5, 10, 50]),
        times(&[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]),
        times(&[250]),
        (None, modes),
        (Some(Quantity::Count), (1..40).map(|n| (n.to_string(), Some(f64::from(n)))).collect()),
    ];
    for language in LANGUAGES {
        for (x_quantity, x) in &axes {
            for n_plots in [1, 2, 3, 6] {
                let points = |scale: f64| {
                    (0..x.len())
                        .map(|n| {
                            (n != 1).then(|| [1.0, 0.5, 2.0].map(|y| y * scale * (n + 1) as f64))
                        })
                        .collect()
                };
                let curve = |n: usize| SweepCurve {
                    name: Some(format!("unaligned-{n}, capacity {n}")),
                    points: points(10_f64.powi(n as i32 + 2)),
                };
                let plot = SweepPlot {
                    heading: "Checkpoint duration of a job".to_owned(),
                    quantity: Quantity::Time,
                    curves: (0..3).map(curve).collect(),
                    landmarks: vec![Landmark { at: 7000.0, text: "an optimum, 7 ms".to_owned() }],
                };
                let figure = SweepFigure {
                    kicker: "20 runs for each point".to_owned(),
                    x_name: "execution.checkpointing.interval".to_owned(),
                    x_quantity: *x_quantity,
                    x: x.clone(),
                    plots: vec![plot; n_plots],
                };
                let drawing = sweep_chart(Names::new(&scenario, language), &figure);
                check(&format!("{n_plots} plots of {} values", x.len()), &drawing);
            }
        }
    }
}
