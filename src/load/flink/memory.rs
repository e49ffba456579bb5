//! Sizes of memory as Flink writes them: a whole number and a unit, which is
//! a power of 1024.
//!
//! Source: Flink `MemorySize.parse`.

use std::ops::Range;

use crate::load::durations::java_trim;

/// Bytes of each unit as a power of two, and every way to write it.
// Flink 1.20: MemorySize.MemoryUnit
const UNITS: [(u32, &[&str]); 5] = [
    (40, &["tb", "t", "tebibytes"]),
    (30, &["gb", "g", "gibibytes"]),
    (20, &["mb", "m", "mebibytes"]),
    (10, &["kb", "k", "kibibytes"]),
    (0, &["b", "bytes"]),
];

/// Why a text is no size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum MemoryFlaw {
    /// It does not begin with a digit.
    NoNumber,
    /// What follows the number is no unit.
    Unit(Range<usize>),
    /// Java's long cannot hold it.
    TooLarge,
}

/// Reads a size in bytes.
pub(in crate::load) fn parse(text: &str) -> Result<u64, MemoryFlaw> {
    let body = java_trim(text);
    let start = body.as_ptr() as usize - text.as_ptr() as usize;
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err(MemoryFlaw::NoNumber);
    }
    let word = java_trim(&body[digits..]);
    let place = start + body.len() - word.len()..start + body.len();
    let shift = power(word).ok_or(MemoryFlaw::Unit(place))?;
    let bytes =
        body[..digits].parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes <= i64::MAX as u64).ok_or(MemoryFlaw::TooLarge)
}

fn power(word: &str) -> Option<u32> {
    if word.is_empty() {
        return Some(0);
    }
    // Longer than any unit, and so not worth changing to small letters.
    if word.len() > 20 {
        return None;
    }
    let word = word.to_lowercase();
    UNITS.iter().find(|(_, names)| names.contains(&word.as_str())).map(|(power, _)| *power)
}

/// A size in the largest unit that divides it.
// Flink 1.20: MemorySize.toString
pub(super) fn text(bytes: u64) -> String {
    let unit = UNITS.iter().find(|(power, _)| bytes > 0 && bytes.is_multiple_of(1 << power));
    match unit {
        Some((power, names)) if *power > 0 => format!("{} {}", bytes >> power, names[0]),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Flink 1.20.3 makes of each, asked by running it.
    #[test]
    fn sizes_are_read_as_flink_reads_them() {
        for (text, bytes) in [
            ("20kb", 20_480),
            ("20 kb", 20_480),
            ("1024", 1024),
            ("1 KB", 1024),
            ("1k", 1024),
            ("1 gb", 1 << 30),
            ("1 tb", 1 << 40),
            ("1 bytes", 1),
            ("1 mebibytes", 1 << 20),
            ("1 M", 1 << 20),
            (" 7 b ", 7),
            ("9223372036854775807", i64::MAX as u64),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["-1", "", "b"] {
            assert_eq!(parse(text), Err(MemoryFlaw::NoNumber), "{text}");
        }
        assert_eq!(parse("1kib"), Err(MemoryFlaw::Unit(1..4)));
        assert_eq!(parse("1.5 mb"), Err(MemoryFlaw::Unit(1..6)));
        for text in ["9223372036854775808", "9007199254740992 kb"] {
            assert_eq!(parse(text), Err(MemoryFlaw::TooLarge), "{text}");
        }
    }

    #[test]
    fn sizes_are_written_as_flink_writes_them() {
        assert_eq!(text(20_480), "20 kb");
        assert_eq!(text(32 << 20), "32 mb");
        assert_eq!(text(1000), "1000 bytes");
        assert_eq!(text(0), "0 bytes");
    }
}
