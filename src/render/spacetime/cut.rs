//! The line of a snapshot across the lifelines.

use crate::render::scene::Segment;

/// A curve downwards through points: x is a function of y, and between two
/// points it never leaves their width (a monotone cubic).
pub(super) fn curve(points: &[(f64, f64)]) -> Vec<Segment> {
    let Some(first) = points.first() else { return Vec::new() };
    let slopes = slopes(points);
    let mut path = vec![Segment::Move(first.0, first.1)];
    for (place, pair) in points.windows(2).enumerate() {
        let ((x, y), (next_x, next_y)) = (pair[0], pair[1]);
        let third = (next_y - y) / 3.0;
        path.push(Segment::Cubic(
            (x + slopes[place] * third, y + third),
            (next_x - slopes[place + 1] * third, next_y - third),
            (next_x, next_y),
        ));
    }
    path
}

/// dx/dy at each point.
///
/// Source: F. N. Fritsch, R. E. Carlson: Monotone Piecewise Cubic
/// Interpolation, 1980; with the harmonic mean of the neighbours' slopes.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let secants: Vec<f64> =
        points.windows(2).map(|pair| (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1)).collect();
    let slope = |place: usize| {
        let before = place.checked_sub(1).map(|before| secants[before]);
        match (before, secants.get(place)) {
            (Some(a), Some(&b)) if a * b > 0.0 => 2.0 * a * b / (a + b),
            (Some(_), Some(_)) => 0.0,
            (Some(only), None) => only,
            (None, Some(&only)) => only,
            (None, None) => 0.0,
        }
    };
    (0..points.len()).map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_stays_between_its_points() {
        let points = [(100.0, 0.0), (120.0, 100.0), (400.0, 200.0), (400.0, 300.0), (380.0, 400.0)];
        for (place, segment) in curve(&points)[1..].iter().enumerate() {
            let Segment::Cubic(a, b, end) = segment else { panic!("a cut is curved") };
            let (from, to) = (points[place].0, points[place + 1].0);
            assert_eq!(*end, points[place + 1]);
            for (x, _) in [a, b] {
                assert!(*x >= from.min(to) - 1e-9 && *x <= from.max(to) + 1e-9, "{place}: {x}");
            }
        }
    }
}
