//! A sign of life for what takes longer than a second, on a terminal only.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Counts steps, and shows the count once a second has gone by.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    n: u64,
    shown: bool,
}

impl Progress {
    /// Steps between two looks at the clock.
    const EVERY: u64 = 1 << 14;

    /// Nothing to see yet. Without a known number of steps only those done are
    /// shown.
    pub(super) fn new(total: Option<u64>, what: &'static str) -> Self {
        let bar = match total {
            Some(total) => ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden()),
            None => ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        };
        let template = match total {
            Some(_) => "{msg} {wide_bar} {human_pos} / {human_len}",
            None => "{spinner} {msg} {human_pos} ({per_sec})",
        };
        let style = ProgressStyle::with_template(template).expect("the templates are right");
        Self { bar: bar.with_style(style).with_message(what), n: 0, shown: false }
    }

    /// One step further.
    #[inline]
    pub(super) fn step(&mut self) {
        self.n += 1;
        if self.n.is_multiple_of(Self::EVERY) {
            self.look();
        }
    }

    /// One further of things that each take a while.
    pub(super) fn one(&mut self) {
        self.n += 1;
        self.look();
    }

    fn look(&mut self) {
        if !self.shown && self.bar.elapsed() > Duration::from_secs(1) && io::stderr().is_terminal()
        {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(self.n);
    }

    /// Takes the sign away.
    pub(super) fn end(self) {
        self.bar.finish_and_clear();
    }
}

/// A line that says how far something is whose end nobody knows.
#[derive(Debug)]
pub(super) struct Meter {
    bar: ProgressBar,
    shown: bool,
}

impl Meter {
    /// Nothing to see yet.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {msg} · {elapsed}");
        Self { bar: bar.with_style(style.expect("the template is right")), shown: false }
    }

    /// How far it is, once a second has gone by.
    pub(super) fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.shown && self.bar.elapsed() > Duration::from_secs(1) && io::stderr().is_terminal()
        {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.shown {
            self.bar.set_message(text());
            self.bar.tick();
        }
    }

    /// Takes the line away, and says how long it took.
    pub(super) fn end(self) -> Duration {
        self.bar.finish_and_clear();
        self.bar.elapsed()
    }
}
