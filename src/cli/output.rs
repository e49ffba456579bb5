//! Standard output and standard error: with or without colours, and quiet when
//! nobody is left to read.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Color, Style};

use super::args::Colours;
use crate::load::Colour;
use crate::render::text::Frame;

/// How to print.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    colours: Colours,
}

impl Output {
    pub(super) fn new(colours: Colours) -> Self {
        Self { colours }
    }

    /// Whether colours go to a stream.
    fn coloured(self, is_terminal: bool) -> bool {
        match self.colours {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto => is_terminal && !is_set("NO_COLOR") && !is_set_to("TERM", "dumb"),
        }
    }

    /// Whether colours go to standard output.
    pub(super) fn is_coloured(self) -> bool {
        self.coloured(io::stdout().is_terminal())
    }

    /// For problems on standard output.
    pub(super) fn colour(self) -> Colour {
        if self.is_coloured() { Colour::Always } else { Colour::Never }
    }

    /// For problems on standard error.
    pub(super) fn error_colour(self) -> Colour {
        if self.coloured(io::stderr().is_terminal()) { Colour::Always } else { Colour::Never }
    }

    /// What is written around the word `error`.
    pub(super) fn error_style(self) -> (String, String) {
        let style = match self.error_colour() {
            Colour::Never => Style::new(),
            Colour::Always => Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Red))),
        };
        (format!("{style}"), format!("{style:#}"))
    }

    /// A frame as it goes to standard output.
    pub(super) fn text(self, frame: &Frame) -> String {
        if self.is_coloured() { frame.styled() } else { frame.plain() }
    }

    /// Writes to standard output.
    ///
    /// # Errors
    /// When nobody is left to read, or the disk is full.
    pub(super) fn print(self, text: &str) -> io::Result<()> {
        io::stdout().lock().write_all(text.as_bytes())
    }

    /// Writes to standard error; if that fails there is no one to tell.
    pub(super) fn complain(self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

#[expect(clippy::disallowed_methods, reason = "the command line reads the environment")]
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "the command line reads the environment")]
fn is_set_to(name: &str, wanted: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value == wanted)
}
