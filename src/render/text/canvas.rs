//! A grid of character cells to draw on. It knows how wide characters are and
//! nothing else.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::paint::{Paint, Span};

/// One column of one line.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// A character with the zero-width ones that follow it; empty for a blank
    /// and for the second half of a wide character.
    text: String,
    paint: Paint,
    second_half: bool,
}

/// A grid that grows downwards.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    width: usize,
    rows: Vec<Vec<Cell>>,
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text cut to a width, with "…" where something is missing.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (mut short, mut used) = (String::new(), 0);
    for sign in text.chars() {
        let own = sign.width().unwrap_or(0);
        if used + own + 1 > columns {
            break;
        }
        short.push(sign);
        used += own;
    }
    if columns > 0 {
        short.push('…');
    }
    short
}

/// A name cut to a width, its end in brackets kept: `num…(0)`.
pub(super) fn cut_name(name: &str, columns: usize) -> String {
    match name.rfind('(').map(|place| name.split_at(place)) {
        Some((first, last)) if width(name) > columns && width(last) + 2 <= columns => {
            cut(first, columns - width(last)) + last
        }
        _ => cut(name, columns),
    }
}

impl Canvas {
    pub(super) fn new(width: usize) -> Self {
        Self { width, rows: Vec::new() }
    }

    /// Makes sure that there are so many lines.
    pub(super) fn grow(&mut self, height: usize) {
        let blank = vec![Cell::default(); self.width];
        if self.rows.len() < height {
            self.rows.resize(height, blank);
        }
    }

    /// Writes a text and gives the column after it. What does not fit into the
    /// line is not written.
    pub(super) fn put(&mut self, x: usize, y: usize, text: &str, paint: Paint) -> usize {
        self.grow(y + 1);
        let mut x = x;
        for sign in text.chars() {
            let sign = if sign == '\u{a0}' { ' ' } else { sign };
            let columns = sign.width().unwrap_or(0);
            if columns == 0 {
                if let Some(cell) = x.checked_sub(1).and_then(|x| self.rows[y].get_mut(x)) {
                    cell.text.push(sign);
                }
                continue;
            }
            if x + columns > self.width {
                break;
            }
            self.rows[y][x] = Cell { text: sign.to_string(), paint, second_half: false };
            if columns == 2 {
                self.rows[y][x + 1] = Cell { text: String::new(), paint, second_half: true };
            }
            x += columns;
        }
        x
    }

    /// The same character from one column to before another.
    pub(super) fn fill(
        &mut self,
        columns: std::ops::Range<usize>,
        y: usize,
        sign: char,
        paint: Paint,
    ) {
        for x in columns {
            self.put(x, y, sign.encode_utf8(&mut [0; 4]), paint);
        }
    }

    /// The lines, without blanks at their ends.
    pub(super) fn into_lines(self) -> Vec<Vec<Span>> {
        self.rows.into_iter().map(line).collect()
    }
}

fn line(cells: Vec<Cell>) -> Vec<Span> {
    let blank = |cell: &Cell| !cell.second_half && matches!(cell.text.as_str(), "" | " ");
    let end = cells.iter().rposition(|cell| !blank(cell)).map_or(0, |last| last + 1);
    let mut spans: Vec<Span> = Vec::new();
    for cell in &cells[..end] {
        if cell.second_half {
            continue;
        }
        let (text, paint) = if blank(cell) && cell.paint != Paint::Keys {
            (" ", Paint::Plain)
        } else {
            (if cell.text.is_empty() { " " } else { cell.text.as_str() }, cell.paint)
        };
        match spans.last_mut() {
            Some(span) if span.paint == paint => span.text.push_str(text),
            _ => spans.push(Span { text: text.to_owned(), paint }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(canvas: Canvas) -> String {
        canvas.into_lines().concat().into_iter().map(|span| span.text).collect()
    }

    #[test]
    fn a_wide_character_takes_two_columns() {
        let mut canvas = Canvas::new(8);
        assert_eq!(canvas.put(0, 0, "黄 4", Paint::Plain), 4);
        canvas.put(5, 0, "x", Paint::Plain);
        assert_eq!(text(canvas), "黄 4 x");
    }

    #[test]
    fn what_does_not_fit_is_not_written() {
        let mut canvas = Canvas::new(4);
        canvas.put(1, 0, "a黄黄", Paint::Plain);
        assert_eq!(text(canvas), " a黄");
    }

    #[test]
    fn a_cut_text_says_so_and_fits() {
        for columns in 0..12 {
            assert!(width(&cut("汇(偶) and more", columns)) <= columns);
        }
        assert_eq!(cut("sum(even)", 9), "sum(even)");
        assert_eq!(cut("sum(even)", 6), "sum(e…");
        assert_eq!(cut_name("numbers(10)", 8), "num…(10)");
        assert_eq!(cut_name("numbers(10)", 4), "num…");
    }
}
