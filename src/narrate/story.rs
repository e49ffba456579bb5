//! A run that can be told from any step: the trace, with views kept every so
//! many steps, so that stepping back is as cheap as stepping on.

use super::memory::Memory;
use super::names::Names;
use crate::model::{ChannelIndex, CheckpointId, Language, Scenario};
use crate::trace::{Fact, MomentSpan, Step, Trace, View, moment_spans};

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
    /// The steps, and what decided their order.
    pub trace: Trace,
    /// Where the moments are.
    pub spans: Vec<MomentSpan>,
    /// What of the run are savepoints.
    pub savepoints: Vec<CheckpointId>,
    /// The most checkpoints that are pending at the same time.
    pub pending_max: usize,
    /// Where the trace stops making sense, if it does; only the steps before
    /// are told.
    pub damage: Option<String>,
    keyframes: Vec<(View, Memory)>,
}

impl Story {
    /// Steps between two kept views.
    const KEYFRAME_EVERY: usize = 64;

    /// Reads a run through once. A damaged trace is told up to the damage.
    #[must_use]
    pub fn new(scenario: Scenario, mut trace: Trace) -> Self {
        let mut view = View::start(&scenario.graph);
        let mut memory = Memory::default();
        let mut keyframes = vec![(view.clone(), memory.clone())];
        let (mut damage, mut pending_max) = (None, 0);
        let mut good = 0;
        for step in &trace.steps {
            memory.apply(&scenario.graph, &view, step);
            if let Err(what) = view.apply_step(&scenario.graph, step) {
                damage = Some(what);
                break;
            }
            good += 1;
            if good % Self::KEYFRAME_EVERY == 0 {
                keyframes.push((view.clone(), memory.clone()));
            }
            let pending = view.checkpoints.iter().filter(|view| !view.completed).count();
            pending_max = pending_max.max(pending);
        }
        trace.steps.truncate(good);
        let spans = moment_spans(&scenario, &trace.steps);
        let savepoints = trace.savepoints();
        Self { scenario, trace, spans, savepoints, pending_max, damage, keyframes }
    }

    /// The names in it.
    #[must_use]
    pub fn names(&self, language: Language) -> Names<'_> {
        Names::new(&self.scenario, language).with_savepoints(&self.savepoints)
    }

    /// The number of the last step.
    #[must_use]
    pub fn n_steps(&self) -> u64 {
        self.trace.steps.len() as u64
    }

    /// The view after a step, and what is remembered then.
    ///
    /// # Panics
    /// When the step is past the last one.
    #[must_use]
    pub fn at(&self, step: u64) -> (View, Memory) {
        let step = usize::try_from(step).expect("a step in memory has an index");
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
        step > 0 && self.trace.steps[step as usize - 1].facts.iter().any(test)
    }

    fn between(&self, from: u64, to: u64) -> Scene<'_> {
        let (before, memory) = self.at(from);
        let (after, _) = self.at(to);
        let steps = &self.trace.steps[from as usize..to as usize];
        let (scenario, savepoints) = (&self.scenario, &*self.savepoints);
        Scene { scenario, before, steps, after, memory, savepoints, moment: None }
    }
}
