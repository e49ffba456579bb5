//! Flink's settings, under Flink's own keys.

use std::collections::BTreeMap;

use jsonc_parser::ast::{ObjectProp, Value};

use super::diagnostic::Diagnostic;
use super::flink_keys::{Known, Setting, followed_names, meaning, names as all_names};
use super::problems::Problems;
use super::text::range_of;
use super::tree::{Quoted, key, kind, whole_number};
use super::words::{clip, names};
use crate::model::{CheckpointingMode, Config, Micros, RestartStrategy};

/// The shortest interval that Flink accepts.
// Flink 1.20: CheckpointCoordinatorConfiguration.MINIMAL_CHECKPOINT_TIME
const INTERVAL_MIN: Micros = Micros(10_000);

/// The settings of a scenario, with what has to be held against its job.
pub(super) struct Settings {
    pub(super) config: Config,
    /// Where unaligned checkpoints are switched on, if they are and only on
    /// edges that support them.
    pub(super) unaligned: Option<std::ops::Range<usize>>,
}

/// Reads what stands under `config`, if anything does.
pub(super) fn read(value: Option<&Value<'_>>, problems: &mut Problems) -> Settings {
    let mut reader = Reader {
        problems,
        config: Config::default(),
        given: BTreeMap::new(),
        unaligned_is_forced: false,
        restart: None,
        attempts: None,
        delay: None,
    };
    if let Some(value) = value {
        let expected = "an object from Flink's keys to their values";
        if let Some(object) = reader.problems.object(value, "`config`", expected) {
            for property in &object.properties {
                reader.entry(property);
            }
        }
    }
    reader.settle()
}

/// A restart strategy by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restart {
    None,
    FixedDelay,
}

struct Reader<'r, 't> {
    problems: &'r mut Problems,
    config: Config,
    /// Under which key a setting was given.
    given: BTreeMap<Setting, Quoted<'t>>,
    unaligned_is_forced: bool,
    restart: Option<Restart>,
    attempts: Option<u32>,
    delay: Option<Micros>,
}

