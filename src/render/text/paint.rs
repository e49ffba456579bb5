//! What a piece of text is, and the colour that says so on a terminal. Each
//! kind also has a shape: colour is never the only sign.

use std::fmt::Write as _;

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, Style};

/// What a piece of text stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paint {
    /// Nothing special.
    #[default]
    Plain,
    /// Said quietly.
    Dim,
    /// Said aloud.
    Bold,
    /// Caused by a split, by its number.
    Split(u32),
    /// A barrier and what it causes.
    Barrier,
    /// Changed in this step.
    Changed,
    /// Acknowledged, complete.
    Done,
    /// Keeps something back.
    Blocked,
    /// Dead.
    Struck,
    /// The line of keys.
    Keys,
}

impl Paint {
    /// The style on a terminal. The colours of splits are the terminal's own,
    /// which its theme has made readable.
    #[must_use]
    pub fn style(self) -> Style {
        const SPLITS: [AnsiColor; 4] =
            [AnsiColor::Blue, AnsiColor::Yellow, AnsiColor::Magenta, AnsiColor::Green];
        const ORANGE: Color = Color::Ansi256(Ansi256Color(166));
        match self {
            Self::Plain => Style::new(),
            Self::Dim => Style::new().dimmed(),
            Self::Bold => Style::new().bold(),
            Self::Split(split) => {
                let colour = SPLITS[split as usize % SPLITS.len()];
                Style::new().bold().fg_color(Some(Color::Ansi(colour)))
            }
            Self::Barrier => Style::new().bold().fg_color(Some(ORANGE)),
            Self::Changed => Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Cyan))),
            Self::Done => Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green))),
            Self::Blocked => Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))),
            Self::Struck => Style::new().effects(Effects::DIMMED | Effects::STRIKETHROUGH),
            Self::Keys => Style::new().effects(Effects::INVERT),
        }
    }
}

/// A piece of text with what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The text, without line breaks.
    pub text: String,
    /// What it stands for.
    pub paint: Paint,
}

/// The brackets of a split's records: they tell the first four apart.
pub(super) fn brackets(split: u32) -> (char, char) {
    [('[', ']'), ('(', ')'), ('{', '}'), ('<', '>')][split as usize % 4]
}

/// The mark before a source's name: the shape that belongs to the brackets.
pub(super) fn mark(split: u32) -> char {
    ['■', '●', '◆', '▲'][split as usize % 4]
}

/// A finished picture: lines of painted text, none with a space at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// From top to bottom.
    pub lines: Vec<Vec<Span>>,
    /// How many of the last lines are sentences, not picture.
    pub n_caption: usize,
}

impl Frame {
    /// The text alone.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            line.iter().for_each(|span| text.push_str(&span.text));
            text.push('\n');
        }
        text
    }

    /// The text with the escape sequences of its colours. Without them it is
    /// the same as [`Frame::plain`].
    #[must_use]
    pub fn styled(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            for Span { text: piece, paint } in line {
                if *paint == Paint::Plain {
                    text.push_str(piece);
                } else {
                    let style = paint.style();
                    write!(text, "{style}{piece}{style:#}").expect("a string takes everything");
                }
            }
            text.push('\n');
        }
        text
    }
}
