//! Claims about stepping: every way to a step shows the same bytes.

use checkdam::cli::{After, Key, Look, Session};
use checkdam::model::{CheckpointId, FactPattern, Language, SinkKind};
use checkdam::narrate::{Grain, Story};
use checkdam::render::text::{Pictures, Place};
use checkdam::trace::{Driver, Fact};
use proptest::prelude::*;

use super::fixture::{shapes, story, two_sources};
use crate::common::sizes;

fn told() -> Story {
    let id = CheckpointId(2);
    story(
        two_sources(SinkKind::Publish)
            .moment(("before", "之前"), None)
            .moment(("trigger", "触发"), Some(FactPattern::CheckpointTriggered(id)))
            .moment(("complete", "完成"), Some(FactPattern::CheckpointCompleted(id)))
            .moment(("end", "结束"), Some(FactPattern::JobFinished))
            .scenario("Two sources"),
    )
}

fn look(grain: Grain) -> Look {
    Look { language: Language::En, columns: 100, lines: 40, grain }
}

fn type_number(session: &mut Session, step: u64) {
    for digit in step.to_string().bytes() {
        session.press(Key::Digit(digit - b'0'));
    }
    session.press(Key::Enter);
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        4 => Just(Key::Next),
        3 => Just(Key::Previous),
        1 => Just(Key::First),
        1 => Just(Key::Last),
        1 => Just(Key::NextMoment),
        1 => Just(Key::PreviousMoment),
        2 => (0_u8..10).prop_map(Key::Digit),
        1 => Just(Key::Enter),
        1 => Just(Key::Backspace),
        1 => Just(Key::Grain),
        1 => Just(Key::Language),
        1 => Just(Key::Help),
        1 => Just(Key::Up),
        1 => Just(Key::Down),
    ]
}

fn samples() -> ProptestConfig {
    let cases = u32::try_from(sizes::samples(100)).expect("a sensible scale");
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(samples())]

    #[test]
    fn any_route_to_a_step_shows_the_bytes_of_the_direct_way(
        keys in prop::collection::vec(key(), 0..40),
        wanted in 0_u64..140,
        lines in 8_usize..40,
    ) {
        let story = told();
        let wanted = wanted.min(story.n_steps());
        let mut session = Session::new(story.clone(), Look { lines, ..look(Grain::Steps) }, 0);
        for key in keys {
            prop_assert_eq!(session.press(key), After::GoesOn);
            prop_assert_eq!(session.frame().lines.len(), lines);
        }
        // Out of the help, out of a number half typed, and there.
        session.press(Key::Up);
        session.press(Key::Up);
        type_number(&mut session, wanted);
        let Place::Step(step) = session.place() else {
            session.press(Key::Grain);
            type_number(&mut session, wanted);
            prop_assert_eq!(session.place(), Place::Step(wanted));
            return Ok(());
        };
        prop_assert_eq!(step, wanted);
        let english = {
            let direct = Session::new(story.clone(), Look { lines, ..look(Grain::Steps) }, wanted);
            direct.frame()
        };
        let chinese = {
            let look = Look { lines, language: Language::Zh, ..look(Grain::Steps) };
            Session::new(story, look, wanted).frame()
        };
        let shown = session.frame();
        prop_assert!(shown == english || shown == chinese);
    }
}

#[test]
fn the_screen_shows_the_frame_that_is_printed_elsewhere() {
    let story = told();
    for language in [Language::En, Language::Zh] {
        let pictures = Pictures::new(&story, language, 100);
        let mut session =
            Session::new(story.clone(), Look { language, lines: 60, ..look(Grain::Steps) }, 0);
        for step in 0..=story.n_steps() {
            let printed = pictures.frame(Place::Step(step)).plain();
            assert!(session.frame().plain().starts_with(&printed), "step {step}");
            session.press(Key::Next);
        }
    }
}

#[test]
fn next_and_previous_undo_each_other() {
    let mut session = Session::new(told(), look(Grain::Steps), 20);
    let before = session.frame();
    session.press(Key::Next);
    assert_ne!(session.frame(), before);
    session.press(Key::Previous);
    assert_eq!(session.frame(), before);
}

#[test]
fn moments_are_shown_at_their_ends() {
    let story = told();
    let ends: Vec<u64> = story.spans.iter().map(|span| span.last).collect();
    assert_eq!(ends.len(), 4);
    let mut session = Session::new(story, look(Grain::Moments), 0);
    for end in &ends {
        assert_eq!(session.step(), *end);
        session.press(Key::Next);
    }
    // There is no moment after the last.
    assert_eq!(session.step(), ends[3]);
    session.press(Key::Grain);
    session.press(Key::PreviousMoment);
    assert_eq!((session.step(), session.place()), (ends[2], Place::Step(ends[2])));
    session.press(Key::First);
    assert_eq!(session.step(), 0);
}

#[test]
fn a_number_beyond_the_end_goes_to_the_end() {
    let story = told();
    let last = story.n_steps();
    let mut session = Session::new(story, look(Grain::Steps), 0);
    type_number(&mut session, 999_999);
    assert_eq!(session.step(), last);
    for _ in 0..30 {
        session.press(Key::Digit(9));
    }
    session.press(Key::Enter);
    assert_eq!(session.step(), last);
}

