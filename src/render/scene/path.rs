//! Outlines, and those of the shapes that pictures are made of.

use super::Rect;

/// A piece of an outline; coordinates are absolute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Begins anew at a point.
    Move(f64, f64),
    /// A straight line to a point.
    Line(f64, f64),
    /// A curve with two control points to a point.
    Cubic((f64, f64), (f64, f64), (f64, f64)),
    /// Back to where it began.
    Close,
}

use Segment::{Close, Cubic, Line, Move};

/// How far the control points of a quarter of a circle are from its ends, in
/// parts of the radius.
const KAPPA: f64 = 0.552_284_75;

/// A rectangle with round corners; with half its height as the radius, a pill.
pub(crate) fn rounded(rect: Rect, radius: f64) -> Vec<Segment> {
    let (left, top, right, bottom) = (rect.x, rect.y, rect.right(), rect.bottom());
    let r = radius.min(rect.width / 2.0).min(rect.height / 2.0);
    if r <= 0.0 {
        return polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)]);
    }
    let k = r * (1.0 - KAPPA);
    vec![
        Move(left + r, top),
        Line(right - r, top),
        Cubic((right - k, top), (right, top + k), (right, top + r)),
        Line(right, bottom - r),
        Cubic((right, bottom - k), (right - k, bottom), (right - r, bottom)),
        Line(left + r, bottom),
        Cubic((left + k, bottom), (left, bottom - k), (left, bottom - r)),
        Line(left, top + r),
        Cubic((left, top + k), (left + k, top), (left + r, top)),
        Close,
    ]
}

/// A rectangle with cut corners.
pub(crate) fn cut_corners(rect: Rect, cut: f64) -> Vec<Segment> {
    let (left, top, right, bottom) = (rect.x, rect.y, rect.right(), rect.bottom());
    polygon(&[
        (left + cut, top),
        (right - cut, top),
        (right, top + cut),
        (right, bottom - cut),
        (right - cut, bottom),
        (left + cut, bottom),
        (left, bottom - cut),
        (left, top + cut),
    ])
}

/// Straight lines through points, back to the first.
pub(crate) fn polygon(points: &[(f64, f64)]) -> Vec<Segment> {
    let mut path = polyline(points);
    path.push(Close);
    path
}

/// Straight lines through points.
pub(crate) fn polyline(points: &[(f64, f64)]) -> Vec<Segment> {
    let mut path = Vec::with_capacity(points.len() + 1);
    for (place, (x, y)) in points.iter().enumerate() {
        path.push(if place == 0 { Move(*x, *y) } else { Line(*x, *y) });
    }
    path
}
