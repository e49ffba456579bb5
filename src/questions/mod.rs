//! Questions to predict what comes, made from a trace and its verdict: what is
//! right is what happens in the run, never a rule of thumb. Wrong answers are
//! what people really believe.
//!
//! Knows no rule of the algorithm, and not how a page looks. What a question
//! becomes on paper stands in [`paper`].

mod alignment;
mod checkpoint;
mod cut;
mod ends;
mod finish;
mod in_flight;
mod judged;
mod lives;
pub mod paper;
mod recovery;
mod restart;
mod starts;
mod storage;
mod timing;

pub use restart::{asked_about, of_a_restart};

use crate::model::{ChannelIndex, Language, Record, RecordId, SubtaskIndex};
use crate::narrate::{Names, Story};
use crate::trace::{Fact, Rule};
use crate::verify::Verdict;

/// A text in English and in Chinese.
pub type Both = [String; 2];

/// An answer, and the wrong world in which it would be right, by the link of a
/// variant of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it says.
    pub text: Both,
    /// Where it would be right.
    pub world: Option<&'static str>,
}

/// A question about what comes after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name, unique within a run: `barrier-2-at-sum-even`. Made from what it
    /// is about, so that it stays when other questions come and go.
    pub id: String,
    /// The step that is shown.
    pub at: u64,
    /// The step that is shown when the answer is known.
    pub shows: u64,
    /// What is asked.
    pub ask: Both,
    /// The right one first.
    pub what: Vec<Choice>,
    /// The right one first.
    pub because: Vec<Both>,
    /// What happens, and why.
    pub answer: Both,
    /// The rule behind it.
    pub rule: Rule,
}

/// The choices of a question in the order in which they are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered<'q> {
    /// What may come.
    pub what: Vec<&'q Choice>,
    /// The position of the right one.
    pub right: usize,
    /// Why it may.
    pub because: Vec<&'q Both>,
    /// The position of the right one.
    pub reason: usize,
}

impl Question {
    /// The right answer stands in another place each time, but always in the
    /// same of this question.
    #[must_use]
    pub fn offered(&self) -> Offered<'_> {
        let (n, m) = (self.what.len(), self.because.len());
        let sum = self.id.bytes().fold(7_usize, |sum, sign| (sum * 31 + usize::from(sign)) % 9973);
        let (right, reason) = (sum % n, sum / n % m);
        Offered {
            what: (0..n).map(|place| &self.what[(place + n - right) % n]).collect(),
            right,
            because: (0..m).map(|place| &self.because[(place + m - reason) % m]).collect(),
            reason,
        }
    }
}

/// Every question about a run, in the order of their steps; those about a crash
/// are given.
#[must_use]
pub fn of_a_run(story: &Story, verdict: &Verdict, about_a_restart: Vec<Question>) -> Vec<Question> {
    let run = &Run::new(story, verdict);
    let mut all = alignment::questions(run);
    all.extend(checkpoint::questions(run));
    all.extend(ends::questions(run));
    all.extend(timing::questions(run));
    all.extend(cut::questions(run));
    all.extend(in_flight::questions(run));
    all.extend(recovery::questions(run));
    all.extend(starts::questions(run));
    all.extend(storage::questions(run));
    all.extend(finish::questions(run));
    all.extend(judged::questions(run));
    all.extend(about_a_restart);
    all.retain(|own| own.what.len() > 1 && own.because.len() > 1);
    all.sort_by_key(|own| own.at);
    // Another attempt may begin to count checkpoints anew.
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|own| seen.insert(own.id.clone()));
    all.into_iter().map(polished).collect()
}

/// With a capital at the beginning of every sentence.
fn polished(question: Question) -> Question {
    let each = |[en, zh]: Both| [plain(&en), unbound(&zh)];
    let what = question.what.into_iter();
    Question {
        ask: each(question.ask),
        what: what.map(|own| Choice { text: each(own.text), ..own }).collect(),
        answer: each(question.answer),
        ..question
    }
}

