//! Where the lines of a text begin, so that a place is found without reading
//! the text again.

use std::ops::Range;

/// The byte at which each line begins.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect() }
    }

    /// The line that a byte is in, from 1.
    pub(super) fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Line and column of a byte, both from 1, the column in characters.
    pub(super) fn place(&self, text: &str, offset: usize) -> (usize, usize) {
        let offset = floor_char_boundary(text, offset);
        let number = self.number(offset);
        (number, text[self.starts[number - 1]..offset].chars().count() + 1)
    }

    /// The bytes of a line, without its end.
    pub(super) fn range(&self, text: &str, number: usize) -> Range<usize> {
        let start = self.starts[number - 1];
        let end = self.starts.get(number).map_or(text.len(), |next| next - 1);
        let end = if text[start..end].ends_with('\r') { end - 1 } else { end };
        start..end
    }
}

pub(super) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_in_either_way() {
        let text = "蓝 a\r\nb\n";
        let lines = Lines::of(text);
        assert_eq!(lines.place(text, 0), (1, 1));
        assert_eq!(lines.place(text, 4), (1, 3));
        assert_eq!(lines.place(text, 1), (1, 1), "in the middle of a character");
        assert_eq!(lines.place(text, 7), (2, 1));
        assert_eq!(lines.place(text, text.len()), (3, 1));
        assert_eq!(&text[lines.range(text, 1)], "蓝 a");
        assert_eq!(&text[lines.range(text, 2)], "b");
        assert_eq!(&text[lines.range(text, 3)], "");
    }
}
