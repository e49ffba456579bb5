//! Durations after ISO 8601, which Flink 2 takes beside its own: `PT1M30S`.
//!
//! Source: `java.time.Duration.parse`.

use crate::load::durations::java_trim;

/// The nanoseconds of `P1DT2H3M4.5S`; nothing if it is not written so, or if
/// it is less than nothing.
pub(super) fn nanos(text: &str) -> Option<u128> {
    let text = java_trim(text).to_ascii_uppercase();
    let body = text.strip_prefix('+').unwrap_or(&text).strip_prefix('P')?;
    let (days, clock) = match body.split_once('T') {
        Some((_, "")) => return None,
        Some((days, clock)) => (days, clock),
        None => (body, ""),
    };
    if body.is_empty() {
        return None;
    }
    let mut total = 0;
    if !days.is_empty() {
        total += parts(days, &[('D', 86_400_000_000_000)])?;
    }
    total +=
        parts(clock, &[('H', 3_600_000_000_000), ('M', 60_000_000_000), ('S', 1_000_000_000)])?;
    (total / 1_000_000_000 <= i64::MAX as u128).then_some(total)
}

/// Numbers with their units, each unit at most once and in this order.
fn parts(mut text: &str, units: &[(char, u128)]) -> Option<u128> {
    let mut total = 0_u128;
    for (unit, nanos) in units {
        let Some((number, rest)) = text.split_once(*unit) else { continue };
        total += part(number, *unit == 'S', *nanos)?;
        text = rest;
    }
    text.is_empty().then_some(total)
}

fn part(number: &str, may_have_fraction: bool, nanos: u128) -> Option<u128> {
    let number = number.strip_prefix('+').unwrap_or(number);
    let (whole, fraction) = match number.split_once(['.', ',']) {
        Some((whole, fraction)) if may_have_fraction => (whole, fraction),
        Some(_) => return None,
        None => (number, ""),
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 19 || fraction.len() > 9 {
        return None;
    }
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let small: u128 = format!("{fraction:0<9}").parse().ok()?;
    whole.parse::<u128>().ok()?.checked_mul(nanos).map(|large| large + small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_durations_are_read_as_java_reads_them() {
        const S: u128 = 1_000_000_000;
        for (text, expected) in [
            ("PT1M", 60 * S),
            ("pt1m30s", 90 * S),
            ("P1D", 86_400 * S),
            ("P1DT2H3M4.5S", 93_784 * S + S / 2),
            ("PT0.000000001S", 1),
            ("+PT+10S", 10 * S),
        ] {
            assert_eq!(nanos(text), Some(expected), "{text}");
        }
        for text in ["P", "PT", "1M", "PT1", "P1Y", "PT1S1M", "PT1.5M", "PTS", "PT-1M", "", "PT1M "]
        {
            assert_eq!(nanos(text).is_some(), text == "PT1M ", "{text}");
        }
    }
}
