//! Flink's own configuration files: what they set, where each setting comes
//! from, and what is to be said of it.
//!
//! A file is unwrapped to entries (`unwrap`), entries become settings by the
//! one table of options (`options`), and rules speak of settings. Nothing here
//! knows how a scenario runs.

mod api;
mod backends;
mod effective;
mod expect;
mod flat;
mod format;
mod iso_duration;
mod java;
mod keys;
pub(super) mod known;
mod memory;
mod nested;
mod option;
mod options;
mod reference;
mod refusals;
mod release;
mod rules;
mod scalar;
mod settings;
mod shell;
mod shell_words;
mod simulated;
mod source;
mod spelling;
mod sql;
mod storage_rules;
mod surprises;
mod tell;
mod template;
mod unwrap;
mod value;
mod wrappers;
mod yaml;

use std::collections::BTreeMap;

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::problems::Problems;
use crate::model::Language;
use settings::Settings;
use tell::say;
use unwrap::Unwrapped;

pub use api::{API, ApiMethod, Standing, api_of};
pub use backends::backend_class;
pub use effective::{BarrierAlignment, files_in_order};
pub use format::Format;
pub use option::{Effect, EnumKind, FlinkOption, Kind, Words};
pub use options::{option_of, options};
pub use reference::reference;
pub use release::Release;
pub use settings::{Origin, Setting};
pub use value::{Refusal, Value};

pub(super) use memory::{MemoryFlaw, parse as memory_size};
pub(super) use simulated::{ScenarioSettings, settle_scenario};
pub(super) use source::{Entry, Written};
pub(super) use tell::Teller;

/// The largest file that is read.
const SIZE_MAX: usize = 1 << 20;

/// What some editors begin a file with.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// Whose defaults and names hold; where it is not given, those of the
    /// version that the file itself names, else of 1.20.
    pub release: Option<Release>,
    /// The language of what is said.
    pub language: Language,
}

/// What a configuration file comes to.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What kind of file it is.
    pub format: Format,
    /// For which Flink it was read.
    pub release: Release,
    /// Everything that the file sets, as Flink's own map has it.
    pub map: BTreeMap<String, String>,
    /// What the file says, in the order in which it counts.
    entries: Vec<Entry>,
    /// Every option of the release with what holds for it, in the order of
    /// the table.
    pub settings: Vec<Setting>,
    /// All that is to be said, by place.
    pub diagnostics: Diagnostics,
}

/// Reads a configuration file of any kind. `name` is its path, for messages
/// and for the format.
#[must_use]
pub fn read(name: &str, bytes: &[u8], how: How) -> Reading {
    let (text, refusal) = match decode(bytes, how.language) {
        Ok(text) => (text, None),
        Err((text, refusal)) => (text, Some(*refusal)),
    };
    let mut problems = Problems::new(&text);
    problems.worked(text.len());
    let release = how.release.unwrap_or_default();
    let mut teller = Teller { problems: &mut problems, language: how.language, release };
    let reading = match refusal {
        Some(refusal) => {
            teller.add(refusal);
            let nothing = Unwrapped { format: Format::Flat, entries: Vec::new(), release: None };
            let settings = Settings::of(&nothing.entries, release);
            Reading::of(nothing, settings, release)
        }
        None => {
            let mut unwrapped = unwrap::unwrap(name, &text, &mut teller);
            if let (None, Some(named)) = (how.release, unwrapped.release) {
                teller.release = named;
            }
            if unwrapped.format == Format::Flat {
                teller.flat_in_2(name);
                if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) {
                    teller.byte_order_mark(&mut unwrapped.entries);
                }
            }
            teller.settle(unwrapped)
        }
    };
    finished(reading, problems.into_diagnostics(name, &text), how.language)
}

/// Reads settings that are already apart, as a job gives them to Flink.
#[must_use]
pub fn read_map(map: &BTreeMap<String, String>, how: How) -> Reading {
    let mut text = String::new();
    let mut written = |said: &str| {
        let start = text.len();
        text.push_str(said);
        Written { text: said.to_owned(), range: start..text.len() }
    };
    let entries = map.iter().map(|(key, value)| {
        let key = written(key);
        written(": ");
        let value = written(value);
        written("\n");
        Entry { key, value }
    });
    let entries = entries.collect();
    let mut problems = Problems::new(&text);
    let release = how.release.unwrap_or_default();
    let mut teller = Teller { problems: &mut problems, language: how.language, release };
    let reading = teller.settle(Unwrapped { format: Format::Yaml, entries, release: None });
    finished(reading, problems.into_diagnostics("settings", &text), how.language)
}

