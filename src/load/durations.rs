//! Durations as Flink writes them: a whole number and a unit.
//!
//! Source: Flink `TimeUtils.parseDuration`.

use std::ops::Range;

use jsonc_parser::ast::Value;

use super::diagnostic::Diagnostic;
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Quoted, whole_number};
use super::words::quote;
use crate::model::{Micros, Time};

/// Nanoseconds of each unit, and every way to write it.
// Flink 1.20: TimeUtils.TimeUnit
const UNITS: [(u128, &[&str]); 7] = [
    (86_400_000_000_000, &["d", "day", "days"]),
    (3_600_000_000_000, &["h", "hour", "hours"]),
    (60_000_000_000, &["min", "m", "minute", "minutes"]),
    (1_000_000_000, &["s", "sec", "secs", "second", "seconds"]),
    (1_000_000, &["ms", "milli", "millis", "millisecond", "milliseconds"]),
    (1000, &["µs", "micro", "micros", "microsecond", "microseconds"]),
    (1, &["ns", "nano", "nanos", "nanosecond", "nanoseconds"]),
];

/// What keyboards offer for µs, read where a scenario's own delays are written
/// and nowhere else: Flink does not know it.
const US: [&str; 2] = ["us", "μs"];

/// What to write instead.
const HELP: &str = "write a whole number and a unit: \"10 s\", \"500 ms\", \"2 min\". \
                    Flink's units: ms, s, min, h, d";

/// Why a text is not a duration, with the part of it in question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It does not begin with a digit.
    NoNumber,
    /// It is less than nothing.
    Negative,
    /// What follows the number is no unit.
    Unit { unit: Range<usize>, readable: Option<(Range<usize>, Micros)> },
    /// It has a decimal point; what it would be in whole units.
    Decimal { meant: Option<Micros> },
    /// It is longer than all time.
    TooLong,
    /// It is finer than a microsecond.
    TooFine { below: Micros },
}

/// Reads a duration of a scenario.
pub(super) fn parse(text: &str) -> Result<Micros, Flaw> {
    in_micros(nanos_in(text, unit)?)
}

/// Reads a duration in nanoseconds as Flink does.
// Flink 1.20: TimeUtils.parseDuration
pub(super) fn flink_nanos(text: &str) -> Result<u128, Flaw> {
    let nanos = nanos_in(text, flink_unit)?;
    // Whoever asks for the milliseconds gets Java's long.
    if nanos / 1_000_000 > i64::MAX as u128 { Err(Flaw::TooLong) } else { Ok(nanos) }
}

fn nanos_in(text: &str, unit: fn(&str) -> Option<u128>) -> Result<u128, Flaw> {
    let body = java_trim(text);
    let start = body.as_ptr() as usize - text.as_ptr() as usize;
    if body.starts_with('-') && body[1..].trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Flaw::Negative);
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err(Flaw::NoNumber);
    }
    let rest = java_trim(&body[digits..]);
    let unit_start = start + body.len() - rest.len();
    if rest.starts_with('.') {
        return Err(Flaw::Decimal { meant: decimal(body) });
    }
    match unit(rest) {
        Some(unit) => in_units(&body[..digits], unit),
        None => Err(unknown_unit(text, start, digits, unit_start..start + body.len())),
    }
}

/// A text without what Java calls white space at its ends.
// Java: String.trim
pub(super) fn java_trim(text: &str) -> &str {
    text.trim_matches(|sign: char| sign <= ' ')
}

fn in_units(digits: &str, unit: u128) -> Result<u128, Flaw> {
    whole_number(digits)
        .and_then(|number| u128::try_from(number).ok())
        .filter(|number| *number <= i64::MAX as u128)
        .and_then(|number| number.checked_mul(unit))
        .ok_or(Flaw::TooLong)
}

