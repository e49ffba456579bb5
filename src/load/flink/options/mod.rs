//! The one table of Flink's options: scenarios, configuration files and the
//! book's reference are read from it.
//!
//! Source: the option classes of Flink 1.20.3 and 2.1.3, asked by running
//! them; tests hold the table against their answers.

mod alignment;
mod coordinator;
mod files;
mod recovery;
mod restart;
mod runtime;
mod state;

use super::option::FlinkOption;

pub(super) use restart::STRATEGIES;
pub(super) use state::BACKENDS;

/// The options by what they are about, in the order of the reference.
const GROUPS: [&[FlinkOption]; 7] = [
    coordinator::OPTIONS,
    alignment::OPTIONS,
    state::OPTIONS,
    files::OPTIONS,
    recovery::OPTIONS,
    restart::OPTIONS,
    runtime::OPTIONS,
];

/// Every option that checkdam knows, in the order of the reference.
pub fn options() -> impl Iterator<Item = &'static FlinkOption> {
    GROUPS.into_iter().flatten()
}

/// The option that goes by a key, today or in former days. An option of that
/// very name comes first.
#[must_use]
pub fn option_of(key: &str) -> Option<&'static FlinkOption> {
    options()
        .find(|option| option.key == key)
        .or_else(|| options().find(|option| option.old_keys.contains(&key)))
}

/// Whether an option bears upon checkpoints only from afar: what is wrong with
/// it does not spoil a configuration here.
pub(super) fn is_aside(option: &FlinkOption) -> bool {
    runtime::OPTIONS.iter().any(|aside| aside.key == option.key)
}

#[cfg(test)]
mod tests {
    use super::super::value;
    use super::*;
    use crate::load::flink::Effect;

    #[test]
    fn every_key_stands_for_one_option() {
        let mut keys: Vec<&str> = options().map(|option| option.key).collect();
        let n = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), n);
        assert!(options().all(|option| option.keys().all(|key| option_of(key).is_some())));
    }

    #[test]
    fn an_old_key_names_the_option() {
        let found = option_of("restart-strategy").expect("Flink has it");
        assert_eq!(found.key, "restart-strategy.type");
        let found = option_of("state.backend.fs.memory-threshold").expect("Flink has it");
        assert_eq!(found.key, "execution.checkpointing.data-inline-threshold");
        assert!(option_of("execution.checkpointing.intervall").is_none());
    }

    #[test]
    fn every_default_can_be_read_and_every_option_is_explained() {
        for option in options() {
            if let Some(text) = option.default {
                assert!(
                    value::parse(option.kind, text, Default::default()).is_ok(),
                    "{}",
                    option.key
                );
            }
            for words in [option.meaning, option.here] {
                assert!(!words.en.is_empty() && !words.zh.is_empty(), "{}", option.key);
                assert!(!words.en.contains('|') && !words.zh.contains('|'), "{}", option.key);
            }
            let follows = option.effect == Effect::Followed;
            assert!(!follows || option.releases == super::super::option::Releases::Both);
        }
    }
}
