//! The working state of an operator that keeps something by key.

use std::collections::BTreeMap;

use crate::model::{JoinSide, Key, KeySelector, StateValue, Value};

/// State by key. Where the selector bounds the keys it is a table, else a
/// sorted map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeyedState {
    /// One value a key, in a table.
    Table(Vec<Option<Value>>),
    /// One value a key.
    Values(BTreeMap<Key, Value>),
    /// The newest value of each side of a join.
    Sides(BTreeMap<Key, (Option<Value>, Option<Value>)>),
}

impl KeyedState {
    /// Empty state for one value a key.
    #[must_use]
    pub fn values(selector: &KeySelector) -> Self {
        match selector.n_keys() {
            Some(n_keys) => Self::Table(vec![None; n_keys]),
            None => Self::Values(BTreeMap::new()),
        }
    }

    /// Empty state for a join.
    #[must_use]
    pub fn sides() -> Self {
        Self::Sides(BTreeMap::new())
    }

    /// Puts a function of the old value under the key of a record's value in
    /// place of it; gives the key and the new value.
    ///
    /// # Panics
    /// When it is the state of a join, or of another selector.
    #[inline(always)]
    pub fn update(
        &mut self,
        selector: &KeySelector,
        value: Value,
        change: impl FnOnce(Option<Value>) -> Value,
    ) -> (Key, Value) {
        match self {
            Self::Table(table) => {
                let place = selector.place(value).expect("a table has bounded keys");
                let entry = &mut table[place];
                let new = change(*entry);
                *entry = Some(new);
                (selector.key_at(place), new)
            }
            _ => {
                let key = selector.key(value);
                (key, self.update_map(key, change))
            }
        }
    }

    #[inline(never)]
    fn update_map(&mut self, key: Key, change: impl FnOnce(Option<Value>) -> Value) -> Value {
        let Self::Values(map) = self else { panic!("a join keeps two values a key") };
        let new = change(map.get(&key).copied());
        map.insert(key, new);
        new
    }

    /// Puts a value on one side of a join and gives both.
    ///
    /// # Panics
    /// When it is not the state of a join.
    pub fn put(
        &mut self,
        key: Key,
        side: JoinSide,
        value: Value,
    ) -> (Option<Value>, Option<Value>) {
        let Self::Sides(sides) = self else { panic!("only a join keeps two values a key") };
        let entry = sides.entry(key).or_default();
        match side {
            JoinSide::Left => entry.0 = Some(value),
            JoinSide::Right => entry.1 = Some(value),
        }
        *entry
    }

    /// What stands under a key.
    ///
    /// # Panics
    /// When nothing does.
    #[must_use]
    pub fn under(&self, key: Key) -> StateValue {
        match self {
            Self::Table(table) => {
                StateValue::Value(table[KeySelector::position(key)].expect("a key with state"))
            }
            Self::Values(map) => StateValue::Value(map[&key]),
            Self::Sides(map) => {
                let (left, right) = map[&key];
                StateValue::Sides { left, right }
            }
        }
    }

    /// The one value under a key, if there is any.
    ///
    /// # Panics
    /// When it is the state of a join.
    #[must_use]
    pub fn get(&self, key: Key) -> Option<Value> {
        match self {
            Self::Table(table) => table[KeySelector::position(key)],
            Self::Values(map) => map.get(&key).copied(),
            Self::Sides(_) => panic!("a join keeps two values a key"),
        }
    }

    /// All entries, sorted by key.
    #[must_use]
    pub fn entries(&self, selector: &KeySelector) -> Vec<(Key, StateValue)> {
        match self {
            Self::Table(table) => table
                .iter()
                .enumerate()
                .filter_map(|(place, value)| {
                    value.map(|value| (selector.key_at(place), StateValue::Value(value)))
                })
                .collect(),
            Self::Values(map) => {
                map.iter().map(|(key, value)| (*key, StateValue::Value(*value))).collect()
            }
            Self::Sides(map) => map
                .iter()
                .map(|(key, (left, right))| {
                    (*key, StateValue::Sides { left: *left, right: *right })
                })
                .collect(),
        }
    }

    /// Puts stored entries in place of everything.
    ///
    /// # Panics
    /// When the entries are those of another kind of state.
    pub fn restore(&mut self, entries: &[(Key, StateValue)]) {
        match self {
            Self::Table(table) => table.fill(None),
            Self::Values(map) => map.clear(),
            Self::Sides(map) => map.clear(),
        }
        for (key, stored) in entries {
            match (&mut *self, stored) {
                (Self::Table(table), StateValue::Value(value)) => {
                    table[KeySelector::position(*key)] = Some(*value);
                }
                (Self::Values(map), StateValue::Value(value)) => {
                    map.insert(*key, *value);
                }
                (Self::Sides(map), StateValue::Sides { left, right }) => {
                    map.insert(*key, (*left, *right));
                }
                _ => panic!("a snapshot of another kind of operator"),
            }
        }
    }
}
