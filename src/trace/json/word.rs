//! Names, records, values, keys and states as a line has them.

use std::borrow::Cow;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::Misfit;
use super::glance::Cursor;
use super::key::StateKey;
use super::line::{Line, Scope, close_object, lines, write_field, write_json};
use super::names::Table;
use super::pen::Pen;
use crate::model::{
    Attempt, ChannelIndex, CheckpointId, Key, Path, RecordId, SnapshotState, SplitIndex,
    StateValue, SubtaskIndex, TaskManagerIndex, TransactionId, Value,
};

/// Types whose JSON is one name out of a table.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident is $word:ident in $table:ident $(, kept as $kept:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[serde(transparent)]
            pub(super) struct $name<'a>(#[serde(borrow)] Cow<'a, str>);

            impl<'a> Line<'a> for $name<'a> {
                type Word = $word;

                fn of(word: &$word, scope: &mut Scope<'a>) -> Self {
                    $( scope.$kept = Some(*word); )?
                    Self(scope.names.$table.plain(word.index()).into())
                }

                fn word(self, scope: &mut Scope<'_>) -> Result<$word, Misfit> {
                    let word = $word(place_of(&scope.names.$table, &self.0, scope)?);
                    $( scope.$kept = Some(word); )?
                    Ok(word)
                }

                #[inline(always)]
                fn write(word: &$word, scope: &mut Scope<'_>, out: &mut Pen) {
                    $( scope.$kept = Some(*word); )?
                    out.put_name(scope.names.$table.quoted(word.index()));
                }

                #[inline(always)]
                fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<$word> {
                    let word = $word(scope.names.$table.place_of_spelled(cursor.name()?)?);
                    $( scope.$kept = Some(word); )?
                    Some(word)
                }
            }
        )*
    };
}

names! {
    /// A subtask by name: `sum[odd]`.
    TaskName is SubtaskIndex in tasks, kept as task;
    /// A channel by name: `numbers[blue]->sum[odd]`.
    ChannelName is ChannelIndex in channels, kept as channel;
    /// A split by name: `blue`.
    SplitName is SplitIndex in splits;
    /// A TaskManager by name.
    TaskManagerName is TaskManagerIndex in task_managers;
}

fn place_of(table: &Table, name: &str, scope: &Scope<'_>) -> Result<u32, Misfit> {
    table.place(name).ok_or_else(|| {
        let mut misfit =
            scope.misfit(name, format!("the trace's scenario has no {} `{name}`", table.kind));
        misfit.remedy = table.closest(name).map(|close| format!("did you mean `{close}`?"));
        misfit
    })
}

/// An element of a channel: the channel's name and its number there, as
/// `numbers[blue]->sum[odd]/2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct ElementName<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Line<'a> for ElementName<'a> {
    type Word = (ChannelIndex, u64);

    fn of((channel, number): &Self::Word, scope: &mut Scope<'a>) -> Self {
        scope.channel = Some(*channel);
        let channel = scope.names.channels.plain(channel.index());
        Self(format!("{channel}/{number}").into())
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<Self::Word, Misfit> {
        let text = &*self.0;
        let (channel, number) = numbered(text).ok_or_else(|| {
            let what = format!("`{text}` is not an element of a channel, as `map->sink/2` is");
            scope.misfit(text, what)
        })?;
        let channel = ChannelIndex(place_of(&scope.names.channels, channel, scope)?);
        scope.channel = Some(channel);
        Ok((channel, number))
    }

    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Self::Word> {
        let (channel, number) = numbered(cursor.name()?)?;
        let channel = ChannelIndex(scope.names.channels.place_of_spelled(channel)?);
        scope.channel = Some(channel);
        Some((channel, number))
    }

    #[inline(always)]
    fn write((channel, number): &Self::Word, scope: &mut Scope<'_>, out: &mut Pen) {
        scope.channel = Some(*channel);
        out.put_name(scope.names.channels.open(channel.index()));
        out.put_byte(b'/');
        out.put_number(*number);
        out.put_byte(b'"');
    }
}

/// A name and the number behind it.
#[inline(always)]
fn numbered(text: &str) -> Option<(&str, u64)> {
    let (name, number) = text.rsplit_once('/')?;
    Some((name, digits(number)?))
}

