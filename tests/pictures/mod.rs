//! Figures: their layout, their bytes, and those of the README and the books.

mod bytes;
mod charts;
mod command_line;
mod layout;
pub(crate) mod measure;
mod shown;
mod text;

use checkdam::load;
use checkdam::narrate::Story;
use checkdam::sim::simulate;

/// The run of a built-in scenario with seed 1.
fn story(name: &str) -> Story {
    let own = load::builtin().iter().find(|own| own.name == name).expect("it is built in");
    let loaded = load::scenario(own.name, own.text.as_bytes()).expect("it is valid");
    let (trace, _) = simulate(&loaded.scenario, 1);
    Story::new(loaded.scenario, trace)
}
