//! Numbers as Java reads and writes them.

/// A whole number of 32 bits.
// Java: Integer.parseInt
pub(super) fn int(text: &str) -> Option<i64> {
    long(text).filter(|number| i32::try_from(*number).is_ok())
}

/// A whole number of 64 bits.
// Java: Long.parseLong
pub(super) fn long(text: &str) -> Option<i64> {
    // Rust takes the same: a sign of either kind, then digits alone; but Java
    // takes the digits of every script.
    if text.is_ascii() {
        return text.parse().ok();
    }
    let plain: Option<String> = text.chars().map(plain_digit).collect();
    plain?.parse().ok()
}

/// A digit of another script as one of ours; what is plain stays.
// Java: Character.digit
fn plain_digit(sign: char) -> Option<char> {
    /// The zeros of scripts that people write numbers in.
    const ZEROS: [u32; 20] = [
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50,
        0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0x1946, 0xff10,
    ];
    if sign.is_ascii() {
        return Some(sign);
    }
    let zero = ZEROS.into_iter().find(|zero| (*zero..zero + 10).contains(&u32::from(sign)))?;
    char::from_digit(u32::from(sign) - zero, 10)
}

/// A fraction, as in decimal or hexadecimal notation of Java.
// Java: Double.parseDouble
pub(super) fn double(text: &str) -> Option<f64> {
    let text = crate::load::durations::java_trim(text);
    let (sign, body) = match text.strip_prefix('-') {
        Some(body) => (-1.0, body),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = match body {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        _ if body.starts_with(['+', '-']) => return None,
        _ => {
            let digits = body.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(body);
            match body.get(..2) {
                Some("0x" | "0X") => hexadecimal(&body[2..])?,
                // Rust would take words, too.
                _ if digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) => {
                    digits.parse().ok()?
                }
                _ => return None,
            }
        }
    };
    Some(sign * number)
}

/// `1.8p3`: hexadecimal digits, and a power of two, which must be there.
fn hexadecimal(body: &str) -> Option<f64> {
    let (digits, power) = body.split_once(['p', 'P'])?;
    let power: i32 = power.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(power).parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 || whole.len() + fraction.len() > 13 {
        return None;
    }
    let number = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    Some(number as f64 * 2_f64.powi(power.checked_sub(4 * fraction.len() as i32)?))
}

/// A fraction as Java writes it.
// Java: Double.toString
pub(super) fn double_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = number.abs();
    if number == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{number:?}");
    }
    let text = format!("{number:E}");
    let (digits, power) = text.split_once('E').expect("it is written so");
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{power}")
}

/// A fraction as Flink's YAML writes it.
pub(super) fn yaml_double_text(number: f64) -> String {
    if number.is_nan() {
        ".nan".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        double_text(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Flink 1.20.3 makes of each, asked by running it.
    #[test]
    fn fractions_are_read_as_java_reads_them() {
        for (text, number) in [
            ("2.0", 2.0),
            ("1", 1.0),
            ("1e1", 10.0),
            ("0x1p3", 8.0),
            ("1f", 1.0),
            ("1d", 1.0),
            ("Infinity", f64::INFINITY),
            ("-1", -1.0),
            (" 1.5 ", 1.5),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1.5F", 1.5),
        ] {
            assert_eq!(double(text), Some(number), "{text}");
        }
        assert!(double("NaN").is_some_and(f64::is_nan));
        for text in ["x", "1_0", "inf", "nan", "", "0x1", "f", "e", "+-1", "--1"] {
            assert_eq!(double(text), None, "{text}");
        }
    }

    #[test]
    fn fractions_are_written_as_java_writes_them() {
        for (number, text) in [
            (1.5, "1.5"),
            (2.0, "2.0"),
            (0.1, "0.1"),
            (1e7, "1.0E7"),
            (1234.0, "1234.0"),
            (1.5e-5, "1.5E-5"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(double_text(number), text);
        }
    }

    #[test]
    fn whole_numbers_are_read_as_java_reads_them() {
        assert_eq!(int("+5"), Some(5));
        assert_eq!(int("-5"), Some(-5));
        assert_eq!(int("٣"), Some(3));
        assert_eq!(int("2147483647"), Some(i64::from(i32::MAX)));
        for text in ["2147483648", " 3", "3 ", "0x10", "1.0", "", "1_0"] {
            assert_eq!(int(text), None, "{text}");
        }
        assert_eq!(long("9223372036854775807"), Some(i64::MAX));
    }
}
