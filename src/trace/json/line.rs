//! How each word of memory and its form in a line belong together, and the
//! macro that makes both directions and the fast writer from one list.
//!
//! An enum of the format is written down once, beside the pattern of its word
//! in memory; the pattern serves to take the word apart and, read as an
//! expression, to put it together.

use super::error::Misfit;
use super::glance::Cursor;
use super::key::Keys;
use super::names::Names;
use super::pen::Pen;
use crate::model::{
    AlignmentType, Attempt, Backlog, ChannelEnd, ChannelIndex, CheckpointFailureReason,
    CheckpointId, ClaimMode, HighAvailability, Key, Micros, RecordId, SavepointFormatType,
    SnapshotType, StateKind, SubtaskIndex, Time, Value, WriteFailure,
};
use crate::trace::{Rejection, RpcMessage, TriggerCause};

/// What a line has said so far. Keys are read by it: a record's key was made
/// upstream of its channel, a state's key at its task. And what it has said
/// need not be said again (`said.rs`).
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) names: &'a Names,
    /// The line that is read; empty when one is written.
    pub(super) text: &'a str,
    /// Of the fact.
    pub(super) task: Option<SubtaskIndex>,
    /// Of the fact.
    pub(super) channel: Option<ChannelIndex>,
    /// The newest of the line.
    pub(super) record: Option<RecordId>,
    /// The newest of the line.
    pub(super) value: Option<Value>,
    /// The newest of the line.
    pub(super) key: Option<Key>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(names: &'a Names, text: &'a str) -> Self {
        Self { names, text, task: None, channel: None, record: None, value: None, key: None }
    }

    /// The next fact of the line begins.
    #[inline(always)]
    pub(super) fn next_fact(&mut self) {
        (self.task, self.channel) = (None, None);
    }

    pub(super) fn record_keys(&self) -> Option<&'a Keys> {
        self.channel.and_then(|channel| self.names.keys_in(channel)).or_else(|| self.state_keys())
    }

    pub(super) fn state_keys(&self) -> Option<&'a Keys> {
        let task = self.task.or_else(|| self.receiver());
        task.and_then(|task| self.names.keys_at(task))
    }

    /// The task at the end of the fact's channel.
    #[inline(always)]
    pub(super) fn receiver(&self) -> Option<SubtaskIndex> {
        self.channel.map(|channel| self.names.receiver(channel))
    }

    /// The source that reads the line's newest record.
    #[inline(always)]
    pub(super) fn reader(&self) -> Option<SubtaskIndex> {
        self.record.map(|record| self.names.reader(record.split))
    }

    /// A misfit at a piece of the line.
    pub(super) fn misfit(&self, piece: &str, what: impl Into<String>) -> Misfit {
        // serde borrows strings without escapes from the line, so that the
        // address of the piece tells its place exactly.
        let offset = (piece.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let place = if offset < self.text.len() { Some(offset) } else { self.text.find(piece) };
        let column = place.unwrap_or(0) + 1;
        Misfit { field: String::new(), column, what: what.into(), remedy: None }
    }
}

