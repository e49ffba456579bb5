//! A run that can be told from any step: the trace, with views kept every so
//! many steps, so that stepping back is as cheap as stepping on.
//!
//! Of a run that is too long to be held only some steps are kept; the others
//! are read through, so that what is said of the whole run is true.

use super::extent::Extent;
use super::memory::Memory;
use super::names::Names;
use crate::model::{ChannelIndex, CheckpointId, Language, Scenario};
use crate::trace::{Driver, Fact, Milestones, MomentSpan, Step, Trace, View};

/// How far one "next" goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grain {
    /// One step.
    #[default]
    Steps,
    /// One moment of the scenario's story.
    Moments,
}

/// One thing to show: the view after it, the view before it, and the steps
/// between.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Before the first of the steps.
    pub before: View,
    /// One step; all of a moment's; none at the start.
    pub steps: &'a [Step],
    /// After the last of the steps.
    pub after: View,
    /// What the teller remembers from before the first of the steps.
    pub memory: Memory,
    /// What of the run are savepoints.
    pub savepoints: &'a [CheckpointId],
    /// The moment, by position in the scenario's list, if it is told as one.
    pub moment: Option<usize>,
}

impl<'a> Scene<'a> {
    /// The names in it.
    #[must_use]
    pub fn names(&self, language: Language) -> Names<'a> {
        Names::new(self.scenario, language).with_savepoints(self.savepoints)
    }

    /// Whether a channel, with the tasks at its ends, belongs to an attempt that
    /// begins here.
    pub(super) fn begins_anew(&self, channel: ChannelIndex) -> bool {
        let receiver = self.scenario.graph.channels[channel.index()].to.index();
        self.before.tasks[receiver].attempt != self.after.tasks[receiver].attempt
    }
}

/// A run that can be told from any step.
#[derive(Clone, Debug)]
pub struct Story {
    /// The scenario.
    pub scenario: Scenario,
    /// The steps that are kept, and what decided their order.
    pub trace: Trace,
    /// How many steps before them are not.
    pub base: u64,
    /// What the whole run needs in the way of room.
    pub extent: Extent,
    /// Where the moments are.
    pub spans: Vec<MomentSpan>,
    /// What of the run are savepoints.
    pub savepoints: Vec<CheckpointId>,
    /// The most checkpoints that are pending at the same time.
    pub pending_max: usize,
    /// Where the trace stops making sense, if it does; only the steps before
    /// are told.
    pub damage: Option<String>,
    /// By split: the highest offset that was read before the kept steps.
    pub read_before: Vec<u32>,
    n_steps: u64,
    keyframes: Vec<(View, Memory)>,
}

/// Which steps of a run are kept; both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first that is told.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl Window {
    /// Every step.
    pub const WHOLE: Self = Self { first: 0, last: u64::MAX };
    /// So many steps before the first are kept as well: for what has begun
    /// before it.
    const BEFORE: u64 = 4096;

    /// The last step of which nothing but the view is kept.
    fn base(self) -> u64 {
        self.first.saturating_sub(Self::BEFORE)
    }
}

impl Story {
    /// Steps between two kept views.
    const KEYFRAME_EVERY: usize = 64;

    /// Reads a run through once. A damaged trace is told up to the damage.
    #[must_use]
    pub fn new(scenario: Scenario, trace: Trace) -> Self {
        let mut reader = StoryReader::new(&scenario, Window::WHOLE);
        for step in trace.steps {
            reader.read(&scenario, step);
        }
        reader.finish(scenario, trace.driver, trace.complete)
    }

    /// The names in it.
    #[must_use]
    pub fn names(&self, language: Language) -> Names<'_> {
        Names::new(&self.scenario, language).with_savepoints(&self.savepoints)
    }

    /// The number of the last step.
    #[must_use]
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// A step that is kept.
    ///
    /// # Panics
    /// When it is not.
    #[must_use]
    pub fn kept(&self, step: u64) -> &Step {
        &self.trace.steps[self.place(step) - 1]
    }

    /// How many of the kept steps are at or before a step.
    fn place(&self, step: u64) -> usize {
        let place = step.checked_sub(self.base).expect("the step is not before what is kept");
        usize::try_from(place).expect("a step in memory has an index")
    }

    /// The view after a step, and what is remembered then.
    ///
    /// # Panics
    /// When the step is past the last one.
    #[must_use]
    pub fn at(&self, step: u64) -> (View, Memory) {
        let step = self.place(step);
        let place = step / Self::KEYFRAME_EVERY;
        let (mut view, mut memory) = self.keyframes[place].clone();
        for step in &self.trace.steps[place * Self::KEYFRAME_EVERY..step] {
            memory.apply(&self.scenario.graph, &view, step);
            view.apply_step(&self.scenario.graph, step).expect("it was read through once");
        }
        (view, memory)
    }

    /// The scene of one step; step 0 is the start.
    ///
    /// # Panics
    /// When the step is past the last one.
    #[must_use]
    pub fn step(&self, step: u64) -> Scene<'_> {
        match step {
            0 => self.between(0, 0),
            _ => self.between(step - 1, step),
        }
    }

    /// The scene of a moment: everything since the moment before it, as it is
    /// at the moment's end.
    ///
    /// # Panics
    /// When the run has no such moment.
    #[must_use]
    pub fn moment(&self, span: usize) -> Scene<'_> {
        let MomentSpan { moment, first, last } = self.spans[span];
        Scene { moment: Some(moment), ..self.between(first.saturating_sub(1), last) }
    }

    /// The moment that a step belongs to, by position in [`Story::spans`]; for
    /// a step between two moments, none.
    #[must_use]
    pub fn span_of(&self, step: u64) -> Option<usize> {
        self.spans.iter().position(|span| span.first <= step && step <= span.last)
    }

    /// The last moment that ends at or before a step, or the first of all:
    /// what a step shows in the grain of moments.
    #[must_use]
    pub fn span_near(&self, step: u64) -> Option<usize> {
        let begun = self.spans.iter().rposition(|span| span.first <= step);
        begun.or(if self.spans.is_empty() { None } else { Some(0) })
    }

    /// The number that people give to a moment of [`Story::spans`]: from 0 if
    /// the story begins before anything happens, else from 1.
    #[must_use]
    pub fn moment_number(&self, span: usize) -> usize {
        let from_start = self.spans.first().is_some_and(|first| first.first == 0);
        span + usize::from(!from_start)
    }

    /// Whether a step holds a fact that some test accepts.
    pub fn any(&self, step: u64, test: impl Fn(&Fact) -> bool) -> bool {
        step > 0 && self.kept(step).facts.iter().any(test)
    }

    fn between(&self, from: u64, to: u64) -> Scene<'_> {
        let (before, memory) = self.at(from);
        let (after, _) = self.at(to);
        let steps = &self.trace.steps[self.place(from)..self.place(to)];
        let (scenario, savepoints) = (&self.scenario, &*self.savepoints);
        Scene { scenario, before, steps, after, memory, savepoints, moment: None }
    }
}

