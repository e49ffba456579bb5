//! A part of a batch: every N-th case.
//!
//! Written `I/N`, with I from 0: that is what a Kubernetes indexed Job has in
//! `JOB_COMPLETION_INDEX`, where no shell could add one to it, and what a Slurm
//! array has with `--array=0-3`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Every N-th case of a batch, beginning with case I.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// The whole batch.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Part `index`, from 0, of so many.
    ///
    /// # Errors
    /// When there is no such part.
    pub fn new(index: u32, of: u32) -> Result<Self, ShardError> {
        match index < of {
            true => Ok(Self { index, of }),
            false => Err(ShardError::OutOfRange { index, of }),
        }
    }

    /// Which part, from 0.
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// How many parts there are.
    #[must_use]
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether a case is in this part.
    #[must_use]
    pub fn has(self, case: u64) -> bool {
        case % u64::from(self.of) == u64::from(self.index)
    }

    /// The part's cases in order, of so many in all.
    pub fn cases(self, n: u64) -> impl Iterator<Item = u64> + Clone {
        let (first, step) = (u64::from(self.index), u64::from(self.of));
        let n_own = n.saturating_sub(first).div_ceil(step);
        (0..n_own).map(move |number| first + number * step)
    }

    /// Every part, in order, of as many as this one is of.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (0..self.of).map(move |index| Self { index, of: self.of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Why a text names no shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShardError {
    /// It is not written `I/N`.
    NotTwoNumbers(String),
    /// There is no part of this number.
    OutOfRange {
        /// Which.
        index: u32,
        /// Of how many.
        of: u32,
    },
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTwoNumbers(text) => {
                write!(f, "`{text}` is no shard: it is written I/N, as 0/4, 1/4, 2/4 and 3/4")
            }
            Self::OutOfRange { index, of: 0 } => {
                write!(f, "`{index}/0` is no shard: there is at least one, and the only one is 0/1")
            }
            Self::OutOfRange { index, of } => write!(
                f,
                "there is no shard `{index}/{of}`: shards are counted from 0, so these are 0/{of} \
                 to {}/{of}",
                of - 1
            ),
        }
    }
}

impl std::error::Error for ShardError {}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let number = |text: &str| match text.bytes().all(|sign| sign.is_ascii_digit()) {
            true => text.parse::<u32>().ok(),
            false => None,
        };
        let numbers = text.split_once('/').map(|(index, of)| (number(index), number(of)));
        match numbers {
            Some((Some(index), Some(of))) => Self::new(index, of),
            _ => Err(ShardError::NotTwoNumbers(text.to_owned())),
        }
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_all_cases_and_each_case_once() {
        for of in 1..9 {
            for n in 0..40 {
                let shards = Shard { index: 0, of }.all();
                let mut cases: Vec<u64> = shards
                    .flat_map(|shard| {
                        let own: Vec<u64> = shard.cases(n).collect();
                        assert!(own.iter().all(|case| shard.has(*case)));
                        own
                    })
                    .collect();
                cases.sort_unstable();
                assert_eq!(cases, (0..n).collect::<Vec<_>>(), "{of} shards of {n} cases");
            }
        }
    }

    #[test]
    fn what_is_no_shard_is_refused_and_said_why() {
        assert_eq!("3/4".parse(), Shard::new(3, 4));
        let said = |text: &str| text.parse::<Shard>().expect_err("it is none").to_string();
        assert!(said("4/4").contains("0/4 to 3/4"), "{}", said("4/4"));
        assert!(said("0/0").contains("0/1"), "{}", said("0/0"));
        for text in ["", "1", "1/", "/2", "-1/2", "+1/2", " 1/2", "1/2/3", "a/b", "1/99999999999"] {
            assert!(said(text).contains("I/N"), "{text}");
        }
    }
}
