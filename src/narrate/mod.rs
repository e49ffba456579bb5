//! Sentences: what changed, and why, in English and in Chinese.
//!
//! Everything is made from facts, the rules behind them and the views before
//! and after: nothing here decides what happens. A name is made in one place
//! ([`Names`]), so a record is called the same everywhere.

mod changed;
mod changed_barriers;
mod changed_flow;
mod changed_messages;
mod changed_unaligned;
mod digest;
mod ending;
mod extent;
mod failure;
mod files;
mod memory;
mod names;
mod names_barrier;
mod starts;
mod story;
mod why;
mod why_align;
mod why_at_least_once;
mod why_declined;
mod why_flow;
mod why_messages;
mod why_recovery;
mod why_savepoint;
mod why_snapshot;
mod why_unaligned;
mod why_unaligned_facts;
mod why_wait;

pub use extent::Extent;
pub use memory::Memory;
pub use names::Names;
pub use story::{Grain, Scene, Story, StoryReader, Window};

use crate::model::Language;
use crate::trace::{Fact, Rule};

/// What is said of one step, or of one moment.
///
/// "barrier 2", "blue 4" and the like are held together by no-break spaces, so
/// that whoever wraps lines cannot part them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narration {
    /// What changed.
    pub changed: String,
    /// Why: one sentence.
    pub why: String,
    /// The rule behind the sentence.
    pub rule: Option<Rule>,
}

/// Tells a scene: one step, or the steps of a moment. The author's own note
/// on a moment wins over the sentence made from its facts.
#[must_use]
pub fn tell(scene: &Scene<'_>, language: Language) -> Narration {
    let names = scene.names(language);
    let (why, rule) = why::why(scene, names);
    let note = scene.moment.map(|moment| scene.scenario.moments[moment].note.of(language));
    Narration {
        changed: names.tidy(&changed::changed(scene, names)),
        why: ended(&names.tidy(note.filter(|note| !note.is_empty()).unwrap_or(&why)), language),
        rule,
    }
}

/// The reason for one fact of a scene's first step, and the rule behind it:
/// what [`tell`] says when this fact is the decisive one.
#[must_use]
pub fn reason(scene: &Scene<'_>, fact: &Fact, language: Language) -> (String, Rule) {
    let names = scene.names(language);
    let (why, rule) = why::reason(scene, fact, names);
    (ended(&names.tidy(&why), language), rule)
}

/// A sentence with its full stop.
fn ended(sentence: &str, language: Language) -> String {
    let stop = match language {
        Language::En => ".",
        Language::Zh => "。",
    };
    if sentence.ends_with(['.', '。', '!', '?', '！', '？']) {
        sentence.to_owned()
    } else {
        format!("{sentence}{stop}")
    }
}
