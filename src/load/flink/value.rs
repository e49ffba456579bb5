//! Values as Flink reads them out of text, and as they are shown again.
//!
//! Source: `ConfigurationUtils.convertValue` and what it calls.

use std::fmt;

use super::memory::{self, MemoryFlaw};
use super::option::{Bounds, EnumKind, Kind};
use super::release::Release;
use super::{iso_duration, java};
use crate::load::durations::{Flaw, flink_nanos};

/// What an option is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A time in nanoseconds.
    Duration(u128),
    /// A size in bytes.
    Memory(u64),
    /// A whole number.
    Whole(i64),
    /// A fraction.
    Fraction(f64),
    /// true or false.
    Bool(bool),
    /// A constant of an enumeration.
    Word(&'static str),
    /// A text.
    Text(String),
}

/// Why a text is no value of a kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueFlaw {
    Duration(Flaw),
    Memory(MemoryFlaw),
    /// Neither true nor false.
    Bool,
    /// No whole number, or one that Java's type cannot hold.
    Whole {
        bits: u8,
    },
    /// No number.
    Fraction,
    /// None of the constants.
    Enum(EnumKind),
}

/// Reads a text as a release of Flink reads it.
pub(super) fn parse(kind: Kind, text: &str, release: Release) -> Result<Value, ValueFlaw> {
    match kind {
        Kind::Duration => duration(text, release).map(Value::Duration).map_err(ValueFlaw::Duration),
        Kind::Memory => memory::parse(text).map(Value::Memory).map_err(ValueFlaw::Memory),
        Kind::Int => java::int(text).map(Value::Whole).ok_or(ValueFlaw::Whole { bits: 32 }),
        Kind::Long => java::long(text).map(Value::Whole).ok_or(ValueFlaw::Whole { bits: 64 }),
        Kind::Float => {
            // Java rounds to 32 bits first.
            let narrow = |number: f64| Value::Fraction(f64::from(number as f32));
            java::double(text).map(narrow).ok_or(ValueFlaw::Fraction)
        }
        Kind::Double => java::double(text).map(Value::Fraction).ok_or(ValueFlaw::Fraction),
        Kind::Bool => match text {
            // Flink 1.20: ConfigurationUtils.convertToBoolean
            _ if text.eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
            _ if text.eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
            _ => Err(ValueFlaw::Bool),
        },
        Kind::Enum(kind) => {
            // Flink 1.20: ConfigurationUtils.convertToEnum: any letter case,
            // and underscores only.
            let found = kind.words.iter().find(|word| word.eq_ignore_ascii_case(text));
            found.map(|word| Value::Word(word)).ok_or(ValueFlaw::Enum(kind))
        }
        Kind::Name(_) | Kind::Text => Ok(Value::Text(text.to_owned())),
    }
}

fn duration(text: &str, release: Release) -> Result<u128, Flaw> {
    match (flink_nanos(text), release) {
        // Flink 2: what begins with no digit may be written after ISO 8601.
        (Err(Flaw::NoNumber), Release::V2) => iso_duration::nanos(text).ok_or(Flaw::NoNumber),
        (answer, _) => answer,
    }
}

impl Bounds {
    /// Whether a value is refused, and what would not be.
    pub(super) fn refuse(self, value: &Value) -> Option<Refusal> {
        let ms = value.ms().map(|ms| ms as i128);
        let number = match value {
            Value::Whole(number) => *number as f64,
            Value::Fraction(number) => *number,
            _ => 0.0,
        };
        let (refused, refusal) = match self {
            Self::None => return None,
            Self::LeastMs(least) => (ms < Some(least.into()), Refusal::LeastMs(least)),
            Self::ZeroOrLeastMs(least) => {
                (ms != Some(0) && ms < Some(least.into()), Refusal::ZeroOrLeastMs(least))
            }
            Self::Least(least) => (number < least as f64, Refusal::Least(least)),
            // Not a number is not greater than anything.
            Self::Above(least) => (
                !matches!(number.partial_cmp(&least), Some(std::cmp::Ordering::Greater)),
                Refusal::Above(least),
            ),
            Self::Between(least, most) => {
                (!(least..=most).contains(&number), Refusal::Between(least, most))
            }
        };
        refused.then_some(refusal)
    }
}

/// What a value would have to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// So many ms, or more.
    LeastMs(u64),
    /// 0, or so many ms, or more.
    ZeroOrLeastMs(u64),
    /// This number, or more.
    Least(i64),
    /// More than this number.
    Above(f64),
    /// From this number to that.
    Between(f64, f64),
}

impl Value {
    /// A time in whole milliseconds, as Flink's classes take it.
    #[must_use]
    pub fn ms(&self) -> Option<u64> {
        match self {
            Self::Duration(nanos) => u64::try_from(nanos / 1_000_000).ok(),
            _ => None,
        }
    }

    /// Whether it is true.
    #[must_use]
    pub fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// As JSON: numbers and truth as such, times in ms, sizes in bytes.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Duration(_) => self.ms().into(),
            Self::Memory(bytes) => (*bytes).into(),
            Self::Whole(number) => (*number).into(),
            Self::Fraction(number) if number.is_finite() => (*number).into(),
            Self::Fraction(number) => java::double_text(*number).into(),
            Self::Bool(yes) => (*yes).into(),
            Self::Word(word) => (*word).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }
}

/// As people write it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(nanos) => f.write_str(&duration_text(*nanos)),
            Self::Memory(bytes) => f.write_str(&memory::text(*bytes)),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Fraction(number) => f.write_str(&java::double_text(*number)),
            Self::Bool(yes) => write!(f, "{yes}"),
            Self::Word(word) => f.write_str(word),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A time in the largest unit that divides it.
pub(super) fn duration_text(nanos: u128) -> String {
    const UNITS: [(u128, &str); 7] = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "min"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1000, "µs"),
        (1, "ns"),
    ];
    if nanos == 0 {
        return "0 ms".to_owned();
    }
    let (unit, name) =
        UNITS.into_iter().find(|(unit, _)| nanos.is_multiple_of(*unit)).expect("1 divides all");
    format!("{} {name}", nanos / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_the_largest_unit_that_divides_them() {
        for (ms, text) in [
            (0, "0 ms"),
            (1500, "1500 ms"),
            (90_000, "90 s"),
            (600_000, "10 min"),
            (3_600_000, "1 h"),
            (86_400_000, "1 d"),
        ] {
            assert_eq!(duration_text(ms * 1_000_000), text);
        }
    }

    #[test]
    fn bounds_refuse_what_flink_refuses() {
        let ms = |ms: u128| Value::Duration(ms * 1_000_000);
        assert_eq!(Bounds::LeastMs(10).refuse(&ms(10)), None);
        assert_eq!(Bounds::LeastMs(10).refuse(&ms(9)), Some(Refusal::LeastMs(10)));
        assert_eq!(Bounds::ZeroOrLeastMs(10).refuse(&ms(0)), None);
        assert!(Bounds::ZeroOrLeastMs(10).refuse(&ms(5)).is_some());
        assert!(Bounds::Above(1.0).refuse(&Value::Fraction(f64::NAN)).is_some());
        assert!(Bounds::Above(1.0).refuse(&Value::Fraction(1.0)).is_some());
        assert!(Bounds::Between(0.0, 1.0).refuse(&Value::Fraction(1.0)).is_none());
        assert!(Bounds::Least(1).refuse(&Value::Whole(0)).is_some());
    }
}
