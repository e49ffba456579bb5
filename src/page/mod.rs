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

use crate::model::{CheckpointId, Language, OperatorKind, Scenario, SinkKind, SubtaskIndex};
use crate::narrate::Story;
use crate::questions::{self, Question, asked_about, of_a_restart};
use crate::trace::{Step, Trace};
use crate::verify::Verdict;
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

/// A verdict that a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerdictNumber(u32);

/// What is said of a run, and of the same run with sinks of the other kind.
#[derive(Clone, Copy, Debug)]
pub struct Verdicts {
    /// Of the run itself.
    pub own: VerdictNumber,
    /// With the other sinks; none where that is no run of this job.
    pub other_sinks: Option<VerdictNumber>,
}

impl Verdicts {
    /// As the page holds both; the second one from 1.
    fn numbers(self) -> [u32; 2] {
        [self.own.0, self.other_sinks.map_or(0, |own| own.0 + 1)]
    }
}

/// Puts a page together.
pub struct Page<'a> {
    story: &'a Story,
    scenes: Scenes<'a>,
    chains: Chains,
    verdicts: Table<String>,
    main: u32,
    crashes: Vec<[u32; 5]>,
    /// The crash that questions are asked about.
    asked: Option<(u64, SubtaskIndex)>,
    about_a_restart: Vec<Question>,
    variants: Vec<Json>,
    /// By link: the diagrams of the runs that have their own.
    diagrams: Vec<(String, Json)>,
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
            diagrams: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds what becomes of the run when a task crashes after a step. If that is
    /// where a moment ends, the run has its own diagrams.
    pub fn crash(
        &mut self,
        (step, task): (u64, SubtaskIndex),
        (trace, verdict): (&Trace, &Verdict),
        said: Verdicts,
    ) {
        if self.story.spans.iter().any(|span| span.last == step) {
            let own = Story::new(self.story.scenario.clone(), trace.clone());
            let link = format!("crash-at-{step}-{}", self.link(task));
            self.draw_diagrams(link, own, step);
        }
        if self.asked == Some((step, task)) {
            let own = (trace, verdict);
            self.about_a_restart = of_a_restart(self.story, (step, task), own);
        }
        let chain = self.rest(step, trace);
        let [own, other] = said.numbers();
        let step = u32::try_from(step).expect("a page has fewer steps");
        self.crashes.push([step, task.0, chain, own, other]);
    }

    /// Adds a run that differs from the first one in a setting or a rule, with
    /// its own diagrams.
    pub fn variant(
        &mut self,
        variant: &Variant,
        (scenario, trace): (&Scenario, &Trace),
        said: Verdicts,
    ) {
        let own = Story::new(scenario.clone(), trace.clone());
        let from = n_common(self.story, trace);
        self.draw_diagrams(variant.link.clone(), own, from);
        let chain = self.rest(from, trace);
        let [verdict, other] = said.numbers();
        self.variants.push(json!({
            "link": variant.link,
            "title": variant.title,
            "text": variant.text,
            "rule": variant.breaks_a_rule,
            "crash": variant.crash.map(|(step, task)| [step, u64::from(task.0)]),
            "from": from,
            "chain": chain,
            "verdict": verdict,
            "other": other,
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

    /// Draws the diagrams of a run that leaves the page's own after a step; that
    /// one is the one without a link. Of its moments it has those before.
    fn draw_diagrams(&mut self, link: String, mut story: Story, from: u64) {
        story.spans.retain(|span| span.last <= from);
        let drawn = diagrams::of(&story, &mut self.scenes.pictures);
        self.diagrams.push((link, drawn));
    }

    /// Takes down what is said of a run.
    pub fn judge(&mut self, judged: &Judged<'_>) -> VerdictNumber {
        let json = judged::json(judged, &mut self.scenes);
        VerdictNumber(self.verdicts.number(json.to_string()))
    }

    /// The page, in the language that is to be shown first. The verdicts are those
    /// of the story's own run.
    #[must_use]
    pub fn finish(mut self, (own, said): (&Verdict, Verdicts), first: Language) -> String {
        let [verdict, other] = said.numbers();
        let about_a_restart = std::mem::take(&mut self.about_a_restart);
        let questions = questions::of_a_run(self.story, own, about_a_restart);
        self.draw_diagrams(String::new(), self.story.clone(), u64::MAX);
        let mut crashes = Numbers::default();
        let mut before = [0_i64; 5];
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
        json["places"] = json!(self.scenes.places());
        json["tasks"] = self.tasks();
        json["splits"] = self.splits();
        json["moments"] = self.moments();
        json["chains"] = json!(self.chains.numbers().0);
        json["main"] = json!([self.main, verdict, other]);
        json["transactional"] = json!(self.are_sinks_transactional());
        json["crashes"] = json!(crashes.0);
        json["variants"] = json!(self.variants);
        json["left_out"] = json!(self.left_out);
        json["diagrams"] = std::mem::take(&mut self.diagrams).into_iter().collect();
        json["axis"] = json!(diagrams::axis());
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

    /// What kind of sinks the job has, as far as the page lets the reader choose
    /// another one.
    fn are_sinks_transactional(&self) -> bool {
        let operators = &self.story.scenario.graph.job.operators;
        let transactional = OperatorKind::Sink(SinkKind::Transactional);
        operators.iter().any(|own| own.kind == transactional)
    }

    /// A task's part of links.
    fn link(&self, task: SubtaskIndex) -> String {
        let graph = &self.story.scenario.graph;
        graph.subtasks[task.index()].name.replace('[', "-").replace(']', "")
    }

    /// Of each task its part of links, and its names.
    fn tasks(&self) -> Json {
        let graph = &self.story.scenario.graph;
        let task = |task: SubtaskIndex| {
            let label = &graph.spec(task).label;
            json!([self.link(task), label.en, label.zh])
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
