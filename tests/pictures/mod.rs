//! Figures: their layout, their bytes, and those of the README and the books.

mod bytes;
mod charts;
mod command_line;
mod large;
mod layout;
pub(crate) mod measure;
mod shown;
mod text;

use checkdam::narrate::Story;
use checkdam::sim::simulate;

/// The run of a built-in scenario with seed 1.
fn story(name: &str) -> Story {
    let scenario = crate::story::scenario(name);
    let (trace, _) = simulate(&scenario, 1);
    Story::new(scenario, trace)
}
