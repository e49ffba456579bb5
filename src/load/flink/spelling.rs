//! What is to be said of keys: older ones, unknown ones, those that stand
//! twice.

use std::collections::BTreeMap;

use super::Release;
use super::known;
use super::option::FlinkOption;
use super::options::options;
use super::source::Entry;
use super::tell::{Teller, say};
use crate::load::diagnostic::{Diagnostic, Severity};
use crate::load::words::clip;

impl Teller<'_> {
    /// Looks at the key of every entry.
    pub(super) fn keys(&mut self, entries: &[Entry], unknown: Severity) {
        self.repeated(entries);
        self.two_spellings(entries);
        for entry in entries {
            let named: Vec<&FlinkOption> = options_of(&entry.key.text);
            if named.is_empty() {
                match known::is_known(&entry.key.text) {
                    false => self.unknown(entry, unknown),
                    true if unknown == Severity::Error => self.of_no_interest(entry),
                    true => {}
                }
                continue;
            }
            self.old(entry, &named);
            if self.release == Release::V2 && named.iter().all(|option| !option.is_in(self.release))
            {
                let (key, language) = (clip(&entry.key.text), self.language);
                let message = say!(
                    language,
                    "Flink 2 has no setting `{key}` any more, and ignores it",
                    "Flink 2 已没有 `{key}`，会忽略它"
                );
                let label = say!(language, "without effect", "无作用");
                let problem = Diagnostic::warning("gone", message);
                self.add(problem.at(entry.key.range.clone(), label));
            }
        }
    }

    /// The same key more than once: the last one counts.
    fn repeated(&mut self, entries: &[Entry]) {
        let mut before: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in entries {
            let Some(first) = before.insert(&entry.key.text, entry) else { continue };
            let (key, language) = (clip(&entry.key.text), self.language);
            let message = if first.value.text == entry.value.text {
                say!(
                    language,
                    "`{key}` is given twice, with equal values",
                    "`{key}` 给了两次，值相同"
                )
            } else {
                say!(
                    language,
                    "`{key}` is given twice: the later one counts",
                    "`{key}` 给了两次：以后面的为准"
                )
            };
            let counts = say!(language, "this one counts", "以这一个为准");
            let earlier = say!(language, "given before", "先前给过");
            self.add(
                Diagnostic::warning("given-twice", message)
                    .at(entry.key.range.clone(), counts)
                    .at(first.key.range.clone(), earlier),
            );
        }
    }

    /// One option under several of its names: today's counts, then the older
    /// ones in Flink's order.
    fn two_spellings(&mut self, entries: &[Entry]) {
        for option in options() {
            let names = std::iter::once(option.key).chain(option.old_keys.iter().copied());
            let given: Vec<&Entry> = names
                .filter_map(|name| entries.iter().rfind(|entry| entry.key.text == name))
                .collect();
            let [counts, others @ ..] = given.as_slice() else { continue };
            for other in others {
                let language = self.language;
                let (wins, loses) = (clip(&counts.key.text), clip(&other.key.text));
                let message = say!(
                    language,
                    "`{loses}` sets again what `{wins}` sets, and is ignored",
                    "`{loses}` 与 `{wins}` 设置同一项，会被忽略"
                );
                let ignored = say!(language, "ignored", "被忽略");
                let label = say!(language, "this one counts", "以这一个为准");
                self.add(
                    Diagnostic::warning("given-twice", message)
                        .at(other.key.range.clone(), ignored)
                        .at(counts.key.range.clone(), label),
                );
            }
        }
    }

    fn old(&mut self, entry: &Entry, named: &[&FlinkOption]) {
        let key = &entry.key.text;
        let new: Vec<String> = named
            .iter()
            .filter(|option| option.key != key)
            .map(|option| format!("`{}`", option.key))
            .collect();
        if new.len() != named.len() {
            return;
        }
        let (key, language) = (clip(key), self.language);
        let new = crate::load::words::list(
            &new,
            if language == Default::default() { "and" } else { "与" },
        );
        let message = say!(
            language,
            "`{key}` is deprecated, an older spelling of {new}",
            "`{key}` 已弃用，是 {new} 的旧写法"
        );
        let label = say!(language, "today {new}", "现为 {new}");
        self.add(Diagnostic::note("old-key", message).at(entry.key.range.clone(), label));
    }

    /// In a scenario, a setting of Flink's that has nothing to do with
    /// checkpoints.
    fn of_no_interest(&mut self, entry: &Entry) {
        let (key, language) = (clip(&entry.key.text), self.language);
        let message = say!(
            language,
            "`{key}` is a real setting of Flink's that has nothing to do with checkpoints",
            "`{key}` 是 Flink 真实的设置，但与检查点无关"
        );
        let label = say!(language, "no effect on this run", "对这次运行没有作用");
        let problem = Diagnostic::warning("not-simulated", message);
        self.add(problem.at(entry.key.range.clone(), label));
    }

    fn unknown(&mut self, entry: &Entry, severity: Severity) {
        let key = &entry.key.text;
        let language = self.language;
        let shown = clip(key);
        if severity != Severity::Error && !known::is_flinks_room(key) {
            let message = say!(
                language,
                "`{shown}` is no setting of Flink's own; a plugin, a connector or the job may read it",
                "`{shown}` 不是 Flink 自己的设置；插件、连接器或作业可能会读它"
            );
            let label = say!(language, "not known here", "这里不认识");
            self.add(Diagnostic::note("foreign-key", message).at(entry.key.range.clone(), label));
            return;
        }
        let near = known::nearest(key, self.problems);
        let message = match (&near, severity) {
            (_, Severity::Error) => {
                say!(language, "Flink has no setting `{shown}`", "Flink 没有设置 `{shown}`")
            }
            (Some(near), _) => say!(
                language,
                "unknown key {shown}: did you mean {near}? Flink ignores it",
                "未知的键 {shown}：是否想写 {near}？Flink 会忽略它"
            ),
            (None, _) => say!(
                language,
                "unknown key {shown}: Flink ignores it",
                "未知的键 {shown}：Flink 会忽略它"
            ),
        };
        let label = say!(language, "unknown", "未知");
        let problem = Diagnostic::new(severity, "unknown-setting", message);
        self.add(problem.at(entry.key.range.clone(), label).did_you_mean(near));
    }
}

/// Every option that a key sets, as its own name or as an older one.
pub(super) fn options_of(key: &str) -> Vec<&'static FlinkOption> {
    options().filter(|option| option.key == key || option.old_keys.contains(&key)).collect()
}
