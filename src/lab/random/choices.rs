//! Random choices. The same seed always makes the same ones, on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Random choices.
#[derive(Clone, Debug)]
pub(super) struct Choices(ChaCha8Rng);

impl Choices {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A whole number from `from` to `to`, both included.
    pub(super) fn number(&mut self, from: u64, to: u64) -> u64 {
        from + self.0.next_u64() % (to - from + 1)
    }

    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.number(1, 100) <= percent
    }

    pub(super) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.number(0, of.len() as u64 - 1) as usize]
    }

    /// A delay of at most so many milliseconds.
    pub(super) fn delay(&mut self, most: u64) -> Value {
        match self.number(0, 2) {
            0 => json!(self.number(0, most)),
            1 => {
                let min = self.number(0, most);
                json!({ "min": min, "max": self.number(min, most) })
            }
            _ => json!((0..self.number(1, 5)).map(|_| self.number(0, most)).collect::<Vec<_>>()),
        }
    }
}
