//! The two diagrams below the player, and where in them each step stands.

use serde_json::{Value as Json, json};

use super::pictures::Pictures;
use crate::model::Language;
use crate::narrate::Story;
use crate::render::{Range, Scene, gantt, gantt_scales, spacetime, spacetime_places};

/// The space-time diagram: its size, its picture, and, by step, the cursor.
pub(super) fn in_space_and_time(story: &Story, pictures: &mut Pictures) -> Json {
    let both = [Language::En, Language::Zh];
    let drawings = both.map(|language| spacetime(story, language, Range::default()));
    let cursors = both.map(|language| {
        let places = spacetime_places(story, language, Range::default());
        places.into_iter().map(|(x, top, bottom)| [x, top, bottom].map(tenths)).collect::<Vec<_>>()
    });
    let mut json = diagram(&drawings, pictures);
    json["cursor"] = json!(cursors);
    json
}

/// The Gantt chart, if there is a checkpoint: its size, its picture, and its
/// panels' scales.
pub(super) fn of_checkpoints(story: &Story, pictures: &mut Pictures) -> Option<Json> {
    let drawings = [gantt(story, Language::En, None)?, gantt(story, Language::Zh, None)?];
    let scale = |own: crate::render::GanttScale| {
        json!([own.from.0, own.to.0, own.x.0, own.x.1, own.y.0, own.y.1])
    };
    let mut json = diagram(&drawings, pictures);
    json["scales"] = gantt_scales(story, Language::En).into_iter().map(scale).collect();
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
