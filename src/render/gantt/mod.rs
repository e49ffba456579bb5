//! Where the time of a checkpoint goes: per subtask start delay, alignment,
//! sync and async part, and the acknowledgement, in the words of Flink's web
//! interface.
//!
//! Source of the words: Flink's checkpoint details page, and its REST API's
//! `end_to_end_duration`, `checkpoint.sync`, `checkpoint.async`,
//! `alignment.duration`, `alignment.persisted`, `start_delay`.

mod along;
mod history;

use super::font::{Font, Weight};
use super::scene::{Anchor, Ink, Rect, Scene, Stroke, paragraph, rounded};
use super::sheet::{Sheet, quiet, style};
use super::symbols;
use crate::model::{CheckpointId, Language, Micros, Scenario, Size, SubtaskIndex, Time};
use crate::narrate::{Names, Story};
pub use along::gantt_along;
pub use history::CheckpointHistory;

use history::{Checkpoint, End, Part};

const WIDTH: f64 = 1920.0;
const MARGIN: f64 = 64.0;
/// Where the time begins: right of the names.
const LEFT: f64 = 268.0;
/// From one row to the next.
const PITCH: f64 = 86.0;
/// Where the first panel begins.
const TOP: f64 = 176.0;
/// Height of a bar.
const BAR: f64 = 26.0;
/// From the top of a panel to its first row.
const HEAD: f64 = 140.0;
/// The most rows of a panel; of more subtasks the slowest are drawn.
const ROWS_MAX: usize = 24;

/// The checkpoints of a run as bars: the newest ones, or one of them. Nothing
/// if the run has no such checkpoint.
#[must_use]
pub fn gantt(story: &Story, language: Language, only: Option<CheckpointId>) -> Option<Scene> {
    let mut history = CheckpointHistory::new(&story.scenario.graph, only);
    for step in &story.trace.steps {
        history.observe(step.at, &step.facts);
    }
    gantt_of(&story.scenario, &history, language)
}

/// The same of a run that has gone by.
#[must_use]
pub fn gantt_of(
    scenario: &Scenario,
    history: &CheckpointHistory,
    language: Language,
) -> Option<Scene> {
    if history.kept.is_empty() {
        return None;
    }
    let names = Names::new(scenario, language).with_savepoints(&history.savepoints);
    Some(Chart::new(names, history).draw())
}

/// Where a moment in time stands in a Gantt chart's panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GanttScale {
    /// When the checkpoint was triggered, which is where the panel begins.
    pub from: Time,
    /// The last time that the panel shows.
    pub to: Time,
    /// The x of both.
    pub x: (f64, f64),
    /// The y of its first row's upper and its last row's lower end.
    pub y: (f64, f64),
}

/// The panels of [`gantt`], in order.
#[must_use]
pub fn gantt_scales(story: &Story, language: Language) -> Vec<GanttScale> {
    let mut history = CheckpointHistory::new(&story.scenario.graph, None);
    for step in &story.trace.steps {
        history.observe(step.at, &step.facts);
    }
    if history.kept.is_empty() {
        return Vec::new();
    }
    let chart = Chart::new(story.names(language), &history);
    let scale = |(number, own): (usize, &Checkpoint)| {
        let Panel { from, to, top, .. } = chart.place(number);
        let y = (top + HEAD, top + HEAD + PITCH * chart.rows.len() as f64);
        let end = Time(own.triggered.0 + chart.span);
        GanttScale { from: own.triggered, to: end, x: (from, to), y }
    };
    chart.shown.iter().enumerate().map(scale).collect()
}

/// What is drawn, and its scale.
struct Chart<'a> {
    names: Names<'a>,
    shown: Vec<Checkpoint>,
    n_left_out: usize,
    /// The subtasks with a row, in order.
    rows: Vec<SubtaskIndex>,
    /// The time that all panels span.
    span: u64,
    /// Between two marks of the time.
    tick: u64,
}

/// A panel's place.
#[derive(Clone, Copy)]
struct Panel {
    /// Where its time begins and ends.
    from: f64,
    to: f64,
    /// Right ends of the two columns of numbers.
    columns: [f64; 2],
    top: f64,
}

