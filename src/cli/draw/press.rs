//! From drawings to the bytes of a file.

use std::collections::BTreeSet;

use super::super::args::{FigureFormat, Look, ThemeName};
use super::super::output::Output;
use super::super::problem::{Problem, headline};
use crate::render::{Animation, Colouring, Font, Painter, Pixels, Scene, Theme, svg};

/// Turns drawings into files.
pub(in crate::cli) struct Press {
    format: FigureFormat,
    theme: ThemeName,
    scale: f64,
    painter: Painter,
    font: Font,
    unknown: BTreeSet<char>,
}

impl Press {
    pub(in crate::cli) fn new(format: FigureFormat, look: Look) -> Self {
        Self {
            format,
            theme: look.theme,
            scale: f64::from(look.scale),
            painter: Painter::new(),
            font: Font::new(),
            unknown: BTreeSet::new(),
        }
    }

    /// The bytes of a drawing's file.
    pub(in crate::cli) fn print(&mut self, drawing: &Scene) -> Result<Vec<u8>, Problem> {
        match self.format {
            FigureFormat::Svg if self.theme == ThemeName::Auto => {
                Ok(svg(drawing, Colouring::Variables).into_bytes())
            }
            FigureFormat::Svg => Ok(svg(drawing, Colouring::Fixed(self.theme())).into_bytes()),
            FigureFormat::Gif => self.animation(std::slice::from_ref(drawing)),
            _ => Ok(self.paint(drawing)?.png()),
        }
    }

    fn theme(&self) -> Theme {
        match self.theme {
            ThemeName::Auto | ThemeName::Light => Theme::Light,
            ThemeName::Dark => Theme::Dark,
        }
    }

    fn paint(&mut self, drawing: &Scene) -> Result<Pixels, Problem> {
        self.unknown.extend(drawing.unknown_signs(&self.font));
        let pixels = self.painter.paint(drawing, self.theme(), self.scale);
        pixels.ok_or_else(|| too_large(drawing))
    }

    /// The bytes of a GIF that plays drawings once, one after the other.
    pub(super) fn animation(&mut self, drawings: &[Scene]) -> Result<Vec<u8>, Problem> {
        let mut animation = Animation::new();
        for drawing in drawings {
            let pixels = self.paint(drawing)?;
            animation.add(&pixels);
        }
        let bytes = animation.gif();
        bytes.ok_or_else(|| {
            let what = "a GIF is at most 65535 pixels wide and high, and all its frames alike";
            Problem::input("too-large", what, "draw PNG files, or with a smaller --scale")
        })
    }

    /// Says which signs the pictures have boxes for.
    pub(in crate::cli) fn warn(&self, output: &Output) {
        if self.unknown.is_empty() {
            return;
        }
        let signs: Vec<String> = self.unknown.iter().map(|sign| format!("`{sign}`")).collect();
        let what = format!("the built-in font has no glyph for {}", signs.join(", "));
        let help = "a box stands for it in the picture; SVG uses the reader’s own fonts";
        output.complain(&headline("warning[glyph]", &what, help, output));
    }
}

fn too_large(drawing: &Scene) -> Problem {
    let (width, height) = (drawing.width, drawing.height);
    let what = format!("a picture of {width} × {height} units is too large for so many pixels");
    Problem::input("too-large", what, "draw it as SVG, or with a smaller --scale")
}
