//! What the judge says in the end.

use std::fmt;

use super::conduct::{ConductJudgement, Property};
use super::finding::{Finding, Flaw};
use super::limit::Limit;
use super::miscount::{Judgement, names};
use super::rows::Ledger;
use crate::model::{Attempt, CheckpointId, CheckpointingMode};

/// The answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It is so.
    Holds,
    /// The trace does not say enough; [`Verdict::cannot_tell`] says why.
    CannotTell,
    /// It is not so.
    Violated,
}

/// What the judge says of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the cuts of all completed checkpoints are consistent, and
    /// restarts put back what was in flight.
    pub cut: CutJudgement,
    /// Whether the state is exactly-once: in the surviving history every
    /// record that was read counts once.
    pub state: Judgement,
    /// Whether the output is exactly-once: of all that was ever published,
    /// every result is there once.
    pub output: Judgement,
    /// Whether tasks, channels and the JobManager behave as they must.
    pub conduct: ConductJudgement,
    /// What the job promises.
    pub mode: CheckpointingMode,
    /// Whether the job kept what it promises. Exactly-once: cuts, state, and an
    /// output that is exactly-once where sinks are transactional or
    /// idempotent, and at-least-once where they publish at once. At-least-once:
    /// nothing is lost; a cut may have orphans, and what they are or cause may
    /// be there twice.
    pub promise: Outcome,
    /// How often each record was read, counted and published.
    pub ledger: Ledger,
    /// Why something could not be decided.
    pub cannot_tell: Vec<CannotTell>,
    /// Every restart of the job.
    pub restores: Vec<Restore>,
    /// What has happened that Flink itself does not promise better.
    pub limits: Vec<Limit>,
}

/// A restart of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restore {
    /// When.
    pub step: u64,
    /// The attempt that began.
    pub attempt: Attempt,
    /// What it began from; none: the beginning.
    pub checkpoint: Option<CheckpointId>,
}

/// Whether the cuts of all completed checkpoints are consistent, and restarts
/// put back what was in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutJudgement {
    /// Completed checkpoints.
    pub n_checkpoints: u64,
    /// Cuts of single channels that were compared.
    pub n_cuts: u64,
    /// How many of them are wrong.
    pub n_wrong_cuts: u64,
    /// What is wrong, checkpoint by checkpoint; at most
    /// [`CutJudgement::LISTED_MAX`].
    pub findings: Vec<Finding>,
    /// All that is wrong, listed or not.
    pub n_findings: u64,
    /// How much of it is orphans on channels, which the at-least-once mode
    /// allows.
    pub n_orphans: u64,
}

/// Why something cannot be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotTell {
    /// The trace was cut: its end is missing.
    TraceCut,
    /// The job had not finished where the trace ends, and this many records or
    /// results were on their way.
    InFlight {
        /// Records not counted yet.
        n_records: u64,
        /// Results not published yet, or to be published again.
        n_results: u64,
    },
    /// The output was not judged further, since the state is wrong.
    StateIsWrong,
    /// The trace contradicts itself or the scenario.
    Contradiction {
        /// Where.
        step: u64,
        /// How.
        what: String,
    },
}

impl CutJudgement {
    /// How many findings are listed.
    pub const LISTED_MAX: usize = 1000;

    /// Whether all cuts are consistent.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.n_findings == 0 { Outcome::Holds } else { Outcome::Violated }
    }

    /// Counts a finding, and puts it together if it will be listed.
    pub(super) fn push(&mut self, finding: impl FnOnce() -> Finding) {
        self.n_findings += 1;
        if self.findings.len() < Self::LISTED_MAX {
            self.findings.push(finding());
        }
    }
}

/// What is known of one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyJudgement {
    /// Which.
    pub property: Property,
    /// Whether it holds.
    pub outcome: Outcome,
    /// Whether the job does not promise it, so that nobody is wronged.
    pub promised: Promised,
    /// How often it is broken.
    pub n: u64,
    /// The first step at which it is broken.
    pub first_step: Option<u64>,
}

/// Whether a job promises a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Promised {
    /// It does.
    Yes,
    /// It does not: its mode, or the kind of its sinks, allows it to be broken.
    No,
}

impl Verdict {
    /// What is known of every property, in the order of [`Property::ALL`].
    #[must_use]
    pub fn properties(&self) -> Vec<PropertyJudgement> {
        Property::ALL.into_iter().map(|property| self.property(property)).collect()
    }

    /// The answer to the whole: did the job keep what it promises, and did all
    /// behave as they must?
    #[must_use]
    pub fn answer(&self) -> Outcome {
        let is_broken = |own: &PropertyJudgement| {
            own.outcome == Outcome::Violated && own.promised == Promised::Yes
        };
        match self.properties().iter().any(is_broken) {
            true => Outcome::Violated,
            // Where the state may be wrong, nothing is owed of the output.
            false if self.cannot_tell.iter().all(|own| *own == CannotTell::StateIsWrong) => {
                self.promise
            }
            false => self.promise.max(Outcome::CannotTell),
        }
    }

