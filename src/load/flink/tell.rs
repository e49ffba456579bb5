//! What is to be said of a configuration file, in either language.

use std::ops::Range;

use super::Release;
use super::flat::{Skipped, Why};
use super::source::{Entry, Source};
use super::yaml::{What, YamlFlaw};
use crate::load::diagnostic::Diagnostic;
use crate::load::problems::Problems;
use crate::load::words::clip;
use crate::model::Language;

/// One text out of two, with values put in.
macro_rules! say {
    ($language:expr, $en:literal, $zh:literal $(,)?) => {
        match $language {
            $crate::model::Language::En => format!($en),
            $crate::model::Language::Zh => format!($zh),
        }
    };
}
pub(super) use say;

/// Where things are told, and how.
pub(in crate::load) struct Teller<'p> {
    pub(in crate::load) problems: &'p mut Problems,
    pub(in crate::load) language: Language,
    pub(in crate::load) release: Release,
}

impl Teller<'_> {
    pub(super) fn add(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.problems.lines.number(at)
    }

    /// Lines that Flink passes over.
    pub(super) fn skipped(&mut self, skipped: &[Skipped]) {
        for line in skipped {
            let language = self.language;
            let (message, label) = match line.why {
                Why::NoSeparator => (
                    say!(
                        language,
                        "a line without `: ` sets nothing, and is skipped",
                        "没有 `: ` 的行不设置任何东西，会被跳过"
                    ),
                    say!(language, "a colon and a blank are missing", "缺少冒号加空格"),
                ),
                Why::Empty => (
                    say!(
                        language,
                        "a line without key or value sets nothing, and is skipped",
                        "没有键或值的行不设置任何东西，会被跳过"
                    ),
                    say!(language, "nothing is set", "什么也没设置"),
                ),
            };
            self.add(Diagnostic::warning("skipped-line", message).at(line.range.clone(), label));
        }
    }

    /// A file that is not YAML, and has to be.
    pub(super) fn bad_yaml(&mut self, source: &Source<'_>, flaw: &YamlFlaw) {
        let language = self.language;
        let at = source.place(flaw.range.clone());
        let why = flaw.what.words(language);
        let problem = match &flaw.what {
            What::Twice(key, first) => {
                let key = clip(key);
                let message = say!(
                    language,
                    "`{key}` stands twice in one map: YAML refuses the file",
                    "`{key}` 在同一个映射中出现两次：YAML 拒绝整个文件"
                );
                let again = say!(language, "again here", "这里又一次");
                let before = say!(language, "first here", "第一次在这里");
                let first = source.place(first.clone());
                Diagnostic::error("given-twice", message).at(at, again).at(first, before)
            }
            _ => {
                let message = say!(language, "this is not YAML: {why}", "这不是 YAML：{why}");
                let label = say!(language, "from here on", "从这里起");
                let help = say!(
                    language,
                    "config.yaml is YAML; the older flink-conf.yaml has one `key: value` a line",
                    "config.yaml 是 YAML；旧的 flink-conf.yaml 每行一个 `键: 值`"
                );
                Diagnostic::error("syntax", message).at(at, label).help(help)
            }
        };
        self.add(problem);
    }

    /// How the operator brings a job over to a new version.
    pub(super) fn upgrade_mode(&mut self, mode: &str, at: Range<usize>) {
        let language = self.language;
        let (message, label) = match mode {
            "stateless" => (
                say!(
                    language,
                    "upgradeMode stateless: every upgrade starts from empty state",
                    "upgradeMode stateless：每次升级都从空状态开始"
                ),
                say!(language, "no checkpoint is used", "不使用检查点"),
            ),
            "savepoint" => (
                say!(
                    language,
                    "upgradeMode savepoint: every upgrade takes a savepoint first and starts from it",
                    "upgradeMode savepoint：每次升级先做保存点，再从它启动"
                ),
                say!(language, "needs a savepoint directory", "需要保存点目录"),
            ),
            "last-state" => (
                say!(
                    language,
                    "upgradeMode last-state: an upgrade starts from the newest checkpoint",
                    "upgradeMode last-state：升级从最新的检查点启动"
                ),
                say!(language, "needs high availability and checkpoints", "需要高可用和检查点"),
            ),
            _ => return,
        };
        self.add(Diagnostic::note("upgrade-mode", message).at(at, label));
    }

    /// What the services of a compose file set, as one: the JobManager's
    /// counts, since it coordinates the checkpoints.
    pub(super) fn services(&mut self, groups: Vec<(Option<&str>, Vec<Entry>)>) -> Vec<Entry> {
        let is_job_manager = |name: &str| name.to_ascii_lowercase().contains("job");
        let chosen = groups
            .iter()
            .position(|(service, _)| service.is_some_and(is_job_manager))
            .unwrap_or_default();
        let mut own = Vec::new();
        let mut others = Vec::new();
        for (place, (service, entries)) in groups.into_iter().enumerate() {
            match service {
                Some(_) if place != chosen => others.extend(entries),
                _ => own.extend(entries),
            }
        }
        for other in others.iter().filter(|other| super::option_of(&other.key.text).is_some()) {
            let mut same = own.iter().filter(|entry| entry.key.text == other.key.text);
            if same.next_back().is_none_or(|entry| entry.value.text != other.value.text) {
                let (key, language) = (clip(&other.key.text), self.language);
                let message = say!(
                    language,
                    "`{key}` is set otherwise for the JobManager, whose setting counts",
                    "`{key}` 在 JobManager 处的设置不同，以 JobManager 为准"
                );
                let label = say!(language, "not this one", "不是这一个");
                let problem = Diagnostic::warning("other-service", message);
                self.add(problem.at(other.value.range.clone(), label));
            }
        }
        own
    }
}

/// "line 1", "lines 1, 3 and 5 to 7".
pub(super) fn line_list(lines: &[usize], language: Language) -> String {
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    lines.dedup();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    let n_lines = runs.iter().map(|(first, last)| last - first + 1).sum::<usize>();
    let runs: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match (first == last, language) {
            (true, _) => first.to_string(),
            (false, Language::En) => format!("{first} to {last}"),
            (false, Language::Zh) => format!("{first} 至 {last}"),
        })
        .collect();
    match (language, runs.as_slice(), n_lines) {
        (Language::En, [one], 1) => format!("line {one}"),
        (Language::En, runs, _) => format!("lines {}", crate::load::words::list(runs, "and")),
        (Language::Zh, runs, _) => format!("第 {} 行", runs.join("、")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_listed_as_people_do() {
        assert_eq!(line_list(&[4], Language::En), "line 4");
        assert_eq!(line_list(&[15, 1, 13, 14, 1], Language::En), "lines 1 and 13 to 15");
        assert_eq!(line_list(&[1, 13, 14], Language::Zh), "第 1、13 至 14 行");
    }
}
