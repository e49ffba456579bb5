//! `checkdam draw`: figures into files.

mod chart;
pub(super) mod files;
pub(super) mod press;

use std::path::Path;

use super::args::{Draw, Figure, FigureFormat};
use super::input::{self, Opened};
use super::output::Output;
use super::problem::Problem;
use super::progress::Progress;
use super::story::{Watched, existing, moment, story, watch};
use crate::model::{CheckpointId, Language};
use crate::narrate::{Story, Window};
use crate::render::{
    CheckpointHistory, Frames, Place, Range, STEPS_DRAWN_MAX, Scene, Shows, contact_sheet,
    gantt_of, graph, graph_dot, graph_mermaid, sequence, spacetime, timeline,
};
use files::Series;
pub(super) use files::write;
use press::Press;

/// Draws what was asked for.
pub(super) fn draw(arguments: &Draw, language: Language, output: Output) -> Result<(), Problem> {
    let format = format(arguments)?;
    fits(arguments.figure, format)?;
    let out = arguments.out.as_deref();
    match arguments.figure {
        Figure::Frame => frames(arguments, language, (format, output)),
        Figure::Contacts => contacts(arguments, language, (format, output)),
        Figure::Spacetime => diagram(arguments, language, (format, output)),
        Figure::Gantt => bars(arguments, language, (format, output)),
        Figure::Chart => {
            let drawing = chart::chart(arguments, language, output)?;
            one(arguments, &drawing, (format, output))
        }
        Figure::Graph => {
            let scenario = match input::begin(&arguments.input, output)? {
                Opened::Scenario(scenario) | Opened::Trace(scenario, _) => scenario,
            };
            match format {
                FigureFormat::Dot => write(out, graph_dot(&scenario, language).as_bytes()),
                FigureFormat::Mermaid => write(out, graph_mermaid(&scenario, language).as_bytes()),
                _ => one(arguments, &graph(&scenario, language), (format, output)),
            }
        }
    }
}

/// A run as lifelines, in one of its forms. Only the steps that can be seen are
/// kept.
fn diagram(
    arguments: &Draw,
    language: Language,
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    let range = range(arguments)?;
    let last = match format {
        // All that was asked for.
        FigureFormat::ChromeTrace => range.last.unwrap_or(u64::MAX),
        _ => range.first.saturating_add(STEPS_DRAWN_MAX).min(range.last.unwrap_or(u64::MAX)),
    };
    let window = Window { first: range.first, last };
    let story = story(&arguments.input, (arguments.seed, window), output)?;
    if range.first > story.n_steps() {
        return Err(no_range(arguments.steps.as_deref().unwrap_or(".."), Some(story.n_steps())));
    }
    let out = arguments.out.as_deref();
    match format {
        FigureFormat::Mermaid => write(out, sequence(&story, language, range).as_bytes()),
        FigureFormat::ChromeTrace => write(out, timeline(&story, language, range).as_bytes()),
        _ => one(arguments, &spacetime(&story, language, range), (format, output)),
    }
}

/// Where the time of the checkpoints goes.
fn bars(
    arguments: &Draw,
    language: Language,
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    let only = arguments.checkpoint.map(CheckpointId);
    let mut history = None;
    let seed = (arguments.seed, output);
    let Watched { scenario, .. } = watch(&arguments.input, seed, |scenario, step| {
        let history = history.get_or_insert_with(|| CheckpointHistory::new(&scenario.graph, only));
        history.observe(step.at, &step.facts);
    })?;
    let history = history.unwrap_or_else(|| CheckpointHistory::new(&scenario.graph, only));
    let drawing = gantt_of(&scenario, &history, language);
    let drawing = drawing.ok_or_else(|| no_checkpoint(history.ids(), only))?;
    one(arguments, &drawing, (format, output))
}

/// The format that was named, or the one that the file's ending says.
fn format(arguments: &Draw) -> Result<FigureFormat, Problem> {
    match (arguments.format, &arguments.out) {
        (Some(format), _) => Ok(format),
        (None, Some(out)) => format_of(out),
        (None, None) => Ok(FigureFormat::Svg),
    }
}

/// The format that a file's ending says.
pub(super) fn format_of(out: &Path) -> Result<FigureFormat, Problem> {
    let ending = out.extension().and_then(|ending| ending.to_str());
    let Some(ending) = ending.map(str::to_ascii_lowercase) else { return Ok(FigureFormat::Svg) };
    let found = FigureFormat::ENDINGS.iter().find(|(_, own)| *own == ending);
    found.map(|(format, _)| *format).ok_or_else(|| {
        let what = format!("no figure has the ending `.{ending}`");
        let endings: Vec<String> =
            FigureFormat::ENDINGS.iter().map(|(_, own)| format!(".{own}")).collect();
        let help = format!("the endings are {}; or --format", endings.join(" "));
        Problem::input("format", what, help)
    })
}

/// Whether a figure can have a format.
fn fits(figure: Figure, format: FigureFormat) -> Result<(), Problem> {
    let (fits, where_to) = match format {
        FigureFormat::Svg | FigureFormat::Png => (true, ""),
        FigureFormat::Gif => (figure == Figure::Frame, "frame"),
        FigureFormat::Dot => (figure == Figure::Graph, "graph"),
        FigureFormat::Mermaid => {
            (matches!(figure, Figure::Graph | Figure::Spacetime), "graph or spacetime")
        }
        FigureFormat::ChromeTrace => (figure == Figure::Spacetime, "spacetime"),
    };
    if fits {
        return Ok(());
    }
    let what = format!("this figure cannot be written as .{}", format.ending());
    Err(Problem::input("format", what, format!("that format is for --as {where_to}")))
}

