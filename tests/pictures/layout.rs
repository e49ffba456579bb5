//! No text meets another one, leaves its room or the page, or is too small:
//! in every shipped scenario, at every step, in both languages.

use checkdam::load;
use checkdam::model::{Language, Scenario};
use checkdam::narrate::Story;
use checkdam::render::{
    Frames, Place, Range, Scene, Shows, gantt, gantt_along, spacetime, spacetime_in_both,
};
use checkdam::sim::simulate;

use super::{measure, story};
use crate::common::{random_jobs, sizes};

const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

fn check(what: &str, drawing: &Scene) {
    let wrong = measure::problems(drawing);
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

/// Steps between two frames that are looked at: each one in CI, some at a desk.
fn stride() -> usize {
    if sizes::samples(1) >= 4 { 1 } else { 9 }
}

fn check_frames(name: &str, story: &Story) {
    for language in LANGUAGES {
        let frames = Frames::new(story, language, Shows::default());
        let moments = (0..story.spans.len()).map(Place::Moment);
        let last = story.n_steps();
        let steps = (0..=last).step_by(stride()).chain([last]).map(Place::Step);
        for place in moments.chain(steps) {
            check(&format!("{name}, {language:?}, {place:?}"), &frames.frame(place));
        }
        let tall = Frames::tall(story, language);
        for step in (0..=last).step_by(stride()).chain([last]) {
            let drawing = tall.job_alone(&story.step(step));
            check(&format!("{name}, {language:?}, step {step}, tall"), &drawing);
        }
    }
}

#[test]
fn texts_of_frames_keep_apart_in_every_scenario() {
    for own in load::builtin() {
        check_frames(own.name, &story(own.name));
    }
}

#[test]
fn texts_of_diagrams_keep_apart_in_every_scenario() {
    for own in load::builtin() {
        let story = story(own.name);
        let (both, places) = spacetime_in_both(&story);
        for (language, drawing) in LANGUAGES.into_iter().zip(&both) {
            let what = format!("{}, {language:?}", own.name);
            check(&format!("{what}, space-time for both"), drawing);
            check(&format!("{what}, space-time"), &spacetime(&story, language, Range::default()));
            if let Some(drawing) = gantt(&story, language, None) {
                check(&format!("{what}, gantt"), &drawing);
            }
            let along: Vec<f64> = places.iter().map(|place| place.0).collect();
            let is_whole = along.len() as u64 == story.n_steps() + 1;
            if is_whole && let Some(drawing) = gantt_along(&story, language, &along) {
                check(&format!("{what}, gantt along the steps"), &drawing);
            }
        }
    }
}

/// Shapes of jobs that no shipped scenario has.
#[test]
fn texts_keep_apart_in_random_jobs() {
    for number in 0..sizes::samples(6) {
        let scenario = random_jobs::scenario(number);
        let (trace, _) = simulate(&scenario, number);
        let story = Story::new(scenario, trace);
        for language in LANGUAGES {
            let frames = Frames::new(&story, language, Shows::default());
            let tall = Frames::tall(&story, language);
            for step in (0..=story.n_steps()).step_by(23) {
                let what = format!("random job {number}, {language:?}, step {step}");
                check(&what, &frames.frame(Place::Step(step)));
                check(&format!("{what}, tall"), &tall.job_alone(&story.step(step)));
            }
            let drawing = spacetime(&story, language, Range::default());
            check(&format!("random job {number}, {language:?}, space-time"), &drawing);
        }
    }
}

/// Twelve tasks and long numbers: four sources, four sums, four sinks.
fn twelve_tasks() -> Scenario {
    let text = r#"{
        "job": {
            "numbers": { "source": { "a": [1000, 2000], "b": [30000], "c": [7, 8, 9], "d": [5] } },
            "sum": { "sum": { "modulo": 40 }, "parallelism": 4 },
            "sink": { "sink": "transactional", "parallelism": 4 }
        },
        "edges": [["numbers", "sum"], ["sum", "sink", "rebalance"]],
        "checkpoints": [{ "at": "1 ms" }, { "at": "4 ms" }]
    }"#;
    Scenario::parse("twelve", text).expect("it is valid")
}

#[test]
fn twelve_tasks_are_drawn_on_a_higher_page() {
    let scenario = twelve_tasks();
    let (trace, _) = simulate(&scenario, 1);
    let story = Story::new(scenario, trace);
    assert_eq!(story.scenario.graph.subtasks.len(), 12);
    check_frames("twelve tasks", &story);
    let drawing = Frames::new(&story, Language::En, Shows::default()).frame(Place::Step(9));
    assert!(drawing.width == 1920.0 && drawing.height > 1080.0);
    check("twelve tasks", &spacetime(&story, Language::En, Range::default()));
}

