//! Settings -> what the simulator goes by.

use std::ops::Range;

use jsonc_parser::ast::Value as Ast;
use serde_json::Value as Json;

use super::keys;
use super::option::Effect;
use super::settings::{Origin, Settings};
use super::source::Entry;
use super::tell::Teller;
use super::value::Value;
use super::{Reading, Release};
use crate::load::diagnostic::{Diagnostics, Severity};
use crate::load::problems::Problems;
use crate::load::{Loaded, scenario, text, tree};
use crate::model::{
    CheckpointStorage, CheckpointingMode, ClaimMode, Config, DirectoryLayout,
    ExternalizedCheckpointRetention, Factor, FailoverStrategy, Growth, HighAvailability,
    LocalRecovery, Micros, NonRestoredState, RestartStrategy, Scenario, StateBackend,
    StateSettings, Time,
};

/// The settings of a scenario, with what has to be held against its job.
pub(in crate::load) struct ScenarioSettings {
    pub(in crate::load) config: Config,
    /// Where unaligned checkpoints are switched on, if they are and only on
    /// edges that support them.
    pub(in crate::load) unaligned: Option<Range<usize>>,
}

/// Reads the settings of a scenario: by the rules of files, but what Flink
/// would ignore as unknown is an error here.
pub(in crate::load) fn settle_scenario(
    entries: &[Entry],
    teller: &mut Teller<'_>,
) -> ScenarioSettings {
    teller.keys(entries, Severity::Error);
    let mut settings = Settings::of(entries, Release::V1);
    teller.read_values(&mut settings);
    settings.derive();
    teller.rules(&settings);
    teller.storage_settings(&settings);
    settings.forget_unread();
    teller.effects(&settings, Severity::Warning);
    let mut config = settings.config();
    if !settings.is_set(keys::RESTART) {
        // A scenario restarts unless it says otherwise, whatever the interval.
        config.restart = Config::default().restart;
    }
    let is_open = config.unaligned && !settings.is_true(keys::UNALIGNED_FORCED);
    let unaligned = settings.key_place(keys::UNALIGNED).filter(|_| is_open);
    ScenarioSettings { config, unaligned }
}

impl Settings {
    /// What the simulator goes by. Where a value is refused its default holds.
    pub(super) fn config(&self) -> Config {
        let default = Config::default();
        let is_exactly_once = self.word(keys::MODE) != Some("AT_LEAST_ONCE");
        let count = |key: &str, default: u32| {
            self.whole(key).and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
        };
        Config {
            interval: self.micros(keys::INTERVAL),
            interval_during_backlog: self.micros(keys::BACKLOG_INTERVAL),
            min_pause: self.micros(keys::MIN_PAUSE).unwrap_or_default(),
            timeout: self.micros(keys::TIMEOUT).unwrap_or(default.timeout),
            max_concurrent_checkpoints: count(keys::MAX_CONCURRENT, 1),
            tolerable_failed_checkpoints: count(keys::TOLERABLE, 0),
            // Flink 1.20: DefaultCompletedCheckpointStoreUtils: fewer is 1.
            num_retained: count(keys::NUM_RETAINED, 1).max(1),
            retention: match self.word(keys::RETENTION) {
                Some("DELETE_ON_CANCELLATION") => {
                    ExternalizedCheckpointRetention::DeleteOnCancellation
                }
                Some("RETAIN_ON_CANCELLATION") => {
                    ExternalizedCheckpointRetention::RetainOnCancellation
                }
                _ => ExternalizedCheckpointRetention::NoExternalizedCheckpoints,
            },
            checkpoints_after_tasks_finish: self
                .value(keys::AFTER_TASKS_FINISH)
                .map_or(default.checkpoints_after_tasks_finish, Value::is_true),
            mode: match is_exactly_once {
                true => CheckpointingMode::ExactlyOnce,
                false => CheckpointingMode::AtLeastOnce,
            },
            // Flink 1.20: StreamingJobGraphGenerator.preValidate
            unaligned: self.is_true(keys::UNALIGNED) && is_exactly_once,
            aligned_timeout: self.micros(keys::ALIGNED_TIMEOUT).unwrap_or_default(),
            savepoint_path: self.word(keys::RECOVERY_PATH).map(str::to_owned),
            claim_mode: match self.word(keys::CLAIM_MODE) {
                Some("CLAIM") => ClaimMode::Claim,
                Some("LEGACY") => ClaimMode::Legacy,
                _ => ClaimMode::NoClaim,
            },
            non_restored_state: match self.is_true(keys::IGNORE_UNCLAIMED) {
                true => NonRestoredState::Allowed,
                false => NonRestoredState::Refused,
            },
            high_availability: match self.value(keys::HIGH_AVAILABILITY).map(ToString::to_string) {
                Some(mode) if !mode.trim().eq_ignore_ascii_case("none") => HighAvailability::On,
                _ => HighAvailability::Off,
            },
            failover: match self.value(keys::FAILOVER).map(ToString::to_string) {
                Some(strategy) if strategy.trim().eq_ignore_ascii_case("full") => {
                    FailoverStrategy::Full
                }
                _ => FailoverStrategy::Region,
            },
            restart: self.restart(),
            state: self.state(),
        }
    }

