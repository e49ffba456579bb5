//! The ledger: for each input record how often it was read, counted and
//! published. Kept as runs of neighbours with the same numbers, so that the
//! usual case takes hardly any room.

use std::collections::BTreeMap;

use crate::model::{OperatorIndex, Path, SplitIndex};

/// How often every input record was read, counted in state and published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// By split.
    pub(super) read: Vec<Runs>,
    /// By keyed operator.
    pub(super) counted: BTreeMap<OperatorIndex, Counts>,
    /// By sink.
    pub(super) published: BTreeMap<OperatorIndex, Counts>,
}

/// One input record's line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Its split.
    pub split: SplitIndex,
    /// Its place there, from 1.
    pub offset: u32,
    /// How often it was read in the surviving history.
    pub read: u32,
    /// For each keyed operator: how often what it caused was counted in the
    /// surviving state, and how often it should have been.
    pub counted: Vec<(OperatorIndex, u32, u32)>,
    /// For each sink: how often what it caused was published, and how often it
    /// should have been.
    pub published: Vec<(OperatorIndex, u32, u32)>,
}

/// Numbers of one operator, by split and path.
pub(super) type Counts = BTreeMap<(SplitIndex, Path), Runs>;

/// Numbers by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs(Vec<Run>);

/// Neighbours with the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) n: u32,
    pub(super) expected: u32,
}

impl Runs {
    /// Adds offsets after those that are there.
    pub(super) fn push(&mut self, run: Run) {
        match self.0.last_mut() {
            Some(last)
                if last.last.checked_add(1) == Some(run.first)
                    && (last.n, last.expected) == (run.n, run.expected) =>
            {
                last.last = run.last;
            }
            _ => self.0.push(run),
        }
    }

    /// The numbers of one offset; (0, 0) where nothing is known.
    pub(super) fn at(&self, offset: u32) -> (u32, u32) {
        let place = self.0.partition_point(|run| run.last < offset);
        match self.0.get(place) {
            Some(run) if run.first <= offset => (run.n, run.expected),
            _ => (0, 0),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.0.iter()
    }
}

impl Ledger {
    /// The line of one input record.
    #[must_use]
    pub fn row(&self, split: SplitIndex, offset: u32) -> LedgerRow {
        LedgerRow {
            split,
            offset,
            read: self.read.get(split.index()).map_or(0, |runs| runs.at(offset).0),
            counted: columns(&self.counted, split, offset),
            published: columns(&self.published, split, offset),
        }
    }

    /// The lines of all records that were read in the surviving history or
    /// lost by their source, split by split.
    pub fn rows(&self) -> impl Iterator<Item = LedgerRow> {
        let offsets = self.read.iter().enumerate().flat_map(|(split, runs)| {
            let offsets = runs.iter().flat_map(|run| run.first..=run.last);
            offsets.map(move |offset| (SplitIndex::at(split), offset))
        });
        offsets.map(|(split, offset)| self.row(split, offset))
    }
}

fn columns(
    operators: &BTreeMap<OperatorIndex, Counts>,
    split: SplitIndex,
    offset: u32,
) -> Vec<(OperatorIndex, u32, u32)> {
    let column = |(operator, counts): (&OperatorIndex, &Counts)| {
        let of_split = counts.range((split, Path(0))..=(split, Path(u64::MAX)));
        let (n, expected) = of_split
            .map(|(_, runs)| runs.at(offset))
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (*operator, n, expected)
    };
    operators.iter().map(column).collect()
}
