//! The page: one HTML file with a whole run in it, what if it crashed or a
//! rule were broken, and a script that shows step i.
//!
//! Everything that the page says or shows is worked out here, from traces; its
//! script knows no rule of the algorithm. Nothing is loaded from anywhere. Which
//! runs there are, who ran them and what a verdict's sentences are is given.

mod asked;
mod chains;
mod diagrams;
mod html;
mod judged;
mod kind;
mod pack;
mod pictures;
mod scenes;
mod table;
mod touches;

pub use judged::Judged;

use serde_json::{Value as Json, json};

use crate::model::{CheckpointId, Language, SubtaskIndex};
use crate::narrate::Story;
use crate::questions::{self, Question, asked_about, of_a_restart};
use crate::trace::{Step, Trace};
use chains::Chains;
use scenes::Scenes;
use table::{Numbers, Table};

/// Makes room in a story's pictures for a run that leaves it after a step: all
/// runs of a page are laid out alike.
///
/// # Errors
/// When the steps cannot be told: with some rules broken, things happen that no
/// picture has a place for.
pub fn make_room(story: &mut Story, from: u64, steps: &[Step]) -> Result<(), String> {
    let (mut view, _) = story.at(from);
    // How full its queues get is left to the story's own run: a queue that is
    // fuller says how many more there are.
    let (mut extent, mut pending_max) = (story.extent.clone(), story.pending_max);
    for step in steps {
        view.apply_step(&story.scenario.graph, step)?;
        extent.observe(&view, step);
        let pending = view.checkpoints.iter().filter(|view| !view.completed).count();
        pending_max = pending_max.max(pending);
    }
    extent.fullest.clone_from(&story.extent.fullest);
    (story.extent, story.pending_max) = (extent, pending_max);
    Ok(())
}

/// How many of a run's first steps another run has, too.
#[must_use]
pub fn n_common(story: &Story, trace: &Trace) -> u64 {
    let both = story.trace.steps.iter().zip(&trace.steps);
    both.take_while(|(own, other)| own == other).count() as u64
}

/// A run that is shown beside the main one for what is different in it.
#[derive(Clone, Debug)]
pub struct Variant {
    /// For links: `rule-no-alignment`, `with-unaligned`.
    pub link: String,
    /// What it is, in English and in Chinese.
    pub title: [String; 2],
    /// What becomes of it, likewise.
    pub text: [String; 2],
    /// Whether a rule is broken in it; else only the settings differ.
    pub breaks_a_rule: bool,
    /// The crash in it, if there is one, by step and task.
    pub crash: Option<(u64, SubtaskIndex)>,
}

/// Puts a page together.
pub struct Page<'a> {
    story: &'a Story,
    scenes: Scenes<'a>,
    chains: Chains,
    verdicts: Table<String>,
    main: u32,
    crashes: Vec<[u32; 4]>,
    /// The crash that questions are asked about.
    asked: Option<(u64, SubtaskIndex)>,
    about_a_restart: Vec<Question>,
    variants: Vec<Json>,
    /// What is left out, in English and in Chinese.
    left_out: Vec<[String; 2]>,
}

