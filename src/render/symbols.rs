//! The signs of the pictures: records, barriers, padlocks, ticks. Each can be
//! read without its colour.

use super::font::Weight;
use super::scene::{Ink, Rect, Segment, Stroke, Style, cut_corners, polygon, polyline, rounded};
use super::sheet::Sheet;

/// How a record is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It is here.
    Solid,
    /// It has been read.
    Read,
    /// It is a copy, or will be here again later.
    Ghost,
    /// It is still to be read.
    Unread,
    /// It was read a second time.
    Again,
}

/// The outline of a split's records: round corners, a pill, cut corners, and
/// again round corners, with a second edge inside.
fn outline(rect: Rect, split: u32) -> Vec<Segment> {
    match split {
        1 => rounded(rect, rect.height / 2.0),
        2 => cut_corners(rect, rect.height.min(rect.width) * 0.28),
        _ => rounded(rect, (rect.height / 6.0).min(8.0)),
    }
}

/// The radius of the outline around a record that has changed.
pub(super) fn radius(sheet: &Sheet<'_>, rect: Rect, split: u32) -> f64 {
    match sheet.family(split) {
        1 => rect.height / 2.0,
        2 => rect.height * 0.28,
        _ => (rect.height / 6.0).min(8.0),
    }
}

/// A record with its value, in the colour and shape of its split.
pub(super) fn record(sheet: &mut Sheet<'_>, rect: Rect, (split, text): (u32, &str), look: Look) {
    let split = sheet.family(split);
    let (fill, text_ink, edge, weight) = match look {
        Look::Solid => {
            let edge = Stroke::new(Ink::Rim(split), 1.5);
            (Ink::Body(split), Ink::OnBody(split), edge, Weight::SemiBold)
        }
        Look::Read | Look::Again => {
            let edge = Stroke::new(Ink::Rim(split), 1.5);
            (Ink::Tint(split), Ink::Text, edge, Weight::SemiBold)
        }
        Look::Ghost => {
            let edge = Stroke::new(Ink::Rim(split), 2.0).dashed(5.0, 4.0);
            (Ink::Tint(split), Ink::Text, edge, Weight::SemiBold)
        }
        Look::Unread => {
            let edge = Stroke::new(Ink::Edge, 2.0).dashed(4.0, 4.0);
            (Ink::Page, Ink::Quiet, edge, Weight::Regular)
        }
    };
    if look == Look::Again {
        let behind = Rect::new(rect.x + 5.0, rect.y - 5.0, rect.width, rect.height);
        sheet.scene.mark(outline(behind, split), Some(Ink::Page), Some(edge));
    }
    sheet.scene.mark(outline(rect, split), Some(fill), Some(edge));
    if split == 3 && look != Look::Unread {
        sheet.scene.stroke(outline(rect.grown(-4.0), split), edge);
    }
    let size = (rect.height * 0.54).round().clamp(18.0, 26.0);
    let room = Rect::new(rect.x + 3.0, rect.y, rect.width - 6.0, rect.height);
    sheet.label(text, room, Style::new(size, weight, text_ink));
}

/// A little square in the colour and shape of a split, before a name.
pub(super) fn swatch(sheet: &mut Sheet<'_>, rect: Rect, split: u32) {
    let split = sheet.family(split);
    let edge = Stroke::new(Ink::Rim(split), 1.5);
    sheet.scene.mark(outline(rect, split), Some(Ink::Body(split)), Some(edge));
    if split == 3 {
        sheet.scene.stroke(outline(rect.grown(-4.0), split), edge);
    }
}