#[test]
fn escape_forgets_a_number_then_closes_the_help_then_ends() {
    let mut session = Session::new(told(), look(Grain::Steps), 7);
    let before = session.frame();
    session.press(Key::Digit(3));
    assert_ne!(session.frame(), before);
    assert_eq!(session.press(Key::Escape), After::GoesOn);
    assert_eq!(session.frame(), before);
    session.press(Key::Help);
    assert_ne!(session.frame(), before);
    assert_eq!(session.press(Key::Escape), After::GoesOn);
    assert_eq!(session.frame(), before);
    assert_eq!(session.press(Key::Escape), After::Ends);
    assert_eq!(session.press(Key::Quit), After::Ends);
}

#[test]
fn a_picture_that_is_too_high_keeps_its_title_and_its_sentences() {
    let (_, scenario) = shapes().pop().expect("the wide one is last");
    let story = story(scenario);
    let look = Look { lines: 24, ..look(Grain::Steps) };
    let mut session = Session::new(story, look, 90);
    let title = session.frame().plain().lines().next().map(str::to_owned);
    for _ in 0..100 {
        let text = session.frame().plain();
        assert_eq!(text.lines().next().map(str::to_owned), title);
        assert!(text.contains(" changed:") && text.contains(" why:"), "{text}");
        assert_eq!(session.frame().lines.len(), 24);
        session.press(Key::Down);
    }
    assert!(session.frame().plain().contains("more rows, nothing changed there"));
}

#[test]
fn a_story_without_moments_goes_by_steps() {
    let (_, scenario) = shapes().remove(0);
    let mut session = Session::new(story(scenario), look(Grain::Moments), 5);
    assert_eq!(session.place(), Place::Step(5));
    session.press(Key::Grain);
    session.press(Key::Next);
    assert_eq!(session.place(), Place::Step(6));
}

#[test]
fn the_screen_is_never_wider_than_it_is() {
    use unicode_width::UnicodeWidthStr;
    for language in [Language::En, Language::Zh] {
        for columns in [60, 80, 100, 160] {
            let look = Look { language, columns, lines: 30, grain: Grain::Steps };
            let mut session = Session::new(told(), look, 50);
            for key in [Key::Next, Key::Digit(4), Key::Escape, Key::Help] {
                session.press(key);
                for line in session.frame().plain().lines() {
                    assert!(line.width() <= columns, "{columns}: {line:?}");
                }
            }
        }
    }
}

/// The lecture, as everybody gets it.
fn lecture() -> Story {
    let loaded = checkdam::load::builtin().iter().find(|own| own.name == "lecture");
    let text = loaded.expect("it is built in").text;
    let scenario = checkdam::load::scenario("lecture", text.as_bytes()).expect("it is valid");
    story(scenario.scenario)
}

fn ids(story: &Story) -> Vec<u64> {
    let facts = story.trace.steps.iter().flat_map(|step| &step.facts);
    let triggered = facts.filter_map(|fact| match fact {
        Fact::CheckpointTriggered { checkpoint, .. } => Some(checkpoint.0),
        _ => None,
    });
    triggered.collect()
}

/// Two checkpoints by the scenario; a savepoint takes the next number, and what
/// comes after it the one after that.
#[test]
fn a_savepoint_can_be_asked_for_at_any_step_and_changes_nothing_before_it() {
    let story = lecture();
    assert_eq!(ids(&story), [1, 2]);
    let all_read = |step: u64| story.at(step).0.tasks.iter().any(|task| task.ended);
    for step in (0..story.n_steps()).step_by(7).take_while(|step| !all_read(*step)) {
        let mut session = Session::new(story.clone(), look(Grain::Steps), step);
        let before = session.clone();
        assert_eq!(session.press(Key::Savepoint), After::GoesOn);
        assert!(session.frame().plain().contains("savepoint asked for"), "step {step}");
        assert_eq!(session.step(), step);
        assert_eq!(ids(session.story()), [1, 2, 3], "step {step}");
        let same = |session: &Session| session.story().trace.steps[..step as usize].to_vec();
        assert_eq!(same(&session), same(&before));
        // The next key takes the answer away, and a second wish is one more.
        session.press(Key::Savepoint);
        assert_eq!(ids(session.story()), [1, 2, 3, 4]);
        session.press(Key::Language);
        assert!(!session.frame().plain().contains("保存点："));
    }
}

#[test]
fn no_savepoint_is_taken_of_a_run_that_is_over_or_cannot_be_had_again() {
    let story = lecture();
    let last = story.n_steps();
    let mut session = Session::new(story, look(Grain::Steps), last);
    session.press(Key::Savepoint);
    assert!(session.frame().plain().contains("no savepoint: the run is over"));
    assert_eq!((ids(session.story()), session.step()), (vec![1, 2], last));

    let mut recorded = lecture();
    recorded.trace.driver = Driver::Schedule(vec![0]);
    let mut session = Session::new(recorded, look(Grain::Steps), 4);
    session.press(Key::Savepoint);
    assert!(session.frame().plain().contains("this recording cannot be run again"));
}
