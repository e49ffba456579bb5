//! Flink's settings in a scenario, under Flink's own keys: the table of
//! options and the rules between them are those of configuration files.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value};

use super::diagnostic::Diagnostic;
use super::flink::{self, Entry, Release, ScenarioSettings, Teller, Written, known};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{key, kind};
use super::words::clip;
use crate::model::{Config, Language};

/// The settings of a scenario, with what has to be held against its job.
pub(super) struct Settings {
    pub(super) config: Config,
    /// Where unaligned checkpoints are switched on, if they are and only on
    /// edges that support them.
    pub(super) unaligned: Option<Range<usize>>,
}

/// Reads what stands under `config`, if anything does.
pub(super) fn read(value: Option<&Value<'_>>, problems: &mut Problems) -> Settings {
    let mut entries: Vec<Entry> = Vec::new();
    if let Some(value) = value {
        let expected = "an object from Flink's keys to their values";
        if let Some(object) = problems.object(value, "`config`", expected) {
            for property in &object.properties {
                // Of equal keys the first one counts; they are told elsewhere.
                let name = key(property).text;
                if entries.iter().all(|entry| entry.key.text != name) {
                    entries.extend(entry(property, problems));
                }
            }
        }
    }
    let (language, release) = (Language::En, Release::V1);
    let mut teller = Teller { problems, language, release };
    let ScenarioSettings { config, unaligned } = flink::settle_scenario(&entries, &mut teller);
    Settings { config, unaligned }
}

/// A setting as a configuration file would have it.
fn entry(property: &ObjectProp<'_>, problems: &mut Problems) -> Option<Entry> {
    let key = key(property);
    let text = match &property.value {
        Value::StringLit(literal) => literal.value.to_string(),
        Value::NumberLit(literal) => literal.value.to_owned(),
        Value::BooleanLit(literal) => literal.value.to_string(),
        other if known::is_known(key.text) => {
            let what = format!("`{}`", clip(key.text));
            problems.wrong_type(other, &what, "a text, a number, true or false");
            return None;
        }
        other => {
            let near = known::nearest(key.text, problems);
            let message = format!("Flink has no setting `{}`", clip(key.text));
            let written = "keys are written whole: \"execution.checkpointing.interval\": \"10 s\"";
            let label = format!("unknown, with {} for a value", kind(other));
            let problem = Diagnostic::error("unknown-setting", message).at(key.range, label);
            problems.add(problem.did_you_mean(near).help(written));
            return None;
        }
    };
    let value = Written { text, range: range_of(&property.value) };
    Some(Entry { key: Written { text: key.text.to_owned(), range: key.range }, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Micros, RestartStrategy};

    /// What Flink 1.20.3 says of each interval.
    #[test]
    fn intervals_are_checked_as_flink_checks_them() {
        for (value, good) in
            [("10", true), ("\"10 ms\"", true), ("9", false), ("0", false), ("\"5 ms\"", false)]
        {
            let text = format!("{{\"execution.checkpointing.interval\": {value}}}");
            assert_eq!(read_text(&text).1 == 0, good, "{value}");
        }
    }

    #[test]
    fn fixed_delay_without_parameters_has_flinks_defaults() {
        let (config, _) = read_text(r#"{"restart-strategy": "FixedDelay"}"#);
        let delay = Micros(1_000_000);
        assert_eq!(config.restart, RestartStrategy::FixedDelay { attempts: 1, delay });
        let (config, _) = read_text(r#"{"restart-strategy.type": "disable"}"#);
        assert_eq!(config.restart, RestartStrategy::None);
        assert_eq!(read_text("{}").0, Config::default());
    }

    #[test]
    fn values_may_be_texts_as_in_flinks_files() {
        let (config, n_errors) = read_text(
            r#"{"execution.checkpointing.max-concurrent-checkpoints": "2",
                "execution.checkpointing.checkpoints-after-tasks-finish.enabled": "FALSE",
                "execution.checkpointing.mode": "exactly_once"}"#,
        );
        assert_eq!(n_errors, 0);
        assert_eq!(config.max_concurrent_checkpoints, 2);
        assert!(!config.checkpoints_after_tasks_finish);
    }

    fn read_text(text: &str) -> (Config, usize) {
        let mut problems = Problems::new(text);
        let value = super::super::text::parse(text, &mut problems).expect("it is JSON");
        let config = read(Some(&value), &mut problems).config;
        (config, problems.n_errors())
    }
}
