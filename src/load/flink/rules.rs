//! Rules between settings: what contradicts, what has no effect.
//!
//! They hold for configuration files and scenarios alike.

use std::ops::Range;

use super::keys;
use super::settings::Settings;
use super::tell::{Teller, say};
use super::value::duration_text;
use crate::load::diagnostic::{Diagnostic, Severity};

/// Shorthand for the places that a message is about.
type Places = Vec<(Range<usize>, String)>;

impl Teller<'_> {
    /// Tells what Flink refuses or ignores in these settings together.
    pub(super) fn rules(&mut self, settings: &Settings) {
        self.unaligned(settings);
        self.aligned_timeout(settings);
        self.backlog(settings);
        self.min_pause(settings);
        self.retained(settings);
        self.parameters_of_other_strategies(settings);
        self.backoff(settings);
        self.incremental(settings);
        self.local_recovery(settings);
    }

    pub(super) fn tell(
        &mut self,
        severity: Severity,
        code: &'static str,
        message: String,
        places: Places,
    ) {
        let problem = Diagnostic::new(severity, code, message);
        let problem =
            places.into_iter().fold(problem, |problem, (range, label)| problem.at(range, label));
        self.add(problem);
    }

    fn unaligned(&mut self, settings: &Settings) {
        if !settings.is_true(keys::UNALIGNED) {
            return;
        }
        let language = self.language;
        if settings.word(keys::MODE) == Some("AT_LEAST_ONCE") {
            // Flink 1.20: StreamingJobGraphGenerator.preValidate
            let message = say!(
                language,
                "unaligned checkpoints need EXACTLY_ONCE: with AT_LEAST_ONCE Flink switches them off with a warning",
                "非对齐检查点需要 EXACTLY_ONCE：AT_LEAST_ONCE 时 Flink 会将其关闭并警告"
            );
            let off = say!(language, "switched off", "被关闭");
            let mode = say!(language, "by this mode", "因为这个模式");
            let places = self.both(settings, (keys::UNALIGNED, off), (keys::MODE, mode));
            self.tell(Severity::Warning, "no-effect", message, places);
            return;
        }
        if settings.whole(keys::MAX_CONCURRENT).is_some_and(|most| most > 1) {
            // Flink 1.20: CheckpointCoordinatorConfiguration
            let message = say!(
                language,
                "unaligned checkpoints and several checkpoints at once exclude each other",
                "非对齐检查点与多个并发检查点互相排斥"
            );
            let label = say!(
                language,
                "Flink asks for 1 with unaligned checkpoints",
                "启用非对齐检查点时 Flink 要求为 1"
            );
            let unaligned = say!(language, "unaligned here", "这里启用了非对齐");
            let places =
                self.both(settings, (keys::MAX_CONCURRENT, label), (keys::UNALIGNED, unaligned));
            let severity = if settings.is_periodic() { Severity::Error } else { Severity::Warning };
            self.tell(severity, "contradiction", message, places);
        }
    }

    fn aligned_timeout(&mut self, settings: &Settings) {
        let Some(timeout) = settings.ms(keys::ALIGNED_TIMEOUT).filter(|ms| *ms > 0) else { return };
        let language = self.language;
        if !settings.is_true(keys::UNALIGNED) {
            let key = keys::UNALIGNED;
            let message = say!(
                language,
                "an aligned timeout has an effect only with unaligned checkpoints",
                "对齐超时只在启用非对齐检查点时有作用"
            );
            let label =
                say!(language, "without effect; set {key}: true", "无作用；请设 {key}: true");
            let places = self.one(settings, keys::ALIGNED_TIMEOUT, label);
            self.tell(Severity::Warning, "no-effect", message, places);
            return;
        }
        let longer = [keys::TIMEOUT, keys::INTERVAL]
            .into_iter()
            .find(|key| settings.ms(key).is_some_and(|ms| ms <= timeout));
        if let Some(key) = longer {
            let own = keys::ALIGNED_TIMEOUT;
            let limit = duration_text(u128::from(settings.ms(key).unwrap_or(0)) * 1_000_000);
            let relation = if settings.ms(key) == Some(timeout) {
                say!(language, "equals", "等于")
            } else {
                say!(language, "is longer than", "长于")
            };
            let message = say!(
                language,
                "{own} {relation} {key}, {limit}: barriers stay aligned for that long before they overtake",
                "{own} {relation} {key}（{limit}）：屏障会一直对齐这么久才越过记录"
            );
            let label = say!(language, "as long as that", "这么长");
            let other = say!(language, "compared with this", "与此相比");
            let places = self.both(settings, (own, label), (key, other));
            self.tell(Severity::Note, "late-overtaking", message, places);
        }
    }

    // Flink 1.20: CheckpointConfig.getCheckpointIntervalDuringBacklog
    fn backlog(&mut self, settings: &Settings) {
        let Some(backlog) = settings.ms(keys::BACKLOG_INTERVAL).filter(|ms| *ms > 0) else {
            return;
        };
        if !settings.is_set(keys::BACKLOG_INTERVAL) {
            return;
        }
        // A base interval that is not there counts as infinite.
        let base =
            if settings.is_periodic() { settings.ms(keys::INTERVAL) } else { Some(u64::MAX) };
        if base.is_some_and(|base| backlog < base) {
            let language = self.language;
            let (own, base) = (keys::BACKLOG_INTERVAL, keys::INTERVAL);
            let message = say!(
                language,
                "{own} must not be shorter than {base} (which counts as endless where it is not set)",
                "{own} 不得短于 {base}（未设时视为无穷）"
            );
            let label = say!(language, "Flink refuses this", "Flink 拒绝");
            let other = say!(language, "shorter than this", "短于此");
            let places = self.both(settings, (own, label), (base, other));
            self.tell(Severity::Error, "contradiction", message, places);
        }
    }

    // Flink 1.20: CheckpointCoordinator: the base interval
    fn min_pause(&mut self, settings: &Settings) {
        let (Some(pause), Some(interval)) =
            (settings.ms(keys::MIN_PAUSE), settings.ms(keys::INTERVAL))
        else {
            return;
        };
        if pause > interval {
            let language = self.language;
            let shown = duration_text(u128::from(pause) * 1_000_000);
            let message = say!(
                language,
                "the least pause is longer than the interval: checkpoints are {shown} apart, whatever the interval says",
                "最小停顿比检查点间隔还长：检查点实际相隔 {shown}"
            );
            let label = say!(language, "this decides", "由它决定");
            let other = say!(language, "this does not", "它不起作用");
            let places = self.both(settings, (keys::MIN_PAUSE, label), (keys::INTERVAL, other));
            self.tell(Severity::Warning, "min-pause-decides", message, places);
        }
    }

    // Flink 1.20: DefaultCompletedCheckpointStoreUtils
    fn retained(&mut self, settings: &Settings) {
        if let Some(n) = settings.whole(keys::NUM_RETAINED).filter(|n| *n <= 0) {
            let language = self.language;
            let message = say!(
                language,
                "{n} checkpoints cannot be kept: Flink warns and keeps 1",
                "不能保留 {n} 个检查点：Flink 会警告并保留 1 个"
            );
            let label = say!(language, "taken as 1", "按 1 处理");
            let places = self.one(settings, keys::NUM_RETAINED, label);
            self.tell(Severity::Warning, "taken-otherwise", message, places);
        }
    }

    fn parameters_of_other_strategies(&mut self, settings: &Settings) {
        let named = settings.is_set(keys::RESTART);
        let chosen = settings.word(keys::RESTART).filter(|_| named).unwrap_or_default().to_owned();
        let is_unclear = named && chosen.is_empty();
        let all = ["fixed-delay", "failure-rate", "exponential-delay"];
        for strategy in all.into_iter().filter(|strategy| !is_unclear && *strategy != chosen) {
            let prefix = format!("restart-strategy.{strategy}.");
            let given: Vec<&str> = settings
                .all
                .iter()
                .map(|setting| setting.option.key)
                .filter(|key| key.starts_with(&prefix) && settings.is_set(key))
                .collect();
            let Some(first) = given.first() else { continue };
            let language = self.language;
            let (n, key) = (given.len(), keys::RESTART);
            let message = if settings.is_set(keys::RESTART) {
                say!(
                    language,
                    "parameters of {strategy} have no effect with the strategy {chosen} ({n} of them)",
                    "策略为 {chosen} 时，{strategy} 的参数不起作用（{n} 个）"
                )
            } else {
                say!(
                    language,
                    "parameters of {strategy} have no effect without {key}: {strategy} ({n} of them)",
                    "没有 {key}: {strategy} 时，{strategy} 的参数不起作用（{n} 个）"
                )
            };
            let label = say!(language, "without effect", "无作用");
            let places = self.one(settings, first, label);
            self.tell(Severity::Warning, "no-effect", message, places);
        }
    }

    // Flink 1.20: ExponentialDelayRestartBackoffTimeStrategy
    fn backoff(&mut self, settings: &Settings) {
        let is_named = settings.is_set(keys::RESTART);
        if !is_named || settings.word(keys::RESTART) != Some("exponential-delay") {
            return;
        }
        let (first, most) = (settings.ms(keys::BACKOFF_INITIAL), settings.ms(keys::BACKOFF_MAX));
        if first.zip(most).is_some_and(|(first, most)| first > most) {
            let language = self.language;
            let message = say!(
                language,
                "the first backoff is longer than the longest",
                "初始延迟比最大延迟还长"
            );
            let label = say!(language, "Flink refuses this", "Flink 拒绝");
            let other = say!(language, "the longest", "最大延迟");
            let places =
                self.both(settings, (keys::BACKOFF_INITIAL, label), (keys::BACKOFF_MAX, other));
            self.tell(Severity::Error, "contradiction", message, places);
        }
    }

    fn incremental(&mut self, settings: &Settings) {
        let backend = settings.word(keys::BACKEND).unwrap_or_default().to_ascii_lowercase();
        let cannot = ["hashmap", "jobmanager", "filesystem"].contains(&backend.as_str());
        if settings.is_true(keys::INCREMENTAL) && cannot {
            let language = self.language;
            let message = say!(
                language,
                "the backend {backend} knows no incremental checkpoints, and ignores this",
                "后端 {backend} 不支持增量检查点，会忽略此项"
            );
            let label = say!(language, "without effect", "无作用");
            let places = self.one(settings, keys::INCREMENTAL, label);
            self.tell(Severity::Warning, "no-effect", message, places);
        }
    }

    fn local_recovery(&mut self, settings: &Settings) {
        let backend = settings.word(keys::BACKEND).unwrap_or_default();
        if settings.is_true(keys::FROM_LOCAL) && backend.eq_ignore_ascii_case("jobmanager") {
            let language = self.language;
            let message =
                say!(language, "the memory backend ignores local recovery", "内存后端忽略本地恢复");
            let label = say!(language, "without effect", "无作用");
            let places = self.one(settings, keys::FROM_LOCAL, label);
            self.tell(Severity::Warning, "no-effect", message, places);
        }
    }

    /// The place of a key, if the file has it.
    pub(super) fn one(&self, settings: &Settings, key: &str, label: String) -> Places {
        settings.key_place(key).into_iter().map(|place| (place, label.clone())).collect()
    }

    /// The places of two values, those that the file has.
    fn both(&self, settings: &Settings, a: (&str, String), b: (&str, String)) -> Places {
        let place = |(key, label): (&str, String)| Some((settings.value_place(key)?, label));
        place(a).into_iter().chain(place(b)).collect()
    }
}
