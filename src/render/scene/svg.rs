//! A drawing as SVG text.

use std::fmt::Write as _;

use super::{Anchor, Ink, Item, Mark, Rect, Scene, Segment, Stroke, Theme, Words};
use crate::model::Language;

/// How an SVG file says its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colouring {
    /// By variables: light or dark as the reader's system is, or as a class
    /// `light` or `dark` on the element says.
    Variables,
    /// By their values: for programs that know no variables, and for paper.
    Fixed(Theme),
}

/// Fonts with figures that look as they were measured, and what most systems
/// have instead.
pub const FAMILIES: &str = "Inter,'Noto Sans','Noto Sans SC','Noto Sans CJK SC','PingFang SC',\
                        'Microsoft YaHei',system-ui,sans-serif";

/// The drawing as an SVG file.
#[must_use]
pub fn svg(scene: &Scene, colouring: Colouring) -> String {
    let mut out = String::new();
    let (width, height) = (Number(scene.width), Number(scene.height));
    let language = match scene.language {
        Language::En => "en",
        Language::Zh => "zh-Hans",
    };
    let (title, description) = (escaped(&scene.title), escaped(&scene.description));
    let write = &mut out;
    let _ = writeln!(
        write,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"checkdam\" xml:lang=\"{language}\" \
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         font-family=\"{FAMILIES}\">"
    );
    let _ = writeln!(write, "<title>{title}</title>\n<desc>{description}</desc>");
    write.push_str("<style>\n");
    if colouring == Colouring::Variables {
        let (light, dark) = (variables(Theme::Light), variables(Theme::Dark));
        let _ = writeln!(write, ".checkdam{{{light}}}");
        let _ = writeln!(
            write,
            "@media (prefers-color-scheme:dark){{.checkdam:not(.light){{{dark}}}}}"
        );
        let _ = writeln!(write, ".checkdam.dark{{{dark}}}");
    }
    write.push_str(".checkdam text{font-variant-numeric:tabular-nums;font-kerning:none;white-space:pre}\n</style>\n");
    for own in &scene.items {
        item(write, own, colouring);
    }
    write.push_str("</svg>\n");
    out
}

/// Each item of a drawing as an SVG element, with colours by variables.
#[must_use]
pub fn svg_items(scene: &Scene) -> Vec<String> {
    let element = |own: &Item| {
        let mut out = String::new();
        item(&mut out, own, Colouring::Variables);
        out.truncate(out.trim_end().len());
        out
    };
    scene.items.iter().map(element).collect()
}

/// The colours of a theme as CSS variables.
#[must_use]
pub fn variables(theme: Theme) -> String {
    let variables = Ink::ALL.iter().map(|ink| format!("--{ink}:#{:06x};", ink.value(theme)));
    variables.collect()
}

fn colour(ink: Ink, colouring: Colouring) -> String {
    match colouring {
        Colouring::Variables => format!("var(--{ink})"),
        Colouring::Fixed(theme) => format!("#{:06x}", ink.value(theme)),
    }
}

fn item(out: &mut String, item: &Item, colouring: Colouring) {
    match item {
        Item::Mark(shape) => mark(out, shape, colouring),
        Item::Words(text) => words(out, text, colouring),
    }
}

