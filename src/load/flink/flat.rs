//! `flink-conf.yaml`: one `key: value` a line, read by rules of its own. It is
//! not YAML.
//!
//! Source: Flink 1.20 `GlobalConfiguration.loadLegacyYAMLResource`.

use std::ops::Range;

use super::source::{Entry, Source};
use crate::load::durations::java_trim;

/// What a flat text holds.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) entries: Vec<Entry>,
    /// Lines that Flink passes over with a warning.
    pub(super) skipped: Vec<Skipped>,
}

/// A line that is passed over.
#[derive(Debug)]
pub(super) struct Skipped {
    pub(super) range: Range<usize>,
    pub(super) why: Why,
}

/// Why a line is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It has no colon with a blank behind it.
    NoSeparator,
    /// The key or the value is empty.
    Empty,
}

/// Reads a flat text. It cannot fail.
pub(super) fn read(source: &Source<'_>) -> Flat {
    let mut flat = Flat::default();
    for line in lines(source.text) {
        let begin = line.as_ptr() as usize - source.text.as_ptr() as usize;
        let body = java_trim(without_comment(line));
        if body.is_empty() {
            continue;
        }
        let start = begin + (body.as_ptr() as usize - line.as_ptr() as usize);
        let place = start..start + body.len();
        let Some(colon) = body.find(": ") else {
            flat.skipped.push(Skipped { range: source.place(place), why: Why::NoSeparator });
            continue;
        };
        let part = |text: &str| {
            let text = java_trim(text);
            let at = text.as_ptr() as usize - source.text.as_ptr() as usize;
            at..at + text.len()
        };
        let (key, value) = (part(&body[..colon]), part(&body[colon + 2..]));
        if key.is_empty() || value.is_empty() {
            flat.skipped.push(Skipped { range: source.place(place), why: Why::Empty });
            continue;
        }
        flat.entries.push(Entry { key: source.written(key), value: source.written(value) });
    }
    flat
}

/// The lines of a text; each of the three ways to end one counts.
// Java: BufferedReader.readLine
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// A comment begins with `#`, wherever that stands.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_file() {
        let text = "# x\n  a.b :  c d  # e\nnothing\n";
        let flat = read(&Source::whole(text));
        let [entry] = flat.entries.as_slice() else { panic!("{flat:?}") };
        assert_eq!(
            (&text[entry.key.range.clone()], &text[entry.value.range.clone()]),
            ("a.b", "c d")
        );
        let [skipped] = flat.skipped.as_slice() else { panic!("{flat:?}") };
        assert_eq!(&text[skipped.range.clone()], "nothing");
        assert_eq!(skipped.why, Why::NoSeparator);
    }
}