impl<'a> Chart<'a> {
    fn new(names: Names<'a>, history: &CheckpointHistory) -> Self {
        let (shown, n_left_out) = (history.kept.clone(), history.n_left_out);
        let graph = &names.scenario.graph;
        let mut rows: Vec<SubtaskIndex> = graph.subtask_indices().collect();
        if rows.len() > ROWS_MAX {
            let slowest = |task: &SubtaskIndex| {
                let last = shown.iter().map(|own| end_to_end(own, &own.parts[task.index()]));
                std::cmp::Reverse(last.max().flatten())
            };
            rows.sort_by_key(slowest);
            rows.truncate(ROWS_MAX);
            rows.sort_unstable();
        }
        let longest = shown.iter().map(|own| own.last().0 - own.triggered.0).max();
        let longest = longest.unwrap_or(0).max(1);
        let n_ticks = if shown.len() > 1 { 5 } else { 10 };
        let tick = round_step(longest, n_ticks);
        Self { names, shown, n_left_out, rows, span: longest.div_ceil(tick) * tick, tick }
    }

    /// A panel's place, by its number.
    fn place(&self, number: usize) -> Panel {
        let body = HEAD + PITCH * self.rows.len() as f64;
        let top = TOP + (number / 2) as f64 * (body + 40.0);
        match (self.shown.len(), number % 2) {
            (1, _) => Panel { from: LEFT, to: 1520.0, columns: [1688.0, 1856.0], top },
            (_, 0) => Panel { from: LEFT, to: 778.0, columns: [902.0, 1036.0], top },
            _ => Panel { from: 1088.0, to: 1598.0, columns: [1722.0, 1856.0], top },
        }
    }

    fn draw(&self) -> Scene {
        let font = Font::new();
        let n = self.shown.len();
        let body = HEAD + PITCH * self.rows.len() as f64;
        let n_lines = n.div_ceil(2) as f64;
        let top = TOP;
        let below = 170.0;
        let height = top + n_lines * (body + 40.0) + below;
        let mut sheet = Sheet::new(&font, (WIDTH, height), self.names);
        self.head(&mut sheet);
        for (place, own) in self.shown.iter().enumerate() {
            let panel = self.place(place);
            if place % 2 == 0 {
                self.row_names(&mut sheet, panel);
            }
            self.panel(&mut sheet, panel, own);
        }
        let bottom = top + n_lines * (body + 40.0);
        self.legend(&mut sheet, bottom + 8.0);
        let caption = self.caption();
        for (place, line) in
            paragraph(&font, &caption, 28.0, WIDTH - 2.0 * MARGIN).iter().take(2).enumerate()
        {
            let at = (MARGIN, bottom + 78.0 + 42.0 * place as f64);
            sheet.text(line, at, style(28.0, Weight::Regular, Ink::Text), WIDTH - 2.0 * MARGIN);
        }
        let mut scene = sheet.finish(false);
        scene.title = self.title();
        scene.description = self.names.tidy(&caption);
        scene
    }

    fn title(&self) -> String {
        match (self.shown.as_slice(), self.names.language) {
            ([only], Language::En) => format!("Where the time of checkpoint {} goes", only.id),
            ([only], Language::Zh) => format!("检查点 {} 的时间花在哪里", only.id),
            (_, Language::En) => "Where the time of the checkpoints goes".to_owned(),
            (_, Language::Zh) => "各检查点的时间花在哪里".to_owned(),
        }
    }

    fn head(&self, sheet: &mut Sheet<'_>) {
        let mut kicker = self.names.scenario.title.of(self.names.language).to_owned();
        let n_hidden = self.names.scenario.graph.subtasks.len() - self.rows.len();
        if self.n_left_out > 0 {
            let n = self.n_left_out;
            kicker += &match self.names.language {
                Language::En => format!(" · {n} earlier checkpoints are left out"),
                Language::Zh => format!(" · 省略了之前的 {n} 个检查点"),
            };
        }
        if n_hidden > 0 {
            let n = self.rows.len();
            kicker += &match self.names.language {
                Language::En => format!(" · the slowest {n} subtasks, {n_hidden} are left out"),
                Language::Zh => format!(" · 最慢的 {n} 个子任务，省略 {n_hidden} 个"),
            };
        }
        let room = WIDTH - 2.0 * MARGIN;
        sheet.text(&kicker, (MARGIN, 72.0), style(22.0, Weight::Medium, Ink::Quiet), room);
        let look = style(42.0, Weight::SemiBold, Ink::Text);
        sheet.text(&self.title(), (MARGIN, 128.0), look, room);
    }

