//! What must hold of the texts of every drawing, measured.

use checkdam::render::{Rect, SIZE_MIN, Scene, Words};

/// How much two texts may share, for the empty rim that letters have.
const TOLERANCE: f64 = 0.5;

/// What is wrong with a drawing's texts: too small, outside of their room or
/// of the page, or over one another.
pub(crate) fn problems(drawing: &Scene) -> Vec<String> {
    let words: Vec<&Words> = drawing.words().collect();
    let mut wrong = Vec::new();
    for own in &words {
        let bounds = own.bounds();
        if own.style.size < SIZE_MIN {
            wrong.push(format!("`{}` is {} units high", own.text, own.style.size));
        }
        let (left, right) = own.room;
        if bounds.x < left - TOLERANCE || bounds.right() > right + TOLERANCE {
            wrong.push(format!("`{}` leaves its room", own.text));
        }
        let is_on_page = bounds.x >= 0.0
            && bounds.y >= 0.0
            && bounds.right() <= drawing.width
            && bounds.bottom() <= drawing.height;
        if !is_on_page {
            wrong.push(format!("`{}` leaves the page: {bounds:?}", own.text));
        }
    }
    for (place, one) in words.iter().enumerate() {
        for other in &words[place + 1..] {
            let (a, b) = (one.bounds(), other.bounds());
            if overlap(&a, &b) {
                wrong.push(format!("`{}` meets `{}`: {a:?} {b:?}", one.text, other.text));
            }
        }
    }
    wrong
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x + TOLERANCE < b.right()
        && b.x + TOLERANCE < a.right()
        && a.y + TOLERANCE < b.bottom()
        && b.y + TOLERANCE < a.bottom()
}
