//! Axes: round steps, and numbers as people write them.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// One axis: where it begins and ends, and its marks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Where they are, and what they say.
    pub(super) marks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0, or from less, up to at least a number, in at most so many round
    /// steps.
    pub(super) fn to(largest: f64, n_steps: usize) -> Self {
        let step = round_step(largest.max(f64::MIN_POSITIVE), n_steps);
        let n = (largest / step).ceil().max(1.0);
        Self::marked((0.0, n * step), step)
    }

    /// From a number to another, as they are, with marks at round places.
    pub(super) fn between(from: f64, to: f64, n_steps: usize) -> Self {
        let to = if to > from { to } else { from + 1.0 };
        Self::marked((from, to), round_step(to - from, n_steps))
    }

    /// The same for what is counted: no marks between whole numbers.
    pub(super) fn to_count(largest: f64, n_steps: usize) -> Self {
        Self::to(largest.max(n_steps as f64), n_steps)
    }

    /// Around numbers that are far from 0: from a round number to another.
    pub(super) fn around((low, high): (f64, f64), n_steps: usize) -> Self {
        let step = round_step((high - low).max(high.abs() * 1e-6), n_steps);
        Self::marked(((low / step).floor() * step, (high / step).ceil() * step), step)
    }

    /// Values at equal distances, each with its text.
    pub(super) fn of_values(texts: Vec<String>) -> Self {
        let last = texts.len().saturating_sub(1) as f64;
        let marks = texts.into_iter().enumerate().map(|(n, text)| (n as f64, text)).collect();
        Self { from: -0.5, to: last + 0.5, marks }
    }

    fn marked((from, to): (f64, f64), step: f64) -> Self {
        let first = (from / step - 1e-9).ceil() as i64;
        let last = (to / step + 1e-9).floor() as i64;
        let decimals = decimals(step);
        let mark = |n: i64| (n as f64 * step, number(n as f64 * step, decimals));
        Self { from, to, marks: (first..=last).map(mark).collect() }
    }

    /// What the mark at a place says.
    fn text(&self, place: f64) -> String {
        let distance = |mark: &&(f64, String)| (mark.0 - place).abs();
        let near = self.marks.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        near.map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.from) / (self.to - self.from);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    /// Always all of its marks.
    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.marks.iter().map(|(place, _)| *place).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        number(*value, 0)
    }

    fn format_ext(&self, value: &f64) -> String {
        self.text(*value)
    }
}

/// The smallest round step of which at most so many make a length.
fn round_step(length: f64, n_max: usize) -> f64 {
    let mut power = 1.0_f64;
    while power * (n_max as f64) < length {
        power *= 10.0;
    }
    while power / 10.0 * (n_max as f64) >= length {
        power /= 10.0;
    }
    let enough = |factor: &f64| power / 10.0 * factor * (n_max as f64) >= length * (1.0 - 1e-9);
    [2.0, 5.0].into_iter().find(enough).map_or(power, |factor| power / 10.0 * factor)
}

/// How many places after the point a multiple of a step needs.
fn decimals(step: f64) -> usize {
    let mut step = step;
    let mut n = 0;
    while n < 6 && (step - step.round()).abs() > 1e-6 * step {
        step *= 10.0;
        n += 1;
    }
    n
}

/// A number with so many places after the point, and its thousands apart.
pub(super) fn number(number: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", number.abs());
    let (whole, rest) = match text.split_once('.') {
        Some((whole, rest)) => (whole, format!(".{rest}")),
        None => (text.as_str(), String::new()),
    };
    let mut apart = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && whole.len() > 4 && (whole.len() - place).is_multiple_of(3) {
            apart.push('\u{a0}');
        }
        apart.push(digit);
    }
    let is_zero = text.chars().all(|sign| sign == '0' || sign == '.');
    let sign = if number < 0.0 && !is_zero { "-" } else { "" };
    format!("{sign}{apart}{rest}")
}

/// A unit, and how many of the smallest one it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) size: f64,
}

impl Unit {
    /// The unit of time in which a length is best said.
    pub(super) fn of_time(longest_micros: f64) -> Self {
        const UNITS: [Unit; 5] = [
            Unit { name: "h", size: 3.6e9 },
            Unit { name: "min", size: 6e7 },
            Unit { name: "s", size: 1e6 },
            Unit { name: "ms", size: 1e3 },
            Unit { name: "µs", size: 1.0 },
        ];
        let fits = |unit: &Self| longest_micros >= 2.0 * unit.size;
        UNITS.into_iter().find(fits).unwrap_or(UNITS[4])
    }

    /// The unit in which a number of bytes is best said.
    pub(super) fn of_bytes(most: f64) -> Self {
        const UNITS: [Unit; 4] = [
            Unit { name: "GiB", size: 1_073_741_824.0 },
            Unit { name: "MiB", size: 1_048_576.0 },
            Unit { name: "KiB", size: 1024.0 },
            Unit { name: "B", size: 1.0 },
        ];
        let fits = |unit: &Self| most >= 2.0 * unit.size;
        UNITS.into_iter().find(fits).unwrap_or(UNITS[3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.marks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn an_axis_ends_at_a_round_number_above_the_largest() {
        assert_eq!(texts(&Axis::to(93.0, 5)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(&Axis::to(0.31, 4)), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(texts(&Axis::to(1.0, 4)), ["0.0", "0.5", "1.0"]);
        assert_eq!(texts(&Axis::to(4.0, 4)), ["0", "1", "2", "3", "4"]);
        assert_eq!(texts(&Axis::to(12_345.0, 3)), ["0", "5000", "10\u{a0}000", "15\u{a0}000"]);
    }

    #[test]
    fn marks_between_two_numbers_are_round() {
        let axis = Axis::between(12.0, 88.0, 5);
        assert_eq!((axis.from, axis.to), (12.0, 88.0));
        assert_eq!(texts(&axis), ["20", "40", "60", "80"]);
        assert_eq!(axis.text(40.1), "40");
    }

    #[test]
    fn units_are_such_that_the_largest_is_at_least_two_of_them() {
        let cases = [(1.0, "µs"), (2500.0, "ms"), (1.5e6, "ms"), (2e6, "s"), (1.2e10, "h")];
        for (micros, name) in cases {
            assert_eq!(Unit::of_time(micros).name, name);
        }
        assert_eq!((Unit::of_bytes(800.0).name, Unit::of_bytes(80_000.0).name), ("B", "KiB"));
    }

    #[test]
    fn numbers_keep_their_thousands_apart() {
        let cases = [(0.0, 0, "0"), (1234.0, 0, "1234"), (-0.04, 1, "0.0"), (-2.5, 1, "-2.5")];
        for (value, decimals, text) in cases {
            assert_eq!(number(value, decimals), text);
        }
        assert_eq!(number(1_234_567.0, 0), "1\u{a0}234\u{a0}567");
    }
}