    fn row_names(&self, sheet: &mut Sheet<'_>, panel: Panel) {
        for (row, task) in self.rows.iter().enumerate() {
            let y = panel.top + HEAD + PITCH * row as f64 + 45.0;
            let mut x = MARGIN;
            let splits = &self.names.scenario.graph.subtasks[task.index()].splits;
            if let [only] = splits.as_slice() {
                symbols::swatch(sheet, Rect::new(x, y - 16.0, 18.0, 18.0), only.0);
                x += 28.0;
            }
            let look = style(22.0, Weight::SemiBold, Ink::Text);
            sheet.text(self.names.task(*task), (x, y), look, LEFT - 16.0 - x);
        }
    }

    fn panel(&self, sheet: &mut Sheet<'_>, panel: Panel, own: &Checkpoint) {
        let names = self.names;
        let Panel { from, to, columns, top } = panel;
        let heading = names.tidy(&names.checkpoint(own.id));
        let look = style(28.0, Weight::SemiBold, Ink::Text);
        let width = sheet.text(&heading, (from, top + 26.0), look, 300.0);
        let said = self.ending(own);
        let room = columns[1] - from - width - 16.0;
        sheet.text(&said, (from + width + 16.0, top + 26.0), quiet(20.0), room);
        let above = top + 100.0;
        let label = names.pick("time since the trigger", "触发后的时间");
        sheet.text(label, (from, above), quiet(18.0), to - from);
        // Flink's own words: its web interface is English everywhere.
        let heads = [["End to End", "Duration"], ["Persisted", "In-flight Data"]];
        for (words, right) in heads.into_iter().zip(columns) {
            for (line, word) in words.into_iter().enumerate() {
                let at = (right, above - 24.0 + 24.0 * line as f64);
                let look = style(18.0, Weight::Medium, Ink::Quiet).anchored(Anchor::End);
                sheet.text(word, at, look, 128.0);
            }
        }
        let bottom = top + HEAD + PITCH * self.rows.len() as f64;
        let scale = (to - from) / self.span as f64;
        let mut at = 0;
        while at <= self.span {
            let x = from + at as f64 * scale;
            sheet.scene.line((x, top + HEAD - 6.0), (x, bottom), Stroke::new(Ink::Line, 1.2));
            let look = quiet(18.0).anchored(Anchor::Middle);
            sheet.text(&duration(at), (x, top + HEAD - 14.0), look, 90.0);
            at += self.tick;
        }
        for (row, task) in self.rows.iter().enumerate() {
            let y = top + HEAD + PITCH * row as f64;
            if row > 0 {
                sheet.scene.line((from, y), (columns[1], y), Stroke::new(Ink::Line, 1.0));
            }
            self.row(sheet, panel, (y, scale), (own, &own.parts[task.index()]));
        }
    }

