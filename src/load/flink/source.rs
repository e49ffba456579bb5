//! A configuration text with the places of its lines in the file: it can be
//! the whole file, or a block inside of one.

use std::ops::Range;

/// What is written somewhere in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) struct Written {
    /// What it says.
    pub(in crate::load) text: String,
    /// Its place in the file.
    pub(in crate::load) range: Range<usize>,
}

/// A setting as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) struct Entry {
    pub(in crate::load) key: Written,
    pub(in crate::load) value: Written,
}

/// A text, and where its lines are in the file.
#[derive(Clone, Debug)]
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    /// Where a line begins in the text, and where in the file.
    starts: Vec<(usize, usize)>,
}

impl<'t> Source<'t> {
    /// The file itself.
    pub(super) fn whole(text: &'t str) -> Self {
        Self { text, starts: vec![(0, 0)] }
    }

    /// What a block says, whose lines stand one by one in a region of the
    /// file, further in.
    pub(super) fn inside(text: &'t str, file: &str, region: Range<usize>) -> Self {
        let mut starts = Vec::new();
        let (mut at, mut from) = (0, region.start);
        for line in text.split_inclusive('\n') {
            let said = line.trim();
            if let Some(found) = file[from..region.end].find(said).filter(|_| !said.is_empty()) {
                let indent = line.len() - line.trim_start().len();
                starts.push((at, (from + found).saturating_sub(indent)));
                from += found + said.len();
            } else {
                starts.push((at, from));
            }
            at += line.len();
        }
        starts.push((at, from));
        Self { text, starts }
    }

    /// A place of the text as a place of the file.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        let start = self.offset(range.start);
        start..self.offset(range.end).max(start)
    }

    fn offset(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|(start, _)| *start <= at).max(1) - 1;
        let (start, outside) = self.starts[line];
        outside + (at - start)
    }

    /// A part of the text as it is written.
    pub(super) fn written(&self, range: Range<usize>) -> Written {
        Written { text: self.text[range.clone()].to_owned(), range: self.place(range) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_block_are_found_in_the_file() {
        let file = "data: |\n    a: 1\n\n    b: 22\nmore: x\n";
        let source = Source::inside("a: 1\n\nb: 22\n", file, 7..file.len());
        assert_eq!(&file[source.place(0..4)], "a: 1");
        let at = source.text.find("22").expect("it is there");
        assert_eq!(&file[source.place(at..at + 2)], "22");
    }
}
