//! The settings that hold: what is set, what follows from it, and what the
//! defaults are.

use std::ops::Range;

use super::keys;
use super::option::{FlinkOption, Kind};
use super::options::{STRATEGIES, options};
use super::release::Release;
use super::source::Entry;
use super::value::{self, Value};

/// One setting that holds.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Which.
    pub option: &'static FlinkOption,
    /// What it is; nothing if nothing is set, or if what is set is refused.
    pub value: Option<Value>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It stands in the file.
    File {
        /// The key as it is written there, today's or an older one.
        key: String,
        /// The value as it is written there.
        written: String,
        /// Bytes of the file, of the key.
        key_place: Range<usize>,
        /// Bytes of the file, of the value.
        value_place: Range<usize>,
    },
    /// It follows from other settings.
    Derived,
    /// It is the release's default.
    Default,
}

/// All settings, in the order of the table.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) all: Vec<Setting>,
}

impl Settings {
    /// What the entries set; values are not read yet.
    pub(super) fn of(entries: &[Entry], release: Release) -> Self {
        let last = |key: &str| entries.iter().rfind(|entry| entry.key.text == key);
        let all = options().filter(|option| option.is_in(release)).map(|option| {
            let entry = option.keys().find_map(last);
            let origin = entry.map_or(Origin::Default, |entry| Origin::File {
                key: entry.key.text.clone(),
                written: entry.value.text.clone(),
                key_place: entry.key.range.clone(),
                value_place: entry.value.range.clone(),
            });
            let default = option.default.filter(|_| entry.is_none());
            let value = default.and_then(|text| value::parse(option.kind, text, release).ok());
            Setting { option, value, origin }
        });
        Self { all: all.collect() }
    }

    /// One of them.
    ///
    /// # Panics
    /// When no option of the release has this key.
    pub(super) fn get(&self, key: &str) -> &Setting {
        let found = self.all.iter().find(|setting| setting.option.key == key);
        found.unwrap_or_else(|| panic!("{key} is in the table"))
    }

    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.get(key).value.as_ref()
    }

    pub(super) fn ms(&self, key: &str) -> Option<u64> {
        self.value(key).and_then(Value::ms)
    }

    pub(super) fn whole(&self, key: &str) -> Option<i64> {
        match self.value(key) {
            Some(Value::Whole(number)) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn fraction(&self, key: &str) -> Option<f64> {
        match self.value(key) {
            Some(Value::Fraction(number)) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.value(key).is_some_and(Value::is_true)
    }

    pub(super) fn word(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Some(Value::Word(word)) => Some(word),
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether the file sets it.
    pub(super) fn is_set(&self, key: &str) -> bool {
        matches!(self.get(key).origin, Origin::File { .. })
    }

    /// Where the file sets it: the place of the key.
    pub(super) fn key_place(&self, key: &str) -> Option<Range<usize>> {
        match &self.get(key).origin {
            Origin::File { key_place, .. } => Some(key_place.clone()),
            _ => None,
        }
    }

    /// Where the file sets it: the place of the value.
    pub(super) fn value_place(&self, key: &str) -> Option<Range<usize>> {
        match &self.get(key).origin {
            Origin::File { value_place, .. } => Some(value_place.clone()),
            _ => None,
        }
    }

    /// Whether checkpoints are periodic.
    pub(super) fn is_periodic(&self) -> bool {
        self.is_set(keys::INTERVAL)
    }

    /// Whether Flink does not even look at a parameter: it belongs to a restart
    /// strategy that is not the one named. Without a name the defaults hold.
    // Flink 1.20: RestartBackoffTimeStrategyFactoryLoader
    pub(super) fn is_unread(&self, key: &str) -> bool {
        let Some(parameter) = key.strip_prefix("restart-strategy.") else { return false };
        if key == keys::RESTART {
            return false;
        }
        match &self.get(keys::RESTART).origin {
            // Of a strategy that there is not, anything may have been meant.
            Origin::File { written, .. } => {
                strategy(written).is_some_and(|name| !parameter.starts_with(&format!("{name}.")))
            }
            _ => true,
        }
    }

    /// Puts the defaults in for what Flink does not look at.
    pub(super) fn forget_unread(&mut self) {
        let unread: Vec<bool> =
            self.all.iter().map(|setting| self.is_unread(setting.option.key)).collect();
        let unread_settings = self.all.iter_mut().zip(unread).filter(|(_, unread)| *unread);
        for (setting, _) in unread_settings {
            let parse = |text| value::parse(setting.option.kind, text, Release::V1).ok();
            setting.value = setting.option.default.and_then(parse);
            setting.origin = Origin::Default;
        }
    }

    /// Puts in what follows where nothing is set.
    pub(super) fn derive(&mut self) {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        // Flink 1.20: RestartBackoffTimeStrategyFactoryLoader
        let restart = if self.is_periodic() { "exponential-delay" } else { "none" };
        // Flink 1.20: CheckpointStorageLoader.load
        let backend = self.word(keys::BACKEND).unwrap_or_default();
        let by_backend = backend.eq_ignore_ascii_case("jobmanager");
        let storage =
            if self.is_set(keys::DIR) && !by_backend { "filesystem" } else { "jobmanager" };
        for (key, value) in [(keys::RESTART, restart), (keys::STORAGE, storage)] {
            let setting = self.all.iter_mut().find(|setting| setting.option.key == key);
            let setting = setting.expect("it is in the table");
            if setting.origin == Origin::Default {
                setting.value = text(value);
                setting.origin = Origin::Derived;
            }
        }
    }
}

/// A restart strategy under its own name.
pub(super) fn strategy(text: &str) -> Option<&'static str> {
    let same = |name: &&str| name.eq_ignore_ascii_case(text);
    let found = STRATEGIES.iter().find(|(name, others)| same(name) || others.iter().any(same));
    found.map(|(name, _)| *name)
}

/// Whether the kind of an option makes text of anything.
pub(super) fn takes_any_text(option: &FlinkOption) -> bool {
    matches!(option.kind, Kind::Text | Kind::Name(_))
}
