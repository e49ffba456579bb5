//! The verdict for people.

use unicode_width::UnicodeWidthStr;

use super::{Judged, Shows, ledger};
use crate::cli::explain::{self, Explainer};
use crate::cli::{remedy, words};
use crate::model::{CheckpointingMode, Language};
use crate::render::text::{Frame, Paint, Span, wrap};
use crate::verify::{CannotTell, Finding, Outcome, Promised, Property, PropertyJudgement, Verdict};

/// Columns of the text.
const WIDTH: usize = 100;
/// Findings that are shown of a property; the rest is counted.
const SHOWN_MAX: usize = 3;

/// The whole text.
pub(super) fn text(judged: &Judged, language: Language) -> Frame {
    let explainer = Explainer::new(&judged.scenario, language, judged.seed);
    let mut page = Page { lines: Vec::new(), judged, language, explainer };
    page.title();
    page.properties();
    page.explanations();
    page.remedy();
    page.limits();
    page.reasons();
    if judged.shows == Shows::VerdictAndLedger {
        page.lines.push(Vec::new());
        for line in ledger::lines(judged, language) {
            page.lines.push(vec![span(line, Paint::Plain)]);
        }
    }
    Frame { lines: page.lines, n_caption: 0 }
}

/// A text under construction.
struct Page<'a> {
    lines: Vec<Vec<Span>>,
    judged: &'a Judged,
    language: Language,
    explainer: Explainer<'a>,
}

fn span(text: impl Into<String>, paint: Paint) -> Span {
    Span { text: text.into(), paint }
}

impl Page<'_> {
    fn pick<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        words::pick(self.language, en, zh)
    }

    fn verdict(&self) -> &Verdict {
        &self.judged.verdict
    }

    /// What was judged, and the answer.
    fn title(&mut self) {
        let scenario = &self.judged.scenario;
        let title = scenario.title.of(self.language);
        let title = if title.is_empty() { &scenario.name } else { title };
        let n = self.judged.n_steps;
        let place = match (self.language, self.judged.seed) {
            (Language::En, Some(seed)) => format!("{n} steps · seed {seed}"),
            (Language::En, None) => format!("{n} steps"),
            (Language::Zh, Some(seed)) => format!("{n} 步 · 种子 {seed}"),
            (Language::Zh, None) => format!("{n} 步"),
        };
        let title: String = wrap(title, WIDTH - place.width() - 2).swap_remove(0);
        let gap = WIDTH - title.width() - place.width();
        self.lines.push(vec![
            span(title, Paint::Bold),
            span(" ".repeat(gap), Paint::Plain),
            span(place, Paint::Dim),
        ]);
        self.lines.push(Vec::new());
        let claim = match self.verdict().mode {
            CheckpointingMode::ExactlyOnce => self.pick("exactly once", "精确一次"),
            CheckpointingMode::AtLeastOnce => self.pick("at least once", "至少一次"),
        };
        let (sign, paint, text) = match self.verdict().answer() {
            Outcome::Holds => (
                "✓ ",
                Paint::Done,
                self.pick("holds: the job keeps what it promises", "成立：作业守住了它的承诺"),
            ),
            Outcome::Violated => (
                "✗ ",
                Paint::Blocked,
                self.pick("violated: something is not as it must be", "违反：有的地方不对"),
            ),
            Outcome::CannotTell => (
                "? ",
                Paint::Dim,
                self.pick("cannot tell: the trace does not say enough", "无法判断：轨迹说得不够"),
            ),
        };
        let text = match self.language {
            Language::En => format!("{text} ({claim})"),
            Language::Zh => format!("{text}（{claim}）"),
        };
        self.lines.push(vec![span(sign, paint), span(text, Paint::Bold)]);
        self.lines.push(Vec::new());
    }

    /// A line for each property.
    fn properties(&mut self) {
        for own in self.verdict().properties() {
            if !applies(own.property, self.verdict().mode) {
                continue;
            }
            let (sign, paint) = match (own.outcome, own.promised) {
                (Outcome::Holds, _) => ("✓ ", Paint::Done),
                (Outcome::Violated, Promised::Yes) => ("✗ ", Paint::Blocked),
                (Outcome::Violated, Promised::No) => ("! ", Paint::Dim),
                (Outcome::CannotTell, _) => ("? ", Paint::Dim),
            };
            let sentence = explain::sentence(own.property, self.language);
            let mut line = vec![span(sign, paint), span(sentence, Paint::Plain)];
            if own.outcome == Outcome::Violated {
                let place = self.place(&own);
                let gap = (WIDTH - 2).saturating_sub(sentence.width() + place.width()).max(1);
                line.push(span(" ".repeat(gap), Paint::Plain));
                line.push(span(place, Paint::Dim));
            }
            self.lines.push(line);
        }
    }

    /// How often a property is broken, and where first.
    fn place(&self, own: &PropertyJudgement) -> String {
        let allowed = match own.promised {
            Promised::Yes => "",
            Promised::No => self.pick(", not promised", "，未曾承诺"),
        };
        let times = match self.language {
            Language::En if own.n == 1 => "once".to_owned(),
            Language::En => format!("{} times", own.n),
            Language::Zh => format!("{} 处", own.n),
        };
        match (self.language, own.first_step) {
            (Language::En, Some(step)) => format!("{times}, first in step {step}{allowed}"),
            (Language::Zh, Some(step)) => format!("{times}，始于第 {step} 步{allowed}"),
            (_, None) => format!("{times}{allowed}"),
        }
    }

    /// What is wrong with each property that is broken.
    fn explanations(&mut self) {
        for own in self.verdict().properties() {
            let applies = applies(own.property, self.verdict().mode);
            if own.outcome != Outcome::Violated || !applies {
                continue;
            }
            let (sign, paint) = match own.promised {
                Promised::Yes => ("✗ ", Paint::Blocked),
                Promised::No => ("! ", Paint::Dim),
            };
            let sentence = explain::sentence(own.property, self.language);
            let mut line = vec![span(sign, paint), span(sentence, Paint::Bold)];
            if let Some(rule) = explain::rule(own.property) {
                line.push(span(format!("  [{}]", rule.name()), Paint::Dim));
            }
            self.lines.push(Vec::new());
            self.lines.push(line);
            let texts = findings(&self.explainer, self.verdict(), own.property);
            for text in texts.iter().take(SHOWN_MAX) {
                for (number, line) in wrap(text, WIDTH - 4).into_iter().enumerate() {
                    let margin = if number == 0 { "  " } else { "    " };
                    self.lines.push(vec![span(format!("{margin}{line}"), Paint::Plain)]);
                }
            }
            let more = own.n.saturating_sub(texts.len().min(SHOWN_MAX) as u64);
            if more > 0 {
                let text = match self.language {
                    Language::En => format!("  … and {more} more"),
                    Language::Zh => format!("  … 另有 {more} 处"),
                };
                self.lines.push(vec![span(text, Paint::Dim)]);
            }
        }
    }

    /// What to do about a misuse.
    fn remedy(&mut self) {
        let judged = self.judged;
        let text = remedy::remedy(&judged.scenario, &judged.verdict, self.language);
        let Some(text) = text else { return };
        self.lines.push(Vec::new());
        let label = self.pick("what to do", "怎么办");
        self.lines.push(vec![span(label, Paint::Bold)]);
        for line in wrap(text, WIDTH - 2) {
            self.lines.push(vec![span(format!("  {line}"), Paint::Plain)]);
        }
    }

    /// What Flink itself does not promise better.
    fn limits(&mut self) {
        let limits = &self.verdict().limits;
        if limits.is_empty() {
            return;
        }
        let label = self.pick("a known limit of Flink", "Flink 已知的局限");
        self.lines.push(Vec::new());
        self.lines.push(vec![span("! ", Paint::Dim), span(label, Paint::Bold)]);
        let texts: Vec<String> =
            self.judged.verdict.limits.iter().map(|own| self.explainer.limit(own)).collect();
        for text in texts.iter().take(SHOWN_MAX) {
            for (number, line) in wrap(text, WIDTH - 4).into_iter().enumerate() {
                let margin = if number == 0 { "  " } else { "    " };
                self.lines.push(vec![span(format!("{margin}{line}"), Paint::Plain)]);
            }
        }
    }

    /// Why something cannot be decided.
    fn reasons(&mut self) {
        let reasons = &self.verdict().cannot_tell;
        let note = self.judged.note.as_ref().filter(|_| self.language == Language::En);
        let mut texts: Vec<String> = note.into_iter().cloned().collect();
        for reason in reasons {
            let text = match (self.language, reason) {
                (Language::En, CannotTell::TraceCut) if note.is_some() => continue,
                (Language::En, reason) => reason.to_string(),
                (Language::Zh, CannotTell::TraceCut) => "轨迹缺了末尾".to_owned(),
                (Language::Zh, CannotTell::StateIsWrong) => "状态已经不对，输出不再评判".to_owned(),
                (Language::Zh, CannotTell::InFlight { n_records, n_results }) => format!(
                    "作业没有运行完：{n_records} 条记录尚未计入，{n_results} 条结果尚未发布"
                ),
                (Language::Zh, CannotTell::Contradiction { step, .. }) => {
                    format!("第 {step} 步：轨迹自相矛盾，或与场景矛盾")
                }
            };
            texts.push(text);
        }
        if texts.is_empty() {
            return;
        }
        self.lines.push(Vec::new());
        for text in texts.iter().take(10) {
            for (number, line) in wrap(text, WIDTH - 4).into_iter().enumerate() {
                let sign = if number == 0 { "? " } else { "  " };
                self.lines.push(vec![span(sign, Paint::Dim), span(line, Paint::Plain)]);
            }
        }
    }
}

