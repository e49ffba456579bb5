//! What a sink's box says: what the outside has seen, what is prepared, what
//! is still open.

use super::canvas::width;
use super::lane::{barrier_text, record_text};
use super::paint::Paint;
use super::task::{Line, Task};
use crate::model::{OperatorKind, Record, SinkKind};
use crate::trace::SinkView;

impl Task<'_> {
    fn sink(&self) -> Option<&SinkView> {
        self.view().sink.as_ref()
    }

    /// The last records that the outside has seen, and how many were earlier.
    pub(super) fn published(&self, mut line: Line<'_>) {
        let Some(sink) = self.sink() else { return };
        let kind = &self.names.scenario.graph.operator(self.task).kind;
        if *kind == OperatorKind::Sink(SinkKind::Idempotent) {
            let operator = self.names.scenario.graph.subtasks[self.task.index()].operator;
            for (key, record) in &sink.upserted {
                let key = key.map_or("–".to_owned(), |key| self.names.key(operator, key));
                line.put(&format!("{key} "), Paint::Dim);
                line.put(&record_text(record), Paint::Split(record.id.split.0));
                if line.room() > 0 {
                    line.put(" ", Paint::Plain);
                }
            }
            return;
        }
        let records: Vec<Record> = sink.published.last.iter().copied().collect();
        put_last(&mut line, &records, sink.published.count);
    }

    pub(super) fn prepared(&self, mut line: Line<'_>) {
        let Some(sink) = self.sink() else { return };
        let word = self.names.pick("prepared", "预提交");
        if sink.prepared.is_empty() {
            return line.put(&format!("{word} –"), Paint::Dim);
        }
        let needed = |(checkpoint, transaction): &(_, crate::trace::Transaction)| {
            let records = transaction.records.iter().map(|record| 1 + width(&record_text(record)));
            width(&barrier_text(*checkpoint)) + records.sum::<usize>()
        };
        let all: usize = sink.prepared.iter().map(needed).sum::<usize>() + sink.prepared.len();
        if width(word) + all <= line.room() {
            line.put(&format!("{word} "), Paint::Dim);
        }
        for (checkpoint, transaction) in &sink.prepared {
            line.put(&barrier_text(*checkpoint), Paint::Barrier);
            line.put(" ", Paint::Plain);
            put_last(&mut line, &transaction.records, transaction.records.len() as u64);
            if line.room() > 0 {
                line.put(" ", Paint::Plain);
            }
        }
    }

    pub(super) fn open(&self, mut line: Line<'_>) {
        if self.view().aligning.is_some() {
            return self.progress(line);
        }
        let Some(open) = self.sink().and_then(|sink| sink.open.as_ref()) else { return };
        line.put(self.names.pick("open ", "未提交 "), Paint::Dim);
        if open.records.is_empty() {
            return line.put("–", Paint::Dim);
        }
        put_last(&mut line, &open.records, open.records.len() as u64);
    }
}

/// Records as many as fit, the last ones, after the number of earlier ones.
fn put_last(line: &mut Line<'_>, records: &[Record], total: u64) {
    let widths = |from: usize| -> usize {
        let earlier = total - (records.len() - from) as u64;
        let prefix = if earlier > 0 { format!("+{earlier} ").len() } else { 0 };
        let texts = records[from..].iter().map(|record| 1 + width(&record_text(record)));
        prefix + texts.sum::<usize>().saturating_sub(1)
    };
    let first = records.len().saturating_sub(line.room());
    let from = (first..records.len()).find(|from| widths(*from) <= line.room());
    let from = from.unwrap_or(records.len().saturating_sub(1));
    let earlier = total - (records.len() - from) as u64;
    if earlier > 0 {
        line.put(&format!("+{earlier} "), Paint::Dim);
    }
    for (place, record) in records[from..].iter().enumerate() {
        if place > 0 {
            line.put(" ", Paint::Plain);
        }
        line.put(&record_text(record), Paint::Split(record.id.split.0));
    }
}
