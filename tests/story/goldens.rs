//! The moments of every shipped scenario as people see them, in both
//! languages.

use checkdam::load;
use checkdam::model::Language;
use checkdam::narrate::Story;
use checkdam::render::text::{Pictures, Place};

use crate::common::snapshot;

/// Lines of one golden, at most.
const LINES_MAX: usize = 200;

#[test]
fn every_scenario_tells_its_moments_as_in_its_golden() {
    for name in load::builtin().iter().map(|scenario| scenario.name) {
        let (scenario, trace) = super::run(name);
        let n_moments = scenario.moments.len();
        let story = Story::new(scenario, trace);
        for (language, tag) in [(Language::En, "en"), (Language::Zh, "zh")] {
            let pictures = Pictures::new(&story, language, 100);
            let frames = (0..n_moments).map(|moment| pictures.frame(Place::Moment(moment)).plain());
            for (part, text) in parts(frames).iter().enumerate() {
                snapshot("story", &format!("{name}-{tag}-{}", part + 1), text);
            }
        }
    }
}

/// Frames one below the other, in as few texts as the limit allows.
fn parts(frames: impl Iterator<Item = String>) -> Vec<String> {
    let mut parts = vec![String::new()];
    for frame in frames {
        let last = parts.last_mut().expect("there is one");
        if last.lines().count() + frame.lines().count() >= LINES_MAX {
            parts.push(frame);
        } else {
            last.push_str(&frame);
            last.push('\n');
        }
    }
    parts
}
