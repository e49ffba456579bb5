//! Drawings beside and below each other on one page: a handout.

use super::scene::{Item, Scene, Segment, Words};
use crate::model::Language;

/// Drawings in a row.
const PER_ROW: usize = 2;

/// All drawings on one page, two in a row, each in its full size: the page is
/// made for paper, where a unit may be small.
///
/// # Panics
/// When there is no drawing.
#[must_use]
pub fn contact_sheet(drawings: &[Scene]) -> Scene {
    let first = drawings.first().expect("a sheet has drawings");
    let width = drawings.iter().map(|own| own.width).fold(0.0, f64::max);
    let height = drawings.iter().map(|own| own.height).fold(0.0, f64::max);
    let n_columns = PER_ROW.min(drawings.len());
    let n_rows = drawings.len().div_ceil(n_columns);
    let size = (width * n_columns as f64, height * n_rows as f64);
    let mut sheet = Scene::new(size.0, size.1, first.language);
    for (place, own) in drawings.iter().enumerate() {
        let x = (place % n_columns) as f64 * width;
        let y = (place / n_columns) as f64 * height;
        // The ground of the page is there already.
        sheet.items.extend(own.items[1..].iter().map(|item| moved(item, (x, y))));
    }
    let titles: Vec<&str> = drawings.iter().map(|own| own.title.as_str()).collect();
    sheet.title = first.title.split(" – ").next().unwrap_or_default().to_owned();
    sheet.description = match first.language {
        Language::En => titles.join("; "),
        Language::Zh => titles.join("；"),
    };
    sheet
}

fn moved(item: &Item, (x, y): (f64, f64)) -> Item {
    match item {
        Item::Mark(mark) => {
            let mut mark = mark.clone();
            for segment in &mut mark.path {
                *segment = match *segment {
                    Segment::Move(a, b) => Segment::Move(a + x, b + y),
                    Segment::Line(a, b) => Segment::Line(a + x, b + y),
                    Segment::Cubic(a, b, c) => {
                        let [a, b, c] = [a, b, c].map(|(u, v)| (u + x, v + y));
                        Segment::Cubic(a, b, c)
                    }
                    Segment::Close => Segment::Close,
                };
            }
            Item::Mark(mark)
        }
        Item::Words(words) => Item::Words(Words {
            x: words.x + x,
            y: words.y + y,
            room: (words.room.0 + x, words.room.1 + x),
            ..words.clone()
        }),
    }
}