/// A piece of a line: what serde writes and reads, and the word in memory that
/// it stands for.
pub(super) trait Line<'a>: Sized {
    /// The word in memory.
    type Word;

    /// The piece that stands for a word.
    fn of(word: &Self::Word, scope: &mut Scope<'a>) -> Self;

    /// The word that the piece stands for.
    fn word(self, scope: &mut Scope<'_>) -> Result<Self::Word, Misfit>;

    /// Writes the bytes that serde makes of `Self::of(word)`.
    fn write(word: &Self::Word, scope: &mut Scope<'_>, out: &mut Pen);

    /// The word that the piece at a cursor stands for, if it is spelled as
    /// [`Line::write`] spells it. Rare words leave that to serde.
    #[inline(always)]
    fn glance(_cursor: &mut Cursor<'_>, _scope: &mut Scope<'_>) -> Option<Self::Word> {
        None
    }

    /// The word of a field that is left out, if it may be.
    #[inline(always)]
    fn left_out(_scope: &Scope<'_>) -> Option<Self::Word> {
        None
    }

    /// Whether the field of this word is left out.
    #[inline(always)]
    fn leaves_out(_word: &Self::Word, _scope: &Scope<'_>) -> bool {
        false
    }

    /// The same, asked by serde.
    fn is_left_out(&self) -> bool {
        false
    }
}

/// Writes `,"name":` and the value. The first field of an object turns its
/// comma into a brace later, see [`close_object`].
#[inline(always)]
pub(super) fn write_field<'a, L: Line<'a>>(
    name: &str,
    word: &L::Word,
    scope: &mut Scope<'_>,
    out: &mut Pen,
) {
    if !L::leaves_out(word, scope) {
        out.put(name.as_bytes());
        L::write(word, scope, out);
    }
}

/// Ends the object whose fields begin at `start`.
#[inline(always)]
pub(super) fn close_object(start: usize, out: &mut Pen) {
    if !out.replace(start, b'{') {
        out.put_byte(b'{');
    }
    out.put_byte(b'}');
}

/// Makes a type of the format, and its [`Line`], from one list. What stands
/// behind `=` is the word in memory, as a pattern over the names of the fields;
/// without it the word is the variant of the same name and fields. A field of
/// the line that stands for several in memory names them behind `as`.
macro_rules! lines {
    (
        $(#[$meta:meta])*
        enum $line:ident<'a> is $word:ident {
            $(
                $(#[$variant_meta:meta])*
                $tag:literal $variant:ident {
                    $(
                        $(#[$field_meta:meta])* $field:ident: $type:ty
                        $(as ($($part:ident),+))?
                    ),* $(,)?
                } $(= ($($shape:tt)*))?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[derive(schemars::JsonSchema)]
        #[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
        pub(super) enum $line<'a> {
            $(
                $(#[$variant_meta])*
                #[serde(rename = $tag)]
                $variant {
                    $(
                        $(#[$field_meta])*
                        #[serde(skip_serializing_if = "Line::is_left_out")]
                        $field: $type
                    ),*
                }
            ),*
        }

        impl<'a> Line<'a> for $line<'a> {
            type Word = $word;

            #[allow(unused_variables, reason = "a fact of no fields needs no scope")]
            fn of(word: &$word, scope: &mut Scope<'a>) -> Self {
                match word {
                    $( lines!(@shape $word $variant { $($field),* } $(= ($($shape)*))?) => {
                        $( $(let $field = &($(*$part),+);)? )*
                        $line::$variant { $($field: Line::of($field, scope)),* }
                    } )*
                }
            }

            #[allow(unused_variables, reason = "a fact of no fields needs no scope")]
            fn word(self, scope: &mut Scope<'_>) -> Result<$word, Misfit> {
                Ok(match self {
                    $( $line::$variant { $($field),* } => {
                        $(
                            let $field = Line::word($field, scope).map_err(|misfit: Misfit| {
                                misfit.inside(concat!($tag, ".", stringify!($field)))
                            })?;
                        )*
                        $( $(let ($($part),+) = $field;)? )*
                        lines!(@shape $word $variant { $($field),* } $(= ($($shape)*))?)
                    } )*
                })
            }

            #[allow(unused_variables, reason = "a fact of no fields needs no scope")]
            #[allow(unused_mut, reason = "a fact of no fields has none to begin")]
            fn glance(cursor: &mut super::glance::Cursor<'_>, scope: &mut Scope<'_>) -> Option<$word> {
                let mut fields = super::glance::Fields::NoneYet;
                let word = match cursor.tag()? {
                    $( $tag => {
                        $(
                            let name = concat!("\"", stringify!($field), "\":");
                            let $field = cursor.field::<$type>(name, &mut fields, scope)?;
                        )*
                        cursor.close(fields)?;
                        $( $(let ($($part),+) = $field;)? )*
                        lines!(@shape $word $variant { $($field),* } $(= ($($shape)*))?)
                    } )*
                    _ => return None,
                };
                cursor.eat("}")?;
                Some(word)
            }

            #[allow(unused_variables, reason = "a fact of no fields needs no scope")]
            fn write(word: &$word, scope: &mut Scope<'_>, out: &mut Pen) {
                match word {
                    $( lines!(@shape $word $variant { $($field),* } $(= ($($shape)*))?) => {
                        $( $(let $field = &($(*$part),+);)? )*
                        out.put(concat!("{\"", $tag, "\":").as_bytes());
                        let start = out.len();
                        $(
                            write_field::<$type>(
                                concat!(",\"", stringify!($field), "\":"), $field, scope, out,
                            );
                        )*
                        close_object(start, out);
                        out.put_byte(b'}');
                    } )*
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        struct $line:ident<'a> is $word:ty {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty ),* $(,)?
        } = ($($shape:tt)*)
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[derive(schemars::JsonSchema)]
        #[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
        pub(super) struct $line<'a> {
            $(
                $(#[$field_meta])*
                #[serde(skip_serializing_if = "Line::is_left_out")]
                $field: $type
            ),*
        }

        impl<'a> Line<'a> for $line<'a> {
            type Word = $word;

            fn of(word: &$word, scope: &mut Scope<'a>) -> Self {
                let $($shape)* = word;
                Self { $($field: Line::of($field, scope)),* }
            }

            fn word(self, scope: &mut Scope<'_>) -> Result<$word, Misfit> {
                let Self { $($field),* } = self;
                $(
                    let $field = Line::word($field, scope)
                        .map_err(|misfit: Misfit| misfit.inside(stringify!($field)))?;
                )*
                Ok($($shape)*)
            }

            #[inline(always)]
            fn glance(cursor: &mut super::glance::Cursor<'_>, scope: &mut Scope<'_>) -> Option<$word> {
                let mut fields = super::glance::Fields::NoneYet;
                $(
                    let name = concat!("\"", stringify!($field), "\":");
                    let $field = cursor.field::<$type>(name, &mut fields, scope)?;
                )*
                cursor.close(fields)?;
                Some($($shape)*)
            }

            fn write(word: &$word, scope: &mut Scope<'_>, out: &mut Pen) {
                let $($shape)* = word;
                let start = out.len();
                $(
                    write_field::<$type>(
                        concat!(",\"", stringify!($field), "\":"), $field, scope, out,
                    );
                )*
                close_object(start, out);
            }
        }
    };
    (@shape $word:ident $variant:ident { $($field:ident),* }) => { $word::$variant { $($field),* } };
    (@shape $word:ident $variant:ident { $($field:ident),* } = ($($shape:tt)*)) => { $($shape)* };
}
pub(super) use lines;

/// Numbers, and words that are one, stand for themselves.
macro_rules! numbers {
    ($($type:ty: $number:expr, $of:expr;)*) => {
        $(
            impl Line<'_> for $type {
                type Word = Self;

                fn of(word: &Self, _: &mut Scope<'_>) -> Self {
                    *word
                }

                fn word(self, _: &mut Scope<'_>) -> Result<Self, Misfit> {
                    Ok(self)
                }

                #[inline(always)]
                fn write(word: &Self, _: &mut Scope<'_>, out: &mut Pen) {
                    let number: fn(&Self) -> _ = $number;
                    out.put_number(number(word));
                }

                #[inline(always)]
                fn glance(cursor: &mut Cursor<'_>, _: &mut Scope<'_>) -> Option<Self> {
                    let of: fn(u64) -> Option<Self> = $of;
                    of(cursor.number()?)
                }
            }
        )*
    };
}

numbers! {
    u32: |number| u64::from(*number), |number| number.try_into().ok();
    u64: |number| *number, Some;
    Attempt: |attempt| u64::from(attempt.0), |number| number.try_into().ok().map(Attempt);
    CheckpointId: |checkpoint| checkpoint.0, |number| Some(CheckpointId(number));
    Time: |time| time.0, |number| Some(Time(number));
    Micros: |micros| micros.0, |number| Some(Micros(number));
}

/// Words that serde spells by itself. They are rare, so it may write them too.
macro_rules! spelled {
    ($($type:ty),*) => {
        $(
            impl Line<'_> for $type {
                type Word = Self;

                fn of(word: &Self, _: &mut Scope<'_>) -> Self {
                    *word
                }

                fn word(self, _: &mut Scope<'_>) -> Result<Self, Misfit> {
                    Ok(self)
                }

                fn write(word: &Self, _: &mut Scope<'_>, out: &mut Pen) {
                    write_json(word, out);
                }
            }
        )*
    };
}

spelled!(
    Backlog,
    ClaimMode,
    TriggerCause,
    CheckpointFailureReason,
    ChannelEnd,
    RpcMessage,
    HighAvailability,
    StateKind,
    WriteFailure
);

/// Words whose usual case is left out.
macro_rules! spelled_unless_usual {
    ($($type:ty),*) => {
        $(
            impl Line<'_> for $type {
                type Word = Self;

                fn of(word: &Self, _: &mut Scope<'_>) -> Self {
                    *word
                }

                fn word(self, _: &mut Scope<'_>) -> Result<Self, Misfit> {
                    Ok(self)
                }

                fn write(word: &Self, _: &mut Scope<'_>, out: &mut Pen) {
                    write_json(word, out);
                }

                fn left_out(_: &Scope<'_>) -> Option<Self> {
                    Some(Self::default())
                }

                fn leaves_out(word: &Self, _: &Scope<'_>) -> bool {
                    *word == Self::default()
                }

                fn is_left_out(&self) -> bool {
                    *self == Self::default()
                }
            }
        )*
    };
}

spelled_unless_usual!(AlignmentType, SnapshotType, SavepointFormatType, Rejection);

/// Writes the bytes that serde makes.
pub(super) fn write_json(value: &impl serde::Serialize, out: &mut Pen) {
    serde_json::to_writer(out, value).expect("memory takes everything");
}

/// A mark: it is there, as `true`, or the field is left out.
impl Line<'_> for bool {
    type Word = Self;

    fn of(word: &Self, _: &mut Scope<'_>) -> Self {
        *word
    }

    fn word(self, _: &mut Scope<'_>) -> Result<Self, Misfit> {
        Ok(self)
    }

    fn write(word: &Self, _: &mut Scope<'_>, out: &mut Pen) {
        out.put(if *word { b"true" } else { b"false" });
    }

    fn glance(cursor: &mut Cursor<'_>, _: &mut Scope<'_>) -> Option<Self> {
        cursor.eat("true").map(|()| true)
    }

    #[inline(always)]
    fn left_out(_: &Scope<'_>) -> Option<Self> {
        Some(false)
    }

    fn leaves_out(word: &Self, _: &Scope<'_>) -> bool {
        !word
    }

    fn is_left_out(&self) -> bool {
        !self
    }
}

/// What there need not be; then the field is left out.
impl<'a, L: Line<'a>> Line<'a> for Option<L> {
    type Word = Option<L::Word>;

    fn of(word: &Self::Word, scope: &mut Scope<'a>) -> Self {
        word.as_ref().map(|word| L::of(word, scope))
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<Self::Word, Misfit> {
        self.map(|line| line.word(scope)).transpose()
    }

    #[inline(always)]
    fn write(word: &Self::Word, scope: &mut Scope<'_>, out: &mut Pen) {
        if let Some(word) = word {
            L::write(word, scope, out);
        }
    }

    #[inline(always)]
    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Self::Word> {
        L::glance(cursor, scope).map(Some)
    }

    #[inline(always)]
    fn left_out(_: &Scope<'_>) -> Option<Self::Word> {
        Some(None)
    }

    #[inline(always)]
    fn leaves_out(word: &Self::Word, _: &Scope<'_>) -> bool {
        word.is_none()
    }

    fn is_left_out(&self) -> bool {
        self.is_none()
    }
}

impl<'a, L: Line<'a>> Line<'a> for Vec<L> {
    type Word = Vec<L::Word>;

    fn of(word: &Self::Word, scope: &mut Scope<'a>) -> Self {
        word.iter().map(|word| L::of(word, scope)).collect()
    }

    fn word(self, scope: &mut Scope<'_>) -> Result<Self::Word, Misfit> {
        let each = self.into_iter().enumerate();
        each.map(|(place, line)| {
            line.word(scope).map_err(|misfit| misfit.inside(&format!("[{place}]")))
        })
        .collect()
    }

    fn glance(cursor: &mut Cursor<'_>, scope: &mut Scope<'_>) -> Option<Self::Word> {
        let mut list = Vec::new();
        cursor.list(&mut list, |cursor| L::glance(cursor, scope))?;
        Some(list)
    }

    fn write(word: &Self::Word, scope: &mut Scope<'_>, out: &mut Pen) {
        out.put_byte(b'[');
        for (place, word) in word.iter().enumerate() {
            if place > 0 {
                out.put_byte(b',');
            }
            L::write(word, scope, out);
        }
        out.put_byte(b']');
    }
}