impl<'a> Page<'a> {
    /// A page with the story's run.
    #[must_use]
    pub fn new(story: &'a Story) -> Self {
        let (mut scenes, mut chains) = (Scenes::new(story), Chains::new());
        let mut run = vec![(scenes.start(), 0)];
        run.extend(scenes.run(story.at(0), &story.trace.steps, &story.savepoints));
        let main = chains.chain(&run);
        Self {
            story,
            scenes,
            chains,
            verdicts: Table::new(),
            main,
            crashes: Vec::new(),
            asked: asked_about(story),
            about_a_restart: Vec::new(),
            variants: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds what becomes of the run when a task crashes after a step.
    pub fn crash(&mut self, (step, task): (u64, SubtaskIndex), trace: &Trace, judged: &Judged<'_>) {
        if self.asked == Some((step, task)) {
            let own = (trace, judged.verdict);
            self.about_a_restart = of_a_restart(self.story, (step, task), own);
        }
        let chain = self.rest(step, trace);
        let verdict = self.verdict(judged);
        let step = u32::try_from(step).expect("a page has fewer steps");
        self.crashes.push([step, task.0, chain, verdict]);
    }

    /// Adds a run that differs from the first one in a setting or a rule.
    pub fn variant(&mut self, variant: &Variant, trace: &Trace, judged: &Judged<'_>) {
        let from = n_common(self.story, trace);
        let chain = self.rest(from, trace);
        let verdict = self.verdict(judged);
        self.variants.push(json!({
            "link": variant.link,
            "title": variant.title,
            "text": variant.text,
            "rule": variant.breaks_a_rule,
            "crash": variant.crash.map(|(step, task)| [step, u64::from(task.0)]),
            "from": from,
            "chain": chain,
            "verdict": verdict,
        }));
    }

    /// Says that something is left out, and why.
    pub fn leave_out(&mut self, what: [String; 2]) {
        self.left_out.push(what);
    }

    fn rest(&mut self, from: u64, trace: &Trace) -> u32 {
        let rest = trace.steps.iter().skip_while(|step| step.number <= from).cloned();
        let rest: Vec<Step> = rest.collect();
        let savepoints: Vec<CheckpointId> = trace.savepoints();
        let scenes = self.scenes.run(self.story.at(from), &rest, &savepoints);
        self.chains.chain(&scenes)
    }

    fn verdict(&mut self, judged: &Judged<'_>) -> u32 {
        let json = judged::json(judged, &mut self.scenes);
        self.verdicts.number(json.to_string())
    }

    /// The page, in the language that is to be shown first. The verdict is that
    /// of the story's own run.
    #[must_use]
    pub fn finish(mut self, judged: &Judged<'_>, first: Language) -> String {
        let verdict = self.verdict(judged);
        let about_a_restart = std::mem::take(&mut self.about_a_restart);
        let questions = questions::of_a_run(self.story, judged.verdict, about_a_restart);
        let spacetime = diagrams::in_space_and_time(self.story, &mut self.scenes.pictures);
        let gantt = diagrams::of_checkpoints(self.story, &mut self.scenes.pictures);
        let mut crashes = Numbers::default();
        let mut before = [0_i64; 4];
        for crash in &self.crashes {
            for (now, before) in crash.iter().zip(&mut before) {
                crashes.push_signed(i64::from(*now) - *before);
                *before = i64::from(*now);
            }
        }
        let scenario = &self.story.scenario;
        let verdicts = self.verdicts.values().join(",");
        let mut json = self.scenes.json();
        json["version"] = json!(env!("CARGO_PKG_VERSION"));
        json["name"] = json!(scenario.name);
        json["title"] = json!(self.title());
        json["notes"] = json!([scenario.notes.en, scenario.notes.zh]);
        json["place"] = json!(self.scenes.place());
        json["tasks"] = self.tasks();
        json["splits"] = self.splits();
        json["moments"] = self.moments();
        json["chains"] = json!(self.chains.numbers().0);
        json["main"] = json!([self.main, verdict]);
        json["crashes"] = json!(crashes.0);
        json["variants"] = json!(self.variants);
        json["left_out"] = json!(self.left_out);
        json["spacetime"] = spacetime;
        json["gantt"] = json!(gantt);
        json["questions"] = asked::json(&questions);
        let texts = asked::texts(&scenario.name, &self.title(), &questions);
        json["questions_as_text"] = json!(texts);
        let mut text = json.to_string();
        text.pop();
        text.push_str(&format!(",\"verdicts\":[{verdicts}]}}"));
        html::page(&text, &self.title(), first)
    }

    fn title(&self) -> [String; 2] {
        let scenario = &self.story.scenario;
        [&scenario.title.en, &scenario.title.zh].map(|own| match own.is_empty() {
            true => scenario.name.clone(),
            false => own.clone(),
        })
    }

    /// Of each task its part of links, and its names.
    fn tasks(&self) -> Json {
        let graph = &self.story.scenario.graph;
        let task = |task: SubtaskIndex| {
            let label = &graph.spec(task).label;
            let link = graph.subtasks[task.index()].name.replace('[', "-").replace(']', "");
            json!([link, label.en, label.zh])
        };
        graph.subtask_indices().map(task).collect()
    }

    /// Of each split its names and its family of colour and shape.
    fn splits(&self) -> Json {
        let graph = &self.story.scenario.graph;
        let families = crate::render::split_families(graph);
        let split = |(place, family): (usize, u32)| {
            let label = &graph.split(crate::model::SplitIndex::at(place)).label;
            json!([label.en, label.zh, family])
        };
        families.into_iter().enumerate().map(split).collect()
    }

    fn moments(&self) -> Json {
        let story = self.story;
        let moment = |(place, span): (usize, &crate::trace::MomentSpan)| {
            let own = &story.scenario.moments[span.moment];
            json!({
                "name": own.name,
                "number": story.moment_number(place),
                "title": [own.title.en, own.title.zh],
                "note": [own.note.en, own.note.zh],
                "first": span.first,
                "last": span.last,
            })
        };
        story.spans.iter().enumerate().map(moment).collect()
    }
}
