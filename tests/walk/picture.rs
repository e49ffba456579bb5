//! Claims about the picture in text.

use checkdam::model::{CheckpointId, Language, SubtaskIndex};
use checkdam::narrate::Story;
use checkdam::render::text::{Frame, Pictures, Place};
use checkdam::trace::Fact;
use unicode_width::UnicodeWidthStr;

use super::fixture::{shapes, story};

const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

fn places(story: &Story) -> impl Iterator<Item = Place> {
    // Every step of the small runs, a sample of the large ones.
    let every = 1 + story.n_steps() as usize / 120;
    (0..=story.n_steps()).step_by(every).map(Place::Step)
}

fn check_lines(name: &str, frame: &Frame, columns: usize) {
    for line in frame.plain().lines() {
        let text = format!("{name}, {columns} columns: {line:?}");
        assert!(line.width() <= columns, "too wide: {text}");
        assert!(!line.ends_with(' '), "a space at the end: {text}");
        assert!(!line.contains('\u{a0}'), "a no-break space: {text}");
        let start = line.trim_start();
        assert!(!start.starts_with(['，', '。', '：', '；', '）']), "{text}");
        assert!(!line.ends_with('（'), "{text}");
    }
}

#[test]
fn no_line_leaves_the_width_in_any_language() {
    for (name, scenario) in shapes() {
        let story = story(scenario);
        for language in LANGUAGES {
            for columns in [60, 67, 80, 91, 100] {
                let pictures = Pictures::new(&story, language, columns);
                for place in places(&story) {
                    check_lines(name, &pictures.frame(place), columns);
                }
            }
        }
    }
}

#[test]
fn a_frame_is_no_higher_or_lower_for_what_happens_in_it() {
    for (name, scenario) in shapes() {
        let story = story(scenario);
        for language in LANGUAGES {
            let pictures = Pictures::new(&story, language, 100);
            let heights: Vec<usize> = places(&story)
                .map(|place| {
                    let frame = pictures.frame(place).plain();
                    // The sentences may take more or fewer lines; the picture may not.
                    let caption =
                        |line: &str| line.starts_with(" changed:") || line.starts_with(" 变化：");
                    frame.lines().position(caption).expect("there is a caption")
                })
                .collect();
            let (least, most) = (heights.iter().min(), heights.iter().max());
            assert_eq!(least, most, "{name}");
        }
    }
}

/// Without escape sequences: `ESC [ … letter`.
fn without_colour(text: &str) -> String {
    let mut plain = String::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign == '\u{1b}' {
            signs.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(sign);
        }
    }
    plain
}

#[test]
fn colour_says_nothing_that_the_text_does_not() {
    let (_, scenario) = shapes().remove(0);
    let story = story(scenario);
    let pictures = Pictures::new(&story, Language::En, 100);
    for place in places(&story) {
        let frame = pictures.frame(place);
        assert_ne!(frame.styled(), frame.plain());
        assert_eq!(without_colour(&frame.styled()), frame.plain());
    }
}

#[test]
fn wider_than_a_hundred_columns_is_a_hundred_and_narrower_than_sixty_is_sixty() {
    let (_, scenario) = shapes().remove(0);
    let story = story(scenario);
    let frame = |columns| Pictures::new(&story, Language::En, columns).frame(Place::Step(9));
    assert_eq!(frame(200), frame(100));
    assert_eq!(frame(1), frame(60));
}

#[test]
fn a_trace_that_was_cut_says_so_at_its_last_step() {
    let (_, scenario) = shapes().remove(0);
    let mut cut = story(scenario).trace;
    let (_, scenario) = shapes().remove(0);
    cut.steps.truncate(20);
    cut.complete = false;
    let story = Story::new(scenario, cut);
    let text =
        |language, step| Pictures::new(&story, language, 80).frame(Place::Step(step)).plain();
    assert!(text(Language::En, 20).contains("note:     the trace was cut here"));
    assert!(text(Language::Zh, 20).contains("轨迹到此中断"));
    assert!(!text(Language::En, 19).contains("note:"));
}

