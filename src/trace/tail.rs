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
        if self.last.len() == Self::KEPT_MAX {
            self.last.pop_front();
        }
        self.last.push_back(record);
        self.count += 1;
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
        let parts =
            id ^ value.rotate_left(17) ^ key.rotate_left(41) ^ record.id.path.0.rotate_left(7);
        self.digest = mix(self.digest ^ parts);
    }

    /// Whether nothing was ever written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
