//! `checkdam draw`: figures into files.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::args::{Draw, Figure, FigureFormat, ThemeName};
use super::output::Output;
use super::problem::Problem;
use super::progress::Progress;
use super::story::{existing, moment, story};
use crate::model::{CheckpointId, Language};
use crate::narrate::Story;
use crate::render::{
    Colouring, Font, Frames, Painter, Place, Scene, Shows, Theme, checkpoint_ids, gantt, svg,
};

/// Draws what was asked for.
pub(super) fn draw(arguments: &Draw, language: Language, output: Output) -> Result<(), Problem> {
    let format = format(arguments)?;
    let story = story(&arguments.input, arguments.seed, output)?;
    match arguments.figure {
        Figure::Frame => frames(arguments, (&story, language), (format, output)),
        Figure::Gantt => {
            let only = arguments.checkpoint.map(CheckpointId);
            let drawing =
                gantt(&story, language, only).ok_or_else(|| no_checkpoint(&story, only))?;
            one(arguments, &drawing, (format, output))
        }
    }
}

/// The format that was named, or the one that the file's ending says.
fn format(arguments: &Draw) -> Result<FigureFormat, Problem> {
    if let Some(format) = arguments.format {
        return Ok(format);
    }
    let Some(out) = &arguments.out else { return Ok(FigureFormat::Svg) };
    let ending = out.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        None | Some("svg") => Ok(FigureFormat::Svg),
        Some("png") => Ok(FigureFormat::Png),
        Some(other) => {
            let what = format!("no figure has the ending `.{other}`");
            let help = "the endings are .svg and .png; --format names another format";
            Err(Problem::input("format", what, help))
        }
    }
}

/// Turns drawings into files.
struct Press {
    format: FigureFormat,
    theme: ThemeName,
    scale: f64,
    painter: Painter,
    font: Font,
    unknown: std::collections::BTreeSet<char>,
}

impl Press {
    fn new(arguments: &Draw, format: FigureFormat) -> Self {
        Self {
            format,
            theme: arguments.theme,
            scale: f64::from(arguments.scale),
            painter: Painter::new(),
            font: Font::new(),
            unknown: std::collections::BTreeSet::new(),
        }
    }

    /// The bytes of a drawing's file.
    fn print(&mut self, drawing: &Scene) -> Result<Vec<u8>, Problem> {
        let theme = match self.theme {
            ThemeName::Auto | ThemeName::Light => Theme::Light,
            ThemeName::Dark => Theme::Dark,
        };
        match self.format {
            FigureFormat::Svg if self.theme == ThemeName::Auto => {
                Ok(svg(drawing, Colouring::Variables).into_bytes())
            }
            FigureFormat::Svg => Ok(svg(drawing, Colouring::Fixed(theme)).into_bytes()),
            FigureFormat::Png => {
                self.unknown.extend(drawing.unknown_signs(&self.font));
                let pixels = self.painter.paint(drawing, theme, self.scale);
                let pixels = pixels.ok_or_else(|| too_large(drawing))?;
                Ok(pixels.png())
            }
        }
    }

    /// Says which signs the pictures have boxes for.
    fn warn(&self, output: &Output) {
        if self.unknown.is_empty() {
            return;
        }
        let signs: Vec<String> = self.unknown.iter().map(|sign| format!("`{sign}`")).collect();
        let what = format!("the built-in font has no glyph for {}", signs.join(", "));
        let help = "a box stands for it in the picture; SVG uses the reader’s own fonts";
        output.complain(&super::problem::headline("warning[glyph]", &what, help, output));
    }
}

fn no_checkpoint(story: &Story, wanted: Option<CheckpointId>) -> Problem {
    let ids: Vec<String> = checkpoint_ids(story).iter().map(ToString::to_string).collect();
    let what = match wanted {
        Some(id) => format!("the run has no checkpoint {id}"),
        None => "the run has no checkpoint".to_owned(),
    };
    let help = if ids.is_empty() { String::new() } else { format!("it has {}", ids.join(", ")) };
    Problem::input("no-checkpoint", what, help)
}

