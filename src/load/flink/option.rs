//! What there is to know of one of Flink's options: how it is spelled, what
//! it takes, what it means, and what becomes of it here.

use super::release::Release;
use crate::model::Language;

/// One of Flink's options.
#[derive(Clone, Copy, Debug)]
pub struct FlinkOption {
    /// Its key today.
    pub key: &'static str,
    /// Older keys that still work, in the order in which Flink looks for them.
    pub old_keys: &'static [&'static str],
    /// Other options that stand in where this one is not set. They come
    /// before the older keys.
    pub fallback_keys: &'static [&'static str],
    /// What values it takes.
    pub kind: Kind,
    /// What holds where nothing is set, as it would be written.
    pub default: Option<&'static str>,
    /// Values of the kind that are refused.
    pub bounds: Bounds,
    /// Which releases have it.
    pub releases: Releases,
    /// What it is for.
    pub meaning: Words,
    /// Whether the simulator does it.
    pub effect: Effect,
    /// What the simulator does with it, or leaves out.
    pub here: Words,
}

/// A few words in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// English.
    pub en: &'static str,
    /// Chinese.
    pub zh: &'static str,
}

impl Words {
    /// The words of a language.
    #[must_use]
    pub fn of(self, language: Language) -> &'static str {
        match language {
            Language::En => self.en,
            Language::Zh => self.zh,
        }
    }
}

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number and a unit of time.
    Duration,
    /// A whole number and a unit of memory.
    Memory,
    /// A number with Java's 32 bits.
    Int,
    /// A number with Java's 64 bits.
    Long,
    /// A fraction with 32 bits.
    Float,
    /// A fraction with 64 bits.
    Double,
    /// true or false.
    Bool,
    /// One of some constants.
    Enum(EnumKind),
    /// A name out of some, or the name of a class.
    Name(&'static [&'static str]),
    /// Any text.
    Text,
}

/// An enumeration of Flink's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumKind {
    /// Its class.
    pub class: &'static str,
    /// Its class in Flink 2.
    pub class_2: &'static str,
    /// Its constants.
    pub words: &'static [&'static str],
}

impl Kind {
    /// The Java type that Flink gives such an option.
    #[must_use]
    pub fn java_type(self, release: Release) -> &'static str {
        match self {
            Self::Duration => "Duration",
            Self::Memory => "MemorySize",
            Self::Int => "Integer",
            Self::Long => "Long",
            Self::Float => "Float",
            Self::Double => "Double",
            Self::Bool => "Boolean",
            Self::Enum(EnumKind { class, class_2, .. }) => match release {
                Release::V1 => class,
                Release::V2 => class_2,
            },
            Self::Name(_) | Self::Text => "String",
        }
    }
}

/// Values of the right kind that are refused all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// None are.
    None,
    /// Durations below so many ms.
    LeastMs(u64),
    /// Durations below so many ms, but for 0.
    ZeroOrLeastMs(u64),
    /// Numbers below this one.
    Least(i64),
    /// Numbers that are not greater than this one.
    Above(f64),
    /// Numbers outside of these two.
    Between(f64, f64),
}

/// Which releases have an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Releases {
    /// All that are told apart here.
    Both,
    /// Flink 2 no longer knows it.
    GoneIn2,
}

/// Whether the simulator does what an option says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It does.
    Followed,
    /// Flink itself does nothing with it any more.
    Nothing,
    /// It is read and checked, and changes nothing in a run.
    NotSimulated,
}

impl FlinkOption {
    /// Every key that sets it, as Flink looks for them: the first that is
    /// there is taken.
    // Flink 1.20: Configuration.getRawValueFromOption
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        let fallback = self.fallback_keys.iter().chain(self.old_keys);
        std::iter::once(self.key).chain(fallback.copied())
    }

    /// Whether a release has it.
    #[must_use]
    pub fn is_in(&self, release: Release) -> bool {
        self.releases == Releases::Both || release == Release::V1
    }

    /// Whether a number below zero is refused by the method that sets it. In
    /// a file there are no times below zero.
    #[must_use]
    pub fn refuses_negative(&self) -> bool {
        self.bounds != Bounds::None
    }
}

/// An option by its key, type and default, for the tables; the rest follows by
/// the methods below.
pub(super) const fn option(
    key: &'static str,
    kind: Kind,
    default: Option<&'static str>,
) -> FlinkOption {
    FlinkOption {
        key,
        old_keys: &[],
        fallback_keys: &[],
        kind,
        default,
        bounds: Bounds::None,
        releases: Releases::Both,
        meaning: Words { en: "", zh: "" },
        effect: Effect::NotSimulated,
        here: Words { en: "", zh: "" },
    }
}

impl FlinkOption {
    pub(super) const fn old(mut self, keys: &'static [&'static str]) -> Self {
        self.old_keys = keys;
        self
    }

    pub(super) const fn falls_back_to(mut self, keys: &'static [&'static str]) -> Self {
        self.fallback_keys = keys;
        self
    }

    pub(super) const fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    pub(super) const fn gone_in_2(mut self) -> Self {
        self.releases = Releases::GoneIn2;
        self
    }

    pub(super) const fn means(mut self, en: &'static str, zh: &'static str) -> Self {
        self.meaning = Words { en, zh };
        self
    }

    /// The simulator does this with it.
    pub(super) const fn followed(mut self, en: &'static str, zh: &'static str) -> Self {
        self.effect = Effect::Followed;
        self.here = Words { en, zh };
        self
    }

    /// The simulator leaves this out.
    pub(super) const fn left_out(mut self, en: &'static str, zh: &'static str) -> Self {
        self.effect = Effect::NotSimulated;
        self.here = Words { en, zh };
        self
    }

    /// Flink does nothing with it.
    pub(super) const fn nothing(mut self, en: &'static str, zh: &'static str) -> Self {
        self.effect = Effect::Nothing;
        self.here = Words { en, zh };
        self
    }
}