impl<'t> Reader<'_, 't> {
    fn entry(&mut self, property: &'t ObjectProp<'_>) {
        let key = key(property);
        let Some(meaning) = meaning(key.text) else {
            self.unknown_key(&key, &property.value);
            return;
        };
        let name = clip(key.text);
        let Known::Followed(setting) = meaning.known else {
            let message = format!("`{name}` is a real setting that checkdam does not simulate yet");
            let problem = Diagnostic::warning("not-simulated", message);
            self.problems.add(problem.at(key.range.clone(), "no effect on this run"));
            self.old_spelling(&key, meaning.renamed);
            return;
        };
        if let Some(other) = self.given.get(&setting) {
            // Told as a duplicate key.
            if other.text == key.text {
                return;
            }
            let message = format!("`{name}` sets again what another key has set");
            self.problems.add(
                Diagnostic::error("given-twice", message)
                    .at(key.range, "again here")
                    .at(other.range.clone(), "first here")
                    .help("keep the newer of the two spellings"),
            );
            return;
        }
        self.given.insert(setting, key.clone());
        self.old_spelling(&key, meaning.renamed);
        self.setting(setting, &property.value, &key);
    }

    fn old_spelling(&mut self, key: &Quoted<'_>, renamed: Option<&str>) {
        let Some(new) = renamed else { return };
        let message = format!("`{}` is an older spelling of `{new}`", clip(key.text));
        let problem = Diagnostic::note("old-key", message);
        self.problems.add(problem.at(key.range.clone(), format!("today `{new}`")));
    }

    fn unknown_key(&mut self, key: &Quoted<'_>, value: &Value<'_>) {
        let near = self.problems.nearest_within(key.text, all_names(), how_near);
        let near = near.or_else(|| same_last_part(key.text));
        let message = format!("Flink has no setting `{}`", clip(key.text));
        let is_known_now = near.is_some();
        let problem = Diagnostic::error("unknown-setting", message);
        let problem = problem.at(key.range.clone(), "unknown").did_you_mean(near);
        self.problems.add(match value {
            Value::Object(_) => problem
                .help("keys are written whole: \"execution.checkpointing.interval\": \"10 s\""),
            _ if is_known_now => problem,
            _ => problem.help(format!("simulated now: {}", names(followed_names()))),
        });
    }

    fn setting(&mut self, setting: Setting, value: &Value<'_>, key: &Quoted<'_>) {
        let what = format!("`{}`", key.text);
        match setting {
            Setting::Interval => {
                if let Some(interval) = self.duration(value, &what) {
                    if interval < INTERVAL_MIN {
                        let message = format!("checkpoints cannot be triggered every {interval}");
                        self.problems.add(
                            Diagnostic::error("interval-too-short", message)
                                .at(
                                    range_of(value),
                                    format!("Flink asks for {INTERVAL_MIN} or more"),
                                )
                                .help("without the key there are no periodic checkpoints"),
                        );
                    }
                    self.config.interval = Some(interval);
                }
            }
            Setting::MaxConcurrent => {
                if let Some(n) = self.count(value, &what, 1) {
                    self.config.max_concurrent_checkpoints = n;
                }
            }
            Setting::AfterTasksFinish => {
                if let Some(yes) = self.yes_or_no(value, &what) {
                    self.config.checkpoints_after_tasks_finish = yes;
                }
            }
            Setting::Mode => self.mode(value, &what),
            Setting::Unaligned => {
                self.config.unaligned = self.yes_or_no(value, &what).unwrap_or(false);
            }
            Setting::UnalignedForced => {
                self.unaligned_is_forced = self.yes_or_no(value, &what).unwrap_or(false);
            }
            Setting::AlignedTimeout => {
                self.config.aligned_timeout = self.duration(value, &what).unwrap_or_default();
            }
            Setting::RestartType => self.restart_type(value, &what),
            Setting::RestartAttempts => self.attempts = self.count(value, &what, 0),
            Setting::RestartDelay => self.delay = self.duration(value, &what),
        }
    }

    fn duration(&mut self, value: &Value<'_>, what: &str) -> Option<Micros> {
        self.problems.duration(value, what)
    }

    /// A whole number, which Flink's files write as a text too.
    fn count(&mut self, value: &Value<'_>, what: &str, least: u32) -> Option<u32> {
        let written = match value {
            Value::NumberLit(literal) => literal.value,
            Value::StringLit(literal) => literal.value.trim(),
            _ => {
                self.problems.wrong_type(value, what, "a whole number");
                return None;
            }
        };
        // Flink counts with Java's int.
        let bounds = i128::from(least)..=i128::from(i32::MAX);
        match whole_number(written) {
            Some(number) if bounds.contains(&number) => Some(number as u32),
            _ => {
                let message = format!(
                    "{what} must be a whole number of at least {least}, not {}",
                    clip(written)
                );
                let problem = Diagnostic::error("out-of-range", message);
                self.problems.add(problem.at(range_of(value), "not this"));
                None
            }
        }
    }

    // Flink 1.20: ConfigurationUtils.convertToBoolean: any letter case.
    fn yes_or_no(&mut self, value: &Value<'_>, what: &str) -> Option<bool> {
        match value {
            Value::BooleanLit(literal) => return Some(literal.value),
            Value::StringLit(literal) if literal.value.eq_ignore_ascii_case("true") => {
                return Some(true);
            }
            Value::StringLit(literal) if literal.value.eq_ignore_ascii_case("false") => {
                return Some(false);
            }
            _ => {}
        }
        let found = match value {
            Value::StringLit(literal) => format!("`{}`", clip(&literal.value)),
            other => kind(other).to_owned(),
        };
        let message = format!("{what} must be true or false, not {found}");
        let problem = Diagnostic::error("wrong-type", message);
        self.problems.add(problem.at(range_of(value), "write true or false"));
        None
    }

    // Flink 1.20: ConfigurationUtils.convertToEnum: any letter case, and
    // underscores only.
    fn mode(&mut self, value: &Value<'_>, what: &str) {
        const MODES: [&str; 2] = ["EXACTLY_ONCE", "AT_LEAST_ONCE"];
        let Some(word) = self.problems.string(value, what, "\"EXACTLY_ONCE\"") else { return };
        let shouted = word.text.to_ascii_uppercase();
        match shouted.as_str() {
            "EXACTLY_ONCE" => self.config.mode = CheckpointingMode::ExactlyOnce,
            "AT_LEAST_ONCE" => self.config.mode = CheckpointingMode::AtLeastOnce,
            other => {
                let near = self.problems.nearest(&other.replace('-', "_"), MODES);
                let message = format!("Flink has no checkpointing mode `{}`", clip(word.text));
                self.problems.add(
                    Diagnostic::error("unknown-word", message)
                        .at(word.range, "unknown")
                        .did_you_mean(near)
                        .help(format!("the modes are {}", names(MODES))),
                );
            }
        }
    }

    fn restart_type(&mut self, value: &Value<'_>, what: &str) {
        const TYPES: [&str; 4] = ["none", "fixed-delay", "failure-rate", "exponential-delay"];
        let Some(word) = self.problems.string(value, what, "\"fixed-delay\" or \"none\"") else {
            return;
        };
        match word.text.to_ascii_lowercase().as_str() {
            "none" | "off" | "disable" => self.restart = Some(Restart::None),
            "fixed-delay" | "fixeddelay" => self.restart = Some(Restart::FixedDelay),
            "failure-rate" | "failurerate" | "exponential-delay" | "exponentialdelay" => {
                let message = format!(
                    "`{}` is a real restart strategy that checkdam does not simulate yet",
                    word.text
                );
                let problem = Diagnostic::warning("not-simulated", message);
                self.problems
                    .add(problem.at(word.range, "this run restarts 1 s after every failure"));
            }
            other => {
                let near = self.problems.nearest(other, TYPES);
                let message = format!("Flink has no restart strategy `{}`", clip(word.text));
                self.problems.add(
                    Diagnostic::error("unknown-word", message)
                        .at(word.range, "unknown")
                        .did_you_mean(near)
                        .help(format!("the strategies are {}", names(TYPES))),
                );
            }
        }
    }

    /// What unaligned checkpoints ask for.
    // Flink 1.20: CheckpointConfig.isUnalignedCheckpointsEnabled,
    // CheckpointCoordinatorConfiguration, StreamGraph.
    fn settle_unaligned(&mut self) {
        if let Some(timeout) = self.given.get(&Setting::AlignedTimeout)
            && !self.config.unaligned
        {
            let message = "this has an effect only with unaligned checkpoints";
            self.problems.add(
                Diagnostic::warning("no-effect", message)
                    .at(timeout.range.clone(), "no effect on this run")
                    .help("set \"execution.checkpointing.unaligned.enabled\": true"),
            );
        }
        let Some(unaligned) = self.given.get(&Setting::Unaligned).cloned() else { return };
        if !self.config.unaligned {
            return;
        }
        if self.config.mode == CheckpointingMode::AtLeastOnce {
            self.config.unaligned = false;
            let message = "unaligned checkpoints need the mode EXACTLY_ONCE";
            self.problems.add(
                Diagnostic::warning("no-effect", message)
                    .at(unaligned.range, "Flink ignores it with AT_LEAST_ONCE"),
            );
            return;
        }
        let n = self.config.max_concurrent_checkpoints;
        if n > 1 {
            let at = self.given.get(&Setting::MaxConcurrent).map(|key| key.range.clone());
            let message = format!("unaligned checkpoints and {n} at once exclude each other");
            self.problems.add(
                Diagnostic::error("unaligned-and-concurrent", message)
                    .at(unaligned.range, "unaligned here")
                    .at(at.unwrap_or_default(), "several at once here")
                    .help("Flink asks for 1 with unaligned checkpoints"),
            );
        }
    }

    /// The settings that depend on each other.
    fn settle(mut self) -> Settings {
        self.settle_unaligned();
        match self.restart {
            Some(Restart::None) => self.config.restart = RestartStrategy::None,
            // Flink 1.20: RestartStrategyOptions: 1 attempt, 1 s.
            Some(Restart::FixedDelay) => {
                self.config.restart = RestartStrategy::FixedDelay {
                    attempts: self.attempts.unwrap_or(1),
                    delay: self.delay.unwrap_or(Micros::from_ms(1000)),
                };
            }
            None => {}
        }
        let is_unclear = self.restart.is_none() && self.given.contains_key(&Setting::RestartType);
        if self.restart != Some(Restart::FixedDelay) && !is_unclear {
            for setting in [Setting::RestartAttempts, Setting::RestartDelay] {
                if let Some(at) = self.given.get(&setting) {
                    let message = "this has an effect only with the fixed-delay strategy";
                    self.problems.add(
                        Diagnostic::warning("no-effect", message)
                            .at(at.range.clone(), "no effect on this run")
                            .help("set \"restart-strategy.type\": \"fixed-delay\""),
                    );
                }
            }
        }
        let unaligned = self.given.get(&Setting::Unaligned).map(|key| key.range.clone());
        let is_open = self.config.unaligned && !self.unaligned_is_forced;
        Settings { config: self.config, unaligned: unaligned.filter(|_| is_open) }
    }
}

/// How many changes to a key are still near. Keys are long and have much in
/// common, so that their last parts decide.
fn how_near(wanted: &str, candidate: &str) -> usize {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().len();
    let same_end = wanted.rsplit('.').next() == candidate.rsplit('.').next();
    let by_end = last(wanted).max(last(candidate)) / 3;
    if same_end { (wanted.len() / 4).max(by_end) } else { by_end }
}

/// A key that is followed and ends as the wanted one does.
fn same_last_part(wanted: &str) -> Option<String> {
    let last = wanted.rsplit('.').next().unwrap_or_default();
    let mut same = followed_names().filter(|name| name.rsplit('.').next() == Some(last));
    let first = same.next()?;
    same.next().is_none().then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
