//! Runs as chains of scenes. A chain is named by its first link, and chains
//! that end alike share their ends: a crash of one task and a crash of another
//! lead to the same restart.

use super::table::{Numbers, Table};

/// A scene, the microseconds since the one before it, and the link after it,
/// by number + 1; 0: the run ends here.
type Link = (u32, u64, u32);

/// All links so far.
pub(super) struct Chains(Table<Link>);

impl Chains {
    pub(super) fn new() -> Self {
        Self(Table::new())
    }

    /// The first link of a run, + 1; 0 for an empty one.
    pub(super) fn chain(&mut self, scenes: &[(u32, u64)]) -> u32 {
        scenes
            .iter()
            .rev()
            .fold(0, |next, (scene, passed)| self.0.number((*scene, *passed, next)) + 1)
    }

    /// Each link, the next one as a distance back; the usual one is 1.
    pub(super) fn numbers(&self) -> Numbers {
        let mut numbers = Numbers::default();
        let mut before = 0_i64;
        for (number, (scene, passed, next)) in self.0.values().iter().enumerate() {
            numbers.push_signed(i64::from(*scene) - before);
            before = i64::from(*scene);
            numbers.push(*passed);
            numbers.push(if *next == 0 { 0 } else { number as u64 + 1 - u64::from(*next) });
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_share_their_ends() {
        let mut chains = Chains::new();
        let first = chains.chain(&[(1, 0), (5, 10), (6, 10)]);
        let second = chains.chain(&[(2, 0), (5, 10), (6, 10)]);
        assert_ne!(first, second);
        // Two ends of three links, of which the last two are the same.
        assert_eq!(chains.0.values().len(), 4);
        assert_eq!(chains.chain(&[]), 0);
    }
}
