//! Problems as text for people, in the manner of rustc; drawn by miette.

use std::fmt;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan};

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::excerpt::Excerpt;
use super::lines::Lines;

/// Columns at which help is wrapped.
const WIDTH: usize = 110;

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Plain text.
    Never,
    /// With the escape sequences of terminals.
    Always,
}

impl Diagnostics {
    /// The problems as text, each with the lines it is about, and the summary
    /// as the last line.
    #[must_use]
    pub fn show(&self, colour: Colour) -> String {
        let lines = Lines::of(&self.text);
        let mut out = String::new();
        for item in self.items.iter().take(Self::SHOWN_MAX) {
            out.push_str(&self.show_one(item, &lines, colour));
            out.push('\n');
        }
        let n_hidden = self.found.iter().sum::<usize>().saturating_sub(Self::SHOWN_MAX);
        if n_hidden > 0 {
            out.push_str(&format!("... and {n_hidden} more that are not shown\n\n"));
        }
        out.push_str(&self.summary());
        out.push('\n');
        out
    }

    fn show_one(&self, item: &Diagnostic, lines: &Lines, colour: Colour) -> String {
        let mut out = headline(item, colour);
        let excerpt = Excerpt::of(self, lines, item);
        let report = Report { item, excerpt: &excerpt };
        let mut theme = match colour {
            Colour::Never => GraphicalTheme::unicode_nocolor(),
            Colour::Always => GraphicalTheme::unicode(),
        };
        // Line numbers are put in below, which plain ones make easy.
        theme.styles.linum = Default::default();
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(WIDTH)
            .with_links(false)
            .with_context_lines(1)
            .with_word_separator(textwrap::WordSeparator::AsciiSpace)
            .with_word_splitter(textwrap::WordSplitter::NoHyphenation)
            .without_syntax_highlighting();
        let mut drawn = String::new();
        handler.render_report(&mut drawn, &report).expect("writing to a string does not fail");
        // The first line would be miette's own headline.
        let (_, drawn) = drawn.split_once('\n').unwrap_or_default();
        out.push_str(&with_true_numbers(drawn, &excerpt, colour));
        out
    }
}

fn headline(item: &Diagnostic, colour: Colour) -> String {
    let kind = format!("{}[{}]", item.severity.name(), item.code);
    match colour {
        Colour::Never => format!("{kind}: {}\n", item.message),
        Colour::Always => {
            let paint = match item.severity {
                Severity::Error => anstyle::AnsiColor::Red,
                Severity::Warning => anstyle::AnsiColor::Yellow,
                Severity::Note => anstyle::AnsiColor::Cyan,
            };
            let (bold, kind_style) = (anstyle::Style::new().bold(), paint.on_default().bold());
            format!("{kind_style}{kind}{kind_style:#}{bold}: {}{bold:#}\n", item.message)
        }
    }
}

/// Replaces the numbers that miette counted by those of the file.
fn with_true_numbers(drawn: &str, excerpt: &Excerpt, colour: Colour) -> String {
    let last = excerpt.numbers.last().copied().unwrap_or(1);
    let width = last.to_string().len();
    let mut numbers = excerpt.numbers.iter().zip(excerpt.first_number()..);
    let mut next = numbers.next();
    let mut out = String::new();
    for line in drawn.lines() {
        let counted = next.map(|(_, counted)| format!(" {counted:width$} │ "));
        match counted.as_ref().and_then(|counted| line.strip_prefix(counted.as_str())) {
            Some(rest) => {
                let (number, _) = next.expect("it was counted");
                match colour {
                    Colour::Never => out.push_str(&format!(" {number:width$} │ {rest}")),
                    Colour::Always => {
                        let dim = anstyle::Style::new().dimmed();
                        out.push_str(&format!(" {dim}{number:width$}{dim:#} │ {rest}"));
                    }
                }
                next = numbers.next();
            }
            None => out.push_str(line),
        }
        // Signs that fill a line up to its end say nothing.
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

/// A problem in the form that miette draws.
#[derive(Debug)]
struct Report<'a> {
    item: &'a Diagnostic,
    excerpt: &'a Excerpt,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("-")
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.item.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.item.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.item.labels.is_empty() {
            return None;
        }
        let labels = self.item.labels.iter().zip(&self.excerpt.spots).enumerate();
        Some(Box::new(labels.map(|(place, (label, spot))| {
            let text = (!label.text.is_empty()).then(|| label.text.clone());
            let make = match place {
                0 => LabeledSpan::new_primary_with_span,
                _ => LabeledSpan::new_with_span,
            };
            make(text, spot.span.clone())
        })))
    }
}
