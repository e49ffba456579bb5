//! The best checkpoint interval: Young's, and that of the simulated runs.
//!
//! With a cost C of a checkpoint and a mean time M between failures the job
//! takes about `1 + C/τ + (τ/2 + D + R)/M` times as long at an interval τ; D
//! (the checkpoint becomes usable) and R (the restart) do not move the minimum,
//! sqrt(2 C M).
//!
//! The simulated minimum is that of the curve `a + b/τ + c·τ` through the
//! simulated points, by least squares: near its minimum the cost is so flat
//! that the lowest single point says little.
//!
//! Source: Young 1974, A First Order Approximation to the Optimum Checkpoint
//! Interval; with asynchronous checkpoints C is only what blocks the job.

use super::numbers::{Measured, Numbers, mean_time_between_failures, median};
use super::plan::Plan;
use super::table::Row;
use super::vary::Number;

/// The best interval of a sweep over intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Young {
    /// What a checkpoint costs the job, in microseconds: measured without
    /// failures.
    pub blocked: f64,
    /// The mean time between failures, in microseconds.
    pub mean_time_between: f64,
    /// Young's interval, in microseconds.
    pub interval: f64,
    /// The interval at which the curve through the simulated points is lowest,
    /// in microseconds, if it has such a place.
    pub simulated: Option<f64>,
    /// The curve: a, b, c.
    pub curve: Option<[f64; 3]>,
}

/// The key whose values are intervals.
const INTERVAL: &str = "execution.checkpointing.interval";

/// Looks for the best interval, if that alone is varied, costs are measured and
/// tasks fail at random.
pub(super) fn young(plan: &Plan, runs: &[Numbers], rows: &[Row]) -> Option<Young> {
    let place = plan.measured.iter().position(|own| *own == Measured::Cost)?;
    let [only] = plan.varies.as_slice() else { return None };
    let mean_time_between = mean_time_between_failures(&plan.scenario)?;
    if only.key != INTERVAL {
        return None;
    }
    let mut blocked: Vec<u64> = runs.iter().filter_map(|run| run.blocked).collect();
    let blocked = median(&mut blocked)? as f64;
    let points = only.values.iter().zip(rows).filter_map(|(value, row)| {
        let Some(Number::Time(interval)) = value.number else { return None };
        Some((interval.0 as f64, row.spreads[place]?.mean() / 1e6))
    });
    let curve = fit(&points.collect::<Vec<_>>());
    let simulated = curve.filter(|[_, b, c]| *b > 0.0 && *c > 0.0).map(|[_, b, c]| (b / c).sqrt());
    let interval = (2.0 * blocked * mean_time_between).sqrt();
    Some(Young { blocked, mean_time_between, interval, simulated, curve })
}

/// The curve `a + b/x + c·x` nearest to some points.
fn fit(points: &[(f64, f64)]) -> Option<[f64; 3]> {
    if points.len() < 3 {
        return None;
    }
    // In units of the middle point, so that the numbers are of one size.
    let unit = points[points.len() / 2].0;
    let mut sums = [[0.0; 4]; 3];
    for (x, y) in points {
        let x = x / unit;
        let terms = [1.0, 1.0 / x, x];
        for (row, left) in sums.iter_mut().zip(terms) {
            for (cell, right) in row.iter_mut().zip([terms[0], terms[1], terms[2], *y]) {
                *cell += left * right;
            }
        }
    }
    let [a, b, c] = solve(sums)?;
    Some([a, b * unit, c / unit])
}

/// Three linear equations, by elimination with the largest pivot.
fn solve(mut rows: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let largest =
            (column..3).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, largest);
        let pivot = rows[column];
        if pivot[column].abs() < 1e-12 {
            return None;
        }
        for (place, row) in rows.iter_mut().enumerate().filter(|(place, _)| *place != column) {
            debug_assert_ne!(place, column);
            let factor = row[column] / pivot[column];
            for (cell, pivot) in row.iter_mut().zip(pivot) {
                *cell -= factor * pivot;
            }
        }
    }
    Some([0, 1, 2].map(|place| rows[place][3] / rows[place][place]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_of_this_form_is_found_again() {
        let curve = |x: f64| 1.02 + 0.5 / x + x / 3600.0;
        let points: Vec<(f64, f64)> =
            [10.0, 20.0, 42.0, 60.0, 120.0].map(|x| (x, curve(x))).to_vec();
        let [a, b, c] = fit(&points).expect("there are enough points");
        assert!((a - 1.02).abs() < 1e-9 && (b - 0.5).abs() < 1e-9, "{a} {b}");
        assert!((c - 1.0 / 3600.0).abs() < 1e-12, "{c}");
        // sqrt(2 · 0.5 · 1800)
        assert!(((b / c).sqrt() - 42.426).abs() < 0.001);
        assert_eq!(fit(&points[..2]), None);
    }
}
