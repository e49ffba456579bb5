//! Which words can be names, and that no two things have the same one.

use std::collections::BTreeMap;
use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::problems::Problems;
use super::tree::Quoted;
use super::words::clip;

/// Names may be this long.
const BYTES_MAX: usize = 200;

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameOf {
    Operator,
    Subtask,
    Split,
    TaskManager,
    Moment,
    Mutation,
    Uid,
}

impl NameOf {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Operator => "an operator",
            Self::Subtask => "a subtask",
            Self::Split => "a split",
            Self::TaskManager => "a TaskManager",
            Self::Moment => "a moment",
            Self::Mutation => "a rule",
            Self::Uid => "an operator’s state",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Operator => "operators",
            Self::Subtask => "subtasks",
            Self::Split => "splits",
            Self::TaskManager => "TaskManagers",
            Self::Moment => "moments",
            Self::Mutation => "rules",
            Self::Uid => "states of operators",
        }
    }
}

impl Problems {
    /// Tells what makes a word unfit to be a name.
    pub(super) fn name(&mut self, name: &Quoted<'_>, of: NameOf) {
        let noun = of.noun();
        if name.text.is_empty() {
            let message = format!("{noun} has an empty name");
            let problem = Diagnostic::error("bad-name", message);
            self.add(problem.at(name.range.clone(), "a name goes here"));
        } else if name.text.len() > BYTES_MAX {
            let message = format!("the name of {noun} is longer than {BYTES_MAX} bytes");
            let problem = Diagnostic::error("bad-name", message);
            self.add(problem.at(name.range.clone(), "too long"));
        } else if let Some((at, sign)) = name.text.char_indices().find(|(_, sign)| !fits(*sign)) {
            let message = format!("`{}` cannot be the name of {noun}", clip(name.text));
            let label = match sign {
                ' ' => "a space".to_owned(),
                _ => format!("`{}` is not allowed", clip(&sign.to_string())),
            };
            self.add(
                Diagnostic::error("bad-name", message)
                    .at(name.part(at..at + sign.len_utf8()), label)
                    .help("names are made of letters, digits, `-`, `_` and `.`"),
            );
        }
    }
}

fn fits(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.')
}

/// The names of things of one kind, each with its place.
#[derive(Debug)]
pub(super) struct Names {
    of: NameOf,
    seen: BTreeMap<String, Range<usize>>,
}

impl Names {
    pub(super) fn new(of: NameOf) -> Self {
        Self { of, seen: BTreeMap::new() }
    }

    /// Adds a name; tells a problem if it is taken, and says whether it was
    /// free.
    pub(super) fn claim(&mut self, name: &str, at: Range<usize>, problems: &mut Problems) -> bool {
        match self.seen.get(name) {
            None => {
                self.seen.insert(name.to_owned(), at);
                true
            }
            Some(first) => {
                let message = format!("two {} are called `{}`", self.of.plural(), clip(name));
                problems.add(
                    Diagnostic::error("duplicate-name", message)
                        .at(at, "again here")
                        .at(first.clone(), "first here"),
                );
                false
            }
        }
    }
}
