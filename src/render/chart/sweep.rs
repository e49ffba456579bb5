//! The chart of a sweep: numbers against the value that was varied, a curve for
//! each variant.

use super::axis::{Axis, Unit};
use super::canvas::{Pen, Texture};
use super::plot::{Backdrop, Curve, Plot, Shape};
use super::run::pen;
use super::{BODY, MARGIN, WIDTH, head};
use crate::model::Scenario;
use crate::narrate::Names;
use crate::render::font::{Font, Weight};
use crate::render::scene::{Ink, Rect, SIZE_MIN, Scene};
use crate::render::sheet::{Sheet, quiet};

/// All that a sweep's chart shows.
#[derive(Clone, Debug)]
pub struct SweepFigure {
    /// The line above the title.
    pub kicker: String,
    /// What is varied, for people.
    pub x_name: String,
    /// What its values are, where they are numbers.
    pub x_quantity: Option<Quantity>,
    /// The values in order: their texts, and their numbers.
    pub x: Vec<(String, Option<f64>)>,
    /// One plot for each number that was measured; at most six.
    pub plots: Vec<SweepPlot>,
}

/// What kind of number something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A length of time, in microseconds.
    Time,
    /// Bytes.
    Bytes,
    /// Records a second.
    Rate,
    /// A ratio, never near 0.
    Ratio,
    /// A number of things.
    Count,
}

/// One number against the value that was varied.
#[derive(Clone, Debug)]
pub struct SweepPlot {
    /// What it is.
    pub heading: String,
    /// Its kind.
    pub quantity: Quantity,
    /// A curve for each variant.
    pub curves: Vec<SweepCurve>,
    /// Values of note.
    pub landmarks: Vec<Landmark>,
}

/// A variant: for each value the number in the middle, and the smallest and the
/// largest, where there is one.
#[derive(Clone, Debug)]
pub struct SweepCurve {
    /// Its name; none if it is the only one.
    pub name: Option<String>,
    /// By value.
    pub points: Points,
}

/// Middle, smallest and largest number, by value.
pub type Points = Vec<Option<[f64; 3]>>;

/// A value of note on the axis to the right.
#[derive(Clone, Debug)]
pub struct Landmark {
    /// Where.
    pub at: f64,
    /// What it is.
    pub text: String,
}

/// Values of which the last is so many times the first stand at equal
/// distances.
const WIDE: f64 = 20.0;

/// Draws a sweep.
///
/// # Panics
/// When there is no plot.
#[must_use]
pub fn sweep_chart(names: Names<'_>, figure: &SweepFigure) -> Scene {
    let font = Font::new();
    let n = figure.plots.len();
    assert!(n > 0, "a chart shows something");
    let n_columns = if n <= 2 { 1 } else { 2 };
    let n_rows = n.div_ceil(n_columns);
    let mut sheet = Sheet::new(&font, (WIDTH, super::HEIGHT), names);
    let x = Across::new(figure, (&font, n_columns));
    let gap = 56.0;
    let width = (WIDTH - 2.0 * MARGIN - gap * (n_columns - 1) as f64) / n_columns as f64;
    let height = (BODY.1 - BODY.0) / n_rows as f64;
    for (place, plot) in figure.plots.iter().enumerate() {
        let left = MARGIN + (place % n_columns) as f64 * (width + gap);
        let top = BODY.0 + (place / n_columns) as f64 * height;
        let rect = Rect::new(left, top, width, height - 20.0);
        x.plot(plot, names).draw(&mut sheet, rect);
    }
    let scenario: &Scenario = names.scenario;
    let title = scenario.title.of(names.language);
    head(&mut sheet, title, &figure.kicker);
    let to_the_right = names.pick("to the right: ", "向右：");
    let unit = x.unit.map_or_else(String::new, |unit| match unit.name {
        "" => String::new(),
        name => format!(", {name}"),
    });
    let apart = match x.is_even && x.numbers.is_some() && figure.x.len() > 2 {
        true => names.pick(", not to scale", "，不按比例"),
        false => "",
    };
    let foot = format!("{to_the_right}{}{unit}{apart}", figure.x_name);
    sheet.text(&foot, (MARGIN, 1038.0), quiet(20.0), WIDTH - 2.0 * MARGIN);
    let mut scene = sheet.finish(false);
    title.clone_into(&mut scene.title);
    scene.description = foot;
    scene
}

/// The texts of values at equal distances, without those for which there is no
/// room.
fn spread(figure: &SweepFigure, (font, n_columns): (&Font, usize)) -> Vec<String> {
    const APART: f64 = 14.0;
    let n = figure.x.len() as f64;
    let pitch = ((WIDTH - 2.0 * MARGIN) / n_columns as f64 - 150.0) / n;
    let widths =
        figure.x.iter().map(|(text, _)| font.width(text, SIZE_MIN, Weight::Regular) + APART);
    let widest = widths.fold(1.0, f64::max);
    let every = (widest / pitch).ceil().max(1.0) as usize;
    let texts = figure.x.iter().enumerate();
    let shown = |place: usize| place.is_multiple_of(every);
    texts
        .map(|(place, (text, _))| if shown(place) { text.clone() } else { String::new() })
        .collect()
}

