//! Keys as a line has them.
//!
//! A key is written as its operator calls it: `odd` or `even`, a number, a
//! letter, a name. Which type that is, the reader knows from the operator. A
//! key of any other type than the operator makes (a union of streams with
//! different keys passes them on) says its type, so that every key reads back.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::Misfit;
use super::glance::Cursor;
use super::line::{Line, Scope, write_json};
use super::names::Table;
use super::pen::Pen;
use crate::model::{Key, KeySelector};

/// One way to make keys, with their names.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) selector: KeySelector,
    /// Of a selector by names; else empty.
    names: Table,
}

impl Keys {
    pub(super) fn new(selector: KeySelector) -> Self {
        let names: &[String] = match &selector {
            KeySelector::Names(names) => names,
            KeySelector::Parity | KeySelector::Modulo(_) | KeySelector::Value => &[],
        };
        let names = Table::new("key", names.iter().map(String::as_str));
        Self { selector, names }
    }

    /// Whether a key is one that this selector makes, so that its plain form
    /// reads back.
    #[inline]
    fn makes(&self, key: Key) -> bool {
        match (&self.selector, key) {
            (KeySelector::Parity, Key::Bool(_))
            | (KeySelector::Modulo(_), Key::Int(_))
            | (KeySelector::Value, Key::Long(_) | Key::Letter(_)) => true,
            (KeySelector::Names(_), Key::Name(place)) => {
                usize::from(place) < self.names.len() && self.names.are_unique()
            }
            _ => false,
        }
    }

    fn of_number(&self, number: i64) -> Option<Key> {
        match self.selector {
            KeySelector::Modulo(_) => i32::try_from(number).ok().map(Key::Int),
            KeySelector::Value => Some(Key::Long(number)),
            KeySelector::Parity | KeySelector::Names(_) => None,
        }
    }

    fn of_text(&self, text: &str) -> Option<Key> {
        match self.selector {
            KeySelector::Parity => match text {
                "odd" => Some(Key::Bool(true)),
                "even" => Some(Key::Bool(false)),
                _ => None,
            },
            KeySelector::Value => text.parse().ok().map(Key::Letter),
            KeySelector::Names(_) => {
                self.names.place(text).and_then(|place| u16::try_from(place).ok()).map(Key::Name)
            }
            KeySelector::Modulo(_) => None,
        }
    }
}

/// A key: `odd` or `even` of a key by parity, a number of a key by remainder or
/// by value, a letter of a key by value, or a name of a list of names. A key of
/// any other type than its operator makes says its type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, bound(deserialize = "'de: 'a"))]
#[serde(expecting = "a key is a whole number, a text, or an object that names its type")]
enum KeyLine<'a> {
    Number(i64),
    Text(#[serde(borrow)] Cow<'a, str>),
    Typed(TypedKey),
}

/// A key that says its type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum TypedKey {
    /// Whether the value is odd.
    Parity(bool),
    /// A remainder.
    Remainder(i32),
    /// The value itself, a number.
    Number(i64),
    /// The value itself, a letter.
    Letter(char),
    /// A place in a list of names.
    Name(u16),
}

impl<'a> KeyLine<'a> {
    fn of(key: Key, keys: Option<&'a Keys>) -> Self {
        let keys = keys.filter(|keys| keys.makes(key));
        match (key, keys) {
            (Key::Bool(odd), Some(_)) => Self::Text(if odd { "odd" } else { "even" }.into()),
            (Key::Int(number), Some(_)) => Self::Number(number.into()),
            (Key::Long(number), Some(_)) => Self::Number(number),
            (Key::Letter(letter), Some(_)) => Self::Text(letter.to_string().into()),
            (Key::Name(place), Some(keys)) => Self::Text(keys.names.plain(place.into()).into()),
            (Key::Bool(odd), None) => Self::Typed(TypedKey::Parity(odd)),
            (Key::Int(number), None) => Self::Typed(TypedKey::Remainder(number)),
            (Key::Long(number), None) => Self::Typed(TypedKey::Number(number)),
            (Key::Letter(letter), None) => Self::Typed(TypedKey::Letter(letter)),
            (Key::Name(place), None) => Self::Typed(TypedKey::Name(place)),
        }
    }

    fn key(self, keys: Option<&Keys>, scope: &Scope<'_>) -> Result<Key, Misfit> {
        let wrong = |text: &str| scope.misfit(text, format!("no key of this operator is `{text}`"));
        match self {
            Self::Number(number) => {
                let key = keys.and_then(|keys| keys.of_number(number));
                key.ok_or_else(|| wrong(&number.to_string()))
            }
            Self::Text(text) => {
                keys.and_then(|keys| keys.of_text(&text)).ok_or_else(|| wrong(&text))
            }
            Self::Typed(typed) => Ok(match typed {
                TypedKey::Parity(odd) => Key::Bool(odd),
                TypedKey::Remainder(number) => Key::Int(number),
                TypedKey::Number(number) => Key::Long(number),
                TypedKey::Letter(letter) => Key::Letter(letter),
                TypedKey::Name(place) => Key::Name(place),
            }),
        }
    }

    /// A key that says its type is left to serde.
    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, keys: &Keys) -> Option<Key> {
        match cursor.is_at_number() {
            true => keys.of_number(cursor.signed()?),
            false => match keys.selector {
                KeySelector::Value => cursor.letter().map(Key::Letter),
                KeySelector::Names(_) => {
                    let place = keys.names.place_of_spelled(cursor.name()?)?;
                    place.try_into().ok().map(Key::Name)
                }
                KeySelector::Parity | KeySelector::Modulo(_) => keys.of_text(cursor.name()?),
            },
        }
    }

    fn write(key: Key, keys: Option<&Keys>, out: &mut Pen) {
        match (key, keys.filter(|keys| keys.makes(key))) {
            (Key::Bool(true), Some(_)) => out.put(b"\"odd\""),
            (Key::Bool(false), Some(_)) => out.put(b"\"even\""),
            (Key::Int(number), Some(_)) => out.put_signed(number.into()),
            (Key::Long(number), Some(_)) => out.put_signed(number),
            (Key::Name(place), Some(keys)) => out.put_name(keys.names.quoted(place.into())),
            _ => write_json(&KeyLine::of(key, keys), out),
        }
    }
}

/// Keys, by where their selector comes from.
macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident by $selector:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[serde(transparent)]
            pub(super) struct $name<'a>(#[serde(borrow)] KeyLine<'a>);

            impl<'a> Line<'a> for $name<'a> {
                type Word = Key;

                fn of(word: &Key, scope: &mut Scope<'a>) -> Self {
                    scope.key = Some(*word);
                    Self(KeyLine::of(*word, scope.$selector()))
                }

                fn word(self, scope: &mut Scope<'_>) -> Result<Key, Misfit> {
                    let key = self.0.key(scope.$selector(), scope)?;
                    scope.key = Some(key);
                    Ok(key)
                }

                #[inline(always)]
                fn write(word: &Key, scope: &mut Scope<'_>, out: &mut Pen) {
                    scope.key = Some(*word);
                    KeyLine::write(*word, scope.$selector(), out);
                }

                #[inline(always)]
                fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Key> {
                    let key = KeyLine::glance(cursor, scope.$selector()?)?;
                    scope.key = Some(key);
                    Some(key)
                }
            }
        )*
    };
}

keys! {
    /// The key under which a keyed operator upstream emitted a record.
    RecordKey by record_keys;
    /// The key of a piece of a task's state.
    StateKey by state_keys;
}