/// The steps that `--steps` names.
fn range(arguments: &Draw) -> Result<Range, Problem> {
    let Some(text) = &arguments.steps else { return Ok(Range::default()) };
    let wrong = || no_range(text, None);
    let (first, last) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().trim_start_matches('=').parse::<u64>();
    let first = if first.trim().is_empty() { 0 } else { number(first).map_err(|_| wrong())? };
    let last = match last.trim() {
        "" => None,
        last => Some(number(last).map_err(|_| wrong())?),
    };
    if last.is_some_and(|last| last < first) {
        return Err(wrong());
    }
    Ok(Range { first, last })
}

/// What `--steps` says is no range, or none of a run with so many steps.
fn no_range(text: &str, n_steps: Option<u64>) -> Problem {
    let known = n_steps.map_or(String::new(), |n| format!("; the run has steps 0 to {n}"));
    let what = format!("`{text}` is no range of steps");
    Problem::input("steps", what, format!("--steps 10..60, ..60 or 10..{known}"))
}

fn no_checkpoint(ids: &[CheckpointId], wanted: Option<CheckpointId>) -> Problem {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let what = match wanted {
        Some(id) => format!("the run has no checkpoint {id}"),
        None => "the run has no checkpoint".to_owned(),
    };
    let help = match ids.as_slice() {
        [] => String::new(),
        [first, .., last] if ids.len() > 12 => format!("it has {first} to {last}"),
        _ => format!("it has {}", ids.join(", ")),
    };
    Problem::input("no-checkpoint", what, help)
}

/// Writes a figure that is one drawing.
fn one(
    arguments: &Draw,
    drawing: &Scene,
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    let mut press = Press::new(format, arguments.look);
    let bytes = press.print(drawing)?;
    press.warn(&output);
    write(arguments.out.as_deref(), &bytes)
}

fn frames(
    arguments: &Draw,
    language: Language,
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    if !arguments.all && arguments.moment.is_none() && arguments.step.is_none() {
        let what = "a frame shows one step, and none was named";
        let help = "--step N, --moment NAME, or --all for every step";
        return Err(Problem::input("no-step", what, help));
    }
    // Of a single step, the one before it is wanted as well.
    let window = arguments
        .step
        .map_or(Window::WHOLE, |step| Window { first: step.saturating_sub(1), last: step });
    let story = story(&arguments.input, (arguments.seed, window), output)?;
    let frames = Frames::new(&story, language, shows(arguments));
    if !arguments.all {
        let place = match (&arguments.moment, arguments.step) {
            (Some(wanted), _) => Place::Moment(moment(&story, wanted)?),
            (None, step) => Place::Step(existing(&story, step.unwrap_or_default())?),
        };
        return one(arguments, &frames.frame(place), (format, output));
    }
    let places = places(arguments, &story);
    if format == FigureFormat::Gif {
        let drawings: Vec<Scene> = places.into_iter().map(|place| frames.frame(place)).collect();
        let mut press = Press::new(format, arguments.look);
        let bytes = press.animation(&drawings)?;
        press.warn(&output);
        return write(arguments.out.as_deref(), &bytes);
    }
    let mut press = Press::new(format, arguments.look);
    let series = Series::new(arguments.out.as_deref(), format, places.len())?;
    let mut progress = Progress::new(Some(places.len() as u64), "frames");
    for (number, place) in places.into_iter().enumerate() {
        let bytes = press.print(&frames.frame(place))?;
        write(Some(&series.file(number)), &bytes)?;
        progress.one();
    }
    progress.end();
    press.warn(&output);
    Ok(())
}

/// What of a frame is wanted.
fn shows(arguments: &Draw) -> Shows {
    Shows {
        title: !arguments.no_title,
        caption: !arguments.no_caption,
        number: !arguments.no_number,
    }
}

/// Every step, or every moment.
fn places(arguments: &Draw, story: &Story) -> Vec<Place> {
    match arguments.moments {
        true => (0..story.spans.len()).map(Place::Moment).collect(),
        false => (0..=story.n_steps()).map(Place::Step).collect(),
    }
}

/// Frames beside and below each other: every moment, or every step where the
/// story has none.
fn contacts(
    arguments: &Draw,
    language: Language,
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    const FRAMES_MAX: usize = 60;
    let story = story(&arguments.input, (arguments.seed, Window::WHOLE), output)?;
    let frames = Frames::new(&story, language, shows(arguments));
    let mut places = match story.spans.len() {
        0 => places(arguments, &story),
        n => (0..n).map(Place::Moment).collect(),
    };
    let n_left_out = places.len().saturating_sub(FRAMES_MAX);
    places.truncate(FRAMES_MAX);
    let drawings: Vec<Scene> = places.into_iter().map(|place| frames.frame(place)).collect();
    if n_left_out > 0 {
        let what = format!("{n_left_out} frames are left out of the sheet");
        let help = "--as frame --all draws each into a file of its own";
        output.complain(&super::problem::headline("warning[frames]", &what, help, &output));
    }
    one(arguments, &contact_sheet(&drawings), (format, output))
}
