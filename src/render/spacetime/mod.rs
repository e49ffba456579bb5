//! A run as lifelines: time to the right, one line for the JobManager and one
//! for each task along the flow, messages as arrows, and each completed
//! snapshot as a line across all of them.
//!
//! What happens on a task stands in its band; arrows carry no words, so words
//! cannot meet arrows.

mod cut;
mod events;
mod foot;
mod mermaid;
mod places;
mod stave;

pub use mermaid::sequence;

use super::font::{Font, Weight};
use super::scene::{Ink, Scene};
use super::sheet::{Sheet, style};
use crate::model::{CheckpointId, Language};
use crate::narrate::{Names, Story};
use events::{Waits, What, events};
use stave::Stave;

const WIDTH: f64 = 1920.0;
const HEIGHT: f64 = 1080.0;
const MARGIN: f64 = 64.0;
/// Where the lifelines begin: right of the names.
const LEFT: f64 = 268.0;
const RIGHT: f64 = WIDTH - MARGIN;
/// From the lifelines' ends to the first and the last thing on them.
const INSET: f64 = 24.0;
const TOP: f64 = 184.0;
/// How high a lifeline is.
const BAND: f64 = 40.0;
/// The most lifelines of tasks.
const BANDS_MAX: usize = 20;

/// Which steps a diagram shows; both ends are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub first: u64,
    /// The last; none: as many as fit.
    pub last: Option<u64>,
}

/// Steps behind the first one that a diagram can show at most.
pub const STEPS_DRAWN_MAX: u64 = STAVES_MAX as u64 * (STEPS_MAX + 1);

/// The most staves below each other.
const STAVES_MAX: usize = 3;
/// Nothing further can fit into a stave: a step with something to see takes
/// some room.
const STEPS_MAX: u64 = 4000;

/// The space-time diagram of a run. A run that is too long for one stave goes
/// on in the next one below; what does not fit then is left out, and the line
/// above the title says so.
#[must_use]
pub fn spacetime(story: &Story, language: Language, range: Range) -> Scene {
    let font = Font::new();
    let (staves, bottom) = staves((story, language), (&font, Fitting::OneLanguage), range);
    drawn((story, language), &font, (&staves, bottom), range)
}

/// The diagram of the whole run in both languages, with everything at the same
/// places in both, and where the steps stand: of each step that has a place, its
/// x, and the y of the upper and the lower end of its stave. Within a stave each
/// stands right of the one before it: steps of which nothing is seen share the
/// way between those around them.
#[must_use]
pub fn spacetime_in_both(story: &Story) -> ([Scene; 2], Vec<(f64, f64, f64)>) {
    let font = Font::new();
    let range = Range::default();
    let [en, zh] = [Language::En, Language::Zh].map(|language| {
        let (staves, bottom) = staves((story, language), (&font, Fitting::Both), range);
        (drawn((story, language), &font, (&staves, bottom), range), places(story, &staves))
    });
    ([en.0, zh.0], en.1)
}

