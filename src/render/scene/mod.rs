//! A drawing as shapes and texts with places on a canvas: what every kind of
//! picture is made of, and what becomes SVG text or pixels.
//!
//! A text is measured when it is put down and never leaves the room that it is
//! given: it goes down in size, to [`SIZE_MIN`] at least, and is cut after
//! that. What a shape stands for is no business of this room.

mod hatch;
mod ink;
mod paragraph;
mod path;
mod raster;
mod svg;

pub use ink::{Ink, Theme};
pub use path::Segment;
pub use raster::{PIXELS_MAX, Painter, Pixels};
pub use svg::{Colouring, FAMILIES, svg, svg_items, variables};

pub(super) use paragraph::paragraph;
pub(super) use path::{cut_corners, polygon, polyline, rounded};

use std::collections::BTreeSet;

use super::font::{Font, Weight, cut};
use crate::model::Language;

/// The smallest text.
pub const SIZE_MIN: f64 = 18.0;

/// A rectangle; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// To the right.
    pub width: f64,
    /// Downwards.
    pub height: f64,
}

impl Rect {
    /// A rectangle by its left upper corner and its size.
    #[must_use]
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The rectangle of a size around a point.
    #[must_use]
    pub fn around((x, y): (f64, f64), width: f64, height: f64) -> Self {
        Self::new(x - width / 2.0, y - height / 2.0, width, height)
    }

    /// The right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The point in its middle.
    #[must_use]
    pub fn middle(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// The rectangle that is larger by so much on each side.
    #[must_use]
    pub fn grown(&self, by: f64) -> Self {
        Self::new(self.x - by, self.y - by, self.width + 2.0 * by, self.height + 2.0 * by)
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub ink: Ink,
    /// How wide it is.
    pub width: f64,
    /// Lengths of dash and gap.
    pub dash: Option<(f64, f64)>,
    /// Whether its ends are round; else they are cut off.
    pub round: bool,
}

impl Stroke {
    /// A plain line.
    #[must_use]
    pub const fn new(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: None, round: false }
    }

    /// The same line in dashes.
    #[must_use]
    pub const fn dashed(self, dash: f64, gap: f64) -> Self {
        Self { dash: Some((dash, gap)), ..self }
    }

    /// The same line with round ends.
    #[must_use]
    pub const fn rounded(self) -> Self {
        Self { round: true, ..self }
    }
}

/// A shape that is filled, stroked or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its outline.
    pub path: Vec<Segment>,
    /// What is inside.
    pub fill: Option<Ink>,
    /// What is along it.
    pub stroke: Option<Stroke>,
    /// From 0, unseen, to 1.
    pub opacity: f64,
}

/// Which point of a text its place is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Height of its line, in the canvas's units.
    pub size: f64,
    /// How heavy.
    pub weight: Weight,
    /// Its colour.
    pub ink: Ink,
    /// Which of its points is put down.
    pub anchor: Anchor,
}

impl Style {
    /// Text in a size, from its left end.
    #[must_use]
    pub const fn new(size: f64, weight: Weight, ink: Ink) -> Self {
        Self { size, weight, ink, anchor: Anchor::Start }
    }

    /// The same, by another point.
    #[must_use]
    pub const fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// Where its anchor is.
    pub x: f64,
    /// Where its baseline is.
    pub y: f64,
    /// How it looks.
    pub style: Style,
    /// What it says.
    pub text: String,
    /// The whole, where something was cut.
    pub whole: Option<String>,
    /// The room that it was given, from left to right.
    pub room: (f64, f64),
    /// How wide it is.
    pub width: f64,
    /// From 0, unseen, to 1.
    pub opacity: f64,
}

impl Words {
    /// What it covers: from left to right its advance, from top to bottom what
    /// capitals and descenders need.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        let size = self.style.size;
        let left = match self.style.anchor {
            Anchor::Start => self.x,
            Anchor::Middle => self.x - self.width / 2.0,
            Anchor::End => self.x - self.width,
        };
        Rect::new(left, self.y - 0.80 * size, self.width, size)
    }
}

/// One thing of a drawing; later ones lie on earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A shape.
    Mark(Mark),
    /// A text.
    Words(Words),
}