/// A record by what caused it: split and offset, as `blue/4`; where the job
/// branches, the turns that it took as well, as `blue/4~1.2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct RecordName<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Line<'a> for RecordName<'a> {
    type Word = RecordId;

    fn of(word: &RecordId, scope: &mut Scope<'a>) -> Self {
        scope.record = Some(*word);
        let mut text = format!("{}/{}", scope.names.splits.plain(word.split.index()), word.offset);
        for (place, way) in ways(word.path).enumerate() {
            let mark = if place == 0 { '~' } else { '.' };
            write!(text, "{mark}{way}").expect("a text grows");
        }
        Self(text.into())
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<RecordId, Misfit> {
        let text = &*self.0;
        let wrong = || scope.misfit(text, format!("`{text}` is not a record, as `blue/4` is"));
        let (split, offset, path) = record_of(text).ok_or_else(wrong)?;
        let split = SplitIndex(place_of(&scope.names.splits, split, scope)?);
        let record = RecordId { split, offset, path };
        scope.record = Some(record);
        Ok(record)
    }

    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<RecordId> {
        let (split, offset, path) = record_of(cursor.name()?)?;
        let split = SplitIndex(scope.names.splits.place_of_spelled(split)?);
        let record = RecordId { split, offset, path };
        scope.record = Some(record);
        Some(record)
    }

    #[inline(always)]
    fn write(word: &RecordId, scope: &mut Scope<'_>, out: &mut Pen) {
        scope.record = Some(*word);
        out.put_name(scope.names.splits.open(word.split.index()));
        out.put_byte(b'/');
        out.put_number(word.offset.into());
        if word.path != Path(0) {
            for (place, way) in ways(word.path).enumerate() {
                out.put_byte(if place == 0 { b'~' } else { b'.' });
                out.put_number(way.into());
            }
        }
        out.put_byte(b'"');
    }
}

/// Split, offset and path of a record's name.
#[inline]
fn record_of(text: &str) -> Option<(&str, u32, Path)> {
    let (split, rest) = text.rsplit_once('/')?;
    let (offset, path) = rest.split_once('~').map_or((rest, None), |(o, p)| (o, Some(p)));
    Some((split, digits(offset)?, path.map_or(Some(Path(0)), path_of)?))
}

/// The turns of a path, the first turn first.
fn ways(path: Path) -> impl Iterator<Item = u8> {
    path.0.to_be_bytes().into_iter().skip_while(|way| *way == 0)
}

fn path_of(text: &str) -> Option<Path> {
    let mut path = Path(0);
    for (place, way) in text.split('.').enumerate() {
        let way: u8 = digits(way)?;
        if place == Path::TURNS_MAX || path == Path(0) && way == 0 {
            return None;
        }
        path = path.turn(way);
    }
    Some(path)
}

/// A number as it is written here: no sign, no zero in front.
fn digits<N: std::str::FromStr>(text: &str) -> Option<N> {
    let canonical = text == "0" || text.starts_with(|first| matches!(first, '1'..='9'));
    text.parse().ok().filter(|_| canonical)
}

/// A transaction: the sink subtask that began it, the attempt, and the
/// how-manieth of that attempt, as `sink[even]/2/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct TransactionName<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Line<'a> for TransactionName<'a> {
    type Word = TransactionId;

    fn of(word: &TransactionId, scope: &mut Scope<'a>) -> Self {
        let sink = scope.names.tasks.plain(word.subtask.index());
        Self(format!("{sink}/{}/{}", word.attempt, word.number).into())
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<TransactionId, Misfit> {
        let text = &*self.0;
        let wrong =
            || scope.misfit(text, format!("`{text}` is not a transaction, as `sink[even]/2/1` is"));
        let mut parts = text.rsplitn(3, '/');
        let number = parts.next().and_then(digits).ok_or_else(wrong)?;
        let attempt = parts.next().and_then(digits).ok_or_else(wrong)?;
        let sink = parts.next().ok_or_else(wrong)?;
        Ok(TransactionId {
            subtask: SubtaskIndex(place_of(&scope.names.tasks, sink, scope)?),
            attempt: Attempt(attempt),
            number,
        })
    }

    fn write(word: &TransactionId, scope: &mut Scope<'_>, out: &mut Pen) {
        out.put_name(scope.names.tasks.open(word.subtask.index()));
        out.put_byte(b'/');
        out.put_number(word.attempt.0.into());
        out.put_byte(b'/');
        out.put_number(word.number.into());
        out.put_byte(b'"');
    }
}

/// The value of a record: a whole number of 64 bits, or one letter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a value is a whole number of 64 bits or one letter")]
pub(super) enum ValueLine {
    Number(i64),
    Letter(char),
}

impl Line<'_> for ValueLine {
    type Word = Value;

    fn of(word: &Value, scope: &mut Scope<'_>) -> Self {
        scope.value = Some(*word);
        match *word {
            Value::Number(number) => Self::Number(number),
            Value::Letter(letter) => Self::Letter(letter),
        }
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<Value, Misfit> {
        let value = match self {
            Self::Number(number) => Value::Number(number),
            Self::Letter(letter) => Value::Letter(letter),
        };
        scope.value = Some(value);
        Ok(value)
    }

    #[inline(always)]
    fn write(word: &Value, scope: &mut Scope<'_>, out: &mut Pen) {
        scope.value = Some(*word);
        match *word {
            Value::Number(number) => out.put_signed(number),
            Value::Letter(letter) => write_json(&letter, out),
        }
    }

    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Value> {
        let value = match cursor.is_at_number() {
            true => Value::Number(cursor.signed()?),
            false => Value::Letter(cursor.letter()?),
        };
        scope.value = Some(value);
        Some(value)
    }
}

