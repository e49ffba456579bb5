//! Things that are written down once and named by a number ever after, and
//! numbers in as few signs as possible.

use std::collections::BTreeMap;

/// Distinct values, in the order in which they first came.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    numbers: BTreeMap<T, u32>,
    values: Vec<T>,
}

impl<T: Ord + Clone> Table<T> {
    pub(super) fn new() -> Self {
        Self { numbers: BTreeMap::new(), values: Vec::new() }
    }

    /// The number of a value, from 0.
    pub(super) fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).expect("a page holds fewer things");
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    pub(super) fn values(&self) -> &[T] {
        &self.values
    }
}

/// The signs that numbers are written in: none that HTML, JSON or the packing
/// would have to escape.
pub(super) const SIGNS: &[u8; 88] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-./:;=>?@[]^_{|}~";

/// Numbers one after the other, small ones in one sign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers(pub(super) String);

impl Numbers {
    /// Signs of the first half end a number, signs of the second half go on.
    const HALF: u64 = SIGNS.len() as u64 / 2;

    pub(super) fn push(&mut self, number: u64) {
        let mut digits = vec![SIGNS[(number % Self::HALF) as usize]];
        let mut rest = number / Self::HALF;
        while rest > 0 {
            digits.push(SIGNS[(rest % Self::HALF + Self::HALF) as usize]);
            rest /= Self::HALF;
        }
        self.0.extend(digits.iter().rev().map(|digit| char::from(*digit)));
    }

    /// A number that may be below zero.
    pub(super) fn push_signed(&mut self, number: i64) {
        let doubled = number.unsigned_abs() * 2;
        self.push(if number < 0 { doubled - 1 } else { doubled });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_distinct_and_need_no_escape() {
        let mut signs = SIGNS.to_vec();
        signs.sort_unstable();
        signs.dedup();
        assert_eq!(signs.len(), 88);
        assert!(!signs.iter().any(|sign| b"\"\\<&`\n".contains(sign)));
    }

    #[test]
    fn small_numbers_take_one_sign() {
        let mut numbers = Numbers::default();
        for number in [0, 43, 44, 88, 1936] {
            numbers.push(number);
        }
        // 44 = 1·44 + 0, 88 = 2·44 + 0, 1936 = 1·44² + 0·44 + 0.
        let go_on = |digit: usize| char::from(SIGNS[44 + digit]);
        let expected =
            ["0".to_owned(), "h".to_owned(), format!("{}0", go_on(1)), format!("{}0", go_on(2))];
        let last = format!("{}{}0", go_on(1), go_on(0));
        assert_eq!(numbers.0, format!("{}{last}", expected.concat()));
    }

    #[test]
    fn a_table_gives_the_same_number_twice() {
        let mut table = Table::new();
        assert_eq!(["a", "b", "a"].map(|value| table.number(value)), [0, 1, 0]);
        assert_eq!(table.values(), ["a", "b"]);
    }
}