#[test]
fn up_to_six_lanes_fit_on_one_slide() {
    for name in ["lecture", "broadcast", "message-by-message", "one-slow-input"] {
        let story = story(name);
        let frames = Frames::new(&story, Language::En, Shows::default());
        let drawing = frames.frame(Place::Step(20));
        assert_eq!((drawing.width, drawing.height), (1920.0, 1080.0), "{name}");
    }
}

/// Each step stands right of the one before it, so that a place is one step.
#[test]
fn no_two_steps_have_the_same_place() {
    for name in ["lecture", "crash-after-complete", "letters", "lecture-unaligned"] {
        let story = story(name);
        let (_, places) = spacetime_in_both(&story);
        assert_eq!(places.len() as u64, story.n_steps() + 1, "{name}");
        for (step, pair) in places.windows(2).enumerate() {
            let same_line = pair[0].1 == pair[1].1;
            assert!(!same_line || pair[0].0 < pair[1].0, "{name}, step {}", step + 1);
        }
    }
}

/// On a phone the job stands upright: no task beside one that it sends to.
#[test]
fn a_tall_frame_has_sources_above_and_sinks_below() {
    let story = story("lecture");
    for language in LANGUAGES {
        let frames = Frames::tall(&story, language);
        let names = story.names(language);
        let drawing = frames.job_alone(&story.step(0));
        assert!(drawing.width <= 600.0, "letters of 18 are 11 pixels high on 390");
        let first = |task: u32| {
            let name = names.task(checkdam::model::SubtaskIndex(task)).to_owned();
            let mut own = drawing.words().filter(|words| words.text == name);
            own.next().unwrap_or_else(|| panic!("{name} is there")).y
        };
        let [blue, yellow, even, odd, sink_even, sink_odd] = [0, 1, 2, 3, 4, 5].map(first);
        assert_eq!(blue, yellow, "the sources stand beside each other");
        assert!(blue < even && even < odd && odd < sink_even && sink_even < sink_odd);
    }
}

/// Between two neighbouring frames a text that stays the same stays in its
/// place: what is not changed does not move.
#[test]
fn names_and_headings_never_move() {
    let story = story("lecture");
    let frames = Frames::new(&story, Language::En, Shows::default());
    let fixed = |step: u64| -> Vec<(String, u64, u64)> {
        let drawing = frames.frame(Place::Step(step));
        let names = ["sum(even)", "sink(odd)", "blue source", "JobManager", "output", "from blue"];
        let found = drawing.words().filter(|words| names.contains(&words.text.as_str()));
        found.map(|words| (words.text.clone(), words.x.to_bits(), words.y.to_bits())).collect()
    };
    let first = fixed(0);
    assert_eq!(first.len(), 11, "{first:?}");
    for step in 1..=story.n_steps() {
        assert_eq!(fixed(step), first, "step {step}");
    }
}

#[test]
fn a_long_run_says_what_is_left_out() {
    let text = r#"{
        "job": {
            "numbers": { "source": { "random": 2000, "below": 10 }, "service": "1 ms" },
            "sum": { "sum": "parity" },
            "sink": { "sink": "publish" }
        },
        "edges": [["numbers", "sum"], ["sum", "sink"]],
        "config": { "execution.checkpointing.interval": "100 ms" }
    }"#;
    let scenario = Scenario::parse("long", text).expect("it is valid");
    let (trace, _) = simulate(&scenario, 1);
    let story = Story::new(scenario, trace);
    let n_steps = story.n_steps();
    let drawing = spacetime(&story, Language::En, Range::default());
    check("long", &drawing);
    let kicker = &drawing.words().next().expect("it has texts").text;
    assert!(kicker.contains(&format!("of {n_steps}, the rest is left out")), "{kicker}");
    let part = spacetime(&story, Language::En, Range { first: 3000, last: Some(3040) });
    check("a part of it", &part);
    let kicker = &part.words().next().expect("it has texts").text;
    assert!(kicker.contains("steps 3000 to 3040 of"), "{kicker}");
    let bars = gantt(&story, Language::En, None).expect("it has checkpoints");
    check("its bars", &bars);
    let kicker = &bars.words().next().expect("it has texts").text;
    assert!(kicker.contains("earlier checkpoints are left out"), "{kicker}");
}
