//! What a record is: a value, and who it is from.
//!
//! Identity is end to end: a record is known by the input record that caused
//! it, never by its value, since a replay need not repeat values.

use std::fmt;

use super::ids::SplitIndex;
use super::key::Key;

/// The value of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A whole number. Arithmetic wraps, as that of Java's `long` does.
    Number(i64),
    /// A letter, for jobs in which offset and value must not look alike.
    Letter(char),
}

impl Value {
    /// The number to calculate with: a letter counts as its place in the
    /// alphabet (a or A = 1), any other sign as its code point.
    #[inline]
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::Number(number) => number,
            Self::Letter(letter) => place_in_alphabet(letter),
        }
    }
}

#[cold]
fn place_in_alphabet(letter: char) -> i64 {
    match letter {
        'a'..='z' => letter as i64 - 'a' as i64 + 1,
        'A'..='Z' => letter as i64 - 'A' as i64 + 1,
        other => other as i64,
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Letter(letter) => letter.fmt(f),
        }
    }
}

/// Which input record something was caused by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// The split it was read from.
    pub split: SplitIndex,
    /// Its place in the split, from 1: after reading it the source's offset
    /// has this value.
    pub offset: u32,
    /// The way it took where the job branches.
    pub path: Path,
}

/// The turns that a record took through the job: one byte a turn, the latest
/// in the lowest byte, 0 where there was no choice. On a job that never
/// branches every path is 0.
///
/// A turn is taken where one input causes several outputs: at an operator with
/// several outgoing edges (which one, from 1) and on a broadcast edge to
/// several subtasks (which one, from 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub u64);

impl Path {
    /// The most turns that fit.
    pub const TURNS_MAX: usize = 8;
    /// The most ways at one turn.
    pub const WAYS_MAX: usize = 255;

    /// The path after one more turn.
    ///
    /// # Panics
    /// When more turns are taken than fit; the loader refuses such jobs.
    #[inline]
    #[must_use]
    pub fn turn(self, way: u8) -> Self {
        assert!(self.0 >> 56 == 0, "a job has at most {} turns", Self::TURNS_MAX);
        Self(self.0 << 8 | u64::from(way))
    }
}

/// A record as it travels: a value, the key that a keyed operator gave it, and
/// what caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The input record that caused it, and the way.
    pub id: RecordId,
    /// What it carries.
    pub value: Value,
    /// The key under which a keyed operator emitted it; records straight from
    /// a source have none.
    pub key: Option<Key>,
}

impl Record {
    /// What a record counts for where Flink counts bytes: its value, as a Java
    /// `long`.
    pub const BYTES: u64 = 8;
}
