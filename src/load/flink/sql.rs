//! `SET` statements of the SQL client.

use std::ops::Range;

use super::source::{Entry, Written};

/// What the `SET` statements of a script set; other statements say nothing.
pub(super) fn read(text: &str) -> Vec<Entry> {
    statements(text).into_iter().filter_map(|statement| set(text, statement)).collect()
}

/// Whether a text is a script of the SQL client.
pub(super) fn is_sql(name: &str, text: &str) -> bool {
    name.ends_with(".sql")
        || text.lines().any(|line| {
            let line = line.trim_start();
            let is_set = line.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("set "));
            let rest = line.get(4..).unwrap_or_default().trim_start();
            let rest = rest.strip_prefix(['\'', '"']).unwrap_or(rest);
            let key = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c));
            let after = key.map(|end| rest[end..].trim_start_matches(['\'', '"', ' ', '\t']));
            is_set && rest.contains('.') && after.is_some_and(|after| after.starts_with('='))
        })
}

/// The places of the statements, without comments in front.
fn statements(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut start, mut quote) = (0, None, None);
    while at < bytes.len() {
        let rest = &bytes[at..];
        match quote {
            Some(open) if bytes[at] == open => quote = None,
            Some(_) => {}
            None if rest.starts_with(b"--") => {
                let end = text[at..].find('\n').map_or(bytes.len(), |end| at + end);
                // A comment behind a statement that was not ended ends it.
                if let Some(start) = start.take() {
                    found.push(start..at);
                }
                at = end;
                continue;
            }
            None if rest.starts_with(b"/*") => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            None if bytes[at] == b';' => {
                if let Some(start) = start.take() {
                    found.push(start..at);
                }
            }
            None if bytes[at].is_ascii_whitespace() => {}
            None => {
                start.get_or_insert(at);
                if matches!(bytes[at], b'\'' | b'"' | b'`') {
                    quote = Some(bytes[at]);
                }
            }
        }
        at += 1;
    }
    found.extend(start.map(|start| start..bytes.len()));
    found
}

fn set(text: &str, place: Range<usize>) -> Option<Entry> {
    let statement = &text[place.clone()];
    let word = statement.get(..3)?;
    if !word.eq_ignore_ascii_case("set") || !statement[3..].starts_with(|c: char| c.is_whitespace())
    {
        return None;
    }
    let sign = statement.find('=')?;
    let (key, value) = (place.start + 3..place.start + sign, place.start + sign + 1..place.end);
    let (key, value) = (unquoted(text, key), unquoted(text, value));
    (!key.text.is_empty()).then_some(Entry { key, value })
}

/// A part without blanks and quotation marks around it.
fn unquoted(text: &str, range: Range<usize>) -> Written {
    let part = &text[range.clone()];
    let body = part.trim();
    let start = range.start + (part.len() - part.trim_start().len());
    for quote in ['\'', '"'] {
        if body.len() >= 2 && body.starts_with(quote) && body.ends_with(quote) {
            let inside = &body[1..body.len() - 1];
            let doubled = format!("{quote}{quote}");
            let said = inside.replace(&doubled, &quote.to_string());
            return Written { text: said, range: start + 1..start + body.len() - 1 };
        }
    }
    Written { text: body.to_owned(), range: start..start + body.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_and_bare_settings_are_read() {
        let text = "-- set a.b = 1;\nSET 'c.d' = '10 s';\nset e.f=3; select ';';\n\
                    /* set x.y=1; */ SET \"g.h\" = \"a;b\"\n;";
        let entries = read(text);
        let all: Vec<_> =
            entries.iter().map(|e| (e.key.text.as_str(), e.value.text.as_str())).collect();
        assert_eq!(all, [("c.d", "10 s"), ("e.f", "3"), ("g.h", "a;b")]);
        assert_eq!(&text[entries[0].value.range.clone()], "10 s");
        assert!(is_sql("x", text) && !is_sql("x", "a.set: b\n"));
    }
}
