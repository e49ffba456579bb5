//! Bytes -> a tree of JSON values with their places.
//!
//! Size and depth are bounded before anything is parsed, since the parser
//! calls itself once a level.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, parse_to_ast};

use super::diagnostic::Diagnostic;
use super::limits::{DEPTH_MAX, SIZE_MAX};
use super::problems::Problems;
use super::words::clip;

/// The bytes as text; or the text as far as it goes, and what is wrong.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, (String, Box<Diagnostic>)> {
    if bytes.len() > SIZE_MAX {
        let message = format!(
            "the file has {} bytes; a scenario has at most {SIZE_MAX} ({} MiB)",
            bytes.len(),
            SIZE_MAX >> 20
        );
        let help = "long splits need no long file: `{ \"from\": 1, \"to\": 1000000 }` or \
                    `{ \"random\": 1000000, \"below\": 100 }`";
        let problem = Diagnostic::error("too-large", message).help(help);
        return Err((String::new(), Box::new(problem)));
    }
    // Some editors begin a file with a mark that says "UTF-8".
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    str::from_utf8(bytes).map_err(|error| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let at = error.valid_up_to();
        let message = format!("the file is not UTF-8: byte {} cannot be read", at + 1);
        let problem = Diagnostic::error("not-utf8", message)
            .at(at..at + '\u{fffd}'.len_utf8(), "from here on")
            .help("save the file as UTF-8");
        (text, Box::new(problem))
    })
}

/// Parses JSON with comments. Nothing comes back if it is not JSON; then a
/// problem says so.
pub(super) fn parse<'t>(text: &'t str, problems: &mut Problems) -> Option<Value<'t>> {
    problems.worked(text.len());
    if let Some(at) = too_deep(text) {
        let message = format!("values are nested more than {DEPTH_MAX} deep");
        problems.add(Diagnostic::error("too-deep", message).at(at..at + 1, "one too many"));
        return None;
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => {
            if parsed.value.is_none() {
                let problem = Diagnostic::error("syntax", "there is no scenario in this file");
                problems.add(problem.help("a new scenario to start from: checkdam new"));
            }
            parsed.value
        }
        Err(error) => {
            problems.add(syntax(text, &error));
            None
        }
    }
}

/// The first byte that opens a level too many.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && !matches!(bytes[at], b'\n' | b'\r') {
                    at += 1;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += 2;
                while at < bytes.len() && !bytes[at..].starts_with(b"*/") {
                    at += 1;
                }
                at += 1;
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Some(at);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The closing quotation mark of the string that opens at a byte, or the end.
fn end_of_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// The parser's complaint in our words. It stops at its first one.
fn syntax(text: &str, error: &ParseError) -> Diagnostic {
    use ParseErrorKind as Kind;
    let range = error.range();
    let range = range.start.min(text.len())..range.end.min(text.len());
    let written = clip(&text[range.clone()]);
    let opening = range.start..range.start + usize::from(range.start < range.end);
    let found = |what: &str| format!("{what}, but here is `{written}`");
    let (message, at, label) = match error.kind() {
        Kind::TrailingCommasNotAllowed => {
            ("JSON has no comma after the last item".to_owned(), range, "remove this comma")
        }
        Kind::ExpectedComma => ("a comma is missing".to_owned(), range, "add a comma here"),
        Kind::SingleQuotedStringsNotAllowed => {
            ("strings stand in double quotes".to_owned(), opening, "write \" instead")
        }
        Kind::UnterminatedObject => {
            ("this `{` is never closed".to_owned(), opening, "its `}` is missing")
        }
        Kind::UnterminatedArray => {
            ("this `[` is never closed".to_owned(), opening, "its `]` is missing")
        }
        Kind::UnterminatedCommentBlock => {
            ("this comment is never closed".to_owned(), opening, "its `*/` is missing")
        }
        Kind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            ("this string is never closed".to_owned(), opening, "its closing \" is missing")
        }
        Kind::String(_) => (
            "this is no escape sequence of JSON".to_owned(),
            range,
            "known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits",
        ),
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedTokenInObject => {
            (found("a key in double quotes is expected"), range, "a key goes here")
        }
        Kind::ExpectedColonAfterObjectKey => {
            ("a colon is missing after the key".to_owned(), range, "write `:` before this")
        }
        Kind::ExpectedObjectValue => {
            ("a key has no value".to_owned(), end_of(text, range), "a value goes here")
        }
        Kind::MultipleRootJsonValues => {
            ("the scenario has ended, and more follows".to_owned(), range, "remove this")
        }
        Kind::UnexpectedWord => {
            (found("a value is expected"), range, "strings stand in double quotes")
        }
        Kind::HexadecimalNumbersNotAllowed
        | Kind::UnaryPlusNumbersNotAllowed
        | Kind::BareDecimalPointNumbersNotAllowed
        | Kind::NonFiniteNumbersNotAllowed
        | Kind::ExpectedDigit
        | Kind::ExpectedDigitFollowingNegativeSign
        | Kind::ExpectedPlusMinusOrDigitInNumberLiteral => {
            let more = text[range.end..].find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
            let range = range.start..range.end + more.unwrap_or(text.len() - range.end);
            let written = clip(&text[range.clone()]);
            (format!("`{written}` is not a number of JSON"), range, "write digits only, as in 12")
        }
        _ => (found("a value is expected"), range, "a value goes here"),
    };
    Diagnostic::error("syntax", message).at(at, label).help(
        "the rest of the file was not read; comments are allowed, everything else is plain JSON",
    )
}

/// The end of a text's last line that says something, for what is missing
/// there.
fn end_of(text: &str, range: Range<usize>) -> Range<usize> {
    if range.is_empty() {
        let end = text.trim_end().len();
        return end..end;
    }
    range
}

/// A value's place.
pub(super) fn range_of(value: &Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_neither_in_strings_nor_in_comments() {
        assert_eq!(too_deep(&"[".repeat(DEPTH_MAX)), None);
        assert_eq!(too_deep(&"[".repeat(DEPTH_MAX + 1)), Some(DEPTH_MAX));
        assert_eq!(too_deep(&"[]".repeat(100)), None);
        assert_eq!(too_deep(&format!("\"\\\"{}\"", "[".repeat(100))), None);
        assert_eq!(too_deep(&format!("// {}", "[".repeat(100))), None);
        assert_eq!(too_deep(&format!("/* {} */ [", "[".repeat(100))), None);
        assert_eq!(too_deep(&format!("// \n{}", "[".repeat(100))), Some(4 + DEPTH_MAX));
    }
}
