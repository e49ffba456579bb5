//! What is varied: a key of the scenario, and the values that it takes.
//!
//! `KEY=1,2,5` are these values; `KEY=A..B:STEP` is every STEP from A to B;
//! `KEY=A..B` chooses the steps itself: at most eleven round ones, or, where B
//! is at least twenty times A, 1, 2, 5, 10 and so on.

use std::str::FromStr;

use crate::load;
use crate::model::Micros;

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// As it was written.
    pub key: String,
    /// In order; at least one.
    pub values: Vec<Value>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// For people.
    pub text: String,
    /// As it stands in a scenario file.
    pub json: String,
    /// What it is as a number, if it is one.
    pub number: Option<Number>,
}

/// A number with its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A length of time.
    Time(Micros),
    /// A number of things.
    Plain(u64),
}

impl Number {
    /// Microseconds, or the number.
    #[must_use]
    pub fn value(self) -> u64 {
        match self {
            Self::Time(micros) => micros.0,
            Self::Plain(number) => number,
        }
    }

    fn like(self, value: u64) -> Self {
        match self {
            Self::Time(_) => Self::Time(Micros(value)),
            Self::Plain(_) => Self::Plain(value),
        }
    }

    fn to_value(self) -> Value {
        let text = match self {
            Self::Time(micros) => micros.to_string(),
            Self::Plain(number) => number.to_string(),
        };
        let json = match self {
            Self::Time(_) => format!("\"{text}\""),
            Self::Plain(_) => text.clone(),
        };
        Value { text, json, number: Some(self) }
    }
}

/// Why a text says no variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaryError {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

/// The most values of one key.
const VALUES_MAX: usize = 1000;
/// The most steps that are chosen.
const STEPS_MAX: u64 = 10;
/// From here on values grow by factors.
const WIDE: u64 = 20;

impl FromStr for Vary {
    type Err = VaryError;

    fn from_str(text: &str) -> Result<Self, VaryError> {
        let wrong = |what: String| VaryError {
            what,
            remedy: "KEY=A..B, KEY=A..B:STEP or KEY=A,B,C, as latency=0..50ms".to_owned(),
        };
        let (key, values) =
            text.split_once('=').ok_or_else(|| wrong(format!("`{text}` has no =")))?;
        let key = key.trim().to_owned();
        if key.is_empty() {
            return Err(wrong(format!("`{text}` names no key")));
        }
        let values = match values.split_once("..") {
            Some((from, to)) => range(from, to).map_err(wrong)?,
            None => values.split(',').map(|value| single(value.trim())).collect(),
        };
        if let Some(empty) = values.iter().find(|value| value.text.is_empty()) {
            return Err(wrong(format!("`{text}` has an empty value{}", empty.text)));
        }
        if values.len() > VALUES_MAX {
            let n = values.len();
            return Err(wrong(format!("`{text}` has {n} values, and {VALUES_MAX} are the most")));
        }
        let again = values
            .iter()
            .enumerate()
            .find(|(place, own)| values[..*place].iter().any(|other| other.json == own.json));
        if let Some((_, again)) = again {
            return Err(wrong(format!("`{text}` has the value {} twice", again.text)));
        }
        Ok(Self { key, values })
    }
}

/// A value of a list.
fn single(text: &str) -> Value {
    if let Some(number) = number(text) {
        return number.to_value();
    }
    let json = match text {
        "true" | "false" => text.to_owned(),
        _ => serde_json::to_string(text).expect("a string is JSON"),
    };
    Value { text: text.to_owned(), json, number: None }
}

/// A plain number, or a duration with its unit.
fn number(text: &str) -> Option<Number> {
    if text.bytes().all(|sign| sign.is_ascii_digit()) {
        return text.parse().ok().map(Number::Plain);
    }
    load::duration(text).map(Number::Time)
}

