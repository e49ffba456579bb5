//! What a record does to a task's state, and what comes of it.
//!
//! Knows nothing of channels: where a result goes is decided elsewhere.

use super::keyed_state::KeyedState;
use super::sink::Sink;
use crate::model::{JoinSide, Key, OperatorKind, Record, StateValue, Value};

/// What a subtask keeps to do its work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Reads splits.
    Source(SourceReader),
    /// Needs no state.
    Stateless,
    /// Keeps state by key.
    Keyed(KeyedState),
    /// Writes to the outside.
    Sink(Sink),
}

/// The position of a source subtask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceReader {
    /// Records read of each of its splits.
    pub offsets: Vec<u32>,
    /// Which of its splits is next.
    pub turn: usize,
}

impl Work {
    /// Lets a record that came from a side have its effect, and gives the
    /// result, if there is one.
    ///
    /// # Panics
    /// When it is not the work of this kind of operator.
    #[inline(always)]
    pub fn process(
        &mut self,
        kind: &OperatorKind,
        side: JoinSide,
        record: &Record,
    ) -> Option<Record> {
        let new = record.value;
        match (kind, self) {
            (OperatorKind::Sum(selector), Self::Keyed(state)) => {
                let (key, sum) = state.update(selector, new, |old| {
                    let old = old.map_or(0, Value::number);
                    Value::Number(old.wrapping_add(new.number()))
                });
                Some(Record { id: record.id, value: sum, key: Some(key) })
            }
            (OperatorKind::Count(selector), Self::Keyed(state)) => {
                let (key, count) = state.update(selector, new, |old| {
                    Value::Number(old.map_or(0, Value::number).wrapping_add(1))
                });
                Some(Record { id: record.id, value: count, key: Some(key) })
            }
            (OperatorKind::Max(selector), Self::Keyed(state)) => {
                let (key, max) = state.update(selector, new, |old| match old {
                    Some(old) if old.number() >= new.number() => old,
                    _ => new,
                });
                Some(Record { id: record.id, value: max, key: Some(key) })
            }
            (OperatorKind::Join(selector), Self::Keyed(state)) => {
                let key = selector.key(new);
                let (Some(left), Some(right)) = state.put(key, side, new) else { return None };
                let sum = Value::Number(left.number().wrapping_add(right.number()));
                Some(Record { id: record.id, value: sum, key: Some(key) })
            }
            (OperatorKind::Map(function), _) => {
                Some(Record { value: function.apply(new), ..*record })
            }
            (OperatorKind::Filter(predicate), _) => predicate.holds(new).then_some(*record),
            (OperatorKind::Union, _) => Some(*record),
            (OperatorKind::Sink(_), Self::Sink(sink)) => {
                sink.write(record);
                None
            }
            _ => unreachable!("a task does the work of its operator"),
        }
    }

    /// The state under the key of a value that has been processed; none where
    /// the operator keeps no state by key.
    #[must_use]
    pub fn state_under(&self, kind: &OperatorKind, value: Value) -> Option<(Key, StateValue)> {
        match (kind.key_selector(), self) {
            (Some(selector), Self::Keyed(state)) => {
                let key = selector.key(value);
                Some((key, state.under(key)))
            }
            _ => None,
        }
    }
}
