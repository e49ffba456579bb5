//! Stripes in a rectangle, as one outline: no renderer has to know patterns,
//! and several pictures on one page share no names.
//!
//! The stripes lie on lines of the whole canvas, so that they do not move when
//! the box does.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::path::polygon;
use super::{Rect, Segment};

/// From one stripe to the next, across them.
const PITCH: f64 = 10.0;
/// How wide a stripe is.
const WIDTH: f64 = 2.5;
/// The square root of two: along an axis everything is longer by it.
const DIAGONAL: f64 = SQRT_2;

/// All stripes of a rectangle with round corners. They rise to the right.
pub(super) fn stripes(rect: Rect, radius: f64) -> Vec<Segment> {
    let area = outline(rect, radius);
    let (pitch, half) = (PITCH * DIAGONAL, WIDTH * DIAGONAL / 2.0);
    let first = ((rect.x + rect.y) / pitch).floor() as i64;
    let last = ((rect.right() + rect.bottom()) / pitch).ceil() as i64;
    let mut path = Vec::new();
    for number in first..=last {
        let middle = number as f64 * pitch;
        let stripe = clip(&area, |(x, y)| x + y - (middle - half));
        let stripe = clip(&stripe, |(x, y)| middle + half - (x + y));
        if stripe.len() > 2 {
            path.extend(polygon(&stripe));
        }
    }
    path
}

/// The rectangle with its round corners as a convex polygon.
fn outline(rect: Rect, radius: f64) -> Vec<(f64, f64)> {
    // Quarter of a circle in four chords: cosine and sine of 0°, 22.5°, 45°, 67.5°, 90°.
    const ARC: [(f64, f64); 5] = [
        (1.0, 0.0),
        (0.923_879_53, 0.382_683_43),
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2),
        (0.382_683_43, 0.923_879_53),
        (0.0, 1.0),
    ];
    if radius <= 0.0 {
        let (right, bottom) = (rect.right(), rect.bottom());
        return vec![(rect.x, rect.y), (right, rect.y), (right, bottom), (rect.x, bottom)];
    }
    let (right, bottom) = (rect.right() - radius, rect.bottom() - radius);
    let (left, top) = (rect.x + radius, rect.y + radius);
    let mut points = Vec::with_capacity(20);
    points.extend(ARC.map(|(c, s)| (right + radius * c, bottom + radius * s)));
    points.extend(ARC.map(|(c, s)| (left - radius * s, bottom + radius * c)));
    points.extend(ARC.map(|(c, s)| (left - radius * c, top - radius * s)));
    points.extend(ARC.map(|(c, s)| (right + radius * s, top - radius * c)));
    points
}

/// The part of a convex polygon on which a linear function is not negative.
fn clip(polygon: &[(f64, f64)], inside: impl Fn((f64, f64)) -> f64) -> Vec<(f64, f64)> {
    let mut kept = Vec::with_capacity(polygon.len() + 2);
    for (place, &here) in polygon.iter().enumerate() {
        let next = polygon[(place + 1) % polygon.len()];
        let (own, other) = (inside(here), inside(next));
        if own >= 0.0 {
            kept.push(here);
        }
        if (own > 0.0 && other < 0.0) || (own < 0.0 && other > 0.0) {
            let part = own / (own - other);
            kept.push((here.0 + (next.0 - here.0) * part, here.1 + (next.1 - here.1) * part));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_stay_inside_and_cover_a_quarter() {
        let rect = Rect::new(100.0, 50.0, 200.0, 64.0);
        let (mut area, mut points) = (0.0, Vec::<(f64, f64)>::new());
        for segment in stripes(rect, 0.0) {
            match segment {
                Segment::Move(x, y) | Segment::Line(x, y) => points.push((x, y)),
                Segment::Cubic(..) => unreachable!("stripes are straight"),
                Segment::Close => {
                    let n = points.len();
                    let cross = |i: usize| {
                        let ((x, y), (u, v)) = (points[i], points[(i + 1) % n]);
                        x * v - u * y
                    };
                    area += (0..n).map(cross).sum::<f64>().abs() / 2.0;
                    for (x, y) in points.drain(..) {
                        assert!((100.0..=300.0).contains(&x) && (50.0..=114.0).contains(&y));
                    }
                }
            }
        }
        let share = area / (rect.width * rect.height);
        assert!((share - WIDTH / PITCH).abs() < 0.01, "{share}");
    }
}