fn drawn(
    (story, language): (&Story, Language),
    font: &Font,
    (staves, bottom): (&[Stave<'_>], f64),
    range: Range,
) -> Scene {
    let names = story.names(language);
    let last = range.last.unwrap_or(u64::MAX).min(story.n_steps());
    let height = (bottom + 62.0 - 20.0).max(HEIGHT);
    let mut sheet = Sheet::new(font, (WIDTH, height), names);
    let figure = Figure { names, staves, range, last };
    figure.head(&mut sheet);
    for stave in staves {
        stave.draw(&mut sheet);
        stave.draw_foot(&mut sheet);
    }
    foot::legend(&mut sheet, staves, bottom + 4.0);
    let mut scene = sheet.finish(false);
    scene.title = figure.title();
    scene.description = figure.description();
    scene
}

/// Where the lifelines of a space-time diagram begin and end, and how wide the
/// diagram is.
pub const LIFELINES: (f64, f64, f64) = (LEFT, RIGHT, WIDTH);

fn places(story: &Story, staves: &[Stave<'_>]) -> Vec<(f64, f64, f64)> {
    let place = |step: u64| {
        let own = staves.iter().find(|stave| step <= stave.places.last);
        own.map(|stave| (stave.places.x(step).unwrap_or(LEFT), stave.top, stave.bottom()))
    };
    let mut places: Vec<_> = (0..=story.n_steps()).map_while(place).collect();
    for same in places.chunk_by_mut(|one, other| one.1 == other.1) {
        spread(same);
    }
    places
}

/// Moves those of a stave's places apart that are the same.
fn spread(places: &mut [(f64, f64, f64)]) {
    let mut first = 0;
    while first < places.len() {
        let x = places[first].0;
        let n = places[first..].iter().take_while(|own| own.0 <= x).count();
        let next = places.get(first + n).map_or(RIGHT, |own| own.0);
        for (place, own) in places[first..first + n].iter_mut().enumerate() {
            own.0 = x + (next - x) * place as f64 / n as f64;
        }
        first += n;
    }
}

/// For whom there has to be room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fitting {
    /// For what is drawn.
    OneLanguage,
    /// For the same in the other language, too.
    Both,
}

/// The staves below each other, and where the space below them begins.
fn staves<'a>(
    (story, language): (&'a Story, Language),
    (font, fitting): (&'a Font, Fitting),
    range: Range,
) -> (Vec<Stave<'a>>, f64) {
    let names = story.names(language);
    let other = match (fitting, language) {
        (Fitting::OneLanguage, _) => None,
        (Fitting::Both, Language::En) => Some(story.names(Language::Zh)),
        (Fitting::Both, Language::Zh) => Some(story.names(Language::En)),
    };
    let last = range.last.unwrap_or(u64::MAX).min(story.n_steps());
    let stave = |first: u64, is_only: bool| {
        let until = last.min(first.saturating_add(STEPS_MAX));
        let gathered = |names| events(story, names, (until, Waits::AtTheReceiver));
        let range = Range { first, last: Some(last) };
        let own = (font, gathered(names), other.map(gathered));
        Stave::new(story, names, own, (range, is_only))
    };
    let mut staves = vec![stave(range.first, true)];
    if !staves[0].places.is_whole {
        staves = vec![stave(range.first, false)];
        while staves.len() < STAVES_MAX && !staves[staves.len() - 1].places.is_whole {
            let next = staves[staves.len() - 1].places.last + 1;
            staves.push(stave(next, false));
        }
    }
    let mut top = TOP;
    for stave in &mut staves {
        stave.top = top;
        top = stave.bottom() + 176.0;
    }
    (staves, top)
}

/// What is said of the whole.
struct Figure<'a> {
    names: Names<'a>,
    staves: &'a [Stave<'a>],
    range: Range,
    /// The last step that was asked for.
    last: u64,
}

impl Figure<'_> {
    fn cuts(&self) -> Vec<CheckpointId> {
        self.staves.iter().flat_map(Stave::cuts).map(|(id, _)| id).collect()
    }

    fn title(&self) -> String {
        let mut completed: Vec<String> = self.cuts().iter().map(ToString::to_string).collect();
        let zh = self.names.language == Language::Zh;
        let mut all = self.staves.iter().flat_map(|stave| &stave.events.sightings);
        let failed = all.any(|own| matches!(own.what, What::Crash));
        let last = completed.pop();
        match (last, completed.is_empty(), failed, zh) {
            (None, _, _, false) => "The run in space and time".to_owned(),
            (None, _, _, true) => "运行的时空图".to_owned(),
            (Some(last), _, true, false) => format!("Checkpoint {last}, a crash, and the replay"),
            (Some(last), _, true, true) => format!("检查点 {last}、崩溃与重放"),
            (Some(last), true, false, false) => format!("Checkpoint {last} as a cut through time"),
            (Some(last), true, false, true) => format!("检查点 {last}：穿过时间的一条切面"),
            (Some(last), false, false, false) => {
                format!("Checkpoints {} and {last} as cuts through time", completed.join(", "))
            }
            (Some(last), false, false, true) => {
                format!("检查点 {}、{last}：穿过时间的切面", completed.join("、"))
            }
        }
    }

    fn head(&self, sheet: &mut Sheet<'_>) {
        let names = self.names;
        let order = names.pick("time runs to the right, not to scale", "时间向右，不按比例");
        let mut parts = vec![names.scenario.title.of(names.language).to_owned(), order.to_owned()];
        let newest = &self.staves[self.staves.len() - 1];
        let n_steps = newest.story.n_steps();
        let first = self.range.first;
        let last = if newest.places.is_whole { self.last } else { newest.places.last };
        if first > 0 || last < n_steps {
            parts.push(match names.language {
                Language::En => {
                    format!("steps {first} to {last} of {n_steps}, the rest is left out")
                }
                Language::Zh => format!("第 {first}–{last} 步，共 {n_steps} 步，其余省略"),
            });
        }
        let n_hidden = names.scenario.graph.subtasks.len() + 1 - newest.n_bands;
        if n_hidden > 0 {
            parts.push(match names.language {
                Language::En => format!("{n_hidden} more tasks are left out"),
                Language::Zh => format!("另有 {n_hidden} 个任务省略"),
            });
        }
        let room = WIDTH - 2.0 * MARGIN;
        let look = style(22.0, Weight::Medium, Ink::Quiet);
        sheet.text(&parts.join(" · "), (MARGIN, 72.0), look, room);
        let look = style(42.0, Weight::SemiBold, Ink::Text);
        sheet.text(&self.title(), (MARGIN, 128.0), look, room);
    }

    fn description(&self) -> String {
        let n: usize = self.staves.iter().map(|stave| stave.events.messages.len()).sum();
        let n_bands = self.staves[0].n_bands;
        let ids: Vec<String> = self.cuts().iter().map(ToString::to_string).collect();
        match self.names.language {
            Language::En => format!(
                "Time runs to the right. {} lifelines, {n} messages; completed checkpoints: {}.",
                n_bands,
                if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
            ),
            Language::Zh => format!(
                "时间向右。{} 条生命线，{n} 条消息；已完成的检查点：{}。",
                n_bands,
                if ids.is_empty() { "无".to_owned() } else { ids.join("、") }
            ),
        }
    }
}