/// Whether a mode asks for a property at all.
pub(super) fn applies(property: Property, mode: CheckpointingMode) -> bool {
    match mode {
        CheckpointingMode::ExactlyOnce => property != Property::AtLeastOnceBound,
        CheckpointingMode::AtLeastOnce => {
            !matches!(property, Property::Alignment | Property::FailureTransparency)
        }
    }
}

/// All that is listed of a broken property, in words.
pub(in crate::cli) fn findings(
    explainer: &Explainer<'_>,
    verdict: &Verdict,
    property: Property,
) -> Vec<String> {
    let is_of = |finding: &&Finding| match finding {
        Finding::Channel(_) => property == Property::ConsistentCut,
        Finding::Source(_) => property == Property::SourcePosition,
        Finding::Restore(_) => property == Property::RestoreEquality,
        Finding::NotStored { .. } => property == Property::Completeness,
    };
    let cuts = verdict.cut.findings.iter().filter(is_of).map(|own| explainer.finding(own));
    let breaches = verdict.conduct.breaches.iter().filter(|own| own.property() == property);
    let mut texts: Vec<String> =
        cuts.chain(breaches.map(|breach| explainer.breach(breach))).collect();
    let judgement = match property {
        Property::ExactlyOnceState => &verdict.state,
        Property::ExactlyOnceOutput => &verdict.output,
        _ => return texts,
    };
    let miscounts = judgement.too_often.iter().chain(&judgement.lost);
    texts.extend(miscounts.map(|miscount| explainer.miscount(miscount)));
    texts.extend(judgement.stale.iter().map(|stale| explainer.stale(stale)));
    texts
}
