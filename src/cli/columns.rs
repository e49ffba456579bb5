//! Texts in columns, as wide as they are shown.

use unicode_width::UnicodeWidthStr as _;

/// Lines of cells below each other: the first columns by their left ends, the
/// others by their right.
pub(super) fn columns(lines: &[Vec<String>], n_left: usize) -> String {
    let n = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.width()).max()
    };
    let widths: Vec<usize> = (0..n).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let mut shown = String::new();
        for (column, cell) in line.iter().enumerate() {
            let blank = " ".repeat(widths[column] - cell.width());
            let gap = if column > 0 { "  " } else { "" };
            match column < n_left {
                true => shown += &format!("{gap}{cell}{blank}"),
                false => shown += &format!("{gap}{blank}{cell}"),
            }
        }
        text += shown.trim_end();
        text.push('\n');
    }
    text
}