fn finished(reading: Reading, mut diagnostics: Diagnostics, language: Language) -> Reading {
    diagnostics.consequence = match language {
        Language::En => ": Flink would refuse it",
        Language::Zh => "：Flink 会拒绝它",
    };
    Reading { diagnostics, ..reading }
}

impl Reading {
    /// Without what is to be said.
    fn of(unwrapped: Unwrapped, settings: Settings, release: Release) -> Self {
        let Unwrapped { format, entries, .. } = unwrapped;
        let pair = |entry: &Entry| (entry.key.text.clone(), entry.value.text.clone());
        let map = entries.iter().map(pair).collect();
        let (settings, diagnostics) = (settings.all, Diagnostics::default());
        Self { format, release, map, entries, settings, diagnostics }
    }

    /// Whether Flink would take it: no error was found.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.diagnostics.count(Severity::Error) == 0
    }

    /// What holds for an option, by its key of today.
    #[must_use]
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.option.key == key)
    }
}

impl Teller<'_> {
    /// What entries come to, and all that is to be said of them.
    fn settle(&mut self, unwrapped: Unwrapped) -> Reading {
        let Unwrapped { format, entries, .. } = unwrapped;
        self.keys(&entries, Severity::Warning);
        let mut settings = Settings::of(&entries, self.release);
        self.read_values(&mut settings);
        settings.derive();
        self.rules(&settings);
        self.storage(&settings);
        self.surprises(&settings, &entries, format);
        settings.forget_unread();
        self.effects(&settings, Severity::Note);
        let unwrapped = Unwrapped { format, entries, release: None };
        Reading::of(unwrapped, settings, self.release)
    }

    /// The flat format knows no mark: it becomes part of the first key.
    fn byte_order_mark(&mut self, entries: &mut [Entry]) {
        let Some(first) = entries.first_mut().filter(|entry| entry.key.range.start == 0) else {
            return;
        };
        first.key.text.insert_str(0, BYTE_ORDER_MARK);
        let message = say!(
            self.language,
            "the file begins with a byte order mark, which becomes part of the first key",
            "文件以字节顺序标记（BOM）开头，它会成为第一个键的一部分"
        );
        let label =
            say!(self.language, "so Flink does not know this key", "于是 Flink 不认识这个键");
        let help = say!(self.language, "save the file without it", "请保存为不带 BOM 的文件");
        let at = first.key.range.clone();
        self.add(Diagnostic::warning("byte-order-mark", message).at(at, label).help(help));
    }

    /// Flink 2 reads nothing but config.yaml.
    fn flat_in_2(&mut self, name: &str) {
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        if self.release != Release::V2 || !last.starts_with("flink-conf.y") {
            return;
        }
        let message = say!(
            self.language,
            "Flink 2 does not read flink-conf.yaml: config.yaml is the only configuration file",
            "Flink 2 不读 flink-conf.yaml：只有 config.yaml"
        );
        let help = say!(
            self.language,
            "bin/migrate-config-file.sh of Flink converts it",
            "Flink 的 bin/migrate-config-file.sh 可以转换"
        );
        self.add(Diagnostic::error("not-read", message).help(help));
    }
}

/// The bytes as text; or as much of it as can be shown, and why not.
fn decode(bytes: &[u8], language: Language) -> Result<String, (String, Box<Diagnostic>)> {
    if bytes.len() > SIZE_MAX {
        let n = bytes.len();
        let message = say!(
            language,
            "the file has {n} bytes; a configuration has at most {SIZE_MAX}",
            "文件有 {n} 字节；配置最多 {SIZE_MAX} 字节"
        );
        return Err((String::new(), Box::new(Diagnostic::error("too-large", message))));
    }
    super::text::decode(bytes).map(str::to_owned)
}

/// Whether a value of an option is refused by the method that sets it, and
/// what would not be: the same bounds hold for files.
#[must_use]
pub fn refuse(option: &FlinkOption, value: &Value) -> Option<Refusal> {
    option.bounds.refuse(value)
}

/// Reads one value of an option as Flink does.
///
/// # Errors
/// When the text is no such value.
pub fn parse_value(option: &FlinkOption, text: &str, release: Release) -> Result<Value, NoValue> {
    value::parse(option.kind, text, release).map_err(|_| NoValue)
}

/// A text is no value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoValue;