    // Flink 1.20: StateBackendLoader, CheckpointStorageLoader
    fn state(&self) -> StateSettings {
        let default = StateSettings::default();
        let text = |key: &str| self.word(key).map(str::to_owned);
        let backend = self.word(keys::BACKEND).unwrap_or_default().to_ascii_lowercase();
        let directory = text(keys::DIR);
        let wants_files = self
            .word(keys::STORAGE)
            .is_some_and(|storage| storage.eq_ignore_ascii_case("filesystem"));
        let brings_memory = backend == "jobmanager" || backend.contains("memorystatebackend");
        let brings_files = backend.contains("fsstatebackend") || backend.contains(".rocksdbstate");
        let in_files = (wants_files || brings_files) && !brings_memory && directory.is_some();
        let threshold = match self.value(keys::INLINE_THRESHOLD) {
            Some(Value::Memory(bytes)) if *bytes <= super::storage_rules::INLINE_MAX => *bytes,
            _ => default.inline_max,
        };
        let is_on = |key: &str| self.is_true(key);
        StateSettings {
            backend: match backend.contains("rocksdb") || backend.contains("forst") {
                true => StateBackend::RocksDb,
                false => StateBackend::HashMap,
            },
            storage: match in_files {
                true => CheckpointStorage::FileSystem,
                false => CheckpointStorage::JobManager,
            },
            directory,
            savepoint_directory: text(keys::SAVEPOINT_DIR),
            layout: match is_on(keys::CREATE_SUBDIR) {
                true => DirectoryLayout::OnePerJob,
                false => DirectoryLayout::Shared,
            },
            inline_max: threshold,
            growth: match is_on(keys::INCREMENTAL) {
                true => Growth::Incremental,
                false => Growth::Full,
            },
            local: match (is_on(keys::FROM_LOCAL), is_on(keys::LOCAL_BACKUP)) {
                // Without copies there is nothing to read.
                (true, true) => LocalRecovery::On,
                (false, true) => LocalRecovery::Backup,
                (_, false) => LocalRecovery::Off,
            },
            local_directory: text(keys::LOCAL_DIRS),
        }
    }

    // Flink 1.20: RestartBackoffTimeStrategyFactoryLoader
    fn restart(&self) -> RestartStrategy {
        let count = |key: &str| {
            self.whole(key).and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
        };
        let time = |key: &str| self.micros(key).unwrap_or_default();
        let factor = |key: &str| Factor::new(self.fraction(key).unwrap_or_default());
        match self.word(keys::RESTART) {
            Some("fixed-delay") => RestartStrategy::FixedDelay {
                attempts: count(keys::FIXED_ATTEMPTS),
                delay: time(keys::FIXED_DELAY),
            },
            Some("failure-rate") => RestartStrategy::FailureRate {
                max_failures: count(keys::RATE_FAILURES),
                interval: time(keys::RATE_INTERVAL),
                delay: time(keys::RATE_DELAY),
            },
            Some("exponential-delay") => RestartStrategy::ExponentialDelay {
                initial: time(keys::BACKOFF_INITIAL),
                max: time(keys::BACKOFF_MAX),
                multiplier: factor(keys::BACKOFF_MULTIPLIER),
                reset_threshold: time(keys::BACKOFF_RESET),
                jitter: factor(keys::BACKOFF_JITTER),
                attempts: count(keys::BACKOFF_ATTEMPTS),
            },
            _ => RestartStrategy::None,
        }
    }

    /// A time in whole milliseconds, no longer than time itself.
    fn micros(&self, key: &str) -> Option<Micros> {
        let ms = self.ms(key)?;
        Some(Micros(ms.saturating_mul(1000).min(Time::MAX.0 / 1000 * 1000)))
    }
}

impl Reading {
    /// What the simulator goes by under this configuration.
    #[must_use]
    pub fn config(&self) -> Config {
        Settings { all: self.settings.clone() }.config()
    }

    /// A scenario's job under this configuration: its own settings give way
    /// to these, and Flink's defaults hold for the rest.
    ///
    /// # Errors
    /// When the job does not go together with these settings.
    pub fn apply_to(&self, job: &Scenario) -> Result<Loaded, Diagnostics> {
        let followed = self.settings.iter().filter(|setting| {
            let is_chosen = matches!(setting.origin, Origin::File { .. })
                || setting.option.key == keys::RESTART;
            is_chosen && setting.option.effect == Effect::Followed
        });
        let pairs = followed.filter_map(|setting| {
            let value = setting.value.as_ref()?;
            Some((setting.option.key.to_owned(), Json::String(value.to_string())))
        });
        let settings = Json::Object(pairs.collect()).to_string();
        scenario(&job.name, with_settings(&job.document, &settings).as_bytes())
    }
}

/// A scenario's document with other settings. Everything else stays where it
/// is: the order of operators has a meaning.
fn with_settings(document: &str, settings: &str) -> String {
    let mut problems = Problems::new(document);
    let root = text::parse(document, &mut problems).expect("a document is JSON");
    let Ast::Object(object) = &root else { panic!("a document is an object") };
    match tree::get(object, "config") {
        Some(own) => {
            let place = text::range_of(&own.value);
            format!("{}{settings}{}", &document[..place.start], &document[place.end..])
        }
        None => {
            let end = document.rfind('}').expect("an object ends");
            format!("{},\"config\":{settings}{}", &document[..end], &document[end..])
        }
    }
}