/// The state under a key: a value, or the two sides of a join.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a state is a value or the two sides of a join")]
pub(super) enum StateLine {
    Value(ValueLine),
    Sides(SidesLine),
}

/// The newest value of each side of a join, as far as there is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SidesLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<ValueLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<ValueLine>,
}

impl Line<'_> for StateLine {
    type Word = StateValue;

    fn of(word: &StateValue, scope: &mut Scope<'_>) -> Self {
        match word {
            StateValue::Value(value) => Self::Value(Line::of(value, scope)),
            StateValue::Sides { left, right } => Self::Sides(SidesLine {
                left: Line::of(left, scope),
                right: Line::of(right, scope),
            }),
        }
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<StateValue, Misfit> {
        Ok(match self {
            Self::Value(value) => StateValue::Value(value.word(scope)?),
            Self::Sides(SidesLine { left, right }) => {
                StateValue::Sides { left: left.word(scope)?, right: right.word(scope)? }
            }
        })
    }

    #[inline(always)]
    fn write(word: &StateValue, scope: &mut Scope<'_>, out: &mut Pen) {
        match word {
            StateValue::Value(value) => ValueLine::write(value, scope, out),
            StateValue::Sides { left, right } => {
                let start = out.len();
                write_field::<Option<ValueLine>>(",\"left\":", left, scope, out);
                write_field::<Option<ValueLine>>(",\"right\":", right, scope, out);
                close_object(start, out);
            }
        }
    }

    /// The sides of a join are left to serde.
    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<StateValue> {
        ValueLine::glance(cursor, scope).map(StateValue::Value)
    }
}

lines! {
    /// One entry of keyed state.
    struct KeyedLine<'a> is (Key, StateValue) {
        key: StateKey<'a>,
        value: StateLine,
    } = ((key, value))
}

lines! {
    /// How many records a source has read of a split.
    struct OffsetLine<'a> is (SplitIndex, u32) {
        split: SplitName<'a>,
        offset: u32,
    } = ((split, offset))
}

lines! {
    /// A prepared transaction, and the checkpoint with which it is committed.
    struct PreparedLine<'a> is (TransactionId, CheckpointId) {
        transaction: TransactionName<'a>,
        checkpoint: CheckpointId,
    } = ((transaction, checkpoint))
}

/// What a task stores in a snapshot and gets back from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", bound(deserialize = "'de: 'a"))]
pub(super) enum SnapshotLine<'a> {
    /// Of a source.
    Offsets(Vec<OffsetLine<'a>>),
    /// Of an operator that keeps state by key, sorted by key.
    Keyed(Vec<KeyedLine<'a>>),
    /// Broadcast state, the same in every subtask, sorted by key.
    Broadcast(Vec<KeyedLine<'a>>),
    /// Nothing.
    Stateless,
    /// Of a transactional sink: prepared, and not known to be committed.
    Transactions(Vec<PreparedLine<'a>>),
}

impl<'a> Line<'a> for SnapshotLine<'a> {
    type Word = SnapshotState;

    fn of(word: &SnapshotState, scope: &mut Scope<'a>) -> Self {
        match word {
            SnapshotState::Offsets(offsets) => Self::Offsets(Line::of(offsets, scope)),
            SnapshotState::Keyed(entries) => Self::Keyed(Line::of(entries, scope)),
            SnapshotState::Broadcast(entries) => Self::Broadcast(Line::of(entries, scope)),
            SnapshotState::Stateless => Self::Stateless,
            SnapshotState::Transactions(prepared) => Self::Transactions(Line::of(prepared, scope)),
        }
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<SnapshotState, Misfit> {
        Ok(match self {
            Self::Offsets(offsets) => SnapshotState::Offsets(offsets.word(scope)?),
            Self::Keyed(entries) => SnapshotState::Keyed(entries.word(scope)?),
            Self::Broadcast(entries) => SnapshotState::Broadcast(entries.word(scope)?),
            Self::Stateless => SnapshotState::Stateless,
            Self::Transactions(prepared) => SnapshotState::Transactions(prepared.word(scope)?),
        })
    }

    fn write(word: &SnapshotState, scope: &mut Scope<'_>, out: &mut Pen) {
        match word {
            SnapshotState::Offsets(offsets) => {
                out.put(b"{\"offsets\":");
                Vec::<OffsetLine<'_>>::write(offsets, scope, out);
            }
            SnapshotState::Keyed(entries) => {
                out.put(b"{\"keyed\":");
                Vec::<KeyedLine<'_>>::write(entries, scope, out);
            }
            SnapshotState::Broadcast(entries) => {
                out.put(b"{\"broadcast\":");
                Vec::<KeyedLine<'_>>::write(entries, scope, out);
            }
            SnapshotState::Stateless => return out.put(b"\"stateless\""),
            SnapshotState::Transactions(prepared) => {
                out.put(b"{\"transactions\":");
                Vec::<PreparedLine<'_>>::write(prepared, scope, out);
            }
        }
        out.put_byte(b'}');
    }
}