    fn row(
        &self,
        sheet: &mut Sheet<'_>,
        panel: Panel,
        (y, scale): (f64, f64),
        (own, part): (&Checkpoint, &Part),
    ) {
        let x = |micros: u64| panel.from + micros as f64 * scale;
        let [right, far_right] = panel.columns;
        let baseline = y + 45.0;
        let number = |anchor| style(22.0, Weight::SemiBold, Ink::Text).anchored(anchor);
        let Some((stored, metrics)) = part.stored else {
            let text = match (part.finished, own.end) {
                (true, _) => self.names.pick("had finished before", "之前已结束"),
                (false, End::Pending) => self.names.pick("not acknowledged yet", "尚未确认"),
                (false, _) => self.names.pick("never acknowledged", "一直未确认"),
            };
            sheet.text(text, (panel.from + 10.0, baseline), quiet(20.0), panel.to - panel.from);
            return;
        };
        let (upper, lower) = (y + 14.0, y + 45.0);
        let delay = metrics.start_delay.0;
        let aligned = delay + metrics.alignment_duration.0;
        let edge = Stroke::new(Ink::Edge, 1.5);
        if delay > 0 {
            let bar = Rect::new(x(0), upper, (x(delay) - x(0)).max(2.0), BAR);
            sheet.scene.mark(rounded(bar, 0.0), Some(Ink::Page), Some(edge));
            self.in_bar(sheet, bar, delay);
        }
        if aligned > delay {
            let bar = Rect::new(x(delay), upper, (x(aligned) - x(delay)).max(2.0), BAR);
            sheet.scene.hatch(bar, 0.0, edge);
            self.in_bar(sheet, bar, aligned - delay);
        }
        let stored = stored.0 - own.triggered.0;
        let copied = stored.saturating_sub(metrics.async_duration.0);
        let begun = copied.saturating_sub(metrics.sync_duration.0);
        // What takes no time to speak of is seen all the same.
        const SEEN: f64 = 5.0;
        let sync = Rect::new(x(begun), lower, (x(copied) - x(begun)).max(SEEN), BAR);
        sheet.scene.fill(rounded(sync, 0.0), Ink::Sync);
        let mut end = sync.right();
        if metrics.async_duration.0 > 0 {
            let width = (x(stored) - sync.right()).max(SEEN);
            let bar = Rect::new(sync.right(), lower, width, BAR);
            sheet.scene.fill(rounded(bar, 0.0), Ink::Async);
            end = bar.right();
        }
        if let Some(at) = part.acknowledged {
            let tick = x(at.0 - own.triggered.0).max(end + 8.0).min(panel.to + 12.0);
            symbols::tick(sheet, (tick, lower + 14.0));
            let text = duration(at.0 - own.triggered.0);
            sheet.text(&text, (right, baseline), number(Anchor::End), 120.0);
        }
        let persisted = metrics.bytes_persisted_during_alignment;
        let look =
            if persisted > 0 { number(Anchor::End) } else { quiet(22.0).anchored(Anchor::End) };
        sheet.text(&Size(persisted).to_string(), (far_right, baseline), look, 124.0);
    }

    /// A number in its bar, if it fits there with some air.
    fn in_bar(&self, sheet: &mut Sheet<'_>, bar: Rect, micros: u64) {
        let text = duration(micros);
        let look = style(18.0, Weight::Medium, Ink::Text);
        let width = sheet.width(&text, look);
        if width + 20.0 > bar.width {
            return;
        }
        let ground = Rect::new(bar.x + 5.0, bar.y + 3.0, width + 10.0, BAR - 6.0);
        sheet.scene.fill(rounded(ground, 3.0), Ink::Page);
        sheet.text(&text, (bar.x + 10.0, bar.y + 19.5), look, width + 1.0);
    }

    fn ending(&self, own: &Checkpoint) -> String {
        let zh = self.names.language == Language::Zh;
        let since = |at: crate::model::Time| duration(at.0 - own.triggered.0);
        let unaligned = own.parts.iter().any(|p| p.stored.is_some_and(|(_, m)| m.unaligned));
        let kind = match (unaligned, zh) {
            (true, false) => "unaligned, ",
            (true, true) => "非对齐，",
            (false, _) => "",
        };
        match (own.end, zh) {
            (End::Completed(at), false) => format!("{kind}complete after {}", since(at)),
            (End::Completed(at), true) => format!("{kind}用时 {}，已完成", since(at)),
            (End::Aborted(at), false) => format!("{kind}given up after {}", since(at)),
            (End::Aborted(at), true) => format!("{kind}{} 后放弃", since(at)),
            (End::Pending, false) => format!("{kind}still pending"),
            (End::Pending, true) => format!("{kind}仍在进行"),
        }
    }

