//! Reading the values that are set, and saying what is wrong with them.

use std::ops::Range;

use super::keys;
use super::memory::MemoryFlaw;
use super::option::{EnumKind, FlinkOption};
use super::options::{STRATEGIES, is_aside};
use super::settings::{Origin, Settings, strategy, takes_any_text};
use super::tell::{Teller, say};
use super::template::{has_action, placeholders};
use super::value::{self, Refusal, Value, ValueFlaw};
use crate::load::diagnostic::{Diagnostic, Severity};
use crate::load::durations::{Flaw, flawed};
use crate::load::tree::Quoted;
use crate::load::words::{clip, names, quote};

// Flink 1.20: FailoverStrategyFactoryLoader
const FAILOVER_STRATEGIES: [&str; 2] = ["region", "full"];

// Flink 1.20: HighAvailabilityMode
const SERVICES: [&str; 3] = ["NONE", "ZOOKEEPER", "KUBERNETES"];

/// Whether an option takes one of some words that are not the constants of an
/// enumeration.
fn is_named(option: &FlinkOption) -> bool {
    [keys::RESTART, keys::FAILOVER, keys::HIGH_AVAILABILITY].contains(&option.key)
}

fn is_among(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
}

impl Teller<'_> {
    /// Reads every value that is set. What cannot be read is told and left
    /// out.
    pub(super) fn read_values(&mut self, settings: &mut Settings) {
        let unread: Vec<bool> =
            settings.all.iter().map(|setting| settings.is_unread(setting.option.key)).collect();
        for (setting, unread) in settings.all.iter_mut().zip(unread) {
            let Origin::File { key, written, value_place, .. } = &setting.origin else { continue };
            let at =
                Asked { option: setting.option, key, text: written, place: value_place.clone() };
            match self.value(&at) {
                Ok(value) => setting.value = Some(value),
                Err(None) => {}
                // What Flink does not look at, or what does not bear upon
                // checkpoints, spoils nothing here.
                Err(Some(problem)) if unread || is_aside(setting.option) => {
                    self.add(Diagnostic { severity: Severity::Warning, ..*problem });
                }
                Err(Some(problem)) => self.add(*problem),
            }
        }
    }

    /// A value, or what is to be said instead, if it has not been said.
    fn value(&mut self, asked: &Asked<'_>) -> Result<Value, Option<Box<Diagnostic>>> {
        let option = asked.option;
        let is_strict = !takes_any_text(option) || is_named(option);
        if is_strict && has_action(asked.text) {
            // Told once for the whole file.
            return Err(None);
        }
        if is_strict && !placeholders(asked.text).is_empty() {
            return Err(Some(Box::new(self.placeholder(asked))));
        }
        let value = value::parse(option.kind, asked.text, self.release)
            .map_err(|flaw| Some(Box::new(self.no_value(asked, &flaw))))?;
        if option.key == keys::RESTART {
            return match strategy(asked.text) {
                Some(name) => Ok(Value::Text(name.to_owned())),
                None => Err(Some(Box::new(self.no_strategy(asked)))),
            };
        }
        if option.key == keys::FAILOVER && !is_among(asked.text, &FAILOVER_STRATEGIES) {
            let what = say!(self.language, "failover strategy", "故障恢复策略");
            let problem = self.no_such(asked, &what, &FAILOVER_STRATEGIES);
            // It is the JobManager that refuses it, when it is given the job.
            let severity = Severity::Warning;
            return Err(Some(Box::new(Diagnostic { severity, ..problem })));
        }
        // What is none of the services is the name of a class.
        let is_class = asked.text.contains('.');
        if option.key == keys::HIGH_AVAILABILITY && !is_class && !is_among(asked.text, &SERVICES) {
            let what = say!(self.language, "high-availability service", "高可用服务");
            return Err(Some(Box::new(self.no_such(asked, &what, &SERVICES))));
        }
        match option.bounds.refuse(&value) {
            Some(refusal) => Err(Some(Box::new(self.out_of_bounds(asked, refusal)))),
            None => Ok(value),
        }
    }

    fn placeholder(&self, asked: &Asked<'_>) -> Diagnostic {
        let (key, written, language) = (clip(asked.key), clip(asked.text), self.language);
        let message = say!(
            language,
            "unresolved placeholder in {key}: {written}",
            "{key} 中有未替换的占位符：{written}"
        );
        let label = say!(language, "Flink takes this as it is", "Flink 原样读取");
        let help = say!(
            language,
            "Flink expands no variables in its files: fill them in first, for example with envsubst",
            "Flink 不展开配置文件中的变量：请先替换，例如用 envsubst"
        );
        Diagnostic::error("placeholder", message).at(asked.place.clone(), label).help(help)
    }

    fn no_value(&mut self, asked: &Asked<'_>, flaw: &ValueFlaw) -> Diagnostic {
        let (key, written, language) = (clip(asked.key), quote(asked.text), self.language);
        let place = asked.place.clone();
        if let Some(inside) = in_quotes(asked.text)
            && value::parse(asked.option.kind, inside, self.release).is_ok()
        {
            let message = say!(
                language,
                "`{key}`: the quotation marks are part of the value {written}",
                "`{key}`：引号成了值 {written} 的一部分"
            );
            let label =
                say!(language, "quotation marks are not taken off here", "这里不会去掉引号");
            let help = say!(language, "write {inside}", "请写 {inside}");
            return Diagnostic::error("quotes", message).at(place, label).help(help);
        }
        match flaw {
            ValueFlaw::Duration(Flaw::Negative) if asked.text.trim() == "-1" => {
                let message =
                    say!(language, "`{key}`: -1 is not a duration", "`{key}`：-1 不是时长");
                let label = say!(language, "a value of an old template", "旧模板里的值");
                let help =
                    say!(language, "to switch it off, leave the key out", "想关闭它，就去掉这个键");
                Diagnostic::error("not-a-duration", message).at(place, label).help(help)
            }
            ValueFlaw::Duration(flaw) => flawed(&Quoted { text: asked.text, range: place }, flaw),
            ValueFlaw::Memory(flaw) => {
                let (message, label) = match flaw {
                    MemoryFlaw::NoNumber => (
                        say!(
                            language,
                            "`{key}`: {written} is not a size",
                            "`{key}`：{written} 不是大小"
                        ),
                        say!(language, "a size begins with a whole number", "大小以整数开头"),
                    ),
                    MemoryFlaw::Unit(_) => (
                        say!(
                            language,
                            "`{key}`: {written} is not a size",
                            "`{key}`：{written} 不是大小"
                        ),
                        say!(language, "this is no unit of memory", "这不是内存单位"),
                    ),
                    MemoryFlaw::TooLarge => (
                        say!(
                            language,
                            "`{key}`: {written} is larger than any memory",
                            "`{key}`：{written} 太大"
                        ),
                        say!(language, "too large", "太大"),
                    ),
                };
                let place = match flaw {
                    MemoryFlaw::Unit(part) => {
                        Quoted { text: asked.text, range: place }.part(part.clone())
                    }
                    _ => place,
                };
                let help = say!(
                    language,
                    "write a whole number and b, kb, mb, gb or tb: 20 kb",
                    "写一个整数加 b、kb、mb、gb 或 tb：20 kb"
                );
                Diagnostic::error("not-a-size", message).at(place, label).help(help)
            }
            ValueFlaw::Bool => {
                let message = say!(
                    language,
                    "`{key}` must be true or false, not {written}",
                    "`{key}` 必须是 true 或 false，而不是 {written}"
                );
                let label = say!(language, "write true or false", "写 true 或 false");
                Diagnostic::error("wrong-type", message).at(place, label)
            }
            ValueFlaw::Whole { bits } => {
                let message = say!(
                    language,
                    "`{key}` must be a whole number of {bits} bits, not {written}",
                    "`{key}` 必须是 {bits} 位整数，而不是 {written}"
                );
                let label = say!(language, "not this", "不能是这个");
                Diagnostic::error("out-of-range", message).at(place, label)
            }
            ValueFlaw::Fraction => {
                let message = say!(
                    language,
                    "`{key}` must be a number, not {written}",
                    "`{key}` 必须是数字，而不是 {written}"
                );
                let label = say!(language, "not this", "不能是这个");
                Diagnostic::error("wrong-type", message).at(place, label)
            }
            ValueFlaw::Enum(kind) => self.no_constant(asked, *kind),
        }
    }

    fn no_constant(&mut self, asked: &Asked<'_>, kind: EnumKind) -> Diagnostic {
        let (key, written, language) = (clip(asked.key), quote(asked.text), self.language);
        let choices = kind.words.join(" | ");
        let message =
            say!(language, "{key}: {written} is not {choices}", "{key}：{written} 不是 {choices}");
        let is_list = asked.text.starts_with('[') && asked.text.ends_with(']');
        let near = self.problems.nearest(
            &asked.text.to_ascii_uppercase().replace(['-', ' '], "_"),
            kind.words.iter().copied(),
        );
        let (label, help) = if is_list {
            (
                say!(
                    language,
                    "the list of choices, as it stands in the template",
                    "这是模板里的选项列表"
                ),
                say!(language, "write one of them", "请只写其中一个"),
            )
        } else {
            let choices = names(kind.words.iter().copied());
            (
                say!(language, "unknown", "未知"),
                say!(
                    language,
                    "one of {choices}, in any letter case, with underscores",
                    "可选 {choices}，大小写不限，用下划线"
                ),
            )
        };
        let problem = Diagnostic::error("unknown-word", message).at(asked.place.clone(), label);
        if is_list { problem.help(help) } else { problem.did_you_mean(near).help(help) }
    }

    fn no_strategy(&mut self, asked: &Asked<'_>) -> Diagnostic {
        let what = say!(self.language, "restart strategy", "重启策略");
        self.no_such(asked, &what, &STRATEGIES.map(|(name, _)| name))
    }

    fn no_such(&mut self, asked: &Asked<'_>, what: &str, known: &[&'static str]) -> Diagnostic {
        let (written, language) = (quote(asked.text), self.language);
        let spelled = asked.text.to_ascii_lowercase().replace('_', "-");
        let near = self.problems.nearest(&spelled, known.iter().copied());
        let choices = names(known.iter().copied());
        let message = say!(language, "Flink has no {what} {written}", "Flink 没有{what} {written}");
        let label = say!(language, "unknown", "未知");
        let help = say!(language, "there are {choices}", "可用的有：{choices}");
        let problem = Diagnostic::error("unknown-word", message).at(asked.place.clone(), label);
        problem.did_you_mean(near).help(help)
    }

    fn out_of_bounds(&self, asked: &Asked<'_>, refusal: Refusal) -> Diagnostic {
        let (key, written, language) = (clip(asked.key), clip(asked.text), self.language);
        let (at_least, code) = match refusal {
            Refusal::LeastMs(ms) => {
                (say!(language, "at least {ms} ms", "至少 {ms} ms"), "too-short")
            }
            Refusal::ZeroOrLeastMs(ms) => {
                (say!(language, "0, or at least {ms} ms", "0，或至少 {ms} ms"), "too-short")
            }
            Refusal::Least(least) => {
                (say!(language, "at least {least}", "至少 {least}"), "out-of-range")
            }
            Refusal::Above(least) => {
                (say!(language, "more than {least}", "大于 {least}"), "out-of-range")
            }
            Refusal::Between(least, most) => (
                say!(language, "from {least} to {most}", "在 {least} 与 {most} 之间"),
                "out-of-range",
            ),
        };
        let message = say!(
            language,
            "`{key}` must be {at_least}, not {written}",
            "`{key}` 必须{at_least}，而不是 {written}"
        );
        let label = say!(language, "Flink refuses this", "Flink 拒绝这个值");
        let problem = Diagnostic::error(code, message).at(asked.place.clone(), label);
        if asked.option.key == keys::INTERVAL {
            return problem.help(say!(
                language,
                "without the key there are no periodic checkpoints",
                "去掉这个键就没有周期性检查点"
            ));
        }
        problem
    }
}

/// A value that is asked for.
struct Asked<'s> {
    option: &'static FlinkOption,
    key: &'s str,
    text: &'s str,
    place: Range<usize>,
}

/// What stands between two equal quotation marks.
pub(super) fn in_quotes(text: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| {
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.is_empty()).then_some(inside)
    })
}
