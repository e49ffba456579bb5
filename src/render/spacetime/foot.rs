//! What stands below the lifelines: the two sides of a cut, the moments or the
//! time, and what the signs mean.

use super::events::{Kind, PhaseKind, What};
use super::places::CHIP;
use super::stave::{Cut, Stave, lost};
use super::{INSET, LEFT, MARGIN, RIGHT};
use crate::model::Language;
use crate::render::font::Weight;
use crate::render::scene::{Anchor, Ink, Rect, Segment, Stroke, polygon, rounded};
use crate::render::sheet::{HAIRLINE, Sheet, quiet, style};
use crate::render::symbols::{self, Look};

impl Stave<'_> {
    /// Draws the two sides of the last cut and the line of time.
    pub(super) fn draw_foot(&self, sheet: &mut Sheet<'_>) {
        self.foot(sheet, &self.cuts());
        self.axis(sheet);
    }

    /// At the foot of the last cut, what lies on its two sides; at those of the
    /// others their numbers.
    fn foot(&self, sheet: &mut Sheet<'_>, cuts: &[Cut]) {
        let Some((id, points)) = cuts.last() else { return };
        let y = self.bottom() + 34.0;
        let foot = points[points.len() - 1].0 + 14.0;
        let look = style(20.0, Weight::Medium, Ink::Text);
        let zh = self.names.language == Language::Zh;
        let texts = match (cuts.len(), zh) {
            (1, false) => {
                (format!("left of the cut: in checkpoint {id}"), "right of the cut: not in it")
            }
            (1, true) => (format!("切面左侧：属于检查点 {id}"), "切面右侧：不属于"),
            (_, false) => {
                (format!("left of cut {id}: in checkpoint {id}"), "right of it: not in it")
            }
            (_, true) => (format!("切面 {id} 左侧：属于检查点 {id}"), "右侧：不属于"),
        };
        let (mut left, mut right) = (LEFT + INSET, foot - 20.0);
        // Between the feet of this cut and of the one before it.
        if let Some((_, before)) = cuts.len().checked_sub(2).map(|place| &cuts[place]) {
            left = before[before.len() - 1].0 + 14.0 + 20.0;
        }
        if right < left {
            std::mem::swap(&mut left, &mut right);
        }
        let fits = |text: &str, room: f64| sheet.width(text, look) <= room;
        let (in_left, in_right) =
            (fits(&texts.0, right - left), fits(texts.1, RIGHT - foot - 24.0));
        if in_left {
            let look = look.anchored(Anchor::End);
            sheet.text(&texts.0, (right, y), look, right - left);
        }
        if in_right {
            sheet.text(texts.1, (foot + 24.0, y), look, RIGHT - foot - 24.0);
        }
    }

    /// The moments of the story, or the time.
    fn axis(&self, sheet: &mut Sheet<'_>) {
        let y = self.bottom() + 72.0;
        sheet.scene.line((LEFT, y), (RIGHT, y), HAIRLINE);
        let mut ticks: Vec<(f64, String, String)> = Vec::new();
        for (span, place) in self.story.spans.iter().enumerate() {
            let x = match place.first {
                0 if self.range.first == 0 => Some(LEFT + INSET),
                first if first >= self.range.first => self.places.x(first),
                _ => None,
            };
            if let Some(x) = x {
                let moment = &self.names.scenario.moments[place.moment];
                let title = self.names.tidy(moment.title.of(self.names.language));
                ticks.push((x, self.story.moment_number(span).to_string(), title));
            }
        }
        if ticks.is_empty() {
            ticks = self.times();
        }
        // Labels stand in two rows, each where the one before it has ended.
        let mut free = [LEFT; 2];
        for (x, number, title) in ticks {
            let bold = style(20.0, Weight::Bold, Ink::Text);
            let own = sheet.width(&number, bold);
            let all =
                own + if title.is_empty() { 0.0 } else { 9.0 + sheet.width(&title, quiet(20.0)) };
            let fits = |row: &usize, width: f64| free[*row] <= x && x + width <= RIGHT;
            let whole = (0..2).find(|row| fits(row, all));
            let Some(row) = whole.or_else(|| (0..2).find(|row| fits(row, own))) else { continue };
            let baseline = y + 32.0 + 26.0 * row as f64;
            sheet.scene.line((x, y - 7.0), (x, y + 7.0), Stroke::new(Ink::Edge, 2.0));
            sheet.text(&number, (x, baseline), bold, own + 1.0);
            free[row] = x + own + 14.0;
            if whole.is_some() && !title.is_empty() {
                let room = all - own;
                free[row] += sheet.text(&title, (x + own + 9.0, baseline), quiet(20.0), room) + 9.0;
            }
        }
    }

    /// Some times that are seen.
    fn times(&self) -> Vec<(f64, String, String)> {
        let mut ticks = Vec::new();
        let mut next = LEFT;
        for step in &self.story.trace.steps {
            if step.number < self.range.first {
                continue;
            }
            let Some(x) = self.places.x(step.number) else { break };
            if x >= next {
                ticks.push((x, step.at.to_string(), String::new()));
                next = x + 180.0;
            }
        }
        ticks
    }
}

