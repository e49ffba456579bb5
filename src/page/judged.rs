//! What the judge says of a run, as the page holds it: state and output apart,
//! and of the ledger what is not as usual.

use serde_json::{Value as Json, json};

use super::scenes::{Column, Scenes};
use crate::model::{CheckpointingMode, OperatorIndex};
use crate::verify::{Judgement, LedgerRow, Outcome, Verdict};

/// A verdict, with what is wrong in sentences of both languages.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// What the judge says.
    pub verdict: &'a Verdict,
    /// What is wrong, in English and in Chinese.
    pub findings: &'a [[String; 2]],
}

/// The verdict as JSON. In the ledger's list stands only what is not read,
/// counted or published just once: record, column, how often, and how often it
/// should have been.
pub(super) fn json(judged: &Judged<'_>, scenes: &mut Scenes<'_>) -> Json {
    let verdict = judged.verdict;
    let mut unusual: Vec<[u32; 4]> = Vec::new();
    for row in verdict.ledger.rows() {
        let record = scenes.record(row.split.0, row.offset);
        for (column, n, expected) in cells(&row) {
            let column = scenes.column(column);
            if (n, expected) != (1, 1) {
                unusual.push([record, column, n, expected]);
            }
        }
    }
    let restores = verdict.restores.iter().map(|restore| restore.checkpoint.map(|id| id.0));
    json!({
        "answer": outcome(verdict.answer()),
        "promise": outcome(verdict.promise),
        "exactly": verdict.mode == CheckpointingMode::ExactlyOnce,
        "state": judgement(&verdict.state),
        "output": judgement(&verdict.output),
        "restores": restores.collect::<Vec<_>>(),
        "unusual": unusual,
        "findings": judged.findings,
    })
}

fn cells(row: &LedgerRow) -> Vec<(Column, u32, u32)> {
    let mut cells = vec![(Column::Read, row.read, 1)];
    let own = |column: fn(OperatorIndex) -> Column| {
        move |(operator, n, expected): &(OperatorIndex, u32, u32)| {
            (column(*operator), *n, *expected)
        }
    };
    cells.extend(row.counted.iter().map(own(Column::Counted)));
    cells.extend(row.published.iter().map(own(Column::Published)));
    cells
}

fn judgement(own: &Judgement) -> Json {
    json!([outcome(own.outcome), own.n, own.n_once, own.n_too_often, own.n_lost, own.n_overwritten])
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Violated => "violated",
        Outcome::CannotTell => "unknown",
    }
}
