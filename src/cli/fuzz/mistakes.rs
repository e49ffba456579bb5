//! Every mistake that can be made on purpose, and the first random job that
//! shows it; what is harmless, and that nothing shows it.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use serde_json::{Value as Json, json};
use unicode_width::UnicodeWidthStr;

use super::super::args::{self, Format};
use super::super::explain;
use super::super::output::Output;
use super::super::problem::{BROKEN, Problem};
use super::super::progress::Progress;
use super::super::words::pick;
use crate::lab::{CaseOutcome, CaseResult, Fuzz, fan_out};
use crate::model::{Language, Mutation};
use crate::render::text::{Frame, Paint, Span};
use crate::verify::Property;

/// Columns of the text.
const WIDTH: usize = 100;

/// What random jobs say of a mistake.
struct Row {
    mutation: Mutation,
    /// The first case that shows it.
    first: Option<CaseResult>,
}

impl Row {
    /// A mistake must show, and what is harmless must not.
    fn is_right(&self) -> bool {
        self.first.is_some() != self.mutation.is_harmless()
    }

    /// What goes wrong first.
    fn property(&self) -> Option<Property> {
        let first = self.first.as_ref()?.broken.first()?;
        Property::of_name(&first.property)
    }
}

/// Tries each mistake on random jobs until one shows it.
pub(super) fn mistakes(
    arguments: &args::Fuzz,
    threads: NonZeroUsize,
    (language, output): (Language, Output),
) -> Result<ExitCode, Problem> {
    let all: Vec<Mutation> = Mutation::every().collect();
    let (seed, n_cases) = (arguments.seed, arguments.cases);
    let mut progress = Progress::new(Some(all.len() as u64), "mistakes");
    let mut rows = Vec::new();
    let row = |place: u64| {
        let mutation = all[place as usize];
        let fuzz = Fuzz { seed, n_cases, protocol: None, broken: vec![mutation] };
        let shows =
            |own: &CaseResult| matches!(own.outcome, CaseOutcome::Violated | CaseOutcome::Panicked);
        Row { mutation, first: (0..n_cases).map(|case| fuzz.result(case)).find(shows) }
    };
    fan_out(0..all.len() as u64, threads, row, |_, row| {
        rows.push(row);
        progress.one();
        Ok::<(), Problem>(())
    })?;
    progress.end();
    output.print(&match arguments.format {
        Format::Json => format!("{:#}\n", json(&rows, (seed, n_cases))),
        Format::Text => output.text(&text(&rows, (seed, n_cases), language)),
    })?;
    match rows.iter().all(Row::is_right) {
        true => Ok(ExitCode::SUCCESS),
        false => Ok(ExitCode::from(BROKEN)),
    }
}

fn text(rows: &[Row], (seed, n_cases): (u64, u64), language: Language) -> Frame {
    let n_mistakes = rows.iter().filter(|row| !row.mutation.is_harmless()).count();
    let (title, place) = match language {
        Language::En => (
            format!("{n_mistakes} mistakes, each in at most {n_cases} random jobs"),
            format!("seed {seed}"),
        ),
        Language::Zh => {
            (format!("{n_mistakes} 种错误，每种至多 {n_cases} 个随机作业"), format!("种子 {seed}"))
        }
    };
    let gap = WIDTH.saturating_sub(title.width() + place.width());
    let mut lines = vec![
        vec![
            span(title, Paint::Bold),
            span(" ".repeat(gap), Paint::Plain),
            span(place, Paint::Dim),
        ],
        Vec::new(),
    ];
    let widest = rows.iter().map(|row| row.mutation.name().len()).max().unwrap_or_default();
    for row in rows {
        let (sign, paint) = match row.is_right() {
            true => ("✓ ", Paint::Done),
            false => ("✗ ", Paint::Blocked),
        };
        let sentence = match (row.property(), &row.first) {
            (Some(property), _) => explain::sentence(property, language),
            (None, Some(_)) => pick(language, "this program itself fails", "本程序自己出错"),
            (None, None) => pick(language, "nothing shows it", "没有报出问题"),
        };
        let case = match (&row.first, language) {
            (None, _) => String::new(),
            (Some(first), Language::En) => format!("case {}", first.case),
            (Some(first), Language::Zh) => format!("用例 {}", first.case),
        };
        let pad = 11_usize.saturating_sub(case.width());
        let line = format!("{:widest$}  {case}{}{sentence}", row.mutation.name(), " ".repeat(pad));
        lines.push(vec![span(sign, paint), span(line, Paint::Plain)]);
    }
    Frame { lines, n_caption: 0 }
}

fn span(text: impl Into<String>, paint: Paint) -> Span {
    Span { text: text.into(), paint }
}

fn json(rows: &[Row], (seed, n_cases): (u64, u64)) -> Json {
    let row = |row: &Row| {
        json!({
            "mutation": row.mutation.name(),
            "harmless": row.mutation.is_harmless(),
            "first_case": row.first.as_ref().map(|own| own.case),
            "broken": row.first.as_ref().map(|own| {
                own.broken.iter().map(|own| own.property.clone()).collect::<Vec<_>>()
            }),
        })
    };
    json!({ "seed": seed, "cases": n_cases, "mistakes": rows.iter().map(row).collect::<Vec<_>>() })
}
