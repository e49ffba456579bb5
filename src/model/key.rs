//! Keys, key groups and who is responsible for them.
//!
//! Source: Flink `KeyGroupRangeAssignment`, `MathUtils.murmurHash`; Java's
//! `hashCode` of Boolean, Integer, Long and String.

use std::sync::Arc;

use super::value::Value;

/// The key of a record, of the Java type that Flink would hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `Boolean`: whether the value is odd.
    Bool(bool),
    /// `Integer`: the value modulo some number.
    Int(i32),
    /// `Long`: the value itself.
    Long(i64),
    /// `String` of one letter: the value itself.
    Letter(char),
    /// `String`: an entry of the selector's list of names.
    Name(u16),
}

/// How a keyed operator finds a record's key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeySelector {
    /// Odd or even, as the boolean "is odd": false goes to key group 0's side
    /// with two subtasks, true to the other.
    Parity,
    /// The remainder by a number from 1 to 65536, as an `Integer`; never
    /// negative.
    Modulo(i32),
    /// The value itself.
    Value,
    /// The name at the place "value modulo number of names", as a `String`.
    Names(Arc<[String]>),
}

impl KeySelector {
    /// The key of a value.
    #[inline]
    #[must_use]
    pub fn key(&self, value: Value) -> Key {
        match (self, value) {
            (Self::Value, Value::Number(number)) => Key::Long(number),
            (Self::Value, Value::Letter(letter)) => Key::Letter(letter),
            (Self::Parity, _) => Key::Bool(value.number() & 1 == 1),
            (Self::Modulo(modulus), _) => Key::Int(remainder(value, *modulus as usize) as i32),
            (Self::Names(names), _) => Key::Name(remainder(value, names.len()) as u16),
        }
    }

    /// The place of a value's key among the bounded keys: what
    /// [`KeySelector::position`] says of [`KeySelector::key`]. None where the
    /// selector does not bound its keys.
    #[inline(always)]
    #[must_use]
    pub fn place(&self, value: Value) -> Option<usize> {
        match self {
            Self::Parity => Some((value.number() & 1) as usize),
            Self::Modulo(modulus) => Some(remainder(value, *modulus as usize)),
            Self::Names(names) => Some(remainder(value, names.len())),
            Self::Value => None,
        }
    }

    /// How many keys there can be, if the selector itself bounds them: then
    /// [`KeySelector::position`] numbers them from 0.
    #[must_use]
    pub fn n_keys(&self) -> Option<usize> {
        match self {
            Self::Parity => Some(2),
            Self::Modulo(modulus) => Some(*modulus as usize),
            Self::Names(names) => Some(names.len()),
            Self::Value => None,
        }
    }

    /// The place of a key among the bounded keys of a selector.
    ///
    /// # Panics
    /// When the selector does not bound its keys.
    #[inline]
    #[must_use]
    pub fn position(key: Key) -> usize {
        match key {
            Key::Bool(odd) => usize::from(odd),
            Key::Int(number) => number as usize,
            Key::Name(place) => usize::from(place),
            Key::Long(_) | Key::Letter(_) => {
                panic!("a key by value has no place in a bounded table")
            }
        }
    }

    /// The bounded key at a place: the inverse of [`KeySelector::position`].
    ///
    /// # Panics
    /// When the selector does not bound its keys.
    #[inline]
    #[must_use]
    pub fn key_at(&self, position: usize) -> Key {
        match self {
            Self::Parity => Key::Bool(position == 1),
            Self::Modulo(_) => Key::Int(position as i32),
            Self::Names(_) => Key::Name(position as u16),
            Self::Value => panic!("a key by value has no place in a bounded table"),
        }
    }

    /// The key as people and traces write it: `odd`, `7`, a name, a letter.
    #[must_use]
    pub fn text(&self, key: Key) -> String {
        match (key, self) {
            (Key::Bool(odd), _) => if odd { "odd" } else { "even" }.to_owned(),
            (Key::Int(number), _) => number.to_string(),
            (Key::Long(number), _) => number.to_string(),
            (Key::Letter(letter), _) => letter.to_string(),
            (Key::Name(place), Self::Names(names)) => names[usize::from(place)].clone(),
            (Key::Name(place), _) => place.to_string(),
        }
    }

    /// Java's `hashCode` of a key.
    #[must_use]
    pub fn hash_code(&self, key: Key) -> i32 {
        match (key, self) {
            (Key::Bool(true), _) => 1231,
            (Key::Bool(false), _) => 1237,
            (Key::Int(number), _) => number,
            (Key::Long(number), _) => (number ^ (number as u64 >> 32) as i64) as i32,
            (Key::Letter(letter), _) => string_hash_code(letter.encode_utf8(&mut [0; 4])),
            (Key::Name(place), Self::Names(names)) => string_hash_code(&names[usize::from(place)]),
            (Key::Name(place), _) => i32::from(place),
        }
    }
}

