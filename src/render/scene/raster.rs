//! A drawing as pixels. Everything is painted here, with the embedded font and
//! without the processor's vector units, so that the pixels are the same on
//! every machine.

use std::collections::BTreeMap;

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

use super::{Anchor, Ink, Item, Mark, Scene, Segment, Theme, Words};
use crate::render::font::{Font, Glyph};

/// Paints drawings; keeps the outlines of the glyphs that it has met.
pub struct Painter {
    font: Font,
    glyphs: BTreeMap<Glyph, Option<Path>>,
}

/// A painted drawing.
pub struct Pixels(Pixmap);

impl Pixels {
    /// How many pixels wide.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.0.width()
    }

    /// How many pixels high.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.0.height()
    }

    /// Red, green, blue and opacity of each pixel, line by line; every pixel
    /// is opaque.
    #[must_use]
    pub fn rgba(&self) -> &[u8] {
        self.0.data()
    }

    /// The pixels as a PNG file.
    ///
    /// # Panics
    /// Never: a drawing in memory can be written into memory.
    #[must_use]
    pub fn png(&self) -> Vec<u8> {
        self.0.encode_png().expect("a drawing in memory can be written into memory")
    }
}

impl Default for Painter {
    fn default() -> Self {
        Self::new()
    }
}

impl Painter {
    /// A painter with the embedded fonts.
    #[must_use]
    pub fn new() -> Self {
        Self { font: Font::new(), glyphs: BTreeMap::new() }
    }

    /// Paints a drawing so many times larger; nothing if it has more than
    /// [`PIXELS_MAX`] pixels.
    #[must_use]
    pub fn paint(&mut self, scene: &Scene, theme: Theme, scale: f64) -> Option<Pixels> {
        let (width, height) = ((scene.width * scale).ceil(), (scene.height * scale).ceil());
        if width < 1.0 || height < 1.0 || width * height > PIXELS_MAX {
            return None;
        }
        let mut pixels = Pixmap::new(width as u32, height as u32)?;
        pixels.fill(color(Ink::Page, theme, 1.0));
        let transform = Transform::from_scale(scale as f32, scale as f32);
        for item in &scene.items {
            match item {
                Item::Mark(shape) => mark(&mut pixels, shape, theme, transform),
                Item::Words(text) => self.words(&mut pixels, text, theme, transform),
            }
        }
        Some(Pixels(pixels))
    }

    fn words(&mut self, pixels: &mut Pixmap, words: &Words, theme: Theme, transform: Transform) {
        let style = words.style;
        let mut x = match style.anchor {
            Anchor::Start => words.x,
            Anchor::Middle => words.x - words.width / 2.0,
            Anchor::End => words.x - words.width,
        };
        let paint = paint(style.ink, theme, words.opacity);
        for sign in words.text.chars() {
            let glyph = self.font.glyph(sign, style.weight);
            let scale = (style.size / self.font.units(glyph)) as f32;
            let place = transform.pre_translate(x as f32, words.y as f32).pre_scale(scale, -scale);
            let outline = self.glyphs.entry(glyph).or_insert_with(|| outline(&self.font, glyph));
            if let Some(path) = outline {
                pixels.fill_path(path, &paint, FillRule::Winding, place, None);
            }
            x += self.font.advance(glyph) * style.size;
        }
    }
}

/// The most pixels of one picture: 256 MiB of memory.
pub const PIXELS_MAX: f64 = 67_108_864.0;

fn color(ink: Ink, theme: Theme, opacity: f64) -> Color {
    let value = ink.value(theme);
    let part = |shift: u32| (value >> shift & 255) as u8;
    Color::from_rgba8(part(16), part(8), part(0), (opacity * 255.0).round() as u8)
}

fn paint(ink: Ink, theme: Theme, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(ink, theme, opacity));
    paint
}

fn mark(pixels: &mut Pixmap, mark: &Mark, theme: Theme, transform: Transform) {
    let Some(path) = path(&mark.path) else { return };
    if let Some(ink) = mark.fill {
        let paint = paint(ink, theme, mark.opacity);
        pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
    }
    if let Some(line) = mark.stroke {
        let dash =
            line.dash.and_then(|(dash, gap)| StrokeDash::new(vec![dash as f32, gap as f32], 0.0));
        let stroke = tiny_skia::Stroke {
            width: line.width as f32,
            dash,
            line_cap: if line.round { LineCap::Round } else { LineCap::Butt },
            line_join: if line.round { LineJoin::Round } else { LineJoin::Miter },
            ..tiny_skia::Stroke::default()
        };
        let paint = paint(line.ink, theme, mark.opacity);
        pixels.stroke_path(&path, &paint, &stroke, transform, None);
    }
}

fn path(segments: &[Segment]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for segment in segments {
        match *segment {
            Segment::Move(x, y) => builder.move_to(x as f32, y as f32),
            Segment::Line(x, y) => builder.line_to(x as f32, y as f32),
            Segment::Cubic(a, b, c) => builder
                .cubic_to(a.0 as f32, a.1 as f32, b.0 as f32, b.1 as f32, c.0 as f32, c.1 as f32),
            Segment::Close => builder.close(),
        }
    }
    builder.finish()
}

fn outline(font: &Font, glyph: Glyph) -> Option<Path> {
    struct Pen(PathBuilder);
    impl OutlineBuilder for Pen {
        fn move_to(&mut self, x: f32, y: f32) {
            self.0.move_to(x, y);
        }
        fn line_to(&mut self, x: f32, y: f32) {
            self.0.line_to(x, y);
        }
        fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
            self.0.quad_to(x1, y1, x, y);
        }
        fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
            self.0.cubic_to(x1, y1, x2, y2, x, y);
        }
        fn close(&mut self) {
            self.0.close();
        }
    }
    let mut pen = Pen(PathBuilder::new());
    font.outline(glyph, &mut pen);
    pen.0.finish()
}