fn range(from: &str, to: &str) -> Result<Vec<Value>, String> {
    let (to, step) = match to.split_once(':') {
        Some((to, step)) => (to, Some(step)),
        None => (to, None),
    };
    let read = |text: &str| {
        number(text.trim()).ok_or_else(|| format!("`{text}` is neither a number nor a duration"))
    };
    let to_number = read(to)?;
    // "0..50ms": the unit stands at the end.
    let with_unit = |text: &str| match (read(text)?, to_number) {
        (Number::Plain(_), Number::Time(_)) => {
            let unit = to.trim().trim_start_matches(|sign: char| sign.is_ascii_digit());
            read(&format!("{}{unit}", text.trim()))
        }
        (Number::Time(_), Number::Plain(_)) => {
            Err(format!("`{text}` has a unit, and `{to}` has none"))
        }
        (number, _) => Ok(number),
    };
    let (first, last) = (with_unit(from)?.value(), to_number.value());
    if first >= last {
        return Err(format!("`{from}..{to}` does not grow"));
    }
    let step = step.map(with_unit).transpose()?.map(Number::value);
    let values = match step {
        Some(0) => return Err("a step of 0 leads nowhere".to_owned()),
        Some(step) if (last - first) / step >= VALUES_MAX as u64 => {
            return Err(format!("that are more than {VALUES_MAX} steps"));
        }
        Some(step) => (0..=(last - first) / step).map(|n| first + n * step).collect(),
        None if first > 0 && last / first >= WIDE => by_factors(first, last),
        None => by_steps(first, last),
    };
    Ok(values.into_iter().map(|value| to_number.like(value).to_value()).collect())
}

/// Round steps, both ends included.
fn by_steps(first: u64, last: u64) -> Vec<u64> {
    let mut step = 1;
    let step = 'found: loop {
        for factor in [1, 2, 5] {
            if (last - first).div_ceil(step * factor) <= STEPS_MAX {
                break 'found step * factor;
            }
        }
        step *= 10;
    };
    let mut values: Vec<u64> = (0..=(last - first) / step).map(|n| first + n * step).collect();
    if values.last() != Some(&last) {
        values.push(last);
    }
    values
}

/// 1, 2, 5, 10 … times the first, and the last.
fn by_factors(first: u64, last: u64) -> Vec<u64> {
    let mut values = Vec::new();
    let mut power = first;
    while power <= last {
        values.extend([1, 2, 5].map(|factor| power.saturating_mul(factor)));
        power = power.saturating_mul(10);
    }
    values.retain(|value| *value < last);
    values.push(last);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let vary: Vary = text.parse().expect("it is right");
        vary.values.into_iter().map(|value| value.text).collect()
    }

    #[test]
    fn steps_are_given_or_chosen_and_both_ends_are_there() {
        assert_eq!(values("a=0..50ms:25ms"), ["0 ms", "25 ms", "50 ms"]);
        assert_eq!(values("a=0..50ms").len(), 11);
        assert_eq!(values("a=0..48ms").last().map(String::as_str), Some("48 ms"));
        assert_eq!(values("a=1s..1min"), ["1 s", "2 s", "5 s", "10 s", "20 s", "50 s", "1 min"]);
        assert_eq!(values("a=2..4"), ["2", "3", "4"]);
        assert_eq!(values("a=false,true"), ["false", "true"]);
        assert_eq!(values("a=10 s, 42s"), ["10 s", "42 s"]);
    }

    #[test]
    fn values_stand_in_a_file_as_what_they_are() {
        let json = |text: &str| -> Vec<String> {
            let vary: Vary = text.parse().expect("it is right");
            vary.values.into_iter().map(|value| value.json).collect()
        };
        assert_eq!(json("a=3,true,10ms,X"), ["3", "true", "\"10 ms\"", "\"X\""]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |text: &str| text.parse::<Vary>().expect_err("it is wrong").what;
        assert!(said("latency").contains("no ="));
        assert!(said("=1").contains("names no key"));
        assert!(said("a=5..2").contains("does not grow"));
        assert!(said("a=1..x").contains("neither a number nor a duration"));
        assert!(said("a=1..5:0").contains("leads nowhere"));
        assert!(said("a=1ms..5").contains("has a unit"));
        assert!(said("a=1,,2").contains("empty"));
        assert!(said("a=1..5000:1").contains("more than 1000"));
        assert!(said("a=1,1").contains("twice"));
    }
}