fn in_micros(nanos: u128) -> Result<Micros, Flaw> {
    if nanos / 1000 > u128::from(Time::MAX.0) {
        return Err(Flaw::TooLong);
    }
    let micros = Micros((nanos / 1000) as u64);
    if nanos.is_multiple_of(1000) { Ok(micros) } else { Err(Flaw::TooFine { below: micros }) }
}

/// Nanoseconds of a unit in a scenario.
fn unit(word: &str) -> Option<u128> {
    if US.contains(&word.to_lowercase().as_str()) { Some(1000) } else { flink_unit(word) }
}

/// Nanoseconds of a unit of Flink's; no unit is milliseconds.
fn flink_unit(word: &str) -> Option<u128> {
    let word = if word.is_empty() { "ms" } else { word };
    // Longer than any unit, and so not worth changing to small letters.
    if word.len() > 20 {
        return None;
    }
    let word = word.to_lowercase();
    UNITS.iter().find(|(_, names)| names.contains(&word.as_str())).map(|(nanos, _)| *nanos)
}

/// What comes after the number is no unit; but perhaps it begins with one.
fn unknown_unit(text: &str, start: usize, digits: usize, unit_range: Range<usize>) -> Flaw {
    let rest = &text[unit_range.clone()];
    let letters = rest.find(|sign: char| !sign.is_alphabetic()).unwrap_or(rest.len());
    let word = &rest[..letters];
    let readable = unit(word)
        .filter(|_| !word.is_empty())
        .and_then(|unit| in_micros(in_units(&text[start..start + digits], unit).ok()?).ok());
    let Some(micros) = readable else { return Flaw::Unit { unit: unit_range, readable: None } };
    let end = unit_range.start + letters;
    let left_over = text[end..].len() - text[end..].trim_start().len() + end;
    Flaw::Unit { unit: left_over..unit_range.end, readable: Some((start..end, micros)) }
}

/// A decimal fraction of a unit in whole microseconds, if it has that many.
fn decimal(body: &str) -> Option<Micros> {
    let number = body.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(body.len());
    let (whole, fraction) = body[..number].split_once('.')?;
    let nanos = unit(body[number..].trim_start())?;
    if fraction.is_empty() || fraction.len() > 9 || whole.len() > 15 || fraction.contains('.') {
        return None;
    }
    let scaled: u128 = format!("{whole}{fraction}").parse().ok()?;
    let nanos = scaled * nanos / 10_u128.pow(fraction.len() as u32);
    let micros = u64::try_from(nanos / 1000).ok().filter(|micros| *micros <= Time::MAX.0)?;
    (nanos.is_multiple_of(1000) && micros > 0).then_some(Micros(micros))
}

impl Problems {
    /// A duration: a number of milliseconds or a text. `what` says whose, for
    /// values of other types.
    pub(super) fn duration(&mut self, value: &Value<'_>, what: &str) -> Option<Micros> {
        match value {
            Value::StringLit(literal) => {
                let quoted = Quoted::of(literal);
                match parse(quoted.text) {
                    Ok(micros) => Some(micros),
                    Err(flaw) => {
                        let problem = flawed(&quoted, &flaw);
                        self.add(problem);
                        None
                    }
                }
            }
            Value::NumberLit(literal) => match parse(literal.value) {
                Ok(micros) => Some(micros),
                Err(flaw) => {
                    let range = range_of(value);
                    // Without quotation marks there are no parts to point at.
                    let quoted = Quoted { text: literal.value, range };
                    let problem = flawed(&quoted, &flaw);
                    self.add(problem);
                    None
                }
            },
            _ => {
                self.wrong_type(value, what, "a duration as \"10 s\"");
                None
            }
        }
    }
}