/// Writes a figure that is one drawing.
fn one(
    arguments: &Draw,
    drawing: &Scene,
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    let mut press = Press::new(arguments, format);
    let bytes = press.print(drawing)?;
    press.warn(&output);
    write(arguments.out.as_deref(), &bytes)
}

fn too_large(drawing: &Scene) -> Problem {
    let (width, height) = (drawing.width, drawing.height);
    let what = format!("a picture of {width} × {height} units is too large for so many pixels");
    Problem::input("too-large", what, "draw it as SVG, or with a smaller --scale")
}

fn frames(
    arguments: &Draw,
    (story, language): (&Story, Language),
    (format, output): (FigureFormat, Output),
) -> Result<(), Problem> {
    let shows = Shows {
        title: !arguments.no_title,
        caption: !arguments.no_caption,
        number: !arguments.no_number,
    };
    let frames = Frames::new(story, language, shows);
    if !arguments.all {
        let place = match (&arguments.moment, arguments.step) {
            (Some(wanted), _) => Place::Moment(moment(story, wanted)?),
            (None, Some(step)) => Place::Step(existing(story, step)?),
            (None, None) => {
                let what = "a frame shows one step, and none was named";
                let help = "--step N, --moment NAME, or --all for every step";
                return Err(Problem::input("no-step", what, help));
            }
        };
        return one(arguments, &frames.frame(place), (format, output));
    }
    let places: Vec<Place> = match arguments.moments {
        true => (0..story.spans.len()).map(Place::Moment).collect(),
        false => (0..=story.n_steps()).map(Place::Step).collect(),
    };
    let mut press = Press::new(arguments, format);
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

/// Numbered files: in a folder, or as a name with `%d` or `%03d` says.
struct Series {
    before: String,
    after: String,
    digits: usize,
}

impl Series {
    fn new(out: Option<&Path>, format: FigureFormat, n: usize) -> Result<Self, Problem> {
        let digits = n.saturating_sub(1).to_string().len();
        let Some(out) = out else {
            let what = "several frames need several files, and --output is missing";
            return Err(Problem::input("no-output", what, "-o FOLDER, or -o 'slides/%02d.svg'"));
        };
        let name = out.to_string_lossy().into_owned();
        if let Some((before, rest)) = name.split_once('%') {
            let (width, after) = rest.split_once('d').unwrap_or((rest, ""));
            let is_width = width.chars().all(|sign| sign.is_ascii_digit()) && width.len() < 3;
            if rest.contains('d') && is_width {
                let digits = width.parse().unwrap_or(1);
                return Ok(Self { before: before.to_owned(), after: after.to_owned(), digits });
            }
            let what = format!("`{name}` has a % that is no %d");
            return Err(Problem::input("output", what, "-o 'slides/%02d.svg'"));
        }
        if out.extension().is_some() && !out.is_dir() {
            let what = format!("`{name}` is one file, and several frames need several");
            return Err(Problem::input("output", what, "-o FOLDER, or -o 'slides/%02d.svg'"));
        }
        fs::create_dir_all(out).map_err(|error| unwritable(out, &error))?;
        let after = format!(".{}", format.ending());
        Ok(Self { before: format!("{}/", name.trim_end_matches('/')), after, digits })
    }

    fn file(&self, number: usize) -> PathBuf {
        let Self { before, after, digits } = self;
        PathBuf::from(format!("{before}{number:0digits$}{after}"))
    }
}

/// Writes a file whole or not at all; standard output where none is named.
fn write(out: Option<&Path>, bytes: &[u8]) -> Result<(), Problem> {
    let Some(out) = out.filter(|out| *out != Path::new("-")) else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(bytes)?;
        return Ok(stdout.flush()?);
    };
    let part = PathBuf::from(format!("{}.part", out.display()));
    let written = write_file(&part, bytes).and_then(|()| fs::rename(&part, out));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        unwritable(out, &error)
    })
}

#[expect(clippy::disallowed_methods, reason = "the command line is the room that writes files")]
fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::write(path, bytes)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Problem {
    let what = format!("`{}` cannot be written: {error}", path.display());
    Problem::input("output", what, "")
}
