//! Records that do not count once, and the judgement over all records.

use std::fmt;

use super::named::Named;
use super::verdict::Outcome;
use crate::model::{OperatorIndex, RecordId, SubtaskIndex};

/// A record that was counted or published another number of times than it
/// should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miscount {
    /// What it was counted as.
    pub what: Count,
    /// Which record, by the input record that caused it.
    pub record: Named<RecordId>,
    /// Where: a source (read), an operator (counted) or a sink (published).
    pub operator: Named<OperatorIndex>,
    /// How often.
    pub n: u32,
    /// How often it should have been.
    pub expected: u32,
    /// Each of those times; of a lost record, the times that it was sent (or
    /// read) and then forgotten.
    pub sightings: Vec<Sighting>,
    /// Whether Flink does not promise better ([`super::Limit`]).
    pub is_known_limit: bool,
}

/// What a record is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// Read by its source, or sent by it.
    Read,
    /// Processed by an operator.
    Counted,
    /// Published by a sink.
    Published,
}

/// A record passed somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// When.
    pub step: u64,
    /// Who counted, published, sent or read it.
    pub task: Named<SubtaskIndex>,
}

impl fmt::Display for Miscount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, record, operator, n, expected, sightings, .. } = self;
        let place = match sightings.first() {
            Some(first) if *n > 0 && sightings.iter().all(|s| s.task == first.task) => {
                &first.task.name
            }
            _ => &operator.name,
        };
        match n {
            0 => write!(f, "{record} is lost at {place}")?,
            n => {
                let times = times(*n);
                match what {
                    Count::Read => write!(f, "{record} is read {times} by {place}")?,
                    Count::Counted => write!(f, "{record} counts {times} in {place}")?,
                    Count::Published => write!(f, "{record} is published {times} by {place}")?,
                }
            }
        }
        if *n > 0 && *expected != 1 {
            write!(f, " instead of {}", times(*expected))?;
        }
        let steps: Vec<String> = sightings.iter().map(|s| s.step.to_string()).collect();
        match (steps.is_empty(), n) {
            (true, _) => Ok(()),
            (false, 0) => write!(f, " (it passed at step {})", steps.join(", ")),
            (false, _) => write!(f, " (step {})", steps.join(", ")),
        }
    }
}

fn times(n: u32) -> String {
    match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{n} times"),
    }
}

/// A key of an idempotent sink under which the outside holds what a failed
/// attempt wrote and the surviving history did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleKey {
    /// The sink.
    pub operator: Named<OperatorIndex>,
    /// The key, as people write it; none for records without a key.
    pub key: Option<String>,
    /// What the outside holds.
    pub record: Named<RecordId>,
    /// When it was written.
    pub step: u64,
}

/// Whether every record counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Holds: exactly once.
    pub outcome: Outcome,
    /// Records (of the state) or results (of the output) that were judged.
    pub n: u64,
    /// Those of them that count once.
    pub n_once: u64,
    /// Those that are still in flight where the trace ends.
    pub n_pending: u64,
    /// Counted or published too often, by record, then from source to sink;
    /// at most [`Judgement::LISTED_MAX`].
    pub too_often: Vec<Miscount>,
    /// All that are too often, listed or not.
    pub n_too_often: u64,
    /// How many of them Flink does not promise better ([`super::Limit`]).
    pub n_known_limit: u64,
    /// Counted or published never; as many listed.
    pub lost: Vec<Miscount>,
    /// All that are lost, listed or not.
    pub n_lost: u64,
    /// Published several times at a sink that overwrites, which harms nobody;
    /// as many listed.
    pub overwritten: Vec<Miscount>,
    /// All that were overwritten, listed or not.
    pub n_overwritten: u64,
    /// Keys whose final content is wrong; as many listed.
    pub stale: Vec<StaleKey>,
}

impl Judgement {
    /// How many records are listed in each list.
    pub const LISTED_MAX: usize = 1000;

    /// Nothing judged yet.
    pub(super) fn new() -> Self {
        Self {
            outcome: Outcome::Holds,
            n: 0,
            n_once: 0,
            n_pending: 0,
            too_often: Vec::new(),
            n_too_often: 0,
            n_known_limit: 0,
            lost: Vec::new(),
            n_lost: 0,
            overwritten: Vec::new(),
            n_overwritten: 0,
            stale: Vec::new(),
        }
    }

    /// How much is wrong for certain, and the first step at which it shows: the
    /// second time that a record counts, or the time that a lost one passed.
    pub(super) fn first_wrong(&self) -> (u64, Option<u64>) {
        let twice = self.too_often.iter().filter_map(|one| {
            let mut steps: Vec<u64> = one.sightings.iter().map(|seen| seen.step).collect();
            steps.sort_unstable();
            steps.get(one.expected as usize).copied()
        });
        let lost = self.lost.iter().filter_map(|one| one.sightings.first().map(|seen| seen.step));
        let stale = self.stale.iter().map(|stale| stale.step);
        let n = self.n_too_often + self.n_lost + self.stale.len() as u64;
        (n, twice.chain(lost).chain(stale).min())
    }

    /// Whether something is wrong for certain.
    pub(super) fn is_violated(&self) -> bool {
        self.n_too_often > 0 || self.n_lost > 0 || !self.stale.is_empty()
    }
}

/// `blue 4, yellow 5`: the records of a list, each once.
pub(super) fn names(list: &[Miscount], n: u64) -> String {
    let mut names: Vec<&str> = Vec::new();
    for miscount in list {
        if !names.contains(&miscount.record.name.as_str()) {
            names.push(&miscount.record.name);
        }
    }
    let shown = names.len().min(10);
    let mut text = names[..shown].join(", ");
    if names.len() > shown || n > list.len() as u64 {
        text.push_str(", and more");
    }
    text
}