    fn legend(&self, sheet: &mut Sheet<'_>, y: f64) {
        let words = [
            "Start Delay",
            "Alignment Duration",
            "Sync Duration",
            "Async Duration",
            "Acknowledged",
        ];
        let mut x = MARGIN;
        for (place, word) in words.into_iter().enumerate() {
            let swatch = Rect::new(x, y - 18.0, 40.0, BAR);
            let edge = Stroke::new(Ink::Edge, 1.5);
            match place {
                0 => sheet.scene.mark(rounded(swatch, 0.0), Some(Ink::Page), Some(edge)),
                1 => sheet.scene.hatch(swatch, 0.0, edge),
                2 => sheet.scene.fill(rounded(swatch, 0.0), Ink::Sync),
                3 => sheet.scene.fill(rounded(swatch, 0.0), Ink::Async),
                _ => symbols::tick(sheet, (x + 12.0, y - 4.0)),
            }
            let room = 400.0;
            x += 52.0 + sheet.text(word, (x + 52.0, y + 2.0), quiet(20.0), room) + 40.0;
        }
    }

    /// The slowest subtask, and what took it longest.
    fn caption(&self) -> String {
        let names = self.names;
        let slowest = self.shown.iter().flat_map(|own| {
            self.rows.iter().filter_map(move |task| {
                let part = &own.parts[task.index()];
                Some((end_to_end(own, part)?, own, *task, part.stored?.1))
            })
        });
        let Some((total, own, task, metrics)) = slowest.max_by_key(|(total, ..)| *total) else {
            return names.pick("No subtask has acknowledged.", "没有子任务确认。").to_owned();
        };
        let parts = [
            (metrics.start_delay, "waiting for the first barrier", "等第一个屏障"),
            (metrics.alignment_duration, "aligning", "对齐"),
            (metrics.sync_duration, "copying its state", "复制状态"),
            (metrics.async_duration, "storing it", "存储状态"),
        ];
        let (longest, en, zh) =
            parts.into_iter().rev().max_by_key(|(micros, ..)| *micros).expect("there are four");
        let (who, which) = (names.task(task), names.checkpoint(own.id));
        let (total, longest) = (duration(total.0), duration(longest.0));
        match names.language {
            Language::En => format!(
                "{who} was the last to acknowledge {which}, after {total}: most of it went into {en}, {longest}."
            ),
            Language::Zh => {
                format!("{who}最后确认{which}，用时 {total}；其中最久的是{zh}：{longest}。")
            }
        }
    }
}

/// From the trigger to the acknowledgement.
fn end_to_end(own: &Checkpoint, part: &Part) -> Option<Micros> {
    part.acknowledged.map(|at| Micros(at.0 - own.triggered.0))
}

/// A round step of which at most so many make a length.
fn round_step(length: u64, n_max: u64) -> u64 {
    let mut step = 1;
    loop {
        for factor in [1, 2, 5] {
            if length.div_ceil(step * factor) <= n_max {
                return step * factor;
            }
        }
        step *= 10;
    }
}

/// A length of time with at most three figures that mean something: `3.2 s`,
/// `45 ms`, `1.25 ms`.
#[must_use]
pub fn duration(micros: u64) -> String {
    let (unit, name) = match micros {
        0..1000 => (1, "µs"),
        1000..1_000_000 => (1000, "ms"),
        1_000_000..120_000_000 => (1_000_000, "s"),
        120_000_000..7_200_000_000 => (60_000_000, "min"),
        _ => (3_600_000_000, "h"),
    };
    if micros == 0 {
        return "0".to_owned();
    }
    let hundredths = (micros * 100 + unit / 2) / unit;
    let digits = match hundredths {
        0..1000 => 2,
        1000..10_000 => 1,
        _ => 0,
    };
    let text = format!("{:.digits$}", hundredths as f64 / 100.0);
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        assert_eq!([round_step(9100, 5), round_step(37, 10), round_step(1, 5)], [2000, 5, 1]);
        assert_eq!(round_step(100, 10), 10);
    }

    #[test]
    fn durations_have_three_figures() {
        let cases = [
            (0, "0"),
            (7, "7 µs"),
            (1250, "1.25 ms"),
            (45_000, "45 ms"),
            (122_345, "122 ms"),
            (3_200_000, "3.2 s"),
            (180_000_000, "3 min"),
            (10_800_000_000, "3 h"),
        ];
        for (micros, text) in cases {
            assert_eq!(duration(micros), text);
        }
    }
}