/// What is in the picture, and nothing else.
pub(super) fn legend(sheet: &mut Sheet<'_>, staves: &[Stave<'_>], y: f64) {
    let names = staves[0].names;
    let sees = |test: &dyn Fn(&What) -> bool| {
        let mut all = staves.iter().flat_map(|stave| &stave.events.sightings);
        all.any(|own| test(&own.what))
    };
    let has = |kind: PhaseKind| {
        staves.iter().any(|stave| {
            let mut phases = stave.events.phases.iter().filter(|own| own.what == kind);
            phases.any(|own| stave.length(own) >= 1.0)
        })
    };
    let mut messages = staves.iter().flat_map(|stave| &stave.events.messages);
    let has_barriers = messages.any(|own| own.kind == Kind::Barrier);
    let looks =
        |wanted: Look| sees(&|what| matches!(what, What::Chip { look, .. } if *look == wanted));
    let mut x = MARGIN;
    let middle = y - 7.0;
    let word = |sheet: &mut Sheet<'_>, x: f64, en: &str, zh: &str| {
        let text = names.pick(en, zh);
        x + 10.0 + sheet.text(text, (x + 10.0, y), quiet(20.0), 400.0) + 34.0
    };
    let chip = |x: f64| Rect::new(x, middle - CHIP.1 / 2.0, CHIP.0, CHIP.1);
    let first_split = 0;
    sheet.scene.line((x, middle), (x + 40.0, middle), Stroke::new(Ink::Rim(0), 2.0));
    symbols::record(sheet, chip(x + 44.0), (first_split, "4"), Look::Solid);
    x = word(sheet, x + 76.0, "record", "记录");
    if sees(&|what| matches!(what, What::Chip { after, .. } if after.parse::<i64>().is_ok())) {
        sheet.text("8", (x, y), style(20.0, Weight::SemiBold, Ink::Text), 20.0);
        x = word(sheet, x + 13.0, "state after it", "之后的状态");
    }
    if has_barriers {
        sheet.arrow((x, middle), (x + 46.0, middle), Stroke::new(Ink::Barrier, 4.0).rounded());
        x = word(sheet, x + 46.0, "barrier", "屏障");
    }
    let rpc = Stroke::new(Ink::Edge, 2.0).dashed(7.0, 5.0);
    sheet.scene.line((x, middle), (x + 46.0, middle), rpc);
    x = word(sheet, x + 46.0, "request, reply", "请求、应答");
    if has(PhaseKind::Align) {
        let rect = Rect::new(x, middle - 13.0, 44.0, 26.0);
        sheet.scene.hatch(rect, 0.0, Stroke::new(Ink::Edge, 2.0));
        x = word(sheet, x + 44.0, "alignment", "对齐");
    }
    if sees(&|what| matches!(what, What::Held(_))) {
        symbols::record(sheet, chip(x), (first_split, "4"), Look::Ghost);
        x = word(sheet, x + CHIP.0, "held back", "先扣住");
    }
    if sees(&|what| matches!(what, What::Snapshot(_))) {
        let (x0, d) = (x + 14.0, 14.0);
        let points = [(x0, middle - d), (x0 + d, middle), (x0, middle + d), (x0 - d, middle)];
        sheet.scene.fill(polygon(&points), Ink::Barrier);
        x = word(sheet, x + 28.0, "snapshot", "快照");
    }
    if has(PhaseKind::Async) {
        sheet.scene.fill(rounded(Rect::new(x, middle - 3.0, 40.0, 6.0), 0.0), Ink::Async);
        x = word(sheet, x + 40.0, "storing it", "存储");
    }
    if staves.iter().any(|stave| !stave.cuts().is_empty()) {
        let wave = vec![
            Segment::Move(x, middle + 10.0),
            Segment::Cubic(
                (x + 12.0, middle - 20.0),
                (x + 16.0, middle + 18.0),
                (x + 30.0, middle - 10.0),
            ),
        ];
        sheet.scene.fade(0.3);
        sheet.scene.stroke(wave, Stroke::new(Ink::Barrier, 14.0).rounded());
        sheet.scene.fade(1.0);
        x = word(sheet, x + 36.0, "cut", "切面");
    }
    let mut messages = staves.iter().flat_map(|stave| &stave.events.messages);
    if messages.any(|own| own.lost && own.kind == Kind::Rpc) {
        lost(sheet, (x + 6.0, middle));
        x = word(sheet, x + 14.0, "lost", "丢失");
    }
    if looks(Look::Ghost) {
        symbols::record(sheet, chip(x), (first_split, "4"), Look::Ghost);
        x = word(sheet, x + CHIP.0, "copied into it", "存入快照");
    }
    if looks(Look::Again) {
        symbols::record(sheet, chip(x), (first_split, "4"), Look::Again);
        x = word(sheet, x + CHIP.0 + 5.0, "again", "再次");
    }
    if sees(&|what| matches!(what, What::Restored(_))) {
        sheet.text("8", (x, y), style(20.0, Weight::Bold, Ink::Barrier), 20.0);
        word(sheet, x + 13.0, "restored", "恢复的值");
    }
}
