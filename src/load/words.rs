//! Words of the messages: lists, counts, and foreign text made harmless.

/// The most characters of foreign text that a message repeats.
const CLIP: usize = 80;
/// The most names that a message lists.
const LISTED_MAX: usize = 16;

/// Foreign text for use in a message: not long, and without signs that would
/// change how a terminal shows the rest.
pub(super) fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(CLIP).map(harmless).collect();
    if text.chars().nth(CLIP).is_some() {
        clipped.push('…');
    }
    clipped
}

/// Foreign text as the subject of a sentence.
pub(super) fn quote(text: &str) -> String {
    if text.is_empty() { "an empty text".to_owned() } else { format!("`{}`", clip(text)) }
}

/// A sign that a terminal shows as itself, or the replacement character.
pub(super) fn harmless(sign: char) -> char {
    let turns_text = matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(sign, '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}');
    if sign.is_control() || turns_text { '\u{fffd}' } else { sign }
}

/// "a", "a and b", "a, b and c".
pub(super) fn list(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// "`a`, `b`, `c`": what there is to choose from, not too many.
pub(super) fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut listed: Vec<String> =
        names.by_ref().take(LISTED_MAX).map(|name| format!("`{}`", clip(name))).collect();
    let rest = names.count();
    if rest > 0 {
        listed.push(format!("and {rest} more"));
    }
    listed.join(", ")
}

/// "1 subtask", "2 subtasks".
pub(super) fn count(n: u64, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