/// A barrier with its checkpoint's number. One that overtakes points ahead.
pub(super) fn barrier(sheet: &mut Sheet<'_>, rect: Rect, number: &str, overtakes: bool) {
    // A long number makes it wider.
    let smallest = Style::new(18.0, Weight::Bold, Ink::OnBarrier);
    let width = rect.width.max(sheet.width(number, smallest) + 4.0);
    let rect = Rect::around(rect.middle(), width, rect.height);
    if overtakes {
        let (middle, point) = (rect.y + rect.height / 2.0, rect.width * 0.32);
        let (left, right) = (rect.x, rect.right());
        let shape = polygon(&[
            (left, rect.y),
            (right - point * 0.4, rect.y),
            (right + point * 0.6, middle),
            (right - point * 0.4, rect.bottom()),
            (left, rect.bottom()),
        ]);
        sheet.scene.fill(shape, Ink::Barrier);
    } else {
        sheet.scene.fill(rounded(rect, 4.0), Ink::Barrier);
    }
    let size = (rect.height * 0.42).round().clamp(18.0, 22.0);
    let room = Rect::new(rect.x + 1.0, rect.y, rect.width - 2.0, rect.height);
    sheet.label(number, room, Style::new(size, Weight::Bold, Ink::OnBarrier));
}

/// A word in a box: an end of data, a cancellation.
pub(super) fn token(sheet: &mut Sheet<'_>, rect: Rect, word: &str, ink: Ink) {
    sheet.scene.mark(rounded(rect, 3.0), Some(Ink::Page), Some(Stroke::new(ink, 2.0)));
    let room = Rect::new(rect.x + 3.0, rect.y, rect.width - 6.0, rect.height);
    sheet.label(word, room, Style::new(20.0, Weight::Medium, ink));
}

/// A padlock of 26 × 34 around a point.
pub(super) fn padlock(sheet: &mut Sheet<'_>, (x, y): (f64, f64)) {
    let (left, right, neck) = (x - 7.7, x + 7.7, y - 6.0);
    let bow = vec![
        Segment::Move(left, neck),
        Segment::Line(left, neck - 5.6),
        Segment::Cubic((left, neck - 15.9), (right, neck - 15.9), (right, neck - 5.6)),
        Segment::Line(right, neck),
    ];
    sheet.scene.stroke(bow, Stroke::new(Ink::Text, 3.5).rounded());
    sheet.scene.fill(rounded(Rect::new(x - 13.0, y - 6.5, 26.0, 21.0), 4.4), Ink::Text);
    sheet.scene.fill(rounded(Rect::new(x - 1.8, y, 3.6, 8.0), 1.8), Ink::Page);
}

/// A tick whose left end is at a point.
pub(super) fn tick(sheet: &mut Sheet<'_>, (x, y): (f64, f64)) {
    let points = [(x, y), (x + 6.0, y + 7.0), (x + 18.0, y - 8.0)];
    sheet.scene.stroke(polyline(&points), Stroke::new(Ink::Done, 3.2).rounded());
}

/// A cross on a disc of 48 around a point: something has crashed.
pub(super) fn crash(sheet: &mut Sheet<'_>, (x, y): (f64, f64)) {
    sheet.scene.fill(rounded(Rect::around((x, y), 48.0, 48.0), 24.0), Ink::Text);
    for (from, to) in [((-9.0, -9.0), (9.0, 9.0)), ((9.0, -9.0), (-9.0, 9.0))] {
        let line = Stroke::new(Ink::Page, 4.5).rounded();
        sheet.scene.line((x + from.0, y + from.1), (x + to.0, y + to.1), line);
    }
}

/// A drum of 24 × 24 whose left upper corner is at a point: a storage.
pub(super) fn drum(sheet: &mut Sheet<'_>, (x, y): (f64, f64)) {
    let (right, k) = (x + 24.0, 4.0 * 4.0 / 3.0);
    let path = vec![
        Segment::Move(x, y + 4.0),
        Segment::Cubic((x, y + 4.0 - k), (right, y + 4.0 - k), (right, y + 4.0)),
        Segment::Cubic((right, y + 4.0 + k), (x, y + 4.0 + k), (x, y + 4.0)),
        Segment::Line(x, y + 20.0),
        Segment::Cubic((x, y + 20.0 + k), (right, y + 20.0 + k), (right, y + 20.0)),
        Segment::Line(right, y + 4.0),
    ];
    sheet.scene.stroke(path, Stroke::new(Ink::Quiet, 2.0).rounded());
}
