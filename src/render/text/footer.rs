//! The line of time under an interactive picture.

use super::canvas::{Canvas, width};
use super::paint::{Paint, Span};
use crate::narrate::Story;
use crate::trace::Fact;

/// Two lines: the numbers of the moments, and the run with its barriers,
/// acknowledgements, crashes and completed checkpoints, the present step
/// marked.
#[must_use]
pub fn timeline(story: &Story, step: u64, columns: usize) -> Vec<Vec<Span>> {
    const LEFT: usize = 4;
    let n_steps = story.n_steps();
    let right = format!("{step} / {n_steps}");
    let length = columns.saturating_sub(LEFT + 4 + width(&n_steps.to_string()) * 2 + 3).max(10);
    let column = |step: u64| match n_steps {
        0 => LEFT,
        _ => LEFT + (step * (length as u64 - 1) / n_steps) as usize,
    };
    let mut canvas = Canvas::new(columns);
    canvas.grow(2);
    let mut free = 0;
    for (span, place) in story.spans.iter().enumerate() {
        let number = story.moment_number(span).to_string();
        let x = column(place.last);
        if x >= free {
            let here = place.first <= step && step <= place.last;
            canvas.put(x, 0, &number, if here { Paint::Bold } else { Paint::Dim });
            free = x + number.len() + 1;
        }
    }
    let here = column(step);
    canvas.fill(LEFT..here, 1, '━', Paint::Bold);
    canvas.fill(here..LEFT + length, 1, '─', Paint::Dim);
    let mut ticks: Vec<(u8, char, Paint)> = vec![(0, ' ', Paint::Plain); columns];
    for step in &story.trace.steps {
        let tick = step.facts.iter().map(tick).max().unwrap_or((0, ' ', Paint::Plain));
        let x = column(step.number);
        if tick.0 > ticks[x].0 {
            ticks[x] = tick;
        }
    }
    for (x, (weight, sign, paint)) in ticks.into_iter().enumerate() {
        if weight > 0 {
            canvas.put(x, 1, sign.encode_utf8(&mut [0; 4]), paint);
        }
    }
    canvas.put(here, 1, "●", Paint::Changed);
    canvas.put(columns.saturating_sub(width(&right) + 2), 1, &right, Paint::Plain);
    canvas.into_lines()
}

/// The sign of a fact on the line, with its weight beside others.
fn tick(fact: &Fact) -> (u8, char, Paint) {
    match fact {
        Fact::Crashed { .. } => (5, '✗', Paint::Blocked),
        Fact::AttemptStarted { .. } => (4, '↻', Paint::Bold),
        Fact::CheckpointCompleted { .. } => (3, '◆', Paint::Done),
        Fact::SnapshotTaken { .. } => (2, '┃', Paint::Barrier),
        Fact::Acknowledged { .. } => (1, '✓', Paint::Done),
        _ => (0, ' ', Paint::Plain),
    }
}
