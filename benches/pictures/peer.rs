//! The same drawing by plotters' bitmap backend.

use checkdam::render::{Anchor, Ink, Item, Mark, Scene, Segment, Theme, Weight, Words};
use plotters::prelude::{
    BitMapBackend, Color, FontStyle, IntoDrawingArea, IntoFont, PathElement, Polygon, RGBColor,
    ShapeStyle, Text, TextStyle,
};
use plotters::style::register_font as register;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// What plotters has drawn.
pub(crate) struct Drawn {
    /// Red, green and blue of each pixel.
    pub(crate) pixels: Vec<u8>,
    pub(crate) size: (u32, u32),
    pub(crate) n_shapes: usize,
    pub(crate) n_texts: usize,
}

/// Gives plotters our font, in its two weights.
pub(crate) fn register_font() {
    let fonts: [(FontStyle, &'static [u8]); 2] = [
        (FontStyle::Normal, include_bytes!("../../src/render/fonts/latin-400.otf")),
        (FontStyle::Bold, include_bytes!("../../src/render/fonts/latin-600.otf")),
    ];
    for (style, bytes) in fonts {
        let registered = register("sans-serif", style, bytes).is_ok();
        assert!(registered, "plotters reads our font");
    }
}

/// Draws every fill, stroke and text of a scene.
pub(crate) fn draw(scene: &Scene) -> Drawn {
    let size = (scene.width as u32, scene.height as u32);
    let mut pixels = vec![0; 3 * size.0 as usize * size.1 as usize];
    let (mut n_shapes, mut n_texts) = (0, 0);
    {
        let area = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
        for item in &scene.items {
            match item {
                Item::Mark(mark) => {
                    let points = points(&mark.path);
                    for style in styles(mark) {
                        n_shapes += 1;
                        let drawn = match style.filled {
                            true => area.draw(&Polygon::new(points.clone(), style)),
                            false => area.draw(&PathElement::new(points.clone(), style)),
                        };
                        drawn.expect("a buffer can be drawn into");
                    }
                }
                Item::Words(words) => {
                    n_texts += 1;
                    let style = text_style(words);
                    let at = (words.x.round() as i32, words.y.round() as i32);
                    let text = Text::new(words.text.clone(), at, style);
                    area.draw(&text).expect("a buffer can be drawn into");
                }
            }
        }
        area.present().expect("a buffer can be drawn into");
    }
    Drawn { pixels, size, n_shapes, n_texts }
}

/// The pixels as a PNG, packed by the encoder that we use.
pub(crate) fn png(drawn: &Drawn) -> Vec<u8> {
    let mut pixmap = tiny_skia::Pixmap::new(drawn.size.0, drawn.size.1).expect("it is not empty");
    let both = pixmap.data_mut().chunks_exact_mut(4).zip(drawn.pixels.chunks_exact(3));
    for (own, pixel) in both {
        own[..3].copy_from_slice(pixel);
        own[3] = 255;
    }
    pixmap.encode_png().expect("a drawing in memory can be written into memory")
}

fn colour(ink: Ink) -> RGBColor {
    let value = ink.value(Theme::Light);
    let part = |shift: u32| (value >> shift & 255) as u8;
    RGBColor(part(16), part(8), part(0))
}

/// One for the fill and one for the stroke.
fn styles(mark: &Mark) -> Vec<ShapeStyle> {
    let fill = mark.fill.map(|ink| colour(ink).mix(mark.opacity).filled());
    let stroke = mark.stroke.map(|line| {
        let width = line.width.round().max(1.0) as u32;
        colour(line.ink).mix(mark.opacity).stroke_width(width)
    });
    fill.into_iter().chain(stroke).collect()
}

fn text_style(words: &Words) -> TextStyle<'static> {
    let style =
        if words.style.weight >= Weight::SemiBold { FontStyle::Bold } else { FontStyle::Normal };
    let horizontal = match words.style.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = ("sans-serif", words.style.size, style).into_font();
    let style = TextStyle::from(font).pos(Pos::new(horizontal, VPos::Bottom));
    TextStyle { color: colour(words.style.ink).to_backend_color(), ..style }
}

/// An outline as whole pixels; a curve in eight pieces.
fn points(path: &[Segment]) -> Vec<(i32, i32)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for segment in path {
        match *segment {
            Segment::Move(x, y) | Segment::Line(x, y) => points.push((x, y)),
            Segment::Cubic(b, c, d) => {
                let a = points.last().copied().unwrap_or(b);
                points.extend((1..=8).map(|n| {
                    let t = f64::from(n) / 8.0;
                    let s = 1.0 - t;
                    let mix = |a: f64, b: f64, c: f64, d: f64| {
                        s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
                    };
                    (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
                }));
            }
            Segment::Close => {
                if let Some(first) = points.first().copied() {
                    points.push(first);
                }
            }
        }
    }
    points.into_iter().map(|(x, y)| (x.round() as i32, y.round() as i32)).collect()
}
