//! The table of a sweep: as text, as CSV, as JSON.

use serde_json::{Value, json};

use super::super::args::TableFormat;
use super::super::columns::columns;
use super::super::words::pick;
use super::words;
use crate::lab::sweep::{Measured, Number, Plan, Spread, Table};
use crate::model::{Language, Size};
use crate::render::duration;

/// A sweep with its results.
pub(super) struct Report<'a> {
    pub(super) plan: &'a Plan,
    pub(super) table: &'a Table,
    pub(super) language: Language,
}

impl Report<'_> {
    pub(super) fn print(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Text => self.text(),
            TableFormat::Csv => self.csv(),
            TableFormat::Json => format!("{:#}\n", self.json()),
        }
    }

    fn text(&self) -> String {
        let language = self.language;
        let mut lines: Vec<Vec<String>> = Vec::new();
        let mut head: Vec<String> = self.plan.varies.iter().map(|vary| vary.key.clone()).collect();
        head.extend(self.plan.measured.iter().map(|own| words::heading(*own, language).to_owned()));
        head.push(pick(language, "completed", "完成").to_owned());
        head.push(pick(language, "failures", "故障").to_owned());
        lines.push(head);
        for (point, row) in self.table.rows.iter().enumerate() {
            let values = self.plan.values(point as u64);
            let mut line: Vec<String> = values.iter().map(|value| value.text.clone()).collect();
            for (measured, spread) in self.plan.measured.iter().zip(&row.spreads) {
                line.push(spread.map_or_else(|| "–".to_owned(), |own| shown(*measured, &own)));
            }
            let [completed, _, failures] = row.counts;
            let mean = |count: u64| tenths(count, row.n_runs);
            line.extend([mean(completed), mean(failures)]);
            if row.n_finished < row.n_runs {
                let n = row.n_runs - row.n_finished;
                line.push(match language {
                    Language::En => format!("{n} of {} did not finish", row.n_runs),
                    Language::Zh => format!("{} 次中有 {n} 次没有结束", row.n_runs),
                });
            }
            lines.push(line);
        }
        let title = self.plan.scenario.title.of(language);
        let mut text = format!("{title}\n\n{}", columns(&lines, self.plan.varies.len()));
        let n = self.plan.n_seeds;
        if n > 1 {
            text += &match language {
                Language::En => format!(
                    "\nEach number is the one in the middle of {n} seeds; in brackets the smallest \
                     and the largest.\n"
                ),
                Language::Zh => format!("\n每个数是 {n} 个种子的中间值；括号里是最小和最大。\n"),
            };
        }
        if let Some(young) = &self.table.young {
            text += &format!("\n{}\n", words::young(young, language));
        }
        text
    }

    /// Numbers in their smallest units, whatever the language.
    fn csv(&self) -> String {
        let mut head: Vec<String> = Vec::new();
        for vary in &self.plan.varies {
            let is_time = |number: &Option<Number>| matches!(number, Some(Number::Time(_)));
            let is_time = vary.values.iter().all(|value| is_time(&value.number));
            head.push(if is_time { format!("{} (us)", vary.key) } else { vary.key.clone() });
        }
        for measured in &self.plan.measured {
            let (name, unit) = (measured.name(), measured.unit());
            head.extend(
                ["median", "min", "max", "mean"].map(|what| format!("{name} {what} ({unit})")),
            );
        }
        head.extend(["runs", "finished", "completed", "given up", "failures"].map(str::to_owned));
        let mut lines = vec![head];
        for (point, row) in self.table.rows.iter().enumerate() {
            let values = self.plan.values(point as u64);
            let mut line: Vec<String> = values
                .iter()
                .map(|value| {
                    value.number.map_or_else(|| value.text.clone(), |own| own.value().to_string())
                })
                .collect();
            for spread in &row.spreads {
                match spread {
                    None => line.extend(std::iter::repeat_n(String::new(), 4)),
                    Some(own) => {
                        line.extend([own.median, own.min, own.max].map(|own| own.to_string()));
                        line.push(format!("{:.1}", own.mean()));
                    }
                }
            }
            line.extend([row.n_runs, row.n_finished].map(|n| n.to_string()));
            line.extend(row.counts.map(|n| n.to_string()));
            lines.push(line);
        }
        let line = |line: &Vec<String>| {
            let cells: Vec<String> = line.iter().map(|cell| escaped(cell)).collect();
            format!("{}\n", cells.join(","))
        };
        lines.iter().map(line).collect()
    }

    fn json(&self) -> Value {
        let rows = self.table.rows.iter().enumerate().map(|(point, row)| {
            let values = self.plan.values(point as u64);
            let values: serde_json::Map<String, Value> = self
                .plan
                .varies
                .iter()
                .zip(values)
                .map(|(vary, value)| {
                    let number = value.number.map(Number::value);
                    (vary.key.clone(), json!({ "text": value.text, "number": number }))
                })
                .collect();
            let numbers: serde_json::Map<String, Value> = self
                .plan
                .measured
                .iter()
                .zip(&row.spreads)
                .map(|(measured, spread)| {
                    let spread = spread.map(|own| {
                        json!({
                            "median": own.median, "min": own.min, "max": own.max, "sum": own.sum as u64,
                            "runs": own.n, "unit": measured.unit(),
                        })
                    });
                    (measured.name().to_owned(), json!(spread))
                })
                .collect();
            let [completed, given_up, failures] = row.counts;
            json!({
                "values": values, "numbers": numbers, "runs": row.n_runs,
                "finished": row.n_finished, "completed": completed, "given-up": given_up,
                "failures": failures,
            })
        });
        let rows: Vec<Value> = rows.collect();
        let young = self.table.young.map(|own| {
            json!({
                "checkpoint-cost-us": own.blocked.round() as u64,
                "mean-time-between-failures-us": own.mean_time_between.round() as u64,
                "young-us": own.interval.round() as u64,
                "simulated-us": own.simulated.map(|own| own.round() as u64),
            })
        });
        json!({
            "scenario": self.plan.scenario.name, "seed": self.plan.seed,
            "seeds": self.plan.n_seeds, "rows": rows, "young": young,
        })
    }
}

/// A number with its spread, as people read it.
fn shown(measured: Measured, spread: &Spread) -> String {
    let one = |number: u64| match measured {
        Measured::Duration | Measured::Alignment | Measured::Latency | Measured::Time => {
            duration(number)
        }
        Measured::Persisted => Size(number).to_string(),
        Measured::Throughput => format!("{:.1} /s", number as f64 / 1000.0),
        Measured::Cost => format!("{:.4}", number as f64 / 1e6),
    };
    match spread.min == spread.max {
        true => one(spread.median),
        false => format!("{} ({} – {})", one(spread.median), one(spread.min), one(spread.max)),
    }
}

/// A mean with at most one place after the point.
fn tenths(sum: u64, n: u64) -> String {
    match sum % n.max(1) {
        0 => (sum / n.max(1)).to_string(),
        _ => format!("{:.1}", sum as f64 / n as f64),
    }
}

/// A cell of CSV. Source: RFC 4180.
fn escaped(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
