//! Which records a step reads, counts or publishes: what the numbers of the
//! ledger link to. How often each of them ought to have been is the judge's
//! business.

use super::scenes::Column;
use crate::model::{OperatorKind, RecordId, Scenario, SinkKind, SubtaskIndex};
use crate::trace::{Fact, View};

/// Records by where they pass, with what they say there.
pub(super) fn touches<'f>(
    scenario: &Scenario,
    before: &View,
    facts: impl Iterator<Item = &'f Fact>,
) -> Vec<(Column, RecordId, String)> {
    let graph = &scenario.graph;
    let operator = |task: SubtaskIndex| graph.subtasks[task.index()].operator;
    let mut found = Vec::new();
    for fact in facts {
        match fact {
            Fact::Read { record, .. } => {
                found.push((Column::Read, record.id, record.value.to_string()));
            }
            Fact::Processed { task, record, state, .. } => {
                let value = record.value.to_string();
                match graph.operator(*task).kind {
                    // Becomes visible with its transaction.
                    OperatorKind::Sink(SinkKind::Transactional) => {}
                    OperatorKind::Sink(_) => {
                        found.push((Column::Published(operator(*task)), record.id, value));
                    }
                    _ if state.is_some() => {
                        found.push((Column::Counted(operator(*task)), record.id, value));
                    }
                    _ => {}
                }
            }
            Fact::TransactionCommitted { transaction, .. } => {
                let task = transaction.subtask;
                let Some(sink) = &before.tasks[task.index()].sink else { continue };
                let prepared = sink.prepared.iter().map(|(_, own)| own);
                let own = prepared.chain(&sink.open).find(|own| own.id == *transaction);
                for record in own.iter().flat_map(|own| &own.records) {
                    let column = Column::Published(operator(task));
                    found.push((column, record.id, record.value.to_string()));
                }
            }
            _ => {}
        }
    }
    found
}
