//! `checkdam walk`: the walkthrough, interactive on a terminal, plain text
//! elsewhere.

use std::io::{self, BufWriter, IsTerminal, Write};

use super::args::Walk;
use super::output::Output;
use super::problem::Problem;
use super::session::{Look, Session};
use super::story::{existing, moment, story};
use super::terminal;
use crate::model::Language;
use crate::narrate::{Grain, Story, Window};
use crate::render::text::{Pictures, Place, WIDTHS};

/// Shows a walkthrough.
pub(super) fn walk(arguments: &Walk, language: Language, output: Output) -> Result<(), Problem> {
    if let Some(width) = arguments.width
        && !WIDTHS.contains(&width)
    {
        let what = format!("a picture cannot be {width} columns wide");
        return Err(Problem::input("width", what, "--width takes 60 to 100"));
    }
    let story = story(&arguments.input, (arguments.seed, Window::WHOLE), output)?;
    let start = start(arguments, &story)?;
    let grain =
        if arguments.moments || arguments.moment.is_some() { Grain::Moments } else { Grain::Steps };
    if grain == Grain::Moments && story.spans.is_empty() {
        let what = "no moment of a story is in this run";
        return Err(Problem::input("no-moments", what, "walk by steps: leave out --moments"));
    }
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        let (columns, lines) = terminal::size();
        let columns = arguments.width.unwrap_or(columns);
        let look = Look { language, columns, lines, grain };
        let session = Session::new(story, look, start.unwrap_or(0));
        return Ok(terminal::show(session, arguments.width, output)?);
    }
    plain((arguments, &story), (start, grain), (language, output))
}

/// Prints a walkthrough, on a terminal too.
pub(super) fn print(arguments: &Walk, language: Language, output: Output) -> Result<(), Problem> {
    let story = story(&arguments.input, (arguments.seed, Window::WHOLE), output)?;
    let start = start(arguments, &story)?;
    let is_moment = arguments.moments || arguments.moment.is_some();
    let grain = if is_moment { Grain::Moments } else { Grain::Steps };
    plain((arguments, &story), (start, grain), (language, output))
}

fn plain(
    (arguments, story): (&Walk, &Story),
    (start, grain): (Option<u64>, Grain),
    (language, output): (Language, Output),
) -> Result<(), Problem> {
    let columns = arguments.width.or_else(terminal::columns).unwrap_or(*WIDTHS.end());
    let pictures = Pictures::new(story, language, columns);
    let places: Vec<Place> = match (start, grain) {
        (Some(step), Grain::Steps) => vec![Place::Step(step)],
        (Some(step), Grain::Moments) => {
            story.span_near(step).map(Place::Moment).into_iter().collect()
        }
        (None, Grain::Steps) => (0..=story.n_steps()).map(Place::Step).collect(),
        (None, Grain::Moments) => (0..story.spans.len()).map(Place::Moment).collect(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for (number, place) in places.into_iter().enumerate() {
        if number > 0 {
            out.write_all(b"\n")?;
        }
        out.write_all(output.text(&pictures.frame(place)).as_bytes())?;
    }
    Ok(out.flush()?)
}

/// The step that was asked for, by its number or by a moment's name.
fn start(arguments: &Walk, story: &Story) -> Result<Option<u64>, Problem> {
    if let Some(step) = arguments.step {
        return existing(story, step).map(Some);
    }
    let Some(wanted) = &arguments.moment else { return Ok(None) };
    moment(story, wanted).map(|span| Some(story.spans[span].last))
}