/// Reads a run step by step, and keeps a part of it.
#[derive(Clone, Debug)]
pub struct StoryReader {
    window: Window,
    view: View,
    memory: Memory,
    extent: Extent,
    milestones: Milestones,
    savepoints: Vec<CheckpointId>,
    steps: Vec<Step>,
    keyframes: Vec<(View, Memory)>,
    pending_max: usize,
    damage: Option<String>,
    read_before: Vec<u32>,
    n_steps: u64,
}

impl StoryReader {
    /// Nothing has been read yet.
    #[must_use]
    pub fn new(scenario: &Scenario, window: Window) -> Self {
        let (view, memory) = (View::start(&scenario.graph), Memory::default());
        let keyframes = match window.base() {
            0 => vec![(view.clone(), memory.clone())],
            _ => Vec::new(),
        };
        Self {
            window,
            view,
            memory,
            extent: Extent::new(&scenario.graph),
            milestones: Milestones::new(scenario),
            savepoints: Vec::new(),
            steps: Vec::new(),
            keyframes,
            pending_max: 0,
            damage: None,
            read_before: vec![0; scenario.graph.splits.len()],
            n_steps: 0,
        }
    }

    /// Reads the next step. Behind a damage nothing is read any more.
    pub fn read(&mut self, scenario: &Scenario, step: Step) {
        if self.damage.is_some() {
            return;
        }
        self.memory.apply(&scenario.graph, &self.view, &step);
        if let Err(what) = self.view.apply_step(&scenario.graph, &step) {
            self.damage = Some(what);
            return;
        }
        self.n_steps += 1;
        self.extent.observe(&self.view, &step);
        self.milestones.observe(scenario, &step);
        for fact in &step.facts {
            match fact {
                Fact::CheckpointTriggered { checkpoint, snapshot, .. }
                | Fact::SavepointRestored { checkpoint, snapshot, .. }
                    if snapshot.is_savepoint() =>
                {
                    self.savepoints.push(*checkpoint);
                }
                Fact::Read { record, .. } if self.n_steps <= self.window.base() => {
                    let highest = &mut self.read_before[record.id.split.index()];
                    *highest = record.id.offset.max(*highest);
                }
                _ => {}
            }
        }
        let pending = self.view.checkpoints.iter().filter(|view| !view.completed).count();
        self.pending_max = self.pending_max.max(pending);
        self.keep(step);
    }

    fn keep(&mut self, step: Step) {
        let base = self.window.base();
        if self.n_steps > base && self.n_steps <= self.window.last {
            self.steps.push(step);
        }
        let is_kept = self.n_steps >= base && self.n_steps <= self.window.last;
        if is_kept && (self.n_steps - base).is_multiple_of(Story::KEYFRAME_EVERY as u64) {
            self.keyframes.push((self.view.clone(), self.memory.clone()));
        }
    }

    /// Steps so far.
    #[must_use]
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// The run is read to its end. If it was shorter than the window, nothing
    /// of it is kept but its end.
    #[must_use]
    pub fn finish(self, scenario: Scenario, driver: Driver, complete: bool) -> Story {
        let spans = self.milestones.spans(&scenario);
        let mut keyframes = self.keyframes;
        let mut base = self.window.base();
        if keyframes.is_empty() {
            base = self.n_steps;
            keyframes.push((self.view, self.memory));
        }
        Story {
            trace: Trace { driver, steps: self.steps, complete },
            base,
            extent: self.extent,
            spans,
            savepoints: self.savepoints,
            pending_max: self.pending_max,
            damage: self.damage,
            read_before: self.read_before,
            n_steps: self.n_steps,
            keyframes,
            scenario,
        }
    }
}
