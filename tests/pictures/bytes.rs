//! The bytes of figures: goldens of the lecture, the same every time, and the
//! same pixels without anything of the machine.

use checkdam::model::Language;
use checkdam::render::{
    Colouring, Frames, Painter, Place, Range, Shows, Theme, gantt, spacetime, svg,
};
use xxhash_rust::xxh3::xxh3_64;

use super::story;
use crate::common::snapshot;

#[test]
fn the_lectures_moments_look_like_this() {
    let story = story("lecture");
    for (language, code, spans) in [(Language::En, "en", 0..8), (Language::Zh, "zh", 3..5)] {
        let frames = Frames::new(&story, language, Shows::default());
        for span in spans {
            let text = svg(&frames.frame(Place::Moment(span)), Colouring::Variables);
            snapshot("pictures", &format!("lecture-{span}-{code}"), &text);
        }
    }
}

#[test]
fn the_lectures_diagrams_look_like_this() {
    let story = story("lecture");
    let drawing = spacetime(&story, Language::En, Range::default());
    snapshot("pictures", "lecture-spacetime", &svg(&drawing, Colouring::Variables));
    let story = super::story("backpressure");
    let drawing = gantt(&story, Language::En, None).expect("it has checkpoints");
    snapshot("pictures", "backpressure-gantt", &svg(&drawing, Colouring::Variables));
}

#[test]
fn every_way_to_a_step_gives_the_same_bytes() {
    let story = story("lecture-unaligned");
    let frames = Frames::new(&story, Language::Zh, Shows::default());
    let bytes =
        |frames: &Frames<'_>, step| svg(&frames.frame(Place::Step(step)), Colouring::Variables);
    let first = bytes(&frames, 50);
    for step in [51, 104, 3, 49] {
        let _ = bytes(&frames, step);
    }
    assert_eq!(bytes(&frames, 50), first);
    let again = super::story("lecture-unaligned");
    let frames = Frames::new(&again, Language::Zh, Shows::default());
    assert_eq!(bytes(&frames, 50), first);
}

#[test]
fn fixed_colours_are_those_of_the_theme_and_need_no_variables() {
    let story = story("lecture");
    let drawing = Frames::new(&story, Language::En, Shows::default()).frame(Place::Moment(3));
    for (theme, page, other) in
        [(Theme::Light, "#ffffff", "#11161d"), (Theme::Dark, "#11161d", "#f5f7f9")]
    {
        let text = svg(&drawing, Colouring::Fixed(theme));
        assert!(text.contains(page) && !text.contains(other) && !text.contains("var("));
    }
}

/// Pixels of a part of a picture, as marks for who reads a failure: the digest
/// stands for all of them.
fn digest(pixels: &checkdam::render::Pixels) -> String {
    let ink = pixels.rgba().chunks_exact(4).filter(|pixel| pixel[0] < 128).count();
    let (width, height) = (pixels.width(), pixels.height());
    format!("{width} × {height}, {ink} dark pixels, {:016x}", xxh3_64(pixels.rgba()))
}

#[test]
fn the_pixels_are_the_same_everywhere() {
    let story = story("lecture");
    let mut painter = Painter::new();
    let mut lines = Vec::new();
    for (language, theme, scale) in [
        (Language::En, Theme::Light, 1.0),
        (Language::Zh, Theme::Light, 1.0),
        (Language::Zh, Theme::Dark, 2.0),
    ] {
        let drawing = Frames::new(&story, language, Shows::default()).frame(Place::Moment(4));
        let pixels = painter.paint(&drawing, theme, scale).expect("it is not too large");
        let again = Painter::new().paint(&drawing, theme, scale).expect("it is not too large");
        assert!(pixels.rgba() == again.rgba());
        lines.push(format!("{language:?} {theme:?} {scale}: {}", digest(&pixels)));
    }
    snapshot("pictures", "lecture-pixels", &lines.join("\n"));
}

#[test]
fn chinese_texts_are_painted_and_unknown_signs_are_boxes() {
    let story = story("lecture");
    let font = checkdam::render::Font::new();
    let drawing = Frames::new(&story, Language::Zh, Shows::default()).frame(Place::Moment(4));
    assert!(drawing.unknown_signs(&font).is_empty());
    let mut painter = Painter::new();
    let mut dark = |text: &str| {
        let mut scene = checkdam::render::Scene::new(60.0, 40.0, Language::Zh);
        let look = checkdam::render::Style::new(
            30.0,
            checkdam::render::Weight::Regular,
            checkdam::render::Ink::Text,
        );
        scene.text(&font, text, ((10.0, 30.0), look), 50.0);
        let pixels = painter.paint(&scene, Theme::Light, 1.0).expect("it is small");
        pixels.rgba().chunks_exact(4).filter(|pixel| pixel[0] < 128).count()
    };
    // A character of many strokes, and the box for one that the font lacks.
    assert!(dark("藏") > 200, "{}", dark("藏"));
    assert!(dark("龘") > 40 && dark("龘") < dark("藏"), "{}", dark("龘"));
    assert_eq!(dark(" "), 0);
}
