//! Reads a line as the writer writes it, and nothing else.
//!
//! A line has one spelling: fields in the order of the format's list, no
//! spaces, no escapes. What is spelled so is read here in a fraction of the
//! time that a parser of any JSON takes; of any other line nothing is said, and
//! serde reads it, or says what is wrong with it. What is read here serde reads
//! in the same way.

use super::fact::FactLine;
use super::line::{Line, Scope};
use super::names::Names;
use crate::model::Time;
use crate::trace::{Fact, Step};

/// The step of a line, if it is spelled as the writer spells it. Its facts are
/// put into an empty list that had others before.
pub(super) fn step(text: &str, names: &Names, facts: &mut Vec<Fact>) -> Option<Step> {
    let mut cursor = Cursor { text, place: 0 };
    cursor.eat("{\"step\":")?;
    let number = cursor.number()?;
    cursor.eat(",\"at\":")?;
    let at = Time(cursor.number()?);
    cursor.eat(",\"facts\":")?;
    let mut scope = Scope::new(names, text);
    cursor.list(facts, |cursor| {
        scope.next_fact();
        FactLine::glance(cursor, &mut scope)
    })?;
    cursor.eat("}")?;
    let facts = (cursor.place == text.len()).then(|| std::mem::take(facts))?;
    Some(Step { number, at, facts })
}

/// A place in a line. Whatever is not there gives none, and the place is then
/// of no use any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    place: usize,
}

impl<'t> Cursor<'t> {
    #[inline(always)]
    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.place..]
    }

    /// Goes behind a piece that stands here.
    #[inline(always)]
    pub(super) fn eat(&mut self, piece: &str) -> Option<()> {
        self.rest().starts_with(piece.as_bytes()).then(|| self.place += piece.len())
    }

    /// The tag of an object with one field: `{"tag":`.
    #[inline(always)]
    pub(super) fn tag(&mut self) -> Option<&'t str> {
        self.eat("{")?;
        let tag = self.name()?;
        self.eat(":")?;
        Some(tag)
    }

    /// The value of a field, `"name":` and the value behind a comma or, if it is
    /// the first one, a brace; or what the field is when it is left out.
    #[inline(always)]
    pub(super) fn field<'a, L: Line<'a>>(
        &mut self,
        name: &str,
        fields: &mut Fields,
        scope: &mut Scope<'_>,
    ) -> Option<L::Word> {
        let rest = self.rest();
        let joint = match fields {
            Fields::NoneYet => b'{',
            Fields::Some => b',',
        };
        if rest.first() == Some(&joint) && rest[1..].starts_with(name.as_bytes()) {
            self.place += 1 + name.len();
            *fields = Fields::Some;
            return L::glance(self, scope);
        }
        L::left_out(scope)
    }

    /// The end of an object.
    #[inline(always)]
    pub(super) fn close(&mut self, fields: Fields) -> Option<()> {
        match fields {
            Fields::NoneYet => self.eat("{}"),
            Fields::Some => self.eat("}"),
        }
    }

    /// A text in quotation marks, as it is spelled: up to the next one. If that
    /// is not its end, no writer has spelled anything so.
    #[inline(always)]
    pub(super) fn name(&mut self) -> Option<&'t str> {
        self.eat("\"")?;
        let len = self.rest().iter().position(|byte| *byte == b'"')?;
        let name = self.text.get(self.place..self.place + len)?;
        self.place += len + 1;
        Some(name)
    }

    /// A letter in quotation marks that needs no escape.
    #[inline(always)]
    pub(super) fn letter(&mut self) -> Option<char> {
        let letter: char = self.name()?.parse().ok()?;
        (letter != '\\' && letter >= ' ').then_some(letter)
    }

    /// A number without a sign: digits, no zero in front, no fraction.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<u64> {
        let rest = self.rest();
        let (mut number, mut len) = (0_u64, 0);
        while let Some(digit) = rest.get(len).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            len += 1;
        }
        let is_fraction = matches!(rest.get(len), Some(b'.' | b'e' | b'E'));
        if len == 0 || (len > 1 && rest[0] == b'0') || is_fraction {
            return None;
        }
        self.place += len;
        if len < 20 {
            return Some(number);
        }
        std::str::from_utf8(&rest[..len]).ok()?.parse().ok()
    }

    /// A number with or without a sign. A zero with one is none that is written.
    #[inline(always)]
    pub(super) fn signed(&mut self) -> Option<i64> {
        if self.eat("-").is_none() {
            return self.number()?.try_into().ok();
        }
        let number = self.number().filter(|number| *number > 0)?;
        0_i64.checked_sub_unsigned(number)
    }

    /// The items of a list, in brackets.
    #[inline(always)]
    pub(super) fn list<T>(
        &mut self,
        list: &mut Vec<T>,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<()> {
        self.eat("[")?;
        if self.eat("]").is_some() {
            return Some(());
        }
        loop {
            list.push(item(self)?);
            if self.eat(",").is_none() {
                return self.eat("]");
            }
        }
    }

    /// Whether a digit or a sign stands here.
    #[inline(always)]
    pub(super) fn is_at_number(&self) -> bool {
        self.rest().first().is_some_and(|byte| matches!(byte, b'-' | b'0'..=b'9'))
    }
}

/// Whether an object's fields have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fields {
    NoneYet,
    Some,
}
