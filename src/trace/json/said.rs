//! Fields that are left out when the line has said the same already.
//!
//! A task emits what it has just read or worked out, and it does so in the
//! same step. Such a line names the record once, and of its value and key only
//! what is new. A task that stands at the end of the fact's channel, or that
//! reads the record's split, need not be named either.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::error::Misfit;
use super::glance::Cursor;
use super::key::RecordKey;
use super::line::{Line, Scope};
use super::pen::Pen;
use super::word::{RecordName, TaskName, ValueLine};
use crate::model::{Key, RecordId, SubtaskIndex, Value};

/// Types that are another one, or nothing where the line has said it.
macro_rules! said {
    ($(
        $(#[$doc:meta])*
        $name:ident is $line:ty, of $word:ty, else $said:ident($how:ident) $what:literal;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[serde(transparent)]
            pub(super) struct $name<'a>(#[serde(borrow)] Option<$line>);

            impl<'a> Line<'a> for $name<'a> {
                type Word = $word;

                fn of(word: &$word, scope: &mut Scope<'a>) -> Self {
                    Self((!Self::leaves_out(word, scope)).then(|| <$line>::of(word, scope)))
                }

                fn word(self, scope: &mut Scope<'_>) -> Result<$word, Misfit> {
                    match self.0 {
                        Some(line) => line.word(scope),
                        None => said!(@$how scope, $said).ok_or_else(|| unsaid($what)),
                    }
                }

                #[inline(always)]
                fn write(word: &$word, scope: &mut Scope<'_>, out: &mut Pen) {
                    <$line>::write(word, scope, out);
                }

                #[inline(always)]
                fn leaves_out(word: &$word, scope: &Scope<'_>) -> bool {
                    said!(@$how scope, $said) == Some(*word)
                }

                fn is_left_out(&self) -> bool {
                    self.0.is_none()
                }

                #[inline(always)]
                fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<$word> {
                    <$line>::glance(cursor, scope)
                }

                #[inline(always)]
                fn left_out(scope: &Scope<'_>) -> Option<$word> {
                    said!(@$how scope, $said)
                }
            }
        )*
    };
    (@field $scope:ident, $said:ident) => { $scope.$said };
    (@task $scope:ident, $said:ident) => { $scope.$said() };
}

said! {
    /// A record; left out when it is the line's newest.
    SaidRecord is RecordName<'a>, of RecordId, else record(field) "record";
    /// A task; left out when it is the one at the end of the fact's channel.
    ReceiverName is TaskName<'a>, of SubtaskIndex, else receiver(task) "task";
    /// A task; left out when it is the source that reads the record's split.
    ReaderName is TaskName<'a>, of SubtaskIndex, else reader(task) "task";
}

fn unsaid(what: &str) -> Misfit {
    let what = format!("no {what} is given, and none was named before it in the line");
    Misfit { field: String::new(), column: 1, what, remedy: None }
}

/// A value; left out when it is the line's newest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct SaidValue(Option<ValueLine>);

impl Line<'_> for SaidValue {
    type Word = Value;

    fn of(word: &Value, scope: &mut Scope<'_>) -> Self {
        Self((!Self::leaves_out(word, scope)).then(|| ValueLine::of(word, scope)))
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<Value, Misfit> {
        match self.0 {
            Some(line) => line.word(scope),
            None => scope.value.ok_or_else(|| unsaid("value")),
        }
    }

    #[inline(always)]
    fn write(word: &Value, scope: &mut Scope<'_>, out: &mut Pen) {
        ValueLine::write(word, scope, out);
    }

    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Value> {
        ValueLine::glance(cursor, scope)
    }

    #[inline(always)]
    fn left_out(scope: &Scope<'_>) -> Option<Value> {
        scope.value
    }

    #[inline(always)]
    fn leaves_out(word: &Value, scope: &Scope<'_>) -> bool {
        scope.value == Some(*word)
    }

    fn is_left_out(&self) -> bool {
        self.0.is_none()
    }
}

/// The key under which a record was emitted; left out when it is the line's
/// newest or there is none at all, `null` when there is none in spite of that.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum SaidKey<'a> {
    #[default]
    AsSaid,
    Without,
    Key(RecordKey<'a>),
}

impl<'a> Line<'a> for SaidKey<'a> {
    type Word = Option<Key>;

    fn of(word: &Option<Key>, scope: &mut Scope<'a>) -> Self {
        match word {
            _ if Self::leaves_out(word, scope) => Self::AsSaid,
            Some(key) => Self::Key(RecordKey::of(key, scope)),
            None => Self::Without,
        }
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<Option<Key>, Misfit> {
        match self {
            Self::AsSaid => Ok(scope.key),
            Self::Without => Ok(None),
            Self::Key(line) => line.word(scope).map(Some),
        }
    }

    #[inline(always)]
    fn write(word: &Option<Key>, scope: &mut Scope<'_>, out: &mut Pen) {
        match word {
            Some(key) => RecordKey::write(key, scope, out),
            None => out.put(b"null"),
        }
    }

    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Option<Key>> {
        match cursor.eat("null") {
            Some(()) => Some(None),
            None => RecordKey::glance(cursor, scope).map(Some),
        }
    }

    #[inline(always)]
    fn left_out(scope: &Scope<'_>) -> Option<Option<Key>> {
        Some(scope.key)
    }

    #[inline(always)]
    fn leaves_out(word: &Option<Key>, scope: &Scope<'_>) -> bool {
        scope.key == *word
    }

    fn is_left_out(&self) -> bool {
        matches!(self, Self::AsSaid)
    }
}

impl Serialize for SaidKey<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Key(key) => key.serialize(serializer),
            Self::AsSaid | Self::Without => serializer.serialize_none(),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for SaidKey<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = Option::<RecordKey<'a>>::deserialize(deserializer)?;
        Ok(key.map_or(Self::Without, Self::Key))
    }
}

impl JsonSchema for SaidKey<'_> {
    fn schema_name() -> Cow<'static, str> {
        "SaidKey".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let key = generator.subschema_for::<RecordKey<'_>>();
        schemars::json_schema!({ "oneOf": [key, { "type": "null" }] })
    }
}