fn mark(out: &mut String, mark: &Mark, colouring: Colouring) {
    match rectangle(&mark.path) {
        Some((rect, radius)) => {
            let Rect { x, y, width, height } = rect;
            let (x, y, width, height) = (Number(x), Number(y), Number(width), Number(height));
            let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
            if radius > 0.0 {
                let _ = write!(out, " rx=\"{}\"", Number(radius));
            }
        }
        None => {
            out.push_str("<path d=\"");
            outline(out, &mark.path);
            out.push('"');
        }
    }
    let fill = mark.fill.map_or_else(|| "none".to_owned(), |ink| colour(ink, colouring));
    let _ = write!(out, " fill=\"{fill}\"");
    if let Some(Stroke { ink, width, dash, round }) = mark.stroke {
        let _ = write!(
            out,
            " stroke=\"{}\" stroke-width=\"{}\"",
            colour(ink, colouring),
            Number(width)
        );
        if let Some((dash, gap)) = dash {
            let _ = write!(out, " stroke-dasharray=\"{} {}\"", Number(dash), Number(gap));
        }
        if round {
            out.push_str(" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
        }
    }
    if mark.opacity < 1.0 {
        let _ = write!(out, " opacity=\"{}\"", Number(mark.opacity));
    }
    out.push_str("/>\n");
}

fn words(out: &mut String, words: &Words, colouring: Colouring) {
    let style = words.style;
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\"",
        Number(words.x),
        Number(words.y),
        Number(style.size),
        style.weight.css(),
        colour(style.ink, colouring)
    );
    match style.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if words.opacity < 1.0 {
        let _ = write!(out, " opacity=\"{}\"", Number(words.opacity));
    }
    out.push('>');
    if let Some(whole) = &words.whole {
        let _ = write!(out, "<title>{}</title>", escaped(whole));
    }
    let _ = writeln!(out, "{}</text>", escaped(&words.text));
}

/// The rectangle that an outline is, with the radius of its corners.
fn rectangle(path: &[Segment]) -> Option<(Rect, f64)> {
    match *path {
        [
            Segment::Move(x, y),
            Segment::Line(right, top),
            Segment::Line(_, bottom),
            Segment::Line(left, _),
            Segment::Close,
        ] if x == left && y == top && path[2] == Segment::Line(right, bottom) => {
            Some((Rect::new(x, y, right - x, bottom - y), 0.0))
        }
        [
            Segment::Move(start, top),
            Segment::Line(..),
            Segment::Cubic(_, _, (right, _)),
            _,
            Segment::Cubic(_, _, (_, bottom)),
            _,
            Segment::Cubic(_, _, (left, _)),
            _,
            Segment::Cubic(_, _, (end, _)),
            Segment::Close,
        ] if start == end => Some((Rect::new(left, top, right - left, bottom - top), start - left)),
        _ => None,
    }
}

fn outline(out: &mut String, path: &[Segment]) {
    for segment in path {
        let _ = match *segment {
            Segment::Move(x, y) => write!(out, "M{},{}", Number(x), Number(y)),
            Segment::Line(x, y) => write!(out, "L{},{}", Number(x), Number(y)),
            Segment::Cubic((a, b), (c, d), (x, y)) => {
                let [a, b, c, d, x, y] = [a, b, c, d, x, y].map(Number);
                write!(out, "C{a},{b} {c},{d} {x},{y}")
            }
            Segment::Close => write!(out, "Z"),
        };
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML has no place for them, not even escaped.
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => escaped.push('\u{fffd}'),
            '\u{a0}' => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// A number with at most two places after the point.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hundredths = (self.0 * 100.0).round() as i64;
        let sign = if hundredths < 0 { "-" } else { "" };
        let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
        match (rest, rest % 10) {
            (0, _) => write!(f, "{sign}{whole}"),
            (_, 0) => write!(f, "{sign}{whole}.{}", rest / 10),
            _ => write!(f, "{sign}{whole}.{rest:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Rect, rounded};
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [(0.0, "0"), (-0.001, "0"), (12.0, "12"), (0.5, "0.5"), (-3.25, "-3.25")];
        for (number, text) in cases {
            assert_eq!(Number(number).to_string(), text);
        }
        assert_eq!(Number(1.005).to_string(), "1");
        assert_eq!(Number(7.06).to_string(), "7.06");
    }

    #[test]
    fn rectangles_are_recognised() {
        let rect = Rect::new(10.0, 20.0, 56.0, 48.0);
        for radius in [0.0, 8.0, 24.0] {
            assert_eq!(rectangle(&rounded(rect, radius)), Some((rect, radius)));
        }
        assert_eq!(rectangle(&[Segment::Move(0.0, 0.0), Segment::Line(1.0, 1.0)]), None);
    }

    #[test]
    fn signs_that_would_end_a_text_are_escaped() {
        assert_eq!(escaped("a<b>&\u{1}"), "a&lt;b&gt;&amp;\u{fffd}");
    }
}
