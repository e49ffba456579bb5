//! Charts: the numbers of a run over time.
//!
//! Plotters places axes and curves; it draws on our sheet (`canvas`), so that a
//! chart is a scene as every other figure, with the embedded fonts and in both
//! themes.

mod axis;
mod canvas;
mod plot;
mod run;
mod sweep;

pub use run::Measure;
pub use sweep::{Landmark, Points, Quantity, SweepCurve, SweepFigure, SweepPlot, sweep_chart};

use super::font::{Font, Weight};
use super::scene::{Ink, Rect, Scene, Stroke};
use super::sheet::{Sheet, quiet, style};
use crate::model::{Language, Scenario};
use crate::narrate::Names;
use crate::trace::Metrics;
use axis::Unit;
use run::Plotter;

const WIDTH: f64 = 1920.0;
const HEIGHT: f64 = 1080.0;
const MARGIN: f64 = 64.0;
/// Where the plots begin and end.
const BODY: (f64, f64) = (168.0, 1000.0);

/// The numbers of a run over time: all of them, or some.
///
/// # Panics
/// When no measure is named.
#[must_use]
pub fn chart(
    scenario: &Scenario,
    metrics: &Metrics,
    language: Language,
    measures: &[Measure],
) -> Scene {
    let names = Names::new(scenario, language);
    let font = Font::new();
    let n_columns = if measures.len() == 1 { 1 } else { 2 };
    let n_rows = measures.len().div_ceil(n_columns);
    assert!(n_rows > 0, "a chart shows something");
    let mut sheet = Sheet::new(&font, (WIDTH, HEIGHT), names);
    let time = Unit::of_time(metrics.ended_at.0 as f64);
    let n_marks = if n_columns == 1 { 12 } else { 8 };
    let plotter = Plotter { names, metrics, time, n_marks };
    let (gap, below) = (56.0, 20.0);
    let width = (WIDTH - 2.0 * MARGIN - gap * (n_columns - 1) as f64) / n_columns as f64;
    let height = (BODY.1 - BODY.0) / n_rows as f64;
    for (place, measure) in measures.iter().enumerate() {
        let x = MARGIN + (place % n_columns) as f64 * (width + gap);
        let y = BODY.0 + (place / n_columns) as f64 * height;
        plotter.plot(*measure).draw(&mut sheet, Rect::new(x, y, width, height - below));
    }
    let title = names.pick("The run over time", "运行随时间的变化");
    head(&mut sheet, title, &kicker(&plotter));
    foot(&mut sheet, &plotter);
    let mut scene = sheet.finish(false);
    scene.title = format!("{} – {title}", scenario.title.of(language));
    scene.description = description(&plotter);
    scene
}

/// The line above the title, and the title.
fn head(sheet: &mut Sheet<'_>, title: &str, kicker: &str) {
    let room = WIDTH - 2.0 * MARGIN;
    sheet.text(kicker, (MARGIN, 72.0), style(22.0, Weight::Medium, Ink::Quiet), room);
    sheet.text(title, (MARGIN, 128.0), style(42.0, Weight::SemiBold, Ink::Text), room);
}

/// What it is of, and what stands for more than one.
fn kicker(plotter: &Plotter<'_>) -> String {
    let Plotter { names, metrics, .. } = plotter;
    let mut parts = vec![names.scenario.title.of(names.language).to_owned()];
    let slice = super::gantt::duration(metrics.in_flight.buckets.width().0);
    if metrics.n_steps > 10_000 {
        parts.push(match names.language {
            Language::En => {
                format!("{} steps, gathered in slices of {slice}", metrics.n_steps)
            }
            Language::Zh => format!("{} 步，每 {slice} 汇总为一点", metrics.n_steps),
        });
    }
    if metrics.n_outages_left_out > 0 {
        let n = metrics.n_outages_left_out;
        parts.push(match names.language {
            Language::En => format!("{n} more outages are left out"),
            Language::Zh => format!("另有 {n} 次中断省略"),
        });
    }
    parts.join(" · ")
}

/// What is the same in every plot: the axis of time, checkpoints, outages.
fn foot(sheet: &mut Sheet<'_>, plotter: &Plotter<'_>) {
    let Plotter { names, metrics, time, .. } = plotter;
    let y = 1038.0;
    let said = match names.language {
        Language::En => format!("to the right: time since the start, {}", time.name),
        Language::Zh => format!("向右：开始后的时间，{}", time.name),
    };
    let mut x = MARGIN;
    x += sheet.text(&said, (x, y), quiet(20.0), 700.0) + 48.0;
    let has_bands = metrics.n_steps > 10_000;
    if plotter.shows_bars() {
        let bar = Stroke::new(Ink::Barrier, 3.0);
        sheet.scene.line((x + 6.0, y - 15.0), (x + 6.0, y + 1.0), bar);
        let text = names.pick("a checkpoint is complete", "检查点完成");
        x += 20.0 + sheet.text(text, (x + 20.0, y), quiet(20.0), 400.0) + 40.0;
    }
    if !metrics.outages.is_empty() {
        let swatch = Rect::new(x, y - 18.0, 40.0, 22.0);
        sheet.scene.hatch(swatch, 0.0, Stroke::new(Ink::Line, 1.0));
        let text = names.pick("the job is down", "作业中断");
        x += 52.0 + sheet.text(text, (x + 52.0, y), quiet(20.0), 400.0) + 40.0;
    }
    if has_bands {
        let text = names.pick("line: mean, band: least to most", "线：平均；色带：最小到最大");
        sheet.text(text, (x, y), quiet(20.0), 500.0);
    }
}

fn description(plotter: &Plotter<'_>) -> String {
    let Plotter { names, metrics, .. } = plotter;
    let (n, given_up) = (metrics.duration.total().n, metrics.given_up.total().n);
    let (read, outages) = (metrics.read.total().n, metrics.outages.len());
    match names.language {
        Language::En => format!(
            "{read} records read, {n} checkpoints complete, {given_up} given up, {outages} outages."
        ),
        Language::Zh => {
            format!(
                "读取 {read} 条记录，完成 {n} 个检查点，放弃 {given_up} 个，中断 {outages} 次。"
            )
        }
    }
}
