//! What is right and perhaps not as meant, in a configuration by itself.

use std::collections::BTreeSet;

use super::format::Format;
use super::keys;
use super::option::{Effect, Kind};
use super::options::is_aside;
use super::refusals::in_quotes;
use super::settings::{Origin, Setting, Settings, takes_any_text};
use super::source::Entry;
use super::tell::{Teller, line_list, say};
use super::template::placeholders;
use super::value::Value;
use crate::load::diagnostic::{Diagnostic, Severity};
use crate::load::words::{clip, list};
use crate::model::Language;

/// A time without a unit below this is probably not meant in ms.
const BARE_MS_MIN: u64 = 1000;

impl Teller<'_> {
    /// Tells what would surprise.
    pub(super) fn surprises(&mut self, settings: &Settings, entries: &[Entry], format: Format) {
        self.of_format(format, entries);
        self.no_interval(settings);
        self.bare_numbers(settings);
        self.unfilled(entries, format);
        self.quotation_marks(settings, format);
        self.restarts(settings);
        if settings.is_true(keys::IGNORE_UNCLAIMED) {
            let language = self.language;
            let message = say!(
                language,
                "state of operators that the job no longer has is dropped without a word",
                "作业中已不存在的算子的状态会被悄悄丢弃"
            );
            let label = say!(
                language,
                "dropped operators lose their state silently",
                "去掉的算子会悄悄失去状态"
            );
            let places = self.one(settings, keys::IGNORE_UNCLAIMED, label);
            self.tell(Severity::Warning, "state-dropped", message, places);
        }
        if settings.word(keys::RUNTIME_MODE) == Some("BATCH") {
            let language = self.language;
            let message =
                say!(language, "in batch mode no checkpoints are taken", "批模式下不做检查点");
            let label = say!(language, "no checkpoints", "没有检查点");
            let places = self.one(settings, keys::RUNTIME_MODE, label);
            self.tell(Severity::Warning, "no-periodic", message, places);
        }
    }

    /// Tells what is set and not simulated. What is set to its default is not
    /// worth a word.
    pub(super) fn effects(&mut self, settings: &Settings, severity: Severity) {
        // An older key can set two options, and is told once.
        let mut told = BTreeSet::new();
        for setting in &settings.all {
            let Origin::File { key, key_place, .. } = &setting.origin else { continue };
            let (key, language) = (clip(key), self.language);
            let here = setting.option.here.of(language);
            match setting.option.effect {
                Effect::Followed => {}
                Effect::Nothing => {
                    let message = say!(
                        language,
                        "`{key}`: {here}; Flink 2 no longer knows it",
                        "`{key}`：{here}；Flink 2 已不认识它"
                    );
                    let label = say!(language, "no effect", "不起作用");
                    let problem = Diagnostic::warning("no-effect", message);
                    self.add(problem.at(key_place.clone(), label));
                }
                Effect::NotSimulated
                    if is_default(setting)
                        || (is_aside(setting.option) && severity == Severity::Note)
                        || !told.insert(key_place.start) => {}
                Effect::NotSimulated => {
                    let message = say!(
                        language,
                        "`{key}` is real and not simulated: {here}",
                        "`{key}` 是真实的设置，但未模拟：{here}"
                    );
                    let label = say!(language, "no effect on a run here", "对这里的运行没有作用");
                    let problem = Diagnostic::new(severity, "not-simulated", message);
                    self.add(problem.at(key_place.clone(), label));
                }
            }
        }
    }

    fn of_format(&mut self, format: Format, entries: &[Entry]) {
        let language = self.language;
        let what = format.words().of(language);
        let n = entries.len();
        let message = match format {
            Format::Flat | Format::Yaml => return,
            Format::Shell => say!(
                language,
                "not a YAML file: {n} dynamic properties of a command line were read; they override the file",
                "不是 YAML 文件：读到命令行的 {n} 个动态属性；它们覆盖配置文件"
            ),
            Format::Sql => say!(
                language,
                "not a YAML file: {n} SET statements of a SQL script were read; they override the file",
                "不是 YAML 文件：读到 SQL 脚本的 {n} 条 SET 语句；它们覆盖配置文件"
            ),
            _ => say!(language, "{what}: read out of it: {n}", "{what}：从中读到 {n}"),
        };
        self.tell(Severity::Note, "format", message, Vec::new());
    }

    fn no_interval(&mut self, settings: &Settings) {
        if settings.is_set(keys::INTERVAL) {
            return;
        }
        let language = self.language;
        let key = keys::INTERVAL;
        let about = |key: &str| key.starts_with("execution.checkpointing.");
        let given: Vec<&str> = settings
            .all
            .iter()
            .map(|setting| setting.option.key)
            .filter(|key| about(key) && settings.is_set(key))
            .collect();
        let never = say!(
            language,
            "{key} is missing: checkpointing is not enabled here, no periodic checkpoint is ever taken, only savepoints by hand (a job may still enable it in its code)",
            "缺少 {key}：这里没有启用检查点，永远不会做周期性检查点，只有手动的保存点（作业仍可在代码中启用）"
        );
        let (severity, message) = if settings.is_set(keys::DIR) {
            (
                Severity::Warning,
                say!(
                    language,
                    "a checkpoint directory is set, but {never}",
                    "设置了检查点目录，但{never}"
                ),
            )
        } else if given.is_empty() {
            (Severity::Note, never)
        } else {
            (Severity::Warning, never)
        };
        let label = say!(language, "set, and without effect by itself", "设置了，但单独不起作用");
        let first =
            if settings.is_set(keys::DIR) { Some(keys::DIR) } else { given.first().copied() };
        let places = first.map(|key| self.one(settings, key, label)).unwrap_or_default();
        self.tell(severity, "no-periodic", message, places);
        if !settings.is_set(keys::RESTART) {
            let message = say!(
                language,
                "without checkpointing the default restart strategy is none: the first failure ends the job",
                "没有检查点时默认的重启策略是 none：第一次失败就结束作业"
            );
            self.tell(Severity::Note, "restart-none", message, Vec::new());
        }
    }

    /// Times without a unit are milliseconds, and times below one are none.
    fn bare_numbers(&mut self, settings: &Settings) {
        for setting in &settings.all {
            let Origin::File { key, written, value_place, .. } = &setting.origin else { continue };
            let Some(Value::Duration(nanos)) = setting.value else { continue };
            let (key, written, language) = (clip(key), clip(written.trim()), self.language);
            let is_bare = written.bytes().all(|byte| byte.is_ascii_digit());
            let ms = (nanos / 1_000_000) as u64;
            if is_bare && (1..BARE_MS_MIN).contains(&ms) {
                let message = say!(
                    language,
                    "{key}: {written} has no unit and is {written} ms, probably not meant",
                    "{key}：{written} 没有单位，就是 {written} ms，多半不是本意"
                );
                let label = say!(
                    language,
                    "{written} s is written `{written} s`",
                    "{written} 秒要写成 `{written} s`"
                );
                let problem = Diagnostic::warning("no-unit", message);
                self.add(problem.at(value_place.clone(), label));
            } else if !nanos.is_multiple_of(1_000_000) {
                let message = say!(
                    language,
                    "{key}: what is finer than a millisecond is dropped: {written} is {ms} ms",
                    "{key}：不足一毫秒的部分会舍去：{written} 即 {ms} ms"
                );
                let label = say!(language, "{ms} ms", "{ms} ms");
                let problem = Diagnostic::warning("no-unit", message);
                self.add(problem.at(value_place.clone(), label));
            }
        }
    }

    /// Placeholders in texts: the file is read all the same.
    fn unfilled(&mut self, entries: &[Entry], format: Format) {
        let is_text = |entry: &&Entry| super::option_of(&entry.key.text).is_none_or(takes_any_text);
        let mut names: Vec<String> = Vec::new();
        let mut places = Vec::new();
        for entry in entries.iter().filter(is_text) {
            for (_, name) in placeholders(&entry.value.text) {
                let shown = format!("${{{}}}", clip(name));
                if !names.contains(&shown) {
                    names.push(shown);
                }
                places.push(entry.value.range.clone());
            }
        }
        let Some(first) = places.first() else { return };
        let language = self.language;
        let lines: Vec<usize> = places.iter().map(|place| self.line(place.start)).collect();
        let lines = line_list(&lines, language);
        names.truncate(8);
        let names = list(&names, if language == Language::En { "and" } else { "与" });
        let message = if format == Format::Shell {
            say!(
                language,
                "{names} on {lines}: the shell puts something in, which is not seen here",
                "{lines}有 {names}：由 shell 替换，这里看不到替换后的值"
            )
        } else {
            say!(
                language,
                "unresolved {names} on {lines}: Flink expands no variables, and takes them as they are",
                "{lines}有未替换的 {names}：Flink 不展开变量，原样使用"
            )
        };
        let label = say!(language, "the first of them", "第一处");
        self.tell(Severity::Note, "placeholder", message, vec![(first.clone(), label)]);
    }

    /// In the flat format quotation marks are part of a text.
    fn quotation_marks(&mut self, settings: &Settings, format: Format) {
        if format == Format::Sql || format == Format::Shell {
            return;
        }
        for setting in settings.all.iter().filter(|setting| setting.option.kind == Kind::Text) {
            let Origin::File { key, written, value_place, .. } = &setting.origin else { continue };
            if in_quotes(written).is_none() {
                continue;
            }
            let (key, language) = (clip(key), self.language);
            let message = say!(
                language,
                "{key} keeps its quotation marks: the flat format does not take them off",
                "{key} 的引号会保留：旧格式不会去掉引号"
            );
            let label = say!(language, "begins with a quotation mark", "以引号开头");
            let problem = Diagnostic::warning("quotes", message);
            self.add(problem.at(value_place.clone(), label));
        }
    }

    fn restarts(&mut self, settings: &Settings) {
        let language = self.language;
        if !settings.is_set(keys::RESTART) {
            return;
        }
        match settings.word(keys::RESTART) {
            Some("failure-rate") => {
                let (Some(most), Some(Value::Duration(nanos))) =
                    (settings.whole(keys::RATE_FAILURES), settings.value(keys::RATE_INTERVAL))
                else {
                    return;
                };
                let (fatal, within) = (most + 1, super::value::duration_text(*nanos));
                let message = say!(
                    language,
                    "with at most {most}, failure number {fatal} within {within} is fatal",
                    "上限为 {most} 时，{within} 内的第 {fatal} 次失败会结束作业"
                );
                let label = say!(language, "this many are survived", "可以承受这么多次");
                let places = self.one(settings, keys::RATE_FAILURES, label);
                self.tell(Severity::Note, "fatal-failure", message, places);
            }
            Some("exponential-delay") if settings.fraction(keys::BACKOFF_JITTER) > Some(0.0) => {
                let message = say!(
                    language,
                    "jitter: a restart's delay is drawn at random; here the run's seed decides, and jitter-factor 0 draws nothing",
                    "抖动：重启延迟是随机的；这里由运行的种子决定，jitter-factor 为 0 则不随机"
                );
                let label = say!(language, "drawn from the seed", "由种子决定");
                let key = if settings.is_set(keys::BACKOFF_JITTER) {
                    keys::BACKOFF_JITTER
                } else {
                    keys::RESTART
                };
                let places = self.one(settings, key, label);
                self.tell(Severity::Note, "jitter", message, places);
            }
            _ => {}
        }
    }
}

fn is_default(setting: &Setting) -> bool {
    let default = setting.option.default;
    let parsed = default
        .and_then(|text| super::value::parse(setting.option.kind, text, super::Release::V1).ok());
    parsed.is_some() && parsed == setting.value
}
