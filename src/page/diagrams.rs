//! The diagrams below the player, and where in them each step stands.
//!
//! One scale for all: the slider, the space-time diagram and the Gantt chart
//! have a step at the same place. It is the space-time diagram's own, unless the
//! run is so long that the diagram goes on in a second line; then the slider and
//! the chart have all steps at the same distance.

use serde_json::{Value as Json, json};

use super::pictures::Pictures;
use super::table::Numbers;
use crate::model::Language;
use crate::narrate::Story;
use crate::render::{LIFELINES, Scene, gantt, gantt_along, gantt_scales, spacetime_in_both};

/// Where a step stands: x, and the upper and the lower end of its line of the
/// diagram.
type Place = (f64, f64, f64);

/// A run's diagrams.
pub(super) fn of(story: &Story, pictures: &mut Pictures) -> Json {
    let (drawings, places) = spacetime_in_both(story);
    let mut own = diagram(&drawings, pictures);
    own["lines"] = json!(lines(&places));
    let scale = scale(story, &places);
    if places.iter().map(|place| place.0).ne(scale.iter().copied()) {
        own["places"] = json!(along(places.iter().map(|place| place.0)).0);
    }
    json!({
        "spacetime": own,
        "scale": along(scale.iter().copied()).0,
        "gantt": of_checkpoints(story, &scale, pictures),
    })
}

/// Where the lifelines begin and end, and how wide the diagrams are.
pub(super) fn axis() -> [f64; 3] {
    [LIFELINES.0, LIFELINES.1, LIFELINES.2]
}

/// By step, its place on the scale that all share.
fn scale(story: &Story, places: &[Place]) -> Vec<f64> {
    let n = story.n_steps();
    let is_whole = places.len() as u64 == n + 1 && places.iter().all(|own| own.1 == places[0].1);
    if is_whole {
        return places.iter().map(|place| place.0).collect();
    }
    let width = LIFELINES.1 - LIFELINES.0;
    (0..=n).map(|step| LIFELINES.0 + width * step as f64 / n.max(1) as f64).collect()
}

/// The lines of the diagram: the first step of each, and its ends.
fn lines(places: &[Place]) -> Vec<(usize, f64, f64)> {
    let mut first = 0;
    let line = |same: &[Place]| {
        let own = (first, tenths(same[0].1), tenths(same[0].2));
        first += same.len();
        own
    };
    places.chunk_by(|one, other| one.1 == other.1).map(line).collect()
}

/// Each place as tenths further than the one before it.
fn along(places: impl Iterator<Item = f64>) -> Numbers {
    let (mut numbers, mut before) = (Numbers::default(), 0);
    for place in places {
        let own = (place * 10.0).round() as i64;
        numbers.push_signed(own - before);
        before = own;
    }
    numbers
}

/// The Gantt chart, if there is a checkpoint: on the scale of the steps, and
/// below on that of the time, with its panels' scales.
fn of_checkpoints(story: &Story, scale: &[f64], pictures: &mut Pictures) -> Option<Json> {
    let along = [Language::En, Language::Zh].map(|language| gantt_along(story, language, scale));
    let [Some(en), Some(zh)] = along else { return None };
    let mut json = diagram(&[en, zh], pictures);
    let drawings = [gantt(story, Language::En, None)?, gantt(story, Language::Zh, None)?];
    let panel = |own: crate::render::GanttScale| {
        json!([own.from.0, own.to.0, own.x.0, own.x.1, own.y.0, own.y.1])
    };
    json["in_time"] = diagram(&drawings, pictures);
    json["in_time"]["scales"] = gantt_scales(story, Language::En).into_iter().map(panel).collect();
    Some(json)
}

fn diagram(drawings: &[Scene; 2], pictures: &mut Pictures) -> Json {
    let [en, zh] = drawings;
    json!({
        "size": [en.width.max(zh.width), en.height.max(zh.height)],
        "part": pictures.drawing([en, zh]),
        "title": [en.title, zh.title],
        "text": [en.description, zh.description],
    })
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
