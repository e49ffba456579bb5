//! The chart of a sweep: the first key that is varied goes to the right, the
//! others make the curves.

use super::table::Report;
use super::words;
use crate::lab::sweep::{Measured, Number, Spread};
use crate::model::Language;
use crate::narrate::Names;
use crate::render::{
    Landmark, Points, Quantity, Scene, SweepCurve, SweepFigure, SweepPlot, duration, sweep_chart,
};

/// Draws it.
pub(super) fn draw(report: &Report<'_>) -> Scene {
    let names = Names::new(&report.plan.scenario, report.language);
    sweep_chart(names, &figure(report))
}

fn figure(report: &Report<'_>) -> SweepFigure {
    let first = &report.plan.varies[0];
    let numbers = first.values.iter().map(|value| value.number);
    let is_time = numbers.clone().all(|number| matches!(number, Some(Number::Time(_))));
    let is_plain = numbers.clone().all(|number| matches!(number, Some(Number::Plain(_))));
    let x_quantity = match (is_time, is_plain) {
        (true, _) => Some(Quantity::Time),
        (_, true) => Some(Quantity::Count),
        _ => None,
    };
    let number = |number: Option<Number>| number.map(|number| number.value() as f64);
    let x = first.values.iter().map(|value| (value.text.clone(), number(value.number)));
    let plots = (0..report.plan.measured.len()).map(|place| plot(report, place));
    SweepFigure {
        kicker: kicker(report),
        x_name: first.key.clone(),
        x_quantity,
        x: x.collect(),
        plots: plots.collect(),
    }
}

fn plot(report: &Report<'_>, place: usize) -> SweepPlot {
    let measured = report.plan.measured[place];
    let n_values = report.plan.varies[0].values.len();
    let n_variants = report.table.rows.len() / n_values;
    let curves = (0..n_variants).map(|variant| {
        let points: Points = (0..n_values)
            .map(|value| {
                let row = &report.table.rows[value * n_variants + variant];
                row.spreads[place].map(|spread| point(measured, &spread))
            })
            .collect();
        SweepCurve { name: name(report, variant), points }
    });
    SweepPlot {
        heading: words::long_heading(measured, report.language),
        quantity: match measured {
            Measured::Duration | Measured::Alignment | Measured::Latency | Measured::Time => {
                Quantity::Time
            }
            Measured::Persisted => Quantity::Bytes,
            Measured::Throughput => Quantity::Rate,
            Measured::Cost => Quantity::Ratio,
        },
        curves: curves.collect(),
        landmarks: if measured == Measured::Cost { landmarks(report) } else { Vec::new() },
    }
}

/// A number with its spread, in what the chart counts in. A cost is told by its
/// mean, for which the formula holds.
fn point(measured: Measured, spread: &Spread) -> [f64; 3] {
    let scale = match measured {
        Measured::Throughput => 1e-3,
        Measured::Cost => 1e-6,
        _ => 1.0,
    };
    let middle = if measured == Measured::Cost { spread.mean() } else { spread.median as f64 };
    [middle, spread.min as f64, spread.max as f64].map(|number| number * scale)
}

/// What the other keys are in a variant.
fn name(report: &Report<'_>, variant: usize) -> Option<String> {
    let others = &report.plan.varies[1..];
    let values = report.plan.values(variant as u64);
    let texts = others.iter().zip(&values[1..]).map(|(vary, value)| {
        match (vary.key.as_str(), value.text.as_str(), report.language) {
            (UNALIGNED, "false", Language::En) => "aligned".to_owned(),
            (UNALIGNED, "true", Language::En) => "unaligned".to_owned(),
            (UNALIGNED, "false", Language::Zh) => "对齐".to_owned(),
            (UNALIGNED, "true", Language::Zh) => "非对齐".to_owned(),
            (key, value, _) => {
                let short = key.rsplit('.').next().unwrap_or(key);
                format!("{short} {value}")
            }
        }
    });
    let texts: Vec<String> = texts.collect();
    if let (true, Some(_)) = (texts.is_empty(), &report.table.young) {
        return Some(match report.language {
            Language::En => "simulated: mean, smallest to largest".to_owned(),
            Language::Zh => "模拟：平均，最小到最大".to_owned(),
        });
    }
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The key that people know by the names of its two values.
const UNALIGNED: &str = "execution.checkpointing.unaligned.enabled";

fn landmarks(report: &Report<'_>) -> Vec<Landmark> {
    let Some(young) = &report.table.young else { return Vec::new() };
    let short = |micros: f64| duration(micros.round() as u64);
    let best = short(young.interval);
    let mut landmarks = vec![Landmark {
        at: young.interval,
        text: match report.language {
            Language::En => format!("Young’s optimum, {best}"),
            Language::Zh => format!("Young 的最佳间隔，{best}"),
        },
    }];
    if let Some(own) = young.simulated {
        let text = short(own);
        landmarks.push(Landmark {
            at: own,
            text: match report.language {
                Language::En => format!("lowest of the curve through the points, {text}"),
                Language::Zh => format!("过各点的曲线的最低处，{text}"),
            },
        });
    }
    landmarks
}

fn kicker(report: &Report<'_>) -> String {
    let n = report.plan.n_seeds;
    match (report.language, n) {
        (Language::En, 1) => format!("one run for each point, seed {}", report.plan.seed),
        (Language::Zh, 1) => format!("每点运行一次，种子 {}", report.plan.seed),
        (Language::En, _) => format!("{n} runs for each point; the band spans all of them"),
        (Language::Zh, _) => format!("每点运行 {n} 次；色带包含全部"),
    }
}
