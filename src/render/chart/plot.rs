//! One plot: an axis each way, curves, and what they are called. Plotters
//! places and draws it; titles and legends are ours.

use plotters::prelude::{
    Cartesian2d, ChartBuilder, ChartContext, Color as _, IntoDrawingArea as _, LabelAreaPosition,
    PathElement, Polygon, Rectangle, ShapeStyle, TextStyle,
};
use plotters::style::IntoFont as _;

use super::axis::Axis;
use super::canvas::{Canvas, FINE, Pen, Texture, units};
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, SIZE_MIN, Stroke, rounded};
use crate::render::sheet::{Sheet, quiet, style};

/// A plot with all that it shows.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) heading: String,
    /// What the numbers upwards are: "ms", "records a second".
    pub(super) unit: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) curves: Vec<Curve>,
    /// Behind the curves.
    pub(super) backdrop: Vec<Backdrop>,
    /// What to say where there is no curve.
    pub(super) nothing: String,
}

/// Something that lasts or happens, and belongs to no curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Backdrop {
    /// The job is down from one place until another.
    Outage(f64, f64),
    /// A checkpoint is complete.
    Checkpoint(f64),
    /// Something of theory or arithmetic: a line upwards.
    Landmark(f64, Pen),
}

/// A curve.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// Its name in the legend; none where the heading says it all.
    pub(super) name: Option<String>,
    pub(super) pen: Pen,
    pub(super) shape: Shape,
    pub(super) points: Vec<(f64, f64)>,
    /// Around it, from below to above.
    pub(super) band: Vec<(f64, f64, f64)>,
}

/// How the points of a curve are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// By a line.
    Line,
    /// By a line and a sign at each, of so many different ones.
    Marked(usize),
    /// Each by itself.
    Dots,
    /// Each by itself, with nothing inside.
    Rings,
    /// Each by itself, as what went wrong.
    Crosses,
    /// By steps that are filled down to the axis.
    Columns,
}

impl Shape {
    fn has_signs(self) -> bool {
        !matches!(self, Self::Line | Self::Columns)
    }
}

/// The room that the axes' numbers take.
const NUMBERS: (f64, f64) = (92.0, 34.0);
/// From the top of a plot to its axes.
pub(super) const HEAD: f64 = 68.0;

type Context<'c, 's, 'f> = ChartContext<'c, Canvas<'s, 'f>, Cartesian2d<Axis, Axis>>;

const NEVER: &str = "drawing on a sheet cannot fail";

impl Plot {
    /// Draws it into a rectangle.
    pub(super) fn draw(&self, sheet: &mut Sheet<'_>, rect: Rect) {
        self.head(sheet, rect);
        let body = Rect::new(rect.x, rect.y + HEAD, rect.width, rect.height - HEAD);
        if self.curves.iter().all(|curve| curve.points.is_empty()) {
            let look = quiet(20.0).anchored(Anchor::Middle);
            let (left, bottom) = NUMBERS;
            let plot = Rect::new(body.x + left, body.y, body.width - left, body.height - bottom);
            let (x, y) = plot.middle();
            sheet.text(&self.nothing, (x, y + 7.0), look, plot.width - 20.0);
        }
        for (at, sign) in self.plot(sheet, body) {
            draw_sign(sheet, at, sign);
        }
    }

    /// Its heading, and below it the legend.
    fn head(&self, sheet: &mut Sheet<'_>, rect: Rect) {
        let left = rect.x + NUMBERS.0;
        let room = rect.width - NUMBERS.0;
        let look = style(22.0, Weight::SemiBold, Ink::Text);
        let width = sheet.text(&self.heading, (left, rect.y + 18.0), look, room * 0.7);
        let unit = (left + width + 14.0, rect.y + 18.0);
        sheet.text(&self.unit, unit, quiet(20.0), room - width - 14.0);
        let named = self.curves.iter().filter_map(|curve| Some((curve, curve.name.as_ref()?)));
        let named: Vec<_> = named.collect();
        let sample = 46.0;
        let share = room / named.len().max(1) as f64 - sample - 24.0;
        let mut x = left;
        for (curve, name) in named {
            let y = rect.y + 46.0;
            curve.sample(sheet, (x, y - 6.0));
            let width = sheet.width(name, quiet(SIZE_MIN)).min(share);
            sheet.text(name, (x + sample, y), quiet(SIZE_MIN), width + 0.1);
            x += sample + width + 24.0;
        }
    }