/// The axis to the right, and where values are on it.
struct Across {
    axis: Axis,
    /// By value.
    places: Vec<f64>,
    /// The values as numbers in the axis's unit, if they are numbers.
    numbers: Option<Vec<f64>>,
    unit: Option<Unit>,
    /// Whether the values stand at equal distances, whatever they are.
    is_even: bool,
    /// How many of the smallest unit one of the numbers is.
    size: f64,
}

impl Across {
    fn new(figure: &SweepFigure, (font, n_columns): (&Font, usize)) -> Self {
        let numbers: Option<Vec<f64>> = figure.x.iter().map(|(_, number)| *number).collect();
        let largest = numbers.iter().flatten().copied().fold(0.0, f64::max);
        let unit = match figure.x_quantity {
            Some(Quantity::Time) => Some(Unit::of_time(largest)),
            Some(Quantity::Bytes) => Some(Unit::of_bytes(largest)),
            _ => None,
        };
        let size = unit.map_or(1.0, |unit| unit.size);
        let numbers: Option<Vec<f64>> =
            numbers.map(|numbers| numbers.iter().map(|number| number / size).collect());
        let ends = numbers.as_ref().and_then(|all| {
            let grows = all.windows(2).all(|pair| pair[0] < pair[1]);
            let (first, last) = (*all.first()?, *all.last()?);
            let is_narrow = first <= 0.0 || last / first < WIDE;
            (grows && is_narrow && all.len() > 2).then_some((first, last))
        });
        if let (Some((first, last)), Some(all)) = (ends, &numbers) {
            // A little air, so that no sign stands on the axis upwards.
            let air = (last - first) / 40.0;
            let from = if first > 0.0 && first < last / 4.0 { 0.0 } else { first - air };
            let n_marks = if n_columns == 1 { 12 } else { 8 };
            let axis = Axis::between(from, last + air, n_marks);
            return Self { axis, places: all.clone(), numbers, unit, is_even: false, size };
        }
        let texts = spread(figure, (font, n_columns));
        let places = (0..texts.len()).map(|place| place as f64).collect();
        // The texts have their units.
        Self { axis: Axis::of_values(texts), places, numbers, unit: None, is_even: true, size }
    }

    /// Where a number is that need not be one of the values.
    fn place(&self, number: f64) -> Option<f64> {
        let number = number / self.size;
        let numbers = self.numbers.as_ref()?;
        let pairs = numbers.windows(2).zip(self.places.windows(2));
        let found = pairs.filter(|(ends, _)| ends[0] <= number && number <= ends[1]);
        let mut places = found.map(|(ends, places)| {
            let part = (number - ends[0]) / (ends[1] - ends[0]);
            places[0] + part * (places[1] - places[0])
        });
        places.next()
    }

    fn plot(&self, plot: &SweepPlot, names: Names<'_>) -> Plot {
        let all = plot.curves.iter().flat_map(|curve| curve.points.iter().flatten());
        let most = all.clone().map(|[_, _, high]| *high).fold(0.0, f64::max);
        let least = all.map(|[_, low, _]| *low).fold(f64::INFINITY, f64::min);
        let unit = match plot.quantity {
            Quantity::Time if most > 0.0 => Unit::of_time(most),
            Quantity::Time => Unit { name: "ms", size: 1000.0 },
            Quantity::Bytes => Unit::of_bytes(most),
            Quantity::Rate => Unit { name: names.pick("records a second", "条/秒"), size: 1.0 },
            Quantity::Ratio | Quantity::Count => Unit { name: "", size: 1.0 },
        };
        let y = match plot.quantity {
            Quantity::Ratio if most > 0.0 => Axis::around((least, most), 6),
            _ => Axis::to(if most > 0.0 { most / unit.size } else { 1.0 }, 6),
        };
        let mut curves: Vec<Curve> = plot
            .curves
            .iter()
            .enumerate()
            .map(|(place, curve)| self.curve(curve, (place, unit.size)))
            .collect();
        let mut backdrop = Vec::new();
        for (place, landmark) in plot.landmarks.iter().enumerate() {
            let ink = if place == 0 { Ink::Barrier } else { Ink::Text };
            let texture = [Texture::Dashed, Texture::Dotted][place % 2];
            let pen = Pen { ink, texture };
            let Some(at) = self.place(landmark.at) else { continue };
            backdrop.push(Backdrop::Landmark(at, pen));
            curves.push(Curve {
                name: Some(landmark.text.clone()),
                pen,
                shape: Shape::Line,
                points: Vec::new(),
                band: Vec::new(),
            });
        }
        Plot {
            heading: plot.heading.clone(),
            unit: unit.name.to_owned(),
            x: self.axis.clone(),
            y,
            curves,
            backdrop,
            nothing: names.pick("no run has such a number", "没有运行有这个数").to_owned(),
        }
    }

    fn curve(&self, curve: &SweepCurve, (place, size): (usize, f64)) -> Curve {
        let known = self.places.iter().zip(&curve.points);
        let known: Vec<(f64, [f64; 3])> =
            known.filter_map(|(place, point)| Some((*place, (*point)?))).collect();
        let points = known.iter().map(|(x, [middle, ..])| (*x, middle / size)).collect();
        let is_spread = known.iter().any(|(_, [_, low, high])| low < high);
        let band = match is_spread {
            true => known.iter().map(|(x, [_, low, high])| (*x, low / size, high / size)).collect(),
            false => Vec::new(),
        };
        let name = curve.name.clone();
        Curve { name, pen: pen(place), shape: Shape::Marked(place % 4), points, band }
    }
}