    /// What is known of a property.
    #[must_use]
    pub fn property(&self, property: Property) -> PropertyJudgement {
        let findings = |wanted: fn(&Finding) -> bool| {
            let own = self.cut.findings.iter().filter(|finding| wanted(finding));
            let steps: Vec<u64> = own.map(Finding::first_wrong_step).collect();
            (steps.len() as u64, steps.into_iter().min())
        };
        let (n, first_step) = match property {
            Property::ConsistentCut => findings(|own| matches!(own, Finding::Channel(_))),
            Property::SourcePosition => findings(|own| matches!(own, Finding::Source(_))),
            Property::Completeness => findings(|own| matches!(own, Finding::NotStored { .. })),
            Property::RestoreEquality => findings(|own| matches!(own, Finding::Restore(_))),
            Property::ExactlyOnceState => self.state.first_wrong(),
            Property::ExactlyOnceOutput => self.output.first_wrong(),
            _ => (0, None),
        };
        let steps = [first_step, self.conduct.first_step(property)];
        let first_step = steps.into_iter().flatten().min();
        let n = n + self.conduct.n(property);
        let open = match property {
            Property::ExactlyOnceState => self.state.outcome,
            Property::ExactlyOnceOutput => self.output.outcome,
            Property::Liveness if self.cannot_tell.contains(&CannotTell::TraceCut) => {
                Outcome::CannotTell
            }
            _ => Outcome::Holds,
        };
        let outcome = if n > 0 { Outcome::Violated } else { open };
        let promised = if self.promises(property) { Promised::Yes } else { Promised::No };
        PropertyJudgement { property, outcome, promised, n, first_step }
    }

    fn promises(&self, property: Property) -> bool {
        let kept = self.promise != Outcome::Violated;
        let is_orphan = |finding: &Finding| match finding {
            Finding::Channel(finding) => finding.flaw == Flaw::Orphan,
            _ => true,
        };
        match (property, self.mode) {
            (Property::ExactlyOnceState, CheckpointingMode::AtLeastOnce)
            | (Property::ExactlyOnceOutput, _) => !kept,
            (Property::ConsistentCut, CheckpointingMode::AtLeastOnce) => {
                !self.cut.findings.iter().all(is_orphan)
            }
            _ => true,
        }
    }

    /// The worst of the three answers.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.cut.outcome().max(self.state.outcome).max(self.output.outcome)
    }
}

/// Some lines for people: what holds, and what does not.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cut, state, output, .. } = self;
        write!(f, "cut     {}: ", cut.outcome())?;
        match cut.n_findings {
            0 => writeln!(f, "{} channel cuts agree", cut.n_cuts)?,
            n => writeln!(f, "{n} findings in {} channel cuts", cut.n_cuts)?,
        }
        const SHOWN_MAX: usize = 10;
        for finding in cut.findings.iter().take(SHOWN_MAX) {
            writeln!(f, "  {finding}")?;
        }
        if cut.n_findings > SHOWN_MAX as u64 {
            writeln!(f, "  and {} more", cut.n_findings - SHOWN_MAX as u64)?;
        }
        write!(f, "state   {}: ", state.outcome)?;
        writeln!(f, "{} of {} records count once", state.n_once, state.n)?;
        lists(f, state, "counted")?;
        write!(f, "output  {}: ", output.outcome)?;
        writeln!(f, "{} of {} results published once", output.n_once, output.n)?;
        lists(f, output, "published")?;
        if self.mode == CheckpointingMode::AtLeastOnce {
            writeln!(f, "promise {}: at least once, nothing is lost", self.promise)?;
        }
        self.cannot_tell.iter().try_for_each(|reason| writeln!(f, "cannot tell: {reason}"))
    }
}

fn lists(f: &mut fmt::Formatter<'_>, judgement: &Judgement, verb: &str) -> fmt::Result {
    if judgement.n_too_often > 0 {
        let names = names(&judgement.too_often, judgement.n_too_often);
        let all_twice = judgement.too_often.iter().all(|one| (one.n, one.expected) == (2, 1));
        let times = if all_twice { "twice" } else { "too often" };
        writeln!(f, "  {verb} {times}: {names}")?;
    }
    if judgement.n_lost > 0 {
        writeln!(f, "  lost: {}", names(&judgement.lost, judgement.n_lost))?;
    }
    for stale in &judgement.stale {
        let key = stale.key.as_deref().unwrap_or("no key");
        let (operator, record, step) = (&stale.operator, &stale.record, stale.step);
        writeln!(f, "  {operator} holds {record} under {key}, undone after step {step}")?;
    }
    Ok(())
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::CannotTell => "cannot tell",
            Self::Violated => "violated",
        })
    }
}

impl fmt::Display for CannotTell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TraceCut => f.write_str("the end of the trace is missing"),
            Self::InFlight { n_records, n_results } => {
                let plural = |n: u64, noun: &str| match n {
                    1 => format!("1 {noun}"),
                    n => format!("{n} {noun}s"),
                };
                let (records, results) =
                    (plural(*n_records, "record"), plural(*n_results, "result"));
                let what = match (*n_records, *n_results) {
                    (_, 0) => format!("{records} not counted yet"),
                    (0, _) => format!("{results} not published yet"),
                    _ => format!("{records} not counted yet, {results} not published yet"),
                };
                write!(f, "the job had not finished: {what}")
            }
            Self::StateIsWrong => {
                f.write_str("the output was not judged further, since the state is wrong")
            }
            Self::Contradiction { step, what } => write!(f, "step {step}: {what}"),
        }
    }
}