/// What is to be said of a text that is no duration.
pub(super) fn flawed(quoted: &Quoted<'_>, flaw: &Flaw) -> Diagnostic {
    let (written, whole) = (quote(quoted.text), quoted.range.clone());
    let not_a_duration =
        || Diagnostic::error("not-a-duration", format!("{written} is not a duration"));
    match flaw {
        Flaw::NoNumber => {
            not_a_duration().at(whole, "a duration begins with a whole number").help(HELP)
        }
        Flaw::Negative => {
            let message = format!("{written} is less than no time at all");
            Diagnostic::error("negative-duration", message)
                .at(whole, "negative")
                .help("durations and times are 0 or more")
        }
        Flaw::Unit { unit, readable: None } => {
            not_a_duration().at(quoted.part(unit.clone()), "this is no unit of time").help(HELP)
        }
        Flaw::Unit { unit, readable: Some((readable, micros)) } => not_a_duration()
            .at(quoted.part(readable.clone()), format!("this much reads as {micros}"))
            .at(quoted.part(unit.clone()), "unexpected text")
            .help(HELP),
        Flaw::Decimal { meant } => {
            let meant = meant.map(|micros| micros.to_string());
            not_a_duration().at(whole, "decimals are not read").did_you_mean(meant).help(HELP)
        }
        Flaw::TooLong => {
            let message = format!("{written} is longer than a run can last");
            Diagnostic::error("duration-overflow", message)
                .at(whole, "too long")
                .help(format!("time ends after {} µs, which is almost 9 years", Time::MAX.0))
        }
        Flaw::TooFine { below } => {
            let message = format!("{written} is finer than a microsecond, the grain of time");
            let meant = if below.0 == 0 { Micros(1) } else { *below };
            Diagnostic::error("duration-too-fine", message)
                .at(whole, "not a whole number of microseconds")
                .did_you_mean(Some(meant.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Flink 1.20.3 answers, in ms; and what its units are called.
    #[test]
    fn durations_are_read_as_flink_reads_them() {
        for (text, ms) in [
            ("1min", 60_000),
            ("1 m", 60_000),
            ("90s", 90_000),
            ("1000", 1000),
            ("1 h", 3_600_000),
            ("1 d", 86_400_000),
            ("1 MIN", 60_000),
            (" 10 ms ", 10),
            ("2 days", 172_800_000),
            ("3 secs", 3000),
            ("4 milliseconds", 4),
            ("5000 µs", 5),
            ("5000 micros", 5),
            ("6000000 ns", 6),
            ("0", 0),
        ] {
            assert_eq!(parse(text), Ok(Micros::from_ms(ms)), "{text}");
        }
    }

    #[test]
    fn what_flink_refuses_is_refused() {
        assert_eq!(parse("-1 s"), Err(Flaw::Negative));
        for text in ["PT1M", "", "  ", "s", "- s"] {
            assert_eq!(parse(text), Err(Flaw::NoNumber), "{text}");
        }
        assert_eq!(parse("1.5 s"), Err(Flaw::Decimal { meant: Some(Micros(1_500_000)) }));
        assert_eq!(parse("1 parsec"), Err(Flaw::Unit { unit: 2..8, readable: None }));
    }

    #[test]
    fn time_has_a_grain_and_an_end() {
        assert_eq!(parse("10 ns"), Err(Flaw::TooFine { below: Micros(0) }));
        assert_eq!(parse("281474976710655 us"), Ok(Micros(Time::MAX.0)));
        assert_eq!(parse("281474976710656 us"), Err(Flaw::TooLong));
        assert_eq!(parse(&format!("{} d", "9".repeat(40))), Err(Flaw::TooLong));
    }

    #[test]
    fn a_known_unit_with_more_behind_it_is_told_apart() {
        let readable = Some((0..6, Micros(10_000_000)));
        assert_eq!(parse("10 sec onds"), Err(Flaw::Unit { unit: 7..11, readable }));
        let readable = Some((0..4, Micros(10_000_000)));
        assert_eq!(parse("10 s, 5 ms"), Err(Flaw::Unit { unit: 4..10, readable }));
    }
}
