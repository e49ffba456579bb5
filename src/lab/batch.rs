//! What makes a batch, and the seeds of its cases.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::mix;

/// A number of cases that follow from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// What the cases are: a word like `fuzz`.
    pub what: String,
    /// Where chance begins.
    pub seed: u64,
    /// How many there are.
    pub cases: u64,
    /// What else decides what they are, the same for all shards.
    pub settings: Value,
}

impl Batch {
    /// The seed of a case. It depends on the batch's seed and the case's number
    /// and on nothing else: not on how many cases there are, and not on who
    /// runs it.
    #[must_use]
    pub fn seed_of(&self, case: u64) -> u64 {
        // Two rounds, so that case 1 of seed 0 is not case 0 of seed 1.
        mix(mix(self.seed).wrapping_add(case))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn batch(seed: u64, cases: u64) -> Batch {
        Batch { what: "test".to_owned(), seed, cases, settings: Value::Null }
    }

    #[test]
    fn the_seed_of_a_case_does_not_depend_on_how_many_there_are() {
        assert_eq!(batch(7, 10).seed_of(3), batch(7, 10_000).seed_of(3));
    }

    #[test]
    fn no_two_of_a_million_cases_of_neighbouring_seeds_have_the_same_seed() {
        let seeds = (0..10).flat_map(|seed| (0..100_000).map(move |case| (seed, case)));
        let seeds: BTreeSet<u64> = seeds.map(|(seed, case)| batch(seed, 1).seed_of(case)).collect();
        assert_eq!(seeds.len(), 1_000_000);
    }
}
