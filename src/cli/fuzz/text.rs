//! What a batch came to, for people.

use unicode_width::UnicodeWidthStr;

use super::sentence;
use super::{Gathered, Saved};
use crate::cli::words::pick;
use crate::lab::{CaseOutcome, Missing, Shard};
use crate::model::Language;
use crate::render::text::{Frame, Paint, Span};

/// Columns of the text.
const WIDTH: usize = 100;

/// The whole text.
pub(super) fn text(gathered: &Gathered, saved: &[Saved], language: Language) -> Frame {
    let mut page = Page { lines: Vec::new(), gathered, language };
    page.title();
    page.counts();
    saved.iter().for_each(|own| page.saved(own));
    if !gathered.missing.is_empty() {
        page.lines.push(Vec::new());
        gathered.missing.iter().for_each(|own| page.missing(own));
    }
    if let Some(first) = saved.first() {
        page.lines.push(Vec::new());
        let next = pick(language, "next: checkdam walk", "接下来：checkdam walk");
        page.lines.push(vec![span(format!("{next} {}", first.file.display()), Paint::Plain)]);
    }
    Frame { lines: page.lines, n_caption: 0 }
}

struct Page<'a> {
    lines: Vec<Vec<Span>>,
    gathered: &'a Gathered,
    language: Language,
}

fn span(text: impl Into<String>, paint: Paint) -> Span {
    Span { text: text.into(), paint }
}

impl Page<'_> {
    fn title(&mut self) {
        let Gathered { fuzz, shard, .. } = self.gathered;
        let mut title = match self.language {
            Language::En => format!("{} random jobs", fuzz.n_cases),
            Language::Zh => format!("{} 个随机作业", fuzz.n_cases),
        };
        if *shard != Shard::WHOLE {
            title.push_str(&match self.language {
                Language::En => format!(", shard {shard} of them"),
                Language::Zh => format!("，其中分片 {shard}"),
            });
        }
        let seed = match self.language {
            Language::En => format!("seed {}", fuzz.seed),
            Language::Zh => format!("种子 {}", fuzz.seed),
        };
        self.aligned(vec![span(title, Paint::Bold)], seed);
        if let Some(protocol) = fuzz.protocol {
            let label = pick(self.language, "protocol: ", "协议：");
            self.lines.push(vec![span(format!("{label}{}", protocol.name()), Paint::Dim)]);
        }
        if !fuzz.broken.is_empty() {
            let names: Vec<&str> = fuzz.broken.iter().map(|own| own.name()).collect();
            let label = pick(self.language, "broken on purpose: ", "故意违反：");
            self.lines.push(vec![span(format!("{label}{}", names.join(", ")), Paint::Dim)]);
        }
        self.lines.push(Vec::new());
    }

    /// A line with something at its right end.
    fn aligned(&mut self, mut left: Vec<Span>, right: String) {
        let width: usize = left.iter().map(|own| own.text.width()).sum();
        let gap = WIDTH.saturating_sub(width + right.width()).max(2);
        left.push(span(" ".repeat(gap), Paint::Plain));
        left.push(span(right, Paint::Dim));
        self.lines.push(left);
    }

    fn counts(&mut self) {
        let n = |wanted| self.gathered.results.iter().filter(|own| own.outcome == wanted).count();
        let (holds, violated, open) =
            (n(CaseOutcome::Holds), n(CaseOutcome::Violated), n(CaseOutcome::CannotTell));
        let steps: u64 = self.gathered.results.iter().map(|own| own.steps).sum();
        let (holds, violated, open, steps) = match self.language {
            Language::En => (
                match holds {
                    1 => "1 keeps its promises".to_owned(),
                    _ => format!("{holds} keep their promises"),
                },
                match violated {
                    1 => "1 breaks one".to_owned(),
                    _ => format!("{violated} break one"),
                },
                format!("{open} cannot be told: they did not come to an end"),
                format!("{steps} steps"),
            ),
            Language::Zh => (
                format!("{holds} 个守住承诺"),
                format!("{violated} 个违反"),
                format!("{open} 个无法判断：没有结束"),
                format!("{steps} 步"),
            ),
        };
        self.aligned(vec![span("✓ ", Paint::Done), span(holds, Paint::Plain)], steps);
        if n(CaseOutcome::Violated) > 0 {
            self.lines.push(vec![span("✗ ", Paint::Blocked), span(violated, Paint::Plain)]);
        }
        let panicked = n(CaseOutcome::Panicked);
        if panicked > 0 {
            let text = match self.language {
                Language::En => format!("{panicked} make this program itself fail"),
                Language::Zh => format!("{panicked} 个使本程序自己出错"),
            };
            self.lines.push(vec![span("✗ ", Paint::Blocked), span(text, Paint::Plain)]);
        }
        if n(CaseOutcome::CannotTell) > 0 {
            self.lines.push(vec![span("? ", Paint::Dim), span(open, Paint::Plain)]);
        }
    }

    fn saved(&mut self, own: &Saved) {
        self.lines.push(Vec::new());
        let sentence = sentence(own.kind.failure, self.language);
        let (n, case, steps) = (own.kind.n, own.kind.case, own.n_steps);
        let times = match self.language {
            Language::En if n == 1 => format!("case {case}"),
            Language::En => format!("{n} cases, the first is {case}"),
            Language::Zh => format!("{n} 个用例，第一个是 {case}"),
        };
        self.aligned(vec![span("✗ ", Paint::Blocked), span(sentence, Paint::Plain)], times);
        let size = match (self.language, steps) {
            (_, None) => String::new(),
            (Language::En, Some(steps)) => format!("{steps} steps"),
            (Language::Zh, Some(steps)) => format!("{steps} 步"),
        };
        self.aligned(vec![span(format!("  {}", own.file.display()), Paint::Plain)], size);
    }

    fn missing(&mut self, own: &Missing) {
        let Missing { shard, n_cases, first, cut } = own;
        let text = match (self.language, cut) {
            (Language::En, None) => {
                format!("shard {shard} is missing: {n_cases} cases, the first is {first}")
            }
            (Language::En, Some(file)) => {
                format!("shard {shard} is not whole: {file} has no end; run it again")
            }
            (Language::Zh, None) => {
                format!("缺少分片 {shard}：{n_cases} 个用例，第一个是 {first}")
            }
            (Language::Zh, Some(file)) => {
                format!("分片 {shard} 不完整：{file} 没有结尾，请重新运行")
            }
        };
        self.lines.push(vec![span("? ", Paint::Dim), span(text, Paint::Plain)]);
    }
}
