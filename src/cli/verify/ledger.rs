//! The ledger: how often each input record was read, counted in a state and
//! published.

use unicode_width::UnicodeWidthStr;

use super::Judged;
use crate::cli::explain::Explainer;
use crate::cli::words;
use crate::model::{Language, OperatorIndex, Path, RecordId};
use crate::verify::LedgerRow;

/// A table with a line for each input record; a number that is not what it
/// should be carries a mark.
pub(super) fn lines(judged: &Judged, language: Language) -> Vec<String> {
    let explainer = Explainer::new(&judged.scenario, language, judged.seed);
    let pick = |en, zh| words::pick(language, en, zh).to_owned();
    let rows: Vec<LedgerRow> = judged.verdict.ledger.rows().collect();
    let operators = |of: fn(&LedgerRow) -> &[(OperatorIndex, u32, u32)]| {
        rows.first().map(|row| of(row).iter().map(|own| own.0).collect()).unwrap_or_default()
    };
    let counted: Vec<OperatorIndex> = operators(|row| &row.counted);
    let published: Vec<OperatorIndex> = operators(|row| &row.published);
    let mut table = vec![vec![pick("record", "记录"), pick("read", "读")]];
    let place =
        |label: &str, own: &OperatorIndex| format!("{label}{}", explainer.names.operator(*own));
    let heads = counted.iter().map(|own| place(&pick("counted in ", "计入"), own));
    table[0].extend(heads);
    let heads = published.iter().map(|own| place(&pick("published by ", "发布于"), own));
    table[0].extend(heads);
    for row in &rows {
        let id = RecordId { split: row.split, offset: row.offset, path: Path(0) };
        let mut line = vec![explainer.record(&id).replace('\u{a0}', " "), number(row.read, 1)];
        let columns = row.counted.iter().chain(&row.published);
        line.extend(columns.map(|(_, n, expected)| number(*n, *expected)));
        table.push(line);
    }
    let n_columns = table[0].len();
    let width =
        |column: usize| table.iter().map(|line| line[column].width()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let line = |cells: &Vec<String>| {
        let cell = |(column, cell): (usize, &String)| {
            let gap = " ".repeat(widths[column] - cell.width());
            if column == 0 { format!("{cell}{gap}") } else { format!("   {gap}{cell}") }
        };
        cells.iter().enumerate().map(cell).collect::<String>().trim_end().to_owned()
    };
    table.iter().map(line).collect()
}

/// `1`, or `2!` where it should be another number.
fn number(n: u32, expected: u32) -> String {
    if n == expected { format!("{n} ") } else { format!("{n}!") }
}