/// The remainder of a value by a number that is not 0; never negative. What is
/// not negative itself takes the short way.
#[inline(always)]
fn remainder(value: Value, n: usize) -> usize {
    let number = value.number();
    match usize::try_from(number) {
        Ok(number) => number % n,
        Err(_) => number.rem_euclid(n as i64) as usize,
    }
}

/// Java's `String.hashCode`: the sum of c·31^k over UTF-16 units.
#[must_use]
pub fn string_hash_code(text: &str) -> i32 {
    text.encode_utf16()
        .fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// Flink's murmur hash of a hash code; never negative.
///
/// Source: Flink `MathUtils.murmurHash`.
#[must_use]
pub fn murmur_hash(code: i32) -> i32 {
    let mut hash =
        (code as u32).wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64) ^ 4;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    let hash = (hash ^ hash >> 16) as i32;
    if hash == i32::MIN { 0 } else { hash.abs() }
}

/// The key group of a hash code.
///
/// Source: Flink `KeyGroupRangeAssignment.assignToKeyGroup`.
#[must_use]
pub fn key_group(hash_code: i32, max_parallelism: u32) -> u32 {
    murmur_hash(hash_code) as u32 % max_parallelism
}

/// The subtask that owns a key group.
///
/// Source: Flink `KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup`.
#[must_use]
pub fn key_group_owner(group: u32, parallelism: u32, max_parallelism: u32) -> u32 {
    group * parallelism / max_parallelism
}

/// The maximum parallelism that Flink chooses for a parallelism: the next power
/// of two above 1.5 times it, from 128 to 32768.
///
/// Source: Flink `KeyGroupRangeAssignment.computeDefaultMaxParallelism`.
#[must_use]
pub fn default_max_parallelism(parallelism: u32) -> u32 {
    (parallelism + parallelism / 2).next_power_of_two().clamp(128, 32768)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a run of Flink 1.20.3: hash code, murmur hash, key group of 128,
    /// subtask of 2.
    #[test]
    fn key_groups_are_those_of_the_real_flink() {
        let rows = [
            (-3, 1_917_716_652, 44, 0),
            (-2, 1_087_594_050, 66, 1),
            (-1, 1_982_413_648, 80, 1),
            (0, 593_689_054, 94, 1),
            (1, 68_075_478, 86, 1),
            (4, 1_889_779_975, 7, 0),
            (7, 1_343_918_321, 113, 1),
        ];
        for (code, murmur, group, subtask) in rows {
            assert_eq!(murmur_hash(code), murmur, "murmur of {code}");
            assert_eq!(key_group(code, 128), group, "key group of {code}");
            assert_eq!(key_group_owner(group, 2, 128), subtask, "subtask of {code}");
        }
    }

    /// What Flink 1.20.3 does with two natural ways to write parity.
    #[test]
    fn parity_as_a_boolean_splits_and_as_a_number_or_a_word_does_not() {
        let owner = |code| key_group_owner(key_group(code, 128), 2, 128);
        let boolean = KeySelector::Parity;
        assert_eq!(owner(boolean.hash_code(Key::Bool(false))), 0);
        assert_eq!(owner(boolean.hash_code(Key::Bool(true))), 1);
        assert_eq!([owner(0), owner(1)], [1, 1]);
        assert_eq!([owner(string_hash_code("odd")), owner(string_hash_code("even"))], [1, 1]);
        assert_eq!([owner(string_hash_code("奇")), owner(string_hash_code("偶"))], [0, 0]);
        assert_ne!(owner(string_hash_code("奇数")), owner(string_hash_code("偶数")));
    }

    #[test]
    fn the_place_of_a_value_is_the_position_of_its_key() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let selectors =
            [KeySelector::Parity, KeySelector::Modulo(7), KeySelector::Names(Arc::new(names))];
        for selector in selectors {
            for number in [i64::MIN, -8, -7, -1, 0, 1, 6, 7, 1 << 40, i64::MAX] {
                let value = Value::Number(number);
                let place = selector.place(value).expect("its keys are bounded");
                assert_eq!(place, KeySelector::position(selector.key(value)), "{number}");
                assert_eq!(selector.key_at(place), selector.key(value), "{number}");
                let n_keys = selector.n_keys().expect("its keys are bounded") as i64;
                assert_eq!(place as i64, number.rem_euclid(n_keys), "{number}");
            }
        }
        assert_eq!(KeySelector::Value.place(Value::Number(1)), None);
    }

    #[test]
    fn default_maximum_parallelism_is_that_of_the_real_flink() {
        for (parallelism, max) in
            [(1, 128), (84, 128), (86, 256), (171, 256), (172, 512), (5000, 8192)]
        {
            assert_eq!(default_max_parallelism(parallelism), max, "parallelism {parallelism}");
        }
    }
}
