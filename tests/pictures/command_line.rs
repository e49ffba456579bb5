//! `checkdam draw` as it is typed: files, formats, and what is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use checkdam::model::Language;
use checkdam::render::{Frames, Measure, Painter, Place, Scene, Shows, Theme, chart};
use checkdam::trace::Metrics;

/// A folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("draw-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn draw(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    // Nothing of the machine: no fonts, no configuration, no home.
    command.env_clear().arg("draw").args(arguments);
    command.output().expect("it can be started")
}

#[expect(clippy::disallowed_methods, reason = "it reads what the program has written")]
fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[expect(clippy::disallowed_methods, reason = "it writes what the program is to read")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("it can be written");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_ending_says_the_format() {
    let folder = folder("formats");
    let formats = [("a.svg", &b"<svg "[..]), ("a.png", b"\x89PNG\r\n"), ("a.gif", b"GIF89a")];
    for (name, begins) in formats {
        let path = folder.join(name);
        let out = path.to_str().expect("plain names");
        let done = draw(&["lecture", "--moment", "alignment", "-o", out]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        assert!(done.stdout.is_empty() && done.stderr.is_empty());
        assert!(bytes(&path).starts_with(begins), "{name}");
    }
}

#[test]
fn texts_for_other_tools_are_written_by_their_endings() {
    let folder = folder("texts");
    let cases = [
        ("graph", "g.dot", "digraph job {"),
        ("graph", "g.mmd", "flowchart LR"),
        ("spacetime", "s.mmd", "sequenceDiagram"),
        ("spacetime", "s.json", "{"),
        ("chart", "c.svg", "<svg "),
    ];
    for (figure, name, begins) in cases {
        let path = folder.join(name);
        let out = path.to_str().expect("plain names");
        let done = draw(&["lecture", "--as", figure, "-o", out]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        assert!(bytes(&path).starts_with(begins.as_bytes()), "{name}");
    }
    let unfit = [("frame", "f.dot"), ("gantt", "g.gif"), ("graph", "g.json"), ("chart", "c.gif")];
    for (figure, name) in unfit {
        let path = folder.join(name);
        let out = path.to_str().expect("plain names");
        let done = draw(&["lecture", "--as", figure, "--step", "3", "-o", out]);
        assert_eq!(done.status.code(), Some(2), "{name}");
        assert!(text(&done.stderr).contains("that format is for --as"), "{name}");
        assert!(!path.exists());
    }
}

/// Without fonts, configuration, home or any other word of the environment the
/// program paints the very pixels that are painted here, Chinese included.
#[test]
fn pixels_need_nothing_of_the_machine() {
    let folder = folder("pixels");
    let story = super::story("lecture");
    let frames = Frames::new(&story, Language::Zh, Shows::default());
    let frame = frames.frame(Place::Moment(4));
    let mut metrics = Metrics::new(&story.scenario.graph);
    for step in &story.trace.steps {
        metrics.observe(&story.scenario.graph, step.at, &step.facts);
    }
    metrics.finish();
    let chart = chart(&story.scenario, &metrics, Language::Zh, &Measure::ALL);
    let cases: [(&[&str], &Scene); 2] =
        [(&["--moment", "4", "--theme", "dark"], &frame), (&["--as", "chart"], &chart)];
    for (place, (arguments, scene)) in cases.into_iter().enumerate() {
        let path = folder.join(format!("{place}.png"));
        let out = path.to_str().expect("plain names");
        let done = draw(&[&["lecture", "--lang", "zh", "-o", out], arguments].concat());
        assert!(done.status.success(), "{}", text(&done.stderr));
        let theme = if place == 0 { Theme::Dark } else { Theme::Light };
        let pixels = Painter::new().paint(scene, theme, 1.0).expect("it is not too large");
        assert!(bytes(&path) == pixels.png(), "{arguments:?}");
    }
}

/// An animation holds a frame for each moment, and plays once: there is no
/// extension that would repeat it.
#[test]
fn an_animation_plays_every_moment_once() {
    let folder = folder("animation");
    let path = folder.join("walk.gif");
    let out = path.to_str().expect("plain names");
    let done = draw(&["one-stream", "--all", "--moments", "-o", out]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let file = bytes(&path);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&file[..]).expect("it is a GIF");
    assert_eq!(decoder.repeat(), gif::Repeat::Finite(0));
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("it is whole") {
        assert_eq!((frame.width, frame.height, frame.delay), (1920, 1080, 250));
        frames.push(frame.buffer.to_vec());
    }
    assert_eq!(frames.len(), 6);
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_handout_holds_every_moment() {
    let done = draw(&["lecture", "--as", "contacts"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let svg = text(&done.stdout);
    assert!(svg.contains("viewBox=\"0 0 3840 4320\""));
    for number in 0..8 {
        assert!(svg.contains(&format!("moment {number} of 7")), "{number}");
    }
}

#[test]
fn larger_bitmaps_have_more_pixels_on_each_side() {
    let folder = folder("scale");
    for (scale, width) in [("1", 1920_u32), ("2", 3840), ("4", 7680)] {
        let path = folder.join(format!("{scale}.png"));
        let out = path.to_str().expect("plain names");
        let done = draw(&["lecture", "--moment", "3", "--scale", scale, "-o", out]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let header: [u8; 4] = bytes(&path)[16..20].try_into().expect("it has a header");
        assert_eq!(u32::from_be_bytes(header), width);
    }
}

#[test]
fn every_moment_gets_a_numbered_file() {
    let folder = folder("series");
    let pattern = folder.join("slide-%02d.svg");
    let out = pattern.to_str().expect("plain names");
    let done = draw(&["lecture", "--all", "--moments", "-o", out]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    for number in 0..8 {
        assert!(folder.join(format!("slide-{number:02}.svg")).exists(), "{number}");
    }
    assert!(!folder.join("slide-08.svg").exists());
    let all = folder.join("all");
    let done = draw(&["lecture", "--all", "-o", all.to_str().expect("plain names")]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(all.join("00.svg").exists() && all.join("89.svg").exists());
}

#[test]
fn without_a_file_a_figure_goes_to_standard_output() {
    let done = draw(&["lecture", "--as", "spacetime", "--lang", "zh"]);
    assert!(done.status.success());
    assert!(done.stdout.starts_with(b"<svg ") && text(&done.stdout).contains("对齐"));
}

#[test]
fn a_sign_that_the_font_lacks_is_told() {
    let folder = folder("glyphs");
    let scenario = folder.join("s.json");
    let job = r#"{ "title": "龘", "job": { "in": { "source": [1] }, "out": { "sink": "publish" } },
        "edges": [["in", "out"]] }"#;
    write(&scenario, job);
    let out = folder.join("a.png");
    let (scenario, out) = (scenario.to_str().expect("plain"), out.to_str().expect("plain"));
    let done = draw(&[scenario, "--step", "1", "-o", out]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("no glyph for `龘`"), "{}", text(&done.stderr));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let folder = folder("wrong");
    let cases: [(&[&str], &str); 8] = [
        (&["lecture"], "--step N, --moment NAME, or --all"),
        (&["lecture", "--step", "900"], "the run has steps 0 to 89"),
        (&["lecture", "--moment", "nowhere"], "its moments are `before`"),
        (&["lecture", "--as", "gantt", "--checkpoint", "9"], "it has 1, 2"),
        (&["lecture", "--as", "spacetime", "--steps", "9..1"], "is no range of steps"),
        (&["lecture", "--as", "spacetime", "--steps", "x"], "is no range of steps"),
        (&["lecture", "--all", "-o", "one.svg"], "several frames need several"),
        (&["nothing-of-this-name", "--step", "1"], "no file and no built-in scenario"),
    ];
    for (arguments, said) in cases {
        let mut all: Vec<&str> = arguments.to_vec();
        let out = folder.join("out.svg");
        if !arguments.contains(&"-o") {
            all.extend(["-o", out.to_str().expect("plain names")]);
        }
        let done = draw(&all);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(said), "{arguments:?}: {}", text(&done.stderr));
        assert!(!out.exists(), "{arguments:?}");
    }
    let bad = folder.join("a.bmp");
    let done = draw(&["lecture", "--step", "1", "-o", bad.to_str().expect("plain names")]);
    assert!(text(&done.stderr).contains("no figure has the ending `.bmp`"));
    let nowhere = folder.join("no").join("such").join("a.svg");
    let done = draw(&["lecture", "--step", "1", "-o", nowhere.to_str().expect("plain names")]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("cannot be written"), "{}", text(&done.stderr));
}
