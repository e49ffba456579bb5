//! What plotters draws on: our sheet. Its shapes and texts become those of a
//! scene, measured with the embedded fonts, and with that SVG or pixels.
//!
//! Plotters counts in whole pixels: one of them is a tenth of a unit here. A
//! colour of plotters says which [`Pen`] is meant.

use std::convert::Infallible;

use plotters::prelude::{DrawingBackend, RGBColor};
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontStyle,
};

use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, Stroke, Style, polygon, polyline, rounded};
use crate::render::sheet::Sheet;

/// Plotters' pixels in a unit.
pub(super) const FINE: f64 = 10.0;

/// How a shape is drawn, hidden in a colour of plotters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pen {
    pub(super) ink: Ink,
    pub(super) texture: Texture,
}

/// What repeats in a line or an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texture {
    Plain,
    Dashed,
    Dotted,
    DashDotted,
    Hatched,
}

impl Texture {
    pub(super) const LINES: [Self; 4] = [Self::Plain, Self::Dashed, Self::Dotted, Self::DashDotted];
    const ALL: [Self; 5] =
        [Self::Plain, Self::Dashed, Self::Dotted, Self::DashDotted, Self::Hatched];

    /// A line of this kind.
    pub(super) fn stroke(self, ink: Ink, width: f64) -> Stroke {
        let line = Stroke::new(ink, width);
        match self {
            Self::Plain | Self::Hatched => line,
            Self::Dashed => line.dashed(10.0, 6.0),
            Self::Dotted => line.dashed(3.0, 4.0),
            Self::DashDotted => line.dashed(18.0, 5.0),
        }
    }
}

impl Pen {
    pub(super) fn new(ink: Ink) -> Self {
        Self { ink, texture: Texture::Plain }
    }

    /// The colour that stands for it.
    pub(super) fn colour(self) -> RGBColor {
        let ink = Ink::ALL.iter().position(|own| *own == self.ink).expect("every ink is listed");
        let texture = Texture::ALL.iter().position(|own| *own == self.texture);
        RGBColor(ink as u8, texture.expect("every texture is listed") as u8, 0)
    }

    fn of(colour: BackendColor) -> Self {
        let (ink, texture, _) = colour.rgb;
        Self { ink: Ink::ALL[usize::from(ink)], texture: Texture::ALL[usize::from(texture)] }
    }
}

/// A sheet as plotters sees it.
pub(super) struct Canvas<'s, 'f> {
    pub(super) sheet: &'s mut Sheet<'f>,
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// A place of plotters on the sheet.
pub(super) fn units((x, y): BackendCoord) -> (f64, f64) {
    (f64::from(x) / FINE, f64::from(y) / FINE)
}

impl Canvas<'_, '_> {
    /// Draws with the opacity of a colour.
    fn with(&mut self, colour: BackendColor, draw: impl FnOnce(&mut Sheet<'_>, Pen)) -> Done {
        if colour.alpha > 0.0 {
            self.sheet.scene.fade(colour.alpha);
            draw(self.sheet, Pen::of(colour));
            self.sheet.scene.fade(1.0);
        }
        Ok(())
    }
}

fn stroke<S: BackendStyle>(pen: Pen, style: &S) -> Stroke {
    pen.texture.stroke(pen.ink, f64::from(style.stroke_width()) / FINE)
}

impl DrawingBackend for Canvas<'_, '_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let scene = &self.sheet.scene;
        ((scene.width * FINE) as u32, (scene.height * FINE) as u32)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Done {
        self.with(colour, |sheet, pen| {
            let (x, y) = units(point);
            let pixel = Rect::new(x, y, 1.0 / FINE, 1.0 / FINE);
            sheet.scene.fill(rounded(pixel, 0.0), pen.ink);
        })
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        self.with(style.color(), |sheet, pen| {
            sheet.scene.line(units(from), units(to), stroke(pen, style));
        })
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        self.with(style.color(), |sheet, pen| {
            let ((x, y), (right, bottom)) = (units(upper_left), units(bottom_right));
            let rect = Rect::new(x, y, right - x, bottom - y);
            match (fill, pen.texture) {
                (true, Texture::Hatched) => {
                    sheet.scene.hatch(rect, 0.0, Stroke::new(Ink::Line, 1.0));
                }
                (true, _) => sheet.scene.fill(rounded(rect, 0.0), pen.ink),
                (false, _) => sheet.scene.stroke(rounded(rect, 0.0), stroke(pen, style)),
            }
        })
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let points: Vec<(f64, f64)> = path.into_iter().map(units).collect();
        self.with(style.color(), |sheet, pen| {
            sheet.scene.stroke(polyline(&points), stroke(pen, style));
        })
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        self.with(style.color(), |sheet, pen| {
            let diameter = 2.0 * f64::from(radius) / FINE;
            let circle = rounded(Rect::around(units(center), diameter, diameter), diameter);
            if fill {
                sheet.scene.fill(circle, pen.ink);
            } else {
                sheet.scene.stroke(circle, stroke(pen, style));
            }
        })
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Done {
        let corners: Vec<(f64, f64)> = corners.into_iter().map(units).collect();
        self.with(style.color(), |sheet, pen| sheet.scene.fill(polygon(&corners), pen.ink))
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        place: BackendCoord,
    ) -> Done {
        self.with(style.color(), |sheet, pen| {
            let (x, y) = units(place);
            let size = style.size() / FINE;
            let anchor = match style.anchor().h_pos {
                HPos::Left => Anchor::Start,
                HPos::Center => Anchor::Middle,
                HPos::Right => Anchor::End,
            };
            let below = match style.anchor().v_pos {
                VPos::Top => 0.8,
                VPos::Center => 0.364,
                VPos::Bottom => -0.2,
            };
            let look = Style::new(size, weight(style), pen.ink).anchored(anchor);
            let room = sheet.width(text, look);
            sheet.text(text, (x, y + below * size), look, room);
        })
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let width = self.sheet.font.width(text, style.size(), weight(style));
        Ok((width.ceil() as u32, style.size().ceil() as u32))
    }

    /// A sheet has no pixels of others.
    fn blit_bitmap(&mut self, _: BackendCoord, _: (u32, u32), _: &[u8]) -> Done {
        Ok(())
    }
}

fn weight<T: BackendTextStyle>(style: &T) -> Weight {
    match style.style() {
        FontStyle::Bold => Weight::SemiBold,
        FontStyle::Normal | FontStyle::Oblique | FontStyle::Italic => Weight::Regular,
    }
}
