//! What is wrong with a text: a message, the places it is about, a remedy.
//! How it looks stands in `show`.

use std::fmt;
use std::ops::Range;

use super::lines::Lines;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is run.
    Error,
    /// It runs, but perhaps not as meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// Every severity, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// The word for one of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A place in the text, and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// Bytes of [`Diagnostics::text`].
    pub range: Range<usize>,
    /// A few words; may be empty.
    pub text: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name of this kind of problem, in small letters with hyphens.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where: first the place that the problem is at, then places that
    /// explain it.
    pub labels: Vec<Label>,
    /// What was probably meant, if it is known.
    pub suggestion: Option<String>,
    /// What to do, or what there is to choose from.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(super) fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        let (labels, message) = (Vec::new(), message.into());
        Self { severity, code, message, labels, suggestion: None, help: None }
    }

    pub(super) fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    pub(super) fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    pub(super) fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Adds a place: the first one is where the problem is.
    pub(super) fn at(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label { range, text: text.into() });
        self
    }

    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says at the first place what was probably meant; else what to say if
    /// nothing comes near stays there.
    pub(super) fn did_you_mean(mut self, suggestion: Option<String>) -> Self {
        if let (Some(word), Some(first)) = (&suggestion, self.labels.first_mut()) {
            first.text = format!("did you mean `{word}`?");
        }
        self.suggestion = suggestion;
        self
    }

    /// Where the problem is, for sorting.
    pub(super) fn start(&self) -> usize {
        self.labels.first().map_or(0, |label| label.range.start)
    }
}

/// All that is to be said about one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// What the text is called, as it was given: a path, or a name.
    pub name: String,
    /// The text. Where it was not UTF-8, with replacement characters.
    pub text: String,
    /// The problems, by place; at most [`Diagnostics::KEPT_MAX`].
    pub items: Vec<Diagnostic>,
    /// Problems found of each severity, those that were not kept included.
    pub found: [usize; 3],
    /// How much was done to find them: bytes, values and names looked at. It
    /// is bounded by the size of the text and the limits of scenarios.
    pub work: u64,
    /// What follows from an error, for the last line.
    pub(super) consequence: &'static str,
}

impl Diagnostics {
    /// The most problems that are kept of one text; more are only counted.
    pub const KEPT_MAX: usize = 1000;
    /// The most problems that are shown.
    pub const SHOWN_MAX: usize = 100;

    /// How many problems of a severity there are.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.found[severity as usize]
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found == [0; 3]
    }

    /// Those of one severity.
    #[must_use]
    pub fn only(&self, severity: Severity) -> Self {
        let mut found = [0; 3];
        found[severity as usize] = self.count(severity);
        let items = self.items.iter().filter(|item| item.severity == severity).cloned().collect();
        Self { items, found, ..self.clone() }
    }

    /// The last line: how many problems, and what follows from them.
    #[must_use]
    pub fn summary(&self) -> String {
        let counts: Vec<String> = Severity::ALL
            .into_iter()
            .filter(|severity| self.count(*severity) > 0)
            .map(|severity| super::words::count(self.count(severity) as u64, severity.name()))
            .collect();
        let counts = super::words::list(&counts, "and");
        let name = super::words::clip(&self.name);
        match self.count(Severity::Error) {
            0 if counts.is_empty() => format!("{name}: nothing to say"),
            0 => format!("{name}: {counts}"),
            _ => format!("{name}: {counts}{}", self.consequence),
        }
    }

    /// The same content for machines: the problems with code, line and column
    /// (both from 1, columns in characters) and remedies, and the counts.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let lines = Lines::of(&self.text);
        let items: Vec<_> = self.items.iter().map(|item| self.item(item, &lines)).collect();
        serde_json::json!({
            "file": self.name,
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "notes": self.count(Severity::Note),
            "problems": items,
        })
    }

    fn item(&self, item: &Diagnostic, lines: &Lines) -> serde_json::Value {
        let place = |label: &Label| lines.place(&self.text, label.range.start);
        let labels: Vec<_> = item
            .labels
            .iter()
            .map(|label| {
                let (line, column) = place(label);
                let bytes = [label.range.start, label.range.end];
                serde_json::json!({
                    "line": line, "column": column, "bytes": bytes, "text": label.text,
                })
            })
            .collect();
        let suggestion = item.suggestion.as_ref().map(|word| format!("did you mean `{word}`?"));
        let remedies: Vec<_> = suggestion.into_iter().chain(item.help.clone()).collect();
        let first = item.labels.first().map(place);
        serde_json::json!({
            "severity": item.severity.name(),
            "code": item.code,
            "message": item.message,
            "line": first.map(|(line, _)| line),
            "column": first.map(|(_, column)| column),
            "labels": labels,
            "remedies": remedies,
        })
    }
}

/// As text for people, without colours.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(super::show::Colour::Never))
    }
}

impl std::error::Error for Diagnostics {}
