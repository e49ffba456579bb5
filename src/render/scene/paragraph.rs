//! A text in lines, as both languages want it.

use textwrap::WordSeparator;
use textwrap::core::{Fragment, Word};
use textwrap::wrap_algorithms::wrap_first_fit;

use crate::render::font::{Font, Weight};

/// A word with its measured width.
#[derive(Debug)]
struct Measured<'a> {
    word: Word<'a>,
    width: f64,
    blank: f64,
}

impl Fragment for Measured<'_> {
    fn width(&self) -> f64 {
        self.width
    }

    fn whitespace_width(&self) -> f64 {
        self.blank
    }

    fn penalty_width(&self) -> f64 {
        0.0
    }
}

/// The text in as few lines as a room allows, and those as even as can be. No
/// line begins with a Chinese comma or ends with an opening bracket; no-break
/// spaces hold.
pub(crate) fn paragraph(font: &Font, text: &str, size: f64, room: f64) -> Vec<String> {
    // "sum(even)" is one name: no break before its bracket.
    let mut joined = String::with_capacity(text.len());
    let mut before = ' ';
    for sign in text.chars() {
        if sign == '(' && before != ' ' {
            joined.push('\u{2060}');
        }
        joined.push(sign);
        before = sign;
    }
    let width = |text: &str| {
        let shown = text.replace('\u{2060}', "").replace('\u{a0}', " ");
        font.width(&shown, size, Weight::Regular)
    };
    let words = WordSeparator::UnicodeBreakProperties.find_words(&joined);
    let words: Vec<Measured<'_>> = words
        .map(|word| Measured { width: width(word.word), blank: width(word.whitespace), word })
        .collect();
    let lines = |room: f64| wrap_first_fit(&words, &[room]);
    let n_lines = lines(room).len();
    // The narrowest measure that needs no more lines.
    let (mut fits, mut short) = (room, 0.0);
    while fits - short > 4.0 {
        let middle = f64::midpoint(fits, short);
        let narrow = lines(middle);
        let is_inside = narrow.iter().flat_map(|line| line.iter()).all(|word| word.width <= middle);
        if narrow.len() <= n_lines && is_inside { fits = middle } else { short = middle }
    }
    let line = |words: &[Measured<'_>]| {
        let pieces = words.iter().flat_map(|word| [word.word.word, word.word.whitespace]);
        let text: String = pieces.collect();
        text.trim_end().replace('\u{2060}', "").replace('\u{a0}', " ")
    };
    lines(fits).into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_even_and_fit() {
        let font = Font::new();
        let text = "Blue\u{a0}4 is held back because it came after blue’s barrier\u{a0}2: counted \
                    now, it would be in the stored sum, and counted twice.";
        let lines = paragraph(&font, text, 28.0, 1200.0);
        assert_eq!(lines.len(), 2);
        let widths: Vec<f64> =
            lines.iter().map(|line| font.width(line, 28.0, Weight::Regular)).collect();
        assert!(widths[0] <= 1200.0 && widths[1] > widths[0] * 0.8, "{widths:?}");
        assert_eq!(lines.join(" "), text.replace('\u{a0}', " "));
    }

    #[test]
    fn chinese_lines_begin_and_end_where_they_may() {
        let font = Font::new();
        let text = "黄源的屏障\u{a0}2 还没到，所以黄\u{a0}4 属于检查点\u{a0}2；蓝\u{a0}4 在蓝源\
            的屏障之后到达（先扣住）：现在就算进去，汇(偶)恢复后会被重复计算。";
        for room in 20..90 {
            for line in paragraph(&font, text, 20.0, f64::from(room) * 10.0) {
                assert!(!line.starts_with(['，', '。', '：', '；', '）', '(']), "{room}: {line}");
                assert!(!line.ends_with(['（', '(']), "{room}: {line}");
            }
        }
    }
}
