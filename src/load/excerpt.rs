//! The lines of a text that a problem is about, cut to size, for miette to
//! draw.
//!
//! miette shows a file's lines as they follow each other. Two places of one
//! problem can be far apart, and a line can be a whole file long; so miette
//! gets a little text of its own, made of just the lines (or pieces of lines)
//! in question, and the true line numbers are put in afterwards.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::diagnostic::{Diagnostic, Diagnostics};
use super::lines::{Lines, floor_char_boundary};
use super::words::harmless;

/// A line up to this many bytes is shown whole.
const LINE_MAX: usize = 160;
/// Of a longer one, so much before a place and from its start on.
const BEFORE: usize = 40;
const AFTER: usize = 100;

/// The little text, and where its pieces come from.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    /// The true line number of each line of the text.
    pub(super) numbers: Vec<usize>,
    /// One for each label, in its order.
    pub(super) spots: Vec<Spot>,
}

/// A label's place in the excerpt and in the file.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// Bytes of the excerpt.
    pub(super) span: Range<usize>,
    line: usize,
    column: usize,
}

/// A piece of a line that is to be shown.
struct Piece {
    number: usize,
    range: Range<usize>,
}

impl Excerpt {
    /// The lines that a problem is about.
    pub(super) fn of(all: &Diagnostics, lines: &Lines, problem: &Diagnostic) -> Self {
        let text = all.text.as_str();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut owners = Vec::new();
        for label in &problem.labels {
            let number = lines.number(label.range.start);
            let line = lines.range(text, number);
            let range = if line.len() <= LINE_MAX {
                line
            } else {
                let start = label.range.start.saturating_sub(BEFORE).max(line.start);
                let end = (label.range.start + AFTER).min(line.end);
                floor_char_boundary(text, start)..floor_char_boundary(text, end)
            };
            let place = pieces.iter().position(|piece| piece.range == range);
            owners.push(place.unwrap_or_else(|| {
                pieces.push(Piece { number, range });
                pieces.len() - 1
            }));
        }
        if let Some(before) = line_before(text, lines, problem)
            && pieces.iter().all(|piece| piece.range != before.range)
        {
            pieces.push(before);
        }
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|place| pieces[*place].range.start);
        let name = super::words::clip(&all.name);
        let (numbers, spots) = (Vec::new(), Vec::new());
        let mut excerpt = Self { name, text: String::new(), numbers, spots };
        let mut spots = vec![None; owners.len()];
        for place in order {
            let piece = &pieces[place];
            let owned = owners.iter().enumerate().filter(|(_, owner)| **owner == place);
            let labels: Vec<(usize, Range<usize>)> =
                owned.map(|(label, _)| (label, problem.labels[label].range.clone())).collect();
            for (label, span) in excerpt.push(text, piece, &labels) {
                let (line, column) = lines.place(text, problem.labels[label].range.start);
                spots[label] = Some(Spot { span, line, column });
            }
        }
        excerpt.spots =
            spots.into_iter().map(|spot| spot.expect("every label has a piece")).collect();
        excerpt
    }

    /// Appends a piece as a line of its own; returns where labels are in it.
    fn push(
        &mut self,
        text: &str,
        piece: &Piece,
        labels: &[(usize, Range<usize>)],
    ) -> Vec<(usize, Range<usize>)> {
        // Where each byte of the piece goes: signs can change their length.
        let mut moved = vec![0; piece.range.len() + 1];
        for (at, sign) in text[piece.range.clone()].char_indices() {
            moved[at..at + sign.len_utf8()].fill(self.text.len());
            self.text.push(if sign == '\t' { sign } else { harmless(sign) });
        }
        moved[piece.range.len()] = self.text.len();
        self.text.push('\n');
        self.numbers.push(piece.number);
        let place = |offset: usize| {
            moved[offset.clamp(piece.range.start, piece.range.end) - piece.range.start]
        };
        labels.iter().map(|(label, at)| (*label, place(at.start)..place(at.end))).collect()
    }

    /// The number that miette gives to the first line: as wide as the true
    /// ones, so that they fit in its place.
    pub(super) fn first_number(&self) -> usize {
        let last = self.numbers.last().copied().unwrap_or(1);
        10_usize.pow(last.ilog10()).max(1)
    }
}

/// The line before a key that is unknown: it shows what keys look like there.
fn line_before(text: &str, lines: &Lines, problem: &Diagnostic) -> Option<Piece> {
    let label = problem.labels.first().filter(|_| problem.code == "unknown-key")?;
    let number = lines.number(label.range.start).checked_sub(1).filter(|number| *number > 0)?;
    let range = lines.range(text, number);
    (!text[range.clone()].trim().is_empty() && range.len() <= LINE_MAX)
        .then_some(Piece { number, range })
}

/// miette asks for the lines around a place with one line of context: that is
/// the whole excerpt. It asks without context to know where a place is.
impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let data = self.text.as_bytes();
        let spot = self.spots.iter().find(|spot| spot.span.start == span.offset());
        let (line, column) = match spot {
            Some(spot) if lines_before == 0 => (spot.line - 1, spot.column - 1),
            _ => (self.first_number() - 1, 0),
        };
        let whole = SourceSpan::from(0..data.len());
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            data,
            whole,
            line,
            column,
            self.numbers.len(),
        )))
    }
}
