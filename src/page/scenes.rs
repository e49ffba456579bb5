//! Scenes: what a page shows of one step. Two steps that look alike, of
//! whatever run, are the same scene.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use serde_json::{Value as Json, json};
use xxhash_rust::xxh3::Xxh3;

use super::kind::kind;
use super::pictures::Pictures;
use super::table::{Numbers, Table};
use super::touches::touches;
use crate::model::{CheckpointId, Language, OperatorIndex, Scenario, Time};
use crate::narrate::{Memory, Scene, Story, tell};
use crate::render::{Frames, Shows};
use crate::trace::{Step, View};

/// A column of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Read,
    Counted(OperatorIndex),
    Published(OperatorIndex),
}

/// A record passes a column: both by number, and what it says there.
pub(super) type Touch = [u32; 3];

/// What is shown of one step, by numbers of tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    frame: u32,
    /// The same for a phone.
    tall: u32,
    changed: u32,
    why: u32,
    /// + 1; 0: none.
    rule: u32,
    kind: u32,
    touches: Vec<Touch>,
}

/// Turns steps into scenes.
pub(super) struct Scenes<'a> {
    story: &'a Story,
    frames: [Frames<'a>; 2],
    tall: [Frames<'a>; 2],
    pub(super) pictures: Pictures,
    texts: Table<[String; 2]>,
    rules: Table<String>,
    /// Splits and offsets.
    records: Table<(u32, u32)>,
    columns: Table<Column>,
    values: Table<String>,
    rows: Table<Row>,
    /// By fingerprint of all that a scene is made from.
    known: BTreeMap<u128, u32>,
    /// The newest frame, and the newest tall one.
    newest: [u32; 2],
}

impl<'a> Scenes<'a> {
    pub(super) fn new(story: &'a Story) -> Self {
        let frames = [Language::En, Language::Zh]
            .map(|language| Frames::new(story, language, Shows::default()));
        Self {
            story,
            frames,
            tall: [Language::En, Language::Zh].map(|language| Frames::tall(story, language)),
            pictures: Pictures::new(),
            texts: Table::new(),
            rules: Table::new(),
            records: Table::new(),
            columns: Table::new(),
            values: Table::new(),
            rows: Table::new(),
            known: BTreeMap::new(),
            newest: [0, 0],
        }
    }

    fn scenario(&self) -> &'a Scenario {
        &self.story.scenario
    }

    /// The scene before anything has happened.
    pub(super) fn start(&mut self) -> u32 {
        let (view, memory) = self.story.at(0);
        self.scene(&[], (&view, &view), (&memory, &[]))
    }

    /// The scenes of steps that follow a view, each with the microseconds since
    /// the step before it.
    ///
    /// # Panics
    /// When the steps do not follow it.
    pub(super) fn run(
        &mut self,
        (mut view, mut memory): (View, Memory),
        steps: &[Step],
        savepoints: &[CheckpointId],
    ) -> Vec<(u32, u64)> {
        let graph = &self.scenario().graph;
        let mut scenes = Vec::with_capacity(steps.len());
        for step in steps {
            let mut after = view.clone();
            after.apply_step(graph, step).expect("the steps follow the view");
            let own = std::slice::from_ref(step);
            let scene = self.scene(own, (&view, &after), (&memory, savepoints));
            scenes.push((scene, step.at.0 - view.at.0));
            memory.apply(graph, &view, step);
            view = after;
        }
        scenes
    }

    fn scene(
        &mut self,
        steps: &[Step],
        (before, after): (&View, &View),
        (memory, savepoints): (&Memory, &[CheckpointId]),
    ) -> u32 {
        let print = fingerprint(steps, (before, after), (memory, savepoints));
        if let Some(number) = self.known.get(&print) {
            return *number;
        }
        let scene = Scene {
            scenario: self.scenario(),
            before: before.clone(),
            steps,
            after: after.clone(),
            memory: memory.clone(),
            savepoints,
            moment: None,
        };
        let [frame, tall] = [&self.frames, &self.tall]
            .map(|shape| shape.each_ref().map(|frames| frames.job_alone(&scene)));
        let frame = self.pictures.frame(frame.each_ref(), self.newest[0]);
        let tall = self.pictures.frame(tall.each_ref(), self.newest[1]);
        self.newest = [frame, tall];
        let [en, zh] = [Language::En, Language::Zh].map(|language| tell(&scene, language));
        let rule = en.rule.map_or(0, |rule| self.rules.number(rule.name().to_owned()) + 1);
        let facts = steps.iter().flat_map(|step| &step.facts);
        let touches = touches(self.scenario(), before, facts);
        let touches = touches.into_iter().map(|(column, id, value)| {
            let record = self.records.number((id.split.0, id.offset));
            [self.columns.number(column), record, self.values.number(value)]
        });
        let touches = touches.collect();
        let row = Row {
            frame,
            tall,
            changed: self.texts.number([plain(&en.changed), plain(&zh.changed)]),
            why: self.texts.number([plain(&en.why), plain(&zh.why)]),
            rule,
            kind: kind(steps.iter().flat_map(|step| &step.facts)) as u32,
            touches,
        };
        let number = self.rows.number(row);
        self.known.insert(print, number);
        number
    }

    /// The number of a record.
    pub(super) fn record(&mut self, split: u32, offset: u32) -> u32 {
        self.records.number((split, offset))
    }

    /// The number of a column.
    pub(super) fn column(&mut self, column: Column) -> u32 {
        self.columns.number(column)
    }

    /// Every scene, one after the other.
    fn rows(&self) -> Numbers {
        let mut numbers = Numbers::default();
        let mut before = [0_i64; 4];
        for row in self.rows.values() {
            let now = [row.frame, row.tall, row.changed, row.why].map(i64::from);
            for (now, before) in now.iter().zip(&mut before) {
                numbers.push_signed(now - *before);
                *before = *now;
            }
            numbers.push(u64::from(row.rule));
            numbers.push(u64::from(row.kind));
            numbers.push(row.touches.len() as u64);
            row.touches.iter().flatten().for_each(|number| numbers.push(u64::from(*number)));
        }
        numbers
    }

    /// All tables.
    pub(super) fn json(&self) -> Json {
        let graph = &self.scenario().graph;
        let seed = match self.story.trace.driver {
            crate::trace::Driver::Seed(seed) => seed,
            crate::trace::Driver::Schedule(_) => 0,
        };
        let record = |(split, offset): &(u32, u32)| {
            let own = graph.split(crate::model::SplitIndex(*split));
            let value = offset.checked_sub(1).and_then(|read| own.values.next(read, *split, seed));
            let value = value.map_or_else(|| format!("{offset}?"), |value| value.to_string());
            json!([split, offset, value])
        };
        let column = |column: &Column| match column {
            Column::Read => json!(["read", "", ""]),
            Column::Counted(operator) | Column::Published(operator) => {
                let label = &graph.job.operators[operator.index()].label;
                let kind =
                    if matches!(column, Column::Counted(_)) { "counted" } else { "published" };
                json!([kind, label.en, label.zh])
            }
        };
        json!({
            "elements": self.pictures.elements(),
            "pairs": self.pictures.pairs().0,
            "parts": self.pictures.parts().0,
            "frames": self.pictures.frames().0,
            "texts": self.texts.values(),
            "rules": self.rules.values(),
            "records": self.records.values().iter().map(record).collect::<Vec<_>>(),
            "columns": self.columns.values().iter().map(column).collect::<Vec<_>>(),
            "values": self.values.values(),
            "scenes": self.rows().0,
        })
    }

    /// What the frames fill of their canvas, and what the tall ones do.
    pub(super) fn places(&self) -> [[f64; 4]; 2] {
        [&self.frames, &self.tall].map(|shape| {
            let place = shape[0].job_place();
            [place.x, place.y, place.width, place.height]
        })
    }
}

/// Without the signs that hold words together: a browser breaks lines itself.
fn plain(text: &str) -> String {
    text.replace('\u{2060}', "").replace('\u{2011}', "-")
}

/// A number for all that a scene is made from. What time it is and how many
/// steps there were is no part of it; how old a pending checkpoint is, is.
fn fingerprint(
    steps: &[Step],
    (before, after): (&View, &View),
    (memory, savepoints): (&Memory, &[CheckpointId]),
) -> u128 {
    let mut hasher = Xxh3::new();
    let is_start = steps.is_empty();
    for view in [before, after] {
        let mut view = view.clone();
        for own in &mut view.checkpoints {
            let age = if own.completed { 0 } else { view.at.0 - own.triggered_at.0 };
            own.triggered_at = Time(age);
        }
        (view.step, view.at) = (0, Time::ZERO);
        view.hash(&mut hasher);
    }
    for step in steps {
        step.facts.hash(&mut hasher);
    }
    (memory, savepoints, is_start).hash(&mut hasher);
    hasher.write_u8(0);
    hasher.digest128()
}