/// A drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// How wide the canvas is, in units: pixels at scale 1.
    pub width: f64,
    /// How high.
    pub height: f64,
    /// What it shows, for who cannot see it.
    pub title: String,
    /// The same in a sentence or two.
    pub description: String,
    /// The language of its texts.
    pub language: Language,
    /// From back to front.
    pub items: Vec<Item>,
    /// Where, among the items, each part begins: what is likely to change
    /// together from one drawing to the next of a series.
    pub parts: Vec<usize>,
    fade: f64,
}

impl Scene {
    /// An empty page.
    #[must_use]
    pub fn new(width: f64, height: f64, language: Language) -> Self {
        let mut scene = Self {
            width,
            height,
            title: String::new(),
            description: String::new(),
            language,
            items: Vec::new(),
            parts: vec![0],
            fade: 1.0,
        };
        scene.fill(rounded(Rect::new(0.0, 0.0, width, height), 0.0), Ink::Page);
        scene
    }

    /// Makes the page lower or higher; its first item is its ground.
    pub fn set_height(&mut self, height: f64) {
        self.height = height;
        let ground = rounded(Rect::new(0.0, 0.0, self.width, height), 0.0);
        self.items[0] =
            Item::Mark(Mark { path: ground, fill: Some(Ink::Page), stroke: None, opacity: 1.0 });
    }

    /// Begins another part.
    pub fn part(&mut self) {
        self.parts.push(self.items.len());
    }

    /// Draws what follows so faintly; 1 is the full strength.
    pub fn fade(&mut self, opacity: f64) {
        self.fade = opacity;
    }

    /// Puts a shape down.
    pub fn mark(&mut self, path: Vec<Segment>, fill: Option<Ink>, stroke: Option<Stroke>) {
        self.items.push(Item::Mark(Mark { path, fill, stroke, opacity: self.fade }));
    }

    /// A shape that is only filled.
    pub fn fill(&mut self, path: Vec<Segment>, ink: Ink) {
        self.mark(path, Some(ink), None);
    }

    /// A shape that is only stroked.
    pub fn stroke(&mut self, path: Vec<Segment>, stroke: Stroke) {
        self.mark(path, None, Some(stroke));
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.stroke(vec![Segment::Move(from.0, from.1), Segment::Line(to.0, to.1)], stroke);
    }

    /// A rectangle with stripes, as for what is blocked.
    pub fn hatch(&mut self, rect: Rect, radius: f64, edge: Stroke) {
        self.fill(rounded(rect, radius), Ink::Panel);
        self.fill(hatch::stripes(rect, radius), Ink::Hatch);
        self.stroke(rounded(rect, radius), edge);
    }

    /// Puts a text at a point, in a room so wide: it goes down in size, then is
    /// cut. Gives its width. Of an empty text nothing is left.
    pub fn text(
        &mut self,
        font: &Font,
        text: &str,
        ((x, y), style): ((f64, f64), Style),
        room: f64,
    ) -> f64 {
        let text = text.replace(['\u{a0}', '\u{2011}'], " ").replace('\u{2060}', "");
        let mut size = style.size;
        while size > SIZE_MIN && font.width(&text, size, style.weight) > room {
            size = (size - 2.0).max(SIZE_MIN);
        }
        let shown = cut(font, &text, (size, style.weight), room);
        let width = font.width(&shown, size, style.weight);
        if shown.is_empty() {
            return 0.0;
        }
        let left = match style.anchor {
            Anchor::Start => x,
            Anchor::Middle => x - room / 2.0,
            Anchor::End => x - room,
        };
        self.items.push(Item::Words(Words {
            x,
            y,
            style: Style { size, ..style },
            whole: (shown != text).then_some(text),
            text: shown,
            room: (left, left + room),
            width,
            opacity: self.fade,
        }));
        width
    }

    /// Its texts.
    pub fn words(&self) -> impl Iterator<Item = &Words> {
        self.items.iter().filter_map(|item| match item {
            Item::Words(words) => Some(words),
            Item::Mark(_) => None,
        })
    }

    /// The signs of its texts that the font lacks: a bitmap has boxes for them.
    #[must_use]
    pub fn unknown_signs(&self, font: &Font) -> BTreeSet<char> {
        let signs = self.words().flat_map(|words| words.text.chars());
        signs.filter(|sign| !font.knows(*sign)).collect()
    }
}
