//! A table from fingerprints to numbers: open addressing, linear probing.

/// Numbers by fingerprint.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// A power of two of them. Zero: free.
    keys: Vec<u128>,
    numbers: Vec<u32>,
    len: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

impl Index {
    pub(super) fn new() -> Self {
        Self { keys: vec![0; 1024], numbers: vec![0; 1024], len: 0 }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.keys.len() * (size_of::<u128>() + size_of::<u32>())) as u64
    }

    /// The number of a fingerprint.
    #[inline]
    pub(super) fn get(&self, key: u128) -> Option<u32> {
        let place = self.place(key | 1);
        (self.keys[place] != 0).then(|| self.numbers[place])
    }

    /// The number of a fingerprint; the given one, if it is new.
    #[inline]
    pub(super) fn enter(&mut self, key: u128, number: u32) -> Entered {
        let key = key | 1;
        let place = self.place(key);
        if self.keys[place] != 0 {
            return Entered::Known(self.numbers[place]);
        }
        self.keys[place] = key;
        self.numbers[place] = number;
        self.len += 1;
        if self.len * 3 > self.keys.len() * 2 {
            self.grow();
        }
        Entered::New
    }

    #[inline]
    fn place(&self, key: u128) -> usize {
        let last = self.keys.len() - 1;
        let mut place = (key >> 64) as usize & last;
        while self.keys[place] != 0 && self.keys[place] != key {
            place = (place + 1) & last;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let n = 2 * self.keys.len();
        let keys = std::mem::replace(&mut self.keys, vec![0; n]);
        let numbers = std::mem::replace(&mut self.numbers, vec![0; n]);
        for (key, number) in keys.into_iter().zip(numbers).filter(|(key, _)| *key != 0) {
            let place = self.place(key);
            self.keys[place] = key;
            self.numbers[place] = number;
        }
    }
}

/// What has become of a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// It was not there before.
    New,
    /// It was, with this number.
    Known(u32),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::mix;

    #[test]
    fn it_is_a_map() {
        let (mut index, mut map) = (Index::new(), BTreeMap::new());
        for turn in 0..20_000u64 {
            // Many of them twice, many at the same place.
            let draw = mix(turn % 15_000);
            let key = u128::from(draw % 64) << 64 | u128::from(draw >> 8 | 1);
            let expected = map.get(&key).map_or(Entered::New, |number| Entered::Known(*number));
            assert_eq!(index.get(key), map.get(&key).copied());
            assert_eq!(index.enter(key, turn as u32), expected);
            map.entry(key).or_insert(turn as u32);
        }
        assert_eq!(index.len, map.len());
    }
}
