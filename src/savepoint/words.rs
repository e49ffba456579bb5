//! Records, keys and values: between the numbers of a job and the names of a
//! savepoint.

use super::refusal::Refusal;
use crate::model::{
    ExecutionGraph, Key, KeySelector, KeyType, Path, Record, RecordId, SavedKey, SavedRecord,
    SavedSides, SavedState, SplitIndex, StateValue,
};

/// The type of the keys of a selector.
pub(super) fn key_type(selector: &KeySelector) -> KeyType {
    match selector {
        KeySelector::Parity => KeyType::Boolean,
        KeySelector::Modulo(_) => KeyType::Integer,
        KeySelector::Value => KeyType::Value,
        KeySelector::Names(_) => KeyType::String,
    }
}

/// A key by name.
pub(super) fn saved_key(key: Key, selector: Option<&KeySelector>) -> SavedKey {
    match key {
        Key::Bool(odd) => SavedKey::Boolean(odd),
        Key::Int(number) => SavedKey::Integer(number),
        Key::Long(number) => SavedKey::Long(number),
        Key::Letter(letter) => SavedKey::Letter(letter),
        Key::Name(_) => {
            SavedKey::Name(selector.map_or_else(String::new, |selector| selector.text(key)))
        }
    }
}

/// The key of a name; none if the selector makes no such key.
pub(super) fn key(saved: &SavedKey, selector: &KeySelector) -> Option<Key> {
    match (saved, selector) {
        (SavedKey::Boolean(odd), KeySelector::Parity) => Some(Key::Bool(*odd)),
        (SavedKey::Integer(number), KeySelector::Modulo(modulus)) => {
            (0..*modulus).contains(number).then_some(Key::Int(*number))
        }
        (SavedKey::Long(number), KeySelector::Value) => Some(Key::Long(*number)),
        (SavedKey::Letter(letter), KeySelector::Value) => Some(Key::Letter(*letter)),
        (SavedKey::Name(name), KeySelector::Names(names)) => {
            let place = names.iter().position(|own| own == name)?;
            u16::try_from(place).ok().map(Key::Name)
        }
        _ => None,
    }
}

/// A key for people.
pub(super) fn key_text(saved: &SavedKey) -> String {
    match saved {
        SavedKey::Boolean(true) => "odd".to_owned(),
        SavedKey::Boolean(false) => "even".to_owned(),
        SavedKey::Integer(number) => number.to_string(),
        SavedKey::Long(number) => number.to_string(),
        SavedKey::Letter(letter) => letter.to_string(),
        SavedKey::Name(name) => name.clone(),
    }
}

pub(super) fn saved_state(state: &StateValue) -> SavedState {
    match state {
        StateValue::Value(value) => SavedState::Value((*value).into()),
        StateValue::Sides { left, right } => SavedState::Sides(SavedSides {
            left: left.map(Into::into),
            right: right.map(Into::into),
        }),
    }
}

pub(super) fn state(saved: &SavedState) -> StateValue {
    match saved {
        SavedState::Value(value) => StateValue::Value((*value).into()),
        SavedState::Sides(sides) => StateValue::Sides {
            left: sides.left.map(Into::into),
            right: sides.right.map(Into::into),
        },
    }
}

pub(super) fn saved_record(
    graph: &ExecutionGraph,
    record: &Record,
    keys: Option<&KeySelector>,
) -> SavedRecord {
    let id = record.id;
    SavedRecord {
        split: graph.split(id.split).name.clone(),
        offset: id.offset,
        turns: id.path.0.to_be_bytes().into_iter().skip_while(|way| *way == 0).collect(),
        value: record.value.into(),
        key: record.key.map(|key| saved_key(key, keys)),
    }
}

/// A record in the numbers of a job.
///
/// # Errors
/// When the job has no such split, or makes no such key.
pub(super) fn record(
    graph: &ExecutionGraph,
    saved: &SavedRecord,
    keys: Option<&KeySelector>,
) -> Result<Record, Refusal> {
    let impossible = |what: &str| Refusal::Impossible { what: what.to_owned() };
    let path: Path = saved.path().map_err(impossible)?;
    let split = split(graph, &saved.split)?;
    let own_key = |saved: &SavedKey| {
        let by_type = match saved {
            SavedKey::Boolean(odd) => Some(Key::Bool(*odd)),
            SavedKey::Integer(number) => Some(Key::Int(*number)),
            SavedKey::Long(number) => Some(Key::Long(*number)),
            SavedKey::Letter(letter) => Some(Key::Letter(*letter)),
            SavedKey::Name(_) => keys.and_then(|selector| key(saved, selector)),
        };
        by_type.ok_or_else(|| Refusal::UnknownKey {
            operator: "in flight".to_owned(),
            key: key_text(saved),
        })
    };
    let key = saved.key.as_ref().map(own_key).transpose()?;
    let id = RecordId { split, offset: saved.offset, path };
    Ok(Record { id, value: saved.value.into(), key })
}

/// The number of a split.
///
/// # Errors
/// When the job has no such split.
// Differs: in Flink a split lives in the state of its reader, and is read on
// even if the source no longer lists it; here what a split holds is said by the
// scenario, and a job without it does not start.
pub(super) fn split(graph: &ExecutionGraph, name: &str) -> Result<SplitIndex, Refusal> {
    let mut splits = (0..graph.splits.len()).map(SplitIndex::at);
    let found = splits.find(|split| graph.split(*split).name == name);
    found.ok_or_else(|| Refusal::SplitGone { split: name.to_owned() })
}
