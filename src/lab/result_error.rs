//! What can be wrong with files of results.

use std::fmt;

/// Why a file of results is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultError {
    /// Which file.
    pub file: String,
    /// Which line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for ResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what, .. } = self;
        write!(f, "{file}:{line}: {what}")
    }
}

impl std::error::Error for ResultError {}
