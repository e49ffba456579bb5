//! Sizes for people: "640 B", "1.5 MB". A unit is 1024 of the one before, as
//! in Flink's web interface.

use std::fmt;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];

/// With one digit behind the point, rounded, where it is not whole; the space
/// does not break.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fitting = (0..UNITS.len()).rev().find(|unit| self.0 >> (10 * unit) > 0);
        let unit = fitting.unwrap_or(0);
        let tenths = (u128::from(self.0) * 10 + (1 << (10 * unit) >> 1)) >> (10 * unit);
        let (whole, tenth) = (tenths / 10, tenths % 10);
        match tenth {
            0 => write!(f, "{whole}\u{a0}{}", UNITS[unit]),
            _ => write!(f, "{whole}.{tenth}\u{a0}{}", UNITS[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_the_largest_unit_that_it_reaches() {
        let cases = [
            (0, "0 B"),
            (640, "640 B"),
            (1024, "1 KB"),
            (1536, "1.5 KB"),
            (6 << 20, "6 MB"),
            ((5 << 20) + 1, "5 MB"),
            (u64::MAX, "16777216 TB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(Size(bytes).to_string().replace('\u{a0}', " "), text);
        }
    }
}