    /// Draws axes and lines, and gives the places of the signs.
    fn plot(&self, sheet: &mut Sheet<'_>, body: Rect) -> Vec<((f64, f64), (Shape, Ink))> {
        let fine = |units: f64| (units * FINE).round() as i32;
        let root = Canvas { sheet }.into_drawing_area();
        let corner = (fine(body.x), fine(body.y));
        let area = root.shrink(corner, (fine(body.width), fine(body.height)));
        let mut chart = ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Left, fine(NUMBERS.0))
            .set_label_area_size(LabelAreaPosition::Bottom, fine(NUMBERS.1))
            .build_cartesian_2d(self.x.clone(), self.y.clone())
            .expect(NEVER);
        self.backdrop(&mut chart);
        let size = SIZE_MIN * FINE;
        let numbers = TextStyle::from(("sans-serif", size).into_font());
        let quietly = Pen::new(Ink::Quiet).colour();
        let numbers = numbers.color(&quietly);
        let hairline = Pen::new(Ink::Line).colour().stroke_width(fine(1.2) as u32);
        let axis = Pen::new(Ink::Edge).colour().stroke_width(fine(1.5) as u32);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(hairline)
            .axis_style(axis)
            .set_all_tick_mark_size(fine(5.0))
            .label_style(numbers)
            .draw()
            .expect(NEVER);
        self.checkpoints(&mut chart);
        let mut signs = Vec::new();
        for curve in &self.curves {
            curve.draw(&mut chart);
            let sign = (curve.shape, curve.pen.ink);
            let points = curve.points.iter().filter(|_| curve.shape.has_signs());
            signs.extend(points.map(|at| (units(chart.backend_coord(at)), sign)));
        }
        signs
    }

    fn backdrop(&self, chart: &mut Context<'_, '_, '_>) {
        let top = self.y.to;
        for own in &self.backdrop {
            match *own {
                Backdrop::Outage(from, until) => {
                    let pen = Pen { ink: Ink::Hatch, texture: Texture::Hatched };
                    let area = Rectangle::new([(from, top), (until, 0.0)], pen.colour().filled());
                    chart.draw_series([area]).expect(NEVER);
                }
                Backdrop::Landmark(at, pen) => {
                    let line = pen.colour().stroke_width((2.5 * FINE) as u32);
                    let line = PathElement::new(vec![(at, self.y.from), (at, top)], line);
                    chart.draw_series([line]).expect(NEVER);
                }
                Backdrop::Checkpoint(_) => {}
            }
        }
    }

    /// Short bars on the axis of time, over its line.
    fn checkpoints(&self, chart: &mut Context<'_, '_, '_>) {
        let height = (self.y.to - self.y.from) * 0.06;
        let line = Pen::new(Ink::Barrier).colour().stroke_width((3.0 * FINE) as u32);
        for own in &self.backdrop {
            if let Backdrop::Checkpoint(at) = *own {
                let ends = vec![(at, self.y.from), (at, self.y.from + height)];
                chart.draw_series([PathElement::new(ends, line)]).expect(NEVER);
            }
        }
    }
}

impl Curve {
    fn line(&self) -> ShapeStyle {
        self.pen.colour().stroke_width((2.5 * FINE) as u32)
    }

    fn draw(&self, chart: &mut Context<'_, '_, '_>) {
        if matches!(self.shape, Shape::Dots | Shape::Rings) {
            let line = self.pen.colour().mix(0.6).stroke_width((2.0 * FINE) as u32);
            let apart = self.band.iter().filter(|(_, low, high)| low < high);
            let whiskers =
                apart.map(|(x, low, high)| PathElement::new(vec![(*x, *low), (*x, *high)], line));
            chart.draw_series(whiskers).expect(NEVER);
        } else if self.band.len() > 1 {
            let above = self.band.iter().map(|(x, _, high)| (*x, *high));
            let below = self.band.iter().rev().map(|(x, low, _)| (*x, *low));
            let area: Vec<(f64, f64)> = above.chain(below).collect();
            let pale = self.pen.colour().mix(0.22).filled();
            chart.draw_series([Polygon::new(area, pale)]).expect(NEVER);
        }
        match self.shape {
            Shape::Line | Shape::Marked(_) => {
                let path = PathElement::new(self.points.clone(), self.line());
                chart.draw_series([path]).expect(NEVER);
            }
            Shape::Columns => {
                let base = self.points.first().zip(self.points.last());
                let base = base.map(|(first, last)| [(last.0, 0.0), (first.0, 0.0)]);
                let area = self.points.iter().copied().chain(base.into_iter().flatten());
                let pale = self.pen.colour().mix(0.22).filled();
                if self.pen.texture == Texture::Plain {
                    chart.draw_series([Polygon::new(area.collect::<Vec<_>>(), pale)]).expect(NEVER);
                }
                let path = PathElement::new(self.points.clone(), self.line());
                chart.draw_series([path]).expect(NEVER);
            }
            Shape::Dots | Shape::Rings | Shape::Crosses => {}
        }
    }

    /// A piece of it for the legend, from its left end.
    fn sample(&self, sheet: &mut Sheet<'_>, (x, y): (f64, f64)) {
        let ink = self.pen.ink;
        let middle = (x + 18.0, y);
        if !matches!(self.shape, Shape::Dots | Shape::Rings | Shape::Crosses) {
            sheet.scene.line((x, y), (x + 36.0, y), self.pen.texture.stroke(ink, 2.5));
        }
        draw_sign(sheet, middle, (self.shape, ink));
    }
}

/// The sign of a curve at a point.
fn draw_sign(sheet: &mut Sheet<'_>, at: (f64, f64), (shape, ink): (Shape, Ink)) {
    let circle = |size| rounded(Rect::around(at, size, size), size);
    match shape {
        Shape::Dots | Shape::Marked(0) => sheet.scene.fill(circle(12.0), ink),
        Shape::Marked(1) => sheet.scene.fill(rounded(Rect::around(at, 12.0, 12.0), 0.0), ink),
        Shape::Marked(2) => {
            let (x, y) = at;
            let corners = [(x, y - 8.0), (x + 8.0, y), (x, y + 8.0), (x - 8.0, y)];
            sheet.scene.fill(crate::render::scene::polygon(&corners), ink);
        }
        Shape::Marked(_) | Shape::Rings => {
            sheet.scene.mark(circle(12.0), Some(Ink::Page), Some(Stroke::new(ink, 2.5)));
        }
        Shape::Crosses => {
            let (x, y) = at;
            for down in [6.0, -6.0] {
                let ends = ((x - 6.0, y - down), (x + 6.0, y + down));
                sheet.scene.line(ends.0, ends.1, Stroke::new(ink, 2.5));
            }
        }
        Shape::Line | Shape::Columns => {}
    }
}