#[test]
fn damage_in_a_trace_ends_the_story_and_is_named() {
    let (_, scenario) = shapes().remove(0);
    let mut damaged = story(scenario).trace;
    let (_, scenario) = shapes().remove(0);
    let again = damaged.steps[20].facts.clone();
    damaged.steps[30].facts.extend(again);
    let story = Story::new(scenario, damaged);
    let damage = story.damage.as_ref().expect("the same facts cannot happen twice");
    assert!(damage.contains("step "), "{damage}");
    assert!(story.n_steps() < 31);
}

/// The frames that a person should look at when they change.
fn look(name: &str, (shape, language, columns): (&str, Language, usize), steps: &[u64]) {
    let (_, scenario) = shapes().into_iter().find(|(own, _)| *own == shape).expect("a shape");
    let story = story(scenario);
    let pictures = Pictures::new(&story, language, columns);
    let frames: Vec<String> =
        steps.iter().map(|step| pictures.frame(Place::Step(*step)).plain()).collect();
    insta::with_settings!({ snapshot_path => "../../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, frames.join("\n"));
    });
}

#[test]
fn two_sources_look_like_this() {
    look("walk_two_sources_en_100", ("lecture", Language::En, 100), &[0, 35, 45, 54, 109]);
    look("walk_two_sources_zh_80", ("lecture", Language::Zh, 80), &[45, 54]);
    look("walk_two_sources_en_60", ("lecture", Language::En, 60), &[45]);
}

#[test]
fn a_crash_looks_like_this() {
    look("walk_crash_en_100", ("crash", Language::En, 100), &[80, 81, 82, 83]);
}

#[test]
fn other_shapes_look_like_this() {
    look("walk_chain_en_80", ("chain", Language::En, 80), &[60]);
    look("walk_join_zh_100", ("join", Language::Zh, 100), &[40]);
    look("walk_backpressure_en_100", ("backpressure", Language::En, 100), &[75]);
    look("walk_single_en_80", ("single", Language::En, 80), &[11]);
    look("walk_wide_en_100", ("wide", Language::En, 100), &[90]);
}

/// The frames of the first steps with facts that some tests accept.
fn look_at(
    name: &str,
    (shape, language, columns): (&str, Language, usize),
    tests: &[fn(&Fact) -> bool],
) {
    let (_, scenario) = shapes().into_iter().find(|(own, _)| *own == shape).expect("a shape");
    let story = story(scenario);
    let first = |test: &fn(&Fact) -> bool| (1..=story.n_steps()).find(|at| story.any(*at, test));
    let steps: Vec<u64> = tests.iter().map(|test| first(test).expect("it happens")).collect();
    look(name, (shape, language, columns), &steps);
}

/// The first barrier, a copy of a record in flight, the last barrier.
const OVERTAKING: [fn(&Fact) -> bool; 3] = [
    |fact| matches!(fact, Fact::BarrierReceived { checkpoint: CheckpointId(2), n_received: 1, .. }),
    |fact| matches!(fact, Fact::ChannelStateSaved { .. }),
    |fact| matches!(fact, Fact::BarrierReceived { checkpoint: CheckpointId(2), n_received: 2, .. }),
];

/// The time of a barrier is over, and the task turns to it.
const TURNING: [fn(&Fact) -> bool; 1] =
    [|fact| matches!(fact, Fact::AlignmentTimedOut { checkpoint: CheckpointId(2), .. })];

#[test]
fn an_unaligned_checkpoint_looks_like_this() {
    look_at("walk_unaligned_en_100", ("unaligned", Language::En, 100), &OVERTAKING);
    look_at("walk_unaligned_zh_80", ("unaligned", Language::Zh, 80), &OVERTAKING);
    look_at("walk_local_en_80", ("local", Language::En, 80), &OVERTAKING[1..2]);
    let copying: fn(&Fact) -> bool = |fact| matches!(fact, Fact::SyncEnded { .. });
    let taken: fn(&Fact) -> bool =
        |fact| matches!(fact, Fact::SnapshotTaken { task: SubtaskIndex(2), .. });
    let name = "walk_snapshots_take_time_en_80";
    look_at(name, ("snapshots-take-time", Language::En, 80), &[taken, copying]);
}

#[test]
fn a_timeout_looks_like_this() {
    look_at("walk_timeout_en_100", ("timeout", Language::En, 100), &TURNING);
    look_at("walk_timeout_zh_80", ("timeout", Language::Zh, 80), &TURNING);
}
