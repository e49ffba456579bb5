//! What a scalar of YAML is: a number, true or false, nothing, or a text.
//!
//! Source: the core schema of YAML 1.2, as Flink's parser resolves it.

use super::java;

/// A resolved scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    /// A whole number in decimal digits, however large.
    Whole(String),
    Fraction(f64),
    Text(String),
    /// Its tag says what it is not.
    Wrong,
}

impl Scalar {
    /// As Flink keeps it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(yes) => yes.to_string(),
            Self::Whole(digits) => digits.clone(),
            Self::Fraction(number) => java::yaml_double_text(*number),
            Self::Text(text) => text.clone(),
            Self::Wrong => String::new(),
        }
    }
}

/// What a scalar is. A tag decides; then quotation marks make a text.
pub(super) fn resolve(text: &str, is_plain: bool, tag: Option<&str>) -> Scalar {
    match tag {
        Some("str") => Scalar::Text(text.to_owned()),
        // Flink writes bytes as YAML again.
        Some("binary") => Scalar::Text(format!("!!binary |-\n  {}", text.trim())),
        Some("float") => match java::double(text) {
            Some(number) => Scalar::Fraction(number),
            None => Scalar::Wrong,
        },
        Some("int") => match implicit(text) {
            whole @ Scalar::Whole(_) => whole,
            _ => Scalar::Wrong,
        },
        // What is neither true nor false is nothing.
        Some("bool") => match implicit(text) {
            yes @ Scalar::Bool(_) => yes,
            _ => Scalar::Null,
        },
        Some("null") => Scalar::Null,
        Some(_) => implicit(text),
        None if is_plain => implicit(text),
        None => Scalar::Text(text.to_owned()),
    }
}

fn implicit(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Fraction(f64::NAN),
        _ => {}
    }
    let (sign, body) = match text.as_bytes()[0] {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    if matches!(body, ".inf" | ".Inf" | ".INF") {
        // Flink's parser stumbles over the plus.
        if text.starts_with('+') {
            return Scalar::Wrong;
        }
        return Scalar::Fraction(sign * f64::INFINITY);
    }
    whole(text, body)
        .or_else(|| fraction(text, body))
        .unwrap_or_else(|| Scalar::Text(text.to_owned()))
}

fn whole(text: &str, body: &str) -> Option<Scalar> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            // Longer ones than any option takes.
            let number =
                u128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
            return number.map(|number| Scalar::Whole(number.to_string()));
        }
    }
    if body.is_empty() || !body.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = body.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let minus = if text.starts_with('-') && digits != "0" { "-" } else { "" };
    Some(Scalar::Whole(format!("{minus}{digits}")))
}

fn fraction(text: &str, body: &str) -> Option<Scalar> {
    let (number, power) = match body.split_once(['e', 'E']) {
        Some((number, power)) => (number, Some(power)),
        None => (body, None),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let power_is_right = power.is_none_or(|power| {
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        !power.is_empty() && digits(power)
    });
    let has_digits = !whole.is_empty() || !part.is_empty();
    if !has_digits || !digits(whole) || !digits(part) || !power_is_right {
        return None;
    }
    text.parse().ok().map(Scalar::Fraction)
}

/// A text as it stands in a list, in quotation marks where it would otherwise
/// be something else.
pub(super) fn quoted_where_needed(text: &str) -> String {
    if text.contains(['\t', '\n', '\r']) {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        let escaped = escaped.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
        return format!("\"{escaped}\"");
    }
    const SIGNS: &str = ",[]{}#&*!|>'\"%@`";
    let first = text.chars().next();
    let second = text.chars().nth(1);
    let starts_badly = first.is_some_and(|first| SIGNS.contains(first))
        || matches!(first, Some('-' | '?' | ':')) && second.is_none_or(char::is_whitespace);
    let has_signs = text.contains([',', '[', ']', '{', '}']);
    let has_pairs = text.contains(": ") || text.ends_with(':') || text.contains(" #");
    let is_padded = text.trim() != text;
    let is_other = !matches!(resolve(text, true, None), Scalar::Text(_));
    if starts_badly || has_signs || has_pairs || is_padded || is_other {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        text.to_owned()
    }
}
