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
    /// Keeps keyed or broadcast state.
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

/// What comes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// A result.
    Result,
    /// Nothing that goes on.
    Nothing,
}

impl Work {
    /// Lets a record that came from a side have its effect, and makes it the
    /// result, if there is one.
    ///
    /// # Panics
    /// When it is not the work of this kind of operator.
    #[inline(always)]
    pub fn process(&mut self, kind: &OperatorKind, side: JoinSide, record: &mut Record) -> Yield {
        match (self, kind) {
            (Self::Sink(sink), _) => {
                sink.write(record);
                Yield::Nothing
            }
            (
                Self::Keyed(state),
                OperatorKind::Sum(selector)
                | OperatorKind::Count(selector)
                | OperatorKind::Max(selector),
            ) => {
                let (key, value) =
                    state.update(selector, record.value, |old| aggregate(kind, old, record.value));
                (record.key, record.value) = (Some(key), value);
                Yield::Result
            }
            (work, _) => match work.process_otherwise(kind, side, *record) {
                Some((value, key)) => {
                    (record.value, record.key) = (value, key);
                    Yield::Result
                }
                None => Yield::Nothing,
            },
        }
    }

    /// [`Work::process`] of what is neither written nor aggregated; gives value
    /// and key of the result.
    #[inline(never)]
    fn process_otherwise(
        &mut self,
        kind: &OperatorKind,
        side: JoinSide,
        record: Record,
    ) -> Option<(Value, Option<Key>)> {
        let value = record.value;
        match (kind, self) {
            (OperatorKind::Join(selector), Self::Keyed(state)) => {
                let key = selector.key(value);
                let (Some(left), Some(right)) = state.put(key, side, value) else { return None };
                Some((Value::Number(left.number().wrapping_add(right.number())), Some(key)))
            }
            (OperatorKind::BroadcastProcess(selector), Self::Keyed(state)) => match side {
                JoinSide::Right => {
                    state.update(selector, value, |_| value);
                    None
                }
                JoinSide::Left => {
                    Some((with_rule(value, state.get(selector.key(value))), record.key))
                }
            },
            (OperatorKind::Map(function), _) => Some((function.apply(value), record.key)),
            (OperatorKind::Filter(predicate), _) => {
                predicate.holds(value).then_some((value, record.key))
            }
            (OperatorKind::Union, _) => Some((value, record.key)),
            _ => unreachable!("a task does the work of its operator"),
        }
    }

    /// The state under the key of a value that has come from a side and been
    /// processed; none where that changes nothing.
    #[must_use]
    pub fn state_under(
        &self,
        kind: &OperatorKind,
        side: JoinSide,
        value: Value,
    ) -> Option<(Key, StateValue)> {
        match (kind.key_selector(), self) {
            _ if matches!(kind, OperatorKind::BroadcastProcess(_)) && side == JoinSide::Left => {
                None
            }
            (Some(selector), Self::Keyed(state)) => {
                let key = selector.key(value);
                Some((key, state.under(key)))
            }
            _ => None,
        }
    }
}

/// A value with what the broadcast state has under its key.
fn with_rule(value: Value, rule: Option<Value>) -> Value {
    match rule {
        Some(rule) => Value::Number(value.number().wrapping_add(rule.number())),
        None => value,
    }
}

/// What stands under a key after a value, where there is one value a key.
#[inline(always)]
fn aggregate(kind: &OperatorKind, old: Option<Value>, new: Value) -> Value {
    match (kind, old) {
        (OperatorKind::Sum(_), _) => {
            Value::Number(old.map_or(0, Value::number).wrapping_add(new.number()))
        }
        (OperatorKind::Count(_), _) => Value::Number(old.map_or(0, Value::number).wrapping_add(1)),
        (_, Some(old)) if old.number() >= new.number() => old,
        _ => new,
    }
}
