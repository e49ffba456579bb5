//! Words as a shell takes a command line apart, with the place of every byte.

/// A word, without its quotation marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Where each byte of the text stands in the file.
    pub(super) places: Vec<usize>,
}

impl Word {
    /// The file's bytes of a part of the text.
    pub(super) fn place(&self, part: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let first = self.places.get(part.start).or(self.places.last()).copied().unwrap_or(0);
        let last = part.end.checked_sub(1).and_then(|last| self.places.get(last));
        first..last.map_or(first, |last| last + 1).max(first)
    }
}

/// The words of a script. Comments are left out; variables are not expanded.
pub(super) fn words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => {
                // A line that goes on in the next one ends no word.
                match bytes.get(at + 1) {
                    Some(b'\n') => at += 1,
                    Some(b'\r') => at += 2,
                    Some(next) => {
                        push(&mut word, *next, at + 1);
                        at += 1;
                    }
                    None => {}
                }
            }
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (b' ' | b'\t' | b'\n' | b'\r' | b';', None) => words.extend(word.take()),
            (b'#', None) if word.is_none() => {
                at = text[at..].find('\n').map_or(bytes.len(), |end| at + end);
                continue;
            }
            _ => push(&mut word, byte, at),
        }
        at += 1;
    }
    words.extend(word);
    words.iter().map(finished).collect()
}

/// Bytes are kept as characters until the word is whole.
fn push(word: &mut Option<Word>, byte: u8, at: usize) {
    let word = word.get_or_insert_default();
    word.text.push(char::from(byte));
    word.places.push(at);
}

fn finished(word: &Word) -> Word {
    let bytes: Vec<u8> = word.text.chars().map(|sign| sign as u8).collect();
    match String::from_utf8(bytes) {
        Ok(text) => Word { text, places: word.places.clone() },
        // A line's end in the middle of a character: it cannot be told apart.
        Err(_) => Word { text: word.text.clone(), places: word.places.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_and_continued_lines_are_the_shells() {
        let text = "run -Da=b \\\n  -D 'c d=e f' \"g\\\"h\" # no\n蓝";
        let found: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
        assert_eq!(found, ["run", "-Da=b", "-D", "c d=e f", "g\"h", "蓝"]);
        let word = &words(text)[3];
        assert_eq!(&text[word.place(4..7)], "e f");
    }
}
