//! The lines above the job: where we are in the run.

use super::Shows;
use super::plan::{MARGIN, WIDTH};
use crate::model::Language;
use crate::narrate::{Names, Scene, Story};
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, Stroke, rounded};
use crate::render::sheet::{Sheet, quiet, style};
use crate::trace::{JobStatus, View};

/// The most dots of a line of moments.
const DOTS_MAX: usize = 24;

/// What stands above the job.
pub(super) struct Head<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) story: &'a Story,
    pub(super) names: Names<'a>,
    /// The moment that is shown as one, by position in [`Story::spans`].
    pub(super) span: Option<usize>,
}

impl Head<'_> {
    /// What a frame is called: the moment's title, or the scenario's.
    pub(super) fn title(&self) -> String {
        let span = self.span.or_else(|| self.story.span_of(self.scene.after.step));
        let moment = span.map(|span| &self.scene.scenario.moments[self.story.spans[span].moment]);
        let title = moment.map_or(&self.scene.scenario.title, |moment| &moment.title);
        self.names.tidy(title.of(self.names.language))
    }

    /// The number in front of the title: the moment's or the step's.
    fn number(&self) -> String {
        match self.span {
            Some(span) => self.story.moment_number(span).to_string(),
            None => self.scene.after.step.to_string(),
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, sheet: &mut Sheet<'_>, shows: Shows) {
        if shows.title {
            let kicker = self.kicker();
            let look = style(22.0, Weight::Medium, Ink::Quiet);
            sheet.text(&kicker, (MARGIN, 72.0), look, 1300.0);
        }
        let mut x = MARGIN;
        if shows.number {
            let look = style(46.0, Weight::Bold, Ink::Barrier);
            x += sheet.text(&self.number(), (x, 130.0), look, 160.0) + 22.0;
        }
        if shows.title {
            let look = style(46.0, Weight::SemiBold, Ink::Text);
            sheet.text(&self.title(), (x, 130.0), look, 1420.0 - x);
        }
        if shows.number {
            let look = style(22.0, Weight::Medium, Ink::Quiet).anchored(Anchor::End);
            sheet.text(&self.place(), (WIDTH - MARGIN, 72.0), look, 400.0);
            self.dots(sheet);
        }
    }

    /// The sign that explains the outlines.
    pub(super) fn key(&self, sheet: &mut Sheet<'_>) {
        let text = self.names.pick("changed in this step", "本步变化");
        let text = if self.span.is_some() {
            self.names.pick("changed in this moment", "此时刻的变化")
        } else {
            text
        };
        let look = quiet(20.0).anchored(Anchor::End);
        let width = sheet.text(text, (WIDTH - MARGIN, 150.0), look, 380.0);
        let x = WIDTH - MARGIN - width - 48.0;
        let outline = rounded(Rect::new(x, 132.0, 34.0, 22.0), 6.0);
        sheet.scene.stroke(outline, Stroke::new(Ink::Text, 3.5));
    }

    fn kicker(&self) -> String {
        let view = &self.scene.after;
        let span = self.span.or_else(|| self.story.span_of(view.step));
        let mut parts = Vec::new();
        if span.is_some() {
            parts.push(self.scene.scenario.title.of(self.names.language).to_owned());
        }
        parts.push(view.at.to_string());
        if view.attempt.0 > 1 {
            parts.push(self.names.attempt(view.attempt));
        }
        parts.extend(status(view, self.names).map(str::to_owned));
        parts.join(" · ")
    }

    fn place(&self) -> String {
        let (story, step) = (self.story, self.scene.after.step);
        match (self.span, self.names.language) {
            (Some(span), language) => {
                let number = story.moment_number(span);
                let last = story.moment_number(story.spans.len() - 1);
                match language {
                    Language::En => format!("moment {number} of {last}"),
                    Language::Zh => format!("时刻 {number}/{last}"),
                }
            }
            (None, Language::En) => format!("step {step} of {}", story.n_steps()),
            (None, Language::Zh) => format!("第 {step}/{} 步", story.n_steps()),
        }
    }

    /// One dot a moment, at fixed places.
    fn dots(&self, sheet: &mut Sheet<'_>) {
        let n = self.story.spans.len();
        let Some(own) = self.span.or_else(|| self.story.span_near(self.scene.after.step)) else {
            return;
        };
        if n > DOTS_MAX {
            return;
        }
        for place in 0..n {
            let x = WIDTH - MARGIN - 8.0 - 28.0 * (n - 1 - place) as f64;
            let (radius, ink) = match place.cmp(&own) {
                std::cmp::Ordering::Less => (5.0, Ink::Quiet),
                std::cmp::Ordering::Equal => (8.0, Ink::Barrier),
                std::cmp::Ordering::Greater => (5.0, Ink::Line),
            };
            let dot = Rect::around((x, 98.0), 2.0 * radius, 2.0 * radius);
            sheet.scene.fill(rounded(dot, radius), ink);
        }
    }
}

/// How the job is, where it does not just run.
pub(super) fn status<'a>(view: &View, names: Names<'a>) -> Option<&'a str> {
    Some(match view.status {
        JobStatus::Running => return None,
        JobStatus::Restarting => names.pick("restarting", "等待重启"),
        JobStatus::Suspended => names.pick("no JobManager", "没有 JobManager"),
        JobStatus::Failed => names.pick("the job has failed", "作业已失败"),
        JobStatus::Finished => names.pick("the job has finished", "作业已结束"),
        JobStatus::Canceled => names.pick("the job is cancelled", "作业已取消"),
    })
}
