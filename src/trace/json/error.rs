//! What can be wrong with a trace file, with its place.

use std::fmt;

/// A trace that cannot be read: not a trace, damaged, or of another format.
///
/// # Examples
/// ```
/// let error = checkdam::trace::read_header("{}").unwrap_err();
/// assert_eq!((error.line, error.column), (1, 1));
/// assert!(error.to_string().starts_with("line 1, column 1: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line, from 1; the header is line 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, what, remedy } = self;
        write!(f, "line {line}, column {column}: {what} ({remedy})")
    }
}

impl std::error::Error for TraceError {}

/// What to do about a line that no writer writes.
pub(super) const CHANGED: &str = "the file has been changed since it was written; \
                                  `checkdam run` writes the trace anew";

impl TraceError {
    /// An error of the JSON parser in a line of its own.
    pub(super) fn of_json(line: u64, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        Self { line, column: error.column().max(1), what: what.to_owned(), remedy: CHANGED.into() }
    }

    /// An error at a byte of a line.
    pub(super) fn changed(line: u64, column: usize, what: impl Into<String>) -> Self {
        Self { line, column, what: what.into(), remedy: CHANGED.into() }
    }
}

/// A word of a line that means nothing, before anyone knows which line it is.
#[derive(Debug)]
pub(super) struct Misfit {
    /// Where: `facts[1].processed.task`, outermost first.
    pub(super) field: String,
    /// The byte in the line, from 1.
    pub(super) column: usize,
    /// What is wrong.
    pub(super) what: String,
    /// What was meant, if that can be guessed.
    pub(super) remedy: Option<String>,
}

impl Misfit {
    /// The same misfit seen from one level further out.
    pub(super) fn inside(mut self, outer: &str) -> Self {
        let joint = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        self.field = format!("{outer}{joint}{}", self.field);
        self
    }

    /// The misfit as an error in a line.
    pub(super) fn on_line(self, line: u64) -> TraceError {
        TraceError {
            line,
            column: self.column,
            what: format!("{}: {}", self.field, self.what),
            remedy: self.remedy.unwrap_or_else(|| CHANGED.to_owned()),
        }
    }
}
