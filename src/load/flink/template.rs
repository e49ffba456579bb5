//! Text that a program has yet to fill in: `{{ … }}` of Helm and Jinja,
//! `${…}` of shells and envsubst. Flink expands neither.

use std::ops::Range;

/// A text without its template actions, of the same length, so that places
/// stay what they are.
#[derive(Debug)]
pub(super) struct Masked {
    pub(super) text: String,
    /// Where the actions were.
    pub(super) actions: Vec<Range<usize>>,
}

impl Masked {
    /// Whether something in a range was an action.
    pub(super) fn touches(&self, range: &Range<usize>) -> bool {
        self.actions.iter().any(|action| action.start < range.end && range.start < action.end)
    }
}

/// Takes template actions out of a text. A line of nothing else becomes blank.
pub(super) fn mask(text: &str) -> Masked {
    let mut actions = Vec::new();
    let mut at = 0;
    while let Some((found, close)) = next_open(&text[at..]) {
        let start = at + found;
        if is_comment(text, start) {
            at = start + 2;
            continue;
        }
        let line_end = text[start..].find('\n').map_or(text.len(), |end| start + end);
        let end = text[start..].find(close).map_or(line_end, |end| start + end + 2);
        actions.push(start..end);
        at = end;
    }
    let mut masked = text.as_bytes().to_vec();
    for action in &actions {
        let filler = if stands_alone(text, action, &actions) { b' ' } else { b'x' };
        for byte in &mut masked[action.clone()] {
            if *byte != b'\n' && *byte != b'\r' {
                *byte = filler;
            }
        }
    }
    // Whole characters were replaced by plain letters.
    let text = String::from_utf8(masked).unwrap_or_else(|_| text.to_owned());
    Masked { text, actions }
}

fn next_open(text: &str) -> Option<(usize, &'static str)> {
    let places = [("{{", "}}"), ("{%", "%}")].map(|(open, close)| (text.find(open), close));
    places.into_iter().filter_map(|(at, close)| at.map(|at| (at, close))).min()
}

fn is_comment(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..at].trim_start().starts_with('#')
}

/// Whether the line of an action holds actions alone.
fn stands_alone(text: &str, action: &Range<usize>, actions: &[Range<usize>]) -> bool {
    let start = text[..action.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[action.end..].find('\n').map_or(text.len(), |end| action.end + end);
    let covered = |at: usize| actions.iter().any(|action| action.contains(&at));
    text[start..end].char_indices().all(|(at, sign)| sign.is_whitespace() || covered(start + at))
}

/// Whether a text holds a template action.
pub(super) fn has_action(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// The names in `${…}`, with their places.
pub(super) fn placeholders(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("${").map(|start| at + start) {
        let Some(end) = text[start..].find('}').map(|end| start + end) else { break };
        found.push((start..end + 1, &text[start + 2..end]));
        at = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_taken_out_without_moving_anything() {
        let text = "a: {{ x | \"引\" }}\n  {{- range $k }}\n# {{ no }}\n{{ k }}: {{ v }}\n";
        let masked = mask(text);
        assert_eq!(masked.text.len(), text.len());
        let lines: Vec<&str> = masked.text.lines().collect();
        assert!(lines[0].starts_with("a: xxx"));
        assert_eq!(lines[1].trim(), "");
        assert_eq!(lines[2], "# {{ no }}");
        assert_eq!(lines[3], "xxxxxxx: xxxxxxx");
        assert_eq!(masked.actions.len(), 4);
    }

    #[test]
    fn placeholders_are_found() {
        let found = placeholders("hdfs://${host}:${port:-1}/x $y ${");
        assert_eq!(found, [(7..14, "host"), (15..25, "port:-1")]);
    }
}
