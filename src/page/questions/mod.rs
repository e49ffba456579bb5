//! Questions to predict what comes, made from the trace: what is right is what
//! happens in the run, never a rule of thumb.

mod alignment;
mod checkpoint;
mod restart;

pub(super) use restart::{asked_about, of_a_restart};

use serde_json::{Value as Json, json};

use crate::model::{ChannelIndex, Language, SubtaskIndex};
use crate::narrate::{Names, Story};
use crate::trace::{Fact, Rule};

/// A text in English and in Chinese.
pub(super) type Both = [String; 2];

/// An answer, and the wrong world in which it would be right, by the link of a
/// variant.
pub(super) struct Choice {
    pub(super) text: Both,
    pub(super) world: Option<&'static str>,
}

/// A question about what comes after a step.
pub(super) struct Question {
    /// The step that is shown.
    pub(super) at: u64,
    /// The step that is shown when the answer is known.
    pub(super) shows: u64,
    pub(super) ask: Both,
    /// The right one first.
    pub(super) what: Vec<Choice>,
    /// The right one first.
    pub(super) because: Vec<Both>,
    /// What happens, and why.
    pub(super) answer: Both,
    pub(super) rule: Rule,
}

/// The questions about a run, in order; those about a crash are given.
pub(super) fn json(story: &Story, about_a_restart: Vec<Question>) -> Json {
    let run = Run::new(story);
    let mut all = alignment::questions(&run);
    all.extend(checkpoint::questions(&run));
    all.extend(about_a_restart);
    all.sort_by_key(|own| own.at);
    all.iter().enumerate().map(|(place, own)| own.json(place)).collect()
}

impl Question {
    /// The right answer stands in another place each time.
    fn json(&self, place: usize) -> Json {
        let (n, m) = (self.what.len(), self.because.len());
        let (right, reason) = ((place * 2 + 1) % n, (place + 1) % m);
        let what: Vec<&Choice> = (0..n).map(|own| &self.what[(own + n - right) % n]).collect();
        let because: Vec<&Both> = (0..m).map(|own| &self.because[(own + m - reason) % m]).collect();
        json!({
            "at": self.at,
            "shows": self.shows,
            "ask": self.ask.each_ref().map(|own| plain(own)),
            "what": what.iter().map(|own| own.text.each_ref().map(|own| plain(own))).collect::<Vec<_>>(),
            "worlds": what.iter().map(|own| own.world).collect::<Vec<_>>(),
            "right": right,
            "because": because,
            "reason": reason,
            "answer": self.answer.each_ref().map(|own| plain(own)),
            "rule": self.rule.name(),
        })
    }
}

/// A sentence as a browser breaks it, with a capital at its beginning.
fn plain(text: &str) -> String {
    let text = text.replace('\u{2060}', "").replace('\u{2011}', "-");
    let mut signs = text.chars();
    match signs.next() {
        Some(first) if !text.starts_with("sum") && !text.starts_with("sink") => {
            first.to_uppercase().chain(signs).collect()
        }
        _ => text,
    }
}

/// A run, and its names in both languages.
pub(super) struct Run<'a> {
    pub(super) story: &'a Story,
    pub(super) names: [Names<'a>; 2],
}

impl<'a> Run<'a> {
    pub(super) fn new(story: &'a Story) -> Self {
        let names = [Language::En, Language::Zh].map(|language| story.names(language));
        Self { story, names }
    }

    /// Each fact with its step.
    pub(super) fn facts(&self) -> impl Iterator<Item = (u64, &'a Fact)> + use<'a> {
        let steps = self.story.trace.steps.iter();
        steps.flat_map(|step| step.facts.iter().map(|fact| (step.number, fact)))
    }

    /// A text made with the names of each language.
    pub(super) fn both(
        &self,
        en: impl Fn(&Names<'a>) -> String,
        zh: impl Fn(&Names<'a>) -> String,
    ) -> Both {
        [self.names[0].tidy(&en(&self.names[0])), self.names[1].tidy(&zh(&self.names[1]))]
    }

    /// The sender of a channel.
    pub(super) fn sender(&self, channel: ChannelIndex) -> SubtaskIndex {
        self.story.scenario.graph.channels[channel.index()].from
    }
}

/// The same words as they are.
pub(super) fn both(en: &str, zh: &str) -> Both {
    [en.to_owned(), zh.to_owned()]
}

/// An answer without a world of its own.
pub(super) fn choice(text: Both) -> Choice {
    Choice { text, world: None }
}
