//! A reading for machines: short names for what most people ask, the
//! messages, and every setting with its origin.

use serde_json::{Map, Value as Json, json};

use super::keys;
use super::settings::{Origin, Setting};
use super::source::Entry;
use super::value::Value;
use super::{Effect, Reading};
use crate::load::diagnostic::{Diagnostic, Severity};
use crate::load::lines::Lines;

/// Short names of settings.
const SHORT: [(&str, &str); 14] = [
    ("interval_ms", keys::INTERVAL),
    ("mode", keys::MODE),
    ("timeout_ms", keys::TIMEOUT),
    ("min_pause_ms", keys::MIN_PAUSE),
    ("max_concurrent", keys::MAX_CONCURRENT),
    ("unaligned", keys::UNALIGNED),
    ("aligned_timeout_ms", keys::ALIGNED_TIMEOUT),
    ("tolerable", keys::TOLERABLE),
    ("externalized", keys::RETENTION),
    ("backend", keys::BACKEND),
    ("incremental", keys::INCREMENTAL),
    ("local_recovery", keys::FROM_LOCAL),
    ("ignore_unclaimed", keys::IGNORE_UNCLAIMED),
    ("memory_threshold_bytes", keys::INLINE_THRESHOLD),
];

impl Reading {
    /// The same content for machines: `expect`, `messages`, `settings`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let lines = Lines::of(&self.diagnostics.text);
        let items = &self.diagnostics.items;
        let messages: Vec<Json> = items.iter().map(|item| self.message(item, &lines)).collect();
        let settings: Vec<Json> = self.settings.iter().map(|s| setting(s, &lines)).collect();
        json!({
            "file": self.diagnostics.name,
            "format": self.format.name(),
            "flink": self.release.name(),
            "expect": self.expect(),
            "messages": messages,
            "settings": settings,
        })
    }

    /// What most people ask of a configuration, under short names; if it is
    /// refused, why.
    #[must_use]
    pub fn expect(&self) -> Json {
        let errors = self.diagnostics.items.iter().filter(|item| item.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|item| item.message.as_str()).collect();
        if !errors.is_empty() {
            return json!({ "error": errors.join("; ") });
        }
        let mut expect = Map::new();
        let value = |key: &str| self.setting(key).and_then(|setting| setting.value.as_ref());
        let given = matches!(
            self.setting(keys::INTERVAL).map(|setting| &setting.origin),
            Some(Origin::File { .. })
        );
        expect.insert("enabled".to_owned(), given.into());
        for (name, key) in SHORT {
            expect.insert(name.to_owned(), value(key).map_or(Json::Null, Value::to_json));
        }
        if let (Some(interval), Some(pause)) =
            (value(keys::INTERVAL).and_then(Value::ms), value(keys::MIN_PAUSE).and_then(Value::ms))
        {
            expect.insert("effective_base_interval_ms".to_owned(), interval.max(pause).into());
        }
        // Flink 1.20: DefaultCompletedCheckpointStoreUtils: fewer than 1 is 1.
        let retained = match value(keys::NUM_RETAINED) {
            Some(Value::Whole(n)) => (*n).max(1),
            _ => 1,
        };
        expect.insert("retained".to_owned(), retained.into());
        expect.insert("restart".to_owned(), self.restart());
        Json::Object(expect)
    }

    /// The restart strategy with its parameters.
    fn restart(&self) -> Json {
        let json = |key: &str| {
            let value = self.setting(key).and_then(|setting| setting.value.as_ref());
            value.map_or(Json::Null, Value::to_json)
        };
        let strategy = json(keys::RESTART);
        match strategy.as_str() {
            Some("fixed-delay") => json!({
                "type": strategy,
                "attempts": json(keys::FIXED_ATTEMPTS),
                "delay_ms": json(keys::FIXED_DELAY),
            }),
            Some("failure-rate") => json!({
                "type": strategy,
                "max_per_interval": json(keys::RATE_FAILURES),
                "interval_ms": json(keys::RATE_INTERVAL),
                "delay_ms": json(keys::RATE_DELAY),
            }),
            Some("exponential-delay") => json!({
                "type": strategy,
                "initial_ms": json(keys::BACKOFF_INITIAL),
                "max_ms": json(keys::BACKOFF_MAX),
                "multiplier": json(keys::BACKOFF_MULTIPLIER),
                "reset_ms": json(keys::BACKOFF_RESET),
                "jitter": json(keys::BACKOFF_JITTER),
                "attempts_before_reset": json(keys::BACKOFF_ATTEMPTS),
            }),
            _ => json!({ "type": strategy }),
        }
    }

    fn message(&self, item: &Diagnostic, lines: &Lines) -> Json {
        let first = item.labels.first();
        let place = first.map(|label| lines.place(&self.diagnostics.text, label.range.start));
        let key = first.and_then(|label| self.key_at(label.range.start));
        let key = key.or_else(|| key_of(item.code));
        json!({
            "severity": item.severity.name(),
            "code": item.code,
            "key": key,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "text": item.message,
            "suggestion": item.suggestion,
            "help": item.help,
        })
    }

    /// The key that a place belongs to.
    fn key_at(&self, at: usize) -> Option<&str> {
        let mut entries = self.entries.iter();
        let here =
            |entry: &&Entry| entry.key.range.contains(&at) || entry.value.range.contains(&at);
        entries.find(here).map(|entry| entry.key.text.as_str())
    }
}

/// What a message without a place is about.
fn key_of(code: &str) -> Option<&'static str> {
    match code {
        "no-periodic" => Some(keys::INTERVAL),
        "restart-none" => Some(keys::RESTART),
        "in-memory" => Some(keys::DIR),
        _ => None,
    }
}

fn setting(setting: &Setting, lines: &Lines) -> Json {
    let origin = match &setting.origin {
        Origin::File { key, written, key_place, .. } => json!({
            "from": "file",
            "line": lines.number(key_place.start),
            "key": key,
            "written": written,
        }),
        Origin::Derived => json!({ "from": "derived" }),
        Origin::Default => json!({ "from": "default" }),
    };
    let effect = match setting.option.effect {
        Effect::Followed => "followed",
        Effect::Nothing => "none",
        Effect::NotSimulated => "not-simulated",
    };
    json!({
        "key": setting.option.key,
        "value": setting.value.as_ref().map(ToString::to_string),
        "number": setting.value.as_ref().map(Value::to_json).filter(Json::is_number),
        "origin": origin,
        "effect": effect,
    })
}