/// A text as a browser breaks it.
fn unbound(text: &str) -> String {
    text.replace('\u{2060}', "").replace('\u{2011}', "-")
}

/// The same with a capital at its beginning.
fn plain(text: &str) -> String {
    let text = unbound(text);
    let mut signs = text.chars();
    match signs.next() {
        Some(first) if !text.starts_with("sum") && !text.starts_with("sink") => {
            first.to_uppercase().chain(signs).collect()
        }
        _ => text,
    }
}

/// A run, its verdict, and its names in both languages.
struct Run<'a> {
    story: &'a Story,
    verdict: &'a Verdict,
    names: [Names<'a>; 2],
}

impl<'a> Run<'a> {
    fn new(story: &'a Story, verdict: &'a Verdict) -> Self {
        let names = [Language::En, Language::Zh].map(|language| story.names(language));
        Self { story, verdict, names }
    }

    /// Each fact with its step.
    fn facts(&self) -> impl Iterator<Item = (u64, &'a Fact)> + use<'a> {
        facts(self.story)
    }

    /// A text made with the names of each language.
    fn both(&self, en: impl Fn(&Names<'a>) -> String, zh: impl Fn(&Names<'a>) -> String) -> Both {
        [self.names[0].tidy(&en(&self.names[0])), self.names[1].tidy(&zh(&self.names[1]))]
    }

    /// The sender of a channel.
    fn sender(&self, channel: ChannelIndex) -> SubtaskIndex {
        self.story.scenario.graph.channels[channel.index()].from
    }

    /// A subtask as a part of an id: `sum-even`.
    fn slug(&self, task: SubtaskIndex) -> String {
        slug(&self.story.scenario.graph.subtasks[task.index()].name)
    }

    /// A record as a part of an id, by its split and its place there: `blue-4`.
    fn record_slug(&self, record: &Record) -> String {
        let split = self.story.scenario.graph.split(record.id.split);
        format!("{}-{}", slug(&split.label.en), record.id.offset)
    }

    /// A record that was read, as its source has sent it.
    fn record_read(&self, id: RecordId) -> Option<Record> {
        self.facts().find_map(|(_, fact)| match fact {
            Fact::Read { record, .. }
                if (record.id.split, record.id.offset) == (id.split, id.offset) =>
            {
                Some(*record)
            }
            _ => None,
        })
    }

    /// The time of a step.
    fn time(&self, step: u64) -> crate::model::Time {
        match step {
            0 => crate::model::Time::ZERO,
            _ => self.story.kept(step).at,
        }
    }

    /// The first failure of the run.
    fn first_failure(&self) -> Option<u64> {
        self.facts().find_map(|(step, fact)| match fact {
            Fact::JobFailed { .. } | Fact::JobManagerCrashed { .. } => Some(step),
            _ => None,
        })
    }
}

/// Each fact with its step.
fn facts(story: &Story) -> impl Iterator<Item = (u64, &Fact)> {
    let steps = story.trace.steps.iter();
    steps.flat_map(|step| step.facts.iter().map(|fact| (step.number, fact)))
}

/// Small letters and digits, with hyphens between.
fn slug(text: &str) -> String {
    let parts = text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// The same words as they are.
fn both(en: &str, zh: &str) -> Both {
    [en.to_owned(), zh.to_owned()]
}

/// What is said alike in both languages.
fn same(text: String) -> Both {
    [text.clone(), text]
}

/// A length of time, in Chinese.
fn zh_time(time: impl std::fmt::Display) -> String {
    let unit = |word: &str| {
        match word {
            "d" => "天",
            "h" => "小时",
            "min" => "分钟",
            "s" => "秒",
            "ms" => "毫秒",
            "µs" => "微秒",
            other => return other.to_owned(),
        }
        .to_owned()
    };
    time.to_string().split(' ').map(unit).collect::<Vec<_>>().join(" ")
}

/// An answer without a world of its own.
fn choice(text: Both) -> Choice {
    Choice { text, world: None }
}
