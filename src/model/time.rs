//! Virtual time and delays. A delay says what may come out; which number does
//! is drawn elsewhere (`sim::dice`).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A point of virtual time, in microseconds since the start of the run.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Time(pub u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// The end of time: about 8.9 years. The event queue keeps time and lane
    /// in one 64-bit key, which leaves 48 bits for the time.
    pub const MAX: Self = Self((1 << 48) - 1);

    /// This time plus a duration, at most [`Time::MAX`].
    #[inline]
    #[must_use]
    pub fn after(self, duration: Micros) -> Self {
        Self(self.0.saturating_add(duration.0).min(Self::MAX.0))
    }
}

/// A length of virtual time, in microseconds.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Micros(pub u64);

impl Micros {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A number of milliseconds, the unit of Flink's settings.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms.saturating_mul(1000))
    }
}

/// Written as people do, in the largest unit that loses nothing: `10 s`,
/// `1500 µs`, `0 ms`.
impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 4] =
            [(3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1000, "ms")];
        if self.0 == 0 {
            return f.write_str("0 ms");
        }
        match UNITS.iter().find(|(unit, _)| self.0.is_multiple_of(*unit)) {
            Some((unit, name)) => write!(f, "{} {name}", self.0 / unit),
            None => write!(f, "{} µs", self.0),
        }
    }
}

/// The time since the start, as people write it.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Micros(self.0).fmt(f)
    }
}

/// How long something takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Delay {
    /// Always the same.
    Fixed(Micros),
    /// Any whole number of microseconds from `min` to `max`, both included,
    /// equally likely.
    Uniform {
        /// Shortest.
        min: Micros,
        /// Longest, not less than `min`.
        max: Micros,
    },
    /// One for each use, in order, from the start of an attempt; the last one
    /// is repeated. Never empty; shared by all that take it.
    List(Arc<[Micros]>),
}

impl Delay {
    /// Takes no time.
    pub const NONE: Self = Self::Fixed(Micros::ZERO);

    /// Whether it never takes any time, so that no event needs to wait for it.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Fixed(micros) => *micros == Micros::ZERO,
            Self::Uniform { max, .. } => *max == Micros::ZERO,
            Self::List(list) => list.iter().all(|micros| *micros == Micros::ZERO),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_in_the_largest_exact_unit() {
        let cases = [
            (0, "0 ms"),
            (1, "1 µs"),
            (1500, "1500 µs"),
            (2000, "2 ms"),
            (10_000_000, "10 s"),
            (90_000_000, "90 s"),
            (120_000_000, "2 min"),
            (3_600_000_000, "1 h"),
        ];
        for (micros, text) in cases {
            assert_eq!(Micros(micros).to_string(), text);
        }
    }

    #[test]
    fn time_never_leaves_the_48_bits_of_the_queue_key() {
        assert_eq!(Time::MAX.after(Micros(1)), Time::MAX);
        assert_eq!(Time(5).after(Micros(u64::MAX)), Time::MAX);
    }
}
