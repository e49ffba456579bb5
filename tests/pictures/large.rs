//! Figures of a part of a long run: the same as if the whole run were held, and
//! not more is held than they need.

use checkdam::model::{Language, Scenario};
use checkdam::narrate::{Story, StoryReader, Window};
use checkdam::render::{
    CheckpointHistory, Colouring, Frames, Place, Range, Shows, gantt, gantt_of, sequence,
    spacetime, svg, timeline,
};
use checkdam::sim::simulate;
use checkdam::trace::Trace;

/// Twelve tasks with crashes: 24,000 steps and more.
fn long_run() -> (Scenario, Trace) {
    let text = r#"{
        "job": {
            "numbers": {
                "source": { "a": { "random": 1500, "below": 1000 }, "b": { "random": 1500, "below": 1000 } },
                "parallelism": 4, "service": { "min": 5, "max": 9 }
            },
            "sum": { "sum": { "modulo": 40 }, "parallelism": 4, "service": { "min": 0, "max": 9 } },
            "sink": { "sink": "transactional", "parallelism": 4 }
        },
        "edges": [["numbers", "sum"], ["sum", "sink", "rebalance"]],
        "network": { "latency": { "min": 1, "max": 5 }, "capacity": 10 },
        "config": { "execution.checkpointing.interval": "1 s" },
        "faults": [{ "crash": "sum[1]", "mean-time-between": "2 s" }],
        "moments": [
            { "name": "first", "title": "first", "when": "checkpoint 1 is complete" },
            { "name": "crash", "title": "crash", "when": "job fails", "until": "job is restarted" },
            { "name": "later", "title": "later", "when": "checkpoint 5 is complete" }
        ]
    }"#;
    let scenario = Scenario::parse("long", text).expect("it is valid");
    let (trace, _) = simulate(&scenario, 3);
    assert!(trace.steps.len() > 15_000, "{}", trace.steps.len());
    (scenario, trace)
}

/// The story of a part of a run.
fn part(scenario: &Scenario, trace: &Trace, window: Window) -> Story {
    let mut reader = StoryReader::new(scenario, window);
    for step in &trace.steps {
        reader.read(scenario, step.clone());
    }
    reader.finish(scenario.clone(), trace.driver.clone(), trace.complete)
}

#[test]
fn a_frame_of_a_part_is_the_frame_of_the_whole() {
    let (scenario, trace) = long_run();
    let whole = Story::new(scenario.clone(), trace.clone());
    let n = whole.n_steps();
    for step in [0, 1, 63, 64, 4095, 4096, 4097, 4098, 9_000, n - 1, n] {
        let window = Window { first: step.saturating_sub(1), last: step };
        let story = part(&scenario, &trace, window);
        assert!(story.trace.steps.len() <= 4096 + 2, "{}", story.trace.steps.len());
        assert_eq!((story.n_steps(), &story.spans), (n, &whole.spans));
        for language in [Language::En, Language::Zh] {
            let frame = |story: &Story| {
                let frames = Frames::new(story, language, Shows::default());
                svg(&frames.frame(Place::Step(step)), Colouring::Variables)
            };
            assert!(frame(&story) == frame(&whole), "step {step}, {language:?}");
        }
    }
}

#[test]
fn a_diagram_of_a_part_is_the_diagram_of_the_whole() {
    let (scenario, trace) = long_run();
    let whole = Story::new(scenario.clone(), trace.clone());
    for (first, last) in [(0, Some(60)), (700, None), (9_000, Some(9_080)), (15_000, None)] {
        let range = Range { first, last };
        let window = Window { first, last: last.unwrap_or(first + 12_100) };
        let story = part(&scenario, &trace, window);
        let diagram =
            |story: &Story| svg(&spacetime(story, Language::En, range), Colouring::Variables);
        assert!(diagram(&story) == diagram(&whole), "{range:?}");
        let language = Language::Zh;
        assert_eq!(sequence(&story, language, range), sequence(&whole, language, range));
        if last.is_some() {
            assert_eq!(timeline(&story, language, range), timeline(&whole, language, range));
        }
    }
}

#[test]
fn bars_need_only_the_newest_checkpoints() {
    let (scenario, trace) = long_run();
    let whole = Story::new(scenario.clone(), trace.clone());
    let mut history = CheckpointHistory::new(&scenario.graph, None);
    for step in &trace.steps {
        history.observe(step.at, &step.facts);
    }
    assert!(history.ids().len() > 6);
    let drawn =
        gantt_of(&scenario, &history, Language::En).map(|own| svg(&own, Colouring::Variables));
    let held = gantt(&whole, Language::En, None).map(|own| svg(&own, Colouring::Variables));
    assert!(drawn.is_some() && drawn == held);
}

/// A run that ends before the wanted steps has a story all the same: its end.
#[test]
fn a_window_behind_the_end_holds_nothing_but_the_end() {
    let (scenario, trace) = long_run();
    let n = trace.steps.len() as u64;
    let story = part(&scenario, &trace, Window { first: n + 50_000, last: n + 50_001 });
    assert_eq!((story.n_steps(), story.trace.steps.len(), story.base), (n, 0, n));
    assert_eq!(story.at(n).0.step, n);
}
