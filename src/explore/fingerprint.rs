//! Fingerprints of 128 bits.
//!
//! A value feeds its bytes through its derived `Hash` into a buffer, and XXH3
//! goes over the buffer once. Two different values share a fingerprint with a
//! chance of 2^-128 a pair: of a thousand million states, any two with less than
//! 2^-69.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// Collects what a value feeds.
#[derive(Clone, Debug, Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    /// The fingerprint of a value.
    pub(super) fn fingerprint(&mut self, value: &impl Hash) -> u128 {
        self.0.clear();
        value.hash(self);
        xxh3_128(&self.0)
    }
}

macro_rules! collected {
    ($($write:ident: $number:ty;)*) => {
        $(
            #[inline]
            fn $write(&mut self, number: $number) {
                self.0.extend_from_slice(&number.to_le_bytes());
            }
        )*
    };
}

impl Hasher for Bytes {
    fn finish(&self) -> u64 {
        xxh3_128(&self.0) as u64
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    collected! {
        write_u8: u8;
        write_u16: u16;
        write_u32: u32;
        write_u64: u64;
        write_u128: u128;
        write_usize: usize;
        write_i8: i8;
        write_i16: i16;
        write_i32: i32;
        write_i64: i64;
        write_i128: i128;
        write_isize: isize;
    }
}

/// Room for the bytes of a row of numbers; what a longer row has left there stays.
#[derive(Clone, Debug, Default)]
pub(super) struct Row(Vec<u8>);

impl Row {
    /// The fingerprint of some numbers, of which there are at most `n_max`.
    #[inline]
    pub(super) fn fingerprint(
        &mut self,
        numbers: impl Iterator<Item = u32>,
        n_max: usize,
        seed: u64,
    ) -> u128 {
        if self.0.len() < 4 * n_max {
            self.0.resize(4 * n_max, 0);
        }
        let mut n = 0;
        for (slot, number) in self.0.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
            *slot = number.to_le_bytes();
            n += 1;
        }
        xxh3_128_with_seed(&self.0[..4 * n], seed)
    }
}
