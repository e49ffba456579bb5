//! The end of a long output, with a count and a digest of all of it: what
//! stays in memory when a run writes millions of records.

use std::collections::VecDeque;

use crate::model::{Key, Record, Value, mix};

/// The last records of an output, how many there were, and a digest over all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tail {
    /// The newest last; at most [`Tail::KEPT_MAX`].
    pub last: VecDeque<Record>,
    /// All that there were.
    pub count: u64,
    /// Depends on every record and on their order.
    pub digest: u64,
}

impl Tail {
    /// How many records are kept.
    pub const KEPT_MAX: usize = 1000;

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, record: Record) {
        self.extend(&[record]);
    }

    /// Adds records, the first first.
    pub fn extend(&mut self, records: &[Record]) {
        for record in records {
            self.digest = mix(self.digest ^ digest(record));
        }
        self.count += records.len() as u64;
        let kept = &records[records.len().saturating_sub(Self::KEPT_MAX)..];
        let n_dropped = (self.last.len() + kept.len()).saturating_sub(Self::KEPT_MAX);
        self.last.drain(..n_dropped);
        self.last.extend(kept);
    }

    /// Whether nothing was ever written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// What a record adds to the digest, before it is mixed with all before it.
#[inline]
fn digest(record: &Record) -> u64 {
    let id = u64::from(record.id.split.0) << 32 | u64::from(record.id.offset);
    let value = match record.value {
        Value::Number(number) => number as u64,
        Value::Letter(letter) => u64::from(letter) | 1 << 63,
    };
    let key = match record.key {
        None => 0,
        Some(Key::Bool(odd)) => 1 | u64::from(odd) << 8,
        Some(Key::Int(number)) => 2 | (number as u64) << 8,
        Some(Key::Long(number)) => 3 ^ (number as u64).rotate_left(8),
        Some(Key::Letter(letter)) => 4 | u64::from(letter) << 8,
        Some(Key::Name(place)) => 5 | u64::from(place) << 8,
    };
    id ^ value.rotate_left(17) ^ key.rotate_left(41) ^ record.id.path.0.rotate_left(7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Path, RecordId, SplitIndex};

    #[test]
    fn many_at_once_are_as_one_after_the_other() {
        let record = |offset: u32| Record {
            id: RecordId { split: SplitIndex(1), offset, path: Path::default() },
            value: Value::Number(-i64::from(offset)),
            key: Some(Key::Int(offset as i32 % 7)),
        };
        let (mut single, mut many) = (Tail::default(), Tail::default());
        let mut next = 0;
        for n in [0, 1, 998, 3, 2500, 0, 1000, 999, 1001] {
            let records: Vec<Record> = (next..next + n).map(record).collect();
            next += n;
            records.iter().for_each(|record| single.push(*record));
            many.extend(&records);
            assert_eq!(single, many, "after {n} more");
            assert_eq!(many.count, u64::from(next));
            let oldest = next.saturating_sub(Tail::KEPT_MAX as u32);
            assert!(many.last.iter().copied().eq((oldest..next).map(record)));
        }
    }
}
